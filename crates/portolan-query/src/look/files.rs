//! Files: what they import, and who imports them. The graph knows both.

use std::collections::{BTreeMap, BTreeSet};

use portolan_graph::{Edge, Graph, Node};
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
    let seen = sides(graph, &nodes, request);
    let is_unused = seen.users.as_ref().is_some_and(Vec::is_empty);
    let own = files.into_iter().filter(|_| is_unused).collect();
    Ok(Look {
        target: if is_folder { format!("{path}/") } else { path.to_owned() },
        computed: symbols.computed_for(&own),
        searched: symbols.map().universe.len(),
        is_code: is_folder || Languages::default().is_code(path),
        // Data is used by code of any language; code is used by code of its own.
        is_read: is_folder || !is_program(path) || Languages::default().is_code(path),
        ..seen
    })
}

/// Looks at a package, or a part of one, as imports name it. `None` where nothing imports it.
pub(super) fn look_at_module(
    symbols: &SymbolDb<'_>,
    name: &str,
    request: &LookRequest,
) -> Option<Look> {
    let graph = &symbols.map().graph;
    let is_it = |node: &Node| {
        let id = package_of(node.id.as_str()).unwrap_or(node.id.as_str());
        // The id of a module of a platform starts with the platform: `platform:module`.
        let platform = id.split_once(':').filter(|_| node.kind == NodeKind::Builtin);
        let rest = id.strip_prefix(name).or_else(|| platform?.1.strip_prefix(name));
        !name.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let modules = graph.iter().filter(|(_, node)| node.kind != NodeKind::Source);
    let nodes: BTreeSet<NodeIndex> =
        modules.filter(|(_, node)| is_it(node)).map(|(index, _)| index).collect();
    if nodes.is_empty() {
        return None;
    }
    let side = if request.side == Side::Both { Side::Users } else { request.side };
    let request = LookRequest { side, ..request.clone() };
    let seen = sides(graph, &nodes, &request);
    Some(Look { target: name.to_owned(), searched: symbols.map().universe.len(), ..seen })
}

/// The package and the path in it of an external file: below the folder of its ecosystem.
fn package_of(id: &str) -> Option<&str> {
    let (_, inside) = id.split_once("/context/")?;
    inside.split_once('/').map(|(_, package)| package)
}

/// The package that an external file is of, as its importers name it: without its version and what is in it.
pub(super) fn package_name(id: &str) -> Option<&str> {
    let package = package_of(id)?;
    let is_version =
        |name: &str| name.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    let mut end = 0;
    for name in package.split('/') {
        if end > 0 && is_version(name) {
            return package.get(..end - 1);
        }
        end += name.len() + 1;
    }
    None
}

/// What some nodes need, and who uses them.
fn sides(graph: &Graph, nodes: &BTreeSet<NodeIndex>, request: &LookRequest) -> Look {
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
    Look {
        needs: matches!(request.side, Side::Needs | Side::Both)
            .then(|| around(graph, nodes, request.depth, needs)),
        users: wants_users.then(|| around(graph, nodes, request.depth, users)),
        is_file: true,
        is_code: true,
        is_read: true,
        ..Look::default()
    }
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

#[cfg(test)]
mod tests {
    use super::package_name;

    #[test]
    fn a_file_of_a_package_is_known_by_the_package() {
        let of = |id| package_name(id);
        assert_eq!(of(".stan/context/cargo/anyhow/1.0.104/src/lib.rs"), Some("anyhow"));
        assert_eq!(of(".stan/context/npm/@a/b/2.0.0/index.d.ts"), Some("@a/b"));
        assert_eq!(of(".stan/context/go/github.com/x/y/v1.2.3/z.go"), Some("github.com/x/y"));
        assert_eq!(of("src/context/a/b.ts"), None);
        assert_eq!(of("vendor/a.c"), None);
    }
}
