//! What an earlier run learned of files, so that they need not be read again.
//!
//! One file of the [cache](crate::store). For each file of the repository it has the metadata, the digest and the facts.
//! An entry is used only if the metadata are the same, and older than the run that read the file: a file that changes
//! within one step of the clock is read again. Facts are also found by content, so a file that was moved, touched or
//! checked out again is read and hashed, but not parsed.
//!
//! It also has the resolved links, for [`reuse`](super::reuse) to judge. The result is that of a run without a cache,
//! byte for byte.

mod store;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use portolan_guard::Guard;
use portolan_languages::{ExtractSettings, Facts, LanguageCode, Stores};
use portolan_types::{FileId, Notice, NoticeCode, Sha256Digest};
use portolan_vfs::{Stat, System};
use rustc_hash::FxHashMap;

use self::store::{CodeEntry, Content, Entry};
pub(super) use self::store::{StoredFacts, Times};
use super::LanguageRegistry;
use super::files::{CodeData, FileData};
use super::journal::Answers;
use super::reuse::{Validity, Walked};
use crate::store::{CacheFile, CacheFolder, StoreError};

const FILE: &str = "facts.bin";

/// What a session keeps between runs, in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    content: Arc<Content>,
    /// What the last map depends on.
    validity: Option<Arc<Validity>>,
}

impl Kept {
    /// The path of a file by its number: from the root, or absolute outside it.
    pub(super) fn path(&self, number: FileId) -> Option<&str> {
        Some(&self.content.entries.get(number.index())?.path)
    }

    /// The number of files.
    pub(super) fn len(&self) -> usize {
        self.content.entries.len()
    }

    /// The stored facts of a file, by its number.
    pub(super) fn facts(&self, number: FileId) -> Option<Facts> {
        Some(self.content.entries.get(number.index())?.code.as_ref()?.facts.decode())
    }

    /// The approximate size in bytes.
    pub(crate) fn weight(&self) -> usize {
        let entry = |entry: &Entry| {
            let facts = entry.code.as_ref().map_or(0, |code| code.facts.len());
            size_of::<Entry>() + entry.path.len() + facts
        };
        let validity = self.validity.as_ref().map_or(0, |validity| validity.weight());
        self.content.entries.iter().map(entry).sum::<usize>() + self.content.links.len() + validity
    }

    /// Whether the disk gives the same answers as then, so that the last map is still right.
    pub(super) fn is_current(&self, system: &dyn System) -> bool {
        self.validity.as_ref().is_some_and(|validity| validity.is_current(system))
    }
}

/// Where a run finds what an earlier one left.
#[derive(Clone, Debug)]
pub(crate) enum CacheSource {
    /// On disk.
    Disk,
    /// On disk for the first run of a session; the next one starts from memory.
    First {
        /// Whether the process stays, so that another run is likely.
        is_lasting: bool,
    },
    /// In memory; the disk is left alone.
    Memory(Kept),
}

impl CacheSource {
    /// Whether another run is likely.
    pub(super) fn is_lasting(&self) -> bool {
        match self {
            Self::Disk => false,
            Self::First { is_lasting } => *is_lasting,
            Self::Memory(_) => true,
        }
    }
}

/// The cache of one run.
pub(super) struct Cache {
    root: String,
    /// `None` if the disk is left alone.
    file: Option<CacheFile>,
    /// The file system's clock when the run began: later changes are not trusted.
    pub(super) began: i128,
    content: Arc<Content>,
    validity: Option<Arc<Validity>>,
    by_path: FxHashMap<Arc<str>, FileId>,
    by_content: OnceLock<FxHashMap<(Sha256Digest, LanguageCode), FileId>>,
    hits: AtomicUsize,
    has_changed: AtomicBool,
}

/// The settings that facts depend on.
pub(super) struct Makers<'a> {
    pub(super) extract: &'a ExtractSettings,
    pub(super) guard: &'a Guard,
    pub(super) registry: LanguageRegistry,
    pub(super) stores: &'a Stores,
}

impl Makers<'_> {
    fn identity(&self) -> String {
        let Self { extract, guard, registry, stores } = self;
        let ExtractSettings { description_limit, description_tags } = extract;
        let tags = description_tags.join("\0");
        let (guard, stores) = (guard.fingerprint(), stores.fingerprint());
        format!("{}\0{description_limit}\0{tags}\0{guard}\0{stores}", registry.fingerprint())
    }
}

/// A file as this run found it.
pub(super) struct Seen<'a> {
    /// Its absolute path.
    pub(super) path: &'a str,
    pub(super) data: &'a FileData,
    /// The language, for code.
    pub(super) language: Option<LanguageCode>,
}

impl Cache {
    /// Continues from what is in memory. Files are trusted by their times if the clock is known; otherwise they are read,
    /// but not parsed again.
    pub(super) fn resume(
        system: &dyn System,
        root: &str,
        folder: &CacheFolder,
        kept: Kept,
    ) -> Self {
        let began = folder.clock(system).unwrap_or(i128::MIN);
        Self { validity: kept.validity, ..Self::new(root, None, began, kept.content) }
    }

