//! Splits a text into pieces, each of which is one or more tokens.
//!
//! The encoding's pattern is a list of alternatives, and the first that matches wins: a word with one
//! optional character before it and an English contraction after it; up to three digits; symbols with an
//! optional space before them; white space up to the last line break; white space without its last
//! character; white space. It is written out by hand because fast regex engines lack its look-ahead.

use crate::classes::{CharClass, class_of};

/// The pieces of a text, in order. Concatenated, they are the text.
pub(crate) struct TextPieces<'t> {
    rest: &'t str,
}

impl<'t> TextPieces<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { rest: text }
    }
}

impl<'t> Iterator for TextPieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let scan = PieceScanner { text: self.rest };
        let (piece, rest) = self.rest.split_at(scan.piece());
        self.rest = rest;
        Some(piece)
    }
}

/// The rest of a text, from its current start.
#[derive(Clone, Copy)]
struct PieceScanner<'t> {
    text: &'t str,
}

/// A character, its class, and the offset after it.
#[derive(Clone, Copy)]
struct ScannedChar {
    c: char,
    class: CharClass,
    end: usize,
}

impl PieceScanner<'_> {
    /// The character at an offset.
    #[inline]
    fn at(&self, offset: usize) -> Option<ScannedChar> {
        let c = match self.text.as_bytes().get(offset)? {
            byte if byte.is_ascii() => char::from(*byte),
            _ => self.text.get(offset..)?.chars().next()?,
        };
        Some(ScannedChar { c, class: class_of(c), end: offset + c.len_utf8() })
    }

    /// The end of a run of characters that satisfy a predicate.
    #[inline]
    fn run(&self, start: usize, is: impl Fn(ScannedChar) -> bool) -> usize {
        let mut end = start;
        while let Some(scanned) = self.at(end).filter(|scanned| is(*scanned)) {
            end = scanned.end;
        }
        end
    }

    /// The length of the first piece.
    fn piece(&self) -> usize {
        let Some(first) = self.at(0) else { return 0 };
        let length = self.word(first).or_else(|| match first.class {
            CharClass::Number => Some(self.number(first)),
            _ => self.symbols(first),
        });
        length.unwrap_or_else(|| self.white_space(first))
    }

    /// A word, with one leading character where allowed.
    fn word(&self, first: ScannedChar) -> Option<usize> {
        let starts = [first.class.is_lead().then_some(first.end), Some(0)];
        let starts = || starts.into_iter().flatten();
        let end = starts()
            .find_map(|start| self.cased(start))
            .or_else(|| starts().find_map(|start| self.uncased(start)))?;
        Some(self.contraction(end))
    }

    /// `[head]*[tail]+`
    #[inline]
    fn cased(&self, start: usize) -> Option<usize> {
        let (mut end, mut last_tail) = (start, None);
        while let Some(scanned) = self.at(end).filter(|scanned| scanned.class.is_head()) {
            end = scanned.end;
            if scanned.class.is_tail() {
                last_tail = Some(end);
            }
        }
        let tail = self.run(end, |scanned| scanned.class.is_tail());
        // Without a tail of its own, the head gives back everything after the last character that could be one.
        if tail > end { Some(tail) } else { last_tail }
    }

    /// `[head]+[tail]*`, if the other form does not match: capitals only.
    fn uncased(&self, start: usize) -> Option<usize> {
        let end = self.run(start, |scanned| scanned.class.is_head());
        (end > start).then_some(end)
    }

    /// `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` after a word.
    fn contraction(&self, end: usize) -> usize {
        if self.text.as_bytes().get(end) != Some(&b'\'') {
            return end;
        }
        let first = self.at(end + 1);
        let second = first.and_then(|first| self.at(first.end));
        let lower =
            |scanned: Option<ScannedChar>| scanned.map(|scanned| scanned.c.to_ascii_lowercase());
        match (lower(first), lower(second)) {
            // The long s counts as an s when case is ignored.
            (Some('s' | 't' | 'm' | 'd' | '\u{17F}'), _) => {
                first.map_or(end, |scanned| scanned.end)
            }
            (Some('r' | 'v'), Some('e')) | (Some('l'), Some('l')) => {
                second.map_or(end, |scanned| scanned.end)
            }
            _ => end,
        }
    }

    /// One to three digits.
    fn number(&self, first: ScannedChar) -> usize {
        let mut end = first.end;
        for _ in 0..2 {
            end = self
                .at(end)
                .filter(|scanned| scanned.class == CharClass::Number)
                .map_or(end, |it| it.end);
        }
        end
    }

    /// Symbols, with a space before and line breaks or slashes after them.
    fn symbols(&self, first: ScannedChar) -> Option<usize> {
        let start = if first.c == ' ' { first.end } else { 0 };
        let end = self.run(start, |scanned| scanned.class.is_symbol());
        let is_end = |scanned: ScannedChar| scanned.class == CharClass::Newline || scanned.c == '/';
        (end > start).then(|| self.run(end, is_end))
    }

    /// White space up to its last line break; otherwise without its last character, which belongs to the
    /// next piece.
    fn white_space(&self, first: ScannedChar) -> usize {
        let (mut end, mut last_start, mut last_newline) = (0, 0, None);
        while let Some(scanned) = self.at(end).filter(|scanned| scanned.class.is_space()) {
            (last_start, end) = (end, scanned.end);
            if scanned.class == CharClass::Newline {
                last_newline = Some(end);
            }
        }
        let alone = end == self.text.len() || last_start == 0;
        last_newline.unwrap_or(if alone { end } else { last_start }).max(first.end)
    }
}

#[cfg(test)]
mod tests {
    use super::TextPieces;

    fn check(text: &str, expected: &[&str]) {
        let pieces: Vec<&str> = TextPieces::new(text).collect();
        assert_eq!(pieces, expected);
    }

    #[test]
    fn words_take_one_leading_character_and_a_contraction() {
        check("don't stop", &["don't", " stop"]);
        check("_foo.Bar", &["_foo", ".Bar"]);
        check("we'LL I'ſ", &["we'LL", " I'ſ"]);
        check("HTTPServer camelCase", &["HTTPServer", " camel", "Case"]);
        check("ABC", &["ABC"]);
    }

    #[test]
    fn digits_are_split_in_threes() {
        check("1234567", &["123", "456", "7"]);
    }

    #[test]
    fn symbols_take_a_space_and_the_line_break() {
        check("a  ++\n//b", &["a", " ", " ++\n//", "b"]);
        check("x();\r\n\r\ny", &["x", "();\r\n\r\n", "y"]);
    }

    #[test]
    fn white_space_leaves_its_last_character_to_the_next_piece() {
        check("a   b", &["a", "  ", " b"]);
        check("a \n \n  b", &["a", " \n \n", " ", " b"]);
        check("a  ", &["a", "  "]);
        check("\t+", &["\t", "+"]);
    }

    #[test]
    fn a_combining_mark_can_be_a_word() {
        check("\u{301}AB", &["\u{301}", "AB"]);
    }
}
