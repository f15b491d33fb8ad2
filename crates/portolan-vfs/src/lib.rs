//! The one door to the disk.
//!
//! Everything Portolan reads or writes goes through a [`System`]. There are two: [`OsSystem`], and
//! [`MemorySystem`] for tests. No policy lives here: what may be read or written is decided by the
//! callers, on checked paths.

mod fault;
mod fence;
mod memory;
mod os;
mod watch;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use fault::{Call, Fault, FaultySystem, Operation, Reply};
pub use memory::MemorySystem;
pub use os::OsSystem;
use portolan_types::{RepoPath, Sha256Digest};
use sha2::{Digest, Sha256};
pub use watch::{Watch, WatchedSystem};

/// The names of temporary files and folders start with this, so that what a killed run left can be
/// told and removed.
pub const TEMP_PREFIX: &str = ".portolan-tmp-";

/// What stands at a path.
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

/// One entry of a folder. Its kind is that of the entry itself: a link is a link.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirEntry {
    /// The name, as the file system has it.
    pub name: OsString,
    /// What it is.
    pub kind: FileKind,
}

/// What the file system says of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// Its length in bytes.
    pub size: u64,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// Last change of the content, in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Last change of the inode, in nanoseconds since 1970; 0 where there is no such thing.
    pub ctime_ns: i128,
    /// The inode's number; 0 where there is no such thing.
    pub inode: u64,
}

/// A file being written: nobody sees it until [`PendingFile::commit`]. Dropped without that, it
/// leaves nothing behind.
pub trait PendingFile: Write + Send {
    /// Makes it durable and puts it in place of whatever was there, in one step.
    fn commit(self: Box<Self>) -> io::Result<()>;

    /// The same without waiting for the disk: for what can be made again and is checked when read.
    fn commit_unsynced(self: Box<Self>) -> io::Result<()> {
        self.commit()
    }
}

/// Holds a lock until dropped.
pub trait LockGuard: Send + Sync {}

/// The file system, as far as Portolan needs one.
///
/// A call that a signal interrupts is made again behind the door; only [`Write::write`] may answer so,
/// as its contract has it.
pub trait System: Send + Sync {
    /// The bytes of a regular file: a pipe, a device or a socket is refused at once.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The same for a file of at most `limit` bytes; [`io::ErrorKind::FileTooLarge`] beyond.
    fn read_at_most(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        let bytes = self.read_head(path, limit.saturating_add(1))?;
        if bytes.len() > limit { Err(too_large(limit)) } else { Ok(bytes) }
    }

    /// The bytes of the regular file at a real path below `root`. A link that took the place of the
    /// file, or of a folder on the way, since the path was looked up is not followed.
    fn read_beneath(&self, root: &Path, path: &RepoPath) -> io::Result<Vec<u8>> {
        self.read(&root.join(path.as_str()))
    }

    /// The bytes of the regular file at a real path, at most `limit` of them. A link that took the place of
    /// the file, or of a folder on the way, since the path was looked up is not followed.
    fn read_real(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.read_at_most(path, limit)
    }

    /// The length and the digest of the regular file at a real path, in the same way.
    fn digest_real(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        self.digest(path)
    }

    /// Writes the bytes of the regular file at a real path to `to`, and answers their length and digest. The
    /// file need not fit in memory; links are not followed.
    fn copy_real(&self, path: &Path, to: &mut dyn Write) -> io::Result<(u64, Sha256Digest)> {
        let bytes = self.read(path)?;
        to.write_all(&bytes)?;
        Ok((bytes.len() as u64, sha256(&bytes)))
    }

    /// The bytes of what a person named: a pipe or a device, too.
    fn read_named(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read(path)
    }

    /// The length and the digest of a file, which need not fit in memory.
    fn digest(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        self.read(path).map(|bytes| (bytes.len() as u64, sha256(&bytes)))
    }

