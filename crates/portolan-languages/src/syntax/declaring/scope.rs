//! Lexical scopes, and the names that wait to be resolved in them.

use portolan_types::declarations::{Binding, Declarations, Export, Exported, List, NONE, Shape};
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
    /// The branch that it stands in.
    branch: u32,
    /// Whether it says only that there is no value yet.
    is_empty: bool,
}

/// A part of a function that may not run, or more than once. The first one is the whole file.
#[derive(Debug, Default)]
struct Branch {
    parent: u32,
    is_loop: bool,
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
    /// The branch that it stands in, and how many bindings there were before it.
    branch: u32,
    before: u32,
}

/// The most values of a variable that are told apart.
const MOST_VALUES: usize = 6;

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
    /// The branches of the code. Languages that declare each variable once have only the first.
    branches: Vec<Branch>,
    branch: u32,
    /// Whether a name can be given another value by what looks like a declaration.
    is_sequential: bool,
    /// The bindings that stand for one of several.
    joined: FxHashMap<Vec<u32>, u32>,
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
            branches: vec![Branch::default()],
            branch: 0,
            is_sequential: false,
            joined: FxHashMap::default(),
            exports: Vec::new(),
        }
    }
}

impl Scopes {
    /// In this language a name can be given another value by what looks like a declaration.
    pub(crate) fn follow_values(&mut self) {
        self.is_sequential = true;
    }

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
        let (branch, is_empty) = (self.branch, false);
        self.meanings.push(NameBinding { space, binding, before, branch, is_empty });
    }

    /// The last binding says only that there is no value yet.
    pub(crate) fn mark_empty(&mut self) {
        if let Some(last) = self.meanings.last_mut() {
            last.is_empty = true;
        }
    }

    /// Enters a part of a function that may not run, or more than once. Returns the one around for
    /// [`Scopes::close_branch`].
    pub(crate) fn open_branch(&mut self, is_loop: bool) -> u32 {
        let around = self.branch;
        self.branches.push(Branch { parent: around, is_loop });
        self.branch = (self.branches.len() - 1) as u32;
        around
    }

    pub(crate) fn close_branch(&mut self, around: u32) {
        self.branch = around;
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
        let (scope, branch, before) = (self.current, self.branch, self.meanings.len() as u32);
        let lookup = PendingLookup { scope, name, space, shape, reference, branch, before };
        self.pending.push(lookup);
    }

    /// Resolves an exported name later.
    pub(crate) fn ask_export(&mut self, name: u32, export: u32) {
        self.exports.push((self.current, name, export));
    }

    /// Resolves everything that waits.
    pub(crate) fn resolve_pending(&mut self, facts: &mut Declarations) {
        for lookup in std::mem::take(&mut self.pending) {
            let found = self.variable(facts, &lookup);
            let last = || self.find(lookup.scope, lookup.name, lookup.space);
            let Some(binding) = found.or_else(last) else { continue };
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

    /// What a variable means that is assigned more than once: the last value before the use, and those of branches that may
    /// have run since. `None` for everything else.
    fn variable(&mut self, facts: &mut Declarations, lookup: &PendingLookup) -> Option<u32> {
        if !self.is_sequential {
            return None;
        }
        let (mut at, mut is_outside) = (lookup.scope, false);
        while !self.last.contains_key(&(at, lookup.name)) {
            let scope = self.all.get(at as usize)?;
            is_outside |= scope.is_function;
            at = scope.parent?;
        }
        let mut values = Vec::new();
        let mut next = self.last.get(&(at, lookup.name)).copied();
        let mut is_known = false;
        while let Some(number) = next
            && let Some(meaning) = self.meanings.get(number as usize)
        {
            next = meaning.before;
            let known = facts.bindings.get(meaning.binding as usize)?;
            if known.item != NONE || known.import != NONE || known.is_parameter {
                return None;
            }
            let is_later = number >= lookup.before;
            if !is_outside && is_later && !self.is_again(meaning.branch, lookup.branch) {
                continue;
            }
            if !meaning.is_empty && !values.contains(&meaning.binding) {
                values.push(meaning.binding);
            }
            is_known = true;
            if !is_outside && !is_later && self.is_within(lookup.branch, meaning.branch) {
                break;
            }
        }
        match values.as_slice() {
            [] if is_known => self.find(lookup.scope, lookup.name, lookup.space),
            [] => None,
            [only] => Some(*only),
            _ => Some(self.join(facts, lookup.name, values)),
        }
    }

    /// The binding that stands for one of several.
    fn join(&mut self, facts: &mut Declarations, name: u32, mut values: Vec<u32>) -> u32 {
        values.truncate(MOST_VALUES);
        if let Some(known) = self.joined.get(&values) {
            return *known;
        }
        let shape = |binding: &u32| facts.bindings.get(*binding as usize).map_or(0, |it| it.shape);
        let mut parts: Vec<u32> = values.iter().map(shape).collect();
        parts.dedup();
        let start = facts.lists.len() as u32;
        let parts_list = List { start, len: parts.len() as u32 };
        facts.lists.extend(parts);
        facts.shapes.push(Shape::Union { parts: parts_list });
        let shape = (facts.shapes.len() - 1) as u32;
        let (item, import, default) = (NONE, NONE, 0);
        facts.bindings.push(Binding { name, item, import, shape, default, is_parameter: false });
        let binding = (facts.bindings.len() - 1) as u32;
        self.joined.insert(values, binding);
        binding
    }

    /// Whether a branch is another one, or a part of it.
    fn is_within(&self, branch: u32, of: u32) -> bool {
        let mut at = branch;
        while at > of {
            at = self.branches.get(at as usize).map_or(0, |it| it.parent);
        }
        at == of
    }

    /// Whether a binding comes before a use when a loop that both stand in runs again.
    fn is_again(&self, binding: u32, using: u32) -> bool {
        let mut at = using;
        while at > 0 {
            let Some(branch) = self.branches.get(at as usize) else { return false };
            if branch.is_loop && self.is_within(binding, at) {
                return true;
            }
            at = branch.parent;
        }
        false
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
