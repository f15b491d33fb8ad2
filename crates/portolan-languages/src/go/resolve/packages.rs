//! The packages of a repository: folders, their files, and the names that those define.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::build_constraints::BuildConstraints;
use super::manifest::{self, GoMod, ModuleVersion};
use super::module_cache::{self, ModuleCache};
use super::{EMBED, embed};
use crate::{Memo, ResolveContext, folder_of, has_extension, join};

/// Where an import leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PackageLocation {
    /// The package in this folder of the repository.
    Folder(String),
    /// A package in the module cache.
    ModuleCache(Arc<module_cache::CachedPackage>),
    /// The standard library.
    Platform,
    /// A module that is not here, by its path.
    Missing(String),
}

/// One package of a folder. Tests may have a package of their own in the same folder.
#[derive(Debug, Default)]
struct LocalPackage<'a> {
    files: Vec<&'a str>,
    starters: Vec<&'a str>,
    definers: FxHashMap<&'a str, Vec<&'a str>>,
}

/// The packages of a repository.
pub(super) struct Packages<'a> {
    ctx: &'a ResolveContext<'a>,
    /// The modules by folder.
    modules: BTreeMap<String, GoMod>,
    /// The folder of each module path.
    by_path: BTreeMap<String, String>,
    by_folder: FxHashMap<&'a str, BTreeMap<&'a str, LocalPackage<'a>>>,
    pub(super) module_cache: ModuleCache<'a>,
    pub(super) builds: BuildConstraints<'a>,
    /// All files of the universe, sorted.
    paths: Vec<&'a str>,
    /// The number of embed patterns in each folder.
    patterns: FxHashMap<&'a str, usize>,
    /// The files that a pattern in a folder matches.
    embedded: Memo<(Box<str>, Box<str>), Arc<Embedded>>,
}

/// Files, and whether there are more.
type Embedded = (Vec<Arc<str>>, bool);

/// The mark of `func init`, with the number that the Go extractor gives it.
const INIT: u8 = 1;

impl<'a> Packages<'a> {
    pub(super) fn new(ctx: &'a ResolveContext<'a>) -> Self {
        let mut packages = Self {
            ctx,
            modules: BTreeMap::new(),
            by_path: BTreeMap::new(),
            by_folder: FxHashMap::default(),
            module_cache: ModuleCache::new(ctx),
            builds: BuildConstraints::default(),
            paths: ctx.sources().paths().collect(),
            patterns: FxHashMap::default(),
            embedded: Memo::default(),
        };
        packages.paths.sort_unstable();
        for path in ctx.sources().paths() {
            if path.ends_with("/go.mod") {
                packages.module(path);
            } else if has_extension(path, &["go"]) {
                packages.file(path);
            }
        }
        packages
    }

    fn module(&mut self, path: &str) {
        let Some(text) = self.ctx.read(path) else { return };
        let module = manifest::read(&text);
        let folder = folder_of(path).to_owned();
        if !module.path.is_empty() {
            self.by_path.entry(module.path.clone()).or_insert_with(|| folder.clone());
            self.modules.insert(folder, module);
        }
    }

    fn file(&mut self, path: &'a str) {
        let Some(facts) = self.ctx.sources().facts(path) else { return };
        let patterns = facts.imports.iter().filter(|import| import.form.0 == EMBED).count();
        if patterns > 0 {
            *self.patterns.entry(folder_of(path)).or_default() += patterns;
        }
        self.builds.add(path, facts);
        let Some(name) = facts.package.as_deref() else { return };
        let package = self.by_folder.entry(folder_of(path)).or_default().entry(name).or_default();
        package.files.push(path);
        for definition in &facts.definitions {
            if definition.mark.0 == INIT {
                package.starters.push(path);
            } else {
                package.definers.entry(&*definition.name).or_default().push(path);
            }
        }
    }

    /// The files whose path starts with a text.
    fn files_starting_with(&self, first: &str) -> &[&'a str] {
        let start = self.paths.partition_point(|path| **path < *first);
        let rest = self.paths.get(start..).unwrap_or_default();
        rest.get(..rest.partition_point(|path| path.starts_with(first))).unwrap_or_default()
    }

    /// The files that a pattern in a folder matches, and whether there are more.
    pub(super) fn embedded(&self, folder: &str, pattern: &str) -> Arc<Embedded> {
        let key = (Box::from(folder), Box::from(pattern));
        if let Some(known) = self.embedded.get(&key) {
            return known;
        }
        let most = embed::limit_for(self.patterns.get(folder).copied().unwrap_or_default());
        let found = embed::files(|first| self.files_starting_with(first), folder, pattern, most);
        self.embedded.insert(key, Arc::new(found))
    }

