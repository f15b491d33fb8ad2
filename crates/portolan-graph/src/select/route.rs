//! Explains why a node is selected, and finds the nodes that depend on it.

use portolan_types::{KindMask, NodeId, NodeIndex};
use portolan_wire::state::StateEntry;

use crate::csr_graph::{Adjacency, CsrGraph};

/// One edge of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Its target.
    pub to: NodeId,
    /// The edge's kinds.
    pub kinds: KindMask,
}

/// The path from an entry's node to another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The entry at its start.
    pub entry: StateEntry,
    /// The edges, in order; none if the entry names the node itself.
    pub steps: Vec<Hop>,
}

/// The shortest path from any of the entries to a node, within the entry's depth and kinds. Ties go
/// to the first entry by id, and then to the smallest ids on the path.
pub fn route(csr_graph: &CsrGraph, entries: &[StateEntry], target: &NodeId) -> Option<Route> {
    let mut entries: Vec<&StateEntry> = entries.iter().collect();
    entries.sort_unstable();
    if let Some(entry) = entries.iter().find(|entry| entry.id == *target) {
        return Some(Route { entry: (*entry).clone(), steps: Vec::new() });
    }
    let goal = csr_graph.index_of(target.as_str())?;
    let back = csr_graph.roads_back();
    let mut best: Option<(u32, &StateEntry, Vec<u32>)> = None;
    for kinds in (1..=u64::from(KindMask::ALL.bits())).map(KindMask::from_bits_truncate) {
        let same_kinds =
            entries.iter().filter(|entry| entry.kinds.unwrap_or(KindMask::ALL) == kinds);
        let mut distances: Option<Vec<u32>> = None;
        for entry in same_kinds {
            let Some(start) = csr_graph.index_of(entry.id.as_str()) else { continue };
            let distances = distances
                .get_or_insert_with(|| distances_to(&back, csr_graph.len(), goal, kinds, u64::MAX));
            let away = distances[start.index()];
            let shorter =
                best.as_ref().is_none_or(|(hops, other, _)| (away, *entry) < (*hops, *other));
            if away != FAR && u64::from(away) <= entry.depth && shorter {
                best = Some((away, entry, distances.clone()));
            }
        }
    }
    let (_, entry, distances) = best?;
    Some(Route { entry: entry.clone(), steps: descend(csr_graph, entry, &distances) })
}

const FAR: u32 = u32::MAX;

/// The number of edges from each node to the goal, up to `depth`; [`FAR`] beyond.
fn distances_to(
    back: &Adjacency,
    len: usize,
    goal: NodeIndex,
    kinds: KindMask,
    depth: u64,
) -> Vec<u32> {
    let mut distances = vec![FAR; len];
    distances[goal.index()] = 0;
    let mut frontier = vec![goal];
    let mut away = 0u32;
    while !frontier.is_empty() && u64::from(away) < depth {
        away += 1;
        let mut next = Vec::new();
        for node in frontier {
            for (source, edge_kinds) in back.from(node) {
                if edge_kinds.meets(kinds) && distances[source.index()] == FAR {
                    distances[source.index()] = away;
                    next.push(source);
                }
            }
        }
        frontier = next;
    }
    distances
}

/// Walks from the entry's node to the goal: each step is one edge nearer.
fn descend(csr_graph: &CsrGraph, entry: &StateEntry, distances: &[u32]) -> Vec<Hop> {
    let kinds = entry.kinds.unwrap_or(KindMask::ALL);
    let mut steps = Vec::new();
    let mut here = csr_graph.index_of(entry.id.as_str());
    while let Some(node) = here {
        let away = distances[node.index()];
        let nearer = csr_graph.roads().from(node).find(|(target, mask)| {
            away > 0 && mask.meets(kinds) && distances[target.index()] == away - 1
        });
        here = nearer.map(|(target, mask)| {
            steps.push(Hop { to: csr_graph.ids()[target.index()].clone(), kinds: mask });
            target
        });
    }
    steps
}

/// A node that depends on another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Importer {
    /// Its id.
    pub id: NodeId,
    /// The number of edges between them.
    pub hops: u32,
    /// The kinds of its edge to the node; empty if it depends on the node only indirectly.
    pub kinds: KindMask,
}

/// The nodes that depend on a node, over at most `depth` edges of these kinds: nearest first, then
/// by id. `None` if the node is not in the graph.
pub fn importers(
    csr_graph: &CsrGraph,
    id: &NodeId,
    depth: u64,
    kinds: KindMask,
) -> Option<Vec<Importer>> {
    let goal = csr_graph.index_of(id.as_str())?;
    let back = csr_graph.roads_back();
    let distances = distances_to(&back, csr_graph.len(), goal, kinds, depth);
    let direct: Vec<(NodeIndex, KindMask)> = back.from(goal).collect();
    let mut found: Vec<Importer> = NodeIndex::all()
        .zip(&distances)
        .filter(|(node, hops)| **hops != FAR && *node != goal)
        .map(|(node, hops)| Importer {
            id: csr_graph.ids()[node.index()].clone(),
            hops: *hops,
            kinds: direct
                .binary_search_by_key(&node, |(source, _)| *source)
                .map_or(KindMask::NONE, |at| direct[at].1),
        })
        .collect();
    found.sort_by_key(|importer| importer.hops);
    Some(found)
}
