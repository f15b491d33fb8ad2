//! Finds the end of strings, templates, regular expressions and comments.
//!
//! Each function takes the offset of the literal's first byte and does not interpret its content. A
//! caller that tolerates broken code continues where it stopped; a caller that must not guess gives
//! up there.

use memchr::{memchr, memchr2, memchr3, memmem};

/// The closing quote of the string at `start`. If its line does not close it, `Err` with the end of
/// the line or the text.
pub(crate) fn string_end(text: &[u8], start: usize) -> Result<usize, usize> {
    let quote = text.get(start).copied().unwrap_or_default();
    let mut at = start + 1;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let stop = memchr3(quote, b'\\', b'\n', rest).unwrap_or(rest.len());
        if let Some(line_end) = memchr(b'\r', &rest[..stop]) {
            return Err(at + line_end);
        }
        at = (at + stop).min(text.len());
        match text.get(at) {
            Some(b'\\') => at += if text.get(at + 1..at + 3) == Some(b"\r\n") { 3 } else { 2 },
            Some(&byte) if byte == quote => return Ok(at),
            _ => return Err(at),
        }
    }
}

/// What ends a part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemplateEnd {
    /// The closing backtick, at this offset.
    Quote(usize),
    /// The opening brace of a substitution, at this offset.
    Substitution(usize),
}

/// The end of the template part at `start`, which is a backtick or the closing brace of the
/// previous substitution.
pub(crate) fn template_end(text: &[u8], start: usize) -> Option<TemplateEnd> {
    let mut at = start + 1;
    loop {
        at += memchr3(b'`', b'\\', b'$', text.get(at..)?)?;
        match (text[at], text.get(at + 1)) {
            (b'\\', _) => at += 2,
            (b'$', Some(b'{')) => return Some(TemplateEnd::Substitution(at + 1)),
            (b'$', _) => at += 1,
            _ => return Some(TemplateEnd::Quote(at)),
        }
    }
}

/// The closing slash of the regular expression at `start`, if it is in the same line.
pub(crate) fn regex_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    let mut in_class = false;
    loop {
        match *text.get(at)? {
            b'\n' | b'\r' => return None,
            b'\\' => at += 1,
            b'/' if !in_class => return Some(at),
            byte => in_class = byte == b'[' || (in_class && byte != b']'),
        }
        at += 1;
    }
}

/// The length of the comment at the start of a text; `None` if it does not end.
pub(crate) fn comment_length(text: &[u8]) -> Option<usize> {
    if text.starts_with(b"/*") {
        memmem::find(text.get(2..)?, b"*/").map(|end| end + "/**/".len())
    } else {
        Some(memchr2(b'\n', b'\r', text).unwrap_or(text.len()))
    }
}

/// Whether a byte belongs to a name or a number. All bytes beyond ASCII do.
pub(crate) fn is_word(byte: u8) -> bool {
    const WORD: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            let ascii = byte as u8;
            table[byte] = ascii.is_ascii_alphanumeric()
                || matches!(ascii, b'_' | b'$' | b'#' | b'@')
                || byte >= 0x80;
            byte += 1;
        }
        table
    };
    WORD[byte as usize]
}

#[cfg(test)]
mod tests {
    use super::{TemplateEnd, comment_length, regex_end, string_end, template_end};

    #[test]
    fn string_ends_at_its_quote_or_with_its_line() {
        assert_eq!(string_end(br"'a\'b' c", 0), Ok(5));
        assert_eq!(string_end(b"'a\\\r\nb'", 0), Ok(6));
        assert_eq!(string_end(b"'a\"\nb'", 0), Err(3));
        assert_eq!(string_end(b"'a\rb'", 0), Err(2));
        assert_eq!(string_end(b"'a", 0), Err(2));
        assert_eq!(string_end(b"'a\\", 0), Err(3));
    }

    #[test]
    fn template_ends_at_its_quote_or_next_substitution() {
        assert_eq!(template_end(br"`a\`$b`", 0), Some(TemplateEnd::Quote(6)));
        assert_eq!(template_end(b"`a\n${b}`", 0), Some(TemplateEnd::Substitution(4)));
        assert_eq!(template_end(b"`a\\", 0), None);
    }

    #[test]
    fn regular_expression_ends_at_a_slash_outside_of_classes() {
        assert_eq!(regex_end(br"/[/\]]\//g", 0), Some(8));
        assert_eq!(regex_end(b"/a\n/", 0), None);
        assert_eq!(regex_end(b"/[/", 0), None);
    }

    #[test]
    fn comment_ends_with_its_line_or_its_stars() {
        assert_eq!(comment_length(b"// a\r\nb"), Some(4));
        assert_eq!(comment_length(b"/*/ */b"), Some(6));
        assert_eq!(comment_length(b"/*/"), None);
    }
}
