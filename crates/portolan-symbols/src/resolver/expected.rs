//! The expected type at a position: of an argument, or of the props of a component.

use portolan_types::FileId;
use std::rc::Rc;

use portolan_types::declarations::{
    Builtin, BuiltinMethod, DeclarationKind, Declarations, List, Shape, Signature,
};

use super::evaluate::At;
use super::types::{Arguments, Entity, Type};
use super::{Place, Resolver};

/// Types in types: beyond this any parameter may be mentioned.
const MOST_MENTIONS: u32 = 12;

/// The members of a component that the type arguments of its base are the types of.
const COMPONENT_MEMBERS: [&str; 2] = ["props", "state"];

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
        let callees = self.entities(&at.of(callee));
        if callees.is_empty()
            && index == 0
            && let Builtin::Rendered(props) = self.called_builtin(at, callee)
        {
            // What renders a component takes its props.
            let props = typed.get(props as usize).cloned();
            return props.map(|props| Entity::Caller(vec![props])).into_iter().collect();
        }
        let kept = self.kept_values(at, callee);
        if !kept.is_empty() {
            return kept;
        }
        for entity in callees.iter().flat_map(Entity::parts) {
            match entity {
                Entity::Caller(_) if index == 0 || self.is_linked(at.file) => {
                    found.push(entity.clone());
                }
                Entity::Taker(held) => found.extend(self.all(held)),
                Entity::Value(place, around) if is_new => {
                    let Some(facts) = self.source.file(place.file) else { continue };
                    for member in Self::constructors(&facts, place.item) {
                        let shape = facts.item(member).map_or(0, |it| it.shape);
                        let made = self.all(&Type::under(place.file, shape, around));
                        found.extend(made.iter().flat_map(|one| self.taken(one, index)));
                    }
                }
                entity => {
                    let how = if is_new { "new()" } else { "()" };
                    for (file, signature, around) in self.signatures(entity, how) {
                        let Some(facts) = self.source.file(file) else { continue };
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

    /// What a table takes: `table.set(key, value)`.
    fn kept_values(&self, at: &At<'_>, callee: u32) -> Vec<Entity> {
        let Shape::Member { base, name } = at.facts.shape(callee) else { return Vec::new() };
        let (method, _) = self.source.builtins(at.file).method(at.facts.name(name));
        if method != BuiltinMethod::Takes {
            return Vec::new();
        }
        let values = self.each(&at.of(base), |entity| match entity {
            Entity::Table(value) => self.all(value),
            _ => Vec::new(),
        });
        let is_called = values.iter().any(|it| matches!(it, Entity::Function { .. }));
        if is_called { Vec::new() } else { values }
    }

    /// The type arguments of a call as seen from one of its arguments: inferred from the other
    /// arguments, then from the expected result.
    fn call_arguments(
        &self,
        facts: &Declarations,
        file: FileId,
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
            self.guess(file, facts, signature, &mut bound);
        }
        around.with(file, bound)
    }

    /// Type parameters that could not be inferred: those that no argument tells are what they are by default, or their
    /// constraint. For others, the constraint is a guess.
    pub(super) fn guess(
        &self,
        file: FileId,
        facts: &Declarations,
        signature: &Signature,
        bound: &mut Vec<(u32, Type)>,
    ) {
        for parameter in facts.list(signature.parameters) {
            if bound.iter().any(|(known, _)| known == parameter) {
                continue;
            }
            let Some(known) = facts.bindings.get(*parameter as usize) else { continue };
            let mut takes = facts.list(signature.takes).iter();
            // Languages that resolve through the map infer from what is done with the result, too.
            let is_told = self.is_linked(file)
                || takes.any(|it| mentions(facts, *it, *parameter, MOST_MENTIONS));
            let [first, second] =
                if is_told { [known.shape, known.default] } else { [known.default, known.shape] };
            let shape = if first > 1 { first } else { second };
            if shape > 1 {
                let around = Arguments::default().with(file, bound.clone());
                let found = Type::under(file, shape, &around);
                // A function has the parameters that are asked for, whichever it is.
                let is_called = matches!(facts.shape(shape), Shape::Function { .. });
                let is_guess = is_told && !(is_called && self.is_linked(file));
                let found = if is_guess { Type::Guess(Rc::new(found)) } else { found };
                bound.push((*parameter, found));
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
                if own.is_empty() { self.base_argument(*place, arguments, 0) } else { own }
            }
            entity => self.taken(entity, 0),
        }
    }

    /// A type argument of what a class extends: `class A extends Component<Props>`, if `Component` is unknown.
    fn base_argument(&self, class: Place, arguments: &Arguments, index: usize) -> Vec<Entity> {
        let Some(facts) = self.source.file(class.file) else { return Vec::new() };
        let bases = facts.item(class.item).map(|it| it.bases).unwrap_or_default();
        let Some(base) = facts.list(bases).first() else { return Vec::new() };
        match facts.shape(*base) {
            Shape::New { types, .. } => {
                let props = facts.list(types).get(index).copied().unwrap_or(0);
                self.all(&Type::under(class.file, props, arguments))
            }
            _ => Vec::new(),
        }
    }

    /// A member of a component that its class has from outside.
    pub(super) fn component_member(&self, entity: &Entity, name: &str) -> Vec<Entity> {
        let (Entity::Instance(class, arguments), Some(index)) =
            (entity, COMPONENT_MEMBERS.iter().position(|it| *it == name))
        else {
            return Vec::new();
        };
        self.base_argument(*class, arguments, index)
    }
}

/// Whether a type is written with a type parameter, as far as that is known.
fn mentions(facts: &Declarations, shape: u32, parameter: u32, left: u32) -> bool {
    if left == 0 {
        return true;
    }
    let go = |shape: u32| mentions(facts, shape, parameter, left - 1);
    let any = |list: List| facts.list(list).iter().any(|shape| go(*shape));
    match facts.shape(shape) {
        Shape::Unknown
        | Shape::Plain
        | Shape::Literal { .. }
        | Shape::Free { .. }
        | Shape::Name { .. }
        | Shape::Module { .. }
        | Shape::Class { .. }
        | Shape::This { .. } => false,
        Shape::Type { binding, arguments } => binding == parameter || any(arguments),
        Shape::FreeType { arguments, .. } => any(arguments),
        Shape::Qualified { base, arguments, .. } => go(base) || any(arguments),
        Shape::Member { base, .. }
        | Shape::Element { base }
        | Shape::Entry { base, .. }
        | Shape::Awaited { base }
        | Shape::Keys { base } => go(base),
        Shape::Array { element } => go(element),
        Shape::Tuple { parts } | Shape::Union { parts } | Shape::Intersection { parts } => {
            any(parts)
        }
        Shape::Mapped { source, value } => go(source) || go(value),
        Shape::Object { members, spreads } => {
            let mut items = facts.list(members).iter().filter_map(|item| facts.item(*item));
            items.any(|item| go(item.shape)) || any(spreads)
        }
        Shape::Function { signature } => {
            let known = facts.signatures.get(signature as usize);
            known.is_none_or(|it| any(it.takes) || go(it.gives))
        }
        _ => true,
    }
}
