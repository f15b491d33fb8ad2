//! Selects the nodes of a state.
//!
//! Each entry is expanded on its own. The selection is the union of everything the includes reach,
//! minus the union of everything the excludes reach. Excludes do not stop a walk: they are
//! subtracted at the end.

mod category;
mod closure;
mod fit;
mod route;
mod summary;

use std::collections::BTreeSet;

use portolan_types::{KindMask, NodeId, NodeIndex, NodeKind};
use portolan_wire::state::{StateEntry, StateV2};

pub use category::{Category, is_lock_file, is_named_test};
pub use fit::{Fit, FitStep, Rung, Worth, fit};
pub use route::{Hop, Importer, Route, importers, route};
pub use summary::{LargeNode, MissingSizes, SizeCheck, Summary, summarize, unknowns};

use crate::csr_graph::CsrGraph;

/// The options of a selection, as its specification defines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectSettings {
    /// The kinds that an entry follows if it gives none.
    pub default_kinds: KindMask,
    /// Whether builtin modules stay in the selection. By default they do not, because they are not
    /// files.
    pub keep_builtin: bool,
    /// Whether missing modules stay in the selection. By default they do not.
    pub keep_missing: bool,
    /// The number of largest nodes to list.
    pub top: usize,
    /// What to do about a file with a known hash and an unknown size.
    pub sizes: SizeCheck,
}

impl Default for SelectSettings {
    fn default() -> Self {
        Self {
            default_kinds: KindMask::ALL,
            keep_builtin: false,
            keep_missing: false,
            top: 10,
            sizes: SizeCheck::Warn,
        }
    }
}

impl SelectSettings {
    fn drops(&self, kind: NodeKind) -> bool {
        match kind {
            NodeKind::Builtin => !self.keep_builtin,
            NodeKind::Missing => !self.keep_missing,
            NodeKind::Source | NodeKind::External => false,
        }
    }
}

/// A selected node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedNode {
    /// Its id.
    pub id: NodeId,
    /// Its index in the graph; `None` for an id that only the state names.
    pub node: Option<NodeIndex>,
    /// The index in [`Selection::entries`] of the entry that selected it.
    pub entry: usize,
    /// The number of edges from that entry's node to this one.
    pub hops: u32,
}

/// The result of a selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The includes: sorted, without duplicates, each with its kinds.
    pub entries: Vec<StateEntry>,
    /// The nodes, sorted by id.
    pub nodes: Vec<SelectedNode>,
    /// The nodes dropped because they are not files, sorted by id.
    pub dropped: Vec<(NodeId, NodeKind)>,
    /// The nodes that includes reach and excludes subtract, sorted.
    pub excluded: Vec<NodeId>,
}

impl Selection {
    /// Whether an id is selected.
    pub fn contains(&self, id: &NodeId) -> bool {
        self.nodes.binary_search_by(|node| node.id.cmp(id)).is_ok()
    }

    /// The ids that the includes name themselves.
    pub fn seeds(&self) -> BTreeSet<&NodeId> {
        self.entries.iter().map(|entry| &entry.id).collect()
    }
}

/// Expands a state. The order of its entries does not matter.
pub fn select(csr_graph: &CsrGraph, state: &StateV2, settings: &SelectSettings) -> Selection {
    let entries = normal_entries(&state.include, settings.default_kinds);
    let excludes = normal_entries(&state.exclude, settings.default_kinds);
    // Both lists are sorted by id, so one pass over both subtracts the excludes.
    let mut taken = closure::expand(csr_graph, &excludes).into_iter().peekable();

    let mut selection = Selection { entries, ..Selection::default() };
    for node in closure::expand(csr_graph, &selection.entries) {
        while taken.next_if(|other| other.id < node.id).is_some() {}
        let kind = node.node.and_then(|index| csr_graph.facts(index)).map(|facts| facts.kind);
        if taken.peek().is_some_and(|other| other.id == node.id) {
            selection.excluded.push(node.id);
        } else if let Some(kind) = kind.filter(|kind| settings.drops(*kind)) {
            selection.dropped.push((node.id, kind));
        } else {
            selection.nodes.push(node);
        }
    }
    selection
}

/// The entries sorted, without duplicates, each with its kinds.
fn normal_entries(entries: &[StateEntry], default_kinds: KindMask) -> Vec<StateEntry> {
    let with_kinds = entries.iter().map(|entry| {
        let kinds = entry.kinds.unwrap_or(default_kinds);
        StateEntry { kinds: Some(kinds), ..entry.clone() }
    });
    let mut entries: Vec<StateEntry> = with_kinds.collect();
    entries.sort_unstable();
    entries.dedup();
    entries
}

#[cfg(test)]
mod tests;
