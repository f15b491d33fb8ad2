//! Finds the parts of a text that must be parsed: everything but the bodies without facts.
//!
//! Parsing takes most of the time, and most of a text is between braces: function and class bodies,
//! objects, types. Braces without the words `import` and `require` contain no facts, so their
//! content is removed before parsing. Everything else is parsed as usual.
//!
//! Matching braces needs little knowledge of the language. Where only a parser could decide (is
//! this slash a division?), there is no outline, and the whole text is parsed. The same happens if
//! the outline does not parse. So an outline gives the same facts as the whole text. It only misses
//! errors inside of bodies, which change no fact.

use std::iter;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memmem};

use crate::ecma::syntax::comments::Comment;
use crate::ecma::syntax::dialect::Dialect;
use crate::ecma::syntax::endings::{self, TemplateEnd, is_word};
use crate::ecma::syntax::lexer::value_may_follow;
use crate::ecma::syntax::stack::Extent;

/// An outline does not pay off for shorter texts.
const SHORT_TEXT: usize = 512;
/// Shorter bodies are kept.
const SHORT_BODY: usize = 12;
/// A string of this length is not a name.
const LONG_TEXT: usize = 256;
/// An outline must remove at least this fraction of the text (one part in …) to pay off.
const WORTHWHILE: usize = 8;

/// The outline of a text.
pub(crate) struct ScriptOutline<'t> {
    text: &'t str,
    /// All comments of the text.
    pub(crate) comments: Vec<Comment<'t>>,
    /// The removable ranges, in order and disjoint.
    removable: Vec<(usize, usize)>,
    /// Positions where nothing is open. No expression and no type spans one of these.
    breaks: Vec<usize>,
}

impl<'t> ScriptOutline<'t> {
    /// Reads `text`. Returns `None` if only a parser could decide something in it.
    pub(crate) fn read(text: &'t str, dialect: Dialect) -> Option<Self> {
        if text.len() < SHORT_TEXT || !is_readable(text, dialect) {
            return None;
        }
        let mut signals: Vec<usize> = places(text, &WORDS.import).collect();
        signals.extend(places(text, &WORDS.require));
        signals.sort_unstable();
        let exports: Vec<usize> = places(text, &WORDS.export).collect();
        // A script may export something between any braces.
        if exports.is_empty() && has(text, "exports") {
            return None;
        }
        let mut reader = BodyFinder::new(text, &signals, &exports);
        reader.read()?;
        let BodyFinder { comments, removable, breaks, .. } = reader;
        Some(Self { text, comments, removable, breaks })
    }

    /// How much of the text can nest at most.
    pub(crate) fn extent(&self) -> Extent {
        Extent::of_parts(self.parts(&[]))
    }

    /// How much of the text that [`ScriptOutline::write`] writes can nest at most.
    pub(crate) fn reduced_extent(&self) -> Extent {
        Extent::of_parts(self.parts(&self.removable))
    }

    /// The text between the breaks, without the removed ranges.
    fn parts<'p>(
        &'p self,
        left_out: &'p [(usize, usize)],
    ) -> impl Iterator<Item = impl Iterator<Item = &'t [u8]> + 'p> + 'p {
        let starts = iter::once(0).chain(self.breaks.iter().copied());
        let ends = self.breaks.iter().copied().chain([self.text.len()]);
        let mut left = left_out;
        starts.zip(ends).map(move |(start, end)| {
            let (inside, after) = left.split_at(left.partition_point(|(at, _)| *at < end));
            left = after;
            let starts = iter::once(start).chain(inside.iter().map(|(_, end)| *end));
            let ends = inside.iter().map(|(start, _)| *start).chain([end]);
            starts.zip(ends).map(|(start, end)| &self.text.as_bytes()[start..end])
        })
    }

    /// Writes the text without its removable ranges to `reduced`. Returns false if that does not
    /// pay off.
    pub(crate) fn write(&self, reduced: &mut String) -> bool {
        let removable: usize = self.removable.iter().map(|(start, end)| end - start).sum();
        if removable < self.text.len() / WORTHWHILE {
            return false;
        }
        reduced.clear();
        reduced.reserve(self.text.len() - removable);
        let mut kept = 0;
        for &(start, end) in &self.removable {
            reduced.push_str(&self.text[kept..start]);
            kept = end;
        }
        reduced.push_str(&self.text[kept..]);
        true
    }

    /// The gaps in the text that [`ScriptOutline::write`] writes.
    pub(crate) fn gaps(&self) -> Gaps {
        let mut missing = 0;
        let gaps = self.removable.iter().map(|(start, end)| {
            let at = start - missing;
            missing += end - start;
            (at, missing)
        });
        Gaps(gaps.collect())
    }
}

