//! What an answer says, before it has its first line.

pub(super) mod packed;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use portolan_types::{NodeId, Notice, Sha256Digest};
use portolan_vfs::{FileKind, System};
use portolan_wire::question::{
    Budget, ChartQuestionV1, LookQuestionV1, NeedsMode, PathQuestionV1, QuestionV1, ReadQuestionV1,
    SelectQuestionV1,
};

use super::budget::of_read;
use super::{AnswerError, DEFAULT_BUDGET, FRAME_TOKENS, Report, budget_of, known_digest};
use crate::chart::{
    ChartError, ChartRequest, FileWeights, LEAST_BUDGET, changed_since, draw_chart,
};
use crate::declarations::{
    LookRequest, ReadRequest, SliceRequest, Target, UseFilter, look, parse_target, read,
};
use crate::file_set::FileSet;
use crate::map_paths::MapPaths;
use crate::path::path;
use crate::search::SearchError;
use crate::select::{SelectEntries, SelectError, SelectSource, select_question};
use crate::target::path_and_lines;
use portolan_diagnostics::readers::ParsedOutput;
use portolan_index::history::{Kept as KeptCommits, commits_since};
use portolan_index::map::MapReport;
use portolan_index::session::{Session, Snapshot};
use portolan_workspace::config::is_repository;
use portolan_workspace::path_input::{EVERYTHING, PathInput};

/// The largest depth of a look.
const MOST_DEPTH: u8 = 8;

/// What an answer says, and of which files.
pub(super) struct Draft {
    /// What follows the digest on the first line.
    pub(super) head: String,
    /// The rest, as data.
    pub(super) report: Report,
    /// The files that it shows or names, with the digests of what was seen.
    pub(super) files: BTreeMap<String, Sha256Digest>,
    /// What was noticed beyond what the Map has.
    pub(super) notices: Vec<Notice>,
    /// The commits that were read for it, for the next question.
    pub(super) commits: Option<KeptCommits>,
}

impl Draft {
    /// Whether a file was not the same when it was read as when the Map was made.
    pub(super) fn is_torn(&self, map: &MapReport) -> bool {
        let differs = |(path, seen): (&String, &Sha256Digest)| {
            known_digest(map, path).is_some_and(|known| known != *seen)
        };
        self.files.iter().any(differs)
    }
}

/// Refuses what cannot be answered before the work begins, and reads what a tool printed.
pub(super) fn prepare(
    session: &Session<'_>,
    question: &QuestionV1,
) -> Result<Option<ParsedOutput>, AnswerError> {
    match question {
        QuestionV1::Chart(question) => {
            let budget = question.budget.map_or(DEFAULT_BUDGET, Budget::tokens);
            let is_enough = budget >= LEAST_BUDGET;
            if is_enough { Ok(None) } else { Err(ChartError::Budget(budget).into()) }
        }
        QuestionV1::Look(question) => {
            let what = "targets: path, path#name or name";
            need(!question.targets.is_empty(), "look", what).map(|()| None)
        }
        QuestionV1::Read(question) => {
            let what = "targets: path, path:line, path#name or name";
            need(!question.targets.is_empty(), "read", what).map(|()| None)
        }
        QuestionV1::Path(question) => {
            let is_whole = !question.from.is_empty() && !question.to.is_empty();
            need(is_whole, "path", "from and to: path#name, path:line or name").map(|()| None)
        }
        QuestionV1::Pack(question) => packed::prepare(session, question),
        QuestionV1::Select(question) => {
            let is_asked = !question.entries.is_empty() || question.importers.is_some();
            need(is_asked, "select", "entries (ID, ID:DEPTH or ID:DEPTH:KINDS) or importers")
                .map(|()| None)
        }
        QuestionV1::Impact(_) | QuestionV1::Search(_) => Ok(None),
    }
}

