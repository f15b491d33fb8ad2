//! Staging: copies of files from elsewhere, verified before and after.
//!
//! A tree is staged whole into a temporary folder; putting it in place is the business of
//! [`crate::Transaction`]. Copies that are in place already and still hold are used again, and what is
//! new reaches the disk in one go: a thousand files that did not change wait for no disk.

use std::io;
use std::path::{Path, PathBuf};

use portolan_types::{RepoPath, Sha256Digest};
use portolan_vfs::{FileKind, System, sha256};

/// One file to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedFile {
    /// Where the copy goes, seen from the root.
    pub target: RepoPath,
    /// Where the bytes are.
    pub source: PathBuf,
    /// How many there must be.
    pub size: u64,
    /// What they must be.
    pub sha256: Sha256Digest,
}

/// Why a file cannot be staged.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// Its source cannot be read.
    #[error("cannot stage `{target}`: reading `{locator}` failed: {error}")]
    Unreadable {
        /// The file.
        target: RepoPath,
        /// Its source.
        locator: String,
        /// Why.
        error: io::Error,
    },
    /// It has another length than the map says.
    #[error("cannot stage `{target}`: size mismatch: expected {expected} bytes, got {found} bytes")]
    Size {
        /// The file.
        target: RepoPath,
        /// What the map says.
        expected: u64,
        /// What is there.
        found: u64,
    },
    /// It has other bytes than the map says.
    #[error("cannot stage `{target}`: hash mismatch: expected {expected}, got {found}")]
    Hash {
        /// The file.
        target: RepoPath,
        /// What the map says.
        expected: Sha256Digest,
        /// What is there.
        found: Sha256Digest,
    },
    /// The copy could not be written, or is not what was written.
    #[error("cannot stage `{target}`: writing the copy failed: {error}")]
    Write {
        /// The file.
        target: RepoPath,
        /// Why.
        error: io::Error,
    },
    /// The copies do not reach the disk.
    #[error("cannot stage files: writing `{}` to the disk failed: {error}", folder.display())]
    Sync {
        /// Where they are.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl StagedFile {
    /// Reads the source and holds it to what it must be.
    pub fn read(&self, system: &dyn System) -> Result<Vec<u8>, StageError> {
        let bytes =
            system.read_real(&self.source, usize::MAX).map_err(|error| self.unreadable(error))?;
        self.verify((bytes.len() as u64, sha256(&bytes)))?;
        Ok(bytes)
    }

    fn unreadable(&self, error: io::Error) -> StageError {
        let (target, locator) = (self.target.clone(), self.source.display().to_string());
        StageError::Unreadable { target, locator, error }
    }

    fn verify(&self, (size, found): (u64, Sha256Digest)) -> Result<(), StageError> {
        let target = self.target.clone();
        if size != self.size {
            return Err(StageError::Size { target, expected: self.size, found: size });
        }
        if found != self.sha256 {
            return Err(StageError::Hash { target, expected: self.sha256, found });
        }
        Ok(())
    }
}

/// Copies files into `folder`, which stands for the folder `below` of the repository at `root`. They go
/// through piece by piece: a copy need not fit in memory.
pub fn stage(
    system: &dyn System,
    root: &Path,
    folder: &Path,
    below: &RepoPath,
    files: &[StagedFile],
) -> Result<(), StageError> {
    let mut is_new = false;
    let mut last_parent = None;
    for file in files {
        let write = |error| StageError::Write { target: file.target.clone(), error };
        let copy = staged_path(folder, below, &file.target)
            .ok_or_else(|| write(io::ErrorKind::InvalidInput.into()))?;
        let parent = copy.parent().unwrap_or(folder);
        if last_parent.as_deref() != Some(parent) {
            system.create_dir_all(parent).map_err(write)?;
            last_parent = Some(parent.to_path_buf());
        }
        if reuse(system, &root.join(file.target.as_str()), &copy, file) {
            let found = system.digest_real(&file.source).map_err(|error| file.unreadable(error))?;
            file.verify(found)?;
            continue;
        }
        let mut pending = system.create(&copy).map_err(write)?;
        let found = system
            .copy_real(&file.source, &mut *pending)
            .map_err(|error| file.unreadable(error))?;
        file.verify(found)?;
        pending.commit_unsynced().map_err(write)?;
        file.verify(system.digest(&copy).map_err(write)?)?;
        is_new = true;
    }
    if !is_new {
        return Ok(());
    }
    let sync = |error| StageError::Sync { folder: folder.to_path_buf(), error };
    system.sync_below(folder).map_err(sync)
}

/// Gives the copy that is in place a second name, if it is what it must be. Whatever stands in the way
/// only means that it is copied again.
fn reuse(system: &dyn System, in_place: &Path, copy: &Path, file: &StagedFile) -> bool {
    let is_file = |path: &Path| {
        system.lstat(path).is_ok_and(|stat| stat.kind == FileKind::File && stat.size == file.size)
    };
    if !is_file(in_place) || system.duplicate(in_place, copy).is_err() {
        return false;
    }
    // Looked at under its new name, where nobody exchanges it.
    let holds = is_file(copy) && system.digest(copy).is_ok_and(|found| file.verify(found).is_ok());
    if !holds {
        let _ = system.remove_file(copy);
    }
    holds
}