/// The gaps in a reduced text: their positions, and the number of bytes removed up to there.
#[derive(Default)]
pub(crate) struct Gaps(Vec<(usize, usize)>);

impl Gaps {
    /// The position in the original text.
    pub(crate) fn original(&self, offset: usize) -> usize {
        // A position directly after a gap was after it in the original text as well.
        let before = self.0.partition_point(|(at, _)| *at <= offset);
        let missing = before.checked_sub(1).and_then(|gap| self.0.get(gap));
        offset + missing.map_or(0, |(_, missing)| *missing)
    }
}

/// Whether the text contains nothing that this module does not understand: JSX, HTML comments and
/// merge conflicts.
fn is_readable(text: &str, dialect: Dialect) -> bool {
    let may_have_jsx = matches!(dialect, Dialect::Js | Dialect::Tsx);
    let markup = ["</", "/>", "<!--", "-->"];
    let is_markup = may_have_jsx && markup.into_iter().any(|mark| has(text, mark));
    !is_markup && WORDS.conflict.find(text.as_bytes()).is_none()
}

fn has(text: &str, needle: &str) -> bool {
    memmem::find(text.as_bytes(), needle.as_bytes()).is_some()
}

/// The words that are searched for in every text.
struct SearchWords {
    import: Finder<'static>,
    require: Finder<'static>,
    export: Finder<'static>,
    conflict: Finder<'static>,
}

static WORDS: LazyLock<SearchWords> = LazyLock::new(|| SearchWords {
    import: Finder::new("import"),
    require: Finder::new("require"),
    export: Finder::new("export"),
    conflict: Finder::new("<<<<<<<"),
});

/// The positions of a whole word.
fn places<'t>(text: &'t str, word: &'static Finder<'_>) -> impl Iterator<Item = usize> + 't {
    let text = text.as_bytes();
    let is_inside = |at: usize| text.get(at).copied().is_some_and(is_word);
    let length = word.needle().len();
    word.find_iter(text)
        .filter(move |at| !is_inside(at + length) && (*at == 0 || !is_inside(at - 1)))
}

/// A bracket that is open.
struct OpenBracket {
    /// The bracket; `$` for the brace of a template substitution.
    mark: u8,
    start: usize,
    /// Whether it contains names of an import, an export or a declaration.
    holds_names: bool,
    /// Whether it means the same when it is empty.
    is_body: bool,
    /// The number of signals and of removable ranges when it was opened.
    signals: usize,
    removable: usize,
}

impl OpenBracket {
    fn new(mark: u8, start: usize) -> Self {
        Self { mark, start, holds_names: false, is_body: false, signals: 0, removable: 0 }
    }
}

struct BodyFinder<'t, 's> {
    text: &'t str,
    at: usize,
    open: Vec<OpenBracket>,
    /// The start of the parenthesis that was closed last.
    closed: usize,
    /// The positions of the words that start every fact inside of braces, and how many of them are
    /// passed.
    signals: &'s [usize],
    passed: usize,
    /// The remaining positions of the word `export`.
    exports: &'s [usize],
    removable: Vec<(usize, usize)>,
    breaks: Vec<usize>,
    comments: Vec<Comment<'t>>,
    /// How many more bytes may be read in vain. Nested bodies must not cost quadratic time.
    patience: usize,
}

