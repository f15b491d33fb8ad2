//! Finds comments and string literals by the delimiters of a language, without a parser.
//!
//! It takes one pass over the bytes. Literals that are open at the end of a text end there.

use memchr::memmem;

use crate::language::{Languages, extension_of};
use crate::syntax::tagged;

/// The kind of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexicalKind {
    /// A comment.
    Comment,
    /// A string literal.
    Text,
}

/// A comment or a string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexicalSpan {
    /// Its start, in bytes.
    pub start: usize,
    /// Its end (exclusive), in bytes.
    pub end: usize,
    /// Its kind.
    pub kind: LexicalKind,
}

/// The delimiters of comments and strings in a language.
#[derive(Clone, Copy)]
pub(crate) struct Marks {
    pub(crate) line: &'static [&'static str],
    pub(crate) block: Option<(&'static str, &'static str)>,
    /// Block comments may contain block comments.
    pub(crate) nested: bool,
    /// Quotes that end with their line at the latest.
    pub(crate) quotes: &'static [u8],
    /// The quotes of multi-line strings, longest first.
    pub(crate) long: &'static [&'static str],
    /// `'` may begin a lifetime.
    pub(crate) lifetimes: bool,
    /// `r#"` begins a string that ends with `"#`.
    pub(crate) raw: bool,
    /// `/` may begin a regular expression.
    pub(crate) regexes: bool,
}

pub(crate) const C: Marks = Marks {
    line: &["//"],
    block: Some(("/*", "*/")),
    nested: false,
    quotes: b"\"'",
    long: &[],
    lifetimes: false,
    raw: false,
    regexes: false,
};
const SCRIPT: Marks = Marks { long: &["`"], regexes: true, ..C };
const GO: Marks = Marks { long: &["`"], ..C };
const JAVA: Marks = Marks { long: &["\"\"\""], ..C };
const RUST: Marks =
    Marks { nested: true, quotes: b"'", long: &["\""], lifetimes: true, raw: true, ..C };
pub(crate) const HASH: Marks = Marks { line: &["#"], block: None, ..C };
const PYTHON: Marks = Marks { long: &["\"\"\"", "'''"], ..HASH };
pub(crate) const SQL: Marks = Marks { line: &["--"], ..C };
pub(crate) const MARKUP: Marks =
    Marks { line: &[], block: Some(("<!--", "-->")), quotes: b"", ..C };

/// The delimiters for a file; `None` if they are unknown.
fn marks_of(path: &str) -> Option<Marks> {
    if let Some((_, language)) = tagged::of(path) {
        return Some(language.marks());
    }
    if let Some(language) = Languages::default().of(path) {
        return Some(match language.name() {
            "python" => PYTHON,
            // Its code is inside of strings.
            "notebook" => return None,
            "rust" => RUST,
            "go" => GO,
            "java" | "kotlin" => JAVA,
            _ => SCRIPT,
        });
    }
    let extension = extension_of(path)?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "m" | "mm" | "scss" | "less" => C,
        "pl" => HASH,
        "hs" => SQL,
        "xml" | "svg" | "mdx" => MARKUP,
        _ => return None,
    })
}

/// The comments and string literals of a file, in order; none if the delimiters of its format are
/// unknown.
pub fn lexical_spans(path: &str, text: &[u8]) -> Vec<LexicalSpan> {
    marks_of(path).map(|marks| spans_by(marks, text)).unwrap_or_default()
}

/// The comments and string literals of Rust.
pub(crate) fn rust_spans(text: &[u8]) -> Vec<LexicalSpan> {
    spans_by(RUST, text)
}

fn spans_by(marks: Marks, text: &[u8]) -> Vec<LexicalSpan> {
    let mut scanner = Scanner { text, at: 0, marks, before: 0, spans: Vec::new() };
    while scanner.at < text.len() {
        scanner.step();
    }
    scanner.spans
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
    marks: Marks,
    /// The last byte of code that is not white space.
    before: u8,
    spans: Vec<LexicalSpan>,
}

