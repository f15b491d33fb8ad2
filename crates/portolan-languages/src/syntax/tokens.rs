//! Splits Go, Java, Kotlin and Rust into tokens. A [`Dialect`] describes where they differ.
//!
//! Nothing is rejected and nothing recurses: what is open at the end of a text is closed there.

use memchr::{memchr, memchr2, memmem};

/// The lexical differences between the languages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    /// Block comments nest.
    pub(crate) nested_comments: bool,
    /// `` `raw` `` strings.
    pub(crate) backquotes: bool,
    /// `"""` text blocks.
    pub(crate) text_blocks: bool,
    /// `"${code}"` in strings.
    pub(crate) templates: bool,
    /// `$` is a letter.
    pub(crate) dollars: bool,
    /// `r"…"`, `r#"…"#`, `b"…"`, `c"…"`, `r#name`, and `'lifetime`.
    pub(crate) rust: bool,
}

impl Dialect {
    /// What all languages have in common.
    pub(crate) const PLAIN: Self = Self {
        nested_comments: false,
        backquotes: false,
        text_blocks: false,
        templates: false,
        dollars: false,
        rust: false,
    };
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identifier or a keyword.
    Name,
    /// A string literal.
    Text,
    /// A number or a character.
    Literal,
    /// One byte of an operator or a bracket.
    Mark(u8),
    /// A comment.
    Comment,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether a line ends between the previous token and this one.
    pub(crate) is_after_line: bool,
    /// Whether it is at the very start of a line.
    pub(crate) is_at_margin: bool,
}

impl Token {
    /// Whether it is this byte.
    pub(crate) fn is(&self, mark: u8) -> bool {
        self.kind == TokenKind::Mark(mark)
    }
}

/// Iterates over the tokens of a text.
pub(crate) struct Tokens<'t> {
    text: &'t [u8],
    dialect: Dialect,
    at: usize,
    is_after_line: bool,
}

impl<'t> Tokens<'t> {
    pub(crate) fn new(text: &'t str, dialect: Dialect) -> Self {
        let text = text.as_bytes();
        let at = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Self { text, dialect, at, is_after_line: true }
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    fn rest(&self, at: usize) -> &'t [u8] {
        self.text.get(at..).unwrap_or_default()
    }

    fn token(&mut self, kind: TokenKind, start: usize) -> Token {
        let is_at_margin = start == 0 || self.byte(start - 1) == b'\n';
        let is_after_line = std::mem::take(&mut self.is_after_line);
        Token { kind, start, end: self.at, is_after_line, is_at_margin }
    }

    fn line_comment(&mut self) {
        self.at += memchr(b'\n', self.rest(self.at)).unwrap_or(self.text.len() - self.at);
    }

