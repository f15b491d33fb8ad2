//! What an answer says, before it has its first line.

use std::collections::BTreeMap;

use portolan_types::{NodeId, Notice, Sha256Digest};
use portolan_vfs::System;
use portolan_wire::question::{
    ChartQuestionV1, ClosureV1, EnclosureV1, LookQuestionV1, NeedsV1, PackQuestionV1, QuestionV1,
    ReadQuestionV1, SideV1,
};

use super::{AnswerError, FRAME_TOKENS, budget_of, known_digest};
use crate::chart::{ChartRequest, InterestSettings, LEAST_BUDGET};
use crate::declarations::{
    Closure, Enclosure, LookRequest, NeedsMode, ReadRequest, Side, SliceRequest, look, read,
};
use crate::diagnostics::DiagnosticsRequest;
use crate::map::{CacheMode, MapReport};
use crate::pack::{
    Base, FocusRule, PackForm, PackRequest, SMALLEST_BUDGET, build_context_on as build_pack,
};
use crate::session::{Session, Snapshot};
use crate::spelling::Spelling;

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
        QuestionV1::Look(question) => look_draft(session, system, map, question),
        QuestionV1::Read(question) => read_draft(session, system, map, question, room),
        QuestionV1::Pack(question) => pack(session, system, map, question, room),
    }
}

fn chart(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &ChartQuestionV1,
    room: u64,
) -> Result<Draft, AnswerError> {
    let request = ChartRequest {
        zoom: question.paths.clone(),
        spelling: Spelling::here(session.config()),
        changed: Vec::new(),
        task: question.task.clone(),
        // Whoever asks for the least there is gets that, and the first line.
        budget: if question.budget.is_some_and(|it| it < LEAST_BUDGET) {
            question.budget.unwrap_or_default()
        } else {
            room.max(LEAST_BUDGET)
        },
        interest: InterestSettings::default(),
    };
    request.check()?;
    let report = session.atlas(map, system).chart(&request)?;
    let asked = if question.paths.is_empty() { ".".to_owned() } else { question.paths.join(" ") };
    let listed = report.listed.iter().map(NodeId::as_str);
    Ok(Draft {
        head: format!("chart {asked} {} files", map.universe.len()),
        files: with_digests(map, listed),
        body: report.text,
        notices: report.notices,
    })
}

fn look_draft(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &LookQuestionV1,
) -> Result<Draft, AnswerError> {
    let what = "targets: path, path#name or name";
    need(!question.targets.is_empty(), "look", what)?;
    let side = match question.side.unwrap_or_default() {
        SideV1::Needs => Side::Needs,
        SideV1::Users => Side::Users,
        SideV1::Both => Side::Both,
    };
    let request = LookRequest { targets: question.targets.clone(), side };
    let looks = look(system, session.config(), map, &request)?;
    let seen = looks.iter().flat_map(|look| [&look.needs, &look.users]).flatten().flatten();
    let named = seen.map(|neighbour| neighbour.file.as_str());
    let targets = question.targets.iter().map(|target| path_of(map, target));
    let files = with_digests(map, named.chain(targets));
    let text = looks.iter().map(crate::declarations::Look::to_text).collect::<Vec<_>>().join("\n");
    let (head, body) = text.split_once('\n').unwrap_or((&text, ""));
    Ok(Draft { head: head.to_owned(), body: body.to_owned(), files, notices: Vec::new() })
}

/// The file that a target is in, as far as its text says so.
fn path_of<'t>(map: &MapReport, target: &'t str) -> &'t str {
    let target = target.strip_prefix("./").unwrap_or(target);
    if known_digest(map, target).is_some() {
        return target;
    }
    let before = |mark| target.split_once(mark).map(|(path, _)| path);
    before('#').or_else(|| before(':')).unwrap_or(target)
}

fn read_draft(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &ReadQuestionV1,
    room: u64,
) -> Result<Draft, AnswerError> {
    let what = "targets: path, path:line, path#name or name";
    need(!question.targets.is_empty(), "read", what)?;
    let request = read_request(question, room);
    let report = read(system, session.config(), map, &request)?;
    let slices = &report.set.slices;
    let files = slices.iter().map(|slice| (slice.file.clone(), slice.sha256)).collect();
    let targets = question.targets.join(" ");
    let (tokens, count) = (report.set.tokens, slices.len());
    Ok(Draft {
        head: format!("read {targets} {tokens} tokens of {count} {}", plural("file", count)),
        body: report.to_text(),
        files,
        notices: Vec::new(),
    })
}

/// A question as the use case takes it.
fn read_request(question: &ReadQuestionV1, budget: u64) -> ReadRequest {
    ReadRequest {
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
            budget,
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

fn pack(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &PackQuestionV1,
    room: u64,
) -> Result<Draft, AnswerError> {
    let failure = question.failure.as_deref().unwrap_or_default();
    need(!failure.trim().is_empty(), "pack", "failure: what a tool printed")?;
    let config = session.config().clone();
    let request = PackRequest {
        output: DiagnosticsRequest {
            directory: config.root.clone(),
            config,
            shown: "failure".to_owned(),
            output: failure.as_bytes().to_vec(),
            format: None,
        },
        diag: "-".to_owned(),
        focus: FocusRule::Ranked,
        base: Base::Auto,
        budget: room.max(SMALLEST_BUDGET),
        form: PackForm::Markdown,
        threads: 0,
        cache: CacheMode::Off,
    };
    let report = build_pack(system, map, &request)?;
    let inputs = report.context.pack.digests.inputs.iter().skip(1);
    let files = with_digests(map, inputs.map(|input| input.path.as_str()));
    let (tokens, count) = (report.context.tokens, files.len());
    let mut body = report.context.text;
    if !body.ends_with('\n') {
        body.push('\n');
    }
    let head = format!("pack failure {tokens} tokens of {count} {}", plural("file", count));
    Ok(Draft { head, body, files, notices: report.notices })
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
