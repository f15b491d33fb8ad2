//! What is on disk, asked once: folder listings, real paths and the text of small files.
//!
//! Existence is decided by listings, not by a call per candidate: a folder is read once, and every
//! question about a name in it is a look-up after that. Paths are absolute, with `/` between
//! segments and without `.` or `..`.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use portolan_vfs::{DirEntry, FileKind, System};
use rustc_hash::{FxHashMap, FxHasher};

use crate::resolve::dependency_tracking::{self, Record};

/// A map that many threads fill. A value may be computed more than once, but the first one stays and
/// is everybody's.
pub struct Memo<K, V> {
    shards: Vec<RwLock<FxHashMap<K, V>>>,
}

/// A memo of what was found out, with the questions that were asked for it.
pub(crate) type Recalled<K, V> = Memo<K, (V, Option<Arc<Record>>)>;

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { shards: (0..32).map(|_| RwLock::default()).collect() }
    }
}

impl<K: Hash + Eq, V: Clone> Memo<K, V> {
    fn shard<Q: Hash + ?Sized>(&self, key: &Q) -> &RwLock<FxHashMap<K, V>> {
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(key);
        // The map inside uses the low bits.
        &self.shards[(hash >> 32) as usize % self.shards.len()]
    }

    /// The value of a key, if it is known.
    pub fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.shard(key).read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Keeps a value, unless somebody was faster; answers the one that is kept.
    pub fn insert(&self, key: K, value: V) -> V {
        let mut shard = self.shard(&key).write().unwrap_or_else(PoisonError::into_inner);
        shard.entry(key).or_insert(value).clone()
    }
}

impl<K: Hash + Eq, V: Clone> Recalled<K, V> {
    /// The value of a key, found out if it is not known. Who is told it has asked what was asked for it: an
    /// ecosystem that does not resolve by facts keeps what it shares in this way only.
    pub fn recall<Q>(&self, key: &Q, find: impl FnOnce() -> V) -> V
    where
        K: std::borrow::Borrow<Q> + for<'q> From<&'q Q>,
        Q: Hash + Eq + ?Sized,
    {
        let (value, record) = self.get(key).unwrap_or_else(|| {
            let found = if dependency_tracking::is_recording() {
                let (value, record) = dependency_tracking::record(find);
                (value, Some(Arc::new(record)))
            } else {
                (find(), None)
            };
            self.insert(key.into(), found)
        });
        if let Some(record) = &record {
            dependency_tracking::note_part(record);
        }
        value
    }
}

/// A configuration file that is larger is not one.
const MAX_CONFIG_BYTES: usize = 16 << 20;

/// The names in a folder.
type Dir = FxHashMap<Box<str>, FileKind>;

/// A folder, as far as it can be known.
#[derive(Clone)]
enum Folder {
    /// It is not there.
    Missing,
    /// It has these names; whether they were told by a walk, which tells them anew every time.
    Names(Arc<Dir>, bool),
    /// It cannot be listed, but what is in it may be asked for by name.
    Unlisted,
}

/// The files around the repository, as far as anyone asked.
pub struct Files<'a> {
    system: &'a dyn System,
    /// The repository's root: a real path.
    root: String,
    dirs: Memo<Box<str>, Folder>,
    /// What stands in folders that are not listed.
    unlisted: Memo<Box<str>, Option<FileKind>>,
    links: Recalled<Box<str>, Option<(FileKind, Arc<str>)>>,
    real_dirs: Recalled<Box<str>, Arc<str>>,
    /// Why paths could not be looked at.
    problems: Mutex<BTreeMap<String, String>>,
}

impl<'a> Files<'a> {
    /// The files around a root, a real path.
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

    /// The paths that could not be looked at, and why, in order.
    pub fn problems(&self) -> BTreeMap<String, String> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was asked of the disk, if it is there. That it is not is no problem.
    fn there<T>(&self, path: &str, answer: io::Result<T>) -> Option<T> {
        if let Err(error) = &answer
            && !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        {
            let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
            problems.entry(path.to_owned()).or_insert_with(|| error.to_string());
        }
        answer.ok()
    }

    /// Takes over a listing that somebody else made.
    pub fn seed(&self, folder: &str, entries: &[DirEntry]) {
        self.dirs.insert(folder.into(), Folder::Names(Arc::new(dir_of(entries)), true));
    }

