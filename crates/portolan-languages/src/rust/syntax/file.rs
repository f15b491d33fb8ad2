//! Reads the declarations, imports and uses of a Rust file from its tokens.
//!
//! Only the structure matters: which braces are modules, the items directly in them, and every path
//! anywhere, including macros and attributes. All branches of `cfg` count.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::uses::leaves;
use crate::syntax::tokens::{BracketPairs, Dialect, Token, TokenKind, Tokens, content};

/// A module of the file: 0 for the file itself, else one more than an index into
/// [`RustFile::scopes`].
pub(super) type ModuleScope = u32;

/// An item of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RustItem<'t> {
    pub(super) name: &'t str,
    pub(super) scope: ModuleScope,
    pub(super) kind: ItemKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The kind of an item, as far as it matters for lookups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ItemKind {
    Plain,
    /// An inline module.
    Module {
        is_pub: bool,
    },
    Macro {
        is_exported: bool,
    },
}

/// A declaration `mod x;`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ModFile<'t> {
    pub(super) name: &'t str,
    /// `#[path = "…"]`
    pub(super) path: Option<&'t str>,
    pub(super) is_pub: bool,
    /// `#[macro_use]`: the code after it sees its macros.
    pub(super) has_macros: bool,
    pub(super) scope: ModuleScope,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// One path of a `use`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UseLeaf<'t> {
    /// The path as written, without `as` and `*`.
    pub(super) path: String,
    pub(super) alias: Option<&'t str>,
    pub(super) is_glob: bool,
    pub(super) is_pub: bool,
    pub(super) scope: ModuleScope,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The contents of a file.
#[derive(Debug, Default)]
pub(super) struct RustFile<'t> {
    /// The paths of its inline modules.
    pub(super) scopes: Vec<String>,
    pub(super) items: Vec<RustItem<'t>>,
    pub(super) mods: Vec<ModFile<'t>>,
    pub(super) uses: Vec<UseLeaf<'t>>,
    /// `extern crate a as b`
    pub(super) crates: Vec<UseLeaf<'t>>,
    /// The paths outside of `use`, as written.
    pub(super) paths: FxHashSet<(ModuleScope, String)>,
    /// The paths in macro rules. They are resolved where the macro is called.
    pub(super) ruled: FxHashSet<(ModuleScope, String)>,
    /// The bare names that must be items.
    pub(super) names: FxHashSet<(ModuleScope, &'t str)>,
    /// The macros that are called by a bare name.
    pub(super) calls: FxHashSet<(ModuleScope, &'t str)>,
    /// The files that `include!` and the like read, as written.
    pub(super) included: Vec<(&'t str, usize, usize)>,
}

pub(super) const DIALECT: Dialect = Dialect { nested_comments: true, rust: true, ..Dialect::PLAIN };

/// Reads a file.
pub(super) fn read(text: &str) -> RustFile<'_> {
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 8);
    for token in Tokens::new(text, DIALECT) {
        if token.kind != TokenKind::Comment {
            tokens.push(token);
        }
    }
    let (file, is_paired) = RustFileReader::new(text, &tokens, false).read();
    if is_paired {
        return file;
    }
    // A bracket is missing somewhere, so items at the margin close everything that is open.
    RustFileReader::new(text, &tokens, true).read().0
}

/// What a pair of braces contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Brace {
    /// The items of this module.
    Module(ModuleScope),
    /// A body with its own declarations.
    Body,
    /// The arguments of a macro, which belong to the surrounding code.
    Arguments,
    /// The rules of a macro.
    Rules,
    /// The variants of an enum, which are its own names.
    Variants,
}

/// A position, described by the braces around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BraceContext {
    brace: Brace,
    /// The module.
    scope: ModuleScope,
    /// Whether an item here belongs to that module.
    is_in_module: bool,
    in_rules: bool,
}

impl BraceContext {
    /// Outside all braces.
    const FILE: Self =
        Self { brace: Brace::Module(0), scope: 0, is_in_module: true, in_rules: false };

    fn enter(self, brace: Brace) -> Self {
        match brace {
            Brace::Module(scope) => Self { brace, scope, is_in_module: true, ..self },
            Brace::Body | Brace::Variants => Self { brace, is_in_module: false, ..self },
            Brace::Arguments => Self { brace, ..self },
            Brace::Rules => Self { brace, is_in_module: false, in_rules: true, ..self },
        }
    }
}