impl Scanner<'_> {
    fn starts(&self, mark: &str) -> bool {
        self.text.get(self.at..).is_some_and(|rest| rest.starts_with(mark.as_bytes()))
    }

    fn find(&self, from: usize, mark: &str) -> Option<usize> {
        memmem::find(self.text.get(from..)?, mark.as_bytes()).map(|found| from + found)
    }

    fn push(&mut self, end: usize, kind: LexicalKind) {
        let end = end.min(self.text.len());
        self.spans.push(LexicalSpan { start: self.at, end, kind });
        self.before = b'"';
        self.at = end.max(self.at + 1);
    }

    fn step(&mut self) {
        let marks = self.marks;
        if marks.line.iter().any(|mark| self.starts(mark)) {
            let end = self.find(self.at, "\n").unwrap_or(self.text.len());
            return self.push(end, LexicalKind::Comment);
        }
        if let Some((open, close)) = marks.block.filter(|(open, _)| self.starts(open)) {
            let end = self.block_end(open, close);
            return self.push(end, LexicalKind::Comment);
        }
        if let Some(end) = self.raw_end().filter(|_| marks.raw) {
            return self.push(end, LexicalKind::Text);
        }
        if let Some(quote) = marks.long.iter().find(|quote| self.starts(quote)) {
            let end = self.long_end(quote);
            return self.push(end, LexicalKind::Text);
        }
        let byte = self.text[self.at];
        if marks.quotes.contains(&byte) {
            if byte == b'\'' && marks.lifetimes && !self.is_character() {
                self.at += 1;
                return;
            }
            let end = self.quote_end(byte);
            return self.push(end, LexicalKind::Text);
        }
        if byte == b'/' && marks.regexes && self.may_be_regex() {
            self.at = self.regex_end();
            self.before = b'/';
            return;
        }
        if !byte.is_ascii_whitespace() {
            self.before = byte;
        }
        self.at += 1;
    }

    fn block_end(&self, open: &str, close: &str) -> usize {
        let (mut at, mut depth) = (self.at + open.len(), 1u32);
        loop {
            let Some(end) = self.find(at, close) else { return self.text.len() };
            let inner = self.find(at, open).filter(|inner| self.marks.nested && *inner < end);
            if let Some(inner) = inner {
                depth += 1;
                at = inner + open.len();
            } else {
                depth -= 1;
                at = end + close.len();
                if depth == 0 {
                    return at;
                }
            }
        }
    }

    /// The end of the raw string that begins here.
    fn raw_end(&self) -> Option<usize> {
        let rest = self.text.get(self.at..)?.strip_prefix(b"r")?;
        let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
        let is_string = rest.get(hashes) == Some(&b'"');
        if !is_string || hashes == 0 && self.is_in_word() {
            return None;
        }
        let close = format!("\"{}", "#".repeat(hashes));
        let inside = self.at + 1 + hashes + 1;
        Some(self.find(inside, &close).map_or(self.text.len(), |end| end + close.len()))
    }

    /// Whether the byte before is part of a word: `for"` is no raw string.
    fn is_in_word(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.text.get(at));
        before.is_some_and(|byte| byte.is_ascii_alphanumeric() && *byte != b'b' || *byte == b'_')
    }

    fn long_end(&self, quote: &str) -> usize {
        let mut at = self.at + quote.len();
        while let Some(byte) = self.text.get(at) {
            if *byte == b'\\' {
                at += 2;
            } else if self.text[at..].starts_with(quote.as_bytes()) {
                return at + quote.len();
            } else {
                at += 1;
            }
        }
        self.text.len()
    }

    fn quote_end(&self, quote: u8) -> usize {
        let mut at = self.at + 1;
        while let Some(byte) = self.text.get(at) {
            match byte {
                b'\\' => at += 2,
                b'\n' => return at,
                byte if *byte == quote => return at + 1,
                _ => at += 1,
            }
        }
        self.text.len()
    }

    /// Whether `'` begins a character and not a lifetime.
    fn is_character(&self) -> bool {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        rest.first() == Some(&b'\\') || rest.iter().take(6).skip(1).any(|byte| *byte == b'\'')
    }

    fn may_be_regex(&self) -> bool {
        matches!(
            self.before,
            0 | b'(' | b',' | b'=' | b':' | b'[' | b'!' | b'&' | b'|' | b'?' | b'{' | b'}' | b';'
        )
    }

    fn regex_end(&self) -> usize {
        let (mut at, mut is_class) = (self.at + 1, false);
        while let Some(byte) = self.text.get(at) {
            match byte {
                b'\\' => at += 1,
                b'[' => is_class = true,
                b']' => is_class = false,
                b'\n' => return self.at + 1,
                b'/' if !is_class => return at + 1,
                _ => {}
            }
            at += 1;
        }
        self.at + 1
    }
}

#[cfg(test)]
mod tests {
    use super::{LexicalKind, lexical_spans};

    #[track_caller]
    fn check(path: &str, text: &str, comments: &[&str], texts: &[&str]) {
        let spans = lexical_spans(path, text.as_bytes());
        let of = |kind| {
            let own = spans.iter().filter(move |span| span.kind == kind);
            own.map(|span| &text[span.start..span.end]).collect::<Vec<_>>()
        };
        assert_eq!(of(LexicalKind::Comment), comments, "{text}");
        assert_eq!(of(LexicalKind::Text), texts, "{text}");
    }

    #[test]
    fn each_language_has_its_marks() {
        check("a.py", "x = 'a' # b\n'''c\n\"d\"'''\n", &["# b"], &["'a'", "'''c\n\"d\"'''"]);
        check("a.ts", "f(/[/'\"]/, 'x') // y\n`a\nb`", &["// y"], &["'x'", "`a\nb`"]);
        check(
            "a.rs",
            "fn f<'a>(c: &'a u8) { 'x'; \"y\" } /* a /* b */ c */",
            &["/* a /* b */ c */"],
            &["'x'", "\"y\""],
        );
        check(
            "a.rs",
            "r#\"a \" b\"#; br\"\\\"; r#type; bar(\"c\")",
            &[],
            &["r#\"a \" b\"#", "r\"\\\"", "\"c\""],
        );
        check("a.go", "a := `x\"y` /* z */", &["/* z */"], &["`x\"y`"]);
        check("a.sh", "echo \"a # b\" # c", &["# c"], &["\"a # b\""]);
        check("a.bin", "# 'a'", &[], &[]);
    }

    #[test]
    fn what_is_open_ends_with_the_text() {
        check("a.ts", "/* a", &["/* a"], &[]);
        check("a.py", "'''a\\", &[], &["'''a\\"]);
        check("a.ts", "'a\nb", &[], &["'a"]);
    }
}