    /// The repository's root.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Whether a path is the root or below it.
    pub fn is_inside(&self, path: &str) -> bool {
        is_under(path, &self.root)
    }

    /// Whether a file is at a path, links followed.
    pub fn is_file(&self, path: &str) -> bool {
        self.kind(path) == Some(FileKind::File)
    }

    /// The first file of those called `stem` with one of these pairs of endings: the folder is looked
    /// up once for all of them.
    pub fn first_file<'n>(
        &self,
        stem: &str,
        mut endings: impl Iterator<Item = (&'n str, &'n str)>,
    ) -> Option<String> {
        let (folder, name) = split(stem)?;
        let names = match self.dir_asked(folder, name) {
            Folder::Missing => return None,
            Folder::Names(names, _) => Some(names),
            Folder::Unlisted => None,
        };
        let start = stem.len() - name.len();
        let mut path = String::with_capacity(stem.len() + 8);
        path.push_str(stem);
        let is_found = endings.any(|(suffix, extension)| {
            path.truncate(stem.len());
            path.push_str(suffix);
            path.push_str(extension);
            if !suffix.is_empty() {
                dependency_tracking::note_question(|| {
                    dependency_tracking::name_in(folder, &path[start..])
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

    /// Whether a folder is at a path, links followed.
    pub fn is_dir(&self, path: &str) -> bool {
        path == self.root || self.kind(path) == Some(FileKind::Dir)
    }

    /// The names in a folder, sorted; none where it is not there or cannot be listed.
    pub fn names(&self, folder: &str) -> Vec<Box<str>> {
        dependency_tracking::note_question(|| dependency_tracking::all_in(folder));
        let Folder::Names(names, _) = self.dir_asked(folder, "") else { return Vec::new() };
        let mut sorted: Vec<Box<str>> = names.keys().cloned().collect();
        sorted.sort_unstable();
        sorted
    }

    /// The bytes of a configuration file.
    pub fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        dependency_tracking::note_question(|| dependency_tracking::path(path));
        self.system.read_at_most(Path::new(path), MAX_CONFIG_BYTES)
    }

    /// The path with every link followed; the path itself where that can't be told.
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
            // Outside the root nothing is known of the folders above: ask.
            return if folder == self.root { folder.into() } else { self.real_outside(folder) };
        }
        self.real_dirs.recall(folder, || self.real(folder))
    }

    fn real_outside(&self, folder: &str) -> Arc<str> {
        self.real_dirs.recall(folder, || {
            dependency_tracking::note_question(|| dependency_tracking::path(folder));
            let asked = self.there(folder, self.system.real_path(Path::new(folder)));
            asked.as_deref().and_then(Path::to_str).unwrap_or(folder).into()
        })
    }

    /// What stands at a path, links followed.
    fn kind(&self, path: &str) -> Option<FileKind> {
        match self.entry(path)? {
            FileKind::Link => self.link(path).map(|(kind, _)| kind),
            kind => Some(kind),
        }
    }

    /// What stands at a path itself.
    fn entry(&self, path: &str) -> Option<FileKind> {
        let (folder, name) = split(path)?;
        match self.dir_asked(folder, name) {
            Folder::Missing => None,
            Folder::Names(names, _) => names.get(name).copied(),
            Folder::Unlisted => self.unlisted(path),
        }
    }

    /// A folder that is asked for a name. Of one that no walk tells, only all of it can be compared later; one that is
    /// not there is asked of the folders above.
    fn dir_asked(&self, folder: &str, name: &str) -> Folder {
        let dir = self.dir(folder);
        if !dependency_tracking::is_recording() {
            return dir;
        }
        match &dir {
            Folder::Names(_, true) | Folder::Unlisted => {
                dependency_tracking::note_question(|| dependency_tracking::name_in(folder, name));
            }
            Folder::Names(_, false) => {
                dependency_tracking::note_question(|| dependency_tracking::all_in(folder))
            }
            Folder::Missing => {
                dependency_tracking::note_question(|| dependency_tracking::all_in(folder));
                self.kind(folder);
            }
        }
        dir
    }

    fn unlisted(&self, path: &str) -> Option<FileKind> {
        if let Some(known) = self.unlisted.get(path) {
            return known;
        }
        let stat = self.there(path, self.system.lstat(Path::new(path)));
        self.unlisted.insert(path.into(), stat.map(|stat| stat.kind))
    }

    fn link(&self, path: &str) -> Option<(FileKind, Arc<str>)> {
        self.links.recall(path, || {
            dependency_tracking::note_question(|| dependency_tracking::path(path));
            let target = self.there(path, self.system.real_path(Path::new(path)))?;
            dependency_tracking::note_question(|| {
                target.to_str().map_or(0, dependency_tracking::path)
            });
            let kind = self.there(path, self.system.stat(&target))?.kind;
            Some((kind, Arc::from(target.to_str()?)))
        })
    }

    fn dir(&self, folder: &str) -> Folder {
        if let Some(known) = self.dirs.get(folder) {
            return known;
        }
        // What else is above the repository is nobody's business, and changes all the time.
        if folder != self.root && is_under(&self.root, folder) {
            return Folder::Unlisted;
        }
        // Below the root the folder above knows whether this one is there at all.
        let worth_asking = folder == self.root || !self.is_inside(folder) || self.is_dir(folder);
        let dir = match worth_asking.then(|| self.system.read_dir(Path::new(folder))) {
            Some(Ok(entries)) => Folder::Names(Arc::new(dir_of(&entries)), false),
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Folder::Unlisted,
            Some(Err(_)) | None => Folder::Missing,
        };
        self.dirs.insert(folder.into(), dir)
    }
}

fn dir_of(entries: &[DirEntry]) -> Dir {
    let named = entries.iter().filter_map(|entry| Some((entry.name.to_str()?.into(), entry.kind)));
    named.collect()
}

/// Folder and name of an absolute path.
pub fn split(path: &str) -> Option<(&str, &str)> {
    let (folder, name) = path.rsplit_once('/')?;
    (!name.is_empty()).then_some((if folder.is_empty() { "/" } else { folder }, name))
}

/// The folder of an absolute path.
pub fn folder_of(path: &str) -> &str {
    split(path).map_or("/", |(folder, _)| folder)
}

/// The folder and those above it, nearest first.
pub fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| split(folder).map(|(above, _)| above))
}

