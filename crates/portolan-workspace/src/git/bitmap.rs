//! The bitmaps of a split index: runs of equal words, each followed by literal words (EWAH).

use super::index::IndexError;

/// A compressed bitmap.
#[derive(Debug)]
pub(super) struct Bitmap {
    words: Vec<u64>,
}

impl Bitmap {
    /// Reads words of eight bytes.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let word = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        Self { words: bytes.chunks_exact(8).map(word).collect() }
    }

    /// Which of the first `length` bits are set. Fails if any other bit is set.
    pub(super) fn set(&self, length: usize) -> Result<Vec<bool>, IndexError> {
        let mut bits = vec![false; length];
        let mut words = self.words.iter();
        let mut at = 0usize;
        while let Some(marker) = words.next() {
            let (is_set, run) = (marker & 1 == 1, (marker >> 1 & 0xFFFF_FFFF) as usize);
            let end = at.saturating_add(run.saturating_mul(64));
            if is_set {
                if end > length.next_multiple_of(64) {
                    return Err(beyond());
                }
                bits.get_mut(at..end.min(length)).unwrap_or_default().fill(true);
            }
            at = end;
            for word in words.by_ref().take((marker >> 33) as usize) {
                for bit in (0..64).filter(|bit| word >> bit & 1 == 1) {
                    *bits.get_mut(at.saturating_add(bit)).ok_or_else(beyond)? = true;
                }
                at = at.saturating_add(64);
            }
        }
        Ok(bits)
    }
}

fn beyond() -> IndexError {
    "it changes entries that do not exist".to_owned()
}

#[cfg(test)]
mod tests {
    use super::Bitmap;

    fn set(words: &[u64], length: usize) -> Result<Vec<usize>, String> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        let bits = Bitmap::new(&bytes).set(length)?;
        Ok(bits.iter().enumerate().filter_map(|(at, is_set)| is_set.then_some(at)).collect())
    }

    #[test]
    fn runs_and_words_follow_each_other() {
        let words_after = 1u64 << 33;
        assert_eq!(set(&[words_after, 0b101], 3), Ok(vec![0, 2]));
        assert_eq!(set(&[1 << 1 | words_after, 0b1], 70), Ok(vec![64]));
        assert_eq!(set(&[1 << 1 | 1], 64), Ok((0..64).collect()));
        assert_eq!(set(&[], 5), Ok(vec![]));
    }

    #[test]
    fn bits_beyond_the_entries_are_rejected_without_counting_them() {
        let endless = 0xFFFF_FFFF << 1 | 1;
        assert!(set(&[endless; 1000], 10).is_err());
        assert_eq!(set(&[endless & !1; 1000], 10), Ok(vec![]));
        assert!(set(&[1 << 33, 1 << 10], 10).is_err());
        assert_eq!(set(&[u64::MAX << 33, 1], 1), Ok(vec![0]));
    }
}
