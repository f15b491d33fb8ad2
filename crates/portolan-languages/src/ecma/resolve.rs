//! From a specifier to the file it means, as TypeScript finds it.
//!
//! The rules are those of TypeScript's own resolver (nearest tsconfig, `paths`, `exports` with
//! `types` first, `@types`, extension substitution), widened where a person would expect an edge and
//! the compiler gives up: workspace packages that are not installed or not built, assets, the other
//! module system's condition. Whatever leads nowhere is an outcome, not an error.

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

use self::candidate::{Extensions, Lookup};
use self::manifest::Manifest;
use self::tsconfig::{Mode, TsConfig};
use self::workspace::Workspace;
use crate::resolve::ecosystem::BuiltinExample;
use crate::resolve::files::{self, ancestors, folder_of, join, Files, Memo, Recalled};
use crate::resolve::published::{Manifests, Published};
use crate::{Ecosystem, Ground, Importer, PackageIdentity, Resolve, Target};

/// The ecosystem.
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

    /// What lies above the root does not count for what is below it: a repository is one wherever it
    /// lies.
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

    fn open<'a>(&self, ground: &'a Ground<'a>) -> Box<dyn Resolve + 'a> {
        Box::new(Resolver::new(ground))
    }
}

impl Resolve for Resolver<'_> {
    fn basis(&self) -> Sha256Digest {
        self.workspace.digest()
    }

    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        Box::new(self.npm_importer(path))
    }

    /// What the nearest manifest above a file that has both says of name and version.
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

/// How a specifier is written, and so how it is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// By the rules for `import`.
    Import,
    /// By the rules for `require`.
    Require,
    /// A path relative to the file, with or without `./`.
    ReferencePath,
    /// A package of types.
    ReferenceTypes,
    /// A path relative to the file, taken as it is.
    Url,
}

impl Form {
    /// Every form, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Import, Self::Require, Self::ReferencePath, Self::ReferenceTypes, Self::Url];

    /// The form with a number; a plain import for a number that is none.
    pub fn of(form: ImportForm) -> Self {
        Self::ALL.get(usize::from(form.0)).copied().unwrap_or(Self::Import)
    }
}

/// Where a specifier leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// To this file: an absolute path with `/`.
    File(Arc<str>),
    /// To a module of Node; the name without `node:`.
    Builtin(Box<str>),
    /// Nowhere.
    Missing,
}

/// Resolves specifiers of files in and around one repository. Every question to the disk is asked
/// once; threads share the answers.
pub struct Resolver<'a> {
    ground: &'a Ground<'a>,
    files: &'a Files<'a>,
    workspace: Workspace,
    default_config: Arc<TsConfig>,
    configs: Recalled<Box<str>, Arc<TsConfig>>,
    nearest_configs: Recalled<Box<str>, Arc<TsConfig>>,
    manifests: Recalled<Box<str>, Option<Arc<Manifest>>>,
    /// The nearest folder with a manifest, from each folder upwards.
    homes: Recalled<Box<str>, Option<Home>>,
    /// The folders of installed packages, from each folder upwards.
    stores: Recalled<Box<str>, Arc<[String]>>,
    answers: Recalled<Box<[u8]>, Resolution>,
}

/// A folder with a manifest.
type Home = (Arc<str>, Arc<Manifest>);

/// A file that imports.
struct NpmImporter<'i, 'a> {
    resolver: &'i Resolver<'a>,
    folder: &'i str,
    config: Arc<TsConfig>,
}

impl Importer for NpmImporter<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<Target>) {
        let Some(import) = facts.imports.get(import) else { return };
        found.push(match self.look_up(&import.specifier, Form::of(import.form)) {
            Resolution::File(path) => Target::File(path),
            Resolution::Builtin(name) => {
                Target::Module(format!("node:{name}").into(), NodeKind::Builtin)
            }
            Resolution::Missing => {
                Target::Module(NodeId::from(&*import.specifier), NodeKind::Missing)
            }
        });
    }
}

