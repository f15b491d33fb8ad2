//! What a Python module imports, defines and passes on, from its tokens: line by logical line, with a
//! stack of the blocks that are open. Imports count wherever they stand; definitions only where they
//! are names of the module itself.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::lexer::{Kind, Lexer, Token};

/// One name of one import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Imported<'t> {
    pub(super) form: Form,
    /// The module as written, dots in front.
    pub(super) module: String,
    /// The name that is taken from it; `*` for all.
    pub(super) item: Option<&'t str>,
    /// The name it has here, where another is given.
    pub(super) alias: Option<&'t str>,
    /// Whether it is for type checkers only.
    pub(super) is_type: bool,
    /// Whether the name becomes one of the module's own.
    pub(super) is_global: bool,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// How an import is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `import a.b`
    Import,
    /// `from a import b`
    From,
    /// `import_module('a')`, `__import__('a')`
    Call,
}

/// What was read of a module.
#[derive(Debug, Default)]
pub(super) struct Module<'t> {
    pub(super) imports: Vec<Imported<'t>>,
    /// The names it binds itself, with the place of the first.
    pub(super) definitions: BTreeMap<&'t str, (usize, usize)>,
    pub(super) listed: Listed<'t>,
    /// `name.attribute`, wherever they stand.
    pub(super) attributes: FxHashSet<(&'t str, &'t str)>,
    /// The docstring, with its place.
    pub(super) docstring: Option<Token>,
}

/// What `__all__` lists: all that any branch writes out.
#[derive(Debug, Default)]
pub(super) enum Listed<'t> {
    #[default]
    Nothing,
    Names(Vec<&'t str>),
    /// Some of it is computed, so what it lists is not known, whatever is added to it.
    Computed,
}

impl<'t> Listed<'t> {
    fn add(&mut self, names: Option<Vec<&'t str>>) {
        match (&mut *self, names) {
            (Self::Computed, _) => {}
            (_, None) => *self = Self::Computed,
            (Self::Nothing, Some(names)) => *self = Self::Names(names),
            (Self::Names(listed), Some(names)) => listed.extend(names),
        }
    }
}

/// A block that is open.
#[derive(Clone, Copy, Debug)]
struct Block {
    indent: u32,
    /// Whether names bound in it are the module's own.
    is_global: bool,
    /// Whether it is for type checkers only.
    is_type: bool,
    /// Whether its `else` is.
    else_is_type: bool,
}

/// Reads a module. All imports of a stub (`is_stub`) are for type checkers.
pub(super) fn read(text: &str, is_stub: bool) -> Module<'_> {
    let mut lexer = Lexer::new(text.as_bytes());
    let mut reading =
        Reading { text, is_stub, module: Module::default(), blocks: Vec::new(), is_first: true };
    let mut line: Vec<Token> = Vec::new();
    let mut indent = 0;
    for token in &mut lexer {
        if let Kind::Line(next) = token.kind {
            reading.line(indent, &line);
            line.clear();
            indent = next;
        } else {
            line.push(token);
        }
    }
    reading.line(indent, &line);
    reading.module
}

struct Reading<'t> {
    text: &'t str,
    is_stub: bool,
    module: Module<'t>,
    blocks: Vec<Block>,
    is_first: bool,
}

impl<'t> Reading<'t> {
    fn word(&self, token: Token) -> &'t str {
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    fn is(&self, token: Option<&Token>, word: &str) -> bool {
        token.is_some_and(|token| token.kind == Kind::Name && self.word(*token) == word)
    }

    fn line(&mut self, indent: u32, line: &[Token]) {
        let Some(first) = line.first() else { return };
        if std::mem::take(&mut self.is_first) && first.kind == Kind::Text {
            self.module.docstring = Some(*first);
        }
        let mut previous = None;
        while let Some(block) = self.blocks.pop_if(|block| block.indent >= indent) {
            previous = Some(block).filter(|block| block.indent == indent);
        }
        self.uses(line);
        let mut rest = line;
        while let Some(header) = self.header(rest) {
            let block = self.block(indent, &rest[..header], previous.take());
            self.blocks.push(block);
            rest = rest.get(header + 1..).unwrap_or_default();
        }
        for statement in rest.split(|token| token.kind == Kind::Mark(b';') && token.depth == 0) {
            self.statement(statement);
        }
    }

