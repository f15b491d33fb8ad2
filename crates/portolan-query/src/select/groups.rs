//! Expands folders, globs and declarations of a state to files.

use portolan_graph::CsrGraph;
use portolan_types::{NodeId, NodeKind};
use portolan_wire::state::{StateEntry, StateV2};

use portolan_workspace::path_input::{KnownPaths, PathInput, PathMatcher};

/// Expands a state: ids get their form in the map, a folder or glob becomes the entries of the
/// nodes it matches (with its depth and kinds), and a declaration (`path#Name`) becomes its file.
/// An entry without a match keeps its name.
pub fn spell_out(csr_graph: &CsrGraph, path_input: &PathInput, state: StateV2) -> StateV2 {
    let StateV2 { include, exclude, zoom, task } = state;
    let spelt = |entries: Vec<StateEntry>| {
        entries
            .into_iter()
            .flat_map(|entry| spell_out_entry(csr_graph, path_input, entry))
            .collect()
    };
    StateV2 { include: spelt(include), exclude: spelt(exclude), zoom, task }
}

/// The folders and globs in a state's includes that match something, in the form of the map; each
/// once.
pub fn groups_of(csr_graph: &CsrGraph, path_input: &PathInput, state: &StateV2) -> Vec<NodeId> {
    let meant =
        state.include.iter().map(|entry| meant_id(csr_graph, path_input, entry.id.as_str()));
    let is_group = |id: &NodeId| {
        let meant = PathMatcher::new(id.as_str());
        csr_graph.index_of(id.as_str()).is_none()
            && csr_graph.ids().iter().any(|other| meant.has(other.as_str()))
    };
    let mut groups: Vec<NodeId> = meant.filter(is_group).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// The id, folder or glob of a map that a text refers to.
pub fn meant_id(csr_graph: &CsrGraph, path_input: &PathInput, text: &str) -> NodeId {
    let is_known = |text: &str| {
        csr_graph.index_of(text).is_some() || {
            let meant = PathMatcher::new(text);
            csr_graph.ids().iter().any(|id| meant.has(id.as_str()))
        }
    };
    let plain = path_input.plain(text, &is_known);
    if is_known(&plain) {
        return plain.into();
    }
    path_input.nearest(text, &GraphPaths(csr_graph)).best.unwrap_or(plain).into()
}

/// The nodes of a map as paths.
struct GraphPaths<'g>(&'g CsrGraph);

impl KnownPaths for GraphPaths<'_> {
    fn has(&self, path: &str) -> bool {
        self.0.index_of(path).is_some()
    }

    fn all(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.0.ids().iter().map(NodeId::as_str))
    }

    fn rank(&self, path: &str) -> u8 {
        crate::map_paths::rank(path)
    }
}

/// The most `#` characters that are tried as the end of a declaration's path.
const MOST_MARKS: usize = 16;

/// The file and the name, if a text refers to a declaration of a file.
fn declaration<'t>(
    csr_graph: &CsrGraph,
    path_input: &PathInput,
    text: &'t str,
) -> Option<(NodeId, &'t str)> {
    // Both a file name and a declaration's name may contain `#`.
    text.match_indices('#').take(MOST_MARKS).find_map(|(at, _)| {
        let file = meant_id(csr_graph, path_input, &text[..at]);
        csr_graph.index_of(file.as_str()).is_some().then_some((file, &text[at + 1..]))
    })
}

/// The entries of a state that refer to declarations, as file and name.
pub(super) fn declarations<'s>(
    csr_graph: &CsrGraph,
    path_input: &PathInput,
    state: &'s StateV2,
) -> Vec<(NodeId, &'s str)> {
    let ids = state.include.iter().chain(&state.exclude).map(|entry| entry.id.as_str());
    let marked = ids.filter(|id| id.contains('#') && csr_graph.index_of(id).is_none());
    marked.filter_map(|id| declaration(csr_graph, path_input, id)).collect()
}

fn spell_out_entry(
    csr_graph: &CsrGraph,
    path_input: &PathInput,
    entry: StateEntry,
) -> Vec<StateEntry> {
    // What a user types is a file of their own folder first, as for `cat`; a saved state names files from the root.
    let near = path_input.in_folder(entry.id.as_str(), &GraphPaths(csr_graph));
    if near.is_none() && csr_graph.index_of(entry.id.as_str()).is_some() {
        return vec![entry];
    }
    let id = meant_id(csr_graph, path_input, entry.id.as_str());
    if csr_graph.index_of(id.as_str()).is_some() {
        return vec![StateEntry { id, ..entry }];
    }
    if let Some((file, _)) = declaration(csr_graph, path_input, entry.id.as_str()) {
        return vec![StateEntry { id: file, ..entry }];
    }
    let meant = PathMatcher::new(id.as_str());
    let matches: Vec<&NodeId> =
        csr_graph.ids().iter().filter(|other| meant.has(other.as_str())).collect();
    // A group contains only the repository's own files, unless it names those of packages.
    let is_source = |id: &NodeId| {
        csr_graph.facts_of(id.as_str()).is_some_and(|facts| facts.kind == NodeKind::Source)
    };
    let has_source = matches.iter().any(|id| is_source(id));
    if matches.is_empty() {
        return vec![StateEntry { id, ..entry }];
    }
    let matches = matches.into_iter().filter(|id| !has_source || is_source(id));
    matches.map(|id| StateEntry { id: id.clone(), ..entry.clone() }).collect()
}
