//! What a task is about: the ranked places of `search --task`, and the parts of their files that it likely changes.
//!
//! Parts come by how likely they are to be changed, for what they cost. What is far less likely than the best part is not
//! shown, however much of the budget is left: code that has nothing to do with the task is worse than none.

use std::collections::BTreeSet;

use portolan_wire::context::{FoundV2, TestV2};

use super::cuts::{Cutter, FilePart};
use super::frames::frames_in;
use super::tests_named::{NamedTest, tests_naming};
use crate::file_set::FileSet;
use crate::pack::context::{
    ContextParts, SliceCandidate as Piece, SliceDecl, SliceRole as Role, TASK_BUDGET,
};
use crate::pack::texts::Texts;
use crate::pack::windows::around;
use crate::search::{FileClass, PlacesReport, SearchContext, SearchError, TaskPlace, search_task};
use portolan_index::token_counts::Tokenizer;
use portolan_wire::question::SearchQuestionV1;

/// The most places that are listed: the ten best, and the best of each of the next files.
const LISTED: usize = 15;
/// The most tokens of the list.
const LIST_TOKENS: u64 = 400;
/// A task of which no place has this share, in per mille, matches nothing.
const LEAST_EVIDENCE: u32 = 180;
/// A text with at least this many different words is long: no place has most of them.
const LONG_TASK: usize = 45;
/// The least share for a long text.
const LEAST_EVIDENCE_OF_LONG: u32 = 100;
/// A part is shown if it has this share of the chance of the best, with the usual budget.
const ENOUGH: f64 = 0.15;
/// A body with more lines is shown only around its matches.
const LONG_BODY: u32 = 80;
/// What is shown of a longer one, at least.
const MOST_LINES: usize = 40;
/// The most tests that are named.
const MOST_TESTS: usize = 8;
/// The most with the usual budget.
const MOST_TESTS_AT_FIRST: usize = 3;

/// What a task is about.
#[derive(Default)]
pub(super) struct TaskBodies {
    /// The places, best first.
    pub(super) places: Vec<FoundV2>,
    /// What the evidence is, in a sentence.
    pub(super) evidence: String,
    /// The bodies, best first.
    pub(super) pieces: Vec<Piece>,
    /// The tests that name them.
    pub(super) tests: Vec<TestV2>,
    /// The files that were searched.
    pub(super) searched: FileSet,
}

impl TaskBodies {
    /// Adds what is told beside code, and gives the bodies.
    pub(super) fn add_to(self, parts: &mut ContextParts) -> Vec<Piece> {
        parts.places = self.places;
        parts.evidence = Some(self.evidence);
        parts.tests.extend(self.tests);
        self.pieces
    }
}

/// Finds what a task is about. For threads with room for parsing.
pub(super) fn bodies_of(
    context: SearchContext<'_>,
    texts: &Texts<'_>,
    text: &str,
    (with_tests, budget): (bool, u64),
) -> Result<TaskBodies, SearchError> {
    let report = search_task(context, &SearchQuestionV1::default(), text)?;
    let frames = frame_pieces(texts, text, &report.places);
    let best = report.places.iter().map(|place| place.evidence).max().unwrap_or(0);
    let is_long = report.weights.len() >= LONG_TASK;
    let least = if is_long { LEAST_EVIDENCE_OF_LONG } else { LEAST_EVIDENCE };
    if best < least && frames.is_empty() {
        let evidence = nothing(&report);
        return Ok(TaskBodies { evidence, searched: report.searched, ..TaskBodies::default() });
    }
    let parts = Cutter::new(text, &report).parts(texts, &report.files, enough(budget));
    let shown: BTreeSet<&str> = parts.iter().filter_map(|part| part.name()).collect();
    let names: Vec<&str> = report.places.iter().map(|place| place.name.as_str()).collect();
    let names = names.into_iter().filter(|name| shown.contains(name)).map(own_name);
    let most = if budget > TASK_BUDGET { MOST_TESTS } else { MOST_TESTS_AT_FIRST };
    let tests = tests_naming(texts, &report.tests, &names.collect::<Vec<_>>(), most);
    let mut pieces = frames;
    pieces.extend(parts.iter().map(|part| piece(part, &report.places)));
    if with_tests {
        pieces.extend(tests.iter().map(NamedTest::piece));
    }
    Ok(TaskBodies {
        evidence: evidence(&report, best),
        places: listed(&report.places),
        pieces,
        tests: tests.iter().map(NamedTest::to_wire).collect(),
        searched: report.searched,
    })
}

/// The share of the best chance that a part needs. Whoever gives more tokens wants to see what is less likely, too.
#[expect(clippy::cast_precision_loss, reason = "a budget is far below 2^52")]
fn enough(budget: u64) -> f64 {
    let more = (budget as f64 / TASK_BUDGET as f64).max(1.0);
    ENOUGH / more.powf(1.5)
}

