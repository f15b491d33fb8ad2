//! The packages of a repository: folders, the files in them, and what those define.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{embed, EMBED};
use super::manifest::{self, Module, Version};
use super::outside::{self, Outside};
use super::platform::Builds;
use crate::{folder_of, has_extension, join, Ground, Memo};

/// Where an import leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// To the package in this folder.
    Folder(String),
    /// To this package of a module that is unpacked outside of the repository.
    Outside(Arc<outside::Package>),
    /// To the standard library.
    Platform,
    /// Nowhere here; by this name.
    Missing(String),
}

/// The package in a folder: by its name, since tests may have one of their own.
#[derive(Debug, Default)]
struct Package<'a> {
    files: Vec<&'a str>,
    starters: Vec<&'a str>,
    definers: FxHashMap<&'a str, Vec<&'a str>>,
}

/// The packages of a repository.
pub(super) struct Packages<'a> {
    ground: &'a Ground<'a>,
    /// The folders with modules, and what their manifests say.
    modules: BTreeMap<String, Module>,
    /// Modules by their path, with their folder.
    by_path: BTreeMap<String, String>,
    by_folder: FxHashMap<&'a str, BTreeMap<&'a str, Package<'a>>>,
    pub(super) outside: Outside<'a>,
    pub(super) builds: Builds<'a>,
    /// All files of the universe, in the order of their bytes.
    paths: Vec<&'a str>,
    /// How many patterns of files to embed stand in the files of a folder.
    patterns: FxHashMap<&'a str, usize>,
    /// What a pattern takes in, by folder.
    embedded: Memo<(Box<str>, Box<str>), Arc<Embedded>>,
}

/// The files that a pattern takes in, and whether there are more.
type Embedded = (Vec<Arc<str>>, bool);

/// The mark of `func init`, as the language numbers it.
const INIT: u8 = 1;

impl<'a> Packages<'a> {
    pub(super) fn new(ground: &'a Ground<'a>) -> Self {
        let mut packages = Self {
            ground,
            modules: BTreeMap::new(),
            by_path: BTreeMap::new(),
            by_folder: FxHashMap::default(),
            outside: Outside::new(ground),
            builds: Builds::default(),
            paths: ground.sources().paths().collect(),
            patterns: FxHashMap::default(),
            embedded: Memo::default(),
        };
        packages.paths.sort_unstable();
        for path in ground.sources().paths() {
            if path.ends_with("/go.mod") {
                packages.module(path);
            } else if has_extension(path, &["go"]) {
                packages.file(path);
            }
        }
        packages
    }

    fn module(&mut self, path: &str) {
        let Some(text) = self.ground.read(path) else { return };
        let module = manifest::read(&text);
        let folder = folder_of(path).to_owned();
        if !module.path.is_empty() {
            self.by_path.entry(module.path.clone()).or_insert_with(|| folder.clone());
            self.modules.insert(folder, module);
        }
    }

    fn file(&mut self, path: &'a str) {
        let Some(facts) = self.ground.sources().facts(path) else { return };
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

    /// The files whose path starts so.
    fn starting(&self, first: &str) -> &[&'a str] {
        let start = self.paths.partition_point(|path| **path < *first);
        let rest = self.paths.get(start..).unwrap_or_default();
        rest.get(..rest.partition_point(|path| path.starts_with(first))).unwrap_or_default()
    }

    /// The files that a pattern takes in for a file of a folder, and whether those are not all.
    pub(super) fn embedded(&self, folder: &str, pattern: &str) -> Arc<Embedded> {
        let key = (Box::from(folder), Box::from(pattern));
        if let Some(known) = self.embedded.get(&key) {
            return known;
        }
        let most = embed::most(self.patterns.get(folder).copied().unwrap_or_default());
        let found = embed::files(|first| self.starting(first), folder, pattern, most);
        self.embedded.insert(key, Arc::new(found))
    }

    /// The module that a file is part of: that of the nearest manifest above it.
    fn module_of(&self, path: &str) -> Option<(&str, &Module)> {
        crate::ancestors(folder_of(path))
            .find_map(|folder| self.modules.get_key_value(folder))
            .map(|(folder, module)| (folder.as_str(), module))
    }

    /// Where an import path leads from a file.
    pub(super) fn find(&self, path: &str, import: &str) -> Place {
        let own = self.module_of(path);
        if let Some((folder, module)) = own {
            // What the module replaces comes first, then what it is itself.
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
                return Place::Folder(vendored);
            }
        }
        if import == "C" || !import.split('/').next().unwrap_or(import).contains('.') {
            return Place::Platform;
        }
        let required = own.into_iter().flat_map(|(_, module)| &module.required);
        let required = required.filter(|required| is_prefix(&required.module, import));
        let Some(required) = required.max_by_key(|required| required.module.len()) else {
            return Place::Missing(import.to_owned());
        };
        let unpacked = own.and_then(|(_, own)| self.unpacked(own, required, import));
        unpacked.map_or_else(|| Place::Missing(required.module.clone()), Place::Outside)
    }

    /// The package of a required module, where that or what replaces it is unpacked.
    fn unpacked(
        &self,
        own: &Module,
        required: &Version,
        import: &str,
    ) -> Option<Arc<outside::Package>> {
        let below = import.strip_prefix(&required.module)?.trim_start_matches('/');
        let renamed = own.renamed.iter().find(|(old, _)| *old == required.module);
        let Version { module, version } = renamed.map_or(required, |(_, new)| new);
        self.outside.find(module, version, below)
    }

    fn by_longest_prefix(&self, import: &str) -> Option<Place> {
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

    /// The folder of a package of a module, if there is one.
    fn below(&self, prefix: &str, folder: &str, import: &str) -> Option<Place> {
        let rest = import.strip_prefix(prefix)?;
        let rest = if rest.is_empty() { "" } else { rest.strip_prefix('/')? };
        let folder = if rest.is_empty() { folder.to_owned() } else { format!("{folder}/{rest}") };
        self.by_folder.contains_key(folder.as_str()).then_some(Place::Folder(folder))
    }

    /// The name of the package in a folder; that of its tests only where there is no other.
    pub(super) fn name_of(&self, folder: &str) -> Option<&'a str> {
        let names = self.by_folder.get(folder)?;
        // A folder may hold a program that is not built beside the package, and tests.
        let is_library = |(name, package): &(&&'a str, &Package<'a>)| {
            !name.ends_with("_test")
                && **name != "main"
                && package.files.iter().any(|file| !file.ends_with("_test.go"))
        };
        let library =
            names.iter().filter(is_library).max_by_key(|(_, package)| package.files.len());
        library.or_else(|| names.iter().next()).map(|(name, _)| *name)
    }

    fn package(&self, folder: &str, name: &str) -> Option<&Package<'a>> {
        self.by_folder.get(folder)?.get(name)
    }

    pub(super) fn files(&self, folder: &str, name: &str) -> impl Iterator<Item = &'a str> {
        self.package(folder, name).into_iter().flat_map(|package| package.files.iter().copied())
    }

    /// The files that do something when the package is loaded.
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
