//! A file system for tests that injects faults. A hook sees every call before it happens and may let it
//! through, fail it, or change something first. So a test can fill the disk, remove a file or kill the
//! process at a chosen moment.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use portolan_types::RepoPath;

use crate::restrict::RestrictedSystem;
use crate::{DirEntry, LockGuard, MemorySystem, PendingFile, Stat, System};

/// The operations of a file system. [`System::digest`] and [`System::write`] consist of these.
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
    /// A write to a file under construction.
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

/// A single call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The number of earlier calls.
    pub number: usize,
    /// The operation.
    pub operation: Operation,
    /// The path; for an operation on two paths, the first.
    pub path: PathBuf,
}

/// What happens to a call.
#[derive(Debug)]
pub enum CallOutcome {
    /// It happens.
    Pass,
    /// It fails.
    Fail(io::Error),
    /// Only half of the bytes are written; any other operation passes.
    Short,
}

/// A fault that happens once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedFault {
    /// The disk is full.
    Full,
    /// The disk is broken.
    Broken,
    /// Permission denied.
    Denied,
    /// The file is gone: somebody has just removed it.
    Vanished,
    /// A signal interrupted the call.
    Interrupted,
    /// The call writes fewer bytes than requested.
    Short,
}

impl Operation {
    /// The faults that can happen to it.
    pub fn faults(self) -> &'static [InjectedFault] {
        use InjectedFault::{Broken, Denied, Full, Interrupted, Short, Vanished};
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

impl InjectedFault {
    /// What happens to a call with this fault.
    fn reply(self, disk: &MemorySystem, path: &Path) -> CallOutcome {
        match self {
            Self::Full => CallOutcome::Fail(io::ErrorKind::StorageFull.into()),
            Self::Broken => CallOutcome::Fail(io::Error::other("input/output error")),
            Self::Denied => CallOutcome::Fail(io::ErrorKind::PermissionDenied.into()),
            Self::Interrupted => CallOutcome::Fail(io::ErrorKind::Interrupted.into()),
            Self::Short => CallOutcome::Short,
            Self::Vanished => {
                // If the path does not exist or is a folder, nothing changes and the call behaves as usual.
                let _ = disk.remove_file(path);
                CallOutcome::Pass
            }
        }
    }
}

type HookFn = dyn Fn(&Call) -> CallOutcome + Send + Sync;

/// A file system in memory that injects faults.
pub struct FaultySystem {
    inner: MemorySystem,
    hook: Arc<CallHook>,
}

struct CallHook {
    calls: AtomicUsize,
    decide: Box<HookFn>,
}

impl FaultySystem {
    /// Shows every call to a hook.
    pub fn new(
        inner: MemorySystem,
        decide: impl Fn(&Call) -> CallOutcome + Send + Sync + 'static,
    ) -> Self {
        let hook = CallHook { calls: AtomicUsize::new(0), decide: Box::new(decide) };
        Self { inner, hook: Arc::new(hook) }
    }

    /// Injects a fault into call number `nth` (from 0) and no other.
    pub fn failing_once(inner: MemorySystem, nth: usize, fault: InjectedFault) -> Self {
        let disk = inner.clone();
        Self::new(inner, move |call| {
            if call.number == nth { fault.reply(&disk, &call.path) } else { CallOutcome::Pass }
        })
    }

    /// Fails every call from number `nth` on, so no cleanup happens, as after a kill.
    pub fn dead_from(inner: MemorySystem, nth: usize) -> Self {
        let disk = inner.clone();
        Self::new(inner, move |call| {
            if call.number >= nth {
                InjectedFault::Broken.reply(&disk, &call.path)
            } else {
                CallOutcome::Pass
            }
        })
    }

    /// The number of calls so far.
    pub fn calls(&self) -> usize {
        self.hook.calls.load(Ordering::Relaxed)
    }
}

impl CallHook {
    fn ask(&self, operation: Operation, path: &Path) -> CallOutcome {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        (self.decide)(&Call { number, operation, path: path.to_path_buf() })
    }

