//! Changes files of the repository atomically: all of them, or none.
//!
//! It first writes all new content to `<stanPath>/patch/portolan/next`, hard-links every old file there, and
//! writes a journal of old and new states. Only then does it touch the first file, each with one rename. If
//! a step fails, it rolls back. If the process is killed, the journal remains, and the next run rolls back
//! ([`Changeset::recover`]). After the last step the folder is renamed to `last`, which allows undoing the
//! whole changeset.
//!
//! Somebody else may have filled the journal's folder. So the caller's rules apply to its paths, and a
//! rollback restores a file only if it is in the state that the journal recorded.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use portolan_types::{RepoPath, Sha256Digest};
use portolan_vfs::{FileKind, System, sha256};
use portolan_wire::journal::{JournalFile, JournalFolder, JournalV1};

use crate::inside::Root;
use crate::transaction::remove_any;

/// Files of a repository that change together. The caller restricts the file system to the root.
pub struct Changeset<'a> {
    root: Root<'a>,
    folder: RepoPath,
    is_allowed: &'a dyn Fn(&RepoPath) -> bool,
}

/// The change of a file.
#[derive(Clone, Debug)]
pub struct FileEdit {
    /// The file.
    pub path: RepoPath,
    /// The digest of its current content; `None` if it does not exist.
    pub before: Option<Sha256Digest>,
    /// Its new content; `None` to delete it.
    pub after: Option<NewContent>,
}

/// The new content of a file.
#[derive(Clone, Debug)]
pub struct NewContent {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The file whose permissions it gets; without one, the default permissions.
    pub mode_of: Option<RepoPath>,
    /// Whether it is executable, if that changes.
    pub executable: Option<bool>,
}

/// All changes of a changeset.
#[derive(Clone, Debug, Default)]
pub struct JournaledChanges {
    /// The changed files.
    pub edits: Vec<FileEdit>,
    /// The folders to create.
    pub made: Vec<RepoPath>,
    /// The empty folders to remove.
    pub removed: Vec<RepoPath>,
}

/// The result of looking for an interrupted changeset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// There was none.
    Nothing,
    /// It was rolled back: this many files were restored.
    RolledBack(usize),
}

/// Why files were not changed, or not restored.
#[derive(Debug, thiserror::Error)]
pub enum ChangesetError {
    /// A file system operation failed.
    #[error("cannot {action} `{path}`: {error}{}", if *undone { "; everything is as it was" } else { "; earlier steps could not be undone" })]
    Io {
        /// The operation.
        action: &'static str,
        /// The path.
        path: RepoPath,
        /// The cause.
        error: io::Error,
        /// Whether everything is as it was.
        undone: bool,
    },
    /// Files are not in the expected state.
    #[error("changed since: {}", list(.0))]
    Changed(Vec<RepoPath>),
    /// The journal is unusable.
    #[error("the journal `{path}` cannot be used: {message}")]
    Journal {
        /// The path of the journal.
        path: RepoPath,
        /// The reason.
        message: String,
    },
}

fn list(paths: &[RepoPath]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}

type ChangesetResult<T> = Result<T, ChangesetError>;

fn failed(action: &'static str, path: &RepoPath) -> impl Fn(io::Error) -> ChangesetError {
    move |error| ChangesetError::Io { action, path: path.clone(), error, undone: true }
}

impl<'a> Changeset<'a> {
    /// A changeset for a repository that stores its data below `folder` and changes only allowed paths.
    pub fn new(
        root: Root<'a>,
        folder: RepoPath,
        is_allowed: &'a dyn Fn(&RepoPath) -> bool,
    ) -> Self {
        Self { root, folder, is_allowed }
    }

