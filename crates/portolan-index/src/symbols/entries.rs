//! Entries about texts on disk, by the digest of the text.
//!
//! There are two files: a large one that is rarely written, and one for what came since. Each starts with an index; of
//! the rest only the wanted entries are read.

mod file;

use std::collections::BTreeMap;

use portolan_types::Notice;
use portolan_vfs::System;

pub(super) use self::file::Body;
use self::file::{EntryFile, EntryKey, EntryMark};
use crate::store::CacheFolder;

/// What the files of a store are called, and how large they may become.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryLayout {
    /// The name of the large file.
    pub(super) base: &'static str,
    /// The name of the other one.
    pub(super) recent: &'static str,
    /// Recent entries move to the large file when they exceed this, and a quarter of that file.
    pub(super) many_recent: u64,
    /// The limit of both; older entries are dropped.
    pub(super) most: u64,
}

/// The entries of a store on disk. Their keys are `K`; `M` is what the index itself says of each.
#[derive(Debug)]
pub(super) struct EntryFiles<K, M> {
    layout: EntryLayout,
    recent: EntryFile<K, M>,
    base: EntryFile<K, M>,
}

impl<K: EntryKey, M: EntryMark> EntryFiles<K, M> {
    /// Opens them; `identity` changes whenever an entry may change. `None` if the cache is not used.
    pub(super) fn open(
        system: &dyn System,
        cache: &CacheFolder,
        identity: &str,
        layout: EntryLayout,
    ) -> Option<Self> {
        let open = |name| EntryFile::open(system, cache.file(name, identity));
        cache.is_used().then(|| Self {
            layout,
            recent: open(layout.recent),
            base: open(layout.base),
        })
    }

    /// About how many bytes the indexes take.
    pub(super) fn weight(&self) -> usize {
        self.recent.weight() + self.base.weight()
    }

    /// An entry.
    pub(super) fn get(&self, system: &dyn System, key: &K) -> Option<Body<M>> {
        self.recent.get(system, key).or_else(|| self.base.get(system, key))
    }

    /// What the index says of an entry.
    pub(super) fn mark(&self, key: &K) -> Option<M> {
        self.recent.mark(key).or_else(|| self.base.mark(key))
    }

    /// Creates the folder of the cache. Where that fails, nothing is written later.
    pub(super) fn prepare(&self, system: &dyn System) {
        let _ = self.recent.folder().prepare(system);
    }

    /// Writes new entries beside those that are there, unless another process writes to the cache.
    pub(super) fn add(&self, system: &dyn System, fresh: &BTreeMap<K, Body<M>>) -> Option<Notice> {
        let Self { layout, recent, base } = self;
        let mut bodies = recent.all(system);
        bodies.extend(fresh.iter().map(|(key, body)| (*key, body.clone())));
        let size: u64 = bodies.values().map(|body| body.bytes.len() as u64).sum();
        if size <= layout.many_recent.max(base.size() / 4) {
            return recent.write(system, &bodies);
        }
        if base.size() + size <= layout.most {
            let mut all = base.all(system);
            all.append(&mut bodies);
            bodies = all;
        }
        let notice = base.write(system, &bodies);
        if notice.is_none() {
            recent.remove(system);
        }
        notice
    }
}
