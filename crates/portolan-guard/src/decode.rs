//! Decodes bytes to text that the rules can search.

use std::borrow::Cow;

/// The bytes of a text with its ASCII as in UTF-8, whatever its encoding.
///
/// UTF-16 with a byte order mark is decoded. Without one, its zero bytes give it away, since no text has them.
/// Dropping them leaves the ASCII of either byte order (and of UTF-32) in place.
pub(crate) fn readable(bytes: &[u8]) -> Cow<'_, [u8]> {
    match bytes {
        [0xFF, 0xFE, rest @ ..] if !rest.starts_with(&[0, 0]) => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        // What follows the mark of UTF-8 begins a line, too.
        [0xEF, 0xBB, 0xBF, rest @ ..] => readable(rest),
        _ if memchr::memchr(0, bytes).is_some() => Cow::Owned(without_zeros(bytes)),
        _ => Cow::Borrowed(bytes),
    }
}

/// The same bytes if their mark may be wrong: a file may start with a UTF-16 mark and continue in ASCII.
pub(crate) fn unmarked(bytes: &[u8]) -> Option<Vec<u8>> {
    let ([0xFF, 0xFE, rest @ ..] | [0xFE, 0xFF, rest @ ..]) = bytes else { return None };
    Some(without_zeros(rest))
}

/// The same bytes with the letters, digits and dashes that are written as escapes (`\\u0069`, `\\u{69}`, `\\x69`); `None` if there are
/// none. JSON, YAML and code read them as if they stood there.
pub(crate) fn unescaped(bytes: &[u8]) -> Option<Vec<u8>> {
    let (mut text, mut from) = (Vec::new(), 0);
    for at in memchr::memchr_iter(b'\\', bytes) {
        let Some((byte, length)) = escape(&bytes[at..]).filter(|_| at >= from) else { continue };
        text.extend_from_slice(&bytes[from..at]);
        text.push(byte);
        from = at + length;
    }
    if from == 0 {
        return None;
    }
    text.extend_from_slice(&bytes[from..]);
    Some(text)
}

/// The letter, digit or dash that an escape stands for, and the length of the escape.
fn escape(text: &[u8]) -> Option<(u8, usize)> {
    let (digits, length) = match text {
        [b'\\', b'u', b'0', b'0', high, low, ..] | [b'\\', b'u', b'{', high, low, b'}', ..] => {
            ([*high, *low], 6)
        }
        [b'\\', b'x', high, low, ..] => ([*high, *low], 4),
        _ => return None,
    };
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    let byte = u8::try_from(high? * 16 + low?).ok()?;
    (byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).then_some((byte, length))
}

/// The bytes between zeros, run by run. Most files with zeros have few of them.
fn without_zeros(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for at in memchr::memchr_iter(0, bytes) {
        text.extend_from_slice(&bytes[from..at]);
        from = at + 1;
    }
    text.extend_from_slice(&bytes[from..]);
    text
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'_, [u8]> {
    let (pairs, _) = bytes.as_chunks::<2>();
    let text: String = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER))
        .filter(|c| *c != '\0')
        .collect();
    Cow::Owned(text.into_bytes())
}

/// Decodes base64 of either alphabet, with or without padding; `None` if it is not base64.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    crate::steps::add(2 * text.len());
    let text = text.trim_end_matches('=');
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (text.len() % 4 != 1).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::{base64, readable, unescaped};

    #[test]
    fn letters_that_are_escaped_are_read() {
        assert_eq!(
            unescaped(br"k\u0069nd\u003a \u00").as_deref(),
            Some(br"kind\u003a \u00".as_slice())
        );
        assert_eq!(unescaped(br"\u{67}hp\x5f\x30").as_deref(), Some(b"ghp_0".as_slice()));
        assert_eq!(unescaped(br"\u00e9 \u003a \x1b \"), None);
    }

    #[test]
    fn base64_of_either_alphabet_is_read() {
        assert_eq!(base64("aGk6dGhlcmU="), Some(b"hi:there".to_vec()));
        assert_eq!(base64("_-8"), Some(vec![0xFF, 0xEF]));
        assert_eq!(base64("a"), None);
        assert_eq!(base64("a b"), None);
    }

    #[test]
    fn utf16_is_read_with_and_without_a_mark() {
        let little: Vec<u8> = "hé".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "hé".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(&*readable(&[&[0xFF, 0xFE], little.as_slice()].concat()), "hé".as_bytes());
        assert_eq!(&*readable(&[&[0xFE, 0xFF], big.as_slice()].concat()), "hé".as_bytes());
        assert_eq!(&*readable(b"h\0i\0"), b"hi");
        assert_eq!(&*readable(b"\0h\0i"), b"hi");
        assert_eq!(&*readable(b"hi"), b"hi");
        assert_eq!(&*readable(b"\xEF\xBB\xBFhi"), b"hi");
    }
}
