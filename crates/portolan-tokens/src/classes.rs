//! The character classes of the encoding's pattern.

use std::sync::LazyLock;

/// Written by the build script: pairs of a class and the length of its run, five bytes each.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.deflate"));

/// Upper bound of the unpacked size.
const MAX_UNPACKED: usize = 1 << 20;

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
const NUMBERED: [CharClass; 7] = [Other, Upper, Lower, Letter, Mark, Number, Space];

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

/// The class of every character.
pub(crate) struct Classes {
    /// By code point. Most pages are never touched, so they take no memory.
    table: Vec<CharClass>,
}

impl Classes {
    /// The only table.
    pub(crate) fn get() -> &'static Self {
        static CLASSES: LazyLock<Classes> = LazyLock::new(Classes::new);
        &CLASSES
    }

    fn new() -> Self {
        let runs = miniz_oxide::inflate::decompress_to_vec_with_limit(PACKED, MAX_UNPACKED);
        let mut table = vec![Other; char::MAX as usize + 1];
        let mut rest = &mut table[..];
        for run in runs.unwrap_or_default().chunks_exact(5) {
            let [class, length @ ..] = run else { continue };
            let length = length.try_into().map_or(0, u32::from_le_bytes) as usize;
            let (of_run, after) = rest.split_at_mut(length.min(rest.len()));
            // Most code points have class 0, which the table already holds.
            if *class > 0 {
                of_run.fill(NUMBERED.get(usize::from(*class)).copied().unwrap_or(Other));
            }
            rest = after;
        }
        table[usize::from(b'\n')] = Newline;
        table[usize::from(b'\r')] = Newline;
        Self { table }
    }

    pub(crate) fn of(&self, c: char) -> CharClass {
        self.table.get(c as usize).copied().unwrap_or(Other)
    }
}

#[cfg(test)]
mod tests {
    use super::{CharClass, Classes};

    #[test]
    fn characters_have_the_class_of_their_category() {
        let of = |c| Classes::get().of(c);
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
            assert_eq!(of(c), class, "{c:?}");
        }
    }
}
