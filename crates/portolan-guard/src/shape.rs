//! The shapes of tokens: a fixed prefix, then runs of known characters.

/// The characters that a run may have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CharSet {
    /// Digits.
    Digit,
    /// Digits and `a` to `f`, in either case.
    Hex,
    /// Digits and lower-case letters.
    Low,
    /// Digits and upper-case letters.
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
    /// The characters of base64 and of its URL escapes.
    Escaped,
}

impl CharSet {
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

/// A part of a token after its prefix.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TokenPart {
    /// This exact text.
    Text(&'static str),
    /// Characters of a class, with the minimum and maximum length.
    Run(CharSet, usize, usize),
}

/// A token: one of its prefixes, then its parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenShape {
    pub(crate) starts: &'static [&'static str],
    pub(crate) parts: &'static [TokenPart],
}

impl TokenShape {
    /// The length of the token at the start of `text`, if it matches. The prefix is known to match.
    pub(crate) fn length(&self, start: &str, text: &[u8]) -> Option<usize> {
        let mut at = start.len();
        for piece in self.parts {
            let rest = text.get(at..)?;
            at += match piece {
                TokenPart::Text(expected) => {
                    rest.starts_with(expected.as_bytes()).then_some(expected.len())?
                }
                TokenPart::Run(class, least, most) => {
                    // One more than the maximum is enough to see that it is too long.
                    let length =
                        rest.iter().take(most + 1).take_while(|byte| class.has(**byte)).count();
                    crate::steps::add(length);
                    let length =
                        if length > *most && is_followed(rest, *most) { *most } else { length };
                    (*least..=*most).contains(&length).then_some(length)?
                }
            };
        }
        Some(at)
    }

    /// A sample token of this shape, of minimum length, from a source of numbers.
    #[cfg(test)]
    pub(crate) fn sample(&self, start: &str, mut number: impl FnMut() -> usize) -> String {
        const ALPHABET: &[u8] = b"k7Qz2Xf9Lm4Vt8Rb3Nw6Yc1Hs5Jd0PgTqWeZuKaGxMpBvCnErSyDhFjUi";
        let mut token = start.to_owned();
        for piece in self.parts {
            match piece {
                TokenPart::Text(text) => token.push_str(text),
                TokenPart::Run(class, least, _) => {
                    let mut left = *least;
                    while left > 0 {
                        // A digit at every third position, so that it always looks random.
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

/// Whether the next byte is punctuation although tokens may contain it: `AIza…-`.
fn is_followed(rest: &[u8], length: usize) -> bool {
    let is_mark = matches!(rest.get(length), Some(b'-' | b'_' | b'.'));
    is_mark && !rest.get(length + 1).is_some_and(u8::is_ascii_alphanumeric)
}
