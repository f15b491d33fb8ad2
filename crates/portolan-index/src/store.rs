//! The cache of a repository: one folder, one file format.
//!
//! The folder is `<stanPath>/cache`. A repository without a workspace has a folder below the user's cache instead, so
//! that a question leaves nothing in the repository. Each user of the cache chooses a file name, an identity and
//! bytes. This module adds a header with a checksum, replaces files atomically, lets one process write at a time and
//! bounds the size of the user's cache.
//!
//! A file is used only if the same version wrote it for the same repository: its identity covers the sources of this
//! crate, the root with its inode, and the workspace. A damaged file counts as missing.

mod user_cache;

use std::hash::Hasher as _;
use std::io;
use std::path::{Path, PathBuf};

use portolan_archive::remove_leftovers;
use portolan_types::{Notice, NoticeCode, Place, RepoPath, Sha256Digest};
use portolan_vfs::{FileKind, LockGuard, System, sha256};
use portolan_workspace::config::Loaded;
use rustc_hash::FxHasher;
use thiserror::Error;

pub use self::user_cache::{CacheUsage, RepositoryUsage, UserCache};

/// The name of the folder in a workspace.
const FOLDER: &str = "cache";
const LOCK: &str = ".portolan.lock";
/// The format and its version.
const MAGIC: &[u8; 16] = b"portolan-store 1";
/// The magic, the digest of the identity, the length of the head and its checksum.
const HEADER: usize = MAGIC.len() + 32 + 8 + 8;
/// A larger file is neither written nor read.
const MOST_BYTES: usize = 1 << 29;

/// What to do with the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMode {
    /// Neither read nor write it.
    #[default]
    Off,
    /// Read and update it.
    Use,
    /// Read it, and leave the repository as it is: only a cache outside of it is updated.
    Read,
    /// Ignore its content and write it anew.
    Rebuild,
}

/// Where a cache is.
#[derive(Clone, Debug)]
enum Location {
    /// In the workspace.
    Workspace(RepoPath),
    /// In the user's cache.
    User(UserCache),
}

/// The cache of a repository.
#[derive(Clone, Debug)]
pub struct CacheFolder {
    root: PathBuf,
    mode: CacheMode,
    /// `None` if there is no usable place.
    location: Option<Location>,
    /// The part of the identity that all files share.
    identity: String,
}

impl CacheFolder {
    /// The cache of a configured repository. Nothing is created yet.
    pub fn open(system: &dyn System, config: &Loaded, mode: CacheMode) -> Self {
        let (root, stan_path) = (&config.root, &config.settings.stan_path);
        let location = if is_real_folder(system, &root.join(stan_path.as_str())) {
            Some(Location::Workspace(stan_path.clone()))
        } else {
            let cache = config.user_cache.as_deref();
            let user = cache.and_then(|cache| UserCache::open(system, cache));
            user.filter(|user| user.is_safe_for(system, root)).map(Location::User)
        };
        let inode = system.stat(root).map_or(0, |stat| stat.inode);
        let (version, place) = (crate::fingerprint(), root.display());
        let identity = format!("{version}\0{place}\0{inode}\0{stan_path}");
        Self { root: root.clone(), mode, location, identity }
    }

    /// What to do with it.
    pub fn mode(&self) -> CacheMode {
        self.mode
    }

    /// Whether there may be a cache on disk.
    pub fn is_used(&self) -> bool {
        self.mode != CacheMode::Off && self.location.is_some()
    }

    /// Whether its content is used.
    fn reads(&self) -> bool {
        matches!(self.mode, CacheMode::Use | CacheMode::Read)
    }

    /// Whether it is updated.
    pub fn writes(&self) -> bool {
        match self.location {
            None => false,
            Some(Location::Workspace(_)) => {
                matches!(self.mode, CacheMode::Use | CacheMode::Rebuild)
            }
            Some(Location::User(_)) => self.mode != CacheMode::Off,
        }
    }

    /// Where it is.
    pub fn path(&self) -> Option<PathBuf> {
        Some(match self.location.as_ref()? {
            Location::Workspace(stan_path) => self.root.join(stan_path.as_str()).join(FOLDER),
            Location::User(user) => user.folder_of(&self.root),
        })
    }

    /// Whether it exists, and no link leads to it.
    fn is_there(&self, system: &dyn System) -> bool {
        self.path().is_some_and(|path| is_real_folder(system, &path))
    }

    /// A file of the cache. A file with another identity counts as missing.
    pub fn file(&self, name: &'static str, identity: &str) -> CacheFile {
        let identity = sha256(format!("{}\0{name}\0{identity}", self.identity).as_bytes());
        CacheFile { folder: self.clone(), name, identity }
    }

