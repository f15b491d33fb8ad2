//! Converts results to JSON reports.

use portolan_graph::CsrGraph;
use portolan_graph::select::{Importer, Route, Rung, Selection, route};
use portolan_types::{EdgeKind, KindMask, NodeId};
use portolan_wire::select::{
    ImporterNode, ImportersReportV1, LargestNode, SelectBudget, SelectCut, SelectNode,
    SelectReportV1, WhyReportV1, WhyRoute, WhyStep,
};
use portolan_wire::state::{StateEntry, StateV2};
use serde_json::{Value, json};

use super::{SelectReport, is_read, suggest};

fn texts(ids: &[NodeId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

fn kind_names(kinds: KindMask) -> Vec<&'static str> {
    kinds.kinds().map(EdgeKind::name).collect()
}

/// An entry in its shortest form, as in a state.
fn entry_value(entry: &StateEntry) -> Value {
    match (entry.depth, entry.kinds.filter(|kinds| *kinds != KindMask::ALL)) {
        (0, None) => json!(entry.id.as_str()),
        (depth, None) => json!([entry.id.as_str(), depth]),
        (depth, Some(kinds)) => json!([entry.id.as_str(), depth, kinds.bits()]),
    }
}

fn state_value(state: &StateV2) -> Value {
    let list = |entries: &[StateEntry]| entries.iter().map(entry_value).collect::<Vec<_>>();
    let mut value = json!({"v": 2, "i": list(&state.include)});
    if !state.exclude.is_empty() {
        value["x"] = list(&state.exclude).into();
    }
    value
}

/// The report of a selection.
pub fn select_report(csr_graph: &CsrGraph, report: &SelectReport) -> SelectReportV1 {
    let summary = &report.summary;
    SelectReportV1 {
        v: 1,
        selected_node_ids: texts(&summary.selected),
        selected_count: summary.selected.len(),
        total_bytes: summary.total_bytes,
        largest: summary
            .largest
            .iter()
            .map(|node| LargestNode { node_id: node.id.to_string(), bytes: node.bytes })
            .collect(),
        warnings: summary.warnings.clone(),
        estimated_tokens: summary.estimated_tokens(),
        tokens: report.tokens(),
        tokenizer: report.tokenizer.name(),
        nodes: select_nodes(csr_graph, report),
        excluded: texts(&report.selection.excluded),
        state: state_value(&report.state),
        did_you_mean: report
            .suggestions
            .iter()
            .map(|(id, near)| (id.to_string(), texts(near)))
            .collect(),
        budget: report.fit.as_ref().map(|fit| SelectBudget {
            budget: fit.budget,
            before: fit.cost_before,
            after: fit.cost,
            unit: report.unit(),
            steps: fit
                .steps
                .iter()
                .map(|step| select_cut(step.rung, &step.cut, step.cost))
                .collect(),
        }),
    }
}

fn select_nodes(csr_graph: &CsrGraph, report: &SelectReport) -> Vec<SelectNode> {
    let entries = &report.selection.entries;
    let nodes = report.selection.nodes.iter().map(|node| {
        let facts = node.node.and_then(|index| csr_graph.facts(index));
        SelectNode {
            id: node.id.to_string(),
            kind: facts.map(|facts| facts.kind.name()),
            bytes: facts.and_then(|facts| facts.size).unwrap_or(0),
            tokens: report.node_tokens.get(&node.id).copied(),
            entry: entries.get(node.entry).map_or(Value::Null, entry_value),
            hops: node.hops,
        }
    });
    nodes.collect()
}

fn select_cut(rung: Rung, cut: &[NodeId], after: u64) -> SelectCut {
    let (step, depth) = match rung {
        Rung::Hops(hops) => ("hops", Some(u64::from(hops))),
        Rung::Seeds => ("seeds", None),
    };
    SelectCut { step, depth, cut: texts(cut), after }
}

/// The reason why a node is selected, or why it is not.
pub fn why_report(
    csr_graph: &CsrGraph,
    state: &StateV2,
    selection: &Selection,
    id: &NodeId,
) -> WhyReportV1 {
    let unknown = csr_graph.index_of(id.as_str()).is_none();
    WhyReportV1 {
        v: 1,
        id: id.to_string(),
        selected: selection.contains(id),
        included_by: route(csr_graph, &selection.entries, id).map(|route| why_route(&route)),
        excluded_by: route(csr_graph, &state.exclude, id).map(|route| why_route(&route)),
        did_you_mean: if unknown { texts(&suggest(csr_graph, id.as_str())) } else { Vec::new() },
    }
}

fn why_route(route: &Route) -> WhyRoute {
    let steps = route
        .steps
        .iter()
        .map(|step| WhyStep { to: step.to.to_string(), kinds: kind_names(step.kinds) });
    WhyRoute { entry: entry_value(&route.entry), steps: steps.collect() }
}

/// The nodes that depend on a node.
pub fn importers_report(id: &NodeId, importers: &[Importer]) -> ImportersReportV1 {
    let nodes = importers.iter().map(|importer| ImporterNode {
        id: importer.id.to_string(),
        hops: importer.hops,
        kinds: kind_names(importer.kinds),
    });
    // Code of any language may use data; code is used by code of its own language.
    let is_read = is_read(id);
    ImportersReportV1 { v: 1, id: id.to_string(), importers: nodes.collect(), is_read }
}
