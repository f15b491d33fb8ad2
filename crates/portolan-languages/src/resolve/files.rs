//! A cached view of the disk: folder listings, real paths and the contents of small files.
//!
//! Listings decide whether a file exists: each folder is read once, and every later question about
//! a name in it is a map lookup. Paths are absolute, use `/` and contain neither `.` nor `..`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use portolan_vfs::{DirEntry, FileKind, System};
use rustc_hash::{FxHashMap, FxHasher};

use crate::dependency_tracking::{self, DependencyRecord};

/// A concurrent map for cached values. A value may be computed more than once, but the first one
/// stays and everyone gets it.
pub struct Memo<K, V> {
    shards: Vec<RwLock<FxHashMap<K, V>>>,
}

/// A memo whose values carry the lookups they depend on.
pub(crate) type TrackedMemo<K, V> = Memo<K, (V, Option<Arc<DependencyRecord>>)>;

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { shards: (0..32).map(|_| RwLock::default()).collect() }
    }
}

impl<K: Hash + Eq, V: Clone> Memo<K, V> {
    fn shard<Q: Hash + ?Sized>(&self, key: &Q) -> &RwLock<FxHashMap<K, V>> {
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(key);
        // The maps use the low bits of the same hash.
        &self.shards[(hash >> 32) as usize % self.shards.len()]
    }

    /// The value of a key, if it is cached.
    pub fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.shard(key).read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Inserts a value unless the key has one. Returns the stored value.
    pub fn insert(&self, key: K, value: V) -> V {
        let mut shard = self.shard(&key).write().unwrap_or_else(PoisonError::into_inner);
        shard.entry(key).or_insert(value).clone()
    }
}

impl<K: Hash + Eq, V: Clone> TrackedMemo<K, V> {
    /// The value of a key, computed if it is not cached. The caller's record inherits the
    /// dependencies of the value. An ecosystem that does not resolve by facts must share values
    /// only through this function.
    pub fn get_or_find<Q>(&self, key: &Q, find: impl FnOnce() -> V) -> V
    where
        K: std::borrow::Borrow<Q> + for<'q> From<&'q Q>,
        Q: Hash + Eq + ?Sized,
    {
        let (value, record) = self.get(key).unwrap_or_else(|| {
            let found = if dependency_tracking::is_tracking() {
                let (value, record) = dependency_tracking::track(find);
                (value, Some(Arc::new(record)))
            } else {
                (find(), None)
            };
            self.insert(key.into(), found)
        });
        if let Some(record) = &record {
            dependency_tracking::note_inherited(record);
        }
        value
    }
}

/// The largest configuration file that is read.
const MAX_CONFIG_BYTES: usize = 16 << 20;

/// The names in a folder, with their kinds.
type FolderNames = FxHashMap<Box<str>, FileKind>;

/// A folder's listing, as far as it is known.
#[derive(Clone)]
enum FolderListing {
    /// It does not exist.
    Missing,
    /// Its names. The flag says whether they come from the repository walk, which runs anew each
    /// time.
    Names(Arc<FolderNames>, bool),
    /// It cannot be listed, but single names can be checked.
    Unlisted,
}

/// The files in and around the repository, read on demand.
pub struct DiskView<'a> {
    system: &'a dyn System,
    /// The root of the repository, a real path.
    root: String,
    dirs: Memo<Box<str>, FolderListing>,
    /// The kinds of paths in folders that cannot be listed.
    unlisted: Memo<Box<str>, Option<FileKind>>,
    links: TrackedMemo<Box<str>, Option<(FileKind, Arc<str>)>>,
    real_dirs: TrackedMemo<Box<str>, Arc<str>>,
    /// Why paths could not be read.
    problems: Mutex<BTreeMap<String, String>>,
}

impl<'a> DiskView<'a> {
    /// Creates a view around a root, which must be a real path.
    pub fn new(system: &'a dyn System, root: &str) -> Self {
        let root = root.to_owned();
        Self {
            system,
            root,
            dirs: Memo::default(),
            unlisted: Memo::default(),
            links: Memo::default(),
            real_dirs: Memo::default(),
            problems: Mutex::default(),
        }
    }

