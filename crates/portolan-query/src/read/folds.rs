//! Of a long declaration all but the rest of its long comments.
//!
//! Who reads a function to change it wants its code. Of a comment or a docstring the first lines say what the code is
//! for; the others are left out like any other lines, with their number. `--all` shows them.

use portolan_languages::{LexicalKind, lexical_spans};

use crate::slices::FocusedLines;
use portolan_index::symbols::Loaded;

/// A declaration with fewer lines is shown whole.
const LONG_DECLARATION: u32 = 30;
/// A comment with fewer lines is shown whole.
const LONG_COMMENT: u32 = 6;

/// Leaves the rest of long comments out of the lines of a declaration.
pub(super) fn fold_comments(path: &str, loaded: &Loaded, region: &mut FocusedLines) {
    let (first, last) = region.lines;
    if last - first < LONG_DECLARATION || !region.only.is_empty() {
        return;
    }
    let comments = comment_lines(path, loaded);
    let within = comments.into_iter().filter(|(from, to)| first <= *from && *to <= last);
    let mut next = first;
    let mut shown = Vec::new();
    for (from, to) in within.filter(|(from, to)| to - from + 1 >= LONG_COMMENT) {
        let says_something =
            |line: &u32| loaded.lines.text(&loaded.text, *line).chars().any(char::is_alphanumeric);
        let told = (from..=to).find(says_something).unwrap_or(from);
        shown.push((next, told));
        next = to + 1;
    }
    if next > first && next <= last {
        shown.push((next, last));
    }
    region.only = shown;
}

/// The first and the last line of each comment, and of each string that is a statement of its own, as docstrings are.
/// Comments on consecutive lines are one.
fn comment_lines(path: &str, loaded: &Loaded) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32, LexicalKind)> = Vec::new();
    for span in lexical_spans(path, loaded.text.as_bytes()) {
        let (Ok(start), Ok(end)) = (u32::try_from(span.start), u32::try_from(span.end)) else {
            continue;
        };
        let (from, to) =
            (loaded.lines.of(start), loaded.lines.of(end.saturating_sub(1).max(start)));
        let (opening, closing) = (loaded.lines.span(from), loaded.lines.span(to));
        let blank = |from: u32, to: u32| {
            let text = loaded.text.get(from as usize..to as usize).unwrap_or_default();
            text.trim().is_empty()
        };
        if !blank(opening.start, start) || !blank(end.min(closing.end), closing.end) {
            continue;
        }
        match found.last_mut() {
            Some((_, last, LexicalKind::Comment))
                if span.kind == LexicalKind::Comment && *last + 1 == from =>
            {
                *last = to;
            }
            _ => found.push((from, to, span.kind)),
        }
    }
    found.into_iter().map(|(from, to, _)| (from, to)).collect()
}
