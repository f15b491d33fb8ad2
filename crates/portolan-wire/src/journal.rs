//! The journal of an `apply`, version 1: what each file was and is to be. It is written before the
//! first file is touched, so that an `apply` that was cut short can be taken back, and kept after the
//! last one, so that a whole one can be.

use portolan_types::{RepoPath, Sha256Digest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::codec::{self, ReadError, Versioned};

/// What was, or is being, applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct JournalV1 {
    v: u32,
    /// The number that the file system gives the folder it lies in: one that came from elsewhere is not
    /// followed.
    pub place: String,
    /// Whether it takes another one back.
    pub is_undo: bool,
    /// The files, in order of their paths.
    pub files: Vec<JournalFile>,
    /// The folders that were made by name.
    pub made: Vec<JournalFolder>,
    /// The folders that were removed by name.
    pub removed: Vec<JournalFolder>,
}

/// A file, before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct JournalFile {
    /// Which.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// The digest of what it was; `None` where there was none.
    #[serde(with = "optional_hex")]
    #[schemars(with = "Option<String>")]
    pub before: Option<Sha256Digest>,
    /// The digest of what it is to be; `None` where there is to be none.
    #[serde(with = "optional_hex")]
    #[schemars(with = "Option<String>")]
    pub after: Option<Sha256Digest>,
}

/// A folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct JournalFolder {
    /// Which.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub path: RepoPath,
}

mod optional_hex {
    use portolan_types::Sha256Digest;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "the signature that serde asks for")]
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

    /// A journal.
    pub fn new(place: String, is_undo: bool, files: Vec<JournalFile>) -> Self {
        Self { v: Self::VERSION, place, is_undo, files, made: Vec::new(), removed: Vec::new() }
    }

    /// Reads one. A path stands in it once.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        let journal: Self = codec::read(bytes)?;
        let is_sorted = journal.files.is_sorted_by(|left, right| left.path < right.path);
        is_sorted.then_some(journal).ok_or_else(|| ReadError::new("the paths are not in order"))
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
    fn what_is_written_is_read_and_nothing_else() {
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
