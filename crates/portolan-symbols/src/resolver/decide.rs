//! Proves that an unresolved use refers to something else, and finds the members that are related
//! by inheritance.

use portolan_types::FileId;
use std::collections::BTreeSet;

use portolan_types::declarations::{
    DeclarationKind, Declarations, Export, Flags, NONE, Reference, Shape, Usage,
};

use super::exports::Target;
use super::types::{Entity, Type};
use super::{Gaps, Place, Resolver};

/// The most supertypes of a class that are followed.
const MOST_SUPERS: usize = 200;
/// The greatest depth at which a value is checked for being text or a number.
const PLAIN_DEPTH: u32 = 8;

impl Resolver<'_> {
    /// Whether an unresolved use provably refers to something else: to the language, to code
    /// outside the repository, or to a member of a known type that does not have it. `owners` are
    /// the type that the member in question belongs to and its supertypes: a value of such a type
    /// may have been narrowed.
    pub fn is_elsewhere(
        &self,
        file: FileId,
        reference: &Reference,
        owners: &BTreeSet<Place>,
    ) -> bool {
        let Some(facts) = self.source.file(file) else { return false };
        self.begin(file);
        match reference.usage {
            Usage::Value | Usage::Type if reference.of == NONE => {
                let name = facts.name(reference.name);
                !self.is_linked(file)
                    || facts.stars.is_empty()
                    || self.source.builtins(file).is_prelude(name)
            }
            Usage::Value | Usage::Type => {
                self.is_module_import(file, &facts, reference.of)
                    || self.is_foreign_binding(file, &facts, reference.of)
            }
            Usage::Given if self.is_of_constructor(file, reference.of) => true,
            Usage::Member | Usage::Taken | Usage::Given => {
                self.is_foreign_value(file, reference.of, owners)
            }
        }
    }

    /// Whether a name is bound by an import of a whole module, in a language where that is no declaration.
    fn is_module_import(&self, file: FileId, facts: &Declarations, binding: u32) -> bool {
        let known = facts.bindings.get(binding as usize);
        let import = known.and_then(|it| facts.imports.get(it.import as usize));
        self.is_linked(file) && import.is_some_and(|it| it.name == NONE)
    }

    /// Whether a use is of a member of a known module.
    pub fn is_of_module(&self, file: FileId, reference: &Reference) -> bool {
        self.begin(file);
        let entities = self.entities(&Type::at(file, reference.of));
        entities.iter().any(|entity| matches!(entity, Entity::Module(_)))
    }

    fn is_foreign_value(&self, file: FileId, shape: u32, owners: &BTreeSet<Place>) -> bool {
        if shape <= 1 {
            return shape == 1;
        }
        let entities = self.entities(&Type::at(file, shape));
        if entities.is_empty() {
            return self.is_plain(file, shape, PLAIN_DEPTH) || self.is_foreign(file, shape);
        }
        if self.is_mixed_in(file, shape, owners) {
            return false;
        }
        let is_told = self.gaps.get() == Gaps::default();
        let mut left = MOST_SUPERS;
        entities.iter().all(|entity| self.is_closed(entity, owners, is_told, &mut left))
    }

    /// Whether a value is the instance of a class that some type of its language may combine with an owner.
    fn is_mixed_in(&self, file: FileId, shape: u32, owners: &BTreeSet<Place>) -> bool {
        let Some(facts) = self.source.file(file) else { return false };
        let mut at = shape;
        if let Shape::Name { binding } = facts.shape(at) {
            at = facts.bindings.get(binding as usize).map_or(0, |it| it.shape);
        }
        matches!(facts.shape(at), Shape::This { .. })
            && !owners.is_empty()
            && self.source.builtins(file).mixes_in()
    }

    /// Whether all members of an entity are known, so that a member that was not found does not
    /// exist. `is_told` says whether the code says so itself that it is this entity: a type that is written, an instance
    /// that is made. A value that was found out otherwise and lacks the member is something else than was thought.
    fn is_closed(
        &self,
        entity: &Entity,
        owners: &BTreeSet<Place>,
        is_told: bool,
        left: &mut usize,
    ) -> bool {
        match entity {
            Entity::Value(place, _) if self.has_open_class(*place) => false,
            Entity::Instance(place, _) | Entity::Value(place, _) => {
                is_told && !owners.contains(place) && self.is_closed_item(*place, owners, left)
            }
            Entity::Object { file, spreads, .. } => {
                let Some(facts) = self.source.file(*file) else { return false };
                is_told
                    && facts.list(*spreads).iter().all(|spread| {
                        let found = self.entities(&Type::at(*file, *spread));
                        !found.is_empty()
                            && found.iter().all(|it| self.is_closed(it, owners, true, left))
                    })
            }
            Entity::Chosen { of, .. } => self.is_closed(of, owners, is_told, left),
            Entity::Joined(parts) => {
                parts.iter().all(|part| self.is_closed(part, owners, is_told, left))
            }
            Entity::Mapped { .. } | Entity::Assigned(_) => false,
            Entity::Module(module) => is_told && !self.answers_for_names(*module),
            _ => true,
        }
    }

    /// Whether a class, or one that it builds on, has members of a class of its own.
    fn has_open_class(&self, place: Place) -> bool {
        let is_open = |place: &Place| {
            let facts = self.source.file(place.file);
            facts.and_then(|it| it.item(place.item).map(|it| it.flags.has(Flags::OPEN)))
                == Some(true)
        };
        if !self.is_linked(place.file) {
            return false;
        }
        let (mut known, mut open) = (BTreeSet::from([place]), vec![place]);
        while let Some(place) = open.pop()
            && known.len() < MOST_SUPERS
        {
            if is_open(&place) {
                return true;
            }
            open.extend(self.bases(place, "").into_iter().filter(|base| known.insert(*base)));
        }
        false
    }

    fn is_closed_item(&self, place: Place, owners: &BTreeSet<Place>, left: &mut usize) -> bool {
        let Some(facts) = self.source.file(place.file) else { return false };
        if *left == 0 {
            return false;
        }
        *left -= 1;
        if self.answers_for_members(place) {
            return false;
        }
        let items: Vec<u32> = facts.merged(place.item).collect();
        items.iter().filter_map(|item| facts.item(*item)).all(|item| {
            facts.list(item.bases).iter().all(|base| {
                let found = self.entities(&Type::at(place.file, *base));
                if found.is_empty() {
                    // What comes from outside has no members of the repository.
                    return self.is_linked(place.file) && self.is_foreign(place.file, *base);
                }
                found.iter().all(|entity| self.is_closed(entity, owners, true, left))
            })
        })
    }

    /// All supertypes of a class, an interface or an extension, direct and indirect.
    pub fn supers(&self, of: Place) -> BTreeSet<Place> {
        self.supers_with(of, "")
    }

    /// The supertypes from which a member of this name is not left out on the way.
    pub fn supers_with(&self, of: Place, name: &str) -> BTreeSet<Place> {
        let (mut found, mut open) = (BTreeSet::new(), vec![of]);
        while let Some(place) = open.pop()
            && found.len() < MOST_SUPERS
        {
            self.begin(place.file);
            for base in self.bases(place, name) {
                if base != of && found.insert(base) {
                    open.push(base);
                }
            }
        }
        found
    }

    /// The direct supertypes of a declaration and of the ones merged with it.
    pub(super) fn bases(&self, place: Place, name: &str) -> Vec<Place> {
        let Some(facts) = self.source.file(place.file) else { return Vec::new() };
        let mut found = Vec::new();
        for item in facts.merged(place.item) {
            let Some(declared) = facts.item(item) else { continue };
            if item != place.item && declared.kind == DeclarationKind::Extension {
                continue;
            }
            for base in facts.list(declared.bases) {
                let entities = self.entities(&Type::at(place.file, *base));
                let parts = entities.iter().filter(|entity| !entity.leaves_out(name));
                let parts = parts.flat_map(|entity| entity.chosen_of().parts());
                for entity in parts.filter(|part| !part.leaves_out(name)) {
                    match entity.chosen_of() {
                        Entity::Instance(base, _) | Entity::Value(base, _) => found.push(*base),
                        // A type that is written as a literal.
                        Entity::Object { file, members, .. } => {
                            let facts = self.source.file(*file);
                            let parent = facts.and_then(|facts| {
                                let first = facts.list(*members).first().copied()?;
                                facts.item(first).map(|it| it.parent)
                            });
                            let parent = parent.filter(|parent| *parent != NONE);
                            found.extend(parent.map(|item| Place { file: *file, item }));
                        }
                        _ => {}
                    }
                }
            }
        }
        found
    }

    /// The type that an extension adds to; any other declaration as it is.
    pub fn extended_type(&self, place: Place) -> Vec<Place> {
        let Some(facts) = self.source.file(place.file) else { return Vec::new() };
        let Some(item) = facts.item(place.item) else { return Vec::new() };
        if item.kind != DeclarationKind::Extension {
            return vec![place];
        }
        self.begin(place.file);
        let name = facts.name(item.name);
        let is_type = |kind: DeclarationKind| {
            matches!(
                kind,
                DeclarationKind::Class
                    | DeclarationKind::Interface
                    | DeclarationKind::Enum
                    | DeclarationKind::Type
            )
        };
        let own = facts.items.iter().zip(0u32..);
        let mut own = own.filter(|(it, _)| it.name == item.name && is_type(it.kind));
        if let Some((_, item)) = own.next() {
            return vec![Place { item, ..place }];
        }
        let imported = facts.bindings.iter().zip(0u32..);
        let mut imported = imported.filter(|(it, _)| it.name == item.name && it.import != NONE);
        let targets = match imported.next() {
            Some((_, binding)) => self.binding_targets(place.file, binding),
            None => self.linked_name(place.file, name),
        };
        let places = targets.into_iter().filter_map(|target| match target {
            Target::Item(place) => Some(place),
            Target::Module(_) => None,
        });
        places.collect()
    }

    /// The members of this name that a declaration, or one merged with it, has itself.
    pub fn own_members(&self, of: Place, name: &str) -> Vec<Place> {
        let Some(facts) = self.source.file(of.file) else { return Vec::new() };
        let mut found = Vec::new();
        for item in facts.merged(of.item) {
            let members = facts.item(item).map(|it| it.members).unwrap_or_default();
            let is_it = |it: &&u32| facts.item(**it).is_some_and(|it| facts.name(it.name) == name);
            let own = facts.list(members).iter().filter(is_it);
            found.extend(own.map(|item| Place { item: *item, ..of }));
        }
        found
    }

    /// The members of this name that a type inherits from the nearest of its supertypes that have one.
    pub fn inherited_members(&self, of: Place, name: &str) -> Vec<Place> {
        let (mut known, mut open) = (BTreeSet::from([of]), vec![of]);
        while !open.is_empty() && known.len() < MOST_SUPERS {
            let mut above = Vec::new();
            for place in open {
                self.begin(place.file);
                above
                    .extend(self.bases(place, name).into_iter().filter(|base| known.insert(*base)));
            }
            let found: Vec<Place> =
                above.iter().flat_map(|base| self.own_members(*base, name)).collect();
            if !found.is_empty() {
                return found;
            }
            open = above;
        }
        Vec::new()
    }

    /// The names of all members of a type, inherited ones included; `None` if a supertype is
    /// unknown.
    pub fn member_names(&self, of: Place) -> Option<BTreeSet<Box<str>>> {
        self.begin(of.file);
        let (mut names, mut known) = (BTreeSet::new(), BTreeSet::new());
        self.gather_names(of, &mut names, &mut known).then_some(names)
    }

    /// The names of the members of a type as far as they are known.
    pub fn known_member_names(&self, of: Place) -> BTreeSet<Box<str>> {
        self.begin(of.file);
        let (mut names, mut known) = (BTreeSet::new(), BTreeSet::new());
        self.gather_names(of, &mut names, &mut known);
        names
    }

    /// The names of all members of some entities; `None` where not all are known.
    pub(super) fn names_of_all(&self, entities: &[Entity]) -> Option<Vec<Box<str>>> {
        let (mut names, mut known) = (BTreeSet::new(), BTreeSet::new());
        let is_whole = entities.iter().all(|it| self.gather_entity(it, &mut names, &mut known));
        is_whole.then(|| names.into_iter().collect())
    }

    fn gather_names(
        &self,
        of: Place,
        names: &mut BTreeSet<Box<str>>,
        known: &mut BTreeSet<Place>,
    ) -> bool {
        if !known.insert(of) {
            return true;
        }
        let Some(facts) = self.source.file(of.file) else { return false };
        if known.len() > MOST_SUPERS {
            return false;
        }
        let items: Vec<u32> = facts.merged(of.item).collect();
        for item in items.iter().filter_map(|item| facts.item(*item)) {
            let members = facts.list(item.members).iter().filter_map(|it| facts.item(*it));
            names.extend(members.map(|it| Box::<str>::from(facts.name(it.name))));
            let is_alias = item.kind == DeclarationKind::Type && item.shape > 1;
            let shapes: Vec<u32> =
                if is_alias { vec![item.shape] } else { facts.list(item.bases).to_vec() };
            for shape in shapes {
                let entities = self.entities(&Type::at(of.file, shape));
                if entities.is_empty() {
                    return false;
                }
                if !entities.iter().all(|entity| self.gather_entity(entity, names, known)) {
                    return false;
                }
            }
        }
        let extensions =
            if self.is_linked(of.file) { self.source.extensions(of) } else { Vec::new() };
        extensions.into_iter().all(|extension| self.gather_names(extension, names, known))
    }

    fn gather_entity(
        &self,
        entity: &Entity,
        names: &mut BTreeSet<Box<str>>,
        known: &mut BTreeSet<Place>,
    ) -> bool {
        match entity {
            Entity::Instance(place, _) | Entity::Value(place, _) => {
                self.gather_names(*place, names, known)
            }
            Entity::Object { file, members, spreads, .. } => {
                let Some(facts) = self.source.file(*file) else { return false };
                let members = facts.list(*members).iter().filter_map(|it| facts.item(*it));
                names.extend(members.map(|it| Box::<str>::from(facts.name(it.name))));
                spreads.len == 0
            }
            Entity::Chosen { of, .. } => self.gather_entity(of, names, known),
            Entity::Joined(parts) => parts.iter().all(|it| self.gather_entity(it, names, known)),
            // Its fields have no names.
            Entity::Tuple { .. } => true,
            _ => false,
        }
    }

    /// The declarations that a file binds or exports under a name.
    pub fn named(&self, file: FileId, name: &str) -> BTreeSet<Place> {
        let Some(facts) = self.source.file(file) else { return BTreeSet::new() };
        self.begin(file);
        let mut found = BTreeSet::new();
        let mut add = |targets: Vec<Target>| {
            for target in targets {
                if let Target::Item(place) = target {
                    found.extend(self.merged(place));
                }
            }
        };
        let Some(named) = facts.find_name(name) else { return BTreeSet::new() };
        let is_it = |binding: &portolan_types::declarations::Binding| {
            let import = facts.imports.get(binding.import as usize);
            let is_item = binding.item != NONE && binding.name == named;
            is_item || import.is_some_and(|it| it.name == named || binding.name == named)
        };
        for (_, binding) in facts.bindings.iter().zip(0u32..).filter(|(it, _)| is_it(it)) {
            add(self.binding_targets(file, binding));
        }
        if facts.exports.iter().any(|it| it.name == named) {
            add(self.export(file, name));
        }
        // `export { a as b } from './c'`
        for export in &facts.exports {
            if let Export::From { specifier, name: original, .. } = export.what
                && original == named
                && let Some(module) = self.source.resolve(file, facts.name(specifier), false)
            {
                add(self.export(module, name));
            }
        }
        found
    }
}
