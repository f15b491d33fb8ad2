//! `archive.diff.json`, version 1: what changed since the baseline, so that nobody has to guess
//! what went away. It lies beside `archive.diff.tar` and is in no archive.

use portolan_types::RepoPath;
use schemars::JsonSchema;
use serde::Serialize;

use crate::codec;
use crate::snapshot::Fingerprint;

/// What differs between the baseline and the archive. Each list is sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// Whether there was a baseline; without one every file is new.
    pub baseline: bool,
    /// New files: they are in the diff archive.
    pub added: Vec<Change>,
    /// Files with other bytes: they are in the diff archive.
    pub changed: Vec<Change>,
    /// Files that are gone from the disk.
    pub deleted: Vec<Change>,
    /// Files that are there but no longer in the archive.
    pub deselected: Vec<Change>,
}

/// One file that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// Its path.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// What it is now; what it was, where it is no longer there.
    #[serde(flatten)]
    pub fingerprint: Fingerprint,
    /// What it was, for a changed file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Fingerprint>,
}

impl DiffReportV1 {
    /// The JSON Schema.
    pub fn schema() -> serde_json::Value {
        codec::schema::<Self>("diff-report")
    }

    /// Whether nothing has to be sent.
    pub fn sends_nothing(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty()
    }

    /// The canonical text, with a newline at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        codec::write(self)
    }
}
