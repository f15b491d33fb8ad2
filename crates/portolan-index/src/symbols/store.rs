//! The declarations of texts that were parsed before, by the digest of the text: on disk in the [cache](crate::store),
//! and in memory while the process lives.
//!
//! What a text declares depends only on its bytes and its language, so an entry never becomes stale.

mod words;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use memchr::memmem::Finder;
use portolan_guard::Inspection;
use portolan_languages::{LanguageCode, Languages};
use portolan_types::declarations::Declarations;
use portolan_types::{Notice, Sha256Digest};
use portolan_vfs::{System, sha256};
use rustc_hash::FxHashMap;

use self::words::StoredWords;
use super::entries::{self, EntryFiles, EntryLayout};
use crate::store::CacheFolder;

const LAYOUT: EntryLayout = EntryLayout {
    base: "declarations.bin",
    recent: "declarations-recent.bin",
    many_recent: 2 << 20,
    most: 256 << 20,
};
/// The limit of encoded entries in memory.
const MOST_IN_MEMORY: usize = 96 << 20;
/// The limit of decoded entries in memory, by their encoded size.
const MOST_DECODED: usize = 12 << 20;
/// The size of a decoded entry relative to its encoded size, about.
const DECODED: usize = 4;

/// The first half of a text's digest, which no two texts share, and its language.
type Key = ([u8; 16], LanguageCode);

/// An encoded entry, and whether the text contains a mark of globals.
type Body = entries::Body<bool>;

/// What is known of a text.
#[derive(Clone, Debug)]
pub struct KnownText {
    /// What the guard found in the bytes.
    pub inspection: Inspection,
    /// Whether it contains a mark of globals.
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
        let has_mark = body.mark;
        facts.is_whole().then(|| Self { inspection, has_mark, facts: Arc::new(facts) })
    }
}

/// Declarations by the digest of their text.
#[derive(Debug, Default)]
pub struct DeclarationStore {
    /// Those on disk; `None` if the store is in memory only.
    files: Option<EntryFiles<Key, bool>>,
    fresh: Mutex<Fresh>,
    /// Recently used entries, decoded.
    recent: Mutex<Recent>,
    /// The words of texts, if the process stays.
    words: Option<Mutex<StoredWords>>,
}

/// Recently used entries. At the limit all of them are dropped.
#[derive(Debug, Default)]
struct Recent {
    known: FxHashMap<Key, KnownText>,
    /// The encoded size.
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

/// The entries that this process added.
#[derive(Debug, Default)]
struct Fresh {
    bodies: BTreeMap<Key, Body>,
    bytes: usize,
    is_saved: bool,
}

impl DeclarationStore {
    /// The store of a repository; in memory only if the cache is not used.
    pub fn open(system: &dyn System, cache: &CacheFolder) -> Self {
        let identity = Languages::default().fingerprint();
        let files = EntryFiles::open(system, cache, &identity, LAYOUT);
        Self { files, ..Self::default() }
    }

    /// The same for a process that stays: it also keeps the words of texts.
    #[must_use]
    pub(crate) fn lasting(self) -> Self {
        Self { words: Some(Mutex::default()), ..self }
    }

    /// Whether the text with this digest may contain a name; `bytes` reads the text.
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

    /// Whether the text with this digest is known not to contain a name.
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
            None => self.files.as_ref()?.get(system, &key),
        };
        let body = found?;
        let known = KnownText::decode(&body)?;
        self.recent().put(key, &known, body.bytes.len());
        Some(known)
    }

    /// The approximate size in memory, in bytes.
    pub(crate) fn weight(&self) -> usize {
        let index = self.files.as_ref().map_or(0, EntryFiles::weight);
        let words = self
            .words
            .as_ref()
            .map_or(0, |words| words.lock().unwrap_or_else(PoisonError::into_inner).weight());
        index + self.fresh().bytes + self.recent().bytes * DECODED + words
    }

    /// Whether a text contains a mark of globals, if that is known.
    pub(super) fn has_mark(&self, sha256: &Sha256Digest, language: LanguageCode) -> Option<bool> {
        let key = key(sha256, language);
        let fresh = self.fresh().bodies.get(&key).map(|body| body.mark);
        fresh.or_else(|| self.files.as_ref()?.mark(&key))
    }

    /// Adds an entry.
    pub(super) fn put(&self, sha256: &Sha256Digest, language: LanguageCode, known: &KnownText) {
        let Some(body) = known.encode() else { return };
        let mut fresh = self.fresh();
        if fresh.bytes + body.bytes.len() <= MOST_IN_MEMORY {
            fresh.bytes += body.bytes.len();
            fresh.bodies.insert(key(sha256, language), body);
            fresh.is_saved = false;
        }
    }

    /// Writes what is new, unless another process writes to the cache.
    pub fn save(&self, system: &dyn System) -> Option<Notice> {
        let files = self.files.as_ref()?;
        let mut fresh = self.fresh();
        if fresh.is_saved || fresh.bodies.is_empty() {
            return None;
        }
        fresh.is_saved = true;
        files.add(system, &fresh.bodies)
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
