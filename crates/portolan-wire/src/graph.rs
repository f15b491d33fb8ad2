//! The whole dependency graph as JSON, in the format of the selection helper's contract.
//!
//! `nodes` has a member for every node and `edges` a list for every node, one item for each
//! (target, kind, resolution). It is written as canonical JSON and read leniently, since such a file may
//! come from anywhere.

use std::sync::Arc;

use portolan_types::{EdgeKind, LanguageName, NodeId, NodeKind, ResolutionMask};

use crate::canonical::write_string;
use crate::meta::{MetaV2, read_count, read_text, write_integer};
use crate::problem::{PartialRead, Problem, ProblemDraft, deviations, finish, member};
use portolan_json::{JsonDocument, JsonMember, LocatedJson};

/// The graph as exchanged. Both lists are sorted by id and unique.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphFile {
    /// `nodes`.
    pub nodes: Vec<GraphNode>,
    /// `edges`, by source. Our own output has an item for every node and no other; input may differ.
    pub edges: Vec<(NodeId, Vec<GraphEdge>)>,
}

/// A node of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// `id`, and the key in `nodes`.
    pub id: NodeId,
    /// `kind`.
    pub kind: NodeKind,
    /// `language`.
    pub language: LanguageName,
    /// `description`: a one-line summary.
    pub description: Option<Arc<str>>,
    /// `metadata.hash`: the sha256 in hexadecimal, or the short form if it comes from a meta.
    pub hash: Option<Arc<str>>,
    /// `metadata.isOutsideRoot`, left out if false.
    pub outside_root: bool,
    /// `metadata.isPartial`, left out if false: it has only some of its implicit edges, because a name that it
    /// imports has too many definers.
    pub is_partial: bool,
    /// `metadata.size`: its size in bytes.
    pub size: Option<u64>,
}

/// An outgoing edge of one kind and one resolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphEdge {
    /// The target node.
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
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Implicit => "implicit",
        }
    }

    /// The resolution with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Explicit, Self::Implicit].into_iter().find(|way| way.name() == name)
    }

    /// The mask of just this resolution.
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
    out.extend_from_slice(node.language.as_str().as_bytes());
    out.push(b'"');
    if node.hash.is_some() || node.outside_root || node.is_partial || node.size.is_some() {
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
    if node.is_partial {
        out.extend_from_slice(separator);
        out.extend_from_slice(b"\"isPartial\":true");
        separator = b",";
    }
    if let Some(size) = node.size {
        out.extend_from_slice(separator);
        out.extend_from_slice(b"\"size\":");
        write_integer(out, size);
    }
}

/// A graph in either format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyGraph {
    /// The compact meta.
    Meta(MetaV2),
    /// The full graph.
    Full(GraphFile),
}

impl AnyGraph {
    /// Reads a meta or a graph.
    pub fn read(bytes: &[u8]) -> Result<PartialRead<Self>, Problem> {
        let mut document = portolan_json::parse(bytes)?;
        // The output of `portolan graph --format json` has it one level down.
        if let Some(result) = document.root.get("result") {
            document.root = result.clone();
        }
        if document.root.get("n").is_some() || document.root.get("v").is_some() {
            let read = MetaV2::from_document(bytes, &document)?;
            return Ok(PartialRead { value: Self::Meta(read.value), problems: read.problems });
        }
        let read = GraphFile::from_document(bytes, &document)?;
        Ok(PartialRead { value: Self::Full(read.value), problems: read.problems })
    }
}

impl GraphFile {
    /// Reads a graph that others may have written. Skips and reports broken parts; fails only if there is no
    /// graph at all.
    pub fn read(bytes: &[u8]) -> Result<PartialRead<Self>, Problem> {
        let document = portolan_json::parse(bytes)?;
        Self::from_document(bytes, &document)
    }

