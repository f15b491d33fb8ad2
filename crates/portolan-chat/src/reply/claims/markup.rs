//! Finds files in tags: `<file path="src/a.ts">` … `</file>`, `<path>src/a.ts</path>`.

use super::{Claim, ClaimSort, is_path};

const TAGGED: &str = "a file in tags: this format is not supported";

/// The elements that name a file and contain lines.
pub(super) fn claims<'a>(lines: &[(usize, &'a str)]) -> Vec<Claim<'a>> {
    let mut claims = Vec::new();
    // Bounds the repeated search for closing tags that do not exist.
    let mut budget: usize = 1_000_000;
    let mut at = 0;
    while at < lines.len() {
        let (number, line) = lines[at];
        let opening = opening(line.trim());
        let behind = &lines[at + 1..];
        let length = opening.as_ref().and_then(|(tag, _)| {
            let length = length_of(tag, &behind[..behind.len().min(budget)]);
            budget -= length.unwrap_or(behind.len()).min(budget);
            length
        });
        if let (Some((_, path)), Some(length)) = (opening, length) {
            let content = lines[at + 1..at + 1 + length].iter().map(|(_, line)| *line).collect();
            let claim = Claim::bare(number, path, ClaimSort::Text, TAGGED);
            claims.push(Claim { lines: content, ..claim });
            at += length;
        } else if let Some(path) = element(line.trim()) {
            claims.push(Claim::bare(number, path, ClaimSort::Write, TAGGED));
        }
        at += 1;
    }
    claims
}

/// The number of lines before the closing tag.
fn length_of(tag: &str, lines: &[(usize, &str)]) -> Option<usize> {
    let closing = format!("</{tag}>");
    lines.iter().position(|(_, line)| line.trim().ends_with(&closing))
}

/// The tag and the path of `<tag … path="src/a.ts" …>`.
fn opening(line: &str) -> Option<(&str, &str)> {
    const NAMES: [&str; 7] =
        ["path", "file", "filename", "filepath", "file_path", "file-path", "name"];
    let inner = line.strip_prefix('<')?;
    let inner = inner.split_once('>')?.0;
    let (tag, attributes) = inner.split_once(char::is_whitespace)?;
    let is_tag = tag.chars().all(|c| c.is_alphanumeric() || "-_:".contains(c));
    if !is_tag || inner.ends_with('/') {
        return None;
    }
    let mut given = attributes.split_whitespace().filter_map(|word| {
        let (name, value) = word.split_once('=')?;
        let is_name = NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
        is_name.then(|| value.trim_matches(['"', '\'']))
    });
    given.find(|value| is_path(value)).map(|path| (tag, path))
}

/// The path in `<path>src/a.ts</path>`.
fn element(line: &str) -> Option<&str> {
    const NAMES: [&str; 6] = ["path", "file_path", "filepath", "filename", "file_name", "file"];
    let (tag, rest) = line.strip_prefix('<')?.split_once('>')?;
    let (value, closing) = rest.split_once("</")?;
    let is_known = NAMES.iter().any(|known| tag.eq_ignore_ascii_case(known));
    (is_known && closing.starts_with(tag) && is_path(value.trim())).then(|| value.trim())
}
