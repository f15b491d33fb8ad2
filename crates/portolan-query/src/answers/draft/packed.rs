//! Packs as answers: of a failure, or of what is to be done.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use portolan_diagnostics::readers::ParsedOutput;
use portolan_types::Sha256Digest;
use portolan_vfs::System;
use portolan_wire::question::{Budget, ImpactQuestionV1, PackQuestionV1};
use portolan_wire::slice::FileDigest;

use super::{Draft, need, plural, with_digests};
use crate::answers::{AnswerError, Report};
use crate::chart::ranking_index;
use crate::diagnostics::{DiagnosticsRequest, Format, reading};
use crate::file_set::FileSet;
use crate::pack::{
    Base, CHANGE_BUDGET, FocusRule, PackError, PackForm, PackReport, PackRequest, SMALLEST_BUDGET,
    TaskInputs, UndertakingRequest, build_impact_on, build_task, build_undertaking_on, pack_of,
};
use crate::search::{OUTLINES_MADE_BY, SearchContext};
use portolan_index::history::Kept as KeptCommits;
use portolan_index::map::MapReport;
use portolan_index::session::Session;

/// Refuses what is no pack, and reads what a tool printed.
pub(super) fn prepare(
    session: &Session<'_>,
    question: &PackQuestionV1,
) -> Result<Option<ParsedOutput>, AnswerError> {
    let is_said = |text: &Option<String>| text.as_ref().is_some_and(|it| !it.trim().is_empty());
    let is_to_do = is_said(&question.task) || question.changed.is_some() || !question.at.is_empty();
    let what = "failure (what a tool printed), task, changed or at";
    need(question.failure.is_some() || is_to_do, "pack", what)?;
    need(question.failure.is_none() || !is_to_do, "pack", "failure alone")?;
    let budget = question.budget.map(Budget::tokens);
    if let Some(budget) = budget.filter(|budget| *budget < SMALLEST_BUDGET) {
        return Err(PackError::Budget(budget).into());
    }
    if is_to_do {
        return Ok(None);
    }
    let output = output_request(session, question)?;
    Ok(Some(reading(&output).map_err(PackError::from)?))
}

/// A pack of what a tool printed, as far as it was read, or of what is to be done.
pub(super) fn pack(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &PackQuestionV1,
    output: Option<ParsedOutput>,
    room: u64,
) -> Result<Draft, AnswerError> {
    let budget = room.max(SMALLEST_BUDGET);
    let is_failure = output.is_some();
    let (about, report, commits) = match output {
        None => {
            let (report, commits) = task_pack(session, system, map, question, budget)?;
            (about(question), report, Some(commits))
        }
        Some(output) => {
            let report = of_failure(session, system, map, question, output, budget)?;
            ("failure".to_owned(), report, None)
        }
    };
    // What the tool printed is the first of what a failure is packed from.
    let inputs = report.context.pack.digests.inputs.iter().skip(usize::from(is_failure));
    let files = with_digests(map, inputs.map(|input| input.path.as_str()));
    let (tokens, count) = (report.context.tokens, files.len());
    let head = head(&about, tokens, count);
    let mut notices = report.notices.clone();
    notices.extend(session.declarations().save(system));
    Ok(Draft { head, report: Report::Pack(Box::new(report)), files, notices, commits })
}

fn head(about: &str, tokens: u64, count: usize) -> String {
    format!("pack {about} {tokens} tokens of {count} {}", plural("file", count))
}

/// Whether a question is about a task and nothing else.
pub(in crate::answers) fn is_task_alone(question: &PackQuestionV1) -> bool {
    let is_said = question.task.as_ref().is_some_and(|task| !task.trim().is_empty());
    is_said && question.changed.is_none() && question.at.is_empty() && question.failure.is_none()
}

/// The pack of a task, from the files alone, and the files that were searched: there is no Map to wait for.
pub(in crate::answers) fn task_alone(
    session: &Session<'_>,
    system: &dyn System,
    question: &PackQuestionV1,
    room: u64,
) -> Result<(Draft, FileSet), AnswerError> {
    let request = request(session, question, room.max(SMALLEST_BUDGET));
    let outlines = session.outlines(OUTLINES_MADE_BY);
    let context = SearchContext { system, config: &request.config, outlines: Some(outlines) };
    let (report, searched) = build_task(context, &request)?;
    let inputs = &report.context.pack.digests.inputs;
    let digest = |input: &FileDigest| Some((input.path.clone(), input.sha256.parse().ok()?));
    let files: BTreeMap<String, Sha256Digest> = inputs.iter().filter_map(digest).collect();
    let head = head("task", report.context.tokens, files.len());
    let mut notices = report.notices.clone();
    notices.extend(outlines.save(session.system()));
    let report = Report::Pack(Box::new(report));
    Ok((Draft { head, report, files, notices, commits: None }, searched))
}

