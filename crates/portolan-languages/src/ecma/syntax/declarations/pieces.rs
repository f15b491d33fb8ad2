//! A text that the parser gives up on, statement by statement.
//!
//! The parser gives nothing at all for a brace that is left open. So the text is cut where its top-level statements
//! begin, as far as lines and tokens tell, and each piece is parsed by itself. One that is broken is mended: brackets
//! without a partner are closed or left out, then the lines of errors, in the end all of its body. Nothing moves:
//! what is left out becomes white space.

use std::ops::Range;

use oxc_allocator::Allocator;

use super::Walker;
use crate::ecma::syntax::comments::Comment;
use crate::ecma::syntax::dialect::Dialect;
use crate::ecma::syntax::lexer::{self, Sink, Token, TokenKind};
use crate::ecma::syntax::{parse, stack};

/// Lines of errors that are left out of a piece before its body is.
const MOST_LINES: usize = 3;

/// The pieces of a text.
pub(super) struct Pieces {
    /// The text without the second sides of merge conflicts.
    text: String,
    ranges: Vec<Range<usize>>,
    /// Whether it imports or exports something.
    pub(super) is_module: bool,
}

impl Pieces {
    pub(super) fn of(code: &str) -> Self {
        let mut lines = Lines { code, firsts: Vec::new(), previous: None, skipped: Vec::new() };
        lexer::lex_into(code, &mut lines);
        let margin = lines.firsts.iter().map(|first| first.column).min().unwrap_or_default();
        let starts = lines.firsts.iter().filter(|first| first.column == margin && first.is_start);
        let is_module = starts.clone().any(|first| first.is_module);
        let starts: Vec<usize> = starts.map(|first| first.start).collect();
        let ends = starts.iter().skip(1).copied().chain([code.len()]);
        let mut text = code.to_owned();
        for range in lines.skipped {
            blank(&mut text, range);
        }
        let ranges = starts.iter().zip(ends).map(|(start, end)| *start..end).collect();
        Self { text, ranges, is_module }
    }

    /// Each piece with where it starts.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &str)> {
        self.ranges.iter().map(|piece| {
            let text = self.text.get(piece.clone()).unwrap_or_default();
            (piece.start, text.trim_end())
        })
    }
}

impl Walker {
    /// Reads a piece of a broken script that starts at `start`, as well as it can be mended.
    pub(super) fn piece(
        &mut self,
        code: &str,
        start: u32,
        dialect: Dialect,
        allocator: &mut Allocator,
        stack: usize,
    ) {
        let mut mended = code.to_owned();
        let mut lines_left = MOST_LINES;
        let mut is_balanced = false;
        loop {
            let Some(Err(error)) = self.attempt(&mended, start, dialect, allocator, stack) else {
                return;
            };
            mended.truncate(code.len());
            if std::mem::replace(&mut is_balanced, true) {
                let line = error.and_then(|at| broken_line(&mended, at)).filter(|_| lines_left > 0);
                if let Some(line) = line {
                    lines_left -= 1;
                    blank(&mut mended, line);
                } else {
                    mended.clear();
                    mended.push_str(code);
                    if !blank_body(&mut mended) {
                        return;
                    }
                    balance(&mut mended);
                    self.attempt(&mended, start, dialect, allocator, stack);
                    return;
                }
            }
            balance(&mut mended);
        }
    }

    /// Reads a piece if the parser does not give up, and says where it does; `None` where there is no room for it.
    fn attempt(
        &mut self,
        code: &str,
        start: u32,
        dialect: Dialect,
        allocator: &mut Allocator,
        stack: usize,
    ) -> Option<Result<(), Option<usize>>> {
        allocator.reset();
        stack::with_room_for(code, None, stack, move || {
            let parsed = parse::parse(allocator, code, dialect.source_types());
            let Some(program) = &parsed.program else {
                return Err(parsed.error.and_then(|error| error.offset));
            };
            self.base = start;
            self.body(program);
            Ok(())
        })
    }
}

/// Overwrites a part of a text with white space.
fn blank(text: &mut String, range: Range<usize>) {
    let Some(part) = text.get(range.clone()) else { return };
    let white: String = part
        .chars()
        .flat_map(|letter| {
            let white = if matches!(letter, '\n' | '\r') { letter } else { ' ' };
            std::iter::repeat_n(white, letter.len_utf8())
        })
        .collect();
    text.replace_range(range, &white);
}

/// The line of the last token before an error, unless it is the first one: what is declared stands there.
fn broken_line(text: &str, error: usize) -> Option<Range<usize>> {
    let before = text.get(..error.min(text.len()))?.trim_end();
    let start = before.rfind('\n')? + 1;
    let first = text.len() - text.trim_start().len();
    let end = text.get(start..)?.find('\n').map_or(text.len(), |end| start + end);
    (start > first).then_some(start..end)
}

