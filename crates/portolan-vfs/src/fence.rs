//! A fence around one folder: whatever is changed through it lies below that folder by its text.
//!
//! Where the links on a path lead is the business of the file system behind the fence.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use portolan_types::{RepoPath, Sha256Digest};

use crate::{DirEntry, LockGuard, PendingFile, Stat, System};

/// A file system that changes nothing outside one folder.
pub(crate) struct Fence<S> {
    system: S,
    folder: PathBuf,
}

impl<S: System> Fence<S> {
    pub(crate) fn new(system: S, root: &Path, folder: &RepoPath) -> Self {
        Self { system, folder: root.join(folder.as_str()) }
    }

    /// The fence around the whole root.
    pub(crate) fn around(system: S, root: &Path) -> Self {
        Self { system, folder: root.to_path_buf() }
    }

    fn check(&self, path: &Path) -> io::Result<()> {
        if path.starts_with(&self.folder) {
            return Ok(());
        }
        let message = "it is outside the workspace, and nothing is written there";
        Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
    }
}

impl<S: System> System for Fence<S> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.system.read(path)
    }

    fn read_at_most(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.system.read_at_most(path, limit)
    }

    fn read_beneath(&self, root: &Path, path: &RepoPath) -> io::Result<Vec<u8>> {
        self.system.read_beneath(root, path)
    }

    fn read_real(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.system.read_real(path, limit)
    }

    fn digest_real(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        self.system.digest_real(path)
    }

    fn copy_real(&self, path: &Path, to: &mut dyn Write) -> io::Result<(u64, Sha256Digest)> {
        self.system.copy_real(path, to)
    }

    fn stranger(&self, path: &Path) -> io::Result<Option<u32>> {
        self.system.stranger(path)
    }

    fn digest(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        self.system.digest(path)
    }

    fn read_head(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.system.read_head(path, limit)
    }

    fn read_range(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        self.system.read_range(path, offset, limit)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.system.read_dir(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.system.stat(path)
    }

    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        self.system.lstat(path)
    }

    fn clock(&self, folder: &Path) -> io::Result<i128> {
        self.check(folder)?;
        self.system.clock(folder)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.system.real_path(path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        self.system.create_dir_all(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        self.check(path)?;
        self.system.create(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(from)?;
        self.check(to)?;
        self.system.rename(from, to)
    }

    fn duplicate(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(from)?;
        self.check(to)?;
        self.system.duplicate(from, to)
    }

    fn sync_below(&self, folder: &Path) -> io::Result<()> {
        self.check(folder)?;
        self.system.sync_below(folder)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        self.system.remove_file(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        self.system.remove_dir_all(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        self.system.remove_dir(path)
    }

    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(to)?;
        self.system.copy_mode(from, to)
    }

    fn set_executable(&self, path: &Path, is_executable: bool) -> io::Result<()> {
        self.check(path)?;
        self.system.set_executable(path, is_executable)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn LockGuard>>> {
        self.check(path)?;
        self.system.try_lock(path)
    }

    fn lock_holder(&self, path: &Path) -> Option<u32> {
        self.system.lock_holder(path)
    }

    fn fenced<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a> {
        self.system.fenced(root, folder)
    }

    fn fenced_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        self.system.fenced_root(root)
    }

    fn held<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        self.system.held(root)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_types::RepoPath;

    use crate::{MemorySystem, System};

    #[test]
    fn nothing_is_changed_outside_the_folder_and_everything_can_be_read() {
        let disk = MemorySystem::default();
        disk.put("/r/.stan/a", "a");
        disk.put("/r/src/b", "b");
        let before = disk.files_below("/");
        let fenced = disk.fenced(Path::new("/r"), &RepoPath::new(".stan").unwrap());
        let (inside, outside) = (Path::new("/r/.stan/a"), Path::new("/r/src/b"));
        assert!(fenced.write(outside, b"x").is_err());
        assert!(fenced.create_dir_all(Path::new("/r/.stanley")).is_err());
        assert!(fenced.rename(inside, outside).is_err() && fenced.rename(outside, inside).is_err());
        assert!(fenced.duplicate(outside, Path::new("/r/.stan/c")).is_err());
        assert!(fenced.remove_file(outside).is_err());
        assert!(fenced.remove_dir_all(Path::new("/r/src")).is_err());
        assert!(fenced.try_lock(Path::new("/r/lock")).is_err());
        assert_eq!(disk.files_below("/"), before);
        assert_eq!(fenced.read(outside).unwrap(), b"b");
        fenced.write(inside, b"new").unwrap();
        assert_eq!(disk.read(inside).unwrap(), b"new");
    }
}
