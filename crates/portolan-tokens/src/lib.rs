//! Counts `o200k_base` tokens exactly. Budgets are in tokens, and an estimate would either exceed or waste
//! them.
//!
//! A text is split into pieces (`split`) by the encoding's published pattern. Each piece is one token, or
//! its bytes are merged into several (`merge`). Only the count is needed, so nothing is encoded. The
//! tables are part of the program and need no preparation. A count takes time proportional to the text.

mod classes;
mod count_cache;
mod merge;
mod slots;
mod split;
mod vocabulary;

use count_cache::CountCache;
use split::TextPieces;

/// How many tokens a text has.
pub fn count(text: &str) -> u64 {
    let mut buffers = merge::MergeBuffers::default();
    let pieces = TextPieces::new(text);
    let (mut at, mut tokens) = (0, 0);
    CountCache::with(|cache| {
        for piece in pieces {
            let count = || buffers.count(piece.as_bytes());
            tokens += u64::from(cache.count(text.as_bytes(), at, piece.len(), count));
            at += piece.len();
        }
    });
    tokens
}

/// The number of tokens in some bytes. Invalid UTF-8 counts as the replacement characters that a
/// reader sees.
pub fn count_bytes(bytes: &[u8]) -> u64 {
    count(&String::from_utf8_lossy(bytes))
}
