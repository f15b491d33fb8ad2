//! A file of the store: an index, and the entries.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_types::Notice;
use portolan_vfs::System;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::Key;
use crate::store::{CacheFile, checksum};

/// The limit of the index.
const MOST_INDEX: usize = 64 << 20;
/// The limit of all entries.
const MOST_BODY: usize = 256 << 20;

/// An encoded entry.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) bytes: Arc<[u8]>,
    /// Whether the text contains a mark of globals. In the index, because it is needed for many files at once.
    pub(super) has_mark: bool,
    sum: u64,
}

impl Body {
    pub(super) fn new(bytes: Vec<u8>, has_mark: bool) -> Self {
        Self { sum: checksum(&bytes), bytes: bytes.into(), has_mark }
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
struct FactsEntry {
    key: Key,
    length: u32,
    sum: u64,
    has_mark: bool,
}

/// A file of the store.
#[derive(Debug)]
pub(super) struct FactsFile {
    file: CacheFile,
    /// Where the bodies start.
    start: u64,
    spots: FxHashMap<Key, Spot>,
    size: u64,
}

impl FactsFile {
    /// Opens it; a file that cannot be used counts as empty.
    pub(super) fn open(system: &dyn System, file: CacheFile) -> Self {
        let (index, start) = file.read_head(system, MOST_INDEX).unwrap_or_default();
        let entries: Vec<FactsEntry> = postcard::from_bytes(&index).unwrap_or_default();
        let (mut spots, mut at) = (FxHashMap::default(), start);
        for FactsEntry { key, length, sum, has_mark } in entries {
            spots.insert(key, Spot { at, length, sum, has_mark });
            at = at.saturating_add(u64::from(length));
        }
        Self { file, start, spots, size: at }
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// About how many bytes the index takes.
    pub(super) fn weight(&self) -> usize {
        self.spots.capacity() * size_of::<(Key, Spot)>()
    }

    /// An entry; `None` also if another process has replaced the file.
    pub(super) fn get(&self, system: &dyn System, key: &Key) -> Option<Body> {
        let spot = self.spots.get(key)?;
        let bytes = self.file.read_range(system, spot.at, spot.length as usize)?;
        let body = Body::new(bytes, spot.has_mark);
        (body.sum == spot.sum).then_some(body)
    }

    /// Whether the text of an entry contains a mark of globals.
    pub(super) fn has_mark(&self, key: &Key) -> Option<bool> {
        self.spots.get(key).map(|spot| spot.has_mark)
    }

    /// All undamaged entries.
    pub(super) fn all(&self, system: &dyn System) -> BTreeMap<Key, Body> {
        if self.spots.is_empty() {
            return BTreeMap::new();
        }
        let bytes = self.file.read_range(system, self.start, MOST_BODY).unwrap_or_default();
        let mut found = BTreeMap::new();
        // The result is sorted, so the order of the hash map does not matter.
        found.extend(self.spots.iter().filter_map(|(key, spot)| {
            let at = usize::try_from(spot.at - self.start).ok()?;
            let own = bytes.get(at..at.checked_add(spot.length as usize)?)?;
            let body = Body::new(own.to_vec(), spot.has_mark);
            (body.sum == spot.sum).then_some((*key, body))
        }));
        found
    }

    /// Replaces the content.
    pub(super) fn write(
        &self,
        system: &dyn System,
        bodies: &BTreeMap<Key, Body>,
    ) -> Option<Notice> {
        let entry = |(key, body): (&Key, &Body)| {
            let length = u32::try_from(body.bytes.len()).ok()?;
            Some(FactsEntry { key: *key, length, sum: body.sum, has_mark: body.has_mark })
        };
        let index: Vec<FactsEntry> = bodies.iter().map(entry).collect::<Option<_>>()?;
        let index = postcard::to_stdvec(&index).ok()?;
        self.file.write_parts(system, &index, bodies.values().map(|body| &*body.bytes))
    }

    /// Removes it: its content is in the other file now.
    pub(super) fn remove(&self, system: &dyn System) {
        self.file.remove(system);
    }
}
