//! Counts of tokens on disk, by the digest of the counted text.
//!
//! One file of the [cache](crate::store). A count depends only on bytes, so it never becomes stale. When the file grows
//! too large, the counts that this run did not use are dropped.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use portolan_types::{Notice, Sha256Digest};
use portolan_vfs::System;
use rustc_hash::FxHashMap;

use super::{TokenStore, Tokenizer};
use crate::store::{CacheFile, CacheFolder};

const FILE: &str = "tokens.bin";
/// How many counts to keep; beyond that, only those that this run used.
const MOST: usize = 400_000;

/// Counts by the first half of the digest: no two texts of a repository agree in it.
type Counts = Vec<([u8; 16], u64)>;

/// A store that outlives the process.
pub struct DiskTokenStore {
    file: CacheFile,
    known: FxHashMap<[u8; 16], u64>,
    asked: Mutex<BTreeMap<[u8; 16], u64>>,
    has_grown: AtomicBool,
}

impl DiskTokenStore {
    /// The store of a repository; in memory only if the cache is not used.
    pub fn open(system: &dyn System, cache: &CacheFolder, tokenizer: Tokenizer) -> Self {
        let file = cache.file(FILE, tokenizer.name());
        let stored = file.read(system).ok().flatten();
        let counts: Option<Counts> = stored.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        Self {
            file,
            known: counts.unwrap_or_default().into_iter().collect(),
            asked: Mutex::default(),
            has_grown: AtomicBool::new(false),
        }
    }

    /// Writes the counts, if there are new ones.
    pub fn save(&self, system: &dyn System) -> Option<Notice> {
        if !self.has_grown.load(Ordering::Relaxed) {
            return None;
        }
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts: BTreeMap<[u8; 16], u64> = asked.clone();
        if self.known.len() + counts.len() <= MOST {
            counts.extend(self.known.iter().map(|(content, tokens)| (*content, *tokens)));
        }
        let counts: Counts = counts.into_iter().collect();
        self.file.write(system, &postcard::to_stdvec(&counts).ok()?)
    }
}

impl TokenStore for DiskTokenStore {
    fn get(&self, content: &Sha256Digest) -> Option<u64> {
        let key = key(content);
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.known.get(&key).or_else(|| asked.get(&key)).copied()?;
        asked.insert(key, known);
        Some(known)
    }

    fn put(&self, content: Sha256Digest, tokens: u64) {
        self.has_grown.store(true, Ordering::Relaxed);
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.insert(key(&content), tokens);
    }
}

fn key(content: &Sha256Digest) -> [u8; 16] {
    let mut key = [0; 16];
    key.copy_from_slice(&content.as_bytes()[..16]);
    key
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_vfs::{MemorySystem, System, sha256};

    use super::DiskTokenStore;
    use crate::store::{CacheFolder, CacheMode};
    use crate::token_counts::{TokenStore, Tokenizer};
    use portolan_workspace::config;

    const FILE: &str = "/r/.stan/cache/tokens.bin";

    fn repository() -> MemorySystem {
        let system = MemorySystem::default();
        system.put("/r/.git/HEAD", "");
        system.put("/r/.stan/cache/x", "");
        system
    }

    fn open(system: &MemorySystem, mode: CacheMode) -> DiskTokenStore {
        let config = config::load(system, Path::new("/r")).unwrap();
        let cache = CacheFolder::open(system, &config, mode);
        DiskTokenStore::open(system, &cache, Tokenizer::O200kBase)
    }

    #[test]
    fn counts_outlive_the_store() {
        let system = repository();
        let store = open(&system, CacheMode::Use);
        store.put(sha256(b"a"), 7);
        assert_eq!(store.get(&sha256(b"a")), Some(7));
        assert_eq!(store.save(&system), None);
        let store = open(&system, CacheMode::Use);
        assert_eq!(store.get(&sha256(b"a")), Some(7));
        assert_eq!(store.get(&sha256(b"b")), None);
        let before = system.stat(Path::new(FILE)).unwrap();
        store.save(&system);
        assert_eq!(system.stat(Path::new(FILE)).unwrap(), before, "nothing new, nothing written");
        assert_eq!(open(&system, CacheMode::Rebuild).get(&sha256(b"a")), None);
    }

    #[test]
    fn without_a_place_for_a_cache_nothing_is_written() {
        let system = MemorySystem::default();
        system.put("/r/.git/HEAD", "");
        for mode in [CacheMode::Use, CacheMode::Off] {
            let store = open(&system, mode);
            store.put(sha256(b"a"), 7);
            assert_eq!(store.get(&sha256(b"a")), Some(7));
            store.save(&system);
            assert!(system.stat(Path::new("/r/.stan")).is_err());
        }
    }
}
