//! All access to the disk.
//!
//! Everything Portolan reads or writes goes through a [`System`]. There are two: [`OsSystem`], and
//! [`MemorySystem`] for tests. There is no policy here: callers decide what may be read or written, with
//! validated paths.

mod cancel;
mod fault;
mod memory;
mod os;
mod restrict;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use cancel::{CancelToken, CancellableSystem};
pub use fault::{Call, CallOutcome, FaultySystem, InjectedFault, Operation};
pub use memory::MemorySystem;
pub use os::{DiskActivity, OsSystem};
use portolan_types::{RepoPath, Sha256Digest};
use sha2::{Digest, Sha256};

/// The prefix of temporary files and folders. It lets a later run recognize and remove what a killed run
/// left.
pub const TEMP_PREFIX: &str = ".portolan-tmp-";

/// The kind of thing at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A symbolic link (only where links are not followed).
    Link,
    /// A socket, a device, a pipe: never read.
    Other,
}

/// An entry of a folder. Links are not followed: the kind of a link is `Link`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirEntry {
    /// The name, as the file system stores it.
    pub name: OsString,
    /// Its kind.
    pub kind: FileKind,
}

/// The metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Its kind.
    pub kind: FileKind,
    /// Its length in bytes.
    pub size: u64,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// Last change of the content, in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Last change of the inode, in nanoseconds since 1970; 0 on systems without inodes.
    pub ctime_ns: i128,
    /// The inode number; 0 on systems without inodes.
    pub inode: u64,
}

/// A file under construction. It becomes visible with [`PendingFile::commit`]; dropped before that, it
/// leaves nothing behind.
pub trait PendingFile: Write + Send {
    /// Makes the file durable and atomically replaces whatever is at its path.
    fn commit(self: Box<Self>) -> io::Result<()>;

    /// The same without waiting for the disk, for data that can be rebuilt and is validated when read.
    fn commit_unsynced(self: Box<Self>) -> io::Result<()> {
        self.commit()
    }
}

/// Holds a lock until dropped.
pub trait LockGuard: Send + Sync {}

/// The operations on files that Portolan needs.
///
/// Implementations retry calls that a signal interrupts; only [`Write::write`] may return such an error,
/// as its contract allows.
pub trait System: Send + Sync {
    /// Whether nobody waits for the work any more, so that every call fails. Work that takes long between calls asks it.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// Reads a regular file. Fails at once for a pipe, a device or a socket.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Reads a file of at most `limit` bytes; [`io::ErrorKind::FileTooLarge`] if it is larger.
    fn read_at_most(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        let bytes = self.read_head(path, limit.saturating_add(1))?;
        if bytes.len() > limit { Err(too_large(limit)) } else { Ok(bytes) }
    }

    /// Reads the regular file at a real path below `root`. Fails if the file, or a folder on its path, has
    /// been replaced by a link since the path was resolved.
    fn read_beneath(&self, root: &Path, path: &RepoPath) -> io::Result<Vec<u8>> {
        self.read(&root.join(path.as_str()))
    }

    /// Reads the regular file at a real path, of at most `limit` bytes. Fails if the file, or a folder on its
    /// path, has been replaced by a link since the path was resolved.
    fn read_real(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.read_at_most(path, limit)
    }

    /// The length and the digest of the regular file at a real path, with the same check.
    fn digest_real(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        self.digest(path)
    }