    /// At most the first `limit` bytes of a file.
    fn read_head(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>>;

    /// At most so many bytes of a file, from an offset on. Without a default: one that read the whole file would be
    /// right, and a hundred times too slow for the packs of a repository's history.
    fn read_range(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>>;

    /// The entries of a folder, in no particular order.
    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>>;

    /// What stands at a path, links followed.
    fn stat(&self, path: &Path) -> io::Result<Stat>;

    /// What stands at a path itself.
    fn lstat(&self, path: &Path) -> io::Result<Stat>;

    /// The time that a file written in a folder now would have as its `mtime`, by the clock and in
    /// the steps of that file system. An error where there is no telling.
    fn clock(&self, folder: &Path) -> io::Result<i128> {
        let _ = folder;
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    /// The clock of the file system that `of` is on, told without writing beside it: in `folder`, which must
    /// be on the same one. An error where it is not, or where there is no telling.
    fn clock_beside(&self, of: &Path, folder: &Path) -> io::Result<i128> {
        let _ = (of, folder);
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    /// The owner of what stands at a path, links not followed, where that is somebody else than the user who
    /// runs this or the administrator of the machine; `None` where there is no such thing as an owner.
    fn stranger(&self, path: &Path) -> io::Result<Option<u32>> {
        let _ = path;
        Ok(None)
    }

    /// The path with every link followed.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf>;

    /// Makes a folder and those above it.
    fn create_dir_all(&self, path: &Path) -> io::Result<()>;

    /// Begins a file that will replace `path` when it is committed. The folder must be there.
    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>>;

    /// The same for what a person named: a device or a pipe (`/dev/null`) is written to, since a
    /// rename would put a file in its place.
    fn create_named(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        self.create(path)
    }

    /// Moves a file or a folder. A file replaces what is there; a folder must find nothing there.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives a file a second name where nothing is yet; a copy, where the file system has no such
    /// thing.
    fn duplicate(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file or a link.
    fn remove_file(&self, path: &Path) -> io::Result<()>;

    /// Removes a folder with all that is in it. Links in it are removed, not followed.
    fn remove_dir_all(&self, path: &Path) -> io::Result<()>;

    /// Removes a folder that has nothing in it; [`io::ErrorKind::DirectoryNotEmpty`] where it has.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// Gives a file the permissions of another.
    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Lets whoever may read a file execute it, or nobody. Nothing happens where there is no such
    /// permission.
    fn set_executable(&self, path: &Path, is_executable: bool) -> io::Result<()>;

    /// Takes the lock file at `path` (made where missing; a link is refused), or answers `None` where
    /// another process has it. The lock goes with the process: a killed run leaves none behind.
    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn LockGuard>>>;

    /// The same file system, with a fence around one folder of a repository: whatever is changed
    /// through it lies, by its text, below `folder` and, whatever links are put in its way meanwhile,
    /// below `root`. Reading is as free as before.
    fn fenced<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a>;

    /// The same with the fence around a whole repository. No link on the way is followed here, not even
    /// one that stays inside: what is changed is what its name says.
    fn fenced_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a>;

    /// The same with the fence around the whole of a root: for the few files that belong beside the workspace.
    fn held<'a>(&'a self, root: &Path) -> Box<dyn System + 'a>;

    /// The process that holds the lock file at `path`, where that can be told.
    fn lock_holder(&self, path: &Path) -> Option<u32> {
        let _ = path;
        None
    }

    /// Makes everything that was written below a folder durable, in one go.
    fn sync_below(&self, folder: &Path) -> io::Result<()> {
        let _ = folder;
        Ok(())
    }

    /// Writes a whole file in one step, without waiting for the disk: [`System::sync_below`] does that
    /// for many at once.
    fn write_unsynced(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut pending = self.create(path)?;
        pending.write_all(bytes)?;
        pending.commit_unsynced()
    }

    /// Writes a whole file in one step.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut pending = self.create(path)?;
        pending.write_all(bytes)?;
        pending.commit()
    }

    /// Writes the whole of what a person named.
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

/// The SHA-256 of some bytes.
pub fn sha256(bytes: &[u8]) -> Sha256Digest {
    Sha256Digest::from_bytes(Sha256::digest(bytes).into())
}