    fn pass(&self, operation: Operation, path: &Path) -> io::Result<()> {
        match self.ask(operation, path) {
            CallOutcome::Fail(error) => Err(error),
            CallOutcome::Pass | CallOutcome::Short => Ok(()),
        }
    }
}

impl System for FaultySystem {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.hook.pass(Operation::Read, path)?;
        self.inner.read(path)
    }

    fn read_head(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.hook.pass(Operation::ReadHead, path)?;
        self.inner.read_head(path, limit)
    }

    fn read_range(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        self.hook.pass(Operation::Read, path)?;
        self.inner.read_range(path, offset, limit)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.hook.pass(Operation::ReadDir, path)?;
        self.inner.read_dir(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.hook.pass(Operation::Stat, path)?;
        self.inner.stat(path)
    }

    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        self.hook.pass(Operation::Lstat, path)?;
        self.inner.lstat(path)
    }

    fn clock(&self, folder: &Path) -> io::Result<i128> {
        self.hook.pass(Operation::Clock, folder)?;
        self.inner.clock(folder)
    }

    fn clock_beside(&self, of: &Path, folder: &Path) -> io::Result<i128> {
        self.hook.pass(Operation::Clock, folder)?;
        self.inner.clock_beside(of, folder)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.hook.pass(Operation::RealPath, path)?;
        self.inner.real_path(path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.hook.pass(Operation::CreateDirAll, path)?;
        self.inner.create_dir_all(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        self.hook.pass(Operation::Create, path)?;
        Ok(Box::new(FaultyPendingFile {
            inner: self.inner.create(path)?,
            path: path.to_path_buf(),
            hook: self.hook.clone(),
        }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.hook.pass(Operation::Rename, from)?;
        self.inner.rename(from, to)
    }

    fn duplicate(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.hook.pass(Operation::Duplicate, from)?;
        self.inner.duplicate(from, to)
    }

    fn sync_below(&self, folder: &Path) -> io::Result<()> {
        self.hook.pass(Operation::SyncBelow, folder)?;
        self.inner.sync_below(folder)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.hook.pass(Operation::RemoveFile, path)?;
        self.inner.remove_file(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.hook.pass(Operation::RemoveDirAll, path)?;
        self.inner.remove_dir_all(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.hook.pass(Operation::RemoveDir, path)?;
        self.inner.remove_dir(path)
    }

    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.hook.pass(Operation::SetMode, to)?;
        self.inner.copy_mode(from, to)
    }

    fn set_executable(&self, path: &Path, is_executable: bool) -> io::Result<()> {
        self.hook.pass(Operation::SetMode, path)?;
        self.inner.set_executable(path, is_executable)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn LockGuard>>> {
        self.hook.pass(Operation::TryLock, path)?;
        self.inner.try_lock(path)
    }

    fn restricted_to<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a> {
        let same = Self { inner: self.inner.clone(), hook: Arc::clone(&self.hook) };
        Box::new(RestrictedSystem::new(same, root, folder))
    }

    fn restricted_without_links<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        let same = Self { inner: self.inner.clone(), hook: Arc::clone(&self.hook) };
        Box::new(RestrictedSystem::around(same, root))
    }

    fn restricted_to_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        let same = Self { inner: self.inner.clone(), hook: Arc::clone(&self.hook) };
        Box::new(RestrictedSystem::around(same, root))
    }

    fn private_to<'a>(&'a self, folder: &Path) -> Box<dyn System + 'a> {
        self.restricted_to_root(folder)
    }
}

struct FaultyPendingFile {
    inner: Box<dyn PendingFile>,
    path: PathBuf,
    hook: Arc<CallHook>,
}

impl Write for FaultyPendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.hook.ask(Operation::Write, &self.path) {
            CallOutcome::Pass => self.inner.write(bytes),
            CallOutcome::Short => self.inner.write(&bytes[..bytes.len().div_ceil(2)]),
            CallOutcome::Fail(error) => Err(error),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl PendingFile for FaultyPendingFile {
    fn commit(self: Box<Self>) -> io::Result<()> {
        self.hook.pass(Operation::Commit, &self.path)?;
        self.inner.commit()
    }

    fn commit_unsynced(self: Box<Self>) -> io::Result<()> {
        self.hook.pass(Operation::CommitUnsynced, &self.path)?;
        self.inner.commit_unsynced()
    }
}