    /// Creates the folder, if this may write to it.
    pub(crate) fn prepare(&self, system: &dyn System) -> io::Result<()> {
        let Some(folder) = self.path().filter(|_| self.writes()) else { return Ok(()) };
        let writer = self.writer(system);
        writer.create_dir_all(&folder)?;
        if !self.is_there(system) {
            return Err(io::Error::other("its folder is a link"));
        }
        match self.location {
            // A cache that is read-only can still be read.
            Some(Location::User(_)) => {
                let _ = user_cache::mark_used(&*writer, &folder, &self.root);
            }
            Some(Location::Workspace(_)) | None => {}
        }
        Ok(())
    }

    /// The clock of the repository's file system: the time that a file changed now would get. Fails if it cannot be
    /// known without writing to the repository.
    pub(crate) fn clock(&self, system: &dyn System) -> io::Result<i128> {
        let folder = self.path().filter(|_| self.is_there(system));
        let folder = folder.ok_or(io::ErrorKind::NotFound)?;
        let writer = self.writer(system);
        match self.location {
            Some(Location::User(_)) => writer.clock_beside(&self.root, &folder),
            Some(Location::Workspace(_)) | None => writer.clock(&folder),
        }
    }

    /// The notice that a file cannot be used. Users look after their workspace, but not after their cache.
    pub(crate) fn notice(
        &self,
        code: NoticeCode,
        name: &str,
        error: &impl ToString,
    ) -> Option<Notice> {
        match &self.location {
            Some(Location::Workspace(stan_path)) => {
                let place = Place::file(format!("{stan_path}/{FOLDER}/{name}"));
                Some(Notice::at(code, place, error.to_string()))
            }
            Some(Location::User(_)) | None => None,
        }
    }

    /// The same file system, restricted to changes of the cache.
    fn writer<'a>(&self, system: &'a dyn System) -> Box<dyn System + 'a> {
        match &self.location {
            Some(Location::User(user)) => user.writer(system),
            Some(Location::Workspace(stan_path)) => system.restricted_to(&self.root, stan_path),
            None => system.restricted_to_root(&self.root),
        }
    }
}

/// Removes the cache of a repository, in its workspace and in the user's cache, and says how many bytes it had.
pub fn remove_cache(system: &dyn System, config: &Loaded) -> io::Result<u64> {
    let (root, stan_path) = (&config.root, &config.settings.stan_path);
    let user = config.user_cache.as_deref().and_then(|cache| UserCache::open(system, cache));
    let removed = user.map_or(Ok(0), |user| user.remove(system, root))?;
    let folder = root.join(stan_path.as_str()).join(FOLDER);
    if !is_real_folder(system, &folder) {
        return Ok(removed);
    }
    let bytes = user_cache::bytes_of(system, &folder);
    system.restricted_to(root, stan_path).remove_dir_all(&folder)?;
    Ok(removed + bytes)
}

/// A file of the cache.
#[derive(Clone, Debug)]
pub struct CacheFile {
    folder: CacheFolder,
    name: &'static str,
    identity: Sha256Digest,
}

impl CacheFile {
    /// The folder that it is in.
    pub fn folder(&self) -> &CacheFolder {
        &self.folder
    }

