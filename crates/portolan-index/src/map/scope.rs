//! A map of a part of the repository.
//!
//! The whole repository is mapped first, because imports do not depend on the scope. Then everything is dropped that is
//! neither in the scope nor used by something in it.

use std::collections::BTreeSet;

use portolan_graph::Graph;
use portolan_types::NodeKind;
use portolan_workspace::Patterns;

use super::MapReport;

impl MapReport {
    /// Keeps the scope, and what it uses as leaves. An empty scope is the whole repository.
    pub(super) fn limit(&mut self, scope: &Patterns) {
        if scope.is_empty() {
            return;
        }
        let is_in = |path: &str| scope.is_match(path);
        let known: BTreeSet<String> =
            self.universe.iter().map(|file| file.path.to_string()).collect();
        self.universe.retain(|file| is_in(file.path.as_str()));
        for graph in [&mut self.graph, &mut self.raw] {
            *graph = limited(graph, &is_in);
        }
        let graph = &self.graph;
        self.locators.retain(|locator| graph.index_of(locator.id.as_str()).is_some());
        // Notices about files outside the scope are dropped; notices without a file stay.
        let is_here = |path: &str| is_in(path) || !known.contains(path);
        self.notices
            .retain(|notice| notice.place.as_ref().is_none_or(|place| is_here(&place.path)));
    }
}

fn limited(graph: &Graph, is_in: &dyn Fn(&str) -> bool) -> Graph {
    let inside: Vec<bool> = graph
        .nodes()
        .iter()
        .map(|node| node.kind == NodeKind::Source && is_in(node.id.as_str()))
        .collect();
    graph.limited(&inside)
}
