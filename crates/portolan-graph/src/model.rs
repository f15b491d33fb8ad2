//! The graph: sorted nodes, and edges in one flat array.
//!
//! Edges are stored as indexes, grouped by source and sorted by target, so that a closure over
//! millions of edges touches two arrays and no strings.

use std::sync::Arc;

use portolan_types::{
    KindMask, LanguageName, NodeId, NodeIndex, NodeKind, ResolutionMask, Sha256Digest,
};

/// A file or module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its id.
    pub id: NodeId,
    /// Its kind.
    pub kind: NodeKind,
    /// Its language; `other` if it is not a file.
    pub language: LanguageName,
    /// Its length in bytes, if it is a readable file.
    pub size: Option<u64>,
    /// The digest of its bytes, if it is a readable file.
    pub sha256: Option<Sha256Digest>,
    /// A one-line description from its module doc.
    pub description: Option<Arc<str>>,
    /// Whether it is outside the repository's root.
    pub outside_root: bool,
}

impl Node {
    /// A node that is not a file.
    pub fn abstract_module(id: NodeId, kind: NodeKind) -> Self {
        Self {
            id,
            kind,
            language: LanguageName::OTHER,
            size: None,
            sha256: None,
            description: None,
            outside_root: false,
        }
    }
}

/// All connections from one node to another: the kinds written in the file, and the kinds found
/// through re-exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Index of the target in [`Graph::nodes`].
    pub target: NodeIndex,
    /// Kinds of the explicit edges.
    pub explicit: KindMask,
    /// Kinds of the implicit edges.
    pub implicit: KindMask,
}

impl Edge {
    /// The kinds of both.
    pub fn kinds(&self) -> KindMask {
        self.explicit | self.implicit
    }

    /// How it was found.
    pub fn resolution(&self) -> ResolutionMask {
        match (self.explicit.is_empty(), self.implicit.is_empty()) {
            (false, false) => ResolutionMask::BOTH,
            (true, _) => ResolutionMask::IMPLICIT,
            (false, true) => ResolutionMask::EXPLICIT,
        }
    }
}

/// The dependency graph. Nodes are sorted by id, and the edges of a node by target, so graphs with
/// the same content are equal, whatever order they were built in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    nodes: Vec<Node>,
    /// `edges[offsets[i]..offsets[i + 1]]` are the edges of node `i`.
    offsets: Vec<u32>,
    edges: Vec<Edge>,
    /// The nodes that lack some of their implicit edges, in order.
    partial: Vec<NodeIndex>,
}

impl Graph {
    /// Builds a graph from nodes sorted by id, and edges grouped by node and sorted by target.
    /// `degrees` has the number of edges of each node. `None` if the parts do not have this form.
    pub fn from_parts(nodes: Vec<Node>, degrees: &[u32], edges: Vec<Edge>) -> Option<Self> {
        let mut offsets = Vec::with_capacity(nodes.len() + 1);
        offsets.push(0u32);
        for degree in degrees {
            offsets.push(offsets.last()?.checked_add(*degree)?);
        }
        let fits = degrees.len() == nodes.len() && *offsets.last()? as usize == edges.len();
        let is_sorted = fits
            && nodes.is_sorted_by(|left, right| left.id < right.id)
            && edges.iter().all(|edge| edge.target.index() < nodes.len())
            && offsets.windows(2).all(|ends| {
                let edges = &edges[ends[0] as usize..ends[1] as usize];
                edges.is_sorted_by(|left, right| left.target < right.target)
            });
        is_sorted.then_some(Self { nodes, offsets, edges, partial: Vec::new() })
    }

    /// The same graph with these nodes marked as lacking some of their implicit edges.
    #[must_use]
    pub fn with_partial(self, mut partial: Vec<NodeIndex>) -> Self {
        partial.retain(|index| index.index() < self.nodes.len());
        partial.sort_unstable();
        partial.dedup();
        Self { partial, ..self }
    }

    /// The nodes that lack some of their implicit edges, in order.
    pub fn partial(&self) -> &[NodeIndex] {
        &self.partial
    }

    /// Whether a node lacks some of its implicit edges, because an imported name has too many
    /// defining files.
    pub fn is_partial(&self, index: NodeIndex) -> bool {
        self.partial.binary_search(&index).is_ok()
    }

    /// The nodes, sorted by id.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node at an index.
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.index()]
    }

    /// The outgoing edges of the node at an index, sorted by target.
    pub fn edges(&self, index: NodeIndex) -> &[Edge] {
        let at = index.index();
        &self.edges[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    /// The number of connected (source, target) pairs.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The index of an id.
    pub fn index_of(&self, id: &str) -> Option<NodeIndex> {
        let found =
            self.nodes.binary_search_by(|node| portolan_types::cmp_utf16(node.id.as_str(), id));
        found.ok().map(NodeIndex::at)
    }

    /// The graph of some nodes and their direct targets. Targets outside `inside` have no edges.
    #[must_use]
    pub fn limited(&self, inside: &[bool]) -> Self {
        let is_inside = |index: NodeIndex| inside.get(index.index()).copied().unwrap_or(false);
        let mut kept = inside.to_vec();
        kept.resize(self.nodes.len(), false);
        for (index, _) in self.iter().filter(|(index, _)| is_inside(*index)) {
            for edge in self.edges(index) {
                kept[edge.target.index()] = true;
            }
        }
        let mut builder = GraphBuilder::default();
        let mut handles = vec![NodeIndex::default(); self.nodes.len()];
        let nodes = || self.iter().filter(|(index, _)| kept[index.index()]);
        for (index, node) in nodes() {
            handles[index.index()] = builder.node(node.clone());
        }
        for (index, _) in nodes().filter(|(index, _)| is_inside(*index)) {
            let handle = handles[index.index()];
            for edge in self.edges(index) {
                builder.edge(handle, Edge { target: handles[edge.target.index()], ..*edge });
            }
            if self.is_partial(index) {
                builder.mark_partial(handle);
            }
        }
        builder.build()
    }

    /// Indexes and nodes.
    pub fn iter(&self) -> impl Iterator<Item = (NodeIndex, &Node)> {
        NodeIndex::all().zip(&self.nodes)
    }
}

/// Collects nodes and edges in any order. Ids must be unique: only the caller knows which nodes to
/// merge.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    nodes: Vec<Node>,
    edges: Vec<(NodeIndex, Edge)>,
    partial: Vec<NodeIndex>,
}

