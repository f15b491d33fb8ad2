//! Where the manifests of answers are kept: a folder of the user's cache, a file for each digest.
//!
//! Nothing depends on it: an answer whose manifest is not there any more is asked for again. A fault of the
//! disk is treated as such. Only the user may read it, and no secret is written to it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use portolan_guard::redact;
use portolan_vfs::System;
use portolan_wire::question::{ManifestV1, QuestionV1};
use serde_json::Value;

use super::TextAnswer;

/// So many manifests are kept at least; twice as many at most, about.
const KEPT: usize = 1_000;
/// A larger manifest is none of ours.
const MOST_BYTES: usize = 16 << 20;

/// The manifests of answers.
#[derive(Clone)]
pub struct AnswerStore<'s> {
    system: &'s dyn System,
    folder: PathBuf,
}

impl<'s> AnswerStore<'s> {
    /// The store in the cache folder of a user, which is made when something is put there.
    pub fn new(system: &'s dyn System, cache: &Path) -> Self {
        Self { system, folder: cache.join("portolan").join("answers") }
    }

    /// The folder, if it is there or can be made. Only the user may read it; what is in one that others could read is
    /// dropped, since earlier versions did not mask what they kept there.
    pub fn folder(&self) -> Option<PathBuf> {
        let own = self.folder.parent()?;
        self.system.create_dir_all(own.parent()?).ok()?;
        self.system.create_private_dir(own).ok()?;
        if !self.system.create_private_dir(&self.folder).ok()? {
            self.drop_oldest(0);
        }
        Some(self.folder.clone())
    }

    /// Keeps what an answer was made from.
    pub fn put(&self, answer: &TextAnswer) {
        let Some(path) = self.path(&answer.digest) else { return };
        if has_secret(&answer.manifest.question) || self.folder().is_none() {
            return;
        }
        let bytes = answer.manifest.to_canonical();
        let known = self.system.read_at_most(&path, MOST_BYTES);
        if known.is_ok_and(|known| known == bytes.as_bytes()) {
            return;
        }
        // Without it the answer is as good; only that `check` cannot vouch for it.
        let _ = self.system.write_private_unsynced(&path, bytes.as_bytes());
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
        is_digest.then(|| self.folder.join(format!("{}.json", digest.to_ascii_lowercase())))
    }

    /// Drops all but the newest.
    fn drop_oldest(&self, kept: usize) {
        let entries = self.system.read_dir(&self.folder).unwrap_or_default();
        let paths = entries.iter().map(|entry| self.folder.join(&entry.name));
        let aged = |path: PathBuf| Some((self.system.lstat(&path).ok()?.mtime_ns, path));
        let mut all: Vec<(i128, PathBuf)> = paths.filter_map(aged).collect();
        all.sort_unstable();
        let gone = all.len().saturating_sub(kept);
        for (_, path) in all.into_iter().take(gone) {
            let _ = self.system.remove_file(&path);
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
