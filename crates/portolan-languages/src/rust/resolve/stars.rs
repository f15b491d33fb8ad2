//! Modules that others take in whole, and those that nobody declares: what is found out about modules once all are there.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::lookup::{MOST_ACTIVE, Seen};
use super::manifest::Package;
use super::path::Way;
use super::tree::{MOST_NODES, Tree};
use super::{form, is_platform};
use crate::{ancestors, folder_of, is_under};

impl<'a> Tree<'a> {
    /// Notes which modules have something by each name.
    pub(super) fn note_holders(&mut self) {
        let mut holders: FxHashMap<&'a str, Vec<u32>> = FxHashMap::default();
        for (number, node) in (0u32..).zip(&self.nodes) {
            let declared = node.children.keys().chain(node.aliases.keys()).copied();
            let own = node.facts.definitions.iter().filter(|own| own.scope.0 == node.scope);
            let own = own.map(|own| &*own.name);
            let exported = node.parent.is_none().then(|| &self.exported[node.owner as usize]);
            let exported = exported.into_iter().flat_map(BTreeMap::keys).copied();
            let strays = self.strays.get(&number).into_iter().flat_map(BTreeMap::keys).copied();
            for name in declared.chain(own).chain(exported).chain(strays) {
                holders.entry(name).or_default().push(number);
            }
        }
        self.holders = holders;
    }

    /// Finds out which modules `use a::*` takes in. Where `a` is may be known by another star only, so those that
    /// lead nowhere are tried again as long as others come to lead somewhere.
    pub(super) fn settle_stars(&mut self) {
        self.stars = self.nodes.iter().map(|_| Vec::new()).collect();
        self.takers = vec![0; self.nodes.len()];
        let globs = (0u32..).zip(&self.nodes);
        let mut open: Vec<(u32, &str, bool)> = globs
            .flat_map(|(number, node)| node.globs.iter().map(move |glob| (number, *glob)))
            .map(|(number, glob)| (number, &*glob.specifier, glob.form.0 == form::PUB_GLOB))
            .collect();
        for _ in 0..MOST_ACTIVE {
            let walks = open.iter().map(|(node, path, _)| self.path(*node, path, Way::Whole));
            let walks: Vec<_> = walks.collect();
            let mut rest = Vec::new();
            let mut is_new = false;
            for ((node, path, is_pub), walk) in open.into_iter().zip(walks) {
                for module in walk.ends.iter().filter(|module| **module != node) {
                    self.stars[node as usize].push((*module, is_pub));
                    self.takers[*module as usize] += 1;
                    is_new = true;
                }
                if walk.ends.is_empty() && walk.items.is_empty() {
                    rest.push((node, path, is_pub));
                }
            }
            if !is_new {
                return;
            }
            self.forget();
            open = rest;
        }
    }

    /// The modules that a module takes in whole, for who sees it so.
    pub(super) fn stars_of(&self, (at, is_inside): Seen) -> impl Iterator<Item = Seen> {
        let stars = self.stars.get(at as usize).map(Vec::as_slice).unwrap_or_default();
        let seen = stars.iter().filter(move |(_, is_pub)| is_inside || *is_pub);
        seen.map(move |(module, _)| (*module, self.is_inside(at, *module)))
    }

    /// Whether more than one module takes it in.
    pub(super) fn is_shared(&self, at: u32) -> bool {
        self.takers[at as usize] > 1
    }

    /// Adds files that no target is known to have: macros declare modules too, and tests of compilers are crates of their own.
    /// They are of the nearest root of a module above them, else crates of the package that they lie in; those are told, by
    /// package.
    pub(super) fn add_strays(
        &mut self,
        packages: &[Package],
        sources: &FxHashMap<&'a str, &'a str>,
    ) -> Vec<Vec<u32>> {
        let by_folder: FxHashMap<&str, usize> =
            packages.iter().map(|package| &*package.folder).zip(0..).collect();
        let mut crates: Vec<Vec<u32>> = packages.iter().map(|_| Vec::new()).collect();
        let paths = self.ground.sources().paths().filter(|path| sources.contains_key(path));
        let mut files: Vec<&'a str> =
            paths.filter(|path| !self.by_file.contains_key(path)).collect();
        // What declares others lies above them, or beside.
        files.sort_by_key(|path| (path.split('/').count(), *path));
        for file in files {
            if self.by_file.contains_key(file) || self.nodes.len() > MOST_NODES {
                continue;
            }
            let mut folders = ancestors(folder_of(file));
            let Some(package) = folders.find_map(|folder| by_folder.get(folder).copied()) else {
                continue;
            };
            if let Some(root) = self.root_above(file, &packages[package].folder) {
                self.add_stray(file, root, sources);
            } else {
                let first = self.nodes.len();
                crates[package].extend(self.add_crate(&packages[package], file, sources));
                self.mark_strays(first);
            }
        }
        crates
    }

    /// The module of the nearest `main.rs`, `lib.rs` or `mod.rs` above a file, in its package.
    fn root_above(&self, file: &str, package: &str) -> Option<u32> {
        let above = ancestors(folder_of(file));
        above.take_while(|folder| is_under(folder, package)).find_map(|folder| {
            let roots = ["main.rs", "lib.rs", "mod.rs"].map(|name| format!("{folder}/{name}"));
            roots.iter().find_map(|root| self.by_file.get(root.as_str())?.first().copied())
        })
    }

    fn mark_strays(&mut self, first: usize) {
        for node in &mut self.nodes[first..] {
            node.is_stray = true;
        }
    }

    fn add_stray(&mut self, file: &'a str, root: u32, sources: &FxHashMap<&'a str, &'a str>) {
        let Some(facts) = self.ground.sources().facts(file) else { return };
        let owner = self.node(root).owner;
        let stray = self.add_file(file, facts, Some(root), owner, file.ends_with("/mod.rs"));
        self.add_modules(stray, sources);
        self.mark_strays(stray as usize);
        let name = file.strip_suffix("/mod.rs").or_else(|| file.strip_suffix(".rs"));
        let name = name.and_then(|path| path.rsplit('/').next()).unwrap_or_default();
        self.strays.entry(root).or_default().entry(name).or_default().push(stray);
    }

    /// The modules that nobody declares, by the name they would have in another; that of a crate means the crate.
    pub(super) fn strays_of(&self, at: u32, name: &str) -> Vec<(u32, bool)> {
        if self.strays.is_empty() || !self.node(at).globs.is_empty() {
            return Vec::new();
        }
        let owner = self.owner(at);
        let is_crate = owner.locals.contains_key(name) || owner.foreign.contains_key(name);
        let strays = self.strays.get(&at).and_then(|names| names.get(name));
        let strays = strays.filter(|_| !is_crate && !is_platform(name));
        strays.into_iter().flatten().map(|stray| (*stray, false)).collect()
    }
}
