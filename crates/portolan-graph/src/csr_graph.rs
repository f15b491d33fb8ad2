//! A graph for selections: ids, facts about each, and edges as flat arrays.
//!
//! A [`Graph`] that we built is always complete. A graph from outside need not be: an edge may
//! start or end at an id that is not a node. Such ids are part of this graph: they can be walked
//! and selected, but they have no facts.

use portolan_types::{KindMask, NodeId, NodeIndex, NodeKind, cmp_utf16};
use portolan_wire::graph::{AnyGraph, GraphFile};
use portolan_wire::meta::MetaV2;

use crate::model::Graph;

/// The facts about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Its kind.
    pub kind: NodeKind,
    /// Its length in bytes.
    pub size: Option<u64>,
    /// Whether its hash is known.
    pub hashed: bool,
}

/// A graph for walks. Ids are sorted, so an index is also the position in the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsrGraph {
    ids: Vec<NodeId>,
    /// `None` for an id that occurs only in edges.
    facts: Vec<Option<Facts>>,
    roads: Adjacency,
}

/// Edges as flat arrays: those of node `i` are at `offsets[i]..offsets[i + 1]`, sorted by target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Adjacency {
    offsets: Vec<u32>,
    targets: Vec<NodeIndex>,
    kinds: Vec<KindMask>,
}

impl Adjacency {
    /// Builds it from (source, target, kinds) in any order; pairs may repeat.
    fn new(len: usize, mut pairs: Vec<(NodeIndex, NodeIndex, KindMask)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup_by(|later, kept| {
            let same = (later.0, later.1) == (kept.0, kept.1);
            if same {
                kept.2 |= later.2;
            }
            same
        });
        let mut offsets = vec![0u32; len + 1];
        for (source, _, _) in &pairs {
            offsets[source.index() + 1] += 1;
        }
        for index in 1..offsets.len() {
            offsets[index] += offsets[index - 1];
        }
        Self {
            offsets,
            targets: pairs.iter().map(|pair| pair.1).collect(),
            kinds: pairs.iter().map(|pair| pair.2).collect(),
        }
    }

    /// The targets of a node, with the kinds of the edges; none for an index beyond the graph.
    pub(crate) fn from(&self, node: NodeIndex) -> impl Iterator<Item = (NodeIndex, KindMask)> {
        let at = node.index();
        let range = match self.offsets.get(at..).unwrap_or_default() {
            [start, end, ..] => *start as usize..*end as usize,
            _ => 0..0,
        };
        self.targets[range.clone()].iter().copied().zip(self.kinds[range].iter().copied())
    }

    /// The same edges in the opposite direction.
    fn reversed(&self, len: usize) -> Self {
        let mut offsets = vec![0u32; len + 1];
        for target in &self.targets {
            offsets[target.index() + 1] += 1;
        }
        for index in 1..offsets.len() {
            offsets[index] += offsets[index - 1];
        }
        let mut next = offsets.clone();
        let mut targets = vec![NodeIndex::default(); self.targets.len()];
        let mut kinds = vec![KindMask::NONE; self.targets.len()];
        for source in NodeIndex::first(len) {
            for (target, mask) in self.from(source) {
                let slot = &mut next[target.index()];
                targets[*slot as usize] = source;
                kinds[*slot as usize] = mask;
                *slot += 1;
            }
        }
        Self { offsets, targets, kinds }
    }
}

impl CsrGraph {
    /// The number of ids.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no ids.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids, in output order.
    pub fn ids(&self) -> &[NodeId] {
        &self.ids
    }

    /// The index of an id.
    pub fn index_of(&self, id: &str) -> Option<NodeIndex> {
        let found = self.ids.binary_search_by(|known| cmp_utf16(known.as_str(), id));
        found.ok().map(NodeIndex::at)
    }

    /// The facts about a node; `None` if it occurs only in edges, or not at all.
    pub fn facts(&self, node: NodeIndex) -> Option<Facts> {
        self.facts.get(node.index()).copied().flatten()
    }

    /// The facts about an id.
    pub fn facts_of(&self, id: &str) -> Option<Facts> {
        self.index_of(id).and_then(|node| self.facts(node))
    }

    /// The number of connected (source, target) pairs.
    pub fn edge_count(&self) -> usize {
        self.roads.targets.len()
    }

    pub(crate) fn roads(&self) -> &Adjacency {
        &self.roads
    }

    pub(crate) fn roads_back(&self) -> Adjacency {
        self.roads.reversed(self.len())
    }

