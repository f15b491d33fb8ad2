//! Native modules: Python modules that `pyproject.toml` builds from a Rust crate of the repository.

use std::sync::Arc;

use toml::{Table, Value};

use super::manifest::{at, join};
use super::modules::split;
use crate::ResolveContext;
use crate::rust::resolve;

/// A module built from a crate.
struct NativeModule {
    /// The module name, `a.b._c`.
    module: String,
    /// The path its file would have, relative to the root: `python/a/b/_c`.
    place: String,
    /// The root of the crate's library.
    library: Arc<str>,
}

/// The target of an import.
pub(super) struct NativeTarget {
    /// The root of the crate's library.
    pub(super) library: Arc<str>,
    /// Whether the native module is the imported name, not the module it is imported from.
    pub(super) is_by_item: bool,
}

/// The native modules of a repository.
pub(super) struct NativeModules(Vec<NativeModule>);

impl NativeModules {
    pub(super) fn new(ctx: &ResolveContext<'_>) -> Self {
        let root = ctx.files().root();
        let mut natives = Vec::new();
        for absolute in ctx.sources().paths().filter(|path| path.ends_with("/pyproject.toml")) {
            let below = absolute.strip_prefix(root).and_then(|path| path.strip_prefix('/'));
            let (Some(path), Some(manifest)) = (below, ctx.read_toml(absolute)) else {
                continue;
            };
            let folder = split(path).0;
            natives.extend(by_maturin(ctx, folder, &manifest));
            natives.extend(by_setuptools(ctx, folder, &manifest));
        }
        Self(natives)
    }

    /// The crate for the module, or the imported name, of an import in the file at `path`.
    pub(super) fn find(
        &self,
        path: &str,
        module: &str,
        item: Option<&str>,
    ) -> Option<NativeTarget> {
        if self.0.is_empty() {
            return None;
        }
        let dots = module.len() - module.trim_start_matches('.').len();
        let rest = module.get(dots..)?.replace('.', "/");
        let whole = match dots.checked_sub(1) {
            None => rest,
            Some(up) => join(&join(split(path).0, &"../".repeat(up.min(256)))?, &rest)?,
        };
        let with_item = item.map(|item| [whole.as_str(), item].join("/"));
        self.0.iter().find_map(|native| {
            let own = if dots == 0 { &native.module.replace('.', "/") } else { &native.place };
            let is_by_item = with_item.as_deref() == Some(own);
            let is_below =
                || whole.strip_prefix(own.as_str()).is_some_and(|it| it.starts_with('/'));
            let is_it = is_by_item || whole == *own || is_below();
            is_it.then(|| NativeTarget { library: Arc::clone(&native.library), is_by_item })
        })
    }
}

fn native(
    ctx: &ResolveContext<'_>,
    folder: &str,
    source: &str,
    module: Option<&str>,
    manifest: &str,
) -> Option<NativeModule> {
    let manifest = join(folder, manifest)?;
    let library = resolve::library(ctx, &format!("{}/{manifest}", ctx.files().root()))?;
    let source = join(folder, source)?;
    let module = module.map_or_else(
        || {
            // If a package with the crate's name exists, the module lies inside it.
            let package = join(&source, &format!("{}/__init__.py", library.name));
            let package = package.map(|path| format!("{}/{path}", ctx.files().root()));
            let is_inside = package.is_some_and(|path| ctx.is_source(&path));
            if is_inside { format!("{0}.{0}", library.name) } else { library.name.clone() }
        },
        str::to_owned,
    );
    let place = join(&source, &module.replace('.', "/"))?;
    Some(NativeModule { module, place, library: library.root.into() })
}

/// Reads `[tool.maturin]`, or maturin as the build backend.
fn by_maturin(ctx: &ResolveContext<'_>, folder: &str, manifest: &Table) -> Option<NativeModule> {
    let text = |keys: &[&str]| at(manifest, keys).and_then(Value::as_str);
    let is_built = text(&["build-system", "build-backend"]) == Some("maturin");
    if !is_built && at(manifest, &["tool", "maturin"]).is_none() {
        return None;
    }
    let setting = |key: &str| text(&["tool", "maturin", key]);
    native(
        ctx,
        folder,
        setting("python-source").unwrap_or_default(),
        setting("module-name"),
        setting("manifest-path").unwrap_or("Cargo.toml"),
    )
}

/// Reads `[[tool.setuptools-rust.ext-modules]]`.
fn by_setuptools(ctx: &ResolveContext<'_>, folder: &str, manifest: &Table) -> Vec<NativeModule> {
    let modules = at(manifest, &["tool", "setuptools-rust", "ext-modules"]);
    let modules = modules.and_then(Value::as_array).into_iter().flatten();
    let source = at(manifest, &["tool", "setuptools", "package-dir"]);
    let source = source.and_then(|folders| folders.get("")).and_then(Value::as_str);
    modules
        .filter_map(|module| {
            let text = |key: &str| module.get(key).and_then(Value::as_str);
            let path = text("path").unwrap_or("Cargo.toml");
            native(ctx, folder, source.unwrap_or_default(), Some(text("target")?), path)
        })
        .collect()
}
