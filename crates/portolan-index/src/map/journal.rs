//! Records the queries to the disk, so that a later run can check whether the answers are still the same.
//!
//! A journal is a [`System`] that forwards every query to another one and records the answer. A missing file is an
//! answer like any other. A file counts as unchanged while its size, times and inode are the same. So an answer that is
//! as young as the run itself proves nothing and invalidates the journal. Folders are listed again, because not every
//! file system updates the times of folders.

use std::collections::hash_map::Entry;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use portolan_languages::dependency_tracking;
use portolan_types::{RepoPath, Sha256Digest};
use portolan_vfs::{DirEntry, FileContent, FileKind, LockGuard, PendingFile, Stat, System, sha256};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::cache::Times;

/// A query about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Question {
    /// The metadata, following links.
    Stat,
    /// The metadata of a link itself.
    LinkStat,
    /// The real path.
    RealPath,
    /// The entries of a folder.
    Listing,
}

/// An answer of the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum DiskAnswer {
    /// There is nothing.
    None,
    /// The kind, size and times of an entry.
    Entry(u8, u64, Option<Times>),
    /// A path.
    Path(String),
    /// The digest of a folder's entries.
    Entries([u8; 32]),
}

/// Queries with their answers, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Answers(Vec<(Question, String, DiskAnswer)>);

impl Answers {
    /// Joins two lists.
    pub(super) fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self.0.sort_unstable_by(|left, right| (left.0, &left.1).cmp(&(right.0, &right.1)));
        // Two answers to one query both stay: the next check finds that one is wrong.
        self.0.dedup();
        self
    }

    /// Splits the list: the answers that still hold, and the keys of the queries with other answers. `None` if the disk
    /// fails.
    pub(super) fn ask_again(self, system: &dyn System) -> Option<(Self, FxHashSet<u32>)> {
        let is_same: Vec<bool> = self
            .0
            .par_iter()
            .map(|(question, path, answer)| {
                Some(ask(system, *question, Path::new(path))? == *answer)
            })
            .collect::<Option<_>>()?;
        let mut others = FxHashSet::default();
        let mut each = self.0.into_iter().zip(is_same);
        let same = each.by_ref().filter_map(|((question, path, answer), is_same)| {
            if !is_same {
                others.insert(match question {
                    Question::Listing => dependency_tracking::listing_key(&path),
                    Question::Stat | Question::LinkStat | Question::RealPath => {
                        dependency_tracking::path_key(&path)
                    }
                });
            }
            is_same.then_some((question, path, answer))
        });
        let same = Self(same.collect());
        Some((same, others))
    }

    /// The approximate size in bytes.
    pub(super) fn weight(&self) -> usize {
        let text: usize = self.0.iter().map(|(_, path, _)| path.len()).sum();
        text + self.0.len() * size_of::<(Question, String, DiskAnswer)>()
    }

    /// Whether the disk gives the same answers again.
    pub(super) fn is_current(&self, system: &dyn System) -> bool {
        self.0.par_iter().all(|(question, path, answer)| {
            ask(system, *question, Path::new(path)).as_ref() == Some(answer)
        })
    }
}

/// Repeats a query; `None` if the disk fails.
fn ask(system: &dyn System, question: Question, path: &Path) -> Option<DiskAnswer> {
    match question {
        Question::Stat => entry(&system.stat(path)),
        Question::LinkStat => entry(&system.lstat(path)),
        Question::RealPath => target(&system.real_path(path)),
        Question::Listing => entries(&system.read_dir(path)),
    }
}

/// The digest of a folder's entries, independent of their order.
pub(super) fn digest_of(entries: &[DirEntry]) -> Sha256Digest {
    let mut lines: Vec<(&[u8], FileKind)> =
        entries.iter().map(|entry| (entry.name.as_encoded_bytes(), entry.kind)).collect();
    lines.sort_unstable();
    let mut bytes = Vec::new();
    for (name, kind) in lines {
        bytes.push(code_of(kind));
        bytes.extend_from_slice(name);
        // No name contains it.
        bytes.push(0);
    }
    sha256(&bytes)
}

fn entries(found: &io::Result<Vec<DirEntry>>) -> Option<DiskAnswer> {
    match found {
        Ok(entries) => Some(DiskAnswer::Entries(*digest_of(entries).as_bytes())),
        Err(error) => absence(error),
    }
}

