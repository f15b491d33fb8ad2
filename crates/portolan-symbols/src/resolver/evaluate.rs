//! Evaluates shapes to entities: classes, interfaces, literals, functions.

use portolan_types::FileId;
use std::rc::Rc;

use portolan_types::declarations::{
    Declaration, DeclarationKind, Declarations, Export, List, NONE, Shape,
};

use super::exports::Target;
use super::narrowing::is_same;
use super::types::{Arguments, Assumed, Entity, Known, Type};
use super::{Place, Resolver};

/// The greatest nesting of shapes that is evaluated.
pub(super) const MOST_DEPTH: u32 = 40;
/// The greatest depth at which an alternative is checked for being text or a number.
const PLAIN_DEPTH: u32 = 8;
/// The most alternatives of one shape.
const MOST_ENTITIES: usize = 96;

impl Resolver<'_> {
    /// The entities that a type evaluates to.
    pub(super) fn entities(&self, of: &Type) -> Rc<Vec<Entity>> {
        let (file, shape, arguments) = match of {
            Type::Known(entities) => return Rc::clone(entities),
            Type::At { file, shape, arguments } => (*file, *shape, arguments),
            Type::Guess(of) => {
                self.doubt_and_miss();
                return self.entities(of);
            }
        };
        if shape <= 1 {
            return Rc::default();
        }
        let key = (file, shape);
        // What a type parameter is depends on where it is seen from.
        let is_plain = arguments.is_empty();
        let is_kept = is_plain && Some(file) == self.root.get();
        if is_kept && let Some(known) = self.memo.borrow().get(&key) {
            self.is_exact.set(self.is_exact.get() && known.is_exact);
            self.is_choice.set(self.is_choice.get() || known.is_choice);
            self.gaps.set(self.gaps.get().and(known.gaps));
            return Rc::clone(&known.entities);
        }
        let is_open = self.open.borrow().iter().filter(|open| **open == key).count();
        if is_plain
            && let Some(assumed) =
                self.assumed.borrow_mut().iter_mut().rev().find(|it| it.key == key)
        {
            assumed.is_used = true;
            return Rc::clone(&assumed.entities);
        }
        if is_open > usize::from(!is_plain) * 2 || self.depth.get() > MOST_DEPTH || !self.step() {
            self.doubt_and_miss();
            return Rc::default();
        }
        let Some(facts) = self.source.file(file) else { return Rc::default() };
        self.open.borrow_mut().push(key);
        self.depth.set(self.depth.get() + 1);
        let was_exact = self.is_exact.replace(true);
        let was_choice = self.is_choice.replace(false);
        let before = self.gaps.take();
        let at = At { file, facts: &facts, arguments };
        let mut found =
            if is_plain { self.settled(&at, key) } else { self.evaluate(&at, facts.shape(shape)) };
        if found.len() > MOST_ENTITIES {
            self.doubt_and_miss();
            found.truncate(MOST_ENTITIES);
        }
        let found = Rc::new(found);
        let (is_exact, is_choice) = (self.is_exact.get(), self.is_choice.get());
        self.is_exact.set(was_exact && is_exact);
        self.is_choice.set(was_choice || is_choice);
        let gaps = self.gaps.get();
        self.gaps.set(before.and(gaps));
        self.depth.set(self.depth.get() - 1);
        self.open.borrow_mut().pop();
        // A result that was cut short is incomplete, so it is not cached.
        if is_kept && self.fuel.get() > 0 && self.open.borrow().is_empty() {
            let known = Known { entities: Rc::clone(&found), is_exact, is_choice, gaps };
            self.memo.borrow_mut().insert(key, known);
        }
        found
    }

    /// What a shape is that may depend on itself: `node = node.parent` in a loop. It is what it is without that, unless
    /// that gives something else.
    fn settled(&self, at: &At<'_>, key: (FileId, u32)) -> Vec<Entity> {
        let (first, is_used) = self.assuming(at, key, Rc::default());
        if !is_used {
            return first;
        }
        if first.is_empty() {
            self.doubt_and_miss();
            return first;
        }
        self.is_exact.set(true);
        self.is_choice.set(false);
        self.gaps.take();
        let first = Rc::new(first);
        let (second, _) = self.assuming(at, key, Rc::clone(&first));
        let has = |of: &[Entity], one: &Entity| of.iter().any(|it| is_same(it, one));
        if !second.iter().all(|it| has(&first, it)) || !first.iter().all(|it| has(&second, it)) {
            self.doubt_and_miss();
        }
        second
    }

    /// What a shape is if it is these where it depends on itself, and whether it does.
    fn assuming(
        &self,
        at: &At<'_>,
        key: (FileId, u32),
        entities: Rc<Vec<Entity>>,
    ) -> (Vec<Entity>, bool) {
        self.assumed.borrow_mut().push(Assumed { key, entities, is_used: false });
        let found = self.evaluate(at, at.facts.shape(key.1));
        let assumed = self.assumed.borrow_mut().pop();
        (found, assumed.is_some_and(|it| it.is_used))
    }

    fn evaluate(&self, at: &At<'_>, shape: Shape) -> Vec<Entity> {
        match shape {
            Shape::Name { binding } => self.name_value(at, binding),
            Shape::Free { name } => {
                let name_text = at.facts.name(name);
                if let Some(scope) = self.source.builtins(at.file).scope(name_text) {
                    let places = self.source.globals(at.file, scope).into_iter();
                    return places
                        .map(|place| Entity::Instance(place, Arguments::default()))
                        .collect();
                }
                self.targets_value(at, self.free(at.file, name_text))
            }
            Shape::Type { binding, arguments } => self.named_type(at, binding, arguments),
            Shape::FreeType { name, arguments } => self.free_type(at, name, arguments),
            Shape::Member { base, name } => self.member_values(at, base, name),
            Shape::Qualified { base, name, arguments } => self.qualified(at, base, name, arguments),
            Shape::Element { base } => self.each(&at.of(base), |entity| self.held(entity, None)),
            Shape::Entry { base, index } => self.entry(at, base, index),
            Shape::Call { callee, arguments, types } => self.call(at, callee, arguments, types),
            Shape::New { callee, arguments, types } => self.made(at, callee, arguments, types),
            Shape::Awaited { base } => self.each(&at.of(base), |entity| match entity {
                Entity::Promise(value) => self.all(value),
                entity => vec![entity.clone()],
            }),
            Shape::Object { members, spreads } => {
                let (file, arguments) = (at.file, at.arguments.clone());
                vec![Entity::Object { file, members, spreads, arguments }]
            }
            Shape::Function { signature } => {
                let (file, arguments) = (at.file, at.arguments.clone());
                vec![Entity::Function { file, signature, arguments }]
            }
            Shape::Class { item } => {
                vec![Entity::Value(Place { file: at.file, item }, at.arguments.clone())]
            }
            Shape::Union { parts } => {
                let parts = at.facts.list(parts).iter();
                parts.flat_map(|part| self.alternative(at, *part)).collect()
            }
            Shape::Intersection { parts } => self.all_at_once(at, parts),
            Shape::Array { element } => vec![Entity::List(at.of(element))],
            Shape::Tuple { parts } => {
                vec![Entity::Tuple { file: at.file, parts, arguments: at.arguments.clone() }]
            }
            Shape::Mapped { source, value } => {
                // `T[K]`: each member keeps its type.
                let same = matches!(at.facts.shape(value), Shape::Element { .. });
                let value = (!same).then(|| at.of(value));
                vec![Entity::Mapped { source: at.of(source), value }]
            }
            Shape::This { item } => {
                vec![Entity::Instance(Place { file: at.file, item }, at.arguments.clone())]
            }
            Shape::Super { item } => {
                let bases = at.facts.item(item).map(|it| it.bases).unwrap_or_default();
                let bases = at.facts.list(bases).iter();
                bases.flat_map(|base| self.all(&at.of(*base))).collect()
            }
            Shape::Parameter { function, index } => {
                self.each(&at.of(function), |entity| self.taken(entity, index))
            }
            Shape::Returned { function } => {
                self.each(&at.of(function), |entity| self.given(entity, &[]))
            }
            Shape::Argument { call, index, expected } => {
                self.expected_argument(at, call, index, expected)
            }
            Shape::Props { component } => self.each(&at.of(component), |entity| self.props(entity)),
            Shape::Module { specifier } => {
                let module = self.module(at.file, at.facts.name(specifier));
                module.map_or_else(Vec::new, |it| {
                    self.targets_value(at, self.whole(it, &mut Vec::new()))
                })
            }
            shape => self.evaluate_rare(at, shape),
        }
    }

    fn evaluate_rare(&self, at: &At<'_>, shape: Shape) -> Vec<Entity> {
        match shape {
            Shape::Guarded { function, value, holds } => self.guarded(at, function, value, holds),
            Shape::Fixture { name } => {
                // A test runner matches fixtures by name, so no type says that this is one.
                self.is_exact.set(false);
                let found = self.fixture(at.file, at.facts.name(name));
                found.iter().flat_map(|function| self.fixture_value(function)).collect()
            }
            Shape::Narrowed { value, member, test, holds } => {
                self.narrowed(at, value, member, test, holds)
            }
            Shape::Checked { value, types, holds } => self.checked(at, value, types, holds),
            Shape::Indexed { base, index } => self.indexed(at, base, index),
            Shape::Entered { value } => self.each(&at.of(value), |it| self.entered(at.file, it)),
            _ => Vec::new(),
        }
    }

    /// What entering a context gives: what its class says, else the context manager itself or what a generator yields.
    fn entered(&self, file: FileId, context: &Entity) -> Vec<Entity> {
        let mut found = Vec::new();
        for name in self.source.builtins(file).entering() {
            for (place, around) in self.entity_members(context, name) {
                for function in self.member_value(place, &around) {
                    for (file, it, around) in self.signatures(&function, "()") {
                        let Some(facts) = self.source.file(file) else { continue };
                        if matches!(Self::shape_of(&facts, it.gives), Shape::This { .. }) {
                            found.push(context.clone());
                        } else {
                            found.extend(self.all(&Type::under(file, it.gives, &around)));
                        }
                    }
                }
            }
        }
        if found.is_empty() {
            found.push(context.clone());
            found.extend(self.held(context, None));
        }
        found
    }

    /// One of the alternatives of a union. Where it is not known, there may be more than what is found.
    fn alternative(&self, at: &At<'_>, part: u32) -> Vec<Entity> {
        let found = self.all(&at.of(part));
        if found.is_empty()
            && !self.is_plain(at.file, part, PLAIN_DEPTH)
            && !self.is_foreign(at.file, part)
        {
            self.miss();
        }
        found
    }

    pub(super) fn all(&self, of: &Type) -> Vec<Entity> {
        self.entities(of).to_vec()
    }

    pub(super) fn each(&self, of: &Type, with: impl Fn(&Entity) -> Vec<Entity>) -> Vec<Entity> {
        self.entities(of).iter().flat_map(Entity::parts).flat_map(with).collect()
    }

    /// What is all of several types at once. Where these have alternatives, each combination of them is one.
    fn all_at_once(&self, at: &At<'_>, parts: List) -> Vec<Entity> {
        let mut found: Vec<Vec<Entity>> = vec![Vec::new()];
        for part in at.facts.list(parts) {
            let with = self.all(&at.of(*part));
            if with.is_empty() {
                continue;
            }
            if found.len() * with.len() > MOST_ENTITIES {
                self.doubt_and_miss();
                return found.concat();
            }
            let each = found.iter().flat_map(|one| {
                with.iter().map(|other| {
                    let mut both = one.clone();
                    both.push(other.clone());
                    both
                })
            });
            found = each.collect();
        }
        found.retain(|one| !one.is_empty());
        found.into_iter().map(|parts| Entity::joined(&parts)).collect()
    }

    /// The element of a list at a fixed place. Going through a table gives pairs of a key and a value.
    fn entry(&self, at: &At<'_>, base: u32, index: u32) -> Vec<Entity> {
        let is_list = |entity: &Entity| {
            matches!(entity, Entity::List(_) | Entity::Tuple { .. } | Entity::Table(_))
        };
        if let (Shape::Element { base: of }, 1) = (at.facts.shape(base), index) {
            let of = self.entities(&at.of(of));
            let tables = of.iter().filter_map(|entity| match entity {
                Entity::Table(value) => Some(self.all(value)),
                _ => None,
            });
            let values: Vec<Entity> = tables.flatten().collect();
            if !values.is_empty() && !values.iter().any(is_list) {
                return values;
            }
        }
        self.each(&at.of(base), |entity| self.held(entity, Some(index)))
    }

    fn name_value(&self, at: &At<'_>, binding: u32) -> Vec<Entity> {
        let Some(known) = at.facts.bindings.get(binding as usize) else { return Vec::new() };
        if known.item == NONE && known.import == NONE {
            return self.all(&at.of(known.shape));
        }
        self.targets_value(at, self.binding_targets(at.file, binding))
    }

    fn targets_value(&self, at: &At<'_>, targets: Vec<Target>) -> Vec<Entity> {
        let found = targets.into_iter().flat_map(|target| match target {
            Target::Item(place) => self.item_value(place, at.arguments),
            Target::Module(module) => vec![Entity::Module(module)],
        });
        found.collect()
    }

    /// Resolves a name that its file does not declare.
    fn free(&self, file: FileId, name: &str) -> Vec<Target> {
        if self.is_linked(file) {
            return self.linked_name(file, name);
        }
        self.source.globals(file, name).into_iter().map(Target::Item).collect()
    }

    /// The fixture functions of a name: in the file itself, or in the nearest shared file.
    pub(super) fn fixture(&self, file: FileId, name: &str) -> Vec<Entity> {
        let Some(shared) = self.source.builtins(file).fixtures() else { return Vec::new() };
        let near = std::iter::once(file).chain(self.source.nearby(file, shared));
        for file in near {
            let Some(facts) = self.source.file(file) else { continue };
            let Some(name) = facts.find_name(name) else { continue };
            let is_it = |item: &&Declaration| {
                // It has a decorator.
                item.name == name
                    && item.parent == NONE
                    && item.kind == DeclarationKind::Function
                    && item.span.start < item.at
            };
            // One that was given this name.
            let mut given = facts.exports.iter().filter(|it| it.name == name);
            let given = given.find_map(|export| match export.what {
                Export::Item(item) => facts.item(item).filter(|it| it.name != name),
                _ => None,
            });
            if let Some(item) = facts.items.iter().find(is_it).or(given) {
                return self.all(&Type::at(file, item.shape));
            }
        }
        Vec::new()
    }

    /// What a fixture gives. Few of them say it, but what they make there and return is what a test gets.
    fn fixture_value(&self, function: &Entity) -> Vec<Entity> {
        let signatures = self.signatures(function, "()");
        if signatures.iter().any(|(_, it, _)| it.is_async) {
            return self.given(function, &[]);
        }
        let each = signatures.into_iter();
        each.flat_map(|(file, it, around)| self.all(&Type::under(file, it.gives, &around)))
            .collect()
    }

    /// The value of a declaration and of the ones merged with it.
    pub(super) fn item_value(&self, place: Place, arguments: &Arguments) -> Vec<Entity> {
        let Some(facts) = self.source.file(place.file) else { return Vec::new() };
        let mut found = Vec::new();
        for item in facts.merged(place.item) {
            let Some(declared) = facts.item(item) else { continue };
            let here = Place { item, ..place };
            match declared.kind {
                DeclarationKind::Interface | DeclarationKind::Type => {}
                DeclarationKind::Class | DeclarationKind::Enum | DeclarationKind::Namespace => {
                    found.push(Entity::Value(here, arguments.clone()));
                }
                // A merged property with a name of its own is a member of the value.
                DeclarationKind::Property if item != place.item => {
                    if !found.iter().any(|it| matches!(it, Entity::Assigned(_))) {
                        found.push(Entity::Assigned(place));
                    }
                }
                _ => found.extend(self.all(&Type::under(place.file, declared.shape, arguments))),
            }
        }
        found
    }

    /// The value of a member, under some type arguments.
    pub(super) fn member_value(&self, place: Place, arguments: &Arguments) -> Vec<Entity> {
        let Some(facts) = self.source.file(place.file) else { return Vec::new() };
        let Some(item) = facts.item(place.item) else { return Vec::new() };
        match item.kind {
            DeclarationKind::Class | DeclarationKind::Enum | DeclarationKind::Namespace => {
                vec![Entity::Value(place, arguments.clone())]
            }
            DeclarationKind::Interface | DeclarationKind::Type => Vec::new(),
            _ => self.all(&Type::under(place.file, item.shape, arguments)),
        }
    }

    /// The values of the members that a type names.
    fn indexed(&self, at: &At<'_>, base: u32, index: u32) -> Vec<Entity> {
        let names = self.texts(at, index);
        let mut found = Vec::new();
        for name in names.iter().flatten() {
            found.extend(self.values_named(at, base, name));
        }
        if names.is_none() {
            found = self.each(&at.of(base), |entity| self.held(entity, None));
        }
        let mapped = |it: &Entity| matches!(it, Entity::Mapped { value: Some(_), .. });
        let is_open = names.is_none() || self.entities(&at.of(base)).iter().any(mapped);
        if is_open && found.len() > 1 {
            self.doubt();
        }
        found
    }

    /// The values of the members of a name.
    fn member_values(&self, at: &At<'_>, base: u32, name: u32) -> Vec<Entity> {
        self.values_named(at, base, at.facts.name(name))
    }

    fn values_named(&self, at: &At<'_>, base: u32, name: &str) -> Vec<Entity> {
        let mut found = Vec::new();
        for entity in self.entities(&at.of(base)).iter().flat_map(Entity::parts) {
            match entity {
                Entity::Box(member, value) if *member == name => found.extend(self.all(value)),
                Entity::Module(module) => {
                    let targets = self.export(*module, name);
                    if targets.is_empty() {
                        found.extend(self.builtin_member(at.file, entity, name));
                    }
                    for target in targets {
                        match target {
                            Target::Item(place) => {
                                found.extend(self.item_value(place, &Arguments::default()));
                            }
                            Target::Module(module) => found.push(Entity::Module(module)),
                        }
                    }
                }
                Entity::Mapped { value: Some(value), .. } | Entity::Table(value) => {
                    found.extend(self.all(value));
                }
                entity => {
                    let members = self.entity_members(entity, name);
                    if members.is_empty() {
                        found.extend(self.builtin_member(at.file, entity, name));
                        found.extend(self.component_member(entity, name));
                        if let (Entity::Value(class, around), "prototype") = (entity, name) {
                            found.push(Entity::Instance(*class, around.clone()));
                        }
                    }
                    for (place, arguments) in members {
                        found.extend(self.member_value(place, &arguments));
                    }
                }
            }
        }
        found
    }

    fn named_type(&self, at: &At<'_>, binding: u32, arguments: List) -> Vec<Entity> {
        let Some(known) = at.facts.bindings.get(binding as usize) else { return Vec::new() };
        if known.is_parameter {
            if let Some(bound) = at.arguments.get(at.file, binding) {
                return self.all(&bound);
            }
            // Seen from inside, a parameter has the members of what it extends.
            let is_inside = Some(at.file) == self.root.get() && known.shape > 1;
            if !is_inside {
                self.doubt();
            }
            let fallback = if known.shape > 1 { known.shape } else { known.default };
            if fallback != known.shape {
                self.miss();
            }
            return self.all(&at.of(fallback));
        }
        if known.item == NONE && known.import == NONE {
            return self.all(&at.of(known.shape));
        }
        let targets = self.binding_targets(at.file, binding);
        if targets.is_empty() {
            // The import resolves to no file, but the imported name may still be a known built-in.
            let name = at.facts.imports.get(known.import as usize).map_or(known.name, |it| it.name);
            return self.builtin_type(at, at.facts.name(name), arguments);
        }
        let found = targets.into_iter().flat_map(|target| match target {
            Target::Item(place) => self.item_type(place, at, arguments),
            Target::Module(module) => vec![Entity::Module(module)],
        });
        found.collect()
    }

    /// The type that a declaration, and the ones merged with it, define.
    pub(super) fn item_type(&self, place: Place, at: &At<'_>, arguments: List) -> Vec<Entity> {
        let Some(facts) = self.source.file(place.file) else { return Vec::new() };
        let is_linked = self.is_linked(place.file);
        let mut found = Vec::new();
        for item in facts.merged(place.item) {
            let Some(declared) = facts.item(item) else { continue };
            let here = Place { item, ..place };
            match declared.kind {
                // A distinct type that is defined by another one and has extensions.
                DeclarationKind::Type if is_linked && declared.shape <= 1 => {
                    found.push(Entity::Instance(here, at.arguments.clone()));
                }
                // What a variant holds.
                DeclarationKind::Enum | DeclarationKind::EnumMember if is_linked => {
                    found.push(Entity::Instance(here, at.arguments.clone()));
                }
                DeclarationKind::Class | DeclarationKind::Interface => {
                    let is_first = !found.iter().any(|it| matches!(it, Entity::Instance(..)));
                    if is_first {
                        // Merged declarations are found from the first one.
                        let first = Place { item: place.item, ..here };
                        let bound = bound(&facts, place.file, declared, at, arguments);
                        found.push(Entity::Instance(first, at.arguments.with(place.file, bound)));
                    }
                }
                DeclarationKind::Type => {
                    let bound = bound(&facts, place.file, declared, at, arguments);
                    let arguments = at.arguments.with(place.file, bound);
                    found.extend(self.all(&Type::under(place.file, declared.shape, &arguments)));
                }
                _ => {}
            }
        }
        found
    }

    fn qualified(&self, at: &At<'_>, base: u32, name: u32, arguments: List) -> Vec<Entity> {
        let name = at.facts.name(name);
        let spaces = self.entities(&at.of(base));
        if spaces.is_empty() {
            return self.builtin_type(at, name, arguments);
        }
        let mut found = Vec::new();
        for space in spaces.iter() {
            for (place, _) in self.entity_members(space, name) {
                found.extend(self.item_type(place, at, arguments));
            }
        }
        found
    }

    fn free_type(&self, at: &At<'_>, name: u32, arguments: List) -> Vec<Entity> {
        let name = at.facts.name(name);
        let targets = self.free(at.file, name);
        if targets.is_empty() {
            return self.builtin_type(at, name, arguments);
        }
        let found = targets.into_iter().filter_map(|target| match target {
            Target::Item(place) => Some(self.item_type(place, at, arguments)),
            Target::Module(_) => None,
        });
        found.flatten().collect()
    }
}

/// The file and type arguments under which a shape is evaluated.
pub(super) struct At<'a> {
    pub(super) file: FileId,
    pub(super) facts: &'a Declarations,
    pub(super) arguments: &'a Arguments,
}

impl At<'_> {
    /// A shape of the same file under the same type arguments.
    pub(super) fn of(&self, shape: u32) -> Type {
        Type::under(self.file, shape, self.arguments)
    }
}

/// Binds the type parameters of a declaration to the given arguments. Missing arguments take their
/// defaults.
fn bound(
    facts: &Declarations,
    file: FileId,
    item: &Declaration,
    at: &At<'_>,
    arguments: List,
) -> Vec<(u32, Type)> {
    let given = at.facts.list(arguments);
    let mut bound: Vec<(u32, Type)> = Vec::new();
    for (index, parameter) in facts.list(item.parameters).iter().enumerate() {
        let default = facts.bindings.get(*parameter as usize).map_or(0, |it| it.default);
        match given.get(index) {
            Some(shape) => bound.push((*parameter, at.of(*shape))),
            None if default > 1 => {
                let around = Arguments::default().with(file, bound.clone());
                bound.push((*parameter, Type::under(file, default, &around)));
            }
            None => {}
        }
    }
    bound
}
