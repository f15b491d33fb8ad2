//! What a Java file imports, declares and uses, from its tokens.

use std::collections::{BTreeMap, BTreeSet};

use crate::tokens::{Dialect, Kind, Token, Tokens, content};

/// An import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Imported {
    /// The name, without `.*`.
    pub(super) name: String,
    pub(super) is_static: bool,
    /// `import a.*`
    pub(super) is_on_demand: bool,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What was read of a file.
#[derive(Debug, Default)]
pub(super) struct File<'t> {
    pub(super) package: Option<String>,
    pub(super) imports: Vec<Imported>,
    /// The types at the top level, with their places.
    pub(super) types: BTreeMap<&'t str, (usize, usize)>,
    /// The types declared inside others.
    pub(super) nested: BTreeSet<&'t str>,
    /// Names used bare.
    pub(super) names: BTreeSet<&'t str>,
    /// Qualified names, as written: `a.b.C`.
    pub(super) qualified: BTreeSet<String>,
    /// What `Class.forName` asks for.
    pub(super) reflected: BTreeSet<&'t str>,
    /// The documentation of the first type at the top level.
    pub(super) doc: Option<(usize, usize)>,
}

const DIALECT: Dialect = Dialect { text_blocks: true, dollars: true, ..Dialect::PLAIN };

/// The longest name that is looked at.
const MOST_PARTS: usize = 24;

/// Reads a file.
pub(super) fn read(text: &str) -> File<'_> {
    let mut tokens = Vec::new();
    let mut docs = Vec::new();
    for token in Tokens::new(text, DIALECT) {
        match token.kind {
            Kind::Comment if text[token.start..].starts_with("/**") => {
                docs.push((tokens.len(), token.start, token.end));
            }
            Kind::Comment => {}
            _ => tokens.push(token),
        }
    }
    let mut reading = Reading { text, tokens: &tokens, at: 0, depth: 0, file: File::default() };
    reading.head();
    let body = reading.at;
    reading.body();
    let Reading { mut file, .. } = reading;
    let first = file.types.values().map(|(start, _)| *start).min();
    let before = |at: usize| {
        tokens.get(at).is_some_and(|token| first.is_some_and(|first| token.start <= first))
    };
    let doc = docs.iter().rev().find(|(at, ..)| *at >= body && before(*at));
    file.doc = doc.map(|(_, start, end)| (*start, *end));
    file
}

struct Reading<'t, 's> {
    text: &'t str,
    tokens: &'s [Token],
    at: usize,
    depth: u32,
    file: File<'t>,
}