    /// Builds a graph from nodes and edges from outside. Ids that occur only in edges become part
    /// of it.
    fn assemble(nodes: Vec<(NodeId, Facts)>, edges: &[(NodeId, NodeId, KindMask)]) -> Self {
        let is_node = |id: &NodeId| nodes.binary_search_by(|(known, _)| known.cmp(id)).is_ok();
        let named = edges.iter().flat_map(|(source, target, _)| [source, target]);
        let mut strangers: Vec<NodeId> = named.filter(|id| !is_node(id)).cloned().collect();
        strangers.sort_unstable();
        strangers.dedup();

        let known = nodes.into_iter().map(|(id, facts)| (id, Some(facts)));
        let mut all: Vec<(NodeId, Option<Facts>)> =
            known.chain(strangers.into_iter().map(|id| (id, None))).collect();
        all.sort_by(|left, right| left.0.cmp(&right.0));
        let (ids, facts): (Vec<NodeId>, Vec<Option<Facts>>) = all.into_iter().unzip();

        let mut csr_graph = Self { ids, facts, roads: Adjacency::default() };
        let index = |id: &NodeId| csr_graph.index_of(id.as_str()).unwrap_or_default();
        let pairs =
            edges.iter().map(|(source, target, kinds)| (index(source), index(target), *kinds));
        csr_graph.roads = Adjacency::new(csr_graph.len(), pairs.collect());
        csr_graph
    }
}

impl From<&Graph> for CsrGraph {
    fn from(graph: &Graph) -> Self {
        let nodes = graph.nodes();
        let mut offsets = Vec::with_capacity(nodes.len() + 1);
        let mut targets = Vec::with_capacity(graph.edge_count());
        let mut kinds = Vec::with_capacity(graph.edge_count());
        offsets.push(0);
        for (index, _) in graph.iter() {
            for edge in graph.edges(index) {
                targets.push(edge.target);
                kinds.push(edge.kinds());
            }
            offsets.push(targets.len() as u32);
        }
        Self {
            ids: nodes.iter().map(|node| node.id.clone()).collect(),
            facts: nodes
                .iter()
                .map(|node| {
                    Some(Facts { kind: node.kind, size: node.size, hashed: node.sha256.is_some() })
                })
                .collect(),
            roads: Adjacency { offsets, targets, kinds },
        }
    }
}

impl From<&MetaV2> for CsrGraph {
    fn from(meta: &MetaV2) -> Self {
        let nodes = meta.nodes.iter().map(|node| {
            (
                node.id.clone(),
                Facts { kind: node.kind, size: node.size, hashed: node.hash.is_some() },
            )
        });
        let edges = meta.nodes.iter().flat_map(|node| {
            node.edges.iter().map(|edge| (node.id.clone(), edge.target.clone(), edge.kinds))
        });
        Self::assemble(nodes.collect(), &edges.collect::<Vec<_>>())
    }
}

impl From<&GraphFile> for CsrGraph {
    fn from(graph: &GraphFile) -> Self {
        let nodes = graph.nodes.iter().map(|node| {
            (
                node.id.clone(),
                Facts { kind: node.kind, size: node.size, hashed: node.hash.is_some() },
            )
        });
        let edges = graph.edges.iter().flat_map(|(source, list)| {
            list.iter().map(|edge| (source.clone(), edge.target.clone(), edge.kind.mask()))
        });
        Self::assemble(nodes.collect(), &edges.collect::<Vec<_>>())
    }
}

impl From<&AnyGraph> for CsrGraph {
    fn from(graph: &AnyGraph) -> Self {
        match graph {
            AnyGraph::Meta(meta) => meta.into(),
            AnyGraph::Full(graph) => graph.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use portolan_types::{KindMask, NodeIndex, NodeKind};
    use portolan_wire::graph::GraphFile;

    use super::{CsrGraph, Facts};
    use crate::encode::{MetaHashes, encode_meta, graph_file, inflate};
    use crate::model::{Edge, GraphBuilder, Node};

    #[test]
    fn every_shape_of_a_graph_gives_the_same_territory() {
        let mut builder = GraphBuilder::default();
        let a = builder.node(Node::abstract_module("a".into(), NodeKind::Source));
        let b = builder
            .node(Node { size: Some(7), ..Node::abstract_module("b".into(), NodeKind::External) });
        builder.edge(a, Edge { target: b, explicit: KindMask::TYPE, implicit: KindMask::RUNTIME });
        let graph = builder.build();
        let csr_graph = CsrGraph::from(&graph);
        let meta = encode_meta(&graph, MetaHashes::Short);
        assert_eq!(CsrGraph::from(&meta), csr_graph);
        assert_eq!(
            CsrGraph::from(&inflate(&meta, |_| portolan_types::LanguageName::OTHER)),
            csr_graph
        );
        assert_eq!(CsrGraph::from(&graph_file(&graph)), csr_graph);
    }

    #[test]
    fn ids_that_only_edges_name_are_part_of_it() {
        let text = br#"{"nodes":{"m":{"kind":"source"}},"edges":{"z":[{"target":"a","kind":"type"}],"m":[]}}"#;
        let csr_graph = CsrGraph::from(&GraphFile::read(text).unwrap().value);
        let ids: Vec<&str> = csr_graph.ids().iter().map(portolan_types::NodeId::as_str).collect();
        assert_eq!(ids, ["a", "m", "z"]);
        assert_eq!(csr_graph.facts_of("z"), None);
        assert_eq!(
            csr_graph.facts_of("m"),
            Some(Facts { kind: NodeKind::Source, size: None, hashed: false })
        );
        let back: Vec<_> = csr_graph.roads_back().from(NodeIndex::new(0)).collect();
        assert_eq!(back, [(NodeIndex::new(2), KindMask::TYPE)]);
        assert_eq!(csr_graph.roads().from(NodeIndex::new(99)).count(), 0);
    }
}
