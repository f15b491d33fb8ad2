//! A cancellable file system. After its token is cancelled, every call fails, so work that reads the disk
//! soon ends by itself. It also counts calls, as a measure of progress.
//!
//! Results computed after a cancellation are based on failed calls. The caller must discard them if
//! [`CancelToken::is_cancelled`] returns true.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use portolan_types::{RepoPath, Sha256Digest};

use crate::{DirEntry, FileContent, LockGuard, PendingFile, Stat, System};

/// Whether work is cancelled, and how far it has come.
#[derive(Debug, Default)]
pub struct CancelToken {
    is_cancelled: AtomicBool,
    calls: AtomicU64,
}

impl CancelToken {
    /// Cancels the work.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the work was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// The number of file system calls so far.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    fn pass(&self) -> io::Result<()> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if self.is_cancelled() { Err(io::Error::other("the work was cancelled")) } else { Ok(()) }
    }
}

/// A file system that fails once its token is cancelled.
pub struct CancellableSystem<'a> {
    system: InnerSystem<'a>,
    token: &'a CancelToken,
}

/// The underlying file system.
enum InnerSystem<'a> {
    Borrowed(&'a dyn System),
    Owned(Box<dyn System + 'a>),
}

impl<'a> CancellableSystem<'a> {
    /// Passes calls to `system` until the token is cancelled.
    pub fn new(system: &'a dyn System, token: &'a CancelToken) -> Self {
        Self { system: InnerSystem::Borrowed(system), token }
    }

    fn inner(&self) -> &dyn System {
        match &self.system {
            InnerSystem::Borrowed(system) => *system,
            InnerSystem::Owned(system) => &**system,
        }
    }

    fn ask<T>(&self, call: impl FnOnce(&dyn System) -> io::Result<T>) -> io::Result<T> {
        self.token.pass()?;
        call(self.inner())
    }

    fn owned<'b>(&'b self, system: Box<dyn System + 'b>) -> Box<dyn System + 'b> {
        Box::new(CancellableSystem { system: InnerSystem::Owned(system), token: self.token })
    }
}

impl System for CancellableSystem<'_> {
    fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.ask(|system| system.read(path))
    }

    fn read_at_most(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.ask(|system| system.read_at_most(path, limit))
    }

    fn read_beneath(&self, root: &Path, path: &RepoPath) -> io::Result<Vec<u8>> {
        self.ask(|system| system.read_beneath(root, path))
    }

    fn read_real(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.ask(|system| system.read_real(path, limit))
    }

    fn digest_real(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        self.ask(|system| system.digest_real(path))
    }

    fn read_or_digest(
        &self,
        path: &Path,
        limit: usize,
        is_opaque: &dyn Fn(&[u8]) -> bool,
    ) -> io::Result<FileContent> {
        self.ask(|system| system.read_or_digest(path, limit, is_opaque))
    }

    fn copy_real(&self, path: &Path, to: &mut dyn Write) -> io::Result<(u64, Sha256Digest)> {
        self.ask(|system| system.copy_real(path, to))
    }

    fn read_named(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.ask(|system| system.read_named(path))
    }

    fn digest(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        self.ask(|system| system.digest(path))
    }

    fn read_head(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.ask(|system| system.read_head(path, limit))
    }

    fn read_range(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        self.ask(|system| system.read_range(path, offset, limit))
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.ask(|system| system.read_dir(path))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.ask(|system| system.stat(path))
    }

    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        self.ask(|system| system.lstat(path))
    }

    fn create_private_dir(&self, path: &Path) -> io::Result<bool> {
        self.ask(|system| system.create_private_dir(path))
    }

    fn clock(&self, folder: &Path) -> io::Result<i128> {
        self.ask(|system| system.clock(folder))
    }

    fn clock_beside(&self, of: &Path, folder: &Path) -> io::Result<i128> {
        self.ask(|system| system.clock_beside(of, folder))
    }

    fn foreign_owner(&self, path: &Path) -> io::Result<Option<u32>> {
        self.ask(|system| system.foreign_owner(path))
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.ask(|system| system.real_path(path))
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.ask(|system| system.create_dir_all(path))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        self.ask(|system| system.create(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.ask(|system| system.rename(from, to))
    }

    fn duplicate(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.ask(|system| system.duplicate(from, to))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.ask(|system| system.remove_file(path))
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.ask(|system| system.remove_dir_all(path))
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.ask(|system| system.remove_dir(path))
    }

    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.ask(|system| system.copy_mode(from, to))
    }

    fn set_executable(&self, path: &Path, is_executable: bool) -> io::Result<()> {
        self.ask(|system| system.set_executable(path, is_executable))
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn LockGuard>>> {
        self.ask(|system| system.try_lock(path))
    }

    fn lock_holder(&self, path: &Path) -> Option<u32> {
        self.inner().lock_holder(path)
    }

    fn sync_below(&self, folder: &Path) -> io::Result<()> {
        self.ask(|system| system.sync_below(folder))
    }

    fn restricted_to<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a> {
        self.owned(self.inner().restricted_to(root, folder))
    }

    fn restricted_without_links<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        self.owned(self.inner().restricted_without_links(root))
    }

    fn restricted_to_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        self.owned(self.inner().restricted_to_root(root))
    }

    fn private_to<'a>(&'a self, folder: &Path) -> Box<dyn System + 'a> {
        self.owned(self.inner().private_to(folder))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_types::RepoPath;

    use super::{CancelToken, CancellableSystem};
    use crate::{MemorySystem, System};

    #[test]
    fn cancelling_fails_every_call_also_in_a_restricted_system() {
        let disk = MemorySystem::default();
        disk.put("/r/a", "a");
        let token = CancelToken::default();
        let system = CancellableSystem::new(&disk, &token);
        let restricted = system.restricted_to(Path::new("/r"), &RepoPath::new(".stan").unwrap());
        assert_eq!(restricted.read(Path::new("/r/a")).unwrap(), b"a");
        assert_eq!(system.read(Path::new("/r/a")).unwrap(), b"a");
        assert_eq!(token.calls(), 2);
        token.cancel();
        assert!(restricted.read(Path::new("/r/a")).is_err());
        assert!(system.stat(Path::new("/r/a")).is_err());
    }
}