/// A missing entry is an answer. A fault is none: it may be gone next time.
fn absence(error: &io::Error) -> Option<DiskAnswer> {
    let is_absent = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
    is_absent.then_some(DiskAnswer::None)
}

fn code_of(kind: FileKind) -> u8 {
    match kind {
        FileKind::File => 0,
        FileKind::Dir => 1,
        FileKind::Link => 2,
        FileKind::Other => 3,
    }
}

fn entry(found: &io::Result<Stat>) -> Option<DiskAnswer> {
    match found {
        // The size and times of a folder say nothing about its entries.
        Ok(stat) if stat.kind == FileKind::Dir => {
            Some(DiskAnswer::Entry(code_of(stat.kind), 0, None))
        }
        Ok(stat) => Some(DiskAnswer::Entry(code_of(stat.kind), stat.size, Some(Times::of(stat)))),
        Err(error) => absence(error),
    }
}

fn target(found: &io::Result<PathBuf>) -> Option<DiskAnswer> {
    match found {
        Ok(path) => Some(DiskAnswer::Path(path.to_str()?.to_owned())),
        Err(error) => absence(error),
    }
}

/// Records the queries to another system.
pub(super) struct Journal<'s> {
    system: &'s dyn System,
    /// `None` for an answer that cannot be recorded, or that changed during the run.
    asked: Mutex<FxHashMap<(Question, OsString), Option<DiskAnswer>>>,
}

impl<'s> Journal<'s> {
    pub(super) fn new(system: &'s dyn System) -> Self {
        Self { system, asked: Mutex::default() }
    }

    /// The recorded answers, if all of them can be checked later. `began` is the file system's clock at the start of the
    /// run.
    pub(super) fn answers(self, began: i128) -> Option<Answers> {
        let asked = self.asked.into_inner().unwrap_or_else(PoisonError::into_inner);
        let answers = asked.into_iter().map(|((question, path), answer)| {
            let answer = answer?;
            let is_old = match &answer {
                DiskAnswer::Entry(_, _, Some(times)) => times.are_before(began),
                _ => true,
            };
            is_old.then_some((question, path.into_string().ok()?, answer))
        });
        let mut answers: Vec<_> = answers.collect::<Option<_>>()?;
        answers.sort_unstable_by(|left, right| (left.0, &left.1).cmp(&(right.0, &right.1)));
        Some(Answers(answers))
    }

    fn note(&self, question: Question, path: &Path, answer: Option<DiskAnswer>) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        match asked.entry((question, path.as_os_str().to_owned())) {
            Entry::Vacant(entry) => {
                entry.insert(answer);
            }
            Entry::Occupied(mut entry) => {
                if *entry.get() != answer {
                    entry.insert(None);
                }
            }
        }
    }

    /// Records the metadata before the file is read, so that a later change is noticed. A missing file is an answer;
    /// any other fault proves nothing.
    fn reading<T>(&self, path: &Path, read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let before = entry(&self.system.stat(path));
        let found = read();
        let is_told = match &found {
            Ok(_) => true,
            Err(error) => before == Some(DiskAnswer::None) && absence(error).is_some(),
        };
        self.note(Question::Stat, path, before.filter(|_| is_told));
        found
    }
}

