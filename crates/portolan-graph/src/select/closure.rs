//! Expands entries in time linear in the edges, however many entries there are.
//!
//! Entries with the same kinds share one walk. It goes level by level from the greatest depth down:
//! all nodes with `n` edges left are visited before those with `n - 1`. So the first visit of a
//! node has the most edges left, and no second visit is necessary. There are eight sets of kinds,
//! hence at most eight walks. The widest set goes first. A narrower walk stops where a wider one
//! had at least as many edges left, because it would find nothing new.

use std::cmp::Reverse;

use portolan_types::{KindMask, NodeId, NodeIndex};
use portolan_wire::state::StateEntry;

use super::SelectedNode;
use crate::csr_graph::CsrGraph;

/// The nodes that the entries reach, sorted by id. `entries` must be sorted and have kinds.
pub(super) fn expand(csr_graph: &CsrGraph, entries: &[StateEntry]) -> Vec<SelectedNode> {
    let outside = ids_outside(csr_graph, entries);
    let mut walks = Walks::new(csr_graph, outside.len());
    let mut seeds: Vec<Seed> =
        (0u32..).zip(entries).map(|(rank, entry)| seed(csr_graph, &outside, rank, entry)).collect();
    let width = |seed: &Seed| seed.kinds.kinds().count();
    seeds.sort_unstable_by_key(|seed| {
        (Reverse(width(seed)), seed.kinds, Reverse(seed.depth), seed.rank)
    });
    for group in seeds.chunk_by(|left, right| left.kinds == right.kinds) {
        walks.walk(group);
    }
    walks.finish(&outside)
}

/// Ids that occur only in entries. They are leaves outside the graph.
fn ids_outside<'e>(csr_graph: &CsrGraph, entries: &'e [StateEntry]) -> Vec<&'e NodeId> {
    let ids = entries.iter().map(|entry| &entry.id);
    let mut outside: Vec<&NodeId> =
        ids.filter(|id| csr_graph.index_of(id.as_str()).is_none()).collect();
    outside.dedup();
    outside
}

/// The start of an entry.
struct Seed {
    node: NodeIndex,
    depth: u64,
    kinds: KindMask,
    /// The index of its entry, which breaks ties.
    rank: u32,
}

fn seed(csr_graph: &CsrGraph, outside: &[&NodeId], rank: u32, entry: &StateEntry) -> Seed {
    let node = csr_graph.index_of(entry.id.as_str()).unwrap_or_else(|| {
        let place = outside.binary_search(&&entry.id).unwrap_or_default();
        NodeIndex::at(csr_graph.len() + place)
    });
    // At depth 0 no edge is followed, so kinds do not matter: one walk for all such seeds.
    let kinds =
        if entry.depth == 0 { KindMask::NONE } else { entry.kinds.unwrap_or(KindMask::ALL) };
    let depth = if kinds.is_empty() { 0 } else { entry.depth };
    Seed { node, depth, kinds, rank }
}

/// How a node was reached.
#[derive(Clone, Copy)]
struct Arrival {
    hops: u32,
    rank: u32,
}

impl Arrival {
    const NEVER: Self = Self { hops: u32::MAX, rank: u32::MAX };
}

struct Walks<'t> {
    csr_graph: &'t CsrGraph,
    /// The best arrival at each node over all walks.
    arrivals: Vec<Arrival>,
    /// For each node, one bit for each set of kinds whose walk has visited it.
    seen: Vec<u8>,
    /// For each completed walk: its kinds, and for each node the number of edges left plus one.
    onward: Vec<(KindMask, Vec<u32>)>,
}

impl<'t> Walks<'t> {
    fn new(csr_graph: &'t CsrGraph, n_strangers: usize) -> Self {
        let len = csr_graph.len() + n_strangers;
        Self {
            csr_graph,
            arrivals: vec![Arrival::NEVER; len],
            seen: vec![0; len],
            onward: Vec::new(),
        }
    }

