//! How many tokens a piece has that is none: its bytes are merged two by two, the pair with the lowest
//! rank first, until no two neighbours make a token.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::Vocabulary;

/// Up to so many bytes the lowest pair is looked for again each time; above, a heap has it.
const FEW: usize = 48;

/// No two neighbours make a token.
const NONE: u32 = u32::MAX;

/// What merging needs, kept from one piece to the next.
#[derive(Default)]
pub(crate) struct Merges {
    /// Where each part begins and the rank of it with its neighbour; at last, where the piece ends.
    parts: Vec<(u32, u32)>,
}

impl Merges {
    /// How many tokens a piece has.
    pub(crate) fn count(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> u32 {
        if piece.len() <= 1 || vocabulary.rank(piece).is_some() {
            u32::from(!piece.is_empty())
        } else if piece.len() <= FEW {
            self.few(vocabulary, piece)
        } else {
            many(vocabulary, piece)
        }
    }

    fn few(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> u32 {
        let parts = &mut self.parts;
        parts.clear();
        for start in 0..piece.len() {
            let rank = piece.get(start..start + 2).and_then(|pair| vocabulary.rank(pair));
            parts.push((start as u32, rank.unwrap_or(NONE)));
        }
        parts.push((piece.len() as u32, NONE));
        // The rank of the part at `at` with the one behind it.
        let joined = |parts: &[(u32, u32)], at: usize| {
            let end = parts.get(at + 2)?.0 as usize;
            vocabulary.rank(piece.get(parts[at].0 as usize..end)?)
        };
        loop {
            let mut lowest = (NONE, 0);
            for (at, (_, rank)) in parts.iter().enumerate() {
                if *rank < lowest.0 {
                    lowest = (*rank, at);
                }
            }
            let (rank, at) = lowest;
            if rank == NONE {
                return parts.len() as u32 - 1;
            }
            parts.remove(at + 1);
            parts[at].1 = joined(parts, at).unwrap_or(NONE);
            if let Some(before) = at.checked_sub(1) {
                parts[before].1 = joined(parts, before).unwrap_or(NONE);
            }
        }
    }
}

/// A part of a long piece.
#[derive(Clone, Copy)]
struct Part {
    /// Where the next part begins; 0 for one that was merged away.
    end: u32,
    /// The part in front.
    before: u32,
    /// The rank with the next part, as of the last look.
    rank: u32,
}

/// The same with a heap of pairs, for pieces of any length. An entry that a merge made untrue is passed
/// over when it comes up.
fn many(vocabulary: &Vocabulary, piece: &[u8]) -> u32 {
    let length = piece.len();
    let joined = |parts: &[Part], start: usize| {
        let middle = parts[start].end as usize;
        let end = parts.get(middle)?.end as usize;
        vocabulary.rank(piece.get(start..end)?)
    };
    let mut parts: Vec<Part> = (0..length)
        .map(|at| Part { end: at as u32 + 1, before: at.saturating_sub(1) as u32, rank: NONE })
        .collect();
    let mut heap = BinaryHeap::with_capacity(length);
    for start in 0..length {
        if let Some(rank) = joined(&parts, start) {
            parts[start].rank = rank;
            heap.push(Reverse((rank, start as u32)));
        }
    }
    let mut count = length as u32;
    while let Some(Reverse((rank, start))) = heap.pop() {
        let start = start as usize;
        let Part { end: middle, before, rank: now } = parts[start];
        if middle == 0 || now != rank {
            continue;
        }
        let end = parts[middle as usize].end;
        parts[middle as usize].end = 0;
        parts[start].end = end;
        if let Some(next) = parts.get_mut(end as usize) {
            next.before = start as u32;
        }
        count -= 1;
        let changed = [Some(start), (start > 0).then_some(before as usize)];
        for at in changed.into_iter().flatten() {
            let rank = joined(&parts, at).unwrap_or(NONE);
            parts[at].rank = rank;
            if rank != NONE {
                heap.push(Reverse((rank, at as u32)));
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::{Merges, many};
    use crate::vocabulary::Vocabulary;

    #[test]
    fn both_ways_to_merge_agree() {
        let vocabulary = Vocabulary::get();
        let mut merges = Merges::default();
        let text = b"theRainInSpainStaysMainlyInThePlain_0123456789aaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
        for start in 0..text.len() {
            for end in start + 2..=text.len().min(start + 40) {
                let piece = &text[start..end];
                assert_eq!(merges.few(vocabulary, piece), many(vocabulary, piece), "{piece:?}");
            }
        }
    }
}
