//! What a character is to the pattern of the encoding.

use std::sync::LazyLock;

/// Written by the build script: a class and how many code points in a row are of it, five bytes each.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.deflate"));

/// Unpacked it is smaller than this.
const MAX_UNPACKED: usize = 1 << 20;

/// The kinds of characters that the pattern tells apart. The build script knows them by their number.
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

/// By the numbers that the build script knows.
const NUMBERED: [Class; 7] = [Other, Upper, Lower, Letter, Mark, Number, Space];

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

impl Classes {
    /// The one table there is.
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
            // Most are of no class, and never written to.
            if *class > 0 {
                of_run.fill(NUMBERED.get(usize::from(*class)).copied().unwrap_or(Other));
            }
            rest = after;
        }
        table[usize::from(b'\n')] = Newline;
        table[usize::from(b'\r')] = Newline;
        Self { table }
    }

    pub(crate) fn of(&self, c: char) -> Class {
        self.table.get(c as usize).copied().unwrap_or(Other)
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
