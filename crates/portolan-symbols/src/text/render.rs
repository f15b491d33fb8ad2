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

/// A single omitted line between two shown ones is shown if it is this short: the mark would be
/// longer.
const SHORT_LINE: usize = 40;

/// Renders the shown lines of a file. The lines in `focus` are likely to be edited: they are
/// numbered, except for those that only close something, and so is the first of any consecutive
/// lines. If `is_whole`, omitted lines are marked wherever they are.
pub fn render_file(
    source: &SourceText<'_>,
    lines: &BTreeSet<u32>,
    focus: &BTreeSet<u32>,
    is_whole: bool,
) -> FileSlice {
    let ranges = ranges(&filled(source, lines));
    let mut text = String::new();
    let before = ranges.first().map_or(0, |(first, _)| *first - 1);
    if is_whole && before > 0 {
        let _ = writeln!(text, "… {}", counted(before as usize, "line"));
    }
    for (at, (first, last)) in ranges.iter().enumerate() {
        let shown = at.checked_sub(1).and_then(|before| ranges.get(before)).map_or(0, |it| it.1);
        if !is_whole && let Some(hidden) = left_out_before(source, *first, shown) {
            let _ = writeln!(text, "… {}", counted(hidden, "line"));
        }
        for line in *first..=*last {
            let content = source.lines.text(source.text, line);
            let is_focus = focus.contains(&line);
            let numbered = line == *first || (is_focus && !only_closes(content));
            let content = if is_focus || numbered { content } else { content.trim_end() };
            // Writing to a string does not fail.
            let _ = if numbered {
                writeln!(text, "{line}\t{content}")
            } else {
                writeln!(text, "{content}")
            };
        }
        let next = ranges.get(at + 1).map(|(first, _)| *first);
        let left_out = if is_whole {
            let until = next.unwrap_or(source.lines.count() + 1);
            let hidden = until.saturating_sub(*last + 1) as usize;
            (hidden > 0).then(|| counted(hidden, "line"))
        } else {
            left_out(source, *last, next)
        };
        if let Some(left_out) = left_out {
            let _ = writeln!(text, "… {left_out}");
        }
    }
    FileSlice { lines: ranges, text }
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
        if is_gap && (1..=SHORT_LINE).contains(&length) && is_inside(*line) {
            filled.insert(between);
        }
    }
    filled
}

/// Whether a line only closes something.
fn only_closes(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_whitespace() || b")]};,".contains(&byte))
}

/// The mark for the lines omitted after a line, inside the declaration of that line.
fn left_out(source: &SourceText<'_>, line: u32, next: Option<u32>) -> Option<String> {
    let span = source.lines.span(line);
    let is_around = |item: &&Declaration| {
        item.parent == NONE && item.span.start < span.end && item.span.end > span.start
    };
    let around = source.facts.items.iter().rfind(is_around)?;
    let end = source.lines.last_of(around.span);
    let until = next.map_or(end + 1, |next| next.min(end + 1));
    let hidden = until.saturating_sub(line + 1);
    let is_bracket = hidden == 1 && {
        let content = source.lines.text(source.text, line + 1).trim();
        content.len() <= 3
    };
    if hidden == 0 || is_bracket {
        return None;
    }
    let members = source.facts.items.iter().filter(|item| {
        let first = source.lines.of(item.span.start);
        item.flags.has(Flags::MEMBER)
            && !item.flags.has(Flags::LOCAL)
            && line < first
            && first < until
            && source.facts.item(item.parent).is_some_and(|parent| parent.parent == NONE)
    });
    Some(match members.count() {
        0 => counted(hidden as usize, "line"),
        count => counted(count, "member"),
    })
}

/// The number of lines omitted before a line, if it is the first shown line inside a declaration.
fn left_out_before(source: &SourceText<'_>, line: u32, shown: u32) -> Option<usize> {
    let span = source.lines.span(line);
    let is_around = |item: &&Declaration| {
        item.parent == NONE && item.span.start < span.start && item.span.end > span.start
    };
    let around = source.facts.items.iter().rfind(is_around)?;
    let start = source.lines.of(around.span.start);
    (start > shown && start < line).then(|| (line - start) as usize)
}

fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
