//! Implements `portolan select`: the nodes of a state, their cost, and their fit to a budget.
//!
//! The caller provides the graph, so it may come from a repository, a file or a pipe. Files are
//! read only to count tokens, through [`NodeFiles`].

mod groups;
mod importance;
mod question;
mod report;
mod repository;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use portolan_graph::select::{
    Fit, Selection, Summary, Worth, fit, select as expand, summarize, unknowns,
};
use portolan_languages::{Languages, is_program};
use portolan_types::{NodeId, Sha256Digest, cmp_utf16};
use portolan_wire::state::StateV2;

pub use portolan_graph::CsrGraph;
pub use portolan_graph::select::{MissingSizes, SelectSettings, SizeCheck, importers};

pub use groups::{groups_of, meant_id, spell_out};
pub use importance::bearings;

pub use question::{SelectAnswer, SelectEntries, SelectError, SelectSource, select_question};
pub use report::{importers_report, select_report, why_report};
pub use repository::{MapFiles, state_path, undeclared};
pub use text::{TextStyle, warning_text};

use portolan_index::token_counts::{TokenSource, TokenStore, Tokenizer, count_all};
use portolan_workspace::path_input::PathInput;
use portolan_workspace::similar::similar;

/// The number of unknown ids with suggestions: a state with thousands of them has another problem.
const SUGGESTIONS: usize = 5;

/// Access to the bytes of nodes.
pub trait NodeFiles: Sync {
    /// The digest of a node's bytes, if it is known without reading them.
    fn digest(&self, id: &NodeId) -> Option<Sha256Digest>;

    /// A node's bytes; `None` if they are not available.
    fn read(&self, id: &NodeId) -> Option<Vec<u8>>;

    /// Whether the `excludes` of the configuration hide an id.
    fn is_hidden(&self, id: &NodeId) -> bool {
        let _ = id;
        false
    }

    /// Whether a file exists for an id that is not in the map.
    fn exists(&self, id: &NodeId) -> bool;
}

/// No files: for a graph without its repository.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl NodeFiles for NoFiles {
    fn digest(&self, _id: &NodeId) -> Option<Sha256Digest> {
        None
    }

    fn read(&self, _id: &NodeId) -> Option<Vec<u8>> {
        None
    }

    fn exists(&self, _id: &NodeId) -> bool {
        false
    }
}

/// A request for a selection.
#[derive(Clone, Debug)]
pub struct SelectRequest {
    /// The context in which its ids were written.
    pub path_input: PathInput,
    /// The entries.
    pub state: StateV2,
    /// The warnings from reading them.
    pub warnings: Vec<String>,
    /// The options of the selection.
    pub settings: SelectSettings,
    /// The token budget, if there is one.
    pub budget: Option<u64>,
    /// The relevance of files for the task, if the state has one: see [`bearings`].
    pub bearings: BTreeMap<NodeId, u32>,
    /// The tokenizer.
    pub tokenizer: Tokenizer,
}

/// The selection and its cost.
#[derive(Clone, Debug)]
pub struct SelectReport {
    /// The state that selects it: the requested one, or the one cut to the budget.
    pub state: StateV2,
    /// The selection; each node has its reason.
    pub selection: Selection,
    /// Its summary.
    pub summary: Summary,
    /// The tokens of each selected node that was read.
    pub node_tokens: BTreeMap<NodeId, u64>,
    /// The tokenizer.
    pub tokenizer: Tokenizer,
    /// The cuts, if there is a budget.
    pub fit: Option<Fit>,
    /// Ids of the state that are neither in the map nor files, sorted.
    pub unknown: Vec<NodeId>,
    /// Similar ids for the first of them.
    pub suggestions: BTreeMap<NodeId, Vec<NodeId>>,
}

impl SelectReport {
    /// The counted tokens of all nodes that were read; `None` if nothing was counted.
    pub fn tokens(&self) -> Option<u64> {
        let counted = !self.node_tokens.is_empty() || self.selection.nodes.is_empty();
        (self.tokenizer != Tokenizer::None && counted).then(|| self.node_tokens.values().sum())
    }

    /// The unit of cost for the budget.
    pub fn unit(&self) -> &'static str {
        let is_guessed = self.tokens().is_none();
        if is_guessed { "estimate" } else { self.tokenizer.name() }
    }
}

/// Makes the selection.
pub fn select(
    csr_graph: &CsrGraph,
    files: &dyn NodeFiles,
    store: &dyn TokenStore,
    request: &SelectRequest,
) -> Result<SelectReport, MissingSizes> {
    // Expand folders and globs first, because the budget cuts single files.
    let state = spell_out(csr_graph, &request.path_input, request.state.clone());
    let request = &SelectRequest { state, ..request.clone() };
    let whole = expand(csr_graph, &request.state, &request.settings);
    let mut node_tokens = count_nodes(files, store, request.tokenizer, &whole);
    let mut warnings = request.warnings.clone();
    let mut state = request.state.clone();
    let mut selection = whole;
    let fitted = request.budget.map(|budget| {
        let price = |id: &NodeId| price(csr_graph, &node_tokens, id);
        let relevance = |id: &NodeId| request.bearings.get(id).copied().unwrap_or(0);
        let worth = Worth { cost: &price, relevance: &relevance };
        fit(csr_graph, &request.state, &request.settings, budget, &worth)
    });
    if let Some(fit) = fitted.as_ref().filter(|fit| !fit.steps.is_empty()) {
        warnings.extend(given_up(fit));
        (state, selection) = (fit.state.clone(), fit.selection.clone());
        node_tokens.retain(|id, _| selection.contains(id));
    }
    let mut summary = summarize(csr_graph, &selection, warnings, &request.settings)?;
    warn_hidden(files, &mut summary);
    warn_unread(&state, &mut summary);
    let unknown = unknown(csr_graph, files, &request.state);
    let suggestions = suggestions(csr_graph, &unknown);
    let tokenizer = request.tokenizer;
    Ok(SelectReport {
        state,
        selection,
        summary,
        node_tokens,
        tokenizer,
        fit: fitted,
        unknown,
        suggestions,
    })
}

