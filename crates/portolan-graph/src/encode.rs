//! Encodes the graph: as the compact meta and as the full graph.

use portolan_types::{EdgeKind, LanguageName, NodeIndex};
use portolan_wire::graph::{GraphEdge, GraphFile, GraphNode, Resolution};
use portolan_wire::meta::{MetaEdge, MetaNode, MetaV2};
use rayon::prelude::*;

use crate::model::{Edge, Graph, Node};

/// Whether the meta has the short hashes (`h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetaHashes {
    /// With hashes. This is the default; staging verifies files against them.
    Short,
    /// Without hashes: a smaller meta that changes less often.
    None,
}

/// The compact meta of a graph.
pub fn encode_meta(graph: &Graph, hashes: MetaHashes) -> MetaV2 {
    let nodes = graph.nodes().par_iter().enumerate().map(|(index, node)| MetaNode {
        id: node.id.clone(),
        kind: node.kind,
        size: node.size,
        hash: match hashes {
            MetaHashes::Short => node.sha256.map(|digest| digest.to_short().into()),
            MetaHashes::None => None,
        },
        description: description_of(node),
        edges: graph
            .edges(NodeIndex::at(index))
            .iter()
            .map(|edge| meta_edge(graph, *edge))
            .collect(),
    });
    MetaV2 { nodes: nodes.collect() }
}

fn meta_edge(graph: &Graph, edge: Edge) -> MetaEdge {
    MetaEdge {
        target: graph.node(edge.target).id.clone(),
        kinds: edge.kinds(),
        resolution: edge.resolution(),
    }
}

/// The description in output form: trimmed, or `None` if it is blank.
fn description_of(node: &Node) -> Option<std::sync::Arc<str>> {
    let description = node.description.as_ref()?;
    let trimmed = description.trim();
    match trimmed.len() {
        0 => None,
        length if length == description.len() => Some(description.clone()),
        _ => Some(trimmed.into()),
    }
}

/// The canonical text of the full graph, without a trailing newline.
pub fn encode_graph(graph: &Graph) -> Vec<u8> {
    graph_file(graph).to_bytes()
}

/// The full graph in its exchange format.
pub fn graph_file(graph: &Graph) -> GraphFile {
    let nodes = graph.iter().map(|(index, node)| GraphNode {
        id: node.id.clone(),
        kind: node.kind,
        language: node.language,
        description: node.description.clone(),
        hash: node.sha256.map(|digest| digest.to_hex().into()),
        outside_root: node.outside_root,
        is_partial: graph.is_partial(index),
        size: node.size,
    });
    let edges = graph.iter().map(|(index, node)| {
        let single = graph.edges(index).iter().flat_map(|edge| split_edge(graph, *edge));
        (node.id.clone(), single.collect())
    });
    GraphFile { nodes: nodes.collect(), edges: edges.collect() }
}

/// The kinds in alphabetical order, which is the order of an edge list.
const KINDS_BY_NAME: [EdgeKind; 3] = [EdgeKind::Dynamic, EdgeKind::Runtime, EdgeKind::Type];

fn split_edge(graph: &Graph, edge: Edge) -> Vec<GraphEdge> {
    let target = &graph.node(edge.target).id;
    let mut single = Vec::new();
    for kind in KINDS_BY_NAME {
        for (resolution, kinds) in
            [(Resolution::Explicit, edge.explicit), (Resolution::Implicit, edge.implicit)]
        {
            if kinds.meets(kind.mask()) {
                single.push(GraphEdge { target: target.clone(), kind, resolution });
            }
        }
    }
    single
}

/// Restores the graph of a meta. The meta merges the edges of a pair, so each kind is restored for
/// each resolution of the pair. Hashes stay short. `language` returns the language of a file by its
/// id.
pub fn inflate(meta: &MetaV2, language: impl Fn(&str) -> LanguageName) -> GraphFile {
    let nodes = meta.nodes.iter().map(|node| GraphNode {
        id: node.id.clone(),
        kind: node.kind,
        language: if node.kind.is_file() {
            language(node.id.as_str())
        } else {
            LanguageName::OTHER
        },
        description: node.description.clone(),
        hash: node.hash.clone(),
        outside_root: false,
        is_partial: false,
        size: node.size,
    });
    let edges = meta.nodes.iter().map(|node| {
        let single = node.edges.iter().flat_map(inflate_edge);
        (node.id.clone(), single.collect())
    });
    GraphFile { nodes: nodes.collect(), edges: edges.collect() }
}

