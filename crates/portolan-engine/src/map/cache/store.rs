//! The cache as bytes: a mark, a check sum, and the entries in postcard.

use std::hash::Hasher;
use std::io;

use portolan_types::Sha256Digest;
use portolan_vfs::Stat;
use rustc_hash::FxHasher;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// The format and its version: what is different in any way gets another number.
const MARK: &[u8; 16] = b"portolan-cache 1";

/// What the cache has of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// From the root; absolute outside it.
    pub(super) path: Box<str>,
    pub(super) size: u64,
    pub(super) sha256: Sha256Digest,
    /// `None` where they can't be trusted: then only the content counts.
    pub(super) times: Option<Times>,
    /// The way it was read, for code.
    pub(super) language: Option<u8>,
    /// The facts, encoded.
    pub(super) facts: Vec<u8>,
}

/// What changes when a file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Times {
    mtime_ns: i128,
    ctime_ns: i128,
    inode: u64,
}

impl Times {
    pub(super) fn of(stat: &Stat) -> Self {
        Self { mtime_ns: stat.mtime_ns, ctime_ns: stat.ctime_ns, inode: stat.inode }
    }

    pub(super) fn latest(&self) -> i128 {
        self.mtime_ns.max(self.ctime_ns)
    }
}

/// Why a cache is not used or not written.
#[derive(Debug, Error)]
pub(super) enum StoreError {
    #[error("dropped: it is no cache of this version")]
    Foreign,
    #[error("dropped: it was made by another version, with other settings or for another folder")]
    Outdated,
    #[error("dropped: it is damaged")]
    Damaged,
    #[error("it is too large to be of use")]
    TooLarge,
    #[error("{0}")]
    Io(#[from] io::Error),
}

#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    path: &'a str,
    size: u64,
    sha256: [u8; 32],
    times: Option<Times>,
    language: Option<u8>,
    #[serde(borrow)]
    facts: Blob<'a>,
}

/// Bytes that are copied as a whole.
struct Blob<'a>(&'a [u8]);

impl Serialize for Blob<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Blob<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Blob<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_borrowed_bytes<E: de::Error>(self, bytes: &'de [u8]) -> Result<Blob<'de>, E> {
                Ok(Blob(bytes))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// The bytes of a cache.
pub(super) fn write(identity: &[u8], entries: &[Entry]) -> Result<Vec<u8>, StoreError> {
    let stored: Vec<Stored<'_>> = entries
        .iter()
        .map(|entry| Stored {
            path: &entry.path,
            size: entry.size,
            sha256: *entry.sha256.as_bytes(),
            times: entry.times,
            language: entry.language,
            facts: Blob(&entry.facts),
        })
        .collect();
    let mut bytes = MARK.to_vec();
    bytes.extend_from_slice(&[0; 8]);
    let mut bytes = postcard::to_extend(&(Blob(identity), stored), bytes)
        .map_err(|error| io::Error::other(error.to_string()))?;
    let sum = sum_of(&bytes[BODY..]);
    bytes[MARK.len()..BODY].copy_from_slice(&sum);
    Ok(bytes)
}

/// Where the entries begin.
const BODY: usize = MARK.len() + 8;

/// The entries of a cache that was made for `identity`.
pub(super) fn read(bytes: &[u8], identity: &[u8]) -> Result<Vec<Entry>, StoreError> {
    let Some((head, body)) = bytes.split_at_checked(BODY) else { return Err(StoreError::Foreign) };
    let Some(sum) = head.strip_prefix(MARK) else { return Err(StoreError::Foreign) };
    if sum != sum_of(body) {
        return Err(StoreError::Damaged);
    }
    let decoded: Result<(Blob<'_>, Vec<Stored<'_>>), _> = postcard::from_bytes(body);
    let (Blob(made_for), stored) = decoded.map_err(|_| StoreError::Damaged)?;
    if made_for != identity {
        return Err(StoreError::Outdated);
    }
    let entries = stored.into_iter().map(|stored| Entry {
        path: stored.path.into(),
        size: stored.size,
        sha256: Sha256Digest::from_bytes(stored.sha256),
        times: stored.times,
        language: stored.language,
        facts: stored.facts.0.to_vec(),
    });
    Ok(entries.collect())
}

/// Finds damage, not malice.
fn sum_of(bytes: &[u8]) -> [u8; 8] {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use portolan_types::Sha256Digest;

    use super::{Entry, StoreError, Times, read, write};

    fn sample() -> Vec<Entry> {
        let times = Times { mtime_ns: -5, ctime_ns: 1 << 70, inode: 9 };
        let entry = Entry {
            path: "src/a.ts".into(),
            size: 12,
            sha256: Sha256Digest::from_bytes([7; 32]),
            times: Some(times),
            language: Some(0),
            facts: vec![1, 2, 3],
        };
        vec![entry.clone(), Entry { times: None, language: None, facts: Vec::new(), ..entry }]
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = write(b"me", &sample()).unwrap();
        assert_eq!(read(&bytes, b"me").unwrap(), sample());
        assert!(matches!(read(&bytes, b"you"), Err(StoreError::Outdated)));
    }

    #[test]
    fn no_damage_goes_unseen() {
        let bytes = write(b"me", &sample()).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            assert!(read(&damaged, b"me").is_err(), "byte {at}");
            assert!(read(&bytes[..at], b"me").is_err(), "cut at {at}");
        }
    }
}
