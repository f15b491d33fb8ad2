//! `dependency.meta.json`, version 2: the map for the assistant.
//!
//! The file is canonical JSON, so the members of a node are in the order `d e h k s`. The writer decides
//! whether a newline ends the file.

use std::io::Write as _;
use std::sync::Arc;

use portolan_types::{KindMask, NodeId, NodeKind, ResolutionMask};
use rayon::prelude::*;

use crate::canonical::write_string;
use crate::problem::{PartialRead, Problem, ProblemDraft, deviations, finish, member};
use portolan_json::{Json, JsonDocument, JsonMember, LocatedJson};

/// The compact meta. Nodes are sorted by id and unique; the edges of a node are sorted by target and
/// unique.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetaV2 {
    /// `n`: the nodes.
    pub nodes: Vec<MetaNode>,
}

/// A node of the meta.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaNode {
    /// The key in `n`.
    pub id: NodeId,
    /// `k`: its kind.
    pub kind: NodeKind,
    /// `s`: its size in bytes.
    pub size: Option<u64>,
    /// `h`: the first 16 bytes of its sha256, in base64url without padding.
    pub hash: Option<Arc<str>>,
    /// `d`: a one-line summary.
    pub description: Option<Arc<str>>,
    /// `e`: its dependencies; left out if empty.
    pub edges: Vec<MetaEdge>,
}

/// An outgoing edge: `[target, kinds]`, or `[target, kinds, resolution]` if it is not just explicit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaEdge {
    /// The target node.
    pub target: NodeId,
    /// Its kinds.
    pub kinds: KindMask,
    /// How it was found.
    pub resolution: ResolutionMask,
}

impl MetaV2 {
    /// The canonical text, without a newline at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        let pieces: Vec<Vec<u8>> = self.nodes.par_chunks(PIECE).map(write_nodes).collect();
        let mut out =
            Vec::with_capacity(pieces.iter().map(|piece| piece.len() + 1).sum::<usize>() + 16);
        out.extend_from_slice(b"{\"n\":{");
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(piece);
        }
        out.extend_from_slice(b"},\"v\":2}");
        out
    }
}

/// How many nodes a thread writes at a time.
const PIECE: usize = 512;

fn write_nodes(nodes: &[MetaNode]) -> Vec<u8> {
    let mut out = Vec::with_capacity(256 * nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_string(&mut out, node.id.as_str());
        out.push(b':');
        write_node(&mut out, node);
    }
    out
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

/// Appends an integer that a double represents exactly (a file size, a code).
pub(crate) fn write_integer(out: &mut Vec<u8>, number: u64) {
    // Writing to memory does not fail.
    let _ = write!(out, "{number}");
}

impl MetaV2 {
    /// Reads a meta that others may have written. Skips and reports broken parts; fails only if there is no
    /// meta at all.
    pub fn read(bytes: &[u8]) -> Result<PartialRead<Self>, Problem> {
        let document = portolan_json::parse(bytes)?;
        Self::from_document(bytes, &document)
    }

    pub(crate) fn from_document(
        bytes: &[u8],
        document: &JsonDocument<'_>,
    ) -> Result<PartialRead<Self>, Problem> {
        let fail = |draft| finish(bytes, vec![draft]).remove(0);
        let version = document.root.get("v");
        if version.and_then(LocatedJson::as_count) != Some(2) {
            let (at, found) =
                version.map_or((document.root.at, "nothing".to_owned()), |v| (v.at, v.describe()));
            return Err(fail(ProblemDraft::new(
                at,
                "v",
                format!("found {found}; a meta of version `2` is expected"),
            )));
        }
        let members = match document.root.get("n").map(|n| (n.at, &n.json)) {
            Some((_, Json::Object(members))) => members,
            Some((at, _)) => {
                return Err(fail(ProblemDraft::new(at, "n", "not an object of nodes")));
            }
            None => {
                return Err(fail(ProblemDraft::new(
                    document.root.at,
                    "n",
                    "missing; the nodes are expected there",
                )));
            }
        };
        let mut drafts = deviations(document);
        let mut nodes: Vec<MetaNode> =
            members.iter().filter_map(|found| read_node(found, &mut drafts)).collect();
        nodes.sort_by(|left, right| left.id.cmp(&right.id));
        nodes.dedup_by(|later, kept| {
            let same = later.id == kept.id;
            if same {
                let path = member("n", later.id.as_str());
                drafts.push(ProblemDraft::new(
                    document.root.at,
                    path,
                    "given twice; the last one counts",
                ));
                std::mem::swap(later, kept);
            }
            same
        });
        Ok(PartialRead { value: Self { nodes }, problems: finish(bytes, drafts) })
    }
}

fn read_node(found: &JsonMember<'_>, drafts: &mut Vec<ProblemDraft>) -> Option<MetaNode> {
    let path = || member("n", &found.name);
    let value = &found.value;
    let code = value.get("k");
    let Some(kind) = code.and_then(LocatedJson::as_count).and_then(NodeKind::from_code) else {
        let found = code.map_or_else(|| "nothing".to_owned(), LocatedJson::describe);
        let message =
            format!("found {found}; allowed: 0 (source), 1 (external), 2 (builtin), 3 (missing)");
        drafts.push(ProblemDraft::new(value.at, path() + ".k", message));
        return None;
    };
    Some(MetaNode {
        id: found.name.as_ref().into(),
        kind,
        size: read_count(value, "s", &path, drafts),
        hash: read_text(value, "h", &path, drafts),
        description: read_text(value, "d", &path, drafts),
        edges: read_edges(value, &path, drafts),
    })
}

/// An optional integer.
pub(crate) fn read_count(
    parent: &LocatedJson<'_>,
    name: &str,
    path: &dyn Fn() -> String,
    drafts: &mut Vec<ProblemDraft>,
) -> Option<u64> {
    let value = parent.get(name)?;
    let count = value.as_count();
    if count.is_none() {
        let message = format!("found {}; allowed: a whole number from 0", value.describe());
        drafts.push(ProblemDraft::new(value.at, format!("{}.{name}", path()), message));
    }
    count
}

/// An optional text.
pub(crate) fn read_text(
    parent: &LocatedJson<'_>,
    name: &str,
    path: &dyn Fn() -> String,
    drafts: &mut Vec<ProblemDraft>,
) -> Option<Arc<str>> {
    let value = parent.get(name)?;
    let text = value.as_str();
    if text.is_none() {
        let message = format!("found {}; allowed: a string", value.describe());
        drafts.push(ProblemDraft::new(value.at, format!("{}.{name}", path()), message));
    }
    text.map(Arc::from)
}

fn read_edges(
    node: &LocatedJson<'_>,
    path: &dyn Fn() -> String,
    drafts: &mut Vec<ProblemDraft>,
) -> Vec<MetaEdge> {
    let Some(list) = node.get("e") else { return Vec::new() };
    let Some(items) = list.as_array() else {
        let message = format!("found {}; allowed: a list of edges", list.describe());
        drafts.push(ProblemDraft::new(list.at, path() + ".e", message));
        return Vec::new();
    };
    let mut edges: Vec<MetaEdge> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match read_edge(item) {
            Ok(edge) => edges.push(edge),
            Err(message) => {
                drafts.push(ProblemDraft::new(item.at, format!("{}.e[{index}]", path()), message));
            }
        }
    }
    edges.sort_by(|left, right| left.target.cmp(&right.target));
    edges.dedup_by(|later, kept| {
        let same = later.target == kept.target;
        if same {
            kept.kinds |= later.kinds;
            kept.resolution = kept.resolution | later.resolution;
        }
        same
    });
    edges
}

