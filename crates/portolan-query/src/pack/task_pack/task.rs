//! What a task is about: the ranked places of `search --task`, and the bodies of those that carry evidence.
//!
//! A body is shown whole, or around what matched where it is long. A place without enough of what the task names has
//! no body, however much of the budget is left: code that has nothing to do with the task is worse than none.

use std::collections::BTreeSet;

use portolan_ranking::{Task, TermIndex};
use portolan_symbols::text::LineStarts;
use portolan_vfs::System;
use portolan_wire::context::{FoundV2, TestV2};

use super::frames::frames_in;
use super::tests_named::{NamedTest, tests_naming};
use crate::file_set::FileSet;
use crate::pack::context::{
    ContextParts, SliceCandidate as Piece, SliceDecl, SliceRole as Role, TASK_BUDGET,
};
use crate::pack::texts::Texts;
use crate::pack::windows::around;
use crate::search::{FileClass, PlacesReport, SearchError, TaskPlace, search_task};
use portolan_index::token_counts::Tokenizer;
use portolan_wire::question::SearchQuestionV1;
use portolan_workspace::config::Loaded;

/// So many places are listed.
const LISTED: usize = 10;
/// The list costs at most so many tokens.
const LIST_TOKENS: u64 = 340;
/// A task of which no place has this share, in per mille, matches nothing.
const LEAST_EVIDENCE: u32 = 180;
/// The body of a place is shown if it has this share of what the best has, in per cent.
const ENOUGH: u32 = 15;
/// Fewer bodies are never the most, whatever the budget.
const FEWEST_BODIES: usize = 10;
/// Whoever gives more wants more: a body for so many tokens of the budget.
const TOKENS_A_BODY: u64 = 800;
/// After the bodies come parts of so many files that have words of the task.
const FEWEST_FILES: u64 = 3;
/// Beyond the usual budget there is one more file for so many tokens, and files are shown whole.
const TOKENS_A_FILE: u64 = 1_200;
/// A longer file is shown by its head alone, in lines.
const LONG_FILE: u32 = 500;
/// The head of a file, in lines: its imports.
const FILE_HEAD: u32 = 30;
/// Whole files are shown in parts of so many lines, as far as they fit.
const FILE_PART: u32 = 50;
/// A longer body is shown around what matched, in lines.
const LONG_BODY: u32 = 80;
/// What is shown of a longer one, at least.
const MOST_LINES: usize = 40;
/// `LineStarts` on either side of one that matches.
const AROUND: u32 = 3;
/// `LineStarts` of a long body's head.
const HEAD: u32 = 3;
/// So many tests are named.
const MOST_TESTS: usize = 8;

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
    system: &dyn System,
    config: &Loaded,
    texts: &Texts<'_>,
    text: &str,
    (with_tests, budget): (bool, u64),
) -> Result<TaskBodies, SearchError> {
    let report = search_task(system, config, &SearchQuestionV1::default(), text)?;
    let frames = frame_pieces(texts, text, &report.places);
    let best = report.places.iter().map(|place| place.evidence).max().unwrap_or(0);
    if best < LEAST_EVIDENCE && frames.is_empty() {
        let evidence = nothing(&report);
        return Ok(TaskBodies { evidence, searched: report.searched, ..TaskBodies::default() });
    }
    let most = usize::try_from(budget / TOKENS_A_BODY).unwrap_or(usize::MAX).max(FEWEST_BODIES);
    let is_enough = |place: &&TaskPlace| place.evidence * 100 >= best * ENOUGH;
    let shown: Vec<&TaskPlace> = report.places.iter().take(most).filter(is_enough).collect();
    let matches = Matches::new(text, &report);
    let mut pieces = frames;
    for long in [LONG_BODY, u32::MAX] {
        pieces.extend(shown.iter().filter_map(|place| matches.body(texts, place, long)));
    }
    pieces.extend(matches.files(texts, &report.places, budget));
    let names: Vec<&str> = shown.iter().map(|place| own_name(&place.name)).collect();
    let tests = tests_naming(texts, &report.tests, &names, MOST_TESTS);
    if with_tests {
        pieces.extend(tests.iter().map(NamedTest::piece));
    }
    Ok(TaskBodies {
        evidence: evidence(&report, shown.len(), best),
        places: listed(&report.places),
        pieces,
        tests: tests.iter().map(NamedTest::to_wire).collect(),
        searched: report.searched,
    })
}

fn nothing(report: &PlacesReport) -> String {
    let words = report.looked_for.join(" ");
    format!(
        "nothing distinctive matches in {} files of code; looked for: {words}",
        report.searched.count
    )
}

/// What the evidence is.
fn evidence(report: &PlacesReport, shown: usize, best: u32) -> String {
    let (per_cent, least) = (best / 10, best * ENOUGH / 1_000);
    let bodies = if shown == 1 { "1 body".to_owned() } else { format!("{shown} bodies") };
    format!(
        "{} files of code searched. The best place has {per_cent} % of the task's words, by how rare they are; \
         {bodies} below, each with at least {least} %.",
        report.searched.count
    )
}

/// The last part of a full name.
fn own_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The places that are listed, within the tokens of a list: reasons go first, then places from the end.
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
    let sizes = [(LISTED, 3), (LISTED, 2), (LISTED, 1), (LISTED, 0), (7, 0), (5, 0), (3, 0)];
    let fitting = sizes.iter().map(|(count, reasons)| shown(*count, *reasons));
    fitting.into_iter().find(|list| cost(list) <= LIST_TOKENS).unwrap_or_default()
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

/// So many frames of a task are looked at.
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
    SliceDecl { kind: place.kind.to_owned(), name: place.name.clone(), lines: place.lines }
}