impl<'t, 's> BodyFinder<'t, 's> {
    fn new(text: &'t str, signals: &'s [usize], exports: &'s [usize]) -> Self {
        let start = if text.starts_with("#!") {
            endings::comment_length(text.as_bytes()).unwrap_or_default()
        } else {
            0
        };
        Self {
            text,
            at: start,
            open: Vec::new(),
            closed: 0,
            signals,
            passed: 0,
            exports,
            removable: Vec::new(),
            breaks: Vec::new(),
            comments: Vec::new(),
            patience: text.len(),
        }
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Reads to the end. Returns `None` if only a parser could decide something.
    fn read(&mut self) -> Option<()> {
        let bytes = self.bytes();
        while let Some(skipped) = bytes[self.at..].iter().position(|byte| matters(*byte)) {
            self.skip(skipped);
            let byte = bytes[self.at];
            match byte {
                b'{' | b'[' | b'(' => self.open(byte),
                b'}' if self.open.last().is_some_and(|open| open.mark == b'$') => {
                    self.open.pop();
                    self.template()?;
                }
                b'}' => self.close(b'{')?,
                b']' => self.close(b'[')?,
                b')' => self.close(b'(')?,
                b'"' | b'\'' => self.string()?,
                b'`' => self.template()?,
                b'/' => self.slash()?,
                // A name with an escape could be any name.
                b'\\' => return None,
                _ => self.beyond_ascii()?,
            }
        }
        self.open.is_empty().then_some(())
    }

    /// Skips plain code. `export` may be a name inside of brackets; outside it is a statement.
    fn skip(&mut self, count: usize) {
        let end = self.at + count;
        while let Some((export, rest)) = self.exports.split_first().filter(|(at, _)| **at < end) {
            self.exports = rest;
            let is_code = *export >= self.at && self.open.is_empty();
            let is_member =
                || self.last_before(*export).is_some_and(|last| self.bytes()[last] == b'.');
            if is_code && !is_member() {
                self.breaks.push(*export);
            }
        }
        self.at = end;
    }

    /// White space beyond ASCII is not supported here.
    fn beyond_ascii(&mut self) -> Option<()> {
        let char = self.text.get(self.at..)?.chars().next()?;
        self.at += char.len_utf8();
        (!char.is_whitespace() && char != '\u{feff}').then_some(())
    }

    fn open(&mut self, mark: u8) {
        let holds_names = mark != b'(' && self.names_follow();
        let is_body = mark == b'{' && !holds_names && self.body_follows();
        if is_body && self.skip_body() {
            return;
        }
        self.push(&OpenBracket { holds_names, is_body, ..OpenBracket::new(mark, self.at) });
    }

    fn push(&mut self, open: &OpenBracket) {
        self.count_signals();
        self.open.push(OpenBracket {
            signals: self.passed,
            removable: self.removable.len(),
            ..*open
        });
        self.at += 1;
    }

    fn close(&mut self, opener: u8) -> Option<()> {
        let closed = self.open.pop().filter(|open| open.mark == opener)?;
        self.count_signals();
        let (start, end) = (closed.start + 1, self.at);
        if closed.is_body && closed.signals == self.passed && end - start >= SHORT_BODY {
            self.removable.truncate(closed.removable);
            self.removable.push((start, end));
        }
        if opener == b'(' {
            self.closed = closed.start;
        }
        self.at += 1;
        Some(())
    }

    /// Skips the body that starts here if it contains no signals. Then only the matching of its
    /// brackets matters.
    fn skip_body(&mut self) -> bool {
        self.count_signals();
        let limit = self.signals.get(self.passed).copied().unwrap_or(usize::MAX);
        let (start, comments, removable) = (self.at, self.comments.len(), self.removable.len());
        let end = if self.patience > 0 { self.end_of_body(limit) } else { None };
        self.removable.truncate(removable);
        if let Some(end) = end {
            if end - start > SHORT_BODY {
                self.removable.push((start + 1, end));
            }
            self.at = end + 1;
        } else {
            self.patience = self.patience.saturating_sub(self.at - start);
            self.comments.truncate(comments);
            self.at = start;
        }
        end.is_some()
    }

    /// The end of the body that starts here, if it is before `limit`.
    fn end_of_body(&mut self, limit: usize) -> Option<usize> {
        let bytes = self.bytes();
        // The open braces, those of them that are substitutions, and the other brackets.
        let (mut braces, mut substitutions) = (0usize, Vec::new());
        let (mut parentheses, mut brackets) = (Vec::new(), 0usize);
        while let Some(skipped) = bytes[self.at..].iter().position(|byte| matters(*byte)) {
            self.at += skipped;
            if self.at > limit {
                return None;
            }
            let mut is_template = false;
            match bytes[self.at] {
                b'{' => braces += 1,
                b'}' if substitutions.last() == Some(&braces) => {
                    substitutions.pop();
                    braces -= 1;
                    is_template = true;
                }
                b'}' => {
                    braces = braces.checked_sub(1)?;
                    if braces == 0 {
                        let is_paired = parentheses.is_empty() && brackets == 0;
                        return is_paired.then_some(self.at);
                    }
                }
                b'(' => parentheses.push(self.at),
                b')' => self.closed = parentheses.pop()?,
                b'[' => brackets += 1,
                b']' => brackets = brackets.checked_sub(1)?,
                b'`' => is_template = true,
                b'"' | b'\'' => {
                    self.string()?;
                    continue;
                }
                b'/' => {
                    self.slash()?;
                    continue;
                }
                b'\\' => return None,
                _ => {
                    self.beyond_ascii()?;
                    continue;
                }
            }
            if is_template {
                if self.text_of_template()? {
                    braces += 1;
                    substitutions.push(braces);
                }
            } else {
                self.at += 1;
            }
        }
        None
    }

    /// Counts the signals up to here.
    fn count_signals(&mut self) {
        while self.signals.get(self.passed).is_some_and(|signal| *signal < self.at) {
            self.passed += 1;
        }
    }

    /// Whether the bracket here contains names, like the braces of `export const { a }`.
    fn names_follow(&self) -> bool {
        let above = self.open.last();
        if above.is_some_and(|open| open.holds_names) {
            return true;
        }
        let Some(last) = self.last_before(self.at) else { return false };
        match self.bytes()[last] {
            // `import a, { b }` and `const a = 1, { b } = c`. Inside other brackets it is a value.
            b',' => above.is_none_or(|open| matches!(open.mark, b'{' | b'$')),
            byte if is_word(byte) => matches!(
                self.word_to(last),
                "import" | "export" | "type" | "const" | "let" | "var" | "using"
            ),
            _ => false,
        }
    }

    /// Whether the brace here means the same when it is empty. After a string it may not: `declare
    /// module 'x' {` contains names.
    fn body_follows(&self) -> bool {
        let last = self.last_before(self.at).map(|last| self.bytes()[last]);
        last.is_some_and(|byte| !matches!(byte, b'"' | b'\'' | b'`'))
    }

    /// The position of the last byte before `at` that is neither white space nor part of a comment.
    fn last_before(&self, at: usize) -> Option<usize> {
        let mut end = at;
        let mut comments = self.comments.iter().rev().peekable();
        loop {
            end = self.bytes()[..end].trim_ascii_end().len();
            let is_end =
                |comment: &&Comment<'_>| comment.start as usize + comment.text.len() == end;
            match comments.next_if(is_end) {
                Some(comment) => end = comment.start as usize,
                None => return end.checked_sub(1),
            }
        }
    }

    /// The word that ends at `last`.
    fn word_to(&self, last: usize) -> &'t str {
        let before = self.bytes()[..last].iter().rev().take_while(|byte| is_word(**byte)).count();
        self.text.get(last - before..=last).unwrap_or_default()
    }

