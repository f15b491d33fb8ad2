//! How deep a text nests, before it is parsed.
//!
//! The parser and the walk over its tree are recursive: each level of nesting costs stack, and a
//! stack that overflows ends the process. So the depth is measured first, in two ways:
//!
//! - the [bound](Nesting::bound) counts everything that could open a level, closed again or not:
//!   never too small, and cheap;
//! - the [estimate](Nesting::estimate) follows the tokens and is close to the truth for honest
//!   code, but text that misleads the lexer could make it too small.
//!
//! A level is a bracket, or a link of a chain that nests without one: prefix and binary operators,
//! members, calls, `else if`.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::ecma::syntax::comments::Comment;
use crate::ecma::syntax::lexer::{self, Sink, Token, TokenKind};

/// How deep a text nests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nesting {
    /// Not deeper than this.
    pub(crate) bound: usize,
    /// About this deep, unless the text misleads.
    pub(crate) estimate: usize,
    /// How many angle brackets and arrows are open at once: what the parser reads twice or more
    /// to find out what it is, so that nesting costs time beyond proportion.
    pub(crate) guesses: usize,
}

/// The bytes that may open a level.
const OPENERS: &[u8] = b"([{<!~+-?=:.*/&|^%`)";

/// What must stand after a keyword that opens a level, where it is not one of [`OPENERS`].
const SEPARATORS: &[u8] = b" \t\r\n\x0B\x0C\"'";

/// How many brackets and operators `text` has: levels that need no keyword.
pub(crate) fn bound(text: &str) -> usize {
    const COSTS: [u8; 256] = costs(&[OPENERS], false);
    count(text, &COSTS)
}

/// How many levels `text` can have at most, keywords included: each is followed by one of these
/// bytes, white space beyond ASCII among them. Needs no lexer, so it is several times too large.
pub(crate) fn loose_bound(text: &str) -> usize {
    const COSTS: [u8; 256] = costs(&[OPENERS, SEPARATORS], true);
    count(text, &COSTS)
}

/// How many angle brackets and arrows can be open at once at most.
pub(crate) fn guess_bound(text: &[u8]) -> usize {
    let opens = |at: &usize| text[*at] == b'<' || (*at > 0 && text[*at - 1] == b'=');
    let infers = INFER_WORD.find_iter(text).count();
    memchr::memchr2_iter(b'<', b'>', text).filter(opens).count() + infers * INFER
}

static INFER_WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("infer"));

/// `infer T extends U` is read twice at every level, so that each doubles the time: it counts for
/// many of the others, of which each only adds its part.
const INFER: usize = 40;

const fn costs(lists: &[&[u8]], beyond_ascii: bool) -> [u8; 256] {
    let mut table = [0; 256];
    let mut list = 0;
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            table[lists[list][at] as usize] = 1;
            at += 1;
        }
        list += 1;
    }
    let mut at = 128;
    while beyond_ascii && at < 256 {
        table[at] = 1;
        at += 1;
    }
    table
}

fn count(text: &str, costs: &[u8; 256]) -> usize {
    text.bytes().map(|byte| usize::from(costs[byte as usize])).sum()
}

/// Follows the tokens of `text`.
pub(crate) fn measure(text: &str) -> Nesting {
    let mut gauge = Gauge {
        frames: vec![Frame::default()],
        depth: 0,
        deepest: 0,
        guesses: 0,
        most_guesses: 0,
        words: 0,
        previous: Previous::Operator,
        mark: None,
        infer: Infer::No,
    };
    lexer::lex_into(text, &mut gauge);
    Nesting {
        bound: bound(text) + gauge.words,
        estimate: gauge.deepest,
        guesses: gauge.most_guesses,
    }
}

/// An open bracket.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// The links of the chain that is being read in it.
    chain: usize,
    /// The angle brackets and arrows that are open in it.
    guesses: usize,
    /// The head of an `if`, `for`, `while` or `with`: a statement follows, which nests in it.
    is_head: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Previous {
    /// A value has ended: a word in the next line starts a statement.
    Value,
    /// A block, or a value in braces, has ended: a word starts a statement.
    Block,
    /// A value must follow.
    Operator,
    /// `if`, `for`, `while` or `with`.
    Head,
}

