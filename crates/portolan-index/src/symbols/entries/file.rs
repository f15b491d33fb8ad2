//! A file of entries: an index, and their bodies.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

use portolan_types::Notice;
use portolan_vfs::System;
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::store::{CacheFile, CacheFolder, checksum};

/// The limit of the index.
const MOST_INDEX: usize = 64 << 20;
/// The limit of all entries.
const MOST_BODY: usize = 256 << 20;

/// What an entry is found by.
pub(in crate::symbols) trait EntryKey:
    Copy + Ord + Hash + Serialize + DeserializeOwned
{
}

impl<K: Copy + Ord + Hash + Serialize + DeserializeOwned> EntryKey for K {}

/// What the index says of an entry: it is needed for many entries at once.
pub(in crate::symbols) trait EntryMark:
    Copy + Serialize + DeserializeOwned
{
}

impl<M: Copy + Serialize + DeserializeOwned> EntryMark for M {}

/// An encoded entry.
#[derive(Clone, Debug)]
pub(in crate::symbols) struct Body<M> {
    pub(in crate::symbols) bytes: Arc<[u8]>,
    pub(in crate::symbols) mark: M,
    sum: u64,
}

impl<M> Body<M> {
    pub(in crate::symbols) fn new(bytes: Vec<u8>, mark: M) -> Self {
        Self { sum: checksum(&bytes), bytes: bytes.into(), mark }
    }
}

/// Where a body is in its file.
#[derive(Clone, Copy, Debug)]
struct Spot<M> {
    at: u64,
    length: u32,
    sum: u64,
    mark: M,
}

#[derive(Serialize, Deserialize)]
struct IndexEntry<K, M> {
    key: K,
    length: u32,
    sum: u64,
    mark: M,
}

/// A file of entries.
#[derive(Debug)]
pub(super) struct EntryFile<K, M> {
    file: CacheFile,
    /// Where the bodies start.
    start: u64,
    spots: FxHashMap<K, Spot<M>>,
    size: u64,
}

impl<K: EntryKey, M: EntryMark> EntryFile<K, M> {
    /// Opens it; a file that cannot be used counts as empty.
    pub(super) fn open(system: &dyn System, file: CacheFile) -> Self {
        let (index, start) = file.read_head(system, MOST_INDEX).unwrap_or_default();
        let entries: Vec<IndexEntry<K, M>> = postcard::from_bytes(&index).unwrap_or_default();
        let (mut spots, mut at) = (FxHashMap::default(), start);
        for IndexEntry { key, length, sum, mark } in entries {
            spots.insert(key, Spot { at, length, sum, mark });
            at = at.saturating_add(u64::from(length));
        }
        Self { file, start, spots, size: at }
    }

    pub(super) fn folder(&self) -> &CacheFolder {
        self.file.folder()
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// About how many bytes the index takes.
    pub(super) fn weight(&self) -> usize {
        self.spots.capacity() * size_of::<(K, Spot<M>)>()
    }

    /// An entry; `None` also if another process has replaced the file.
    pub(super) fn get(&self, system: &dyn System, key: &K) -> Option<Body<M>> {
        let spot = self.spots.get(key)?;
        let bytes = self.file.read_range(system, spot.at, spot.length as usize)?;
        let body = Body::new(bytes, spot.mark);
        (body.sum == spot.sum).then_some(body)
    }

    /// What the index says of an entry.
    pub(super) fn mark(&self, key: &K) -> Option<M> {
        self.spots.get(key).map(|spot| spot.mark)
    }

    /// All undamaged entries.
    pub(super) fn all(&self, system: &dyn System) -> BTreeMap<K, Body<M>> {
        if self.spots.is_empty() {
            return BTreeMap::new();
        }
        let bytes = self.file.read_range(system, self.start, MOST_BODY).unwrap_or_default();
        let mut found = BTreeMap::new();
        // The result is sorted, so the order of the hash map does not matter.
        found.extend(self.spots.iter().filter_map(|(key, spot)| {
            let at = usize::try_from(spot.at - self.start).ok()?;
            let own = bytes.get(at..at.checked_add(spot.length as usize)?)?;
            let body = Body::new(own.to_vec(), spot.mark);
            (body.sum == spot.sum).then_some((*key, body))
        }));
        found
    }

    /// Replaces the content.
    pub(super) fn write(
        &self,
        system: &dyn System,
        bodies: &BTreeMap<K, Body<M>>,
    ) -> Option<Notice> {
        let entry = |(key, body): (&K, &Body<M>)| {
            let length = u32::try_from(body.bytes.len()).ok()?;
            Some(IndexEntry { key: *key, length, sum: body.sum, mark: body.mark })
        };
        let index: Vec<IndexEntry<K, M>> = bodies.iter().map(entry).collect::<Option<_>>()?;
        let index = postcard::to_stdvec(&index).ok()?;
        self.file.write_parts(system, &index, bodies.values().map(|body| &*body.bytes))
    }

    /// Removes it: its content is in the other file now.
    pub(super) fn remove(&self, system: &dyn System) {
        self.file.remove(system);
    }
}
