//! Files that changed in the same commits: read from git's objects, bounded, and kept between runs.
//!
//! What is kept is what would be read again: commits never change, so a run only reads those that are new.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use portolan_vfs::FileKind;
use portolan_workspace::{Commit, HistoryBounds, history};

use crate::map::MapReport;
use crate::word_index::IndexFiles;

/// A commit of more files says nothing of any two of them.
const BOUNDS: HistoryBounds = HistoryBounds { commits: 1_000, files: 20 };
/// The first line of what is kept; another version has another.
const MAGIC: &str = "portolan history 1";
/// A longer file is not ours.
const MOST_BYTES: usize = 16 << 20;

/// Commits that were read, latest first.
pub type Kept = Vec<Commit>;

/// Earlier commits as files of the universe, latest first. None where there is no history to be read.
pub fn commits(files: &IndexFiles<'_>, map: &MapReport) -> Vec<Vec<u32>> {
    commits_since(files, map, &Mutex::default())
}

/// The same for somebody who keeps them in memory.
pub fn commits_since(
    files: &IndexFiles<'_>,
    map: &MapReport,
    memory: &Mutex<Kept>,
) -> Vec<Vec<u32>> {
    let all = earlier_since(files, map, memory);
    all.into_iter().filter(|files| files.len() > 1).collect()
}

/// The same with those that changed one file, or none that is still there.
pub fn earlier(files: &IndexFiles<'_>, map: &MapReport) -> Vec<Vec<u32>> {
    earlier_since(files, map, &Mutex::default())
}

fn earlier_since(files: &IndexFiles<'_>, map: &MapReport, memory: &Mutex<Kept>) -> Vec<Vec<u32>> {
    let &IndexFiles { system, root, stan_path, cache } = files;
    let path = kept_at(files);
    let stored = || {
        let path = path.as_ref().filter(|_| cache.reads())?;
        let bytes = system.read_at_most(path, MOST_BYTES).ok()?;
        decoded(&String::from_utf8(bytes).ok()?)
    };
    let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
    if memory.is_empty() {
        *memory = stored().unwrap_or_default();
    }
    let known: BTreeSet<&str> = memory.iter().map(|commit| commit.id.as_str()).collect();
    let mut all = history(system, root, BOUNDS, &|id| known.contains(id));
    let is_new = !all.is_empty();
    // What is kept goes on where the new ones end; what was on another branch does not count.
    let rest = next_of(files, &all, &memory);
    all.extend(rest);
    all.truncate(BOUNDS.commits);
    if let Some(path) = path.filter(|_| is_new && cache.writes()) {
        let restricted = system.restricted_to(root, stan_path);
        // Without it the next run reads again what this one did.
        let _ = restricted.create(&path).and_then(|mut pending| {
            pending.write_all(encoded(&all).as_bytes())?;
            pending.commit_unsynced()
        });
    }
    memory.clone_from(&all);
    let places = |commit: &Commit| {
        let mut files: Vec<u32> =
            commit.files.iter().filter_map(|path| map.place_of(path)).collect();
        files.sort_unstable();
        files.dedup();
        files
    };
    all.iter().map(places).collect()
}

/// The commits that are kept, from the one on that the new ones lead to.
fn next_of(files: &IndexFiles<'_>, new: &[Commit], kept: &[Commit]) -> Vec<Commit> {
    if kept.is_empty() || new.len() >= BOUNDS.commits {
        return Vec::new();
    }
    let first = |id: &str| kept.iter().position(|commit| commit.id == id);
    let last = new.last().map(|it| it.id.as_str());
    let next = portolan_workspace::first_parent(files.system, files.root, last);
    next.and_then(|id| first(&id)).map(|at| kept[at..].to_vec()).unwrap_or_default()
}

fn kept_at(files: &IndexFiles<'_>) -> Option<PathBuf> {
    let folder = files.root.join(files.stan_path.as_str()).join("cache");
    let stat = files.system.lstat(&folder);
    stat.is_ok_and(|stat| stat.kind == FileKind::Dir).then(|| folder.join("history.txt"))
}

fn encoded(commits: &[Commit]) -> String {
    let mut text = format!("{MAGIC}\n");
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
    let mut lines = text.lines();
    if lines.next()? != MAGIC {
        return None;
    }
    let mut commits: Vec<Commit> = Vec::new();
    for line in lines {
        match line.strip_prefix('@').filter(|id| id.len() == 40) {
            Some(id) => commits.push(Commit { id: id.to_owned(), files: Vec::new() }),
            None => commits.last_mut()?.files.push(line.to_owned()),
        }
    }
    Some(commits)
}