    /// Where the colon is that ends the header of a compound statement.
    fn header(&self, line: &[Token]) -> Option<usize> {
        let first = line.first().filter(|token| token.kind == Kind::Name)?;
        let is_compound = matches!(
            self.word(*first),
            "if" | "elif"
                | "else"
                | "for"
                | "while"
                | "try"
                | "except"
                | "finally"
                | "with"
                | "def"
                | "class"
                | "async"
                | "match"
                | "case"
        );
        if !is_compound {
            return None;
        }
        let mut lambdas = 0u32;
        line.iter().position(|token| match token.kind {
            Kind::Name if token.depth == 0 && self.word(*token) == "lambda" => {
                lambdas += 1;
                false
            }
            Kind::Mark(b':') if token.depth == 0 => {
                let ends = lambdas == 0;
                lambdas = lambdas.saturating_sub(1);
                ends
            }
            _ => false,
        })
    }

    fn block(&mut self, indent: u32, header: &[Token], previous: Option<Block>) -> Block {
        let outer = self.blocks.last().copied();
        let is_global = outer.is_none_or(|block| block.is_global);
        let is_type = outer.is_some_and(|block| block.is_type);
        let plain = Block { indent, is_global, is_type, else_is_type: is_type };
        let keyword = header.first().map_or("", |token| self.word(*token));
        match keyword {
            "def" | "class" => self.definition(header, plain),
            "async" if self.is(header.get(1), "def") => self.definition(&header[1..], plain),
            "for" => {
                let end = header.iter().position(|token| self.is(Some(token), "in"));
                self.targets(header.get(1..end.unwrap_or(1)).unwrap_or_default());
                plain
            }
            "if" | "elif" => match self.type_checking(&header[1..]) {
                Some(true) => Block { is_type: true, ..plain },
                Some(false) => Block { else_is_type: true, ..plain },
                None => plain,
            },
            "else" => {
                Block { is_type: previous.map_or(is_type, |block| block.else_is_type), ..plain }
            }
            _ => plain,
        }
    }

    fn definition(&mut self, header: &[Token], block: Block) -> Block {
        if let Some(name) = header.get(1).filter(|token| token.kind == Kind::Name) {
            self.define(*name);
        }
        Block { is_global: false, ..block }
    }

    /// Whether a condition is `TYPE_CHECKING` or its contrary.
    fn type_checking(&self, condition: &[Token]) -> Option<bool> {
        let (is_positive, condition) = match condition {
            [first, rest @ ..] if self.is(Some(first), "not") => (false, rest),
            all => (true, all),
        };
        let is_name = |token: &Token| self.is(Some(token), "TYPE_CHECKING");
        let is_it = match condition {
            [name] => is_name(name),
            [owner, dot, name] => {
                owner.kind == Kind::Name && dot.kind == Kind::Mark(b'.') && is_name(name)
            }
            _ => false,
        };
        is_it.then_some(is_positive)
    }

    fn define(&mut self, name: Token) {
        if self.is_global() {
            let word = self.word(name);
            self.module.definitions.entry(word).or_insert((name.start, name.end));
        }
    }

    fn is_global(&self) -> bool {
        self.blocks.last().is_none_or(|block| block.is_global)
    }

    fn statement(&mut self, statement: &[Token]) {
        match statement.first() {
            first if self.is(first, "import") => self.import(statement),
            first if self.is(first, "from") => self.from(statement),
            Some(_) if self.is_global() => self.assignment(statement),
            _ => {}
        }
    }

    fn push(&mut self, statement: &[Token], form: Form, parts: Parts<'t>) {
        let (Some(first), Some(last)) = (statement.first(), statement.last()) else { return };
        let is_type = self.is_stub || self.blocks.last().is_some_and(|block| block.is_type);
        self.module.imports.push(Imported {
            form,
            module: parts.module,
            item: parts.item,
            alias: parts.alias,
            is_type,
            is_global: form != Form::Call && self.is_global(),
            start: first.start,
            end: last.end,
        });
    }

    /// `import a.b as c, d`
    fn import(&mut self, statement: &[Token]) {
        for clause in statement[1..].split(|token| token.kind == Kind::Mark(b',')) {
            let (module, rest) = self.dotted(clause);
            if module.is_empty() {
                continue;
            }
            let alias = self.alias(rest);
            self.push(statement, Form::Import, Parts { module, item: None, alias });
        }
    }

