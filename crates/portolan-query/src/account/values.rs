//! Which members a file uses of the same value.

use std::collections::{BTreeMap, BTreeSet};

use portolan_types::declarations::{Declarations, Reference, Shape, Usage};

/// The names of the members that are used of each value of a file.
pub(super) struct ValueMembers {
    /// Values that names of the file lead to.
    named: BTreeMap<Vec<u32>, BTreeSet<u32>>,
    /// Members that are written in the same literal or pattern.
    written: BTreeMap<(u32, Usage), BTreeSet<u32>>,
}

impl ValueMembers {
    pub(super) fn of(facts: &Declarations) -> Self {
        let mut found = Self { named: BTreeMap::new(), written: BTreeMap::new() };
        for it in &facts.references {
            match path_of(facts, it.of).filter(|_| !is_name(it.usage)) {
                Some(path) if it.usage != Usage::Given => {
                    found.named.entry(path).or_default().insert(it.name);
                }
                Some(_) => {}
                None => {
                    found.written.entry((it.of, it.usage)).or_default().insert(it.name);
                }
            }
        }
        found
    }

    /// The names of the members that are used of the same value as far as it is told by a name of its file, or written in
    /// the same literal or pattern.
    pub(super) fn beside<'f>(
        &self,
        facts: &'f Declarations,
        reference: &Reference,
    ) -> Vec<&'f str> {
        let found = match path_of(facts, reference.of) {
            Some(path) => self.named.get(&path),
            None if reference.of > 1 => self.written.get(&(reference.of, reference.usage)),
            None => None,
        };
        found.into_iter().flatten().map(|name| facts.name(*name)).collect()
    }
}

fn is_name(usage: Usage) -> bool {
    matches!(usage, Usage::Value | Usage::Type)
}

/// What a value was before a condition said something of it.
fn before_narrowing(facts: &Declarations, shape: u32) -> Option<u32> {
    match facts.shape(shape) {
        Shape::Guarded { value, .. }
        | Shape::Narrowed { value, .. }
        | Shape::Checked { value, .. } => Some(value),
        _ => None,
    }
}

/// A value as the name that it starts with and the members that lead to it.
fn path_of(facts: &Declarations, shape: u32) -> Option<Vec<u32>> {
    const MOST: usize = 12;
    let (mut at, mut path) = (shape, Vec::new());
    for _ in 0..MOST {
        match facts.shape(at) {
            Shape::Name { binding } => {
                // A value that was narrowed down is the same value.
                let known = facts.bindings.get(binding as usize).map_or(0, |it| it.shape);
                if let Some(before) = before_narrowing(facts, known) {
                    at = before;
                    continue;
                }
                path.push(binding);
                return Some(path);
            }
            Shape::Guarded { value, .. }
            | Shape::Narrowed { value, .. }
            | Shape::Checked { value, .. } => at = value,
            Shape::Member { base, name } => {
                path.push(name);
                at = base;
            }
            _ => return None,
        }
    }
    None
}
