//! Outlines of texts that were read before, and what the guard found in them, by the digest of the text: on disk in the
//! [cache](crate::store).
//!
//! A search needs little of what a text declares, of many files, and it needs it at once. What an outline is made of is the
//! caller's: here it is bytes. Both depend on the bytes of the text and on its language alone, so an entry never becomes
//! stale. Of a text that may hold a secret only the number of the guard's rule is kept.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use portolan_guard::{Inspection, inspect};
use portolan_languages::{LanguageCode, Languages};
use portolan_types::{Notice, RepoPath, Sha256Digest};
use portolan_vfs::System;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::entries::{Body, EntryFiles, EntryLayout};
use crate::store::CacheFolder;

const LAYOUT: EntryLayout = EntryLayout {
    base: "outlines.bin",
    recent: "outlines-recent.bin",
    many_recent: 1 << 20,
    most: 64 << 20,
};
/// The limit of new entries in memory.
const MOST_FRESH: usize = 32 << 20;
/// What an entry takes in memory beside its outline, about.
const ENTRY: usize = 96;

/// The first half of a text's digest, which no two texts share, and its language.
type Key = ([u8; 16], Option<LanguageCode>);

/// Outlines and verdicts by the digest of their text. Without a cache nothing is kept.
#[derive(Debug, Default)]
pub struct OutlineStore {
    files: Option<EntryFiles<Key, u16>>,
    fresh: Mutex<Fresh>,
}

/// The entries that this process added.
#[derive(Debug, Default)]
struct Fresh {
    bodies: BTreeMap<Key, Body<u16>>,
    bytes: usize,
    is_saved: bool,
}

impl OutlineStore {
    /// The store of a repository. `made_by` identifies what makes the outlines.
    pub fn open(system: &dyn System, cache: &CacheFolder, made_by: &str) -> Self {
        let identity = format!("{}\0{made_by}", Languages::default().fingerprint());
        Self { files: EntryFiles::open(system, cache, &identity, LAYOUT), fresh: Mutex::default() }
    }

    /// What the guard finds in the bytes of a file.
    pub fn inspection(&self, path: &RepoPath, digest: &Sha256Digest, bytes: &[u8]) -> Inspection {
        let key = key(path, digest);
        self.known_inspection(&key).unwrap_or_else(|| {
            let inspection = inspect(bytes);
            self.put(key, Body::new(Vec::new(), inspection.code()));
            inspection
        })
    }

    /// The outline of a file, as it was kept or as it is made now. It is kept if the file was inspected, and may be shown
    /// whatever the settings are.
    pub fn outline<T: Serialize + DeserializeOwned>(
        &self,
        system: &dyn System,
        (path, digest): (&RepoPath, &Sha256Digest),
        make: impl FnOnce() -> T,
    ) -> T {
        let key = key(path, digest);
        let body = self.body(system, &key).filter(|body| !body.bytes.is_empty());
        if let Some(known) = body.and_then(|body| postcard::from_bytes(&body.bytes).ok()) {
            return known;
        }
        let made = make();
        let is_open = |inspection: &Inspection| inspection.denial(path).is_none();
        if let Some(inspection) = self.known_inspection(&key).filter(is_open)
            && let Ok(bytes) = postcard::to_stdvec(&made)
        {
            self.put(key, Body::new(bytes, inspection.code()));
        }
        made
    }

    /// Writes what is new, unless another process writes to the cache.
    pub fn save(&self, system: &dyn System) -> Option<Notice> {
        let files = self.files.as_ref()?;
        let mut fresh = self.fresh();
        if fresh.is_saved || fresh.bodies.is_empty() {
            return None;
        }
        fresh.is_saved = true;
        files.prepare(system);
        files.add(system, &fresh.bodies)
    }