/// Answers a question on a snapshot.
pub(super) fn draft(
    session: &Session<'_>,
    system: &dyn System,
    snapshot: &Snapshot,
    question: &QuestionV1,
    output: Option<&ParsedOutput>,
) -> Result<Draft, AnswerError> {
    let room = budget_of(question).saturating_sub(FRAME_TOKENS);
    let map = &snapshot.map;
    match question {
        QuestionV1::Chart(question) => chart(session, system, map, question, room),
        QuestionV1::Look(question) => look_draft(session, system, map, question),
        QuestionV1::Read(question) => read_draft(session, system, map, question),
        QuestionV1::Path(question) => path_draft(session, system, map, question),
        QuestionV1::Impact(question) => packed::impact(session, system, map, question),
        QuestionV1::Select(question) => select_draft(session, system, snapshot, question),
        QuestionV1::Pack(question) => {
            packed::pack(session, system, map, question, output.cloned(), room)
        }
        // It is answered without a snapshot.
        QuestionV1::Search(_) => Err(SearchError::Empty.into()),
    }
}

fn chart(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &ChartQuestionV1,
    room: u64,
) -> Result<Draft, AnswerError> {
    let config = session.config();
    let since = question.changed.as_deref().map(|it| if it.is_empty() { "HEAD" } else { it });
    let changed = since.map(|revision| changed_since(system, &config.root, revision, map));
    let changed = changed.transpose().map_err(AnswerError::Revision)?.unwrap_or_default();
    let told = since.map(|since| format!(", {} changed since {since}", changed.len()));
    let path_input = PathInput::here(config);
    // A chart of the root is the chart of everything.
    let is_part = |path: &&String| path_input.plain(path, &|_| true) != EVERYTHING;
    let zoom: Vec<String> = question.paths.iter().filter(is_part).cloned().collect();
    let zoom = if zoom.len() < question.paths.len() { Vec::new() } else { zoom };
    let kept = Mutex::new(session.commits());
    let earlier = || commits_since(&session.index_files(system), map, &kept);
    let request = ChartRequest {
        zoom,
        path_input,
        changed,
        task: question.task.clone(),
        commits: question.task.as_ref().map(|_| earlier()).unwrap_or_default(),
        budget: room,
        weights: FileWeights::default(),
    };
    let report = draw_chart(session, map, system, &request)?;
    let asked = if question.paths.is_empty() { ".".to_owned() } else { question.paths.join(" ") };
    let mut files = with_digests(map, report.listed.iter().map(NodeId::as_str));
    files.extend(report.seen.iter().cloned());
    let told = told.unwrap_or_default();
    let unmet = if report.is_unmet { ", none has a word of the task" } else { "" };
    Ok(Draft {
        head: format!("chart {asked} {} files{told}{unmet}", map.universe.len()),
        files,
        notices: report.notices.clone(),
        report: Report::Chart(report),
        commits: Some(kept.into_inner().unwrap_or_else(PoisonError::into_inner)),
    })
}

fn look_draft(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &LookQuestionV1,
) -> Result<Draft, AnswerError> {
    let depth = question.depth.unwrap_or(1).clamp(1, MOST_DEPTH);
    let request = LookRequest {
        targets: question.targets.clone(),
        side: question.side.unwrap_or_default(),
        depth,
        filter: UseFilter {
            certain: question.certain,
            possible: question.possible,
            tests: question.tests,
        },
        verbose: question.verbose,
    };
    let store = session.declarations();
    let report = look(system, session.config(), map, store, &request)?;
    let seen = report.looks.iter().flat_map(|look| {
        [&look.needs, &look.users].into_iter().flatten().flatten().chain(&look.overrides)
    });
    let named = seen.map(|neighbour| neighbour.file.as_str());
    let path_input = PathInput::here(session.config());
    let targets = question.targets.iter().map(|target| path_of(map, &path_input, target));
    let targets: Vec<String> = targets.collect();
    let files = with_digests(map, named.chain(targets.iter().map(String::as_str)));
    let notices = store.save(system).into_iter().collect();
    Ok(Draft { head: report.head(), report: Report::Look(report), files, notices, commits: None })
}

fn path_draft(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &PathQuestionV1,
) -> Result<Draft, AnswerError> {
    let store = session.declarations();
    let report = path(system, session.config(), map, store, question)?;
    let files = with_digests(map, report.files());
    let notices = store.save(system).into_iter().collect();
    Ok(Draft { head: report.head(), report: Report::Path(report), files, notices, commits: None })
}

