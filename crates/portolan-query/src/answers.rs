//! The questions of agents: each is answered from the disk as it is now, as text that fits a budget.
//!
//! The first line of an answer has its digest, over all that it was made from. What that was
//! is kept in an [`AnswerStore`], so that [`check`] can ask again later and tell what is still true.
//! The command line and the server print what is made here.

mod budget;
mod check;
mod draft;
mod marks;
mod report;
mod searched;
mod store;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use portolan_diagnostics::readers::masked;
use portolan_guard::redact;
use portolan_types::{Notice, NoticeCode, Sha256Digest};
use portolan_vfs::{CancelToken, CancellableSystem, System, sha256};
use portolan_wire::question::{Budget, ManifestV1, QuestionV1, SearchQuestionV1};
use thiserror::Error;

use self::budget::budget_of;
use self::draft::Draft;
use self::marks::marked;
use crate::chart::ChartError;
use crate::declarations::{ReadError, TargetError};
use crate::diagnostics::DiagnosticsError;
use crate::file_set::FileSet;
use crate::pack::PackError;
use crate::search::{OUTLINES_MADE_BY, SearchContext, SearchError};
use crate::select::SelectError;
use crate::settings_values;
use portolan_index::map::{MapError, MapReport};
use portolan_index::session::Session;
use portolan_index::token_counts::Tokenizer;

pub use portolan_types::escape_invisible;

pub(crate) use self::budget::FRAME_TOKENS;
pub use self::budget::{DEFAULT_BUDGET, LIST_BUDGET, MOST_BUDGET};
pub use self::check::{Verdict, check, compare, verdicts_text};
pub use self::draft::read_request;
pub use self::marks::shown_path;
pub use self::report::Report;
pub use self::searched::{Searched, search_question};
pub use self::store::AnswerStore;

/// So often a question is asked again when files change while it is answered.
const TRIES: usize = 3;

/// The session to ask, and whether the caller still waits.
#[derive(Clone, Copy)]
pub struct AnswerContext<'a> {
    /// The repository.
    pub session: &'a Session<'a>,
    /// Whether the caller still waits.
    pub watch: &'a CancelToken,
}

/// An answer as data: what was asked, the report, and what it was made from.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The question with its defaults.
    pub question: QuestionV1,
    /// What it says.
    pub report: Report,
    /// The files that it shows or names, with the digests of what was seen.
    pub files: BTreeMap<String, Sha256Digest>,
    /// The files that it was asked of.
    pub asked_of: FileSet,
    /// What was noticed about the repository and on the way.
    pub notices: Vec<Notice>,
    /// What follows the digest on the first line.
    head: String,
    /// The repository.
    root: String,
}

/// An answer as text.
#[derive(Clone, Debug)]
pub struct TextAnswer {
    /// The first 16 digits of its digest.
    pub digest: String,
    /// The text: a first line with the digest, then what was asked for.
    pub text: String,
    /// The first line without the digest.
    pub head: String,
    /// What it was made from.
    pub manifest: ManifestV1,
}

