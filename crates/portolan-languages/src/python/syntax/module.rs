//! Reads the imports, definitions and exports of a Python module from its tokens, one logical line
//! at a time, with a stack of the open blocks. Imports count everywhere; definitions only if they
//! are names of the module itself.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::lexer::{PythonLexer, PythonToken, PythonTokenKind};

/// One imported name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PythonImport<'t> {
    pub(super) form: PythonImportForm,
    /// The module as written, with leading dots.
    pub(super) module: String,
    /// The imported name; `*` for all.
    pub(super) item: Option<&'t str>,
    /// The local name, if it differs.
    pub(super) alias: Option<&'t str>,
    /// Whether only type checkers see it.
    pub(super) is_type: bool,
    /// Whether the module itself binds the name.
    pub(super) is_global: bool,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The form of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PythonImportForm {
    /// `import a.b`
    Import,
    /// `from a import b`
    From,
    /// `import_module('a')`, `__import__('a')`
    Call,
}

/// The contents of a module.
#[derive(Debug, Default)]
pub(super) struct PythonModule<'t> {
    pub(super) imports: Vec<PythonImport<'t>>,
    /// The names that it defines, with the position of the first definition.
    pub(super) definitions: BTreeMap<&'t str, (usize, usize)>,
    pub(super) listed: DunderAll<'t>,
    /// All uses of `name.attribute`.
    pub(super) attributes: FxHashSet<(&'t str, &'t str)>,
    /// The docstring.
    pub(super) docstring: Option<PythonToken>,
}

/// The names in `__all__`, from all branches.
#[derive(Debug, Default)]
pub(super) enum DunderAll<'t> {
    #[default]
    Nothing,
    Names(Vec<&'t str>),
    /// A part of it is computed, so the names are unknown, whatever is added.
    Computed,
}

impl<'t> DunderAll<'t> {
    fn add(&mut self, names: Option<Vec<&'t str>>) {
        match (&mut *self, names) {
            (Self::Computed, _) => {}
            (_, None) => *self = Self::Computed,
            (Self::Nothing, Some(names)) => *self = Self::Names(names),
            (Self::Names(listed), Some(names)) => listed.extend(names),
        }
    }
}

/// An open block.
#[derive(Clone, Copy, Debug)]
struct PythonBlock {
    indent: u32,
    /// Whether names bound in it belong to the module.
    is_global: bool,
    /// Whether only type checkers see it.
    is_type: bool,
    /// Whether only type checkers see its `else`.
    else_is_type: bool,
}