    /// `from .a import b as c, d`
    fn from(&mut self, statement: &[Token]) {
        let (module, rest) = self.dotted(&statement[1..]);
        if module.is_empty() || !self.is(rest.first(), "import") {
            return;
        }
        let is_bracket = |token: &&Token| matches!(token.kind, Kind::Mark(b'(' | b')'));
        let names: Vec<Token> =
            rest[1..].iter().filter(|token| !is_bracket(token)).copied().collect();
        for clause in names.split(|token| token.kind == Kind::Mark(b',')) {
            let item = match clause.first() {
                Some(star) if star.kind == Kind::Mark(b'*') => "*",
                Some(name) if name.kind == Kind::Name => self.word(*name),
                _ => continue,
            };
            let alias = self.alias(clause.get(1..).unwrap_or_default());
            let parts = Parts { module: module.clone(), item: Some(item), alias };
            self.push(statement, Form::From, parts);
        }
    }

    /// A module's name as written, and what stands behind it.
    fn dotted<'s>(&self, tokens: &'s [Token]) -> (String, &'s [Token]) {
        let mut name = String::new();
        let mut rest = tokens;
        while let Some((token, more)) = rest.split_first() {
            match token.kind {
                Kind::Mark(b'.') => name.push('.'),
                Kind::Name if name.is_empty() || name.ends_with('.') => {
                    let word = self.word(*token);
                    if word == "import" && name.chars().all(|letter| letter == '.') {
                        break;
                    }
                    name.push_str(word);
                }
                _ => break,
            }
            rest = more;
        }
        (name, rest)
    }

    fn alias(&self, rest: &[Token]) -> Option<&'t str> {
        let name = rest.get(1).filter(|token| token.kind == Kind::Name)?;
        self.is(rest.first(), "as").then(|| self.word(*name))
    }

    /// `a = b, c = …`, `a: T`, `a += …`, `type A = …`: the names that are bound.
    fn assignment(&mut self, statement: &[Token]) {
        if self.is(statement.first(), "type")
            && let Some(name) = statement.get(1).filter(|token| token.kind == Kind::Name)
        {
            self.define(*name);
            return;
        }
        let mut start = 0;
        for (at, token) in statement.iter().enumerate() {
            if token.depth > 0 {
                continue;
            }
            match token.kind {
                Kind::Mark(b':') if start == 0 => return self.annotated(statement, at),
                Kind::Mark(b'=') => {
                    let operator = operator_before(statement, at);
                    if is_comparison(statement, at) {
                        return;
                    }
                    let target = &statement[start..at - operator];
                    self.targets(target);
                    self.listing(target, &statement[at + 1..]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        self.extended(statement);
    }

    /// `a: T`, `a: T = …`
    fn annotated(&mut self, statement: &[Token], colon: usize) {
        let target = &statement[..colon];
        self.targets(target);
        let equals = |token: &Token| token.depth == 0 && token.kind == Kind::Mark(b'=');
        if let Some(at) = statement.iter().position(equals) {
            self.listing(target, &statement[at + 1..]);
        }
    }

    /// Defines the names that are targets; what has an attribute or an index is none.
    fn targets(&mut self, tokens: &[Token]) {
        let is_open = |token: &&Token| matches!(token.kind, Kind::Mark(b'(' | b')' | b'[' | b']'));
        let has_call = tokens.windows(2).any(|pair| {
            pair[0].kind == Kind::Name && matches!(pair[1].kind, Kind::Mark(b'(' | b'['))
        });
        if has_call {
            // `a[0], b = …`: only whole names between commas at the top.
            for clause in tokens.split(|token| token.kind == Kind::Mark(b',') && token.depth == 0) {
                if let [name] = clause {
                    self.target(*name);
                }
            }
            return;
        }
        let flat: Vec<Token> = tokens.iter().filter(|token| !is_open(token)).copied().collect();
        for clause in flat.split(|token| token.kind == Kind::Mark(b',')) {
            match clause {
                [name] => self.target(*name),
                [star, name] if star.kind == Kind::Mark(b'*') => self.target(*name),
                _ => {}
            }
        }
    }

    fn target(&mut self, name: Token) {
        if name.kind == Kind::Name {
            self.define(name);
        }
    }

    /// `__all__ = ['a', 'b']`, `__all__: list[str] = ['a']`, `__all__ += ['c']`
    fn listing(&mut self, target: &[Token], value: &[Token]) {
        if matches!(target, [name] if self.word(*name) == "__all__") {
            let names = self.strings(value);
            self.module.listed.add(names);
        }
    }

    /// `__all__.extend(['a'])`, `__all__.append('a')`
    fn extended(&mut self, statement: &[Token]) {
        let [owner, dot, method, open, rest @ ..] = statement else { return };
        let is_it = self.word(*owner) == "__all__"
            && dot.kind == Kind::Mark(b'.')
            && matches!(self.word(*method), "extend" | "append")
            && open.kind == Kind::Mark(b'(');
        if is_it {
            let names = self.strings(rest);
            self.module.listed.add(names);
        }
    }

    fn strings(&self, tokens: &[Token]) -> Option<Vec<&'t str>> {
        strings(self.text, tokens)
    }

    /// What a line uses: attributes of names, and modules that are imported by a call.
    fn uses(&mut self, line: &[Token]) {
        for (at, token) in line.iter().enumerate() {
            match token.kind {
                Kind::Mark(b'.') if at > 0 => self.attribute(line, at),
                Kind::Name if matches!(self.word(*token), "import_module" | "__import__") => {
                    self.call(&line[at..]);
                }
                Kind::Literal => self.formatted(*token),
                _ => {}
            }
        }
    }

    fn attribute(&mut self, line: &[Token], dot: usize) {
        let is_first = dot < 2 || line[dot - 2].kind != Kind::Mark(b'.');
        if let (Some(owner), Some(name)) = (line.get(dot - 1), line.get(dot + 1))
            && owner.kind == Kind::Name
            && name.kind == Kind::Name
            && is_first
        {
            self.module.attributes.insert((self.word(*owner), self.word(*name)));
        }
    }

    /// `{name.attribute}` in a formatted string.
    fn formatted(&mut self, literal: Token) {
        for field in self.word(literal).split('{').skip(1) {
            let end = |text: &'t str| {
                let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
                text.find(|letter| !is_part(letter)).unwrap_or(text.len())
            };
            let (owner, rest) = field.split_at(end(field));
            if let Some(rest) = rest.strip_prefix('.')
                && !owner.is_empty()
            {
                let name = &rest[..end(rest)];
                self.module.attributes.insert((owner, name));
            }
        }
    }

    /// `import_module('a.b')`
    fn call(&mut self, tokens: &[Token]) {
        let [_, open, argument, after, ..] = tokens else { return };
        let is_literal = open.kind == Kind::Mark(b'(')
            && argument.kind == Kind::Text
            && matches!(after.kind, Kind::Mark(b',' | b')'));
        if is_literal {
            let module = content(self.text, *argument).to_owned();
            if !module.is_empty() && !module.contains(['\\', '\n', ' ']) {
                let parts = Parts { module, item: None, alias: None };
                self.push(&tokens[..4], Form::Call, parts);
            }
        }
    }
}

struct Parts<'t> {
    module: String,
    item: Option<&'t str>,
    alias: Option<&'t str>,
}

