//! Reads the imports, declarations and uses of a Java file from its tokens.

use std::collections::{BTreeMap, BTreeSet};

use crate::syntax::tokens::{Dialect, Token, TokenCursor, TokenKind, Tokens};

/// An import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JavaImport {
    /// The name, without `.*`.
    pub(super) name: String,
    pub(super) is_static: bool,
    /// `import a.*`
    pub(super) is_on_demand: bool,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The contents of a file.
#[derive(Debug, Default)]
pub(super) struct JavaFile<'t> {
    pub(super) package: Option<String>,
    pub(super) imports: Vec<JavaImport>,
    /// The top-level types, with their positions.
    pub(super) types: BTreeMap<&'t str, (usize, usize)>,
    /// The nested types.
    pub(super) nested: BTreeSet<&'t str>,
    /// The unqualified names.
    pub(super) names: BTreeSet<&'t str>,
    /// Those of them outside of every type's body, where member types are not in scope.
    pub(super) outside: BTreeSet<&'t str>,
    /// Qualified names, as written: `a.b.C`.
    pub(super) qualified: BTreeSet<String>,
    /// The arguments of `Class.forName`.
    pub(super) reflected: BTreeSet<&'t str>,
    /// The arguments of `getResource`.
    pub(super) resources: BTreeSet<&'t str>,
    /// The doc comment of the first top-level type; of the package or module if there is no type.
    pub(super) doc: Option<(usize, usize)>,
}

pub(super) const DIALECT: Dialect = Dialect { text_blocks: true, dollars: true, ..Dialect::PLAIN };

/// Reads a file.
pub(super) fn read(text: &str) -> JavaFile<'_> {
    let mut tokens = Vec::new();
    let mut docs = Vec::new();
    for token in Tokens::new(text, DIALECT) {
        match token.kind {
            TokenKind::Comment if text[token.start..].starts_with("/**") => {
                docs.push((tokens.len(), token.start, token.end));
            }
            TokenKind::Comment => {}
            _ => tokens.push(token),
        }
    }
    let cursor = TokenCursor { text, tokens: &tokens, at: 0 };
    let mut reading = JavaFileReader {
        cursor,
        depth: 0,
        components: RecordComponents::None,
        file: JavaFile::default(),
    };
    reading.header();
    let body = reading.cursor.at;
    reading.body();
    let JavaFileReader { mut file, .. } = reading;
    let first = file.types.values().map(|(start, _)| *start).min();
    let before = |at: usize| {
        tokens.get(at).is_some_and(|token| first.is_some_and(|first| token.start <= first))
    };
    // A file without types describes a package (`package-info.java`) or a module.
    let is_it = |at: usize| match first {
        Some(_) => at >= body && before(at),
        None => at < tokens.len(),
    };
    let doc = docs.iter().rev().find(|(at, ..)| is_it(*at));
    file.doc = doc.map(|(_, start, end)| (*start, *end));
    file
}

struct JavaFileReader<'t, 's> {
    cursor: TokenCursor<'t, 's>,
    depth: u32,
    components: RecordComponents,
    file: JavaFile<'t>,
}

/// The position within the components of a top-level record. They are outside of its body, but see
/// its member types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordComponents {
    None,
    /// This many brackets are open. The first one opens the list.
    Listed(u32),
}

impl RecordComponents {
    /// The state after a bracket.
    fn after(self, mark: u8) -> Self {
        match self {
            Self::Listed(open) if mark == b'(' => Self::Listed(open + 1),
            Self::Listed(open) if open > 1 => Self::Listed(open - 1),
            Self::Listed(_) | Self::None => Self::None,
        }
    }
}

impl<'t> JavaFileReader<'t, '_> {
    /// Reads the package and the imports, up to the first type.
    fn header(&mut self) {
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

    /// Reads an annotation before the package or a type, with its arguments.
    fn annotation(&mut self) {
        if self.cursor.word(self.cursor.at + 1) == "interface" {
            // `@interface` starts a type.
            self.cursor.at += 1;
            return;
        }
        self.cursor.at += 1;
        self.used();
        if self.cursor.is(self.cursor.at, b'(') {
            let mut depth = 0u32;
            while let Some(token) = self.cursor.tokens.get(self.cursor.at) {
                match token.kind {
                    TokenKind::Mark(b'(') => depth += 1,
                    TokenKind::Mark(b')') => depth -= 1,
                    TokenKind::Name => {
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
            self.file.imports.push(JavaImport { name, is_static, is_on_demand, start, end });
        }
    }

    fn body(&mut self) {
        while let Some(token) = self.cursor.tokens.get(self.cursor.at).copied() {
            match token.kind {
                TokenKind::Mark(b'{') => {
                    self.depth += 1;
                    self.components = RecordComponents::None;
                }
                TokenKind::Mark(b'}') => self.depth = self.depth.saturating_sub(1),
                TokenKind::Mark(mark @ (b'(' | b')')) => {
                    self.components = self.components.after(mark);
                }
                TokenKind::Name => {
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
            // This is an ordinary name, unless another name and components follow.
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
                self.components = RecordComponents::Listed(0);
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

    /// Reads a used name with its members.
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
        if loads_resource(&name) {
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
            if self.depth == 0 && self.components == RecordComponents::None {
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

/// Whether a call with this name loads a resource.
pub(crate) fn loads_resource(name: &str) -> bool {
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
