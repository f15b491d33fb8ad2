//! Puts the outputs of a run in place: all of them, or none.
//!
//! All outputs are prepared under temporary names in their final folders, so each step here is one rename.
//! If a step fails, the earlier steps are undone. If the process is killed, each file is complete, old or
//! new, and the next run removes the temporary files ([`remove_leftovers`]).
//!
//! A file that already has the right content keeps its place and its time, so that watchers do not
//! wake up for nothing.

use std::io;
use std::path::{Path, PathBuf};

use portolan_vfs::{FileKind, System, TEMP_PREFIX};

/// The changes to make, in order.
pub struct Transaction<'a> {
    system: &'a dyn System,
    steps: Vec<PlannedChange>,
}

#[derive(Debug)]
enum PlannedChange {
    File { from: PathBuf, to: PathBuf },
    Tree { from: PathBuf, to: PathBuf },
    Remove { path: PathBuf },
}

/// How to undo a step.
enum Undo {
    /// The file at `to` existed; its old version is at `backup`.
    Restore { backup: PathBuf, to: PathBuf },
    /// Nothing was there.
    Clear { to: PathBuf },
}

/// A step failed; the earlier ones were undone.
#[derive(Debug, thiserror::Error)]
#[error("cannot replace `{}`: {error}{}", path.display(), if *undone { "" } else { "; undoing the steps before it failed too: run again" })]
pub struct CommitError {
    /// The path that could not be replaced.
    pub path: PathBuf,
    /// The cause.
    pub error: io::Error,
    /// Whether everything is as it was.
    pub undone: bool,
}

impl<'a> Transaction<'a> {
    /// An empty transaction.
    pub fn new(system: &'a dyn System) -> Self {
        Self { system, steps: Vec::new() }
    }

    /// Moves a temporary file to its place.
    pub fn replace_file(&mut self, from: PathBuf, to: PathBuf) {
        self.steps.push(PlannedChange::File { from, to });
    }

    /// Moves a temporary folder to the place of a whole tree.
    pub fn replace_tree(&mut self, from: PathBuf, to: PathBuf) {
        self.steps.push(PlannedChange::Tree { from, to });
    }

    /// Removes a file or a tree, if it exists.
    pub fn remove(&mut self, path: PathBuf) {
        self.steps.push(PlannedChange::Remove { path });
    }

    /// Performs every step.
    pub fn commit(self) -> Result<(), CommitError> {
        let mut undo = Vec::new();
        for (number, step) in self.steps.iter().enumerate() {
            if let Err(error) = perform(self.system, step, number, &mut undo) {
                let undone = undo_all(self.system, undo);
                return Err(CommitError { path: step.path().to_path_buf(), error, undone });
            }
        }
        for step in undo {
            if let Undo::Restore { backup, .. } = step {
                // If a backup cannot be removed now, the next run removes it.
                let _ = remove_any(self.system, &backup);
            }
        }
        Ok(())
    }
}

impl PlannedChange {
    fn path(&self) -> &Path {
        match self {
            Self::File { to, .. } | Self::Tree { to, .. } => to,
            Self::Remove { path } => path,
        }
    }
}

