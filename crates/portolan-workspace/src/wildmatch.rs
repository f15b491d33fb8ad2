//! git's patterns, byte for byte: what its `wildmatch` says of a path, without its backtracking.
//!
//! `?` is one byte, `*` stays in a name, `**` between slashes is any number of names, and a class never
//! has a slash. Braces mean nothing. A pattern is compiled once; a match costs at most its length times
//! that of the path.

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Wildmatch {
    ignore_case: bool,
    /// What stands before everything special. As in git, a `**` right behind it need not stand behind a slash.
    start: Vec<u8>,
    /// The rest, a part for each name; empty where nothing is special.
    parts: Vec<Part>,
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// Any number of names, but at least so many.
    Deep { least: usize },
    /// One name.
    Name(Vec<Piece>),
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Byte(u8),
    /// One byte.
    Any,
    /// One byte of these.
    Class(Class),
    /// Any number of bytes.
    Star,
}

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Class([u64; 4]);

impl Class {
    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    fn add(&mut self, is_meant: impl Fn(u8) -> bool) {
        for byte in (0..=u8::MAX).filter(|byte| is_meant(*byte)) {
            self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
    }
}

/// The bytes that mean something.
const SPECIAL: &[u8] = b"*?[\\";

impl Wildmatch {
    /// Compiles a pattern; `None` for one that can match nothing: a class without an end, of an unknown name or
    /// without a byte in it, or a backslash at the end.
    pub(crate) fn new(pattern: &[u8], ignore_case: bool) -> Option<Self> {
        let at = pattern.iter().position(|byte| SPECIAL.contains(byte)).unwrap_or(pattern.len());
        let (start, rest) = pattern.split_at(at);
        let start = if ignore_case { start.to_ascii_lowercase() } else { start.to_vec() };
        let mut compiler = Compiler { pattern: rest, at: 0, ignore_case };
        let parts = if rest.is_empty() { Vec::new() } else { compiler.parts()? };
        Some(Self { ignore_case, start, parts })
    }

    /// The text that every match begins with, in small letters where the case does not matter.
    pub(crate) fn start(&self) -> &[u8] {
        &self.start
    }

    /// Whether it matches nothing but the text that it begins with.
    pub(crate) fn is_literal(&self) -> bool {
        self.parts.is_empty()
    }

    /// The text that every match ends in, as far as it follows the last thing that is special.
    pub(crate) fn end(&self) -> Vec<u8> {
        let Some(Part::Name(pieces)) = self.parts.last() else { return Vec::new() };
        let literal = pieces.iter().rev().map_while(|piece| match piece {
            Piece::Byte(byte) => Some(*byte),
            _ => None,
        });
        let mut end: Vec<u8> = literal.collect();
        end.reverse();
        end
    }

    /// Whether it matches a whole path, which is in small letters where the case does not matter.
    pub(crate) fn is_match(&self, path: &[u8]) -> bool {
        debug_assert!(!self.ignore_case || !path.iter().any(u8::is_ascii_uppercase));
        let Some(path) = path.strip_prefix(&*self.start) else { return false };
        if self.parts.is_empty() { path.is_empty() } else { self.matches_parts(path) }
    }

    /// As every `**` takes whatever there is, only the last one has to be tried with more.
    fn matches_parts(&self, path: &[u8]) -> bool {
        let mut rest = Some(path);
        let mut at = 0;
        let mut last_deep: Option<(usize, &[u8])> = None;
        loop {
            match (self.parts.get(at), rest) {
                (None, None) => return true,
                (Some(Part::Deep { .. }), Some(_)) if at + 1 == self.parts.len() => return true,
                (Some(Part::Deep { least }), Some(names)) => {
                    rest = if *least == 0 { rest } else { split(names).1 };
                    at += 1;
                    last_deep = rest.map(|names| (at, names));
                    continue;
                }
                (Some(Part::Name(pieces)), Some(names)) => {
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

/// The first name of a path, and what follows its slash.
fn split(path: &[u8]) -> (&[u8], Option<&[u8]>) {
    match path.iter().position(|byte| *byte == b'/') {
        Some(at) => (&path[..at], Some(&path[at + 1..])),
        None => (path, None),
    }
}

/// As a star takes whatever there is, only the last one has to be tried with more.
fn matches_name(pieces: &[Piece], name: &[u8]) -> bool {
    let (mut piece, mut at) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    loop {
        let is_next = match (pieces.get(piece), name.get(at)) {
            (None, None) => return true,
            (Some(Piece::Star), _) => {
                piece += 1;
                if piece == pieces.len() {
                    return true;
                }
                last_star = Some((piece, at));
                continue;
            }
            (Some(Piece::Any), Some(_)) => true,
            (Some(Piece::Byte(wanted)), Some(byte)) => wanted == byte,
            (Some(Piece::Class(class)), Some(byte)) => class.has(*byte),
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

struct Compiler<'p> {
    pattern: &'p [u8],
    at: usize,
    ignore_case: bool,
}

impl Compiler<'_> {
    fn peek(&self) -> Option<u8> {
        self.pattern.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn parts(&mut self) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        let mut pieces = Vec::new();
        while let Some(byte) = self.next() {
            let piece = match byte {
                b'*' => match self.stars(pieces.is_empty()) {
                    Some(least) => {
                        parts.push(Part::Deep { least });
                        // Its slash is its own.
                        self.at += usize::from(self.peek() == Some(b'\\'));
                        if self.next().is_none() {
                            return Some(parts);
                        }
                        continue;
                    }
                    None => Piece::Star,
                },
                b'?' => Piece::Any,
                b'[' => Piece::Class(self.class().filter(|class| *class != Class::default())?),
                // As in git, a letter that is escaped is meant as it stands.
                b'\\' => Piece::Byte(self.next()?),
                _ if self.ignore_case => Piece::Byte(byte.to_ascii_lowercase()),
                _ => Piece::Byte(byte),
            };
            match piece {
                Piece::Byte(b'/') => parts.push(Part::Name(std::mem::take(&mut pieces))),
                Piece::Star if pieces.last() == Some(&Piece::Star) => {}
                piece => pieces.push(piece),
            }
        }
        parts.push(Part::Name(pieces));
        Some(parts)
    }

    /// Goes behind all stars that follow a first one. Where they are two or more and a whole name, they stand
    /// for names: for how many at least.
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

    /// The bytes of a class whose bracket is behind us, up to its end.
    fn class(&mut self) -> Option<Class> {
        let mut class = Class::default();
        let is_negated = matches!(self.peek(), Some(b'!' | b'^'));
        self.at += usize::from(is_negated);
        // What a range may begin with.
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

    /// The bytes of `[:name:]` whose first bracket is behind us; inside `None` where it is no such thing.
    #[expect(clippy::type_complexity, reason = "what a name means is a function of a byte")]
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
    fn slashes_are_matched_by_slashes_and_deep_stars_alone() {
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

    /// With backtracking these would take longer than anybody waits.
    #[test]
    fn no_pattern_is_slow() {
        let names = "a".repeat(4000);
        check(&format!("{}b", "*a".repeat(4000)), "", &names);
        let folders = "a/".repeat(2000);
        check(&format!("{}b", "**/a/".repeat(1500)), "", &folders);
        check(&format!("{}b", "**/*a/".repeat(1300)), "", &folders);
    }
}
