//! Splits a text into the pieces that are tokens or made of tokens.
//!
//! The encoding's pattern is a list of alternatives of which the first that fits counts: a word with what
//! may stand in front of it and an English contraction behind; up to three digits; symbols with a space in
//! front; white space up to the last line end; white space but for its last character; white space. It
//! is written out here, because its look-ahead keeps fast engines for regular expressions from it.

use crate::classes::{Class, Classes};

/// The pieces of a text, in their order; together they are the text.
pub(crate) struct Pieces<'t> {
    rest: &'t str,
    classes: &'static Classes,
}

impl<'t> Pieces<'t> {
    pub(crate) fn new(text: &'t str, classes: &'static Classes) -> Self {
        Self { rest: text, classes }
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let scan = Scan { text: self.rest, classes: self.classes };
        let (piece, rest) = self.rest.split_at(scan.piece());
        self.rest = rest;
        Some(piece)
    }
}

/// A look at a text from its beginning.
#[derive(Clone, Copy)]
struct Scan<'t> {
    text: &'t str,
    classes: &'static Classes,
}

/// A character with its class and where the next one begins.
#[derive(Clone, Copy)]
struct Seen {
    c: char,
    class: Class,
    end: usize,
}

impl Scan<'_> {
    /// The character at an offset.
    #[inline]
    fn at(&self, offset: usize) -> Option<Seen> {
        let c = match self.text.as_bytes().get(offset)? {
            byte if byte.is_ascii() => char::from(*byte),
            _ => self.text.get(offset..)?.chars().next()?,
        };
        Some(Seen { c, class: self.classes.of(c), end: offset + c.len_utf8() })
    }

    /// Where characters end that all are of one sort.
    #[inline]
    fn run(&self, start: usize, is: impl Fn(Seen) -> bool) -> usize {
        let mut end = start;
        while let Some(seen) = self.at(end).filter(|seen| is(*seen)) {
            end = seen.end;
        }
        end
    }

    /// The length of the first piece.
    fn piece(&self) -> usize {
        let Some(first) = self.at(0) else { return 0 };
        let length = self.word(first).or_else(|| match first.class {
            Class::Number => Some(self.number(first)),
            _ => self.symbols(first),
        });
        length.unwrap_or_else(|| self.white_space(first))
    }

    /// A word, with one character in front where that may be.
    fn word(&self, first: Seen) -> Option<usize> {
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
        while let Some(seen) = self.at(end).filter(|seen| seen.class.is_head()) {
            end = seen.end;
            if seen.class.is_tail() {
                last_tail = Some(end);
            }
        }
        let tail = self.run(end, |seen| seen.class.is_tail());
        // Without a tail of its own, the head gives back what is behind the last that could be one.
        if tail > end { Some(tail) } else { last_tail }
    }

    /// `[head]+[tail]*`, where the other form does not fit: capitals alone.
    fn uncased(&self, start: usize) -> Option<usize> {
        let end = self.run(start, |seen| seen.class.is_head());
        (end > start).then_some(end)
    }

    /// `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` behind a word.
    fn contraction(&self, end: usize) -> usize {
        if self.text.as_bytes().get(end) != Some(&b'\'') {
            return end;
        }
        let first = self.at(end + 1);
        let second = first.and_then(|first| self.at(first.end));
        let lower = |seen: Option<Seen>| seen.map(|seen| seen.c.to_ascii_lowercase());
        match (lower(first), lower(second)) {
            // The long s is an s where case does not matter.
            (Some('s' | 't' | 'm' | 'd' | '\u{17F}'), _) => first.map_or(end, |seen| seen.end),
            (Some('r' | 'v'), Some('e')) | (Some('l'), Some('l')) => {
                second.map_or(end, |seen| seen.end)
            }
            _ => end,
        }
    }

    /// One to three digits.
    fn number(&self, first: Seen) -> usize {
        let mut end = first.end;
        for _ in 0..2 {
            end = self.at(end).filter(|seen| seen.class == Class::Number).map_or(end, |it| it.end);
        }
        end
    }

    /// Symbols, with a space in front and line ends or slashes behind.
    fn symbols(&self, first: Seen) -> Option<usize> {
        let start = if first.c == ' ' { first.end } else { 0 };
        let end = self.run(start, |seen| seen.class.is_symbol());
        let is_end = |seen: Seen| seen.class == Class::Newline || seen.c == '/';
        (end > start).then(|| self.run(end, is_end))
    }

    /// White space: up to its last line end; else but for its last character, which goes with what
    /// follows.
    fn white_space(&self, first: Seen) -> usize {
        let (mut end, mut last_start, mut last_newline) = (0, 0, None);
        while let Some(seen) = self.at(end).filter(|seen| seen.class.is_space()) {
            (last_start, end) = (end, seen.end);
            if seen.class == Class::Newline {
                last_newline = Some(end);
            }
        }
        let alone = end == self.text.len() || last_start == 0;
        last_newline.unwrap_or(if alone { end } else { last_start }).max(first.end)
    }
}

#[cfg(test)]
mod tests {
    use super::{Classes, Pieces};

    fn check(text: &str, expected: &[&str]) {
        let pieces: Vec<&str> = Pieces::new(text, Classes::get()).collect();
        assert_eq!(pieces, expected);
    }

    #[test]
    fn words_take_one_character_in_front_and_a_contraction() {
        check("don't stop", &["don't", " stop"]);
        check("_foo.Bar", &["_foo", ".Bar"]);
        check("we'LL I'ſ", &["we'LL", " I'ſ"]);
        check("HTTPServer camelCase", &["HTTPServer", " camel", "Case"]);
        check("ABC", &["ABC"]);
    }

    #[test]
    fn digits_come_in_threes() {
        check("1234567", &["123", "456", "7"]);
    }

    #[test]
    fn symbols_take_a_space_and_the_line_end() {
        check("a  ++\n//b", &["a", " ", " ++\n//", "b"]);
        check("x();\r\n\r\ny", &["x", "();\r\n\r\n", "y"]);
    }

    #[test]
    fn white_space_leaves_its_last_character_to_what_follows() {
        check("a   b", &["a", "  ", " b"]);
        check("a \n \n  b", &["a", " \n \n", " ", " b"]);
        check("a  ", &["a", "  "]);
        check("\t+", &["\t", "+"]);
    }

    #[test]
    fn a_mark_can_be_a_word() {
        check("\u{301}AB", &["\u{301}", "AB"]);
    }
}
