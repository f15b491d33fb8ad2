//! Reads what is special about C and C++: includes, and which of the two a header is in.

pub(crate) mod includes;

use std::borrow::Cow;
use std::ops::Range;

/// Beginnings of lines that only C++ has.
const CPP_LINES: &[&str] = &[
    "class ",
    "namespace ",
    "namespace{",
    "template<",
    "template <",
    "using ",
    "public:",
    "private:",
    "protected:",
    "constexpr ",
    "inline namespace ",
    "friend ",
    "virtual ",
];

/// The row that reads a text with the name of a header.
pub(crate) fn dialect(text: &str) -> Option<&'static str> {
    let is_cpp = |line: &str| {
        let line = line.trim_start();
        CPP_LINES.iter().any(|start| line.starts_with(start))
    };
    without_comments(text).any(is_cpp).then_some("cpp")
}

/// A text without the macros that annotate functions and fields (`void f() LOCKS(mutex) {`), which no
/// grammar knows. Every other byte stays where it is.
pub(crate) fn without_annotations(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut changed: Option<Vec<u8>> = None;
    for open in memchr::memchr_iter(b'(', bytes) {
        let Some(annotation) = annotation(bytes, open) else { continue };
        changed.get_or_insert_with(|| bytes.to_vec())[annotation].fill(b' ');
    }
    match changed.map(String::from_utf8) {
        Some(Ok(changed)) => Cow::Owned(changed),
        _ => Cow::Borrowed(text),
    }
}

/// The annotation whose arguments begin at a parenthesis.
fn annotation(bytes: &[u8], open: usize) -> Option<Range<usize>> {
    /// Arguments are short.
    const MOST: usize = 200;
    let is_part = |byte: &u8| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_');
    let before = bytes.get(..open)?;
    let length = before.iter().rev().take_while(|byte| is_part(byte)).count();
    let (before, name) = before.split_at(open - length);
    let before = before.trim_ascii_end();
    let follows = before.ends_with(b")")
        || [&b" const"[..], b" override", b" noexcept"].iter().any(|word| before.ends_with(word))
        || name.ends_with(b"_BY")
            && before.last().is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
    let is_at_edge =
        bytes.get(..open - length).is_none_or(|it| it.is_empty() || it.ends_with(b"\n"));
    if length < 3 || is_at_edge || !follows || !name.first().is_some_and(u8::is_ascii_uppercase) {
        return None;
    }
    let mut depth = 0;
    let inner = bytes.get(open..)?.iter().take(MOST);
    let end = inner.enumerate().find_map(|(at, byte)| {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(open + at + 1)
    })?;
    let after = bytes.get(end..)?.trim_ascii_start();
    let is_end = after.first().is_some_and(|byte| matches!(byte, b'{' | b';' | b'=' | b':'));
    let is_next = after.first().is_some_and(u8::is_ascii_uppercase);
    let text = bytes.get(open - length..end)?;
    ((is_end || is_next) && text.is_ascii() && !text.contains(&b'\n')).then_some(open - length..end)
}

/// The lines of a text that are not inside block comments.
fn without_comments(text: &str) -> impl Iterator<Item = &str> {
    let mut is_comment = false;
    text.lines().filter(move |line| {
        let was_comment = is_comment;
        let opened = line.rfind("/*");
        let closed = line.rfind("*/");
        is_comment = match (opened, closed) {
            (Some(opened), Some(closed)) => opened > closed,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => was_comment,
        };
        !was_comment
    })
}

#[cfg(test)]
mod tests {
    use super::{dialect, without_annotations};

    #[test]
    fn annotations_are_blanked() {
        let check = |text: &str, expected: &str| {
            assert_eq!(without_annotations(text), expected, "{text}");
        };
        check("void f() LOCKS(mu) {}", "void f()           {}");
        check("int x GUARDED_BY(mu_);", "int x                ;");
        check("int MAX(int a) { return MIN(a); }", "int MAX(int a) { return MIN(a); }");
        check("if (a) CHECK(b);", "if (a)         ;");
        check("A(b)\nTEST(c, d) {}", "A(b)\nTEST(c, d) {}");
        check("f(A(", "f(A(");
    }

    #[test]
    fn a_header_of_cpp_is_told_by_its_lines() {
        assert_eq!(dialect("#pragma once\nnamespace a {\nclass B;\n}\n"), Some("cpp"));
        assert_eq!(dialect("struct s;\nextern \"C\" {\nint f(void);\n}\n"), None);
        assert_eq!(dialect("/* a\nclass of its own\n*/\nint f(void);\n"), None);
    }
}