    /// The approximate size in memory, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.files.as_ref().map_or(0, EntryFiles::weight) + self.fresh().bytes
    }

    fn body(&self, system: &dyn System, key: &Key) -> Option<Body<u16>> {
        let fresh = self.fresh().bodies.get(key).cloned();
        fresh.or_else(|| self.files.as_ref()?.get(system, key))
    }

    fn known_inspection(&self, key: &Key) -> Option<Inspection> {
        let files = self.files.as_ref()?;
        let fresh = self.fresh().bodies.get(key).map(|body| body.mark);
        Inspection::from_code(fresh.or_else(|| files.mark(key))?)
    }

    fn put(&self, key: Key, body: Body<u16>) {
        if self.files.is_none() {
            return;
        }
        let mut fresh = self.fresh();
        let bytes = ENTRY + body.bytes.len();
        if fresh.bytes + bytes <= MOST_FRESH {
            fresh.bytes += bytes;
            fresh.bodies.insert(key, body);
            fresh.is_saved = false;
        }
    }

    fn fresh(&self) -> MutexGuard<'_, Fresh> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(path: &RepoPath, digest: &Sha256Digest) -> Key {
    let mut half = [0; 16];
    half.copy_from_slice(&digest.as_bytes()[..16]);
    (half, Languages::default().code(path.as_str()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_types::RepoPath;
    use portolan_vfs::{MemorySystem, System, sha256};

    use super::OutlineStore;
    use crate::store::{CacheFolder, CacheMode};
    use portolan_workspace::config;

    const RECENT: &str = "/r/.stan/cache/outlines-recent.bin";
    const TEXT: &str = "export const a = 1;\n";

    fn repository() -> MemorySystem {
        let system = MemorySystem::default();
        system.put("/r/.git/HEAD", "");
        system.put("/r/.stan/cache/x", "");
        system
    }

    fn open(system: &MemorySystem, mode: CacheMode) -> OutlineStore {
        open_made_by(system, mode, "1")
    }

    fn open_made_by(system: &MemorySystem, mode: CacheMode, made_by: &str) -> OutlineStore {
        let config = config::load(system, Path::new("/r")).unwrap();
        OutlineStore::open(system, &CacheFolder::open(system, &config, mode), made_by)
    }

    /// The outline of a text that was inspected, where one that is made now says `made`.
    fn outline(store: &OutlineStore, path: &str, text: &str, made: &str) -> String {
        let (path, digest) = (RepoPath::new(path).unwrap(), sha256(text.as_bytes()));
        store.inspection(&path, &digest, text.as_bytes());
        store.outline(&MemorySystem::default(), (&path, &digest), || made.to_owned())
    }

    /// The same from what is on the disk, and saves.
    fn kept(system: &MemorySystem, mode: CacheMode, path: &str, text: &str, made: &str) -> String {
        let store = open(system, mode);
        let (of, digest) = (RepoPath::new(path).unwrap(), sha256(text.as_bytes()));
        store.inspection(&of, &digest, text.as_bytes());
        let found = store.outline(system, (&of, &digest), || made.to_owned());
        assert_eq!(store.save(system), None);
        found
    }

    #[test]
    fn an_outline_is_made_once_for_a_text_and_a_language() {
        let system = repository();
        let ask = |mode, path, text, made| kept(&system, mode, path, text, made);
        assert_eq!(ask(CacheMode::Use, "a.ts", TEXT, "first"), "first");
        let written = system.read(Path::new(RECENT)).unwrap();
        assert_eq!(ask(CacheMode::Use, "b/c.ts", TEXT, "second"), "first");
        assert_eq!(system.read(Path::new(RECENT)).unwrap(), written, "nothing new is not written");
        assert_eq!(ask(CacheMode::Use, "a.py", TEXT, "second"), "second");
        assert_eq!(ask(CacheMode::Use, "a.ts", "export const b = 1;\n", "other"), "other");
        assert_eq!(ask(CacheMode::Use, "a.ts", TEXT, "third"), "first");
        assert_eq!(ask(CacheMode::Rebuild, "a.ts", TEXT, "anew"), "anew");
        let others = open_made_by(&system, CacheMode::Use, "2");
        assert_eq!(outline(&others, "a.ts", TEXT, "of others"), "of others");
    }

    #[test]
    fn of_what_may_hold_secrets_only_the_verdict_is_kept() {
        let system = repository();
        let secret = format!("export const key = 'AKIA{}';\n", "Q3EGRIWQ7FZBKTNM");
        kept(&system, CacheMode::Use, "a.ts", &secret, "a-name-beside-a-secret");
        let written = system.read(Path::new(RECENT)).unwrap();
        let has = |text: &str| written.windows(text.len()).any(|part| part == text.as_bytes());
        assert!(!has("a-name-beside-a-secret") && !has("AKIA"));
        let (path, digest) = (RepoPath::new("a.ts").unwrap(), sha256(secret.as_bytes()));
        let store = open(&system, CacheMode::Use);
        let known = store.inspection(&path, &digest, b"not looked at");
        assert_eq!(known, portolan_guard::inspect(secret.as_bytes()));
        assert!(known.denial(&path).is_some());
    }

    #[test]
    fn what_was_not_inspected_is_not_kept() {
        let system = repository();
        let store = open(&system, CacheMode::Use);
        let (path, digest) = (RepoPath::new("a.ts").unwrap(), sha256(TEXT.as_bytes()));
        store.outline(&system, (&path, &digest), || "allowed".to_owned());
        assert_eq!(store.save(&system), None);
        assert!(system.read(Path::new(RECENT)).is_err());
    }

    #[test]
    fn damage_makes_an_outline_anew() {
        let system = repository();
        kept(&system, CacheMode::Use, "a.ts", TEXT, "outline");
        let written = system.read(Path::new(RECENT)).unwrap();
        for at in 0..written.len() {
            let mut damaged = written.clone();
            damaged[at] ^= 0x20;
            system.put(RECENT, damaged);
            assert_eq!(kept(&system, CacheMode::Read, "a.ts", TEXT, "outline"), "outline");
            system.put(RECENT, written[..at].to_vec());
            assert_eq!(kept(&system, CacheMode::Read, "a.ts", TEXT, "outline"), "outline");
        }
    }

    #[test]
    fn without_a_cache_nothing_is_kept() {
        let system = repository();
        for made in ["first", "second"] {
            assert_eq!(kept(&system, CacheMode::Off, "a.ts", TEXT, made), made);
        }
        assert!(system.read(Path::new(RECENT)).is_err());
    }
}
