//! Calls, and built-in types: lists, tables, promises, components.

use portolan_types::FileId;
use std::rc::Rc;

use portolan_types::declarations::{
    Builtin, BuiltinMethod, DeclarationKind, Declarations, List, Shape,
};

use super::evaluate::At;
use super::exports::Target;
use super::types::{Entity, Type};
use super::{Gaps, Resolver};

/// The side of a comparison of types that has type parameters.
struct Written<'w> {
    file: FileId,
    facts: &'w Declarations,
    parameters: &'w [u32],
}

impl Resolver<'_> {
    /// A built-in type: no file declares it.
    pub(super) fn builtin_type(&self, at: &At<'_>, name: &str, arguments: List) -> Vec<Entity> {
        let builtin = self.source.builtins(at.file).named(name);
        self.builtin(at, builtin, arguments)
    }

    fn builtin(&self, at: &At<'_>, builtin: Builtin, arguments: List) -> Vec<Entity> {
        let arguments = at.facts.list(arguments);
        let argument =
            |index: usize| arguments.get(index).map_or(Type::at(at.file, 0), |it| at.of(*it));
        match builtin {
            Builtin::List => vec![Entity::List(argument(0))],
            Builtin::Table => vec![Entity::Table(argument(1))],
            Builtin::Same(index) => self.all(&argument(index as usize)),
            Builtin::Either(member) => {
                let mut found = self.all(&argument(0));
                if arguments.len() > 1 {
                    found.push(Entity::Box(member, argument(1)));
                }
                found
            }
            Builtin::Members(is_named) => {
                self.chosen(at, &argument(0), arguments.get(1).copied().unwrap_or(0), is_named)
            }
            Builtin::Promise => vec![Entity::Promise(argument(0))],
            Builtin::Returned => self.each(&argument(0), |entity| self.given(entity, &[])),
            Builtin::Taken => self.each(&argument(0), |entity| {
                self.signatures(entity, "()")
                    .into_iter()
                    .map(|(file, signature, arguments)| Entity::Tuple {
                        file,
                        parts: signature.takes,
                        arguments,
                    })
                    .collect()
            }),
            Builtin::Instance => self.each(&argument(0), |entity| self.instance(entity, at, &[])),
            Builtin::Component => vec![Entity::Component(argument(0))],
            Builtin::Box(member) => vec![Entity::Box(member, argument(0))],
            Builtin::Part(holds) => {
                self.part(&argument(0), at, arguments.get(1).copied().unwrap_or(0), holds)
            }
            Builtin::Rendered(index) => vec![Entity::Component(argument(index as usize))],
            Builtin::Ends => {
                let queue = Type::Known(vec![Entity::List(argument(0))].into());
                vec![Entity::List(queue)]
            }
            _ => Vec::new(),
        }
    }

    /// A type with only the named members of another one, or all but those.
    fn chosen(&self, at: &At<'_>, of: &Type, names: u32, is_named: bool) -> Vec<Entity> {
        let all = self.all(of);
        let names = self.texts(at, names).or_else(|| self.key_names(at, names));
        let Some(names) = names else {
            // Which ones is not known. What is used of those that were picked is one of them.
            if !is_named {
                self.doubt();
            }
            return all;
        };
        let names: Rc<[Box<str>]> = names.into();
        let has_members = |entity: &Entity| {
            matches!(
                entity,
                Entity::Instance(..)
                    | Entity::Object { .. }
                    | Entity::Mapped { .. }
                    | Entity::Chosen { .. }
                    | Entity::Joined(_)
            )
        };
        let choose = |entity: Entity| match entity {
            entity if has_members(&entity) => {
                Entity::Chosen { of: Rc::new(entity), names: Rc::clone(&names), is_named }
            }
            entity => entity,
        };
        all.into_iter().map(choose).collect()
    }

    /// The names that `keyof` gives of a type; `None` where not all are known.
    fn key_names(&self, at: &At<'_>, shape: u32) -> Option<Vec<Box<str>>> {
        match at.facts.shape(shape) {
            Shape::Keys { base } => {
                let entities = self.entities(&at.of(base));
                (!entities.is_empty()).then(|| self.names_of_all(&entities))?
            }
            Shape::Union { parts } => {
                let parts = at.facts.list(parts).iter();
                let each =
                    parts.map(|part| self.texts(at, *part).or_else(|| self.key_names(at, *part)));
                let each: Option<Vec<Vec<Box<str>>>> = each.collect();
                each.map(|each| each.into_iter().flatten().collect())
            }
            _ => None,
        }
    }

    /// A method of a list, a table or a promise, as a function that calls its argument.
    pub(super) fn builtin_member(&self, file: FileId, entity: &Entity, name: &str) -> Vec<Entity> {
        let builtins = self.source.builtins(file);
        let (method, place) = builtins.method(name);
        let is_module = matches!(entity, Entity::Module(_));
        let is_list = method != BuiltinMethod::Unknown
            && (!is_module || (method, place) == (BuiltinMethod::Returned, 0));
        let as_list = if is_list { self.as_list(entity) } else { None };
        let entity = as_list.as_ref().unwrap_or(entity);
        let is_inside = matches!(entity, Entity::Instance(..)) && builtins.applies(name);
        if is_inside {
            // What is in a box that is used as if it were not there.
            return vec![Entity::Caller(vec![Type::Known(Rc::new(vec![entity.clone()]))])];
        }
        if method == BuiltinMethod::Unknown {
            return Vec::new();
        }
        let element = match entity {
            Entity::List(element) | Entity::Table(element) | Entity::Promise(element) => {
                element.clone()
            }
            Entity::Tuple { .. } => Type::Known(self.held(entity, None).into()),
            _ => return Vec::new(),
        };
        if method == BuiltinMethod::Takes {
            return vec![Entity::Taker(element)];
        }
        let mut with = vec![Type::at(file, 0); place as usize];
        with.push(element.clone());
        // A comparison function gets two elements.
        with.push(element);
        vec![Entity::Caller(with)]
    }

    /// The result of a call.
    pub(super) fn call(
        &self,
        at: &At<'_>,
        callee: u32,
        arguments: List,
        types: List,
    ) -> Vec<Entity> {
        if let Shape::Member { base, name } = at.facts.shape(callee)
            && let Some(found) = self.builtin_call(at, base, name, arguments)
        {
            return found;
        }
        let mut callees = self.entities(&at.of(callee));
        let is_function = |entity: &Entity| matches!(entity, Entity::Function { .. });
        if self.is_linked(at.file) && callees.len() > 1 && callees.iter().any(is_function) {
            // A field and a method of one name: the method is called.
            callees = Rc::new(callees.iter().filter(|it| is_function(it)).cloned().collect());
        }
        let given: Vec<Type> = at.facts.list(arguments).iter().map(|shape| at.of(*shape)).collect();
        let typed: Vec<Type> = at.facts.list(types).iter().map(|shape| at.of(*shape)).collect();
        let mut found = Vec::new();
        let mut is_known = true;
        for entity in callees.iter().flat_map(Entity::parts) {
            let before = found.len();
            match entity {
                Entity::Caller(_) => {
                    // A function that is given last is called.
                    let called = given.last().map(|it| self.each(it, |one| self.given(one, &[])));
                    found.extend(called.unwrap_or_default());
                }
                // Classes are called to make instances.
                Entity::Value(..) if self.source.builtins(at.file).constructor().is_some() => {
                    found.extend(self.instance(entity, at, &typed));
                }
                entity => found.extend(self.given_for(entity, &typed, &given, "()")),
            }
            is_known &= found.len() > before;
        }
        self.choose(callees.len(), is_known);
        if callees.is_empty() {
            if let Shape::Member { base, name } = at.facts.shape(callee)
                && self.source.builtins(at.file).makes(at.facts.name(name))
            {
                return self.each(&at.of(base), Self::instance_of);
            }
            if let Some(made) = self.made_by_base(at, callee) {
                return made;
            }
            let builtin = self.called_builtin(at, callee);
            if let Shape::Member { base, name } = at.facts.shape(callee)
                && self.source.builtins(at.file).passes(at.facts.name(name))
            {
                return self.all(&at.of(base));
            }
            if matches!(builtin, Builtin::Unknown | Builtin::Alike(_)) {
                self.doubt_and_miss();
            }
            found.extend(self.unknown_call(at, callee, &given, types));
        }
        found
    }

    /// The result of a method that a class has from outside and that is called on the class itself: most such methods make
    /// an instance.
    fn made_by_base(&self, at: &At<'_>, callee: u32) -> Option<Vec<Entity>> {
        let Shape::Member { base, .. } = at.facts.shape(callee) else { return None };
        self.source.builtins(at.file).constructor()?;
        let classes = self.entities(&at.of(base));
        let is_class = |it: &Entity| matches!(it, Entity::Value(..)) && self.has_foreign_base(it);
        if classes.is_empty() || !classes.iter().all(is_class) {
            return None;
        }
        self.doubt();
        Some(classes.iter().flat_map(Self::instance_of).collect())
    }

    /// What the language knows about a called function that no file declares.
    pub(super) fn called_builtin(&self, at: &At<'_>, callee: u32) -> Builtin {
        self.source.builtins(at.file).called(called_name(at, callee))
    }

    /// An instance of a named type.
    fn instance_of(entity: &Entity) -> Vec<Entity> {
        match entity {
            Entity::Value(place, around) | Entity::Instance(place, around) => {
                vec![Entity::Instance(*place, around.clone())]
            }
            _ => Vec::new(),
        }
    }

    /// The possible results of a call of a function that no file declares.
    fn unknown_call(&self, at: &At<'_>, callee: u32, given: &[Type], types: List) -> Vec<Entity> {
        let builtin = self.called_builtin(at, callee);
        let is_same = matches!(builtin, Builtin::Unknown | Builtin::Same(_) | Builtin::Alike(_));
        if types.len > 0 && !is_same {
            return self.builtin(at, builtin, types);
        }
        match builtin {
            Builtin::Same(index) | Builtin::Alike(index) => {
                given.get(index as usize).map(|it| self.all(it)).unwrap_or_default()
            }
            Builtin::Rendered(_) => given.first().map(|it| self.all(it)).unwrap_or_default(),
            Builtin::Returned => {
                let first = given.first().map(|it| self.each(it, |one| self.given(one, &[])));
                first.unwrap_or_default()
            }
            Builtin::Box(member) => {
                given.first().map(|it| vec![Entity::Box(member, it.clone())]).unwrap_or_default()
            }
            Builtin::List => {
                // What is given may be a function that makes the first value.
                let made = |one: &Entity| match one {
                    Entity::Function { .. } => self.given(one, &[]),
                    one => vec![one.clone()],
                };
                let first = given.first().map(|it| self.each(it, made)).unwrap_or_default();
                vec![Entity::List(Type::Known(first.into()))]
            }
            Builtin::Held | Builtin::HeldPairs => {
                let held = |it: &Type| self.each(it, |one| self.held_by_name(one));
                let held = given.first().map(held).unwrap_or_default();
                if held.is_empty() {
                    return Vec::new();
                }
                let list = Entity::List(Type::Known(held.into()));
                match builtin {
                    Builtin::Held => vec![list],
                    _ => vec![Entity::List(Type::Known(vec![list].into()))],
                }
            }
            _ => Vec::new(),
        }
    }

    /// The values of a table or a list, under any key.
    fn held_by_name(&self, entity: &Entity) -> Vec<Entity> {
        match entity {
            Entity::Object { file, members, arguments, .. } => {
                let Some(facts) = self.source.file(*file) else { return Vec::new() };
                let members = facts.list(*members).iter();
                let found = members.flat_map(|item| {
                    self.member_value(super::Place { file: *file, item: *item }, arguments)
                });
                found.collect()
            }
            entity => self.held(entity, None),
        }
    }

    /// The result of a call of a method of a list, a table or a promise.
    fn builtin_call(
        &self,
        at: &At<'_>,
        base: u32,
        name: u32,
        arguments: List,
    ) -> Option<Vec<Entity>> {
        let (method, place) = self.source.builtins(at.file).method(at.facts.name(name));
        if matches!(method, BuiltinMethod::Unknown | BuiltinMethod::Takes) {
            return None;
        }
        let bases = self.entities(&at.of(base));
        let own = at.facts.name(name);
        let is_own = |entity: &&Entity| match entity {
            Entity::Instance(..) => !self.entity_members(entity, own).is_empty(),
            Entity::Module(_) => {
                (method, place) != (BuiltinMethod::Returned, 0)
                    || !self.entity_members(entity, own).is_empty()
            }
            _ => false,
        };
        let lists = bases.iter().flat_map(Entity::parts).filter(|entity| !is_own(entity));
        let lists: Vec<Entity> = lists.filter_map(|entity| self.as_list(entity)).collect();
        if lists.is_empty() {
            return None;
        }
        let returned = || {
            let first = at.facts.list(arguments).first()?;
            Some(Type::Known(self.each(&at.of(*first), |one| self.given(one, &[])).into()))
        };
        let mut found = Vec::new();
        for list in lists {
            match method {
                BuiltinMethod::Same => found.push(list.clone()),
                BuiltinMethod::Element => found.extend(self.held(&list, None)),
                BuiltinMethod::Mapped => found.extend(returned().map(Entity::List)),
                BuiltinMethod::Returned => {
                    found.extend(returned().iter().flat_map(|it| self.all(it)));
                }
                BuiltinMethod::Pairs => {
                    found.push(Entity::List(Type::Known(self.held(&list, None).into())));
                }
                _ => {}
            }
        }
        Some(found)
    }

    /// The result of `new`.
    pub(super) fn made(
        &self,
        at: &At<'_>,
        callee: u32,
        arguments: List,
        types: List,
    ) -> Vec<Entity> {
        let callees = self.entities(&at.of(callee));
        let typed: Vec<Type> = at.facts.list(types).iter().map(|shape| at.of(*shape)).collect();
        let given: Vec<Type> = at.facts.list(arguments).iter().map(|shape| at.of(*shape)).collect();
        if callees.is_empty() {
            return self.builtin_type(at, called_name(at, callee), types);
        }
        let mut found = Vec::new();
        for entity in callees.iter().flat_map(Entity::parts) {
            match entity {
                Entity::Value(..) => found.extend(self.instance(entity, at, &typed)),
                // A class may extend an expression that is already an instance.
                Entity::Instance(..) => {
                    let made = self.given_for(entity, &typed, &given, "new()");
                    found.extend(if made.is_empty() { vec![entity.clone()] } else { made });
                }
                entity => found.extend(self.given_for(entity, &typed, &given, "new()")),
            }
        }
        found
    }

    fn instance(&self, entity: &Entity, at: &At<'_>, typed: &[Type]) -> Vec<Entity> {
        match entity {
            Entity::Value(place, _) => {
                let Some(facts) = self.source.file(place.file) else { return Vec::new() };
                let parameters = facts.item(place.item).map(|it| it.parameters).unwrap_or_default();
                let bound = facts.list(parameters).iter().copied().zip(typed.iter().cloned());
                vec![Entity::Instance(*place, at.arguments.with(place.file, bound.collect()))]
            }
            entity => self.given_for(entity, typed, &[], "new()"),
        }
    }

    /// The result of a function.
    pub(super) fn given(&self, entity: &Entity, arguments: &[Type]) -> Vec<Entity> {
        self.given_for(entity, &[], arguments, "()")
    }

    fn given_for(
        &self,
        entity: &Entity,
        typed: &[Type],
        given: &[Type],
        name: &str,
    ) -> Vec<Entity> {
        let mut found = Vec::new();
        let signatures = self.signatures(entity, name);
        let (count, mut is_known) = (signatures.len(), true);
        for (file, signature, around) in signatures {
            let before = found.len();
            let Some(facts) = self.source.file(file) else { continue };
            if !signature.is_written {
                self.gaps.set(Gaps { is_inferred: true, ..self.gaps.get() });
            }
            let parameters = facts.list(signature.parameters);
            let mut bound: Vec<(u32, Type)> =
                parameters.iter().copied().zip(typed.iter().cloned()).collect();
            if typed.is_empty() && !parameters.is_empty() {
                let takes = facts.list(signature.takes).iter().zip(given);
                for (shape, argument) in takes {
                    self.infer(file, &facts, *shape, argument, parameters, &mut bound, 4);
                }
                self.guess(file, &facts, &signature, &mut bound);
            }
            let around = around.with(file, bound);
            let gives = Type::under(file, signature.gives, &around);
            if signature.is_async {
                found.push(Entity::Promise(gives));
            } else {
                found.extend(self.all(&gives));
            }
            is_known &= found.len() > before;
        }
        self.choose(count, is_known);
        found
    }

    /// One of several functions is called. Where all of their results are known, what is done with it tells which.
    fn choose(&self, count: usize, is_known: bool) {
        if count > 1 && is_known {
            self.is_choice.set(true);
        } else if count > 1 {
            self.doubt_and_miss();
        }
    }

    /// Whether an argument's type is the one that a name refers to.
    fn is_named(&self, file: FileId, binding: u32, given: &Type) -> bool {
        let targets = self.binding_targets(file, binding);
        let is_it = |entity: &Entity| match entity {
            Entity::Instance(place, _) => targets.contains(&Target::Item(*place)),
            _ => false,
        };
        self.entities(given).iter().flat_map(Entity::parts).any(is_it)
    }

    /// One of the type arguments of an instance.
    fn argument(&self, entity: &Entity, index: usize) -> Vec<Entity> {
        let Entity::Instance(place, around) = entity else { return Vec::new() };
        let Some(facts) = self.source.file(place.file) else { return Vec::new() };
        let parameters = facts.item(place.item).map(|it| it.parameters).unwrap_or_default();
        let parameter = facts.list(parameters).get(index);
        let given = parameter.and_then(|parameter| around.get(place.file, *parameter));
        given.map(|given| self.all(&given)).unwrap_or_default()
    }

    /// The result of a function, or an instance of a class.
    fn given_or_made(&self, entity: &Entity) -> Vec<Entity> {
        match entity {
            Entity::Value(place, around) => vec![Entity::Instance(*place, around.clone())],
            entity => self.given(entity, &[]),
        }
    }

    /// Infers type parameters through a named type: `Constructor<T>` is `new () => T`. False where the name says nothing.
    fn infer_named(
        &self,
        written: &Written<'_>,
        binding: u32,
        arguments: List,
        given: &Type,
        bound: &mut Vec<(u32, Type)>,
        depth: u32,
    ) -> bool {
        let mut is_known = false;
        for target in self.binding_targets(written.file, binding) {
            let Target::Item(place) = target else { continue };
            let Some(facts) = self.source.file(place.file) else { continue };
            let Some(item) = facts.item(place.item) else { continue };
            let shape = match item.kind {
                DeclarationKind::Type => item.shape,
                DeclarationKind::Interface => {
                    let made = self.own_members(place, "new()").into_iter().next();
                    made.and_then(|it| facts.item(it.item)).map_or(0, |it| it.shape)
                }
                _ => 0,
            };
            let parameters = facts.list(item.parameters);
            let mut inner = Vec::new();
            if shape > 1 && !parameters.is_empty() {
                self.infer(place.file, &facts, shape, given, parameters, &mut inner, depth - 1);
            }
            for (parameter, argument) in parameters.iter().zip(written.facts.list(arguments)) {
                let found = inner.iter().find(|(known, _)| known == parameter);
                let Some((_, found)) = found else { continue };
                is_known = true;
                let (file, facts) = (written.file, written.facts);
                self.infer(file, facts, *argument, found, written.parameters, bound, depth - 1);
            }
        }
        is_known
    }

    /// Infers type parameters by comparing a parameter's type with the type of its argument.
    #[expect(clippy::too_many_arguments, reason = "both sides of a comparison of types")]
    pub(super) fn infer(
        &self,
        file: FileId,
        facts: &Declarations,
        shape: u32,
        given: &Type,
        parameters: &[u32],
        bound: &mut Vec<(u32, Type)>,
        depth: u32,
    ) {
        if depth == 0 || !self.step() {
            return;
        }
        // What an argument is does not matter where its type is not asked for.
        let (was_exact, was_choice) = (self.is_exact.replace(true), self.is_choice.get());
        let gaps = self.gaps.get();
        self.infer_from(file, facts, shape, given, parameters, bound, depth);
        self.is_exact.set(was_exact);
        self.is_choice.set(was_choice);
        self.gaps.set(gaps);
    }

    #[expect(clippy::too_many_arguments, reason = "both sides of a comparison of types")]
    fn infer_from(
        &self,
        file: FileId,
        facts: &Declarations,
        shape: u32,
        given: &Type,
        parameters: &[u32],
        bound: &mut Vec<(u32, Type)>,
        depth: u32,
    ) {
        if let Shape::Type { binding, arguments } = facts.shape(shape)
            && arguments.len > 0
            && !self.is_named(file, binding, given)
        {
            let written = Written { file, facts, parameters };
            if self.infer_named(&written, binding, arguments, given, bound, depth) {
                return;
            }
        }
        let mut go = |shape: u32, found: Vec<Entity>| {
            if !found.is_empty() {
                let known = Type::Known(found.into());
                let is_exact = self.is_exact.replace(true);
                let given = if is_exact { known } else { Type::Guess(Rc::new(known)) };
                self.infer(file, facts, shape, &given, parameters, bound, depth - 1);
            }
        };
        match facts.shape(shape) {
            Shape::Type { binding, arguments } if arguments.len == 0 => {
                let is_new = !bound.iter().any(|(known, _)| *known == binding);
                if parameters.contains(&binding) && is_new {
                    bound.push((binding, given.clone()));
                }
            }
            Shape::Type { binding, arguments } if self.is_named(file, binding, given) => {
                for (inner, index) in facts.list(arguments).iter().zip(0..) {
                    go(*inner, self.each(given, |it| self.argument(it, index)));
                }
            }
            Shape::FreeType { arguments, .. } | Shape::Type { arguments, .. } => {
                for inner in facts.list(arguments) {
                    let held = self.each(given, |it| self.held(it, None));
                    go(*inner, if held.is_empty() { self.all(given) } else { held });
                }
            }
            Shape::Array { element } => go(element, self.each(given, |it| self.held(it, None))),
            Shape::Function { signature } => {
                if let Some(signature) = facts.signatures.get(signature as usize) {
                    go(signature.gives, self.each(given, |it| self.given_or_made(it)));
                }
            }
            Shape::Object { members, .. } => {
                for member in facts.list(members) {
                    let Some(member) = facts.item(*member) else { continue };
                    let name = facts.name(member.name);
                    let found = self.each(given, |it| {
                        let found = self.entity_members(it, name).into_iter();
                        found
                            .flat_map(|(place, arguments)| self.member_value(place, &arguments))
                            .collect()
                    });
                    go(member.shape, found);
                }
            }
            Shape::Union { parts } | Shape::Intersection { parts } => {
                for part in facts.list(parts) {
                    go(*part, self.all(given));
                }
            }
            _ => {}
        }
    }
}

/// The name of a called function or class, as the module calls it that it is imported from.
fn called_name<'f>(at: &At<'f>, callee: u32) -> &'f str {
    match at.facts.shape(callee) {
        Shape::Free { name } | Shape::Member { name, .. } => at.facts.name(name),
        Shape::Name { binding } => {
            let known = at.facts.bindings.get(binding as usize);
            let import = known.and_then(|it| at.facts.imports.get(it.import as usize));
            import.map_or("", |it| at.facts.name(it.name))
        }
        _ => "",
    }
}
