//! `.snap.history.json`, version 1: the history of baselines, so that a `snap` can be undone.

use portolan_types::RepoPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::codec::{self, DecodeError, Versioned};

/// The baselines, oldest first, and the current one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryV1 {
    v: u32,
    /// The index of the current entry.
    pub index: usize,
    /// The entries.
    pub entries: Vec<HistoryEntry>,
}

/// A `snap`: copies of the baselines after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryEntry {
    /// The time, in seconds since 1970 (UTC).
    pub at: u64,
    /// The copy of the plain baseline, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "optional_path")]
    #[schemars(with = "Option<String>")]
    pub plain: Option<RepoPath>,
    /// The copy of the context baseline, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "optional_path")]
    #[schemars(with = "Option<String>")]
    pub context: Option<RepoPath>,
}

mod optional_path {
    use portolan_types::RepoPath;
    use serde::{Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde requires this signature")]
    pub(super) fn serialize<S: Serializer>(
        path: &Option<RepoPath>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        path.as_ref().map(RepoPath::as_str).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<RepoPath>, D::Error> {
        crate::codec::path::deserialize(deserializer).map(Some)
    }
}

impl Versioned for HistoryV1 {
    const VERSION: u32 = 1;
    fn version(&self) -> u32 {
        self.v
    }
}

impl Default for HistoryV1 {
    fn default() -> Self {
        Self { v: Self::VERSION, index: 0, entries: Vec::new() }
    }
}

impl HistoryV1 {
    /// The JSON Schema.
    pub fn schema() -> serde_json::Value {
        codec::schema::<Self>("snap-history")
    }

    /// Reads a history.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let history: Self = codec::read(bytes)?;
        let is_sound = history.entries.is_empty() || history.index < history.entries.len();
        is_sound
            .then_some(history)
            .ok_or_else(|| DecodeError::new("the index is beyond the entries"))
    }

    /// The canonical text, with a newline at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        codec::write(self)
    }
}
