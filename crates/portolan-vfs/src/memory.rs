//! A file system in memory for tests: no disk, no clock, reproducible.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use portolan_types::RepoPath;

use crate::os::portable_path;
use crate::restrict::RestrictedSystem;
use crate::{DirEntry, FileKind, LockGuard, PendingFile, Stat, System};

/// How many links to follow before a path counts as a loop, as on Linux.
const MAX_LINKS: usize = 40;

/// A file system in memory. Clones share its content.
#[derive(Clone, Debug, Default)]
pub struct MemorySystem {
    state: Arc<Mutex<MemoryState>>,
}

#[derive(Debug, Default)]
struct MemoryState {
    /// Every file, folder and link by its real path. Every parent folder has an entry.
    entries: BTreeMap<PathBuf, MemoryEntry>,
    locks: Vec<PathBuf>,
    /// Unreadable paths.
    denied: Vec<PathBuf>,
    /// The clock. Every write advances it unless it is held.
    tick: i128,
    is_clock_held: bool,
    /// The inode number of the newest file.
    inode: u64,
    /// Determines the order of listings; sorted if there is none.
    seed: Option<u64>,
}

#[derive(Clone, Debug)]
enum MemoryEntry {
    File { bytes: Arc<Vec<u8>>, mtime: i128, ctime: i128, inode: u64, executable: bool },
    Dir,
    Link(PathBuf),
}

impl MemorySystem {
    /// Adds a file and its parent folders.
    pub fn put(&self, path: impl AsRef<Path>, bytes: impl Into<Vec<u8>>) {
        let mut state = self.lock();
        let tick = state.advance();
        let bytes = Arc::new(bytes.into());
        let inode = state.inode_for(path.as_ref());
        let entry = MemoryEntry::File { bytes, mtime: tick, ctime: tick, inode, executable: false };
        state.put(path.as_ref(), entry);
    }

    /// Sets the modification time of a file, as `touch` does, and updates its `ctime`.
    pub fn touch(&self, path: impl AsRef<Path>, time: i128) {
        let mut state = self.lock();
        let tick = state.advance();
        if let Some(MemoryEntry::File { mtime, ctime, .. }) = state.entries.get_mut(path.as_ref()) {
            (*mtime, *ctime) = (time, tick);
        }
    }

    /// Stops or restarts the clock. Files written while it is stopped have the same time, as within one tick
    /// of a real clock.
    pub fn hold_clock(&self, is_held: bool) {
        let mut state = self.lock();
        state.tick += 1;
        state.is_clock_held = is_held;
    }

    /// Adds a symbolic link and its parent folders.
    pub fn link(&self, path: impl AsRef<Path>, target: impl Into<PathBuf>) {
        self.lock().put(path.as_ref(), MemoryEntry::Link(target.into()));
    }

    /// Denies permission to read a file or list a folder.
    pub fn deny(&self, path: impl Into<PathBuf>) {
        self.lock().denied.push(path.into());
    }

    /// Lists folders in an order that depends on a seed, since real file systems have no fixed order.
    pub fn shuffle(&self, seed: u64) {
        self.lock().seed = Some(seed);
    }

    /// A copy with the same content that no longer shares it.
    #[must_use]
    pub fn fork(&self) -> Self {
        let state = self.lock();
        let entries = state.entries.clone();
        let copied =
            MemoryState { entries, denied: state.denied.clone(), locks: Vec::new(), ..*state };
        Self { state: Arc::new(Mutex::new(copied)) }
    }

    /// Every file below a folder and its bytes, by path.
    pub fn files_below(&self, folder: impl AsRef<Path>) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.lock();
        let below = state.entries.iter().filter(|(path, _)| path.starts_with(folder.as_ref()));
        below
            .filter_map(|(path, entry)| match entry {
                MemoryEntry::File { bytes, .. } => Some((path.clone(), bytes.to_vec())),
                MemoryEntry::Dir | MemoryEntry::Link(_) => None,
            })
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, MemoryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn not_found() -> io::Error {
    io::Error::from(io::ErrorKind::NotFound)
}

impl MemoryState {
    fn advance(&mut self) -> i128 {
        if !self.is_clock_held {
            self.tick += 1;
        }
        self.tick
    }

