//! The digest that git uses as the id of a file's content. It protects nothing here: it only tells whether a
//! file equals the committed one.

use super::objects::Id;

/// The id of a file's content.
pub(super) fn blob_id(bytes: &[u8]) -> Id {
    let mut text = format!("blob {}\0", bytes.len()).into_bytes();
    text.extend_from_slice(bytes);
    sha1(text)
}

#[expect(clippy::many_single_char_names, reason = "these are the names of the standard")]
fn sha1(mut text: Vec<u8>) -> Id {
    let bits = (text.len() as u64).wrapping_mul(8);
    text.push(0x80);
    while text.len() % 64 != 56 {
        text.push(0);
    }
    text.extend(bits.to_be_bytes());
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let mut words = [0u32; 80];
    for block in text.chunks_exact(64) {
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        for at in 16..80 {
            words[at] =
                (words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (at, word) in words.iter().enumerate() {
            let (mix, add) = match at / 20 {
                0 => ((b & c) | (!b & d), 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a
                .rotate_left(5)
                .wrapping_add(mix)
                .wrapping_add(e)
                .wrapping_add(add)
                .wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (sum, value) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(value);
        }
    }
    let mut id = [0; 20];
    for (bytes, word) in id.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    id
}

#[cfg(test)]
mod tests {
    use super::blob_id;
    use crate::git::objects::hex;

    #[test]
    fn ids_equal_those_of_git() {
        assert_eq!(hex(&blob_id(b"")), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(hex(&blob_id(b"hello\n")), "ce013625030ba8dba906f756967f9e9ca394464a");
        let long = hex(&blob_id(&[b'a'; 200]));
        assert_eq!(long.len(), 40);
    }
}
