//! The whole dependency graph as JSON: the shape that the selection helper's contract names.
//!
//! `nodes` has a member for every node and `edges` a list for every node, one item for each
//! (target, kind, resolution). Written as canonical JSON; read with tolerance, since such a file may
//! come from anywhere.

use std::sync::Arc;

use portolan_types::{EdgeKind, Language, NodeId, NodeKind, ResolutionMask};

use crate::canonical::write_string;
use crate::meta::write_integer;

/// The graph as it is exchanged. Both lists are sorted by id and unique.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphFile {
    /// `nodes`.
    pub nodes: Vec<GraphNode>,
    /// `edges`, by source. What we write has an item for every node and no other; what we read may not.
    pub edges: Vec<(NodeId, Vec<GraphEdge>)>,
}

/// One node of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// `id`, and the key in `nodes`.
    pub id: NodeId,
    /// `kind`.
    pub kind: NodeKind,
    /// `language`.
    pub language: Language,
    /// `description`: one line on what it is for.
    pub description: Option<Arc<str>>,
    /// `metadata.hash`: the sha256 in hexadecimal digits, or the short form where it was inflated from a meta.
    pub hash: Option<Arc<str>>,
    /// `metadata.isOutsideRoot`, left out where false.
    pub outside_root: bool,
    /// `metadata.size`: its length in bytes.
    pub size: Option<u64>,
}

/// One outgoing edge, of one kind, found in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphEdge {
    /// The node it leads to.
    pub target: NodeId,
    /// `runtime`, `type` or `dynamic`.
    pub kind: EdgeKind,
    /// `explicit` or `implicit`.
    pub resolution: Resolution,
}

/// How one edge was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resolution {
    /// Written in the file.
    Explicit,
    /// Found by following re-exports.
    Implicit,
}

impl Resolution {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Implicit => "implicit",
        }
    }

    /// The mask of just this way.
    pub fn mask(self) -> ResolutionMask {
        match self {
            Self::Explicit => ResolutionMask::EXPLICIT,
            Self::Implicit => ResolutionMask::IMPLICIT,
        }
    }
}

impl GraphFile {
    /// The canonical text, without a newline at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256 * self.nodes.len() + 32);
        out.extend_from_slice(b"{\"edges\":{");
        for (index, (source, edges)) in self.edges.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_string(&mut out, source.as_str());
            out.extend_from_slice(b":[");
            for (index, edge) in edges.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_edge(&mut out, edge);
            }
            out.push(b']');
        }
        out.extend_from_slice(b"},\"nodes\":{");
        for (index, node) in self.nodes.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_string(&mut out, node.id.as_str());
            out.push(b':');
            write_node(&mut out, node);
        }
        out.extend_from_slice(b"}}");
        out
    }
}

fn write_edge(out: &mut Vec<u8>, edge: &GraphEdge) {
    out.extend_from_slice(b"{\"kind\":\"");
    out.extend_from_slice(edge.kind.name().as_bytes());
    out.extend_from_slice(b"\",\"resolution\":\"");
    out.extend_from_slice(edge.resolution.name().as_bytes());
    out.extend_from_slice(b"\",\"target\":");
    write_string(out, edge.target.as_str());
    out.push(b'}');
}

fn write_node(out: &mut Vec<u8>, node: &GraphNode) {
    out.push(b'{');
    if let Some(description) = &node.description {
        out.extend_from_slice(b"\"description\":");
        write_string(out, description);
        out.push(b',');
    }
    out.extend_from_slice(b"\"id\":");
    write_string(out, node.id.as_str());
    out.extend_from_slice(b",\"kind\":\"");
    out.extend_from_slice(node.kind.name().as_bytes());
    out.extend_from_slice(b"\",\"language\":\"");
    out.extend_from_slice(node.language.name().as_bytes());
    out.push(b'"');
    if node.hash.is_some() || node.outside_root || node.size.is_some() {
        out.extend_from_slice(b",\"metadata\":{");
        write_metadata(out, node);
        out.push(b'}');
    }
    out.push(b'}');
}

fn write_metadata(out: &mut Vec<u8>, node: &GraphNode) {
    let mut separator: &[u8] = b"";
    if let Some(hash) = &node.hash {
        out.extend_from_slice(b"\"hash\":");
        write_string(out, hash);
        separator = b",";
    }
    if node.outside_root {
        out.extend_from_slice(separator);
        out.extend_from_slice(b"\"isOutsideRoot\":true");
        separator = b",";
    }
    if let Some(size) = node.size {
        out.extend_from_slice(separator);
        out.extend_from_slice(b"\"size\":");
        write_integer(out, size);
    }
}

#[cfg(test)]
mod tests {
    use portolan_types::{EdgeKind, Language, NodeKind};

    use super::{GraphEdge, GraphFile, GraphNode, Resolution};

    fn node(id: &str, kind: NodeKind) -> GraphNode {
        GraphNode {
            id: id.into(),
            kind,
            language: Language::Other,
            description: None,
            hash: None,
            outside_root: false,
            size: None,
        }
    }

    #[test]
    fn the_text_is_canonical_json() {
        let full = GraphNode {
            description: Some("first".into()),
            hash: Some("00".into()),
            outside_root: true,
            size: Some(3),
            language: Language::Ts,
            ..node("a.ts", NodeKind::External)
        };
        let outside = GraphNode { outside_root: true, ..node("b", NodeKind::Source) };
        let sized = GraphNode { size: Some(0), ..node("c", NodeKind::Source) };
        let edge = GraphEdge {
            target: "c".into(),
            kind: EdgeKind::Type,
            resolution: Resolution::Implicit,
        };
        let graph = GraphFile {
            nodes: vec![full, outside, sized],
            edges: vec![("a.ts".into(), vec![edge.clone(), edge]), ("b".into(), Vec::new())],
        };
        let text = String::from_utf8(graph.to_bytes()).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(crate::canonical::to_string(&value), text);
        assert_eq!(
            value["nodes"]["a.ts"],
            serde_json::json!({
                "description": "first", "id": "a.ts", "kind": "external", "language": "ts",
                "metadata": {"hash": "00", "isOutsideRoot": true, "size": 3}
            })
        );
        assert_eq!(
            value["edges"]["a.ts"][0],
            serde_json::json!({"kind": "type", "resolution": "implicit", "target": "c"})
        );
    }
}
