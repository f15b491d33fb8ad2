//! A file system with a watcher at the door, for tests: every call is shown to it before it is made,
//! and it may let the call pass, fail it, or change something first. So a disk is full, a file is
//! gone or a process dies at a chosen moment.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use portolan_types::RepoPath;

use crate::fence::Fence;
use crate::{DirEntry, LockGuard, MemorySystem, PendingFile, Stat, System};

/// What is asked of a file system. [`System::digest`] and [`System::write`] are made of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// [`System::read`].
    Read,
    /// [`System::read_head`].
    ReadHead,
    /// [`System::read_dir`].
    ReadDir,
    /// [`System::stat`].
    Stat,
    /// [`System::lstat`].
    Lstat,
    /// [`System::clock`].
    Clock,
    /// [`System::real_path`].
    RealPath,
    /// [`System::create_dir_all`].
    CreateDirAll,
    /// [`System::create`].
    Create,
    /// Some bytes for a file that was begun.
    Write,
    /// [`PendingFile::commit`].
    Commit,
    /// [`PendingFile::commit_unsynced`].
    CommitUnsynced,
    /// [`System::sync_below`].
    SyncBelow,
    /// [`System::rename`].
    Rename,
    /// [`System::duplicate`].
    Duplicate,
    /// [`System::remove_file`].
    RemoveFile,
    /// [`System::remove_dir_all`].
    RemoveDirAll,
    /// [`System::remove_dir`].
    RemoveDir,
    /// [`System::copy_mode`] and [`System::set_executable`].
    SetMode,
    /// [`System::try_lock`].
    TryLock,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// How many came before it.
    pub number: usize,
    /// What is asked.
    pub operation: Operation,
    /// On what: of two paths the first one.
    pub path: PathBuf,
}

/// What becomes of a call.
#[derive(Debug)]
pub enum Reply {
    /// It is made.
    Pass,
    /// It fails.
    Fail(io::Error),
    /// Half of the bytes are written; anything but a write passes.
    Short,
}

/// Something that goes wrong once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The disk is full.
    Full,
    /// The disk is broken.
    Broken,
    /// The permission is missing.
    Denied,
    /// The file is gone: somebody removed it a moment ago.
    Vanished,
    /// A signal came in between.
    Interrupted,
    /// Fewer bytes are taken than were given.
    Short,
}

impl Operation {
    /// What can go wrong with it.
    pub fn faults(self) -> &'static [Fault] {
        use Fault::{Broken, Denied, Full, Interrupted, Short, Vanished};
        match self {
            Self::Read | Self::ReadHead | Self::Stat | Self::Lstat | Self::RealPath => {
                &[Broken, Denied, Vanished]
            }
            Self::ReadDir
            | Self::RemoveFile
            | Self::RemoveDirAll
            | Self::RemoveDir
            | Self::SetMode => &[Broken, Denied],
            Self::Write => &[Full, Broken, Interrupted, Short],
            Self::Clock
            | Self::CreateDirAll
            | Self::Create
            | Self::Commit
            | Self::CommitUnsynced
            | Self::SyncBelow
            | Self::Rename
            | Self::Duplicate
            | Self::TryLock => &[Full, Broken, Denied],
        }
    }
}

impl Fault {
    /// What a call answers that this happens to.
    fn reply(self, disk: &MemorySystem, path: &Path) -> Reply {
        match self {
            Self::Full => Reply::Fail(io::ErrorKind::StorageFull.into()),
            Self::Broken => Reply::Fail(io::Error::other("input/output error")),
            Self::Denied => Reply::Fail(io::ErrorKind::PermissionDenied.into()),
            Self::Interrupted => Reply::Fail(io::ErrorKind::Interrupted.into()),
            Self::Short => Reply::Short,
            Self::Vanished => {
                // What was not there, or is a folder, is left alone: the call answers as ever.
                let _ = disk.remove_file(path);
                Reply::Pass
            }
        }
    }
}

type Watcher = dyn Fn(&Call) -> Reply + Send + Sync;

/// A file system in memory with a watcher at the door.
pub struct FaultySystem {
    inner: MemorySystem,
    door: Arc<Door>,
}

struct Door {
    calls: AtomicUsize,
    watcher: Box<Watcher>,
}

impl FaultySystem {
    /// Shows every call to a watcher.
    pub fn new(
        inner: MemorySystem,
        watcher: impl Fn(&Call) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let door = Door { calls: AtomicUsize::new(0), watcher: Box::new(watcher) };
        Self { inner, door: Arc::new(door) }
    }

    /// Something goes wrong with call number `nth` (from 0) and with no other.
    pub fn failing_once(inner: MemorySystem, nth: usize, fault: Fault) -> Self {
        let disk = inner.clone();
        Self::new(inner, move |call| {
            if call.number == nth { fault.reply(&disk, &call.path) } else { Reply::Pass }
        })
    }

