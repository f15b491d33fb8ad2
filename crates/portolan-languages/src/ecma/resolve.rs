//! Resolves specifiers to files, as TypeScript does.
//!
//! The rules are those of TypeScript's own resolver: the nearest tsconfig, `paths`, `exports` with
//! `types` first, `@types`, extension substitution. They are widened where a person would expect an
//! edge and the compiler gives up: workspace packages that are not installed or not built, assets,
//! the other module system's condition. An import that leads nowhere is an outcome, not an error.

mod builtin;
mod candidate;
mod folder_globs;
mod manifest;
mod package;
mod pattern_map;
mod published;
mod range;
mod tsconfig;
mod workspace;

use std::borrow::Cow;
use std::sync::Arc;

use portolan_types::{
    Facts, ImportForm, NodeId, NodeKind, Notice, NoticeCode, Place, Sha256Digest, is_safe_segment,
};

use self::candidate::{Extensions, LookupRules};
use self::manifest::PackageJson;
use self::tsconfig::{ResolutionMode, TsConfig};
use self::workspace::WorkspacePackages;
use crate::resolve::ecosystem::BuiltinExample;
use crate::resolve::files::{self, DiskView, Memo, TrackedMemo, ancestors, folder_of, join};
use crate::resolve::published::{Manifests, Published};
use crate::{Ecosystem, ImportTarget, Importer, PackageIdentity, Resolve, ResolveContext};

/// The npm ecosystem.
#[derive(Clone, Copy, Debug)]
pub struct Npm;

impl Ecosystem for Npm {
    fn name(&self) -> &'static str {
        "npm"
    }

    fn languages(&self) -> &'static [&'static str] {
        &["ecma"]
    }

    fn builtin_example(&self) -> Option<BuiltinExample> {
        Some(BuiltinExample { platform: "Node", id: "node:fs" })
    }

    fn file_example(&self) -> Option<&'static str> {
        Some("npm/zod/4.3.5/index.d.ts")
    }

    fn is_manifest(&self, name: &str) -> bool {
        name == "package.json"
    }

    fn is_store(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case("node_modules")
    }

    /// Folders above the root do not count, so a repository resolves the same wherever it lies.
    fn installed<'p>(&self, root: &str, path: &'p str) -> Option<&'p str> {
        let above = if files::is_under(path, root) { root.len() } else { 0 };
        let start = above + path[above..].rfind("/node_modules/")? + "/node_modules/".len();
        let name = &path[start..];
        let mut slashes = name.match_indices('/').map(|(at, _)| at);
        let end = slashes.nth(usize::from(name.starts_with('@'))).unwrap_or(name.len());
        Some(&path[..start + end])
    }

    fn published(&self, manifests: &Manifests<'_>, folder: &str) -> Option<Published> {
        published::published(manifests, folder)
    }

    fn module_of_installed<'f>(&self, file: &'f str) -> Option<Cow<'f, str>> {
        published::package_named(file)
    }

    fn package_named<'m>(&self, module: &'m str) -> Option<Cow<'m, str>> {
        published::package_named(module)
    }

    fn open<'a>(&self, ctx: &'a ResolveContext<'a>) -> Box<dyn Resolve + 'a> {
        Box::new(NpmResolver::new(ctx))
    }
}

impl Resolve for NpmResolver<'_> {
    fn basis(&self) -> Sha256Digest {
        self.workspace.digest()
    }

    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        Box::new(self.npm_importer(path))
    }

    /// The nearest manifest above a file that has both a name and a version.
    fn package_of(&self, file: &str) -> Option<PackageIdentity> {
        ancestors(folder_of(file)).find_map(|folder| {
            let manifest = self.manifest(folder)?;
            let (name, version) = (manifest.name.clone()?, manifest.version.clone()?);
            let is_addressable = match name.strip_prefix('@').and_then(|name| name.split_once('/'))
            {
                Some((scope, name)) => is_safe_segment(scope) && is_safe_segment(name),
                None => is_safe_segment(&name),
            };
            Some(PackageIdentity {
                ecosystem: Npm.name(),
                folder: folder.to_owned(),
                manifest: format!("{folder}/package.json"),
                is_addressable: is_addressable && is_safe_segment(&version),
                name,
                version,
            })
        })
    }
}

