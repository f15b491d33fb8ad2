//! The tables that every declaration reader fills: declarations, bindings, references and scopes.

pub(crate) mod scope;
#[cfg(test)]
pub(crate) mod shown;

use std::hash::Hasher as _;

use portolan_types::declarations::{
    Binding, Declaration, DeclarationKind, Declarations, Flags, List, NONE, Reference, Shape, Span,
    Usage,
};
use rustc_hash::{FxHashMap, FxHasher};

use self::scope::{Scopes, Space};

/// The unknown shape.
pub(crate) const UNKNOWN: u32 = 0;
/// The shape of primitive values.
pub(crate) const PLAIN: u32 = 1;

/// Collects the declarations of one file.
pub(crate) struct Tables {
    pub(crate) facts: Declarations,
    pub(crate) scopes: Scopes,
    /// The numbers of names by hash. Colliding hashes take the next free key.
    names: FxHashMap<u64, u32>,
    /// The last known declaration in each merged chain.
    ends: FxHashMap<u32, u32>,
    /// Where the current script starts in the file.
    pub(crate) base: u32,
    /// The enclosing declaration.
    pub(crate) parent: u32,
    /// How many enclosing nodes hide members from an outline.
    pub(crate) opaque: u32,
}

impl Default for Tables {
    fn default() -> Self {
        let mut facts = Declarations::default();
        facts.shapes.extend([Shape::Unknown, Shape::Plain]);
        Self {
            facts,
            scopes: Scopes::default(),
            names: FxHashMap::default(),
            ends: FxHashMap::default(),
            base: 0,
            parent: NONE,
            opaque: 0,
        }
    }
}

impl Tables {
    /// Resolves all names and returns the declarations.
    pub(crate) fn finish(mut self) -> Declarations {
        self.scopes.resolve_pending(&mut self.facts);
        self.facts.references.retain(|reference| {
            let is_name = matches!(reference.usage, Usage::Value | Usage::Type);
            let binding = self.facts.bindings.get(reference.of as usize);
            // A local name has no target outside of its function.
            !is_name || binding.is_none_or(|binding| binding.item != NONE || binding.import != NONE)
        });
        self.facts.references.sort_by_key(|reference| (reference.at, reference.usage));
        self.facts.shapes.shrink_to_fit();
        self.facts.references.shrink_to_fit();
        self.facts.items.shrink_to_fit();
        self.facts
    }

    pub(crate) fn name(&mut self, name: &str) -> u32 {
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

    pub(crate) fn shape(&mut self, shape: Shape) -> u32 {
        self.facts.shapes.push(shape);
        (self.facts.shapes.len() - 1) as u32
    }

    pub(crate) fn list(&mut self, numbers: &[u32]) -> List {
        let start = self.facts.lists.len() as u32;
        self.facts.lists.extend_from_slice(numbers);
        List { start, len: numbers.len() as u32 }
    }

    /// A union of shapes, without the unknown ones.
    pub(crate) fn union(&mut self, parts: &[u32]) -> u32 {
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

    pub(crate) fn member(&mut self, base: u32, name: u32) -> u32 {
        if base <= PLAIN { base } else { self.shape(Shape::Member { base, name }) }
    }

    /// Adds a declaration inside the current one. The span is in the file.
    pub(crate) fn declare(&mut self, kind: DeclarationKind, name: u32, span: Span) -> u32 {
        let flags = if self.opaque > 0 { Flags::LOCAL } else { 0 };
        self.facts.items.push(Declaration {
            name,
            kind,
            flags: Flags(flags),
            parent: self.parent,
            span,
            at: span.start,
            body: Span::default(),
            doc: NONE,
            shape: UNKNOWN,
            parameters: List::default(),
            bases: List::default(),
            members: List::default(),
            next: NONE,
        });
        (self.facts.items.len() - 1) as u32
    }

    pub(crate) fn edit(&mut self, item: u32, change: impl FnOnce(&mut Declaration)) {
        if let Some(item) = self.facts.items.get_mut(item as usize) {
            change(item);
        }
    }

    /// Binds a local name that is not a declaration.
    pub(crate) fn local(&mut self, name: &str, shape: u32) -> u32 {
        let name = self.name(name);
        self.bind(name, Space::Value, Binding { shape, ..unbound(name) })
    }

    pub(crate) fn bind(&mut self, name: u32, space: Space, binding: Binding) -> u32 {
        let number = self.facts.bindings.len() as u32;
        self.facts.bindings.push(binding);
        self.scopes.declare(name, space, number);
        number
    }

    /// Binds the name of a declaration, merged with earlier ones of the same name.
    pub(crate) fn bind_item(&mut self, name: u32, space: Space, item: u32, shape: u32) -> u32 {
        // A type and a value with the same name are two sides of one declaration.
        if let Some(known) = self.scopes.own(name, Space::Both)
            && let Some(binding) = self.facts.bindings.get_mut(known as usize)
            && binding.item != NONE
        {
            if binding.shape == UNKNOWN {
                binding.shape = shape;
            }
            let first = binding.item;
            self.merge(first, item);
            self.scopes.declare(name, space, known);
            return known;
        }
        self.bind(name, space, Binding { item, shape, ..unbound(name) })
    }

    /// Appends a declaration to a merged chain. The end of the chain is cached, because a file may
    /// have thousands of overloads.
    pub(crate) fn merge(&mut self, first: u32, item: u32) {
        let known = self.ends.get(&first).copied().unwrap_or(first);
        let last = self.facts.merged(known).last().unwrap_or(known);
        if last != item {
            self.edit(last, |last| last.next = item);
        }
        self.ends.insert(first, item);
    }

    /// Adds a use of a name. Its meaning is resolved at the end.
    pub(crate) fn value_name(&mut self, name: &str, at: u32) -> u32 {
        let name = self.name(name);
        let shape = self.shape(Shape::Free { name });
        let reference = self.refer(name, at, Usage::Value, NONE);
        self.scopes.ask(name, Space::Value, shape, reference);
        shape
    }

    pub(crate) fn refer(&mut self, name: u32, at: u32, usage: Usage, of: u32) -> u32 {
        self.facts.references.push(Reference { at: self.base + at, name, usage, of });
        (self.facts.references.len() - 1) as u32
    }
}

/// An empty binding.
pub(crate) fn unbound(name: u32) -> Binding {
    Binding {
        name,
        item: NONE,
        import: NONE,
        shape: UNKNOWN,
        default: UNKNOWN,
        is_parameter: false,
    }
}
