//! The words of texts, so that a search for a name reads only the files that may contain it.
//!
//! For a process that stays: the first search reads all files and keeps the hashes of their words, by the digest of the
//! text. So an entry never becomes stale.

use std::hash::Hasher as _;
use std::sync::Arc;

use portolan_types::Sha256Digest;
use rustc_hash::{FxHashMap, FxHasher};

/// The limit in bytes.
const MOST_BYTES: usize = 32 << 20;

/// The words of texts.
#[derive(Debug, Default)]
pub(super) struct StoredWords {
    /// The hashes of each text, sorted.
    texts: FxHashMap<Sha256Digest, Arc<[u32]>>,
    bytes: usize,
}

/// Whether a name is a single word, so that the words of a text decide whether it is absent.
pub(super) fn is_word(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_part)
}

/// The words of a text as hashes, sorted, each once.
pub(super) fn words_of(text: &[u8]) -> Arc<[u32]> {
    let words = text.split(|byte| !is_part(*byte)).filter(|word| !word.is_empty());
    let mut hashes: Vec<u32> = words.map(hash_of).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
}

/// Whether a word may be among some.
pub(super) fn may_have(words: &[u32], name: &str) -> bool {
    words.binary_search(&hash_of(name.as_bytes())).is_ok()
}

impl StoredWords {
    pub(super) fn get(&self, text: &Sha256Digest) -> Option<Arc<[u32]>> {
        self.texts.get(text).cloned()
    }

    pub(super) fn put(&mut self, text: Sha256Digest, words: Arc<[u32]>) {
        let bytes = words.len() * size_of::<u32>() + size_of::<(Sha256Digest, Arc<[u32]>)>();
        if self.bytes + bytes <= MOST_BYTES && self.texts.insert(text, words).is_none() {
            self.bytes += bytes;
        }
    }

    /// The approximate size in bytes.
    pub(super) fn weight(&self) -> usize {
        self.bytes
    }
}

/// Whether a byte belongs to a name: letters, digits, and everything that is not ASCII.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

fn hash_of(word: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(word);
    (hasher.finish() >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::{is_word, may_have, words_of};

    #[test]
    fn every_word_of_a_text_is_among_its_words() {
        let words = words_of("const ärger = $a.b_c['d-e'](`${f1}`); // end".as_bytes());
        for word in ["const", "ärger", "$a", "b_c", "d", "e", "f1", "end"] {
            assert!(may_have(&words, word), "{word}");
        }
        for word in ["cons", "b", "argument", ""] {
            assert!(!may_have(&words, word), "{word}");
        }
        assert!(is_word("$a_1") && is_word("ä") && !is_word("d-e") && !is_word(""));
    }
}