/// Inline modules that nest deeper count as bodies.
const MAX_DEPTH: usize = 64;

/// The attributes of the next item.
#[derive(Clone, Copy, Debug, Default)]
struct Attributes<'t> {
    path: Option<&'t str>,
    is_exported: bool,
    has_macros: bool,
    derive: Option<Token>,
}

struct RustFileReader<'t, 's> {
    text: &'t str,
    tokens: &'s [Token],
    at: usize,
    resyncs: bool,
    pairs: BracketPairs,
    /// The position of the next semicolon, as long as it is not behind.
    semicolon: usize,
    braces: Vec<BraceContext>,
    /// The inline modules by path.
    known: BTreeMap<String, ModuleScope>,
    /// What the next opening brace contains.
    next: Option<Brace>,
    /// The end of the brackets after a variant's name.
    held_until: usize,
    is_pub: bool,
    attributes: Attributes<'t>,
    /// `#[cfg_attr(unix, path = "…")]`: other paths of the next module.
    other_paths: Vec<&'t str>,
    underflow: bool,
    file: RustFile<'t>,
}

impl<'t, 's> RustFileReader<'t, 's> {
    fn new(text: &'t str, tokens: &'s [Token], resyncs: bool) -> Self {
        Self {
            text,
            tokens,
            at: 0,
            resyncs,
            pairs: BracketPairs::of(tokens),
            semicolon: 0,
            braces: Vec::new(),
            known: BTreeMap::new(),
            next: None,
            held_until: 0,
            is_pub: false,
            attributes: Attributes::default(),
            other_paths: Vec::new(),
            underflow: false,
            file: RustFile::default(),
        }
    }

    /// The file, and whether its braces match.
    fn read(mut self) -> (RustFile<'t>, bool) {
        while let Some(token) = self.tokens.get(self.at).copied() {
            self.step(token);
        }
        let is_paired = self.braces.is_empty() && !self.underflow;
        (self.file, is_paired)
    }

