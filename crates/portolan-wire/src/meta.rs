//! `dependency.meta.json`, version 2: the Map as the assistant sees it.
//!
//! The file is canonical JSON, so the members of a node stand in the order `d e h k s`. Whether a
//! newline ends the file is decided by whoever writes it.

use std::io::Write as _;
use std::sync::Arc;

use portolan_types::{KindMask, NodeId, NodeKind, ResolutionMask};

use crate::canonical::write_string;

/// The compact meta. Nodes are sorted by id and unique; the edges of a node are sorted by target and
/// unique.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetaV2 {
    /// `n`: the nodes.
    pub nodes: Vec<MetaNode>,
}

/// One node of the meta.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaNode {
    /// The key in `n`.
    pub id: NodeId,
    /// `k`: what it is.
    pub kind: NodeKind,
    /// `s`: its length in bytes.
    pub size: Option<u64>,
    /// `h`: the first 16 bytes of its sha256, in base64url without padding.
    pub hash: Option<Arc<str>>,
    /// `d`: one line on what it is for.
    pub description: Option<Arc<str>>,
    /// `e`: what it depends on; left out where empty.
    pub edges: Vec<MetaEdge>,
}

/// One outgoing edge: `[target, kinds]`, or `[target, kinds, resolution]` where it is not just explicit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaEdge {
    /// The node it leads to.
    pub target: NodeId,
    /// Its kinds.
    pub kinds: KindMask,
    /// How it was found.
    pub resolution: ResolutionMask,
}

impl MetaV2 {
    /// The canonical text, without a newline at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 * self.nodes.len() + 16);
        out.extend_from_slice(b"{\"n\":{");
        for (index, node) in self.nodes.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_string(&mut out, node.id.as_str());
            out.push(b':');
            write_node(&mut out, node);
        }
        out.extend_from_slice(b"},\"v\":2}");
        out
    }
}

fn write_node(out: &mut Vec<u8>, node: &MetaNode) {
    out.push(b'{');
    if let Some(description) = &node.description {
        out.extend_from_slice(b"\"d\":");
        write_string(out, description);
        out.push(b',');
    }
    if !node.edges.is_empty() {
        out.extend_from_slice(b"\"e\":[");
        for (index, edge) in node.edges.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_edge(out, edge);
        }
        out.extend_from_slice(b"],");
    }
    if let Some(hash) = &node.hash {
        out.extend_from_slice(b"\"h\":");
        write_string(out, hash);
        out.push(b',');
    }
    out.extend_from_slice(b"\"k\":");
    write_integer(out, u64::from(node.kind.code()));
    if let Some(size) = node.size {
        out.extend_from_slice(b",\"s\":");
        write_integer(out, size);
    }
    out.push(b'}');
}

fn write_edge(out: &mut Vec<u8>, edge: &MetaEdge) {
    out.push(b'[');
    write_string(out, edge.target.as_str());
    out.push(b',');
    write_integer(out, u64::from(edge.kinds.bits()));
    if edge.resolution != ResolutionMask::EXPLICIT {
        out.push(b',');
        write_integer(out, u64::from(edge.resolution.bits()));
    }
    out.push(b']');
}

/// Appends an integer that a double holds exactly (a file's size, a code).
pub(crate) fn write_integer(out: &mut Vec<u8>, number: u64) {
    // Writing to memory does not fail.
    let _ = write!(out, "{number}");
}

#[cfg(test)]
mod tests {
    use portolan_types::{KindMask, NodeKind, ResolutionMask};

    use super::{MetaEdge, MetaNode, MetaV2};

    fn node(id: &str, kind: NodeKind) -> MetaNode {
        MetaNode {
            id: id.into(),
            kind,
            size: None,
            hash: None,
            description: None,
            edges: Vec::new(),
        }
    }

    fn edge(target: &str, kinds: KindMask, resolution: ResolutionMask) -> MetaEdge {
        MetaEdge { target: target.into(), kinds, resolution }
    }

    pub(crate) fn sample() -> MetaV2 {
        let index = MetaNode {
            size: Some(120),
            hash: Some("47DEQpj8HBSa-_TImW-5JA".into()),
            description: Some("The \"door\".".into()),
            edges: vec![
                edge("node:fs", KindMask::RUNTIME, ResolutionMask::EXPLICIT),
                edge("src/a.ts", KindMask::RUNTIME | KindMask::TYPE, ResolutionMask::BOTH),
            ],
            ..node("src/index.ts", NodeKind::Source)
        };
        MetaV2 {
            nodes: vec![
                node("node:fs", NodeKind::Builtin),
                node("src/a.ts", NodeKind::Source),
                index,
            ],
        }
    }

    #[test]
    fn the_text_is_canonical_json() {
        let text = String::from_utf8(sample().to_bytes()).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"n":{"node:fs":{"k":2},"src/a.ts":{"k":0},"#,
                r#""src/index.ts":{"d":"The \"door\".","e":[["node:fs",1],["src/a.ts",3,3]],"#,
                r#""h":"47DEQpj8HBSa-_TImW-5JA","k":0,"s":120}},"v":2}"#
            )
        );
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(crate::canonical::to_string(&value), text);
    }
}
