//! Finds every name in code that is outside of comments and strings.
//!
//! This is for counting: the uses of a name must include every position where it is written, even
//! if no parser understands that position.

use tree_sitter::Tree;

use crate::ecma::syntax::comments::Comment;
use crate::ecma::syntax::component;
use crate::ecma::syntax::dialect::{Component, FileKind};
use crate::ecma::syntax::lexer::{self, EcmaToken, EcmaTokenKind, Sink};
use crate::python::syntax::lexer::{PythonLexer, PythonTokenKind as PythonKind};
use crate::syntax::grammar;
use crate::syntax::tokens::{Dialect, TokenKind as Kind, Tokens, is_name};

/// The kind of text around a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WordSite {
    /// Code.
    Code,
    /// The markup of a component.
    Markup,
    /// A type in a doc comment.
    Doc,
}

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Word<'t> {
    /// Its offset, in bytes.
    pub at: u32,
    /// The kind of text around it.
    pub site: WordSite,
    /// The word.
    pub text: &'t str,
}

/// Receives words.
pub(crate) type Take<'w, 't> = dyn FnMut(Word<'t>) + 'w;

/// The words of a language with C-like tokens.
pub(crate) fn of_tokens<'t>(text: &'t str, dialect: Dialect, take: &mut Take<'_, 't>) {
    let code = |start: usize, text: &'t str| Word { at: start as u32, site: WordSite::Code, text };
    for token in Tokens::new(text, dialect) {
        let word = text.get(token.start..token.end).unwrap_or_default();
        match token.kind {
            Kind::Name => {
                let bare = word.strip_prefix("r#").filter(|_| dialect.rust).unwrap_or(word);
                take(code(token.start + word.len() - bare.len(), bare));
            }
            // The interpolated parts of a string are code.
            Kind::Text if dialect.templates && word.contains('$') => {
                in_templates(word, token.start, take);
            }
            Kind::Text if dialect.templates && word.starts_with('`') => {
                take(code(token.start + 1, word.trim_matches('`')));
            }
            _ => {}
        }
    }
}

/// The words in `$name` and `${code}` of a string.
fn in_templates<'t>(text: &'t str, start: usize, take: &mut Take<'_, 't>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'$', bytes.get(at..).unwrap_or_default()) {
        at += found + 1;
        let rest = text.get(at..).unwrap_or_default();
        let end = match rest.strip_prefix('{') {
            Some(inner) => 1 + inner.find('}').unwrap_or(inner.len()),
            None => rest.bytes().position(|byte| !is_name(byte)).unwrap_or(rest.len()),
        };
        plain(rest.get(..end).unwrap_or(rest), start + at, WordSite::Code, take);
        at += end;
    }
}

/// Every word of a text.
fn plain<'t>(text: &'t str, start: usize, site: WordSite, take: &mut Take<'_, 't>) {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| is_name(*byte) || *byte == b'$';
    let mut at = 0;
    while let Some(first) = bytes.get(at..).and_then(|rest| rest.iter().position(is_part)) {
        let from = at + first;
        let rest = bytes.get(from..).unwrap_or_default();
        let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        if let Some(word) = text.get(from..from + length) {
            take(Word { at: (start + from) as u32, site, text: word });
        }
        at = from + length;
    }
}

/// The words of a syntax tree that are outside of comments and strings. Code in strings and what
/// the parser skipped counts.
pub(crate) fn of_tree<'t>(text: &'t str, tree: &Tree, take: &mut Take<'_, 't>) {
    let code = |from: usize, to: usize, take: &mut Take<'_, 't>| {
        plain(text.get(from..to).unwrap_or_default(), from, WordSite::Code, take);
    };
    let mut last = 0;
    grammar::each_leaf(tree, |leaf| {
        code(last, leaf.start_byte(), take);
        last = last.max(leaf.end_byte());
        if !is_literal(leaf.kind()) {
            code(leaf.start_byte(), leaf.end_byte(), take);
        }
    });
    code(last, text.len(), take);
}

/// Every word of a text that could not be parsed.
pub(crate) fn of_text<'t>(text: &'t str, take: &mut Take<'_, 't>) {
    plain(text, 0, WordSite::Code, take);
}

/// Whether a leaf of this kind is a comment, or the text of a string.
fn is_literal(kind: &str) -> bool {
    const KINDS: &[&str] = &[
        "comment",
        "string",
        "heredoc",
        "quoted",
        "template_literal",
        "template_chars",
        "str_text",
        "character",
        "char_literal",
        "marginalia",
    ];
    KINDS.iter().any(|part| kind.contains(part))
}

/// The words of Python.
pub(crate) fn of_python<'t>(text: &'t str, take: &mut Take<'_, 't>) {
    for token in PythonLexer::new(text.as_bytes()) {
        let Some(word) = text.get(token.start..token.end) else { continue };
        match token.kind {
            PythonKind::Name => {
                take(Word { at: token.start as u32, site: WordSite::Code, text: word });
            }
            // Replacement fields of a formatted string are code.
            PythonKind::Literal if word.contains('{') && word.contains(['f', 'F', 't', 'T']) => {
                in_fields(word, token.start, take);
            }
            _ => {}
        }
    }
}

/// The words in the replacement fields of a formatted string.
fn in_fields<'t>(text: &'t str, start: usize, take: &mut Take<'_, 't>) {
    let (mut depth, mut from) = (0u32, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => {
                depth += 1;
                if depth == 1 {
                    from = at + 1;
                }
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    let field = text.get(from..at).unwrap_or_default();
                    plain(field, start + from, WordSite::Code, take);
                }
            }
            _ => {}
        }
    }
}

