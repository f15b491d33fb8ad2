//! Decodes bytes to text, and offsets to positions.

use std::borrow::Cow;

/// The text of a file: UTF-8, or UTF-16 with a byte order mark. Invalid input is replaced. A
/// leading byte order mark is not part of the text.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => decode_utf8(rest),
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_be_bytes)),
        _ => decode_utf8(bytes),
    }
}

/// Nearly every file is valid, and checking that is much faster than a lossy conversion.
fn decode_utf8(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

fn decode_utf16(bytes: &[u8], unit: impl Fn([u8; 2]) -> u16) -> String {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text: String = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !odd.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

/// The line and column of an offset, both from 1. The column is in UTF-16 units.
pub fn position(text: &str, offset: usize) -> (u32, u32) {
    let before = &text[..floor_char_boundary(text, offset)];
    let mut line = 1;
    let mut start = 0;
    for (at, byte) in before.bytes().enumerate() {
        let crlf = byte == b'\r' && text.as_bytes().get(at + 1) == Some(&b'\n');
        if byte == b'\n' || (byte == b'\r' && !crlf) {
            line += 1;
            start = at + 1;
        }
    }
    let column = before[start..].encode_utf16().count();
    (line, column as u32 + 1)
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The value of a string literal, given its source without quotes.
///
/// This is for text that no parser has read: it decodes escapes and keeps invalid ones.
pub(crate) fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('\\') {
        value.push_str(before);
        rest = push_escape(&mut value, after);
    }
    value.push_str(rest);
    Cow::Owned(value)
}

/// Decodes the escape at the start of `text`, after the backslash. Returns the rest.
fn push_escape<'t>(value: &mut String, text: &'t str) -> &'t str {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return "" };
    let rest = chars.as_str();
    match first {
        'n' => value.push('\n'),
        't' => value.push('\t'),
        'r' => value.push('\r'),
        'b' => value.push('\u{8}'),
        'v' => value.push('\u{b}'),
        'f' => value.push('\u{c}'),
        '\r' => return rest.strip_prefix('\n').unwrap_or(rest),
        '\n' | '\u{2028}' | '\u{2029}' => {}
        'x' => return push_hex(value, rest, 2),
        'u' => {
            if let Some((digits, after)) =
                rest.strip_prefix('{').and_then(|braced| braced.split_once('}'))
            {
                push_code(value, digits);
                return after;
            }
            return push_hex(value, rest, 4);
        }
        other => value.push(other),
    }
    rest
}

fn push_hex<'t>(value: &mut String, text: &'t str, digits: usize) -> &'t str {
    match text.split_at_checked(digits) {
        Some((code, rest)) => {
            push_code(value, code);
            rest
        }
        None => text,
    }
}

fn push_code(value: &mut String, digits: &str) {
    let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    value.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
}

/// The longest prefix of `text` with at most `limit` UTF-16 units and whole characters.
pub fn truncate_utf16(text: &str, limit: usize) -> &str {
    let mut units = 0;
    for (at, char) in text.char_indices() {
        units += char.len_utf16();
        if units > limit {
            return &text[..at];
        }
    }
    text
}

/// The length of `text` in UTF-16 units.
pub fn len_utf16(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_every_encoding() {
        for bytes in [
            &b"a\xC3\xA9"[..],
            b"\xEF\xBB\xBFa\xC3\xA9",
            b"\xFF\xFEa\0\xE9\0",
            b"\xFE\xFF\0a\0\xE9",
        ] {
            assert_eq!(decode(bytes), "aé", "{bytes:?}");
        }
        assert_eq!(decode(b"a\xFF"), "a\u{FFFD}");
        assert_eq!(decode(b"\xFF\xFEa\0b"), "a\u{FFFD}");
    }

    #[test]
    fn positions_count_lines_and_utf16_columns() {
        let text = "a\r\n😀b\rc\nd";
        let place = |needle| position(text, text.find(needle).unwrap());
        assert_eq!(
            [place("a"), place("b"), place("c"), place("d")],
            [(1, 1), (2, 3), (3, 1), (4, 1)]
        );
        assert_eq!(position(text, 1000), (4, 2));
    }

    #[test]
    fn unescapes_like_the_language() {
        assert_eq!(unescape(r"./\x61\u0062\u{63}\n\'\\"), "./abc\n'\\");
        assert_eq!(unescape("a\\\r\nb\\\nc"), "abc");
        assert_eq!(unescape(r"\ud800\x"), "\u{FFFD}");
        assert_eq!(unescape("trailing\\"), "trailing");
    }

    #[test]
    fn truncates_at_whole_characters() {
        assert_eq!(truncate_utf16("ab😀c", 3), "ab");
        assert_eq!(truncate_utf16("ab😀c", 4), "ab😀");
        assert_eq!(truncate_utf16("abc", 3), "abc");
    }
}