/// A part as a candidate for the pack.
fn piece(part: &FilePart<'_>, places: &[TaskPlace]) -> Piece {
    let decl = part.decl.map(|decl| SliceDecl {
        kind: decl.kind.to_owned(),
        name: decl.name.clone(),
        owner: None,
        lines: decl.lines,
    });
    let is_it = |place: &&TaskPlace| {
        place.path == part.file && part.decl.is_some_and(|decl| decl.lines == place.lines)
    };
    let why = match places.iter().find(is_it) {
        Some(place) => format!("{} %: {}", place.evidence / 10, place.why.join(", ")),
        None if part.is_head => "head of the file".to_owned(),
        None => "beside what matches".to_owned(),
    };
    let (file, ranges) = (part.file.to_owned(), part.ranges.clone());
    Piece { role: Role::Edit, why: vec![why], file, decl, ranges }
}

fn nothing(report: &PlacesReport) -> String {
    let words = report.looked_for.join(" ");
    format!(
        "nothing distinctive matches in {} files of code; looked for: {words}",
        report.searched.count
    )
}

/// What the evidence is.
fn evidence(report: &PlacesReport, best: u32) -> String {
    format!(
        "{} files of code searched. The best place has {} % of the task's words, by how rare they are. Below are the parts that \
         the task likely changes, in the order of files.",
        report.searched.count,
        best / 10
    )
}

/// The last part of a full name.
fn own_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The places that fit the budget of a list. Reasons are dropped first, then places from the end.
fn listed(places: &[TaskPlace]) -> Vec<FoundV2> {
    let shown = |count: usize, reasons: usize| -> Vec<FoundV2> {
        let each = places.iter().take(count).map(|place| FoundV2 {
            file: place.path.clone(),
            lines: place.lines.into(),
            name: place.name.clone(),
            kind: place.kind.to_owned(),
            evidence: place.evidence / 10,
            why: place.why.iter().take(reasons).cloned().collect(),
        });
        each.collect()
    };
    let cost = |list: &[FoundV2]| {
        let text: Vec<String> = list.iter().map(FoundV2::to_line).collect();
        Tokenizer::O200kBase.count(text.join("\n").as_bytes()).unwrap_or_default()
    };
    let whole = [(LISTED, 3), (LISTED, 2), (LISTED, 1), (LISTED, 0)];
    let sizes = whole.into_iter().chain([(13, 0), (10, 0), (7, 0), (5, 0), (3, 0)]);
    let mut fitting = sizes.map(|(count, reasons)| shown(count, reasons));
    fitting.find(|list| cost(list) <= LIST_TOKENS).unwrap_or_default()
}

/// The code that stack frames in the task lead to: the declaration around the line, or the block.
fn frame_pieces(texts: &Texts<'_>, task: &str, places: &[TaskPlace]) -> Vec<Piece> {
    let mut seen = BTreeSet::new();
    let mut pieces = Vec::new();
    for (path, line) in frames_in(task).take(MOST_FRAMES) {
        let Some((file, text)) = known_file(texts, path) else { continue };
        if line as usize > text.lines().count() || !seen.insert((file.to_owned(), line)) {
            continue;
        }
        let holds = |place: &&TaskPlace| {
            place.path == file && (place.lines.0..=place.lines.1).contains(&line)
        };
        let place = places.iter().filter(holds).min_by_key(|place| place.lines.1 - place.lines.0);
        let whole = place.map(|place| place.lines).or_else(|| around(&text, line));
        let Some((first, last)) = whole else { continue };
        let ranges = if last - first < LONG_BODY {
            vec![(first, last)]
        } else {
            let near = MOST_LINES as u32 / 2;
            vec![(first, first), (line.saturating_sub(near).max(first), (line + near).min(last))]
        };
        pieces.push(Piece {
            role: Role::Edit,
            why: vec!["a frame in the task leads here".to_owned()],
            file: file.to_owned(),
            decl: place.map(declared),
            ranges,
        });
    }
    pieces
}

/// The most stack frames of a task that are read.
const MOST_FRAMES: usize = 12;

/// The file of the repository that a path of another machine means, and its text: the longest end of the path that is
/// one.
fn known_file<'p>(texts: &Texts<'_>, path: &'p str) -> Option<(&'p str, String)> {
    let mut rest = path.trim_start_matches('/');
    loop {
        let is_own = matches!(FileClass::of(rest), FileClass::Code | FileClass::Test);
        if let Some(source) = is_own.then(|| texts.get(rest)).flatten() {
            return Some((rest, source.text.clone()));
        }
        rest = rest.split_once('/')?.1;
    }
}

fn declared(place: &TaskPlace) -> SliceDecl {
    SliceDecl {
        kind: place.kind.to_owned(),
        name: place.name.clone(),
        owner: None,
        lines: place.lines,
    }
}
