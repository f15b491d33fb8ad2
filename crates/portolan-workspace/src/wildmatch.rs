//! Git's patterns: the results of its `wildmatch`, without its backtracking.
//!
//! `?` is one byte, `*` stays within a name, `**` between slashes is any number of names, and a class never
//! matches a slash. Braces are literal. A pattern is compiled once; a match takes at most its length times
//! that of the path.

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Wildmatch {
    ignore_case: bool,
    /// The literal prefix. As in git, a `**` right after it need not follow a slash.
    start: Vec<u8>,
    /// The rest, one part per name; empty if the whole pattern is literal.
    parts: Vec<PatternPart>,
}

#[derive(Debug, PartialEq, Eq)]
enum PatternPart {
    /// Any number of names, with a minimum.
    Deep { least: usize },
    /// One name.
    Name(Vec<NamePiece>),
}

#[derive(Debug, PartialEq, Eq)]
enum NamePiece {
    Byte(u8),
    /// One byte.
    Any,
    /// One byte of a set.
    Class(ByteSet),
    /// Any number of bytes.
    Star,
}

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ByteSet([u64; 4]);

impl ByteSet {
    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    fn add(&mut self, is_meant: impl Fn(u8) -> bool) {
        for byte in (0..=u8::MAX).filter(|byte| is_meant(*byte)) {
            self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
    }
}

/// The bytes with a special meaning.
const SPECIAL: &[u8] = b"*?[\\";

impl Wildmatch {
    /// Compiles a pattern; `None` if it can match nothing: it has an unterminated, unknown or empty class, or a
    /// trailing backslash.
    pub(crate) fn new(pattern: &[u8], ignore_case: bool) -> Option<Self> {
        let at = pattern.iter().position(|byte| SPECIAL.contains(byte)).unwrap_or(pattern.len());
        let (start, rest) = pattern.split_at(at);
        let start = if ignore_case { start.to_ascii_lowercase() } else { start.to_vec() };
        let mut compiler = PatternCompiler { pattern: rest, at: 0, ignore_case };
        let parts = if rest.is_empty() { Vec::new() } else { compiler.parts()? };
        Some(Self { ignore_case, start, parts })
    }

    /// The text that every match starts with, in lower case if case is ignored.
    pub(crate) fn start(&self) -> &[u8] {
        &self.start
    }

    /// Whether it matches only its literal text.
    pub(crate) fn is_literal(&self) -> bool {
        self.parts.is_empty()
    }

    /// The text that every match ends with: the literal after the last special character.
    pub(crate) fn end(&self) -> Vec<u8> {
        let Some(PatternPart::Name(pieces)) = self.parts.last() else { return Vec::new() };
        let literal = pieces.iter().rev().map_while(|piece| match piece {
            NamePiece::Byte(byte) => Some(*byte),
            _ => None,
        });
        let mut end: Vec<u8> = literal.collect();
        end.reverse();
        end
    }

    /// Whether it matches a whole path, which the caller lowers if case is ignored.
    pub(crate) fn is_match(&self, path: &[u8]) -> bool {
        debug_assert!(!self.ignore_case || !path.iter().any(u8::is_ascii_uppercase));
        let Some(path) = path.strip_prefix(&*self.start) else { return false };
        if self.parts.is_empty() { path.is_empty() } else { self.matches_parts(path) }
    }

