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
mod patterns;
mod scope;
mod statements;
mod types;

#[cfg(test)]
mod tests;

use std::hash::Hasher as _;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use portolan_types::declarations::{
    Binding, Declaration, DeclarationKind, Declarations, Flags, List, NONE, Reference, Shape, Span,
    Usage,
};
use rustc_hash::{FxHashMap, FxHasher};

pub(super) use self::builtins::EcmaBuiltins;
use self::scope::{Scopes, Space};
use super::dialect::{Dialect, FileKind};
use super::{component, parse, stack};

/// The shape of which nothing is known.
pub(crate) const UNKNOWN: u32 = 0;
/// The shape of text, numbers and the like.
pub(crate) const PLAIN: u32 = 1;

/// The declarations of a text and what they refer to. Broken code gives what can be read; what is too
/// deep to be parsed, nothing. `stack` is the room that the calling thread has.
pub(super) fn read(
    text: &str,
    kind: FileKind,
    allocator: &mut Allocator,
    stack: usize,
) -> Declarations {
    let mut walker = Walker::default();
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

/// Collects the facts of a file.
struct Walker {
    facts: Declarations,
    /// The numbers of names by their hashes; where two agree, the next number up is free.
    names: FxHashMap<u64, u32>,
    scopes: Scopes,
    /// Where the script starts in the file.
    base: u32,
    /// The doc comments, by the place after them.
    docs: Vec<Span>,
    /// The declaration that is walked.
    parent: u32,
    /// How many things are around that hide members from an outline.
    opaque: u32,
    /// What `this` is.
    this: u32,
    /// The class around.
    class: u32,
    /// What the functions around return, innermost last.
    returns: Vec<functions::Returns>,
    /// Whether what is declared is in force everywhere.
    is_global: bool,
    /// Statements that assign a member of a name.
    assigned: Vec<(u32, u32)>,
}

impl Default for Walker {
    fn default() -> Self {
        let mut facts = Declarations::default();
        facts.shapes.extend([Shape::Unknown, Shape::Plain]);
        Self {
            facts,
            names: FxHashMap::default(),
            scopes: Scopes::default(),
            base: 0,
            docs: Vec::new(),
            parent: NONE,
            opaque: 0,
            this: UNKNOWN,
            class: NONE,
            returns: Vec::new(),
            is_global: false,
            assigned: Vec::new(),
        }
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
        let walker = &mut *self;
        stack::with_room_for(code, None, stack, move || {
            let parsed = parse::parse(allocator, code, dialect.source_types());
            if let Some(program) = &parsed.program {
                walker.base = start;
                walker.program(program);
            }
        });
    }

    fn program(&mut self, program: &Program<'_>) {
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
        // A file without imports and exports is in force everywhere.
        self.is_global = !program.body.iter().any(oxc_ast::ast::Statement::is_module_declaration);
        for statement in &program.body {
            self.top_statement(statement);
        }
    }

    /// Looks all names up.
    fn finish(mut self) -> Declarations {
        self.settle_assigned();
        self.scopes.settle(&mut self.facts);
        self.facts.references.retain(|reference| {
            let is_name = matches!(reference.usage, Usage::Value | Usage::Type);
            let binding = self.facts.bindings.get(reference.of as usize);
            // A name of the function around leads nowhere.
            !is_name || binding.is_none_or(|binding| binding.item != NONE || binding.import != NONE)
        });
        self.facts.references.sort_by_key(|reference| (reference.at, reference.usage));
        self.facts.shapes.shrink_to_fit();
        self.facts.references.shrink_to_fit();
        self.facts.items.shrink_to_fit();
        self.facts
    }

    fn name(&mut self, name: &str) -> u32 {
        let mut hasher = FxHasher::default();
        hasher.write(name.as_bytes());
        let mut key = hasher.finish();
        while let Some(known) = self.names.get(&key) {
            if self.facts.name(*known) == name {
                return *known;
            }
            key = key.wrapping_add(1);
        }
        let number = self.facts.names.len() as u32;
        self.facts.names.push(name.into());
        self.names.insert(key, number);
        number
    }

    fn span(&self, span: oxc_span::Span) -> Span {
        Span::new(self.base + span.start, self.base + span.end)
    }

    fn shape(&mut self, shape: Shape) -> u32 {
        self.facts.shapes.push(shape);
        (self.facts.shapes.len() - 1) as u32
    }

    fn list(&mut self, numbers: &[u32]) -> List {
        let start = self.facts.lists.len() as u32;
        self.facts.lists.extend_from_slice(numbers);
        List { start, len: numbers.len() as u32 }
    }

    /// One of several, the unknown ones left out.
    fn union(&mut self, parts: &[u32]) -> u32 {
        let known: Vec<u32> = parts.iter().copied().filter(|part| *part > PLAIN).collect();
        match known.as_slice() {
            [] if parts.contains(&PLAIN) => PLAIN,
            [] => UNKNOWN,
            [only] => *only,
            _ => {
                let parts = self.list(&known);
                self.shape(Shape::Union { parts })
            }
        }
    }

    fn member(&mut self, base: u32, name: u32) -> u32 {
        if base <= PLAIN { base } else { self.shape(Shape::Member { base, name }) }
    }

    /// A new declaration inside the one that is walked.
    fn item(&mut self, kind: DeclarationKind, name: u32, span: oxc_span::Span) -> u32 {
        let span = self.span(span);
        let mut flags = 0;
        if self.opaque > 0 {
            flags |= Flags::LOCAL;
        }
        if self.is_global && self.parent == NONE {
            flags |= Flags::GLOBAL;
        }
        let doc = self.docs.binary_search_by_key(&span.start, |doc| doc.end);
        let doc = doc.ok().and_then(|at| self.docs.get(at)).map_or(NONE, |doc| doc.start);
        self.facts.items.push(Declaration {
            name,
            kind,
            flags: Flags(flags),
            parent: self.parent,
            span,
            at: span.start,
            body: Span::default(),
            doc,
            shape: UNKNOWN,
            parameters: List::default(),
            bases: List::default(),
            members: List::default(),
            next: NONE,
        });
        (self.facts.items.len() - 1) as u32
    }

    /// A new member of the declaration that is walked.
    fn member_item(&mut self, kind: DeclarationKind, name: u32, span: oxc_span::Span) -> u32 {
        let item = self.item(kind, name, span);
        self.edit(item, |item| item.flags.0 |= Flags::MEMBER);
        item
    }

    fn edit(&mut self, item: u32, change: impl FnOnce(&mut Declaration)) {
        if let Some(item) = self.facts.items.get_mut(item as usize) {
            change(item);
        }
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

    /// Declares a name that is no declaration of its own.
    fn local(&mut self, name: &str, shape: u32) -> u32 {
        let name = self.name(name);
        self.bind(name, Space::Value, Binding { shape, ..unbound(name) })
    }

    fn bind(&mut self, name: u32, space: Space, binding: Binding) -> u32 {
        let number = self.facts.bindings.len() as u32;
        self.facts.bindings.push(binding);
        self.scopes.declare(name, space, number);
        number
    }

    /// Declares the name of a declaration; it is merged with those of the same name.
    fn bind_item(&mut self, name: u32, space: Space, item: u32, shape: u32) -> u32 {
        // A type and a value of one name are one thing with two sides.
        if let Some(known) = self.scopes.own(name, Space::Both)
            && let Some(binding) = self.facts.bindings.get_mut(known as usize)
            && binding.item != NONE
        {
            if binding.shape == UNKNOWN {
                binding.shape = shape;
            }
            let first = binding.item;
            let last = self.facts.merged(first).last().unwrap_or(first);
            if last != item {
                self.edit(last, |last| last.next = item);
            }
            self.scopes.declare(name, space, known);
            return known;
        }
        self.bind(name, space, Binding { item, shape, ..unbound(name) })
    }

    /// The use of a name: what it means is looked up at the end.
    fn value_name(&mut self, name: &str, at: u32) -> u32 {
        let name = self.name(name);
        let shape = self.shape(Shape::Free { name });
        let reference = self.refer(name, at, Usage::Value, NONE);
        self.scopes.ask(name, Space::Value, shape, reference);
        shape
    }

    fn refer(&mut self, name: u32, at: u32, usage: Usage, of: u32) -> u32 {
        self.facts.references.push(Reference { at: self.base + at, name, usage, of });
        (self.facts.references.len() - 1) as u32
    }
}

/// A binding of which nothing is known.
fn unbound(name: u32) -> Binding {
    Binding {
        name,
        item: NONE,
        import: NONE,
        shape: UNKNOWN,
        default: UNKNOWN,
        is_parameter: false,
    }
}
