//! What of a text has to be parsed: all but the bodies that say nothing.
//!
//! Parsing takes most of the time, and most of a text stands between braces: bodies of functions and
//! classes, objects, types. Braces without the words `import` and `require` hold no fact, so their
//! content is left out before the text is parsed. What stands outside, and every pair of braces that may
//! hold a fact, is read by the parser as ever.
//!
//! To pair braces one need not know much of the language; but where only a parser could tell (is this
//! slash a division?) there is no outline, and the whole text is parsed. The same goes for an outline
//! that does not parse. So an outline gives the facts of the whole text. What it does not give are
//! errors inside of bodies: they change no fact.

use std::iter;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memmem};

use crate::ecma::syntax::comments::Comment;
use crate::ecma::syntax::dialect::Dialect;
use crate::ecma::syntax::endings::{self, is_word, TemplateEnd};
use crate::ecma::syntax::lexer::value_may_follow;
use crate::ecma::syntax::stack::Extent;

/// Shorter texts are parsed before an outline pays.
const SHORT_TEXT: usize = 512;
/// A body shorter than this is left alone.
const SHORT_BODY: usize = 12;
/// A string this long is no name of anything.
const LONG_TEXT: usize = 256;
/// Leaving out less than one part in this many of the text does not pay.
const WORTHWHILE: usize = 8;

/// What is known of a text before it is parsed.
pub(crate) struct Outline<'t> {
    text: &'t str,
    /// All comments of the text.
    pub(crate) comments: Vec<Comment<'t>>,
    /// What can be left out: in order, apart from each other.
    silent: Vec<(usize, usize)>,
    /// Where nothing is open: no expression and no type goes on beyond one of these.
    breaks: Vec<usize>,
}

impl<'t> Outline<'t> {
    /// Reads `text`; `None` where something in it can't be told without parsing.
    pub(crate) fn read(text: &'t str, dialect: Dialect) -> Option<Self> {
        if text.len() < SHORT_TEXT || !is_readable(text, dialect) {
            return None;
        }
        let mut signals: Vec<usize> = places(text, &WORDS.import).collect();
        signals.extend(places(text, &WORDS.require));
        signals.sort_unstable();
        let exports: Vec<usize> = places(text, &WORDS.export).collect();
        // What a script exports may be said between any braces.
        if exports.is_empty() && has(text, "exports") {
            return None;
        }
        let mut reader = BodyFinder::new(text, &signals, &exports);
        reader.read()?;
        let BodyFinder { comments, silent, breaks, .. } = reader;
        Some(Self { text, comments, silent, breaks })
    }

    /// How much of the text can nest at most.
    pub(crate) fn extent(&self) -> Extent {
        Extent::of_parts(self.parts(&[]))
    }

    /// How much can nest at most of what [`Outline::write`] writes.
    pub(crate) fn reduced_extent(&self) -> Extent {
        Extent::of_parts(self.parts(&self.silent))
    }

    /// The pieces of text between breaks, less what is left out.
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

    /// Writes the text without its silent parts to `reduced`; false, where that does not pay.
    pub(crate) fn write(&self, reduced: &mut String) -> bool {
        let silent: usize = self.silent.iter().map(|(start, end)| end - start).sum();
        if silent < self.text.len() / WORTHWHILE {
            return false;
        }
        reduced.clear();
        reduced.reserve(self.text.len() - silent);
        let mut kept = 0;
        for &(start, end) in &self.silent {
            reduced.push_str(&self.text[kept..start]);
            kept = end;
        }
        reduced.push_str(&self.text[kept..]);
        true
    }

    /// What is missing in what [`Outline::write`] writes.
    pub(crate) fn gaps(&self) -> Gaps {
        let mut missing = 0;
        let gaps = self.silent.iter().map(|(start, end)| {
            let at = start - missing;
            missing += end - start;
            (at, missing)
        });
        Gaps(gaps.collect())
    }
}

/// What is missing in a text: where, and how many bytes there and before.
#[derive(Default)]
pub(crate) struct Gaps(Vec<(usize, usize)>);

