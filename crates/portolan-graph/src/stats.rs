//! A graph in numbers: kinds, hubs, cycles.

use portolan_types::{EdgeKind, NodeIndex, NodeKind};

use crate::Graph;

/// A graph in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The number of nodes of each kind, in the order of [`NodeKind::ALL`].
    pub nodes: [usize; 4],
    /// The total bytes of all source files.
    pub source_bytes: u64,
    /// The number of explicit edges of each kind, in the order of [`EdgeKind::ALL`].
    pub explicit_edges: [usize; 3],
    /// The number of implicit edges of each kind, in the order of [`EdgeKind::ALL`].
    pub implicit_edges: [usize; 3],
    /// The nodes with the most dependents: index and number of dependents, most first.
    pub hubs: Vec<(NodeIndex, usize)>,
    /// Groups of files that import each other at run time, largest first; members in order.
    pub cycles: Vec<Vec<NodeIndex>>,
}

impl Stats {
    /// The number of nodes of a kind.
    pub fn nodes_of(&self, kind: NodeKind) -> usize {
        self.nodes[usize::from(kind.code())]
    }
}

/// Computes the statistics, with at most `hubs` hubs.
pub fn stats(graph: &Graph, hubs: usize) -> Stats {
    let mut stats = Stats::default();
    let mut dependents = vec![0usize; graph.nodes().len()];
    for (index, node) in graph.iter() {
        stats.nodes[usize::from(node.kind.code())] += 1;
        if node.kind == NodeKind::Source {
            stats.source_bytes += node.size.unwrap_or(0);
        }
        for edge in graph.edges(index) {
            for (at, kind) in EdgeKind::ALL.into_iter().enumerate() {
                stats.explicit_edges[at] += usize::from(edge.explicit.meets(kind.mask()));
                stats.implicit_edges[at] += usize::from(edge.implicit.meets(kind.mask()));
            }
            if edge.target != index {
                dependents[edge.target.index()] += 1;
            }
        }
    }
    stats.hubs = NodeIndex::all().zip(dependents).filter(|(_, count)| *count > 0).collect();
    // The sort is stable: of equal ones, the smaller id comes first.
    stats.hubs.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    stats.hubs.truncate(hubs);
    stats.cycles = cycles(graph);
    stats
}

/// The strongly connected components of more than one file, over explicit runtime edges. Tarjan's
/// algorithm with an explicit stack.
fn cycles(graph: &Graph) -> Vec<Vec<NodeIndex>> {
    const UNSEEN: u32 = u32::MAX;
    let count = graph.nodes().len();
    let (mut order, mut low) = (vec![UNSEEN; count], vec![0u32; count]);
    let mut on_stack = vec![false; count];
    let (mut stack, mut next, mut groups) = (Vec::new(), 0u32, Vec::new());
    for start in NodeIndex::first(count) {
        if order[start.index()] != UNSEEN {
            continue;
        }
        let mut calls = vec![(start, 0usize)];
        while let Some((node, edge_at)) = calls.pop() {
            let at = node.index();
            if edge_at == 0 {
                (order[at], low[at]) = (next, next);
                next += 1;
                stack.push(node);
                on_stack[at] = true;
            }
            let edges = graph.edges(node);
            let follow = edges[edge_at..]
                .iter()
                .position(|edge| edge.explicit.meets(EdgeKind::Runtime.mask()));
            if let Some(skipped) = follow {
                let edge_at = edge_at + skipped;
                let target = edges[edge_at].target;
                if order[target.index()] == UNSEEN {
                    calls.push((node, edge_at + 1));
                    calls.push((target, 0));
                    continue;
                }
                if on_stack[target.index()] {
                    low[at] = low[at].min(order[target.index()]);
                }
                // Zero means "just entered": the next edge is never at zero.
                calls.push((node, edge_at + 1));
                continue;
            }
            if low[at] == order[at] {
                let start = stack.iter().rposition(|member| *member == node).unwrap_or(0);
                let mut group = stack.split_off(start);
                for member in &group {
                    on_stack[member.index()] = false;
                }
                group.sort_unstable();
                if group.len() > 1 {
                    groups.push(group);
                }
            }
            if let Some((parent, _)) = calls.last() {
                low[parent.index()] = low[parent.index()].min(low[at]);
            }
        }
    }
    groups.sort_by_key(|group: &Vec<NodeIndex>| (std::cmp::Reverse(group.len()), group[0]));
    groups
}

#[cfg(test)]
mod tests {
    use portolan_types::{KindMask, NodeIndex, NodeKind};

    use super::stats;
    use crate::{Edge, Graph, GraphBuilder, Node};

    /// `a>b` is a runtime edge, `a~b` a type edge.
    fn graph(edges: &str) -> Graph {
        let mut builder = GraphBuilder::default();
        let nodes: Vec<NodeIndex> = ('a'..='h')
            .map(|name| {
                builder.node(Node::abstract_module(name.to_string().into(), NodeKind::Missing))
            })
            .collect();
        for edge in edges.split_whitespace() {
            let bytes = edge.as_bytes();
            let explicit = if bytes[1] == b'>' { KindMask::RUNTIME } else { KindMask::TYPE };
            let target = nodes[usize::from(bytes[2] - b'a')];
            builder.edge(
                nodes[usize::from(bytes[0] - b'a')],
                Edge { target, explicit, implicit: KindMask::NONE },
            );
        }
        builder.build()
    }

    fn cycles(edges: &str) -> Vec<String> {
        let graph = graph(edges);
        let name = |index: &NodeIndex| graph.node(*index).id.to_string();
        stats(&graph, 0).cycles.iter().map(|group| group.iter().map(name).collect()).collect()
    }

    #[test]
    fn cycles_are_the_groups_that_import_each_other_at_run_time() {
        assert_eq!(cycles("a>b b>c c>a c>d d>e"), ["abc"]);
        assert_eq!(cycles("a>b b~a c>c"), [""; 0]);
        assert_eq!(cycles("a>b b>a c>d d>c d>a e>f f>g g>e"), ["efg", "ab", "cd"]);
    }

    #[test]
    fn long_chains_do_not_overflow_the_stack() {
        let mut builder = GraphBuilder::default();
        let nodes: Vec<NodeIndex> = (0..200_000)
            .map(|n| {
                builder.node(Node::abstract_module(format!("{n:06}").into(), NodeKind::Missing))
            })
            .collect();
        for pair in nodes.windows(2) {
            let edge =
                Edge { target: pair[1], explicit: KindMask::RUNTIME, implicit: KindMask::NONE };
            builder.edge(pair[0], edge);
        }
        assert_eq!(stats(&builder.build(), 1).cycles.len(), 0);
    }

    #[test]
    fn hubs_have_the_most_dependents() {
        let graph = graph("a>c b>c d>c a>b d>b e>e");
        assert_eq!(stats(&graph, 2).hubs, [(NodeIndex::new(2), 3), (NodeIndex::new(1), 2)]);
    }
}
