//! Declarations and references of TypeScript and JavaScript, from the whole text.
//!
//! One walk over the syntax tree, by hand: types and values are walked with what is *expected* at each
//! place (the type that is written for it), since that is what the names of object literals, the
//! parameters of callbacks and the attributes of components refer to. Scopes are kept on the way, and
//! names are looked up in them at the end: a name may be used before it is declared.

mod builtins;
mod classes;
mod expressions;
mod functions;
mod jsx;
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

pub(super) use self::builtins::EcmaBuiltins;
use self::pieces::Pieces;
use super::dialect::{Dialect, FileKind};
use super::{component, parse, stack};
use crate::syntax::declaring::{scope, unbound, PLAIN, Tables, UNKNOWN};

/// The declarations of a text and what they refer to. Broken code gives what can be read; what is too
/// deep to be parsed, nothing. `stack` is the room that the calling thread has.
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
            for script in component::scripts(text, component) {
                allocator.reset();
                walker.read(script.code, script.start as u32, script.dialect, allocator, stack);
            }
        }
    }
    walker.finish()
}

/// Walks a file.
#[derive(Default)]
struct Walker {
    tables: Tables,
    /// The doc comments, by the place after them.
    docs: Vec<Span>,
    /// What `this` is.
    this: u32,
    /// The class around.
    class: u32,
    /// What the functions around return, innermost last.
    returns: Vec<functions::Returns>,
    /// Where the text that is read ends in the file: brackets that were closed for it stand beyond.
    end: u32,
    /// Whether what is declared is in force everywhere.
    is_global: bool,
    /// What the type predicate that was read last says.
    guard: u32,
    /// Statements that assign a member of a name.
    assigned: Vec<(u32, u32)>,
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
    /// Reads a script that starts at `start`.
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
        let is_read = stack::with_room_for(code, None, stack, move || {
            let parsed = parse::parse(arena, code, dialect.source_types());
            let Some(program) = &parsed.program else { return false };
            walker.base = start;
            walker.program(program);
            true
        });
        if is_read == Some(false) {
            let pieces = Pieces::of(code);
            self.is_global = !pieces.is_module;
            for (at, piece) in pieces.iter() {
                let at = start + at as u32;
                self.end = at + piece.len() as u32;
                self.piece(piece, at, dialect, allocator, stack);
            }
        }
    }

    fn program(&mut self, program: &Program<'_>) {
        // A file without imports and exports is in force everywhere.
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

    /// Looks all names up.
    fn finish(mut self) -> Declarations {
        self.settle_assigned();
        self.tables.finish()
    }

    fn span(&self, span: oxc_span::Span) -> Span {
        let (start, end) = (self.base + span.start, self.base + span.end);
        Span::new(start.min(self.end), end.min(self.end))
    }

    /// A new declaration inside the one that is walked.
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

    /// A new member of the declaration that is walked.
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

    /// Walks what hides members from an outline.
    fn hidden<R>(&mut self, walk: impl FnOnce(&mut Self) -> R) -> R {
        self.opaque += 1;
        let result = walk(self);
        self.opaque -= 1;
        result
    }

    /// Walks with a scope of its own.
    fn scoped<R>(&mut self, is_function: bool, walk: impl FnOnce(&mut Self) -> R) -> R {
        let around = self.scopes.open(is_function);
        let result = walk(self);
        self.scopes.close(around);
        result
    }
}
