//! Packs of real failures: from what a tool printed to everything that is needed to repair it.
//!
//! Each file is read once: its digest, its slices and its description come from the same bytes.

mod base;
mod code;
mod code_index;
pub mod context;
mod exports;
mod spectrum;
mod task_pack;
mod texts;
mod undefined;
mod verify;
mod windows;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub use crate::pack::context::{
    CHANGE_BUDGET, DEFAULT_BUDGET, FAILURE_BUDGET, PROGRAM_TASK_BUDGET, PackFormat as PackForm,
    SMALLEST_BUDGET, TASK_BUDGET,
};
use crate::pack::context::{
    ContextParts, PackFormat as Form, RenderedPack as Context, Tools, assemble_context,
    failure_line,
};
use portolan_diagnostics::environment::{is_environment, missing_package};
pub use portolan_diagnostics::focus::FocusRule;
use portolan_diagnostics::focus::{MergedDiagnostics as Merged, choose, merge};
use portolan_diagnostics::locations::{Diagnostic, FileIndex as Files};
use portolan_diagnostics::readers::ParsedOutput as Reading;
use portolan_graph::Graph;
use portolan_types::{NodeIndex, NodeKind, Notice, NoticeCode, Place};
use portolan_vfs::{System, sha256};
use thiserror::Error;

use crate::ast::digest_of;
use crate::declarations::TargetError;
use crate::diagnostics::{
    DiagnosticsError, DiagnosticsRequest, folder_of, reading, settled, without_settings,
};
use crate::search::SearchError;
use portolan_index::map::{CacheMode, MapReport, MapRequest};
use portolan_index::session::Session;
use portolan_index::symbols::DeclarationStore;
use portolan_index::token_counts::Tokenizer;
pub use task_pack::{
    Changes, Impact, ImpactReport, PackInputs, TaskQuery, UndertakingRequest, build_undertaking,
    parts_for, task_parts,
};
pub(crate) use task_pack::{TaskInputs, build_impact_on, build_task, build_undertaking_on};
pub(crate) use verify::{Check, verify};

/// What is asked.
#[derive(Clone, Debug)]
pub struct PackRequest {
    /// The output, and the repository that it is about.
    pub output: DiagnosticsRequest,
    /// The path of the output, as the pack names it: from the root, or `-`.
    pub diag: String,
    /// Which diagnostic is in focus.
    pub focus: FocusRule,
    /// The state to compare with; `HEAD` where files changed since, if nothing is said.
    pub base: Base,
    /// The most tokens that the pack may have.
    pub budget: u64,
    /// How it is written.
    pub form: Form,
    /// How many threads to use; 0 for one per core.
    pub threads: usize,
    /// Whether the cache is used.
    pub cache: CacheMode,
}

/// The state to compare with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// `HEAD`, where files changed since.
    #[default]
    Auto,
    /// None.
    Off,
    /// A revision.
    Revision(String),
}

/// What is answered.
#[derive(Clone, Debug)]
pub struct PackReport {
    /// The pack, and what is written of it.
    pub context: Context,
    /// What was noticed on the way, sorted.
    pub notices: Vec<Notice>,
}

impl PackReport {
    /// What failed, in one line; `None` where the pack is not about a failure.
    pub fn failure(&self) -> Option<String> {
        failure_line(&self.context.pack)
    }
}

/// Why there is no pack.
#[derive(Debug, Error)]
pub enum PackError {
    /// Nothing was read.
    #[error(transparent)]
    Diagnostics(#[from] DiagnosticsError),
    /// The focus that was asked for is not there.
    #[error("there is no diagnostic {0}")]
    NoFocus(String),
    /// The budget is too small for anything.
    #[error("a pack takes at least {SMALLEST_BUDGET} tokens, and {0} were allowed")]
    Budget(u64),
    /// The revision to compare with is not there.
    #[error("{0}")]
    Base(String),
    /// Nothing changed since the revision.
    #[error("nothing changed since {0}")]
    Unchanged(String),
    /// A place that was asked for is not there.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The places of a task cannot be searched for.
    #[error(transparent)]
    Search(SearchError),
}

/// Builds a pack.
pub fn build_context(system: &dyn System, request: &PackRequest) -> Result<PackReport, PackError> {
    if request.budget < SMALLEST_BUDGET {
        return Err(PackError::Budget(request.budget));
    }
    let config = &request.output.config;
    let map_request = MapRequest { config: config.clone(), threads: request.threads };
    // Refuse unreadable output before starting the work.
    let reading = reading(&without_settings(system, &request.output))?;
    let session = Session::open(system, map_request, request.cache);
    let session = session.map_err(DiagnosticsError::from)?;
    let map = session.map().map_err(DiagnosticsError::from)?;
    let store = session.declarations();
    let mut report = session.install(|| pack_of(system, &map, store, request, reading))?;
    report.notices.extend(store.save(system));
    // The process is about to end: freeing a large map piece by piece wastes time.
    std::mem::forget((map, session));
    Ok(report)
}

/// Builds a pack of what was read, on a Map that is there. The budget is large enough.
pub(crate) fn pack_of(
    system: &dyn System,
    map: &MapReport,
    store: &DeclarationStore,
    request: &PackRequest,
    reading: Reading,
) -> Result<PackReport, PackError> {
    let config = &request.output.config;
    let files = Files::new(map.universe.iter().map(|file| file.path.as_str().to_owned()));
    let report = settled(system, &request.output, reading, files)?;
    let mut notices = report.notices;
    let merged = merge(report.diagnostics);
    let reach = reach(&map.graph, &merged);
    let here = folder_of(system, &config.root, &request.output.directory);
    let root = config.root.to_string_lossy();
    let focus = request
        .focus
        .alternatives(&root, &here)
        .iter()
        .find_map(|rule| choose(&merged, rule, &reach));
    if focus.is_none() && request.focus != FocusRule::Ranked {
        return Err(PackError::NoFocus(no_focus(&request.focus, &merged)));
    }
    let base = base::open(system, request, map, &mut notices)?;
    let parts = ContextParts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        diag: Some(digest_of(&request.diag, &request.output.output)),
        environment: environment(&merged),
        merged,
        focus,
        rule: request.focus.clone(),
        ..ContextParts::default()
    };
    let parts = code::fill(system, config, map, store, parts, base, &mut notices)
        .map_err(DiagnosticsError::from)?;
    let context = put_together(&parts, request.budget, request.form);
    notices.extend(unplaced(&parts));
    notices.sort_unstable();
    notices.dedup();
    Ok(PackReport { context, notices })
}

