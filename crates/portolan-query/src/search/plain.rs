//! Hits as grep prints them, for scripts.

use std::io::Write as _;

use portolan_types::Notice;

use super::sweep::{Swept, SweptFile, trimmed};
use super::{SearchQuestionV1, lines_around};

/// What a search for scripts prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainLayout {
    /// Every hit as `path:line:text`.
    Hits,
    /// The path of every file with a hit.
    Paths,
    /// Every file with a hit as `path:count`.
    Counts,
}

/// What grep prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainReport {
    /// How many lines match.
    pub lines: u64,
    /// The hits, files or counts, by path.
    pub text: Vec<u8>,
    /// The files that were not searched, as they may hold secrets.
    pub unsearched: Vec<String>,
    /// What could not be searched.
    pub notices: Vec<Notice>,
}

/// Prints what a pass found.
pub(super) fn report(request: &SearchQuestionV1, swept: Swept, layout: PlainLayout) -> PlainReport {
    let Swept { files, unsearched, notices, .. } = swept;
    let lines = files.iter().map(|file| file.hits.len() as u64).sum();
    let mut text = Vec::new();
    for file in &files {
        let path = file.path.as_str();
        match layout {
            PlainLayout::Hits => print(&mut text, file, request),
            PlainLayout::Paths => put_line(&mut text, path),
            PlainLayout::Counts => put_line(&mut text, &format!("{path}:{}", file.hits.len())),
        }
    }
    PlainReport { lines, text, unsearched, notices }
}

fn put_line(out: &mut Vec<u8>, line: &str) {
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
}

fn print(out: &mut Vec<u8>, file: &SweptFile, request: &SearchQuestionV1) {
    let path = file.path.as_str();
    let (lines_before, lines_after) = lines_around(request);
    if lines_before == 0 && lines_after == 0 {
        for hit in &file.hits {
            put(out, path, ':', hit.line, file.line(hit));
        }
        return;
    }
    let all: Vec<&[u8]> = file.bytes.split_inclusive(|byte| *byte == b'\n').map(trimmed).collect();
    let mut next = 1;
    for (number, hit) in file.hits.iter().enumerate() {
        let first = hit.line.saturating_sub(lines_before).max(next);
        let after = file.hits.get(number + 1).map_or(u32::MAX, |after| after.line);
        let last = hit.line.saturating_add(lines_after).min(all.len() as u32).min(after - 1);
        if !out.is_empty() && (first > next || number == 0) {
            out.extend_from_slice(b"--\n");
        }
        for line in first..=last {
            let mark = if line == hit.line { ':' } else { '-' };
            put(out, path, mark, line, all.get(line as usize - 1).copied().unwrap_or_default());
        }
        next = last + 1;
    }
}

fn put(out: &mut Vec<u8>, path: &str, mark: char, line: u32, text: &[u8]) {
    // Writing to memory does not fail.
    let _ = write!(out, "{path}{mark}{line}{mark}");
    out.extend_from_slice(text);
    out.push(b'\n');
}
