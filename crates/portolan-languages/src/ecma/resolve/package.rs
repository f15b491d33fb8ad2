//! Resolves packages: `exports` and `imports`, the walk through `node_modules`, and `@types`.

use std::sync::Arc;

use portolan_json::{Json, LocatedJson};

use crate::ecma::resolve::builtin::builtin_name;
use crate::ecma::resolve::candidate::{Extensions, LookupRules};
use crate::ecma::resolve::manifest::PackageJson;
use crate::ecma::resolve::tsconfig::{ResolutionMode, TsConfig};
use crate::ecma::resolve::{NpmResolver, PackageHome, pattern_map};
use crate::resolve::files::{folder_of, is_under, join, split};

/// How deep conditions and arrays may nest in a manifest. The JSON parser has its own limit too.
const MAX_TARGET_DEPTH: usize = 32;

/// The largest number of targets tried for one name.
const MAX_TARGETS: usize = 64;

/// What the targets of a manifest may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TargetReach {
    /// Files of the package: `exports`.
    OwnFiles,
    /// Other packages as well: `imports`. This is one step: the other package's `exports` lead to
    /// its own files.
    Packages,
    /// Files of the package exactly as written: for `extends`. While a config is read, nothing may
    /// ask which config governs a file.
    PlainFiles,
}

/// The search through the targets of one `exports` or `imports` entry.
struct TargetSearch<'t> {
    package: &'t str,
    star: Option<&'t str>,
    reach: TargetReach,
    lookup: &'t LookupRules<'t>,
    /// How many more targets may be tried.
    left: usize,
}

impl<'t> TargetSearch<'t> {
    fn new(
        package: &'t str,
        star: Option<&'t str>,
        reach: TargetReach,
        lookup: &'t LookupRules<'t>,
    ) -> Self {
        Self { package, star, reach, lookup, left: MAX_TARGETS }
    }
}

/// Splits a specifier into package name and subpath: `@s/p/x/y` is `@s/p` and `x/y`.
pub(crate) fn split_name(specifier: &str) -> (&str, &str) {
    let mut slashes = specifier.match_indices('/').map(|(at, _)| at);
    let end = slashes.nth(usize::from(specifier.starts_with('@')));
    match end {
        Some(at) => (&specifier[..at], &specifier[at + 1..]),
        None => (specifier, ""),
    }
}

/// The name of a package below `@types`.
fn types_name(name: &str) -> String {
    match name.strip_prefix('@').and_then(|scoped| scoped.split_once('/')) {
        Some((scope, name)) => format!("{scope}__{name}"),
        None => name.to_owned(),
    }
}