fn inflate_edge(edge: &MetaEdge) -> Vec<GraphEdge> {
    let mut single = Vec::new();
    for kind in KINDS_BY_NAME.into_iter().filter(|kind| edge.kinds.meets(kind.mask())) {
        for resolution in [Resolution::Explicit, Resolution::Implicit] {
            if edge.resolution.meets(resolution.mask()) {
                single.push(GraphEdge { target: edge.target.clone(), kind, resolution });
            }
        }
    }
    single
}

#[cfg(test)]
mod tests {
    use portolan_types::{KindMask, LanguageName, NodeKind};

    use super::{MetaHashes, encode_graph, encode_meta, graph_file, inflate};
    use crate::model::{Edge, Graph, GraphBuilder, Node};

    fn sample() -> Graph {
        let mut builder = GraphBuilder::default();
        let index = builder.node(Node {
            size: Some(0),
            sha256: Some(
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".parse().unwrap(),
            ),
            description: Some(" The door. ".into()),
            language: LanguageName::new("ts"),
            ..Node::abstract_module("src/index.ts".into(), NodeKind::Source)
        });
        let lazy = builder.node(Node::abstract_module("src/lazy.ts".into(), NodeKind::Source));
        let blank = builder.node(Node {
            description: Some("  ".into()),
            ..Node::abstract_module("src/a.ts".into(), NodeKind::Source)
        });
        let edge = |target, explicit, implicit| Edge { target, explicit, implicit };
        builder.edge(index, edge(blank, KindMask::RUNTIME | KindMask::TYPE, KindMask::RUNTIME));
        builder.edge(index, edge(lazy, KindMask::DYNAMIC, KindMask::NONE));
        builder.build()
    }

    #[test]
    fn the_edges_of_a_pair_are_merged_in_the_meta() {
        let text = String::from_utf8(encode_meta(&sample(), MetaHashes::Short).to_bytes()).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"n":{"src/a.ts":{"k":0},"src/index.ts":{"d":"The door.","#,
                r#""e":[["src/a.ts",3,3],["src/lazy.ts",4]],"h":"47DEQpj8HBSa-_TImW-5JA","k":0,"s":0},"#,
                r#""src/lazy.ts":{"k":0}},"v":2}"#
            )
        );
    }

    #[test]
    fn hashes_can_be_left_out_of_the_meta() {
        let meta = encode_meta(&sample(), MetaHashes::None);
        assert!(meta.nodes.iter().all(|node| node.hash.is_none()));
    }

    #[test]
    fn the_graph_lists_each_kind_and_way_by_itself() {
        let value: serde_json::Value = serde_json::from_slice(&encode_graph(&sample())).unwrap();
        let edges: Vec<String> = value["edges"]["src/index.ts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edge| {
                format!("{} {} {}", edge["target"], edge["kind"], edge["resolution"])
                    .replace('"', "")
            })
            .collect();
        assert_eq!(
            edges,
            [
                "src/a.ts runtime explicit",
                "src/a.ts runtime implicit",
                "src/a.ts type explicit",
                "src/lazy.ts dynamic explicit"
            ]
        );
        assert_eq!(value["edges"]["src/a.ts"], serde_json::json!([]));
    }

    #[test]
    fn inflating_gives_every_kind_in_every_way_of_its_pair() {
        let graph = sample();
        let inflated =
            inflate(&encode_meta(&graph, MetaHashes::Short), |_| LanguageName::new("ts"));
        let words = |edges: &[portolan_wire::graph::GraphEdge]| -> Vec<String> {
            edges
                .iter()
                .map(|edge| format!("{} {}", edge.kind.name(), edge.resolution.name()))
                .collect()
        };
        assert_eq!(
            words(&inflated.edges[1].1),
            [
                "runtime explicit",
                "runtime implicit",
                "type explicit",
                "type implicit",
                "dynamic explicit"
            ]
        );
        assert_eq!(inflated.nodes[1].hash.as_deref(), Some("47DEQpj8HBSa-_TImW-5JA"));
        assert_eq!(inflated.nodes[1].language.as_str(), "ts");
        assert_eq!(inflated.nodes.len(), graph_file(&graph).nodes.len());
    }
}