/// The words of TypeScript, JavaScript and components.
pub(crate) fn of_ecma<'t>(path: &str, text: &'t str, take: &mut Take<'_, 't>) {
    match FileKind::of(path) {
        Some(FileKind::Component(kind)) => {
            let mut last = 0;
            let has_stores = kind == Component::Svelte;
            // `$name` is the value of the store `name`.
            let take = &mut |word: Word<'t>| {
                let at = word.at as usize;
                if kind == Component::Vue && word.site == WordSite::Markup && is_modifier(text, at)
                {
                    return;
                }
                let store = word.text.strip_prefix('$').filter(|it| has_stores && !it.is_empty());
                match store {
                    Some(text) => take(Word { at: word.at + 1, text, ..word }),
                    None => take(word),
                }
            };
            for script in component::scripts(text, kind) {
                plain(
                    text.get(last..script.start).unwrap_or_default(),
                    last,
                    WordSite::Markup,
                    take,
                );
                lexer::lex_into(script.code, &mut Words { base: script.start, take });
                last = script.start + script.code.len();
            }
            plain(text.get(last..).unwrap_or_default(), last, WordSite::Markup, take);
        }
        _ => lexer::lex_into(text, &mut Words { base: 0, take }),
    }
}

/// Whether a word of Vue's markup is a modifier of a directive, which names nothing in code: `stop` in `@click.stop`.
fn is_modifier(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || "_-.:@#".contains(c);
    let start = before.rfind(|c: char| !is_part(c)).map_or(0, |place| place + 1);
    let name = before.get(start..).unwrap_or_default();
    let is_directive = name.starts_with(['@', ':', '#']) || name.starts_with("v-");
    let is_attribute = before.get(..start).unwrap_or_default().ends_with(char::is_whitespace);
    is_directive && is_attribute && name.ends_with('.')
}

struct Words<'w, 'f, 't> {
    base: usize,
    take: &'w mut Take<'f, 't>,
}

impl<'t> Sink<'t> for Words<'_, '_, 't> {
    fn token(&mut self, token: EcmaToken<'t>, _: bool) {
        if token.kind == EcmaTokenKind::Word {
            let at = self.base as u32 + token.start;
            (self.take)(Word { at, site: WordSite::Code, text: token.text });
        }
    }

    /// The types of doc tags: `@type {import('./a').Name}`.
    fn comment(&mut self, comment: Comment<'t>) {
        if !comment.text.starts_with("/**") || !comment.text.contains('@') {
            return;
        }
        let mut at = 0;
        while let Some(found) = comment.text.get(at..).and_then(|rest| rest.find('{')) {
            let from = at + found + 1;
            let rest = comment.text.get(from..).unwrap_or_default();
            let before = comment.text.get(..from - 1).unwrap_or_default().trim_end();
            let length = closing_brace(rest);
            let tag = before.rsplit(|letter: char| letter.is_whitespace() || letter == '*').next();
            // `{@link Name}` is text.
            if tag.is_some_and(|tag| tag.starts_with('@')) && !rest.starts_with('@') {
                let start = self.base + comment.start as usize + from;
                plain(rest.get(..length).unwrap_or(rest), start, WordSite::Doc, self.take);
            }
            at = from + length;
        }
    }
}

/// The offset of the brace that closes one opened before `text`.
pub(crate) fn closing_brace(text: &str) -> usize {
    let mut depth = 1;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::WordSite;
    use crate::Languages;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &str) {
        let mut found = Vec::new();
        Languages::default().words(path, text, &mut |word| {
            assert_eq!(
                text.get(word.at as usize..word.at as usize + word.text.len()),
                Some(word.text)
            );
            found.push(match word.site {
                WordSite::Code => word.text.to_owned(),
                WordSite::Markup => format!("<{}", word.text),
                WordSite::Doc => format!("@{}", word.text),
            });
        });
        assert_eq!(found.join(" "), expected, "{path}: {text}");
    }

    #[test]
    fn words_of_comments_and_strings_are_left_out() {
        check("a.ts", "a.b('c') // d\n/* e */ `f ${g}`", "a b g");
        check("a.py", "a('b') # c\nf'd {e} {f!r}'", "a e f r");
        check("a.go", "a(\"b\") // c\n`d` /* e */ f", "a f");
        check("a.rs", "a(\"b\", 'c', r#\"d\"#) // e\n/* f /* g */ */ r#type::<'h>()", "a type");
        check("A.java", "a(\"b\"); // c", "a");
        check("a.kt", "a(\"b $c ${d.e}\")", "a c d e");
    }

    #[test]
    fn languages_that_a_query_describes_have_words() {
        check("a.c", "a(\"b\", 'c'); /* d */ // e\n#define F g(1)", "a define F g 1");
        check("a.rb", "a 'b' # c\n\"d #{e}\"\nf <<~X\n  it's g\nX\nh :i", "a e f h i");
        check("a.sh", "a \"b $c\" $# # d\ne ${f#g}\n", "a $ c $ e $ f g");
        check("a.php", "<p>don't</p><?php a('b', \"c $d\"); // e\nf();", "p don t p php a $ d f");
        check("a.cs", "class A { string b = $\"c {d}\"; }", "class A string b $ d");
    }

    #[test]
    fn markup_and_types_in_doc_comments_are_told_apart() {
        check("a.js", "/** @type {import('./a').B} of {@link C} */\nd", "@import @a @B d");
        check("a.vue", "<script>a</script>\n<b :c=\"d\"/>", "<script a <script <b <c <d");
        check("a.svelte", "<script>$a</script>{$b}", "<script a <script <b");
        check("a.vue", "<b @c.stop.d=\"e.f\" v-g.h>{{ i.j }} k.l", "<b <c <e <f <v <g <i <j <k <l");
    }
}
