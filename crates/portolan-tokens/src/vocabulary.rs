//! The tokens of the encoding and their ranks, which decide the order of merges.
//!
//! The tables are part of the program and are used as they are: nothing is unpacked, so that the first count costs no more
//! than the next one. All numbers are little-endian `u32`.

use crate::slots::{FREE, SLOTS, pair_of, slot_of};

/// The bytes of all tokens, by rank, concatenated.
static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/bytes.bin"));
/// The start of each token, and finally the end of the last one.
static STARTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/starts.bin"));
/// Ranks by hash of the bytes, with linear probing.
static RANKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/slots.bin"));
/// Ranks of the two-byte tokens, with which every merge begins.
static PAIRS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/pairs.bin"));

/// A number of a table.
#[inline]
fn number(table: &[u8], at: usize) -> Option<u32> {
    let bytes = table.get(at * 4..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

/// The bytes of a token.
#[inline]
fn token(rank: u32) -> &'static [u8] {
    let at = rank as usize;
    let ends = number(STARTS, at).zip(number(STARTS, at + 1));
    ends.and_then(|(start, end)| BYTES.get(start as usize..end as usize)).unwrap_or_default()
}

/// The rank of a token.
#[inline]
pub(crate) fn rank(bytes: &[u8]) -> Option<u32> {
    if let [first, second] = *bytes {
        return number(PAIRS, pair_of([first, second])).filter(|rank| *rank != FREE);
    }
    let mut slot = slot_of(bytes);
    loop {
        match number(RANKS, slot)? {
            FREE => return None,
            rank if token(rank) == bytes => return Some(rank),
            _ => slot = (slot + 1) % SLOTS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{STARTS, rank, token};

    #[test]
    fn every_token_has_its_rank() {
        let count = (STARTS.len() / 4) as u32 - 1;
        assert_eq!(count, 199_998);
        for known in 0..count {
            assert_eq!(rank(token(known)), Some(known));
        }
        assert_eq!(rank(b"\xFF\xFE\xFD"), None);
    }
}
