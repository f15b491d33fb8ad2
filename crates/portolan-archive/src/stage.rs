//! Staging: verified copies of files from outside the repository.
//!
//! A tree is staged as a whole in a temporary folder; [`crate::Transaction`] puts it in place. Valid copies
//! that are already in place are reused, and all new copies are synced at once: a thousand unchanged files
//! wait for no disk.

use std::io;
use std::path::{Path, PathBuf};

use portolan_types::{RepoPath, Sha256Digest};
use portolan_vfs::{FileKind, System, sha256};

/// A file to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedFile {
    /// The path of the copy, relative to the root.
    pub target: RepoPath,
    /// The path of the original.
    pub source: PathBuf,
    /// The expected size.
    pub size: u64,
    /// The expected digest.
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
        /// The cause.
        error: io::Error,
    },
    /// Its size differs from the map.
    #[error("cannot stage `{target}`: size mismatch: expected {expected} bytes, got {found} bytes")]
    Size {
        /// The file.
        target: RepoPath,
        /// The size in the map.
        expected: u64,
        /// The actual size.
        found: u64,
    },
    /// Its content differs from the map.
    #[error("cannot stage `{target}`: hash mismatch: expected {expected}, got {found}")]
    Hash {
        /// The file.
        target: RepoPath,
        /// The digest in the map.
        expected: Sha256Digest,
        /// The actual digest.
        found: Sha256Digest,
    },
    /// The copy could not be written, or differs from what was written.
    #[error("cannot stage `{target}`: writing the copy failed: {error}")]
    Write {
        /// The file.
        target: RepoPath,
        /// The cause.
        error: io::Error,
    },
    /// The copies could not be synced to the disk.
    #[error("cannot stage files: writing `{}` to the disk failed: {error}", folder.display())]
    Sync {
        /// The folder of the copies.
        folder: PathBuf,
        /// The cause.
        error: io::Error,
    },
}

impl StagedFile {
    /// Reads the original and verifies it.
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

/// Copies files into `folder`, which will become the folder `below` of the repository at `root`. Copies in
/// chunks, so a file need not fit in memory.
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

/// Hard-links the copy that is in place, if it is valid. On any obstacle, the file is just copied
/// again.
fn reuse(system: &dyn System, in_place: &Path, copy: &Path, file: &StagedFile) -> bool {
    let is_file = |path: &Path| {
        system.lstat(path).is_ok_and(|stat| stat.kind == FileKind::File && stat.size == file.size)
    };
    if !is_file(in_place) || system.duplicate(in_place, copy).is_err() {
        return false;
    }
    // Check it under its new name, where no other process replaces it.
    let holds = is_file(copy) && system.digest(copy).is_ok_and(|found| file.verify(found).is_ok());
    if !holds {
        let _ = system.remove_file(copy);
    }
    holds
}

/// The path of a file's copy in a staged tree that is not in place yet.
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

    use portolan_vfs::{CallOutcome, FaultySystem, MemorySystem, Operation, System, sha256};

    use super::{StagedFile, stage};

    /// The disk calls for staging this many files, some of which are in place.
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
            CallOutcome::Pass
        });
        let folder = Path::new("/r/.stan/context/new");
        stage(&system, Path::new("/r"), folder, &below, &files).unwrap();
        assert_eq!(disk.files_below(folder).len(), n_files);
        counts.lock().unwrap().clone()
    }

    #[test]
    fn the_disk_is_synced_once_for_any_number_of_files() {
        for n_files in [10, 1_000] {
            let calls = calls(n_files, 0);
            assert_eq!(calls.get(&Operation::SyncBelow), Some(&1));
            assert_eq!(calls.get(&Operation::Commit), None);
            assert_eq!(calls[&Operation::CommitUnsynced], n_files);
            assert_eq!(calls[&Operation::CreateDirAll], 1);
        }
    }

    #[test]
    fn copies_in_place_are_neither_written_nor_synced_again() {
        let calls = calls(1_000, 1_000);
        for operation in [Operation::SyncBelow, Operation::Commit, Operation::CommitUnsynced] {
            assert_eq!(calls.get(&operation), None, "{operation:?}");
        }
        assert_eq!(calls[&Operation::Duplicate], 1_000);
    }

    #[test]
    fn an_invalid_copy_in_place_is_replaced() {
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
    fn only_files_that_match_the_map_are_staged() {
        check("abc", Some("abc"), Ok(()));
        check("abc", Some("abcd"), Err("size mismatch: expected 3 bytes, got 4 bytes"));
        check("abc", Some("abd"), Err("hash mismatch"));
        check("abc", None, Err("reading `/store/a.d.ts` failed"));
    }
}
