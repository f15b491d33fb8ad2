//! A cache of token counts for short pieces. A text has few distinct pieces (spaces, brackets, keywords, its own
//! names). A cached count costs one lookup in a small table; the vocabulary costs three in large ones.

use std::cell::RefCell;

/// Longer pieces are not cached.
const LONGEST: usize = 15;
/// The number of slots, as a power of two.
const BITS: u32 = 12;

thread_local! {
    static CACHE: RefCell<CountCache> = RefCell::new(CountCache::new());
}

/// The pieces that a thread counted recently.
pub(crate) struct CountCache {
    /// The bytes and the length of the piece in each slot; 0 for an empty slot.
    keys: Vec<u128>,
    counts: Vec<u8>,
}

impl CountCache {
    fn new() -> Self {
        Self { keys: vec![0; 1 << BITS], counts: vec![0; 1 << BITS] }
    }

    /// Runs `work` with this thread's cache.
    pub(crate) fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        CACHE.with_borrow_mut(work)
    }

    /// The token count of the piece that starts at `at` and has this length. Calls `count` on a miss.
    #[inline]
    pub(crate) fn count(
        &mut self,
        text: &[u8],
        at: usize,
        length: usize,
        count: impl FnOnce() -> u32,
    ) -> u32 {
        let Some(key) = key(text, at, length) else { return count() };
        let slot = slot(key);
        let (Some(known), Some(kept)) = (self.keys.get_mut(slot), self.counts.get_mut(slot)) else {
            return count();
        };
        if *known != key {
            // A piece never has more tokens than bytes.
            (*known, *kept) = (key, count() as u8);
        }
        u32::from(*kept)
    }
}

/// The bytes and the length of a short piece; `None` for a longer one, and near the end of the text.
#[inline]
fn key(text: &[u8], at: usize, length: usize) -> Option<u128> {
    let sixteen = text.get(at..)?.first_chunk::<16>().filter(|_| length <= LONGEST)?;
    let own = u128::from_le_bytes(*sixteen) & ((1 << (8 * length)) - 1);
    Some(own | (length as u128) << 120)
}

#[inline]
fn slot(key: u128) -> usize {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let folded = (key as u64) ^ ((key >> 64) as u64).wrapping_mul(FACTOR);
    (folded.wrapping_mul(FACTOR) >> (64 - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::{CountCache, LONGEST};

    #[test]
    fn a_piece_is_counted_once_and_not_confused_with_others() {
        let text = b"abcabcabdabc----------------";
        let mut cache = CountCache::new();
        assert_eq!(cache.count(text, 0, 3, || 2), 2);
        assert_eq!(cache.count(text, 3, 3, || unreachable!("it is cached")), 2);
        assert_eq!(cache.count(text, 6, 3, || 7), 7);
        assert_eq!(cache.count(text, 0, 2, || 5), 5);
        assert_eq!(cache.count(text, 9, 3, || unreachable!("it is cached")), 2);
    }

    #[test]
    fn long_pieces_and_the_end_of_a_text_are_not_cached() {
        let text = [b'a'; 40];
        let mut cache = CountCache::new();
        for tokens in 1..4 {
            assert_eq!(cache.count(&text, 0, LONGEST + 1, || tokens), tokens);
            assert_eq!(cache.count(&text, 30, 5, || tokens), tokens);
        }
    }
}
