//! Opens paths of the repository without leaving it.
//!
//! The text of a [`RepoPath`] cannot leave the root, but a link on it can. Every file that enters an archive
//! and every folder that is written to is resolved here.

use std::io;
use std::path::{Path, PathBuf};

use portolan_types::RepoPath;
use portolan_vfs::{FileKind, Stat, System};

/// The largest file of our own to read; the baseline of a million files is half that size.
const MAX_READ: u64 = 256 << 20;

/// The root of a repository, as a real path.
#[derive(Clone, Copy)]
pub struct Root<'a> {
    /// The file system.
    pub system: &'a dyn System,
    /// The root.
    pub path: &'a Path,
}

/// A regular file inside the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsideFile {
    /// Its real path.
    pub absolute: PathBuf,
    /// The root it is below.
    root: PathBuf,
    /// Its real path relative to the root. Differs from the requested path if there is a link on it.
    pub real: RepoPath,
    /// Its metadata.
    pub stat: Stat,
}

/// Why a path cannot be read as a file or written to as a folder.
#[derive(Debug, thiserror::Error)]
pub enum InsideError {
    /// It does not exist.
    #[error("there is no such file")]
    Missing,
    /// A link leads out of the repository.
    #[error("a link leads outside the repository")]
    Outside,
    /// It is not a regular file.
    #[error("it is not a regular file")]
    NotAFile,
    /// Its real name is not UTF-8, so it cannot be a repo path.
    #[error("its real name is not UTF-8")]
    OddName,
    /// A file system operation failed.
    #[error(transparent)]
    Io(io::Error),
}

impl From<io::Error> for InsideError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            _ => Self::Io(error),
        }
    }
}

impl InsideFile {
    /// Reads the file. Fails if a link has replaced it since it was resolved: the rules were checked for the
    /// file that was there.
    pub fn read(&self, system: &dyn System) -> io::Result<Vec<u8>> {
        system.read_beneath(&self.root, &self.real)
    }
}

impl Root<'_> {
    /// The absolute path, without resolving links.
    pub fn join(&self, path: &RepoPath) -> PathBuf {
        self.path.join(path.as_str())
    }

    /// The regular file at a path.
    pub fn file(&self, path: &RepoPath) -> Result<InsideFile, InsideError> {
        let absolute = self.system.real_path(&self.join(path))?;
        let real = self.relative(&absolute)?;
        let stat = self.system.stat(&absolute)?;
        if stat.kind != FileKind::File {
            return Err(InsideError::NotAFile);
        }
        Ok(InsideFile { absolute, root: self.path.to_path_buf(), real, stat })
    }

    /// Reads a file inside the root; `None` if it does not exist.
    pub fn read_optional(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, InsideError> {
        // A file that disappears between the two steps counts as missing.
        let read = |found: InsideFile| {
            if found.stat.size > MAX_READ {
                let message =
                    format!("it has {} bytes, and at most {MAX_READ} are read", found.stat.size);
                return Err(InsideError::Io(io::Error::new(io::ErrorKind::FileTooLarge, message)));
            }
            found.read(self.system).map_err(InsideError::from)
        };
        match self.file(path).and_then(read) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(InsideError::Missing) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Rejects a folder that is reached through a link that leads out. A missing folder is fine.
    pub fn check_dir(&self, path: &RepoPath) -> Result<(), InsideError> {
        match self.system.real_path(&self.join(path)) {
            Ok(real) => self.relative(&real).map(|_| ()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => match path.parent() {
                // Creating the folder would follow a dangling link.
                _ if self.system.lstat(&self.join(path)).is_ok() => Err(InsideError::Outside),
                Some(parent) => self.check_dir_text(parent),
                None => Ok(()),
            },
            Err(error) => Err(InsideError::Io(error)),
        }
    }

    fn check_dir_text(&self, path: &str) -> Result<(), InsideError> {
        RepoPath::new(path).map_or(Ok(()), |path| self.check_dir(&path))
    }

    /// Creates a folder inside the root.
    pub fn make_dir(&self, path: &RepoPath) -> Result<PathBuf, InsideError> {
        self.check_dir(path)?;
        let absolute = self.join(path);
        self.system.create_dir_all(&absolute).map_err(InsideError::Io)?;
        self.check_dir(path)?;
        Ok(absolute)
    }

    fn relative(&self, absolute: &Path) -> Result<RepoPath, InsideError> {
        let tail = absolute.strip_prefix(self.path).map_err(|_| InsideError::Outside)?;
        let names: Option<Vec<&str>> = tail.iter().map(|name| name.to_str()).collect();
        let names = names.ok_or(InsideError::OddName)?;
        RepoPath::new(names.join("/")).map_err(|_| InsideError::NotAFile)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_types::RepoPath;
    use portolan_vfs::{FaultySystem, InjectedFault, MemorySystem};

    use super::{InsideError, Root};

    fn fixture() -> MemorySystem {
        let system = MemorySystem::default();
        system.put("/etc/passwd", "root");
        system.put("/r/src/a.ts", "a");
        system.link("/r/inner", "src/a.ts");
        system.link("/r/out", "/etc/passwd");
        system.link("/r/outdir", "/etc");
        system.link("/r/dangling", "/nowhere");
        system.link("/r/up", "..");
        system
    }

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    #[test]
    fn a_link_inside_is_followed_and_one_that_leads_out_is_rejected() {
        let system = fixture();
        let root = Root { system: &system, path: Path::new("/r") };
        assert_eq!(root.file(&path("inner")).unwrap().real, path("src/a.ts"));
        assert!(matches!(root.file(&path("out")), Err(InsideError::Outside)));
        assert!(matches!(root.file(&path("outdir/passwd")), Err(InsideError::Outside)));
        assert!(matches!(root.file(&path("up/etc/passwd")), Err(InsideError::Outside)));
        assert!(matches!(root.file(&path("dangling")), Err(InsideError::Missing)));
        assert!(matches!(root.file(&path("src")), Err(InsideError::NotAFile)));
        assert!(matches!(root.file(&path("src/a.ts/x")), Err(InsideError::Missing)));
    }

    #[test]
    fn a_file_that_disappears_before_it_is_read_counts_as_missing() {
        for nth in 0..3 {
            let system = FaultySystem::failing_once(fixture(), nth, InjectedFault::Vanished);
            let root = Root { system: &system, path: Path::new("/r") };
            assert_eq!(root.read_optional(&path("src/a.ts")).unwrap(), None, "call {nth}");
        }
    }

    #[test]
    fn a_folder_is_created_only_inside() {
        let system = fixture();
        let root = Root { system: &system, path: Path::new("/r") };
        assert!(root.make_dir(&path(".stan/output")).is_ok());
        for bad in ["outdir", "outdir/x/y", "up/x", "dangling", "dangling/x"] {
            assert!(root.make_dir(&path(bad)).is_err(), "{bad}");
        }
        assert!(system.files_below("/etc").len() == 1);
    }
}
