//! What a Java file imports, declares and uses, from its tokens.

use std::collections::{BTreeMap, BTreeSet};

use crate::syntax::tokens::{Cursor, Dialect, Kind, Token, Tokens};

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
    /// Those of them that stand outside of every type's body, where its member types are not in scope.
    pub(super) outside: BTreeSet<&'t str>,
    /// Qualified names, as written: `a.b.C`.
    pub(super) qualified: BTreeSet<String>,
    /// What `Class.forName` asks for.
    pub(super) reflected: BTreeSet<&'t str>,
    /// What `getResource` asks for.
    pub(super) resources: BTreeSet<&'t str>,
    /// The documentation of the first type at the top level, or of what the file is for where there is none.
    pub(super) doc: Option<(usize, usize)>,
}

pub(super) const DIALECT: Dialect = Dialect { text_blocks: true, dollars: true, ..Dialect::PLAIN };

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
    let cursor = Cursor { text, tokens: &tokens, at: 0 };
    let mut reading =
        Reading { cursor, depth: 0, components: Components::None, file: File::default() };
    reading.head();
    let body = reading.cursor.at;
    reading.body();
    let Reading { mut file, .. } = reading;
    let first = file.types.values().map(|(start, _)| *start).min();
    let before = |at: usize| {
        tokens.get(at).is_some_and(|token| first.is_some_and(|first| token.start <= first))
    };
    // What has no type describes a package (`package-info.java`) or a module.
    let is_it = |at: usize| match first {
        Some(_) => at >= body && before(at),
        None => at < tokens.len(),
    };
    let doc = docs.iter().rev().find(|(at, ..)| is_it(*at));
    file.doc = doc.map(|(_, start, end)| (*start, *end));
    file
}

struct Reading<'t, 's> {
    cursor: Cursor<'t, 's>,
    depth: u32,
    components: Components,
    file: File<'t>,
}

/// Where reading is with the components of a record at the top level: they are outside of its body, and yet see its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Components {
    None,
    /// So many brackets are open; the list begins with the first.
    Listed(u32),
}

impl Components {
    /// Behind a bracket.
    fn after(self, mark: u8) -> Self {
        match self {
            Self::Listed(open) if mark == b'(' => Self::Listed(open + 1),
            Self::Listed(open) if open > 1 => Self::Listed(open - 1),
            Self::Listed(_) | Self::None => Self::None,
        }
    }
}