    fn block_comment(&mut self) {
        let mut depth = 1u32;
        self.at += 2;
        while depth > 0 {
            let Some(found) = memchr2(b'*', b'/', self.rest(self.at)) else {
                self.at = self.text.len();
                return;
            };
            self.at += found;
            match (self.byte(self.at), self.byte(self.at + 1)) {
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                }
                (b'/', b'*') if self.dialect.nested_comments => {
                    depth += 1;
                    self.at += 2;
                }
                _ => self.at += 1,
            }
        }
    }

    /// Skips code inside a string, up to its closing brace. Unless `has_lines` is set, it ends with
    /// its line at the latest. Returns whether there was any.
    fn template(&mut self, has_lines: bool) -> bool {
        if !self.dialect.templates || !self.rest(self.at).starts_with(b"${") {
            return false;
        }
        self.at += 2;
        let mut depth = 1u32;
        while depth > 0 && self.at < self.text.len() {
            match self.byte(self.at) {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b'\n' if !has_lines => return true,
                _ => {}
            }
            self.at += 1;
        }
        true
    }

    /// Skips a string with escapes. Unless `has_lines` is set, it ends with its line at the latest.
    fn quoted(&mut self, has_lines: bool) {
        self.at += 1;
        loop {
            match self.byte(self.at) {
                b'\\' => self.at += 2,
                b'$' if self.template(has_lines) => {}
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'\n' if !has_lines => return,
                0 if self.at >= self.text.len() => {
                    self.at = self.text.len();
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    fn text_block(&mut self) {
        self.at += 3;
        // A text block with templates has no escapes.
        let other = if self.dialect.templates { b'$' } else { b'\\' };
        loop {
            let Some(found) = memchr2(b'"', other, self.rest(self.at)) else {
                self.at = self.text.len();
                return;
            };
            self.at += found;
            if self.template(true) {
                continue;
            }
            if self.byte(self.at) == b'\\' {
                self.at += 2;
            } else if self.rest(self.at).starts_with(b"\"\"\"") {
                self.at += 3;
                return;
            } else {
                self.at += 1;
            }
        }
    }

    /// Moves past the next occurrence of `end`, or to the end of the text.
    fn until(&mut self, end: &[u8]) {
        let found = memmem::find(self.rest(self.at), end);
        self.at = found.map_or(self.text.len(), |found| self.at + found + end.len());
    }

    /// Skips `r"…"` with any number of `#`, from the first `#` or quote.
    fn raw(&mut self) {
        let hashes = self.rest(self.at).iter().take_while(|byte| **byte == b'#').count();
        self.at += hashes + 1;
        let mut end = vec![b'"'];
        end.resize(hashes + 1, b'#');
        self.until(&end);
    }

    /// Reads a character literal or, in Rust, a lifetime.
    fn apostrophe(&mut self) -> TokenKind {
        let rest = self.rest(self.at + 1);
        if self.dialect.rust && rest.first() != Some(&b'\\') {
            // One character and a quote is a literal; a name without a closing quote is a lifetime.
            let length = rest.first().map_or(1, |byte| utf8_length(*byte));
            if rest.get(length) != Some(&b'\'') {
                self.at += 1;
                self.name();
                return TokenKind::Literal;
            }
        }
        self.at += 1;
        loop {
            match self.byte(self.at) {
                b'\\' => self.at += 2,
                b'\'' => {
                    self.at += 1;
                    return TokenKind::Literal;
                }
                b'\n' => return TokenKind::Literal,
                0 if self.at >= self.text.len() => {
                    self.at = self.text.len();
                    return TokenKind::Literal;
                }
                _ => self.at += 1,
            }
        }
    }

    fn is_name(&self, byte: u8) -> bool {
        is_name(byte) || byte == b'$' && self.dialect.dollars
    }

    /// Moves to the first byte that does not match.
    fn skip(&mut self, is_it: impl Fn(u8) -> bool) {
        let rest = self.rest(self.at);
        self.at += rest.iter().position(|byte| !is_it(*byte)).unwrap_or(rest.len());
    }

    fn name(&mut self) {
        if self.dialect.dollars {
            self.skip(|byte| is_name(byte) || byte == b'$');
        } else {
            self.skip(is_name);
        }
    }

    /// Reads a name, a number, or a string with a prefix.
    fn word(&mut self) -> TokenKind {
        let start = self.at;
        self.name();
        if self.byte(start).is_ascii_digit() {
            // `1.5`, but not `1..2` and not `1.max()`.
            if self.byte(self.at) == b'.' && self.byte(self.at + 1).is_ascii_digit() {
                self.at += 1;
                self.name();
            }
            return TokenKind::Literal;
        }
        if !self.dialect.rust {
            return TokenKind::Name;
        }
        let word = self.text.get(start..self.at).unwrap_or_default();
        match (word, self.byte(self.at)) {
            (b"r" | b"br" | b"cr", b'"') => self.raw(),
            (b"r" | b"br" | b"cr", b'#') if self.is_raw_string() => self.raw(),
            (b"r", b'#') if is_name(self.byte(self.at + 1)) => {
                self.at += 1;
                self.name();
                return TokenKind::Name;
            }
            (b"b" | b"c", b'"') => self.quoted(true),
            (b"b", b'\'') => return self.apostrophe(),
            _ => return TokenKind::Name,
        }
        TokenKind::Text
    }

    fn is_raw_string(&self) -> bool {
        self.rest(self.at).iter().find(|byte| **byte != b'#') == Some(&b'"')
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let start = self.at;
            let kind = match self.byte(start) {
                0 if start >= self.text.len() => return None,
                b'\n' => {
                    self.is_after_line = true;
                    self.at += 1;
                    continue;
                }
                b' ' | b'\t' | b'\r' | b'\x0c' => {
                    self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\x0c'));
                    continue;
                }
                b'/' if self.byte(start + 1) == b'/' => {
                    self.line_comment();
                    TokenKind::Comment
                }
                b'/' if self.byte(start + 1) == b'*' => {
                    self.block_comment();
                    TokenKind::Comment
                }
                b'"' if self.dialect.text_blocks && self.rest(start).starts_with(b"\"\"\"") => {
                    self.text_block();
                    TokenKind::Text
                }
                b'"' => {
                    self.quoted(self.dialect.rust);
                    TokenKind::Text
                }
                b'`' if self.dialect.backquotes => {
                    self.at += 1;
                    self.until(b"`");
                    TokenKind::Text
                }
                b'\'' => self.apostrophe(),
                byte if self.is_name(byte) => self.word(),
                byte => {
                    self.at += 1;
                    TokenKind::Mark(byte)
                }
            };
            self.at = self.at.min(self.text.len());
            let had_line = self.is_after_line;
            let token = self.token(kind, start);
            if kind == TokenKind::Comment {
                // A comment counts as a line end only if it contains one.
                let has_line = memchr(b'\n', &self.text[start..token.end]).is_some();
                self.is_after_line = had_line || has_line;
            }
            return Some(token);
        }
    }
}

/// The bytes of names, as a table because nearly every byte is checked.
const NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte == b'_' as usize || byte >= 0x80;
        byte += 1;
    }
    table
};

