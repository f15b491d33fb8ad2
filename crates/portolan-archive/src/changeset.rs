//! Changing files of the repository itself: all of them, or none.
//!
//! Everything new is written beside first (`<stanPath>/patch/portolan/next`), every old file gets a
//! second name there, and a journal says what was and what is to be. Only then is the first file
//! touched, each with one rename. When a step fails, what was done is taken back. When the process is
//! killed, the journal is still there, and whoever comes next takes it back ([`Changeset::recover`]).
//! After the last step the folder becomes `last`: with it, the whole can be taken back.
//!
//! The journal lies in a folder that a stranger may have filled: its paths are held to the rules of
//! whoever calls, and nothing is taken back that is not what the journal says it was made.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use portolan_types::{RepoPath, Sha256Digest};
use portolan_vfs::{sha256, FileKind, System};
use portolan_wire::journal::{JournalFile, JournalFolder, JournalV1};

use crate::inside::Root;
use crate::transaction::remove_any;

/// The files of a repository, changed together. The file system is fenced to the root by whoever
/// makes it.
pub struct Changeset<'a> {
    root: Root<'a>,
    folder: RepoPath,
    is_allowed: &'a dyn Fn(&RepoPath) -> bool,
}

/// What is to become of a file.
#[derive(Clone, Debug)]
pub struct Edit {
    /// Which.
    pub path: RepoPath,
    /// The digest of what it is; `None` where there is none.
    pub before: Option<Sha256Digest>,
    /// What it is to be; `None` where it goes.
    pub after: Option<Content>,
}

/// What a file is to be.
#[derive(Clone, Debug)]
pub struct Content {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The file whose permissions it gets; those of a new file where there is none.
    pub mode_of: Option<RepoPath>,
    /// Whether it may be executed, where that is to change.
    pub executable: Option<bool>,
}

/// Everything that is changed together.
#[derive(Clone, Debug, Default)]
pub struct Journaled {
    /// The files.
    pub edits: Vec<Edit>,
    /// Folders that are made.
    pub made: Vec<RepoPath>,
    /// Empty folders that go.
    pub removed: Vec<RepoPath>,
}

/// What was found of one that was cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Nothing.
    Nothing,
    /// It was taken back: so many files are as they were.
    TakenBack(usize),
}

/// Why files were not changed, or not taken back.
#[derive(Debug, thiserror::Error)]
pub enum ChangesetError {
    /// The file system refuses.
    #[error("cannot {action} `{path}`: {error}{}", if *undone { "; everything is as it was" } else { "; what was done before could not be taken back" })]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: RepoPath,
        /// Why.
        error: io::Error,
        /// Whether everything is as it was.
        undone: bool,
    },
    /// Files are not what they should be.
    #[error("changed since: {}", list(.0))]
    Changed(Vec<RepoPath>),
    /// The journal cannot be followed.
    #[error("`{path}` cannot be followed: {message}")]
    Journal {
        /// Which.
        path: RepoPath,
        /// Why.
        message: String,
    },
}

fn list(paths: &[RepoPath]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}

type Outcome<T> = Result<T, ChangesetError>;

fn failed(action: &'static str, path: &RepoPath) -> impl Fn(io::Error) -> ChangesetError {
    move |error| ChangesetError::Io { action, path: path.clone(), error, undone: true }
}

impl<'a> Changeset<'a> {
    /// For a repository, with what it keeps below `folder`; only allowed paths are changed.
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

    /// Where an old file has its second name.
    fn kept(&self, folder: &str, index: usize) -> RepoPath {
        let path = RepoPath::new(format!("{}/{folder}/before-{index}", self.folder));
        path.unwrap_or_else(|_| self.folder.clone())
    }

    fn is_there(&self, name: &str) -> Outcome<bool> {
        match self.system().lstat(&self.place(name)) {
            Ok(_) => Ok(true),
            Err(error) if is_absent(&error) => Ok(false),
            Err(error) => Err(failed("look at", &self.folder)(error)),
        }
    }

    /// Whether one was cut short.
    pub fn is_unfinished(&self) -> Outcome<bool> {
        self.is_there("next/journal.json")
    }

    /// The journal of the last one that was not cut short.
    pub fn last(&self) -> Outcome<Option<JournalV1>> {
        self.read("last")
    }

    /// The number of one of the folders: a journal that was brought here with the repository does not
    /// know it.
    fn number(&self, name: &str) -> Outcome<String> {
        let stat =
            self.system().lstat(&self.place(name)).map_err(failed("look at", &self.folder))?;
        Ok(format!("{:x}", stat.inode))
    }

