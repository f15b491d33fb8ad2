//! Measures how deeply a text nests, before it is parsed.
//!
//! The parser and the walks over its tree are recursive: each nesting level costs stack, and a
//! stack overflow ends the process. So the depth is measured first, in two ways:
//!
//! - the [bound](Nesting::bound) counts everything that could open a level, closed again or not: never too small, and cheap;
//! - the [estimate](Nesting::estimate) follows the tokens and is close to the truth for ordinary code, but a text that misleads the lexer could make it too small.
//!
//! A level is a bracket, or a link of a chain that nests without one: prefix and binary operators,
//! members, calls, `else if`.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::ecma::syntax::comments::Comment;
use crate::ecma::syntax::lexer::{self, EcmaToken, EcmaTokenKind, Sink};

/// How deeply a text nests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nesting {
    /// An upper bound of the depth.
    pub(crate) bound: usize,
    /// The approximate depth, unless the text misleads the lexer.
    pub(crate) estimate: usize,
    /// How many angle brackets and arrows are open at once. The parser reads these twice or more to
    /// find out what they are, so nesting them costs exponential time.
    pub(crate) guesses: usize,
}

/// The bytes that may open a level.
const OPENERS: &[u8] = b"([{<!~+-?=:.*/&|^%`)";

/// The other bytes that may follow a keyword which opens a level.
const SEPARATORS: &[u8] = b" \t\r\n\x0B\x0C\"'";

/// The number of brackets and operators in `text`: the levels that need no keyword.
pub(crate) fn bound(text: &str) -> usize {
    const COSTS: [u8; 256] = costs(&[OPENERS], false);
    count(text, &COSTS)
}

/// An upper bound of the levels in `text`, including keywords: one of these bytes, or white space
/// beyond ASCII, follows each of them. It needs no lexer, so it is several times too large.
pub(crate) fn loose_bound(text: &str) -> usize {
    const COSTS: [u8; 256] = costs(&[OPENERS, SEPARATORS], true);
    count(text, &COSTS)
}

/// An upper bound of the angle brackets and arrows that are open at once.
pub(crate) fn guess_bound(text: &[u8]) -> usize {
    let opens = |at: &usize| text[*at] == b'<' || (*at > 0 && text[*at - 1] == b'=');
    let infers = INFER_WORD.find_iter(text).count();
    memchr::memchr2_iter(b'<', b'>', text).filter(opens).count() + infers * INFER
}

static INFER_WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("infer"));

/// The weight of `infer T extends U`. The parser reads it twice at every level, so each level
/// doubles the time, while each of the others adds only its share.
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