    pub(super) fn word(&self, at: usize) -> &'t str {
        let name = self.tokens.get(at).filter(|token| token.kind == TokenKind::Name);
        let word = name.and_then(|name| self.text.get(name.start..name.end)).unwrap_or_default();
        if is_raw(word.as_bytes()) { &word[2..] } else { word }
    }

    fn is(&self, at: usize, mark: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(mark))
    }

    fn is_path(&self, at: usize) -> bool {
        self.is(at, b':') && self.is(at + 1, b':')
    }

    fn inside(&self) -> BraceContext {
        self.braces.last().copied().unwrap_or(BraceContext::FILE)
    }

    /// The module at the current position.
    fn scope(&self) -> ModuleScope {
        self.inside().scope
    }

    /// Whether an item here belongs to that module.
    fn is_in_module(&self) -> bool {
        self.inside().is_in_module
    }

    fn in_rules(&self) -> bool {
        self.inside().in_rules
    }

    fn step(&mut self, token: Token) {
        match token.kind {
            TokenKind::Mark(b'#') if self.is(self.at + 1, b'[') => self.attribute(self.at + 2),
            TokenKind::Mark(b'#') if self.is(self.at + 1, b'!') && self.is(self.at + 2, b'[') => {
                self.attribute(self.at + 3);
            }
            TokenKind::Mark(mark) => self.mark(mark),
            TokenKind::Name => self.named(token),
            _ => self.at += 1,
        }
    }

    fn mark(&mut self, mark: u8) {
        match mark {
            b'{' => {
                let kind = self.next.take().unwrap_or(Brace::Body);
                self.braces.push(self.inside().enter(kind));
                self.item_ends();
            }
            b'}' => {
                self.underflow |= self.braces.pop().is_none();
                self.item_ends();
            }
            b';' => {
                self.next = None;
                self.item_ends();
            }
            _ => {}
        }
        self.at += 1;
    }

    fn item_ends(&mut self) {
        self.is_pub = false;
        self.other_paths.clear();
        self.attributes = Attributes::default();
    }

    fn named(&mut self, token: Token) {
        // A raw name is never a keyword.
        let is_raw = is_raw(&self.text.as_bytes()[token.start..]);
        let word = if is_raw { "" } else { self.word(self.at) };
        if self.resyncs && token.is_at_margin && is_item_word(word) && !self.in_rules() {
            self.braces.clear();
        }
        match word {
            _ if self.at > 0 && self.is(self.at - 1, b'$') && word != "crate" => self.at += 1,
            "pub" => self.visibility(),
            "mod" if !self.in_rules() && !self.word(self.at + 1).is_empty() => self.module(token),
            // `impl Trait + use<'a, T>` is not an import.
            "use" if !self.in_rules() && !self.is(self.at + 1, b'<') => self.use_tree(token),
            "extern" if self.word(self.at + 1) == "crate" => self.extern_crate(token),
            "macro_rules" if self.is(self.at + 1, b'!') => self.rules(),
            "fn" | "struct" | "enum" | "trait" | "type" | "static" | "const" | "union" => {
                self.item(word);
            }
            "" => self.path(),
            _ if is_keyword(word) => self.at += 1,
            _ => self.path(),
        }
    }

    /// `pub`, `pub(crate)`, `pub(in a::b)`
    fn visibility(&mut self) {
        self.is_pub = true;
        self.at += 1;
        if self.is(self.at, b'(')
            && matches!(self.word(self.at + 1), "crate" | "self" | "super" | "in")
        {
            self.at = self.closing(self.at) + 1;
        }
    }

    /// The position of the matching closing bracket.
    fn closing(&self, open: usize) -> usize {
        self.pairs.partner(open)
    }

    /// The position of the next semicolon. The calls move forward through the text.
    fn semicolon(&mut self, from: usize) -> Option<usize> {
        if self.semicolon < from {
            let rest = self.tokens.get(from..).unwrap_or_default();
            let found = rest.iter().position(|token| token.is(b';'));
            self.semicolon = found.map_or(usize::MAX, |length| from + length);
        }
        Some(self.semicolon).filter(|at| *at < self.tokens.len())
    }

    fn module(&mut self, token: Token) {
        let name = self.word(self.at + 1);
        let scope = self.scope();
        let end = self.tokens.get(self.at + 1).map_or(token.end, |name| name.end);
        let start = token.start;
        if self.is(self.at + 2, b'{') {
            let outer = self.file.scopes.get((scope as usize).wrapping_sub(1));
            let path = outer.map_or_else(|| name.to_owned(), |outer| format!("{outer}::{name}"));
            if path.split("::").count() > MAX_DEPTH {
                self.at += 2;
                return;
            }
            let scopes = &mut self.file.scopes;
            let inner = *self.known.entry(path).or_insert_with_key(|path| {
                scopes.push(path.clone());
                scopes.len() as ModuleScope
            });
            if self.is_in_module() {
                let kind = ItemKind::Module { is_pub: self.is_pub };
                self.file.items.push(RustItem { name, scope, kind, start, end });
            }
            self.next = Some(Brace::Module(inner));
        } else if self.is(self.at + 2, b';') {
            let Attributes { path, has_macros, .. } = self.attributes;
            let is_pub = self.is_pub;
            let others = self.other_paths.drain(..).map(Some);
            for path in std::iter::once(path).chain(others) {
                self.file.mods.push(ModFile { name, path, is_pub, has_macros, scope, start, end });
            }
        }
        self.at += 2;
    }

    fn use_tree(&mut self, token: Token) {
        let from = self.at + 1;
        let until = self.semicolon(from).unwrap_or(from);
        let tree = self.tokens.get(from..until).unwrap_or_default();
        let end = tree.last().map_or(token.end, |last| last.end);
        let (scope, is_pub) = (self.scope(), self.is_pub);
        for leaf in leaves(self.text, tree) {
            self.file.uses.push(UseLeaf {
                path: leaf.path,
                alias: leaf.alias,
                is_glob: leaf.is_glob,
                is_pub,
                scope,
                start: token.start,
                end,
            });
        }
        self.at = until;
    }

    fn extern_crate(&mut self, token: Token) {
        let name = self.word(self.at + 2);
        let alias = (self.word(self.at + 3) == "as").then(|| self.word(self.at + 4));
        let end = self.tokens.get(self.at + 2).map_or(token.end, |name| name.end);
        if !name.is_empty() {
            self.file.crates.push(UseLeaf {
                path: name.to_owned(),
                alias,
                is_glob: false,
                is_pub: self.is_pub,
                scope: self.scope(),
                start: token.start,
                end,
            });
        }
        self.at += if alias.is_some() { 5 } else { 3 };
    }

    /// `macro_rules! name { … }`
    fn rules(&mut self) {
        let name = self.word(self.at + 2);
        if !name.is_empty() && !self.in_rules() {
            // The outer macro may add attributes to the macros in its braces.
            let is_wrapped = self.inside().brace == Brace::Arguments;
            let kind = ItemKind::Macro { is_exported: self.attributes.is_exported || is_wrapped };
            self.push_item(self.at + 2, kind);
        }
        self.at += 3;
        if self.is(self.at, b'{') {
            self.next = Some(Brace::Rules);
        }
    }

    fn push_item(&mut self, at: usize, kind: ItemKind) {
        let Some(token) = self.tokens.get(at) else { return };
        let (name, scope) = (self.word(at), self.scope());
        self.file.items.push(RustItem { name, scope, kind, start: token.start, end: token.end });
    }

    fn item(&mut self, word: &str) {
        self.at += 1;
        let mut at = self.at;
        if word == "static" && self.word(at) == "mut" {
            at += 1;
        }
        let name = self.word(at);
        // `const fn`, `*const T`, `fn(u8)`, `union` as a name.
        let is_pointer = self.at > 1 && self.is(self.at - 2, b'*');
        let is_other = name.is_empty() || is_keyword(name) || is_pointer && word == "const";
        let is_item =
            !is_other && (word != "union" || self.is(at + 1, b'{') || self.is(at + 1, b'<'));
        if !is_item {
            return;
        }
        if word == "enum" {
            self.next = Some(Brace::Variants);
        }
        if self.is_in_module() && name != "_" {
            self.push_item(at, ItemKind::Plain);
            if let Some(derive) = self.attributes.derive {
                let name = self.text.get(derive.start..derive.end).unwrap_or_default();
                let (scope, start, end) = (self.scope(), derive.start, derive.end);
                let kind = ItemKind::Macro { is_exported: true };
                self.file.items.push(RustItem { name, scope, kind, start, end });
            }
        }
        self.at = at + 1;
    }

    /// Reads `#[…]`: what affects the next item, and the paths in it.
    fn attribute(&mut self, start: usize) {
        let end = self.closing(start - 1);
        match self.word(start) {
            "path" if self.is(start + 1, b'=') => self.attributes.path = self.literal(start + 2),
            "cfg_attr" => {
                let is_path = |at: &usize| self.word(*at) == "path" && self.is(at + 1, b'=');
                let path = (start..end).find(is_path).and_then(|at| self.literal(at + 2));
                self.other_paths.extend(path);
            }
            "macro_export" => self.attributes.is_exported = true,
            "macro_use" => self.attributes.has_macros = true,
            "proc_macro_derive" => {
                self.attributes.derive = self.tokens.get(start + 2).copied();
            }
            _ => {}
        }
        let derives = self.word(start) == "derive";
        self.at = start;
        while self.at < end {
            let is_name = !self.word(self.at).is_empty();
            // `#![doc = include_str!("../README.md")]`
            let is_call = self.is(self.at + 1, b'!') && self.is(self.at + 2, b'(');
            if is_name && (derives || is_call || self.is_path(self.at + 1)) {
                self.path();
            } else {
                self.at += 1;
            }
        }
        self.at = end + 1;
    }

    /// The string at a position.
    fn literal(&self, at: usize) -> Option<&'t str> {
        let literal = self.tokens.get(at).filter(|token| token.kind == TokenKind::Text)?;
        self.text.get(literal.start..literal.end).map(content)
    }

    /// Whether the name here is a variant. Its content is read as usual.
    fn is_variant(&mut self) -> bool {
        if self.inside().brace != Brace::Variants || self.at < self.held_until {
            return false;
        }
        let before = self.at.wrapping_sub(1);
        let is_first = [b'{', b',', b']'].iter().any(|mark| self.is(before, *mark));
        if is_first && self.is(self.at + 1, b'(') {
            self.held_until = self.closing(self.at + 1);
        }
        is_first
    }

    /// Reads a path, a bare name or a macro call.
    fn path(&mut self) {
        let start = self.at;
        if self.is_variant() {
            self.at += 1;
            return;
        }
        let before = start.wrapping_sub(1);
        let is_member =
            start > 0 && self.is(before, b'.') && !self.is(before.wrapping_sub(1), b'.');
        let is_global = start > 1 && self.is(before, b':') && self.is(before - 1, b':');
        self.at += 1;
        let mut parts = 1;
        while self.is_path(self.at) && !self.word(self.at + 2).is_empty() && parts < 64 {
            self.at += 3;
            parts += 1;
        }
        if is_member || (is_global && self.follows_type(start - 2)) {
            return;
        }
        self.found(start, parts, is_global);
    }

    /// A path with this many segments, as written.
    fn written(&self, start: usize, parts: usize, is_global: bool) -> String {
        let words = (0..parts).map(|part| self.word(start + 3 * part));
        let path = words.collect::<Vec<_>>().join("::");
        if is_global { ["::", &path].concat() } else { path }
    }

    /// `<T as Trait>::name`, `vec::<T>::new`: the rest is not a path of its own.
    fn follows_type(&self, colon: usize) -> bool {
        colon > 0
            && (self.is(colon - 1, b'>')
                || !self.word(colon - 1).is_empty() && self.word(colon - 1) != "crate")
    }

    fn found(&mut self, start: usize, parts: usize, is_global: bool) {
        let scope = self.scope();
        let word = self.word(start);
        let is_call = self.is(self.at, b'!') && !self.is(self.at + 1, b'=');
        if parts > 1 || is_global {
            let path = self.written(start, parts, is_global);
            let paths = if self.in_rules() { &mut self.file.ruled } else { &mut self.file.paths };
            paths.insert((scope, path));
        } else if is_call {
            self.file.calls.insert((scope, word));
            self.include(word);
        } else if self.in_rules() {
            // The call site decides what a bare name means.
        } else if word.starts_with(|letter: char| letter.is_uppercase())
            || self.is(self.at, b'(')
            || self.is(self.at, b'<')
        {
            self.file.names.insert((scope, word));
        }
        if is_call && self.is(self.at + 1, b'{') {
            self.next = Some(Brace::Arguments);
        }
        if is_call && is_quoting(self.word(self.at - 1)) {
            self.skip_quoted();
        }
    }

    /// Skips quoted code: it is compiled where the macro is called.
    fn skip_quoted(&mut self) {
        let end = self.closing(self.at + 1);
        if end > self.at && end < self.tokens.len() {
            self.next = None;
            self.at = end + 1;
        }
    }

    fn include(&mut self, name: &str) {
        if matches!(name, "include" | "include_str" | "include_bytes")
            && let Some(literal) =
                self.tokens.get(self.at + 2).filter(|token| token.kind == TokenKind::Text)
            && let Some(text) = self.text.get(literal.start..literal.end)
        {
            self.file.included.push((content(text), literal.start, literal.end));
        }
    }
}

/// Whether a name is written `r#name`. This runs for every name, so it compares bytes.
fn is_raw(name: &[u8]) -> bool {
    matches!(name, [b'r', b'#', ..])
}

/// The macros that procedural macros use to write code.
fn is_quoting(word: &str) -> bool {
    matches!(word, "quote" | "quote_spanned" | "parse_quote" | "parse_quote_spanned")
}

fn is_item_word(word: &str) -> bool {
    matches!(word, "fn" | "pub" | "struct" | "enum" | "impl" | "mod" | "use" | "trait" | "static")
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "as" | "async"
            | "await"
            | "break"
            | "const"
            | "continue"
            | "dyn"
            | "else"
            | "enum"
            | "extern"
            | "false"
            | "fn"
            | "for"
            | "if"
            | "impl"
            | "in"
            | "let"
            | "loop"
            | "match"
            | "mod"
            | "move"
            | "mut"
            | "pub"
            | "ref"
            | "return"
            | "static"
            | "struct"
            | "trait"
            | "true"
            | "type"
            | "unsafe"
            | "use"
            | "where"
            | "while"
            | "yield"
    )
}
