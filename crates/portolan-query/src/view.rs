//! Views of the map: the compact meta, the full graph, a picture, statistics.

use portolan_graph::{
    Graph, MetaHashes, Stats, dot, encode_graph, encode_meta, fit_meta, mermaid, neighbourhood,
    stats,
};
use portolan_languages::is_program;
use portolan_types::{EdgeKind, NodeIndex, NodeKind, Notice};
use portolan_wire::reports::{GraphStatsV1, HubV1};
use thiserror::Error;

use portolan_index::map::MapReport;
use portolan_index::token_counts::Tokenizer;

/// A view of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum View {
    /// The compact meta, as the assistant gets it.
    Meta {
        /// Whether nodes have `h`.
        hashes: MetaHashes,
        /// The token budget; `None` for the whole meta.
        budget: Option<u64>,
    },
    /// The whole graph.
    Graph,
    /// A picture of a neighbourhood.
    Picture(Picture),
}

/// A picture of the neighbourhood of some nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The language of the picture.
    pub syntax: PictureSyntax,
    /// The nodes in the middle; all nodes if it is empty.
    pub focus: Vec<String>,
    /// The radius, in hops.
    pub depth: u32,
}

/// The languages of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureSyntax {
    /// For Markdown.
    Mermaid,
    /// For Graphviz.
    Dot,
}

/// The reason why there is no view.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ViewError {
    /// A focus that is not a node.
    #[error("`{id}` is not in the map")]
    UnknownNode {
        /// The requested id.
        id: String,
        /// Similar ids, best first.
        similar: Vec<String>,
    },
    /// A picture of so many nodes would be useless.
    #[error("a picture of {0} nodes is of no use")]
    TooLarge(usize),
}

/// The most nodes of a picture.
const MAX_PICTURE: usize = 500;

/// A view, and what was left out to make it fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Canonical JSON, or a picture.
    pub bytes: Vec<u8>,
    /// Notices about what was left out.
    pub notices: Vec<Notice>,
}

/// Renders a view.
pub fn render(report: &MapReport, raw_ids: bool, view: &View) -> Result<Rendered, ViewError> {
    let graph = if raw_ids { &report.raw } else { &report.graph };
    let whole = |bytes| Rendered { bytes, notices: Vec::new() };
    match view {
        View::Meta { hashes, budget: None } => Ok(whole(encode_meta(graph, *hashes).to_bytes())),
        View::Meta { hashes, budget: Some(budget) } => {
            let fit = fit_meta(encode_meta(graph, *hashes), *budget, &tokens, is_program);
            Ok(Rendered { bytes: fit.meta.to_bytes(), notices: fit.notices() })
        }
        View::Graph => Ok(whole(encode_graph(graph))),
        View::Picture(picture) => picture_of(graph, picture).map(|text| whole(text.into_bytes())),
    }
}

fn picture_of(graph: &Graph, picture: &Picture) -> Result<String, ViewError> {
    let focus: Result<Vec<NodeIndex>, ViewError> =
        picture.focus.iter().map(|id| find(graph, id)).collect();
    let focus = focus?;
    let nodes: Vec<NodeIndex> = match focus.as_slice() {
        [] => NodeIndex::first(graph.nodes().len()).collect(),
        focus => neighbourhood(graph, focus, picture.depth),
    };
    if nodes.len() > MAX_PICTURE {
        return Err(ViewError::TooLarge(nodes.len()));
    }
    Ok(match picture.syntax {
        PictureSyntax::Mermaid => mermaid(graph, &nodes),
        PictureSyntax::Dot => dot(graph, &nodes),
    })
}

fn find(graph: &Graph, id: &str) -> Result<NodeIndex, ViewError> {
    graph.index_of(id).ok_or_else(|| {
        let ids = graph.nodes().iter().map(|node| node.id.as_str());
        ViewError::UnknownNode {
            id: id.to_owned(),
            similar: portolan_workspace::similar::similar(id, ids, 3),
        }
    })
}

/// The statistics of a map.
pub fn numbers(report: &MapReport, raw_ids: bool, hubs: usize) -> Numbers {
    let graph = if raw_ids { &report.raw } else { &report.graph };
    let stats = stats(graph, hubs);
    let name = |index: NodeIndex| graph.node(index).id.to_string();
    let meta = encode_meta(graph, MetaHashes::Short).to_bytes();
    Numbers {
        files: report.universe.len(),
        hubs: stats.hubs.iter().map(|(index, count)| (name(*index), *count)).collect(),
        cycles: stats
            .cycles
            .iter()
            .map(|group| group.iter().map(|index| name(*index)).collect())
            .collect(),
        meta_bytes: meta.len(),
        meta_tokens: tokens(&meta),
        stats,
    }
}

/// The statistics of a map, with names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Files of the universe.
    pub files: usize,
    /// The counts.
    pub stats: Stats,
    /// The nodes with the most dependents, and their number.
    pub hubs: Vec<(String, usize)>,
    /// Groups of files that import each other at run time.
    pub cycles: Vec<Vec<String>>,
    /// The size of the compact meta in bytes.
    pub meta_bytes: usize,
    /// Its counted tokens.
    pub meta_tokens: u64,
}

fn tokens(bytes: &[u8]) -> u64 {
    Tokenizer::O200kBase.count(bytes).unwrap_or_default()
}

impl Numbers {
    /// The statistics as JSON.
    pub fn to_wire(&self) -> GraphStatsV1 {
        let edges =
            |counts: [usize; 3]| EdgeKind::ALL.iter().map(|kind| kind.name()).zip(counts).collect();
        let hubs = self.hubs.iter();
        let hubs = hubs.map(|(id, dependents)| HubV1 { id: id.clone(), dependents: *dependents });
        GraphStatsV1 {
            v: 1,
            files: self.files,
            source_bytes: self.stats.source_bytes,
            nodes: NodeKind::ALL.map(|kind| (kind.name(), self.stats.nodes_of(kind))).into(),
            explicit_edges: edges(self.stats.explicit_edges),
            implicit_edges: edges(self.stats.implicit_edges),
            hubs: hubs.collect(),
            cycles: self.cycles.clone(),
            meta_bytes: self.meta_bytes,
            meta_tokens: self.meta_tokens,
        }
    }
}
