//! Texts as words: identifiers, split into their parts and whole.

/// Words that say nothing of what a task is about.
const COMMON: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from",
    "get", "has", "have", "here", "i", "if", "in", "is", "it", "my", "no", "not", "of", "on", "or",
    "set", "should", "so", "that", "the", "there", "this", "to", "use", "used", "using", "was",
    "we", "when", "which", "will", "with", "would", "you",
];

/// Whether a word, in small letters, says nothing.
pub(crate) fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

/// Whether a byte may stand in an identifier. What is beyond ASCII may: words of every language are words.
pub(crate) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The identifiers of a text, each with its place; numbers are none.
pub(crate) fn identifiers(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let start = at + rest.iter().position(|byte| is_word_byte(*byte))?;
            let length = text[start..].iter().position(|byte| !is_word_byte(*byte));
            let end = length.map_or(text.len(), |length| start + length);
            at = end;
            let word = &text[start..end];
            if !word[0].is_ascii_digit() {
                return Some((start, word));
            }
        }
    })
}

/// The parts of an identifier, as ranges: `getHTTPUrl2` is `get`, `HTTP`, `Url`, `2`.
pub(crate) fn part_ranges(word: &[u8], each: &mut dyn FnMut(usize, usize)) {
    #[derive(Clone, Copy, PartialEq)]
    enum Class {
        Upper,
        Lower,
        Digit,
        Other,
    }
    let class = |byte: u8| match byte {
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        b'a'..=b'z' | 0x80.. => Class::Lower,
        _ => Class::Other,
    };
    let mut start = 0;
    while start < word.len() {
        let first = class(word[start]);
        let mut end = start + 1;
        match first {
            Class::Other => {
                start = end;
                continue;
            }
            Class::Upper => {
                while end < word.len() && class(word[end]) == Class::Upper {
                    end += 1;
                }
                let is_lower = end < word.len() && class(word[end]) == Class::Lower;
                if is_lower && end - start > 1 {
                    // The last capital begins the next part.
                    end -= 1;
                } else if is_lower {
                    while end < word.len() && class(word[end]) == Class::Lower {
                        end += 1;
                    }
                }
            }
            Class::Lower | Class::Digit => {
                while end < word.len() && class(word[end]) == first {
                    end += 1;
                }
            }
        }
        each(start, end);
        start = end;
    }
}

/// The words of an identifier in small letters: its parts of at least two letters, and where it has several parts the
/// whole.
pub fn word_parts(word: &str) -> Vec<String> {
    let (mut parts, mut count) = (Vec::new(), 0);
    part_ranges(word.as_bytes(), &mut |start, end| {
        count += 1;
        if let Some(part) = word.get(start..end).filter(|part| part.len() > 1) {
            parts.push(part.to_lowercase());
        }
    });
    if count > 1 {
        parts.push(word.to_lowercase());
    }
    parts
}

/// How much of a word, in small letters, is its stem: without a plural, `-ed`, `-ing` and what these leave behind. It is a
/// part from the front, so that counting copies nothing; it need not be a word.
pub(crate) fn stem_length(word: &[u8]) -> usize {
    let ends = |end: usize, with: &[u8]| word[..end].ends_with(with);
    let all = word.len();
    let mut end = all;
    if all > 4 && ends(end, b"ies") {
        end -= 3;
    } else if all > 4 && [&b"sses"[..], b"shes", b"ches", b"xes"].iter().any(|it| ends(end, it)) {
        end -= 2;
    } else if all > 3
        && ends(end, b"s")
        && ![&b"ss"[..], b"us", b"is"].iter().any(|it| ends(end, it))
    {
        end -= 1;
    }
    if end > 5 && ends(end, b"ing") {
        end -= 3;
    } else if end > 4 && ends(end, b"ed") {
        end -= 2;
    }
    if end > 4 && (ends(end, b"e") || ends(end, b"y")) {
        end -= 1;
    }
    if end > 4 && word[end - 1].is_ascii_alphabetic() && word[end - 1] == word[end - 2] {
        end -= 1;
    }
    end
}

/// The stem of a word in small letters.
pub(crate) fn stem(word: &str) -> &str {
    word.get(..stem_length(word.as_bytes())).unwrap_or(word)
}

/// The words of a text, in order.
pub(crate) fn words_of(text: &str) -> Vec<String> {
    let each = identifiers(text.as_bytes());
    each.filter_map(|(_, word)| std::str::from_utf8(word).ok()).flat_map(word_parts).collect()
}

#[cfg(test)]
mod tests {
    use super::{COMMON, identifiers, stem, word_parts, words_of};

    #[test]
    fn common_words_are_sorted() {
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn an_identifier_is_its_parts_and_the_whole() {
        let check =
            |word: &str, expected: &[&str]| assert_eq!(word_parts(word), expected, "{word}");
        check("getHTTPUrl2", &["get", "http", "url", "gethttpurl2"]);
        check("order_by", &["order", "by", "order_by"]);
        check("QuerySet", &["query", "set", "queryset"]);
        check("_private", &["private"]);
        check("HTTP", &["http"]);
        check("x", &[]);
        check("größe", &["größe"]);
    }

    #[test]
    fn a_stem_is_what_forms_of_a_word_share() {
        for forms in [
            &["query", "queries"][..],
            &["class", "classes"],
            &["order", "orders", "ordered", "ordering"],
            &["escape", "escapes", "escaped", "escaping"],
            &["skip", "skips", "skipped", "skipping"],
            &["box", "boxes"],
        ] {
            for form in forms {
                assert_eq!(stem(form), stem(forms[0]), "{form}");
            }
        }
        for word in ["is", "as", "status", "this", "größe", "", "s", "ing", "ed"] {
            assert!(word.starts_with(stem(word)));
        }
        assert_eq!((stem("status"), stem("axis"), stem("css")), ("status", "axis", "css"));
    }

    #[test]
    fn numbers_are_no_words() {
        let found: Vec<_> = identifiers(b"a1 = 12 + b_2; 3c").map(|(at, _)| at).collect();
        assert_eq!(found, [0, 10]);
        assert_eq!(words_of("Fix order_by() in 2.1"), ["fix", "order", "by", "order_by", "in"]);
    }
}
