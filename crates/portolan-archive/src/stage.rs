//! Staging: copies of files from elsewhere, verified before and after.
//!
//! A tree is staged whole into a temporary folder; putting it in place is the business of
//! [`crate::Transaction`].

use std::io;
use std::path::{Path, PathBuf};

use portolan_types::{RepoPath, Sha256Digest};
use portolan_vfs::{System, sha256};

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
}

impl StagedFile {
    /// Reads the source and holds it to what it must be.
    pub fn read(&self, system: &dyn System) -> Result<Vec<u8>, StageError> {
        let bytes =
            system.read_real(&self.source, usize::MAX).map_err(|error| self.unreadable(error))?;
        self.verify(bytes.len() as u64, sha256(&bytes))?;
        Ok(bytes)
    }

    fn unreadable(&self, error: io::Error) -> StageError {
        let (target, locator) = (self.target.clone(), self.source.display().to_string());
        StageError::Unreadable { target, locator, error }
    }

    fn verify(&self, size: u64, found: Sha256Digest) -> Result<(), StageError> {
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

/// Copies files into `folder`, which stands for the folder `below` of the repository. They go through piece by
/// piece: a copy need not fit in memory.
pub fn stage(
    system: &dyn System,
    folder: &Path,
    below: &RepoPath,
    files: &[StagedFile],
) -> Result<(), StageError> {
    for file in files {
        let write = |error| StageError::Write { target: file.target.clone(), error };
        let copy = staged_path(folder, below, &file.target)
            .ok_or_else(|| write(io::ErrorKind::InvalidInput.into()))?;
        let parent = copy.parent().unwrap_or(folder);
        system.create_dir_all(parent).map_err(write)?;
        let mut pending = system.create(&copy).map_err(write)?;
        let (size, sha256) = system
            .copy_real(&file.source, &mut *pending)
            .map_err(|error| file.unreadable(error))?;
        file.verify(size, sha256)?;
        pending.commit().map_err(write)?;
        let (size, sha256) = system.digest(&copy).map_err(write)?;
        file.verify(size, sha256)?;
    }
    Ok(())
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
    use portolan_vfs::{MemorySystem, System, sha256};

    use super::{StagedFile, stage};

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
        let result = stage(&system, Path::new("/scratch/stage"), &below, &[file]);
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
