//! From a specifier to the file it means, as TypeScript finds it.
//!
//! The rules are those of TypeScript's own resolver (nearest tsconfig, `paths`, `exports` with
//! `types` first, `@types`, extension substitution), widened where a person would expect an edge and
//! the compiler gives up: workspace packages that are not installed or not built, assets, the other
//! module system's condition. Whatever leads nowhere is an outcome, not an error.
#![warn(clippy::disallowed_methods)]

mod builtin;
mod candidate;
mod files;
mod json;
mod manifest;
mod package;
mod pattern_map;
mod range;
mod tsconfig;
mod workspace;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use portolan_types::{ImportForm, Notice, NoticeCode, Place};
use portolan_vfs::{DirEntry, System};

use crate::candidate::{Extensions, Lookup};
use crate::files::{Files, Memo, ancestors, folder_of, join};
use crate::json::Json;
use crate::manifest::Manifest;
use crate::tsconfig::{Mode, TsConfig};
use crate::workspace::Workspace;

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

/// The name and version that a package gives itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageIdentity {
    /// The folder of its manifest, absolute.
    pub folder: String,
    /// Its name, as written.
    pub name: String,
    /// Its version, as written.
    pub version: String,
}

/// Resolves specifiers of files in and around one repository. Every question to the disk is asked
/// once; threads share the answers.
pub struct Resolver<'a> {
    files: Files<'a>,
    /// The universe, as absolute paths: tells source from build output.
    is_source: &'a (dyn Fn(&str) -> bool + Sync),
    workspace: Workspace,
    default_config: Arc<TsConfig>,
    configs: Memo<Box<str>, Arc<TsConfig>>,
    nearest_configs: Memo<Box<str>, Arc<TsConfig>>,
    manifests: Memo<Box<str>, Option<Arc<Manifest>>>,
    answers: Memo<Box<[u8]>, Resolution>,
    notices: Mutex<BTreeSet<Notice>>,
}

/// A file that imports.
pub struct Importer<'i, 'a> {
    resolver: &'i Resolver<'a>,
    folder: &'i str,
    config: Arc<TsConfig>,
}

impl Importer<'_, '_> {
    /// Where `specifier` leads.
    pub fn resolve(&self, specifier: &str, form: Form) -> Resolution {
        let Self { resolver, folder, config } = self;
        // A path next to the importer is found as fast as it is remembered.
        if is_relative(specifier) {
            return resolver.look_up(folder, specifier, form, config);
        }
        let question = question(folder, specifier, form, config);
        if let Some(known) = resolver.answers.get(question.as_slice()) {
            return known;
        }
        let answer = resolver.look_up(folder, specifier, form, config);
        resolver.answers.insert(question.into(), answer)
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
    /// A resolver for the repository at `root` (a real path). `listings` are folders that were read
    /// already; `manifests` are the absolute paths of the universe's `package.json` files, sorted.
    pub fn new(
        system: &'a dyn System,
        root: &str,
        listings: impl Iterator<Item = (String, &'a [DirEntry])>,
        manifests: &[String],
        is_source: &'a (dyn Fn(&str) -> bool + Sync),
    ) -> Self {
        let files = Files::new(system, root);
        for (folder, entries) in listings {
            files.seed(&folder, entries);
        }
        let mut resolver = Self {
            files,
            is_source,
            workspace: Workspace::default(),
            default_config: Arc::new(TsConfig::without_file()),
            configs: Memo::default(),
            nearest_configs: Memo::default(),
            manifests: Memo::default(),
            answers: Memo::default(),
            notices: Mutex::default(),
        };
        resolver.workspace = resolver.find_workspace(manifests);
        resolver
    }

    /// Where `specifier` leads when the file at the absolute path `importer` writes it.
    pub fn resolve(&self, importer: &str, specifier: &str, form: Form) -> Resolution {
        self.importer(importer).resolve(specifier, form)
    }

    /// A file that imports: what its imports have in common is asked once.
    pub fn importer<'i>(&'i self, path: &'i str) -> Importer<'i, 'a> {
        Importer { resolver: self, folder: folder_of(path), config: self.config_of(path) }
    }

    /// What the nearest manifest above a file that has both says of name and version.
    pub fn package_of(&self, file: &str) -> Option<PackageIdentity> {
        ancestors(folder_of(file)).find_map(|folder| {
            let manifest = self.manifest(folder)?;
            let (name, version) = (manifest.name.clone()?, manifest.version.clone()?);
            Some(PackageIdentity { folder: folder.to_owned(), name, version })
        })
    }

    /// What could not be read or was made up for on the way, sorted.
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner).clone();
        notices.extend(self.files.problems().into_iter().map(|(path, error)| {
            let message = format!("cannot be looked at, so no import leads through it: {error}");
            Notice::at(NoticeCode::ResolveUnreadable, Place::file(self.shown(&path)), message)
        }));
        notices.into_iter().collect()
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
        let found = [lookup.clone(), lookup.permissive()].iter().find_map(|lookup| {
            self.own_package(folder, specifier, lookup)
                .or_else(|| self.installed(folder, specifier, lookup))
        });
        match found {
            Some(path) => Some(self.prefer_source(path, name, rest)),
            None => self.workspace_package(name, rest, &lookup),
        }
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
                let path = join(base, &pattern_map::substitute(target, star)?);
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
            return Some(path);
        }
        let may_be_shown = real.contains("/node_modules/") || candidate::has_code_extension(&real);
        may_be_shown.then(|| real.to_string())
    }

    fn manifest(&self, folder: &str) -> Option<Arc<Manifest>> {
        if let Some(known) = self.manifests.get(folder) {
            return known;
        }
        let path = join(folder, "package.json");
        let manifest = self.files.is_file(&path).then(|| self.read_manifest(&path)).flatten();
        self.manifests.insert(folder.into(), manifest)
    }

    fn read_manifest(&self, path: &str) -> Option<Arc<Manifest>> {
        let parsed = match self.files.read(path) {
            Ok(bytes) => Json::parse(&bytes).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match parsed {
            Ok(json) => Some(Arc::new(Manifest::from_json(&json))),
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
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).insert(notice);
    }

    /// A path as people know it: relative to the root where it is below it, else its last part, so
    /// that no message tells where on the machine things are.
    fn shown(&self, path: &str) -> String {
        match path.strip_prefix(self.files.root()) {
            Some(inside) => inside.trim_start_matches('/').to_owned(),
            None => Path::new(path)
                .file_name()
                .map_or_else(String::new, |name| format!("…/{}", name.to_string_lossy())),
        }
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