/// Reads a module. Only type checkers see the imports of a stub.
pub(super) fn read(text: &str, is_stub: bool) -> PythonModule<'_> {
    let mut lexer = PythonLexer::new(text.as_bytes());
    let mut reading = ModuleReader {
        text,
        is_stub,
        module: PythonModule::default(),
        blocks: Vec::new(),
        is_first: true,
    };
    let mut line: Vec<PythonToken> = Vec::new();
    let mut indent = 0;
    for token in &mut lexer {
        if let PythonTokenKind::Line(next) = token.kind {
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

struct ModuleReader<'t> {
    text: &'t str,
    is_stub: bool,
    module: PythonModule<'t>,
    blocks: Vec<PythonBlock>,
    is_first: bool,
}

impl<'t> ModuleReader<'t> {
    fn word(&self, token: PythonToken) -> &'t str {
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    fn is(&self, token: Option<&PythonToken>, word: &str) -> bool {
        token.is_some_and(|token| token.kind == PythonTokenKind::Name && self.word(*token) == word)
    }

    fn line(&mut self, indent: u32, line: &[PythonToken]) {
        let Some(first) = line.first() else { return };
        if std::mem::take(&mut self.is_first) && first.kind == PythonTokenKind::Text {
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
        for statement in
            rest.split(|token| token.kind == PythonTokenKind::Mark(b';') && token.depth == 0)
        {
            self.statement(statement);
        }
    }

    /// The position of the colon that ends the header of a compound statement.
    fn header(&self, line: &[PythonToken]) -> Option<usize> {
        let first = line.first().filter(|token| token.kind == PythonTokenKind::Name)?;
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
            PythonTokenKind::Name if token.depth == 0 && self.word(*token) == "lambda" => {
                lambdas += 1;
                false
            }
            PythonTokenKind::Mark(b':') if token.depth == 0 => {
                let ends = lambdas == 0;
                lambdas = lambdas.saturating_sub(1);
                ends
            }
            _ => false,
        })
    }

    fn block(
        &mut self,
        indent: u32,
        header: &[PythonToken],
        previous: Option<PythonBlock>,
    ) -> PythonBlock {
        let outer = self.blocks.last().copied();
        let is_global = outer.is_none_or(|block| block.is_global);
        let is_type = outer.is_some_and(|block| block.is_type);
        let plain = PythonBlock { indent, is_global, is_type, else_is_type: is_type };
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
                Some(true) => PythonBlock { is_type: true, ..plain },
                Some(false) => PythonBlock { else_is_type: true, ..plain },
                None => plain,
            },
            "else" => PythonBlock {
                is_type: previous.map_or(is_type, |block| block.else_is_type),
                ..plain
            },
            _ => plain,
        }
    }

    fn definition(&mut self, header: &[PythonToken], block: PythonBlock) -> PythonBlock {
        if let Some(name) = header.get(1).filter(|token| token.kind == PythonTokenKind::Name) {
            self.define(*name);
        }
        PythonBlock { is_global: false, ..block }
    }

    /// Whether a condition is `TYPE_CHECKING` or its negation.
    fn type_checking(&self, condition: &[PythonToken]) -> Option<bool> {
        let (is_positive, condition) = match condition {
            [first, rest @ ..] if self.is(Some(first), "not") => (false, rest),
            all => (true, all),
        };
        let is_name = |token: &PythonToken| self.is(Some(token), "TYPE_CHECKING");
        let is_it = match condition {
            [name] => is_name(name),
            [owner, dot, name] => {
                owner.kind == PythonTokenKind::Name
                    && dot.kind == PythonTokenKind::Mark(b'.')
                    && is_name(name)
            }
            _ => false,
        };
        is_it.then_some(is_positive)
    }

    fn define(&mut self, name: PythonToken) {
        if self.is_global() {
            let word = self.word(name);
            self.module.definitions.entry(word).or_insert((name.start, name.end));
        }
    }

    fn is_global(&self) -> bool {
        self.blocks.last().is_none_or(|block| block.is_global)
    }

    fn statement(&mut self, statement: &[PythonToken]) {
        match statement.first() {
            first if self.is(first, "import") => self.import(statement),
            first if self.is(first, "from") => self.from(statement),
            Some(_) if self.is_global() => self.assignment(statement),
            _ => {}
        }
    }

    fn push(&mut self, statement: &[PythonToken], form: PythonImportForm, parts: ImportParts<'t>) {
        let (Some(first), Some(last)) = (statement.first(), statement.last()) else { return };
        let is_type = self.is_stub || self.blocks.last().is_some_and(|block| block.is_type);
        self.module.imports.push(PythonImport {
            form,
            module: parts.module,
            item: parts.item,
            alias: parts.alias,
            is_type,
            is_global: form != PythonImportForm::Call && self.is_global(),
            start: first.start,
            end: last.end,
        });
    }

    /// `import a.b as c, d`
    fn import(&mut self, statement: &[PythonToken]) {
        for clause in statement[1..].split(|token| token.kind == PythonTokenKind::Mark(b',')) {
            let (module, rest) = self.dotted(clause);
            if module.is_empty() {
                continue;
            }
            let alias = self.alias(rest);
            self.push(
                statement,
                PythonImportForm::Import,
                ImportParts { module, item: None, alias },
            );
        }
    }

    /// `from .a import b as c, d`
    fn from(&mut self, statement: &[PythonToken]) {
        let (module, rest) = self.dotted(&statement[1..]);
        if module.is_empty() || !self.is(rest.first(), "import") {
            return;
        }
        let is_bracket =
            |token: &&PythonToken| matches!(token.kind, PythonTokenKind::Mark(b'(' | b')'));
        let names: Vec<PythonToken> =
            rest[1..].iter().filter(|token| !is_bracket(token)).copied().collect();
        for clause in names.split(|token| token.kind == PythonTokenKind::Mark(b',')) {
            let item = match clause.first() {
                Some(star) if star.kind == PythonTokenKind::Mark(b'*') => "*",
                Some(name) if name.kind == PythonTokenKind::Name => self.word(*name),
                _ => continue,
            };
            let alias = self.alias(clause.get(1..).unwrap_or_default());
            let parts = ImportParts { module: module.clone(), item: Some(item), alias };
            self.push(statement, PythonImportForm::From, parts);
        }
    }

    /// A dotted module name as written, and the tokens after it.
    fn dotted<'s>(&self, tokens: &'s [PythonToken]) -> (String, &'s [PythonToken]) {
        let mut name = String::new();
        let mut rest = tokens;
        while let Some((token, more)) = rest.split_first() {
            match token.kind {
                PythonTokenKind::Mark(b'.') => name.push('.'),
                PythonTokenKind::Name if name.is_empty() || name.ends_with('.') => {
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

    fn alias(&self, rest: &[PythonToken]) -> Option<&'t str> {
        let name = rest.get(1).filter(|token| token.kind == PythonTokenKind::Name)?;
        self.is(rest.first(), "as").then(|| self.word(*name))
    }

    /// Defines the names bound by `a = b, c = …`, `a: T`, `a += …` or `type A = …`.
    fn assignment(&mut self, statement: &[PythonToken]) {
        if self.is(statement.first(), "type")
            && let Some(name) = statement.get(1).filter(|token| token.kind == PythonTokenKind::Name)
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
                PythonTokenKind::Mark(b':') if start == 0 => return self.annotated(statement, at),
                PythonTokenKind::Mark(b'=') => {
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
    fn annotated(&mut self, statement: &[PythonToken], colon: usize) {
        let target = &statement[..colon];
        self.targets(target);
        let equals =
            |token: &PythonToken| token.depth == 0 && token.kind == PythonTokenKind::Mark(b'=');
        if let Some(at) = statement.iter().position(equals) {
            self.listing(target, &statement[at + 1..]);
        }
    }

    /// Defines the names among assignment targets. An attribute or an index is not one.
    fn targets(&mut self, tokens: &[PythonToken]) {
        let is_open = |token: &&PythonToken| {
            matches!(token.kind, PythonTokenKind::Mark(b'(' | b')' | b'[' | b']'))
        };
        let has_call = tokens.windows(2).any(|pair| {
            pair[0].kind == PythonTokenKind::Name
                && matches!(pair[1].kind, PythonTokenKind::Mark(b'(' | b'['))
        });
        if has_call {
            // `a[0], b = …`: only whole names between top-level commas count.
            for clause in
                tokens.split(|token| token.kind == PythonTokenKind::Mark(b',') && token.depth == 0)
            {
                if let [name] = clause {
                    self.target(*name);
                }
            }
            return;
        }
        let flat: Vec<PythonToken> =
            tokens.iter().filter(|token| !is_open(token)).copied().collect();
        for clause in flat.split(|token| token.kind == PythonTokenKind::Mark(b',')) {
            match clause {
                [name] => self.target(*name),
                [star, name] if star.kind == PythonTokenKind::Mark(b'*') => self.target(*name),
                _ => {}
            }
        }
    }

    fn target(&mut self, name: PythonToken) {
        if name.kind == PythonTokenKind::Name {
            self.define(name);
        }
    }

    /// `__all__ = ['a', 'b']`, `__all__: list[str] = ['a']`, `__all__ += ['c']`
    fn listing(&mut self, target: &[PythonToken], value: &[PythonToken]) {
        if matches!(target, [name] if self.word(*name) == "__all__") {
            let names = self.strings(value);
            self.module.listed.add(names);
        }
    }

    /// `__all__.extend(['a'])`, `__all__.append('a')`
    fn extended(&mut self, statement: &[PythonToken]) {
        let [owner, dot, method, open, rest @ ..] = statement else { return };
        let is_it = self.word(*owner) == "__all__"
            && dot.kind == PythonTokenKind::Mark(b'.')
            && matches!(self.word(*method), "extend" | "append")
            && open.kind == PythonTokenKind::Mark(b'(');
        if is_it {
            let names = self.strings(rest);
            self.module.listed.add(names);
        }
    }

    fn strings(&self, tokens: &[PythonToken]) -> Option<Vec<&'t str>> {
        strings(self.text, tokens)
    }

    /// Records the attributes and the imports by call in a line.
    fn uses(&mut self, line: &[PythonToken]) {
        for (at, token) in line.iter().enumerate() {
            match token.kind {
                PythonTokenKind::Mark(b'.') if at > 0 => self.attribute(line, at),
                PythonTokenKind::Name
                    if matches!(self.word(*token), "import_module" | "__import__") =>
                {
                    self.call(&line[at..]);
                }
                PythonTokenKind::Literal => self.formatted(*token),
                _ => {}
            }
        }
    }

    fn attribute(&mut self, line: &[PythonToken], dot: usize) {
        let is_first = dot < 2 || line[dot - 2].kind != PythonTokenKind::Mark(b'.');
        if let (Some(owner), Some(name)) = (line.get(dot - 1), line.get(dot + 1))
            && owner.kind == PythonTokenKind::Name
            && name.kind == PythonTokenKind::Name
            && is_first
        {
            self.module.attributes.insert((self.word(*owner), self.word(*name)));
        }
    }

    /// `{name.attribute}` in a formatted string.
    fn formatted(&mut self, literal: PythonToken) {
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
    fn call(&mut self, tokens: &[PythonToken]) {
        let [_, open, argument, after, ..] = tokens else { return };
        let is_literal = open.kind == PythonTokenKind::Mark(b'(')
            && argument.kind == PythonTokenKind::Text
            && matches!(after.kind, PythonTokenKind::Mark(b',' | b')'));
        if is_literal {
            let module = content(self.text, *argument).to_owned();
            if !module.is_empty() && !module.contains(['\\', '\n', ' ']) {
                let parts = ImportParts { module, item: None, alias: None };
                self.push(&tokens[..4], PythonImportForm::Call, parts);
            }
        }
    }
}

struct ImportParts<'t> {
    module: String,
    item: Option<&'t str>,
    alias: Option<&'t str>,
}

/// The text between the quotes of a string literal.
pub(super) fn content(text: &str, token: PythonToken) -> &str {
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

/// The strings of a list that contains nothing else.
fn strings<'t>(text: &'t str, tokens: &[PythonToken]) -> Option<Vec<&'t str>> {
    let mut found = Vec::new();
    for token in tokens {
        match token.kind {
            PythonTokenKind::Text => found.push(content(text, *token)),
            PythonTokenKind::Mark(b'[' | b']' | b'(' | b')' | b',') => {}
            _ => return None,
        }
    }
    Some(found)
}

/// How many tokens before an `=` belong to the operator: `+=`, `//=`.
fn operator_before(tokens: &[PythonToken], at: usize) -> usize {
    let is_operator = |token: &&PythonToken| {
        matches!(
            token.kind,
            PythonTokenKind::Mark(
                b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'@' | b'<' | b'>'
            )
        )
    };
    tokens[..at].iter().rev().take_while(is_operator).count().min(2)
}

/// Whether the `=` is part of `==`, `!=`, `<=`, `>=` or `:=`.
fn is_comparison(tokens: &[PythonToken], at: usize) -> bool {
    let is_next_to = |left: usize, right: usize| tokens[left].end == tokens[right].start;
    let after = tokens.get(at + 1).is_some_and(|next| next.kind == PythonTokenKind::Mark(b'='));
    let before = at > 0
        && is_next_to(at - 1, at)
        && match tokens[at - 1].kind {
            PythonTokenKind::Mark(b'=' | b'!' | b':') => true,
            PythonTokenKind::Mark(b'<' | b'>') => {
                !(at > 1 && tokens[at - 2].kind == tokens[at - 1].kind)
            }
            _ => false,
        };
    (after && is_next_to(at, at + 1)) || before
}