    /// Since every `**` matches anything, only the last one needs to be retried with more.
    fn matches_parts(&self, path: &[u8]) -> bool {
        let mut rest = Some(path);
        let mut at = 0;
        let mut last_deep: Option<(usize, &[u8])> = None;
        loop {
            match (self.parts.get(at), rest) {
                (None, None) => return true,
                (Some(PatternPart::Deep { .. }), Some(_)) if at + 1 == self.parts.len() => {
                    return true;
                }
                (Some(PatternPart::Deep { least }), Some(names)) => {
                    rest = if *least == 0 { rest } else { split(names).1 };
                    at += 1;
                    last_deep = rest.map(|names| (at, names));
                    continue;
                }
                (Some(PatternPart::Name(pieces)), Some(names)) => {
                    let (name, after) = split(names);
                    if matches_name(pieces, name) {
                        (rest, at) = (after, at + 1);
                        continue;
                    }
                }
                _ => {}
            }
            let Some((after_deep, names)) = last_deep else { return false };
            (rest, at) = (split(names).1, after_deep);
            last_deep = rest.map(|names| (at, names));
        }
    }
}

/// The first name of a path, and the rest after its slash.
fn split(path: &[u8]) -> (&[u8], Option<&[u8]>) {
    match path.iter().position(|byte| *byte == b'/') {
        Some(at) => (&path[..at], Some(&path[at + 1..])),
        None => (path, None),
    }
}

/// Since a star matches anything, only the last one needs to be retried with more.
fn matches_name(pieces: &[NamePiece], name: &[u8]) -> bool {
    let (mut piece, mut at) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    loop {
        let is_next = match (pieces.get(piece), name.get(at)) {
            (None, None) => return true,
            (Some(NamePiece::Star), _) => {
                piece += 1;
                if piece == pieces.len() {
                    return true;
                }
                last_star = Some((piece, at));
                continue;
            }
            (Some(NamePiece::Any), Some(_)) => true,
            (Some(NamePiece::Byte(wanted)), Some(byte)) => wanted == byte,
            (Some(NamePiece::Class(class)), Some(byte)) => class.has(*byte),
            (_, None) => return false,
            (None, Some(_)) => false,
        };
        if is_next {
            (piece, at) = (piece + 1, at + 1);
            continue;
        }
        let Some((after_star, from)) = last_star else { return false };
        (piece, at) = (after_star, from + 1);
        last_star = Some((piece, at));
    }
}

struct PatternCompiler<'p> {
    pattern: &'p [u8],
    at: usize,
    ignore_case: bool,
}

impl PatternCompiler<'_> {
    fn peek(&self) -> Option<u8> {
        self.pattern.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn parts(&mut self) -> Option<Vec<PatternPart>> {
        let mut parts = Vec::new();
        let mut pieces = Vec::new();
        while let Some(byte) = self.next() {
            let piece = match byte {
                b'*' => match self.stars(pieces.is_empty()) {
                    Some(least) => {
                        parts.push(PatternPart::Deep { least });
                        // The slash belongs to it.
                        self.at += usize::from(self.peek() == Some(b'\\'));
                        if self.next().is_none() {
                            return Some(parts);
                        }
                        continue;
                    }
                    None => NamePiece::Star,
                },
                b'?' => NamePiece::Any,
                b'[' => {
                    NamePiece::Class(self.class().filter(|class| *class != ByteSet::default())?)
                }
                // As in git, an escaped letter keeps its case.
                b'\\' => NamePiece::Byte(self.next()?),
                _ if self.ignore_case => NamePiece::Byte(byte.to_ascii_lowercase()),
                _ => NamePiece::Byte(byte),
            };
            match piece {
                NamePiece::Byte(b'/') => parts.push(PatternPart::Name(std::mem::take(&mut pieces))),
                NamePiece::Star if pieces.last() == Some(&NamePiece::Star) => {}
                piece => pieces.push(piece),
            }
        }
        parts.push(PatternPart::Name(pieces));
        Some(parts)
    }

    /// Skips all stars after the first one. If there are two or more and they form a whole name, returns the
    /// minimum number of names that they match.
    fn stars(&mut self, is_at_start: bool) -> Option<usize> {
        let first = self.at;
        while self.peek() == Some(b'*') {
            self.at += 1;
        }
        let is_deep = is_at_start && self.at > first;
        match self.pattern.get(self.at..).unwrap_or_default() {
            [] | [b'\\', b'/', ..] if is_deep => Some(1),
            [b'/', ..] if is_deep => Some(0),
            _ => None,
        }
    }

    /// The bytes of a class, after its bracket.
    fn class(&mut self) -> Option<ByteSet> {
        let mut class = ByteSet::default();
        let is_negated = matches!(self.peek(), Some(b'!' | b'^'));
        self.at += usize::from(is_negated);
        // The possible start of a range.
        let mut before: Option<u8> = None;
        let mut is_first = true;
        loop {
            let byte = self.next()?;
            if byte == b']' && !is_first {
                break;
            }
            is_first = false;
            before = match (byte, before) {
                (b'\\', _) => {
                    let byte = self.next()?;
                    class.add(|it| it == byte);
                    Some(byte)
                }
                (b'-', Some(from)) if !matches!(self.peek(), None | Some(b']')) => {
                    let to = self.next()?;
                    let to = if to == b'\\' { self.next()? } else { to };
                    let either = self.ignore_case;
                    class.add(|it| {
                        (from..=to).contains(&it)
                            || either && (from..=to).contains(&it.to_ascii_uppercase())
                    });
                    None
                }
                (b'[', _) if self.peek() == Some(b':') => {
                    if let Some(is_meant) = self.named()? {
                        class.add(is_meant);
                        None
                    } else {
                        class.add(|it| it == b'[');
                        Some(b'[')
                    }
                }
                _ => {
                    class.add(|it| it == byte);
                    Some(byte)
                }
            };
        }
        if is_negated {
            class.0 = class.0.map(|bits| !bits);
        }
        Some(class)
    }

    /// The bytes of `[:name:]`, after its first bracket; inner `None` if it is not one.
    #[expect(clippy::type_complexity, reason = "the meaning of a name is a function of a byte")]
    fn named(&mut self) -> Option<Option<fn(u8) -> bool>> {
        let inside = &self.pattern[self.at + 1..];
        let end = inside.iter().position(|byte| *byte == b']')?;
        let Some(name) = inside[..end].strip_suffix(b":") else { return Some(None) };
        let is_meant: fn(u8) -> bool = match name {
            b"alnum" => |it| it.is_ascii_alphanumeric(),
            b"alpha" => |it| it.is_ascii_alphabetic(),
            b"blank" => |it| matches!(it, b' ' | b'\t'),
            b"cntrl" => |it| it.is_ascii_control(),
            b"digit" => |it| it.is_ascii_digit(),
            b"graph" => |it| it.is_ascii_graphic(),
            b"lower" => |it| it.is_ascii_lowercase(),
            b"print" => |it| it == b' ' || it.is_ascii_graphic(),
            b"punct" => |it| it.is_ascii_punctuation(),
            b"space" => |it| it.is_ascii_whitespace() || it == 0x0B,
            b"upper" if self.ignore_case => |it| it.is_ascii_alphabetic(),
            b"upper" => |it| it.is_ascii_uppercase(),
            b"xdigit" => |it| it.is_ascii_hexdigit(),
            _ => return None,
        };
        self.at += 1 + end + 1;
        Some(Some(is_meant))
    }
}