    fn system(&self) -> &'a dyn System {
        self.root.system
    }

    fn place(&self, name: &str) -> PathBuf {
        self.root.join(&self.folder).join(name)
    }

    fn blob(&self, kind: &str, index: usize) -> PathBuf {
        self.place(&format!("next/{kind}-{index}"))
    }

    /// The hard link of an old file.
    fn kept(&self, folder: &str, index: usize) -> RepoPath {
        let path = RepoPath::new(format!("{}/{folder}/before-{index}", self.folder));
        path.unwrap_or_else(|_| self.folder.clone())
    }

    fn is_there(&self, name: &str) -> ChangesetResult<bool> {
        match self.system().lstat(&self.place(name)) {
            Ok(_) => Ok(true),
            Err(error) if is_absent(&error) => Ok(false),
            Err(error) => Err(failed("look at", &self.folder)(error)),
        }
    }

    /// Whether a changeset was interrupted.
    pub fn is_unfinished(&self) -> ChangesetResult<bool> {
        self.is_there("next/journal.json")
    }

    /// The journal of the last complete changeset.
    pub fn last(&self) -> ChangesetResult<Option<JournalV1>> {
        self.read("last")
    }

    /// The inode of one of the folders. A journal that came with a cloned repository cannot know
    /// it.
    fn number(&self, name: &str) -> ChangesetResult<String> {
        let stat =
            self.system().lstat(&self.place(name)).map_err(failed("look at", &self.folder))?;
        Ok(format!("{:x}", stat.inode))
    }

    fn read(&self, folder: &str) -> ChangesetResult<Option<JournalV1>> {
        let bad = |message: String| ChangesetError::Journal { path: self.folder.clone(), message };
        let name = format!("{folder}/journal.json");
        if !self.is_there(&name)? {
            return Ok(None);
        }
        let bytes = self.system().read_at_most(&self.place(&name), MAX_JOURNAL);
        let bytes = bytes.map_err(failed("read", &self.folder))?;
        let journal = JournalV1::from_bytes(&bytes).map_err(|error| bad(error.message))?;
        if journal.place != self.number(folder)? {
            return Err(bad("it was not made here; remove the folder".to_owned()));
        }
        let folders = journal.made.iter().chain(&journal.removed).map(|folder| &folder.path);
        let mut paths = journal.files.iter().map(|file| &file.path).chain(folders);
        match paths.find(|path| !(self.is_allowed)(path)) {
            Some(path) => Err(bad(format!("it names `{path}`, which may not be changed"))),
            None => Ok(Some(journal)),
        }
    }

    /// Applies all changes or none. The caller holds the lock and has called `recover`.
    pub fn commit(&self, changes: &JournaledChanges) -> ChangesetResult<()> {
        let journal = self.prepare(changes, false);
        let journal = journal.inspect_err(|_| self.clear("next"))?;
        self.execute(&journal)
    }

    /// Undoes the last changeset.
    pub fn undo(&self, last: &JournalV1) -> ChangesetResult<()> {
        let journal = self.prepare_undo(last);
        let journal = journal.inspect_err(|_| self.clear("next"))?;
        self.execute(&journal)
    }

    /// Rolls back an interrupted changeset.
    pub fn recover(&self) -> ChangesetResult<Recovery> {
        let kept = || self.system().rename(&self.place("old"), &self.place("last"));
        if self.is_there("old")? && !self.is_there("last")? {
            kept().map_err(failed("move", &self.folder))?;
        }
        self.clear("old");
        let Some(journal) = self.read("next")? else {
            self.clear("next");
            return Ok(Recovery::Nothing);
        };
        let restored = self.roll_back(&journal, &|_| true)?;
        self.clear("next");
        Ok(Recovery::RolledBack(restored))
    }

    /// If it cannot be removed now, the next run removes it.
    fn clear(&self, name: &str) {
        let _ = remove_any(self.system(), &self.place(name));
    }

    /// The digest of the file at a path. A link does not count as the file.
    fn digest(&self, path: &RepoPath) -> ChangesetResult<Option<Sha256Digest>> {
        match self.system().lstat(&self.root.join(path)) {
            // A folder is not a file: it may have replaced one.
            Ok(stat) if stat.kind == FileKind::Dir => return Ok(None),
            Err(error) if is_absent(&error) => return Ok(None),
            found => found.map_err(failed("look at", path))?,
        };
        let bytes = self.system().read_beneath(self.root.path, path);
        bytes.map(|bytes| Some(sha256(&bytes))).map_err(failed("read", path))
    }

    fn prepare(&self, changes: &JournaledChanges, is_undo: bool) -> ChangesetResult<JournalV1> {
        self.begin()?;
        let mut files = Vec::new();
        let mut changed = Vec::new();
        for (index, edit) in changes.edits.iter().enumerate() {
            if self.digest(&edit.path)? != edit.before {
                changed.push(edit.path.clone());
                continue;
            }
            let after = edit.after.as_ref().map(|content| self.new_file(index, edit, content));
            self.keep(index, &edit.path, edit.before)?;
            let (path, before) = (edit.path.clone(), edit.before);
            files.push(JournalFile { path, before, after: after.transpose()? });
        }
        if !changed.is_empty() {
            return Err(ChangesetError::Changed(changed));
        }
        let mut journal = JournalV1::new(self.number("next")?, is_undo, files);
        let folders = |paths: &[RepoPath]| {
            paths.iter().map(|path| JournalFolder { path: path.clone() }).collect()
        };
        journal.made = folders(&changes.made);
        journal.removed = folders(&changes.removed);
        self.write_journal(&journal)?;
        Ok(journal)
    }

    fn prepare_undo(&self, last: &JournalV1) -> ChangesetResult<JournalV1> {
        self.begin()?;
        let mut files = Vec::new();
        let mut changed = Vec::new();
        for (index, file) in last.files.iter().enumerate() {
            if self.digest(&file.path)? != file.after {
                changed.push(file.path.clone());
                continue;
            }
            if let Some(before) = file.before {
                let kept = self.kept("last", index);
                if self.digest(&kept)? != Some(before) {
                    changed.push(kept);
                    continue;
                }
                let copied =
                    self.system().duplicate(&self.root.join(&kept), &self.blob("after", index));
                copied.map_err(failed("copy", &file.path))?;
            }
            self.keep(index, &file.path, file.after)?;
            let (path, before, after) = (file.path.clone(), file.after, file.before);
            files.push(JournalFile { path, before, after });
        }
        if !changed.is_empty() {
            return Err(ChangesetError::Changed(changed));
        }
        let mut journal = JournalV1::new(self.number("next")?, true, files);
        journal.made.clone_from(&last.removed);
        journal.removed.clone_from(&last.made);
        self.write_journal(&journal)?;
        Ok(journal)
    }

    fn begin(&self) -> ChangesetResult<()> {
        self.system().create_dir_all(&self.place("next")).map_err(failed("make", &self.folder))
    }

    fn new_file(
        &self,
        index: usize,
        edit: &FileEdit,
        content: &NewContent,
    ) -> ChangesetResult<Sha256Digest> {
        let (system, blob) = (self.system(), self.blob("after", index));
        system.write(&blob, &content.bytes).map_err(failed("write", &edit.path))?;
        if let Some(other) = &content.mode_of {
            let copied = system.copy_mode(&self.root.join(other), &blob);
            copied.map_err(failed("keep the permissions of", other))?;
        }
        if let Some(executable) = content.executable {
            let set = system.set_executable(&blob, executable);
            set.map_err(failed("set the permissions of", &edit.path))?;
        }
        Ok(sha256(&content.bytes))
    }

    /// Hard-links the old file.
    fn keep(
        &self,
        index: usize,
        path: &RepoPath,
        before: Option<Sha256Digest>,
    ) -> ChangesetResult<()> {
        if before.is_none() {
            return Ok(());
        }
        let kept = self.system().duplicate(&self.root.join(path), &self.blob("before", index));
        kept.map_err(failed("keep", path))
    }

    fn write_journal(&self, journal: &JournalV1) -> ChangesetResult<()> {
        let written = self.system().write(&self.place("next/journal.json"), &journal.to_bytes());
        written.map_err(failed("write", &self.folder))
    }

    /// Performs all steps, and rolls back if one fails.
    fn execute(&self, journal: &JournalV1) -> ChangesetResult<()> {
        let mut touched = BTreeSet::new();
        let done = self.steps(journal, &mut touched).and_then(|()| self.finish());
        done.map_err(|error| {
            // Keep a file that was saved before its step.
            let is_undone = self.roll_back(journal, &|index| touched.contains(&index)).is_ok();
            if is_undone {
                self.clear("next");
            }
            match error {
                ChangesetError::Io { action, path, error, .. } => {
                    ChangesetError::Io { action, path, error, undone: is_undone }
                }
                other => other,
            }
        })
    }

    /// Deletes before it creates: a file can become a folder, or change the case of its
    /// name.
    fn steps(&self, journal: &JournalV1, touched: &mut BTreeSet<usize>) -> ChangesetResult<()> {
        let system = self.system();
        let goes = |file: &&JournalFile| file.after.is_none();
        for (index, file) in journal.files.iter().enumerate().filter(|(_, file)| goes(file)) {
            self.check_unchanged(file)?;
            touched.insert(index);
            system
                .remove_file(&self.root.join(&file.path))
                .map_err(failed("remove", &file.path))?;
        }
        self.remove_emptied(journal.files.iter().filter(goes));
        for folder in journal.removed.iter().rev() {
            let removed = system.remove_dir(&self.root.join(&folder.path));
            absent_is_fine(removed).map_err(failed("remove", &folder.path))?;
        }
        for folder in &journal.made {
            let made = system.create_dir_all(&self.root.join(&folder.path));
            made.map_err(failed("make", &folder.path))?;
        }
        for (index, file) in journal.files.iter().enumerate().filter(|(_, file)| !goes(file)) {
            self.check_unchanged(file)?;
            touched.insert(index);
            self.put(&self.blob("after", index), &file.path)?;
        }
        Ok(())
    }

    /// Fails if a file is no longer as the journal has it: an editor may save it while others are changed.
    fn check_unchanged(&self, file: &JournalFile) -> ChangesetResult<()> {
        if self.digest(&file.path)? == file.before {
            Ok(())
        } else {
            Err(ChangesetError::Changed(vec![file.path.clone()]))
        }
    }

    /// Moves a prepared file to its path.
    fn put(&self, from: &std::path::Path, path: &RepoPath) -> ChangesetResult<()> {
        let (system, to) = (self.system(), self.root.join(path));
        if let Some(folder) = to.parent().filter(|folder| *folder != self.root.path) {
            system.create_dir_all(folder).map_err(failed("make the folder of", path))?;
        }
        match system.rename(from, &to) {
            // The path is on another mounted file system: a copy replaces it atomically as well.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let copied = system.read(from).and_then(|bytes| system.write(&to, &bytes));
                copied.and_then(|()| system.copy_mode(from, &to)).map_err(failed("replace", path))
            }
            renamed => renamed.map_err(failed("replace", path)),
        }
    }

    /// Removes folders that became empty, as git does.
    fn remove_emptied<'f>(&self, gone: impl Iterator<Item = &'f JournalFile>) {
        let folders: BTreeSet<PathBuf> = gone
            .filter_map(|file| Some(self.root.join(&file.path).parent()?.to_path_buf()))
            .collect();
        for folder in folders.into_iter().rev() {
            let above = folder.ancestors().take_while(|above| *above != self.root.path);
            for folder in above {
                if self.system().remove_dir(folder).is_err() {
                    break;
                }
            }
        }
    }

    /// Keeps the changeset as the last one.
    fn finish(&self) -> ChangesetResult<()> {
        let rename = |from: &str, to: &str| {
            let renamed = self.system().rename(&self.place(from), &self.place(to));
            renamed.map_err(failed("move", &self.folder))
        };
        if self.is_there("last")? {
            self.clear("old");
            rename("last", "old")?;
        }
        rename("next", "last")?;
        self.clear("old");
        Ok(())
    }

    /// Restores every file whose step may have been done, and that is in the state that the journal recorded. Files changed
    /// by somebody else since are left alone and reported.
    fn roll_back(
        &self,
        journal: &JournalV1,
        may_be_done: &dyn Fn(usize) -> bool,
    ) -> ChangesetResult<usize> {
        let mut foreign = Vec::new();
        let mut todo = Vec::new();
        for (index, file) in journal.files.iter().enumerate() {
            if !may_be_done(index) {
                continue;
            }
            let now = self.digest(&file.path)?;
            // If only the permissions change, the hard link shows whether the step was done.
            let is_done = if file.before == file.after { self.is_kept(index) } else { true };
            if now == file.after && is_done {
                let kept = self.kept("next", index);
                if file.before.is_some() && self.digest(&kept)? != file.before {
                    return Err(ChangesetError::Changed(vec![kept]));
                }
                todo.push((index, file));
            } else if now != file.before {
                foreign.push(file.path.clone());
            }
        }
        if !foreign.is_empty() {
            return Err(ChangesetError::Changed(foreign));
        }
        let came = |file: &JournalFile| file.before.is_none();
        let mut saved = Vec::new();
        let mut is_saved = |file: &JournalFile| -> ChangesetResult<bool> {
            // An editor may have saved it while others were restored.
            let is_saved = self.digest(&file.path)? != file.after;
            if is_saved {
                saved.push(file.path.clone());
            }
            Ok(is_saved)
        };
        for (_, file) in todo.iter().filter(|(_, file)| came(file)) {
            if is_saved(file)? {
                continue;
            }
            let removed = self.system().remove_file(&self.root.join(&file.path));
            absent_is_fine(removed).map_err(failed("remove", &file.path))?;
        }
        self.remove_emptied(todo.iter().map(|(_, file)| *file).filter(|file| came(file)));
        for folder in journal.made.iter().rev() {
            // A folder that is not empty by now, or existed before, stays.
            let _ = self.system().remove_dir(&self.root.join(&folder.path));
        }
        for folder in &journal.removed {
            let made = self.system().create_dir_all(&self.root.join(&folder.path));
            made.map_err(failed("make", &folder.path))?;
        }
        for (index, file) in todo.iter().filter(|(_, file)| !came(file)) {
            if !is_saved(file)? {
                self.put(&self.blob("before", *index), &file.path)?;
            }
        }
        if !saved.is_empty() {
            return Err(ChangesetError::Changed(saved));
        }
        if self.is_there("old")? && !self.is_there("last")? {
            let renamed = self.system().rename(&self.place("old"), &self.place("last"));
            renamed.map_err(failed("move", &self.folder))?;
        }
        Ok(todo.len())
    }

    /// Whether the hard link of the old file still exists.
    fn is_kept(&self, index: usize) -> bool {
        self.system().lstat(&self.blob("before", index)).is_ok()
    }
}

/// The largest journal to read.
const MAX_JOURNAL: usize = 64 << 20;

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn absent_is_fine(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if is_absent(&error) => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests;