fn perform(
    system: &dyn System,
    step: &PlannedChange,
    number: usize,
    undo: &mut Vec<Undo>,
) -> io::Result<()> {
    let backup = step.path().with_file_name(format!("{TEMP_PREFIX}old-{number}"));
    // An unreadable path does not count as missing: undoing would remove it.
    let is_there = match system.lstat(step.path()) {
        Ok(stat) => Some(stat.kind),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match step {
        PlannedChange::File { from, to } => {
            match is_there {
                Some(FileKind::Dir) => return Err(io::ErrorKind::IsADirectory.into()),
                Some(FileKind::File) if is_same(system, from, to) => {
                    // If it cannot be removed now, the next run removes it.
                    let _ = system.remove_file(from);
                    return Ok(());
                }
                // The old file stays until the rename, so there is always one.
                Some(_) => {
                    system.duplicate(to, &backup)?;
                    undo.push(Undo::Restore { backup, to: to.clone() });
                }
                None => undo.push(Undo::Clear { to: to.clone() }),
            }
            system.rename(from, to)
        }
        PlannedChange::Tree { from, to } => {
            move_away(system, to, backup, is_there, undo)?;
            system.rename(from, to)
        }
        PlannedChange::Remove { path } => move_away(system, path, backup, is_there, undo),
    }
}

/// Whether two files have the same bytes; false if that is unknown.
fn is_same(system: &dyn System, left: &Path, right: &Path) -> bool {
    let size = |path| system.stat(path).map(|stat| stat.size);
    let same_size = matches!((size(left), size(right)), (Ok(left), Ok(right)) if left == right);
    let digest = |path| system.digest(path);
    same_size && matches!((digest(left), digest(right)), (Ok(left), Ok(right)) if left == right)
}

/// Moves a path to its backup.
fn move_away(
    system: &dyn System,
    path: &Path,
    backup: PathBuf,
    is_there: Option<FileKind>,
    undo: &mut Vec<Undo>,
) -> io::Result<()> {
    if is_there.is_none() {
        undo.push(Undo::Clear { to: path.to_path_buf() });
        return Ok(());
    }
    system.rename(path, &backup)?;
    undo.push(Undo::Restore { backup, to: path.to_path_buf() });
    Ok(())
}

/// Undoes steps, last first, as many as possible. Returns whether everything is as it was.
fn undo_all(system: &dyn System, undo: Vec<Undo>) -> bool {
    let mut undone = true;
    for step in undo.into_iter().rev() {
        undone &= undo_step(system, &step).is_ok();
    }
    undone
}

fn undo_step(system: &dyn System, step: &Undo) -> io::Result<()> {
    match step {
        Undo::Clear { to } => remove_any(system, to),
        Undo::Restore { backup, to } => {
            // A rename replaces a file, but not a tree.
            if system.lstat(to).is_ok_and(|stat| stat.kind == FileKind::Dir) {
                remove_any(system, to)?;
            }
            system.rename(backup, to)
        }
    }
}

/// Removes whatever is at a path. A missing path is fine.
pub(crate) fn remove_any(system: &dyn System, path: &Path) -> io::Result<()> {
    match system.lstat(path) {
        Ok(stat) if stat.kind == FileKind::Dir => system.remove_dir_all(path),
        Ok(_) => system.remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Removes what killed runs left in a folder. The caller holds the lock.
pub fn remove_leftovers(system: &dyn System, folder: &Path) -> io::Result<()> {
    let entries = match system.read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        if entry.name.to_string_lossy().starts_with(TEMP_PREFIX) {
            remove_any(system, &folder.join(entry.name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    use portolan_vfs::{FaultySystem, InjectedFault, MemorySystem, System};

    use super::{Transaction, remove_leftovers};

    fn fixture() -> MemorySystem {
        let system = MemorySystem::default();
        system.put("/w/output/archive.tar", "old");
        system.put("/w/output/archive.diff.tar", "old diff");
        system.put("/w/context/npm/a/1/x", "old x");
        system.put("/w/context/.portolan-tmp-npm/b/2/y", "new y");
        system.put("/w/output/.portolan-tmp-archive.tar", "new");
        system.put("/w/diff/.portolan-tmp-snapshot", "new snapshot");
        system
    }

    fn commit(system: &dyn System) -> Result<(), super::CommitError> {
        let mut transaction = Transaction::new(system);
        let path = |text: &str| PathBuf::from("/w").join(text);
        transaction.replace_tree(path("context/.portolan-tmp-npm"), path("context/npm"));
        transaction.remove(path("context/abs"));
        transaction.remove(path("output/archive.diff.tar"));
        transaction
            .replace_file(path("output/.portolan-tmp-archive.tar"), path("output/archive.tar"));
        transaction.replace_file(path("diff/.portolan-tmp-snapshot"), path("diff/snapshot"));
        transaction.commit()
    }

    /// The visible files: everything without a temporary name.
    fn visible(system: &MemorySystem) -> BTreeMap<PathBuf, Vec<u8>> {
        let is_visible = |path: &Path| !path.to_string_lossy().contains(".portolan-tmp-");
        system.files_below("/w").into_iter().filter(|(path, _)| is_visible(path)).collect()
    }

    #[test]
    fn everything_is_put_in_place_and_nothing_is_left_over() {
        let system = fixture();
        commit(&system).unwrap();
        let files: Vec<_> = system.files_below("/w").into_keys().collect();
        assert_eq!(
            files,
            ["/w/context/npm/b/2/y", "/w/diff/snapshot", "/w/output/archive.tar"]
                .map(PathBuf::from)
        );
    }

    #[test]
    fn unchanged_files_keep_their_time() {
        let system = fixture();
        system.put("/w/output/.portolan-tmp-archive.tar", "old");
        let time = |path: &str| system.stat(Path::new(path)).unwrap().mtime_ns;
        let before = time("/w/output/archive.tar");
        commit(&system).unwrap();
        assert_eq!(time("/w/output/archive.tar"), before);
        assert!(system.stat(Path::new("/w/output/.portolan-tmp-archive.tar")).is_err());
    }

    #[test]
    fn a_failure_at_any_step_undoes_the_earlier_steps() {
        let before = visible(&fixture());
        let mut failures = 0;
        for nth in 0.. {
            let system = fixture();
            let faulty = FaultySystem::failing_once(system.clone(), nth, InjectedFault::Broken);
            match commit(&faulty) {
                Err(error) => {
                    assert!(error.undone);
                    assert_eq!(visible(&system), before, "fault at {nth}");
                    failures += 1;
                }
                // A backup could not be removed: the next run does it.
                Ok(()) if nth < faulty.calls() => {}
                Ok(()) => break,
            }
        }
        assert!(failures >= 10, "{failures}");
    }

    #[test]
    fn a_kill_at_any_step_leaves_complete_files() {
        let (before, after) = {
            let system = fixture();
            let before = visible(&system);
            commit(&system).unwrap();
            (before, visible(&system))
        };
        for nth in 0..30 {
            let system = fixture();
            let _ = commit(&FaultySystem::dead_from(system.clone(), nth));
            for (path, bytes) in visible(&system) {
                let is_whole =
                    before.get(&path) == Some(&bytes) || after.get(&path) == Some(&bytes);
                assert!(is_whole, "{path:?} after a kill at {nth}");
            }
            assert!(system.stat(Path::new("/w/output/archive.tar")).is_ok(), "kill at {nth}");
        }
    }

    #[test]
    fn leftovers_are_removed_and_the_rest_stays() {
        let system = fixture();
        for folder in ["/w/context", "/w/output", "/w/diff", "/w/nowhere"] {
            remove_leftovers(&system, Path::new(folder)).unwrap();
        }
        assert_eq!(system.files_below("/w"), visible(&fixture()));
    }
}
