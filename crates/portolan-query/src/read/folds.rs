//! Of a long declaration all but the rest of its documentation.
//!
//! Who reads a function to change it wants its code. The first line of its documentation says what the code is for; the
//! others are left out like any other lines, with their number. `--all` shows them.

use portolan_languages::{LexicalKind, lexical_spans};

use crate::slices::FocusedLines;
use portolan_index::symbols::Loaded;

/// A declaration with fewer lines is shown whole.
const LONG_DECLARATION: u32 = 30;
/// Documentation with fewer lines is shown whole.
const LONG_DOCUMENTATION: u32 = 12;

/// Leaves all but the first line of long documentation out of the lines of a declaration.
pub(super) fn fold_documentation(path: &str, loaded: &Loaded, region: &mut FocusedLines) {
    let (first, last) = region.lines;
    if last - first < LONG_DECLARATION || !region.only.is_empty() {
        return;
    }
    let Some(item) = loaded.facts.item(region.focus.place.item) else { return };
    let starts = [loaded.lines.of(item.span.start), body_line(loaded, item.body.start)];
    let documentation = documentation_lines(path, loaded, (first, last), starts);
    let mut next = first;
    let mut shown = Vec::new();
    for (from, to) in documentation {
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

/// The line of the first statement of a body.
fn body_line(loaded: &Loaded, start: u32) -> u32 {
    let text = loaded.text.get(start as usize..).unwrap_or_default();
    let opening = text.len() - text.trim_start_matches([':', '{', ' ', '\t', '\r', '\n']).len();
    loaded.lines.of(start + u32::try_from(opening).unwrap_or_default())
}

/// The first and the last line of the comment above a declaration, and of the string at the start of its body, as far as
/// they are long. `starts` are the first lines of the declaration and of its first statement.
fn documentation_lines(
    path: &str,
    loaded: &Loaded,
    (first, last): (u32, u32),
    [declared, body]: [u32; 2],
) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    if first < declared {
        found.push((first, declared - 1));
    }
    for span in lexical_spans(path, loaded.text.as_bytes()) {
        let (Ok(start), Ok(end)) = (u32::try_from(span.start), u32::try_from(span.end)) else {
            continue;
        };
        let (from, to) =
            (loaded.lines.of(start), loaded.lines.of(end.saturating_sub(1).max(start)));
        let opening = loaded.lines.span(from).start;
        let before = loaded.text.get(opening as usize..span.start).unwrap_or_default();
        let is_statement = span.kind == LexicalKind::Text && before.trim().is_empty();
        if is_statement && from == body && to <= last {
            found.push((from, to));
        }
    }
    found.retain(|(from, to)| to - from + 1 >= LONG_DOCUMENTATION);
    found
}