/// The form of a specifier, which decides how it is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecifierForm {
    /// `import`.
    Import,
    /// `require`.
    Require,
    /// A path relative to the file, with or without `./`.
    ReferencePath,
    /// A types package.
    ReferenceTypes,
    /// A path relative to the file, used as it is.
    Url,
}

impl SpecifierForm {
    /// All forms, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Import, Self::Require, Self::ReferencePath, Self::ReferenceTypes, Self::Url];

    /// The form with a number. An unknown number is a plain import.
    pub fn of(form: ImportForm) -> Self {
        Self::ALL.get(usize::from(form.0)).copied().unwrap_or(Self::Import)
    }
}

/// What a specifier resolves to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A file: an absolute path with `/`.
    File(Arc<str>),
    /// A Node module; the name without `node:`.
    Builtin(Box<str>),
    /// Nothing.
    Missing,
}

/// Resolves the specifiers of files in and around one repository. Every disk call is made once;
/// threads share the results.
pub struct NpmResolver<'a> {
    ctx: &'a ResolveContext<'a>,
    files: &'a DiskView<'a>,
    workspace: WorkspacePackages,
    default_config: Arc<TsConfig>,
    configs: TrackedMemo<Box<str>, Arc<TsConfig>>,
    nearest_configs: TrackedMemo<Box<str>, Arc<TsConfig>>,
    manifests: TrackedMemo<Box<str>, Option<Arc<PackageJson>>>,
    /// The nearest folder with a manifest, for each folder.
    homes: TrackedMemo<Box<str>, Option<PackageHome>>,
    /// The `node_modules` folders at and above each folder.
    stores: TrackedMemo<Box<str>, Arc<[String]>>,
    answers: TrackedMemo<Box<[u8]>, Resolution>,
}

/// A folder with its manifest.
type PackageHome = (Arc<str>, Arc<PackageJson>);

/// The importer for one file.
struct NpmImporter<'i, 'a> {
    resolver: &'i NpmResolver<'a>,
    folder: &'i str,
    config: Arc<TsConfig>,
}

impl Importer for NpmImporter<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<ImportTarget>) {
        let Some(import) = facts.imports.get(import) else { return };
        found.push(match self.look_up(&import.specifier, SpecifierForm::of(import.form)) {
            Resolution::File(path) => ImportTarget::File(path),
            Resolution::Builtin(name) => {
                ImportTarget::Module(format!("node:{name}").into(), NodeKind::Builtin)
            }
            Resolution::Missing => {
                ImportTarget::Module(NodeId::from(&*import.specifier), NodeKind::Missing)
            }
        });
    }
}

impl NpmImporter<'_, '_> {
    /// Resolves a specifier of this file.
    fn look_up(&self, specifier: &str, form: SpecifierForm) -> Resolution {
        let Self { resolver, folder, config } = self;
        // Resolving a relative path is as fast as a cache lookup.
        if is_relative(specifier) {
            return resolver.look_up(folder, specifier, form, config);
        }
        let question = cache_key(folder, specifier, form, config);
        resolver
            .answers
            .get_or_find(question.as_slice(), || resolver.look_up(folder, specifier, form, config))
    }
}

