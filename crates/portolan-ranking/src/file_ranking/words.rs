//! Splitting text into words as code splits it: `camelCase`, `snake_case`, `HTTPServer`, `base64`.
//!
//! A compound gives its parts, lightly stemmed, and itself as a whole: the parts meet prose ("sign in"),
//! the whole meets the one identifier that a task quotes. The same function reads files and tasks, so
//! that both end at the same words.

mod stem;

pub use stem::stem;

/// Shorter words say nothing, longer ones are data.
const SHORTEST: usize = 2;
const LONGEST: usize = 40;

/// Calls `sink` with each word of a text: the stemmed parts, then the compound they are of.
pub fn words(text: &str, mut sink: impl FnMut(&str)) {
    let mut scratch = String::new();
    for compound in compounds(text) {
        split(compound, &mut scratch, &mut sink);
    }
}

/// Whether a text has any word: the first one tells.
pub fn has_words(text: &str) -> bool {
    let mut scratch = String::new();
    compounds(text).any(|compound| {
        let mut is_found = false;
        split(compound, &mut scratch, &mut |_: &str| is_found = true);
        is_found
    })
}

/// The identifiers and plain words of a text, uncut.
pub fn compounds(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c)).filter(|word| word.len() >= SHORTEST)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && c.is_alphanumeric())
}

/// Splits one compound.
fn split(compound: &str, scratch: &mut String, sink: &mut impl FnMut(&str)) {
    let mut parts = 0usize;
    for part in (Parts { rest: compound }) {
        parts += 1;
        lower(part, scratch);
        let word = stem(scratch);
        if (SHORTEST..=LONGEST).contains(&word.len()) && !is_number(word) {
            sink(word);
        }
    }
    if parts > 1 && compound.len() <= LONGEST {
        lower(compound, scratch);
        scratch.retain(|c| c != '_');
        if !is_number(scratch) {
            sink(scratch);
        }
    }
}

fn lower(text: &str, scratch: &mut String) {
    scratch.clear();
    if text.is_ascii() {
        scratch.push_str(text);
        scratch.make_ascii_lowercase();
    } else {
        scratch.extend(text.chars().flat_map(char::to_lowercase));
    }
}

/// Numbers are almost always data.
fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The parts of a compound.
struct Parts<'a> {
    rest: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Gap,
}

fn class(c: char) -> Class {
    match c {
        '_' => Class::Gap,
        c if c.is_ascii_digit() => Class::Digit,
        c if c.is_uppercase() => Class::Upper,
        _ => Class::Lower,
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.rest = self.rest.trim_start_matches('_');
        let first = self.rest.chars().next()?;
        let (mut previous, mut before) = (class(first), None);
        let mut end = self.rest.len();
        let mut last_at = 0;
        for (at, c) in self.rest.char_indices().skip(1) {
            let now = class(c);
            match (previous, now) {
                (_, Class::Gap) | (Class::Lower | Class::Digit, Class::Upper) => {
                    end = at;
                    break;
                }
                // The last capital of `HTTPServer` begins the next word.
                (Class::Upper, Class::Lower) if before == Some(Class::Upper) => {
                    end = last_at;
                    break;
                }
                _ => {}
            }
            before = Some(previous);
            previous = now;
            last_at = at;
        }
        let (part, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    fn check(text: &str, expected: &str) {
        let mut found = Vec::new();
        words(text, |word| found.push(word.to_owned()));
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn code_is_split_as_code_splits_it() {
        check("getUser", "get user getuser");
        check("HTTPServer", "http serv httpserver");
        check("max_line_len", "max lin len maxlinelen");
        check("MAX_LEN", "max len maxlen");
        check("__proto__", "proto");
        check("base64", "base64");
        check("v4Client", "v4 client v4client");
    }

    #[test]
    fn prose_ends_at_the_words_of_code() {
        check("Booking pages", "book pag");
        check("validated", "valid");
        check("validation", "valid");
    }

    #[test]
    fn numbers_and_single_letters_are_no_words() {
        check("a 12345 x", "");
    }

    #[test]
    fn other_scripts_are_words_too() {
        check("Größe Überblick", "größe überblick");
    }
}