impl Gaps {
    /// Where something stood before the text had gaps.
    pub(crate) fn original(&self, offset: usize) -> usize {
        // What starts right behind a gap stood behind it.
        let before = self.0.partition_point(|(at, _)| *at <= offset);
        let missing = before.checked_sub(1).and_then(|gap| self.0.get(gap));
        offset + missing.map_or(0, |(_, missing)| *missing)
    }
}

/// Whether nothing occurs in the text that is not understood here: JSX, comments of HTML, and merge
/// conflicts.
fn is_readable(text: &str, dialect: Dialect) -> bool {
    let may_have_jsx = matches!(dialect, Dialect::Js | Dialect::Tsx);
    let markup = ["</", "/>", "<!--", "-->"];
    let is_markup = may_have_jsx && markup.into_iter().any(|mark| has(text, mark));
    !is_markup && WORDS.conflict.find(text.as_bytes()).is_none()
}

fn has(text: &str, needle: &str) -> bool {
    memmem::find(text.as_bytes(), needle.as_bytes()).is_some()
}

/// What is searched for in every text.
struct Words {
    import: Finder<'static>,
    require: Finder<'static>,
    export: Finder<'static>,
    conflict: Finder<'static>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| Words {
    import: Finder::new("import"),
    require: Finder::new("require"),
    export: Finder::new("export"),
    conflict: Finder::new("<<<<<<<"),
});

/// Where a word stands.
fn places<'t>(text: &'t str, word: &'static Finder<'_>) -> impl Iterator<Item = usize> + 't {
    let text = text.as_bytes();
    let is_inside = |at: usize| text.get(at).copied().is_some_and(is_word);
    let length = word.needle().len();
    word.find_iter(text)
        .filter(move |at| !is_inside(at + length) && (*at == 0 || !is_inside(at - 1)))
}

/// A bracket that is open.
struct Open {
    /// The bracket; `$` for the brace of a substitution in a template.
    mark: u8,
    start: usize,
    /// What is in it are names: of an import, an export, a declaration.
    holds_names: bool,
    /// Whether it means the same if it is empty.
    is_body: bool,
    /// How many signals, and how many silent ranges, there were when it was opened.
    signals: usize,
    silent: usize,
}

impl Open {
    fn new(mark: u8, start: usize) -> Self {
        Self { mark, start, holds_names: false, is_body: false, signals: 0, silent: 0 }
    }
}