/// Whether a path is `prefix` or below it.
pub fn is_under(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || prefix == "/")
}

/// Joins a relative path to a folder and takes `.` and `..` out; `..` stops at the root.
pub fn join(folder: &str, relative: &str) -> String {
    let mut path = String::with_capacity(folder.len() + relative.len() + 1);
    if !relative.starts_with('/') {
        // A folder has no `.` or `..` any more.
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

/// Whether a file's name ends in one of these extensions, to the letter: languages tell them apart.
pub(crate) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
}

#[cfg(test)]
mod tests {
    use std::io;

    use portolan_vfs::{CallOutcome, FaultySystem, MemorySystem, Operation};

    use super::{ancestors, join, Files};

    #[test]
    fn paths_are_joined_and_kept_normal() {
        assert_eq!(join("/r/src", "./a"), "/r/src/a");
        assert_eq!(join("/r/src", "../x/./y/"), "/r/x/y");
        assert_eq!(join("/r", "../../../x"), "/x");
        assert_eq!(join("/r", "/abs"), "/abs");
        assert_eq!(join("/", "a"), "/a");
        assert_eq!(ancestors("/r/a").collect::<Vec<_>>(), ["/r/a", "/r", "/"]);
    }

    #[test]
    fn links_are_followed_only_where_there_are_any() {
        let system = MemorySystem::default();
        system.put("/r/store/p/i.d.ts", "");
        system.put("/r/a.ts", "");
        system.link("/r/node_modules/p", "../store/p");
        let files = Files::new(&system, "/r");
        assert!(files.is_file("/r/node_modules/p/i.d.ts") && files.is_dir("/r/node_modules/p"));
        assert_eq!(&*files.real("/r/node_modules/p/i.d.ts"), "/r/store/p/i.d.ts");
        assert_eq!(&*files.real("/r/a.ts"), "/r/a.ts");
        assert!(!files.is_file("/r/none/x.ts") && !files.is_dir("/r/a.ts"));
    }

    #[test]
    fn a_folder_that_cannot_be_listed_is_asked_by_name_and_a_real_problem_is_told() {
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
        let files = Files::new(&system, "/r");
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
