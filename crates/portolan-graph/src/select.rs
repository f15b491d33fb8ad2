//! From a state to the nodes it selects.
//!
//! Each entry is expanded on its own; the selection is the union of what the includes reach minus
//! the union of what the excludes reach. Excludes do not stop a walk: they take away at the end.

mod category;
mod closure;
mod fit;
mod route;
mod summary;

use std::collections::BTreeSet;

use portolan_types::{KindMask, NodeId, NodeKind};
use portolan_wire::state::{StateEntry, StateV2};

pub use category::{Category, is_lock_file, is_named_test};
pub use fit::{Fit, FitStep, Rung, Worth, fit};
pub use route::{Hop, Importer, Route, importers, route};
pub use summary::{LargeNode, MissingSizes, SizeCheck, Summary, summarize, unknowns};

use crate::csr_graph::CsrGraph;

/// How a selection is made: the options of the selection's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectSettings {
    /// The kinds that an entry follows where it does not say.
    pub default_kinds: KindMask,
    /// Whether builtin modules stay in the selection. They are not files, so by default they don't.
    pub keep_builtin: bool,
    /// Whether missing modules stay in the selection. By default they don't.
    pub keep_missing: bool,
    /// How many of the largest nodes are listed.
    pub top: usize,
    /// What to do about a file whose hash is known and whose size is not.
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

/// One node of a selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedNode {
    /// Its id.
    pub id: NodeId,
    /// Its place in the `csr_graph`; `None` for an id that only the state names.
    pub node: Option<u32>,
    /// Which entry of [`Selection::entries`] brought it in.
    pub entry: usize,
    /// How many edges lie between that entry's node and this one.
    pub hops: u32,
}

/// What a state selects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The includes: sorted, without repetitions, each with its kinds.
    pub entries: Vec<StateEntry>,
    /// The nodes, sorted by id.
    pub nodes: Vec<SelectedNode>,
    /// What was taken away because it is no file, sorted by id.
    pub dropped: Vec<(NodeId, NodeKind)>,
    /// What the includes reach and the excludes take away, sorted.
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

/// Expands a state. The order of its entries plays no part.
pub fn select(csr_graph: &CsrGraph, state: &StateV2, settings: &SelectSettings) -> Selection {
    let entries = normal_entries(&state.include, settings.default_kinds);
    let excludes = normal_entries(&state.exclude, settings.default_kinds);
    // Both are sorted by id, so one step through the two together takes the excludes away.
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

/// The entries in an order of their own, without repetitions, each with its kinds.
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