/// The cache key of a resolution. Files in one folder under the same config share it. The config is
/// identified by its path: another config may get the same address later. The key is one buffer
/// because every import needs one.
fn cache_key(folder: &str, specifier: &str, form: SpecifierForm, config: &TsConfig) -> Vec<u8> {
    let length = folder.len() + specifier.len() + config.path.len() + 3;
    let mut bytes = Vec::with_capacity(length);
    bytes.push(form as u8);
    bytes.extend_from_slice(config.path.as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(folder.as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(specifier.as_bytes());
    bytes
}

impl<'a> NpmResolver<'a> {
    /// Creates a resolver for a repository.
    pub fn new(ctx: &'a ResolveContext<'a>) -> Self {
        let mut resolver = Self {
            ctx,
            files: ctx.files(),
            workspace: WorkspacePackages::default(),
            default_config: Arc::new(TsConfig::without_file()),
            configs: Memo::default(),
            nearest_configs: Memo::default(),
            manifests: Memo::default(),
            homes: Memo::default(),
            stores: Memo::default(),
            answers: Memo::default(),
        };
        let paths = ctx.sources().paths();
        let manifests: Vec<String> =
            paths.filter(|path| path.ends_with("/package.json")).map(ToOwned::to_owned).collect();
        resolver.workspace = resolver.find_workspace(&manifests);
        resolver
    }

    /// Resolves `specifier` as written in the file at the absolute path `importer`.
    pub fn resolve(&self, importer: &str, specifier: &str, form: SpecifierForm) -> Resolution {
        self.npm_importer(importer).look_up(specifier, form)
    }

    /// A link imports from where its file really is, as in Node and TypeScript.
    fn npm_importer<'i>(&'i self, path: &'i str) -> NpmImporter<'i, 'a> {
        let path = self.ctx.sources().real(path).unwrap_or(path);
        NpmImporter { resolver: self, folder: folder_of(path), config: self.config_of(path) }
    }

    fn look_up(
        &self,
        folder: &str,
        specifier: &str,
        form: SpecifierForm,
        config: &TsConfig,
    ) -> Resolution {
        if specifier.len() > pattern_map::MAX_PATH {
            return Resolution::Missing;
        }
        let found = match form {
            SpecifierForm::Url => self.asset(&join(folder, without_query(specifier))),
            SpecifierForm::ReferencePath => {
                let path = join(folder, specifier);
                self.asset(&path)
                    .or_else(|| self.relative(&path, specifier, &LookupRules::new(config, form)))
            }
            SpecifierForm::ReferenceTypes => self.types_package(folder, specifier, config),
            SpecifierForm::Import | SpecifierForm::Require => {
                if let Some(name) = builtin::builtin_name(specifier) {
                    return Resolution::Builtin(name.into());
                }
                if let Some(name) = self.builtin_of_package(folder, specifier, form, config) {
                    return Resolution::Builtin(name);
                }
                let plain = without_query(specifier);
                self.module(folder, specifier, form, config).or_else(|| {
                    (plain != specifier).then(|| self.module(folder, plain, form, config)).flatten()
                })
            }
        };
        found
            .and_then(|path| self.contained(path))
            .map_or(Resolution::Missing, |path| Resolution::File(path.into()))
    }

    /// The Node module that a `#name` of the package stands for.
    fn builtin_of_package(
        &self,
        folder: &str,
        specifier: &str,
        form: SpecifierForm,
        config: &TsConfig,
    ) -> Option<Box<str>> {
        if !specifier.starts_with('#') {
            return None;
        }
        let lookup = LookupRules::new(config, form);
        match self.by_config(specifier, &lookup) {
            Some(_) => None,
            None => self.own_builtin(folder, specifier, &lookup),
        }
    }

    /// Resolves a module with the conditions of its form, and then with all conditions instead of
    /// giving up.
    fn module(
        &self,
        folder: &str,
        specifier: &str,
        form: SpecifierForm,
        config: &TsConfig,
    ) -> Option<String> {
        if specifier.is_empty() || specifier.contains('\0') {
            return None;
        }
        let lookup = LookupRules::new(config, form);
        if is_relative(specifier) {
            let path = join(folder, specifier);
            return self.relative(&path, specifier, &lookup).or_else(|| self.asset(&path));
        }
        let mapped = self.by_config(specifier, &lookup);
        if mapped.is_some() || specifier.contains(':') {
            return mapped;
        }
        let (name, rest) = package::split_name(specifier);
        let found = |lookup: &LookupRules<'_>| {
            let found = self.own_package(folder, specifier, lookup);
            let found = found.or_else(|| self.installed(folder, specifier, lookup))?;
            Some(self.prefer_source(found, name, rest))
        };
        found(&lookup)
            .or_else(|| self.linked_package(folder, name, rest, &lookup))
            .or_else(|| self.workspace_package(name, rest, &lookup))
            .or_else(|| found(&lookup.permissive()))
    }

    /// Resolves a relative or absolute path, through `rootDirs` if there are any.
    fn relative(&self, path: &str, specifier: &str, lookup: &LookupRules<'_>) -> Option<String> {
        let folder_only =
            specifier.ends_with('/') || matches!(specifier.rsplit('/').next(), Some("." | ".."));
        let passes: &[Extensions] = match lookup.mode {
            ResolutionMode::Node10 => &[Extensions::TYPED, Extensions::UNTYPED],
            ResolutionMode::Bundler | ResolutionMode::Node16 => &[Extensions::ALL],
        };
        let mut places = vec![path.to_owned()];
        let roots = &lookup.config.options.root_dirs;
        if let Some(home) =
            roots.iter().filter(|root| files::is_under(path, root)).max_by_key(|root| root.len())
        {
            let rest = path[home.len()..].trim_start_matches('/');
            places.extend(roots.iter().filter(|root| *root != home).map(|root| join(root, rest)));
        }
        passes.iter().find_map(|extensions| {
            let lookup = lookup.with(*extensions);
            places.iter().find_map(|place| self.file_or_folder(place, folder_only, &lookup))
        })
    }

    /// Resolves by `paths`, then by `baseUrl`.
    fn by_config(&self, specifier: &str, lookup: &LookupRules<'_>) -> Option<String> {
        let options = &lookup.config.options;
        let base = options.base_url.as_deref().unwrap_or(&options.paths_base);
        let mapped = pattern_map::best_match(
            options.paths.iter().map(|(pattern, _)| pattern.as_str()),
            specifier,
        )
        .and_then(|(index, star)| {
            options.paths[index].1.iter().find_map(|target| {
                let base = if target.from_config_dir { &lookup.config.folder } else { base };
                let path = join(base, &pattern_map::substitute(&target.text, star)?);
                self.exact(&path, lookup.extensions)
                    .or_else(|| self.file_or_folder(&path, false, lookup))
                    .or_else(|| self.asset(&path))
            })
        });
        mapped.or_else(|| {
            let path = join(options.base_url.as_deref()?, specifier);
            self.file_or_folder(&path, false, lookup).or_else(|| self.asset(&path))
        })
    }

    /// The file at exactly this path, whatever its extension.
    fn asset(&self, path: &str) -> Option<String> {
        self.files.is_file(path).then(|| path.to_owned())
    }

    /// Outside of the repository and its packages only code counts: an import must not add
    /// arbitrary files of the machine to the map. A link out of the repository is known by its real
    /// path.
    fn contained(&self, path: String) -> Option<String> {
        let real = self.files.real(&path);
        if self.files.is_inside(&real) {
            // Files below a linked folder have their real paths in the universe.
            let is_elsewhere = !self.ctx.is_source(&path) && self.ctx.is_source(&real);
            return Some(if is_elsewhere { real.to_string() } else { path });
        }
        let may_be_shown = self.is_in_packages(&real) || candidate::has_code_extension(&real);
        may_be_shown.then(|| real.to_string())
    }

    /// Whether a path contains a `node_modules` folder.
    fn is_in_packages(&self, path: &str) -> bool {
        Npm.installed(self.files.root(), path).is_some()
    }

    fn manifest(&self, folder: &str) -> Option<Arc<PackageJson>> {
        self.manifests.get_or_find(folder, || {
            let path = join(folder, "package.json");
            self.files.is_file(&path).then(|| self.read_manifest(&path)).flatten()
        })
    }

    fn read_manifest(&self, path: &str) -> Option<Arc<PackageJson>> {
        let parsed = match self.files.read(path) {
            Ok(bytes) => portolan_json::parse_strict(&bytes)
                .map(|document| PackageJson::from_json(&document.root))
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match parsed {
            Ok(manifest) => Some(Arc::new(manifest)),
            Err(error) => {
                let message = format!(
                    "cannot be read; the package is treated as having no manifest: {error}"
                );
                self.notice(Notice::at(
                    NoticeCode::ResolveConfig,
                    Place::file(self.display_path(path)),
                    message,
                ));
                None
            }
        }
    }

    fn notice(&self, notice: Notice) {
        self.ctx.notice(notice);
    }

    fn display_path(&self, path: &str) -> String {
        self.ctx.display_path(path)
    }
}

fn is_relative(specifier: &str) -> bool {
    matches!(specifier, "." | "..")
        || ["./", "../", "/"].iter().any(|start| specifier.starts_with(start))
}

/// Removes a query such as `?raw`. A leading `#` is a package import, not a fragment.
fn without_query(specifier: &str) -> &str {
    match specifier.find(['?', '#']) {
        Some(at) if at > 0 => &specifier[..at],
        _ => specifier,
    }
}