/// Where the copy of a file lies in a staged tree that is not in place yet.
pub fn staged_path(folder: &Path, below: &RepoPath, target: &RepoPath) -> Option<PathBuf> {
    let tail = target.as_str().strip_prefix(below.as_str())?.strip_prefix('/')?;
    Some(folder.join(tail))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_types::RepoPath;
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use portolan_vfs::{FaultySystem, MemorySystem, Operation, Reply, System, sha256};

    use super::{StagedFile, stage};

    /// What is asked of the disk when so many files are staged, some of which are in place.
    fn calls(n_files: usize, in_place: usize) -> BTreeMap<Operation, usize> {
        let disk = MemorySystem::default();
        let below = RepoPath::new(".stan/context").unwrap();
        let files: Vec<StagedFile> = (0..n_files)
            .map(|at| {
                let text = format!("file {at}");
                disk.put(format!("/store/{at}"), text.as_str());
                let target = RepoPath::new(format!("{below}/npm/p/1/{at}").as_str()).unwrap();
                if at < in_place {
                    disk.put(format!("/r/{target}"), text.as_str());
                }
                let source = format!("/store/{at}").into();
                StagedFile {
                    target,
                    source,
                    size: text.len() as u64,
                    sha256: sha256(text.as_bytes()),
                }
            })
            .collect();
        let counts: Arc<Mutex<BTreeMap<Operation, usize>>> = Arc::default();
        let seen = Arc::clone(&counts);
        let system = FaultySystem::new(disk.clone(), move |call| {
            *seen.lock().unwrap().entry(call.operation).or_default() += 1;
            Reply::Pass
        });
        let folder = Path::new("/r/.stan/context/new");
        stage(&system, Path::new("/r"), folder, &below, &files).unwrap();
        assert_eq!(disk.files_below(folder).len(), n_files);
        counts.lock().unwrap().clone()
    }

    #[test]
    fn the_disk_is_waited_for_once_however_many_files_there_are() {
        for n_files in [10, 1_000] {
            let calls = calls(n_files, 0);
            assert_eq!(calls.get(&Operation::SyncBelow), Some(&1));
            assert_eq!(calls.get(&Operation::Commit), None);
            assert_eq!(calls[&Operation::CommitUnsynced], n_files);
            assert_eq!(calls[&Operation::CreateDirAll], 1);
        }
    }

    #[test]
    fn what_is_in_place_is_neither_written_nor_waited_for_again() {
        let calls = calls(1_000, 1_000);
        for operation in [Operation::SyncBelow, Operation::Commit, Operation::CommitUnsynced] {
            assert_eq!(calls.get(&operation), None, "{operation:?}");
        }
        assert_eq!(calls[&Operation::Duplicate], 1_000);
    }

    #[test]
    fn a_copy_in_place_that_does_not_hold_is_made_anew() {
        let disk = MemorySystem::default();
        disk.put("/store/a", "abc");
        disk.put("/elsewhere", "abc");
        let below = RepoPath::new(".stan/context").unwrap();
        let file = StagedFile {
            target: RepoPath::new(".stan/context/npm/a").unwrap(),
            source: "/store/a".into(),
            size: 3,
            sha256: sha256(b"abc"),
        };
        for in_place in ["abd", "longer", "a link"] {
            let place = Path::new("/r/.stan/context/npm/a");
            let _ = disk.remove_file(place);
            match in_place {
                "a link" => disk.link(place, "/elsewhere"),
                text => disk.put(place, text),
            }
            let folder = Path::new("/r/.stan/context/new");
            let _ = disk.remove_dir_all(folder);
            stage(&disk, Path::new("/r"), folder, &below, std::slice::from_ref(&file)).unwrap();
            let copy = folder.join("npm/a");
            assert_eq!(disk.read(&copy).unwrap(), b"abc", "{in_place}");
            assert_eq!(disk.lstat(&copy).unwrap().kind, portolan_vfs::FileKind::File);
        }
    }

    fn check(expected_bytes: &str, there: Option<&str>, outcome: Result<(), &str>) {
        let system = MemorySystem::default();
        system.put("/scratch/x", "");
        if let Some(there) = there {
            system.put("/store/a.d.ts", there);
        }
        let file = StagedFile {
            target: RepoPath::new(".stan/context/npm/a/1.0.0/a.d.ts").unwrap(),
            source: "/store/a.d.ts".into(),
            size: expected_bytes.len() as u64,
            sha256: sha256(expected_bytes.as_bytes()),
        };
        let below = RepoPath::new(".stan/context").unwrap();
        let scratch = Path::new("/scratch/stage");
        let result = stage(&system, Path::new("/r"), scratch, &below, &[file]);
        match outcome {
            Ok(()) => {
                result.unwrap();
                let copy = system.read(Path::new("/scratch/stage/npm/a/1.0.0/a.d.ts")).unwrap();
                assert_eq!(copy, expected_bytes.as_bytes());
            }
            Err(part) => {
                let message = result.unwrap_err().to_string();
                assert!(message.contains(part), "{message}");
            }
        }
    }

    #[test]
    fn only_what_the_map_says_is_staged() {
        check("abc", Some("abc"), Ok(()));
        check("abc", Some("abcd"), Err("size mismatch: expected 3 bytes, got 4 bytes"));
        check("abc", Some("abd"), Err("hash mismatch"));
        check("abc", None, Err("reading `/store/a.d.ts` failed"));
    }
}
