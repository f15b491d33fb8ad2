//! What was learned of files in an earlier run, so that they need not be read again.
//!
//! One file below the workspace. It holds, for each file, what the file system said of it, its
//! digest, and its facts. A file is taken from it only where the file system still says the same,
//! and where it said so before the run that read the file began: a file that changes within one step
//! of the clock is read again. Facts are found by content too, so a file that was moved, touched or
//! checked out again is read and hashed, but not parsed.
//!
//! It also holds where everything led, for [`reuse`](super::reuse) to judge. The result is that of a run
//! without a cache, byte for byte. A cache that is broken, or made by another version, for other
//! settings or for another folder, is dropped.

mod store;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use portolan_archive::remove_leftovers;
use portolan_guard::Guard;
use portolan_languages::{ExtractSettings, Facts, LanguageCode, Stores};
use portolan_types::{Notice, NoticeCode, Place, RepoPath, Sha256Digest};
use portolan_vfs::{FileKind, LockGuard, Stat, System};
use rustc_hash::FxHashMap;

use self::store::{CodeEntry, Content, Entry, StoreError};
pub(super) use self::store::{StoredFacts, Times};
use super::LanguageRegistry;
use super::files::{CodeData, FileData};
use super::journal::Answers;
use super::reuse::{Validity, Walked};

/// What to do with the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMode {
    /// Neither read nor write it.
    #[default]
    Off,
    /// Use it and bring it up to date.
    Use,
    /// Use it and leave it as it is.
    Read,
    /// Pass over what is there and write it anew.
    Rebuild,
}

impl CacheMode {
    /// Whether what is there is used.
    pub fn reads(self) -> bool {
        matches!(self, Self::Use | Self::Read)
    }

    /// Whether it is written.
    pub fn writes(self) -> bool {
        matches!(self, Self::Use | Self::Rebuild)
    }
}

/// Where the cache is, below the workspace.
pub const FOLDER: &str = "cache";
const FILE: &str = "facts.bin";
/// The lock of the cache, below the workspace.
pub const LOCK: &str = ".portolan.lock";
/// A larger cache is neither written nor read.
const MOST_BYTES: u64 = 1 << 29;

/// What a session keeps between runs, in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    content: Arc<Content>,
    /// While these hold nothing has changed.
    grounds: Option<Arc<Validity>>,
}

impl Kept {
    /// The path of a file by its place in the order: from the root, or absolute outside it.
    pub(super) fn path(&self, number: u32) -> Option<&str> {
        Some(&self.content.entries.get(number as usize)?.path)
    }

    /// How many files there are.
    pub(super) fn len(&self) -> usize {
        self.content.entries.len()
    }

    /// The facts that were stored of a file, by its place in the order.
    pub(super) fn facts(&self, number: u32) -> Option<Facts> {
        Some(self.content.entries.get(number as usize)?.code.as_ref()?.facts.decode())
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> usize {
        let entry = |entry: &Entry| {
            let facts = entry.code.as_ref().map_or(0, |code| code.facts.len());
            size_of::<Entry>() + entry.path.len() + facts
        };
        let grounds = self.grounds.as_ref().map_or(0, |grounds| grounds.weight());
        self.content.entries.iter().map(entry).sum::<usize>() + self.content.links.len() + grounds
    }

    /// Whether the disk says all that it said when this was kept: then the last Map is the one of today.
    pub(super) fn stands(&self, system: &dyn System) -> bool {
        self.grounds.as_ref().is_some_and(|grounds| grounds.stand(system))
    }
}

/// Where a run finds what an earlier one left.
#[derive(Clone, Debug)]
pub(crate) enum CacheSource {
    /// On disk.
    Disk(CacheMode),
    /// On disk; where there is none, in memory from now on.
    First(CacheMode, Clock),
    /// In memory; the disk is left alone.
    Memory(Kept, Clock),
}

impl CacheSource {
    /// Whether somebody will ask again.
    pub(super) fn is_lasting(&self) -> bool {
        matches!(self, Self::Memory(..) | Self::First(_, Some(_)))
    }
}

/// The clock of the repository's file system as a run began, where somebody could tell it without
/// writing to the repository.
pub(crate) type Clock = Option<i128>;

/// The cache of one run.
pub(super) struct Cache {
    root: String,
    folder: PathBuf,
    identity: Vec<u8>,
    /// The file system's clock when the run began: what changed since then is not trusted later.
    pub(super) began: i128,
    writer: Writer,
    content: Arc<Content>,
    grounds: Option<Arc<Validity>>,
    by_path: FxHashMap<Arc<str>, u32>,
    by_content: OnceLock<FxHashMap<(Sha256Digest, LanguageCode), u32>>,
    hits: AtomicUsize,
    has_changed: AtomicBool,
}

/// Who writes the cache: one process at a time does.
enum Writer {
    /// This one, as long as it holds the lock; or nobody can tell.
    Us { _lock: Option<Box<dyn LockGuard>> },
    /// Another one: what is there is used and left as it is.
    Another,
    /// Nobody: it is in memory only.
    Nobody,
}

impl Writer {
    /// Asks to be the writer. The writer removes what killed ones left.
    fn ask(system: &dyn System, folder: &Path) -> Self {
        match system.try_lock(&folder.join(LOCK)) {
            Ok(Some(lock)) => {
                // What cannot be removed now can be next time.
                let _ = remove_leftovers(system, folder);
                Self::Us { _lock: Some(lock) }
            }
            Ok(None) => Self::Another,
            Err(_) => Self::Us { _lock: None },
        }
    }
}

/// How the cache of a run begins.
struct Beginning<'a> {
    root: &'a str,
    folder: PathBuf,
    identity: Vec<u8>,
    began: i128,
    writer: Writer,
}

