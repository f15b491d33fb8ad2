//! The manifests of answers: a folder of the user's cache, with a file for each digest.
//!
//! Nothing depends on it: an answer without a manifest is asked for again, and so is one that the disk refuses.

use std::path::{Path, PathBuf};

use portolan_index::store::UserCache;
use portolan_vfs::System;
use portolan_wire::question::ManifestV1;

use super::Answer;

/// So many manifests are kept at least; twice as many at most, about.
const KEPT: usize = 1_000;
/// A larger manifest is none of ours.
const MOST_BYTES: usize = 16 << 20;

/// The manifests of answers.
#[derive(Clone)]
pub struct AnswerStore<'s> {
    system: &'s dyn System,
    cache: UserCache,
}

impl<'s> AnswerStore<'s> {
    /// The store in the cache folder of a user. It is created when the first manifest is put there.
    pub fn open(system: &'s dyn System, cache: &Path) -> Option<Self> {
        Some(Self { system, cache: UserCache::open(system, cache)? })
    }

    /// Keeps what an answer was made from.
    pub fn put(&self, answer: &Answer) {
        let Some(path) = self.path(&answer.digest) else { return };
        let bytes = answer.manifest.to_canonical();
        let known = self.system.read_at_most(&path, MOST_BYTES);
        if known.is_ok_and(|known| known == bytes.as_bytes()) {
            return;
        }
        let writer = self.cache.writer(self.system);
        // Without it the answer is as good; only `check` cannot vouch for it.
        let _ = writer
            .create_dir_all(&self.cache.answers())
            .and_then(|()| writer.write_unsynced(&path, bytes.as_bytes()));
        // Now and then is often enough.
        if answer.digest.starts_with("00") {
            self.prune();
        }
    }

    /// What the answer with a digest was made from.
    pub fn get(&self, digest: &str) -> Option<ManifestV1> {
        let bytes = self.system.read_at_most(&self.path(digest)?, MOST_BYTES).ok()?;
        ManifestV1::read(&bytes)
    }

    /// The file of a digest; `None` for what is none.
    fn path(&self, digest: &str) -> Option<PathBuf> {
        let is_digest = digest.len() == 16 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_digest
            .then(|| self.cache.answers().join(format!("{}.json", digest.to_ascii_lowercase())))
    }

    /// Lets the oldest go.
    fn prune(&self) {
        let (folder, writer) = (self.cache.answers(), self.cache.writer(self.system));
        let entries = self.system.read_dir(&folder).unwrap_or_default();
        let paths = entries.iter().map(|entry| folder.join(&entry.name));
        let aged = |path: PathBuf| Some((self.system.lstat(&path).ok()?.mtime_ns, path));
        let mut all: Vec<(i128, PathBuf)> = paths.filter_map(aged).collect();
        all.sort_unstable();
        let gone = all.len().saturating_sub(KEPT);
        for (_, path) in all.into_iter().take(gone) {
            let _ = writer.remove_file(&path);
        }
    }
}
