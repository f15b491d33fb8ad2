//! One file of an answer.

use std::fmt::Write as _;

use portolan_types::escape_invisible;

use crate::search::report::{HitGroup, SearchHit, SearchedFile};

/// How much of a file is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detail {
    /// A text has at most so many bytes.
    pub(super) width: usize,
    /// So many hits of a declaration have their text.
    pub(super) texts: usize,
    /// Whether declarations have their lines.
    pub(super) has_ranges: bool,
    /// Whether hits in tests and documents have their declarations.
    pub(super) has_tests: bool,
}

/// The hits of a file by declaration.
pub(super) fn file_block(file: &SearchedFile, detail: &Detail) -> String {
    let mut out = format!("{}\n", file.path);
    for group in &file.groups {
        group_block(&mut out, group, detail);
    }
    out
}

fn group_block(out: &mut String, group: &HitGroup, detail: &Detail) {
    let is_told = |hit: &&SearchHit| !hit.text.trim().is_empty();
    let texts = detail.texts.min(group.hits.iter().filter(is_told).count());
    let (with, without) = split(group, texts);
    out.push(' ');
    if !group.name.is_empty() {
        out.push_str(&heading(group, detail.has_ranges));
        // A definition is its own hit where it has no other.
        let is_alone = group.is_definition && group.hits.len() == 1;
        if is_alone {
            out.push('\n');
            return;
        }
        out.push_str(": ");
    }
    let mut is_first = true;
    if !without.is_empty() {
        out.push_str(&numbers(&without));
        is_first = false;
    }
    for hit in with {
        if !is_first {
            out.push_str("\n  ");
        }
        let _ = write!(out, "{} {}", hit.line, cut(hit, detail.width));
        is_first = false;
    }
    out.push('\n');
}

/// The hits that have a text, and the numbers of the others.
fn split(group: &HitGroup, texts: usize) -> (Vec<&SearchHit>, Vec<u32>) {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for hit in &group.hits {
        // The line of a definition says what its name says.
        let is_name = group.is_definition && hit.line == group.range.0 && group.hits.len() > 1;
        if with.len() < texts && !is_name && !hit.text.trim().is_empty() {
            with.push(hit);
        } else if !is_name {
            without.push(hit.line);
        }
    }
    (with, without)
}

fn heading(group: &HitGroup, has_range: bool) -> String {
    let mut heading = escape_invisible(&group.name);
    let (first, last) = group.range;
    if has_range && first > 0 {
        let _ = if first == last {
            write!(heading, " {first}")
        } else {
            write!(heading, " {first}-{last}")
        };
    }
    if group.is_definition {
        let line = group.hits.first().map_or(first, |hit| hit.line);
        heading.push_str(if has_range && line == first {
            " (definition)"
        } else {
            " (definition "
        });
        if !(has_range && line == first) {
            let _ = write!(heading, "{line})");
        }
    }
    heading
}

/// A file on one line: its numbers alone.
pub(super) fn test_line(file: &SearchedFile) -> String {
    let lines: Vec<u32> =
        file.groups.iter().flat_map(|group| &group.hits).map(|hit| hit.line).collect();
    format!("{}: {}\n", file.path, numbers(&lines))
}

/// Line numbers, in order; neighbours as a range.
pub(super) fn numbers(lines: &[u32]) -> String {
    let mut sorted = lines.to_vec();
    sorted.sort_unstable();
    let mut out = String::new();
    let mut at = 0;
    while let Some(first) = sorted.get(at) {
        let mut last = *first;
        while sorted.get(at + 1).is_some_and(|next| *next <= last + 1) {
            at += 1;
            last = sorted[at];
        }
        at += 1;
        if !out.is_empty() {
            out.push(' ');
        }
        let _ = match last - first {
            0 => write!(out, "{first}"),
            _ => write!(out, "{first}-{last}"),
        };
    }
    out
}

/// The text of a hit, cut around its match.
fn cut(hit: &SearchHit, width: usize) -> String {
    let text = hit.text.trim_end();
    let lead = text.len() - text.trim_start().len();
    let start = (hit.matched.0 as usize).max(lead);
    let end = (hit.matched.1 as usize).max(start).min(text.len());
    let (mut from, mut to) = (lead, text.len());
    if to - from > width {
        // A third of the room before the match, the rest behind.
        let room = width.saturating_sub(end.saturating_sub(start));
        from = start.saturating_sub(room / 3).max(lead);
        to = (from + width).min(text.len());
        from = from.min(to.saturating_sub(width).max(lead));
    }
    while from > lead && !text.is_char_boundary(from) {
        from -= 1;
    }
    while to < text.len() && !text.is_char_boundary(to) {
        to += 1;
    }
    let before = if from > lead { "…" } else { "" };
    let after = if to < text.len() { "…" } else { "" };
    let body = text.get(from..to).unwrap_or_default().replace('\t', " ");
    format!("{before}{}{after}", escape_invisible(&body))
}

/// A file with the code around its hits: every line has its number, and behind the tab it is the file's own.
pub(super) fn with_code(file: &SearchedFile) -> String {
    let mut out = format!("{}\n", file.path);
    for group in &file.groups {
        if !group.name.is_empty() {
            let _ = writeln!(out, " {}", heading(group, true));
        }
        let mut lines: Vec<(u32, &str)> = Vec::new();
        for hit in &group.hits {
            let own = [(hit.line, hit.text.as_str())];
            let around: Vec<(u32, &str)> =
                hit.around.iter().map(|(line, text)| (*line, text.as_str())).collect();
            lines.extend(if around.is_empty() { own.to_vec() } else { around });
        }
        lines.sort_by_key(|(line, _)| *line);
        lines.dedup_by_key(|(line, _)| *line);
        let mut last = None;
        for (line, text) in lines {
            if last.is_some_and(|last: u32| last + 1 < line) {
                out.push_str("…\n");
            }
            let mark = if group.hits.iter().any(|hit| hit.line == line) { ":" } else { "" };
            let _ = writeln!(out, "{line}{mark}\t{text}");
            last = Some(line);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{cut, numbers};
    use crate::search::report::SearchHit;

    #[test]
    fn neighbours_are_a_range() {
        assert_eq!(numbers(&[1, 2, 3, 7, 9, 10]), "1-3 7 9-10");
        assert_eq!(numbers(&[10, 9]), "9-10");
    }

    #[test]
    fn a_long_text_is_cut_around_its_match() {
        let check = |text: &str, matched: &str, width, expected: &str| {
            let start = text.find(matched).unwrap();
            let matched = (start as u32, (start + matched.len()) as u32);
            let hit = SearchHit { line: 1, text: text.to_owned(), matched, around: Vec::new() };
            assert_eq!(cut(&hit, width), expected);
        };
        check("    return a + b;", "a", 40, "return a + b;");
        check("  const first = one(two(three(four(five))));", "four", 16, "…ree(four(five)))…");
        check("x\u{1b}[31m", "x", 20, "x\\u{1b}[31m");
        check("ääääääääääää needle öööööööööö", "needle", 12, "…ä needle öö…");
    }
}
