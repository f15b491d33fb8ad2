//! The tokens of the encoding and their ranks, which decide the order of merges.

use std::sync::LazyLock;

/// Written by the build script, which documents the format.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.deflate"));

/// Upper bound of the unpacked size.
const MAX_UNPACKED: usize = 1 << 23;

/// The number of slots: a power of two, more than twice the 200,000 tokens.
const SLOTS: usize = 1 << 19;

/// An empty slot.
const FREE: u32 = u32::MAX;

/// Finds the rank of a token by its bytes.
pub(crate) struct Vocabulary {
    /// The bytes of all tokens, concatenated.
    bytes: Vec<u8>,
    /// The start of each token, and finally the end of the last one.
    starts: Vec<u32>,
    /// Ranks by hash of the bytes, with linear probing.
    slots: Vec<u32>,
    /// Ranks of the two-byte tokens, with which every merge begins.
    pairs: Vec<u32>,
}

impl Vocabulary {
    /// The only vocabulary, unpacked on first use.
    pub(crate) fn get() -> &'static Self {
        static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
            let unpacked = miniz_oxide::inflate::decompress_to_vec_with_limit(PACKED, MAX_UNPACKED);
            Vocabulary::read(&unpacked.unwrap_or_default())
        });
        &VOCABULARY
    }

    fn read(table: &[u8]) -> Self {
        let (count, rest) = table.split_first_chunk().unwrap_or((&[0; 4], &[]));
        let count = u32::from_le_bytes(*count) as usize;
        let (lengths, bytes) = rest.split_at_checked(count).unwrap_or_default();
        let mut starts = Vec::with_capacity(count + 1);
        let mut start = 0u32;
        for length in lengths {
            starts.push(start);
            start += u32::from(*length);
        }
        starts.push(start);
        let mut vocabulary = Self {
            bytes: bytes.to_vec(),
            starts,
            slots: vec![FREE; SLOTS],
            pairs: vec![FREE; 1 << 16],
        };
        for rank in 0..lengths.len() as u32 {
            vocabulary.insert(rank);
        }
        vocabulary
    }

    fn insert(&mut self, rank: u32) {
        let token = self.token(rank);
        let mut slot = slot_of(token);
        if let [first, second] = *token {
            self.pairs[usize::from(u16::from_le_bytes([first, second]))] = rank;
        }
        while self.slots[slot] != FREE {
            slot = (slot + 1) % SLOTS;
        }
        self.slots[slot] = rank;
    }

    fn token(&self, rank: u32) -> &[u8] {
        let at = rank as usize;
        let ends = self.starts.get(at).zip(self.starts.get(at + 1));
        ends.and_then(|(start, end)| self.bytes.get(*start as usize..*end as usize))
            .unwrap_or_default()
    }

    /// The rank of a token.
    #[inline]
    pub(crate) fn rank(&self, bytes: &[u8]) -> Option<u32> {
        if let [first, second] = *bytes {
            let rank = self.pairs[usize::from(u16::from_le_bytes([first, second]))];
            return (rank != FREE).then_some(rank);
        }
        let mut slot = slot_of(bytes);
        loop {
            match self.slots[slot] {
                FREE => return None,
                rank if self.token(rank) == bytes => return Some(rank),
                _ => slot = (slot + 1) % SLOTS,
            }
        }
    }
}

/// The first slot to probe.
#[inline]
fn slot_of(bytes: &[u8]) -> usize {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = chunk.try_into().map_or(0, u64::from_le_bytes);
        hash = (hash ^ word).wrapping_mul(FACTOR).rotate_left(29);
    }
    let mut word = [0; 8];
    let rest = chunks.remainder();
    word[..rest.len()].copy_from_slice(rest);
    hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    (hash >> 45) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::Vocabulary;

    #[test]
    fn every_token_has_its_rank() {
        let vocabulary = Vocabulary::get();
        let count = vocabulary.starts.len() as u32 - 1;
        assert_eq!(count, 199_998);
        for rank in 0..count {
            assert_eq!(vocabulary.rank(vocabulary.token(rank)), Some(rank));
        }
        assert_eq!(vocabulary.rank(b"\xFF\xFE\xFD"), None);
    }
}
