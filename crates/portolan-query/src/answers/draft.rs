//! What an answer says, before it has its first line.

pub(super) mod packed;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use portolan_types::{NodeId, Notice, Sha256Digest};
use portolan_vfs::System;
use portolan_wire::question::{
    ChartQuestionV1, ClosureV1, EnclosureV1, LookQuestionV1, NeedsV1, QuestionV1, ReadQuestionV1,
    SideV1,
};

use super::{AnswerError, DEFAULT_BUDGET, FRAME_TOKENS, budget_of, known_digest};
use crate::chart::{
    ChartError, ChartRequest, InterestSettings, LEAST_BUDGET, changed_since, draw_chart,
};
use crate::declarations::Closure;
use crate::declarations::Enclosure;
use crate::declarations::LookRequest;
use crate::declarations::NeedsMode;
use crate::declarations::ReadRequest;
use crate::declarations::Side;
use crate::declarations::SliceRequest;
use crate::declarations::Target;
use crate::declarations::UseFilter;
use crate::declarations::look;
use crate::declarations::parse_target;
use crate::declarations::read;
use crate::search::SearchError;
use portolan_index::history::{Kept as KeptCommits, commits_since};
use portolan_index::map::MapReport;
use portolan_index::session::{Session, Snapshot};
use portolan_workspace::path_input::PathInput;

/// So many steps away is as far as a look goes.
const MOST_DEPTH: u8 = 8;

/// What an answer says, and of which files.
pub(super) struct Draft {
    /// What follows the digest on the first line.
    pub(super) head: String,
    /// The rest.
    pub(super) body: String,
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

/// Answers a question on a snapshot.
pub(super) fn draft(
    session: &Session<'_>,
    system: &dyn System,
    snapshot: &Snapshot,
    question: &QuestionV1,
) -> Result<Draft, AnswerError> {
    let room = budget_of(question).saturating_sub(FRAME_TOKENS);
    let map = &snapshot.map;
    match question {
        QuestionV1::Chart(question) => chart(session, system, map, question, room),
        QuestionV1::Look(question) => look_draft(session, system, map, question, room),
        QuestionV1::Read(question) => read_draft(session, system, map, question),
        QuestionV1::Pack(question) => packed::pack(session, system, map, question, room),
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
    if let Some(budget) = question.budget.filter(|budget| *budget < LEAST_BUDGET) {
        return Err(ChartError::Budget(budget).into());
    }
    let since = question.changed.as_deref().map(|it| if it.is_empty() { "HEAD" } else { it });
    let changed = since.map(|revision| changed_since(system, &config.root, revision, map));
    let changed = changed.transpose().map_err(AnswerError::Revision)?.unwrap_or_default();
    let told = since.map(|since| format!(", {} changed since {since}", changed.len()));
    let kept = Mutex::new(session.commits());
    let earlier = || commits_since(&session.index_files(system), map, &kept);
    let request = ChartRequest {
        zoom: question.paths.clone(),
        path_input: PathInput::here(config),
        changed,
        task: question.task.clone(),
        commits: question.task.as_ref().map(|_| earlier()).unwrap_or_default(),
        budget: room,
        interest: InterestSettings::default(),
    };
    let report = draw_chart(session, map, system, &request)?;
    let asked = if question.paths.is_empty() { ".".to_owned() } else { question.paths.join(" ") };
    let mut files = with_digests(map, report.listed.iter().map(NodeId::as_str));
    files.extend(report.seen);
    let told = told.unwrap_or_default();
    let unmet = if report.is_unmet { ", none has a word of the task" } else { "" };
    Ok(Draft {
        head: format!("chart {asked} {} files{told}{unmet}", map.universe.len()),
        files,
        body: report.text,
        notices: report.notices,
        commits: Some(kept.into_inner().unwrap_or_else(PoisonError::into_inner)),
    })
}

fn look_draft(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &LookQuestionV1,
    room: u64,
) -> Result<Draft, AnswerError> {
    let what = "targets: path, path#name or name";
    need(!question.targets.is_empty(), "look", what)?;
    let side = match question.side.unwrap_or_default() {
        SideV1::Needs => Side::Needs,
        SideV1::Users => Side::Users,
        SideV1::Both => Side::Both,
        SideV1::Overrides => Side::Overrides,
    };
    let depth = question.depth.unwrap_or(1).clamp(1, MOST_DEPTH);
    let request = LookRequest {
        targets: question.targets.clone(),
        side,
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
    let text = report.to_text(room);
    let (head, body) = text.split_once('\n').unwrap_or((&text, ""));
    let notices = store.save(system, session.config()).into_iter().collect();
    Ok(Draft { head: head.to_owned(), body: body.to_owned(), files, notices, commits: None })
}

/// The file that a target is in, as far as its text says so.
fn path_of(map: &MapReport, path_input: &PathInput, target: &str) -> String {
    match parse_target(target, path_input, |path| known_digest(map, path).is_some()) {
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
    let what = "targets: path, path:line, path#name or name";
    need(!question.targets.is_empty(), "read", what)?;
    let request = read_request(question);
    let store = session.declarations();
    let report = read(system, session.config(), map, store, &request)?;
    let slices = &report.set.slices;
    let files = slices.iter().map(|slice| (slice.file.clone(), slice.sha256)).collect();
    let targets = question.targets.join(" ");
    let (tokens, count) = (report.set.tokens(), slices.len());
    Ok(Draft {
        head: format!("read {targets} {tokens} tokens of {count} {}", plural("file", count)),
        body: report.to_text(),
        files,
        notices: store.save(system, session.config()).into_iter().collect(),
        commits: None,
    })
}

/// A question as the use case takes it. Whoever shows the report without the lines around it leaves room for them all
/// the same: one question shows the same in every format.
pub fn read_request(question: &ReadQuestionV1) -> ReadRequest {
    ReadRequest {
        frame: FRAME_TOKENS,
        targets: question.targets.clone(),
        needs: match question.needs.unwrap_or_default() {
            NeedsV1::Heads => NeedsMode::Heads,
            NeedsV1::Full => NeedsMode::Full,
            NeedsV1::None => NeedsMode::None,
        },
        enclosure: match question.enclosure.unwrap_or_default() {
            EnclosureV1::Defn => Enclosure::Defn,
            EnclosureV1::Decl => Enclosure::Decl,
            EnclosureV1::Module => Enclosure::Module,
        },
        slices: SliceRequest {
            budget: question.budget.unwrap_or(DEFAULT_BUDGET),
            closure: match question.closure.unwrap_or_default() {
                ClosureV1::Locals => Closure::Locals,
                ClosureV1::Types => Closure::Types,
                ClosureV1::Imports => Closure::Imports,
                ClosureV1::All => Closure::All,
            },
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
