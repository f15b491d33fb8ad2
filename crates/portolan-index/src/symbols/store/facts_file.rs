//! A file of the store: an index, and what it leads to.

use std::collections::BTreeMap;
use std::hash::Hasher as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use portolan_vfs::System;
use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};

use super::Key;

/// The format and its version.
const MARK: &[u8; 16] = b"portolan-decls 1";
/// The mark, the length of the index, its check sum.
const HEAD: usize = MARK.len() + 16;
/// No index is larger.
const MOST_INDEX: u64 = 64 << 20;
/// Nothing that the index leads to is larger.
const MOST_BODY: usize = 256 << 20;

/// What is known of a text, encoded.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) bytes: Arc<[u8]>,
    /// Whether what marks globals stands in the text: asked of many files at once.
    pub(super) has_mark: bool,
    sum: u64,
}

impl Body {
    pub(super) fn new(bytes: Vec<u8>, has_mark: bool) -> Self {
        Self { sum: sum_of(&bytes), bytes: bytes.into(), has_mark }
    }
}

/// Where a body is in its file.
#[derive(Clone, Copy, Debug)]
struct Spot {
    at: u64,
    length: u32,
    sum: u64,
    has_mark: bool,
}

#[derive(Serialize, Deserialize)]
struct Index {
    identity: String,
    entries: Vec<FactsEntry>,
}

#[derive(Serialize, Deserialize)]
struct FactsEntry {
    key: Key,
    length: u32,
    sum: u64,
    has_mark: bool,
}

/// A file of the store.
#[derive(Debug, Default)]
pub(super) struct FactsFile {
    path: PathBuf,
    spots: FxHashMap<Key, Spot>,
    size: u64,
}

impl FactsFile {
    /// Nothing yet.
    pub(super) fn empty(path: PathBuf) -> Self {
        Self { path, ..Self::default() }
    }

    /// What is there, as far as it was written by the same.
    pub(super) fn open(system: &dyn System, path: PathBuf, identity: &str) -> Self {
        let index = read_index(system, &path).filter(|(index, _)| index.identity == identity);
        let Some((index, mut at)) = index else { return Self::empty(path) };
        let mut spots = FxHashMap::default();
        for FactsEntry { key, length, sum, has_mark } in index.entries {
            spots.insert(key, Spot { at, length, sum, has_mark });
            at = at.saturating_add(u64::from(length));
        }
        Self { path, spots, size: at }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// About how many bytes the index takes.
    pub(super) fn weight(&self) -> usize {
        self.spots.capacity() * size_of::<(Key, Spot)>()
    }

    /// One of them; `None` also where another process has written the file anew.
    pub(super) fn get(&self, system: &dyn System, key: &Key) -> Option<Body> {
        let spot = self.spots.get(key)?;
        let bytes = system.read_range(&self.path, spot.at, spot.length as usize).ok()?;
        let body = Body::new(bytes, spot.has_mark);
        (body.sum == spot.sum).then_some(body)
    }

    /// Whether what marks globals stands in the text of one of them.
    pub(super) fn has_mark(&self, key: &Key) -> Option<bool> {
        self.spots.get(key).map(|spot| spot.has_mark)
    }

    /// All that are whole.
    pub(super) fn all(&self, system: &dyn System) -> BTreeMap<Key, Body> {
        if self.spots.is_empty() {
            return BTreeMap::new();
        }
        let bytes = system.read_at_most(&self.path, MOST_BODY + MOST_INDEX as usize);
        let bytes = bytes.unwrap_or_default();
        let mut found = BTreeMap::new();
        // The order of a hash map does not matter: what is found is sorted.
        found.extend(self.spots.iter().filter_map(|(key, spot)| {
            let at = usize::try_from(spot.at).ok()?;
            let own = bytes.get(at..at.checked_add(spot.length as usize)?)?;
            let body = Body::new(own.to_vec(), spot.has_mark);
            (body.sum == spot.sum).then_some((*key, body))
        }));
        found
    }
}

fn read_index(system: &dyn System, path: &Path) -> Option<(Index, u64)> {
    let head = system.read_range(path, 0, HEAD).ok()?;
    let rest = head.strip_prefix(MARK)?;
    let length = u64::from_le_bytes(rest.get(..8)?.try_into().ok()?);
    let sum = u64::from_le_bytes(rest.get(8..16)?.try_into().ok()?);
    if length > MOST_INDEX {
        return None;
    }
    let bytes = system.read_range(path, HEAD as u64, length as usize).ok()?;
    let index: Index = postcard::from_bytes(&bytes).ok()?;
    (sum_of(&bytes) == sum).then_some((index, HEAD as u64 + length))
}

/// Writes a file of the store.
pub(super) fn write(
    system: &dyn System,
    path: &Path,
    identity: &str,
    bodies: &BTreeMap<Key, Body>,
) -> io::Result<()> {
    let entry = |(key, body): (&Key, &Body)| {
        let length = u32::try_from(body.bytes.len()).map_err(io::Error::other)?;
        Ok(FactsEntry { key: *key, length, sum: body.sum, has_mark: body.has_mark })
    };
    let entries = bodies.iter().map(entry).collect::<io::Result<Vec<_>>>()?;
    let index = Index { identity: identity.to_owned(), entries };
    let index = postcard::to_stdvec(&index).map_err(io::Error::other)?;
    let mut pending = system.create(path)?;
    pending.write_all(MARK)?;
    pending.write_all(&(index.len() as u64).to_le_bytes())?;
    pending.write_all(&sum_of(&index).to_le_bytes())?;
    pending.write_all(&index)?;
    for body in bodies.values() {
        pending.write_all(&body.bytes)?;
    }
    pending.commit_unsynced()
}

/// Finds damage, not malice.
fn sum_of(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}