impl System for Journal<'_> {
    fn is_cancelled(&self) -> bool {
        self.system.is_cancelled()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.reading(path, || self.system.read(path))
    }

    fn digest(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        self.reading(path, || self.system.digest(path))
    }

    fn read_real(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.reading(path, || self.system.read_real(path, limit))
    }

    fn digest_real(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        self.reading(path, || self.system.digest_real(path))
    }

    fn read_or_digest(
        &self,
        path: &Path,
        limit: usize,
        is_opaque: &dyn Fn(&[u8]) -> bool,
    ) -> io::Result<FileContent> {
        self.reading(path, || self.system.read_or_digest(path, limit, is_opaque))
    }

    fn read_head(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.reading(path, || self.system.read_head(path, limit))
    }

    fn read_range(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        self.reading(path, || self.system.read_range(path, offset, limit))
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        let found = self.system.read_dir(path);
        self.note(Question::Listing, path, entries(&found));
        found
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let found = self.system.stat(path);
        self.note(Question::Stat, path, entry(&found));
        found
    }

    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        let found = self.system.lstat(path);
        self.note(Question::LinkStat, path, entry(&found));
        found
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        let found = self.system.real_path(path);
        self.note(Question::RealPath, path, target(&found));
        found
    }

    fn clock(&self, folder: &Path) -> io::Result<i128> {
        self.system.clock(folder)
    }

    fn clock_beside(&self, of: &Path, folder: &Path) -> io::Result<i128> {
        self.system.clock_beside(of, folder)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.system.create_dir_all(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        self.system.create(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.system.rename(from, to)
    }

    fn duplicate(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.system.duplicate(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.system.remove_file(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.system.remove_dir_all(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.system.remove_dir(path)
    }

    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.system.copy_mode(from, to)
    }

    fn set_executable(&self, path: &Path, is_executable: bool) -> io::Result<()> {
        self.system.set_executable(path, is_executable)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn LockGuard>>> {
        self.system.try_lock(path)
    }

    fn restricted_to<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a> {
        self.system.restricted_to(root, folder)
    }

    fn restricted_without_links<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        self.system.restricted_without_links(root)
    }

    fn restricted_to_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        self.system.restricted_to_root(root)
    }

    fn private_to<'a>(&'a self, folder: &Path) -> Box<dyn System + 'a> {
        self.system.private_to(folder)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_vfs::{MemorySystem, System};

    use super::{Answers, Journal};

    /// The answers to a few queries about `/r`.
    fn asked(system: &MemorySystem) -> Answers {
        let journal = Journal::new(system);
        let _ = journal.read(Path::new("/r/a"));
        let _ = journal.stat(Path::new("/r/none"));
        let _ = journal.read_dir(Path::new("/r"));
        let _ = journal.real_path(Path::new("/r/link"));
        journal.answers(i128::MAX).unwrap()
    }

    #[track_caller]
    fn check_noticed(change: impl Fn(&MemorySystem)) {
        let system = MemorySystem::default();
        system.put("/r/a", "text");
        system.put("/r/b", "text");
        system.link("/r/link", "a");
        let answers = asked(&system);
        assert!(answers.is_current(&system));
        change(&system);
        assert!(!answers.is_current(&system));
    }

    #[test]
    fn a_change_of_anything_that_was_asked_for_is_noticed() {
        check_noticed(|system| system.put("/r/a", "other"));
        check_noticed(|system| system.put("/r/none", ""));
        check_noticed(|system| system.put("/r/more", ""));
        check_noticed(|system| system.remove_file(Path::new("/r/a")).unwrap());
        check_noticed(|system| {
            system.remove_file(Path::new("/r/link")).unwrap();
            system.link("/r/link", "b");
        });
    }

    #[test]
    fn what_is_as_new_as_the_run_proves_nothing() {
        let system = MemorySystem::default();
        system.put("/r/a", "text");
        let journal = Journal::new(&system);
        let stat = journal.stat(Path::new("/r/a")).unwrap();
        let time = stat.mtime_ns.max(stat.ctime_ns);
        assert!(Journal::answers(journal, time).is_none());
        let journal = Journal::new(&system);
        journal.stat(Path::new("/r/a")).unwrap();
        assert!(journal.answers(time + 1).is_some());
    }

    #[test]
    fn a_fault_proves_nothing() {
        let system = MemorySystem::default();
        system.put("/r/a", "text");
        system.deny("/r/a");
        let journal = Journal::new(&system);
        assert!(journal.read(Path::new("/r/a")).is_err());
        assert!(journal.answers(i128::MAX).is_none());
    }

    #[test]
    fn that_there_is_nothing_to_read_is_an_answer() {
        let system = MemorySystem::default();
        let journal = Journal::new(&system);
        assert!(journal.read(Path::new("/r/a")).is_err());
        let answers = journal.answers(i128::MAX).unwrap();
        assert!(answers.is_current(&system));
        system.put("/r/a", "text");
        assert!(!answers.is_current(&system));
    }

    #[test]
    fn an_answer_that_changes_during_the_run_proves_nothing() {
        let system = MemorySystem::default();
        let journal = Journal::new(&system);
        let _ = journal.stat(Path::new("/r/a"));
        system.put("/r/a", "text");
        let _ = journal.stat(Path::new("/r/a"));
        assert!(journal.answers(i128::MAX).is_none());
    }
}