    /// Rewriting a file keeps its inode.
    fn inode_for(&mut self, path: &Path) -> u64 {
        if let Some(MemoryEntry::File { inode, .. }) = self.entries.get(path) {
            return *inode;
        }
        self.inode += 1;
        self.inode
    }

    fn put(&mut self, path: &Path, entry: MemoryEntry) {
        for folder in path.ancestors().skip(1) {
            self.entries.entry(folder.to_path_buf()).or_insert(MemoryEntry::Dir);
        }
        self.entries.insert(path.to_path_buf(), entry);
    }

    fn check_allowed(&self, path: &Path) -> io::Result<()> {
        if self.denied.iter().any(|denied| denied == path) {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied));
        }
        Ok(())
    }

    /// Resolves every link on a path, and the last one too if `follow_last`.
    fn resolve(&self, path: &Path, follow_last: bool) -> io::Result<PathBuf> {
        let mut todo: Vec<OsString> = components(path);
        let mut real = PathBuf::from("/");
        let mut links = 0;
        while let Some(name) = todo.pop() {
            if name == ".." {
                real.pop();
                continue;
            }
            let next = real.join(&name);
            match self.entries.get(&next) {
                Some(MemoryEntry::Link(target)) if follow_last || !todo.is_empty() => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(io::Error::other("too many levels of symbolic links"));
                    }
                    // On Windows, only a path with a drive is absolute.
                    if target.has_root() {
                        real = PathBuf::from("/");
                    }
                    todo.extend(components(target));
                }
                Some(MemoryEntry::File { .. }) if !todo.is_empty() => {
                    return Err(io::Error::from(io::ErrorKind::NotADirectory));
                }
                Some(_) => real = next,
                None => return Err(not_found()),
            }
        }
        Ok(real)
    }

    fn get(&self, path: &Path, follow_last: bool) -> io::Result<&MemoryEntry> {
        let real = self.resolve(path, follow_last)?;
        if real == Path::new("/") {
            return Ok(&MemoryEntry::Dir);
        }
        self.entries.get(&real).ok_or_else(not_found)
    }

    fn stat(&self, path: &Path, follow_last: bool) -> io::Result<Stat> {
        let special =
            |kind| Stat { kind, size: 0, executable: false, mtime_ns: 0, ctime_ns: 0, inode: 0 };
        Ok(match self.get(path, follow_last)? {
            MemoryEntry::File { bytes, mtime, ctime, inode, executable } => Stat {
                size: bytes.len() as u64,
                executable: *executable,
                mtime_ns: *mtime,
                ctime_ns: *ctime,
                inode: *inode,
                ..special(FileKind::File)
            },
            MemoryEntry::Dir => special(FileKind::Dir),
            MemoryEntry::Link(_) => special(FileKind::Link),
        })
    }

    /// The real path for a new entry: its resolved folder and its name.
    fn place(&self, path: &Path) -> io::Result<PathBuf> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        };
        Ok(self.resolve(folder, true)?.join(name))
    }
}

/// Shuffles entries by a seed.
fn shuffle(entries: &mut [DirEntry], seed: u64) {
    let mut state = seed | 1;
    for index in (1..entries.len()).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        entries.swap(index, (state >> 33) as usize % (index + 1));
    }
}

/// The components of a path, last first, without `.`.
fn components(path: &Path) -> Vec<OsString> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_os_string()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    let mut names: Vec<_> = names.collect();
    names.reverse();
    names
}