impl<'t> Reading<'t, '_> {
    /// Package and imports: they end where the first type begins.
    fn head(&mut self) {
        while let Some(token) = self.cursor.tokens.get(self.cursor.at) {
            match self.cursor.word(self.cursor.at) {
                "package" => {
                    self.cursor.at += 1;
                    self.file.package = Some(self.cursor.dotted()).filter(|name| !name.is_empty());
                }
                "import" => self.import(token.start),
                "class" | "interface" | "enum" | "record" | "public" | "abstract" | "final"
                | "sealed" | "open" | "module" | "non" | "strictfp" => return,
                _ if token.is(b'@') => self.annotation(),
                _ if token.is(b'{') => return,
                _ => self.cursor.at += 1,
            }
        }
    }

    /// An annotation in front of the package or a type, with its arguments.
    fn annotation(&mut self) {
        if self.cursor.word(self.cursor.at + 1) == "interface" {
            // `@interface` begins a type.
            self.cursor.at += 1;
            return;
        }
        self.cursor.at += 1;
        self.used();
        if self.cursor.is(self.cursor.at, b'(') {
            let mut depth = 0u32;
            while let Some(token) = self.cursor.tokens.get(self.cursor.at) {
                match token.kind {
                    Kind::Mark(b'(') => depth += 1,
                    Kind::Mark(b')') => depth -= 1,
                    Kind::Name => {
                        self.used();
                        continue;
                    }
                    _ => {}
                }
                self.cursor.at += 1;
                if depth == 0 {
                    return;
                }
            }
        }
    }

    fn import(&mut self, start: usize) {
        self.cursor.at += 1;
        let is_static = self.cursor.word(self.cursor.at) == "static";
        self.cursor.at += usize::from(is_static);
        let name = self.cursor.dotted();
        let is_on_demand =
            self.cursor.is(self.cursor.at, b'.') && self.cursor.is(self.cursor.at + 1, b'*');
        self.cursor.at += if is_on_demand { 2 } else { 0 };
        let end = self
            .cursor
            .tokens
            .get(self.cursor.at.saturating_sub(1))
            .map_or(start, |token| token.end);
        if !name.is_empty() {
            self.file.imports.push(Imported { name, is_static, is_on_demand, start, end });
        }
    }

    fn body(&mut self) {
        while let Some(token) = self.cursor.tokens.get(self.cursor.at).copied() {
            match token.kind {
                Kind::Mark(b'{') => {
                    self.depth += 1;
                    self.components = Components::None;
                }
                Kind::Mark(b'}') => self.depth = self.depth.saturating_sub(1),
                Kind::Mark(mark @ (b'(' | b')')) => self.components = self.components.after(mark),
                Kind::Name => {
                    self.named(token);
                    continue;
                }
                _ => {}
            }
            self.cursor.at += 1;
        }
    }

    fn named(&mut self, token: Token) {
        let word = self.cursor.word(self.cursor.at);
        let is_type = match word {
            "class" => !(self.cursor.at > 0 && self.cursor.is(self.cursor.at - 1, b'.')),
            "interface" | "enum" => true,
            // A name like any other, unless a name and its components follow.
            "record" => {
                self.cursor.is(self.cursor.at + 2, b'(') || self.cursor.is(self.cursor.at + 2, b'<')
            }
            _ => false,
        };
        let next = self.cursor.word(self.cursor.at + 1);
        if is_type && !next.is_empty() {
            if token.is_at_margin {
                self.depth = 0;
            }
            self.declare(next);
            if word == "record" && self.depth == 0 {
                self.components = Components::Listed(0);
            }
            self.cursor.at += 2;
        } else if is_keyword(word) {
            self.cursor.at += 1;
        } else {
            self.used();
        }
    }

    fn declare(&mut self, name: &'t str) {
        let place = self
            .cursor
            .tokens
            .get(self.cursor.at + 1)
            .map_or((0, 0), |token| (token.start, token.end));
        if self.depth == 0 {
            self.file.types.entry(name).or_insert(place);
        } else {
            self.file.nested.insert(name);
        }
    }

    /// A name that is used, with what is taken from it.
    fn used(&mut self) {
        let start = self.cursor.at;
        let word = self.cursor.word(start);
        if word.is_empty() {
            self.cursor.at += 1;
            return;
        }
        let is_member = start > 0
            && (self.cursor.is(start - 1, b'.')
                || (self.cursor.is(start - 1, b':')
                    && start > 1
                    && self.cursor.is(start - 2, b':')))
            && !self.cursor.is(start.wrapping_sub(2), b'.');
        let name = self.cursor.dotted();
        if asks_for_resource(&name) {
            self.file.resources.extend(self.cursor.literal());
        }
        if is_member {
            return;
        }
        let is_call = self.cursor.is(self.cursor.at, b'(') && !name.contains('.');
        let is_made =
            start > 0 && (self.cursor.word(start - 1) == "new" || self.cursor.is(start - 1, b'@'));
        if !is_call || is_made {
            self.file.names.insert(word);
            if self.depth == 0 && self.components == Components::None {
                self.file.outside.insert(word);
            }
        }
        if name.contains('.') {
            if name == "Class.forName" || name.ends_with(".Class.forName") {
                self.file.reflected.extend(self.cursor.literal());
            }
            self.file.qualified.insert(name);
        }
    }
}

/// Whether a call of this name asks for a file that is shipped with the classes.
pub(crate) fn asks_for_resource(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    matches!(last, "getResource" | "getResourceAsStream" | "getSystemResource")
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
