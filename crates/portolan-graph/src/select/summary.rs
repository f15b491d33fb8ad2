//! Summarizes a selection: its ids, its bytes, its largest nodes, and warnings with fixed texts.

use std::fmt;

use portolan_types::{NodeId, cmp_utf16};

use super::{SelectSettings, Selection};
use crate::csr_graph::CsrGraph;

/// What to do about a file with a known hash and an unknown size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeCheck {
    /// Add a warning.
    Warn,
    /// Refuse the summary.
    Refuse,
    /// Nothing.
    Ignore,
}

/// A node and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargeNode {
    /// Its id.
    pub id: NodeId,
    /// Its bytes; 0 if unknown.
    pub bytes: u64,
}

/// The summary of a selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The ids, sorted.
    pub selected: Vec<NodeId>,
    /// The sum of their bytes.
    pub total_bytes: u64,
    /// The largest nodes, by bytes (descending), then id.
    pub largest: Vec<LargeNode>,
    /// The warnings, sorted and without duplicates.
    pub warnings: Vec<String>,
}

impl Summary {
    /// Estimates tokens as the rules for assistants do: a quarter of the bytes.
    #[expect(
        clippy::cast_precision_loss,
        reason = "an estimate, and the sum of sizes is far below 2^53"
    )]
    pub fn estimated_tokens(&self) -> f64 {
        self.total_bytes as f64 / 4.0
    }
}

/// Files with a hash but no size, if [`SizeCheck::Refuse`] is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingSizes {
    /// Their ids, sorted.
    pub ids: Vec<NodeId>,
}

impl fmt::Display for MissingSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 10;
        let shown: Vec<&str> = self.ids.iter().take(SHOWN).map(NodeId::as_str).collect();
        let more = if self.ids.len() > SHOWN { " ..." } else { "" };
        write!(
            f,
            "metadata.size missing for hashed nodes ({}): {}{more}",
            self.ids.len(),
            shown.join(", ")
        )
    }
}

impl std::error::Error for MissingSizes {}

/// Summarizes a selection. `warnings` are those from reading the state; the summary adds its own.
pub fn summarize(
    csr_graph: &CsrGraph,
    selection: &Selection,
    warnings: Vec<String>,
    settings: &SelectSettings,
) -> Result<Summary, MissingSizes> {
    let mut warnings = warnings;
    let mut unsized_ids = Vec::new();
    for (id, kind) in &selection.dropped {
        warnings.push(format!("Dropped {} node from selection: {id}", kind.name()));
    }
    let mut sized: Vec<LargeNode> = Vec::with_capacity(selection.nodes.len());
    for node in &selection.nodes {
        let id = node.id.clone();
        let facts = node.node.and_then(|index| csr_graph.facts(index));
        match facts {
            None => warnings.push(not_present(&id)),
            Some(facts) if facts.kind.is_file() && facts.size.is_none() => {
                if facts.hashed && settings.sizes == SizeCheck::Refuse {
                    unsized_ids.push(id.clone());
                }
                warnings.extend(missing_size(&id, facts.hashed, settings.sizes));
            }
            Some(_) => {}
        }
        sized.push(LargeNode { id, bytes: facts.and_then(|facts| facts.size).unwrap_or(0) });
    }
    if !unsized_ids.is_empty() {
        return Err(MissingSizes { ids: unsized_ids });
    }
    warnings.sort_unstable_by(|left, right| cmp_utf16(left, right));
    warnings.dedup();
    Ok(Summary {
        selected: selection.nodes.iter().map(|node| node.id.clone()).collect(),
        total_bytes: sized.iter().fold(0, |sum: u64, node| sum.saturating_add(node.bytes)),
        largest: largest(sized, settings.top),
        warnings,
    })
}

fn not_present(id: &NodeId) -> String {
    format!("Selected nodeId not present in graph.nodes: {id}")
}

fn no_size(id: &NodeId) -> String {
    format!("metadata.size missing for file node: {id}")
}

/// The warnings about an unknown id.
pub fn unknowns(id: &NodeId) -> [String; 2] {
    [not_present(id), no_size(id)]
}

/// The warning about a file without a size, if its hash is known.
fn missing_size(id: &NodeId, hashed: bool, check: SizeCheck) -> Option<String> {
    match (hashed, check) {
        (false, _) => Some(no_size(id)),
        (true, SizeCheck::Warn) => Some(format!("metadata.size missing for hashed node: {id}")),
        (true, SizeCheck::Refuse | SizeCheck::Ignore) => None,
    }
}

/// The first `top` nodes by bytes (descending), then id. `nodes` must be sorted by id.
fn largest(mut nodes: Vec<LargeNode>, top: usize) -> Vec<LargeNode> {
    nodes.sort_by_key(|node| std::cmp::Reverse(node.bytes));
    nodes.truncate(top);
    nodes
}
