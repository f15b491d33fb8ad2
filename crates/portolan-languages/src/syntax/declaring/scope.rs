//! Lexical scopes, and the names that wait to be resolved in them.

use portolan_types::declarations::{Declarations, Export, Exported, NONE, Shape};
use rustc_hash::FxHashMap;

/// The name space of a binding. Values and types have separate ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Value,
    Type,
    /// Classes, enums, namespaces and imports are in both.
    Both,
}

impl Space {
    fn holds(self, wanted: Self) -> bool {
        self == wanted || self == Self::Both || wanted == Self::Both
    }
}

#[derive(Debug, Default)]
struct LexicalScope {
    parent: Option<u32>,
    is_function: bool,
}

/// A binding of a name in a scope.
#[derive(Debug)]
struct NameBinding {
    space: Space,
    binding: u32,
    /// The previous binding of the same name in the same scope.
    before: Option<u32>,
}

/// A name that waits to be resolved.
#[derive(Debug)]
struct PendingLookup {
    scope: u32,
    name: u32,
    space: Space,
    /// Where the result goes.
    shape: u32,
    reference: u32,
}

/// The scopes of a file.
#[derive(Debug)]
pub(crate) struct Scopes {
    all: Vec<LexicalScope>,
    current: u32,
    meanings: Vec<NameBinding>,
    /// The last binding of each name in each scope. It is a map because generated code has very
    /// many names in one scope.
    last: FxHashMap<(u32, u32), u32>,
    pending: Vec<PendingLookup>,
    /// Exported names: scope, name, and index in the exports.
    exports: Vec<(u32, u32, u32)>,
}

impl Default for Scopes {
    fn default() -> Self {
        let file = LexicalScope { is_function: true, ..LexicalScope::default() };
        Self {
            all: vec![file],
            current: 0,
            meanings: Vec::new(),
            last: FxHashMap::default(),
            pending: Vec::new(),
            exports: Vec::new(),
        }
    }
}

impl Scopes {
    /// Opens a scope. Returns the enclosing one for [`Scopes::close`].
    pub(crate) fn open(&mut self, is_function: bool) -> u32 {
        let around = self.current;
        self.all.push(LexicalScope { parent: Some(around), is_function });
        self.current = (self.all.len() - 1) as u32;
        around
    }

    pub(crate) fn close(&mut self, around: u32) {
        self.current = around;
    }

    pub(crate) fn declare(&mut self, name: u32, space: Space, binding: u32) {
        self.declare_in(self.current, name, space, binding);
    }

    fn declare_in(&mut self, scope: u32, name: u32, space: Space, binding: u32) {
        let number = self.meanings.len() as u32;
        let before = self.last.insert((scope, name), number);
        self.meanings.push(NameBinding { space, binding, before });
    }

    /// Declares a name in the enclosing function scope.
    pub(crate) fn hoist(&mut self, name: u32, binding: u32) {
        let mut at = self.current;
        while let Some(scope) = self.all.get(at as usize)
            && let (false, Some(parent)) = (scope.is_function, scope.parent)
        {
            at = parent;
        }
        if at != self.current {
            self.declare_in(at, name, Space::Value, binding);
        }
    }

    /// The binding of a name in the current scope itself.
    pub(crate) fn own(&self, name: u32, space: Space) -> Option<u32> {
        self.within(self.current, name, space)
    }

    /// The binding of a name in a scope itself. The last one counts.
    fn within(&self, scope: u32, name: u32, space: Space) -> Option<u32> {
        let mut next = self.last.get(&(scope, name)).copied();
        while let Some(meaning) = next.and_then(|at| self.meanings.get(at as usize)) {
            if meaning.space.holds(space) {
                return Some(meaning.binding);
            }
            next = meaning.before;
        }
        None
    }

    /// Whether a name is declared in the current or an enclosing scope so far.
    pub(crate) fn knows(&self, name: u32) -> bool {
        let mut next = Some(self.current);
        while let Some(at) = next {
            if self.last.contains_key(&(at, name)) {
                return true;
            }
            next = self.all.get(at as usize).and_then(|scope| scope.parent);
        }
        false
    }

    /// What a name means here, as far as it is declared by now.
    pub(crate) fn lookup(&self, name: u32) -> Option<u32> {
        self.find(self.current, name, Space::Value)
    }

    /// Asks what a name means here.
    pub(crate) fn ask(&mut self, name: u32, space: Space, shape: u32, reference: u32) {
        let scope = self.current;
        self.pending.push(PendingLookup { scope, name, space, shape, reference });
    }

    /// Resolves an exported name later.
    pub(crate) fn ask_export(&mut self, name: u32, export: u32) {
        self.exports.push((self.current, name, export));
    }

    /// Resolves everything that waits.
    pub(crate) fn resolve_pending(&mut self, facts: &mut Declarations) {
        for lookup in std::mem::take(&mut self.pending) {
            let Some(binding) = self.find(lookup.scope, lookup.name, lookup.space) else {
                continue;
            };
            if let Some(shape) = facts.shapes.get_mut(lookup.shape as usize) {
                *shape = match *shape {
                    Shape::FreeType { arguments, .. } => Shape::Type { binding, arguments },
                    _ => Shape::Name { binding },
                };
            }
            if let Some(reference) = facts.references.get_mut(lookup.reference as usize) {
                reference.of = binding;
            }
        }
        for (scope, name, export) in std::mem::take(&mut self.exports) {
            let value = self.find(scope, name, Space::Value);
            let named = self.find(scope, name, Space::Type).filter(|other| Some(*other) != value);
            let first = value.or(named).unwrap_or(NONE);
            let Some(export) = facts.exports.get_mut(export as usize) else { continue };
            // A value exported under a name is already a declaration.
            if first == NONE && matches!(export.what, Export::Item(_)) {
                continue;
            }
            export.what = Export::Binding(first);
            let second = Exported { what: Export::Binding(named.unwrap_or(NONE)), ..*export };
            if value.is_some() && named.is_some() {
                facts.exports.push(second);
            }
        }
    }

    fn find(&self, scope: u32, name: u32, space: Space) -> Option<u32> {
        let mut next = Some(scope);
        while let Some(at) = next {
            if let Some(found) = self.within(at, name, space) {
                return Some(found);
            }
            next = self.all.get(at as usize)?.parent;
        }
        None
    }
}