impl<'t> Reading<'t, '_> {
    fn word(&self, at: usize) -> &'t str {
        let name = self.tokens.get(at).filter(|token| token.kind == Kind::Name);
        name.and_then(|name| self.text.get(name.start..name.end)).unwrap_or_default()
    }

    fn is(&self, at: usize, mark: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(mark))
    }

    /// Package and imports: they end where the first type begins.
    fn head(&mut self) {
        while let Some(token) = self.tokens.get(self.at) {
            match self.word(self.at) {
                "package" => {
                    self.at += 1;
                    self.file.package = Some(self.dotted()).filter(|name| !name.is_empty());
                }
                "import" => self.import(token.start),
                "class" | "interface" | "enum" | "record" | "public" | "abstract" | "final"
                | "sealed" | "open" | "module" | "non" | "strictfp" => return,
                _ if token.is(b'@') => self.annotation(),
                _ if token.is(b'{') => return,
                _ => self.at += 1,
            }
        }
    }

    /// An annotation in front of the package or a type, with its arguments.
    fn annotation(&mut self) {
        if self.word(self.at + 1) == "interface" {
            // `@interface` begins a type.
            self.at += 1;
            return;
        }
        self.at += 1;
        self.used();
        if self.is(self.at, b'(') {
            let mut depth = 0u32;
            while let Some(token) = self.tokens.get(self.at) {
                match token.kind {
                    Kind::Mark(b'(') => depth += 1,
                    Kind::Mark(b')') => depth -= 1,
                    Kind::Name => {
                        self.used();
                        continue;
                    }
                    _ => {}
                }
                self.at += 1;
                if depth == 0 {
                    return;
                }
            }
        }
    }

    /// `a.b.c`
    fn dotted(&mut self) -> String {
        let mut name = String::new();
        for _ in 0..MOST_PARTS {
            let word = self.word(self.at);
            if word.is_empty() {
                break;
            }
            name.push_str(word);
            self.at += 1;
            if !self.is(self.at, b'.') || self.word(self.at + 1).is_empty() {
                break;
            }
            name.push('.');
            self.at += 1;
        }
        name
    }

    fn import(&mut self, start: usize) {
        self.at += 1;
        let is_static = self.word(self.at) == "static";
        self.at += usize::from(is_static);
        let name = self.dotted();
        let is_on_demand = self.is(self.at, b'.') && self.is(self.at + 1, b'*');
        self.at += if is_on_demand { 2 } else { 0 };
        let end = self.tokens.get(self.at.saturating_sub(1)).map_or(start, |token| token.end);
        if !name.is_empty() {
            self.file.imports.push(Imported { name, is_static, is_on_demand, start, end });
        }
    }

    fn body(&mut self) {
        while let Some(token) = self.tokens.get(self.at).copied() {
            match token.kind {
                Kind::Mark(b'{') => self.depth += 1,
                Kind::Mark(b'}') => self.depth = self.depth.saturating_sub(1),
                Kind::Name => {
                    self.named(token);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn named(&mut self, token: Token) {
        let word = self.word(self.at);
        let is_type = match word {
            "class" => !(self.at > 0 && self.is(self.at - 1, b'.')),
            "interface" | "enum" => true,
            // A name like any other, unless a name and its components follow.
            "record" => self.is(self.at + 2, b'(') || self.is(self.at + 2, b'<'),
            _ => false,
        };
        let next = self.word(self.at + 1);
        if is_type && !next.is_empty() {
            if token.is_at_margin {
                self.depth = 0;
            }
            self.declare(next);
            self.at += 2;
        } else if is_keyword(word) {
            self.at += 1;
        } else {
            self.used();
        }
    }

    fn declare(&mut self, name: &'t str) {
        let place = self.tokens.get(self.at + 1).map_or((0, 0), |token| (token.start, token.end));
        if self.depth == 0 {
            self.file.types.entry(name).or_insert(place);
        } else {
            self.file.nested.insert(name);
        }
    }

    /// A name that is used, with what is taken from it.
    fn used(&mut self) {
        let start = self.at;
        let word = self.word(start);
        if word.is_empty() {
            self.at += 1;
            return;
        }
        let is_member = start > 0
            && (self.is(start - 1, b'.')
                || (self.is(start - 1, b':') && start > 1 && self.is(start - 2, b':')))
            && !self.is(start.wrapping_sub(2), b'.');
        let name = self.dotted();
        if is_member {
            return;
        }
        let is_call = self.is(self.at, b'(') && !name.contains('.');
        let is_made = start > 0 && (self.word(start - 1) == "new" || self.is(start - 1, b'@'));
        if !is_call || is_made {
            self.file.names.insert(word);
        }
        if name.contains('.') {
            if name == "Class.forName" || name.ends_with(".Class.forName") {
                self.reflected();
            }
            self.file.qualified.insert(name);
        }
    }

    fn reflected(&mut self) {
        if let Some(literal) = self.tokens.get(self.at + 1).filter(|token| token.kind == Kind::Text)
            && self.is(self.at, b'(')
            && let Some(text) = self.text.get(literal.start..literal.end)
        {
            self.file.reflected.insert(content(text));
        }
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "abstract"
            | "assert"
            | "boolean"
            | "break"
            | "byte"
            | "case"
            | "catch"
            | "char"
            | "class"
            | "const"
            | "continue"
            | "default"
            | "do"
            | "double"
            | "else"
            | "enum"
            | "extends"
            | "final"
            | "finally"
            | "float"
            | "for"
            | "goto"
            | "if"
            | "implements"
            | "import"
            | "instanceof"
            | "int"
            | "interface"
            | "long"
            | "native"
            | "new"
            | "package"
            | "private"
            | "protected"
            | "public"
            | "return"
            | "short"
            | "static"
            | "strictfp"
            | "super"
            | "switch"
            | "synchronized"
            | "this"
            | "throw"
            | "throws"
            | "transient"
            | "try"
            | "void"
            | "volatile"
            | "while"
            | "true"
            | "false"
            | "null"
    )
}
