//! What a character is to the pattern of the encoding.

use std::sync::LazyLock;

/// The kinds of characters that the pattern tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// Punctuation, symbols, control characters: whatever is none of the others.
    Other,
    /// An upper-case or title-case letter.
    Upper,
    /// A lower-case letter.
    Lower,
    /// A letter without case, or one that modifies.
    Letter,
    /// A combining mark.
    Mark,
    /// A digit or another number.
    Number,
    /// White space that ends no line.
    Space,
    /// A line feed or carriage return.
    Newline,
}

use Class::{Letter, Lower, Mark, Newline, Number, Other, Space, Upper};

impl Class {
    /// May stand at the beginning of a word: `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`.
    pub(crate) fn is_head(self) -> bool {
        matches!(self, Upper | Letter | Mark)
    }

    /// May stand in the rest of a word: `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`.
    pub(crate) fn is_tail(self) -> bool {
        matches!(self, Lower | Letter | Mark)
    }

    /// May stand in front of a word: `[^\r\n\p{L}\p{N}]`.
    pub(crate) fn is_lead(self) -> bool {
        matches!(self, Other | Mark | Space)
    }

    /// Is neither white space nor letter nor number.
    pub(crate) fn is_symbol(self) -> bool {
        matches!(self, Other | Mark)
    }

    /// `\s`
    pub(crate) fn is_space(self) -> bool {
        matches!(self, Space | Newline)
    }
}

/// The class of every character.
pub(crate) struct Classes {
    /// By code point. Most of it is never looked at, and so never takes memory.
    table: Vec<Class>,
}

/// By their general category, as the library that knows regular expressions has them.
const CATEGORIES: [(&str, Class); 8] = [
    (r"\p{Lu}", Upper),
    (r"\p{Lt}", Upper),
    (r"\p{Ll}", Lower),
    (r"\p{Lm}", Letter),
    (r"\p{Lo}", Letter),
    (r"\p{M}", Mark),
    (r"\p{N}", Number),
    (r"\s", Space),
];

impl Classes {
    /// The one table there is.
    pub(crate) fn get() -> &'static Self {
        static CLASSES: LazyLock<Classes> = LazyLock::new(Classes::new);
        &CLASSES
    }

    fn new() -> Self {
        let mut table = vec![Other; char::MAX as usize + 1];
        for (pattern, class) in CATEGORIES {
            for (start, end) in ranges(pattern) {
                if let Some(range) = table.get_mut(start as usize..=end as usize) {
                    range.fill(class);
                }
            }
        }
        table[usize::from(b'\n')] = Newline;
        table[usize::from(b'\r')] = Newline;
        Self { table }
    }

    pub(crate) fn of(&self, c: char) -> Class {
        self.table.get(c as usize).copied().unwrap_or(Other)
    }
}

/// The code points that a class of a regular expression has.
fn ranges(pattern: &str) -> Vec<(u32, u32)> {
    use regex_syntax::hir::{Class, HirKind};
    let parsed = regex_syntax::parse(pattern);
    match parsed.as_ref().map(regex_syntax::hir::Hir::kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => {
            class.iter().map(|range| (u32::from(range.start()), u32::from(range.end()))).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, Classes};

    #[test]
    fn characters_are_what_their_category_says() {
        let of = |c| Classes::get().of(c);
        for (c, class) in [
            ('A', Class::Upper),
            ('ǅ', Class::Upper),
            ('é', Class::Lower),
            ('ʰ', Class::Letter),
            ('中', Class::Letter),
            ('\u{0301}', Class::Mark),
            ('²', Class::Number),
            ('\t', Class::Space),
            ('\u{00A0}', Class::Space),
            ('\u{2028}', Class::Space),
            ('\n', Class::Newline),
            ('_', Class::Other),
            ('\u{10FFFF}', Class::Other),
        ] {
            assert_eq!(of(c), class, "{c:?}");
        }
    }
}