/// What decides what is known of a text: a cache of others is no use.
pub(super) struct Makers<'a> {
    pub(super) extract: &'a ExtractSettings,
    pub(super) guard: &'a Guard,
    pub(super) registry: LanguageRegistry,
    pub(super) stores: &'a Stores,
}

/// A file as this run found it.
pub(super) struct Seen<'a> {
    /// Its absolute path.
    pub(super) path: &'a str,
    pub(super) data: &'a FileData,
    /// The way it was read, for code.
    pub(super) language: Option<LanguageCode>,
}

impl Cache {
    /// Goes on from what is in memory. Files are trusted by their times where there is a clock to compare them
    /// with, the one that is given or that of the workspace; elsewhere they are read, but not parsed again.
    pub(super) fn resume(
        system: &dyn System,
        root: &str,
        stan_path: &RepoPath,
        kept: Kept,
        clock: Clock,
    ) -> Self {
        let folder = Path::new(root).join(stan_path.as_str()).join(FOLDER);
        let own = || is_real_folder(system, &folder).then(|| system.clock(&folder).ok()).flatten();
        let began = clock.or_else(own);
        let begin = Beginning {
            root,
            folder,
            identity: Vec::new(),
            began: began.unwrap_or(i128::MIN),
            writer: Writer::Nobody,
        };
        Self { grounds: kept.grounds, ..Self::new(begin, kept.content, false) }
    }

    /// What a cache on disk has, for a run that leaves it as it is.
    pub(super) fn peek(
        system: &dyn System,
        root: &str,
        stan_path: &RepoPath,
        by: &Makers<'_>,
    ) -> Kept {
        let folder = Path::new(root).join(stan_path.as_str()).join(FOLDER);
        if !is_real_folder(system, &folder) {
            return Kept::default();
        }
        let content = load(system, &folder.join(FILE), &identity(system, root, stan_path, by));
        Kept { content: Arc::new(content.unwrap_or_default()), grounds: None }
    }

    fn new(begin: Beginning<'_>, content: Arc<Content>, has_changed: bool) -> Self {
        let numbered = content.entries.iter().zip(0u32..);
        Self {
            root: begin.root.to_owned(),
            by_path: numbered.map(|(entry, number)| (Arc::clone(&entry.path), number)).collect(),
            by_content: OnceLock::new(),
            hits: AtomicUsize::new(0),
            has_changed: AtomicBool::new(has_changed),
            folder: begin.folder,
            identity: begin.identity,
            began: begin.began,
            writer: begin.writer,
            content,
            grounds: None,
        }
    }

