//! Reads the imports, definitions and uses of a Go file from its tokens.
//!
//! In Go, a name is bound by a block, declared in the package, or imported. So the open blocks are
//! tracked with the names they bind. All other names are uses of the package or of an import.

use std::collections::{BTreeMap, BTreeSet};

use super::blocks::{Blocks, Brace};
use crate::syntax::tokens::{BracketPairs, Dialect, Token, TokenKind, Tokens, content};

/// An import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GoImport<'t> {
    pub(super) path: &'t str,
    /// The local name, including `_` and `.`.
    pub(super) alias: Option<&'t str>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The contents of a file.
#[derive(Debug, Default)]
pub(super) struct GoFile<'t> {
    pub(super) package: Option<&'t str>,
    pub(super) imports: Vec<GoImport<'t>>,
    /// The names it adds to the package, with the position of the first definition.
    pub(super) definitions: BTreeMap<&'t str, (usize, usize)>,
    pub(super) has_init: bool,
    /// `q.Name`, if no block binds `q`.
    pub(super) selectors: BTreeSet<(&'t str, &'t str)>,
    /// The unqualified names that no block binds.
    pub(super) names: BTreeSet<&'t str>,
    /// The patterns of `//go:embed`.
    pub(super) embeds: Vec<&'t str>,
    /// The condition of `//go:build` before `package`.
    pub(super) build: Option<&'t str>,
    /// The span of the comment directly before `package`.
    pub(super) comment: Option<(usize, usize)>,
}

pub(super) const DIALECT: Dialect = Dialect { backquotes: true, ..Dialect::PLAIN };

/// Reads a file.
pub(super) fn read(text: &str) -> GoFile<'_> {
    let mut file = GoFile::default();
    let mut tokens = Vec::new();
    let mut comment: Option<(usize, usize)> = None;
    for token in Tokens::new(text, DIALECT) {
        if token.kind != TokenKind::Comment {
            if tokens.is_empty() {
                file.comment = comment.filter(|(_, end)| is_adjacent(text, *end, token.start));
            }
            tokens.push(token);
            continue;
        }
        let is_next = comment.is_some_and(|(_, end)| is_adjacent(text, end, token.start));
        let start = comment.filter(|_| is_next).map_or(token.start, |(start, _)| start);
        comment = Some((start, token.end));
        let words = text.get(token.start..token.end).unwrap_or_default();
        if let Some(list) =
            words.strip_prefix("//go:embed").filter(|list| list.starts_with([' ', '\t']))
        {
            file.embeds.extend(patterns(list));
        }
        if tokens.is_empty() && file.build.is_none() {
            let line = words.strip_prefix("//go:build");
            file.build = line.filter(|line| line.starts_with([' ', '\t'])).map(str::trim);
        }
    }
    let pairs = BracketPairs::of(&tokens);
    let blocks = Blocks::default();
    GoFileReader { text, tokens: &tokens, pairs, at: 0, file, blocks, lists: 0 }.read()
}

/// The patterns of a list, separated by white space unless quoted.
fn patterns(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = list.trim();
    std::iter::from_fn(move || {
        let quoted = ['"', '`']
            .into_iter()
            .find_map(|quote| rest.strip_prefix(quote).and_then(|inner| inner.split_once(quote)));
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (pattern, behind) = quoted.unwrap_or_else(|| rest.split_at(end));
        rest = behind.trim_start();
        (!pattern.is_empty()).then_some(pattern)
    })
}

/// Whether there is only white space without a blank line between two positions.
fn is_adjacent(text: &str, end: usize, start: usize) -> bool {
    let between = text.get(end..start).unwrap_or("x");
    between.trim().is_empty() && between.matches('\n').count() <= 1
}

struct GoFileReader<'t, 's> {
    text: &'t str,
    tokens: &'s [Token],
    pairs: BracketPairs,
    at: usize,
    file: GoFile<'t>,
    blocks: Blocks<'t>,
    /// The number of open parameter lists.
    lists: u32,
}

