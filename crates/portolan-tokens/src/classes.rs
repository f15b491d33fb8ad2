//! The character classes of the encoding's pattern.

/// Written by the build script: the class of every code point. Most pages are never touched.
static CLASSES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.bin"));

/// The classes that the pattern distinguishes. The build script uses their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum CharClass {
    /// Punctuation, symbols, control characters: everything not listed below.
    Other,
    /// An upper-case or title-case letter.
    Upper,
    /// A lower-case letter.
    Lower,
    /// A letter without case, or a modifier letter.
    Letter,
    /// A combining mark.
    Mark,
    /// A digit or another number.
    Number,
    /// White space other than line breaks.
    Space,
    /// A line feed or carriage return.
    Newline,
}

use CharClass::{Letter, Lower, Mark, Newline, Number, Other, Space, Upper};

/// The classes by the numbers that the build script uses.
const NUMBERED: [CharClass; 8] = [Other, Upper, Lower, Letter, Mark, Number, Space, Newline];

impl CharClass {
    /// May start a word: `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`.
    pub(crate) fn is_head(self) -> bool {
        matches!(self, Upper | Letter | Mark)
    }

    /// May continue a word: `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`.
    pub(crate) fn is_tail(self) -> bool {
        matches!(self, Lower | Letter | Mark)
    }

    /// May precede a word: `[^\r\n\p{L}\p{N}]`.
    pub(crate) fn is_lead(self) -> bool {
        matches!(self, Other | Mark | Space)
    }

    /// Is neither white space nor a letter nor a number.
    pub(crate) fn is_symbol(self) -> bool {
        matches!(self, Other | Mark)
    }

    /// `\s`
    pub(crate) fn is_space(self) -> bool {
        matches!(self, Space | Newline)
    }
}

/// The class of a character.
pub(crate) fn class_of(c: char) -> CharClass {
    let class = CLASSES.get(c as usize).copied().unwrap_or_default();
    NUMBERED.get(usize::from(class)).copied().unwrap_or(Other)
}

#[cfg(test)]
mod tests {
    use super::{CharClass, class_of};

    #[test]
    fn characters_have_the_class_of_their_category() {
        for (c, class) in [
            ('A', CharClass::Upper),
            ('ǅ', CharClass::Upper),
            ('é', CharClass::Lower),
            ('ʰ', CharClass::Letter),
            ('中', CharClass::Letter),
            ('\u{0301}', CharClass::Mark),
            ('²', CharClass::Number),
            ('\t', CharClass::Space),
            ('\u{00A0}', CharClass::Space),
            ('\u{2028}', CharClass::Space),
            ('\n', CharClass::Newline),
            ('_', CharClass::Other),
            ('\u{10FFFF}', CharClass::Other),
        ] {
            assert_eq!(class_of(c), class, "{c:?}");
        }
    }
}