pub(crate) fn is_name(byte: u8) -> bool {
    NAME[usize::from(byte)]
}

fn utf8_length(first: u8) -> usize {
    match first {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}

/// The text between the quotes of a string literal. Escapes are kept.
pub(crate) fn content(literal: &str) -> &str {
    let inner = literal.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let inner = inner.trim_matches('#');
    for quote in ["\"\"\"", "\"", "`", "'"] {
        if let Some(rest) = inner.strip_prefix(quote) {
            return rest.strip_suffix(quote).unwrap_or(rest);
        }
    }
    inner
}

/// A position among the tokens of a text.
pub(crate) struct TokenCursor<'t, 's> {
    pub(crate) text: &'t str,
    pub(crate) tokens: &'s [Token],
    pub(crate) at: usize,
}

/// The largest number of segments in a dotted name.
const MAX_PARTS: usize = 24;

impl<'t> TokenCursor<'t, '_> {
    /// The name at a position, possibly in backquotes; empty if there is something else.
    pub(crate) fn word(&self, at: usize) -> &'t str {
        let Some(token) = self.tokens.get(at) else { return "" };
        let text = self.text.get(token.start..token.end).unwrap_or_default();
        match token.kind {
            TokenKind::Name => text,
            TokenKind::Text if text.starts_with('`') => text.trim_matches('`'),
            _ => "",
        }
    }

    pub(crate) fn is(&self, at: usize, mark: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(mark))
    }

    /// The string that is the first argument of the call whose bracket is here.
    pub(crate) fn literal(&self) -> Option<&'t str> {
        let literal = self.tokens.get(self.at + 1).filter(|it| it.kind == TokenKind::Text)?;
        let text = self.text.get(literal.start..literal.end)?;
        self.is(self.at, b'(').then(|| content(text))
    }

    /// `a.b.c`
    pub(crate) fn dotted(&mut self) -> String {
        let mut name = String::new();
        for _ in 0..MAX_PARTS {
            let word = self.word(self.at);
            if word.is_empty() {
                break;
            }
            name.push_str(word);
            self.at += 1;
            if !self.is(self.at, b'.') || self.word(self.at + 1).is_empty() {
                break;
            }
            name.push('.');
            self.at += 1;
        }
        name
    }
}

/// For each opening bracket the index of its closing token, found in one pass; the number of tokens
/// if there is none.
pub(crate) struct BracketPairs(Vec<u32>);

impl BracketPairs {
    pub(crate) fn of(tokens: &[Token]) -> Self {
        let mut partners = vec![tokens.len() as u32; tokens.len()];
        let mut open = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            match token.kind {
                TokenKind::Mark(b'(' | b'[' | b'{') => open.push(at),
                TokenKind::Mark(b')' | b']' | b'}') => {
                    if let Some(opener) = open.pop() {
                        partners[opener] = at as u32;
                        partners[at] = opener as u32;
                    }
                }
                _ => {}
            }
        }
        Self(partners)
    }

    /// The index of the matching bracket.
    pub(crate) fn partner(&self, bracket: usize) -> usize {
        self.0.get(bracket).map_or(self.0.len(), |at| *at as usize)
    }
}
