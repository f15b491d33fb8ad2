//! The report of `portolan select`, version 1. The first five members are the selection's contract; the others
//! are our additions.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// The selection of a state, or of some entries.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The ids, sorted.
    pub selected_node_ids: Vec<String>,
    /// The number of ids.
    pub selected_count: usize,
    /// Their total size in bytes.
    pub total_bytes: u64,
    /// The largest nodes: by bytes descending, then by id.
    pub largest: Vec<LargestNode>,
    /// Warnings, sorted.
    pub warnings: Vec<String>,
    /// The total bytes divided by four.
    pub estimated_tokens: f64,
    /// The exact count, if files were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The tokenizer: `o200k_base` or `none`.
    pub tokenizer: &'static str,
    /// Each node with its size and the reason it is selected, sorted by id.
    pub nodes: Vec<SelectNode>,
    /// The ids that the includes reach and the excludes remove, sorted.
    pub excluded: Vec<String>,
    /// The state for this selection, as it would be written.
    pub state: Value,
    /// Suggestions for ids that are not in the map.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub did_you_mean: BTreeMap<String, Vec<String>>,
    /// What was cut to meet a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<SelectBudget>,
}

/// A node and its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LargestNode {
    /// Its id.
    pub node_id: String,
    /// Its bytes.
    pub bytes: u64,
}

/// A node of the selection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectNode {
    /// Its id.
    pub id: String,
    /// Its kind; absent if it is not in the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Its size; 0 if unknown.
    pub bytes: u64,
    /// Its tokens, if it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The entry that selects it.
    pub entry: Value,
    /// The number of edges between that entry's node and this one.
    pub hops: u32,
}

/// How a selection was cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectBudget {
    /// The budget in tokens.
    pub budget: u64,
    /// The size before.
    pub before: u64,
    /// The size after.
    pub after: u64,
    /// How nodes were measured: `o200k_base`, or `estimate` for a quarter of the bytes.
    pub unit: &'static str,
    /// The steps that cut something, in order.
    pub steps: Vec<SelectCut>,
}

/// A step of the cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectCut {
    /// `hops` for files that are only near an entry, `seeds` for files that entries name.
    pub step: &'static str,
    /// For `hops`: the distance from an entry, in edges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    /// The ids that are no longer selected, sorted.
    pub cut: Vec<String>,
    /// The size after this step.
    pub after: u64,
}

/// The result of `--why`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhyReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The node in question.
    pub id: String,
    /// Whether it is selected.
    pub selected: bool,
    /// The shortest path from an include.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub included_by: Option<WhyRoute>,
    /// The shortest path from an exclude.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_by: Option<WhyRoute>,
    /// Suggestions, if the map does not have the id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub did_you_mean: Vec<String>,
}

/// A path through the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhyRoute {
    /// The entry it starts from.
    pub entry: Value,
    /// The edges, in order.
    pub steps: Vec<WhyStep>,
}

/// An edge of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhyStep {
    /// Its target.
    pub to: String,
    /// Its kinds.
    pub kinds: Vec<&'static str>,
}

/// The result of `--importers`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportersReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The node in question.
    pub id: String,
    /// Its dependents: nearest first, then by id.
    pub importers: Vec<ImporterNode>,
    /// Whether imports of its language are analyzed; if not, its dependents are unknown.
    pub is_read: bool,
}

/// A node that depends on another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImporterNode {
    /// Its id.
    pub id: String,
    /// The number of edges in between.
    pub hops: u32,
    /// The kinds of its own edge to the node; empty if it depends on it only through others.
    pub kinds: Vec<&'static str>,
}