    fn from_document(
        bytes: &[u8],
        document: &JsonDocument<'_>,
    ) -> Result<PartialRead<Self>, Problem> {
        // The library's own result has the graph one level down.
        let root = document.root.get("graph").unwrap_or(&document.root);
        let Some(members) = root.get("nodes").and_then(LocatedJson::as_object) else {
            let message =
                "an object with `nodes` and `edges`, or a meta with `v` and `n`, is expected";
            return Err(finish(bytes, vec![ProblemDraft::new(root.at, "nodes", message)]).remove(0));
        };
        let mut drafts = deviations(document);
        let mut nodes: Vec<GraphNode> =
            members.iter().filter_map(|found| read_node(found, &mut drafts)).collect();
        sort_keeping_last(&mut nodes, |node| &node.id);
        let mut edges: Vec<_> = match root.get("edges").map(|edges| (edges, edges.as_object())) {
            Some((_, Some(lists))) => {
                lists.iter().map(|list| read_edges(list, &mut drafts)).collect()
            }
            Some((edges, None)) => {
                let message =
                    format!("found {}; allowed: an object of edge lists", edges.describe());
                drafts.push(ProblemDraft::new(edges.at, "edges", message));
                Vec::new()
            }
            None => Vec::new(),
        };
        sort_keeping_last(&mut edges, |(source, _)| source);
        Ok(PartialRead { value: Self { nodes, edges }, problems: finish(bytes, drafts) })
    }
}

/// Sorts by id. Of several with the same id the last one stays, as in any JSON object.
fn sort_keeping_last<T>(items: &mut Vec<T>, id: impl Fn(&T) -> &NodeId) {
    items.sort_by(|left, right| id(left).cmp(id(right)));
    items.dedup_by(|later, kept| {
        let same = id(later) == id(kept);
        if same {
            std::mem::swap(later, kept);
        }
        same
    });
}

fn read_node(found: &JsonMember<'_>, drafts: &mut Vec<ProblemDraft>) -> Option<GraphNode> {
    let path = || member("nodes", &found.name);
    let value = &found.value;
    let word = value.get("kind");
    let Some(kind) = word.and_then(LocatedJson::as_str).and_then(NodeKind::from_name) else {
        let found = word.map_or_else(|| "nothing".to_owned(), LocatedJson::describe);
        let message = format!("found {found}; allowed: `source`, `external`, `builtin`, `missing`");
        drafts.push(ProblemDraft::new(value.at, path() + ".kind", message));
        return None;
    };
    let metadata_path = || path() + ".metadata";
    let metadata = value.get("metadata");
    let id: NodeId = found.name.as_ref().into();
    let is_set = |key: &str| {
        let flag = metadata.and_then(|metadata| metadata.get(key));
        flag.is_some_and(|flag| flag.json == portolan_json::Json::Bool(true))
    };
    Some(GraphNode {
        kind,
        language: value
            .get("language")
            .and_then(LocatedJson::as_str)
            .map_or(LanguageName::OTHER, LanguageName::new),
        description: read_text(value, "description", &path, drafts),
        hash: metadata.and_then(|metadata| read_text(metadata, "hash", &metadata_path, drafts)),
        outside_root: is_set("isOutsideRoot"),
        is_partial: is_set("isPartial"),
        size: metadata.and_then(|metadata| read_count(metadata, "size", &metadata_path, drafts)),
        id,
    })
}

fn read_edges(list: &JsonMember<'_>, drafts: &mut Vec<ProblemDraft>) -> (NodeId, Vec<GraphEdge>) {
    let path = || member("edges", &list.name);
    let mut edges = Vec::new();
    match list.value.as_array() {
        None => {
            let message = format!("found {}; allowed: a list of edges", list.value.describe());
            drafts.push(ProblemDraft::new(list.value.at, path(), message));
        }
        Some(items) => {
            for (index, item) in items.iter().enumerate() {
                match read_edge(item) {
                    Ok(edge) => edges.push(edge),
                    Err(message) => {
                        drafts.push(ProblemDraft::new(
                            item.at,
                            format!("{}[{index}]", path()),
                            message,
                        ));
                    }
                }
            }
        }
    }
    (list.name.as_ref().into(), edges)
}

