//! The use case of `portolan chart`: the Map as text that fits a budget, steered by a question.

mod asked;
mod details;
mod purpose;
mod screen;
mod zoom;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use portolan_graph::Graph;
use portolan_graph::chart::{self, ChartFile, Folded};
use portolan_languages::{Ecosystems, is_program};
use portolan_ranking::file_ranking::{
    Candidate, Change, Corpus, Covering, FileRanking, Question, covering, rank,
};
use portolan_types::{FileId, NodeId, NodeIndex, Notice, Sha256Digest};
use portolan_vfs::System;
use portolan_wire::reports::{ChartReportV1, FoldedV1};
use portolan_workspace::Revision;
use thiserror::Error;

pub use portolan_graph::chart::{LEAST_BUDGET, LEGEND};
pub use portolan_ranking::file_ranking::FileWeights;

use self::asked::{AskedChart, asked_chart};
use self::details::MapSight;
use self::purpose::Purposes;
use self::screen::screen;
use self::zoom::Asked;
pub use self::zoom::UnknownZoom;
use crate::answers::FRAME_TOKENS;
use portolan_index::map::{MapError, MapReport, UniverseFile};
use portolan_index::pool::on_threads;
use portolan_index::session::Session;
use portolan_index::symbols::{Headings, with_symbols};
use portolan_index::token_counts::Tokenizer;
use portolan_workspace::path_input::PathInput;

/// The score of what was asked for by name, and of what changed: more than any word can give.
const ITSELF: f64 = 6.0;
const WITHIN: f64 = 4.0;
const CHANGED: f64 = 2.0;

/// The default budget of the chart of an archive.
pub const DEFAULT_BUDGET: u64 = 20_000;

/// What to chart.
#[derive(Clone, Debug)]
pub struct ChartRequest {
    /// Files, folders or globs to show in detail.
    pub zoom: Vec<String>,
    /// Where they are written from.
    pub path_input: PathInput,
    /// Files that changed, by their paths: shown in detail too.
    pub changed: Vec<String>,
    /// What the reader wants to do, in words.
    pub task: Option<String>,
    /// Earlier commits, each as its files: they tell what a task may change.
    pub commits: Vec<Vec<FileId>>,
    /// The most tokens.
    pub budget: u64,
    /// The weights of the ranking.
    pub weights: FileWeights,
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
    /// The files whose text was looked at for it, with the digests of what was seen.
    pub seen: Vec<(String, Sha256Digest)>,
    /// Whether there is a task, and no file has a word of it.
    pub is_unmet: bool,
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
    /// There are no threads to draw it on.
    #[error(transparent)]
    Threads(#[from] MapError),
}

/// The files of a Map that are not as they were in a revision (`HEAD`, a branch, a commit), sorted.
pub fn changed_since(
    system: &dyn System,
    root: &Path,
    revision: &str,
    map: &MapReport,
) -> Result<Vec<String>, String> {
    let paths = || map.universe.iter().map(|file| file.path.as_str());
    let known: BTreeSet<&str> = paths().collect();
    let mut changed = Revision::open(system, root, revision)?.changed(paths());
    changed.retain(|path| known.contains(path.as_str()));
    Ok(changed)
}

/// What charts of a map are drawn from. The words that an earlier question gathered are reused.
pub(crate) fn ranking_index<'m>(
    session: &Session<'_>,
    map: &'m MapReport,
    system: &dyn System,
    has_task: bool,
) -> RankingIndex<'m> {
    let index = RankingIndex::knowing(map, &session.index_files(system), session.words(), has_task);
    if let Some(words) = index.words() {
        session.keep_words(words);
    }
    index
}

/// Draws a chart of a map.
pub fn draw_chart(
    session: &Session<'_>,
    map: &MapReport,
    system: &dyn System,
    request: &ChartRequest,
) -> Result<ChartReport, ChartError> {
    let store = session.declarations();
    let headings = Headings::new(system, session.config(), store);
    let index = ranking_index(session, map, system, request.task.is_some());
    let is_plain = request.changed.is_empty() && request.task.is_none();
    let purposes = Purposes::new(system, session.config(), map, store);
    let mut report = if is_plain && !request.zoom.is_empty() {
        let config = session.config();
        let asked = with_symbols(system, config, map, store, |symbols| {
            asked_chart(&index, symbols, &purposes, request)
        });
        index.report_of(asked??)
    } else {
        index.chart(request, &headings)?
    };
    // What does not fit as a whole is shown by its folders.
    if is_plain && request.zoom.is_empty() && !report.folded.is_empty() {
        let drawn = screen(&index, &purposes, "", request.budget);
        (report.text, report.folded) = (drawn.text, named(drawn.folded));
        (report.listed, report.seen) = (Vec::new(), Vec::new());
        report.tokens = screen::cost(&report.text);
    }
    report.notices.extend(store.save(system));
    Ok(report)
}

