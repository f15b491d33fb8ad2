//! Splits Python into tokens: names, strings, operators, and the starts of logical lines.
//!
//! Nothing is rejected. Brackets that are open at the end of a text, or at a line that must be a
//! statement, are closed there: one missing bracket does not hide the rest of a file.

use memchr::{memchr, memchr2};

use crate::syntax::tokens::is_name;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PythonTokenKind {
    /// The start of a logical line, with its indentation.
    Line(u32),
    /// An identifier or a keyword.
    Name,
    /// A plain string literal, without a prefix other than `r` and `u`.
    Text,
    /// Any other literal: bytes, a formatted string, a number.
    Literal,
    /// One byte of an operator or a bracket.
    Mark(u8),
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PythonToken {
    pub(crate) kind: PythonTokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The number of open brackets around it. An opening bracket counts itself.
    pub(crate) depth: u32,
}

/// Iterates over the tokens of a text.
pub(crate) struct PythonLexer<'t> {
    text: &'t [u8],
    at: usize,
    depth: u32,
    /// Whether the next token starts a logical line.
    at_line_start: bool,
}

/// Tab stops are eight columns apart, as in `CPython`.
const TAB: u32 = 8;

/// How far to look for the end of a replacement field.
const FAR: usize = 1000;

/// Words that start a statement at the margin, even if a bracket is still open.
const STATEMENTS: [&[u8]; 5] = [b"def ", b"class ", b"import ", b"from ", b"async def "];

