//! Reads and writes plain structures: typed values in, canonical JSON out.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::canonical;

/// Why a file cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DecodeError {
    /// The message, with line and column if known.
    pub message: String,
}

impl DecodeError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Gives reports their schema, under its published name.
macro_rules! published {
    ($($report:ty = $name:literal;)+) => {
        $(impl $report {
            /// The JSON Schema.
            pub fn schema() -> serde_json::Value {
                $crate::codec::schema::<Self>($name)
            }
        })+
    };
}
pub(crate) use published;

/// Reads a value and checks its version `v`.
pub(crate) fn read<T: DeserializeOwned + Versioned>(bytes: &[u8]) -> Result<T, DecodeError> {
    let value: T =
        serde_json::from_slice(bytes).map_err(|error| DecodeError::new(error.to_string()))?;
    if value.version() == T::VERSION {
        return Ok(value);
    }
    Err(DecodeError::new(format!(
        "version {} is not known; this program knows {}",
        value.version(),
        T::VERSION
    )))
}

/// A type with a version in `v`.
pub(crate) trait Versioned {
    /// The version that is written.
    const VERSION: u32;
    /// The version that was read.
    fn version(&self) -> u32;
}

/// The canonical text with a newline at the end.
pub(crate) fn write<T: Serialize>(value: &T) -> Vec<u8> {
    // Structures with string keys and finite numbers always have a JSON form.
    let value = serde_json::to_value(value).unwrap_or_default();
    let mut bytes = canonical::to_vec(&value);
    bytes.push(b'\n');
    bytes
}

/// The JSON Schema of a type, under its published name.
pub(crate) fn schema<T: JsonSchema>(name: &str) -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    schema["$id"] = format!("urn:portolan:schema:{name}").into();
    schema
}

/// A sha256 as 64 hexadecimal digits.
pub(crate) mod hex {
    use portolan_types::Sha256Digest;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        digest: &Sha256Digest,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&digest.to_hex())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Sha256Digest, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A path inside the repository, validated when read.
pub(crate) mod path {
    use portolan_types::RepoPath;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        path: &RepoPath,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(path.as_str())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<RepoPath, D::Error> {
        let text = String::deserialize(deserializer)?;
        RepoPath::new(text.as_str()).map_err(|error| D::Error::custom(format!("`{text}`: {error}")))
    }
}

/// A map with paths as keys, validated when read.
pub(crate) mod by_path {
    use std::collections::BTreeMap;

    use portolan_types::RepoPath;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer, T: Serialize>(
        map: &BTreeMap<RepoPath, T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(map.iter().map(|(path, value)| (path.as_str(), value)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<RepoPath, T>, D::Error> {
        let map = BTreeMap::<String, T>::deserialize(deserializer)?;
        let checked = map.into_iter().map(|(text, value)| {
            let path = RepoPath::new(text.as_str())
                .map_err(|error| D::Error::custom(format!("`{text}`: {error}")))?;
            Ok((path, value))
        });
        checked.collect()
    }
}
