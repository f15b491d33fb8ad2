//! Tests beside the code that they test: `#[cfg(test)] mod tests { … }` and `#[test] fn …`.
//!
//! Found by their attributes and by matching braces, without a parser: a search over the whole repository asks for them.

use memchr::memmem;

use crate::syntax::lexical::{LexicalSpan, rust_spans};

/// Attributes of items that only tests are built with.
const ATTRIBUTES: [&str; 3] = ["#[cfg(test)]", "#[cfg(all(test", "#[test]"];
/// The same for a whole file.
const OF_A_FILE: [&str; 2] = ["#![cfg(test)]", "#![cfg(all(test"];

/// The parts of a text that are built for tests only, from their first attribute to their end.
pub(super) fn spans(text: &[u8]) -> Vec<(usize, usize)> {
    let has = |mark: &&str| memmem::find(text, mark.as_bytes()).is_some();
    if !ATTRIBUTES.iter().chain(&OF_A_FILE).any(has) {
        return Vec::new();
    }
    let code = Code { text, literals: rust_spans(text) };
    if OF_A_FILE.iter().any(|mark| code.finds(mark).next().is_some()) {
        return vec![(0, text.len())];
    }
    let mut starts: Vec<usize> = ATTRIBUTES.iter().flat_map(|mark| code.finds(mark)).collect();
    starts.sort_unstable();
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for start in starts {
        if spans.last().is_none_or(|(_, end)| *end <= start) {
            spans.push((start, code.item_end(start)));
        }
    }
    spans
}

/// A text with its comments and strings.
struct Code<'t> {
    text: &'t [u8],
    literals: Vec<LexicalSpan>,
}

impl Code<'_> {
    /// Where a mark stands in code.
    fn finds(&self, mark: &'static str) -> impl Iterator<Item = usize> {
        memmem::find_iter(self.text, mark.as_bytes()).filter(|at| self.after_literal(*at) == *at)
    }

    /// The end of the comment or string around a place; the place itself in code.
    fn after_literal(&self, at: usize) -> usize {
        let before = self.literals.partition_point(|span| span.start <= at);
        let span = before.checked_sub(1).and_then(|last| self.literals.get(last));
        span.map_or(at, |span| span.end.max(at))
    }

    /// The end of the item that an attribute belongs to: its last brace, or its semicolon.
    fn item_end(&self, start: usize) -> usize {
        let (mut at, mut depth) = (start, 0u32);
        while at < self.text.len() {
            let after = self.after_literal(at);
            if after > at {
                at = after;
                continue;
            }
            match self.text[at] {
                b'{' | b'(' | b'[' => depth += 1,
                b'}' if depth == 1 => {
                    let is_statement = self.text.get(at + 1) == Some(&b';');
                    return at + 1 + usize::from(is_statement);
                }
                b'}' | b')' | b']' => depth = depth.saturating_sub(1),
                b';' if depth == 0 => return at + 1,
                _ => {}
            }
            at += 1;
        }
        self.text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::spans;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> =
            spans(text.as_bytes()).into_iter().map(|(start, end)| &text[start..end]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_module_of_tests_ends_with_its_brace() {
        let module = "#[cfg(test)]\nmod tests {\n    const A: &str = r#\"\n}\n\"#; // }\n    fn f() { '}'; }\n}";
        check(&format!("fn a() {{}}\n{module}\nfn b() {{}}\n"), &[module]);
        check("#[cfg(test)]\nmod tests;\nfn b() {}\n", &["#[cfg(test)]\nmod tests;"]);
    }

    #[test]
    fn single_tests_and_items_count_too() {
        let test = "#[test]\n#[should_panic(expected = \"}\")]\nfn f() { [0]; }";
        check(&format!("mod a {{ {test} }} fn g() {{}}"), &[test]);
        let item = "#[cfg(all(test, unix))]\nuse a::{b, c};";
        check(&format!("{item}\nuse d;\n"), &[item]);
    }

    #[test]
    fn a_file_may_be_for_tests_as_a_whole() {
        check("#![cfg(test)]\nfn a() {}\n", &["#![cfg(test)]\nfn a() {}\n"]);
    }

    #[test]
    fn comments_and_strings_are_no_attributes() {
        check("// #[cfg(test)]\nfn a() { \"#[test]\"; }\n", &[]);
        check("#[cfg(not(test))]\nfn a() {}\n", &[]);
    }

    #[test]
    fn what_is_never_closed_ends_with_the_text() {
        check("#[test]\nfn f() { {", &["#[test]\nfn f() { {"]);
        check("#[test]", &["#[test]"]);
    }
}
