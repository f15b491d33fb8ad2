//! One file of an answer.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use portolan_types::escape_invisible;

use crate::search::kinds::FileClass;
use crate::search::report::{HitGroup, SearchHit, SearchedFile, TitledTest};

/// What `@digest ` takes on the first line of an answer, with its end.
pub(super) const DIGEST_BYTES: u64 = 19;
/// A text is cut only if that saves at least this many bytes more than the mark takes.
const LEAST_CUT: usize = 8;
/// A definition has its line in a text of at least this width: otherwise the room is for those that use it.
const WIDE: usize = 72;
/// A text is cut between words if a word ends within this many bytes.
const LONGEST_PART: usize = 12;

/// How much of a file is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detail {
    /// The most bytes of a text.
    pub(super) width: usize,
    /// Which hits of a declaration have their text.
    pub(super) texts: Texts,
    /// Whether declarations have their lines.
    pub(super) has_ranges: bool,
    /// Whether hits stand below the names of what they are in.
    pub(super) has_names: bool,
    /// Whether hits in tests and documents have their declarations.
    pub(super) has_tests: bool,
    /// Whether hits in code outside of declarations have their text.
    pub(super) has_outside: bool,
}

/// Which hits of a declaration have their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Texts {
    /// Every one; the same text is written once.
    All,
    /// The first.
    First,
    /// None.
    None,
}

/// The hits of a declaration, laid out.
struct HitSection {
    /// The name of the declaration and its lines; empty for none.
    heading: String,
    /// Texts, each with the lines that have it.
    texts: Vec<(Vec<u32>, String)>,
    /// The lines without a text.
    bare: Vec<u32>,
    /// Whether the heading ends with the line of a definition.
    has_line: bool,
}

/// The hits of a file by declaration.
pub(super) fn file_block(file: &SearchedFile, path: &str, indent: &str, detail: &Detail) -> String {
    let mut out = format!("{indent}{path}\n");
    for section in sections(file, detail) {
        let _ = write!(out, "{indent} {}", section.heading);
        let mut lead = match (&section.heading, section.has_line) {
            (heading, _) if heading.is_empty() => String::new(),
            (_, true) => format!("\n{indent}  "),
            (_, false) => ": ".to_owned(),
        };
        for (lines, text) in &section.texts {
            let _ = write!(out, "{lead}{} {text}", numbers(lines));
            lead = format!("\n{indent}  ");
        }
        if !section.bare.is_empty() {
            let lead = if section.texts.is_empty() { lead.as_str() } else { " · " };
            let _ = write!(out, "{lead}{}", numbers(&section.bare));
        }
        out.push('\n');
    }
    out
}

/// The declarations of a file, with neighbours of one heading as one.
fn sections(file: &SearchedFile, detail: &Detail) -> Vec<HitSection> {
    let mut sections: Vec<HitSection> = Vec::new();
    let mut before = "";
    let is_code = file.class == FileClass::Code;
    for group in &file.groups {
        let is_bare = group.name.is_empty() && is_code && !detail.has_outside;
        let texts = if is_bare { Texts::None } else { detail.texts };
        let (texts, bare) = told(group, &Detail { texts, ..*detail });
        let is_one_line =
            group.range.0 == group.range.1 && group.definition.is_none() && group.test.is_none();
        // The text of a declaration of one line has its name.
        let mut has_line = false;
        let heading = if !detail.has_names {
            String::new()
        } else if is_one_line && !texts.is_empty() {
            let of = holder(&group.name);
            // Below the heading of its holder it needs none.
            if let Some(last) = sections.last_mut().filter(|_| !of.is_empty() && of == before) {
                last.texts.extend(texts);
                last.bare.extend(bare);
                continue;
            }
            before = "";
            escape_invisible(of)
        } else {
            let mut heading = heading(group, before, detail.has_ranges);
            before = &group.name;
            if let Some(line) = definition_line(group, detail) {
                let _ = write!(heading, ": {line}");
                has_line = true;
            }
            heading
        };
        match sections.last_mut().filter(|last| last.heading == heading && !texts.is_empty()) {
            Some(last) => {
                last.texts.extend(texts);
                last.bare.extend(bare);
            }
            None => sections.push(HitSection { heading, texts, bare, has_line }),
        }
    }
    sections
}

/// The line of a definition: a signature, or the value of a constant.
fn definition_line(group: &HitGroup, detail: &Detail) -> Option<String> {
    let is_first = group.definition == Some(group.range.0);
    let is_shown = is_first && detail.texts == Texts::All && detail.width >= WIDE;
    let hit = group.hits.iter().find(|hit| is_shown && group.definition == Some(hit.line))?;
    Some(cut(hit, detail.width)).filter(|line| !line.is_empty())
}

/// The different texts, each with its line numbers, and the numbers of lines without a text.
type Told = (Vec<(Vec<u32>, String)>, Vec<u32>);

