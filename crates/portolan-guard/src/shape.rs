//! The shapes that tokens have: a start that gives them away, then runs of known characters.

/// Characters that a run may have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Class {
    /// Digits.
    Digit,
    /// Digits and `a` to `f`, in either case.
    Hex,
    /// Digits and small letters.
    Low,
    /// Digits and capitals.
    Up,
    /// Digits and letters.
    Alnum,
    /// Digits, letters and `_`.
    Word,
    /// Digits, letters, `_` and `-`: base64url.
    Dashed,
    /// The same and `.`.
    Dotted,
    /// Digits, letters, `+`, `/` and `=`: base64.
    Base64,
    /// What base64 and its escapes in URLs are written with.
    Escaped,
}

impl Class {
    pub(crate) fn has(self, byte: u8) -> bool {
        let alnum = byte.is_ascii_alphanumeric();
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Low => byte.is_ascii_digit() || byte.is_ascii_lowercase(),
            Self::Up => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            Self::Alnum => alnum,
            Self::Word => alnum || byte == b'_',
            Self::Dashed => alnum || matches!(byte, b'_' | b'-'),
            Self::Dotted => alnum || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => alnum || matches!(byte, b'+' | b'/' | b'='),
            Self::Escaped => alnum || matches!(byte, b'+' | b'/' | b'=' | b'%' | b'-' | b'_'),
        }
    }
}

/// A part of a token behind its start.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece {
    /// This very text.
    Text(&'static str),
    /// So many characters of a class, from the least to the most.
    Run(Class, usize, usize),
}

/// A token: one of its starts, then its pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) starts: &'static [&'static str],
    pub(crate) pieces: &'static [Piece],
}

impl Shape {
    /// The length of the token that `text` starts with, if it does; its start is known to be there.
    pub(crate) fn length(&self, start: &str, text: &[u8]) -> Option<usize> {
        let mut at = start.len();
        for piece in self.pieces {
            let rest = text.get(at..)?;
            at += match piece {
                Piece::Text(expected) => {
                    rest.starts_with(expected.as_bytes()).then_some(expected.len())?
                }
                Piece::Run(class, least, most) => {
                    // One more than the most is enough to know that it is too long.
                    let length =
                        rest.iter().take(most + 1).take_while(|byte| class.has(**byte)).count();
                    let length =
                        if length > *most && is_followed(rest, *most) { *most } else { length };
                    (*least..=*most).contains(&length).then_some(length)?
                }
            };
        }
        Some(at)
    }

    /// A made-up token of this shape, from a source of numbers; the shortest there is.
    #[cfg(test)]
    pub(crate) fn sample(&self, start: &str, mut number: impl FnMut() -> usize) -> String {
        const ALPHABET: &[u8] = b"k7Qz2Xf9Lm4Vt8Rb3Nw6Yc1Hs5Jd0PgTqWeZuKaGxMpBvCnErSyDhFjUi";
        let mut token = start.to_owned();
        for piece in self.pieces {
            match piece {
                Piece::Text(text) => token.push_str(text),
                Piece::Run(class, least, _) => {
                    let mut left = *least;
                    while left > 0 {
                        // A digit in every third place, so that it looks random every time.
                        let byte = match left % 3 {
                            0 => b'0' + (number() % 10) as u8,
                            _ => ALPHABET[number() % ALPHABET.len()],
                        };
                        let byte = if class.has(byte) { byte } else { byte.to_ascii_lowercase() };
                        let byte = if class.has(byte) { byte } else { byte.to_ascii_uppercase() };
                        if class.has(byte) {
                            token.push(char::from(byte));
                            left -= 1;
                        }
                    }
                }
            }
        }
        token
    }
}

/// Whether what comes behind so many bytes is punctuation, although tokens have it too: `AIza…-`.
fn is_followed(rest: &[u8], length: usize) -> bool {
    let is_mark = matches!(rest.get(length), Some(b'-' | b'_' | b'.'));
    is_mark && !rest.get(length + 1).is_some_and(u8::is_ascii_alphanumeric)
}
