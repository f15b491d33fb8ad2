//! Resolves glob imports, and finds modules that no `mod` declares. Both need all modules to be
//! known.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::lookup::{MAX_LOOKUP_DEPTH, ModuleView};
use super::manifest::CargoPackage;
use super::path::PathForm;
use super::tree::{MAX_MODULES, ModuleTree};
use super::{form, is_platform};
use crate::{ancestors, folder_of, is_under};

impl<'a> ModuleTree<'a> {
    /// Indexes the modules by the names they have.
    pub(super) fn index_names(&mut self) {
        let mut modules_by_name: FxHashMap<&'a str, Vec<u32>> = FxHashMap::default();
        for (number, node) in (0u32..).zip(&self.nodes) {
            let declared = node.children.keys().chain(node.aliases.keys()).copied();
            let own = node.facts.definitions.iter().filter(|own| own.scope.0 == node.scope);
            let own = own.map(|own| &*own.name);
            let exported = node.parent.is_none().then(|| &self.exported[node.owner as usize]);
            let exported = exported.into_iter().flat_map(BTreeMap::keys).copied();
            let undeclared =
                self.undeclared.get(&number).into_iter().flat_map(BTreeMap::keys).copied();
            for name in declared.chain(own).chain(exported).chain(undeclared) {
                modules_by_name.entry(name).or_default().push(number);
            }
        }
        self.modules_by_name = modules_by_name;
    }

    /// Resolves all glob imports. The path of one may depend on another, so unresolved globs are
    /// retried as long as there is progress.
    pub(super) fn resolve_globs(&mut self) {
        self.glob_imports = self.nodes.iter().map(|_| Vec::new()).collect();
        self.n_glob_importers = vec![0; self.nodes.len()];
        let globs = (0u32..).zip(&self.nodes);
        let mut open: Vec<(u32, &str, bool)> = globs
            .flat_map(|(number, node)| node.globs.iter().map(move |glob| (number, *glob)))
            .map(|(number, glob)| (number, &*glob.specifier, glob.form.0 == form::PUB_GLOB))
            .collect();
        for _ in 0..MAX_LOOKUP_DEPTH {
            let walks = open.iter().map(|(node, path, _)| self.path(*node, path, PathForm::Whole));
            let walks: Vec<_> = walks.collect();
            let mut rest = Vec::new();
            let mut is_new = false;
            for ((node, path, is_pub), walk) in open.into_iter().zip(walks) {
                for module in walk.ends.iter().filter(|module| **module != node) {
                    self.glob_imports[node as usize].push((*module, is_pub));
                    self.n_glob_importers[*module as usize] += 1;
                    is_new = true;
                }
                if walk.ends.is_empty() && walk.items.is_empty() {
                    rest.push((node, path, is_pub));
                }
            }
            if !is_new {
                return;
            }
            self.clear_cache();
            open = rest;
        }
    }

    /// The modules that a module glob-imports, as far as the importer sees them.
    pub(super) fn glob_imports_of(
        &self,
        (at, is_inside): ModuleView,
    ) -> impl Iterator<Item = ModuleView> {
        let glob_imports =
            self.glob_imports.get(at as usize).map(Vec::as_slice).unwrap_or_default();
        let seen = glob_imports.iter().filter(move |(_, is_pub)| is_inside || *is_pub);
        seen.map(move |(module, _)| (*module, self.is_inside(at, *module)))
    }

    /// Whether more than one module glob-imports it.
    pub(super) fn is_shared(&self, at: u32) -> bool {
        self.n_glob_importers[at as usize] > 1
    }

    /// Adds files that no known target contains: macros also declare modules, and compiler tests
    /// are crates of their own. Each such file belongs to the nearest module root above it, or else
    /// is a crate of its package. Returns these crates by package.
    pub(super) fn add_undeclared(
        &mut self,
        packages: &[CargoPackage],
        sources: &FxHashMap<&'a str, &'a str>,
    ) -> Vec<Vec<u32>> {
        let by_folder: FxHashMap<&str, usize> =
            packages.iter().map(|package| &*package.folder).zip(0..).collect();
        let mut crates: Vec<Vec<u32>> = packages.iter().map(|_| Vec::new()).collect();
        let paths = self.ctx.sources().paths().filter(|path| sources.contains_key(path));
        let mut files: Vec<&'a str> =
            paths.filter(|path| !self.by_file.contains_key(path)).collect();
        // A declaring file lies above or beside the files it declares.
        files.sort_by_key(|path| (path.split('/').count(), *path));
        for file in files {
            if self.by_file.contains_key(file) || self.nodes.len() > MAX_MODULES {
                continue;
            }
            let mut folders = ancestors(folder_of(file));
            let Some(package) = folders.find_map(|folder| by_folder.get(folder).copied()) else {
                continue;
            };
            if let Some(root) = self.root_above(file, &packages[package].folder) {
                self.add_undeclared_module(file, root, sources);
            } else {
                let first = self.nodes.len();
                crates[package].extend(self.add_crate(&packages[package], file, sources));
                self.mark_undeclared(first);
            }
        }
        crates
    }

    /// The module of the nearest `main.rs`, `lib.rs` or `mod.rs` above a file, within its package.
    fn root_above(&self, file: &str, package: &str) -> Option<u32> {
        let above = ancestors(folder_of(file));
        above.take_while(|folder| is_under(folder, package)).find_map(|folder| {
            let roots = ["main.rs", "lib.rs", "mod.rs"].map(|name| format!("{folder}/{name}"));
            roots.iter().find_map(|root| self.by_file.get(root.as_str())?.first().copied())
        })
    }

    fn mark_undeclared(&mut self, first: usize) {
        for node in &mut self.nodes[first..] {
            node.is_undeclared = true;
        }
    }

    fn add_undeclared_module(
        &mut self,
        file: &'a str,
        root: u32,
        sources: &FxHashMap<&'a str, &'a str>,
    ) {
        let Some(facts) = self.ctx.sources().facts(file) else { return };
        let owner = self.node(root).owner;
        let module = self.add_file(file, facts, Some(root), owner, file.ends_with("/mod.rs"));
        self.add_modules(module, sources);
        self.mark_undeclared(module as usize);
        let name = file.strip_suffix("/mod.rs").or_else(|| file.strip_suffix(".rs"));
        let name = name.and_then(|path| path.rsplit('/').next()).unwrap_or_default();
        self.undeclared.entry(root).or_default().entry(name).or_default().push(module);
    }

    /// The undeclared modules with a name below a module. A crate of the same name takes
    /// precedence.
    pub(super) fn undeclared_of(&self, at: u32, name: &str) -> Vec<(u32, bool)> {
        if self.undeclared.is_empty() || !self.node(at).globs.is_empty() {
            return Vec::new();
        }
        let owner = self.owner(at);
        let is_crate = owner.locals.contains_key(name) || owner.foreign.contains_key(name);
        let undeclared = self.undeclared.get(&at).and_then(|names| names.get(name));
        let undeclared = undeclared.filter(|_| !is_crate && !is_platform(name));
        undeclared.into_iter().flatten().map(|module| (*module, false)).collect()
    }
}
