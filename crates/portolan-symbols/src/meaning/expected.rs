//! The expected type at a position: of an argument, or of the props of a component.

use std::rc::Rc;

use portolan_types::declarations::{DeclarationKind, Declarations, List, Shape, Signature};

use super::Resolver;
use super::evaluate::At;
use super::types::{Arguments, Entity, Type};

/// A call as one of its arguments sees it.
struct SeenShapes<'s> {
    at: &'s At<'s>,
    arguments: List,
    typed: &'s [Type],
    index: u32,
    expected: u32,
}

impl Resolver<'_> {
    /// The type that a call expects of an argument.
    pub(super) fn expected_argument(
        &self,
        at: &At<'_>,
        call: u32,
        index: u32,
        expected: u32,
    ) -> Vec<Entity> {
        let (callee, arguments, types, is_new) = match at.facts.shape(call) {
            Shape::Call { callee, arguments, types } => (callee, arguments, types, false),
            Shape::New { callee, arguments, types } => (callee, arguments, types, true),
            _ => return Vec::new(),
        };
        let typed: Vec<Type> = at.facts.list(types).iter().map(|shape| at.of(*shape)).collect();
        let mut found = Vec::new();
        for entity in self.entities(&at.of(callee)).iter() {
            match entity {
                Entity::Caller(_) if index == 0 || self.is_linked(at.file) => {
                    found.push(entity.clone());
                }
                Entity::Taker(held) => found.extend(self.all(held)),
                Entity::Value(place, around) if is_new => {
                    let Some(facts) = self.world.file(place.file) else { continue };
                    for member in Self::constructors(&facts, place.item) {
                        let shape = facts.item(member).map_or(0, |it| it.shape);
                        let made = self.all(&Type::under(place.file, shape, around));
                        found.extend(made.iter().flat_map(|one| self.taken(one, index)));
                    }
                }
                entity => {
                    for (file, signature, around) in self.signatures(entity, "()") {
                        let Some(facts) = self.world.file(file) else { continue };
                        let seen = SeenShapes { at, arguments, typed: &typed, index, expected };
                        let around = self.call_arguments(&facts, file, &signature, &around, &seen);
                        let takes = facts.list(signature.takes);
                        let last = takes.len().saturating_sub(1);
                        let place = if signature.has_rest {
                            (index as usize).min(last)
                        } else {
                            index as usize
                        };
                        if let Some(shape) = takes.get(place) {
                            let taken = Type::under(file, *shape, &around);
                            if signature.has_rest && place == last {
                                found.extend(self.each(&taken, |list| self.held(list, None)));
                            } else {
                                found.extend(self.all(&taken));
                            }
                        }
                    }
                }
            }
        }
        found
    }

    /// The type arguments of a call as seen from one of its arguments: inferred from the other
    /// arguments, then from the expected result.
    fn call_arguments(
        &self,
        facts: &Declarations,
        file: u32,
        signature: &Signature,
        around: &Arguments,
        seen: &SeenShapes<'_>,
    ) -> Arguments {
        let (at, typed) = (seen.at, seen.typed);
        let parameters = facts.list(signature.parameters);
        let mut bound: Vec<(u32, Type)> =
            parameters.iter().copied().zip(typed.iter().cloned()).collect();
        if typed.is_empty() && !parameters.is_empty() {
            let given = at.facts.list(seen.arguments).iter().enumerate();
            for (place, argument) in given.filter(|(place, _)| *place != seen.index as usize) {
                if let Some(shape) = facts.list(signature.takes).get(place) {
                    self.infer(file, facts, *shape, &at.of(*argument), parameters, &mut bound, 4);
                }
            }
            if bound.len() < parameters.len() && seen.expected > 1 {
                let wanted = at.of(seen.expected);
                self.infer(file, facts, signature.gives, &wanted, parameters, &mut bound, 4);
            }
            Self::guess(file, facts, parameters, &mut bound);
        }
        around.with(file, bound)
    }

    /// Type parameters that could not be inferred have their constraint as a guess.
    pub(super) fn guess(
        file: u32,
        facts: &Declarations,
        parameters: &[u32],
        bound: &mut Vec<(u32, Type)>,
    ) {
        for parameter in parameters {
            if bound.iter().any(|(known, _)| known == parameter) {
                continue;
            }
            let Some(known) = facts.bindings.get(*parameter as usize) else { continue };
            let shape = if known.shape > 1 { known.shape } else { known.default };
            if shape > 1 {
                let around = Arguments::default().with(file, bound.clone());
                let guess = Type::Guess(Rc::new(Type::under(file, shape, &around)));
                bound.push((*parameter, guess));
            }
        }
    }

    fn constructors(facts: &Declarations, class: u32) -> Vec<u32> {
        let members = facts.item(class).map(|it| it.members).unwrap_or_default();
        let is_it = |member: &&u32| {
            facts.item(**member).is_some_and(|it| it.kind == DeclarationKind::Constructor)
        };
        facts.list(members).iter().filter(is_it).copied().collect()
    }

    /// The props that a component expects.
    pub(super) fn props(&self, entity: &Entity) -> Vec<Entity> {
        match entity {
            Entity::Component(props) => self.all(props),
            Entity::Value(place, arguments) => {
                let instance = Entity::Instance(*place, arguments.clone());
                let own = self.entity_members(&instance, "props").into_iter();
                let own: Vec<Entity> = own
                    .flat_map(|(place, arguments)| self.member_value(place, &arguments))
                    .collect();
                if own.is_empty() {
                    self.base_props(place.file, place.item, arguments)
                } else {
                    own
                }
            }
            entity => self.taken(entity, 0),
        }
    }

    /// `class A extends Component<Props>`, if `Component` is unknown.
    fn base_props(&self, file: u32, item: u32, arguments: &Arguments) -> Vec<Entity> {
        let Some(facts) = self.world.file(file) else { return Vec::new() };
        let bases = facts.item(item).map(|it| it.bases).unwrap_or_default();
        let Some(base) = facts.list(bases).first() else { return Vec::new() };
        match facts.shape(*base) {
            Shape::New { types, .. } => {
                let props = facts.list(types).first().copied().unwrap_or(0);
                self.all(&Type::under(file, props, arguments))
            }
            _ => Vec::new(),
        }
    }
}
