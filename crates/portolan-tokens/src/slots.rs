//! Where a token is looked for. The build script writes the table of slots with the same function.

/// The number of slots: a power of two, more than twice the 200,000 tokens.
pub(crate) const SLOTS: usize = 1 << 19;

/// An empty slot, and a pair of bytes that is no token.
pub(crate) const FREE: u32 = u32::MAX;

/// The first slot to probe for some bytes.
#[inline]
pub(crate) fn slot_of(bytes: &[u8]) -> usize {
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

/// The place of a pair of bytes in the table of pairs.
#[inline]
pub(crate) fn pair_of(pair: [u8; 2]) -> usize {
    usize::from(u16::from_le_bytes(pair))
}
