//! `archive.diff.json`, version 1: the changes since the baseline, including deleted files. It is written beside
//! `archive.diff.tar` and is in no archive.

use portolan_types::RepoPath;
use schemars::JsonSchema;
use serde::Serialize;

use crate::codec;
use crate::snapshot::Fingerprint;

/// The differences between the baseline and the archive. Each list is sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// Whether there was a baseline; without one, every file is new.
    pub baseline: bool,
    /// New files, which are in the diff archive.
    pub added: Vec<FileChange>,
    /// Changed files, which are in the diff archive.
    pub changed: Vec<FileChange>,
    /// Files deleted from the disk.
    pub deleted: Vec<FileChange>,
    /// Files on the disk that are no longer in the archive.
    pub deselected: Vec<FileChange>,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Change")]
pub struct FileChange {
    /// Its path.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// The new content; for a deleted or deselected file, the old one.
    #[serde(flatten)]
    pub fingerprint: Fingerprint,
    /// The old content of a changed file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Fingerprint>,
}

impl DiffReportV1 {
    /// The JSON Schema.
    pub fn schema() -> serde_json::Value {
        codec::schema::<Self>("diff-report")
    }

    /// Whether there is nothing to send.
    pub fn sends_nothing(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty()
    }

    /// The canonical text, with a newline at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        codec::write(self)
    }
}