    /// The paths that could not be read, with the errors.
    pub fn problems(&self) -> BTreeMap<String, String> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The result of a disk call, if the path exists. Records every error but a missing path.
    fn if_exists<T>(&self, path: &str, answer: io::Result<T>) -> Option<T> {
        if let Err(error) = &answer
            && !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        {
            let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
            problems.entry(path.to_owned()).or_insert_with(|| error.to_string());
        }
        answer.ok()
    }

    /// Adds a listing that was read elsewhere.
    pub fn seed(&self, folder: &str, entries: &[DirEntry]) {
        self.dirs.insert(folder.into(), FolderListing::Names(Arc::new(dir_of(entries)), true));
    }

    /// The root of the repository.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Whether a path is the root or below it.
    pub fn is_inside(&self, path: &str) -> bool {
        is_under(path, &self.root)
    }

    /// Whether a path is a file. Follows links.
    pub fn is_file(&self, path: &str) -> bool {
        self.kind(path) == Some(FileKind::File)
    }

    /// The first existing file among `stem` with each pair of suffix and extension. The folder is
    /// looked up only once.
    pub fn first_file<'n>(
        &self,
        stem: &str,
        mut endings: impl Iterator<Item = (&'n str, &'n str)>,
    ) -> Option<String> {
        let (folder, name) = split(stem)?;
        let names = match self.dir_for_lookup(folder, name) {
            FolderListing::Missing => return None,
            FolderListing::Names(names, _) => Some(names),
            FolderListing::Unlisted => None,
        };
        let start = stem.len() - name.len();
        let mut path = String::with_capacity(stem.len() + 8);
        path.push_str(stem);
        let is_found = endings.any(|(suffix, extension)| {
            path.truncate(stem.len());
            path.push_str(suffix);
            path.push_str(extension);
            if !suffix.is_empty() {
                dependency_tracking::note_lookup(|| {
                    dependency_tracking::entry_key(folder, &path[start..])
                });
            }
            match names.as_ref().map(|names| names.get(&path[start..])) {
                Some(None) => false,
                Some(Some(FileKind::File)) => true,
                Some(Some(_)) | None => self.is_file(&path),
            }
        });
        is_found.then_some(path)
    }

    /// Whether a path is a folder. Follows links.
    pub fn is_dir(&self, path: &str) -> bool {
        path == self.root || self.kind(path) == Some(FileKind::Dir)
    }

    /// The names in a folder, sorted. Empty if it does not exist or cannot be listed.
    pub fn names(&self, folder: &str) -> Vec<Box<str>> {
        dependency_tracking::note_lookup(|| dependency_tracking::listing_key(folder));
        let FolderListing::Names(names, _) = self.dir_for_lookup(folder, "") else {
            return Vec::new();
        };
        let mut sorted: Vec<Box<str>> = names.keys().cloned().collect();
        sorted.sort_unstable();
        sorted
    }

    /// The bytes of a configuration file.
    pub fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        dependency_tracking::note_lookup(|| dependency_tracking::path_key(path));
        self.system.read_at_most(Path::new(path), MAX_CONFIG_BYTES)
    }

    /// The path with all links followed; the path itself if that fails.
    pub fn real(&self, path: &str) -> Arc<str> {
        let Some((folder, name)) = split(path) else { return path.into() };
        if self.entry(path) == Some(FileKind::Link) {
            return self.link(path).map_or_else(|| path.into(), |(_, target)| target);
        }
        let real_folder = self.real_dir(folder);
        if &*real_folder == folder { path.into() } else { format!("{real_folder}/{name}").into() }
    }

    fn real_dir(&self, folder: &str) -> Arc<str> {
        if folder == self.root || !self.is_inside(folder) {
            // The folders above are unknown outside of the root: ask the system.
            return if folder == self.root { folder.into() } else { self.real_outside(folder) };
        }
        self.real_dirs.get_or_find(folder, || self.real(folder))
    }

    fn real_outside(&self, folder: &str) -> Arc<str> {
        self.real_dirs.get_or_find(folder, || {
            dependency_tracking::note_lookup(|| dependency_tracking::path_key(folder));
            let real = self.if_exists(folder, self.system.real_path(Path::new(folder)));
            real.as_deref().and_then(Path::to_str).unwrap_or(folder).into()
        })
    }

    /// The kind of a path. Follows links.
    fn kind(&self, path: &str) -> Option<FileKind> {
        match self.entry(path)? {
            FileKind::Link => self.link(path).map(|(kind, _)| kind),
            kind => Some(kind),
        }
    }

    /// The kind of a path itself.
    fn entry(&self, path: &str) -> Option<FileKind> {
        let (folder, name) = split(path)?;
        match self.dir_for_lookup(folder, name) {
            FolderListing::Missing => None,
            FolderListing::Names(names, _) => names.get(name).copied(),
            FolderListing::Unlisted => self.unlisted(path),
        }
    }

    /// A folder in which a name is looked up. Records the dependency: the whole listing if no walk
    /// covers the folder, and the folders above if it does not exist.
    fn dir_for_lookup(&self, folder: &str, name: &str) -> FolderListing {
        let dir = self.dir(folder);
        if !dependency_tracking::is_tracking() {
            return dir;
        }
        match &dir {
            FolderListing::Names(_, true) | FolderListing::Unlisted => {
                dependency_tracking::note_lookup(|| dependency_tracking::entry_key(folder, name));
            }
            FolderListing::Names(_, false) => {
                dependency_tracking::note_lookup(|| dependency_tracking::listing_key(folder));
            }
            FolderListing::Missing => {
                dependency_tracking::note_lookup(|| dependency_tracking::listing_key(folder));
                self.kind(folder);
            }
        }
        dir
    }

    fn unlisted(&self, path: &str) -> Option<FileKind> {
        if let Some(known) = self.unlisted.get(path) {
            return known;
        }
        let stat = self.if_exists(path, self.system.lstat(Path::new(path)));
        self.unlisted.insert(path.into(), stat.map(|stat| stat.kind))
    }

    fn link(&self, path: &str) -> Option<(FileKind, Arc<str>)> {
        self.links.get_or_find(path, || {
            dependency_tracking::note_lookup(|| dependency_tracking::path_key(path));
            let target = self.if_exists(path, self.system.real_path(Path::new(path)))?;
            dependency_tracking::note_lookup(|| {
                target.to_str().map_or(0, dependency_tracking::path_key)
            });
            let kind = self.if_exists(path, self.system.stat(&target))?.kind;
            Some((kind, Arc::from(target.to_str()?)))
        })
    }

    fn dir(&self, folder: &str) -> FolderListing {
        if let Some(known) = self.dirs.get(folder) {
            return known;
        }
        // Other entries above the repository are private and change all the time.
        if folder != self.root && is_under(&self.root, folder) {
            return FolderListing::Unlisted;
        }
        // Below the root, the parent's listing says whether the folder exists.
        let worth_asking = folder == self.root || !self.is_inside(folder) || self.is_dir(folder);
        let dir = match worth_asking.then(|| self.system.read_dir(Path::new(folder))) {
            Some(Ok(entries)) => FolderListing::Names(Arc::new(dir_of(&entries)), false),
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => FolderListing::Unlisted,
            Some(Err(_)) | None => FolderListing::Missing,
        };
        self.dirs.insert(folder.into(), dir)
    }
}

