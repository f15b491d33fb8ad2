//! Finds edits as JSON: `{"path": "src/a.ts", "content": "…"}`, alone, in a list or as the
//! arguments of a tool.

use super::{Claim, ClaimSort, is_path};
use crate::reply::document::FencedBlock;

const EDIT: &str = "an edit as data: this format is not supported";

/// The edits in a data block.
pub(super) fn claims<'a>(block: &FencedBlock<'_>) -> Vec<Claim<'a>> {
    let language = block.language();
    let is_data =
        language.is_empty() || language.starts_with("json") || language.starts_with("tool");
    if is_data { edits(block.line, block.lines.iter().copied()) } else { Vec::new() }
}

/// The edits in prose: the lines from one that opens a list or an object up to an empty line.
pub(super) fn in_prose<'a>(prose: &[(usize, &'a str)]) -> Vec<Claim<'a>> {
    let mut claims = Vec::new();
    let mut at = 0;
    while at < prose.len() {
        let (number, line) = prose[at];
        let mut length = 1;
        if line.starts_with(['{', '[']) {
            let rest = prose[at..].iter().take_while(|(_, line)| !line.trim().is_empty());
            length = rest.count().max(1);
            claims.extend(edits(number, prose[at..at + length].iter().map(|(_, line)| *line)));
        }
        at += length;
    }
    claims
}

fn edits<'a, 't>(number: usize, lines: impl Iterator<Item = &'t str>) -> Vec<Claim<'a>> {
    const PATHS: [&str; 9] = [
        "path",
        "file",
        "filename",
        "filepath",
        "file_path",
        "target_file",
        "targetfile",
        "uri",
        "relative_path",
    ];
    const EDITS: [&str; 24] = [
        "content",
        "contents",
        "file_content",
        "filecontent",
        "text",
        "file_text",
        "code",
        "code_edit",
        "edits",
        "changes",
        "op",
        "operation",
        "action",
        "diff",
        "patch",
        "replace",
        "replacement",
        "new_string",
        "newstring",
        "new_str",
        "newtext",
        "old_string",
        "search",
        "instructions",
    ];
    let text: Vec<&str> = lines.collect();
    let text = text.join("\n");
    if !text.trim_start().starts_with(['{', '[']) {
        return Vec::new();
    }
    let pairs = strings(&text);
    let is = |key: &str, known: &[&str]| known.contains(&key.to_ascii_lowercase().as_str());
    let has_edit = pairs.iter().any(|(key, _)| is(key, &EDITS));
    // Some use the file as the key: `{"files": {"src/a.ts": "…"}}`.
    let named = pairs.iter().filter_map(|(key, value)| match value {
        Some(value) if is(key, &PATHS) && has_edit => Some((*value, is_path(value))),
        Some(value) if is_path(key) && value.contains("\\n") => Some((*key, true)),
        _ => None,
    });
    let claims = named.map(|(path, is_sure)| {
        let sort = if is_sure { ClaimSort::Write } else { ClaimSort::Touch };
        Claim::bare(number, path.trim_start_matches("./"), sort, EDIT)
    });
    claims.collect()
}

/// The keys of a JSON text with their values, if these are strings, at any depth.
fn strings(text: &str) -> Vec<(&str, Option<&str>)> {
    let mut found: Vec<(&str, Option<&str>)> = Vec::new();
    let mut rest = text;
    let mut is_value = false;
    while let Some(at) = rest.find('"') {
        is_value &= rest[..at].trim().is_empty();
        let string = &rest[at + 1..];
        let length = length_of(string);
        let behind = string.get(length + 1..).unwrap_or_default();
        match (behind.trim_start().strip_prefix(':'), is_value, found.last_mut()) {
            (Some(_), false, _) => found.push((&string[..length], None)),
            (_, true, Some(last)) => last.1 = Some(&string[..length]),
            _ => {}
        }
        let tail = behind.trim_start().strip_prefix(':').filter(|_| !is_value);
        is_value = tail.is_some();
        rest = tail.unwrap_or(behind);
    }
    found
}

/// The length of a string, counted from its opening quote.
fn length_of(string: &str) -> usize {
    let mut is_escaped = false;
    let end = string.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.unwrap_or(string.len())
}
