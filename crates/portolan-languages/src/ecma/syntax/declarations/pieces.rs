//! Reads a text that the parser rejects, statement by statement.
//!
//! The parser returns nothing at all if a brace is left open. So the text is split where its
//! top-level statements start, as far as lines and tokens show, and each piece is parsed alone. A
//! broken piece is repaired: first unmatched brackets are closed or removed, then the lines with
//! errors, and finally the whole body. Removed text becomes white space, so nothing moves.

use std::ops::Range;

use oxc_allocator::Allocator;

use super::Walker;
use crate::ecma::syntax::comments::Comment;
use crate::ecma::syntax::dialect::Dialect;
use crate::ecma::syntax::lexer::{self, EcmaToken, EcmaTokenKind, Sink};
use crate::ecma::syntax::{parse, stack};

/// How many lines with errors are removed before the whole body is.
const MAX_LINES: usize = 3;

/// The pieces of a text.
pub(super) struct ScriptPieces {
    /// The text without the second sides of merge conflicts.
    text: String,
    ranges: Vec<Range<usize>>,
    /// Whether it has imports or exports.
    pub(super) is_module: bool,
}

impl ScriptPieces {
    pub(super) fn of(code: &str) -> Self {
        let mut lines =
            LineStarts { code, firsts: Vec::new(), previous: None, skipped: Vec::new() };
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

    /// Each piece with its offset.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &str)> {
        self.ranges.iter().map(|piece| {
            let text = self.text.get(piece.clone()).unwrap_or_default();
            (piece.start, text.trim_end())
        })
    }
}

impl Walker {
    /// Reads a piece of a broken script, repaired as far as possible.
    pub(super) fn piece(
        &mut self,
        code: &str,
        start: u32,
        dialect: Dialect,
        allocator: &mut Allocator,
        stack: usize,
    ) {
        let mut mended = code.to_owned();
        let mut lines_left = MAX_LINES;
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

    /// Tries to parse a piece. Returns the position of the error if the parser gives up, and `None`
    /// if it nests too deeply.
    fn attempt(
        &mut self,
        code: &str,
        start: u32,
        dialect: Dialect,
        allocator: &mut Allocator,
        stack: usize,
    ) -> Option<Result<(), Option<usize>>> {
        allocator.reset();
        stack::with_enough_stack(code, None, stack, move || {
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

/// Overwrites a range with white space.
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

/// The line of the last token before an error, unless it is the first line, which holds the
/// declared name.
fn broken_line(text: &str, error: usize) -> Option<Range<usize>> {
    let before = text.get(..error.min(text.len()))?.trim_end();
    let start = before.rfind('\n')? + 1;
    let first = text.len() - text.trim_start().len();
    let end = text.get(start..)?.find('\n').map_or(text.len(), |end| start + end);
    (start > first).then_some(start..end)
}

/// Removes unmatched brackets and closes those that are left open.
fn balance(text: &mut String) {
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut lost: Vec<usize> = Vec::new();
    for token in lexer::lex(text).tokens {
        let at = token.start as usize;
        match token.kind {
            EcmaTokenKind::Mark(b'(') => open.push((b')', at)),
            EcmaTokenKind::Mark(b'[') => open.push((b']', at)),
            EcmaTokenKind::Mark(b'{') => open.push((b'}', at)),
            EcmaTokenKind::Mark(mark @ (b')' | b']' | b'}')) => {
                // A brace closes everything that is open inside. Other brackets do not match across
                // a brace.
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
    // A line comment at the end must not swallow the brackets.
    text.push('\n');
    text.extend(open.iter().rev().map(|(closer, _)| char::from(*closer)));
}

/// Removes everything after the first brace outside of other brackets. Returns false if there is
/// none.
fn blank_body(text: &mut String) -> bool {
    let mut depth = 0usize;
    let mut body = None;
    for token in lexer::lex(text).tokens {
        match token.kind {
            EcmaTokenKind::Mark(b'(' | b'[') => depth += 1,
            EcmaTokenKind::Mark(b')' | b']') => depth = depth.saturating_sub(1),
            EcmaTokenKind::Mark(b'{') if depth == 0 => {
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

/// The first tokens and comments of the lines.
struct LineStarts<'t> {
    code: &'t str,
    firsts: Vec<LineStart>,
    previous: Option<EcmaToken<'t>>,
    skipped: Vec<Range<usize>>,
}

/// The start of a line.
struct LineStart {
    start: usize,
    column: usize,
    /// Whether a statement may start here, including the comment before it.
    is_start: bool,
    is_module: bool,
}

impl LineStarts<'_> {
    /// The column of an offset.
    fn column(&self, start: usize) -> usize {
        let before = self.code.as_bytes().get(..start).unwrap_or_default();
        start - memchr::memrchr2(b'\n', b'\r', before).map_or(0, |end| end + 1)
    }
}

impl<'t> Sink<'t> for LineStarts<'t> {
    fn token(&mut self, token: EcmaToken<'t>, after_newline: bool) {
        let previous = self.previous.replace(token);
        if !after_newline {
            return;
        }
        let start = token.start as usize;
        let column = self.column(start);
        let is_start = match token.kind {
            EcmaTokenKind::Word if declares(token.text) => true,
            EcmaTokenKind::Word => {
                !continues_statement(token.text) && previous.is_none_or(|it| closes(&it))
            }
            _ => previous.is_none(),
        };
        let is_module = matches!(token.text, "import" | "export");
        // A comment before a statement belongs to it.
        let documented = self.firsts.last_mut().filter(|it| {
            let between = self.code.get(it.start..start).unwrap_or_default();
            it.column == column && between.starts_with("/*") && between.trim_end().ends_with("*/")
        });
        match documented {
            Some(comment) if is_start => {
                (comment.is_start, comment.is_module) = (true, is_module);
            }
            _ => self.firsts.push(LineStart { start, column, is_start, is_module }),
        }
    }

    fn comment(&mut self, comment: Comment<'t>) {
        if comment.doc().is_some() {
            let start = comment.start as usize;
            let column = self.column(start);
            self.firsts.push(LineStart { start, column, is_start: false, is_module: false });
        }
    }

    fn skipped(&mut self, start: usize, end: usize) {
        self.skipped.push(start..end);
    }
}

/// Whether a word at the start of a line starts a declaration.
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

/// Whether a word continues the statement of the previous line.
fn continues_statement(word: &str) -> bool {
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
fn closes(token: &EcmaToken<'_>) -> bool {
    matches!(token.kind, EcmaTokenKind::Mark(b'}' | b';' | b')' | b']') | EcmaTokenKind::Text)
}
