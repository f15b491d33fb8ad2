//! Tracks the lines that a pack shows, so that each appears once, and renders its diagnostics.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{ContextParts, Extent, SliceCandidate};
use portolan_diagnostics::locations::{Diagnostic, SourceLocation};
use portolan_diagnostics::readers::Severity;

/// The lines of the files that slices are cut from.
pub(super) type FileLines<'p> = BTreeMap<&'p str, Vec<&'p str>>;

/// The lines already shown, by file.
pub(super) struct ShownLines<'p> {
    lines: &'p FileLines<'p>,
    files: BTreeMap<String, BTreeSet<u32>>,
}

/// The ranges, the text of their lines, and the omitted ranges between them.
type Cut = (Vec<(u32, u32)>, String, Vec<(u32, u32)>);

/// Longer lines are cut, in characters.
const LONG_LINE: usize = 1_200;

/// A single line between two shown ones costs no more than the note that it is missing, unless it
/// is longer than this.
const SHORT_LINE: usize = 80;

impl<'p> ShownLines<'p> {
    /// No line is shown yet.
    pub(super) fn new(lines: &'p FileLines<'p>) -> Self {
        Self { lines, files: BTreeMap::new() }
    }

    /// Adds the lines of a candidate; none if all of them are already shown, or its file is not known.
    pub(super) fn add(&mut self, piece: &SliceCandidate) -> Option<Cut> {
        let lines = self.lines.get(piece.file.as_str())?;
        let known = self.files.entry(piece.file.clone()).or_default();
        let last = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let mut wanted: BTreeSet<u32> = piece
            .ranges
            .iter()
            .flat_map(|(from, to)| (*from).max(1)..=(*to).min(last))
            .filter(|line| !known.contains(line))
            .collect();
        if wanted.is_empty() {
            return None;
        }
        known.extend(&wanted);
        let between = single_gaps(&wanted, known, lines);
        known.extend(&between);
        wanted.extend(between);
        let mut text = String::new();
        for line in &wanted {
            text.push_str(&clip(
                lines.get(*line as usize - 1).copied().unwrap_or_default(),
                LONG_LINE,
            ));
            text.push('\n');
        }
        let ranges = as_ranges(&wanted);
        let (from, to) = match &piece.decl {
            Some(decl) => decl.lines,
            None => (ranges.first()?.0, ranges.last()?.1),
        };
        Some((ranges, text, gaps(known, from, to.min(last))))
    }

    /// The lines of a candidate that are not shown.
    pub(super) fn left(&self, piece: &SliceCandidate) -> Vec<(u32, u32)> {
        let known = self.files.get(&piece.file);
        let lines = piece.ranges.iter().flat_map(|(from, to)| *from..=*to);
        as_ranges(&lines.filter(|line| !known.is_some_and(|it| it.contains(line))).collect())
    }
}

/// The ranges between a first and a last line that are not shown.
fn gaps(shown: &BTreeSet<u32>, first: u32, last: u32) -> Vec<(u32, u32)> {
    let mut gaps = Vec::new();
    let mut next = first;
    if first <= last {
        for &line in shown.range(first..=last) {
            if next < line {
                gaps.push((next, line - 1));
            }
            next = line + 1;
        }
    }
    if next <= last {
        gaps.push((next, last));
    }
    gaps
}

/// The short single lines between lines that are wanted or shown.
fn single_gaps(wanted: &BTreeSet<u32>, shown: &BTreeSet<u32>, lines: &[&str]) -> Vec<u32> {
    let is_short = |line: u32| {
        let text = lines.get((line as usize).wrapping_sub(1));
        text.is_some_and(|text| text.len() <= SHORT_LINE)
    };
    let beside =
        |line: &u32| [(line.saturating_sub(1), line.saturating_sub(2)), (line + 1, line + 2)];
    let gaps = wanted.iter().flat_map(beside);
    let is_gap = |(line, beyond): &(u32, u32)| {
        !shown.contains(line) && shown.contains(beyond) && is_short(*line)
    };
    gaps.filter(is_gap).map(|(line, _)| line).collect()
}