/// Sums by folder: the root is `.`.
fn named(folded: BTreeMap<String, Folded>) -> BTreeMap<String, Folded> {
    let named = |path: String| if path.is_empty() { ".".to_owned() } else { path };
    folded.into_iter().map(|(path, sum)| (named(path), sum)).collect()
}

/// The files of a Map with their words: what charts are drawn from.
#[derive(Debug)]
pub struct RankingIndex<'a> {
    map: &'a MapReport,
    words: Words,
    /// Whether the words are of the contents that the Map has.
    is_whole: bool,
    /// The node of each file of the universe.
    nodes: Vec<Option<NodeIndex>>,
    /// The file of each node.
    files: Vec<Option<FileId>>,
    charted: Vec<ChartFile<'a>>,
    corpus: Corpus<'a>,
    /// What was noticed on the way.
    notices: Vec<Notice>,
}

pub use portolan_index::word_index::IndexFiles;
use portolan_index::word_index::{self, Words};

impl<'a> RankingIndex<'a> {
    /// Gathers the words of a Map's files; those that an earlier run left are not read again.
    pub fn new(map: &'a MapReport, files: &IndexFiles<'_>) -> Self {
        Self::knowing(map, files, None, true)
    }

    /// The same with the words of an earlier map. Without a task, words are left out where that
    /// saves work.
    pub(crate) fn knowing(
        map: &'a MapReport,
        files: &IndexFiles<'_>,
        known: Option<Words>,
        has_task: bool,
    ) -> Self {
        let mut notices = Vec::new();
        let (words, is_whole) = word_index::index(map, files, known, has_task, &mut notices);
        let node = |path: &str| map.graph.index_of(path);
        let nodes: Vec<Option<NodeIndex>> =
            map.universe.iter().map(|file| node(file.path.as_str())).collect();
        let mut of_node = vec![None; map.graph.nodes().len()];
        for (node, file) in nodes.iter().zip(FileId::all()) {
            if let Some(node) = node {
                of_node[node.index()] = Some(file);
            }
        }
        let ecosystems = Ecosystems::default();
        let is_manifest = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            ecosystems.iter().any(|one| one.is_manifest(name))
        };
        let charted: Vec<ChartFile<'a>> = map
            .universe
            .iter()
            .map(|file| ChartFile {
                path: file.path.as_str(),
                tokens: words.index.get(&file.sha256).map_or(0, |known| known.tokens()),
                is_code: is_program(file.path.as_str()),
                is_manifest: is_manifest(file.path.as_str()),
            })
            .collect();
        let candidate = |(file, digest): (&ChartFile<'a>, Sha256Digest)| Candidate {
            path: file.path,
            digest: Some(digest),
            tokens: file.tokens,
            is_code: file.is_code,
        };
        let digests = map.universe.iter().map(|file| file.sha256);
        let candidates = charted.iter().zip(digests).map(candidate).collect();
        let corpus = Corpus::new(candidates, &edges(&map.graph, &nodes, &of_node));
        Self { map, words, is_whole, nodes, files: of_node, charted, corpus, notices }
    }

    /// The words, for the next question; `None` if a file changed while they were gathered.
    pub(crate) fn words(&self) -> Option<Words> {
        self.is_whole.then(|| self.words.clone())
    }

    /// The score of each file; `asked` says which were asked for by name.
    fn rank(&self, asked: &[f64], request: &ChartRequest) -> FileRanking {
        let task = request.task.as_deref().unwrap_or_default();
        let question = Question { task, asked, commits: &request.commits };
        rank(&self.corpus, &self.words.index, &question, &request.weights)
    }

    /// How much each file was asked for.
    fn asked(&self, request: &ChartRequest) -> Result<Vec<f64>, UnknownZoom> {
        let universe = &self.map.universe;
        let asked = zoom::asked(universe, &request.path_input, &request.zoom)?;
        let changed: BTreeSet<&str> = request.changed.iter().map(String::as_str).collect();
        let weight = |(file, asked): (&UniverseFile, Asked)| match asked {
            Asked::Itself => ITSELF,
            Asked::Within => WITHIN,
            Asked::No if changed.contains(file.path.as_str()) => CHANGED,
            Asked::No => 0.0,
        };
        Ok(universe.iter().zip(asked).map(weight).collect())
    }

    /// The tests that a change concerns, likeliest first.
    pub fn covering(&self, change: &Change<'_>) -> Vec<Covering> {
        covering(&self.corpus, &self.words.index, change)
    }

    /// The Map that it is of.
    pub fn map(&self) -> &'a MapReport {
        self.map
    }

    /// What was noticed on the way.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Takes out of a list of things to show those that are not there.
    pub fn take_unknown(&self, request: &mut ChartRequest) -> Vec<UnknownZoom> {
        let mut unknown = Vec::new();
        let path_input = &request.path_input;
        request.zoom.retain(|one| {
            let asked = zoom::asked(&self.map.universe, path_input, std::slice::from_ref(one));
            asked.map_err(|error| unknown.push(error)).is_ok()
        });
        unknown
    }

    /// The files by score, best first.
    pub fn by_interest(&self, request: &ChartRequest) -> Result<Vec<&'a str>, ChartError> {
        let asked = self.asked(request)?;
        let order = self.rank(&asked, request).order;
        Ok(order.iter().map(|at| self.charted[at.index()].path).collect())
    }

    /// The report of a chart of paths.
    fn report_of(&self, asked: AskedChart) -> ChartReport {
        ChartReport {
            tokens: screen::cost(&asked.text),
            text: asked.text,
            listed: asked.listed,
            folded: named(asked.folded),
            seen: asked.seen,
            is_unmet: false,
            notices: self.notices.clone(),
        }
    }

    /// Draws a chart.
    pub fn chart(
        &self,
        request: &ChartRequest,
        headings: &Headings<'_>,
    ) -> Result<ChartReport, ChartError> {
        // An answer of the least budget there is has a frame around its chart.
        if request.budget < LEAST_BUDGET - FRAME_TOKENS {
            return Err(ChartError::Budget(request.budget));
        }
        let universe = &self.map.universe;
        let asked = self.asked(request)?;
        let ranking = self.rank(&asked, request);
        let count = |text: &str| Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default();
        let n_asked = asked.iter().filter(|asked| **asked > 0.0).count();
        let drawing = chart::ChartRequest {
            files: &self.charted,
            order: &ranking.order,
            asked: n_asked,
            has_question: n_asked > 0 || request.task.is_some(),
            budget: request.budget,
            details: &MapSight { atlas: self, headings },
            count: &count,
        };
        // Heads are parsed where there is room for it.
        let drawn = on_threads(0, || chart::chart(&drawing))?;
        let id = |file: &FileId| NodeId::from(universe[file.index()].path.as_str());
        Ok(ChartReport {
            text: drawn.text,
            tokens: drawn.tokens,
            listed: drawn.listed.iter().map(id).collect(),
            folded: named(drawn.folded),
            seen: headings.seen(),
            is_unmet: request.task.is_some() && !ranking.is_met,
            notices: self.notices.clone(),
        })
    }
}

/// Edges between files, by their places in the universe.
fn edges(
    graph: &Graph,
    nodes: &[Option<NodeIndex>],
    files: &[Option<FileId>],
) -> Vec<(FileId, FileId)> {
    let mut edges = Vec::new();
    for (node, file) in nodes.iter().zip(FileId::all()) {
        let Some(node) = node else { continue };
        let targets = graph.edges(*node).iter().filter_map(|edge| files[edge.target.index()]);
        edges.extend(targets.filter(|target| *target != file).map(|target| (file, target)));
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::LEGEND;
    use portolan_index::token_counts::Tokenizer;

    #[test]
    fn the_legend_costs_little() {
        let tokens = Tokenizer::O200kBase.count(LEGEND.as_bytes()).unwrap();
        assert!(tokens <= 120, "{tokens}");
    }
}