/// Replaces the warning about an unknown id by one that the configuration hides it.
fn warn_hidden(files: &dyn NodeFiles, summary: &mut Summary) {
    let hidden: Vec<&NodeId> = summary.selected.iter().filter(|id| files.is_hidden(id)).collect();
    if hidden.is_empty() {
        return;
    }
    let unknown: BTreeSet<String> = hidden.iter().flat_map(|id| unknowns(id)).collect();
    summary.warnings.retain(|warning| !unknown.contains(warning));
    let told = |id: &&NodeId| format!("Hidden by `excludes` of the configuration: {id}");
    summary.warnings.extend(hidden.iter().map(told));
    summary.warnings.sort_unstable_by(|left, right| cmp_utf16(left, right));
}

/// Warns about code in a language without import support: nothing near it can be selected.
fn warn_unread(state: &StateV2, summary: &mut Summary) {
    let asks_on = state.include.iter().filter(|entry| entry.depth > 0);
    let unread = asks_on.filter(|entry| !is_read(&entry.id));
    let told = unread.map(|entry| format!("{UNREAD}{}", entry.id));
    summary.warnings.extend(told);
    summary.warnings.sort_unstable_by(|left, right| cmp_utf16(left, right));
}

/// The start of the warning about a file in a language without import support.
const UNREAD: &str = "Imports of its language are not read, so nothing it needs is selected: ";

/// Whether the needs of a file are known: data needs nothing, and code is read if its language is
/// supported.
pub fn is_read(id: &NodeId) -> bool {
    !is_program(id.as_str()) || Languages::default().is_code(id.as_str())
}

/// A node whose tokens are counted.
struct Source<'a> {
    files: &'a dyn NodeFiles,
    id: &'a NodeId,
}

impl TokenSource for Source<'_> {
    fn digest(&self) -> Option<Sha256Digest> {
        self.files.digest(self.id)
    }

    fn read(&self) -> Option<Vec<u8>> {
        self.files.read(self.id)
    }
}

fn count_nodes(
    files: &dyn NodeFiles,
    store: &dyn TokenStore,
    tokenizer: Tokenizer,
    selection: &Selection,
) -> BTreeMap<NodeId, u64> {
    let ids: Vec<&NodeId> = selection.nodes.iter().map(|node| &node.id).collect();
    let counted = ids.iter().zip(count_ids(files, store, tokenizer, &ids));
    counted.filter_map(|(id, count)| Some(((*id).clone(), count?))).collect()
}

/// The tokens of each node, in order; `None` if it is unreadable or denied.
pub(crate) fn count_ids(
    files: &dyn NodeFiles,
    store: &dyn TokenStore,
    tokenizer: Tokenizer,
    ids: &[&NodeId],
) -> Vec<Option<u64>> {
    let sources: Vec<Source<'_>> = ids.iter().map(|id| Source { files, id }).collect();
    count_all(tokenizer, store, &sources)
}

/// The cost of a node: its tokens if they were counted, otherwise a quarter of its bytes.
fn price(csr_graph: &CsrGraph, node_tokens: &BTreeMap<NodeId, u64>, id: &NodeId) -> u64 {
    node_tokens.get(id).copied().unwrap_or_else(|| {
        let bytes = csr_graph.facts_of(id.as_str()).and_then(|facts| facts.size).unwrap_or(0);
        bytes.div_ceil(4)
    })
}

/// A warning for each named file that did not fit the budget.
fn given_up(fit: &Fit) -> impl Iterator<Item = String> {
    let seeds = fit.steps.iter().filter(|step| step.rung == portolan_graph::select::Rung::Seeds);
    seeds
        .flat_map(|step| &step.cut)
        .map(|id| format!("Dropped seed from selection to keep the budget: {id}"))
}

/// The ids of a map that are similar to a misspelt one, best first.
pub fn suggest(csr_graph: &CsrGraph, id: &str) -> Vec<NodeId> {
    let known = csr_graph.ids().iter().map(NodeId::as_str);
    similar(id, known, 3).into_iter().map(NodeId::from).collect()
}

/// The ids of a state that refer to nothing.
fn unknown(csr_graph: &CsrGraph, files: &dyn NodeFiles, state: &StateV2) -> Vec<NodeId> {
    let ids = state.include.iter().chain(&state.exclude).map(|entry| &entry.id);
    let unknown = ids.filter(|id| csr_graph.index_of(id.as_str()).is_none() && !files.exists(id));
    let unknown: BTreeSet<&NodeId> = unknown.collect();
    unknown.into_iter().cloned().collect()
}

fn suggestions(csr_graph: &CsrGraph, unknown: &[NodeId]) -> BTreeMap<NodeId, Vec<NodeId>> {
    let near = |id: &NodeId| (id.clone(), suggest(csr_graph, id.as_str()));
    let found = unknown.iter().take(SUGGESTIONS).map(near);
    found.filter(|(_, near)| !near.is_empty()).collect()
}

#[cfg(test)]
mod tests;