fn dir_of(entries: &[DirEntry]) -> FolderNames {
    let named = entries.iter().filter_map(|entry| Some((entry.name.to_str()?.into(), entry.kind)));
    named.collect()
}

/// The folder and the name of an absolute path.
pub fn split(path: &str) -> Option<(&str, &str)> {
    let (folder, name) = path.rsplit_once('/')?;
    (!name.is_empty()).then_some((if folder.is_empty() { "/" } else { folder }, name))
}

/// The folder of an absolute path.
pub fn folder_of(path: &str) -> &str {
    split(path).map_or("/", |(folder, _)| folder)
}

/// A folder and those above it, nearest first.
pub fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| split(folder).map(|(above, _)| above))
}

/// Whether a path is `prefix` or below it.
pub fn is_under(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || prefix == "/")
}

/// Joins a relative path to a folder and removes `.` and `..`. `..` stops at the root.
pub fn join(folder: &str, relative: &str) -> String {
    let mut path = String::with_capacity(folder.len() + relative.len() + 1);
    if !relative.starts_with('/') {
        // The folder is normalized already.
        path.push_str(folder.trim_end_matches('/'));
    }
    for segment in relative.split('/') {
        match segment {
            "" | "." => {}
            ".." => path.truncate(path.rfind('/').unwrap_or(0)),
            name => {
                path.push('/');
                path.push_str(name);
            }
        }
    }
    if path.is_empty() {
        path.push('/');
    }
    path
}