struct Gauge {
    frames: Vec<Frame>,
    depth: usize,
    deepest: usize,
    guesses: usize,
    most_guesses: usize,
    /// The keywords met that can open a level.
    words: usize,
    previous: Previous,
    /// The previous token, if it was a mark.
    mark: Option<u8>,
    infer: Infer,
}

/// How much of `infer T extends` was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Infer {
    No,
    Word,
    Name,
}

impl Gauge {
    fn link(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.chain += 1;
            self.grow();
        }
    }

    fn grow(&mut self) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
    }

    fn unlink(&mut self, links: usize) {
        if let Some(frame) = self.frames.last_mut() {
            let links = links.min(frame.chain);
            frame.chain -= links;
            self.depth -= links;
        }
    }

    /// The end of a chain: nothing of it is open any more.
    fn reset(&mut self) {
        self.unlink(usize::MAX);
        self.settle(usize::MAX);
    }

    fn guess(&mut self, weight: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.guesses += weight;
            self.guesses += weight;
            self.most_guesses = self.most_guesses.max(self.guesses);
        }
    }

    fn settle(&mut self, guesses: usize) {
        if let Some(frame) = self.frames.last_mut() {
            let guesses = guesses.min(frame.guesses);
            frame.guesses -= guesses;
            self.guesses -= guesses;
        }
    }

    fn open(&mut self) {
        self.frames.push(Frame { is_head: self.previous == Previous::Head, ..Frame::default() });
        self.grow();
        self.previous = Previous::Operator;
    }

    fn close(&mut self, mark: u8) {
        if self.frames.len() < 2 {
            return;
        }
        self.reset();
        let is_head = self.frames.pop().is_some_and(|frame| frame.is_head);
        self.depth -= 1;
        self.link();
        self.previous = match mark {
            _ if is_head => Previous::Operator,
            b'}' => Previous::Block,
            _ => Previous::Value,
        };
    }

    fn operator(&mut self, mark: u8) {
        match (self.mark, mark) {
            // `</` and `/>` close an element: its `<`, and the other mark, opened nothing.
            (Some(b'<'), b'/') | (Some(b'/'), b'>') => {
                self.unlink(2);
                self.settle(1);
            }
            (Some(b'='), b'>') => self.guess(1),
            (_, b'>') => self.settle(1),
            _ => self.link(),
        }
        if mark == b'<' {
            self.guess(1);
        }
    }

    fn word(&mut self, word: &str, after_newline: bool) {
        let role = role_of(word);
        self.infer = match (self.infer, word) {
            (_, "infer") => Infer::Word,
            (Infer::Word, _) => Infer::Name,
            (Infer::Name, "extends") => {
                self.guess(INFER);
                Infer::No
            }
            _ => Infer::No,
        };
        if role != Role::Name {
            self.words += 1;
        }
        let ends_value = match self.previous {
            Previous::Value => after_newline,
            Previous::Block => true,
            Previous::Operator | Previous::Head => false,
        };
        if ends_value && role != Role::Infix {
            self.reset();
        }
        self.previous = match role {
            Role::Name => Previous::Value,
            Role::Prefix | Role::Infix => {
                self.link();
                Previous::Operator
            }
            Role::Head => {
                self.link();
                Previous::Head
            }
        };
    }
}

impl<'t> Sink<'t> for Gauge {
    fn token(&mut self, token: Token<'t>, after_newline: bool) {
        if token.kind != TokenKind::Word {
            self.infer = Infer::No;
        }
        match token.kind {
            TokenKind::Word => self.word(token.text, after_newline),
            TokenKind::Text | TokenKind::Value => {
                if self.previous == Previous::Value {
                    self.link();
                }
                self.previous = Previous::Value;
            }
            TokenKind::Mark(b'(' | b'[' | b'{') => self.open(),
            TokenKind::Mark(mark @ (b')' | b']' | b'}')) => self.close(mark),
            TokenKind::Mark(b';' | b',') => {
                self.reset();
                self.previous = Previous::Operator;
            }
            TokenKind::Mark(mark) => {
                self.operator(mark);
                self.previous = Previous::Operator;
            }
        }
        self.mark = match token.kind {
            TokenKind::Mark(mark) => Some(mark),
            _ => None,
        };
    }