    /// Opens the cache of a repository. There is none where there is no workspace: a cache is no
    /// reason to make one.
    pub(super) fn open(
        system: &dyn System,
        root: &str,
        stan_path: &RepoPath,
        by: &Makers<'_>,
        mode: CacheMode,
        notices: &mut Vec<Notice>,
    ) -> Option<Self> {
        let workspace = Path::new(root).join(stan_path.as_str());
        if mode == CacheMode::Off || !is_real_folder(system, &workspace) {
            return None;
        }
        let folder = workspace.join(FOLDER);
        let place = || Place::file(format!("{stan_path}/{FOLDER}/{FILE}"));
        let opened = system.create_dir_all(&folder).and_then(|()| {
            if !is_real_folder(system, &folder) {
                return Err(io::Error::other("its folder is a link"));
            }
            system.clock(&folder)
        });
        let began = match opened {
            Ok(began) => began,
            Err(error) => {
                let message = format!("there is none in this run: {error}");
                notices.push(Notice::at(NoticeCode::CacheUnwritable, place(), message));
                return None;
            }
        };
        let writer = Writer::ask(system, &folder);
        let identity = identity(system, root, stan_path, by);
        let content = match mode {
            CacheMode::Use => load(system, &folder.join(FILE), &identity),
            CacheMode::Off | CacheMode::Read | CacheMode::Rebuild => Ok(Content::default()),
        };
        let content = content.unwrap_or_else(|error| {
            notices.push(Notice::at(NoticeCode::CacheDropped, place(), error.to_string()));
            Content::default()
        });
        let begin = Beginning { root, folder, identity, began, writer };
        Some(Self::new(begin, Arc::new(content), mode == CacheMode::Rebuild))
    }

    /// What is known of the file at a path, if nothing says that it has changed.
    pub(super) fn get(&self, path: &str, stat: &Stat) -> Option<FileData> {
        let entry = self.entry(path).filter(|entry| entry.times == Some(Times::of(stat)));
        let found = entry.filter(|entry| entry.size == stat.size);
        if found.is_none() {
            self.has_changed.store(true, Ordering::Relaxed);
        }
        found.map(|entry| self.hit(entry))
    }

    fn hit(&self, entry: &Entry) -> FileData {
        self.hits.fetch_add(1, Ordering::Relaxed);
        FileData {
            size: entry.size,
            sha256: entry.sha256,
            is_denied: entry.is_denied,
            code: entry.code.as_ref().map(code_data),
            times: entry.times,
            is_cached: true,
        }
    }

    /// What came of reading some bytes in some way, wherever they were found.
    pub(super) fn code(&self, sha256: Sha256Digest, language: LanguageCode) -> Option<CodeData> {
        let by_content = self.by_content.get_or_init(|| {
            let numbered = self.content.entries.iter().zip(0u32..);
            let keyed = numbered.filter_map(|(entry, number)| {
                Some(((entry.sha256, entry.code.as_ref()?.language), number))
            });
            keyed.collect()
        });
        let number = by_content.get(&(sha256, language))?;
        self.content.entries.get(*number as usize)?.code.as_ref().map(code_data)
    }

    /// The paths of the files it knows, in the order of the table of the run that wrote them.
    pub(super) fn paths(&self) -> impl ExactSizeIterator<Item = &str> {
        self.content.entries.iter().map(|entry| &*entry.path)
    }

    /// The facts that were stored of a file, by its place in the order.
    pub(super) fn facts_at(&self, number: usize) -> Option<&StoredFacts> {
        Some(&self.content.entries.get(number)?.code.as_ref()?.facts)
    }

    /// What is known of the files from some place in the order on, whatever the disk says of them now;
    /// with their absolute paths.
    pub(super) fn from(&self, number: usize) -> impl Iterator<Item = (Arc<str>, FileData)> {
        self.content.entries.iter().skip(number).map(|entry| {
            let is_absolute = Path::new(&*entry.path).is_absolute();
            let path = if is_absolute {
                Arc::clone(&entry.path)
            } else {
                format!("{}/{}", self.root, entry.path).into()
            };
            (path, self.hit(entry))
        })
    }

    /// Where everything led, encoded; empty where that is not known.
    pub(super) fn links(&self) -> &[u8] {
        &self.content.links
    }

    /// Whether a walk over so many files found each as it was.
    pub(super) fn is_untouched(&self, files: usize) -> bool {
        let hits = self.hits.load(Ordering::Relaxed);
        !self.has_changed.load(Ordering::Relaxed) && hits == files
    }

    /// What the last run of a session left to tell whether anything has changed.
    pub(super) fn grounds(&self) -> Option<&Validity> {
        self.grounds.as_deref()
    }

    /// What was there, for the next run of a session, with what this one saw on its walk.
    pub(super) fn kept(&self, walked: Walked, seen: Option<Answers>) -> Kept {
        let grounds = self.grounds.as_ref().map(|known| {
            let answers = Arc::clone(&known.answers);
            Arc::new(Validity { walked, answers, seen })
        });
        Kept { content: Arc::clone(&self.content), grounds }
    }

