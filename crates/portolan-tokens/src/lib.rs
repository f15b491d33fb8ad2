//! Counts tokens of `o200k_base`, exactly: the budget of a reader is in tokens, and a guess would either
//! break it or waste it.
//!
//! A text is split into pieces (`split`) as the encoding's published pattern does, and each piece is one
//! token or is merged (`merge`) from its bytes. Only the number is wanted, so nothing is encoded; the
//! vocabulary is all there is to load (compressed in the binary, unpacked when the first count is asked
//! for), and a count runs in time proportional to the text.

mod classes;
mod recent;
mod merge;
mod split;
mod vocabulary;

use classes::Classes;
use recent::Lately;
use split::Pieces;
use vocabulary::Vocabulary;

/// How many tokens a text has.
pub fn count(text: &str) -> u64 {
    let vocabulary = Vocabulary::get();
    let mut merges = merge::Merges::default();
    let pieces = Pieces::new(text, Classes::get());
    let (mut at, mut tokens) = (0, 0);
    Lately::with(|recent| {
        for piece in pieces {
            let count = || merges.count(vocabulary, piece.as_bytes());
            tokens += u64::from(recent.count(text.as_bytes(), at, piece.len(), count));
            at += piece.len();
        }
    });
    tokens
}

/// How many tokens some bytes have for a reader: what is not UTF-8 counts as the replacement characters
/// that he sees.
pub fn count_bytes(bytes: &[u8]) -> u64 {
    count(&String::from_utf8_lossy(bytes))
}
