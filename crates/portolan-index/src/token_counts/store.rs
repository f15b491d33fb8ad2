//! Counts of tokens on disk, by the digest of what was counted.
//!
//! One file below the workspace's cache. A count depends on bytes alone, so nothing in it grows old;
//! what is not asked for goes when the file grows too large. A file that is damaged, or counted by
//! another tokenizer, is as good as none.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use portolan_types::{Notice, NoticeCode, Place, Sha256Digest};
use portolan_vfs::{System, sha256};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{TokenStore, Tokenizer};
use crate::map::{CACHE_FOLDER, CacheMode, is_real_folder};
use portolan_workspace::config::Loaded;

const FILE: &str = "tokens.bin";
/// The format and its version.
const MARK: &str = "portolan-tokens 2";
/// So many counts are kept; beyond that, those that this run asked for.
const MOST: usize = 400_000;

#[derive(Default, Serialize, Deserialize)]
struct Stored {
    mark: String,
    tokenizer: String,
    /// By the first half of the digest: nobody has two texts that agree in it.
    counts: Vec<([u8; 16], u64)>,
}

/// A store that outlives the process.
pub struct DiskTokenStore {
    tokenizer: Tokenizer,
    /// `None` where there is no place to keep anything.
    path: Option<PathBuf>,
    shown: String,
    known: FxHashMap<[u8; 16], u64>,
    asked: Mutex<BTreeMap<[u8; 16], u64>>,
    has_grown: AtomicBool,
}

impl DiskTokenStore {
    /// The store of a repository; it is empty, and stays in memory, where there is no workspace or
    /// the cache is not to be used.
    pub fn open(
        system: &dyn System,
        config: &Loaded,
        tokenizer: Tokenizer,
        cache: CacheMode,
    ) -> Self {
        let stan_path = &config.settings.stan_path;
        let folder = config.root.join(stan_path.as_str()).join(CACHE_FOLDER);
        let is_usable = cache != CacheMode::Off && is_real_folder(system, &folder);
        let path = is_usable.then(|| folder.join(FILE));
        let read = path.as_ref().filter(|_| cache.reads());
        let known = read.and_then(|path| decode(&system.read(path).ok()?, tokenizer));
        Self {
            tokenizer,
            path: path.filter(|_| cache.writes()),
            shown: format!("{stan_path}/{CACHE_FOLDER}/{FILE}"),
            known: known.unwrap_or_default(),
            asked: Mutex::default(),
            has_grown: AtomicBool::new(false),
        }
    }

    /// Writes what was counted, if anything was.
    pub fn save(&self, system: &dyn System, config: &Loaded) -> Option<Notice> {
        let path = self.path.as_ref()?;
        if !self.has_grown.load(Ordering::Relaxed) {
            return None;
        }
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts: BTreeMap<[u8; 16], u64> = asked.clone();
        if self.known.len() + counts.len() <= MOST {
            counts.extend(self.known.iter().map(|(content, tokens)| (*content, *tokens)));
        }
        let stored = Stored {
            mark: MARK.to_owned(),
            tokenizer: self.tokenizer.name().to_owned(),
            counts: counts.into_iter().collect(),
        };
        let restricted = system.restricted_to(&config.root, &config.settings.stan_path);
        let written = restricted.create(path).and_then(|mut pending| {
            pending.write_all(&encode(&stored))?;
            pending.commit_unsynced()
        });
        let error = written.err()?;
        let place = Place::file(self.shown.clone());
        Some(Notice::at(NoticeCode::CacheUnwritable, place, error.to_string()))
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

/// The bytes of a store: a digest, so that no damage goes unseen, and what it is of.
fn encode(stored: &Stored) -> Vec<u8> {
    // Writing plain data to memory does not fail; were it to, nothing can be read back from it.
    let body = postcard::to_stdvec(stored).unwrap_or_default();
    [sha256(&body).as_bytes().as_slice(), &body].concat()
}

fn decode(bytes: &[u8], tokenizer: Tokenizer) -> Option<FxHashMap<[u8; 16], u64>> {
    let (sum, body) = bytes.split_at_checked(32)?;
    let stored: Stored = postcard::from_bytes(body).ok()?;
    let is_ours = sum == sha256(body).as_bytes()
        && stored.mark == MARK
        && stored.tokenizer == tokenizer.name();
    is_ours.then(|| stored.counts.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_vfs::{MemorySystem, System, sha256};

    use super::DiskTokenStore;
    use crate::map::CacheMode;
    use crate::token_counts::{TokenStore, Tokenizer};
    use portolan_workspace::config::{self, Loaded};

    const FILE: &str = "/r/.stan/cache/tokens.bin";

    fn repository() -> (MemorySystem, Loaded) {
        let system = MemorySystem::default();
        system.put("/r/.git/HEAD", "");
        system.put("/r/.stan/cache/x", "");
        let config = config::load(&system, Path::new("/r")).unwrap();
        (system, config)
    }

    fn open(system: &MemorySystem, config: &Loaded, mode: CacheMode) -> DiskTokenStore {
        DiskTokenStore::open(system, config, Tokenizer::O200kBase, mode)
    }

    #[test]
    fn counts_outlive_the_store() {
        let (system, config) = repository();
        let store = open(&system, &config, CacheMode::Use);
        store.put(sha256(b"a"), 7);
        assert_eq!(store.get(&sha256(b"a")), Some(7));
        assert_eq!(store.save(&system, &config), None);
        let store = open(&system, &config, CacheMode::Use);
        assert_eq!(store.get(&sha256(b"a")), Some(7));
        assert_eq!(store.get(&sha256(b"b")), None);
        let before = system.stat(Path::new(FILE)).unwrap();
        store.save(&system, &config);
        assert_eq!(system.stat(Path::new(FILE)).unwrap(), before, "nothing new, nothing written");
        assert_eq!(open(&system, &config, CacheMode::Rebuild).get(&sha256(b"a")), None);
    }

    #[test]
    fn no_damage_goes_unseen() {
        let (system, config) = repository();
        let store = open(&system, &config, CacheMode::Use);
        store.put(sha256(b"a"), 7);
        store.save(&system, &config);
        let bytes = system.read(Path::new(FILE)).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            system.put(FILE, damaged);
            assert_eq!(open(&system, &config, CacheMode::Use).get(&sha256(b"a")), None, "{at}");
        }
    }

    #[test]
    fn without_a_workspace_nothing_is_written() {
        let system = MemorySystem::default();
        system.put("/r/.git/HEAD", "");
        let config = config::load(&system, Path::new("/r")).unwrap();
        for mode in [CacheMode::Use, CacheMode::Off] {
            let store = open(&system, &config, mode);
            store.put(sha256(b"a"), 7);
            assert_eq!(store.get(&sha256(b"a")), Some(7));
            store.save(&system, &config);
            assert!(system.stat(Path::new("/r/.stan")).is_err());
        }
    }
}
