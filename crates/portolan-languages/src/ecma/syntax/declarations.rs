//! Reads the declarations and references of TypeScript and JavaScript from the whole text.
//!
//! One hand-written walk over the syntax tree visits types and values, each with the type that is
//! *expected* at its place. The names of object literals, callback parameters and component
//! attributes refer to that type. The walk keeps scopes and resolves names at the end, because a
//! name may be used before it is declared.

mod builtins;
mod classes;
mod expressions;
mod functions;
mod jsx;
mod markup;
mod modules;
mod narrowing;
mod patterns;
mod pieces;
mod statements;
mod types;

#[cfg(test)]
mod tests;

use std::ops::{Deref, DerefMut};

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use portolan_types::declarations::{DeclarationKind, Declarations, Flags, NONE, Span};
use rustc_hash::FxHashMap;

pub(super) use self::builtins::EcmaBuiltins;
use self::pieces::ScriptPieces;
use super::dialect::{Component, Dialect, FileKind};
use super::{component, parse, stack};
use crate::syntax::declaring::{PLAIN, Tables, UNKNOWN, scope, unbound};

/// The declarations and references of a text. Broken code gives what can be read; code that nests
/// too deeply gives nothing. `stack` is the calling thread's stack size.
pub(super) fn read(
    text: &str,
    kind: FileKind,
    allocator: &mut Allocator,
    stack: usize,
) -> Declarations {
    let mut walker = Walker { class: NONE, ..Walker::default() };
    match kind {
        FileKind::Script(dialect) => walker.read(text, 0, dialect, allocator, stack),
        FileKind::Component(component) => {
            let scripts = component::scripts(text, component);
            walker.has_stores = component == Component::Svelte;
            for script in &scripts {
                allocator.reset();
                walker.read(script.code, script.start as u32, script.dialect, allocator, stack);
            }
            let sections = component::sections(text, component, &scripts);
            walker.markup(text, component, &scripts, &sections, (allocator, stack));
        }
    }
    walker.finish()
}

/// Walks one file.
#[derive(Default)]
struct Walker {
    tables: Tables,
    /// The doc comments, sorted by the position after them.
    docs: Vec<Span>,
    /// The shape of `this`.
    this: u32,
    /// The enclosing class.
    class: u32,
    /// The return shapes of the enclosing functions, innermost last.
    returns: Vec<functions::Returns>,
    /// The end of the current text in the file. Brackets that were added to close it lie beyond.
    end: u32,
    /// Whether top-level declarations are global.
    is_global: bool,
    /// The type that the last type predicate names.
    guard: u32,
    /// Paths of names that are known to be something here, innermost last.
    paths: Vec<narrowing::KnownPath>,
    /// The bindings of names that conditions say something of, with those before.
    narrowed_from: FxHashMap<u32, u32>,
    /// Statements that assign to a member of a name.
    assigned: Vec<(u32, u32)>,
    /// Whether `$name` is the value of the store `name`.
    has_stores: bool,
}

impl Deref for Walker {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        &self.tables
    }
}

impl DerefMut for Walker {
    fn deref_mut(&mut self) -> &mut Tables {
        &mut self.tables
    }
}

impl Walker {
    /// Reads a script at an offset in the file.
    fn read(
        &mut self,
        code: &str,
        start: u32,
        dialect: Dialect,
        allocator: &mut Allocator,
        stack: usize,
    ) {
        self.end = start + code.len() as u32;
        let (walker, arena) = (&mut *self, &mut *allocator);
        let is_read = stack::with_enough_stack(code, None, stack, move || {
            let parsed = parse::parse(arena, code, dialect.source_types());
            let Some(program) = &parsed.program else { return false };
            walker.base = start;
            walker.program(program);
            true
        });
        if is_read == Some(false) {
            let pieces = ScriptPieces::of(code);
            self.is_global = !pieces.is_module;
            for (at, piece) in pieces.iter() {
                let at = start + at as u32;
                self.end = at + piece.len() as u32;
                self.piece(piece, at, dialect, allocator, stack);
            }
        }
    }

    fn program(&mut self, program: &Program<'_>) {
        // A file without imports and exports is global.
        self.is_global = !program.body.iter().any(oxc_ast::ast::Statement::is_module_declaration);
        self.body(program);
    }

    fn body(&mut self, program: &Program<'_>) {
        let text = program.source_text;
        let docs = program.comments.iter().filter(|comment| comment.is_jsdoc());
        self.docs = docs
            .map(|comment| {
                let after = text.get(comment.span.end as usize..).unwrap_or_default();
                let gap = after.len() - after.trim_start().len();
                let end = comment.span.end + gap as u32;
                self.span(oxc_span::Span::new(comment.span.start, end))
            })
            .collect();
        for statement in &program.body {
            self.top_statement(statement);
        }
    }

    /// Resolves all names.
    fn finish(mut self) -> Declarations {
        self.merge_assigned();
        self.tables.finish()
    }

    /// Adds a use of a name.
    fn value_name(&mut self, name: &str, at: u32) -> u32 {
        let store = name.strip_prefix('$').filter(|store| self.has_stores && !is_rune(store));
        match store {
            // What a store holds is not known.
            Some(store) => {
                self.tables.value_name(store, at + 1);
                UNKNOWN
            }
            None => self.tables.value_name(name, at),
        }
    }

    fn span(&self, span: oxc_span::Span) -> Span {
        let (start, end) = (self.base + span.start, self.base + span.end);
        Span::new(start.min(self.end), end.min(self.end))
    }

    /// Adds a declaration inside the current one.
    fn item(&mut self, kind: DeclarationKind, name: u32, span: oxc_span::Span) -> u32 {
        let span = self.span(span);
        let doc = self.docs.binary_search_by_key(&span.start, |doc| doc.end);
        let doc = doc.ok().and_then(|at| self.docs.get(at)).map_or(NONE, |doc| doc.start);
        let is_global = self.is_global && self.parent == NONE;
        let item = self.declare(kind, name, span);
        self.edit(item, |item| {
            item.doc = doc;
            item.flags.0 |= if is_global { Flags::GLOBAL } else { 0 };
        });
        item
    }

    /// Adds a member of the current declaration.
    fn member_item(&mut self, kind: DeclarationKind, name: u32, span: oxc_span::Span) -> u32 {
        let item = self.item(kind, name, span);
        self.edit(item, |item| item.flags.0 |= Flags::MEMBER);
        item
    }

    /// Walks a part of a declaration.
    fn within<R>(&mut self, item: u32, walk: impl FnOnce(&mut Self) -> R) -> R {
        let around = std::mem::replace(&mut self.parent, item);
        let result = walk(self);
        self.parent = around;
        result
    }

    /// Walks a node whose members do not appear in an outline.
    fn hidden<R>(&mut self, walk: impl FnOnce(&mut Self) -> R) -> R {
        self.opaque += 1;
        let result = walk(self);
        self.opaque -= 1;
        result
    }

    /// Walks in a new scope.
    fn scoped<R>(&mut self, is_function: bool, walk: impl FnOnce(&mut Self) -> R) -> R {
        let around = self.scopes.open(is_function);
        let result = walk(self);
        self.scopes.close(around);
        result
    }
}

/// Whether `$` and this word are a rune of Svelte, and not the value of a store.
fn is_rune(word: &str) -> bool {
    const RUNES: [&str; 8] =
        ["", "state", "derived", "effect", "props", "bindable", "inspect", "host"];
    word.starts_with('$') || RUNES.contains(&word)
}