/// Parameter lists that nest deeper are skipped.
const MAX_LISTS: u32 = 32;

impl<'t> GoFileReader<'t, '_> {
    fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    fn is(&self, at: usize, mark: u8) -> bool {
        self.token(at).is_some_and(|token| token.is(mark))
    }

    /// The word at a position; empty if there is something else.
    fn word(&self, at: usize) -> &'t str {
        let name = self.token(at).filter(|token| token.kind == TokenKind::Name);
        name.and_then(|name| self.text.get(name.start..name.end)).unwrap_or_default()
    }

    fn is_line_start(&self, at: usize) -> bool {
        self.token(at).is_none_or(|token| token.is_after_line)
    }

    fn read(mut self) -> GoFile<'t> {
        if self.word(0) == "package" {
            self.file.package = Some(self.word(1)).filter(|name| !name.is_empty());
            self.at = 2;
        }
        while let Some(token) = self.token(self.at).copied() {
            self.step(token);
        }
        self.file
    }

    /// Reads at least one token.
    fn step(&mut self, token: Token) {
        let word = self.word(self.at);
        if token.is_at_margin && matches!(word, "func" | "type" | "var" | "const" | "import") {
            // This must be a declaration, so everything left open is closed.
            self.blocks.clear();
        }
        if token.is_after_line {
            self.blocks.line();
        }
        match token.kind {
            TokenKind::Name => self.named(word, token),
            TokenKind::Mark(mark) => self.mark(mark),
            _ => self.at += 1,
        }
    }

    fn mark(&mut self, mark: u8) {
        match mark {
            b'(' | b'[' => self.blocks.open_bracket(),
            b')' | b']' => self.blocks.close_bracket(),
            b'{' => {
                let kind = self.brace_kind();
                self.blocks.open(kind);
            }
            b'}' => self.blocks.close(),
            b';' => self.blocks.statement(),
            _ => {}
        }
        self.at += 1;
    }

    /// What an opening brace starts, judged by what is before it.
    fn brace_kind(&self) -> Brace {
        let before = self.at.wrapping_sub(1);
        match self.word(before) {
            "struct" => return Brace::Struct,
            "interface" => return Brace::Interface,
            "else" | "select" | "switch" | "for" => return Brace::Block,
            _ => {}
        }
        if self.blocks.expects_block() {
            return Brace::Block;
        }
        match self.token(before).map(|token| token.kind) {
            Some(TokenKind::Name) => self.literal_kind(before),
            // `T[int]{…}`, `struct{…}{…}`
            Some(TokenKind::Mark(b']' | b'}')) if !self.is_line_start(self.at) => {
                self.literal_kind(before)
            }
            Some(TokenKind::Mark(b'{' | b',' | b':')) if self.blocks.is_literal() => {
                self.blocks.kind().map_or(Brace::Fields, Brace::inner)
            }
            _ => Brace::Block,
        }
    }

    /// Whether the type before a brace has fields, or elements with computed keys: `[]T`,
    /// `map[K]T`.
    fn literal_kind(&self, end: usize) -> Brace {
        let mut at = end;
        if self.is(at, b'}') || self.is(at, b']') {
            // `struct{…}`, `T[int]`
            at = self.pairs.partner(at).wrapping_sub(1);
        }
        if self.is(at.wrapping_sub(1), b'.') {
            at = at.wrapping_sub(2);
        }
        let mut depth = 0;
        while !self.is_line_start(at) {
            at = at.wrapping_sub(1);
            match self.token(at).map(|token| token.kind) {
                Some(TokenKind::Mark(b'*')) => {}
                Some(TokenKind::Mark(b']')) => {
                    depth += 1;
                    at = self.pairs.partner(at);
                    if self.word(at.wrapping_sub(1)) == "map" {
                        at = at.wrapping_sub(1);
                    }
                }
                _ => break,
            }
        }
        if depth > 0 { Brace::Elements(depth) } else { Brace::Fields }
    }

    fn named(&mut self, word: &'t str, token: Token) {
        match word {
            "import" if self.blocks.is_top() => self.imports(),
            "func" => self.function(),
            "type" => self.declarations(Self::type_spec),
            "var" | "const" => self.declarations(Self::value_spec),
            "if" | "for" | "switch" | "select" => {
                self.blocks.header();
                self.at += 1;
            }
            _ if is_keyword(word) => self.at += 1,
            _ => {
                if !self.is_member(token) && !self.binds() && !self.is_label(word) {
                    self.used(word);
                }
                self.at += 1;
            }
        }
    }

    /// Whether the name follows a dot, or is the name of a field or a method.
    fn is_member(&self, token: Token) -> bool {
        let after_dot = self.at > 0
            && self.is(self.at - 1, b'.')
            && !(self.at > 1 && self.is(self.at - 2, b'.'));
        let next = self.token(self.at + 1);
        let starts = token.is_after_line
            || self.at == 0
            || self.is(self.at - 1, b'{')
            || self.is(self.at - 1, b';');
        match self.blocks.kind() {
            _ if after_dot => true,
            Some(Brace::Struct) => self.is_field(starts),
            Some(Brace::Interface) => starts && next.is_some_and(|next| next.is(b'(')),
            Some(Brace::Fields) => {
                next.is_some_and(|next| next.is(b':')) && !self.is(self.at + 2, b'=')
            }
            _ => false,
        }
    }

    /// `A, B int`: names before a type are fields. A name alone in its line is embedded.
    fn is_field(&self, starts: bool) -> bool {
        let follows_list =
            self.at > 0 && self.is(self.at - 1, b',') && !self.is_line_start(self.at);
        let is_listed = follows_list && self.blocks.is_at_level();
        if !starts && !is_listed {
            return false;
        }
        let Some(next) = self.token(self.at + 1) else { return false };
        if next.is_after_line || next.is(b'.') || next.is(b'}') || next.is(b';') {
            return false;
        }
        next.kind != TokenKind::Text
    }

    /// `a, b := …`: the block binds the names from the next statement on.
    fn binds(&mut self) -> bool {
        let mut at = self.at;
        let mut names = Vec::new();
        while names.len() < 32 {
            let word = self.word(at);
            if word.is_empty() {
                return false;
            }
            names.push(word);
            if self.is(at + 1, b':') && self.is(at + 2, b'=') {
                self.blocks.bind(&names);
                self.at = at + 2;
                return true;
            }
            if !self.is(at + 1, b',') {
                return false;
            }
            at += 2;
        }
        false
    }

    /// Whether this is a label before a loop: `outer:`.
    fn is_label(&self, word: &str) -> bool {
        self.is_line_start(self.at)
            && !word.is_empty()
            && self.is(self.at + 1, b':')
            && self.is_line_start(self.at + 2)
            && self.blocks.kind() == Some(Brace::Block)
    }

    fn used(&mut self, word: &'t str) {
        if word == "_" || self.blocks.binds(word) {
            return;
        }
        let is_selector = self.is(self.at + 1, b'.') && !self.word(self.at + 2).is_empty();
        if is_selector && !self.is_line_start(self.at + 1) {
            self.file.selectors.insert((word, self.word(self.at + 2)));
        }
        self.file.names.insert(word);
    }

    fn imports(&mut self) {
        self.at += 1;
        let is_group = self.is(self.at, b'(');
        self.at += usize::from(is_group);
        while let Some(token) = self.token(self.at).copied() {
            let alias = match token.kind {
                TokenKind::Name => Some(self.word(self.at)),
                TokenKind::Mark(b'.') => Some("."),
                TokenKind::Text => None,
                TokenKind::Mark(b';') => {
                    self.at += 1;
                    continue;
                }
                _ => break,
            };
            self.at += usize::from(alias.is_some());
            let Some(path) = self.token(self.at).filter(|token| token.kind == TokenKind::Text)
            else {
                break;
            };
            let literal = self.text.get(path.start..path.end).unwrap_or_default();
            let (start, end) = (token.start, path.end);
            self.file.imports.push(GoImport { path: content(literal), alias, start, end });
            self.at += 1;
            if !is_group {
                return;
            }
        }
        self.at += usize::from(self.is(self.at, b')'));
    }

    /// Reads `func` of a declaration, a literal or a type. The body, if there is one, binds the
    /// parameters.
    fn function(&mut self) {
        let is_declaration = self.blocks.is_top() && self.is_line_start(self.at);
        self.at += 1;
        let mut bound = Vec::new();
        if is_declaration {
            if self.is(self.at, b'(') {
                self.parameters(&mut bound);
                self.at += 1;
            } else {
                self.define_function();
            }
            if self.is(self.at, b'[') {
                self.parameters(&mut bound);
            }
        }
        if self.is(self.at, b'(') {
            self.parameters(&mut bound);
        }
        if self.is(self.at, b'(') && !self.is_line_start(self.at) {
            self.parameters(&mut bound);
        } else {
            self.function_result();
        }
        self.blocks.unscope();
        self.blocks.signature(bound);
    }

    /// Reads a function's result. If it contains function types, those have parameters but no body:
    /// the block that follows belongs to the outer function. Names in the result are never
    /// parameters.
    fn function_result(&mut self) {
        while !self.is_line_start(self.at) {
            let word = self.word(self.at);
            let is_part = matches!(word, "func" | "map" | "chan")
                || !word.is_empty() && !is_keyword(word)
                || b"*[<-.".iter().any(|mark| self.is(self.at, *mark));
            if !is_part {
                return;
            }
            if self.is(self.at, b'[') {
                let end = self.closing(self.at);
                while self.at < end {
                    self.step_type();
                }
                self.at = end + 1;
            } else {
                self.step_type();
            }
        }
    }

    fn define_function(&mut self) {
        match self.word(self.at) {
            "" => return,
            "init" => self.file.has_init = true,
            name => self.define(name),
        }
        self.at += 1;
    }

    fn define(&mut self, name: &'t str) {
        let place = self.token(self.at).map_or((0, 0), |token| (token.start, token.end));
        if name != "_" {
            self.file.definitions.entry(name).or_insert(place);
        }
    }

    /// Reads a list of parameters or type parameters: binds the names and uses the types. A
    /// parameter is bound only in the body, a type parameter in the whole signature.
    fn parameters(&mut self, bound: &mut Vec<&'t str>) {
        let end = self.closing(self.at);
        if self.lists >= MAX_LISTS {
            self.at = end + 1;
            return;
        }
        self.lists += 1;
        let is_of_type = self.is(self.at, b'[');
        let entries = self.entries(self.at + 1, end);
        let has_names = entries.iter().any(|(start, end)| self.is_named(*start, *end));
        for (start, end) in entries {
            let mut from = start;
            if has_names && !self.word(start).is_empty() {
                bound.push(self.word(start));
                from += 1;
            }
            self.at = from;
            if is_of_type {
                self.blocks.scope(bound);
            }
            while self.at < end {
                self.step_type();
            }
        }
        self.lists -= 1;
        self.at = end + 1;
    }

    /// Reads a token of a parameter's type. It is a use, unless it is a keyword or follows a dot.
    fn step_type(&mut self) {
        let word = self.word(self.at);
        if word == "func" {
            self.at += 1;
            let mut ignored = Vec::new();
            while self.is(self.at, b'(') {
                self.parameters(&mut ignored);
            }
            return;
        }
        let after_dot = self.is(self.at - 1, b'.') && !self.is(self.at - 2, b'.');
        if !word.is_empty() && !is_keyword(word) && !after_dot {
            self.used(word);
        }
        self.at += 1;
    }

    /// Whether a parameter has a name before its type.
    fn is_named(&self, start: usize, end: usize) -> bool {
        if self.word(start).is_empty() || is_keyword(self.word(start)) || end <= start + 1 {
            return false;
        }
        match self.token(start + 1).map(|token| token.kind) {
            Some(TokenKind::Mark(b'.')) => self.is(start + 2, b'.'),
            Some(TokenKind::Mark(b'[')) => self.closing(start + 1) + 1 < end,
            Some(TokenKind::Mark(b'|')) => false,
            _ => true,
        }
    }

    /// The position of the matching closing bracket; the end if there is none.
    fn closing(&self, open: usize) -> usize {
        self.pairs.partner(open)
    }

    /// The entries of a list, separated by commas.
    fn entries(&self, start: usize, end: usize) -> Vec<(usize, usize)> {
        let mut entries = Vec::new();
        let (mut depth, mut from) = (0u32, start);
        for at in start..end {
            match self.tokens[at].kind {
                TokenKind::Mark(b'(' | b'[' | b'{') => depth += 1,
                TokenKind::Mark(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                TokenKind::Mark(b',') if depth == 0 => {
                    entries.push((from, at));
                    from = at + 1;
                }
                _ => {}
            }
        }
        if from < end {
            entries.push((from, end));
        }
        entries
    }

    /// Reads `var x = 1`, or a group in parentheses.
    fn declarations(&mut self, spec: impl Fn(&mut Self)) {
        self.at += 1;
        if !self.is(self.at, b'(') {
            spec(self);
            return;
        }
        let end = self.closing(self.at);
        self.at += 1;
        let level = self.blocks.level();
        let mut is_start = true;
        while self.at < end {
            let Some(token) = self.token(self.at).copied() else { break };
            let starts = is_start || token.is_after_line || self.is(self.at - 1, b';');
            if starts && self.blocks.level() == level && token.kind == TokenKind::Name {
                if token.is_after_line {
                    self.blocks.line();
                }
                let before = self.at;
                spec(self);
                // Anything that is not a declaration is read as usual.
                if self.at == before {
                    self.step(token);
                }
            } else {
                self.step(token);
            }
            is_start = false;
        }
        self.at = self.at.max(end + 1);
    }

    fn declare(&mut self, name: &'t str) {
        if self.blocks.is_top() {
            self.define(name);
        } else {
            self.blocks.bind(&[name]);
        }
        self.at += 1;
    }

    fn type_spec(&mut self) {
        let name = self.word(self.at);
        if name.is_empty() {
            return;
        }
        self.declare(name);
        // `[T any]` are type parameters; `[N]T` and `[]T` are arrays.
        let is_generic = self.is(self.at, b'[')
            && !self.word(self.at + 1).is_empty()
            && !self.is(self.at + 2, b']');
        if is_generic {
            let mut bound = Vec::new();
            self.parameters(&mut bound);
            self.blocks.unscope();
            self.blocks.type_parameters(bound);
        }
    }

    /// `a, b T = …`
    fn value_spec(&mut self) {
        loop {
            let name = self.word(self.at);
            if name.is_empty() || is_keyword(name) {
                return;
            }
            self.declare(name);
            if !self.is(self.at, b',') {
                return;
            }
            self.at += 1;
        }
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "break"
            | "case"
            | "chan"
            | "const"
            | "continue"
            | "default"
            | "defer"
            | "else"
            | "fallthrough"
            | "for"
            | "func"
            | "go"
            | "goto"
            | "if"
            | "import"
            | "interface"
            | "map"
            | "package"
            | "range"
            | "return"
            | "select"
            | "struct"
            | "switch"
            | "type"
            | "var"
    )
}
