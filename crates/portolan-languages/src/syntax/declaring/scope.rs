//! Scopes, and the names that wait to be looked up in them.

use portolan_types::declarations::{Declarations, Export, Exported, NONE, Shape};
use rustc_hash::FxHashMap;

/// Values and types have names of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Value,
    Type,
    /// Classes, enums, namespaces and imports are both.
    Both,
}

impl Space {
    fn holds(self, wanted: Self) -> bool {
        self == wanted || self == Self::Both || wanted == Self::Both
    }
}

#[derive(Debug, Default)]
struct Scope {
    parent: Option<u32>,
    is_function: bool,
}

/// What a name means in a scope.
#[derive(Debug)]
struct Meaning {
    space: Space,
    binding: u32,
    /// What the same name was declared as before, in the same scope.
    before: Option<u32>,
}

/// A name that waits.
#[derive(Debug)]
struct Question {
    scope: u32,
    name: u32,
    space: Space,
    /// The shape and the reference to write the answer to.
    shape: u32,
    reference: u32,
}

/// The scopes of a file.
#[derive(Debug)]
pub(crate) struct Scopes {
    all: Vec<Scope>,
    current: u32,
    meanings: Vec<Meaning>,
    /// The last meaning of a name in a scope: generated code has very many names in one.
    last: FxHashMap<(u32, u32), u32>,
    questions: Vec<Question>,
    /// Exports of names: their place in the list.
    exports: Vec<(u32, u32, u32)>,
}

impl Default for Scopes {
    fn default() -> Self {
        let file = Scope { is_function: true, ..Scope::default() };
        Self {
            all: vec![file],
            current: 0,
            meanings: Vec::new(),
            last: FxHashMap::default(),
            questions: Vec::new(),
            exports: Vec::new(),
        }
    }
}

impl Scopes {
    /// Opens a scope; gives the one around it, for [`Scopes::close`].
    pub(crate) fn open(&mut self, is_function: bool) -> u32 {
        let around = self.current;
        self.all.push(Scope { parent: Some(around), is_function });
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
        self.meanings.push(Meaning { space, binding, before });
    }

    /// Declares a name for the whole function around.
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

    /// What a name means in the current scope itself.
    pub(crate) fn own(&self, name: u32, space: Space) -> Option<u32> {
        self.within(self.current, name, space)
    }

    /// What a name means in a scope itself: the last that was declared counts.
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

    /// Whether a name is declared here or around, so far.
    #[cfg(any(feature = "go", feature = "java"))]
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
        self.questions.push(Question { scope, name, space, shape, reference });
    }

    /// Asks what an exported name means.
    pub(crate) fn ask_export(&mut self, name: u32, export: u32) {
        self.exports.push((self.current, name, export));
    }

    /// Answers everything.
    pub(crate) fn settle(&mut self, facts: &mut Declarations) {
        for question in std::mem::take(&mut self.questions) {
            let Some(binding) = self.find(question.scope, question.name, question.space) else {
                continue;
            };
            if let Some(shape) = facts.shapes.get_mut(question.shape as usize) {
                *shape = match *shape {
                    Shape::FreeType { arguments, .. } => Shape::Type { binding, arguments },
                    _ => Shape::Name { binding },
                };
            }
            if let Some(reference) = facts.references.get_mut(question.reference as usize) {
                reference.of = binding;
            }
        }
        for (scope, name, export) in std::mem::take(&mut self.exports) {
            let value = self.find(scope, name, Space::Value);
            let named = self.find(scope, name, Space::Type).filter(|other| Some(*other) != value);
            let first = value.or(named).unwrap_or(NONE);
            let Some(export) = facts.exports.get_mut(export as usize) else { continue };
            // A value that is exported under a name is a declaration already.
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