    /// Walks from the seeds of one set of kinds, deepest first.
    fn walk(&mut self, seeds: &[Seed]) {
        let Some(first) = seeds.first() else { return };
        let (kinds, mut left) = (first.kinds, first.depth);
        let wider: Vec<usize> =
            (0..self.onward.len()).filter(|at| self.onward[*at].0.contains(kinds)).collect();
        self.onward.push((kinds, vec![0; self.seen.len()]));
        let mut waiting = seeds;
        let mut frontier: Vec<(NodeIndex, Arrival)> = Vec::new();
        let mut next = Vec::new();
        loop {
            // A seed of this depth comes before nodes reached from deeper seeds: its distance is
            // zero.
            self.start(&mut waiting, left, &wider, &mut frontier);
            if frontier.is_empty() {
                // The frontier is empty: continue with the next seed, however much shallower it is.
                let Some(seed) = waiting.first() else { return };
                left = seed.depth;
                continue;
            }
            if left == 0 {
                return;
            }
            left -= 1;
            self.start(&mut waiting, left, &wider, &mut next);
            for (node, arrival) in frontier.drain(..) {
                let next_arrival = Arrival { hops: arrival.hops.saturating_add(1), ..arrival };
                for (target, edge_kinds) in self.csr_graph.roads().from(node) {
                    if edge_kinds.meets(kinds)
                        && self.arrive(target, kinds, left, &wider, next_arrival)
                    {
                        next.push((target, next_arrival));
                    }
                }
            }
            std::mem::swap(&mut frontier, &mut next);
        }
    }

    /// Adds the seeds of this depth to the frontier, unless a walk has visited them with as many
    /// edges left.
    fn start(
        &mut self,
        waiting: &mut &[Seed],
        depth: u64,
        wider: &[usize],
        frontier: &mut Vec<(NodeIndex, Arrival)>,
    ) {
        while let [seed, rest @ ..] = *waiting {
            if seed.depth != depth {
                return;
            }
            *waiting = rest;
            let arrival = Arrival { hops: 0, rank: seed.rank };
            if self.arrive(seed.node, seed.kinds, depth, wider, arrival) {
                frontier.push((seed.node, arrival));
            }
        }
    }

    /// Records an arrival with `left` edges to go. Returns whether there may be anything new
    /// beyond.
    fn arrive(
        &mut self,
        node: NodeIndex,
        kinds: KindMask,
        left: u64,
        wider: &[usize],
        arrival: Arrival,
    ) -> bool {
        let at = node.index();
        let best = &mut self.arrivals[at];
        if (arrival.hops, arrival.rank) < (best.hops, best.rank) {
            *best = arrival;
        }
        let bit = 1u8 << kinds.bits();
        if self.seen[at] & bit != 0 {
            return false;
        }
        self.seen[at] |= bit;
        // No path is longer than the number of nodes, which fits a u32.
        let far = u32::try_from(left.saturating_add(1)).unwrap_or(u32::MAX);
        if wider.iter().any(|walk| self.onward[*walk].1[at] >= far) {
            return false;
        }
        if let Some((_, onward)) = self.onward.last_mut() {
            onward[at] = far;
        }
        true
    }

    fn finish(self, outside: &[&NodeId]) -> Vec<SelectedNode> {
        let ids = self.csr_graph.ids().iter().chain(outside.iter().copied());
        let reached = NodeIndex::all()
            .zip(ids.zip(&self.arrivals))
            .filter(|(_, (_, arrival))| arrival.rank != u32::MAX);
        let mut nodes: Vec<SelectedNode> = reached
            .map(|(index, (id, arrival))| SelectedNode {
                id: id.clone(),
                node: (index.index() < self.csr_graph.len()).then_some(index),
                entry: arrival.rank as usize,
                hops: arrival.hops,
            })
            .collect();
        if !outside.is_empty() {
            nodes.sort_by(|left, right| left.id.cmp(&right.id));
        }
        nodes
    }
}