struct BodyFinder<'t, 's> {
    text: &'t str,
    at: usize,
    open: Vec<Open>,
    /// Where the parenthesis started that was closed last.
    closed: usize,
    /// Where the words stand that every fact inside of braces starts with, and how many are passed.
    signals: &'s [usize],
    passed: usize,
    /// Where the word `export` stands from here on.
    exports: &'s [usize],
    silent: Vec<(usize, usize)>,
    breaks: Vec<usize>,
    comments: Vec<Comment<'t>>,
    /// How many more bytes may be read in vain: bodies in bodies must not cost their depth.
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
            silent: Vec::new(),
            breaks: Vec::new(),
            comments: Vec::new(),
            patience: text.len(),
        }
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Reads to the end; `None` where something can't be told.
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

    /// Goes on over plain code. Between brackets `export` may be a name; outside it is a statement.
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

    /// White space beyond ASCII is more than is known here.
    fn beyond_ascii(&mut self) -> Option<()> {
        let char = self.text.get(self.at..)?.chars().next()?;
        self.at += char.len_utf8();
        (!char.is_whitespace() && char != '\u{feff}').then_some(())
    }

    fn open(&mut self, mark: u8) {
        let holds_names = mark != b'(' && self.names_follow();
        let is_body = mark == b'{' && !holds_names && self.body_follows();
        if is_body && self.pass_body() {
            return;
        }
        self.push(&Open { holds_names, is_body, ..Open::new(mark, self.at) });
    }

    fn push(&mut self, open: &Open) {
        self.pass();
        self.open.push(Open { signals: self.passed, silent: self.silent.len(), ..*open });
        self.at += 1;
    }

    fn close(&mut self, opener: u8) -> Option<()> {
        let closed = self.open.pop().filter(|open| open.mark == opener)?;
        self.pass();
        let (start, end) = (closed.start + 1, self.at);
        if closed.is_body && closed.signals == self.passed && end - start >= SHORT_BODY {
            self.silent.truncate(closed.silent);
            self.silent.push((start, end));
        }
        if opener == b'(' {
            self.closed = closed.start;
        }
        self.at += 1;
        Some(())
    }

    /// Goes on to the end of the body that starts here, if nothing in it speaks: then nobody needs to know
    /// more of the brackets in it than how they pair.
    fn pass_body(&mut self) -> bool {
        self.pass();
        let limit = self.signals.get(self.passed).copied().unwrap_or(usize::MAX);
        let (start, comments, silent) = (self.at, self.comments.len(), self.silent.len());
        let end = if self.patience > 0 { self.end_of_body(limit) } else { None };
        self.silent.truncate(silent);
        if let Some(end) = end {
            if end - start > SHORT_BODY {
                self.silent.push((start + 1, end));
            }
            self.at = end + 1;
        } else {
            self.patience = self.patience.saturating_sub(self.at - start);
            self.comments.truncate(comments);
            self.at = start;
        }
        end.is_some()
    }

    /// Where the body that starts here ends, if it does before `limit`.
    fn end_of_body(&mut self, limit: usize) -> Option<usize> {
        let bytes = self.bytes();
        // The braces that are open, those of them that are substitutions, and the other brackets.
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
    fn pass(&mut self) {
        while self.signals.get(self.passed).is_some_and(|signal| *signal < self.at) {
            self.passed += 1;
        }
    }

    /// Whether the bracket that opens here is one of names, like the braces of `export const { a }`.
    fn names_follow(&self) -> bool {
        let above = self.open.last();
        if above.is_some_and(|open| open.holds_names) {
            return true;
        }
        let Some(last) = self.last_before(self.at) else { return false };
        match self.bytes()[last] {
            // `import a, { b }`, `const a = 1, { b } = c`; between other brackets it is a value.
            b',' => above.is_none_or(|open| matches!(open.mark, b'{' | b'$')),
            byte if is_word(byte) => matches!(
                self.word_to(last),
                "import" | "export" | "type" | "const" | "let" | "var" | "using"
            ),
            _ => false,
        }
    }

    /// Whether the brace that opens here means the same if it is empty. After a string it may not:
    /// `declare module 'x' {` holds names.
    fn body_follows(&self) -> bool {
        let last = self.last_before(self.at).map(|last| self.bytes()[last]);
        last.is_some_and(|byte| !matches!(byte, b'"' | b'\'' | b'`'))
    }

    /// The place of the last byte before `at` that is neither white space nor part of a comment.
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

    /// The word whose last byte is at `last`.
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
            self.push(&Open::new(b'$', self.at));
        }
        Some(())
    }

    /// The same; whether a substitution follows. Its brace is passed.
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

    /// Ends a string or a template that started at `start`. A long one is silent, unless it could be
    /// what an import asks for.
    fn end_text(&mut self, start: usize) {
        let inside = start + 1..self.at;
        self.at += 1;
        let is_value = || {
            let last = self.last_before(start).map(|last| self.bytes()[last]);
            matches!(last, Some(b'=' | b':' | b',' | b'[' | b'+' | b'?'))
        };
        if inside.len() >= LONG_TEXT && self.bytes()[start] != b'}' && is_value() {
            self.silent.push((inside.start, inside.end));
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

    /// Whether the slash here follows a value, and so divides; `None` if that can't be told.
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

/// The first byte of the line ends beyond ASCII, and of more.
const LINE_SEPARATOR: u8 = 0xe2;

/// The words after which a slash may start a regular expression, or a statement may follow brackets.
fn is_keyword(word: &str) -> bool {
    value_may_follow(word)
        || matches!(
            word,
            "if" | "for" | "while" | "with" | "extends" | "default" | "as" | "is" | "satisfies"
        )
}

/// Whether a byte starts something that has to be looked at.
fn matters(byte: u8) -> bool {
    const MATTERS: [bool; 256] = {
        let mut table = [false; 256];
        // The last five start all white space beyond ASCII.
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