impl NpmResolver<'_> {
    /// Resolves `#name` in the importer's package, or the package's own name if it has `exports`.
    pub(crate) fn own_package(
        &self,
        folder: &str,
        specifier: &str,
        lookup: &LookupRules<'_>,
    ) -> Option<String> {
        let (home, manifest) = self.home(folder)?;
        let passes = [Extensions::TYPED, Extensions::UNTYPED];
        if specifier.starts_with('#') {
            let imports = manifest.imports.as_ref()?;
            let (target, star) = entry_of(imports, specifier)?;
            return passes.iter().find_map(|pass| {
                let lookup = lookup.with(*pass);
                self.entry(&home, target, star, TargetReach::Packages, &lookup)
            });
        }
        let (name, rest) = split_name(specifier);
        if manifest.name.as_deref() != Some(name)
            || manifest.exports.is_none()
            || lookup.mode == ResolutionMode::Node10
        {
            return None;
        }
        passes.iter().find_map(|pass| {
            self.exported(&home, &manifest, rest, TargetReach::OwnFiles, &lookup.with(*pass))
        })
    }

    /// The nearest folder with a manifest, at or above a folder.
    pub(crate) fn home(&self, folder: &str) -> Option<PackageHome> {
        self.homes.get_or_find(folder, || match self.manifest(folder) {
            Some(manifest) => Some((folder.into(), manifest)),
            None => self.home(split(folder)?.0),
        })
    }

    /// The `node_modules` folders at and above a folder. The repository itself is never one of
    /// them.
    fn stores_above(&self, folder: &str) -> Arc<[String]> {
        self.stores.get_or_find(folder, || {
            let modules = join(folder, "node_modules");
            let is_store = self.may_have_packages(folder)
                && modules != self.files.root()
                && self.files.is_dir(&modules);
            let above = split(folder).map(|(above, _)| self.stores_above(above));
            let above = above.iter().flat_map(|above| above.iter().cloned());
            is_store.then_some(modules).into_iter().chain(above).collect()
        })
    }

    /// The Node module that `#name` of the importer's package stands for.
    pub(crate) fn own_builtin(
        &self,
        folder: &str,
        specifier: &str,
        lookup: &LookupRules<'_>,
    ) -> Option<Box<str>> {
        let (home, manifest) = self.home(folder)?;
        let (target, star) = entry_of(manifest.imports.as_ref()?, specifier)?;
        let lookup = lookup.with(Extensions::ALL);
        let mut targets = TargetSearch::new(&home, star, TargetReach::Packages, &lookup);
        // A file that comes first wins.
        let first = Self::target(target, &mut targets, 0, &|text, targets| {
            let name = pattern_map::substitute(text, star)?;
            match builtin_name(&name) {
                Some(name) => Some(Some(name.into())),
                None => self.target_path(text, targets).map(|_| None),
            }
        });
        first.flatten()
    }

    /// Finds a package in the `node_modules` at and above the importer's folder: first types
    /// everywhere, then code everywhere.
    pub(crate) fn installed(
        &self,
        folder: &str,
        specifier: &str,
        lookup: &LookupRules<'_>,
    ) -> Option<String> {
        let (name, rest) = split_name(specifier);
        if name.is_empty() || name.starts_with('.') || name.starts_with('#') {
            return None;
        }
        let types = types_name(name);
        let stores = self.stores_above(folder);
        let found = [Extensions::TYPED, Extensions::UNTYPED].iter().find_map(|pass| {
            let lookup = lookup.with(*pass);
            stores.iter().find_map(|modules| {
                let package = join(modules, name);
                // The repository is not a package of the folder it happens to lie in.
                if is_under(self.files.root(), &package) {
                    return None;
                }
                self.in_package(&package, rest, &lookup).or_else(|| {
                    let typed = pass.typed.then(|| format!("{modules}/@types/{types}"))?;
                    self.in_package(&typed, rest, &lookup)
                })
            })
        })?;
        let keep = lookup.config.options.preserve_symlinks;
        Some(if keep { found } else { self.files.real(&found).to_string() })
    }

    /// A package's dependencies lie beside it, not in a `node_modules` inside `node_modules`.
    fn may_have_packages(&self, folder: &str) -> bool {
        folder == self.files.root() || !folder.ends_with("/node_modules")
    }

    /// Finds a file in the package at a folder.
    pub(crate) fn in_package(
        &self,
        package: &str,
        rest: &str,
        lookup: &LookupRules<'_>,
    ) -> Option<String> {
        if !self.files.is_dir(package) {
            return if rest.is_empty() { self.file(package, lookup) } else { None };
        }
        let manifest = self.manifest(package);
        if let Some(manifest) = manifest.as_ref().filter(|manifest| manifest.exports.is_some())
            && lookup.mode != ResolutionMode::Node10
        {
            return self.exported(package, manifest, rest, TargetReach::OwnFiles, lookup);
        }
        if rest.is_empty() {
            return self.folder(package, lookup);
        }
        let versioned = manifest.filter(|_| lookup.extensions.typed);
        let versioned = versioned
            .and_then(|manifest| self.by_version(package, &manifest.version_paths, rest, lookup));
        let path = join(package, rest);
        versioned.or_else(|| self.file_or_folder(&path, rest.ends_with('/'), lookup)).or_else(
            || {
                // A stylesheet or another asset of the package.
                if lookup.extensions.untyped { self.asset(&path) } else { None }
            },
        )
    }

    /// Resolves a subpath through `exports`.
    fn exported(
        &self,
        package: &str,
        manifest: &PackageJson,
        rest: &str,
        reach: TargetReach,
        lookup: &LookupRules<'_>,
    ) -> Option<String> {
        let exports = manifest.exports.as_ref()?;
        let by_path = exports.members().first().is_some_and(|member| member.name.starts_with('.'));
        let name = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        let (target, star) = match (by_path, rest) {
            (true, _) => entry_of(exports, &name)?,
            (false, "") => (exports, None),
            (false, _) => return None,
        };
        self.entry(package, target, star, reach, lookup)
    }

    /// Resolves a subpath through `exports` to any file, for `extends` in a tsconfig.
    pub(crate) fn exported_file(&self, package: &str, rest: &str) -> Option<String> {
        let lookup = LookupRules {
            config: &self.default_config,
            mode: ResolutionMode::Bundler,
            conditions: vec!["require", "node"],
            extensions: Extensions::UNTYPED,
        };
        let manifest = self.manifest(package)?;
        self.exported(package, &manifest, rest, TargetReach::PlainFiles, &lookup)
    }

    /// The file for an `exports` or `imports` entry.
    fn entry(
        &self,
        package: &str,
        target: &LocatedJson<'_>,
        star: Option<&str>,
        reach: TargetReach,
        lookup: &LookupRules<'_>,
    ) -> Option<String> {
        let mut targets = TargetSearch::new(package, star, reach, lookup);
        Self::target(target, &mut targets, 0, &|text, targets| self.target_path(text, targets))
    }

    /// The first target text for which `meaning` returns something.
    fn target<T>(
        target: &LocatedJson<'_>,
        targets: &mut TargetSearch<'_>,
        depth: usize,
        meaning: &dyn Fn(&str, &TargetSearch<'_>) -> Option<T>,
    ) -> Option<T> {
        if depth > MAX_TARGET_DEPTH || targets.left == 0 {
            return None;
        }
        match &target.json {
            Json::String(text) => {
                targets.left -= 1;
                meaning(text, targets)
            }
            Json::Array(items) => {
                items.iter().find_map(|item| Self::target(item, targets, depth + 1, meaning))
            }
            Json::Object(members) => members
                .iter()
                .filter(|member| meets(&member.name, targets.lookup))
                .find_map(|member| Self::target(&member.value, targets, depth + 1, meaning)),
            Json::Null | Json::Bool(_) | Json::Number(_) => None,
        }
    }

    fn target_path(&self, text: &str, targets: &TargetSearch<'_>) -> Option<String> {
        let TargetSearch { package, star, reach, lookup, .. } = *targets;
        let text = pattern_map::substitute(text, star)?;
        if !text.starts_with("./") {
            let is_name = !text.starts_with(['.', '/', '#']) && !text.contains(':');
            if reach != TargetReach::Packages || !is_name {
                return None;
            }
            let (name, rest) = split_name(&text);
            return self
                .installed(package, &text, lookup)
                .or_else(|| self.workspace_package(name, rest, lookup));
        }
        if text.split('/').any(|segment| segment == ".." || segment == "node_modules") {
            return None;
        }
        let path = join(package, &text);
        let source = match reach {
            TargetReach::PlainFiles => None,
            TargetReach::OwnFiles | TargetReach::Packages => self.source_by_config(&path, lookup),
        };
        source
            .or_else(|| self.exact(&path, lookup.extensions))
            .or_else(|| self.replaced(&path, lookup))
    }

    /// The source of a package's build output, if the tsconfig gives `outDir`.
    fn source_by_config(&self, path: &str, lookup: &LookupRules<'_>) -> Option<String> {
        if self.is_installed(path) {
            return None;
        }
        let config = self.config_of(path);
        let options = &config.options;
        let (out, rest) = options
            .out_dirs
            .iter()
            .find_map(|out| Some((out, path.strip_prefix(out.as_str())?)))?;
        let root = options.root_dir.clone().unwrap_or_else(|| config.folder.clone());
        (out != &root && rest.starts_with('/'))
            .then(|| self.replaced(&format!("{root}{rest}"), lookup))
            .flatten()
    }

    /// Resolves `/// <reference types="x" />`: the type roots, then `@types` and packages upwards.
    pub(crate) fn types_package(
        &self,
        folder: &str,
        name: &str,
        config: &TsConfig,
    ) -> Option<String> {
        let lookup = LookupRules::new(config, crate::ecma::resolve::SpecifierForm::Import)
            .with(Extensions::TYPED);
        let by_roots = config
            .options
            .type_roots
            .iter()
            .find_map(|root| self.in_package(&join(root, name), "", &lookup));
        let relative = || {
            crate::ecma::resolve::is_relative(name)
                .then(|| self.relative(&join(folder, name), name, &lookup))
                .flatten()
        };
        let (package, rest) = split_name(name);
        let types = format!("@types/{}", types_name(package));
        let types = if rest.is_empty() { types } else { format!("{types}/{rest}") };
        by_roots
            .or_else(relative)
            .or_else(|| self.installed(folder, &types, &lookup))
            .or_else(|| self.installed(folder, name, &lookup))
            .or_else(|| self.workspace_package(package, rest, &lookup))
    }

    /// Whether a file belongs to an installed package, not to this repository.
    pub fn is_installed(&self, path: &str) -> bool {
        self.is_in_packages(path) || !self.files.is_inside(path)
    }

    /// The nearest folder with a manifest above a file.
    pub(crate) fn package_folder(&self, path: &str) -> Option<Arc<str>> {
        self.home(folder_of(path)).map(|(folder, _)| folder)
    }
}

/// Whether a condition of a manifest holds.
pub(crate) fn meets(condition: &str, lookup: &LookupRules<'_>) -> bool {
    let versioned =
        || condition.strip_prefix("types@").is_some_and(crate::ecma::resolve::range::holds);
    condition == "default" || lookup.conditions.contains(&condition) || versioned()
}

/// The `exports` or `imports` entry for a name, and the text its `*` matched.
fn entry_of<'j, 'n>(
    map: &'j LocatedJson<'static>,
    name: &'n str,
) -> Option<(&'j LocatedJson<'static>, Option<&'n str>)> {
    let members = map.members();
    let names = members.iter().map(|member| member.name.as_ref());
    let (index, star) = pattern_map::best_match(names, name)?;
    Some((&members[index].value, star))
}
