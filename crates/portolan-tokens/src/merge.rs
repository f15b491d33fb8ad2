//! Counts the tokens of a piece that is not a token itself. It merges its bytes pair by pair, the pair with the
//! lowest rank first, until no two neighbours form a token.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::rank;

/// Up to this many bytes, a linear search finds the lowest pair; longer pieces use a heap.
const FEW: usize = 48;

/// Two neighbours that do not form a token.
const NONE: u32 = u32::MAX;

/// Buffers for merging, reused from piece to piece.
#[derive(Default)]
pub(crate) struct MergeBuffers {
    /// The start of each part and the rank of its pair with the next part; finally, the end of the piece.
    parts: Vec<(u32, u32)>,
}

impl MergeBuffers {
    /// The number of tokens in a piece.
    pub(crate) fn count(&mut self, piece: &[u8]) -> u32 {
        if piece.len() <= 1 || rank(piece).is_some() {
            u32::from(!piece.is_empty())
        } else if piece.len() <= FEW {
            self.few(piece)
        } else {
            many(piece)
        }
    }

    fn few(&mut self, piece: &[u8]) -> u32 {
        let parts = &mut self.parts;
        parts.clear();
        for start in 0..piece.len() {
            let known = piece.get(start..start + 2).and_then(rank);
            parts.push((start as u32, known.unwrap_or(NONE)));
        }
        parts.push((piece.len() as u32, NONE));
        // The rank of the part at `at` joined with the next one.
        let joined = |parts: &[(u32, u32)], at: usize| {
            let end = parts.get(at + 2)?.0 as usize;
            rank(piece.get(parts[at].0 as usize..end)?)
        };
        loop {
            let mut lowest = (NONE, 0);
            for (at, (_, known)) in parts.iter().enumerate() {
                if *known < lowest.0 {
                    lowest = (*known, at);
                }
            }
            let (known, at) = lowest;
            if known == NONE {
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
struct MergePart {
    /// Where the next part starts; 0 for a part that was merged away.
    end: u32,
    /// The previous part.
    before: u32,
    /// The rank of the pair with the next part, when last computed.
    rank: u32,
}

/// Merges with a heap of pairs, for pieces of any length. A stale heap entry is skipped when it comes
/// up.
fn many(piece: &[u8]) -> u32 {
    let length = piece.len();
    let joined = |parts: &[MergePart], start: usize| {
        let middle = parts[start].end as usize;
        let end = parts.get(middle)?.end as usize;
        rank(piece.get(start..end)?)
    };
    let mut parts: Vec<MergePart> = (0..length)
        .map(|at| MergePart { end: at as u32 + 1, before: at.saturating_sub(1) as u32, rank: NONE })
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
        let MergePart { end: middle, before, rank: now } = parts[start];
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
    use super::{MergeBuffers, many};

    #[test]
    fn both_merge_algorithms_agree() {
        let mut merges = MergeBuffers::default();
        let text = b"theRainInSpainStaysMainlyInThePlain_0123456789aaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
        for start in 0..text.len() {
            for end in start + 2..=text.len().min(start + 40) {
                let piece = &text[start..end];
                assert_eq!(merges.few(piece), many(piece), "{piece:?}");
            }
        }
    }
}