#[cfg(test)]
mod tests {
    use super::Wildmatch;

    #[track_caller]
    fn check(pattern: &str, yes: &str, no: &str) {
        let compiled = Wildmatch::new(pattern.as_bytes(), false);
        let is_match =
            |path: &str| compiled.as_ref().is_some_and(|it| it.is_match(path.as_bytes()));
        for path in yes.split_whitespace() {
            assert!(is_match(path), "{pattern} and {path}");
        }
        for path in no.split_whitespace() {
            assert!(!is_match(path), "{pattern} and {path}");
        }
    }

    #[test]
    fn names_are_matched_as_git_matches_them() {
        check("secret[[:digit:]].txt", "secret1.txt", "secretx.txt secret[.txt");
        check("r[\\]]", "r]", "r\\] r\\");
        check("t[a\\-c]u", "t-u tau tcu", "tbu t\\u");
        check("*.{log,tmp}", "a.{log,tmp}", "a.log a.tmp");
        check("q[]x]", "q] qx", "q[]x] q");
        check("h[a-]", "ha h-", "hb");
        check("k[[:foo:]]", "", "k[ kf k:]");
        check("k[[:foo]]", "k[] k:] kf] ko]", "k[ k]]");
        check("[z-a]q", "zq", "aq -q yq");
        check("end\\", "", "end end\\");
        check("a*b*c", "abc axbxc abcbc", "ab acb");
        check("?.uni", "e.uni", "é.uni ab.uni");
    }

    #[test]
    fn only_slashes_and_double_stars_match_slashes() {
        check("***/zz", "zz a/zz a/b/zz", "a/zzz");
        check("a[/]b", "", "a/b");
        check("g[!/]h", "gxh", "g/h");
        check("d/**/e", "d/e d/1/e d/1/2/e", "de d/1/e/f");
        check("x/**", "x/1 x/2/3", "x");
        check("a/*/b", "a/x/b", "a/b a/x/y/b");
        check("a/**/b/**/c", "a/b/c a/1/b/2/3/c a/b/b/c", "a/c a/b");
        check("**\\/x", "a/x a/b/x", "x");
        check("a\\/b", "a/b", "a\\/b");
    }

    /// With backtracking, these would take exponential time.
    #[test]
    fn no_pattern_is_slow() {
        let names = "a".repeat(4000);
        check(&format!("{}b", "*a".repeat(4000)), "", &names);
        let folders = "a/".repeat(2000);
        check(&format!("{}b", "**/a/".repeat(1500)), "", &folders);
        check(&format!("{}b", "**/*a/".repeat(1300)), "", &folders);
    }
}