/// Whether a file has one of these extensions. Case matters, as it does to the languages.
pub(crate) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
}

/// The distance of a file from an importer: more shared folders are nearer, then fewer levels. This
/// separates copies of a module, which lie in folders of their own.
pub(crate) fn distance<'f>(file: &'f str, path: &str) -> (Reverse<usize>, usize, &'f str) {
    let shared = file.split('/').zip(path.split('/')).take_while(|(left, right)| left == right);
    (Reverse(shared.count()), file.split('/').count(), file)
}

#[cfg(test)]
mod tests {
    use std::io;

    use portolan_vfs::{CallOutcome, FaultySystem, MemorySystem, Operation};

    use super::{DiskView, ancestors, join};

    #[test]
    fn joined_paths_are_normalized() {
        assert_eq!(join("/r/src", "./a"), "/r/src/a");
        assert_eq!(join("/r/src", "../x/./y/"), "/r/x/y");
        assert_eq!(join("/r", "../../../x"), "/x");
        assert_eq!(join("/r", "/abs"), "/abs");
        assert_eq!(join("/", "a"), "/a");
        assert_eq!(ancestors("/r/a").collect::<Vec<_>>(), ["/r/a", "/r", "/"]);
    }

    #[test]
    fn only_links_change_a_real_path() {
        let system = MemorySystem::default();
        system.put("/r/store/p/i.d.ts", "");
        system.put("/r/a.ts", "");
        system.link("/r/node_modules/p", "../store/p");
        let files = DiskView::new(&system, "/r");
        assert!(files.is_file("/r/node_modules/p/i.d.ts") && files.is_dir("/r/node_modules/p"));
        assert_eq!(&*files.real("/r/node_modules/p/i.d.ts"), "/r/store/p/i.d.ts");
        assert_eq!(&*files.real("/r/a.ts"), "/r/a.ts");
        assert!(!files.is_file("/r/none/x.ts") && !files.is_dir("/r/a.ts"));
    }

    #[test]
    fn unlistable_folder_is_probed_by_name_and_errors_are_reported() {
        let system = MemorySystem::default();
        system.put("/r/hidden/a.ts", "");
        system.put("/r/real.ts", "");
        system.link("/r/link", "real.ts");
        let system = FaultySystem::new(system, |call| {
            let is_refused = match call.operation {
                Operation::ReadDir => call.path.ends_with("hidden"),
                _ => call.path.ends_with("b.ts") || call.path.ends_with("link"),
            };
            if is_refused {
                CallOutcome::Fail(io::Error::other("broken"))
            } else {
                CallOutcome::Pass
            }
        });
        let files = DiskView::new(&system, "/r");
        assert!(files.is_file("/r/hidden/a.ts") && !files.is_file("/r/hidden/none.ts"));
        assert!(files.problems().is_empty());
        assert!(!files.is_file("/r/hidden/b.ts") && !files.is_file("/r/link"));
        let told: Vec<_> = files.problems().into_iter().collect();
        assert_eq!(
            told,
            ["/r/hidden/b.ts", "/r/link"].map(|path| (path.to_owned(), "broken".to_owned()))
        );
    }
}
