//! Resolves module names to files.

use std::collections::{BTreeMap, BTreeSet};

use portolan_types::Facts;
use rustc_hash::{FxHashMap, FxHashSet};

use super::SharedPath;
use super::builtin::is_builtin;
use super::manifest::declared_roots;
use crate::{Memo, ResolveContext, has_extension};

/// What a module name resolves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModuleTarget {
    /// The file with this number.
    File(u32),
    /// A folder without `__init__`.
    Namespace,
    /// Nothing. `is_local` if its package is in the repository.
    Nothing { is_local: bool },
}

/// A module, and its path without extension.
type LocatedModule = (ModuleTarget, SharedPath);

/// The modules of a repository.
pub(super) struct Modules<'a> {
    ctx: &'a ResolveContext<'a>,
    paths: Vec<&'a str>,
    /// The same paths, absolute.
    absolutes: Vec<&'a str>,
    /// The facts of each module.
    facts: Vec<Option<&'a Facts>>,
    numbers: FxHashMap<&'a str, u32>,
    folders: FxHashSet<&'a str>,
    packages: FxHashSet<&'a str>,
    /// Notebooks by their path from the root: nothing imports them, but others run them.
    notebooks: BTreeMap<&'a str, &'a str>,
    /// Folders that manifests declare, with the folder of the manifest.
    declared: Vec<(String, String)>,
    /// For each top-level name, the base folders that contain it, shallowest first.
    tops: BTreeMap<&'a str, Vec<&'a str>>,
    /// Cached results by base folder and name.
    known: Memo<(Box<str>, Box<str>), Option<LocatedModule>>,
}

/// The folders that usually contain code.
const USUAL: [&str; 3] = ["", "src", "lib"];

impl<'a> Modules<'a> {
    pub(super) fn new(ctx: &'a ResolveContext<'a>) -> Self {
        let root = ctx.files().root();
        let inside = |path: &'a str| Some((path.strip_prefix(root)?.strip_prefix('/')?, path));
        let (paths, absolutes): (Vec<&str>, Vec<&str>) = ctx
            .sources()
            .paths()
            .filter(|path| has_extension(path, &["py", "pyi"]))
            .filter_map(inside)
            .unzip();
        let notebooks = ctx.sources().paths().filter(|path| has_extension(path, &["ipynb"]));
        let notebooks = notebooks.filter_map(inside).collect();
        let facts = absolutes.iter().map(|path| ctx.sources().facts(path)).collect();
        let numbers = paths.iter().copied().zip(0u32..).collect();
        let mut folders = FxHashSet::default();
        let mut packages = FxHashSet::default();
        for path in &paths {
            let (folder, name) = split(path);
            if matches!(name, "__init__.py" | "__init__.pyi") {
                packages.insert(folder);
            }
            let mut above = Some(folder);
            while let Some(folder) = above.filter(|folder| folders.insert(*folder)) {
                above = (!folder.is_empty()).then(|| split(folder).0);
            }
        }
        let mut modules = Self {
            ctx,
            notebooks,
            paths,
            absolutes,
            facts,
            numbers,
            folders,
            packages,
            declared: Vec::new(),
            tops: BTreeMap::new(),
            known: Memo::default(),
        };
        let is_folder = |folder: &str| modules.folders.contains(folder);
        modules.declared = declared_roots(ctx, &is_folder);
        modules.tops = modules.tops();
        modules
    }

    /// Indexes the top-level names of each base folder.
    fn tops(&self) -> BTreeMap<&'a str, Vec<&'a str>> {
        let mut tops: BTreeMap<&str, BTreeSet<(usize, &str)>> = BTreeMap::new();
        for path in &self.paths {
            let base = self.base(split(path).0);
            let inside = if base.is_empty() { path } else { &path[base.len() + 1..] };
            let top = inside.split('/').next().unwrap_or(inside);
            let top = top.strip_suffix(".pyi").or(top.strip_suffix(".py")).unwrap_or(top);
            let depth = if base.is_empty() { 0 } else { base.matches('/').count() + 1 };
            tops.entry(top).or_default().insert((depth, base));
        }
        let sorted = tops.into_iter();
        sorted
            .map(|(top, bases)| (top, bases.into_iter().map(|(_, base)| base).collect()))
            .collect()
    }

