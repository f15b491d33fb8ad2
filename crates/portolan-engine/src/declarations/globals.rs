//! Declarations that are in force without an import: those of a package's ambient files, and what the
//! files that an importer leads to put into the global scope.

use std::collections::{BTreeSet, VecDeque};

use memchr::memmem;
use portolan_graph::declarations::{Place, World as _};
use portolan_types::declarations::{DeclarationKind, Flags};

use super::library::Library;

/// Files are looked through up to this many.
const MOST_FILES: usize = 400;
/// A larger file is made by a machine, for every name there is.
const LARGE: u64 = 2 << 20;

impl Library<'_> {
    /// The files that may declare globals for a file.
    pub(super) fn global_files(&self, file: u32) -> Vec<u32> {
        let mut found: BTreeSet<u32> = BTreeSet::new();
        let package = self.package_of(file);
        for (known, number) in self.map().universe.iter().zip(0u32..) {
            let path = known.path.as_str();
            let is_own = path.starts_with(&*package)
                && self.builtins(file).is_ambient(path)
                && known.size < LARGE
                && self.package_of(number) == package;
            if is_own && found.len() < MOST_FILES {
                found.insert(number);
            }
        }
        if let Some(mark) = self.builtins(file).ambient_mark() {
            let reached = self.reached(file).into_iter();
            found.extend(reached.filter(|number| self.mentions(*number, mark.as_bytes())));
        }
        found.into_iter().collect()
    }

    /// The same in other packages of the repository: whether they are in force is not known.
    pub(super) fn globals_elsewhere(&self, name: &str) -> Vec<Place> {
        if let Some(known) = self.elsewhere().borrow().get(name) {
            return known.clone();
        }
        let numbered = self.map().universe.iter().zip(0u32..);
        let files = numbered
            .filter(|(known, number)| self.builtins(*number).is_ambient(known.path.as_str()));
        let named = files.filter(|(_, number)| self.mentions(*number, name.as_bytes()));
        let found: Vec<Place> =
            named.take(MOST_FILES).flat_map(|(_, number)| self.globals_of(number, name)).collect();
        self.elsewhere().borrow_mut().insert(name.into(), found.clone());
        found
    }

    /// The files that importing a file leads to, nearest first.
    fn reached(&self, file: u32) -> Vec<u32> {
        let graph = &self.map().raw;
        let Some(start) = graph.index_of(&self.path(file)) else { return Vec::new() };
        let (mut queue, mut known) = (VecDeque::from([start]), BTreeSet::from([start]));
        let mut reached = Vec::new();
        while let Some(node) = queue.pop_front()
            && reached.len() < MOST_FILES
        {
            if let Some(number) = self.number(graph.node(node).id.as_str()) {
                reached.push(number);
                let next = graph.edges(node).iter().map(|edge| edge.target);
                queue.extend(next.filter(|next| known.insert(*next)));
            }
        }
        reached
    }

    fn mentions(&self, file: u32, text: &[u8]) -> bool {
        if self.map().universe.get(file as usize).is_none_or(|known| known.size > LARGE) {
            return false;
        }
        self.bytes(file).is_some_and(|bytes| memmem::find(&bytes, text).is_some())
    }

    /// The folder of the package that a file is of, with a slash; empty for the root.
    pub(super) fn package_of(&self, file: u32) -> String {
        let path = self.path(file);
        let mut end = path.len();
        while let Some(at) = path.get(..end).and_then(|path| path.rfind('/')) {
            let folder = path.get(..=at).unwrap_or_default();
            if self.packages().contains(folder) {
                return folder.to_owned();
            }
            end = at;
        }
        String::new()
    }

    /// What a file puts into the global scope under a name.
    pub(super) fn globals_of(&self, file: u32, name: &str) -> Vec<Place> {
        let Some(loaded) = self.load(file) else { return Vec::new() };
        let facts = &loaded.facts;
        let is_it = |item: &portolan_types::declarations::Declaration| {
            item.flags.has(Flags::GLOBAL)
                && item.kind != DeclarationKind::Statement
                && facts.name(item.name) == name
        };
        let found = facts.items.iter().zip(0u32..).filter(|(item, _)| is_it(item));
        found.map(|(_, item)| Place { file, item }).collect()
    }
}
