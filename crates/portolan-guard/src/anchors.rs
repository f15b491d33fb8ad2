//! Finds many words in a text with one table lookup for every second byte.
//!
//! An automaton over all words would step through a state for every byte, but nearly every file has no secret.
//! So each word has an **anchor**: three of its bytes that are rare in texts. One of the two byte pairs of an
//! anchor starts at an even offset, so the search checks even offsets only: does this pair belong to an anchor?
//! One in ten does. Then it looks up all three bytes, and only where they are an anchor, at one offset in two
//! hundred, it compares words.

use std::collections::BTreeMap;

/// The shortest word that can have an anchor.
pub(crate) const SHORTEST: usize = 3;

/// The bytes of source code, most common first. Bytes not listed here are rarer still.
const COMMON: &[u8] =
    b" etnsaroi\nldcum.p)(f/h,\"g:_=\tb{};ywxkv10SET-[]>A2'IC*RP`NFML3OWqD<&4Bj+56!z?U8H#79|GKV\\@Y$";

/// Marks of a pair: it is the first or the second pair of an anchor.
const FIRST: u8 = 1;
const SECOND: u8 = 2;

/// The number of bits in the filter, as a power of two.
const FILTER_BITS: u32 = 14;

/// Words, and the tables that find them.
pub(crate) struct Anchors {
    words: Vec<Vec<u8>>,
    /// The marks of each pair of bytes.
    pairs: Vec<u8>,
    /// A Bloom filter that rejects nearly everything that is not an anchor.
    filter: [u64; 1 << (FILTER_BITS - 6)],
    /// For each bit of the filter, one plus the index of its first anchor in `members`; 0 for none.
    begins: Vec<u16>,
    /// The anchors with their words, sorted by filter bit.
    members: Vec<(u32, Vec<AnchoredWord>)>,
}

/// A word of an anchor, and the offset of the anchor in the word.
#[derive(Clone, Copy)]
struct AnchoredWord {
    word: usize,
    before: usize,
}

impl Anchors {
    /// Builds the tables for words of [`SHORTEST`] bytes or more.
    pub(crate) fn new(words: Vec<Vec<u8>>) -> Self {
        let mut members: BTreeMap<u32, Vec<AnchoredWord>> = BTreeMap::new();
        let mut pairs = vec![0; 1 << 16];
        let mut filter = [0; 1 << (FILTER_BITS - 6)];
        let ranks = ranks();
        // Short words have no choice; longer ones prefer pairs that are already marked.
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|word| words[*word].len());
        for word in order {
            let Some(before) = rarest(&words[word], &pairs, &ranks) else { continue };
            let Some(key) = key(&words[word], before) else { continue };
            let [first, second, third, _] = key.to_le_bytes();
            pairs[pair(first, second)] |= FIRST;
            pairs[pair(second, third)] |= SECOND;
            let (slot, bit) = slot(key);
            filter[slot] |= bit;
            members.entry(key).or_default().push(AnchoredWord { word, before });
        }
        let mut members: Vec<(u32, Vec<AnchoredWord>)> = members.into_iter().collect();
        members.sort_by_key(|(key, _)| hash(*key));
        let mut begins = vec![0; 1 << FILTER_BITS];
        for (place, (key, _)) in members.iter().enumerate().rev() {
            begins[hash(*key)] = u16::try_from(place + 1).unwrap_or(u16::MAX);
        }
        Self { words, pairs, filter, begins, members }
    }

    /// Reports every word in a text (its index and its offset) until `report` returns false.
    pub(crate) fn find(&self, text: &[u8], mut report: impl FnMut(usize, usize) -> bool) {
        // An array with an entry for every pair needs no bounds check.
        let Ok(pairs) = <&[u8; 1 << 16]>::try_from(self.pairs.as_slice()) else { return };
        let (chunks, rest) = text.as_chunks::<8>();
        for (number, chunk) in chunks.iter().enumerate() {
            let word = u64::from_le_bytes(*chunk);
            // Unrolled: a loop over four would call a function for each where nothing is inlined.
            let first = pairs[usize::from(word as u16)];
            let second = pairs[usize::from((word >> 16) as u16)];
            let third = pairs[usize::from((word >> 32) as u16)];
            let fourth = pairs[usize::from((word >> 48) as u16)];
            if first | second | third | fourth == 0 {
                continue;
            }
            let at = number * 8;
            let goes_on = (first == 0 || self.look(first, text, at, &mut report))
                && (second == 0 || self.look(second, text, at + 2, &mut report))
                && (third == 0 || self.look(third, text, at + 4, &mut report))
                && (fourth == 0 || self.look(fourth, text, at + 6, &mut report));
            if !goes_on {
                return;
            }
        }
        let (halves, _) = rest.as_chunks::<2>();
        for (step, [first, second]) in halves.iter().enumerate() {
            let marks = pairs[usize::from(u16::from_le_bytes([*first, *second]))];
            if marks != 0 && !self.look(marks, text, chunks.len() * 8 + step * 2, &mut report) {
                return;
            }
        }
    }

    /// Reports the words of a marked pair. Returns whether to continue.
    #[inline]
    fn look(
        &self,
        marks: u8,
        text: &[u8],
        at: usize,
        report: &mut impl FnMut(usize, usize) -> bool,
    ) -> bool {
        let is_first = marks & FIRST != 0 && self.may_be_anchor(text, at);
        if is_first && !self.compare(text, at, report) {
            return false;
        }
        // Before the first byte, `wrapping_sub` gives an offset past the end, where nothing matches.
        let before = at.wrapping_sub(1);
        let is_second = marks & SECOND != 0 && self.may_be_anchor(text, before);
        !is_second || self.compare(text, before, report)
    }

    #[inline]
    fn may_be_anchor(&self, text: &[u8], at: usize) -> bool {
        let Some(key) = key(text, at) else { return false };
        let (slot, bit) = slot(key);
        self.filter[slot] & bit != 0
    }

    /// Reports the words whose anchor is at an offset. Returns whether to continue.
    #[cold]
    #[inline(never)]
    fn compare(
        &self,
        text: &[u8],
        at: usize,
        report: &mut impl FnMut(usize, usize) -> bool,
    ) -> bool {
        let Some(key) = key(text, at) else { return true };
        let begin = usize::from(self.begins[hash(key)]).checked_sub(1);
        let known = begin.and_then(|begin| self.members.get(begin..)).unwrap_or_default();
        let same = known.iter().take_while(|(other, _)| hash(*other) == hash(key));
        let Some((_, members)) = same.into_iter().find(|(other, _)| *other == key) else {
            return true;
        };
        members.iter().all(|AnchoredWord { word, before }| {
            let Some(start) = at.checked_sub(*before) else { return true };
            let is_there =
                text.get(start..).is_some_and(|rest| rest.starts_with(&self.words[*word]));
            !is_there || report(*word, start)
        })
    }
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(u16::from_le_bytes([first, second]))
}

