//! Alternatives that a condition leaves.

use portolan_types::FileId;
use portolan_types::declarations::{DeclarationKind, Declarations, NONE, Shape, Test};

use super::evaluate::At;
use super::exports::Target;
use super::types::{Entity, Type};
use super::{Place, Resolver};

/// Types in types: beyond this no literal is looked for.
const MOST_DEPTH: u32 = 6;
/// Types that build on types: beyond this they are not compared.
const MOST_LEVELS: u32 = 8;

/// A value that is always the same.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Constant {
    /// As it is written.
    Text(Box<str>),
    /// A member of an enumeration.
    Member(Place),
}

impl Constant {
    fn is_true(&self) -> bool {
        match self {
            Self::Text(text) => !matches!(&**text, "false" | "null" | "undefined" | "0" | "'"),
            // An enumeration starts with a zero, or not.
            Self::Member(_) => true,
        }
    }
}

impl Resolver<'_> {
    /// A value that a function said to be of some type, or not to be.
    pub(super) fn guarded(
        &self,
        at: &At<'_>,
        function: u32,
        value: u32,
        holds: bool,
    ) -> Vec<Entity> {
        let mut said = Vec::new();
        for entity in self.entities(&at.of(function)).iter() {
            for (file, signature, arguments) in self.signatures(entity, "()") {
                if signature.guards > 1 {
                    said.extend(self.all(&Type::under(file, signature.guards, &arguments)));
                }
            }
        }
        let is_any = said.iter().all(|it| matches!(it, Entity::Table(_)));
        if holds && !is_any {
            return said;
        }
        let before = self.all(&at.of(value));
        if holds && !said.is_empty() && before.iter().any(|it| !it.is_of_language()) {
            // `x is Record<any, any>` says that it is an object.
            return before.into_iter().filter(|it| !it.is_of_language()).collect();
        }
        if holds && !said.is_empty() {
            return said;
        }
        if said.is_empty() {
            return before;
        }
        let is_left = |entity: &Entity| !said.iter().any(|it| is_same(it, entity));
        let left: Vec<Entity> = before.iter().filter(|it| is_left(it)).cloned().collect();
        if left.is_empty() { before } else { left }
    }

    /// A value that was checked for being an instance of some types, or for being none.
    pub(super) fn checked(&self, at: &At<'_>, value: u32, types: u32, holds: bool) -> Vec<Entity> {
        let said = self.all(&at.of(types));
        // What the value was does not matter where the check alone says what it is.
        let flags = (self.is_exact.get(), self.is_choice.get(), self.gaps.get());
        let before = self.all(&at.of(value));
        let only_said = |said: Vec<Entity>| {
            self.is_exact.set(flags.0);
            self.is_choice.set(flags.1);
            self.gaps.set(flags.2);
            said
        };
        if holds && before.is_empty() && !said.is_empty() {
            return only_said(said);
        }
        let named = |of: &[Entity]| -> Vec<Place> {
            let places = of.iter().flat_map(Entity::parts).filter_map(|it| match it {
                Entity::Instance(place, _) => Some(*place),
                _ => None,
            });
            places.collect()
        };
        let (known, wanted) = (named(&before), named(&said));
        let builds_on = |entity: &Entity, on: &[Place]| match entity {
            Entity::Instance(place, _) => self.is_or_builds_on(*place, on, MOST_LEVELS),
            _ => false,
        };
        let is_it = |entity: &Entity| {
            builds_on(entity, &wanted) || said.iter().any(|it| is_same(it, entity))
        };
        if !holds {
            let left: Vec<Entity> = before.iter().filter(|it| !is_it(it)).cloned().collect();
            return if left.is_empty() { before } else { left };
        }
        if said.is_empty() && !self.is_foreign(at.file, types) {
            return before;
        }
        if said.is_empty() {
            // A class from outside: what is of the repository may build on it.
            return before.into_iter().filter(|it| self.may_be_outside(it)).collect();
        }
        let is_open = said.iter().any(Entity::is_of_language);
        let is_left = |it: &&Entity| is_it(it) || (is_open && self.may_be_outside(it));
        let mut left: Vec<Entity> = before.iter().filter(is_left).cloned().collect();
        let closer = said.iter().filter(|it| builds_on(it, &known));
        for entity in closer {
            if !left.iter().any(|it| is_same(it, entity)) {
                left.push(entity.clone());
            }
        }
        if left.is_empty() { only_said(said) } else { left }
    }

    /// Whether a value may be an instance of a class from outside: its own one may build on it.
    fn may_be_outside(&self, entity: &Entity) -> bool {
        match entity {
            Entity::Instance(place, _) => self.has_outside_base(*place, MOST_LEVELS),
            _ => true,
        }
    }

    fn has_outside_base(&self, of: Place, left: u32) -> bool {
        let facts = self.source.file(of.file).filter(|_| left > 0 && self.step());
        let Some(facts) = facts else { return true };
        let bases = facts.merged(of.item).filter_map(|item| facts.item(item)).map(|it| it.bases);
        bases.into_iter().flat_map(|bases| facts.list(bases)).any(|base| {
            let found = self.entities(&Type::at(of.file, *base));
            found.is_empty()
                || found.iter().any(|it| match it {
                    Entity::Instance(base, _) => self.has_outside_base(*base, left - 1),
                    _ => true,
                })
        })
    }

    /// Whether a type is one of these, or builds on one.
    fn is_or_builds_on(&self, place: Place, on: &[Place], left: u32) -> bool {
        on.contains(&place)
            || (left > 0
                && self.step()
                && self
                    .bases(place, "")
                    .into_iter()
                    .any(|base| base != place && self.is_or_builds_on(base, on, left - 1)))
    }

    /// The alternatives of a type that another one allows, or those that it does not: `Extract<T, { kind: 'a' }>`.
    pub(super) fn part(&self, of: &Type, at: &At<'_>, other: u32, holds: bool) -> Vec<Entity> {
        let all = self.all(of);
        let Shape::Object { members, .. } = at.facts.shape(other) else {
            if all.len() > 1 {
                self.doubt();
            }
            return all;
        };
        let mut wanted = Vec::new();
        for member in at.facts.list(members).iter().filter_map(|it| at.facts.item(*it)) {
            match self.constants(at.file, member.shape, MOST_DEPTH).as_deref() {
                Some([only]) => wanted.push((at.facts.name(member.name), only.clone())),
                _ => wanted.clear(),
            }
        }
        let fits = |entity: &Entity| {
            wanted.iter().all(|(name, constant)| {
                let members = self.entity_members(entity, name);
                let may_be = |part: &Entity| {
                    let members = self.entity_members(part, name);
                    members.is_empty()
                        || members.iter().any(|(it, _)| self.may_be(*it, Some(constant), true))
                };
                !members.is_empty() && entity.parts().iter().all(may_be)
            })
        };
        let left: Vec<Entity> = all.iter().filter(|it| fits(it) == holds).cloned().collect();
        if (wanted.is_empty() || left.is_empty()) && all.len() > 1 {
            self.doubt();
            return all;
        }
        if wanted.is_empty() { all } else { left }
    }

    /// A value of which a member was compared.
    pub(super) fn narrowed(
        &self,
        at: &At<'_>,
        value: u32,
        member: u32,
        test: Test,
        holds: bool,
    ) -> Vec<Entity> {
        let before = self.all(&at.of(value));
        let may_differ = before.iter().filter(|entity| !entity.is_of_language()).count() > 1;
        if !may_differ {
            return before;
        }
        let wanted = match test {
            Test::Equals(shape) => match self.constants(at.file, shape, MOST_DEPTH).as_deref() {
                Some([only]) => Some(only.clone()),
                _ => return before,
            },
            Test::Exists | Test::Truthy => None,
        };
        let name = at.facts.name(member);
        if test == Test::Exists && !self.is_choice(at.file, value, MOST_DEPTH) {
            return before;
        }
        let fits = |entity: &Entity| {
            let members = self.entity_members(entity, name);
            let is_there = !members.is_empty();
            if test == Test::Exists {
                return is_there == holds;
            }
            // What has no such member may be a part of one that has it.
            let may_be = |(place, _): &(Place, _)| self.may_be(*place, wanted.as_ref(), holds);
            let fits = |part: &Entity| {
                let members = self.entity_members(part, name);
                members.is_empty() || members.iter().any(may_be)
            };
            !is_there || entity.parts().iter().all(fits)
        };
        let left: Vec<Entity> = before.iter().filter(|it| fits(it)).cloned().collect();
        if left.is_empty() {
            self.doubt();
            return before;
        }
        left
    }

    /// Whether a value is written as one of several types: not as all of them together.
    fn is_choice(&self, file: FileId, shape: u32, depth: u32) -> bool {
        let Some(facts) = self.source.file(file).filter(|_| depth > 0 && self.step()) else {
            return false;
        };
        let go = |shape: u32| self.is_choice(file, shape, depth - 1);
        match facts.shape(shape) {
            Shape::Union { .. } => true,
            Shape::Narrowed { value, .. }
            | Shape::Guarded { value, .. }
            | Shape::Checked { value, .. } => go(value),
            Shape::Member { base, name } => {
                let owners = self.entities(&Type::at(file, base));
                let name = facts.name(name);
                let mut members = owners.iter().flat_map(|it| self.entity_members(it, name));
                let shape = |place: Place| {
                    self.source.file(place.file).and_then(|it| Some(it.item(place.item)?.shape))
                };
                members.next().is_some_and(|(place, _)| {
                    shape(place).is_some_and(|it| self.is_choice(place.file, it, depth - 1))
                })
            }
            Shape::Name { binding } | Shape::Type { binding, .. } => {
                let known = facts.bindings.get(binding as usize);
                if let Some(known) = known.filter(|it| it.item == NONE && it.import == NONE) {
                    return go(known.shape);
                }
                self.binding_targets(file, binding).into_iter().any(|target| match target {
                    Target::Item(place) => {
                        let other = self.source.file(place.file);
                        let shape = other.and_then(|it| Some(it.item(place.item)?.shape));
                        shape.is_some_and(|it| self.is_choice(place.file, it, depth - 1))
                    }
                    Target::Module(_) => false,
                })
            }
            _ => false,
        }
    }

    /// Whether a member may be equal to a value, or not be so; without a value, whether it may count as true, or not.
    fn may_be(&self, place: Place, wanted: Option<&Constant>, holds: bool) -> bool {
        let shape = self.source.file(place.file).and_then(|it| Some(it.item(place.item)?.shape));
        let known = shape.and_then(|shape| self.constants(place.file, shape, MOST_DEPTH));
        let Some(known) = known.filter(|known| !known.is_empty()) else { return true };
        match (wanted, holds) {
            (Some(wanted), true) => known.contains(wanted),
            (Some(wanted), false) => known.iter().any(|it| it != wanted),
            (None, holds) => known.iter().any(|it| it.is_true() == holds),
        }
    }

    /// The values that a type has, where these are few and written.
    fn constants(&self, file: FileId, shape: u32, depth: u32) -> Option<Vec<Constant>> {
        let facts = self.source.file(file).filter(|_| depth > 0 && self.step())?;
        match facts.shape(shape) {
            Shape::Literal { name } => Some(vec![Constant::Text(facts.name(name).into())]),
            Shape::Union { parts } => {
                let mut all = Vec::new();
                for part in facts.list(parts) {
                    all.extend(self.constants(file, *part, depth - 1)?);
                }
                Some(all)
            }
            Shape::Member { base, name } | Shape::Qualified { base, name, .. } => {
                let name = facts.name(name);
                let spaces = self.entities(&Type::at(file, base));
                let found: Vec<Place> = spaces
                    .iter()
                    .flat_map(|space| self.entity_members(space, name))
                    .map(|(place, _)| place)
                    .collect();
                self.constants_of(&found, depth)
            }
            Shape::Type { binding, .. } => {
                let targets = self.binding_targets(file, binding).into_iter();
                let places = targets.filter_map(|target| match target {
                    Target::Item(place) => Some(place),
                    Target::Module(_) => None,
                });
                let places: Vec<Place> = places.collect();
                self.constants_of(&places, depth)
            }
            _ => None,
        }
    }

    /// The texts that a type allows, where these are few and written.
    pub(super) fn texts(&self, at: &At<'_>, shape: u32) -> Option<Vec<Box<str>>> {
        let mut of = at.of(shape);
        for _ in 0..MOST_DEPTH {
            let Type::At { file, shape, arguments } = &of else { return None };
            let facts = self.source.file(*file)?;
            let Shape::Type { binding, .. } = facts.shape(*shape) else { break };
            let Some(bound) = arguments.get(*file, binding) else { break };
            of = bound;
        }
        let Type::At { file, shape, .. } = of else { return None };
        let constants = self.constants(file, shape, MOST_DEPTH)?;
        let texts = constants.into_iter().map(|it| match it {
            Constant::Text(text) => text.strip_prefix('\'').map(Box::from),
            Constant::Member(_) => None,
        });
        texts.collect()
    }

    fn constants_of(&self, places: &[Place], depth: u32) -> Option<Vec<Constant>> {
        let mut all = Vec::new();
        for place in places {
            let facts = self.source.file(place.file)?;
            let item = facts.item(place.item)?;
            match item.kind {
                DeclarationKind::EnumMember => all.push(Constant::Member(*place)),
                DeclarationKind::Enum => all.extend(members(&facts, *place)),
                DeclarationKind::Type | DeclarationKind::Property => {
                    all.extend(self.constants(place.file, item.shape, depth - 1)?);
                }
                _ => return None,
            }
        }
        (!all.is_empty()).then_some(all)
    }
}

/// The members of an enumeration.
fn members(facts: &Declarations, of: Place) -> Vec<Constant> {
    let members = facts.item(of.item).map(|it| it.members).unwrap_or_default();
    facts.list(members).iter().map(|item| Constant::Member(Place { item: *item, ..of })).collect()
}

/// Whether two alternatives are one.
pub(super) fn is_same(left: &Entity, right: &Entity) -> bool {
    match (left, right) {
        (Entity::Instance(left, _), Entity::Instance(right, _))
        | (Entity::Value(left, _), Entity::Value(right, _)) => left == right,
        (
            Entity::Object { file: left, members, .. },
            Entity::Object { file: right, members: others, .. },
        ) => left == right && members == others,
        (Entity::List(_) | Entity::Tuple { .. }, Entity::List(_) | Entity::Tuple { .. }) => true,
        (Entity::Joined(left), Entity::Joined(right)) => {
            left.len() == right.len() && left.iter().zip(right.iter()).all(|(a, b)| is_same(a, b))
        }
        _ => false,
    }
}