    fn comment(&mut self, _: Comment<'t>) {}
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Neither of the others.
    Name,
    /// Something nests after it.
    Prefix,
    /// Goes on with what stands before it.
    Infix,
    /// Its bracket is followed by a statement.
    Head,
}

fn role_of(word: &str) -> Role {
    match word {
        "typeof" | "void" | "delete" | "await" | "yield" | "new" | "do" | "keyof" | "readonly"
        | "unique" | "infer" | "asserts" | "class" | "return" | "throw" | "async" => Role::Prefix,
        "else" | "in" | "of" | "instanceof" | "as" | "is" | "satisfies" | "extends" => Role::Infix,
        "if" | "for" | "while" | "with" => Role::Head,
        _ => Role::Name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_deep(unit: &str) {
        let nesting = measure(&unit.repeat(1000));
        assert!(nesting.estimate >= 999, "{unit:?}: {nesting:?}");
        assert!(nesting.bound >= 1000, "{unit:?}: {nesting:?}");
        assert!(loose_bound(&unit.repeat(1000)) >= 1000, "{unit:?}");
    }

    #[track_caller]
    fn check_flat(unit: &str) {
        let nesting = measure(&unit.repeat(1000));
        assert!(nesting.estimate < 30 && nesting.guesses < 30, "{unit:?}: {nesting:?}");
    }

    #[test]
    fn brackets_and_chains_are_deep() {
        for unit in [
            "[",
            "{a:",
            "(",
            "<a>",
            "<a>\n",
            "f(",
            "!",
            "- ",
            "typeof ",
            "a+",
            "a\n+ b",
            ".a",
            "()",
            "[0]",
            "a?b:",
            "a=>",
            "a=",
            "if(a)",
            "if(a)\n",
            "if(a){}else ",
            "if (a) {\n}\nelse ",
            "for(;;)",
            "do ",
            "new ",
            "a:",
            "`${",
            "a ** ",
            "x as ",
            "class extends ",
            "T extends U ? X : ",
            "keyof ",
            "Array<",
            "\"]\",[",
            "`]`+[",
            "async()=>",
            "a?.",
            "`a`",
        ] {
            check_deep(unit);
        }
    }

    #[test]
    fn what_the_parser_guesses_is_counted_until_it_is_closed() {
        assert_eq!(measure(&"f<".repeat(50)).guesses, 50);
        assert_eq!(measure(&"a?(b):c=>(".repeat(50)).guesses, 50);
        assert_eq!(measure(&"<a>".repeat(50)).guesses, 1);
        assert_eq!(measure(&"A<B<C>> | ".repeat(50)).guesses, 2);
        assert_eq!(measure(&"(infer T extends ".repeat(5)).guesses, 5 * INFER);
        let flat = measure(&"A extends [infer T extends string, infer U] ? T : ".repeat(50));
        assert_eq!(flat.guesses, INFER);
        assert_eq!(measure(&"A extends infer T ? T : ".repeat(50)).guesses, 0);
    }

    #[test]
    fn statements_in_a_row_are_flat() {
        for unit in [
            "a.b(c);\n",
            "a.b(c)\n",
            "const a = b + c\n",
            "function f(){return a}",
            "if (a) { b } else { c }\n",
            "import { a } from 'b'\n",
            "export const a = () => b\n",
            "a: b,\n",
            "interface A { a: B<C>\n b?: D[] }\n",
            "class A { a = b\n c() { d } }\n",
            "for (const a of b) c(a)\n",
            "x = /[(]/\n",
            "a('(')\n",
            "// (\n",
            "type A = B | C\n",
            "if (a) return b\n",
            "case 1: a(); break;",
            "while (a) { b }\n",
            "<a b='c'>d</a>;\n",
            "<a>\n  <b />\n</a>\n",
        ] {
            check_flat(unit);
        }
    }
}