    /// A path relative to the root.
    pub(super) fn relative<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.ctx.files().root())?.strip_prefix('/')
    }

    pub(super) fn number(&self, path: &str) -> Option<u32> {
        self.numbers.get(path).copied()
    }

    pub(super) fn path(&self, file: u32) -> &'a str {
        self.paths.get(file as usize).copied().unwrap_or_default()
    }

    pub(super) fn absolute(&self, file: u32) -> SharedPath {
        self.absolutes.get(file as usize).copied().unwrap_or_default().into()
    }

    pub(super) fn facts(&self, file: u32) -> Option<&'a Facts> {
        self.facts.get(file as usize).copied().flatten()
    }

    /// The facts of all modules, with their numbers.
    pub(super) fn all_facts(&self) -> impl Iterator<Item = (u32, &'a Facts)> {
        (0u32..).zip(&self.facts).filter_map(|(file, facts)| Some((file, (*facts)?)))
    }

    pub(super) fn is_package(&self, file: u32) -> bool {
        split(self.path(file)).1.starts_with("__init__.")
    }

    /// The base folder for imports: the nearest folder upwards that is not a package. Python uses
    /// it for scripts, and pytest puts it on the path.
    fn base<'p>(&self, mut folder: &'p str) -> &'p str {
        while !folder.is_empty() && self.packages.contains(folder) {
            folder = split(folder).0;
        }
        folder
    }

    /// Finds a module below a folder, in the order of the import system: packages before modules,
    /// code before stubs.
    fn locate(&self, folder: &str, name: &str) -> ModuleTarget {
        let below = name.replace('.', "/");
        let path = if folder.is_empty() { below } else { format!("{folder}/{below}") };
        for ending in ["/__init__.py", ".py", "/__init__.pyi", ".pyi"] {
            if let Some(file) = self.numbers.get([&path, ending].concat().as_str()) {
                return ModuleTarget::File(*file);
            }
        }
        if self.folders.contains(path.as_str()) {
            return ModuleTarget::Namespace;
        }
        ModuleTarget::Nothing { is_local: true }
    }

    /// Resolves a name in the file at `path`. Each leading dot is a folder upwards.
    pub(super) fn find(&self, path: &str, name: &str) -> ModuleTarget {
        match self.place(path, name) {
            Some((found, _)) => found,
            None => ModuleTarget::Nothing { is_local: name.starts_with('.') },
        }
    }

    /// The notebook that another one runs: by its name, or without the ending.
    pub(super) fn notebook(&self, path: &str, name: &str) -> Option<SharedPath> {
        if !has_extension(path, &["ipynb"]) {
            return None;
        }
        let (_, place) = self.place(path, name.strip_suffix(".ipynb").unwrap_or(name))?;
        let found = self.notebooks.get(format!("{place}.ipynb").as_str())?;
        Some((*found).into())
    }

    /// Finds a module and its path without extension.
    fn place(&self, path: &str, name: &str) -> Option<LocatedModule> {
        let folder = split(path).0;
        let rest = name.trim_start_matches('.');
        let level = name.len() - rest.len();
        if level == 0 {
            return self.absolute_name(folder, name);
        }
        let mut folder = folder;
        for _ in 1..level {
            if folder.is_empty() {
                return None;
            }
            folder = split(folder).0;
        }
        if rest.is_empty() {
            let own = ["__init__.py", "__init__.pyi"].iter().find_map(|name| {
                let path =
                    if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") };
                self.number(&path)
            });
            return Some((own.map_or(ModuleTarget::Namespace, ModuleTarget::File), folder.into()));
        }
        Some((self.locate(folder, rest), below(folder, rest).into()))
    }

    fn absolute_name(&self, folder: &str, name: &str) -> Option<LocatedModule> {
        let own = self.base(folder);
        let key = (Box::from(own), Box::from(name));
        if let Some(known) = self.known.get(&key) {
            return known;
        }
        let root = self.root_of(own, name);
        let found = root.map(|root| (self.locate(&root, name), below(&root, name).into()));
        self.known.insert(key, found)
    }

    /// The root folder that contains a module.
    fn root_of(&self, own: &str, name: &str) -> Option<String> {
        let top = name.split('.').next().unwrap_or(name);
        let declared = self.declared.iter().map(|(folder, _)| folder.as_str());
        let near = std::iter::once(own).chain(declared).chain(USUAL);
        let mut portion: Option<&str> = None;
        let mut tried: BTreeSet<&str> = BTreeSet::new();
        for (place, root) in near.enumerate() {
            if !tried.insert(root) || !self.folders.contains(root) && !root.is_empty() {
                continue;
            }
            match self.locate(root, top) {
                ModuleTarget::Nothing { .. } => {}
                // A folder named like a standard module does not replace that module.
                ModuleTarget::Namespace if place > self.declared.len() && is_builtin(top) => {}
                // A regular package in a later root wins over a namespace package.
                ModuleTarget::Namespace => {
                    if !matches!(self.locate(root, name), ModuleTarget::Nothing { .. }) {
                        portion = portion.or(Some(root));
                    }
                }
                ModuleTarget::File(_) => return Some(root.to_owned()),
            }
        }
        if let Some(portion) = portion {
            return Some(portion.to_owned());
        }
        self.anywhere(top, name, &tried).map(str::to_owned)
    }

    /// An undeclared root that contains the whole name, as a last resort.
    fn anywhere(&self, top: &str, name: &str, tried: &BTreeSet<&str>) -> Option<&'a str> {
        let mut portion = None;
        for root in self.tops.get(top)?.iter().filter(|root| !tried.contains(**root)) {
            let first = self.locate(root, top);
            let found = self.locate(root, name);
            match (first, found) {
                (_, ModuleTarget::Nothing { .. }) => {}
                (ModuleTarget::Namespace, _) if is_builtin(top) => {}
                (ModuleTarget::Namespace, _) => portion = portion.or(Some(*root)),
                _ => return Some(root),
            }
        }
        portion
    }

    /// The submodule `item` of the package `module`, if it exists.
    pub(super) fn submodule(&self, path: &str, module: &str, item: &str) -> Option<u32> {
        let (_, folder) = self.place(path, module)?;
        match self.locate(&folder, item) {
            ModuleTarget::File(file) => Some(file),
            _ => None,
        }
    }
}

fn below(folder: &str, name: &str) -> String {
    let name = name.replace('.', "/");
    if folder.is_empty() { name } else { format!("{folder}/{name}") }
}

/// The folder and the name of a relative path.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}