    fn read(&self, folder: &str) -> Outcome<Option<JournalV1>> {
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
            Some(path) => Err(bad(format!("it names `{path}`, which is never changed"))),
            None => Ok(Some(journal)),
        }
    }

    /// Changes everything, or nothing. Whoever calls holds the lock and has recovered.
    pub fn commit(&self, changes: &Journaled) -> Outcome<()> {
        let journal = self.prepare(changes, false);
        let journal = journal.inspect_err(|_| self.clear("next"))?;
        self.carry_out(&journal)
    }

    /// Takes the last one back.
    pub fn undo(&self, last: &JournalV1) -> Outcome<()> {
        let journal = self.prepare_undo(last);
        let journal = journal.inspect_err(|_| self.clear("next"))?;
        self.carry_out(&journal)
    }

    /// Takes back what was cut short.
    pub fn recover(&self) -> Outcome<Recovery> {
        let kept = || self.system().rename(&self.place("old"), &self.place("last"));
        if self.is_there("old")? && !self.is_there("last")? {
            kept().map_err(failed("move", &self.folder))?;
        }
        self.clear("old");
        let Some(journal) = self.read("next")? else {
            self.clear("next");
            return Ok(Recovery::Nothing);
        };
        let restored = self.take_back(&journal)?;
        self.clear("next");
        Ok(Recovery::TakenBack(restored))
    }

    /// What cannot be removed now is removed the next time.
    fn clear(&self, name: &str) {
        let _ = remove_any(self.system(), &self.place(name));
    }

    /// The digest of what is at a path now. A link is not what was there.
    fn digest(&self, path: &RepoPath) -> Outcome<Option<Sha256Digest>> {
        match self.system().lstat(&self.root.join(path)) {
            // A folder is no file: one may have been where the other is.
            Ok(stat) if stat.kind == FileKind::Dir => return Ok(None),
            Err(error) if is_absent(&error) => return Ok(None),
            found => found.map_err(failed("look at", path))?,
        };
        let bytes = self.system().read_beneath(self.root.path, path);
        bytes.map(|bytes| Some(sha256(&bytes))).map_err(failed("read", path))
    }

    fn prepare(&self, changes: &Journaled, is_undo: bool) -> Outcome<JournalV1> {
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

    fn prepare_undo(&self, last: &JournalV1) -> Outcome<JournalV1> {
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

    fn begin(&self) -> Outcome<()> {
        self.system().create_dir_all(&self.place("next")).map_err(failed("make", &self.folder))
    }

    fn new_file(&self, index: usize, edit: &Edit, content: &Content) -> Outcome<Sha256Digest> {
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

    /// Gives the old file a second name.
    fn keep(&self, index: usize, path: &RepoPath, before: Option<Sha256Digest>) -> Outcome<()> {
        if before.is_none() {
            return Ok(());
        }
        let kept = self.system().duplicate(&self.root.join(path), &self.blob("before", index));
        kept.map_err(failed("keep", path))
    }

    fn write_journal(&self, journal: &JournalV1) -> Outcome<()> {
        let written = self.system().write(&self.place("next/journal.json"), &journal.to_bytes());
        written.map_err(failed("write", &self.folder))
    }

    /// Takes every step, and takes them back when one fails.
    fn carry_out(&self, journal: &JournalV1) -> Outcome<()> {
        let done = self.steps(journal).and_then(|()| self.finish());
        done.map_err(|error| {
            let is_undone = self.take_back(journal).is_ok();
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

    /// What goes is gone before what comes: a file can become a folder, and get its own name in other
    /// letters.
    fn steps(&self, journal: &JournalV1) -> Outcome<()> {
        let system = self.system();
        let goes = |file: &&JournalFile| file.after.is_none();
        for file in journal.files.iter().filter(goes) {
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
            self.put(&self.blob("after", index), &file.path)?;
        }
        Ok(())
    }

    /// Puts a file that lies beside in its place.
    fn put(&self, from: &std::path::Path, path: &RepoPath) -> Outcome<()> {
        let (system, to) = (self.system(), self.root.join(path));
        if let Some(folder) = to.parent().filter(|folder| *folder != self.root.path) {
            system.create_dir_all(folder).map_err(failed("make the folder of", path))?;
        }
        match system.rename(from, &to) {
            // Another file system is mounted there: a copy takes its place in one step as well.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let copied = system.read(from).and_then(|bytes| system.write(&to, &bytes));
                copied.and_then(|()| system.copy_mode(from, &to)).map_err(failed("replace", path))
            }
            renamed => renamed.map_err(failed("replace", path)),
        }
    }

    /// Folders that have nothing in them any more go too, as git has it.
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

    /// The whole is kept as the last one.
    fn finish(&self) -> Outcome<()> {
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

    /// Puts everything back that is what the journal says it was made. What was changed by somebody
    /// else meanwhile is left alone, and told.
    fn take_back(&self, journal: &JournalV1) -> Outcome<usize> {
        let mut foreign = Vec::new();
        let mut todo = Vec::new();
        for (index, file) in journal.files.iter().enumerate() {
            let now = self.digest(&file.path)?;
            // Where only the permissions change, the second name tells.
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
        for (_, file) in todo.iter().filter(|(_, file)| came(file)) {
            let removed = self.system().remove_file(&self.root.join(&file.path));
            absent_is_fine(removed).map_err(failed("remove", &file.path))?;
        }
        self.remove_emptied(todo.iter().map(|(_, file)| *file).filter(|file| came(file)));
        for folder in journal.made.iter().rev() {
            // One that has something in it by now, or was there before, stays.
            let _ = self.system().remove_dir(&self.root.join(&folder.path));
        }
        for folder in &journal.removed {
            let made = self.system().create_dir_all(&self.root.join(&folder.path));
            made.map_err(failed("make", &folder.path))?;
        }
        for (index, file) in todo.iter().filter(|(_, file)| !came(file)) {
            self.put(&self.blob("before", *index), &file.path)?;
        }
        if self.is_there("old")? && !self.is_there("last")? {
            let renamed = self.system().rename(&self.place("old"), &self.place("last"));
            renamed.map_err(failed("move", &self.folder))?;
        }
        Ok(todo.len())
    }

    /// Whether the old file still has its second name.
    fn is_kept(&self, index: usize) -> bool {
        self.system().lstat(&self.blob("before", index)).is_ok()
    }
}

/// The largest journal that is read.
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
