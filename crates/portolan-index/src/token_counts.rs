//! Counting tokens: exact, in parallel, and once for each content.
//!
//! The count of a text depends only on its bytes, so a [`TokenStore`] keeps it by their digest: in memory, or on disk
//! ([`DiskTokenStore`]).

mod store;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use portolan_archive::classify::is_binary;
use portolan_types::Sha256Digest;
use rayon::prelude::*;

pub use self::store::DiskTokenStore;

/// A tokenizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokenizer {
    /// The byte pair encoding of current models.
    #[default]
    O200kBase,
    /// None: tokens are estimated.
    None,
}

impl Tokenizer {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::None => "none",
        }
    }

    /// Counts the tokens of bytes; `None` without a tokenizer. Invalid UTF-8 counts as the replacement characters that a
    /// reader sees.
    pub fn count(self, bytes: &[u8]) -> Option<u64> {
        match self {
            Self::None => None,
            Self::O200kBase => Some(portolan_tokens::count_bytes(bytes)),
        }
    }
}

/// Keeps counts by the digest of the content.
pub trait TokenStore: Sync {
    /// The known count.
    fn get(&self, content: &Sha256Digest) -> Option<u64>;

    /// Keeps a count.
    fn put(&self, content: Sha256Digest, tokens: u64);
}

/// A store in memory.
#[derive(Debug, Default)]
pub struct MemoryTokenStore {
    counts: Mutex<BTreeMap<Sha256Digest, u64>>,
}

impl TokenStore for MemoryTokenStore {
    fn get(&self, content: &Sha256Digest) -> Option<u64> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).get(content).copied()
    }

    fn put(&self, content: Sha256Digest, tokens: u64) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).insert(content, tokens);
    }
}

/// Something to count the tokens of.
pub trait TokenSource: Sync {
    /// The digest of its bytes, if it is known without reading them.
    fn digest(&self) -> Option<Sha256Digest>;

    /// Its bytes; `None` if they cannot be read.
    fn read(&self) -> Option<Vec<u8>>;
}

/// The tokens of each source, in order; `None` for one that cannot be read. A source with a known count is not read.
pub fn count_all<S: TokenSource>(
    tokenizer: Tokenizer,
    store: &dyn TokenStore,
    sources: &[S],
) -> Vec<Option<u64>> {
    if tokenizer == Tokenizer::None {
        return vec![None; sources.len()];
    }
    sources.par_iter().map(|source| count_one(tokenizer, store, source)).collect()
}

fn count_one(
    tokenizer: Tokenizer,
    store: &dyn TokenStore,
    source: &impl TokenSource,
) -> Option<u64> {
    if let Some(known) = source.digest().and_then(|digest| store.get(&digest)) {
        return Some(known);
    }
    let bytes = source.read()?;
    let digest = portolan_vfs::sha256(&bytes);
    count_bytes(tokenizer, store, &bytes, digest)
}

/// The tokens of bytes with this digest, from the store if it has them. A binary file counts as 0: it is in no archive,
/// and counting it may take longer than counting all texts.
pub fn count_bytes(
    tokenizer: Tokenizer,
    store: &dyn TokenStore,
    bytes: &[u8],
    digest: Sha256Digest,
) -> Option<u64> {
    if let Some(known) = store.get(&digest) {
        return Some(known);
    }
    let tokens = if is_binary(bytes) { 0 } else { tokenizer.count(bytes)? };
    store.put(digest, tokens);
    Some(tokens)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use portolan_types::Sha256Digest;

    use super::{MemoryTokenStore, TokenSource, Tokenizer, count_all};

    struct Text<'a> {
        bytes: Option<&'a [u8]>,
        reads: &'a AtomicUsize,
    }

    impl TokenSource for Text<'_> {
        fn digest(&self) -> Option<Sha256Digest> {
            self.bytes.map(portolan_vfs::sha256)
        }

        fn read(&self) -> Option<Vec<u8>> {
            self.reads.fetch_add(1, Ordering::Relaxed);
            self.bytes.map(<[u8]>::to_vec)
        }
    }

    #[test]
    fn counts_are_those_of_the_encoding() {
        // "hello" and " world": 24912 and 2375.
        assert_eq!(Tokenizer::O200kBase.count(b"hello world"), Some(2));
        assert_eq!(Tokenizer::O200kBase.count(b""), Some(0));
    }

    #[test]
    fn what_is_not_utf8_counts_as_what_a_reader_would_see() {
        let seen = Tokenizer::O200kBase.count("a\u{FFFD}b".as_bytes());
        assert_eq!(Tokenizer::O200kBase.count(b"a\xFFb"), seen);
    }

    #[test]
    fn known_content_is_not_read_again() {
        let reads = AtomicUsize::new(0);
        let store = MemoryTokenStore::default();
        let sources: [Text<'_>; 2] =
            [b"hello world".as_slice(), b"x"].map(|b| Text { bytes: Some(b), reads: &reads });
        assert_eq!(count_all(Tokenizer::O200kBase, &store, &sources), [Some(2), Some(1)]);
        assert_eq!(count_all(Tokenizer::O200kBase, &store, &sources), [Some(2), Some(1)]);
        assert_eq!(reads.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn what_is_no_text_costs_nothing() {
        let reads = AtomicUsize::new(0);
        let picture = [Text { bytes: Some(b"\x89PNG\0\0\0"), reads: &reads }];
        let store = MemoryTokenStore::default();
        assert_eq!(count_all(Tokenizer::O200kBase, &store, &picture), [Some(0)]);
    }

    #[test]
    fn what_cannot_be_read_has_no_count() {
        let reads = AtomicUsize::new(0);
        let gone = [Text { bytes: None, reads: &reads }];
        assert_eq!(count_all(Tokenizer::O200kBase, &MemoryTokenStore::default(), &gone), [None]);
    }

    #[test]
    fn nobody_counts_and_nobody_reads_when_told_so() {
        let reads = AtomicUsize::new(0);
        let sources = [Text { bytes: Some(b"hello"), reads: &reads }];
        assert_eq!(count_all(Tokenizer::None, &MemoryTokenStore::default(), &sources), [None]);
        assert_eq!(reads.load(Ordering::Relaxed), 0);
    }
}
