//! Opening paths of the repository without leaving it.
//!
//! A [`RepoPath`] cannot leave the root by its text; a link on the way can. Every file that reaches
//! an archive and every folder that is written into is looked up here.

use std::io;
use std::path::{Path, PathBuf};

use portolan_types::RepoPath;
use portolan_vfs::{FileKind, Stat, System};

/// The root of a repository, as a real path.
#[derive(Clone, Copy)]
pub struct Root<'a> {
    /// The door to the disk.
    pub system: &'a dyn System,
    /// The root.
    pub path: &'a Path,
}

/// A regular file inside the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it really is.
    pub absolute: PathBuf,
    /// Where it really is, seen from the root: not the path asked for, if a link is on the way.
    pub real: RepoPath,
    /// What the file system says of it.
    pub stat: Stat,
}

/// Why a path is not a file that may be read, or a folder that may be written into.
#[derive(Debug, thiserror::Error)]
pub enum InsideError {
    /// Nothing is there.
    #[error("there is no such file")]
    Missing,
    /// A link leads out of the repository.
    #[error("a link leads outside the repository")]
    Outside,
    /// Something else is there.
    #[error("it is not a regular file")]
    NotAFile,
    /// The name cannot be written as a path of ours.
    #[error("its real name is not UTF-8")]
    OddName,
    /// The file system refuses.
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

impl Root<'_> {
    /// Where a path is, links not followed.
    pub fn join(&self, path: &RepoPath) -> PathBuf {
        self.path.join(path.as_str())
    }

    /// The regular file at a path.
    pub fn file(&self, path: &RepoPath) -> Result<Found, InsideError> {
        let absolute = self.system.real_path(&self.join(path))?;
        let real = self.relative(&absolute)?;
        let stat = self.system.stat(&absolute)?;
        if stat.kind != FileKind::File {
            return Err(InsideError::NotAFile);
        }
        Ok(Found { absolute, real, stat })
    }

    /// The bytes of a file inside the root; `None` where there is none.
    pub fn read_optional(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, InsideError> {
        // It may go after it was found: that is no file, too.
        let read = |found: Found| self.system.read(&found.absolute).map_err(InsideError::from);
        match self.file(path).and_then(read) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(InsideError::Missing) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Refuses a folder that is reached through a link that leads out. What is not there yet is fine.
    pub fn check_dir(&self, path: &RepoPath) -> Result<(), InsideError> {
        match self.system.real_path(&self.join(path)) {
            Ok(real) => self.relative(&real).map(|_| ()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => match path.parent() {
                // A dangling link would be followed when the folder is made.
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

    /// Makes a folder inside the root.
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
    use portolan_vfs::{Fault, FaultySystem, MemorySystem};

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
    fn a_link_inside_is_followed_and_one_that_leads_out_is_refused() {
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
    fn a_file_that_goes_between_finding_and_reading_is_no_file() {
        for nth in 0..3 {
            let system = FaultySystem::failing_once(fixture(), nth, Fault::Vanished);
            let root = Root { system: &system, path: Path::new("/r") };
            assert_eq!(root.read_optional(&path("src/a.ts")).unwrap(), None, "call {nth}");
        }
    }

    #[test]
    fn a_folder_is_made_only_inside() {
        let system = fixture();
        let root = Root { system: &system, path: Path::new("/r") };
        assert!(root.make_dir(&path(".stan/output")).is_ok());
        for bad in ["outdir", "outdir/x/y", "up/x", "dangling", "dangling/x"] {
            assert!(root.make_dir(&path(bad)).is_err(), "{bad}");
        }
        assert!(system.files_below("/etc").len() == 1);
    }
}
