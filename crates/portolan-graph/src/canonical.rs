//! Canonical ids: nodes that refer to the same file become one node.

use std::collections::BTreeMap;
use std::fmt;

use portolan_types::{NodeId, NodeIndex};

use crate::{Graph, GraphBuilder, Node};

/// Two nodes with the same canonical id have different content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollisionError {
    /// The id that both would have.
    pub id: NodeId,
    /// The raw ids, in order.
    pub raw: [NodeId; 2],
}

impl fmt::Display for CollisionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.raw;
        write!(
            f,
            "`{first}` and `{second}` are the same file of one package (`{}`), but their bytes differ",
            self.id
        )
    }
}

impl std::error::Error for CollisionError {}

/// Gives each node the id at the same index of `ids`, and merges nodes with equal ids.
///
/// The bytes of merged nodes must be equal. Metadata comes from a node that has both size and
/// digest. The description is the longest one; in a tie, that of the smallest raw id.
pub fn canonicalize(raw: &Graph, ids: &[NodeId]) -> Result<Graph, CollisionError> {
    if raw.nodes().iter().zip(ids).all(|(node, id)| node.id == *id) {
        return Ok(raw.clone());
    }
    // Raw nodes are sorted by id, so the first one of a group has the smallest id.
    let mut merged: BTreeMap<&NodeId, (NodeIndex, &NodeId)> = BTreeMap::new();
    let mut nodes: Vec<Node> = Vec::with_capacity(ids.len());
    let mut handles: Vec<NodeIndex> = Vec::with_capacity(ids.len());
    for (node, id) in raw.nodes().iter().zip(ids) {
        match merged.get(id) {
            None => {
                let handle = NodeIndex::at(nodes.len());
                merged.insert(id, (handle, &node.id));
                nodes.push(Node { id: id.clone(), ..node.clone() });
                handles.push(handle);
            }
            Some((handle, first)) => {
                merge(&mut nodes[handle.index()], node).map_err(|()| CollisionError {
                    id: id.clone(),
                    raw: [(*first).clone(), node.id.clone()],
                })?;
                handles.push(*handle);
            }
        }
    }
    let mut builder = GraphBuilder::default();
    for node in nodes {
        builder.node(node);
    }
    for (index, _) in raw.iter() {
        for edge in raw.edges(index) {
            let target = handles[edge.target.index()];
            builder.edge(handles[index.index()], crate::Edge { target, ..*edge });
        }
    }
    for index in raw.partial() {
        builder.mark_partial(handles[index.index()]);
    }
    Ok(builder.build())
}

fn merge(kept: &mut Node, other: &Node) -> Result<(), ()> {
    let differ =
        |left: Option<_>, right: Option<_>| left.is_some() && right.is_some() && left != right;
    if differ(kept.size, other.size)
        || (kept.sha256.is_some() && other.sha256.is_some() && kept.sha256 != other.sha256)
    {
        return Err(());
    }
    if kept.size.is_none() || kept.sha256.is_none() {
        (kept.size, kept.sha256) = (other.size.or(kept.size), other.sha256.or(kept.sha256));
    }
    let length =
        |node: &Node| node.description.as_ref().map_or(0, |text| text.encode_utf16().count());
    if length(other) > length(kept) {
        kept.description.clone_from(&other.description);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use portolan_types::{KindMask, LanguageName, NodeKind, Sha256Digest};

    use super::canonicalize;
    use crate::{Edge, Graph, GraphBuilder, Node};

    fn external(id: &str, digest: u8, description: Option<&str>) -> Node {
        Node {
            id: id.into(),
            kind: NodeKind::External,
            language: LanguageName::new("ts"),
            size: Some(u64::from(digest)),
            sha256: Some(Sha256Digest::from_bytes([digest; 32])),
            description: description.map(Into::into),
            outside_root: false,
        }
    }

    fn two(left: Node, right: Node) -> Graph {
        let mut builder = GraphBuilder::default();
        let source = builder.node(Node::abstract_module("use.ts".into(), NodeKind::Missing));
        for node in [left, right] {
            let target = builder.node(node);
            builder
                .edge(source, Edge { target, explicit: KindMask::TYPE, implicit: KindMask::NONE });
        }
        builder.build()
    }

    fn merge(raw: &Graph) -> Result<Graph, super::CollisionError> {
        let name = |node: &Node| match node.kind {
            NodeKind::External => "npm/p/1/i.d.ts".into(),
            _ => node.id.clone(),
        };
        let ids: Vec<_> = raw.nodes().iter().map(name).collect();
        canonicalize(raw, &ids)
    }

    #[test]
    fn the_same_file_under_two_paths_is_one_node() {
        let graph =
            merge(&two(external("b", 1, Some("xx")), external("a", 1, Some("yy")))).unwrap();
        assert_eq!(graph.nodes().len(), 2);
        assert_eq!(graph.nodes()[0].description.as_deref(), Some("yy"));
        assert_eq!(graph.edge_count(), 1);
    }

    #[test]
    fn the_longest_description_wins() {
        let graph = merge(&two(external("a", 1, Some("x")), external("b", 1, Some("yy")))).unwrap();
        assert_eq!(graph.nodes()[0].description.as_deref(), Some("yy"));
    }

    #[test]
    fn different_bytes_are_an_error_that_names_both() {
        let error = merge(&two(external("a", 1, None), external("b", 2, None))).unwrap_err();
        assert_eq!(error.raw.map(|id| id.to_string()), ["a", "b"]);
    }
}
