//! Restricts changes to one folder: the path of every change must lie below it.
//!
//! This checks the text of paths. The underlying file system must check where links lead.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use portolan_types::{RepoPath, Sha256Digest};

use crate::{DirEntry, FileContent, LockGuard, PendingFile, Stat, System};

/// A file system that changes nothing outside one folder.
pub(crate) struct RestrictedSystem<S> {
    system: S,
    folder: PathBuf,
    /// Whether to close new folders to other users.
    is_private: bool,
}

impl<S: System> RestrictedSystem<S> {
    pub(crate) fn new(system: S, root: &Path, folder: &RepoPath) -> Self {
        Self { system, folder: root.join(folder.as_str()), is_private: false }
    }

    /// Restricts changes to the whole root.
    pub(crate) fn around(system: S, root: &Path) -> Self {
        Self { system, folder: root.to_path_buf(), is_private: false }
    }

    /// Restricts changes to a folder of the disk, and closes new folders in it to other users.
    pub(crate) fn private(system: S, folder: &Path) -> Self {
        Self { system, folder: folder.to_path_buf(), is_private: true }
    }

    fn check(&self, path: &Path) -> io::Result<()> {
        if path.starts_with(&self.folder) {
            return Ok(());
        }
        let message = "it is outside the workspace, and nothing is written there";
        Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
    }
}

impl<S: System> System for RestrictedSystem<S> {
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

    fn read_or_digest(
        &self,
        path: &Path,
        limit: usize,
        is_opaque: &dyn Fn(&[u8]) -> bool,
    ) -> io::Result<FileContent> {
        self.system.read_or_digest(path, limit, is_opaque)
    }

    fn copy_real(&self, path: &Path, to: &mut dyn Write) -> io::Result<(u64, Sha256Digest)> {
        self.system.copy_real(path, to)
    }

    fn foreign_owner(&self, path: &Path) -> io::Result<Option<u32>> {
        self.system.foreign_owner(path)
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

    fn clock_beside(&self, of: &Path, folder: &Path) -> io::Result<i128> {
        self.check(folder)?;
        self.system.clock_beside(of, folder)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.system.real_path(path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        if !self.is_private {
            return self.system.create_dir_all(path);
        }
        let new: Vec<&Path> =
            path.ancestors().take_while(|folder| self.system.lstat(folder).is_err()).collect();
        self.system.create_dir_all(path)?;
        new.into_iter().try_for_each(crate::os::close_to_others)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        self.check(path)?;
        self.system.create(path)
    }

    fn create_private_dir(&self, path: &Path) -> io::Result<bool> {
        self.check(path)?;
        self.system.create_private_dir(path)
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

    fn restricted_to<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a> {
        self.system.restricted_to(root, folder)
    }

    fn restricted_without_links<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        self.system.restricted_without_links(root)
    }

    fn restricted_to_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        self.system.restricted_to_root(root)
    }

    fn private_to<'a>(&'a self, folder: &Path) -> Box<dyn System + 'a> {
        self.system.private_to(folder)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_types::RepoPath;

    use crate::{MemorySystem, System};

    #[test]
    fn changes_stay_in_the_folder_and_reads_are_unrestricted() {
        let disk = MemorySystem::default();
        disk.put("/r/.stan/a", "a");
        disk.put("/r/src/b", "b");
        let before = disk.files_below("/");
        let restricted = disk.restricted_to(Path::new("/r"), &RepoPath::new(".stan").unwrap());
        let (inside, outside) = (Path::new("/r/.stan/a"), Path::new("/r/src/b"));
        assert!(restricted.write(outside, b"x").is_err());
        assert!(restricted.create_dir_all(Path::new("/r/.stanley")).is_err());
        assert!(
            restricted.rename(inside, outside).is_err()
                && restricted.rename(outside, inside).is_err()
        );
        assert!(restricted.duplicate(outside, Path::new("/r/.stan/c")).is_err());
        assert!(restricted.remove_file(outside).is_err());
        assert!(restricted.remove_dir_all(Path::new("/r/src")).is_err());
        assert!(restricted.try_lock(Path::new("/r/lock")).is_err());
        assert_eq!(disk.files_below("/"), before);
        assert_eq!(restricted.read(outside).unwrap(), b"b");
        restricted.write(inside, b"new").unwrap();
        assert_eq!(disk.read(inside).unwrap(), b"new");
    }
}
