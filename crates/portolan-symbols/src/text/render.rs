//! Renders the shown lines of a file, with marks for the omitted ones.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use portolan_types::declarations::{Declaration, Flags, NONE};

use super::{SourceText, ranges};

/// The rendered part of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSlice {
    /// The shown lines, as inclusive ranges.
    pub lines: Vec<(u32, u32)>,
    /// The text: `12⇥code`, and `… 3 lines` for omitted lines.
    pub text: String,
}

/// Lines that belong together: what is omitted between the first and the last is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShownRegion {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// The line above it that says what it is.
    pub heading: Option<String>,
}

/// A single omitted line between two shown ones is shown if it is this short: the mark would be
/// longer.
const SHORT_LINE: usize = 40;

/// Renders the shown lines of a file: each with its number, a tab and its own text.
pub fn render_file(
    source: &SourceText<'_>,
    lines: &BTreeSet<u32>,
    regions: &[ShownRegion],
) -> FileSlice {
    let ranges = ranges(&filled(source, lines));
    let mut text = String::new();
    let mut headings = regions.iter().filter(|region| region.heading.is_some()).peekable();
    let mut shown = 0;
    for (at, (first, last)) in ranges.iter().enumerate() {
        let region = regions.iter().find(|region| (region.first..=region.last).contains(first));
        for line in *first..=*last {
            while let Some(region) = headings.next_if(|region| region.first <= line) {
                let _ = writeln!(text, "{}", region.heading.as_deref().unwrap_or_default());
            }
            let hidden = region.filter(|region| line == *first && shown < region.first);
            if let Some(hidden) = hidden.filter(|region| region.first < line) {
                mark(&mut text, line - hidden.first);
            }
            // Writing to a string does not fail.
            let _ = writeln!(text, "{line}\t{}", source.lines.text(source.text, line));
        }
        shown = *last;
        let next = ranges.get(at + 1).map(|(first, _)| *first);
        mark(&mut text, left_out(source, regions, *last, next));
    }
    FileSlice { lines: ranges, text }
}

/// The mark for omitted lines.
fn mark(text: &mut String, count: u32) {
    let _ = match count {
        0 => Ok(()),
        1 => writeln!(text, "… 1 line"),
        count => writeln!(text, "… {count} lines"),
    };
}

/// The lines, and the short single lines between those of one declaration.
fn filled(source: &SourceText<'_>, lines: &BTreeSet<u32>) -> BTreeSet<u32> {
    let is_inside = |line: u32| {
        let (above, below) = (source.lines.span(line), source.lines.span(line + 2));
        let mut outer = source.facts.items.iter().filter(|item| item.parent == NONE);
        outer.any(|item| item.span.start < above.end && below.start < item.span.end)
    };
    let mut filled = lines.clone();
    for line in lines {
        let between = line + 1;
        let is_gap = !lines.contains(&between) && lines.contains(&(line + 2));
        let length = source.lines.text(source.text, between).trim().len();
        if is_gap && length <= SHORT_LINE && is_inside(*line) {
            filled.insert(between);
        }
    }
    filled
}

/// How many lines are omitted after a line, of the region that it is in or else of the innermost declaration.
fn left_out(source: &SourceText<'_>, regions: &[ShownRegion], line: u32, next: Option<u32>) -> u32 {
    let region = regions.iter().find(|region| (region.first..=region.last).contains(&line));
    let span = source.lines.span(line);
    let is_around = |item: &&Declaration| {
        !item.flags.has(Flags::LOCAL) && item.span.start < span.end && item.span.end > span.start
    };
    let innermost = || source.facts.items.iter().rfind(is_around);
    let end = match region {
        Some(region) => Some(region.last),
        None => innermost().map(|item| source.lines.last_of(item.span)),
    };
    let Some(end) = end else { return 0 };
    let until = next.map_or(end + 1, |next| next.min(end + 1));
    let hidden = until.saturating_sub(line + 1);
    let is_bracket = region.is_none()
        && hidden == 1
        && source.lines.text(source.text, line + 1).trim().len() <= 3;
    if is_bracket { 0 } else { hidden }
}