    fn string(&mut self) -> Option<()> {
        let start = self.at;
        self.at = endings::string_end(self.bytes(), start).ok()?;
        self.end_text(start);
        Some(())
    }

    /// Reads a template, or the rest of one, up to its end or its next substitution.
    fn template(&mut self) -> Option<()> {
        if self.text_of_template()? {
            self.at -= 1;
            self.push(&OpenBracket::new(b'$', self.at));
        }
        Some(())
    }

    /// The same, and past the brace of the substitution. Returns whether there is one.
    fn text_of_template(&mut self) -> Option<bool> {
        let start = self.at;
        match endings::template_end(self.bytes(), start)? {
            TemplateEnd::Substitution(brace) => {
                self.at = brace + 1;
                Some(true)
            }
            TemplateEnd::Quote(end) => {
                self.at = end;
                self.end_text(start);
                Some(false)
            }
        }
    }

    /// Ends a string or a template that started at `start`. A long one can be removed, unless it
    /// could be a specifier.
    fn end_text(&mut self, start: usize) {
        let inside = start + 1..self.at;
        self.at += 1;
        let is_value = || {
            let last = self.last_before(start).map(|last| self.bytes()[last]);
            matches!(last, Some(b'=' | b':' | b',' | b'[' | b'+' | b'?'))
        };
        if inside.len() >= LONG_TEXT && self.bytes()[start] != b'}' && is_value() {
            self.removable.push((inside.start, inside.end));
        }
    }

