//! Classifies a file by its bytes: text or binary, and whether it is large.

/// How many bytes to check for binary content.
pub const HEAD_BYTES: usize = 8192;
/// A text with more bytes is large…
pub const LARGE_BYTES: u64 = 1024 * 1024;
/// …and so is one with more lines.
pub const LARGE_LINES: u64 = 3000;
/// Lines are counted only in files smaller than this.
const COUNTED_BYTES: usize = 5 * 1024 * 1024;

/// Whether a file is binary: a zero byte in the first 8 KiB, as in git, unless a byte order mark says
/// UTF-16, where every other byte of plain text is zero.
pub fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let is_utf32 = head.starts_with(&[0xFF, 0xFE, 0, 0]);
    let is_utf16 =
        !is_utf32 && (head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]));
    !is_utf16 && head.contains(&0)
}

/// The number of lines of a text that is small enough to count: the pieces between line breaks, so a
/// trailing newline adds one.
pub fn count_lines(bytes: &[u8]) -> Option<u64> {
    if bytes.len() >= COUNTED_BYTES {
        return None;
    }
    if bytes.is_empty() {
        return Some(0);
    }
    Some(bytes.split(|byte| *byte == b'\n').count() as u64)
}

/// Why a text counts as large, if it does. It stays in the archive, but its owner should know.
pub fn large_text(bytes: &[u8]) -> Option<String> {
    let size = bytes.len() as u64;
    let lines = count_lines(bytes);
    if size > LARGE_BYTES {
        return Some(format!("{size} bytes (over {LARGE_BYTES})"));
    }
    lines
        .filter(|lines| *lines > LARGE_LINES)
        .map(|lines| format!("{lines} lines (over {LARGE_LINES})"))
}

#[cfg(test)]
mod tests {
    use super::{is_binary, large_text};

    #[test]
    fn a_zero_byte_in_the_head_makes_a_file_binary() {
        assert!(is_binary(&[1, 2, 0, 3]));
        assert!(!is_binary(b""));
        assert!(!is_binary(b"plain"));
        let late = [vec![b'A'; 8192], vec![0]].concat();
        assert!(!is_binary(&late));
        assert!(is_binary(&late[1..]));
    }

    #[test]
    fn utf16_with_a_mark_is_text_and_utf32_is_not() {
        assert!(!is_binary(&[0xFF, 0xFE, b'h', 0]));
        assert!(!is_binary(&[0xFE, 0xFF, 0, b'h']));
        assert!(is_binary(&[0xFF, 0xFE, 0, 0, b'h', 0, 0, 0]));
        assert!(is_binary(&[b'h', 0]));
    }

    #[test]
    fn large_by_bytes_or_by_lines() {
        assert_eq!(large_text("x\n".repeat(2999).as_bytes()), None);
        assert_eq!(large_text("x\n".repeat(3000).as_bytes()).unwrap(), "3001 lines (over 3000)");
        assert_eq!(large_text(&vec![b'a'; 1024 * 1024]), None);
        assert_eq!(
            large_text(&vec![b'a'; 1024 * 1024 + 1]).unwrap(),
            "1048577 bytes (over 1048576)"
        );
    }
}
