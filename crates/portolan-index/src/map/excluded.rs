//! The files that `excludes` hides. If another file imports one of them, the map has its id and nothing else: no
//! description, digest or size. Its re-exports are followed.

use std::path::Path;

use portolan_graph::Graph;
use portolan_types::{NodeId, NodeKind};
use portolan_vfs::System;
use portolan_workspace::Patterns;

use super::staged_ids::{path_of, raw_id};

/// The hidden files.
#[derive(Clone, Debug, Default)]
pub struct Excluded {
    patterns: Patterns,
    /// The real paths of excluded links, such as installed packages.
    behind_links: Vec<String>,
    /// The nodes of the graph that are hidden, sorted.
    ids: Vec<NodeId>,
}

impl Excluded {
    pub(super) fn new(system: &dyn System, root: &str, patterns: &Patterns) -> Self {
        let behind = |literal: &str| {
            let path = format!("{root}/{literal}");
            let real = system.real_path(Path::new(&path)).ok()?;
            let real = real.to_str().filter(|real| *real != path)?;
            // A link to the root hides nothing.
            (!root.starts_with(real)).then(|| real.to_owned())
        };
        let behind_links = patterns.literals().filter_map(behind).collect();
        Self { patterns: patterns.clone(), behind_links, ids: Vec::new() }
    }

    /// Whether the file at an absolute path is hidden.
    pub(crate) fn hides(&self, root: &str, path: &str) -> bool {
        let id = raw_id(root, path);
        let is_behind = |place: &String| {
            path.strip_prefix(place.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        (id.len() < path.len() && self.patterns.is_match(id))
            || self.behind_links.iter().any(is_behind)
    }

    /// The same, with the hidden nodes of a graph.
    pub(super) fn in_graph(mut self, root: &str, raw: &Graph, ids: &[NodeId]) -> Self {
        let is_file = |kind| matches!(kind, NodeKind::Source | NodeKind::External);
        let hidden = raw.nodes().iter().zip(ids).filter(|(node, _)| {
            is_file(node.kind) && node.size.is_none() && self.hides(root, &path_of(root, node))
        });
        self.ids = hidden.map(|(_, id)| id.clone()).collect();
        self.ids.sort_unstable();
        self
    }

    /// Whether an id is hidden, in the map or not.
    pub fn has(&self, id: &NodeId) -> bool {
        self.ids.binary_search(id).is_ok() || self.patterns.is_match(id.as_str())
    }
}