impl GraphBuilder {
    /// Adds a node and returns a handle for [`GraphBuilder::edge`].
    pub fn node(&mut self, node: Node) -> NodeIndex {
        self.nodes.push(node);
        NodeIndex::at(self.nodes.len() - 1)
    }

    /// Adds an edge between two handles. Edges of the same pair are merged.
    pub fn edge(&mut self, source: NodeIndex, edge: Edge) {
        self.edges.push((source, edge));
    }

    /// Marks a node as lacking some of its implicit edges.
    pub fn mark_partial(&mut self, handle: NodeIndex) {
        self.partial.push(handle);
    }

    /// Sorts everything and builds the graph.
    pub fn build(self) -> Graph {
        let mut order: Vec<NodeIndex> = NodeIndex::first(self.nodes.len()).collect();
        order.sort_unstable_by(|left, right| {
            self.nodes[left.index()].id.cmp(&self.nodes[right.index()].id)
        });
        let mut rank = vec![NodeIndex::default(); self.nodes.len()];
        for (position, handle) in NodeIndex::all().zip(&order) {
            rank[handle.index()] = position;
        }
        let mut slots: Vec<Option<Node>> = self.nodes.into_iter().map(Some).collect();
        let nodes: Vec<Node> =
            order.iter().filter_map(|handle| slots[handle.index()].take()).collect();

        let mut pairs: Vec<(NodeIndex, Edge)> = self.edges;
        for (source, edge) in &mut pairs {
            *source = rank[source.index()];
            edge.target = rank[edge.target.index()];
        }
        pairs.sort_unstable_by_key(|(source, edge)| (*source, edge.target));
        pairs.dedup_by(|later, kept| {
            let same = (later.0, later.1.target) == (kept.0, kept.1.target);
            if same {
                kept.1.explicit |= later.1.explicit;
                kept.1.implicit |= later.1.implicit;
            }
            same
        });

        let mut offsets = vec![0u32; nodes.len() + 1];
        for (source, _) in &pairs {
            offsets[source.index() + 1] += 1;
        }
        for index in 1..offsets.len() {
            offsets[index] += offsets[index - 1];
        }
        let edges = pairs.into_iter().map(|(_, edge)| edge).collect();
        let partial = self.partial.iter().map(|handle| rank[handle.index()]).collect();
        Graph { nodes, offsets, edges, partial: Vec::new() }.with_partial(partial)
    }
}

#[cfg(test)]
mod tests {
    use portolan_types::{KindMask, NodeIndex, NodeKind, ResolutionMask};

    use super::{Edge, GraphBuilder, Node};

    fn edge(target: NodeIndex, explicit: KindMask, implicit: KindMask) -> Edge {
        Edge { target, explicit, implicit }
    }

    #[test]
    fn the_order_of_building_does_not_show() {
        let build = |names: [&str; 3]| {
            let mut builder = GraphBuilder::default();
            let handles = names
                .map(|name| builder.node(Node::abstract_module(name.into(), NodeKind::Missing)));
            let at = |name: &str| handles[names.iter().position(|n| *n == name).unwrap()];
            builder.edge(at("a"), edge(at("c"), KindMask::RUNTIME, KindMask::NONE));
            builder.edge(at("a"), edge(at("b"), KindMask::TYPE, KindMask::NONE));
            builder.edge(at("a"), edge(at("c"), KindMask::NONE, KindMask::TYPE));
            builder.build()
        };
        let graph = build(["a", "b", "c"]);
        assert_eq!(graph, build(["c", "a", "b"]));
        assert_eq!(graph.edges(NodeIndex::new(0)).len(), 2);
        assert_eq!(graph.edges(NodeIndex::new(0))[1].kinds(), KindMask::RUNTIME | KindMask::TYPE);
        assert_eq!(graph.edges(NodeIndex::new(0))[1].resolution(), ResolutionMask::BOTH);
        assert_eq!(graph.index_of("b"), Some(NodeIndex::new(1)));
        assert_eq!(graph.index_of("d"), None);
    }

    #[test]
    fn a_part_of_a_graph_keeps_its_targets_as_leaves() {
        let mut builder = GraphBuilder::default();
        let [a, b, c, d] = ["a", "b", "c", "d"]
            .map(|name| builder.node(Node::abstract_module(name.into(), NodeKind::Missing)));
        for (source, target) in [(a, b), (b, c), (d, a)] {
            builder.edge(source, edge(target, KindMask::RUNTIME, KindMask::NONE));
        }
        let part = builder.build().limited(&[true, false, false, false]);
        let ids: Vec<&str> = part.nodes().iter().map(|node| node.id.as_str()).collect();
        assert_eq!((ids, part.edge_count()), (vec!["a", "b"], 1));
    }
}
