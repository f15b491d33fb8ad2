//! A file system that fails on purpose, for tests: the n-th change, or everything from the n-th
//! change on, as if the disk were full or the process were gone.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{DirEntry, LockGuard, MemorySystem, PendingFile, Stat, System};

/// Counts every change (reading never fails here) and fails some.
pub struct FaultySystem {
    inner: MemorySystem,
    counter: Arc<Counter>,
}

struct Counter {
    changes: AtomicUsize,
    first: usize,
    last: usize,
}

impl FaultySystem {
    /// Fails the change number `nth` (from 0) and no other.
    pub fn failing_once(inner: MemorySystem, nth: usize) -> Self {
        Self::failing(inner, nth, nth)
    }

    /// Fails every change from number `nth` on: nothing can be cleaned up either.
    pub fn dead_from(inner: MemorySystem, nth: usize) -> Self {
        Self::failing(inner, nth, usize::MAX)
    }

    fn failing(inner: MemorySystem, first: usize, last: usize) -> Self {
        Self { inner, counter: Arc::new(Counter { changes: AtomicUsize::new(0), first, last }) }
    }
}

impl Counter {
    fn change(&self) -> io::Result<()> {
        let number = self.changes.fetch_add(1, Ordering::Relaxed);
        if (self.first..=self.last).contains(&number) {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        Ok(())
    }
}

impl System for FaultySystem {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.inner.read(path)
    }

    fn read_head(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.inner.read_head(path, limit)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.inner.read_dir(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.inner.stat(path)
    }

    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        self.inner.lstat(path)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.real_path(path)
    }

    fn clock(&self, folder: &Path) -> io::Result<i128> {
        self.counter.change()?;
        self.inner.clock(folder)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.counter.change()?;
        self.inner.create_dir_all(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        self.counter.change()?;
        Ok(Box::new(FaultyPendingFile {
            inner: self.inner.create(path)?,
            counter: self.counter.clone(),
        }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.counter.change()?;
        self.inner.rename(from, to)
    }

    fn duplicate(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.counter.change()?;
        self.inner.duplicate(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.counter.change()?;
        self.inner.remove_file(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.counter.change()?;
        self.inner.remove_dir_all(path)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn LockGuard>>> {
        self.counter.change()?;
        self.inner.try_lock(path)
    }
}

struct FaultyPendingFile {
    inner: Box<dyn PendingFile>,
    counter: Arc<Counter>,
}

impl Write for FaultyPendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.counter.change()?;
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl PendingFile for FaultyPendingFile {
    fn commit(self: Box<Self>) -> io::Result<()> {
        self.counter.change()?;
        self.inner.commit()
    }
}
