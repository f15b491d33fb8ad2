//! The use case of `portolan chart`: the Map as text that fits a budget, steered by a question.

mod sight;
mod words;
mod zoom;

use std::collections::BTreeMap;

use portolan_graph::chart::{self, ChartFile, Folded};
use portolan_graph::interest::{Candidate, Question, WordIndex, rank};
use portolan_graph::{Graph, is_code};
use portolan_types::{NodeId, Notice};
use portolan_wire::reports::{ChartReportV1, FoldedV1};
use thiserror::Error;

pub use portolan_graph::chart::{LEAST_BUDGET, LEGEND};
pub use portolan_graph::interest::InterestSettings;

use self::sight::MapSight;
pub use self::zoom::UnknownZoom;
use crate::map::MapReport;
use crate::tokens::Tokenizer;

/// What to chart.
#[derive(Clone, Debug)]
pub struct ChartRequest {
    /// Files, folders or globs to show in detail.
    pub zoom: Vec<String>,
    /// What the reader wants to do, in words.
    pub task: Option<String>,
    /// The most tokens.
    pub budget: u64,
    /// How interest is weighed.
    pub interest: InterestSettings,
}

impl ChartRequest {
    /// Refuses what no repository has a chart for.
    pub fn check(&self) -> Result<(), ChartError> {
        if self.budget < LEAST_BUDGET {
            return Err(ChartError::Budget(self.budget));
        }
        Ok(())
    }
}

/// A chart and what it shows.
#[derive(Clone, Debug)]
pub struct ChartReport {
    /// The text.
    pub text: String,
    /// What it costs, counted.
    pub tokens: u64,
    /// The files that are listed by name, sorted.
    pub listed: Vec<NodeId>,
    /// What each folder only counts; the root is `.`.
    pub folded: BTreeMap<String, Folded>,
    /// The files by interest, most first.
    pub by_interest: Vec<NodeId>,
    /// What was noticed.
    pub notices: Vec<Notice>,
}

impl ChartReport {
    /// The chart for machines.
    pub fn to_wire(&self) -> ChartReportV1 {
        let folded = self.folded.iter().map(|(folder, sum)| {
            (folder.clone(), FoldedV1 { files: sum.files, tokens: sum.tokens })
        });
        ChartReportV1 {
            v: 1,
            text: self.text.clone(),
            tokens: self.tokens,
            tokenizer: Tokenizer::O200kBase.name(),
            listed: self.listed.iter().map(ToString::to_string).collect(),
            folded: folded.collect(),
        }
    }
}

/// Why there is no chart.
#[derive(Debug, Error)]
pub enum ChartError {
    /// The budget is too small for any.
    #[error("a chart needs a budget of at least {LEAST_BUDGET} tokens, not {0}")]
    Budget(u64),
    /// Something to show in detail is not there.
    #[error(transparent)]
    Unknown(#[from] UnknownZoom),
}

/// The files of a Map with their words: what charts are drawn from.
#[derive(Debug)]
pub struct Atlas<'a> {
    map: &'a MapReport,
    index: WordIndex,
    /// The node of each file of the universe.
    nodes: Vec<Option<u32>>,
    /// The file of each node.
    files: Vec<Option<u32>>,
    /// What was noticed on the way.
    notices: Vec<Notice>,
}

pub use self::words::IndexFiles;

impl<'a> Atlas<'a> {
    /// Gathers the words of a Map's files; those that an earlier run left are not read again.
    pub fn new(map: &'a MapReport, files: &IndexFiles<'_>) -> Self {
        let mut notices = Vec::new();
        let index = words::index(map, files, &mut notices);
        let node = |path: &str| map.graph.index_of(path);
        let nodes: Vec<Option<u32>> =
            map.universe.iter().map(|file| node(file.path.as_str())).collect();
        let mut of_node = vec![None; map.graph.nodes().len()];
        for (node, file) in nodes.iter().zip(0u32..) {
            if let Some(node) = node {
                of_node[*node as usize] = Some(file);
            }
        }
        Self { map, index, nodes, files: of_node, notices }
    }

    /// Edges between files, by their places in the universe.
    fn edges(&self) -> Vec<(u32, u32)> {
        let graph: &Graph = &self.map.graph;
        let mut edges = Vec::new();
        for (node, file) in self.nodes.iter().zip(0u32..) {
            let Some(node) = node else { continue };
            let targets = graph.edges(*node).iter();
            let targets = targets.filter_map(|edge| self.files[edge.target as usize]);
            edges.extend(targets.filter(|target| *target != file).map(|target| (file, target)));
        }
        edges
    }

    /// Draws a chart.
    pub fn chart(&self, request: &ChartRequest) -> Result<ChartReport, ChartError> {
        request.check()?;
        let universe = &self.map.universe;
        let asked = zoom::asked(universe, &request.zoom)?;
        let files: Vec<ChartFile<'_>> = universe
            .iter()
            .map(|file| ChartFile {
                path: file.path.as_str(),
                tokens: self.index.get(&file.sha256).map_or(0, |known| known.tokens()),
                is_code: is_code(file.path.as_str()),
            })
            .collect();
        let candidates: Vec<Candidate<'_>> = universe
            .iter()
            .zip(&files)
            .zip(&asked)
            .map(|((file, shown), asked)| Candidate {
                path: shown.path,
                digest: Some(file.sha256),
                tokens: shown.tokens,
                is_code: shown.is_code,
                asked: if *asked { 2.0 } else { 0.0 },
            })
            .collect();
        let question = Question { task: request.task.as_deref().unwrap_or_default() };
        let interest = rank(&candidates, &self.edges(), &self.index, &question, &request.interest);
        let count = |text: &str| Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default();
        let n_asked = asked.iter().filter(|asked| **asked).count();
        let drawn = chart::chart(&chart::ChartRequest {
            files: &files,
            order: &interest.order,
            asked: n_asked,
            has_question: n_asked > 0 || request.task.is_some(),
            budget: request.budget,
            sight: &MapSight { atlas: self },
            count: &count,
        });
        let id = |file: &u32| NodeId::from(universe[*file as usize].path.as_str());
        let named = |path: String| if path.is_empty() { ".".to_owned() } else { path };
        Ok(ChartReport {
            text: drawn.text,
            tokens: drawn.tokens,
            listed: drawn.listed.iter().map(id).collect(),
            folded: drawn.folded.into_iter().map(|(path, sum)| (named(path), sum)).collect(),
            by_interest: interest.order.iter().map(id).collect(),
            notices: self.notices.clone(),
        })
    }
}
