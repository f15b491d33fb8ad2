//! Reads the imports, declarations and uses of a Kotlin file from its tokens.

use std::collections::{BTreeMap, BTreeSet};

use crate::java::syntax::loads_resource;
use crate::syntax::tokens::{Dialect, Token, TokenCursor, TokenKind, Tokens, content};

/// An import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KotlinImport<'t> {
    /// The name, without `.*`.
    pub(super) name: String,
    /// `import a.B as C`
    pub(super) alias: Option<&'t str>,
    /// `import a.*`
    pub(super) is_on_demand: bool,
    pub(super) place: (usize, usize),
}

/// The contents of a file.
#[derive(Debug, Default)]
pub(super) struct KotlinFile<'t> {
    pub(super) package: Option<String>,
    pub(super) imports: Vec<KotlinImport<'t>>,
    /// The top-level types, with their positions. Includes the file's facade class if it is named.
    pub(super) types: BTreeMap<&'t str, (usize, usize)>,
    /// The top-level functions and properties.
    pub(super) callables: BTreeMap<&'t str, (usize, usize)>,
    /// The nested types.
    pub(super) nested: BTreeSet<&'t str>,
    /// The names that something in the file binds.
    pub(super) bound: BTreeSet<&'t str>,
    /// The unqualified names.
    pub(super) names: BTreeSet<&'t str>,
    /// Qualified names, as written: `a.b.C`.
    pub(super) qualified: BTreeSet<String>,
    /// The arguments of `Class.forName`.
    pub(super) reflected: BTreeSet<&'t str>,
    /// The arguments of `getResource`.
    pub(super) resources: BTreeSet<&'t str>,
    /// The doc comment of the first declaration.
    pub(super) doc: Option<(usize, usize)>,
}

pub(super) const DIALECT: Dialect = Dialect {
    nested_comments: true,
    backquotes: true,
    text_blocks: true,
    templates: true,
    ..Dialect::PLAIN
};

/// Reads a file.
pub(super) fn read(text: &str) -> KotlinFile<'_> {
    let mut tokens = Vec::new();
    let mut docs = Vec::new();
    for token in Tokens::new(text, DIALECT) {
        match token.kind {
            TokenKind::Comment if text[token.start..].starts_with("/**") => {
                docs.push((token.start, token.end));
            }
            TokenKind::Comment => {}
            _ => tokens.push(token),
        }
    }
    let cursor = TokenCursor { text, tokens: &tokens, at: 0 };
    let mut reading =
        KotlinFileReader { cursor, braces: 0, brackets: 0, file: KotlinFile::default() };
    reading.read();
    let KotlinFileReader { mut file, .. } = reading;
    let head = file.imports.last().map_or(0, |imported| imported.place.1);
    let first = file.types.values().chain(file.callables.values()).map(|place| place.0).min();
    let is_its = |doc: &&(usize, usize)| doc.0 >= head && first.is_some_and(|first| doc.1 <= first);
    file.doc = docs.iter().rev().find(is_its).copied();
    file
}

struct KotlinFileReader<'t, 's> {
    cursor: TokenCursor<'t, 's>,
    /// The number of open braces, and of other open brackets.
    braces: u32,
    brackets: u32,
    file: KotlinFile<'t>,
}