impl System for MemorySystem {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.lock();
        state.check_allowed(path)?;
        match state.get(path, true)? {
            MemoryEntry::File { bytes, .. } => Ok(bytes.to_vec()),
            MemoryEntry::Dir | MemoryEntry::Link(_) => {
                Err(io::Error::from(io::ErrorKind::IsADirectory))
            }
        }
    }

    fn read_head(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        let mut bytes = self.read(path)?;
        bytes.truncate(limit);
        Ok(bytes)
    }

    fn read_range(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        let bytes = self.read(path)?;
        let rest = usize::try_from(offset).ok().and_then(|start| bytes.get(start..));
        Ok(rest.map(|rest| rest[..rest.len().min(limit)].to_vec()).unwrap_or_default())
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        let state = self.lock();
        state.check_allowed(path)?;
        if !matches!(state.get(path, true)?, MemoryEntry::Dir) {
            return Err(io::Error::from(io::ErrorKind::NotADirectory));
        }
        let folder = state.resolve(path, true)?;
        let below = state.entries.iter().filter(|(child, _)| child.parent() == Some(&folder));
        let entries = below.filter_map(|(child, entry)| {
            let kind = match entry {
                MemoryEntry::File { .. } => FileKind::File,
                MemoryEntry::Dir => FileKind::Dir,
                MemoryEntry::Link(_) => FileKind::Link,
            };
            Some(DirEntry { name: child.file_name()?.to_os_string(), kind })
        });
        let mut entries: Vec<DirEntry> = entries.collect();
        if let Some(seed) = state.seed {
            shuffle(&mut entries, seed);
        }
        Ok(entries)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.lock().stat(path, true)
    }

    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        self.lock().stat(path, false)
    }

    fn clock(&self, _: &Path) -> io::Result<i128> {
        Ok(self.lock().advance())
    }

    fn clock_beside(&self, _: &Path, _: &Path) -> io::Result<i128> {
        Ok(self.lock().advance())
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.lock().resolve(path, true).map(portable_path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        let mut state = self.lock();
        for folder in path.ancestors() {
            match state.entries.get(folder) {
                Some(MemoryEntry::File { .. }) => {
                    return Err(io::Error::from(io::ErrorKind::NotADirectory));
                }
                Some(MemoryEntry::Dir | MemoryEntry::Link(_)) => {}
                None => {
                    state.entries.insert(folder.to_path_buf(), MemoryEntry::Dir);
                }
            }
        }
        Ok(())
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        let place = self.lock().place(path)?;
        Ok(Box::new(MemoryPendingFile { system: self.clone(), place, bytes: Vec::new() }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.lock();
        let (from, to) = (state.place(from)?, state.place(to)?);
        if !state.entries.contains_key(&from) {
            return Err(not_found());
        }
        if matches!(state.entries.get(&to), Some(MemoryEntry::Dir)) {
            return Err(io::Error::from(io::ErrorKind::DirectoryNotEmpty));
        }
        let moved: Vec<_> =
            state.entries.keys().filter(|path| path.starts_with(&from)).cloned().collect();
        for path in moved {
            let rest = path.strip_prefix(&from).map(Path::to_path_buf).unwrap_or_default();
            let target = if rest.as_os_str().is_empty() { to.clone() } else { to.join(rest) };
            if let Some(entry) = state.entries.remove(&path) {
                state.entries.insert(target, entry);
            }
        }
        Ok(())
    }

    fn duplicate(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.lock();
        let (from, to) = (state.place(from)?, state.place(to)?);
        let entry = state.entries.get(&from).cloned().ok_or_else(not_found)?;
        if state.entries.contains_key(&to) {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists));
        }
        state.entries.insert(to, entry);
        Ok(())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let mut state = self.lock();
        let place = state.place(path)?;
        match state.entries.get(&place) {
            None => Err(not_found()),
            Some(MemoryEntry::Dir) => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Some(_) => {
                state.entries.remove(&place);
                Ok(())
            }
        }
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        let mut state = self.lock();
        let place = state.place(path)?;
        match state.entries.get(&place) {
            None => Err(not_found()),
            Some(MemoryEntry::Dir) => {
                state.entries.retain(|path, _| !path.starts_with(&place));
                Ok(())
            }
            Some(_) => Err(io::Error::from(io::ErrorKind::NotADirectory)),
        }
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let mut state = self.lock();
        let place = state.place(path)?;
        let is_empty = !state.entries.keys().any(|other| other.parent() == Some(&place));
        match state.entries.get(&place) {
            None => Err(not_found()),
            Some(MemoryEntry::Dir) if is_empty => {
                state.entries.remove(&place);
                Ok(())
            }
            Some(MemoryEntry::Dir) => Err(io::Error::from(io::ErrorKind::DirectoryNotEmpty)),
            Some(_) => Err(io::Error::from(io::ErrorKind::NotADirectory)),
        }
    }

    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        let is_executable = self.stat(from)?.executable;
        self.set_executable(to, is_executable)
    }

    fn set_executable(&self, path: &Path, is_executable: bool) -> io::Result<()> {
        let mut state = self.lock();
        let place = state.resolve(path, true)?;
        if let Some(MemoryEntry::File { executable, .. }) = state.entries.get_mut(&place) {
            *executable = is_executable;
        }
        Ok(())
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn LockGuard>>> {
        let mut state = self.lock();
        let place = state.place(path)?;
        if state.locks.contains(&place) {
            return Ok(None);
        }
        state.locks.push(place.clone());
        Ok(Some(Box::new(MemoryLock { system: self.clone(), place })))
    }

    fn restricted_to<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a> {
        Box::new(RestrictedSystem::new(self.clone(), root, folder))
    }

    fn restricted_without_links<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        Box::new(RestrictedSystem::around(self.clone(), root))
    }

    fn restricted_to_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        Box::new(RestrictedSystem::around(self.clone(), root))
    }

    fn private_to<'a>(&'a self, folder: &Path) -> Box<dyn System + 'a> {
        self.restricted_to_root(folder)
    }
}

