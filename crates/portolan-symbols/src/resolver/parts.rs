//! The parts of lists and functions: elements, parameters and results.

use portolan_types::FileId;
use portolan_types::declarations::{Shape, Signature};

use super::evaluate::MOST_DEPTH;
use super::types::{Arguments, Entity, Type};
use super::{Place, Resolver};

impl Resolver<'_> {
    /// The elements of a list, a table or an index signature.
    pub(super) fn held(&self, entity: &Entity, index: Option<u32>) -> Vec<Entity> {
        match entity {
            Entity::List(element) | Entity::Table(element) => self.all(element),
            Entity::Tuple { file, parts, arguments } => {
                let Some(facts) = self.source.file(*file) else { return Vec::new() };
                let parts = facts.list(*parts);
                let part = |shape: &u32| self.all(&Type::under(*file, *shape, arguments));
                match index.and_then(|index| parts.get(index as usize)) {
                    Some(one) => part(one),
                    None => parts.iter().flat_map(part).collect(),
                }
            }
            Entity::Mapped { source, value } => match value {
                Some(value) => self.all(value),
                None => self.each(source, |entity| self.held(entity, index)),
            },
            entity => {
                let found = self.entity_members(entity, "[]").into_iter();
                let found: Vec<Entity> = found
                    .flat_map(|(place, arguments)| self.member_value(place, &arguments))
                    .collect();
                if let (Entity::Value(place, _), true) = (entity, found.is_empty())
                    && self.source.builtins(place.file).constructor().is_some()
                {
                    // `Box[int]` is the class, and going through an enumeration gives its cases.
                    return vec![entity.clone()];
                }
                let (Entity::Instance(place, arguments), true) = (entity, found.is_empty()) else {
                    return found;
                };
                let own = match index {
                    Some(index) => self.unnamed(*place, arguments, index),
                    None => self.gone_through(place.file, entity),
                };
                if own.is_empty() { self.held_by_bases(*place, arguments, index) } else { own }
            }
        }
    }

    /// The elements of what a class builds on: `class Entries(list[Entry])`.
    fn held_by_bases(&self, of: Place, arguments: &Arguments, index: Option<u32>) -> Vec<Entity> {
        let depth = self.depth.get();
        let facts = self.source.file(of.file).filter(|_| depth < MOST_DEPTH && self.step());
        let Some(facts) = facts else { return Vec::new() };
        let bases = facts.item(of.item).map(|it| it.bases).unwrap_or_default();
        let mut found = Vec::new();
        self.depth.set(depth + 1);
        for base in facts.list(bases) {
            let base = Type::under(of.file, *base, arguments);
            for entity in self.entities(&base).iter() {
                found.extend(self.held(entity, index));
            }
        }
        self.depth.set(depth);
        found
    }

    /// A field without a name: the type builds on a tuple.
    fn unnamed(&self, place: Place, arguments: &Arguments, index: u32) -> Vec<Entity> {
        let Some(facts) = self.source.file(place.file) else { return Vec::new() };
        let bases = facts.item(place.item).map(|it| it.bases).unwrap_or_default();
        let fields = facts.list(bases).iter().filter_map(|base| match facts.shape(*base) {
            Shape::Tuple { parts } => facts.list(parts).get(index as usize).copied(),
            _ => None,
        });
        fields.flat_map(|field| self.all(&Type::under(place.file, field, arguments))).collect()
    }

    /// What one gets by going through a value, by the type that says so.
    fn gone_through(&self, file: FileId, entity: &Entity) -> Vec<Entity> {
        let Some(name) = self.source.builtins(file).item_type() else { return Vec::new() };
        let mut found = Vec::new();
        for (place, arguments) in self.entity_members(entity, name) {
            let Some(facts) = self.source.file(place.file) else { continue };
            let shape = facts.item(place.item).map_or(0, |it| it.shape);
            found.extend(self.all(&Type::under(place.file, shape, &arguments)));
        }
        found
    }

    /// A value that one can go through, as a list; `None` where nothing says what that gives.
    pub(super) fn as_list(&self, entity: &Entity) -> Option<Entity> {
        match entity {
            Entity::List(_) | Entity::Table(_) | Entity::Promise(_) | Entity::Tuple { .. } => {
                Some(entity.clone())
            }
            Entity::Module(_) => {
                // `import('./a').then(…)`; of a module that is named, only exports are asked for.
                Some(Entity::Promise(Type::Known(vec![entity.clone()].into())))
            }
            Entity::Instance(place, _) if self.is_linked(place.file) => {
                let held = self.gone_through(place.file, entity);
                (!held.is_empty()).then(|| Entity::List(Type::Known(held.into())))
            }
            _ => None,
        }
    }

    /// The signatures with which an entity can be called.
    pub(super) fn signatures(
        &self,
        entity: &Entity,
        name: &str,
    ) -> Vec<(FileId, Signature, Arguments)> {
        let function = |entity: &Entity| match entity {
            Entity::Function { file, signature, arguments } => {
                let facts = self.source.file(*file)?;
                let signature = facts.signatures.get(*signature as usize).copied()?;
                Some((*file, signature, arguments.clone()))
            }
            _ => None,
        };
        let own: Vec<_> = entity.parts().iter().filter_map(function).collect();
        if !own.is_empty() {
            return own;
        }
        let mut found = Vec::new();
        for (place, arguments) in self.entity_members(entity, name) {
            let values = self.member_value(place, &arguments);
            found.extend(values.iter().filter_map(function));
        }
        found
    }

    /// The type of a function's parameter.
    pub(super) fn taken(&self, entity: &Entity, index: u32) -> Vec<Entity> {
        if let Entity::Caller(with) = entity {
            return with.get(index as usize).map(|it| self.all(it)).unwrap_or_default();
        }
        let mut found = Vec::new();
        for (file, signature, arguments) in self.signatures(entity, "()") {
            let Some(facts) = self.source.file(file) else { continue };
            let takes = facts.list(signature.takes);
            let last = takes.len().saturating_sub(1);
            let is_rest = signature.has_rest && index as usize >= last;
            let Some(shape) = takes.get(if is_rest { last } else { index as usize }) else {
                continue;
            };
            let taken = Type::under(file, *shape, &arguments);
            if is_rest {
                let place = index - last as u32;
                found.extend(self.each(&taken, |list| self.held(list, Some(place))));
            } else {
                found.extend(self.all(&taken));
            }
        }
        found
    }
}
