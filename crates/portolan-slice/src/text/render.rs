//! The lines of a file as text, with what is left out between them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use portolan_types::declarations::{Declaration, Flags, NONE};

use super::{Source, ranges};

/// A file as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSlice {
    /// The lines that are shown, from the first to the last, and so on.
    pub lines: Vec<(u32, u32)>,
    /// The text: `12⇥code`, and `… 3 lines` for what is left out.
    pub text: String,
}

/// Writes the lines of a file that are shown. `focus` are those shown to be changed: they have their numbers,
/// and so has the first of any lines that stand together.
pub fn render_file(source: &Source<'_>, lines: &BTreeSet<u32>, focus: &BTreeSet<u32>) -> FileSlice {
    let ranges = ranges(lines);
    let mut text = String::new();
    for (at, (first, last)) in ranges.iter().enumerate() {
        let mut is_first = true;
        let has_focus = focus.range(*first..=*last).next().is_some();
        for line in *first..=*last {
            let numbered = is_first || has_focus;
            let content = source.lines.text(source.text, line);
            let content = if numbered { content } else { content.trim_end() };
            // Writing to a string does not fail.
            let _ = if numbered {
                writeln!(text, "{line}\t{content}")
            } else {
                writeln!(text, "{content}")
            };
            is_first = false;
        }
        let next = ranges.get(at + 1).map(|(first, _)| *first);
        if let Some(left_out) = left_out(source, *last, next) {
            let _ = writeln!(text, "… {left_out}");
        }
    }
    FileSlice { lines: ranges, text }
}

/// What is left out after a line, inside the declaration that the line belongs to.
fn left_out(source: &Source<'_>, line: u32, next: Option<u32>) -> Option<String> {
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
        0 => format!("{hidden} lines"),
        1 => "1 member".to_owned(),
        count => format!("{count} members"),
    })
}
