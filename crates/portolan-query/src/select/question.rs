//! Answers the question `select`: what entries select, why a node is selected, or who depends on one.

use std::collections::BTreeMap;

use portolan_graph::CsrGraph;
use portolan_graph::select::{MissingSizes, importers};
use portolan_types::{KindMask, NodeId, Notice};
use portolan_vfs::System;
use portolan_wire::entry::{ParseEntryError, parse_entry, parse_kinds};
use portolan_wire::question::{Budget, KeptKind, SelectQuestionV1, TokenCounter};
use portolan_wire::select::{ImportersReportV1, SelectReportV1, WhyReportV1};
use portolan_wire::state::{StateEntry, StateV2};
use serde_json::Value;
use thiserror::Error;

use super::{
    MapFiles, NoFiles, SelectReport, SelectRequest, SelectSettings, bearings, importers_report,
    meant_id, select, select_report, suggest, undeclared, why_report,
};
use portolan_index::map::MapError;
use portolan_index::session::{Session, Snapshot};
use portolan_index::token_counts::{DiskTokenStore, MemoryTokenStore, Tokenizer};
use portolan_workspace::path_input::PathInput;

/// The graph to select from.
#[derive(Clone, Copy)]
pub enum SelectSource<'a> {
    /// That of a repository.
    Repository {
        /// The session.
        session: &'a Session<'a>,
        /// The disk.
        system: &'a dyn System,
        /// The map.
        snapshot: &'a Snapshot,
    },
    /// A state given as text: there are no files behind it.
    Graph(&'a CsrGraph),
}

/// The entries of a question, wherever they come from.
#[derive(Clone, Debug, Default)]
pub struct SelectEntries {
    /// The entries.
    pub state: StateV2,
    /// The warnings from reading them.
    pub warnings: Vec<String>,
    /// Whether they were typed, so that their paths start at the current folder. The paths of a state start at the root.
    pub is_typed: bool,
}