    /// The module of a file: the nearest `go.mod` above it.
    fn module_of(&self, path: &str) -> Option<(&str, &GoMod)> {
        crate::ancestors(folder_of(path))
            .find_map(|folder| self.modules.get_key_value(folder))
            .map(|(folder, module)| (folder.as_str(), module))
    }

    /// Where an import path leads from a file.
    pub(super) fn find(&self, path: &str, import: &str) -> PackageLocation {
        let own = self.module_of(path);
        if let Some((folder, module)) = own {
            // Replacements take precedence over the module itself.
            let replaced =
                module.replaced.iter().map(|(old, new)| (old.as_str(), join(folder, new)));
            for (prefix, folder) in replaced {
                if let Some(place) = self.below(prefix, &folder, import) {
                    return place;
                }
            }
            if let Some(place) = self.below(&module.path, folder, import) {
                return place;
            }
        }
        if let Some(place) = self.by_longest_prefix(import) {
            return place;
        }
        if let Some((folder, _)) = own {
            let vendored = format!("{folder}/vendor/{import}");
            if self.by_folder.contains_key(vendored.as_str()) {
                return PackageLocation::Folder(vendored);
            }
        }
        if import == "C" || !import.split('/').next().unwrap_or(import).contains('.') {
            return PackageLocation::Platform;
        }
        let required = own.into_iter().flat_map(|(_, module)| &module.required);
        let required = required.filter(|required| is_prefix(&required.module, import));
        let Some(required) = required.max_by_key(|required| required.module.len()) else {
            return PackageLocation::Missing(import.to_owned());
        };
        let unpacked = own.and_then(|(_, own)| self.unpacked(own, required, import));
        unpacked.map_or_else(
            || PackageLocation::Missing(required.module.clone()),
            PackageLocation::ModuleCache,
        )
    }

    /// The package of a required module, if that module or its replacement is in the cache.
    fn unpacked(
        &self,
        own: &GoMod,
        required: &ModuleVersion,
        import: &str,
    ) -> Option<Arc<module_cache::CachedPackage>> {
        let below = import.strip_prefix(&required.module)?.trim_start_matches('/');
        let renamed = own.renamed.iter().find(|(old, _)| *old == required.module);
        let ModuleVersion { module, version } = renamed.map_or(required, |(_, new)| new);
        self.module_cache.find(module, version, below)
    }

    fn by_longest_prefix(&self, import: &str) -> Option<PackageLocation> {
        let mut prefix = import;
        loop {
            if let Some(folder) = self.by_path.get(prefix)
                && let Some(place) = self.below(prefix, folder, import)
            {
                return Some(place);
            }
            prefix = prefix.rsplit_once('/')?.0;
        }
    }

    /// The package of an import below a module path, if its folder exists.
    fn below(&self, prefix: &str, folder: &str, import: &str) -> Option<PackageLocation> {
        let rest = import.strip_prefix(prefix)?;
        let rest = if rest.is_empty() { "" } else { rest.strip_prefix('/')? };
        let folder = if rest.is_empty() { folder.to_owned() } else { format!("{folder}/{rest}") };
        self.by_folder.contains_key(folder.as_str()).then_some(PackageLocation::Folder(folder))
    }

    /// The name of the package in a folder. The name of the tests counts only if there is no other.
    pub(super) fn name_of(&self, folder: &str) -> Option<&'a str> {
        let names = self.by_folder.get(folder)?;
        // A folder may also contain tests, and a command that is excluded from the build.
        let is_library = |(name, package): &(&&'a str, &LocalPackage<'a>)| {
            !name.ends_with("_test")
                && **name != "main"
                && package.files.iter().any(|file| !file.ends_with("_test.go"))
        };
        let library =
            names.iter().filter(is_library).max_by_key(|(_, package)| package.files.len());
        library.or_else(|| names.iter().next()).map(|(name, _)| *name)
    }

    fn package(&self, folder: &str, name: &str) -> Option<&LocalPackage<'a>> {
        self.by_folder.get(folder)?.get(name)
    }

    pub(super) fn files(&self, folder: &str, name: &str) -> impl Iterator<Item = &'a str> {
        self.package(folder, name).into_iter().flat_map(|package| package.files.iter().copied())
    }

    /// The files with an `init` function.
    pub(super) fn starters(&self, folder: &str, name: &str) -> impl Iterator<Item = &'a str> {
        self.package(folder, name).into_iter().flat_map(|package| package.starters.iter().copied())
    }

    /// The files of a package that define a name.
    pub(super) fn definers(
        &self,
        folder: &str,
        package: &str,
        name: &str,
    ) -> impl Iterator<Item = &'a str> {
        let definers = self.package(folder, package).and_then(|package| package.definers.get(name));
        definers.into_iter().flatten().copied()
    }
}

fn is_prefix(module: &str, import: &str) -> bool {
    import.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
