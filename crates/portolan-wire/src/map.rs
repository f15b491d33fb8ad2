//! `dependency.map.json`, version 1: the real paths of external files. It has absolute paths, so it never
//! leaves the machine and is in no archive.

use std::collections::BTreeMap;

use portolan_types::{RepoPath, Sha256Digest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::codec::{self, DecodeError, Versioned};

/// The map: every external file by its node id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MapV1 {
    v: u32,
    /// The readable external files, by id.
    #[serde(with = "codec::by_path")]
    #[schemars(with = "BTreeMap<String, MapNode>")]
    pub nodes: BTreeMap<RepoPath, MapNode>,
}

/// An external file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MapNode {
    /// The node id again: the path of the staged copy.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub id: RepoPath,
    /// The absolute path of the file.
    pub locator_abs: String,
    /// Its length in bytes.
    pub size: u64,
    /// The digest of its bytes: 64 hexadecimal digits.
    #[serde(with = "codec::hex")]
    #[schemars(with = "String")]
    pub sha256: Sha256Digest,
}

impl Versioned for MapV1 {
    const VERSION: u32 = 1;
    fn version(&self) -> u32 {
        self.v
    }
}

impl MapV1 {
    /// The JSON Schema.
    pub fn schema() -> serde_json::Value {
        codec::schema::<Self>("map")
    }

    /// A map of some files.
    pub fn new(nodes: impl IntoIterator<Item = MapNode>) -> Self {
        Self {
            v: Self::VERSION,
            nodes: nodes.into_iter().map(|node| (node.id.clone(), node)).collect(),
        }
    }

    /// Reads a map. Ignores unknown members.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        codec::read(bytes)
    }

    /// The canonical text, with a newline at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        codec::write(self)
    }
}

#[cfg(test)]
mod tests {
    use portolan_types::RepoPath;

    use super::{MapNode, MapV1};

    #[test]
    fn a_map_is_read_back_as_written() {
        let id = RepoPath::new(".stan/context/npm/a/1.0.0/i.d.ts").unwrap();
        let sha256 =
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".parse().unwrap();
        let map = MapV1::new([MapNode {
            id,
            locator_abs: "/r/node_modules/a/i.d.ts".into(),
            size: 0,
            sha256,
        }]);
        assert_eq!(MapV1::from_bytes(&map.to_bytes()).unwrap(), map);
    }

    #[test]
    fn an_id_that_leaves_the_repository_is_rejected() {
        let text =
            br#"{"v":1,"nodes":{"../x":{"id":"../x","locatorAbs":"/x","size":0,"sha256":""}}}"#;
        assert!(MapV1::from_bytes(text).is_err());
        assert_eq!(
            MapV1::from_bytes(br#"{"v":3,"nodes":{}}"#).unwrap_err().message,
            "version 3 is not known; this program knows 1"
        );
    }
}
