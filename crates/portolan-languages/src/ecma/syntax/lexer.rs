//! Splits code into tokens without parsing it.
//!
//! This is for text that the parser rejects. It never fails and does not recurse: a string ends
//! with its line at the latest, a slash starts a regular expression where no value can end, and of
//! a merge conflict the first side counts. JSX text is read as code, which does no harm beyond its
//! line.

use crate::ecma::syntax::comments::Comment;
use crate::ecma::syntax::endings::{self, TemplateEnd, is_word};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EcmaToken<'t> {
    pub(crate) kind: EcmaTokenKind,
    pub(crate) start: u32,
    /// The text between the quotes of a string or a template, else the source.
    pub(crate) text: &'t str,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EcmaTokenKind {
    /// A name, a keyword or a number.
    Word,
    /// A string literal, or a template without substitutions.
    Text,
    /// Any other value: a regular expression, or a part of a template.
    Value,
    /// One character of punctuation.
    Mark(u8),
}

/// Receives the tokens and comments, in text order.
pub(crate) trait Sink<'t> {
    /// A token. `after_newline` is set for the first one of a line.
    fn token(&mut self, token: EcmaToken<'t>, after_newline: bool);
    /// A comment.
    fn comment(&mut self, comment: Comment<'t>);
    /// A skipped conflict marker, with the second side of the conflict.
    fn skipped(&mut self, _start: usize, _end: usize) {}
}

/// The tokens and the comments of a text.
pub(crate) struct Lexed<'t> {
    pub(crate) tokens: Vec<EcmaToken<'t>>,
    pub(crate) comments: Vec<Comment<'t>>,
}

impl<'t> Sink<'t> for Lexed<'t> {
    fn token(&mut self, token: EcmaToken<'t>, _: bool) {
        self.tokens.push(token);
    }

    fn comment(&mut self, comment: Comment<'t>) {
        self.comments.push(comment);
    }
}

/// Splits `text` and collects the tokens.
pub(crate) fn lex(text: &str) -> Lexed<'_> {
    // Minified code has a token for every three bytes, and a list that grows is copied several times.
    let tokens = Vec::with_capacity(text.len() / 2);
    let mut lexed = Lexed { tokens, comments: Vec::new() };
    lex_into(text, &mut lexed);
    lexed
}

/// Splits `text` and passes the tokens to `sink`.
pub(crate) fn lex_into<'t>(text: &'t str, sink: &mut impl Sink<'t>) {
    let mut lexer = Lexer {
        text,
        at: 0,
        sink,
        last: None,
        after_newline: true,
        braces: 0,
        templates: Vec::new(),
        in_conflict: false,
    };
    if text.starts_with("#!") {
        lexer.skip_line();
    }
    while lexer.step() {}
}

struct Lexer<'t, 's, S> {
    text: &'t str,
    at: usize,
    sink: &'s mut S,
    last: Option<EcmaToken<'t>>,
    after_newline: bool,
    /// The number of open braces.
    braces: u32,
    /// For each open template substitution, the number of open braces including its own.
    templates: Vec<u32>,
    in_conflict: bool,
}

