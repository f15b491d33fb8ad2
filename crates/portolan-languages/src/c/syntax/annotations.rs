//! Blanks macros that no grammar knows: annotations of functions and fields (`void f() LOCKS(mutex) {`),
//! and words before declarations (`class API_EXPORT A {`, `LIB_CONSTEXPR f()`).

use std::borrow::Cow;
use std::ops::Range;

/// A text without such macros. Every other byte stays where it is.
pub(crate) fn without_annotations(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut changed: Option<Vec<u8>> = None;
    for open in memchr::memchr_iter(b'(', bytes) {
        let Some(annotation) = annotation(bytes, open) else { continue };
        changed.get_or_insert_with(|| bytes.to_vec())[annotation].fill(b' ');
    }
    for word in macro_words(text) {
        if let Some(specifier) = specifier(text, word) {
            changed.get_or_insert_with(|| bytes.to_vec())[specifier].fill(b' ');
        }
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

/// The words in capitals that may be macros, outside of directives.
fn macro_words(text: &str) -> Vec<Range<usize>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut words = Vec::new();
    let (mut start, mut is_directive) = (0, false);
    for line in text.split_inclusive('\n') {
        is_directive = is_directive || line.trim_start().starts_with('#');
        let bytes = line.as_bytes();
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'_', bytes.get(at..).unwrap_or_default()) {
            let under = at + found;
            let before = bytes[..under].iter().rev().take_while(|byte| is_part(byte)).count();
            let after = bytes[under..].iter().take_while(|byte| is_part(byte)).count();
            let word = under - before..under + after;
            at = word.end;
            let is_capital = |byte: &u8| !byte.is_ascii_lowercase();
            let is_macro = word.len() > 3
                && bytes.get(word.start).is_some_and(u8::is_ascii_uppercase)
                && bytes[word.clone()].iter().all(is_capital);
            if is_macro && !is_directive {
                words.push(start + word.start..start + word.end);
            }
        }
        is_directive = is_directive && line.trim_end().ends_with('\\');
        start += line.len();
    }
    words
}

/// Words that begin a declaration, or a type that is declared.
const DECLARING: &[&str] = &[
    "class",
    "struct",
    "union",
    "enum",
    "template",
    "constexpr",
    "inline",
    "explicit",
    "static",
    "virtual",
    "auto",
    "operator",
    "friend",
    "typedef",
    "using",
    "void",
    "bool",
    "extern",
];

/// The ends of macros that say something of a function.
const SPECIFYING: &[&str] = &[
    "CONSTEXPR",
    "CONSTEXPR14",
    "CONSTEXPR17",
    "CONSTEXPR20",
    "CONSTEVAL",
    "INLINE",
    "FORCEINLINE",
    "DEPRECATED",
    "NODISCARD",
    "NORETURN",
    "API",
    "API_",
    "EXPORT",
];

/// The macro with its arguments, if it stands before a declaration.
fn specifier(text: &str, word: Range<usize>) -> Option<Range<usize>> {
    /// Arguments are short.
    const MOST: usize = 200;
    let name = text.get(word.clone())?;
    let mut end = word.end;
    if text.get(end..)?.starts_with('(') {
        let length = text.as_bytes().get(end..)?.iter().take(MOST).position(|it| *it == b')')?;
        end += length + 1;
    }
    let (before, rest) = (code_before(text.get(..word.start)?), code_after(text.get(end..)?));
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let next = rest.get(..rest.find(|it| !is_part(it)).unwrap_or(rest.len()))?;
    let last = before.get(before.rfind(|it| !is_part(it)).map_or(0, |at| at + 1)..)?;
    let is_name = next.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_of_type = matches!(last, "class" | "struct" | "union") && is_name;
    let is_edge = before.is_empty() || before.ends_with([';', '{', '}', ':', '>', ')']);
    let is_between = last.is_empty() && is_edge || DECLARING.contains(&last) || is_macro(last);
    let is_specifying = || {
        let ending = name.find('_').and_then(|at| name.get(at + 1..)).unwrap_or_default();
        end == word.end && is_name && SPECIFYING.iter().any(|known| ending.ends_with(known))
    };
    let is_specifier = is_of_type
        || is_between && (DECLARING.contains(&next) || is_specifying())
        || is_macro(next) && is_specifying();
    let is_ascii = text.get(word.start..end)?.is_ascii();
    (is_specifier && is_ascii).then_some(word.start..end)
}

/// Whether a word is in capitals, as macros are.
fn is_macro(word: &str) -> bool {
    word.len() > 3 && word.contains('_') && !word.contains(|it: char| it.is_ascii_lowercase())
}

/// A text without the comments, directives and white space at its end.
fn code_before(text: &str) -> &str {
    let mut code = text.trim_end();
    loop {
        let line = code.rfind('\n').map_or(0, |at| at + 1);
        let last = code.get(line..).unwrap_or_default().trim_start();
        let cut = if last.starts_with("//") || last.starts_with('#') {
            Some(line)
        } else if last.ends_with("*/") {
            code.rfind("/*")
        } else {
            None
        };
        let Some(cut) = cut else { return code };
        code = code.get(..cut).unwrap_or_default().trim_end();
    }
}

/// A text without the comments, directives and white space at its start.
fn code_after(text: &str) -> &str {
    let mut code = text.trim_start();
    loop {
        let end = if code.starts_with("//") || code.starts_with('#') {
            code.find('\n')
        } else if code.starts_with("/*") {
            code.find("*/").map(|at| at + 2)
        } else {
            return code;
        };
        let Some(end) = end else { return "" };
        code = code.get(end..).unwrap_or_default().trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::without_annotations;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = without_annotations(text);
        assert_eq!(found.len(), text.len());
        let words: Vec<&str> = found.split_whitespace().collect();
        assert_eq!(words.join(" "), expected, "{text}");
    }

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
    fn words_before_declarations_are_blanked() {
        check("class MY_API A {", "class A {");
        check("struct MY_VISIBLE(\"default\") A : B {", "struct A : B {");
        check("MY_EXPORT template <class T> class A;", "template <class T> class A;");
        check("MY_EXPORT\ntemplate <class T> class A;", "template <class T> class A;");
        check("MY_CONSTEXPR MY_INLINE a(int b) : c(b) {}", "a(int b) : c(b) {}");
        check("// B.\nMY_BEGIN\n/* c */\nclass A;", "// B. /* c */ class A;");
        check("constexpr MY_INLINE auto a() -> b;", "constexpr auto a() -> b;");
    }

    #[test]
    fn types_values_and_macros_stay() {
        for text in [
            "MY_HANDLE a;",
            "int a = MY_VALUE;",
            "f(MY_VALUE, b);",
            "#define MY_EXPORT class",
            "MY_TEST(a, b) { c(); }",
            "MY_TYPE a() { return 1; }",
            "x = MY_CALL(1) + auto_;",
        ] {
            check(text, text);
        }
    }
}