fn select_draft(
    session: &Session<'_>,
    system: &dyn System,
    snapshot: &Snapshot,
    question: &SelectQuestionV1,
) -> Result<Draft, AnswerError> {
    let source = SelectSource::Repository { session, system, snapshot };
    let entries = SelectEntries::typed(question).map_err(SelectError::from)?;
    let (report, told) = select_question(&source, question, &entries)?;
    let files = with_digests(&snapshot.map, report.ids());
    Ok(Draft {
        head: format!("select {}", question.entries.join(" ")).trim_end().to_owned(),
        report: Report::Select(Box::new(report)),
        files,
        notices: told.into_iter().collect(),
        commits: None,
    })
}

/// The file that a target is in, as far as its text says so.
fn path_of(map: &MapReport, path_input: &PathInput, target: &str) -> String {
    match parse_target(target, path_input, &MapPaths::of(map)) {
        Target::File(path)
        | Target::Place(path, ..)
        | Target::Lines(path, ..)
        | Target::Named(path, _) => path,
        Target::Name(name) => name,
    }
}

fn read_draft(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &ReadQuestionV1,
) -> Result<Draft, AnswerError> {
    let request = read_request(question);
    let store = session.declarations();
    let report = read(system, session.config(), map, store, &request)?;
    let slices = report.set.slices.iter().map(|slice| (slice.file.clone(), slice.sha256));
    let outlines = report.outlines.iter().map(|outline| (outline.file.clone(), outline.sha256));
    let files = slices.chain(outlines).collect();
    Ok(Draft {
        head: report.head(&question.targets),
        report: Report::Read(Box::new(report)),
        files,
        notices: store.save(system).into_iter().collect(),
        commits: None,
    })
}

/// Answers for lines of files (`path:10-20`) where the root is no repository: what lies around the files may be a whole
/// disk, and is not needed. `None` where the Map is.
pub(super) fn lines_alone(
    session: &Session<'_>,
    system: &dyn System,
    question: &ReadQuestionV1,
) -> Result<Option<(Draft, FileSet)>, AnswerError> {
    let config = session.config();
    let asks_more =
        question.users || matches!(question.needs, Some(NeedsMode::Signatures | NeedsMode::Full));
    if asks_more || is_repository(system, config) {
        return Ok(None);
    }
    let path_input = PathInput::here(config);
    let is_file = |path: &str| {
        let found = system.lstat(&config.root.join(path));
        found.is_ok_and(|stat| stat.kind == FileKind::File)
    };
    let file = |text: &String| {
        let (path, ..) = path_and_lines(text)?;
        Some(path_input.plain(path, &is_file)).filter(|path| is_file(path))
    };
    let files: Option<Vec<String>> = question.targets.iter().map(file).collect();
    let Some(files) = files else { return Ok(None) };
    let map = session.map_of(system, files)?;
    // A file that is ignored or linked is for the Map to tell of.
    let found = session.install(|| read_draft(session, system, &map, question)).ok();
    let asked_of = FileSet::of(map.universe.iter().map(|file| file.path.as_str()));
    Ok(found.filter(|draft| !draft.is_torn(&map)).map(|draft| (draft, asked_of)))
}

/// A question as the use case takes it, with room for the lines around the text.
pub fn read_request(question: &ReadQuestionV1) -> ReadRequest {
    ReadRequest {
        frame: FRAME_TOKENS,
        targets: question.targets.clone(),
        needs: question.needs.unwrap_or_default(),
        enclosure: question.enclosure.unwrap_or_default(),
        matching: question.matching.clone(),
        all: question.all,
        verbose: question.verbose,
        slices: SliceRequest {
            budget: question.budget.map_or_else(|| of_read(question), Budget::tokens),
            closure: question.closure.unwrap_or_default(),
            max_bytes: question.max_bytes,
            max_nodes: question.max_nodes,
            ..SliceRequest::default()
        },
        users: question.users,
    }
}

fn need(is_there: bool, question: &'static str, what: &'static str) -> Result<(), AnswerError> {
    if is_there { Ok(()) } else { Err(AnswerError::Needs { question, what }) }
}

fn plural(word: &str, count: usize) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

/// The files among some ids, with their digests.
fn with_digests<'i>(
    map: &MapReport,
    ids: impl Iterator<Item = &'i str>,
) -> BTreeMap<String, Sha256Digest> {
    ids.filter_map(|id| Some((id.to_owned(), known_digest(map, id)?))).collect()
}