impl<'t, S: Sink<'t>> Lexer<'t, '_, S> {
    /// Reads one token or comment, or skips one character. Returns false at the end.
    fn step(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let Some(&byte) = bytes.get(self.at) else { return false };
        if is_word(byte) {
            self.word();
            return true;
        }
        match (byte, bytes.get(self.at + 1)) {
            (b' ' | b'\t' | 0x0b | 0x0c, _) => self.at += 1,
            (b'\n' | b'\r', _) => {
                self.after_newline = true;
                self.at += 1;
            }
            (b'/', Some(b'/' | b'*')) => self.comment(),
            (b'/', _) if self.value_may_start() => self.regex(),
            (b'\'' | b'"', _) => self.string(),
            (b'`', _) => self.template(),
            (b'}', _) if self.templates.last() == Some(&self.braces) => {
                self.templates.pop();
                self.mark(byte);
                self.at -= 1;
                self.template();
            }
            (b'<' | b'=' | b'|', _) if self.conflict() => {}
            _ => self.mark(byte),
        }
        true
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_line(&mut self) {
        self.at = self.rest().find(['\n', '\r']).map_or(self.text.len(), |end| self.at + end);
    }

    fn comment(&mut self) {
        let length = endings::comment_length(self.rest().as_bytes());
        let end = length.map_or(self.text.len(), |length| self.at + length);
        self.sink.comment(Comment { start: self.at as u32, text: &self.text[self.at..end] });
        self.at = end;
    }

    #[inline]
    fn push(&mut self, kind: EcmaTokenKind, from: usize, to: usize) {
        let token = EcmaToken { kind, start: self.at as u32, text: &self.text[from..to] };
        self.sink.token(token, self.after_newline);
        self.last = Some(token);
        self.after_newline = false;
    }

    fn word(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let end = self.at + rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
        self.push(EcmaTokenKind::Word, self.at, end);
        self.at = end;
    }

    fn mark(&mut self, byte: u8) {
        match byte {
            b'{' => self.braces += 1,
            b'}' => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
        self.push(EcmaTokenKind::Mark(byte), self.at, self.at + 1);
        self.at += 1;
    }

    fn string(&mut self) {
        let bytes = self.text.as_bytes();
        let (kind, end, next) = match endings::string_end(bytes, self.at) {
            Ok(end) => (EcmaTokenKind::Text, end, end + 1),
            Err(end) => (EcmaTokenKind::Value, end, end),
        };
        self.push(kind, self.at + 1, end);
        self.at = next;
    }

    /// Reads a template, or the rest of one, up to its end or its next substitution.
    fn template(&mut self) {
        let is_whole = self.text.as_bytes().get(self.at) == Some(&b'`');
        match endings::template_end(self.text.as_bytes(), self.at) {
            Some(TemplateEnd::Quote(end)) => {
                let kind = if is_whole { EcmaTokenKind::Text } else { EcmaTokenKind::Value };
                self.push(kind, self.at + 1, end);
                self.at = end + 1;
            }
            Some(TemplateEnd::Substitution(brace)) => {
                self.at = brace;
                self.mark(b'{');
                self.templates.push(self.braces);
            }
            None => self.at = self.text.len(),
        }
    }

    /// Reads a regular expression. A slash without a partner in its line is only a slash.
    fn regex(&mut self) {
        match endings::regex_end(self.text.as_bytes(), self.at) {
            Some(end) => {
                self.push(EcmaTokenKind::Value, self.at, end + 1);
                self.at = end + 1;
            }
            None => self.mark(b'/'),
        }
    }

    /// Whether a value may start here, which is not the case after another value.
    fn value_may_start(&self) -> bool {
        match self.last {
            None => true,
            Some(token) => match token.kind {
                EcmaTokenKind::Word => value_may_follow(token.text),
                // `</` closes an element.
                EcmaTokenKind::Mark(mark) => !matches!(mark, b')' | b']' | b'}' | b'<'),
                EcmaTokenKind::Text | EcmaTokenKind::Value => false,
            },
        }
    }

    /// Skips a conflict marker and the second side of the conflict.
    fn conflict(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let at_line_start = self.at == 0 || matches!(bytes.get(self.at - 1), Some(b'\n' | b'\r'));
        if !at_line_start {
            return false;
        }
        if self.rest().starts_with("<<<<<<<") {
            self.in_conflict = true;
        } else if self.in_conflict
            && ["=======", "|||||||"].iter().any(|marker| self.rest().starts_with(marker))
        {
            self.in_conflict = false;
            let end = self.rest().find("\n>>>>>>>").or_else(|| self.rest().find("\r>>>>>>>"));
            self.at = end.map_or(self.text.len(), |end| self.at + end + 1);
        } else {
            return false;
        }
        self.skip_line();
        self.sink.skipped(start, self.at);
        true
    }
}

/// Whether a value may follow a word. A slash after such a word starts a regular expression.
pub(crate) fn value_may_follow(word: &str) -> bool {
    matches!(
        word,
        "return"
            | "typeof"
            | "case"
            | "in"
            | "of"
            | "delete"
            | "void"
            | "throw"
            | "new"
            | "do"
            | "else"
            | "await"
            | "yield"
            | "instanceof"
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> String {
        lex(text).tokens.iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn strings_templates_and_comments_are_single_tokens() {
        assert_eq!(words("a('x\\'y') // b\n/* c */ `d`"), "a ( x\\'y ) d");
        assert_eq!(words("`a${ b(`c${d}`) }e` f"), "{ b ( { d }  ) } e f");
        assert_eq!(words("'open\nnext"), "open next");
        assert_eq!(words("`open\nnext"), "");
    }

    #[test]
    fn slash_starts_a_regular_expression_only_where_no_value_ends() {
        assert_eq!(words("x = /['\"`]/g; a / b / 'c'"), "x = /['\"`]/ g ; a / b / c");
        assert_eq!(words("x = /\ny"), "x = / y");
    }

    #[test]
    fn first_side_of_a_conflict_counts() {
        assert_eq!(words("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\nd"), "a b d");
        assert_eq!(words("a\n<<<<<<< HEAD\nb\n||||||| base\nz\n=======\nc\n>>>>>>> x\nd"), "a b d");
    }

    proptest! {
        #[test]
        fn tokens_are_in_order_and_in_bounds(text in "[ a'\"`$\\{\\}/\\\\*é\n<=>|\\[]{0,60}") {
            let mut last = 0;
            for token in lex(&text).tokens {
                prop_assert!(token.start >= last && (token.start as usize) < text.len());
                last = token.start;
            }
        }
    }
}