impl<'t> KotlinFileReader<'t, '_> {
    fn read(&mut self) {
        while let Some(token) = self.cursor.tokens.get(self.cursor.at).copied() {
            match token.kind {
                TokenKind::Mark(b'{') => self.braces += 1,
                TokenKind::Mark(b'}') => self.braces = self.braces.saturating_sub(1),
                TokenKind::Mark(b'(' | b'[') => self.brackets += 1,
                TokenKind::Mark(b')' | b']') => self.brackets = self.brackets.saturating_sub(1),
                _ if !self.cursor.word(self.cursor.at).is_empty() => {
                    self.named(token);
                    continue;
                }
                _ => {}
            }
            self.cursor.at += 1;
        }
    }

    fn is_top(&self) -> bool {
        self.braces == 0 && self.brackets == 0
    }

    fn named(&mut self, token: Token) {
        let at = self.cursor.at;
        let word = self.cursor.word(at);
        if token.is_at_margin && is_beginning(word) {
            // Everything left open is closed.
            (self.braces, self.brackets) = (0, 0);
        }
        let is_member = at > 0 && self.cursor.is(at - 1, b'.');
        match word {
            _ if is_member || token.kind != TokenKind::Name => self.used(),
            "package" if self.is_top() && token.is_after_line => {
                self.cursor.at += 1;
                self.file.package = Some(self.cursor.dotted()).filter(|name| !name.is_empty());
            }
            "import" if self.is_top() && token.is_after_line => self.import(token.start),
            "file" if self.cursor.is(at + 1, b':') && self.is_top() => self.file_annotation(),
            "class" | "interface" | "object" | "typealias"
                if at == 0 || !self.cursor.is(at - 1, b':') =>
            {
                self.declare_type();
            }
            "fun" => self.function(),
            "val" | "var" => self.property(),
            _ if is_keyword(word) => self.cursor.at += 1,
            _ => self.used(),
        }
    }

    fn import(&mut self, start: usize) {
        self.cursor.at += 1;
        let name = self.cursor.dotted();
        let is_on_demand =
            self.cursor.is(self.cursor.at, b'.') && self.cursor.is(self.cursor.at + 1, b'*');
        self.cursor.at += if is_on_demand { 2 } else { 0 };
        let mut alias = None;
        if self.cursor.word(self.cursor.at) == "as" {
            alias = Some(self.cursor.word(self.cursor.at + 1)).filter(|name| !name.is_empty());
            self.cursor.at += 2;
        }
        let last = self.cursor.tokens.get(self.cursor.at.saturating_sub(1));
        let place = (start, last.map_or(start, |token| token.end));
        if !name.is_empty() {
            self.file.imports.push(KotlinImport { name, alias, is_on_demand, place });
        }
    }

    /// `@file:JvmName("X")` names the facade class of the file.
    fn file_annotation(&mut self) {
        self.cursor.at += 2;
        let name = self.cursor.dotted();
        if name.ends_with("JvmName")
            && let Some(literal) = self.cursor.tokens.get(self.cursor.at + 1)
            && literal.kind == TokenKind::Text
            && let Some(text) = self.cursor.text.get(literal.start..literal.end)
        {
            self.file.types.insert(content(text), (literal.start, literal.end));
        }
    }

    fn place(&self, at: usize) -> (usize, usize) {
        self.cursor.tokens.get(at).map_or((0, 0), |token| (token.start, token.end))
    }

    fn declare_type(&mut self) {
        let name = self.cursor.word(self.cursor.at + 1);
        self.cursor.at += 1;
        // `object : T { }` and `companion object { }` have no name.
        if name.is_empty() || is_keyword(name) {
            return;
        }
        if self.is_top() {
            let place = self.place(self.cursor.at);
            self.file.types.entry(name).or_insert(place);
        } else {
            self.file.nested.insert(name);
        }
        self.cursor.at += 1;
    }

    /// Reads `fun <T> Receiver<T>.name(`. The receiver is used, except for the type parameters.
    fn function(&mut self) {
        self.cursor.at += 1;
        if self.cursor.word(self.cursor.at) == "interface" {
            return;
        }
        self.type_parameters();
        let Some(name) = self.declared_name(|cursor, at| cursor.is(at, b'(')) else { return };
        self.bind(name);
    }

    /// Reads `val <T> Receiver<T>.name: Type`, or `val (a, b) = …`.
    fn property(&mut self) {
        self.cursor.at += 1;
        self.type_parameters();
        let ends = |cursor: &TokenCursor<'_, '_>, at: usize| {
            let is_line = cursor.tokens.get(at).is_none_or(|token| token.is_after_line);
            is_line
                || cursor.is(at, b':')
                || cursor.is(at, b'=')
                || matches!(cursor.word(at), "by" | "in" | "get" | "set")
        };
        if let Some(name) = self.declared_name(ends) {
            self.bind(name);
        }
    }

    /// Skips `<T : Any>` and binds the names in it.
    fn type_parameters(&mut self) {
        if !self.cursor.is(self.cursor.at, b'<') {
            return;
        }
        let mut depth = 0u32;
        while let Some(token) = self.cursor.tokens.get(self.cursor.at) {
            match token.kind {
                TokenKind::Mark(b'<') => depth += 1,
                TokenKind::Mark(b'>') => depth = depth.saturating_sub(1),
                TokenKind::Mark(b'{' | b'}') => return,
                TokenKind::Name => {
                    let word = self.cursor.word(self.cursor.at);
                    let is_bound = self.cursor.is(self.cursor.at.wrapping_sub(1), b':');
                    if is_bound {
                        self.file.names.insert(word);
                    } else {
                        self.file.bound.insert(word);
                    }
                }
                _ => {}
            }
            self.cursor.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// The last name of a receiver and a name, before the end that `ends` detects. Moves the cursor
    /// there.
    fn declared_name(
        &mut self,
        ends: impl Fn(&TokenCursor<'_, '_>, usize) -> bool,
    ) -> Option<(&'t str, (usize, usize))> {
        let start = self.cursor.at;
        let mut names = Vec::new();
        let mut depth = 0u32;
        for at in start..start + 64 {
            let token = self.cursor.tokens.get(at)?;
            if depth == 0 && at > start && ends(&self.cursor, at) {
                self.cursor.at = at;
                let (last, receiver) = names.split_last()?;
                self.file.names.extend(receiver.iter().map(|(name, _)| *name));
                return Some(*last);
            }
            match token.kind {
                TokenKind::Mark(b'<') => depth += 1,
                TokenKind::Mark(b'>') => depth = depth.saturating_sub(1),
                TokenKind::Mark(b'.' | b'?' | b',' | b'*') => {}
                _ if !self.cursor.word(at).is_empty() => {
                    names.push((self.cursor.word(at), self.place(at)));
                }
                _ => return None,
            }
        }
        None
    }

    fn bind(&mut self, (name, place): (&'t str, (usize, usize))) {
        if self.is_top() {
            self.file.callables.entry(name).or_insert(place);
        }
        self.file.bound.insert(name);
    }

    /// Reads a used name with its members.
    fn used(&mut self) {
        let start = self.cursor.at;
        let word = self.cursor.word(start);
        let is = |back: usize, mark: u8| start >= back && self.cursor.is(start - back, mark);
        // `a.b`, but not `..b`; `A::b`, but not `::b`.
        let is_taken = is(1, b'.') && !is(2, b'.')
            || is(1, b':') && is(2, b':') && (is(3, b'?') || is(3, b'>') || self.ends_name(start));
        let is_named_argument = (is(1, b'(') || is(1, b','))
            && self.cursor.is(start + 1, b'=')
            && !self.cursor.is(start + 2, b'=');
        // `x: T` in brackets and `x ->` bind a name; `@a:` and `A::class` do not.
        let is_bound =
            self.cursor.is(start + 1, b':') && !self.cursor.is(start + 2, b':') && !is(1, b'@')
                || self.cursor.is(start + 1, b'-')
                    && self.cursor.is(start + 2, b'>')
                    && (is(1, b'{') || is(1, b','));
        let name = self.cursor.dotted();
        if loads_resource(&name) {
            self.file.resources.extend(self.cursor.literal());
        }
        if is_taken || is_named_argument {
            return;
        }
        if is_bound {
            self.file.bound.insert(word);
            return;
        }
        self.file.names.insert(word);
        if name.contains('.') {
            if name == "Class.forName" {
                self.file.reflected.extend(self.cursor.literal());
            }
            self.file.qualified.insert(name);
        }
    }

    /// Whether a name ends directly before the `::` in front of a position.
    fn ends_name(&self, at: usize) -> bool {
        at >= 3 && !self.cursor.word(at - 3).is_empty()
    }
}

/// Whether a word starts a declaration. At the margin it closes everything that is open.
fn is_beginning(word: &str) -> bool {
    matches!(
        word,
        "package"
            | "import"
            | "class"
            | "interface"
            | "object"
            | "fun"
            | "val"
            | "var"
            | "typealias"
    )
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "abstract"
            | "as"
            | "break"
            | "by"
            | "catch"
            | "class"
            | "companion"
            | "continue"
            | "do"
            | "else"
            | "false"
            | "final"
            | "finally"
            | "for"
            | "fun"
            | "if"
            | "in"
            | "init"
            | "inner"
            | "interface"
            | "internal"
            | "is"
            | "lateinit"
            | "null"
            | "object"
            | "open"
            | "override"
            | "private"
            | "protected"
            | "public"
            | "return"
            | "sealed"
            | "super"
            | "suspend"
            | "this"
            | "throw"
            | "true"
            | "try"
            | "typealias"
            | "val"
            | "var"
            | "when"
            | "where"
            | "while"
    )
}
