//! The name of a file's language.

use std::fmt;

/// The longest name, in bytes.
const MOST: usize = 15;

/// A file's language, as the graph names it: a short word. The language modules choose the words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LanguageName {
    length: u8,
    bytes: [u8; MOST],
}

impl LanguageName {
    /// Not a file, or a language without a name.
    pub const OTHER: Self = Self { length: 5, bytes: *b"other\0\0\0\0\0\0\0\0\0\0" };

    /// Makes a name. Returns [`LanguageName::OTHER`] for a word that is empty, too long, or has characters
    /// other than ASCII letters, digits, `-` and `+`.
    pub const fn new(word: &str) -> Self {
        let from = word.as_bytes();
        if from.is_empty() || from.len() > MOST {
            return Self::OTHER;
        }
        let mut bytes = [0; MOST];
        let mut at = 0;
        while at < from.len() {
            if !matches!(from[at], b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'+') {
                return Self::OTHER;
            }
            bytes[at] = from[at];
            at += 1;
        }
        Self { length: from.len() as u8, bytes }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.length)).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl fmt::Debug for LanguageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::LanguageName;

    #[test]
    fn is_any_short_word() {
        for word in ["ts", "c++", "other", "abcdefghijklmno"] {
            assert_eq!(LanguageName::new(word).as_str(), word);
        }
        for word in ["", "a b", "abcdefghijklmnop", "ä"] {
            assert_eq!(LanguageName::new(word), LanguageName::OTHER);
        }
    }
}
