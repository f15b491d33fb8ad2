//! Globs: patterns of paths, as users and manifests write them.
//!
//! `*` and `?` stay within a name, `**` between slashes is any number of names, `[a-z]` and `[!a]` are one character, which may be a
//! slash, `{a,b}` is one of several, and a backslash takes its meaning from what follows. Names that start with a dot are ordinary
//! names. A glob is compiled once; a match takes at most its length times that of the path, whatever either is.

mod list;
mod parse;

pub use list::Globs;

use self::parse::{Class, Piece};
use crate::is_bounded_glob;

/// A compiled glob.
#[derive(Clone, Debug)]
pub struct Glob {
    text: String,
    /// What every match begins with, ends in, and has as a whole name; each may be empty.
    start: String,
    end: String,
    name: String,
    states: Vec<State>,
    first: u32,
}

/// What is wrong with a glob, and what to write instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobError(pub(crate) &'static str);

impl std::fmt::Display for GlobError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for GlobError {}

/// A place in a glob.
#[derive(Clone, Debug)]
enum State {
    /// Everything is matched.
    Done,
    /// One character, then another place.
    Eat(Eaten, u32),
    /// Any of these places.
    Fork(Vec<u32>),
}

/// Which character.
#[derive(Clone, Debug)]
enum Eaten {
    This(char),
    Class(Class),
    OfName,
    Any,
}

impl Glob {
    /// Compiles a glob.
    pub fn new(text: &str) -> Result<Self, GlobError> {
        if !is_bounded_glob(text) {
            return Err(GlobError("too long or nested too deeply"));
        }
        let pieces = parse::pieces(text)?;
        let literal = |piece: &Piece| match piece {
            Piece::Is(c) => Some(*c),
            _ => None,
        };
        let mut end: Vec<char> = pieces.iter().rev().map_while(literal).collect();
        end.reverse();
        let mut compiler = Compiler { states: vec![State::Done] };
        let first = match &pieces[..] {
            // Alone it has no slash to stand behind.
            [Piece::DeepStart] => compiler.many(|| Eaten::Any, 0),
            all => compiler.compile(all, 0),
        };
        Ok(Self {
            text: text.to_owned(),
            start: pieces.iter().map_while(literal).collect(),
            end: end.into_iter().collect(),
            name: parse::longest_name(&pieces),
            states: compiler.states,
            first,
        })
    }

    /// As written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it matches a whole path.
    pub fn is_match(&self, path: &str) -> bool {
        if !path.starts_with(&self.start) || !path.ends_with(&self.end) {
            return false;
        }
        let mut now = Reached::new(self.states.len());
        let mut next = now.clone();
        now.add(self.first, &self.states);
        for c in path.chars() {
            next.clear();
            for place in &now.places {
                if let Some(State::Eat(eaten, to)) = self.states.get(*place as usize)
                    && eaten.is(c)
                {
                    next.add(*to, &self.states);
                }
            }
            if next.places.is_empty() {
                return false;
            }
            std::mem::swap(&mut now, &mut next);
        }
        now.is_done
    }
}

impl Eaten {
    fn is(&self, c: char) -> bool {
        match self {
            Self::This(this) => *this == c,
            Self::Class(class) => class.has(c),
            Self::OfName => c != '/',
            Self::Any => true,
        }
    }
}

/// The places that a text may have come to.
#[derive(Clone)]
struct Reached {
    places: Vec<u32>,
    is_done: bool,
    /// In which round a place was reached last.
    rounds: Vec<u32>,
    round: u32,
    todo: Vec<u32>,
}

impl Reached {
    fn new(states: usize) -> Self {
        Self {
            places: Vec::new(),
            is_done: false,
            rounds: vec![0; states],
            round: 1,
            todo: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.places.clear();
        self.is_done = false;
        self.round += 1;
    }

    fn add(&mut self, place: u32, states: &[State]) {
        self.todo.push(place);
        while let Some(place) = self.todo.pop() {
            let Some(round) = self.rounds.get_mut(place as usize) else { continue };
            if std::mem::replace(round, self.round) == self.round {
                continue;
            }
            match states.get(place as usize) {
                Some(State::Fork(to)) => self.todo.extend(to),
                Some(State::Eat(..)) => self.places.push(place),
                Some(State::Done) => {
                    // It eats nothing, and yet something was reached.
                    self.places.push(place);
                    self.is_done = true;
                }
                None => {}
            }
        }
    }
}

/// Compiles from the back: whoever is compiled knows where to go on.
struct Compiler {
    states: Vec<State>,
}

impl Compiler {
    fn push(&mut self, state: State) -> u32 {
        self.states.push(state);
        self.states.len() as u32 - 1
    }

    fn eat(&mut self, eaten: Eaten, next: u32) -> u32 {
        self.push(State::Eat(eaten, next))
    }

    /// Any number of a kind of characters.
    fn many(&mut self, eaten: impl Fn() -> Eaten, next: u32) -> u32 {
        let fork = self.push(State::Fork(Vec::new()));
        let again = self.eat(eaten(), fork);
        self.states[fork as usize] = State::Fork(vec![again, next]);
        fork
    }

