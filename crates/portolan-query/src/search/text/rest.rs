//! An answer that cannot list every hit: the best files, then folders with their counts and how to narrow down.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use portolan_types::escape_invisible;

use super::block::Detail;
use super::next::quoted;
use super::{count, tokens};
use crate::search::report::{SearchReport, SearchedFile};

/// Files are listed up to this share of the room; the rest is for folders and the next call.
const LISTED_SHARE: u64 = 6;
/// So many folders are told at most.
const MOST_FOLDERS: usize = 12;

/// As many files as fit, then the rest by folder.
pub(super) fn bounded(report: &SearchReport, detail: &Detail, room: u64) -> String {
    let mut text = String::new();
    let mut used = 0;
    let mut listed = 0;
    let most = room * LISTED_SHARE / 10;
    for file in &report.files {
        let block = report.one(file, 0, "", detail);
        // No token is shorter than a byte: what is very long need not be counted.
        let cost = if block.len() as u64 > most * 16 { u64::MAX } else { tokens(&block) };
        if cost == u64::MAX || used + cost > most {
            break;
        }
        used += cost;
        listed += 1;
        text.push_str(&block);
    }
    let rest = report.files.get(listed..).unwrap_or_default();
    let mut tail = String::new();
    // Fewer folders until it fits: a sum of them all fits always.
    for folders in (1..=MOST_FOLDERS).rev() {
        tail = by_folder(report, rest, folders);
        if used + tokens(&tail) <= room {
            break;
        }
    }
    if used + tokens(&tail) > room {
        tail = format!("rest: {}\n", counts(rest));
    }
    if used + tokens(&tail) > room {
        return String::new();
    }
    text + &tail
}

fn counts(files: &[SearchedFile]) -> String {
    let lines = files.iter().map(SearchedFile::lines).sum();
    format!("{} in {}", count(lines, "line"), count(files.len() as u64, "file"))
}

fn by_folder(report: &SearchReport, rest: &[SearchedFile], most: usize) -> String {
    if rest.is_empty() {
        return String::new();
    }
    let mut depth = 1;
    let mut folders = folders_at(rest, depth);
    while depth < 6 {
        let deeper = folders_at(rest, depth + 1);
        if deeper.len() > most {
            break;
        }
        depth += 1;
        folders = deeper;
    }
    let mut sorted: Vec<(&str, (u64, u64))> = folders.into_iter().collect();
    sorted.sort_by(|left, right| (right.1, left.0).cmp(&(left.1, right.0)));
    let shown = sorted.iter().take(most).map(|(folder, (lines, files))| {
        format!("{} {lines} in {}", escape_invisible(folder), count(*files, "file"))
    });
    let shown: Vec<String> = shown.collect();
    let left: u64 = sorted.iter().skip(most).map(|(_, (lines, _))| lines).sum();
    let mut text = format!("rest: {}: {}", counts(rest), shown.join(", "));
    if left > 0 {
        let _ = write!(text, ", elsewhere {left}");
    }
    text.push('\n');
    let first = sorted.first().map_or(".", |(folder, _)| folder);
    let pattern = report.patterns.first().map_or("", String::as_str);
    let _ = writeln!(
        text,
        "next: portolan search{} {} {}",
        report.flags,
        quoted(pattern),
        quoted(first.trim_end_matches('/'))
    );
    text
}

/// Lines and files of each folder, so many folders deep.
fn folders_at(files: &[SearchedFile], depth: usize) -> BTreeMap<&str, (u64, u64)> {
    let mut folders: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for file in files {
        let ends = file.path.match_indices('/').map(|(at, _)| at + 1);
        let end = ends.take(depth).last().unwrap_or(file.path.len());
        let sums = folders.entry(file.path.get(..end).unwrap_or_default()).or_default();
        sums.0 += file.lines();
        sums.1 += 1;
    }
    folders
}