    /// Every call from number `nth` on fails: nothing can be cleaned up either, as after a kill.
    pub fn dead_from(inner: MemorySystem, nth: usize) -> Self {
        let disk = inner.clone();
        Self::new(inner, move |call| {
            if call.number >= nth { Fault::Broken.reply(&disk, &call.path) } else { Reply::Pass }
        })
    }

    /// How many calls there were.
    pub fn calls(&self) -> usize {
        self.door.calls.load(Ordering::Relaxed)
    }
}

impl Door {
    fn ask(&self, operation: Operation, path: &Path) -> Reply {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        (self.watcher)(&Call { number, operation, path: path.to_path_buf() })
    }

    fn pass(&self, operation: Operation, path: &Path) -> io::Result<()> {
        match self.ask(operation, path) {
            Reply::Fail(error) => Err(error),
            Reply::Pass | Reply::Short => Ok(()),
        }
    }
}

impl System for FaultySystem {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.door.pass(Operation::Read, path)?;
        self.inner.read(path)
    }

    fn read_head(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.door.pass(Operation::ReadHead, path)?;
        self.inner.read_head(path, limit)
    }

    fn read_range(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        self.door.pass(Operation::Read, path)?;
        self.inner.read_range(path, offset, limit)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.door.pass(Operation::ReadDir, path)?;
        self.inner.read_dir(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.door.pass(Operation::Stat, path)?;
        self.inner.stat(path)
    }

    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        self.door.pass(Operation::Lstat, path)?;
        self.inner.lstat(path)
    }

    fn clock(&self, folder: &Path) -> io::Result<i128> {
        self.door.pass(Operation::Clock, folder)?;
        self.inner.clock(folder)
    }

    fn clock_beside(&self, of: &Path, folder: &Path) -> io::Result<i128> {
        self.door.pass(Operation::Clock, folder)?;
        self.inner.clock_beside(of, folder)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.door.pass(Operation::RealPath, path)?;
        self.inner.real_path(path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.door.pass(Operation::CreateDirAll, path)?;
        self.inner.create_dir_all(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        self.door.pass(Operation::Create, path)?;
        Ok(Box::new(FaultyPendingFile {
            inner: self.inner.create(path)?,
            path: path.to_path_buf(),
            door: self.door.clone(),
        }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.door.pass(Operation::Rename, from)?;
        self.inner.rename(from, to)
    }

    fn duplicate(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.door.pass(Operation::Duplicate, from)?;
        self.inner.duplicate(from, to)
    }

    fn sync_below(&self, folder: &Path) -> io::Result<()> {
        self.door.pass(Operation::SyncBelow, folder)?;
        self.inner.sync_below(folder)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.door.pass(Operation::RemoveFile, path)?;
        self.inner.remove_file(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.door.pass(Operation::RemoveDirAll, path)?;
        self.inner.remove_dir_all(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.door.pass(Operation::RemoveDir, path)?;
        self.inner.remove_dir(path)
    }

    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.door.pass(Operation::SetMode, to)?;
        self.inner.copy_mode(from, to)
    }

    fn set_executable(&self, path: &Path, is_executable: bool) -> io::Result<()> {
        self.door.pass(Operation::SetMode, path)?;
        self.inner.set_executable(path, is_executable)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn LockGuard>>> {
        self.door.pass(Operation::TryLock, path)?;
        self.inner.try_lock(path)
    }

    fn fenced<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a> {
        let same = Self { inner: self.inner.clone(), door: Arc::clone(&self.door) };
        Box::new(Fence::new(same, root, folder))
    }

    fn fenced_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        let same = Self { inner: self.inner.clone(), door: Arc::clone(&self.door) };
        Box::new(Fence::around(same, root))
    }

    fn held<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        let same = Self { inner: self.inner.clone(), door: Arc::clone(&self.door) };
        Box::new(Fence::around(same, root))
    }
}

struct FaultyPendingFile {
    inner: Box<dyn PendingFile>,
    path: PathBuf,
    door: Arc<Door>,
}

impl Write for FaultyPendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.door.ask(Operation::Write, &self.path) {
            Reply::Pass => self.inner.write(bytes),
            Reply::Short => self.inner.write(&bytes[..bytes.len().div_ceil(2)]),
            Reply::Fail(error) => Err(error),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl PendingFile for FaultyPendingFile {
    fn commit(self: Box<Self>) -> io::Result<()> {
        self.door.pass(Operation::Commit, &self.path)?;
        self.inner.commit()
    }

    fn commit_unsynced(self: Box<Self>) -> io::Result<()> {
        self.door.pass(Operation::CommitUnsynced, &self.path)?;
        self.inner.commit_unsynced()
    }
}