    /// Reads the regular file at a real path, with the same check. The file is only digested if it has more than `limit`
    /// bytes, or if its first [`HEAD_BYTES`] are opaque.
    fn read_or_digest(
        &self,
        path: &Path,
        limit: usize,
        is_opaque: &dyn Fn(&[u8]) -> bool,
    ) -> io::Result<FileContent> {
        let bytes = match self.read_real(path, limit) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                let (size, sha256) = self.digest_real(path)?;
                return Ok(FileContent::Digest { size, sha256 });
            }
            read => read?,
        };
        Ok(FileContent::of(bytes, is_opaque))
    }

    /// Copies the regular file at a real path to `to` and returns its length and digest. The file need not fit
    /// in memory; links are not followed.
    fn copy_real(&self, path: &Path, to: &mut dyn Write) -> io::Result<(u64, Sha256Digest)> {
        let bytes = self.read(path)?;
        to.write_all(&bytes)?;
        Ok((bytes.len() as u64, sha256(&bytes)))
    }

    /// Reads a file that the user named; it may be a pipe or a device.
    fn read_named(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read(path)
    }

    /// The length and the digest of a file, which need not fit in memory.
    fn digest(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        self.read(path).map(|bytes| (bytes.len() as u64, sha256(&bytes)))
    }

    /// Reads at most the first `limit` bytes of a file.
    fn read_head(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>>;

    /// Reads at most `limit` bytes of a file from an offset on. It has no default implementation: reading the whole file
    /// would be correct, but a hundred times too slow for the packs of a git history.
    fn read_range(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>>;

    /// The entries of a folder, in no particular order.
    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>>;

    /// The metadata of a path, following links.
    fn stat(&self, path: &Path) -> io::Result<Stat>;

    /// The metadata of a path, not following a link at its end.
    fn lstat(&self, path: &Path) -> io::Result<Stat>;

    /// The `mtime` that a file written to a folder now would get, by the clock and resolution of that file
    /// system. Fails if it cannot be determined.
    fn clock(&self, folder: &Path) -> io::Result<i128> {
        let _ = folder;
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    /// The clock of the file system that holds `of`, read in `folder` so that nothing is written beside `of`. Fails
    /// if their clocks may differ (a network file system has the clock of its server), or if the clock cannot be
    /// determined.
    fn clock_beside(&self, of: &Path, folder: &Path) -> io::Result<i128> {
        let _ = (of, folder);
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    /// The owner of a path (links not followed), if it is neither the current user nor the administrator;
    /// `None` on systems without owners.
    fn foreign_owner(&self, path: &Path) -> io::Result<Option<u32>> {
        let _ = path;
        Ok(None)
    }

    /// The path with every link resolved.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf>;

    /// Creates a folder and its parents.
    fn create_dir_all(&self, path: &Path) -> io::Result<()>;

    /// Starts a file that replaces `path` when committed. The folder must exist.
    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>>;

    /// The same for a path that the user named: a device or a pipe (`/dev/null`) is written to, because a
    /// rename would replace it by a file.
    fn create_named(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        self.create(path)
    }

    /// Moves a file or a folder. A file replaces the target; for a folder, the target must not exist.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Hard-links a file to a path that does not exist yet; copies it if the file system has no hard
    /// links.
    fn duplicate(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file or a link.
    fn remove_file(&self, path: &Path) -> io::Result<()>;

    /// Removes a folder and its content. Removes links in it without following them.
    fn remove_dir_all(&self, path: &Path) -> io::Result<()>;

    /// Removes an empty folder; [`io::ErrorKind::DirectoryNotEmpty`] if it is not empty.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// Copies the permissions of one file to another.
    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Makes a file executable for everyone who may read it, or for nobody. Does nothing on systems without
    /// that permission.
    fn set_executable(&self, path: &Path, is_executable: bool) -> io::Result<()>;

    /// Takes the lock file at `path`, creating it if missing; refuses a link. Returns `None` if another
    /// process holds it. The operating system releases the lock when the process ends, even if killed.
    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn LockGuard>>>;

    /// Makes sure that a folder exists and that only its owner may use it. Returns whether that was so before,
    /// or the folder is new: otherwise others may have read what is in it. Its parent must exist. Systems
    /// without permissions only create it.
    fn create_private_dir(&self, path: &Path) -> io::Result<bool> {
        self.create_dir_all(path)?;
        Ok(true)
    }

    /// The same file system, restricted to changes below one folder of a repository. The text of a path must
    /// lie below `folder`, and the resolved path below `root`, whatever links are put in its way meanwhile.
    /// Reads are not restricted.
    fn restricted_to<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a>;

    /// The same, restricted to a whole repository. It follows no link on a path, not even one that stays
    /// inside, so a change affects exactly the named path.
    fn restricted_without_links<'a>(&'a self, root: &Path) -> Box<dyn System + 'a>;

    /// The same, restricted to the whole root: for the few files that belong beside the workspace.
    fn restricted_to_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a>;

    /// The same, restricted to one folder outside of repositories. It follows no link below the folder, and only the
    /// user may read what it creates.
    fn private_to<'a>(&'a self, folder: &Path) -> Box<dyn System + 'a>;

    /// The process that holds the lock file at `path`, if known.
    fn lock_holder(&self, path: &Path) -> Option<u32> {
        let _ = path;
        None
    }

    /// Makes everything written below a folder durable, at once.
    fn sync_below(&self, folder: &Path) -> io::Result<()> {
        let _ = folder;
        Ok(())
    }

    /// Writes a whole file atomically, without waiting for the disk. [`System::sync_below`] syncs many files
    /// at once.
    fn write_unsynced(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut pending = self.create(path)?;
        pending.write_all(bytes)?;
        pending.commit_unsynced()
    }

    /// Writes a whole file atomically.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut pending = self.create(path)?;
        pending.write_all(bytes)?;
        pending.commit()
    }

    /// Writes a whole file that the user named.
    fn write_named(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut pending = self.create_named(path)?;
        pending.write_all(bytes)?;
        pending.commit()
    }
}

fn too_large(limit: usize) -> io::Error {
    let message = format!("it has more than {limit} bytes");
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// How many bytes at the start of a file decide whether it is opaque.
pub const HEAD_BYTES: usize = 512;

/// The bytes of a file, or only what is known of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContent {
    /// All bytes.
    Bytes(Vec<u8>),
    /// The length and the digest.
    Digest {
        /// The length in bytes.
        size: u64,
        /// The digest of the bytes.
        sha256: Sha256Digest,
    },
}

impl FileContent {
    fn of(bytes: Vec<u8>, is_opaque: &dyn Fn(&[u8]) -> bool) -> Self {
        if is_opaque(&bytes[..bytes.len().min(HEAD_BYTES)]) {
            Self::Digest { size: bytes.len() as u64, sha256: sha256(&bytes) }
        } else {
            Self::Bytes(bytes)
        }
    }
}

/// The SHA-256 of some bytes.
pub fn sha256(bytes: &[u8]) -> Sha256Digest {
    Sha256Digest::from_bytes(Sha256::digest(bytes).into())
}
