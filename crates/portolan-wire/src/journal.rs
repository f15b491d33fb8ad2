//! The journal of an `apply`, version 1: the old and new state of each file. It is written before the first file
//! is touched, so that an interrupted `apply` can be rolled back, and kept after the last one, so that a complete
//! `apply` can be undone.

use portolan_types::{RepoPath, Sha256Digest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::codec::{self, DecodeError, Versioned};

/// A journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct JournalV1 {
    v: u32,
    /// The inode of the journal's folder. A journal that came from elsewhere has another one and is
    /// ignored.
    pub place: String,
    /// Whether it undoes another one.
    pub is_undo: bool,
    /// The files, in order of their paths.
    pub files: Vec<JournalFile>,
    /// The folders created explicitly.
    pub made: Vec<JournalFolder>,
    /// The folders removed explicitly.
    pub removed: Vec<JournalFolder>,
}

/// A file, before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct JournalFile {
    /// Its path.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// The digest of the old content; `None` if it did not exist.
    #[serde(with = "optional_hex")]
    #[schemars(with = "Option<String>")]
    pub before: Option<Sha256Digest>,
    /// The digest of the new content; `None` if it is deleted.
    #[serde(with = "optional_hex")]
    #[schemars(with = "Option<String>")]
    pub after: Option<Sha256Digest>,
}

/// A folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct JournalFolder {
    /// Its path.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub path: RepoPath,
}

mod optional_hex {
    use portolan_types::Sha256Digest;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde requires this signature")]
    pub(super) fn serialize<S: Serializer>(
        digest: &Option<Sha256Digest>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        digest.as_ref().map(Sha256Digest::to_hex).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Sha256Digest>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}

impl Versioned for JournalV1 {
    const VERSION: u32 = 1;
    fn version(&self) -> u32 {
        self.v
    }
}

impl JournalV1 {
    /// The JSON Schema.
    pub fn schema() -> serde_json::Value {
        codec::schema::<Self>("apply-journal")
    }

    /// A new journal.
    pub fn new(place: String, is_undo: bool, files: Vec<JournalFile>) -> Self {
        Self { v: Self::VERSION, place, is_undo, files, made: Vec::new(), removed: Vec::new() }
    }

    /// Reads a journal. Each path may occur once.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let journal: Self = codec::read(bytes)?;
        let is_sorted = journal.files.is_sorted_by(|left, right| left.path < right.path);
        is_sorted.then_some(journal).ok_or_else(|| DecodeError::new("the paths are not in order"))
    }

    /// The canonical text, with a newline at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        codec::write(self)
    }
}

#[cfg(test)]
mod tests {
    use portolan_types::{RepoPath, Sha256Digest};

    use super::{JournalFile, JournalFolder, JournalV1};

    fn file(path: &str) -> JournalFile {
        let after = Some(Sha256Digest::from_bytes([7; 32]));
        JournalFile { path: RepoPath::new(path).unwrap(), before: None, after }
    }

    #[test]
    fn a_journal_is_read_back_and_nothing_else_is_accepted() {
        let mut journal = JournalV1::new("1f".to_owned(), false, vec![file("a"), file("b/c")]);
        journal.made.push(JournalFolder { path: RepoPath::new("d").unwrap() });
        let bytes = journal.to_bytes();
        assert_eq!(JournalV1::from_bytes(&bytes).unwrap(), journal);
        let text = String::from_utf8(bytes).unwrap();
        for (from, to) in [
            ("\"v\":1", "\"v\":2"),
            ("b/c", "../c"),
            ("\"b/c\"", "\"a\""),
            ("0707", "07"),
            ("\"v\":1", "\"v\":1,\"x\":1"),
        ] {
            assert!(JournalV1::from_bytes(text.replacen(from, to, 1).as_bytes()).is_err(), "{to}");
        }
    }
}
