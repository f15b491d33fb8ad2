//! Declarations that were read before, by the digest of the text they are of: on disk below the
//! workspace's cache, and in memory for as long as the process asks.
//!
//! What a text declares depends on its bytes and its language alone, so nothing in it grows old; another
//! version of what reads them drops it. Two files: a large one that is seldom written, and one for what
//! came since. Each begins with an index; of the rest only what is asked for is read. What is damaged is
//! as good as not there.

mod facts_file;
mod words;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use memchr::memmem::Finder;
use portolan_guard::Inspection;
use portolan_languages::{LanguageCode, Languages};
use portolan_types::declarations::Declarations;
use portolan_types::{Notice, NoticeCode, Place, Sha256Digest};
use portolan_vfs::{System, sha256};
use rustc_hash::FxHashMap;

use self::facts_file::{Body, FactsFile};
use self::words::StoredWords;
use crate::map::{CACHE_FOLDER, CACHE_LOCK, CacheMode, is_real_folder};
use portolan_workspace::config::Loaded;

const BASE: &str = "declarations.bin";
const RECENT: &str = "declarations-recent.bin";
/// More than this is not kept in memory.
const MOST_IN_MEMORY: usize = 96 << 20;
/// More than this, encoded, is not kept in memory as it is used.
const MOST_DECODED: usize = 12 << 20;
/// What is decoded takes about so many times the bytes.
const DECODED: usize = 4;
/// More than this is not kept on disk: what is older goes.
const MOST_ON_DISK: u64 = 256 << 20;
/// What came since is put with the rest when it is larger than this, and than a quarter of it.
const MANY_RECENT: u64 = 2 << 20;

/// Which text, and read in which way: the first half of its digest (nobody has two texts that agree in it).
pub(super) type Key = ([u8; 16], LanguageCode);

/// What is known of a text.
#[derive(Clone, Debug)]
pub struct KnownText {
    /// What the guard found in the bytes.
    pub inspection: Inspection,
    /// Whether what marks globals stands in it.
    pub has_mark: bool,
    /// What the text declares.
    pub facts: Arc<Declarations>,
}

impl KnownText {
    fn encode(&self) -> Option<Body> {
        let bytes = postcard::to_stdvec(&(self.inspection.code(), &*self.facts)).ok()?;
        Some(Body::new(bytes, self.has_mark))
    }

    fn decode(body: &Body) -> Option<Self> {
        let (inspection, facts): (u16, Declarations) = postcard::from_bytes(&body.bytes).ok()?;
        let inspection = Inspection::from_code(inspection)?;
        let has_mark = body.has_mark;
        facts.is_whole().then(|| Self { inspection, has_mark, facts: Arc::new(facts) })
    }
}

/// Declarations by the digest of their text.
#[derive(Debug, Default)]
pub struct DeclarationStore {
    /// Where it is kept; `None` where there is no place for it.
    folder: Option<PathBuf>,
    shown: String,
    identity: String,
    shelves: [FactsFile; 2],
    fresh: Mutex<Fresh>,
    /// What was asked for lately, decoded.
    recent: Mutex<Recent>,
    /// The words of texts, where somebody will ask again.
    words: Option<Mutex<StoredWords>>,
}

/// What was asked for lately. When it is too much all of it goes: what is wanted again comes again.
#[derive(Debug, Default)]
struct Recent {
    known: FxHashMap<Key, KnownText>,
    /// How many bytes it has, encoded.
    bytes: usize,
}

impl Recent {
    fn put(&mut self, key: Key, known: &KnownText, bytes: usize) {
        if self.bytes + bytes > MOST_DECODED {
            *self = Self::default();
        }
        if bytes <= MOST_DECODED && self.known.insert(key, known.clone()).is_none() {
            self.bytes += bytes;
        }
    }
}

/// What this process read.
#[derive(Debug, Default)]
struct Fresh {
    bodies: BTreeMap<Key, Body>,
    bytes: usize,
    is_saved: bool,
}

impl DeclarationStore {
    /// The store of a repository. Where there is no workspace, or the cache is not to be used, it is in
    /// memory only.
    pub fn open(system: &dyn System, config: &Loaded, cache: CacheMode) -> Self {
        let stan_path = &config.settings.stan_path;
        let folder = config.root.join(stan_path.as_str()).join(CACHE_FOLDER);
        if cache == CacheMode::Off || !is_real_folder(system, &folder) {
            return Self::default();
        }
        let identity = identity(system, config);
        let open = |file: &str| {
            let path = folder.join(file);
            if cache.reads() {
                FactsFile::open(system, path, &identity)
            } else {
                FactsFile::empty(path)
            }
        };
        Self {
            shelves: [open(RECENT), open(BASE)],
            shown: format!("{stan_path}/{CACHE_FOLDER}/{BASE}"),
            fresh: Mutex::default(),
            recent: Mutex::default(),
            words: None,
            folder: Some(folder).filter(|_| cache.writes()),
            identity,
        }
    }

    /// The same for a process that is asked again and again: it notes which words stand where.
    #[must_use]
    pub(crate) fn lasting(self) -> Self {
        Self { words: Some(Mutex::default()), ..self }
    }

