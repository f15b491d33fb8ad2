//! Finds members of entities by name.

use portolan_types::FileId;
use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, Flags, List};

use super::exports::Target;
use super::types::{Arguments, Entity, Type};
use super::{MembersByName, Place, Resolver};

/// The greatest depth of supertypes that are searched for members.
const MOST_BASES: u32 = 12;
/// The names of more members than these are looked up.
const MANY: usize = 100;

impl Resolver<'_> {
    /// The members of this name, each with the type arguments under which it is seen.
    pub(super) fn entity_members(&self, entity: &Entity, name: &str) -> Vec<(Place, Arguments)> {
        self.members_within(entity, name, MOST_BASES)
    }

    fn members_within(&self, entity: &Entity, name: &str, depth: u32) -> Vec<(Place, Arguments)> {
        if depth == 0 || !self.step() {
            return Vec::new();
        }
        match entity {
            Entity::Instance(place, arguments) => {
                self.declared(*place, arguments, name, false, depth)
            }
            Entity::Value(place, arguments) => self.declared(*place, arguments, name, true, depth),
            Entity::Object { file, members, spreads, arguments } => {
                let Some(facts) = self.source.file(*file) else { return Vec::new() };
                let own = self.named_in_list(*file, &facts, *members, name, |_| true);
                if !own.is_empty() {
                    let place = |item| (Place { file: *file, item }, arguments.clone());
                    return own.into_iter().map(place).collect();
                }
                let spreads = facts.list(*spreads).iter();
                let found = spreads.flat_map(|spread| {
                    let spread = Type::under(*file, *spread, arguments);
                    self.members_of(&spread, name, depth - 1)
                });
                found.collect()
            }
            Entity::Assigned(place) => {
                let Some(facts) = self.source.file(place.file) else { return Vec::new() };
                let later: Vec<u32> = facts.merged(place.item).skip(1).collect();
                let own = named(&facts, &later, name, |it| it.kind == DeclarationKind::Property);
                let place = |item| (Place { item, ..*place }, Arguments::default());
                own.into_iter().map(place).collect()
            }
            Entity::Chosen { of, .. } if !entity.leaves_out(name) => {
                self.members_within(of, name, depth - 1)
            }
            Entity::Mapped { source, .. } => self.members_of(source, name, depth - 1),
            Entity::Joined(parts) => {
                let each = parts.iter();
                each.flat_map(|part| self.members_within(part, name, depth - 1)).collect()
            }
            Entity::Module(module) => {
                let targets = self.export(*module, name).into_iter();
                let places = targets.filter_map(|target| match target {
                    Target::Item(place) => Some((place, Arguments::default())),
                    Target::Module(_) => None,
                });
                places.collect()
            }
            _ => Vec::new(),
        }
    }

    /// The members of this name in a list of a file. Of a long list, all names are looked at once.
    fn named_in_list(
        &self,
        file: FileId,
        facts: &Declarations,
        members: List,
        name: &str,
        fits: impl Fn(&Declaration) -> bool,
    ) -> Vec<u32> {
        let list = facts.list(members);
        if list.len() <= MANY {
            return named(facts, list, name, fits);
        }
        let mut known = self.members.borrow_mut();
        let by_name = known.entry((file, members.start)).or_insert_with(|| {
            let mut by_name = MembersByName::default();
            for member in list {
                let own = facts.item(*member).map_or("", |it| facts.name(it.name));
                by_name.entry(own.into()).or_default().push(*member);
            }
            by_name
        });
        by_name.get(name).map(|some| named(facts, some, name, fits)).unwrap_or_default()
    }

    fn members_of(&self, base: &Type, name: &str, depth: u32) -> Vec<(Place, Arguments)> {
        let mut found = Vec::new();
        for entity in self.entities(base).iter() {
            found.extend(self.members_within(entity, name, depth));
        }
        found
    }

    /// The members of a class, an interface, an enumeration or a namespace, and of its supertypes.
    fn declared(
        &self,
        place: Place,
        arguments: &Arguments,
        name: &str,
        is_static: bool,
        depth: u32,
    ) -> Vec<(Place, Arguments)> {
        let Some(facts) = self.source.file(place.file).filter(|_| depth > 0) else {
            return Vec::new();
        };
        let items: Vec<&Declaration> =
            facts.merged(place.item).filter_map(|item| facts.item(item)).collect();
        // In languages that resolve through the map, a class and its instances have the same
        // members.
        let is_linked = self.is_linked(place.file);
        let fits = |member: &Declaration| {
            (is_linked || member.flags.has(Flags::STATIC) == is_static)
                && member.kind != DeclarationKind::Constructor
        };
        let mut found: Vec<(Place, Arguments)> = Vec::new();
        for item in &items {
            let own = self.named_in_list(place.file, &facts, item.members, name, fits);
            let own = own.into_iter();
            found.extend(own.map(|item| (Place { file: place.file, item }, arguments.clone())));
        }
        if found.is_empty() && (is_linked || !is_static) {
            found = self.extended(place, arguments, name, depth);
        }
        if !found.is_empty() {
            return found;
        }
        for item in &items {
            let is_class = item.kind == DeclarationKind::Class;
            for base in facts.list(item.bases) {
                let base = Type::under(place.file, *base, arguments);
                for entity in self.entities(&base).iter().flat_map(Entity::parts) {
                    let entity = match entity {
                        Entity::Instance(base, arguments) if is_static && is_class => {
                            &Entity::Value(*base, arguments.clone())
                        }
                        entity => entity,
                    };
                    found.extend(self.members_within(entity, name, depth - 1));
                }
                if !found.is_empty() {
                    return found;
                }
            }
        }
        if found.is_empty() {
            found = self.through_target(place, arguments, name, depth);
        }
        found
    }

    /// The members of the type that a type says its values can be used as.
    fn through_target(
        &self,
        place: Place,
        arguments: &Arguments,
        name: &str,
        depth: u32,
    ) -> Vec<(Place, Arguments)> {
        let target = self.source.builtins(place.file).target_type();
        let Some(target) = target.filter(|target| *target != name) else { return Vec::new() };
        let mut found = Vec::new();
        for (member, around) in self.declared(place, arguments, target, false, depth - 1) {
            let Some(facts) = self.source.file(member.file) else { continue };
            let shape = facts.item(member.item).map_or(0, |it| it.shape);
            let of = Type::under(member.file, shape, &around);
            found.extend(self.members_of(&of, name, depth - 1));
        }
        found
    }

    /// The augmentations of a declaration in other files.
    pub(super) fn added(&self, place: Place) -> Vec<Place> {
        self.fuel.set(super::FUEL);
        self.additions_to(place)
    }

    /// The augmentations of a declaration in other files, by the module from which they import it.
    fn additions_to(&self, place: Place) -> Vec<Place> {
        let Some(facts) = self.source.file(place.file) else { return Vec::new() };
        let Some(item) = facts.item(place.item) else { return Vec::new() };
        let name = facts.name(item.name);
        let is_open = matches!(item.kind, DeclarationKind::Interface | DeclarationKind::Class);
        if !is_open || item.flags.has(Flags::LOCAL) {
            return Vec::new();
        }
        let is_it = |module: FileId| {
            let means = |target: &Target| {
                matches!(target, Target::Item(it) if it.file == place.file
                    && facts.merged(it.item).any(|item| item == place.item))
            };
            self.export(module, name).iter().any(means)
        };
        let mut added = self.source.additions(name);
        added.retain(|(added, module)| *added != place && is_it(*module));
        added.into_iter().map(|(added, _)| added).collect()
    }

    /// The members from extensions in other files and from the supertypes of these extensions.
    fn extended(
        &self,
        place: Place,
        arguments: &Arguments,
        name: &str,
        depth: u32,
    ) -> Vec<(Place, Arguments)> {
        let mut found = Vec::new();
        let extensions = if self.is_linked(place.file) {
            self.source.extensions(place)
        } else {
            self.additions_to(place)
        };
        for extension in &extensions {
            let Some(facts) = self.source.file(extension.file) else { continue };
            let Some(item) = facts.item(extension.item) else { continue };
            let own = self.named_in_list(extension.file, &facts, item.members, name, |_| true);
            let at = |item| (Place { item, ..*extension }, arguments.clone());
            found.extend(own.into_iter().map(at));
        }
        if !found.is_empty() {
            return found;
        }
        for extension in &extensions {
            let Some(facts) = self.source.file(extension.file) else { continue };
            let bases = facts.item(extension.item).map(|item| item.bases).unwrap_or_default();
            for base in facts.list(bases) {
                let base = Type::at(extension.file, *base);
                found.extend(self.members_of(&base, name, depth - 1));
            }
        }
        found
    }
}

/// The members with this name.
fn named(
    facts: &Declarations,
    members: &[u32],
    name: &str,
    fits: impl Fn(&Declaration) -> bool,
) -> Vec<u32> {
    let is_it = |member: &&u32| {
        facts.item(**member).is_some_and(|it| facts.name(it.name) == name && fits(it))
    };
    members.iter().filter(is_it).copied().collect()
}