impl<'t> PythonLexer<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0, depth: 0, at_line_start: true }
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// Moves to the next logical line, past blank lines and comments.
    fn line_start(&mut self) -> Option<PythonToken> {
        loop {
            let start = self.at;
            let mut indent = 0;
            loop {
                match self.byte(self.at) {
                    b' ' => indent += 1,
                    b'\t' => indent += TAB - indent % TAB,
                    b'\x0c' => indent = 0,
                    // A byte order mark is not indentation.
                    0xEF if self.at == 0 && self.text.starts_with(b"\xEF\xBB\xBF") => self.at += 2,
                    _ => break,
                }
                self.at += 1;
            }
            match self.byte(self.at) {
                b'\n' | b'\r' => self.at += 1,
                b'#' => self.comment(),
                0 if self.at >= self.text.len() => return None,
                _ => {
                    self.at_line_start = false;
                    let kind = PythonTokenKind::Line(indent);
                    return Some(PythonToken { kind, start, end: self.at, depth: 0 });
                }
            }
        }
    }

    fn comment(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at = memchr2(b'\n', b'\r', rest).map_or(self.text.len(), |length| self.at + length);
    }

    /// Handles a line end inside brackets. If the next line must be a statement, the brackets are
    /// closed.
    fn inside_brackets(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if STATEMENTS.iter().any(|word| rest.starts_with(word)) && !is_continued_from(rest) {
            self.depth = 0;
            self.at_line_start = true;
        }
    }

    fn string(&mut self, start: usize, is_text: bool, is_format: bool) -> PythonToken {
        let kind = if is_text { PythonTokenKind::Text } else { PythonTokenKind::Literal };
        let quote = self.byte(self.at);
        if is_triple(self.text.get(self.at..).unwrap_or_default()) {
            self.at = self.triple_end(self.at + 3, quote);
        } else {
            self.at = self.single_end(self.at + 1, quote, is_format);
        }
        PythonToken { kind, start, end: self.at, depth: self.depth }
    }

    fn triple_end(&self, mut at: usize, quote: u8) -> usize {
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let Some(found) = memchr2(quote, b'\\', rest) else { return self.text.len() };
            at += found;
            if self.byte(at) == b'\\' {
                at += 2;
            } else if is_triple(self.text.get(at..).unwrap_or_default()) {
                return at + 3;
            } else {
                at += 1;
            }
        }
    }

    /// The end of a single-line string. The replacement fields of a formatted string may contain
    /// quotes.
    fn single_end(&self, mut at: usize, quote: u8, is_format: bool) -> usize {
        let mut fields = 0u32;
        loop {
            match self.byte(at) {
                b'\\' => at += 1 + usize::from(self.byte(at + 1) == b'\r'),
                b'\n' | b'\r' => return at,
                0 if at >= self.text.len() => return self.text.len(),
                b'{' if is_format && self.byte(at + 1) == b'{' && fields == 0 => at += 1,
                b'{' if is_format => fields += 1,
                b'}' if is_format => fields = fields.saturating_sub(1),
                byte if byte == quote && (fields == 0 || !self.has_closing(at + 1, quote)) => {
                    return at + 1;
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Whether a brace and another quote follow in the line. Then this quote is nested.
    fn has_closing(&self, at: usize, quote: u8) -> bool {
        let rest = self.text.get(at..).unwrap_or_default();
        let rest = rest.get(..FAR).unwrap_or(rest);
        let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
        memchr(b'}', line).is_some_and(|brace| memchr(quote, &line[brace..]).is_some())
    }

    fn name_or_string(&mut self) -> PythonToken {
        let start = self.at;
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|byte| !is_name(*byte)).unwrap_or(rest.len());
        let word = self.text.get(start..self.at).unwrap_or_default();
        if matches!(self.byte(self.at), b'"' | b'\'') && word.len() <= 2 {
            let has = |letter: u8| word.iter().any(|byte| byte.to_ascii_lowercase() == letter);
            let is_prefix = word.iter().all(|byte| b"rbuft".contains(&byte.to_ascii_lowercase()));
            if is_prefix {
                let is_format = has(b'f') || has(b't');
                return self.string(start, !is_format && !has(b'b'), is_format);
            }
        }
        let is_number = word.first().is_some_and(u8::is_ascii_digit);
        let kind = if is_number { PythonTokenKind::Literal } else { PythonTokenKind::Name };
        PythonToken { kind, start, end: self.at, depth: self.depth }
    }

    fn mark(&mut self, byte: u8) -> PythonToken {
        match byte {
            b'(' | b'[' | b'{' => self.depth += 1,
            _ => {}
        }
        let token = PythonToken {
            kind: PythonTokenKind::Mark(byte),
            start: self.at,
            end: self.at + 1,
            depth: self.depth,
        };
        if matches!(byte, b')' | b']' | b'}') {
            self.depth = self.depth.saturating_sub(1);
        }
        self.at += 1;
        token
    }
}

impl Iterator for PythonLexer<'_> {
    type Item = PythonToken;

    fn next(&mut self) -> Option<PythonToken> {
        loop {
            if self.at_line_start {
                return self.line_start();
            }
            match self.byte(self.at) {
                0 if self.at >= self.text.len() => return None,
                b' ' | b'\t' | b'\x0c' | b'\r' => self.at += 1,
                b'#' => self.comment(),
                b'\\' => self.at += 1 + self.line_end_length(self.at + 1),
                b'\n' => {
                    self.at += 1;
                    if self.depth == 0 {
                        self.at_line_start = true;
                    } else {
                        self.inside_brackets();
                    }
                }
                b'"' | b'\'' => return Some(self.string(self.at, true, false)),
                byte if is_name(byte) => return Some(self.name_or_string()),
                byte => return Some(self.mark(byte)),
            }
        }
    }
}

impl PythonLexer<'_> {
    fn line_end_length(&self, at: usize) -> usize {
        match (self.byte(at), self.byte(at + 1)) {
            (b'\r', b'\n') => 2,
            (b'\r' | b'\n', _) => 1,
            _ => 0,
        }
    }
}

fn is_triple(text: &[u8]) -> bool {
    matches!(text, [a, b, c, ..] if a == b && b == c && matches!(a, b'"' | b'\''))
}

/// Whether `from` at the start of a line continues a `yield` or a `raise` inside brackets. A
/// statement has `import` in the same line.
fn is_continued_from(rest: &[u8]) -> bool {
    let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
    line.starts_with(b"from ") && memchr::memmem::find(line, b" import").is_none()
}
