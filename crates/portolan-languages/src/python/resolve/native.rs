//! Modules of Python that are written in Rust: what `pyproject.toml` says is built from a crate of the repository.

use std::sync::Arc;

use toml::{Table, Value};

use super::manifest::{at, join};
use super::modules::split;
use crate::Ground;
use crate::rust::resolve;

/// A module that is built from a crate.
struct Native {
    /// Its name, `a.b._c`.
    module: String,
    /// Where its file would be, from the root: `python/a/b/_c`.
    place: String,
    /// The root of the crate's library.
    library: Arc<str>,
}

/// What an import leads to.
pub(super) struct Found {
    /// The root of the crate's library.
    pub(super) library: Arc<str>,
    /// Whether the module is the name that is taken from a package, and not what it is taken from.
    pub(super) is_by_item: bool,
}

/// The modules of a repository that are built from crates.
pub(super) struct Natives(Vec<Native>);

impl Natives {
    pub(super) fn new(ground: &Ground<'_>) -> Self {
        let root = ground.files().root();
        let mut natives = Vec::new();
        for absolute in ground.sources().paths().filter(|path| path.ends_with("/pyproject.toml")) {
            let below = absolute.strip_prefix(root).and_then(|path| path.strip_prefix('/'));
            let (Some(path), Some(manifest)) = (below, ground.read_toml(absolute)) else {
                continue;
            };
            let folder = split(path).0;
            natives.extend(by_maturin(ground, folder, &manifest));
            natives.extend(by_setuptools(ground, folder, &manifest));
        }
        Self(natives)
    }

    /// The crate behind the module that an import in the file at `path` names, or behind a name of it.
    pub(super) fn find(&self, path: &str, module: &str, item: Option<&str>) -> Option<Found> {
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
            is_it.then(|| Found { library: Arc::clone(&native.library), is_by_item })
        })
    }
}

fn native(
    ground: &Ground<'_>,
    folder: &str,
    source: &str,
    module: Option<&str>,
    manifest: &str,
) -> Option<Native> {
    let manifest = join(folder, manifest)?;
    let library = cargo::library(ground, &format!("{}/{manifest}", ground.files().root()))?;
    let source = join(folder, source)?;
    let module = module.map_or_else(
        || {
            // Beside a package of its name, the crate is a module of that.
            let package = join(&source, &format!("{}/__init__.py", library.name));
            let package = package.map(|path| format!("{}/{path}", ground.files().root()));
            let is_inside = package.is_some_and(|path| ground.is_source(&path));
            if is_inside { format!("{0}.{0}", library.name) } else { library.name.clone() }
        },
        str::to_owned,
    );
    let place = join(&source, &module.replace('.', "/"))?;
    Some(Native { module, place, library: library.root.into() })
}

/// `[tool.maturin]`, or maturin as what builds.
fn by_maturin(ground: &Ground<'_>, folder: &str, manifest: &Table) -> Option<Native> {
    let text = |keys: &[&str]| at(manifest, keys).and_then(Value::as_str);
    let is_built = text(&["build-system", "build-backend"]) == Some("maturin");
    if !is_built && at(manifest, &["tool", "maturin"]).is_none() {
        return None;
    }
    let setting = |key: &str| text(&["tool", "maturin", key]);
    native(
        ground,
        folder,
        setting("python-source").unwrap_or_default(),
        setting("module-name"),
        setting("manifest-path").unwrap_or("Cargo.toml"),
    )
}

/// `[[tool.setuptools-rust.ext-modules]]`
fn by_setuptools(ground: &Ground<'_>, folder: &str, manifest: &Table) -> Vec<Native> {
    let modules = at(manifest, &["tool", "setuptools-rust", "ext-modules"]);
    let modules = modules.and_then(Value::as_array).into_iter().flatten();
    let source = at(manifest, &["tool", "setuptools", "package-dir"]);
    let source = source.and_then(|folders| folders.get("")).and_then(Value::as_str);
    modules
        .filter_map(|module| {
            let text = |key: &str| module.get(key).and_then(Value::as_str);
            let path = text("path").unwrap_or("Cargo.toml");
            native(ground, folder, source.unwrap_or_default(), Some(text("target")?), path)
        })
        .collect()
}