struct MemoryPendingFile {
    system: MemorySystem,
    place: PathBuf,
    bytes: Vec<u8>,
}

impl Write for MemoryPendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl PendingFile for MemoryPendingFile {
    fn commit(self: Box<Self>) -> io::Result<()> {
        self.commit_unsynced()
    }

    fn commit_unsynced(self: Box<Self>) -> io::Result<()> {
        self.system.put(&self.place, self.bytes);
        Ok(())
    }
}

struct MemoryLock {
    system: MemorySystem,
    place: PathBuf,
}

impl LockGuard for MemoryLock {}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        self.system.lock().locks.retain(|held| *held != self.place);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::MemorySystem;
    use crate::{FileKind, System};

    #[test]
    fn links_are_followed_within_a_path_and_at_its_end() {
        let system = MemorySystem::default();
        system.put("/r/real/a.ts", "x");
        system.link("/r/dir", "real");
        system.link("/r/file", "dir/a.ts");
        system.link("/r/loop", "loop");
        assert_eq!(system.read(Path::new("/r/file")).unwrap(), b"x");
        assert_eq!(
            system.real_path(Path::new("/r/dir/../dir/a.ts")).unwrap(),
            Path::new("/r/real/a.ts")
        );
        assert_eq!(system.lstat(Path::new("/r/file")).unwrap().kind, FileKind::Link);
        assert!(system.read(Path::new("/r/loop")).is_err());
    }

    #[test]
    fn a_folder_moves_with_its_content() {
        let system = MemorySystem::default();
        system.put("/r/a/b/c", "1");
        system.rename(Path::new("/r/a"), Path::new("/r/z")).unwrap();
        assert_eq!(system.read(Path::new("/r/z/b/c")).unwrap(), b"1");
        assert!(system.stat(Path::new("/r/a")).is_err());
    }
}