    /// Its content, if there is one that may be used.
    pub fn read(&self, system: &dyn System) -> Result<Option<CacheBytes>, StoreError> {
        let Some(path) = self.path().filter(|_| self.folder.is_there(system)) else {
            return Ok(None);
        };
        let bytes = match system.read_at_most(&path, MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(StoreError::TooLarge);
            }
            Err(error) => return Err(error.into()),
        };
        let header = Header::read(&bytes, &self.identity)?;
        let bytes = CacheBytes { bytes, start: HEADER };
        header.check(&bytes)?;
        Ok(Some(bytes))
    }

    /// The head of a file that has a tail, and where the tail starts.
    pub(crate) fn read_head(&self, system: &dyn System, most: usize) -> Option<(Vec<u8>, u64)> {
        let path = self.path().filter(|_| self.folder.is_there(system))?;
        let header = system.read_range(&path, 0, HEADER).ok()?;
        let header = Header::read(&header, &self.identity).ok()?;
        let length = usize::try_from(header.length).ok().filter(|length| *length <= most)?;
        let head = system.read_range(&path, HEADER as u64, length).ok()?;
        header.check(&head).ok()?;
        Some((head, HEADER as u64 + header.length))
    }

    /// A part of the file. The caller checks it: another process may have replaced the file.
    pub(crate) fn read_range(
        &self,
        system: &dyn System,
        at: u64,
        length: usize,
    ) -> Option<Vec<u8>> {
        system.read_range(&self.path()?, at, length).ok()
    }

    /// Replaces the content, unless another process writes to the folder. Returns a notice if it fails.
    pub fn write(&self, system: &dyn System, bytes: &[u8]) -> Option<Notice> {
        self.write_parts(system, bytes, std::iter::empty())
    }

    /// The same with a tail, which the header does not cover.
    pub(crate) fn write_parts<'a>(
        &self,
        system: &dyn System,
        head: &[u8],
        tail: impl Iterator<Item = &'a [u8]>,
    ) -> Option<Notice> {
        if !self.folder.writes() {
            return None;
        }
        let error = self.try_write(system, head, tail).err()?;
        self.folder.notice(NoticeCode::CacheUnwritable, self.name, &error)
    }

    fn try_write<'a>(
        &self,
        system: &dyn System,
        head: &[u8],
        tail: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), StoreError> {
        let Some(folder) = self.folder.path().filter(|_| self.folder.is_there(system)) else {
            return Ok(());
        };
        if head.len() > MOST_BYTES - HEADER {
            return Err(StoreError::TooLarge);
        }
        let writer = self.folder.writer(system);
        let Some(_lock) = lock(&*writer, &folder) else { return Ok(()) };
        // A killed process may have left temporary files. Those that cannot be removed now can be next time.
        let _ = remove_leftovers(&*writer, &folder);
        let mut pending = writer.create(&folder.join(self.name))?;
        pending.write_all(MAGIC)?;
        pending.write_all(self.identity.as_bytes())?;
        pending.write_all(&(head.len() as u64).to_le_bytes())?;
        pending.write_all(&checksum(head).to_le_bytes())?;
        pending.write_all(head)?;
        for part in tail {
            pending.write_all(part)?;
        }
        pending.commit_unsynced()?;
        if let Some(Location::User(user)) = &self.folder.location {
            user.trim(system, &folder);
        }
        Ok(())
    }

    /// Removes it: its content is in another file now.
    pub(crate) fn remove(&self, system: &dyn System) {
        let Some(folder) = self.folder.path().filter(|_| self.folder.writes()) else { return };
        let writer = self.folder.writer(system);
        let Some(_lock) = lock(&*writer, &folder) else { return };
        // A file that stays does no harm.
        let _ = writer.remove_file(&folder.join(self.name));
    }

    /// Where it is, if its content may be used.
    fn path(&self) -> Option<PathBuf> {
        let folder = self.folder.path().filter(|_| self.folder.reads())?;
        Some(folder.join(self.name))
    }
}

/// The content of a file, with the header in front of it: copying a large one takes time.
pub struct CacheBytes {
    bytes: Vec<u8>,
    start: usize,
}

impl CacheBytes {
    /// The bytes as they were read, and where the content starts.
    pub(crate) fn into_parts(self) -> (Vec<u8>, usize) {
        (self.bytes, self.start)
    }
}

impl From<Vec<u8>> for CacheBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, start: 0 }
    }
}

impl std::ops::Deref for CacheBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }
}

/// What the header of a file says of its head.
struct Header {
    length: u64,
    sum: u64,
}

impl Header {
    fn read(bytes: &[u8], identity: &Sha256Digest) -> Result<Self, StoreError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(StoreError::Foreign)?;
        let (found, rest) = rest.split_at_checked(32).ok_or(StoreError::Foreign)?;
        if found != identity.as_bytes() {
            return Err(StoreError::Outdated);
        }
        let number = |at: usize| {
            let bytes = rest.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u64::from_le_bytes).ok_or(StoreError::Damaged)
        };
        Ok(Self { length: number(0)?, sum: number(8)? })
    }

    fn check(&self, head: &[u8]) -> Result<(), StoreError> {
        let is_whole = head.len() as u64 == self.length && checksum(head) == self.sum;
        if is_whole { Ok(()) } else { Err(StoreError::Damaged) }
    }
}

/// Why a file of the cache is not used or not written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another program or version wrote it.
    #[error("dropped: it is no cache of this version")]
    Foreign,
    /// It was written for something else.
    #[error("dropped: it was made by another version, with other settings or for another folder")]
    Outdated,
    /// Its checksum is wrong.
    #[error("dropped: it is damaged")]
    Damaged,
    /// It exceeds the limit.
    #[error("it is too large to be of use")]
    TooLarge,
    /// The file system refuses.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The right to write into a folder, until it is dropped.
enum WriteLock {
    /// The lock of the folder.
    Held { _guard: Box<dyn LockGuard> },
    /// The file system has no locks. Files are replaced as a whole, so two writers do no harm.
    Unsupported,
}

/// Takes the lock of a folder; `None` if another process has it.
fn lock(writer: &dyn System, folder: &Path) -> Option<WriteLock> {
    match writer.try_lock(&folder.join(LOCK)) {
        Ok(guard) => guard.map(|guard| WriteLock::Held { _guard: guard }),
        Err(_) => Some(WriteLock::Unsupported),
    }
}

/// Whether a path is a folder without a link on the way to it: a link could lead out of the workspace.
fn is_real_folder(system: &dyn System, path: &Path) -> bool {
    let is_folder = system.lstat(path).is_ok_and(|stat| stat.kind == FileKind::Dir);
    is_folder && system.real_path(path).is_ok_and(|real| real == path)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Detects damage, but not tampering.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests;
