//! Records the imports and exports of a text that the parser rejects, from its tokens.
//!
//! Statements count only outside of braces, because it is unknown which brace of broken code is left
//! open.

use portolan_types::EdgeKind;

use crate::Forwarded;
use crate::ecma::syntax::import_form::EcmaImportForm;
use crate::ecma::syntax::lexer::{self, EcmaToken, EcmaTokenKind};
use crate::ecma::syntax::recorder::{ImportId, LocalSpan, Recorder};
use crate::syntax::text::unescape;

/// Records the imports and exports of the tokens of a text.
pub(crate) fn record(tokens: &[EcmaToken<'_>], recorder: &mut Recorder) {
    let mut cursor = EcmaTokenCursor { tokens, at: 0 };
    let mut braces = 0u32;
    let mut previous: Option<EcmaToken<'_>> = None;
    while let Some(token) = cursor.next() {
        let is_member = previous.is_some_and(|previous| previous.kind == EcmaTokenKind::Mark(b'.'));
        match token.kind {
            EcmaTokenKind::Mark(b'{') => braces += 1,
            EcmaTokenKind::Mark(b'}') => braces = braces.saturating_sub(1),
            EcmaTokenKind::Word if !is_member => {
                record_word(token, braces == 0, &mut cursor, recorder);
            }
            _ => {}
        }
        previous = Some(token);
    }
}

/// Records the import statement at the start of `statement`, with the given span.
pub(crate) fn record_import_statement(part: LocalSpan, statement: &str, recorder: &mut Recorder) {
    let lexed = lexer::lex(statement);
    let mut cursor = EcmaTokenCursor { tokens: &lexed.tokens, at: 1 };
    record_import(part.start, Some(part), &mut cursor, recorder);
}

fn record_word(
    token: EcmaToken<'_>,
    is_statement: bool,
    cursor: &mut EcmaTokenCursor<'_, '_>,
    recorder: &mut Recorder,
) {
    match token.text {
        "require" => {
            // A function may enclose it. Outside of braces none does.
            let kind = if is_statement { EdgeKind::Runtime } else { EdgeKind::Dynamic };
            if let Some(specifier) = cursor.call_argument() {
                recorder.import(
                    cursor.since(token.start),
                    &unescape(specifier),
                    kind,
                    EcmaImportForm::Require,
                );
            }
        }
        "import" => {
            if let Some(specifier) = cursor.call_argument() {
                let part = cursor.since(token.start);
                recorder.import(
                    part,
                    &unescape(specifier),
                    EdgeKind::Dynamic,
                    EcmaImportForm::Import,
                );
            } else if is_statement {
                record_import(token.start, None, cursor, recorder);
            }
        }
        "export" if is_statement => record_export(token.start, cursor, recorder),
        _ => {}
    }
}

/// One name of an import or export list: `type x as y`.
struct SpecifierItem<'t> {
    name: &'t str,
    alias: &'t str,
    is_type: bool,
}

/// The clause between `import` and `from`.
#[derive(Default)]
struct ImportClause<'t> {
    default: Option<&'t str>,
    takes_all: bool,
    items: Vec<SpecifierItem<'t>>,
}

impl ImportClause<'_> {
    fn kind(&self, is_type: bool) -> EdgeKind {
        let all_types = !self.items.is_empty() && self.items.iter().all(|item| item.is_type);
        let only_items = self.default.is_none() && !self.takes_all;
        if is_type || (only_items && all_types) { EdgeKind::Type } else { EdgeKind::Runtime }
    }
}

/// The rest of a statement after `import`. `whole` is its span, if known.
fn record_import(
    offset: u32,
    whole: Option<LocalSpan>,
    cursor: &mut EcmaTokenCursor<'_, '_>,
    recorder: &mut Recorder,
) {
    let part = |cursor: &EcmaTokenCursor<'_, '_>| whole.unwrap_or_else(|| cursor.since(offset));
    if let Some(specifier) = cursor.text() {
        recorder.import(
            part(cursor),
            &unescape(specifier),
            EdgeKind::Runtime,
            EcmaImportForm::Import,
        );
        return;
    }
    let is_type = cursor.type_keyword();
    let Some(clause) = import_clause(cursor) else { return };
    if clause.default.is_some() && cursor.mark(b'=') {
        if cursor.word("require")
            && let Some(specifier) = cursor.call_argument()
        {
            let kind = clause.kind(is_type);
            recorder.import(part(cursor), &unescape(specifier), kind, EcmaImportForm::Require);
        }
        return;
    }
    let Some(specifier) = cursor.from() else { return };
    let kind = clause.kind(is_type);
    let id = recorder.import(part(cursor), &unescape(specifier), kind, EcmaImportForm::Import);
    if clause.takes_all {
        return;
    }
    let whole = if is_type { EdgeKind::Type } else { EdgeKind::Runtime };
    if clause.default.is_some() {
        recorder.request(offset, id, "default", whole);
    }
    for item in &clause.items {
        let kind = if item.is_type { EdgeKind::Type } else { whole };
        recorder.request(offset, id, &unescape(item.name), kind);
    }
}