/// Leaves out closing brackets that nothing opens and opening ones that another closes, and closes the rest.
fn balance(text: &mut String) {
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut lost: Vec<usize> = Vec::new();
    for token in lexer::lex(text).tokens {
        let at = token.start as usize;
        match token.kind {
            TokenKind::Mark(b'(') => open.push((b')', at)),
            TokenKind::Mark(b'[') => open.push((b']', at)),
            TokenKind::Mark(b'{') => open.push((b'}', at)),
            TokenKind::Mark(mark @ (b')' | b']' | b'}')) => {
                // A brace closes what is open inside of it; other brackets reach no farther than their brace.
                let reach = open
                    .iter()
                    .rposition(|(closer, _)| *closer == mark || (mark != b'}' && *closer == b'}'));
                match reach {
                    Some(reach) if open.get(reach).is_some_and(|(closer, _)| *closer == mark) => {
                        lost.extend(open.drain(reach..).skip(1).map(|(_, at)| at));
                    }
                    _ => lost.push(at),
                }
            }
            _ => {}
        }
    }
    for at in lost {
        blank(text, at..at + 1);
    }
    // What was a comment at the end may not swallow it.
    text.push('\n');
    text.extend(open.iter().rev().map(|(closer, _)| char::from(*closer)));
}

/// Leaves out all that stands behind the first brace outside of other brackets; false, where there is none.
fn blank_body(text: &mut String) -> bool {
    let mut depth = 0usize;
    let mut body = None;
    for token in lexer::lex(text).tokens {
        match token.kind {
            TokenKind::Mark(b'(' | b'[') => depth += 1,
            TokenKind::Mark(b')' | b']') => depth = depth.saturating_sub(1),
            TokenKind::Mark(b'{') if depth == 0 => {
                body = Some(token.start as usize + 1);
                break;
            }
            _ => {}
        }
    }
    if let Some(body) = body {
        blank(text, body..text.len());
    }
    body.is_some()
}

/// The first tokens and comments of lines.
struct Lines<'t> {
    code: &'t str,
    firsts: Vec<First>,
    previous: Option<Token<'t>>,
    skipped: Vec<Range<usize>>,
}

/// How a line begins.
struct First {
    start: usize,
    column: usize,
    /// Whether a statement may begin here, with the comment before it.
    is_start: bool,
    is_module: bool,
}

impl Lines<'_> {
    /// How far from the start of its line something stands.
    fn column(&self, start: usize) -> usize {
        let before = self.code.as_bytes().get(..start).unwrap_or_default();
        start - memchr::memrchr2(b'\n', b'\r', before).map_or(0, |end| end + 1)
    }
}

impl<'t> Sink<'t> for Lines<'t> {
    fn token(&mut self, token: Token<'t>, after_newline: bool) {
        let previous = self.previous.replace(token);
        if !after_newline {
            return;
        }
        let start = token.start as usize;
        let column = self.column(start);
        let is_start = match token.kind {
            TokenKind::Word if declares(token.text) => true,
            TokenKind::Word => !goes_on(token.text) && previous.is_none_or(|it| closes(&it)),
            _ => previous.is_none(),
        };
        let is_module = matches!(token.text, "import" | "export");
        // A comment before it is a part of it.
        let documented = self.firsts.last_mut().filter(|it| {
            let between = self.code.get(it.start..start).unwrap_or_default();
            it.column == column && between.starts_with("/*") && between.trim_end().ends_with("*/")
        });
        match documented {
            Some(comment) if is_start => {
                (comment.is_start, comment.is_module) = (true, is_module);
            }
            _ => self.firsts.push(First { start, column, is_start, is_module }),
        }
    }

    fn comment(&mut self, comment: Comment<'t>) {
        if comment.doc().is_some() {
            let start = comment.start as usize;
            let column = self.column(start);
            self.firsts.push(First { start, column, is_start: false, is_module: false });
        }
    }

    fn skipped(&mut self, start: usize, end: usize) {
        self.skipped.push(start..end);
    }
}

/// Whether a word at the start of a line declares something.
fn declares(word: &str) -> bool {
    matches!(
        word,
        "export"
            | "import"
            | "function"
            | "async"
            | "class"
            | "abstract"
            | "const"
            | "let"
            | "var"
            | "type"
            | "interface"
            | "enum"
            | "namespace"
            | "module"
            | "declare"
    )
}

/// Whether a word goes on with the statement of the line before.
fn goes_on(word: &str) -> bool {
    matches!(
        word,
        "else"
            | "catch"
            | "finally"
            | "while"
            | "from"
            | "as"
            | "satisfies"
            | "in"
            | "of"
            | "instanceof"
            | "extends"
            | "implements"
    )
}

/// Whether a statement may end with a token.
fn closes(token: &Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Mark(b'}' | b';' | b')' | b']') | TokenKind::Text)
}
