//! The manifests of answers: a folder of the user's cache, with a file for each digest.
//!
//! Nothing depends on it: an answer without a manifest is asked for again, and so is one that the disk refuses.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use portolan_guard::redact;
use portolan_index::store::UserCache;
use portolan_vfs::System;
use portolan_wire::question::{ManifestV1, QuestionV1};
use serde_json::Value;

use super::TextAnswer;

/// The number of manifests that a clean-up keeps. It runs when there are about twice as many.
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
    pub fn put(&self, answer: &TextAnswer) {
        let Some(path) = self.path(&answer.digest) else { return };
        if has_secret(&answer.manifest.question) || !self.is_private() {
            return;
        }
        let bytes = answer.manifest.to_canonical();
        let known = self.system.read_at_most(&path, MOST_BYTES);
        if known.is_ok_and(|known| known == bytes.as_bytes()) {
            return;
        }
        // Without it the answer is as good; only `check` cannot vouch for it.
        let _ = self.cache.writer(self.system).write_unsynced(&path, bytes.as_bytes());
        // Now and then is often enough.
        if answer.digest.starts_with("00") {
            self.drop_oldest(KEPT);
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

    /// Makes sure that only the user may read the folders. What is in one that others could read is dropped, since
    /// earlier versions did not mask what they kept there.
    fn is_private(&self) -> bool {
        let folder = self.cache.answers();
        let is_there = self.cache.writer(self.system).create_dir_all(&folder).is_ok();
        let private = |path: &Path| self.system.create_private_dir(path);
        if !is_there || private(self.cache.path()).is_err() {
            return false;
        }
        match private(&folder) {
            Ok(true) => true,
            Ok(false) => {
                self.drop_oldest(0);
                true
            }
            Err(_) => false,
        }
    }

    /// Drops all but the newest.
    fn drop_oldest(&self, kept: usize) {
        let (folder, writer) = (self.cache.answers(), self.cache.writer(self.system));
        let entries = self.system.read_dir(&folder).unwrap_or_default();
        let paths = entries.iter().map(|entry| folder.join(&entry.name));
        let aged = |path: PathBuf| Some((self.system.lstat(&path).ok()?.mtime_ns, path));
        let mut all: Vec<(i128, PathBuf)> = paths.filter_map(aged).collect();
        all.sort_unstable();
        let gone = all.len().saturating_sub(kept);
        for (_, path) in all.into_iter().take(gone) {
            let _ = writer.remove_file(&path);
        }
    }
}

/// Whether a question holds a secret that its answer needs: a pattern or a target cannot be masked.
fn has_secret(question: &QuestionV1) -> bool {
    fn is_found(value: &Value) -> bool {
        match value {
            Value::String(text) => matches!(redact(text), Cow::Owned(masked) if masked != *text),
            Value::Array(all) => all.iter().any(is_found),
            Value::Object(members) => members.values().any(is_found),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    serde_json::to_value(question).is_ok_and(|question| is_found(&question))
}