/// Where the words of a task stand in a text.
struct Matches<'a> {
    index: TermIndex,
    weights: &'a [f64],
}

impl<'a> Matches<'a> {
    fn new(task: &str, report: &'a PlacesReport) -> Self {
        Self { index: TermIndex::new(&Task::new(task)), weights: &report.weights }
    }

    /// The body of a place; one that is longer than `long` lines around what matched.
    fn body(&self, texts: &Texts<'_>, place: &TaskPlace, long: u32) -> Option<Piece> {
        let source = texts.get(&place.path)?;
        let (first, last) = place.lines;
        let ranges = if last - first < long {
            vec![place.lines]
        } else {
            self.around(&source.text, place.lines)
        };
        let why = vec![format!("{} %: {}", place.evidence / 10, place.why.join(", "))];
        let (file, decl) = (place.path.clone(), Some(declared(place)));
        Some(Piece { role: Role::Edit, why, file, decl, ranges })
    }

    /// The files of the best places, in parts: at first those that have words of the task, and beyond the usual budget
    /// the heads and the rest, too. Of a long file only its head is shown.
    fn files(&self, texts: &Texts<'_>, places: &[TaskPlace], budget: u64) -> Vec<Piece> {
        let more = budget.saturating_sub(TASK_BUDGET) / TOKENS_A_FILE;
        let most = usize::try_from(FEWEST_FILES + more).unwrap_or(usize::MAX);
        let mut files: Vec<&str> = Vec::new();
        for place in places {
            if files.len() < most && !files.contains(&place.path.as_str()) {
                files.push(&place.path);
            }
        }
        let (mut heads, mut having, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for file in files {
            let Some(source) = texts.get(file) else { continue };
            let last = u32::try_from(source.text.lines().count()).unwrap_or(u32::MAX);
            if last == 0 {
                continue;
            }
            let part = |lines: (u32, u32), why: &str| Piece {
                role: Role::Edit,
                why: vec![why.to_owned()],
                file: file.to_owned(),
                decl: None,
                ranges: vec![lines],
            };
            heads.push(part((1, FILE_HEAD.min(last)), "head of the file"));
            for first in (1..=last).step_by(FILE_PART as usize).filter(|_| last <= LONG_FILE) {
                let lines = (first, (first + FILE_PART - 1).min(last));
                let has_words =
                    self.best_lines(&source.text, lines).iter().any(|(_, it)| *it > 0.0);
                if has_words {
                    having.push(part(lines, "beside places, with words of the task"));
                } else {
                    rest.push(part(lines, "rest of a file with places"));
                }
            }
        }
        if more == 0 {
            return having;
        }
        heads.into_iter().chain(having).chain(rest).collect()
    }

    /// The head of a long body, and the lines around those that match best, each below the heads of its blocks.
    fn around(&self, text: &str, (first, last): (u32, u32)) -> Vec<(u32, u32)> {
        let lines: Vec<&str> = text.lines().collect();
        let last = last.min(lines.len() as u32);
        let mut wanted: BTreeSet<u32> = (first..=last.min(first + HEAD - 1)).collect();
        for (line, _) in self.best_lines(text, (first, last)) {
            let near = line.saturating_sub(AROUND).max(first)..=(line + AROUND).min(last);
            let heads = heads_above(&lines, line, first);
            let more: BTreeSet<u32> = near.chain(heads).chain(wanted.iter().copied()).collect();
            if more.len() > MOST_LINES {
                break;
            }
            wanted = more;
        }
        wanted.into_iter().map(|line| (line, line)).collect()
    }

    /// The lines with words of the task, the weightiest first.
    fn best_lines(&self, text: &str, (first, last): (u32, u32)) -> Vec<(u32, f64)> {
        let starts = LineStarts::new(text);
        let (from, to) = (starts.span(first).start, starts.span(last).end);
        let body = text.get(from as usize..to as usize).unwrap_or_default();
        let mut lines: Vec<(u32, BTreeSet<u16>)> = Vec::new();
        for (at, word) in self.index.positions(body.as_bytes()).found {
            let line = starts.of(from + at);
            match lines.last_mut() {
                Some((known, words)) if *known == line => {
                    words.insert(word);
                }
                _ => lines.push((line, BTreeSet::from([word]))),
            }
        }
        let weight = |word: &u16| self.weights.get(usize::from(*word)).copied().unwrap_or(0.0);
        let mut best: Vec<(u32, f64)> =
            lines.iter().map(|(line, words)| (*line, words.iter().map(weight).sum())).collect();
        best.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        best
    }
}

/// The lines above one that it is inside of: each less indented than the one below it.
pub(super) fn heads_above(lines: &[&str], line: u32, first: u32) -> Vec<u32> {
    let indent = |line: u32| {
        let text = lines.get(line as usize - 1).copied().unwrap_or_default();
        let closes = text.trim_start().starts_with(['}', ')', ']']);
        (!text.trim().is_empty() && !closes).then(|| text.len() - text.trim_start().len())
    };
    let Some(mut depth) = indent(line) else { return Vec::new() };
    let mut heads = Vec::new();
    for above in (first..line).rev() {
        if let Some(own) = indent(above).filter(|own| *own < depth) {
            depth = own;
            heads.push(above);
        }
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::heads_above;

    #[test]
    fn a_line_is_below_the_heads_of_its_blocks() {
        let text =
            "fn a() {\n  if b {\n    c();\n  }\n  for d in e {\n    f();\n\n    g();\n  }\n}\n";
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(heads_above(&lines, 8, 1), [5, 1]);
        assert_eq!(heads_above(&lines, 3, 2), [2]);
        assert!(heads_above(&lines, 7, 1).is_empty(), "a blank line is inside of nothing");
    }
}