/// What a string literal says.
pub(super) fn content(text: &str, token: Token) -> &str {
    let whole = text.get(token.start..token.end).unwrap_or_default();
    let inner = whole.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let quote = inner.chars().next().unwrap_or('"');
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    match inner.strip_prefix(&triple) {
        Some(rest) => rest.strip_suffix(&triple).unwrap_or(rest),
        None => {
            inner.strip_prefix(quote).map_or(inner, |rest| rest.strip_suffix(quote).unwrap_or(rest))
        }
    }
}

/// The strings of a list that has nothing else in it.
fn strings<'t>(text: &'t str, tokens: &[Token]) -> Option<Vec<&'t str>> {
    let mut found = Vec::new();
    for token in tokens {
        match token.kind {
            Kind::Text => found.push(content(text, *token)),
            Kind::Mark(b'[' | b']' | b'(' | b')' | b',') => {}
            _ => return None,
        }
    }
    Some(found)
}

/// How many tokens before an `=` belong to the operator: `+=`, `//=`.
fn operator_before(tokens: &[Token], at: usize) -> usize {
    let is_operator = |token: &&Token| {
        matches!(
            token.kind,
            Kind::Mark(b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'@' | b'<' | b'>')
        )
    };
    tokens[..at].iter().rev().take_while(is_operator).count().min(2)
}

/// Whether the `=` is part of `==`, `!=`, `<=`, `>=` or `:=`.
fn is_comparison(tokens: &[Token], at: usize) -> bool {
    let is_next_to = |left: usize, right: usize| tokens[left].end == tokens[right].start;
    let after = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Mark(b'='));
    let before = at > 0
        && is_next_to(at - 1, at)
        && match tokens[at - 1].kind {
            Kind::Mark(b'=' | b'!' | b':') => true,
            Kind::Mark(b'<' | b'>') => !(at > 1 && tokens[at - 2].kind == tokens[at - 1].kind),
            _ => false,
        };
    (after && is_next_to(at, at + 1)) || before
}
