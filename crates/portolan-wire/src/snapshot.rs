//! A snapshot, version 1: the content of an archive when the baseline was set. Diffs compare with it. Version 0,
//! a bare object from path to digest written by older tools, can also be read.

use std::collections::BTreeMap;

use portolan_types::{RepoPath, Sha256Digest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::codec::{self, DecodeError, Versioned};

/// The members of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotV1 {
    v: u32,
    /// Each file by its path.
    #[serde(with = "codec::by_path")]
    #[schemars(with = "BTreeMap<String, Fingerprint>")]
    pub files: BTreeMap<RepoPath, Fingerprint>,
    /// The map that the reader has since then; unknown in snapshots of plain archives and older ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<MapSnapshot>,
}

/// The structure of a map: nodes and edges, without sizes and hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MapSnapshot {
    /// The ids, in the order of the map.
    pub ids: Vec<String>,
    /// The edges of each id: eight times the index of the target, plus the kinds.
    pub edges: Vec<Vec<u32>>,
    /// The request behind the chart, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<String>,
}

/// A file's size and digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fingerprint {
    /// The length in bytes; unknown in snapshots of older tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The digest of the bytes: 64 hexadecimal digits.
    #[serde(with = "codec::hex")]
    #[schemars(with = "String")]
    pub sha256: Sha256Digest,
}

#[derive(Deserialize)]
struct SnapshotV0(#[serde(with = "codec::by_path")] BTreeMap<RepoPath, BareDigest>);

#[derive(Deserialize)]
struct BareDigest(#[serde(with = "codec::hex")] Sha256Digest);

impl Versioned for SnapshotV1 {
    const VERSION: u32 = 1;
    fn version(&self) -> u32 {
        self.v
    }
}

impl SnapshotV1 {
    /// The JSON Schema.
    pub fn schema() -> serde_json::Value {
        codec::schema::<Self>("snapshot")
    }

    /// A snapshot of some files.
    pub fn new(files: BTreeMap<RepoPath, Fingerprint>) -> Self {
        Self { v: Self::VERSION, files, map: None }
    }

    /// Reads a snapshot of either version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let value: Value =
            serde_json::from_slice(bytes).map_err(|error| DecodeError::new(error.to_string()))?;
        let is_bare =
            value.as_object().is_some_and(|members| members.get("v").is_none_or(Value::is_string));
        if !is_bare {
            return codec::read(bytes);
        }
        let SnapshotV0(files) =
            serde_json::from_slice(bytes).map_err(|error| DecodeError::new(error.to_string()))?;
        let with_unknown_size =
            |(path, BareDigest(sha256))| (path, Fingerprint { size: None, sha256 });
        Ok(Self::new(files.into_iter().map(with_unknown_size).collect()))
    }

    /// The canonical text, with a newline at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        codec::write(self)
    }
}

#[cfg(test)]
mod tests {
    use super::SnapshotV1;

    const DIGEST: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn both_versions_are_read() {
        let old =
            SnapshotV1::from_bytes(format!(r#"{{"a/b":"{DIGEST}","v":"{DIGEST}"}}"#).as_bytes())
                .unwrap();
        assert_eq!(old.files.len(), 2);
        let text = format!(r#"{{"v":1,"files":{{"a":{{"size":0,"sha256":"{DIGEST}"}}}}}}"#);
        let new = SnapshotV1::from_bytes(text.as_bytes()).unwrap();
        assert_eq!(SnapshotV1::from_bytes(&new.to_bytes()).unwrap(), new);
    }

    #[test]
    fn other_json_is_rejected() {
        for text in [
            "{oops",
            "[]",
            "1",
            "",
            r#"{"a":"short"}"#,
            r#"{"v":9,"files":{}}"#,
            r#"{"../a":"x"}"#,
            r#"{"v":1}"#,
        ] {
            assert!(SnapshotV1::from_bytes(text.as_bytes()).is_err(), "{text}");
        }
    }
}