/// The hits of a declaration that are written below its name.
fn told(group: &HitGroup, detail: &Detail) -> Told {
    let mut texts: Vec<(Vec<u32>, String)> = Vec::new();
    let mut bare = Vec::new();
    // The line of a definition says what its name says.
    let is_told = |hit: &&SearchHit| !detail.has_names || group.definition != Some(hit.line);
    for hit in group.hits.iter().filter(is_told) {
        let is_full = detail.texts == Texts::First && !texts.is_empty();
        if detail.texts == Texts::None || is_full || hit.text.trim().is_empty() {
            bare.push(hit.line);
            continue;
        }
        let text = cut(hit, detail.width);
        match texts.iter_mut().find(|(_, known)| *known == text) {
            Some((lines, _)) => lines.push(hit.line),
            None => texts.push((vec![hit.line], text)),
        }
    }
    (texts, bare)
}

/// The name of what a declaration is a member of.
fn holder(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(holder, _)| holder)
}

/// The name of a declaration and its lines. Of a member of what the heading before names, or is a member of, too, the
/// holder is left out: `.name`.
pub(super) fn heading(group: &HitGroup, before: &str, has_range: bool) -> String {
    if let Some(test) = &group.test {
        return test_heading(group, test, before, has_range);
    }
    if group.name.is_empty() {
        return String::new();
    }
    let of = holder(&group.name);
    let is_known = !of.is_empty() && (of == before || of == holder(before));
    let name = if is_known { &group.name[of.len()..] } else { &group.name };
    let mut heading = escape_invisible(name);
    let (first, last) = group.range;
    if has_range && first > 0 {
        let _ = if first == last {
            write!(heading, " {first}")
        } else {
            write!(heading, " {first}-{last}")
        };
    }
    match group.definition {
        Some(line) if has_range && line == first => heading.push_str(" (definition)"),
        Some(line) => {
            let _ = write!(heading, " (definition {line})");
        }
        None => {}
    }
    heading
}

/// The title of a test and its lines; before it the declaration around it, unless the heading before names that.
fn test_heading(group: &HitGroup, test: &TitledTest, before: &str, has_range: bool) -> String {
    let mut heading = String::new();
    if !group.name.is_empty() && group.name != before {
        let _ = write!(heading, "{} ", escape_invisible(&group.name));
    }
    let _ = write!(heading, "\"{}\"", escape_invisible(&shortened(&test.title)));
    if has_range {
        let _ = write!(heading, " {}-{}", test.range.0, test.range.1);
    }
    heading
}

/// A title, cut where it is long: `read` takes a part of one, too.
fn shortened(title: &str) -> String {
    const LONGEST: usize = 60;
    let mut chars = title.chars();
    let short: String = chars.by_ref().take(LONGEST).collect();
    if chars.next().is_some() { format!("{}…", short.trim_end()) } else { short }
}

/// A file on one line: its numbers alone.
pub(super) fn numbers_line(file: &SearchedFile, path: &str, indent: &str) -> String {
    let lines: Vec<u32> =
        file.groups.iter().flat_map(|group| &group.hits).map(|hit| hit.line).collect();
    format!("{indent}{path}: {}\n", numbers(&lines))
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

/// The text of a hit, cut around its match, between words.
fn cut(hit: &SearchHit, width: usize) -> String {
    let text = hit.text.trim_end();
    let lead = text.len() - text.trim_start().len();
    let start = (hit.matched.0 as usize).max(lead);
    let end = (hit.matched.1 as usize).max(start).min(text.len());
    let (mut from, mut to) = (lead, text.len());
    if to - from > width + LEAST_CUT {
        // A third of the room before the match, the rest behind.
        let room = width.saturating_sub(end.saturating_sub(start));
        from = start.saturating_sub(room / 3).max(lead);
        to = (from + width).min(text.len());
        from = from.min(to.saturating_sub(width).max(lead));
        let inner = |at: usize| text.as_bytes().get(at).is_some_and(|byte| is_part(*byte));
        if from > lead && inner(from - 1) {
            let skipped = (from..start).take(LONGEST_PART).take_while(|at| inner(*at)).count();
            from += if skipped < LONGEST_PART { skipped } else { 0 };
        }
        if to < text.len() && inner(to) {
            let back = (end..to).rev().take(LONGEST_PART).take_while(|at| inner(*at)).count();
            to -= if back < LONGEST_PART { back } else { 0 };
        }
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
    format!("{before}{}{after}", escape_invisible(body.trim()))
}

/// Whether a byte is a part of a word.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// A file with the code around its hits: every line has its number, and behind the tab it is the file's own.
pub(super) fn with_code(file: &SearchedFile) -> String {
    let mut out = format!("{}\n", escape_invisible(&file.path));
    for group in &file.groups {
        if !group.name.is_empty() || group.test.is_some() {
            let _ = writeln!(out, " {}", heading(group, "", true));
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
        let hits: BTreeSet<u32> = group.hits.iter().map(|hit| hit.line).collect();
        let mut last = None;
        for (line, text) in lines {
            if last.is_some_and(|last: u32| last + 1 < line) {
                out.push_str("…\n");
            }
            let mark = if hits.contains(&line) { ":" } else { "" };
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
        check("  const first = one(two(three(four(five))));", "four", 16, "…(four(five)))…");
        check("x\u{1b}[31m", "x", 20, "x\\u{1b}[31m");
        check("ääääääääääää needle öööööööööö", "needle", 12, "…needle…");
    }
}