/// The note about diagnostics that no change of the code repairs.
fn environment(merged: &Merged) -> Option<String> {
    let found: Vec<&Diagnostic> =
        merged.diagnostics.iter().filter(|it| is_environment(it)).collect();
    let first = found.first()?;
    let packages: BTreeSet<&str> = found.iter().filter_map(|it| missing_package(it)).collect();
    let what = if packages.is_empty() {
        first.message.trim_end_matches([':', '.']).chars().take(160).collect()
    } else {
        let named: Vec<&str> = packages.iter().take(MOST_PACKAGES).copied().collect();
        let more = packages.len().saturating_sub(MOST_PACKAGES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more} cannot be found", named.join(", "))
    };
    let (count, all) = (found.len(), merged.diagnostics.len());
    Some(format!("Environment, not code ({count} of {all} diagnostics): {what}."))
}

/// The most missing packages that are named.
const MOST_PACKAGES: usize = 6;

/// What is not there, in words.
fn no_focus(rule: &FocusRule, merged: &Merged) -> String {
    match rule {
        FocusRule::At(file, _) => format!("in `{file}`"),
        FocusRule::Number(number) => format!("{number}: the output has {}", merged.listed.len()),
        FocusRule::Index(index) => (index + 1).to_string(),
        FocusRule::First | FocusRule::Ranked => "at all".to_owned(),
    }
}

/// Cuts the parts to a budget.
pub fn put_together(parts: &ContextParts, budget: u64, form: Form) -> Context {
    let tools = Tools {
        count: &|text| Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default(),
        digest: &|text| sha256(text.as_bytes()).to_string(),
    };
    assemble_context(parts, budget, form, &tools)
}

/// A notice for a focus without a file in this repository: the pack has no code of it.
fn unplaced(parts: &ContextParts) -> Option<Notice> {
    let diagnostic = parts.merged.diagnostics.get(parts.focus?)?;
    if !parts.windows.is_empty() {
        return None;
    }
    let message = "there is no code of it in the pack";
    Some(match &diagnostic.place {
        Some(place) => Notice::at(NoticeCode::PackNoFile, Place::file(&place.file), message),
        None => Notice::general(NoticeCode::PackNoFile, "the diagnostic in focus names no file"),
    })
}

/// From how many failing files each other one can be reached: the fewer, the more upstream it is.
fn reach(graph: &Graph, merged: &Merged) -> BTreeMap<String, usize> {
    let place = |it: &Diagnostic| {
        it.place.as_ref().filter(|place| place.exists).map(|place| place.file.clone())
    };
    let failing: BTreeSet<String> = merged.diagnostics.iter().filter_map(place).collect();
    let nodes: BTreeMap<NodeIndex, &String> =
        failing.iter().filter_map(|file| Some((graph.index_of(file)?, file))).collect();
    // Among very many failing files the answer is not worth its time.
    if nodes.len() < 2 || nodes.len() > 400 {
        return BTreeMap::new();
    }
    let mut reach = BTreeMap::new();
    for (&start, file) in &nodes {
        let mut seen = BTreeSet::from([start]);
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for edge in graph.edges(node) {
                if seen.insert(edge.target) {
                    queue.push_back(edge.target);
                }
            }
        }
        let others = nodes.keys().filter(|node| **node != start && seen.contains(node)).count();
        reach.insert((*file).clone(), others);
    }
    reach
}

/// The files of a map, by path.
fn is_known(map: &MapReport, path: &str) -> bool {
    map.universe
        .binary_search_by(|file| portolan_types::cmp_utf16(file.path.as_str(), path))
        .is_ok()
}

/// Whether a path is that of a file of an installed package that the repository uses, and that may be shown.
fn is_installed(map: &MapReport, path: &str) -> bool {
    let node = map.raw.index_of(path).map(|node| map.raw.node(node));
    node.is_some_and(|node| node.kind == NodeKind::External && node.size.is_some())
}

#[cfg(test)]
mod tests;