/// What is asked for, in a few words.
fn about(question: &PackQuestionV1) -> String {
    let mut words = question.at.clone();
    if let Some(since) = &question.changed {
        let since = if since.is_empty() { String::new() } else { format!(" {since}") };
        words.insert(0, format!("changed{since}"));
    }
    if question.task.is_some() {
        words.insert(0, "task".to_owned());
    }
    words.join(" ")
}

/// What a tool printed, as its readers take it.
fn output_request(
    session: &Session<'_>,
    question: &PackQuestionV1,
) -> Result<DiagnosticsRequest, AnswerError> {
    let config = session.config().clone();
    let known = |name: &String| {
        let formats = || Format::all().into_iter().map(Format::name).collect::<Vec<_>>();
        Format::from_name(name).ok_or_else(|| AnswerError::Word {
            what: "format",
            word: name.clone(),
            expected: formats().join(", "),
        })
    };
    Ok(DiagnosticsRequest {
        directory: config.root.join(&config.here),
        shown: "failure".to_owned(),
        output: question.failure.clone().unwrap_or_default().into_bytes(),
        format: question.format.as_ref().map(known).transpose()?,
        config,
    })
}

fn of_failure(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &PackQuestionV1,
    output: ParsedOutput,
    budget: u64,
) -> Result<PackReport, AnswerError> {
    let rule = |text: &String| {
        FocusRule::parse(text).ok_or_else(|| AnswerError::Word {
            what: "focus",
            word: text.clone(),
            expected: "first, a number from 1, path:line".to_owned(),
        })
    };
    let request = PackRequest {
        output: output_request(session, question)?,
        diag: "-".to_owned(),
        focus: question.focus.as_ref().map(rule).transpose()?.unwrap_or_default(),
        base: match question.base.as_deref() {
            None => Base::Auto,
            Some("none") => Base::Off,
            Some(revision) => Base::Revision(revision.to_owned()),
        },
        budget,
        form: PackForm::Markdown,
        threads: 0,
        cache: session.cache().mode(),
    };
    Ok(pack_of(system, map, session.declarations(), &request, output)?)
}

fn task_pack(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &PackQuestionV1,
    budget: u64,
) -> Result<(PackReport, KeptCommits), AnswerError> {
    let request = request(session, question, budget);
    with_inputs(session, system, map, |inputs| build_undertaking_on(inputs, &request))
}

/// Who is affected by a change.
pub(super) fn impact(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    question: &ImpactQuestionV1,
) -> Result<Draft, AnswerError> {
    let ImpactQuestionV1 { revision, at, .. } = question.clone();
    let changed = at.is_empty().then(|| revision.unwrap_or_default());
    let about = match &changed {
        Some(since) if since.is_empty() => "impact".to_owned(),
        Some(since) => format!("impact {since}"),
        None => format!("impact {}", at.join(" ")),
    };
    let pack = PackQuestionV1 { changed, at, ..PackQuestionV1::default() };
    let request = request(session, &pack, CHANGE_BUDGET);
    let (report, commits) =
        with_inputs(session, system, map, |inputs| build_impact_on(inputs, &request))?;
    let files = with_digests(map, report.files());
    let mut notices = report.notices.clone();
    notices.extend(session.declarations().save(system));
    let report = Report::Impact(Box::new(report));
    Ok(Draft { head: about, report, files, notices, commits: Some(commits) })
}

/// Answers from what the session keeps, and gives the commits back that were read for it.
fn with_inputs<R>(
    session: &Session<'_>,
    system: &dyn System,
    map: &MapReport,
    answer: impl FnOnce(&TaskInputs<'_>) -> Result<R, PackError>,
) -> Result<(R, KeptCommits), AnswerError> {
    let (ranking, commits) =
        (ranking_index(session, map, system, true), Mutex::new(session.commits()));
    let inputs = TaskInputs {
        system,
        config: session.config(),
        ranking: &ranking,
        store: session.declarations(),
        commits: &commits,
        cache: session.cache(),
    };
    let report = answer(&inputs)?;
    Ok((report, commits.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

fn request(session: &Session<'_>, question: &PackQuestionV1, budget: u64) -> UndertakingRequest {
    UndertakingRequest {
        config: session.config().clone(),
        task: question.task.clone(),
        at: question.at.clone(),
        changed: question.changed.clone(),
        tests: question.tests,
        budget,
        form: PackForm::Markdown,
        threads: 0,
        cache: session.cache().mode(),
    }
}
