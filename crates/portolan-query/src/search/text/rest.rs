//! An answer that cannot list every hit: the best files, line by line or summed up, then folders with their counts, and how
//! to narrow down.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use portolan_types::escape_invisible;

use super::block::{Detail, heading};
use super::next::quoted;
use super::{count, tokens};
use crate::search::group::is_main;
use crate::search::kinds::data_folder;
use crate::search::report::{HitGroup, SearchReport, SearchedFile};

/// Files are listed up to this share of the room; the rest is for folders and the next call.
const LISTED_SHARE: u64 = 6;
/// The most folders that are listed.
const MOST_FOLDERS: usize = 12;
/// The most declarations that the summary of a file names.
const MOST_NAMED: usize = 6;

/// As many files as fit, then the rest by folder.
pub(super) fn bounded(report: &SearchReport, detail: &Detail, room: u64) -> String {
    let mut text = String::new();
    let mut used = 0;
    let mut listed = 0;
    let mut shortened = None;
    let most = room * LISTED_SHARE / 10;
    for file in &report.files {
        let is_data = data_folder(&file.path).is_some();
        if is_data && report.files.first().is_some_and(|first| first.class != file.class) {
            break;
        }
        let whole = report.one(file, 0, "", detail);
        let fits = |block: &str| {
            // No token is shorter than a byte: what is very long need not be counted.
            block.len() as u64 <= most * 16 && used + tokens(block) <= most
        };
        let block = if fits(&whole) {
            whole
        } else {
            let summary = summary(file);
            if !is_main(file.class, report.files.first().map(|file| file.class)) || !fits(&summary)
            {
                break;
            }
            shortened = shortened.or(Some(file.path.as_str()));
            summary
        };
        used += tokens(&block);
        listed += 1;
        text.push_str(&block);
    }
    let rest = report.files.get(listed..).unwrap_or_default();
    let mut tail = String::new();
    // Fewer folders until it fits: a sum of them all fits always.
    for folders in (1..=MOST_FOLDERS).rev() {
        tail = by_folder(rest, folders) + &next(report, rest, shortened);
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

/// A file with too many hits to list: how many, what it defines of what was searched for, and the declarations with most
/// hits.
fn summary(file: &SearchedFile) -> String {
    let named: Vec<&HitGroup> = file.groups.iter().filter(|it| !it.name.is_empty()).collect();
    let mut text = format!("{}: {}", escape_invisible(&file.path), count(file.lines(), "line"));
    if !named.is_empty() {
        let _ = write!(text, " in {}", count(named.len() as u64, "declaration"));
    }
    text.push('\n');
    let mut chosen: Vec<usize> = (0..named.len()).collect();
    chosen.sort_by_key(|at| (named[*at].definition.is_none(), Reverse(named[*at].hits.len()), *at));
    chosen.truncate(MOST_NAMED);
    chosen.sort_unstable();
    let mut before = "";
    for group in chosen.into_iter().map(|at| named[at]) {
        let lines = count(group.hits.len() as u64, "line");
        let _ = writeln!(text, " {}: {lines}", heading(group, before, true));
        before = &group.name;
    }
    text
}

fn counts(files: &[SearchedFile]) -> String {
    let lines = files.iter().map(SearchedFile::lines).sum();
    format!("{} in {}", count(lines, "line"), count(files.len() as u64, "file"))
}

fn by_folder(rest: &[SearchedFile], most: usize) -> String {
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
    text
}

/// The call that narrows down: to the first file that is not listed line by line, else to the folder with most hits.
fn next(report: &SearchReport, rest: &[SearchedFile], shortened: Option<&str>) -> String {
    let folders = folders_at(rest, 1);
    let largest = folders.into_iter().max_by_key(|(path, sums)| (*sums, Reverse(*path)));
    // A search of one file cannot be narrowed to that file.
    let shortened = shortened.filter(|_| report.files.len() > 1);
    // Neither does a folder narrow it that has all of it.
    let is_narrower = |path: &&str| !report.files.iter().all(|file| file.path.starts_with(*path));
    let largest = largest.map(|(path, _)| path).filter(is_narrower);
    let Some(place) = shortened.or(largest) else { return String::new() };
    let pattern = report.patterns.first().map_or("", String::as_str);
    let place = quoted(place.trim_end_matches('/'));
    format!("next: portolan search{} {} {place}\n", report.flags, quoted(pattern))
}

/// The lines and files of each folder, down to a depth.
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