impl Answer {
    /// The answer as text that fits the budget of the question.
    pub fn to_text(&self) -> TextAnswer {
        let budget = budget_of(&self.question);
        let body = self.report.body(budget.saturating_sub(FRAME_TOKENS));
        let body = cut(&marked(&body, self.files.keys().map(String::as_str)), budget);
        let told = if self.report.tells_notices() { told(&self.notices) } else { String::new() };
        // It contains the question as the user wrote it.
        let text = format!("{}\n{body}{told}", escape_invisible(&redact(&self.head)));
        seal(&self.root, self.question.clone(), &text, self.files.clone(), self.asked_of)
    }
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum AnswerError {
    /// There is no Map.
    #[error(transparent)]
    Map(#[from] MapError),
    /// There is no such chart.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// A target means nothing.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// There is no such pack.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// There is no such search.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// There is no such selection.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// There is nothing to compare with.
    #[error("{0}")]
    Revision(String),
    /// A word that means nothing.
    #[error("{what} `{word}` is none of: {expected}")]
    Word {
        /// What it was given for.
        what: &'static str,
        /// The word.
        word: String,
        /// What may be said.
        expected: String,
    },
    /// Something has to be said, and was not.
    #[error("{question} takes {what}")]
    Needs {
        /// The question.
        question: &'static str,
        /// What it takes.
        what: &'static str,
    },
}

impl AnswerError {
    /// The answer that this error stands for: asking about an unchanged tree is not a mistake.
    pub fn as_answer(&self) -> Option<String> {
        match self {
            Self::Pack(PackError::Unchanged(since)) => {
                Some(format!("nothing changed since {since}\n"))
            }
            _ => None,
        }
    }

    /// Whether the caller has stopped waiting for the answer.
    pub fn is_stopped(&self) -> bool {
        let (Self::Map(map)
        | Self::Chart(ChartError::Threads(map))
        | Self::Read(ReadError::Map(map))
        | Self::Search(SearchError::Map(map))
        | Self::Select(SelectError::Map(map))
        | Self::Pack(PackError::Diagnostics(DiagnosticsError::Map(map)))) = self
        else {
            return false;
        };
        matches!(map, MapError::Stopped)
    }

    /// The next call, in the words of the questions.
    pub fn next(&self) -> Option<String> {
        let nearest = |similar: &[String]| match similar {
            [] => "call chart to see what is there".to_owned(),
            similar => format!("nearest: {}", similar.join(", ")),
        };
        let of_target = |target: &TargetError| match target {
            TargetError::NoFile { similar, .. } | TargetError::NoDeclaration { similar, .. } => {
                nearest(similar)
            }
            TargetError::Ambiguous { similar, .. } | TargetError::Files { similar, .. } => {
                format!("ask for one of: {}", similar.join(", "))
            }
            TargetError::Nothing { path, .. } => {
                format!("call read with {path} for all that the file declares")
            }
            TargetError::NoText { path } => format!("call look with {path} for who uses it"),
            TargetError::NoLine { path, lines } => format!("call read with {path}:1-{lines}"),
            TargetError::LineZero { path } => format!("call read with {path}:1-20"),
            TargetError::Hidden { .. } => nearest(&[]),
            TargetError::Denied { .. } => {
                "a person may open it with `portolan.secrets.allow` in the configuration".to_owned()
            }
        };
        Some(match self {
            Self::Chart(ChartError::Unknown(unknown)) => nearest(&unknown.similar),
            Self::Read(ReadError::TooSmall { bound, least, .. }) => {
                format!("raise {bound} {least}")
            }
            Self::Chart(ChartError::Budget(_)) | Self::Pack(PackError::Budget(_)) => {
                "raise budget".to_owned()
            }
            Self::Revision(_) | Self::Pack(PackError::Base(_)) => {
                "name a commit, a branch or a tag, such as HEAD~1".to_owned()
            }
            Self::Pack(PackError::Unchanged(_)) => {
                "name an earlier revision, such as HEAD~1".to_owned()
            }
            Self::Read(ReadError::Target(target)) | Self::Pack(PackError::Target(target)) => {
                of_target(target)
            }
            Self::Pack(PackError::Diagnostics(_)) => {
                "pass what the tool printed, both streams, as it is".to_owned()
            }
            Self::Search(SearchError::Pattern { .. })
            | Self::Read(ReadError::Pattern(SearchError::Pattern { .. })) => {
                "search for plain text with fixed, or escape it".to_owned()
            }
            Self::Search(SearchError::NoPath { similar, .. }) if !similar.is_empty() => {
                nearest(similar)
            }
            Self::Select(SelectError::Unknown { similar, .. }) => nearest(similar),
            Self::Select(_)
            | Self::Search(_)
            | Self::Needs { .. }
            | Self::Word { .. }
            | Self::Pack(_)
            | Self::Map(_)
            | Self::Chart(ChartError::Threads(_))
            | Self::Read(ReadError::Map(_) | ReadError::Pattern(_)) => {
                return None;
            }
        })
    }
}

/// Answers a question from the disk as it is now.
pub fn answer(context: AnswerContext<'_>, question: &QuestionV1) -> Result<Answer, AnswerError> {
    let session = context.session;
    let system = CancellableSystem::new(session.system(), context.watch);
    let mut question = spelled_out(&as_search(question));
    mask_settings(&mut question, &system, &session.config().root);
    let root = session.config().root.to_string_lossy().into_owned();
    // A search needs no map.
    if let QuestionV1::Search(search) = &question {
        let outlines = session.outlines(OUTLINES_MADE_BY);
        let config = session.config();
        let of = SearchContext { system: &system, config, outlines: Some(outlines) };
        let found = session.install(|| search_question(of, search));
        // After a cancellation, discard the result: it was made from failed calls.
        if context.watch.is_cancelled() {
            return Err(MapError::Stopped.into());
        }
        let found = found?;
        let (files, asked_of, mut notices) = (found.files(), found.searched(), found.notices());
        notices.extend(outlines.save(session.system()));
        let head = format!("{}{}", found.head(), searched::why_nothing(search, asked_of.count));
        let report = Report::Search(found);
        return Ok(Answer { question, report, files, asked_of, notices, head, root });
    }
    // Nor does a task. Invalid questions are refused first.
    let prepared = draft::prepare(session, &question)?;
    if let QuestionV1::Pack(pack) = &question
        && draft::packed::is_task_alone(pack)
    {
        let room = budget_of(&question).saturating_sub(FRAME_TOKENS);
        let found = session.install(|| draft::packed::task_alone(session, &system, pack, room));
        if context.watch.is_cancelled() {
            return Err(MapError::Stopped.into());
        }
        let (Draft { head, report, files, notices, .. }, asked_of) = found?;
        return Ok(Answer { question, report, files, asked_of, notices, head, root });
    }
    if let QuestionV1::Read(read) = &question
        && let Some((draft, asked_of)) = draft::lines_alone(session, &system, read)?
    {
        if context.watch.is_cancelled() {
            return Err(MapError::Stopped.into());
        }
        let Draft { head, report, files, notices, .. } = draft;
        return Ok(Answer { question, report, files, asked_of, notices, head, root });
    }
    let mut tries = 0;
    loop {
        let snapshot = session.refresh_while(context.watch)?;
        let draft = || draft::draft(session, &system, &snapshot, &question, prepared.as_ref());
        let draft = session.install(draft);
        if context.watch.is_cancelled() {
            return Err(MapError::Stopped.into());
        }
        tries += 1;
        let mut draft = draft?;
        if tries < TRIES && draft.is_torn(&snapshot.map) {
            continue;
        }
        if let Some(commits) = draft.commits.take() {
            session.keep_commits(commits);
        }
        let map = &snapshot.map;
        let Draft { head, report, files, notices, .. } = draft;
        let notices = map.notices.iter().cloned().chain(notices).collect();
        let asked_of = FileSet::of(map.universe.iter().map(|file| file.path.as_str()));
        return Ok(Answer { question, report, files, asked_of, notices, head, root });
    }
}

/// A chart of a task is a search for the places that the task is about.
fn as_search(question: &QuestionV1) -> QuestionV1 {
    let QuestionV1::Chart(chart) = question else { return question.clone() };
    if chart.task.is_none() {
        return question.clone();
    }
    QuestionV1::Search(SearchQuestionV1 {
        task: chart.task.clone(),
        paths: chart.paths.clone(),
        budget: chart.budget,
        ..SearchQuestionV1::default()
    })
}

/// The most notices that an answer lists.
const MOST_TOLD: usize = 3;

/// The notices of an answer in words. Those on how the repository was read, and on where its root is, do not change
/// what the answer means.
fn told(notices: &[Notice]) -> String {
    let own = notices.iter().filter(|notice| {
        !notice.code.is_request_independent() && notice.code != NoticeCode::ConfigRoot
    });
    let own: Vec<&Notice> = own.collect();
    let mut told = String::new();
    for notice in own.iter().take(MOST_TOLD) {
        let place = notice.place.as_ref().map_or_else(String::new, |place| match place.position {
            Some((line, _)) => format!("{}:{line}: ", place.path),
            None => format!("{}: ", place.path),
        });
        told.push_str(&escape_invisible(&format!("(notice: {place}{})", notice.message)));
        told.push('\n');
    }
    if own.len() > MOST_TOLD {
        let _ = writeln!(told, "({} more notices of this answer)", own.len() - MOST_TOLD);
    }
    told
}

/// The answer of something that is no repository: `sources` say what it was made from, by their names.
pub fn sealed(
    root: &str,
    question: &QuestionV1,
    text: &str,
    sources: &BTreeMap<String, String>,
) -> TextAnswer {
    let sources = sources.iter().map(|(name, said)| (name.clone(), sha256(said.as_bytes())));
    let sources: BTreeMap<String, Sha256Digest> = sources.collect();
    let head = text.split('\n').next().unwrap_or_default();
    let body = marked(&text[head.len()..], sources.keys().map(String::as_str));
    let text = format!("{}{body}", escape_invisible(&redact(head)));
    seal(root, spelled_out(question), &text, sources, FileSet::default())
}

/// An answer with its digest, which covers all that it was made from: the question, the names of all files (also the
/// absence of one can make the answer), the bytes of those that it shows or names, and the text itself.
fn seal(
    root: &str,
    question: QuestionV1,
    text: &str,
    files: BTreeMap<String, Sha256Digest>,
    asked_of: FileSet,
) -> TextAnswer {
    let mut bytes = question.to_canonical().into_bytes();
    bytes.push(b'\n');
    bytes.extend_from_slice(asked_of.names.as_bytes());
    for (path, digest) in &files {
        bytes.push(b'\n');
        bytes.extend_from_slice(path.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(digest.as_bytes());
    }
    let body = sha256(text.as_bytes());
    bytes.push(b'\n');
    bytes.extend_from_slice(body.as_bytes());
    let mut digest = sha256(&bytes).to_string();
    digest.truncate(16);
    let manifest = ManifestV1 {
        v: 1,
        root: root.to_owned(),
        question,
        body: body.to_string(),
        files: files.into_iter().map(|(path, sha256)| (path, sha256.to_string())).collect(),
    };
    let head = text.lines().next().unwrap_or_default().to_owned();
    TextAnswer { text: format!("@{digest} {text}"), digest, head, manifest }
}

/// Cuts a text to a budget, by whole lines: a last guard, for what its maker did not cut itself.
fn cut(text: &str, budget: u64) -> String {
    let count = |text: &str| Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default();
    let room = budget.saturating_sub(FRAME_TOKENS);
    // No token is shorter than a byte.
    if text.len() as u64 <= room || count(text) <= room {
        return text.to_owned();
    }
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let fits = ends.partition_point(|end| count(text.get(..*end).unwrap_or_default()) <= room);
    let shown = fits.checked_sub(1).map_or(0, |last| ends[last]);
    let left = ends.len() - fits;
    let kept = text.get(..shown).unwrap_or_default();
    let (lines, enough) = (if left == 1 { "line" } else { "lines" }, count(text) + FRAME_TOKENS);
    format!("{kept}… {left} more {lines}: ask for less at once, or with a budget of {enough}\n")
}

/// A question with its defaults, as it may be kept: who leaves them out asks the same as who says them. Secrets in the
/// output of a tool and in a task are masked before anything is made of them, so that `check` asks the same again.
fn spelled_out(question: &QuestionV1) -> QuestionV1 {
    let mut question = question.clone();
    let mask = |text: &mut String| *text = masked(text.as_bytes());
    match &mut question {
        QuestionV1::Look(look) => {
            look.side.get_or_insert_default();
            look.depth = look.depth.filter(|depth| *depth > 1);
        }
        QuestionV1::Read(read) => {
            read.needs.get_or_insert_default();
            read.enclosure.get_or_insert_default();
            read.closure.get_or_insert_default();
        }
        QuestionV1::Pack(pack) => pack.failure.iter_mut().chain(&mut pack.task).for_each(mask),
        QuestionV1::Chart(chart) => chart.task.iter_mut().for_each(mask),
        QuestionV1::Search(search) => search.task.iter_mut().for_each(mask),
        // A selection without a budget is whole.
        QuestionV1::Select(_) => return question,
        QuestionV1::Path(_) | QuestionV1::Impact(_) => {}
    }
    let usual = Budget::new(budget::usual(&question));
    let budget = question.budget_mut();
    *budget = budget.or(usual);
    question
}

/// Masks in what a tool printed and in a task what only the repository's settings files may hold.
fn mask_settings(question: &mut QuestionV1, system: &dyn System, root: &Path) {
    let (failure, task) = match question {
        QuestionV1::Pack(pack) => (pack.failure.as_mut(), pack.task.as_mut()),
        QuestionV1::Search(search) => (None, search.task.as_mut()),
        _ => return,
    };
    for text in failure.into_iter().chain(task) {
        let bytes = settings_values::masked(system, root, std::mem::take(text).into_bytes());
        *text = String::from_utf8_lossy(&bytes).into_owned();
    }
}

/// The digest of a node's bytes, as the Map has it.
fn known_digest(map: &MapReport, id: &str) -> Option<Sha256Digest> {
    map.graph.node(map.graph.index_of(id)?).sha256
}

#[cfg(test)]
mod tests;