fn read_edge(item: &LocatedJson<'_>) -> Result<MetaEdge, String> {
    const ALLOWED: &str = "allowed: [target, kinds 0..7] or [target, kinds, resolution 1..3]";
    let fault = || format!("found {}; {ALLOWED}", item.describe());
    let (target, kinds, resolution) = match item.as_array() {
        Some([target, kinds]) => (target, kinds, None),
        Some([target, kinds, resolution]) => (target, kinds, Some(resolution)),
        _ => return Err(fault()),
    };
    let bits = kinds.as_count().filter(|bits| *bits <= u64::from(KindMask::ALL.bits()));
    let resolution = match resolution {
        None => Some(ResolutionMask::EXPLICIT),
        Some(mask) => mask.as_count().and_then(ResolutionMask::from_bits),
    };
    match (target.as_str(), bits, resolution) {
        (Some(target), Some(bits), Some(resolution)) => Ok(MetaEdge {
            target: target.into(),
            kinds: KindMask::from_bits_truncate(bits),
            resolution,
        }),
        _ => Err(fault()),
    }
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

    fn sample() -> MetaV2 {
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

    #[test]
    fn a_meta_is_read_back_as_written() {
        let read = MetaV2::read(&sample().to_bytes()).unwrap();
        assert_eq!(read.value, sample());
        assert_eq!(read.problems, []);
    }

    #[test]
    fn broken_parts_are_skipped_and_reported() {
        let text = r#"{"v":2,"n":{
            "b":{"k":9},
            "a":{"k":0,"s":-1,"h":5,"e":[["x",1],["x",2,2],["y"],["z",8],null]},
            "c":7}}"#;
        let read = MetaV2::read(text.as_bytes()).unwrap();
        let [a] = &read.value.nodes[..] else { panic!("{:?}", read.value) };
        assert_eq!((a.id.as_str(), a.size, a.hash.is_none()), ("a", None, true));
        assert_eq!(a.edges, [edge("x", KindMask::RUNTIME | KindMask::TYPE, ResolutionMask::BOTH)]);
        let problems: Vec<String> =
            read.problems.iter().map(|p| format!("{} {:?}", p.path, p.position)).collect();
        assert_eq!(
            problems,
            [
                r#"n["b"].k Some((2, 17))"#,
                r#"n["a"].s Some((3, 28))"#,
                r#"n["a"].h Some((3, 35))"#,
                r#"n["a"].e[2] Some((3, 60))"#,
                r#"n["a"].e[3] Some((3, 66))"#,
                r#"n["a"].e[4] Some((3, 74))"#,
                r#"n["c"].k Some((4, 17))"#,
            ]
        );
    }

    #[test]
    fn a_text_without_a_meta_is_rejected() {
        let fault = |text: &str| MetaV2::read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            fault("{\"v\":3}"),
            "`v`: found `3`; a meta of version `2` is expected (line 1, column 6)"
        );
        assert_eq!(
            fault("[]"),
            "`v`: found nothing; a meta of version `2` is expected (line 1, column 1)"
        );
        assert_eq!(fault("{\"v\":2,\"n\":[]}"), "`n`: not an object of nodes (line 1, column 12)");
        assert_eq!(
            fault("{"),
            "not JSON: expected a name in double quotes, but the text ends (line 1, column 2)"
        );
    }
}
