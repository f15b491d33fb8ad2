//! Scopes, and the names that wait to be looked up in them.

use portolan_types::declarations::{Declarations, Export, Exported, NONE, Shape};

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
    names: Vec<(u32, Space, u32)>,
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
    questions: Vec<Question>,
    /// Exports of names: their place in the list.
    exports: Vec<(u32, u32, u32)>,
}

impl Default for Scopes {
    fn default() -> Self {
        let file = Scope { is_function: true, ..Scope::default() };
        Self { all: vec![file], current: 0, questions: Vec::new(), exports: Vec::new() }
    }
}

impl Scopes {
    /// Opens a scope; gives the one around it, for [`Scopes::close`].
    pub(crate) fn open(&mut self, is_function: bool) -> u32 {
        let around = self.current;
        self.all.push(Scope { parent: Some(around), is_function, names: Vec::new() });
        self.current = (self.all.len() - 1) as u32;
        around
    }

    pub(crate) fn close(&mut self, around: u32) {
        self.current = around;
    }

    pub(crate) fn declare(&mut self, name: u32, space: Space, binding: u32) {
        if let Some(scope) = self.all.get_mut(self.current as usize) {
            scope.names.push((name, space, binding));
        }
    }

    /// Declares a name for the whole function around.
    pub(crate) fn hoist(&mut self, name: u32, binding: u32) {
        let mut at = self.current;
        while let Some(scope) = self.all.get(at as usize)
            && let (false, Some(parent)) = (scope.is_function, scope.parent)
        {
            at = parent;
        }
        if at != self.current
            && let Some(scope) = self.all.get_mut(at as usize)
        {
            scope.names.push((name, Space::Value, binding));
        }
    }

    /// What a name means in the current scope itself.
    pub(crate) fn own(&self, name: u32, space: Space) -> Option<u32> {
        let scope = self.all.get(self.current as usize)?;
        let mut names = scope.names.iter().rev();
        let is_it = |known: &&(u32, Space, u32)| known.0 == name && known.1.holds(space);
        names.find(is_it).map(|known| known.2)
    }

    /// Whether a name is declared here or around, so far.
    pub(crate) fn knows(&self, name: u32) -> bool {
        let mut next = Some(self.current);
        while let Some(scope) = next.and_then(|at| self.all.get(at as usize)) {
            if scope.names.iter().any(|known| known.0 == name) {
                return true;
            }
            next = scope.parent;
        }
        false
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
        for scope in &mut self.all {
            scope.names.sort_by_key(|(name, _, _)| *name);
        }
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
            export.what = Export::Binding(first);
            let second = Exported { what: Export::Binding(named.unwrap_or(NONE)), ..*export };
            if value.is_some() && named.is_some() {
                facts.exports.push(second);
            }
        }
    }

    fn find(&self, scope: u32, name: u32, space: Space) -> Option<u32> {
        let mut next = Some(scope);
        while let Some(scope) = next.and_then(|at| self.all.get(at as usize)) {
            let first = scope.names.partition_point(|known| known.0 < name);
            let named = scope.names.iter().skip(first).take_while(|known| known.0 == name);
            if let Some(found) = named.filter(|known| known.1.holds(space)).last() {
                return Some(found.2);
            }
            next = scope.parent;
        }
        None
    }
}
