//! What a glob is made of.

use super::GlobError;

/// A part of a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// This character.
    Is(char),
    /// `?`
    One,
    /// `[…]`
    Class(Class),
    /// `*`
    Star,
    /// `**/` at the beginning; the slash is in it.
    DeepStart,
    /// `/**/`
    DeepMiddle,
    /// `/**` at the end.
    DeepEnd,
    /// `**` as one of several in braces.
    All,
    /// `{…}`
    Either(Vec<Vec<Piece>>),
}

/// A set of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    is_negated: bool,
    ranges: Vec<(char, char)>,
}

impl Class {
    pub(super) fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != self.is_negated
    }
}

/// Reads a glob. Braces are not nested deeper than a bounded glob has them.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece>, GlobError> {
    let mut parser = Parser { chars: text.chars().collect(), at: 0, depth: 0 };
    let pieces = parser.sequence()?;
    match parser.next() {
        None => Ok(pieces),
        Some(_) => Err(GlobError("a `}` without its `{`; write `[}]` for the character")),
    }
}

/// The longest name that every match has, from one slash to the next.
pub(super) fn longest_name(pieces: &[Piece]) -> String {
    let mut longest = String::new();
    let mut name = Some(String::new());
    for piece in pieces.iter().chain([&Piece::Is('/')]) {
        match piece {
            Piece::Is('/') | Piece::DeepStart | Piece::DeepMiddle | Piece::DeepEnd => {
                let ended = name.replace(String::new()).unwrap_or_default();
                longest = if ended.len() > longest.len() { ended } else { longest };
                // What ends in `**` ends in any character, and so does its last name.
                name = name.filter(|_| *piece != Piece::DeepEnd);
            }
            Piece::Is(c) => {
                if let Some(name) = &mut name {
                    name.push(*c);
                }
            }
            _ => name = None,
        }
    }
    longest
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    /// How many braces are open.
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    /// Up to the end, or to what ends an alternative.
    fn sequence(&mut self) -> Result<Vec<Piece>, GlobError> {
        let mut pieces = Vec::new();
        while let Some(c) = self.peek() {
            let before = self.at.checked_sub(1).and_then(|at| self.chars.get(at)).copied();
            match c {
                '}' => break,
                ',' if self.depth > 0 => break,
                _ => self.at += 1,
            }
            let piece = match c {
                '?' => Piece::One,
                '*' if self.peek() == Some('*') => {
                    self.at += 1;
                    self.deep(before, &mut pieces)
                }
                '*' => Piece::Star,
                '[' => Piece::Class(self.class()?),
                '{' => self.either()?,
                '\\' => Piece::Is(self.next().ok_or(GlobError("a backslash at the end"))?),
                c => Piece::Is(c),
            };
            pieces.push(piece);
        }
        Ok(pieces)
    }

    /// Behind `**`, which means names only where it stands between slashes or ends.
    fn deep(&mut self, before: Option<char>, pieces: &mut Vec<Piece>) -> Piece {
        let next = self.peek();
        if pieces.is_empty() {
            return match next {
                None => Piece::DeepStart,
                Some('/') => {
                    self.at += 1;
                    Piece::DeepStart
                }
                Some(',' | '}') if self.depth > 0 => Piece::All,
                Some(_) => Piece::Star,
            };
        }
        let piece = match next {
            _ if before != Some('/') => return Piece::Star,
            None => Piece::DeepEnd,
            Some(',' | '}') if self.depth > 0 => Piece::DeepEnd,
            Some('/') => {
                self.at += 1;
                Piece::DeepMiddle
            }
            Some(_) => return Piece::Star,
        };
        // The slash before it is in it.
        match pieces.pop() {
            Some(Piece::DeepStart) => Piece::DeepStart,
            _ => piece,
        }
    }

    fn either(&mut self) -> Result<Piece, GlobError> {
        self.depth += 1;
        let mut all = Vec::new();
        loop {
            all.push(self.sequence()?);
            match self.next() {
                Some(',') => {}
                Some(_) => break,
                None => {
                    return Err(GlobError("a `{` without its `}`; write `[{]` for the character"));
                }
            }
        }
        self.depth -= 1;
        Ok(Piece::Either(all))
    }

    /// Behind `[`. A `]` or `-` that stands first is meant as such, and so is a `-` that stands last.
    fn class(&mut self) -> Result<Class, GlobError> {
        const OPEN: GlobError = GlobError("a `[` without its `]`; write `[[]` for the character");
        let is_negated = matches!(self.peek(), Some('!' | '^'));
        self.at += usize::from(is_negated);
        let mut ranges: Vec<(char, char)> = Vec::new();
        loop {
            let c = self.next().ok_or(OPEN)?;
            if c == ']' && !ranges.is_empty() {
                return Ok(Class { is_negated, ranges });
            }
            let is_range = c == '-' && !ranges.is_empty() && self.peek() != Some(']');
            match ranges.last_mut() {
                Some(last) if is_range => {
                    last.1 = self.next().ok_or(OPEN)?;
                    if last.1 < last.0 {
                        return Err(GlobError("a range that ends before it begins"));
                    }
                }
                _ => ranges.push((c, c)),
            }
        }
    }
}