    /// Nothing, or any number of names with the slash behind them.
    fn names(&mut self, next: u32) -> u32 {
        let slash = self.eat(Eaten::This('/'), next);
        let deep = self.many(|| Eaten::Any, slash);
        self.push(State::Fork(vec![next, deep]))
    }

    fn compile(&mut self, pieces: &[Piece], mut next: u32) -> u32 {
        for piece in pieces.iter().rev() {
            next = match piece {
                Piece::Is(c) => self.eat(Eaten::This(*c), next),
                Piece::One => self.eat(Eaten::OfName, next),
                Piece::Class(class) => self.eat(Eaten::Class(class.clone()), next),
                Piece::Star => self.many(|| Eaten::OfName, next),
                Piece::All => self.many(|| Eaten::Any, next),
                Piece::DeepStart => self.names(next),
                Piece::DeepMiddle => {
                    let names = self.names(next);
                    self.eat(Eaten::This('/'), names)
                }
                Piece::DeepEnd => {
                    let all = self.many(|| Eaten::Any, next);
                    self.eat(Eaten::This('/'), all)
                }
                Piece::Either(all) => {
                    let to = all.iter().map(|one| self.compile(one, next)).collect();
                    self.push(State::Fork(to))
                }
            };
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Glob;

    fn check(glob: &str, matches: &[&str], misses: &[&str]) {
        let compiled = Glob::new(glob).unwrap();
        for path in matches {
            assert!(compiled.is_match(path), "{glob} should match {path}");
        }
        for path in misses {
            assert!(!compiled.is_match(path), "{glob} should not match {path}");
        }
    }

    #[test]
    fn every_form_matches_what_it_means() {
        check("a/b.ts", &["a/b.ts"], &["a/b.tsx", "a/b", "x/a/b.ts", ""]);
        check("*.ts", &["a.ts", ".ts", ".a.ts"], &["a/b.ts", "ts"]);
        check("a?c", &["abc", "aéc", "a.c"], &["ac", "a/c", "abbc"]);
        check("**", &["", "a", "a/b"], &[]);
        check("**/x", &["x", "a/x", "a/b/x"], &["ax", "x/a"]);
        check("a/**", &["a/", "a/b", "a/b/c"], &["a", "ab"]);
        check("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/xb", "a/bx"]);
        check("a**b", &["ab", "axxb"], &["a/b"]);
        check("**/**/x", &["x", "a/b/x"], &["ax"]);
        check("[a-c]x", &["ax", "cx"], &["dx", "-x"]);
        check("[!a-c]x", &["dx", "/x", "éx"], &["ax"]);
        check("[é]", &["é"], &["e", "\u{c3}"]);
        check("[]a-]", &["]", "a", "-"], &["b"]);
        check("{a,b/*}.ts", &["a.ts", "b/x.ts"], &["b.ts", "c.ts"]);
        check("x{,.y}", &["x", "x.y"], &["xy", "x."]);
        check("{a,{b,c}d}", &["a", "bd", "cd"], &["b", "ad"]);
        check("a/{**,b}/c", &["a/c/c", "a/x/y/c", "a/b/c"], &["a/b", "ac"]);
        check("a,b", &["a,b"], &["a"]);
        check(r"\*\{", &["*{"], &[r"\*\{", "x{"]);
    }

    #[test]
    fn what_has_no_end_is_named() {
        for bad in ["{a", "a}", "[a", "[z-a]", "\\", &"{".repeat(99)] {
            assert!(Glob::new(bad).is_err(), "{bad}");
        }
    }

    /// Forks within forks: whoever tries one after the other never ends.
    #[test]
    fn no_glob_takes_longer_than_its_length_times_the_paths() {
        for bomb in ["*a".repeat(1000), "{a,aa}".repeat(1000), "**/*a*/".repeat(500) + "b"] {
            assert!(!Glob::new(&bomb).unwrap().is_match(&"a/".repeat(300)));
        }
    }

    proptest! {
        /// As others read it, in what they read as we do: a character that is not ASCII is several to them.
        #[test]
        fn a_glob_means_what_it_means_elsewhere(
            glob in "(\\*\\*/)?([ab*?/,]|\\*\\*|/\\*\\*/|\\[[!^]?[ab/]-?[c\\]]?\\]|\\{|\\}|\\\\[*a]){0,8}(/\\*\\*)?",
            path in "[abc/,*]{0,8}",
        ) {
            // There it is a star.
            prop_assume!(!["{**,", "{**}", ",**,", ",**}"].iter().any(|it| glob.contains(it)));
            let other = globset::GlobBuilder::new(&glob)
                .literal_separator(true)
                .backslash_escape(true)
                .empty_alternates(true)
                .build();
            match (Glob::new(&glob), other) {
                (Ok(ours), Ok(theirs)) => {
                    let theirs = theirs.compile_matcher().is_match(&path);
                    prop_assert_eq!(ours.is_match(&path), theirs, "{} {}", glob, path);
                    prop_assert!(!theirs || path.split('/').any(|name| name == ours.name) || ours.name.is_empty());
                }
                (ours, theirs) => prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{}", glob),
            }
        }
    }
}