    /// What a later run may go on from: what this run found, or what was there if it is the same; and
    /// whether it is new.
    pub(super) fn next<'a>(
        &self,
        seen: impl Iterator<Item = Seen<'a>>,
        links: Vec<u8>,
        grounds: Option<Validity>,
    ) -> (Kept, bool) {
        let grounds = grounds.map(Arc::new);
        let is_whole = self.hits.load(Ordering::Relaxed) == self.content.entries.len();
        let has_changed = self.has_changed.load(Ordering::Relaxed);
        if is_whole && !has_changed && links == self.content.links {
            return (Kept { content: Arc::clone(&self.content), grounds }, false);
        }
        let entries = seen.map(|seen| self.keep(&seen)).collect();
        (Kept { content: Arc::new(Content { entries, links }), grounds }, true)
    }

    /// Writes what a later run may go on from.
    pub(super) fn save(&self, system: &dyn System, kept: &Kept) -> Option<Notice> {
        if matches!(self.writer, Writer::Another | Writer::Nobody) {
            return None;
        }
        let path = self.folder.join(FILE);
        let written = store::write(&self.identity, &kept.content).and_then(|bytes| {
            if bytes.len() as u64 > MOST_BYTES {
                return Err(StoreError::TooLarge);
            }
            let mut pending = system.create(&path)?;
            pending.write_all(&bytes)?;
            Ok(pending.commit_unsynced()?)
        });
        let error = written.err()?;
        let place = Place::file(self.relative(&path.to_string_lossy()).to_owned());
        Some(Notice::at(NoticeCode::CacheUnwritable, place, error.to_string()))
    }

    fn keep(&self, seen: &Seen<'_>) -> Entry {
        let Seen { path, data, language } = seen;
        // What was trusted before still is.
        let trusted = data.times.filter(|times| data.is_cached || times.are_before(self.began));
        let code = data.code.as_ref().zip(*language);
        Entry {
            path: self.relative(path).into(),
            size: data.size,
            sha256: data.sha256,
            is_denied: data.is_denied,
            times: trusted,
            code: code.map(|(code, language)| CodeEntry {
                language,
                description: code.description.clone(),
                problems: code.problems.clone(),
                inspection: code.inspection,
                facts: code.to_store(),
            }),
        }
    }

    fn entry(&self, path: &str) -> Option<&Entry> {
        let number = self.by_path.get(self.relative(path))?;
        self.content.entries.get(*number as usize)
    }

    fn relative<'p>(&self, path: &'p str) -> &'p str {
        let below = path.strip_prefix(self.root.as_str());
        below.and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
    }
}

fn code_data(entry: &CodeEntry) -> CodeData {
    let CodeEntry { description, problems, inspection, facts, .. } = entry;
    CodeData::stored(description.clone(), problems.clone(), *inspection, facts.clone())
}

/// Whether a path is a folder and no link is on the way: a link could lead out of the workspace.
pub fn is_real_folder(system: &dyn System, path: &Path) -> bool {
    let is_folder = system.lstat(path).is_ok_and(|stat| stat.kind == FileKind::Dir);
    is_folder && system.real_path(path).is_ok_and(|real| real == path)
}

/// What a cache must have been made by and for to be used: these sources of facts and links, these
/// languages, these settings, this folder. A folder that was copied or cloned is another one.
fn identity(system: &dyn System, root: &str, stan_path: &RepoPath, by: &Makers<'_>) -> Vec<u8> {
    let Makers { extract, guard, registry, stores } = by;
    let inode = system.stat(Path::new(root)).map_or(0, |stat| stat.inode);
    let version = format!("{}\0{}", crate::fingerprint(), registry.fingerprint());
    let ExtractSettings { description_limit, description_tags } = extract;
    let tags = description_tags.join("\0");
    let guard = guard.fingerprint();
    let stores = stores.fingerprint();
    let settings = format!("{description_limit}\0{tags}\0{guard}\0{stores}");
    format!("{version}\0{root}\0{inode}\0{stan_path}\0{settings}").into_bytes()
}

fn load(system: &dyn System, path: &Path, identity: &[u8]) -> Result<Content, StoreError> {
    let Ok(stat) = system.stat(path) else { return Ok(Content::default()) };
    if stat.size > MOST_BYTES {
        return Err(StoreError::TooLarge);
    }
    store::read(system.read(path)?, identity)
}