    fn new(root: &str, file: Option<CacheFile>, began: i128, content: Arc<Content>) -> Self {
        let numbered = content.entries.iter().zip(FileId::all());
        Self {
            root: root.to_owned(),
            file,
            began,
            by_path: numbered.map(|(entry, number)| (Arc::clone(&entry.path), number)).collect(),
            by_content: OnceLock::new(),
            hits: AtomicUsize::new(0),
            has_changed: AtomicBool::new(false),
            content,
            validity: None,
        }
    }

    /// Opens the cache of a repository, if there is one.
    pub(super) fn open(
        system: &dyn System,
        root: &str,
        folder: &CacheFolder,
        by: &Makers<'_>,
        notices: &mut Vec<Notice>,
    ) -> Option<Self> {
        if !folder.is_used() {
            return None;
        }
        let mut unwritable = |error: &io::Error| {
            let message = format!("there is none in this run: {error}");
            let notice = folder.notice(NoticeCode::CacheUnwritable, FILE, &message);
            notices.extend(notice.filter(|_| folder.writes()));
        };
        folder.prepare(system).inspect_err(&mut unwritable).ok()?;
        let began = folder.clock(system).inspect_err(&mut unwritable).unwrap_or(i128::MIN);
        let file = folder.file(FILE, &by.identity());
        let content = file.read(system).and_then(|found| {
            found.map_or_else(
                || Ok(Content::default()),
                |bytes| store::decode(bytes).ok_or(StoreError::Damaged),
            )
        });
        let content = content.unwrap_or_else(|error| {
            notices.extend(folder.notice(NoticeCode::CacheDropped, FILE, &error));
            Content::default()
        });
        Some(Self::new(root, Some(file), began, Arc::new(content)))
    }

    /// The entry of the file at a path, if its metadata are the same.
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

    /// The facts of a text with this digest, at any path.
    pub(super) fn code(&self, sha256: Sha256Digest, language: LanguageCode) -> Option<CodeData> {
        let by_content = self.by_content.get_or_init(|| {
            let numbered = self.content.entries.iter().zip(FileId::all());
            let keyed = numbered.filter_map(|(entry, number)| {
                Some(((entry.sha256, entry.code.as_ref()?.language), number))
            });
            keyed.collect()
        });
        let number = by_content.get(&(sha256, language))?;
        self.content.entries.get(number.index())?.code.as_ref().map(code_data)
    }

    /// The paths of the files, in the order of the run that wrote them.
    pub(super) fn paths(&self) -> impl ExactSizeIterator<Item = &str> {
        self.content.entries.iter().map(|entry| &*entry.path)
    }

    /// The stored facts of a file, by its number.
    pub(super) fn facts_at(&self, number: usize) -> Option<&StoredFacts> {
        Some(&self.content.entries.get(number)?.code.as_ref()?.facts)
    }

    /// The entries from a number on with their absolute paths, without asking the disk.
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

    /// The links, encoded; empty if they are unknown.
    pub(super) fn links(&self) -> &[u8] {
        &self.content.links
    }

    /// Whether a walk over so many files found all of them unchanged.
    pub(super) fn is_untouched(&self, files: usize) -> bool {
        let hits = self.hits.load(Ordering::Relaxed);
        !self.has_changed.load(Ordering::Relaxed) && hits == files
    }

    /// What the last map of the session depends on.
    pub(super) fn validity(&self) -> Option<&Validity> {
        self.validity.as_deref()
    }

    /// The old content for the next run of a session, with the walk of this one.
    pub(super) fn kept(&self, walked: Walked, seen: Option<Answers>) -> Kept {
        let validity = self.validity.as_ref().map(|known| {
            let answers = Arc::clone(&known.answers);
            Arc::new(Validity { walked, answers, seen })
        });
        Kept { content: Arc::clone(&self.content), validity }
    }

    /// What a later run may continue from: what this run found, or what was there if it is the same; and
    /// whether it is new.
    pub(super) fn next<'a>(
        &self,
        seen: impl Iterator<Item = Seen<'a>>,
        links: Vec<u8>,
        validity: Option<Validity>,
    ) -> (Kept, bool) {
        let validity = validity.map(Arc::new);
        let is_whole = self.hits.load(Ordering::Relaxed) == self.content.entries.len();
        let has_changed = self.has_changed.load(Ordering::Relaxed);
        let has_same_links = links == self.content.links;
        let same = |validity| (Kept { content: Arc::clone(&self.content), validity }, false);
        if is_whole && !has_changed && has_same_links {
            return same(validity);
        }
        let entries: Vec<Entry> = seen.map(|seen| self.keep(&seen)).collect();
        // Without a clock every file is read again and is still the same.
        let is_same = |(old, new): (&Entry, &Entry)| old.is_same(new);
        let has_same_files = entries.len() == self.content.entries.len()
            && self.content.entries.iter().zip(&entries).all(is_same);
        if has_same_files && has_same_links {
            return same(validity);
        }
        (Kept { content: Arc::new(Content { entries, links }), validity }, true)
    }

    /// Writes what a later run may continue from.
    pub(super) fn save(&self, system: &dyn System, kept: &Kept) -> Option<Notice> {
        let file = self.file.as_ref().filter(|file| file.folder().writes())?;
        file.write(system, &store::encode(&kept.content)?)
    }

    fn keep(&self, seen: &Seen<'_>) -> Entry {
        let Seen { path, data, language } = seen;
        // An entry that was trusted before still is.
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
        self.content.entries.get(number.index())
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