fn as_ranges(lines: &BTreeSet<u32>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    ranges
}

/// A text, or its beginning with a note about the rest.
pub(super) fn clip(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most).collect();
    let left = text.chars().count() - most;
    format!("{kept}… ({left} more characters)")
}

/// Whether `clip` cut this text.
pub fn is_clipped(text: &str) -> bool {
    let rest = text.rsplit_once("… (").and_then(|(_, rest)| rest.strip_suffix(" more characters)"));
    rest.is_some_and(|left| left.parse::<usize>().is_ok())
}

/// The diagnostics that are shown: the focused one, and some of every group.
pub(super) fn payload(parts: &ContextParts, extent: Extent) -> Vec<Value> {
    let merged = &parts.merged;
    let mut order: Vec<usize> = Vec::new();
    for round in 0..3 {
        for group in 0..merged.groups.len() {
            let members = merged
                .group_of
                .iter()
                .enumerate()
                .filter(|(at, of)| **of == group && Some(*at) != parts.focus);
            order.extend(members.map(|(at, _)| at).nth(round));
        }
    }
    let mut kept: Vec<usize> =
        parts.focus.into_iter().chain(order.into_iter().take(extent.others)).collect();
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter()
        .filter_map(|at| {
            let is_focus = Some(at) == parts.focus;
            let extent = if is_focus { extent } else { Extent { words: 160, ..extent } };
            let count = merged.counts.get(at).copied()?;
            Some(diagnostic(at, merged.diagnostics.get(at)?, count, extent, is_focus))
        })
        .collect()
}

/// A diagnostic in the schema `x07.x07diag@0.1.0`.
fn diagnostic(at: usize, it: &Diagnostic, count: usize, extent: Extent, is_focus: bool) -> Value {
    let words = extent.words;
    let mut data = json!({"tool": it.tool, "index": at, "col_unit": it.unit.as_str()});
    if count > 1 {
        data["count"] = count.into();
    }
    if let Some(test) = &it.test {
        data["test"] = clip(test, 200).into();
    }
    if it.is_stale {
        data["stale"] = true.into();
    }
    let mut value = json!({
        "code": it.code.clone().unwrap_or_else(|| it.tool.clone()),
        "severity": it.severity.as_str(),
        "stage": stage(it),
        "message": clip(&it.message, words),
        "data": data,
    });
    if let Some(place) = &it.place {
        value["loc"] = location(place, it.end);
    }
    if is_focus {
        let notes: Vec<String> = it
            .notes
            .iter()
            .filter(|note| !is_printed_frame(note))
            .take(extent.lists.min(20))
            .map(|note| clip(note, words.min(240)))
            .collect();
        value["notes"] = notes.into();
        value["related"] = it
            .related
            .iter()
            .take(extent.lists.min(8))
            .map(|place| {
                let mut location = location(place, None);
                location["message"] = clip(&place.message, 200).into();
                location
            })
            .collect();
    }
    value
}

/// Whether a line is a frame of a stack inside of an error that was printed as a value. The places have those frames.
fn is_printed_frame(note: &str) -> bool {
    let quoted = note.trim_start().strip_prefix(['\'', '"', '`']);
    quoted.is_some_and(|it| it.starts_with("  ") && it.trim_start().starts_with("at "))
}

fn location(place: &SourceLocation, end: Option<(u32, u32)>) -> Value {
    let mut span = json!({"file": place.file, "start": {"line": place.line, "col": place.col}});
    if let Some((line, col)) = end {
        span["end"] = json!({"line": line, "col": col});
    }
    json!({"kind": "text", "span": span})
}

fn stage(it: &Diagnostic) -> &'static str {
    match it.format {
        "vitest" | "jest" | "jest-json" | "tap" | "node-spec" | "node-stack" | "pytest"
        | "python" | "cargo-test" | "go-test" | "go-test-json" | "junit" => "run",
        "eslint" | "eslint-json" | "biome" | "biome-json" | "oxlint" | "oxlint-json" | "ruff"
        | "ruff-json" | "github" | "sarif" => "lint",
        _ if it.severity == Severity::Error => "type",
        _ => "lint",
    }
}