/// The answer.
#[derive(Clone, Debug)]
pub enum SelectAnswer {
    /// What the entries select.
    Selection {
        /// The selection.
        report: Box<SelectReport>,
        /// The same for readers.
        shown: SelectReportV1,
        /// Whether the text shows folders.
        tree: bool,
        /// How many of the largest nodes the text lists.
        top: usize,
    },
    /// Why a node is selected, or why not.
    Why(WhyReportV1),
    /// Who depends on a node.
    Importers(ImportersReportV1),
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum SelectError {
    /// An entry cannot be read.
    #[error(transparent)]
    Entry(#[from] ParseEntryError),
    /// The graph does not say how large its files are.
    #[error(transparent)]
    Sizes(#[from] MissingSizes),
    /// A folder was given for a file.
    #[error("`{0}` is a folder; `--importers` takes a file")]
    Folder(NodeId),
    /// The map has no such node.
    #[error("`{id}` is not in the map")]
    Unknown {
        /// The node.
        id: NodeId,
        /// Nodes with a similar id, best first.
        similar: Vec<String>,
    },
    /// The declarations of entries cannot be looked up.
    #[error(transparent)]
    Map(#[from] MapError),
}

impl SelectEntries {
    /// The entries that a question names.
    pub fn typed(question: &SelectQuestionV1) -> Result<Self, ParseEntryError> {
        let parse = |entries: &[String]| -> Result<Vec<StateEntry>, ParseEntryError> {
            entries.iter().map(|entry| parse_entry(entry)).collect()
        };
        let (include, exclude) = (parse(&question.entries)?, parse(&question.exclude)?);
        let state = StateV2 { include, exclude, ..StateV2::default() };
        Ok(Self { state, warnings: Vec::new(), is_typed: true })
    }
}

impl<'a> SelectSource<'a> {
    /// The graph.
    fn csr_graph(&self) -> &'a CsrGraph {
        match self {
            Self::Repository { snapshot, .. } => &snapshot.csr_graph,
            Self::Graph(graph) => graph,
        }
    }

    /// Where paths start.
    fn path_input(&self, is_typed: bool) -> PathInput {
        match self {
            Self::Repository { session, .. } if is_typed => PathInput::here(session.config()),
            Self::Repository { session, .. } => PathInput::at_root(&session.config().root),
            Self::Graph(_) => PathInput::default(),
        }
    }

    /// Selects, with the files behind the graph where there are any, and keeps their counts of tokens.
    fn select(
        &self,
        mut request: SelectRequest,
    ) -> Result<(SelectReport, Option<Notice>), SelectError> {
        let Self::Repository { session, system, snapshot } = *self else {
            let store = MemoryTokenStore::default();
            return Ok((select(self.csr_graph(), &NoFiles, &store, &request)?, None));
        };
        let store = DiskTokenStore::open(system, session.cache(), request.tokenizer);
        let files = MapFiles::new(system, &session.config().root, &snapshot.map);
        let told = undeclared(session, snapshot, &request.path_input, &request.state)?;
        request.warnings.extend(told);
        if let (Some(task), Some(_)) = (&request.state.task, request.budget) {
            request.bearings = bearings(&session.index_files(system), &snapshot.map, task);
        }
        let report = session.install(|| select(&snapshot.csr_graph, &files, &store, &request))?;
        Ok((report, store.save(system)))
    }
}

/// Answers a question from a graph, for the entries that it names or that a state has.
pub fn select_question(
    source: &SelectSource<'_>,
    question: &SelectQuestionV1,
    entries: &SelectEntries,
) -> Result<(SelectAnswer, Option<Notice>), SelectError> {
    let graph = source.csr_graph();
    let meant = |id: &str| meant_id(graph, &source.path_input(true), id);
    let kinds = question.default_kinds.as_deref().map(parse_kinds).transpose()?;
    let default_kinds = kinds.unwrap_or(KindMask::ALL);
    if let Some(id) = &question.importers {
        let id = meant(id);
        let depth = question.depth.unwrap_or(1);
        let found = importers(graph, &id, depth, default_kinds);
        let found = found.ok_or_else(|| unknown(graph, &id))?;
        return Ok((SelectAnswer::Importers(importers_report(&id, &found)), None));
    }
    let top = question.top.unwrap_or(10);
    let request = SelectRequest {
        path_input: source.path_input(entries.is_typed),
        state: entries.state.clone(),
        warnings: entries.warnings.clone(),
        settings: SelectSettings {
            default_kinds,
            keep_builtin: question.keep_kinds.contains(&KeptKind::Builtin),
            keep_missing: question.keep_kinds.contains(&KeptKind::Missing),
            top,
            ..SelectSettings::default()
        },
        budget: question.budget.map(Budget::tokens),
        bearings: BTreeMap::new(),
        tokenizer: match question.tokenizer.unwrap_or_default() {
            TokenCounter::O200kBase => Tokenizer::O200kBase,
            TokenCounter::None => Tokenizer::None,
        },
    };
    let (report, told) = source.select(request)?;
    if let Some(id) = &question.why {
        let why = why_report(graph, &report.state, &report.selection, &meant(id));
        return Ok((SelectAnswer::Why(why), told));
    }
    let shown = select_report(graph, &report);
    let (report, tree) = (Box::new(report), question.tree);
    Ok((SelectAnswer::Selection { report, shown, tree, top }, told))
}

fn unknown(graph: &CsrGraph, id: &NodeId) -> SelectError {
    let below = format!("{}/", id.as_str().trim_end_matches('/'));
    if graph.ids().iter().any(|one| one.as_str().starts_with(&below)) {
        return SelectError::Folder(id.clone());
    }
    let similar = suggest(graph, id.as_str()).iter().map(ToString::to_string).collect();
    SelectError::Unknown { id: id.clone(), similar }
}

impl SelectAnswer {
    /// The nodes that it lists.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        let (selected, others, importers) = match self {
            Self::Selection { shown, .. } => (Some(&shown.selected_node_ids), None, None),
            Self::Why(why) => (None, Some(&why.id), None),
            Self::Importers(report) => (None, Some(&report.id), Some(&report.importers)),
        };
        let importers = importers.into_iter().flatten().map(|importer| &importer.id);
        selected.into_iter().flatten().chain(others).chain(importers).map(String::as_str)
    }

    /// The report for machines.
    pub fn to_wire(&self) -> Value {
        let value = match self {
            Self::Selection { shown, .. } => serde_json::to_value(shown),
            Self::Why(why) => serde_json::to_value(why),
            Self::Importers(importers) => serde_json::to_value(importers),
        };
        value.unwrap_or_default()
    }
}