    /// Whether a name may stand in the text with this digest; `bytes` reads the text.
    pub(super) fn may_stand(
        &self,
        digest: &Sha256Digest,
        name: &Finder<'_>,
        bytes: impl FnOnce() -> Option<Vec<u8>>,
    ) -> bool {
        let word = str::from_utf8(name.needle()).ok().filter(|name| words::is_word(name));
        let (Some(kept), Some(word)) = (&self.words, word) else {
            return bytes().is_some_and(|bytes| name.find(&bytes).is_some());
        };
        let kept = || kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().get(digest);
        let words = known.or_else(|| {
            let bytes = bytes()?;
            let words = words::words_of(&bytes);
            if sha256(&bytes) == *digest {
                kept().put(*digest, Arc::clone(&words));
            }
            Some(words)
        });
        words.is_some_and(|words| words::may_have(&words, word))
    }

    /// Whether a name is known not to stand in the text with this digest.
    pub(super) fn is_known_to_lack(&self, digest: &Sha256Digest, name: &Finder<'_>) -> bool {
        let word = str::from_utf8(name.needle()).ok().filter(|name| words::is_word(name));
        let (Some(kept), Some(word)) = (&self.words, word) else { return false };
        let known = kept.lock().unwrap_or_else(PoisonError::into_inner).get(digest);
        known.is_some_and(|words| !words::may_have(&words, word))
    }

    /// What is known of a text.
    pub fn get(
        &self,
        system: &dyn System,
        sha256: &Sha256Digest,
        language: LanguageCode,
    ) -> Option<KnownText> {
        let key = key(sha256, language);
        if let Some(known) = self.recent().known.get(&key) {
            return Some(known.clone());
        }
        let fresh = self.fresh().bodies.get(&key).cloned();
        let found = match fresh {
            Some(body) => Some(body),
            None => self.shelves.iter().find_map(|facts_file| facts_file.get(system, &key)),
        };
        let body = found?;
        let known = KnownText::decode(&body)?;
        self.recent().put(key, &known, body.bytes.len());
        Some(known)
    }

    /// About how many bytes are in memory.
    pub(crate) fn weight(&self) -> usize {
        let index: usize = self.shelves.iter().map(FactsFile::weight).sum();
        let words = self
            .words
            .as_ref()
            .map_or(0, |words| words.lock().unwrap_or_else(PoisonError::into_inner).weight());
        index + self.fresh().bytes + self.recent().bytes * DECODED + words
    }

    /// Whether what marks globals stands in a text, where that is known.
    pub(super) fn has_mark(&self, sha256: &Sha256Digest, language: LanguageCode) -> Option<bool> {
        let key = key(sha256, language);
        let fresh = self.fresh().bodies.get(&key).map(|body| body.has_mark);
        fresh.or_else(|| self.shelves.iter().find_map(|facts_file| facts_file.has_mark(&key)))
    }

    /// Keeps what is known of a text.
    pub(super) fn put(&self, sha256: &Sha256Digest, language: LanguageCode, known: &KnownText) {
        let Some(body) = known.encode() else { return };
        let mut fresh = self.fresh();
        if fresh.bytes + body.bytes.len() <= MOST_IN_MEMORY {
            fresh.bytes += body.bytes.len();
            fresh.bodies.insert(key(sha256, language), body);
            fresh.is_saved = false;
        }
    }

    /// Writes what is new, if anything is. What another process is writing is left to it.
    pub fn save(&self, system: &dyn System, config: &Loaded) -> Option<Notice> {
        let folder = self.folder.as_ref()?;
        let mut fresh = self.fresh();
        if fresh.is_saved || fresh.bodies.is_empty() {
            return None;
        }
        fresh.is_saved = true;
        let Ok(Some(_lock)) = system.try_lock(&folder.join(CACHE_LOCK)) else { return None };
        let restricted = system.restricted_to(&config.root, &config.settings.stan_path);
        let error = self.write(&*restricted, &fresh.bodies).err()?;
        let place = Place::file(self.shown.clone());
        Some(Notice::at(NoticeCode::CacheUnwritable, place, error.to_string()))
    }

    fn write(&self, system: &dyn System, fresh: &BTreeMap<Key, Body>) -> io::Result<()> {
        let [recent, base] = &self.shelves;
        let mut bodies = recent.all(system);
        bodies.extend(fresh.iter().map(|(key, body)| (*key, body.clone())));
        let size: u64 = bodies.values().map(|body| body.bytes.len() as u64).sum();
        if size <= MANY_RECENT.max(base.size() / 4) {
            return facts_file::write(system, recent.path(), &self.identity, &bodies);
        }
        if base.size() + size <= MOST_ON_DISK {
            let mut all = base.all(system);
            all.append(&mut bodies);
            bodies = all;
        }
        facts_file::write(system, base.path(), &self.identity, &bodies)?;
        match system.remove_file(recent.path()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fresh(&self) -> MutexGuard<'_, Fresh> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(sha256: &Sha256Digest, language: LanguageCode) -> Key {
    let mut half = [0; 16];
    half.copy_from_slice(&sha256.as_bytes()[..16]);
    (half, language)
}

/// What a store must have been written by and for to be used. A folder that was copied or cloned is
/// another one: nobody's repository brings what is believed of its files.
fn identity(system: &dyn System, config: &Loaded) -> String {
    let inode = system.stat(&config.root).map_or(0, |stat| stat.inode);
    let (root, languages) = (config.root.display(), Languages::default().fingerprint());
    format!("{}\0{languages}\0{root}\0{inode}", crate::fingerprint())
}
