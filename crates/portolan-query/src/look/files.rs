//! Files: what they import, and who imports them. The graph knows both.

use std::collections::{BTreeMap, BTreeSet};

use portolan_graph::{Edge, Graph};
use portolan_languages::{Languages, is_program};
use portolan_types::{EdgeKind, FileId, KindMask, NodeIndex, NodeKind};

use super::{Look, LookRequest, Neighbour, Side};
use crate::target::{TargetError, TargetLookup};
use portolan_index::symbols::SymbolDb;

pub(super) fn look_at(
    symbols: &SymbolDb<'_>,
    path: &str,
    request: &LookRequest,
) -> Result<Look, TargetError> {
    let graph = &symbols.map().graph;
    let files: Vec<FileId> = match symbols.number(path) {
        Some(file) => vec![file],
        None => TargetLookup(symbols).below(path),
    };
    let nodes = files.iter().filter_map(|file| graph.index_of(&symbols.path(*file)));
    let nodes: BTreeSet<NodeIndex> = nodes.collect();
    if nodes.is_empty() {
        return Err(TargetLookup(symbols).no_file(path));
    }
    let is_folder = symbols.number(path).is_none();
    let needs = |node: NodeIndex| {
        let edges = graph.edges(node).iter();
        edges.map(|edge| (edge.target, *edge)).collect::<Vec<_>>()
    };
    let mut importers: BTreeMap<NodeIndex, Vec<(NodeIndex, Edge)>> = BTreeMap::new();
    for (user, _) in graph.iter() {
        for edge in graph.edges(user) {
            importers.entry(edge.target).or_default().push((user, *edge));
        }
    }
    let users = |node: NodeIndex| importers.get(&node).cloned().unwrap_or_default();
    let wants_users = !matches!(request.side, Side::Needs | Side::Overrides);
    let users = wants_users.then(|| around(graph, &nodes, request.depth, users));
    let is_unused = users.as_ref().is_some_and(Vec::is_empty);
    let own = files.into_iter().filter(|_| is_unused).collect();
    Ok(Look {
        target: if is_folder { format!("{path}/") } else { path.to_owned() },
        computed: symbols.computed_for(&own),
        needs: matches!(request.side, Side::Needs | Side::Both)
            .then(|| around(graph, &nodes, request.depth, needs)),
        users,
        searched: symbols.map().universe.len(),
        is_file: true,
        is_code: is_folder || Languages::default().is_code(path),
        // Data is used by code of any language; code is used by code of its own.
        is_read: is_folder || !is_program(path) || Languages::default().is_code(path),
        ..Look::default()
    })
}

/// What is around some nodes, nearest first; each node once.
fn around(
    graph: &Graph,
    nodes: &BTreeSet<NodeIndex>,
    depth: u8,
    next: impl Fn(NodeIndex) -> Vec<(NodeIndex, Edge)>,
) -> Vec<Neighbour> {
    let mut known = nodes.clone();
    let (mut open, mut found) = (nodes.iter().copied().collect::<Vec<_>>(), Vec::new());
    for hop in 1..=depth.max(1) {
        let steps: Vec<(NodeIndex, Edge)> = open.iter().flat_map(|node| next(*node)).collect();
        open = Vec::new();
        let mut seen = Vec::new();
        for (node, edge) in steps {
            if known.insert(node) {
                open.push(node);
                seen.push(neighbour(graph, node, edge, hop));
            }
        }
        seen.sort();
        found.extend(seen);
    }
    found
}

fn neighbour(graph: &Graph, node: NodeIndex, edge: Edge, hop: u8) -> Neighbour {
    let mut marks = Vec::new();
    let kinds = edge.kinds();
    if !kinds.contains(EdgeKind::Runtime.mask()) {
        if kinds.contains(EdgeKind::Dynamic.mask()) {
            marks.push("dynamic");
        }
        if kinds.contains(EdgeKind::Type.mask()) {
            marks.push("type");
        }
    }
    if edge.explicit == KindMask::NONE {
        marks.push("barrel");
    }
    match graph.node(node).kind {
        NodeKind::Builtin => marks.push("builtin"),
        NodeKind::Missing => marks.push("missing"),
        NodeKind::External => marks.push("external"),
        NodeKind::Source => {}
    }
    Neighbour {
        hop,
        file: graph.node(node).id.to_string(),
        line: None,
        name: None,
        marks,
        around: None,
        through: None,
        why: None,
        is_test: false,
    }
}