fn import_clause<'t>(cursor: &mut EcmaTokenCursor<'_, 't>) -> Option<ImportClause<'t>> {
    let mut clause = ImportClause::default();
    if let Some(name) = cursor.name() {
        // `import defer * as x`
        let is_phase = cursor.peek_mark(0, b'*');
        clause.default = Some(name).filter(|_| !is_phase);
        if !is_phase && !cursor.mark(b',') {
            return Some(clause);
        }
    }
    if cursor.mark(b'*') {
        clause.takes_all = true;
        (cursor.word("as") && cursor.name().is_some()).then_some(clause)
    } else {
        clause.items = cursor.list()?;
        Some(clause)
    }
}

/// The rest of a statement after `export`.
fn record_export(offset: u32, cursor: &mut EcmaTokenCursor<'_, '_>, recorder: &mut Recorder) {
    recorder.set_statement(cursor.since(offset));
    if cursor.word("default") {
        recorder.set_statement(cursor.since(offset));
        return recorder.define("default");
    }
    let is_type =
        cursor.peek_word(0, "type") && (cursor.peek_mark(1, b'{') || cursor.peek_mark(1, b'*'));
    if is_type {
        cursor.at += 1;
    }
    let whole = if is_type { EdgeKind::Type } else { EdgeKind::Runtime };
    if cursor.mark(b'*') {
        record_export_all(offset, whole, cursor, recorder);
    } else if cursor.peek_mark(0, b'{') {
        record_export_list(offset, is_type, cursor, recorder);
    } else if let Some(name) = declared_name(cursor) {
        recorder.set_statement(cursor.since(offset));
        recorder.define(name);
    }
}

fn record_export_all(
    offset: u32,
    kind: EdgeKind,
    cursor: &mut EcmaTokenCursor<'_, '_>,
    recorder: &mut Recorder,
) {
    let alias = if cursor.word("as") { cursor.name() } else { None };
    let Some(specifier) = cursor.from() else { return };
    let id =
        recorder.import(cursor.since(offset), &unescape(specifier), kind, EcmaImportForm::Import);
    match alias {
        Some(name) => recorder.forward(name, id, Forwarded::Namespace),
        None => recorder.reexport_all(offset, id),
    }
}

fn record_export_list(
    offset: u32,
    is_type: bool,
    cursor: &mut EcmaTokenCursor<'_, '_>,
    recorder: &mut Recorder,
) {
    let Some(items) = cursor.list() else { return };
    let clause = ImportClause { items, ..ImportClause::default() };
    let source: Option<ImportId> = cursor.from().map(|specifier| {
        let part = cursor.since(offset);
        recorder.import(part, &unescape(specifier), clause.kind(is_type), EcmaImportForm::Import)
    });
    recorder.set_statement(cursor.since(offset));
    for item in &clause.items {
        let alias = unescape(item.alias);
        match source {
            Some(id) => recorder.forward(&alias, id, Forwarded::Name(unescape(item.name).into())),
            None => recorder.define(&alias),
        }
    }
}

/// The name in `async function f`, `declare abstract class C`, `const x` and the like.
fn declared_name<'t>(cursor: &mut EcmaTokenCursor<'_, 't>) -> Option<&'t str> {
    const MODIFIERS: [&str; 3] = ["declare", "abstract", "async"];
    const KEYWORDS: [&str; 10] = [
        "const",
        "let",
        "var",
        "function",
        "class",
        "interface",
        "type",
        "enum",
        "namespace",
        "module",
    ];
    while MODIFIERS.iter().any(|modifier| cursor.word(modifier)) {}
    if !KEYWORDS.iter().any(|keyword| cursor.word(keyword)) {
        return None;
    }
    // `const enum`, `function*`
    let _ = cursor.word("enum") || cursor.mark(b'*');
    cursor.name()
}