/// The anchor at an offset, as a number.
#[inline]
fn key(text: &[u8], at: usize) -> Option<u32> {
    let [first, second, third] = *text.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes([first, second, third, 0]))
}

/// The word and bit of the filter for an anchor.
fn slot(key: u32) -> (usize, u64) {
    let hash = hash(key);
    (hash >> 6, 1 << (hash & 63))
}

/// The filter bit of an anchor.
fn hash(key: u32) -> usize {
    (key.wrapping_mul(0x9E37_79B1) >> (32 - FILTER_BITS)) as usize
}

/// The rank of each byte by frequency: its index in [`COMMON`].
fn ranks() -> [usize; 256] {
    let mut ranks = [COMMON.len(); 256];
    for (rank, byte) in COMMON.iter().enumerate() {
        ranks[usize::from(*byte)] = rank;
    }
    ranks
}

/// The offset in a word of the three bytes whose pairs are rarest in texts or already marked.
fn rarest(word: &[u8], pairs: &[u8], ranks: &[usize; 256]) -> Option<usize> {
    let rank = |byte: u8| ranks[usize::from(byte)] + 2;
    let cost = |window: &[u8]| match window {
        [first, second] if pairs[pair(*first, *second)] == 0 => {
            1_000_000 / (rank(*first) * rank(*second))
        }
        _ => 0,
    };
    let anchors = word.windows(SHORTEST).enumerate();
    anchors.min_by_key(|(_, anchor)| anchor.windows(2).map(cost).sum::<usize>()).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::Anchors;

    fn found(words: &[&str], text: &str) -> Vec<(usize, usize)> {
        let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        let mut found = Vec::new();
        Anchors::new(words).find(text.as_bytes(), |word, at| {
            found.push((word, at));
            true
        });
        found.sort_unstable();
        found
    }

    #[test]
    fn every_word_is_found_at_every_offset_exactly_once() {
        let words = ["token", "://", "ghp_", "ok", "tok", "to://"];
        for before in 0..9 {
            for after in 0..3 {
                let text = format!("{}to://token{}", "x".repeat(before), "y".repeat(after));
                let expected = [(0, before + 5), (1, before + 2), (4, before + 5), (5, before)];
                assert_eq!(found(&words, &text), expected, "{text}");
            }
        }
        assert_eq!(found(&words, "tokentoken"), [(0, 0), (0, 5), (4, 0), (4, 5)]);
        assert_eq!(found(&words, ""), []);
        assert_eq!(found(&words, "to"), []);
    }

    #[test]
    fn the_search_stops_when_the_callback_says_so() {
        let mut count = 0;
        Anchors::new(vec![b"abc".to_vec()]).find(b"abcabcabc", |_, _| {
            count += 1;
            count < 2
        });
        assert_eq!(count, 2);
    }
}
