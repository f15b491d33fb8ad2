//! Short pieces that were counted recent. A text is made of few different ones (spaces, brackets, keywords, its own
//! names), and each is found here at the price of one look into a small table, where the vocabulary takes three into
//! large ones.

use std::cell::RefCell;

/// A piece that is longer is counted each time.
const LONGEST: usize = 15;
/// Slots of the table, as a power of two.
const BITS: u32 = 12;

thread_local! {
    static LATELY: RefCell<Lately> = RefCell::new(Lately::new());
}

/// What a thread counted recent.
pub(crate) struct Lately {
    /// The bytes of the piece in each slot with their number; 0 where there is none.
    keys: Vec<u128>,
    counts: Vec<u8>,
}

impl Lately {
    fn new() -> Self {
        Self { keys: vec![0; 1 << BITS], counts: vec![0; 1 << BITS] }
    }

    /// Does some work with what this thread knows.
    pub(crate) fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        LATELY.with_borrow_mut(work)
    }

    /// How many tokens the piece has that begins at a place and has this length; `count` counts one that is not
    /// known.
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
            // No piece has more tokens than bytes.
            (*known, *kept) = (key, count() as u8);
        }
        u32::from(*kept)
    }
}

/// The bytes of a short piece and their number; `None` for a longer one, and at the very end of a text.
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
    use super::{LONGEST, Lately};

    #[test]
    fn a_piece_is_counted_once_and_told_from_all_others() {
        let text = b"abcabcabdabc----------------";
        let mut recent = Lately::new();
        assert_eq!(recent.count(text, 0, 3, || 2), 2);
        assert_eq!(recent.count(text, 3, 3, || unreachable!("it is known")), 2);
        assert_eq!(recent.count(text, 6, 3, || 7), 7);
        assert_eq!(recent.count(text, 0, 2, || 5), 5);
        assert_eq!(recent.count(text, 9, 3, || unreachable!("it is known")), 2);
    }

    #[test]
    fn long_pieces_and_the_end_of_a_text_are_counted_each_time() {
        let text = [b'a'; 40];
        let mut recent = Lately::new();
        for tokens in 1..4 {
            assert_eq!(recent.count(&text, 0, LONGEST + 1, || tokens), tokens);
            assert_eq!(recent.count(&text, 30, 5, || tokens), tokens);
        }
    }
}