/// A position in the tokens. A method that does not match consumes nothing.
struct EcmaTokenCursor<'c, 't> {
    tokens: &'c [EcmaToken<'t>],
    at: usize,
}

impl<'t> EcmaTokenCursor<'_, 't> {
    /// The span from an offset to the last consumed token.
    fn since(&self, start: u32) -> LocalSpan {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let end = last.map_or(start, |last| {
            // The text of a string does not include its quotes.
            let quotes = if last.kind == EcmaTokenKind::Text { 2 } else { 0 };
            last.start + last.text.len() as u32 + quotes
        });
        LocalSpan { start, end }
    }

    fn next(&mut self) -> Option<EcmaToken<'t>> {
        let token = self.peek(0)?;
        self.at += 1;
        Some(token)
    }

    fn peek(&self, ahead: usize) -> Option<EcmaToken<'t>> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn peek_mark(&self, ahead: usize, mark: u8) -> bool {
        self.peek(ahead).is_some_and(|token| token.kind == EcmaTokenKind::Mark(mark))
    }

    fn peek_word(&self, ahead: usize, word: &str) -> bool {
        self.peek(ahead)
            .is_some_and(|token| token.kind == EcmaTokenKind::Word && token.text == word)
    }

    fn mark(&mut self, mark: u8) -> bool {
        let found = self.peek_mark(0, mark);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.peek_word(0, word);
        self.at += usize::from(found);
        found
    }

    fn name(&mut self) -> Option<&'t str> {
        let token = self.peek(0).filter(|token| token.kind == EcmaTokenKind::Word)?;
        self.at += 1;
        Some(token.text)
    }

    fn text(&mut self) -> Option<&'t str> {
        let token = self.peek(0).filter(|token| token.kind == EcmaTokenKind::Text)?;
        self.at += 1;
        Some(token.text)
    }

    /// `from 'x'`
    fn from(&mut self) -> Option<&'t str> {
        if self.word("from") { self.text() } else { None }
    }

    /// `('x'`, also after `?.`
    fn call_argument(&mut self) -> Option<&'t str> {
        let skipped = if self.peek_mark(0, b'?') && self.peek_mark(1, b'.') { 2 } else { 0 };
        let argument = self.peek(skipped + 1).filter(|token| token.kind == EcmaTokenKind::Text)?;
        let is_call = self.peek_mark(skipped, b'(');
        let is_whole = self.peek_mark(skipped + 2, b')') || self.peek_mark(skipped + 2, b',');
        if !is_call || !is_whole {
            return None;
        }
        self.at += skipped + 2;
        Some(argument.text)
    }

    /// Consumes `type` in `import type …`, unless it is the name of a default import.
    fn type_keyword(&mut self) -> bool {
        let follows = |ahead: usize| self.peek(ahead).map(|token| (token.kind, token.text));
        let is_keyword = self.peek_word(0, "type")
            && match follows(1) {
                Some((EcmaTokenKind::Mark(mark), _)) => matches!(mark, b'{' | b'*'),
                Some((EcmaTokenKind::Word, "from")) => {
                    matches!(follows(2), Some((EcmaTokenKind::Word, "from")))
                }
                Some((EcmaTokenKind::Word, _)) => true,
                _ => false,
            };
        self.at += usize::from(is_keyword);
        is_keyword
    }

    /// `{ a, b as c, type d }`
    fn list(&mut self) -> Option<Vec<SpecifierItem<'t>>> {
        let start = self.at;
        let mut items = Vec::new();
        if self.mark(b'{') {
            loop {
                if self.mark(b'}') {
                    return Some(items);
                }
                let Some(item) = self.item() else { break };
                items.push(item);
                if !self.mark(b',') && !self.peek_mark(0, b'}') {
                    break;
                }
            }
        }
        self.at = start;
        None
    }

    fn item(&mut self) -> Option<SpecifierItem<'t>> {
        let mut is_type = false;
        if self.peek_word(0, "type")
            && !self.peek_mark(1, b',')
            && !self.peek_mark(1, b'}')
            && !self.peek_word(1, "as")
        {
            is_type = true;
            self.at += 1;
        }
        let name = self.name().or_else(|| self.text())?;
        let alias = if self.word("as") { self.name().or_else(|| self.text())? } else { name };
        Some(SpecifierItem { name, alias, is_type })
    }
}
