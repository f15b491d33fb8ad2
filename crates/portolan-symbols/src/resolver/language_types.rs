//! Types of the language itself: which of them a class builds on, and which of them a value is.
//!
//! No file declares `Error` or `Promise`. A class that overrides a member of such a type is used wherever a value of that
//! type may be an instance of it.

use portolan_types::FileId;
use std::collections::BTreeSet;

use portolan_types::declarations::{Declarations, NONE, Reference, Shape};

use super::types::{Entity, Type};
use super::{Place, Resolver};

/// The most steps from a value to its type.
const MOST_STEPS: u32 = 12;

/// Names of types of the language.
type Names = BTreeSet<&'static str>;

impl Resolver<'_> {
    /// The types of the language with a member of this name that a type builds on.
    pub fn language_bases(&self, of: Place, member: &str) -> Names {
        let mut types = self.supers(of);
        types.insert(of);
        let mut found = Names::new();
        for place in types {
            let Some(facts) = self.source.file(place.file) else { continue };
            self.begin(place.file);
            let items = facts.merged(place.item).filter_map(|item| facts.item(item));
            for base in items.flat_map(|item| facts.list(item.bases)) {
                self.add_language_type(place.file, *base, member, MOST_STEPS, &mut found);
            }
        }
        found
    }

    /// The types of the language with this member that the value of a reference may be of, as far as that is written.
    pub fn language_types(&self, file: FileId, reference: &Reference) -> Names {
        let Some(facts) = self.source.file(file) else { return Names::new() };
        self.begin(file);
        let member = facts.name(reference.name);
        let mut found = Names::new();
        self.add_language_type(file, reference.of, member, MOST_STEPS, &mut found);
        let entities = self.entities(&Type::at(file, reference.of));
        for entity in entities.iter().flat_map(Entity::parts) {
            if let Entity::Instance(place, _) = entity {
                found.extend(self.language_bases(*place, member));
            }
        }
        found
    }

    fn add_language_type(
        &self,
        file: FileId,
        shape: u32,
        member: &str,
        left: u32,
        found: &mut Names,
    ) {
        let Some(facts) = self.source.file(file).filter(|_| left > 0 && self.step()) else {
            return;
        };
        let mut go = |file: FileId, shape: u32| {
            self.add_language_type(file, shape, member, left - 1, found);
        };
        match facts.shape(shape) {
            Shape::FreeType { name, .. } | Shape::Free { name } => {
                let name = facts.name(name);
                if self.source.globals(file, name).is_empty() {
                    found.extend(self.source.builtins(file).language_type(name, member));
                }
            }
            Shape::New { callee, .. } => go(file, callee),
            Shape::Guarded { value, .. }
            | Shape::Narrowed { value, .. }
            | Shape::Checked { value, .. } => go(file, value),
            Shape::Union { parts } | Shape::Intersection { parts } => {
                facts.list(parts).iter().for_each(|part| go(file, *part));
            }
            Shape::Name { binding } => {
                if let Some(shape) = value_of(&facts, binding) {
                    go(file, shape);
                }
            }
            Shape::Member { base, name } => {
                for (file, shape) in self.written_members(file, base, facts.name(name)) {
                    go(file, shape);
                }
            }
            Shape::Call { callee, .. } => {
                for function in self.entities(&Type::at(file, callee)).iter() {
                    for (file, it, _) in self.signatures(function, "()") {
                        if it.is_async {
                            let language = self.source.builtins(file);
                            found.extend(language.language_type("Promise", member));
                        } else {
                            self.add_language_type(file, it.gives, member, left - 1, found);
                        }
                    }
                }
                // A method of a promise gives another one.
                if let Shape::Member { base, .. } = facts.shape(callee) {
                    let of = self.entities(&Type::at(file, base));
                    if of.iter().any(|it| matches!(it, Entity::Promise(_))) {
                        found.extend(self.source.builtins(file).language_type("Promise", member));
                    }
                }
            }
            _ => {}
        }
    }

    /// The shapes of the members of a value.
    fn written_members(&self, file: FileId, base: u32, name: &str) -> Vec<(FileId, u32)> {
        let owners = self.entities(&Type::at(file, base));
        let members = owners.iter().flat_map(|owner| self.entity_members(owner, name));
        let shapes = members.filter_map(|(place, _)| {
            let facts = self.source.file(place.file)?;
            facts.item(place.item).map(|item| (place.file, item.shape))
        });
        shapes.collect()
    }
}

/// The shape of a local variable, or of one of the file.
fn value_of(facts: &Declarations, binding: u32) -> Option<u32> {
    let known = facts.bindings.get(binding as usize)?;
    if known.import != NONE || known.is_parameter {
        return None;
    }
    Some(facts.item(known.item).map_or(known.shape, |item| item.shape))
}