/// Reads an edge. A selection ignores the resolution, so it may be missing.
fn read_edge(item: &LocatedJson<'_>) -> Result<GraphEdge, String> {
    let word = |name: &str| item.get(name).and_then(LocatedJson::as_str);
    let found =
        |name: &str| item.get(name).map_or_else(|| "nothing".to_owned(), LocatedJson::describe);
    let target = word("target")
        .ok_or_else(|| format!("found {} as `target`; allowed: an id", found("target")))?;
    let kind = word("kind").and_then(EdgeKind::from_name).ok_or_else(|| {
        format!("found {} as `kind`; allowed: `runtime`, `type`, `dynamic`", found("kind"))
    })?;
    let resolution = match item.get("resolution") {
        None => Resolution::Explicit,
        Some(_) => word("resolution").and_then(Resolution::from_name).ok_or_else(|| {
            format!(
                "found {} as `resolution`; allowed: `explicit`, `implicit`",
                found("resolution")
            )
        })?,
    };
    Ok(GraphEdge { target: target.into(), kind, resolution })
}

#[cfg(test)]
mod tests {
    use portolan_types::{EdgeKind, LanguageName, NodeKind};

    use super::{AnyGraph, GraphEdge, GraphFile, GraphNode, Resolution};

    fn node(id: &str, kind: NodeKind) -> GraphNode {
        GraphNode {
            id: id.into(),
            kind,
            language: LanguageName::OTHER,
            description: None,
            hash: None,
            outside_root: false,
            is_partial: false,
            size: None,
        }
    }

    #[test]
    fn the_text_is_canonical_json() {
        let full = GraphNode {
            description: Some("first".into()),
            hash: Some("00".into()),
            outside_root: true,
            is_partial: true,
            size: Some(3),
            language: LanguageName::new("ts"),
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
        let read = GraphFile::read(text.as_bytes()).unwrap();
        assert_eq!((read.value, read.problems), (graph, Vec::new()));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(crate::canonical::to_string(&value), text);
        assert_eq!(
            value["nodes"]["a.ts"],
            serde_json::json!({
                "description": "first", "id": "a.ts", "kind": "external", "language": "ts",
                "metadata": {"hash": "00", "isOutsideRoot": true, "isPartial": true, "size": 3}
            })
        );
        assert_eq!(
            value["edges"]["a.ts"][0],
            serde_json::json!({"kind": "type", "resolution": "implicit", "target": "c"})
        );
    }

    #[test]
    fn either_format_is_recognized() {
        let meta = AnyGraph::read(br#"{"n":{},"v":2}"#).unwrap().value;
        assert!(matches!(meta, AnyGraph::Meta(_)));
        let wrapped = AnyGraph::read(br#"{"notices":[],"result":{"n":{},"v":2}}"#).unwrap().value;
        assert_eq!(wrapped, meta);
        for text in [
            r#"{"nodes":{},"edges":{}}"#,
            r#"{"nodes":{}}"#,
            r#"{"graph":{"nodes":{}},"stats":{}}"#,
        ] {
            assert!(
                matches!(AnyGraph::read(text.as_bytes()).unwrap().value, AnyGraph::Full(_)),
                "{text}"
            );
        }
        let fault = AnyGraph::read(b"[]").unwrap_err().to_string();
        assert!(fault.contains("a meta with `v` and `n`"), "{fault}");
    }

    #[test]
    fn broken_parts_are_skipped_and_reported() {
        let text = r#"{"nodes":{"b":{"kind":"source"},"a":{"kind":"odd"},"c":{"kind":"source","metadata":{"size":1.5}}},
            "edges":{"b":[{"target":"x","kind":"type"},{"target":"x","kind":"strange"},{"kind":"type"},3],"c":{}}}"#;
        let read = GraphFile::read(text.as_bytes()).unwrap();
        let ids: Vec<&str> = read.value.nodes.iter().map(|node| node.id.as_str()).collect();
        assert_eq!(ids, ["b", "c"]);
        assert_eq!(read.value.edges[0].1.len(), 1);
        let paths: Vec<&str> = read.problems.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                r#"nodes["a"].kind"#,
                r#"nodes["c"].metadata.size"#,
                r#"edges["b"][1]"#,
                r#"edges["b"][2]"#,
                r#"edges["b"][3]"#,
                r#"edges["c"]"#
            ]
        );
    }
}
