//! Files that changed in the same commits: read from git's objects, up to a limit, and cached.
//!
//! Commits never change, so a run reads only new ones.

use portolan_types::FileId;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use portolan_workspace::{Commit, HistoryBounds, history};

use crate::map::MapReport;
use crate::word_index::IndexFiles;

/// Two files of a larger commit need not belong together.
const BOUNDS: HistoryBounds = HistoryBounds { commits: 1_000, files: 20 };
const FILE: &str = "history.txt";

/// Known commits, latest first.
pub type Kept = Vec<Commit>;

/// Earlier commits as files of the universe, latest first; empty without a readable history.
pub fn commits(files: &IndexFiles<'_>, map: &MapReport) -> Vec<Vec<FileId>> {
    commits_since(files, map, &Mutex::default())
}

/// The same, with the commits that are in memory.
pub fn commits_since(
    files: &IndexFiles<'_>,
    map: &MapReport,
    memory: &Mutex<Kept>,
) -> Vec<Vec<FileId>> {
    let all = earlier_since(files, map, memory);
    all.into_iter().filter(|files| files.len() > 1).collect()
}

/// The same, including commits that changed one file, or none that still exists.
pub fn earlier(files: &IndexFiles<'_>, map: &MapReport) -> Vec<Vec<FileId>> {
    earlier_since(files, map, &Mutex::default())
}

fn earlier_since(
    files: &IndexFiles<'_>,
    map: &MapReport,
    memory: &Mutex<Kept>,
) -> Vec<Vec<FileId>> {
    let &IndexFiles { system, root, cache } = files;
    let file = cache.file(FILE, "");
    let stored = || decoded(str::from_utf8(&file.read(system).ok()??).ok()?);
    let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
    if memory.is_empty() {
        *memory = stored().unwrap_or_default();
    }
    let known: BTreeSet<&str> = memory.iter().map(|commit| commit.id.as_str()).collect();
    let mut all = history(system, root, BOUNDS, &|id| known.contains(id));
    let is_new = !all.is_empty();
    // The known commits continue where the new ones end. Those of another branch do not count.
    let rest = next_of(files, &all, &memory);
    all.extend(rest);
    all.truncate(BOUNDS.commits);
    if is_new {
        // Without it the next run reads the commits again.
        let _ = file.write(system, encoded(&all).as_bytes());
    }
    memory.clone_from(&all);
    let places = |commit: &Commit| {
        let mut files: Vec<FileId> =
            commit.files.iter().filter_map(|path| map.place_of(path)).collect();
        files.sort_unstable();
        files.dedup();
        files
    };
    all.iter().map(places).collect()
}

/// The known commits, starting with the parent of the new ones.
fn next_of(files: &IndexFiles<'_>, new: &[Commit], kept: &[Commit]) -> Vec<Commit> {
    if kept.is_empty() || new.len() >= BOUNDS.commits {
        return Vec::new();
    }
    let first = |id: &str| kept.iter().position(|commit| commit.id == id);
    let last = new.last().map(|it| it.id.as_str());
    let next = portolan_workspace::first_parent(files.system, files.root, last);
    next.and_then(|id| first(&id)).map(|at| kept[at..].to_vec()).unwrap_or_default()
}

fn encoded(commits: &[Commit]) -> String {
    let mut text = String::new();
    for commit in commits {
        text.push('@');
        text.push_str(&commit.id);
        text.push('\n');
        for file in commit.files.iter().filter(|file| !file.contains('\n')) {
            text.push_str(file);
            text.push('\n');
        }
    }
    text
}

fn decoded(text: &str) -> Option<Vec<Commit>> {
    let mut commits: Vec<Commit> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix('@').filter(|id| id.len() == 40) {
            Some(id) => commits.push(Commit { id: id.to_owned(), files: Vec::new() }),
            None => commits.last_mut()?.files.push(line.to_owned()),
        }
    }
    Some(commits)
}