/// Measures `text` by its tokens.
pub(crate) fn measure(text: &str) -> Nesting {
    let mut gauge = NestingMeter {
        frames: vec![BracketFrame::default()],
        depth: 0,
        deepest: 0,
        guesses: 0,
        most_guesses: 0,
        words: 0,
        previous: PreviousToken::Operator,
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
struct BracketFrame {
    /// The links of the current chain.
    chain: usize,
    /// The open angle brackets and arrows.
    guesses: usize,
    /// Whether this is the head of `if`, `for`, `while` or `with`. The statement that follows nests
    /// in it.
    is_head: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PreviousToken {
    /// The end of a value: a word in the next line starts a statement.
    Value,
    /// The end of a block, or of a value in braces: a word starts a statement.
    Block,
    /// An operator: a value must follow.
    Operator,
    /// `if`, `for`, `while` or `with`.
    Head,
}

struct NestingMeter {
    frames: Vec<BracketFrame>,
    depth: usize,
    deepest: usize,
    guesses: usize,
    most_guesses: usize,
    /// The number of keywords that can open a level.
    words: usize,
    previous: PreviousToken,
    /// The previous token, if it was punctuation.
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

impl NestingMeter {
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

    /// Ends a chain and closes all its links.
    fn reset(&mut self) {
        self.unlink(usize::MAX);
        self.close_guesses(usize::MAX);
    }

    fn guess(&mut self, weight: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.guesses += weight;
            self.guesses += weight;
            self.most_guesses = self.most_guesses.max(self.guesses);
        }
    }

    fn close_guesses(&mut self, guesses: usize) {
        if let Some(frame) = self.frames.last_mut() {
            let guesses = guesses.min(frame.guesses);
            frame.guesses -= guesses;
            self.guesses -= guesses;
        }
    }

    fn open(&mut self) {
        self.frames.push(BracketFrame {
            is_head: self.previous == PreviousToken::Head,
            ..BracketFrame::default()
        });
        self.grow();
        self.previous = PreviousToken::Operator;
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
            _ if is_head => PreviousToken::Operator,
            b'}' => PreviousToken::Block,
            _ => PreviousToken::Value,
        };
    }

    fn operator(&mut self, mark: u8) {
        match (self.mark, mark) {
            // `</` and `/>` close an element, so neither of the two characters opened a level.
            (Some(b'<'), b'/') | (Some(b'/'), b'>') => {
                self.unlink(2);
                self.close_guesses(1);
            }
            (Some(b'='), b'>') => self.guess(1),
            (_, b'>') => self.close_guesses(1),
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
        if role != WordRole::Name {
            self.words += 1;
        }
        let ends_value = match self.previous {
            PreviousToken::Value => after_newline,
            PreviousToken::Block => true,
            PreviousToken::Operator | PreviousToken::Head => false,
        };
        if ends_value && role != WordRole::Infix {
            self.reset();
        }
        self.previous = match role {
            WordRole::Name => PreviousToken::Value,
            WordRole::Prefix | WordRole::Infix => {
                self.link();
                PreviousToken::Operator
            }
            WordRole::Head => {
                self.link();
                PreviousToken::Head
            }
        };
    }
}

impl<'t> Sink<'t> for NestingMeter {
    fn token(&mut self, token: EcmaToken<'t>, after_newline: bool) {
        if token.kind != EcmaTokenKind::Word {
            self.infer = Infer::No;
        }
        match token.kind {
            EcmaTokenKind::Word => self.word(token.text, after_newline),
            EcmaTokenKind::Text | EcmaTokenKind::Value => {
                if self.previous == PreviousToken::Value {
                    self.link();
                }
                self.previous = PreviousToken::Value;
            }
            EcmaTokenKind::Mark(b'(' | b'[' | b'{') => self.open(),
            EcmaTokenKind::Mark(mark @ (b')' | b']' | b'}')) => self.close(mark),
            EcmaTokenKind::Mark(b';' | b',') => {
                self.reset();
                self.previous = PreviousToken::Operator;
            }
            EcmaTokenKind::Mark(mark) => {
                self.operator(mark);
                self.previous = PreviousToken::Operator;
            }
        }
        self.mark = match token.kind {
            EcmaTokenKind::Mark(mark) => Some(mark),
            _ => None,
        };
    }

    fn comment(&mut self, _: Comment<'t>) {}
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WordRole {
    /// Any other word.
    Name,
    /// Something nests after it.
    Prefix,
    /// It continues what is before it.
    Infix,
    /// A statement follows its bracket.
    Head,
}

fn role_of(word: &str) -> WordRole {
    match word {
        "typeof" | "void" | "delete" | "await" | "yield" | "new" | "do" | "keyof" | "readonly"
        | "unique" | "infer" | "asserts" | "class" | "return" | "throw" | "async" => {
            WordRole::Prefix
        }
        "else" | "in" | "of" | "instanceof" | "as" | "is" | "satisfies" | "extends" => {
            WordRole::Infix
        }
        "if" | "for" | "while" | "with" => WordRole::Head,
        _ => WordRole::Name,
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
    fn brackets_and_chains_nest_deeply() {
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
    fn guesses_count_until_they_are_closed() {
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
