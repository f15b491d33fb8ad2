//! The order of ids in every output: that of RFC 8785, by UTF-16 code unit.

use std::cmp::Ordering;

/// Compares two strings by their UTF-16 code units, without converting them.
///
/// It equals byte order except for one range: characters beyond the basic plane (lead byte `F0` and up)
/// are surrogate pairs in UTF-16, so they sort before `U+E000..=U+FFFF` (lead bytes `EE` and `EF`).
pub fn cmp_utf16(left: &str, right: &str) -> Ordering {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    match first_difference(left, right) {
        None => left.len().cmp(&right.len()),
        Some(at) => rank(left[at]).cmp(&rank(right[at])),
    }
}

/// The first index at which two texts differ, within their common length. Paths share long prefixes and every comparison
/// of every sort calls this, so it compares eight bytes at a time.
fn first_difference(left: &[u8], right: &[u8]) -> Option<usize> {
    let (left_words, _) = left.as_chunks::<8>();
    let (right_words, _) = right.as_chunks::<8>();
    let words = left_words.iter().zip(right_words);
    let same = words.take_while(|(left, right)| left == right).count() * 8;
    let rest = left[same..].iter().zip(&right[same..]);
    rest.into_iter().position(|(left, right)| left != right).map(|at| same + at)
}

/// The rank of a byte in the order. Only a lead byte can be `EE` or more, and the first differing
/// bytes of two strings are both lead bytes or both continuation bytes.
fn rank(byte: u8) -> u8 {
    match byte {
        0xEE | 0xEF => byte + 0x10,
        0xF0..=0xFF => byte - 2,
        _ => byte,
    }
}

#[cfg(test)]
mod tests {
    use super::cmp_utf16;

    #[test]
    fn equals_the_order_of_utf16_code_units() {
        let words = [
            "",
            "a",
            "b",
            "aa",
            "A",
            "_",
            "~",
            "é",
            "\u{7FF}",
            "\u{800}",
            "\u{D7FF}",
            "\u{E000}",
            "\u{FFFF}",
            "\u{10000}",
            "\u{10FFFF}",
            "a\u{FFFF}",
            "a\u{10000}",
            "日本",
            "日",
            "😀",
            "😀a",
            "packages",
            "packages/a/b.ts",
            "packages/a/c.ts",
            "packages/a\u{FFFF}",
            "packages/a\u{10000}",
            "packages/日本/a",
            "packages/日本/b",
        ];
        for left in words {
            for right in words {
                let expected = left.encode_utf16().cmp(right.encode_utf16());
                assert_eq!(cmp_utf16(left, right), expected, "{left:?} against {right:?}");
            }
        }
    }
}