impl NpmImporter<'_, '_> {
    /// Where `specifier` leads.
    fn look_up(&self, specifier: &str, form: Form) -> Resolution {
        let Self { resolver, folder, config } = self;
        // A path next to the importer is found as fast as it is remembered.
        if is_relative(specifier) {
            return resolver.look_up(folder, specifier, form, config);
        }
        let question = question(folder, specifier, form, config);
        resolver
            .answers
            .recall(question.as_slice(), || resolver.look_up(folder, specifier, form, config))
    }
}

/// What is asked, as bytes: two files of one folder under one config ask the same. A config is known
/// by its path: its address may be that of another one, later. One piece of memory instead of one for
/// each part: this is asked for every import there is.
fn question(folder: &str, specifier: &str, form: Form, config: &TsConfig) -> Vec<u8> {
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

impl<'a> Resolver<'a> {
    /// A resolver for the repository on a ground.
    pub fn new(ground: &'a Ground<'a>) -> Self {
        let mut resolver = Self {
            ground,
            files: ground.files(),
            workspace: Workspace::default(),
            default_config: Arc::new(TsConfig::without_file()),
            configs: Memo::default(),
            nearest_configs: Memo::default(),
            manifests: Memo::default(),
            homes: Memo::default(),
            stores: Memo::default(),
            answers: Memo::default(),
        };
        let paths = ground.sources().paths();
        let manifests: Vec<String> =
            paths.filter(|path| path.ends_with("/package.json")).map(ToOwned::to_owned).collect();
        resolver.workspace = resolver.find_workspace(&manifests);
        resolver
    }

    /// Where `specifier` leads when the file at the absolute path `importer` writes it.
    pub fn resolve(&self, importer: &str, specifier: &str, form: Form) -> Resolution {
        self.npm_importer(importer).look_up(specifier, form)
    }

    /// A link imports from where its file really is, as Node and the compiler have it.
    fn npm_importer<'i>(&'i self, path: &'i str) -> NpmImporter<'i, 'a> {
        let path = self.ground.sources().real(path).unwrap_or(path);
        NpmImporter { resolver: self, folder: folder_of(path), config: self.config_of(path) }
    }

    fn look_up(&self, folder: &str, specifier: &str, form: Form, config: &TsConfig) -> Resolution {
        if specifier.len() > pattern_map::MAX_PATH {
            return Resolution::Missing;
        }
        let found = match form {
            Form::Url => self.asset(&join(folder, without_query(specifier))),
            Form::ReferencePath => {
                let path = join(folder, specifier);
                self.asset(&path)
                    .or_else(|| self.relative(&path, specifier, &Lookup::new(config, form)))
            }
            Form::ReferenceTypes => self.types_package(folder, specifier, config),
            Form::Import | Form::Require => {
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

    /// The module of Node that a package has a name of its own for.
    fn builtin_of_package(
        &self,
        folder: &str,
        specifier: &str,
        form: Form,
        config: &TsConfig,
    ) -> Option<Box<str>> {
        if !specifier.starts_with('#') {
            return None;
        }
        let lookup = Lookup::new(config, form);
        match self.by_config(specifier, &lookup) {
            Some(_) => None,
            None => self.own_builtin(folder, specifier, &lookup),
        }
    }

    /// A module, tried with the conditions of its form and then, rather than giving up, with all.
    fn module(
        &self,
        folder: &str,
        specifier: &str,
        form: Form,
        config: &TsConfig,
    ) -> Option<String> {
        if specifier.is_empty() || specifier.contains('\0') {
            return None;
        }
        let lookup = Lookup::new(config, form);
        if is_relative(specifier) {
            let path = join(folder, specifier);
            return self.relative(&path, specifier, &lookup).or_else(|| self.asset(&path));
        }
        let mapped = self.by_config(specifier, &lookup);
        if mapped.is_some() || specifier.contains(':') {
            return mapped;
        }
        let (name, rest) = package::split_name(specifier);
        let found = |lookup: &Lookup<'_>| {
            let found = self.own_package(folder, specifier, lookup);
            let found = found.or_else(|| self.installed(folder, specifier, lookup))?;
            Some(self.prefer_source(found, name, rest))
        };
        found(&lookup)
            .or_else(|| self.linked_package(folder, name, rest, &lookup))
            .or_else(|| self.workspace_package(name, rest, &lookup))
            .or_else(|| found(&lookup.permissive()))
    }

    /// A relative or absolute path, by way of `rootDirs` where there are any.
    fn relative(&self, path: &str, specifier: &str, lookup: &Lookup<'_>) -> Option<String> {
        let folder_only =
            specifier.ends_with('/') || matches!(specifier.rsplit('/').next(), Some("." | ".."));
        let passes: &[Extensions] = match lookup.mode {
            Mode::Node10 => &[Extensions::TYPED, Extensions::UNTYPED],
            Mode::Bundler | Mode::Node16 => &[Extensions::ALL],
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

    /// `paths`, then `baseUrl`.
    fn by_config(&self, specifier: &str, lookup: &Lookup<'_>) -> Option<String> {
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

    /// A file that is taken as it is, whatever its extension.
    fn asset(&self, path: &str) -> Option<String> {
        self.files.is_file(path).then(|| path.to_owned())
    }

    /// Outside the repository and its packages only code counts: an import must not make any file
    /// of the machine part of the map. What a link of the repository leads to is known by its real
    /// name, where that is outside.
    fn contained(&self, path: String) -> Option<String> {
        let real = self.files.real(&path);
        if self.files.is_inside(&real) {
            // Files below a link to a folder are known where they really are, as those of the universe.
            let is_elsewhere = !self.ground.is_source(&path) && self.ground.is_source(&real);
            return Some(if is_elsewhere { real.to_string() } else { path });
        }
        let may_be_shown = self.is_in_packages(&real) || candidate::has_code_extension(&real);
        may_be_shown.then(|| real.to_string())
    }

    /// Whether a path leads through a folder of installed packages.
    fn is_in_packages(&self, path: &str) -> bool {
        Npm.installed(self.files.root(), path).is_some()
    }

    fn manifest(&self, folder: &str) -> Option<Arc<Manifest>> {
        self.manifests.recall(folder, || {
            let path = join(folder, "package.json");
            self.files.is_file(&path).then(|| self.read_manifest(&path)).flatten()
        })
    }

    fn read_manifest(&self, path: &str) -> Option<Arc<Manifest>> {
        let parsed = match self.files.read(path) {
            Ok(bytes) => portolan_json::parse_strict(&bytes)
                .map(|document| Manifest::from_json(&document.root))
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match parsed {
            Ok(manifest) => Some(Arc::new(manifest)),
            Err(error) => {
                let message = format!(
                    "cannot be read, the package is taken as one without a manifest: {error}"
                );
                self.notice(Notice::at(
                    NoticeCode::ResolveConfig,
                    Place::file(self.shown(path)),
                    message,
                ));
                None
            }
        }
    }

    fn notice(&self, notice: Notice) {
        self.ground.notice(notice);
    }

    fn shown(&self, path: &str) -> String {
        self.ground.shown(path)
    }
}

fn is_relative(specifier: &str) -> bool {
    matches!(specifier, "." | "..")
        || ["./", "../", "/"].iter().any(|start| specifier.starts_with(start))
}

/// Bundlers take `?raw` and the like off; a `#` in front is an import of the package's own.
fn without_query(specifier: &str) -> &str {
    match specifier.find(['?', '#']) {
        Some(at) if at > 0 => &specifier[..at],
        _ => specifier,
    }
}
