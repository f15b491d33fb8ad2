//! A file system for work that may be called off: once its watch is stopped every call fails, so whatever
//! waits for the disk comes to an end by itself. It also counts the calls, which is how far work has come.
//!
//! What was made after a stop is made of failures. Whoever starts such work throws its result away
//! where [`Watch::is_stopped`] says so.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use portolan_types::{RepoPath, Sha256Digest};

use crate::{DirEntry, LockGuard, PendingFile, Stat, System};

/// Whether some work is still wanted, and how far it has come.
#[derive(Debug, Default)]
pub struct Watch {
    is_stopped: AtomicBool,
    calls: AtomicU64,
}

impl Watch {
    /// Calls the work off.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Whether it was called off.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// How often the disk was asked so far.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    fn pass(&self) -> io::Result<()> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if self.is_stopped() { Err(io::Error::other("the work was called off")) } else { Ok(()) }
    }
}

/// A file system that fails once its watch is stopped.
pub struct WatchedSystem<'a> {
    system: Held<'a>,
    watch: &'a Watch,
}

/// The file system behind it.
enum Held<'a> {
    Borrowed(&'a dyn System),
    Owned(Box<dyn System + 'a>),
}

impl<'a> WatchedSystem<'a> {
    /// Asks `system` as long as the watch is not stopped.
    pub fn new(system: &'a dyn System, watch: &'a Watch) -> Self {
        Self { system: Held::Borrowed(system), watch }
    }

    fn inner(&self) -> &dyn System {
        match &self.system {
            Held::Borrowed(system) => *system,
            Held::Owned(system) => &**system,
        }
    }

    fn ask<T>(&self, call: impl FnOnce(&dyn System) -> io::Result<T>) -> io::Result<T> {
        self.watch.pass()?;
        call(self.inner())
    }

    fn owned<'b>(&'b self, system: Box<dyn System + 'b>) -> Box<dyn System + 'b> {
        Box::new(WatchedSystem { system: Held::Owned(system), watch: self.watch })
    }
}

impl System for WatchedSystem<'_> {
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

    fn clock(&self, folder: &Path) -> io::Result<i128> {
        self.ask(|system| system.clock(folder))
    }

    fn clock_beside(&self, of: &Path, folder: &Path) -> io::Result<i128> {
        self.ask(|system| system.clock_beside(of, folder))
    }

    fn stranger(&self, path: &Path) -> io::Result<Option<u32>> {
        self.ask(|system| system.stranger(path))
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

    fn fenced<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a> {
        self.owned(self.inner().fenced(root, folder))
    }

    fn fenced_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        self.owned(self.inner().fenced_root(root))
    }

    fn held<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        self.owned(self.inner().held(root))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_types::RepoPath;

    use super::{Watch, WatchedSystem};
    use crate::{MemorySystem, System};

    #[test]
    fn a_stopped_watch_ends_every_call_also_behind_a_fence() {
        let disk = MemorySystem::default();
        disk.put("/r/a", "a");
        let watch = Watch::default();
        let system = WatchedSystem::new(&disk, &watch);
        let fenced = system.fenced(Path::new("/r"), &RepoPath::new(".stan").unwrap());
        assert_eq!(fenced.read(Path::new("/r/a")).unwrap(), b"a");
        assert_eq!(system.read(Path::new("/r/a")).unwrap(), b"a");
        assert_eq!(watch.calls(), 2);
        watch.stop();
        assert!(fenced.read(Path::new("/r/a")).is_err());
        assert!(system.stat(Path::new("/r/a")).is_err());
    }
}
