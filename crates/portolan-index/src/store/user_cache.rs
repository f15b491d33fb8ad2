//! The user's cache: a folder for each repository without a workspace, within one size limit.

use std::io;
use std::path::{Path, PathBuf};

use portolan_vfs::{FileKind, System, sha256};

use super::{LOCK, is_real_folder};

/// The folder of Portolan in the user's cache.
const OWN: &str = "portolan";
const REPOSITORIES: &str = "repositories";
const ANSWERS: &str = "answers";
const LOGS: &str = "logs";
/// Names the repository; its time says when the cache was last used.
const ROOT_FILE: &str = "root.txt";

/// Portolan's part of the user's cache folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserCache {
    /// An existing folder, with links resolved.
    pub(super) base: PathBuf,
    /// Portolan's folder below it.
    pub(super) own: PathBuf,
    pub(super) most: u64,
}

/// What is in the user's cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheUsage {
    /// The bytes of the manifests of answers.
    pub answers: u64,
    /// The bytes of the logs of commands that failed.
    pub logs: u64,
    /// The repositories, the most recently used first.
    pub repositories: Vec<RepositoryUsage>,
}

impl CacheUsage {
    /// The bytes of everything.
    pub fn bytes(&self) -> u64 {
        self.answers + self.logs + self.repositories.iter().map(|one| one.bytes).sum::<u64>()
    }
}

/// The cache of one repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepositoryUsage {
    /// When it was last used, in nanoseconds since 1970.
    pub used_ns: i128,
    /// The folder of the cache.
    pub folder: PathBuf,
    /// The root of the repository; empty if it is unknown.
    pub root: String,
    /// How many bytes the cache has.
    pub bytes: u64,
}

impl UserCache {
    /// The limit for the caches of all repositories, the manifests of answers and the logs.
    pub const MOST_BYTES: u64 = 1 << 30;

    /// Opens the cache folder of a user. It need not exist, but its parent must.
    pub fn open(system: &dyn System, cache: &Path) -> Option<Self> {
        let real = system.real_path(cache);
        let (base, cache) = if let Ok(real) = real {
            (real.clone(), real)
        } else {
            let parent = system.real_path(cache.parent()?).ok()?;
            (parent.clone(), parent.join(cache.file_name()?))
        };
        Some(Self { base, own: cache.join(OWN), most: Self::MOST_BYTES })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.own
    }

    /// Where the manifests of answers are.
    pub fn answers(&self) -> PathBuf {
        self.own.join(ANSWERS)
    }

    /// Where the logs of commands that failed are.
    pub fn logs(&self) -> PathBuf {
        self.own.join(LOGS)
    }

    /// The folder of a repository's cache.
    pub fn folder_of(&self, root: &Path) -> PathBuf {
        let digest = sha256(root.as_os_str().as_encoded_bytes()).to_hex();
        self.own.join(REPOSITORIES).join(&digest[..32])
    }

    /// The same file system, restricted to changes of this cache. Only the user may read what it creates.
    pub fn writer<'a>(&self, system: &'a dyn System) -> Box<dyn System + 'a> {
        system.private_to(&self.base)
    }

    /// Whether it may be used for a repository: it is outside of it, and its folders are real ones of this user. Others
    /// could put facts there that are wrong.
    pub(super) fn is_safe_for(&self, system: &dyn System, root: &Path) -> bool {
        let folder = self.folder_of(root);
        let mut own = folder.ancestors().take_while(|folder| folder.starts_with(&self.own));
        let is_ours = |path: &Path| match system.lstat(path) {
            Ok(stat) => {
                let owner = system.foreign_owner(path);
                stat.kind == FileKind::Dir && owner.is_ok_and(|owner| owner.is_none())
            }
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        !self.own.starts_with(root) && own.all(is_ours)
    }

    /// What is in it.
    pub fn usage(&self, system: &dyn System) -> CacheUsage {
        let repositories = self.own.join(REPOSITORIES);
        let folders = names(system, &repositories, FileKind::Dir);
        let each = folders.map(|name| {
            let folder = repositories.join(name);
            let marker = folder.join(ROOT_FILE);
            let root = system.read_at_most(&marker, 1 << 16).unwrap_or_default();
            RepositoryUsage {
                used_ns: system.lstat(&marker).map_or(0, |stat| stat.mtime_ns),
                root: String::from_utf8_lossy(&root).into_owned(),
                bytes: bytes_of(system, &folder),
                folder,
            }
        });
        let mut repositories: Vec<RepositoryUsage> = each.collect();
        repositories.sort_unstable();
        repositories.reverse();
        let (answers, logs) = (bytes_of(system, &self.answers()), bytes_of(system, &self.logs()));
        CacheUsage { answers, logs, repositories }
    }

    /// Removes the cache of a repository, and says how many bytes it had.
    pub fn remove(&self, system: &dyn System, root: &Path) -> io::Result<u64> {
        self.remove_folder(system, &self.folder_of(root))
    }

    /// Removes everything, and says how many bytes that was.
    pub fn remove_all(&self, system: &dyn System) -> io::Result<u64> {
        let mut removed = self.remove_folder(system, &self.answers())?;
        removed += self.remove_folder(system, &self.logs())?;
        for repository in self.usage(system).repositories {
            removed += self.remove_folder(system, &repository.folder)?;
        }
        Ok(removed)
    }

    /// Drops the least recently used repositories, but not `kept`, until the rest is within the limit.
    pub(super) fn trim(&self, system: &dyn System, kept: &Path) {
        let usage = self.usage(system);
        let mut bytes = usage.bytes();
        for repository in usage.repositories.iter().rev() {
            if bytes <= self.most {
                return;
            }
            let is_dropped = repository.folder != kept && self.drop_unused(system, repository);
            bytes -= if is_dropped { repository.bytes } else { 0 };
        }
    }

    /// Drops the cache of a repository, unless a process writes to it.
    fn drop_unused(&self, system: &dyn System, repository: &RepositoryUsage) -> bool {
        let lock = self.writer(system).try_lock(&repository.folder.join(LOCK));
        let is_free = lock.is_ok_and(|lock| lock.is_some());
        is_free && self.remove_folder(system, &repository.folder).is_ok()
    }

    fn remove_folder(&self, system: &dyn System, folder: &Path) -> io::Result<u64> {
        if !is_real_folder(system, folder) {
            return Ok(0);
        }
        let bytes = bytes_of(system, folder);
        self.writer(system).remove_dir_all(folder).map(|()| bytes)
    }
}

/// Notes which repository a cache is of, and that it is used now.
pub(super) fn mark_used(writer: &dyn System, folder: &Path, root: &Path) -> io::Result<()> {
    writer.write_unsynced(&folder.join(ROOT_FILE), root.to_string_lossy().as_bytes())
}

fn names(
    system: &dyn System,
    folder: &Path,
    kind: FileKind,
) -> impl Iterator<Item = std::ffi::OsString> + use<> {
    let entries = system.read_dir(folder).unwrap_or_default().into_iter();
    entries.filter(move |entry| entry.kind == kind).map(|entry| entry.name)
}

/// The bytes of the files in a folder.
pub(super) fn bytes_of(system: &dyn System, folder: &Path) -> u64 {
    let size = |name| system.lstat(&folder.join(name)).map_or(0, |stat| stat.size);
    names(system, folder, FileKind::File).map(size).sum()
}
