//! The report of `portolan select`, version 1. The first five members are the selection's contract;
//! the rest is ours.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// What a state, or some entries, select.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The ids, sorted.
    pub selected_node_ids: Vec<String>,
    /// How many they are.
    pub selected_count: usize,
    /// The sum of their bytes.
    pub total_bytes: u64,
    /// The largest: bytes descending, then id.
    pub largest: Vec<LargestNode>,
    /// Warnings, sorted.
    pub warnings: Vec<String>,
    /// A quarter of the bytes.
    pub estimated_tokens: f64,
    /// The real count, where files were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// What counted: `o200k_base` or `none`.
    pub tokenizer: &'static str,
    /// Each node with its price and the reason it is in, sorted by id.
    pub nodes: Vec<SelectNode>,
    /// What the includes reach and the excludes take away, sorted.
    pub excluded: Vec<String>,
    /// The state that selects all this, as it would be written.
    pub state: Value,
    /// For ids that are not in the map: what may have been meant.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub did_you_mean: BTreeMap<String, Vec<String>>,
    /// What was cut to keep a budget.
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
    /// What it is; absent where the map does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Its bytes; 0 where they are not known.
    pub bytes: u64,
    /// Its tokens, where it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The entry that brought it in.
    pub entry: Value,
    /// How many edges lie between that entry's node and this one.
    pub hops: u32,
}

/// How a selection was cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectBudget {
    /// The budget in tokens.
    pub budget: u64,
    /// The cost before.
    pub before: u64,
    /// The cost after.
    pub after: u64,
    /// How nodes were priced: `o200k_base`, or `estimate` for a quarter of the bytes.
    pub unit: &'static str,
    /// The rungs that cut something, in their order.
    pub steps: Vec<SelectCut>,
}

/// What one rung cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectCut {
    /// `hops` for files that are only near an entry, `seeds` for those that entries name.
    pub step: &'static str,
    /// How many edges away from an entry they are, for `hops`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    /// What is no longer selected, sorted.
    pub cut: Vec<String>,
    /// The cost after it.
    pub after: u64,
}

/// The answer to `--why`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhyReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The node that was asked about.
    pub id: String,
    /// Whether it is selected.
    pub selected: bool,
    /// The shortest way from an include.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub included_by: Option<WhyRoute>,
    /// The shortest way from an exclude.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_by: Option<WhyRoute>,
    /// What may have been meant, where the map does not have the id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub did_you_mean: Vec<String>,
}

/// A way through the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhyRoute {
    /// The entry it starts from.
    pub entry: Value,
    /// The edges, in order.
    pub steps: Vec<WhyStep>,
}

/// One edge of a way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhyStep {
    /// Where it leads.
    pub to: String,
    /// Its kinds.
    pub kinds: Vec<&'static str>,
}

/// The answer to `--importers`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportersReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The node that was asked about.
    pub id: String,
    /// Who depends on it: nearest first, then by id.
    pub importers: Vec<ImporterNode>,
    /// Whether imports of files of its language are read: if not, nobody knows who depends on it.
    pub is_read: bool,
}

/// A node that depends on another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImporterNode {
    /// Its id.
    pub id: String,
    /// How many edges lie between.
    pub hops: u32,
    /// The kinds of its own edge to the node; empty where it depends on it only through others.
    pub kinds: Vec<&'static str>,
}
