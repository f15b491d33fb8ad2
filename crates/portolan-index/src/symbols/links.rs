//! The edges of a map between the files of the repository, by number, in both directions.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_languages::{ALIAS_BEGINNINGS, Languages};
use portolan_symbols::resolver::{Place, SymbolSource as _};
use portolan_types::declarations::{DeclarationKind, NONE};
use portolan_types::{FileId, NodeIndex, NodeKind, cmp_utf16};

use crate::symbols::db::SymbolDb;

/// The most files that are searched for extensions.
const MOST_FILES: usize = 400;

/// The edges between files.
#[derive(Debug, Default)]
pub struct Links {
    needs: Vec<Arc<[FileId]>>,
    users: Vec<Arc<[FileId]>>,
    lost: Vec<FileId>,
}

impl Links {
    pub fn of(db: &SymbolDb<'_>) -> Self {
        let graph = &db.map().raw;
        let count = db.map().universe.len();
        let (mut needs, mut users) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        // Both are in the same order.
        let mut files = db.map().universe.iter().zip(FileId::all()).peekable();
        let mut numbers: Vec<Option<FileId>> = Vec::with_capacity(graph.nodes().len());
        for node in graph.nodes() {
            let id = node.id.as_str();
            while files.next_if(|(file, _)| cmp_utf16(file.path.as_str(), id).is_lt()).is_some() {}
            let own = files.peek().filter(|(file, _)| file.path.as_str() == id);
            numbers.push(own.map(|(_, number)| *number));
        }
        let number = |node: NodeIndex| numbers.get(node.index()).copied().flatten();
        let missing = missing(db);
        let mut lost = Vec::new();
        for (node, _) in graph.iter() {
            let Some(from) = number(node) else { continue };
            for edge in graph.edges(node) {
                if missing.contains(&edge.target) {
                    lost.push(from);
                }
                let Some(to) = number(edge.target) else { continue };
                if let Some(needs) = needs.get_mut(from.index()) {
                    needs.push(to);
                }
                if let Some(users) = users.get_mut(to.index()) {
                    users.push(from);
                }
            }
        }
        let sorted = |mut files: Vec<FileId>| {
            files.sort_unstable();
            files.dedup();
            files.into()
        };
        Self {
            needs: needs.into_iter().map(sorted).collect(),
            users: users.into_iter().map(sorted).collect(),
            lost,
        }
    }

    /// The files that import a path of the repository where there is no code.
    pub fn lost(&self) -> &[FileId] {
        &self.lost
    }

    /// The files that a file depends on.
    pub fn needs(&self, file: FileId) -> Arc<[FileId]> {
        self.needs.get(file.index()).cloned().unwrap_or_default()
    }

    /// The files that depend on a file.
    pub fn users(&self, file: FileId) -> Arc<[FileId]> {
        self.users.get(file.index()).cloned().unwrap_or_default()
    }
}

/// The nodes that stand for relative paths and aliases where nothing is. What has the ending of a file that is no code is left out: a
/// picture.
fn missing(db: &SymbolDb<'_>) -> BTreeSet<NodeIndex> {
    let nodes = db.map().raw.nodes().iter().zip(NodeIndex::all());
    let is_inside = |id: &str| {
        id.starts_with('.') || ALIAS_BEGINNINGS.iter().any(|beginning| id.starts_with(beginning))
    };
    let lost =
        nodes.filter(|(node, _)| node.kind == NodeKind::Missing && is_inside(node.id.as_str()));
    let mut endings: Option<BTreeSet<&str>> = None;
    let mut found = BTreeSet::new();
    for (node, number) in lost {
        let path = node.id.as_str().split('?').next().unwrap_or_default();
        let Some(ending) = ending(path) else {
            found.insert(number);
            continue;
        };
        let known = endings.get_or_insert_with(|| {
            let files = db.map().universe.iter().map(|file| file.path.as_str());
            let plain = files.filter(|path| Languages::default().of(path).is_none());
            plain.filter_map(self::ending).collect()
        });
        if !known.contains(ending) {
            found.insert(number);
        }
    }
    found
}

/// What is behind the last dot of a file's name.
fn ending(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.trim_start_matches('.').rsplit_once('.').map(|(_, ending)| ending)
}

impl SymbolDb<'_> {
    /// The extensions of a declaration in the files that depend on its own.
    pub fn extensions_of(&self, place: Place) -> Vec<Place> {
        if !self.builtins(place.file).extends_elsewhere() {
            return Vec::new();
        }
        let Some(name) = self.name_of(place) else { return Vec::new() };
        let mut found = Vec::new();
        for file in self.links().users(place.file).iter().take(MOST_FILES) {
            if *file == place.file || !self.mentions(*file, &name) {
                continue;
            }
            let Some(facts) = self.file(*file) else { continue };
            let Some(named) = facts.find_name(&name) else { continue };
            let own = || facts.items.iter().zip(0u32..).filter(|(it, _)| it.name == named);
            // If the file declares the name itself, it extends its own declaration.
            let is_own = |kind: DeclarationKind| {
                matches!(
                    kind,
                    DeclarationKind::Class
                        | DeclarationKind::Interface
                        | DeclarationKind::Enum
                        | DeclarationKind::Type
                )
            };
            if own().any(|(item, _)| item.parent == NONE && is_own(item.kind)) {
                continue;
            }
            let extensions = own().filter(|(item, _)| item.kind == DeclarationKind::Extension);
            found.extend(extensions.map(|(_, item)| Place { file: *file, item }));
        }
        found
    }

    fn name_of(&self, place: Place) -> Option<String> {
        let facts = self.file(place.file)?;
        let item = facts.item(place.item)?;
        Some(facts.name(item.name).to_owned())
    }
}