    fn slash(&mut self) -> Option<()> {
        let rest = &self.bytes()[self.at..];
        let end = match rest.get(1) {
            Some(b'/' | b'*') => endings::comment_length(rest)?,
            _ if self.value_ends_here()? => {
                self.at += 1;
                return Some(());
            }
            _ => return self.regex(),
        };
        let text = &self.text[self.at..self.at + end];
        self.comments.push(Comment { start: self.at as u32, text });
        self.at += end;
        let ends_sooner = text.starts_with("//") && text.contains(['\u{2028}', '\u{2029}']);
        (!ends_sooner).then_some(())
    }

    /// Whether the slash here follows a value, and so divides; `None` if only a parser could
    /// decide.
    fn value_ends_here(&self) -> Option<bool> {
        let Some(last) = self.last_before(self.at) else { return Some(false) };
        match self.bytes()[last] {
            b'(' | b',' | b'=' | b':' | b'[' | b'&' | b'|' | b'?' | b'{' | b';' => Some(false),
            b']' | b'"' | b'\'' | b'`' => Some(true),
            // `if (a) /b/.test(c)`
            b')' => match self.last_before(self.closed) {
                Some(last) => (!is_keyword(self.word_to(last))).then_some(true),
                None => Some(true),
            },
            byte if is_word(byte) => (!is_keyword(self.word_to(last))).then_some(true),
            _ => None,
        }
    }

    fn regex(&mut self) -> Option<()> {
        let end = endings::regex_end(self.bytes(), self.at)?;
        let is_sure = memchr(LINE_SEPARATOR, &self.bytes()[self.at..end]).is_none();
        self.at = end + 1;
        is_sure.then_some(())
    }
}

/// The first byte of the line separators beyond ASCII, and of other characters.
const LINE_SEPARATOR: u8 = 0xe2;

/// Whether a regular expression may follow a word, or a statement may follow its brackets.
fn is_keyword(word: &str) -> bool {
    value_may_follow(word)
        || matches!(
            word,
            "if" | "for" | "while" | "with" | "extends" | "default" | "as" | "is" | "satisfies"
        )
}

/// Whether a byte needs a closer look.
fn matters(byte: u8) -> bool {
    const MATTERS: [bool; 256] = {
        let mut table = [false; 256];
        // All white space beyond ASCII starts with one of the last five.
        let list = b"{}[]()\"'`/\\\xc2\xe1\xe2\xe3\xef";
        let mut at = 0;
        while at < list.len() {
            table[list[at] as usize] = true;
            at += 1;
        }
        table
    };
    MATTERS[byte as usize]
}

#[cfg(test)]
mod tests;
