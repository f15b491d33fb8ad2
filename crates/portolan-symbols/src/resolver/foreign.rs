//! Whether a value comes from outside the repository.

use portolan_types::FileId;
use std::collections::BTreeSet;

use portolan_types::declarations::{
    DeclarationKind, Declarations, Export, List, NONE, Reference, Shape, Usage,
};

use super::exports::Target;
use super::types::{Entity, Type};
use super::{Place, Resolver};

/// The most steps from a value to where it comes from.
const MOST_STEPS: u32 = 32;
/// The greatest depth of classes that build on each other.
const MOST_BASES: u32 = 12;

impl Resolver<'_> {
    /// Whether an import leads out of the repository.
    pub(super) fn is_foreign_binding(
        &self,
        file: FileId,
        facts: &Declarations,
        binding: u32,
    ) -> bool {
        let Some(known) = facts.bindings.get(binding as usize) else { return false };
        let Some(import) = facts.imports.get(known.import as usize) else { return true };
        let specifier = facts.name(import.specifier);
        let name = (import.name != NONE).then(|| facts.name(import.name));
        if self.is_linked(file) {
            let written = facts.name(known.name);
            if !facts.stars.is_empty() && !self.starred(file, written).is_empty() {
                // A wildcard of an inner block comes before an import of the file.
                return false;
            }
            if self.source.builtins(file).leads_outside(specifier, true) {
                return true;
            }
            let modules = self.linked_import(file, specifier, None);
            let is_near = || self.source.builtins(file).stays_inside(specifier);
            if modules.is_empty() && (is_near() || self.is_beside_linked(file, facts, specifier)) {
                return false;
            }
            return modules.iter().all(|target| match target {
                Target::Module(module) => self.passes_foreign(*module, name),
                Target::Item(_) => false,
            });
        }
        match self.source.resolve(file, specifier, import.is_required) {
            Some(module) => self.passes_foreign(module, name),
            // What is not there may be made of what is: a build.
            None => !self.source.builtins(file).stays_inside(specifier),
        }
    }

    /// Whether the value that a name or a member is used of comes from a path of the repository where nothing is.
    pub fn leads_nowhere(&self, file: FileId, reference: &Reference) -> bool {
        let Some(facts) = self.source.file(file) else { return false };
        self.begin(file);
        match reference.usage {
            Usage::Value | Usage::Type => {
                reference.of != NONE && self.is_lost_name(file, &facts, reference.of, MOST_STEPS)
            }
            Usage::Member | Usage::Taken | Usage::Given => {
                self.is_lost_value(file, reference.of, MOST_STEPS)
            }
        }
    }

    fn is_lost_value(&self, file: FileId, shape: u32, left: u32) -> bool {
        let Some(facts) = self.source.file(file).filter(|_| left > 0 && self.step()) else {
            return false;
        };
        let go = |shape: u32| self.is_lost_value(file, shape, left - 1);
        match facts.shape(shape) {
            Shape::Member { base, .. }
            | Shape::Qualified { base, .. }
            | Shape::Element { base }
            | Shape::Entry { base, .. }
            | Shape::Awaited { base } => go(base),
            Shape::Guarded { value, .. }
            | Shape::Narrowed { value, .. }
            | Shape::Checked { value, .. }
            | Shape::Entered { value } => go(value),
            Shape::Call { callee, .. } | Shape::New { callee, .. } => go(callee),
            Shape::Argument { call, .. } => go(call),
            Shape::Parameter { function, .. } | Shape::Returned { function } => go(function),
            Shape::Array { element } => go(element),
            Shape::Function { signature } => {
                facts.signatures.get(signature as usize).is_some_and(|it| go(it.gives))
            }
            Shape::Union { parts } | Shape::Intersection { parts } => {
                facts.list(parts).iter().any(|part| go(*part))
            }
            Shape::Module { specifier } => {
                let specifier = facts.name(specifier);
                self.module(file, specifier).is_none()
                    && self.source.builtins(file).stays_inside(specifier)
            }
            Shape::Name { binding } | Shape::Type { binding, .. } => {
                self.is_lost_name(file, &facts, binding, left - 1)
            }
            _ => false,
        }
    }

    fn is_lost_name(&self, file: FileId, facts: &Declarations, binding: u32, left: u32) -> bool {
        let Some(known) = facts.bindings.get(binding as usize).filter(|_| left > 0) else {
            return false;
        };
        if let Some(import) = facts.imports.get(known.import as usize) {
            let name = (import.name != NONE).then(|| facts.name(import.name));
            let specifier = facts.name(import.specifier);
            return self.is_lost_import_of(file, specifier, import.is_required, name, left - 1);
        }
        let shape = facts.item(known.item).map_or(known.shape, |item| item.shape);
        self.is_lost_value(file, shape, left - 1)
    }

    /// Whether a name of a module comes from a path where nothing is.
    fn is_lost_import_of(
        &self,
        file: FileId,
        specifier: &str,
        is_required: bool,
        name: Option<&str>,
        left: u32,
    ) -> bool {
        let module = if self.is_linked(file) {
            self.linked_file(file, specifier)
        } else {
            self.source.resolve(file, specifier, is_required)
        };
        let Some(module) = module else {
            return self.source.builtins(file).stays_inside(specifier);
        };
        let (Some(facts), Some(name)) = (self.source.file(module), name) else { return false };
        if left == 0 || !self.step() {
            return false;
        }
        let Some(named) = facts.find_name(name) else { return false };
        facts.exports.iter().filter(|it| it.name == named).any(|export| match export.what {
            Export::Binding(binding) => self.is_lost_name(module, &facts, binding, left - 1),
            Export::Item(item) => {
                let shape = facts.item(item).map_or(0, |it| it.shape);
                self.is_lost_value(module, shape, left - 1)
            }
            Export::From { specifier, name, .. } => {
                let name = (name != NONE).then(|| facts.name(name));
                let specifier = facts.name(specifier);
                self.is_lost_import_of(module, specifier, false, name, left - 1)
            }
        })
    }

    /// Whether a module re-exports this name from outside the repository.
    fn passes_foreign(&self, module: FileId, name: Option<&str>) -> bool {
        let (Some(facts), Some(name)) = (self.source.file(module), name) else { return false };
        let Some(named) = facts.find_name(name).filter(|_| self.step()) else { return false };
        let mut exports = facts.exports.iter().filter(|it| it.name == named).peekable();
        if exports.peek().is_none() {
            return false;
        }
        exports.all(|export| match export.what {
            Export::Binding(binding) => {
                let known = facts.bindings.get(binding as usize);
                known.is_some_and(|it| it.import != NONE)
                    && self.is_foreign_binding(module, &facts, binding)
            }
            Export::From { specifier, name, .. } => {
                let name = (name != NONE).then(|| facts.name(name));
                let specifier = facts.name(specifier);
                match self.source.resolve(module, specifier, false) {
                    Some(other) => self.passes_foreign(other, name),
                    None => !self.source.builtins(module).stays_inside(specifier),
                }
            }
            Export::Item(_) => false,
        })
    }

    /// Whether a value comes from outside the repository: a foreign name, a member of one, or an
    /// instance of a foreign class. The result of a foreign function does not count if one of its
    /// arguments is from the repository: it may return that argument.
    pub(super) fn is_foreign(&self, file: FileId, shape: u32) -> bool {
        self.is_foreign_at(file, shape, MOST_STEPS)
    }

    /// `left` counts down; a value that is still as long as it was is the one that is asked for.
    fn is_foreign_at(&self, file: FileId, shape: u32, left: u32) -> bool {
        let Some(facts) = self.source.file(file).filter(|_| left > 0 && self.step()) else {
            return false;
        };
        let is_first = left == MOST_STEPS;
        let go = |shape: u32| self.is_foreign_at(file, shape, left - 1);
        match facts.shape(shape) {
            Shape::Plain | Shape::Literal { .. } => true,
            Shape::Guarded { value, .. } | Shape::Narrowed { value, .. } => go(value),
            Shape::Checked { value, types, holds } => {
                go(value)
                    || (holds && self.entities(&Type::at(file, types)).is_empty() && go(types))
            }
            Shape::Union { parts } => facts.list(parts).iter().all(|it| go(*it)),
            Shape::Member { base, name } => {
                self.is_foreign_member(file, base, facts.name(name), left)
            }
            Shape::Element { base }
            | Shape::Entry { base, .. }
            | Shape::Awaited { base }
            | Shape::Entered { value: base } => {
                let found = self.entities(&Type::at(file, base));
                if found.is_empty() { go(base) } else { self.holds_foreign(&found, left) }
            }
            Shape::Qualified { base, arguments, .. } => {
                (arguments.len == 0 || is_first) && go(base)
            }
            Shape::New { callee, arguments, types } => {
                let is_generic = !self.is_linked(file) || self.source.builtins(file).is_generic();
                let is_made =
                    is_first || !is_generic || self.is_given_plain(file, &facts, arguments);
                types.len == 0
                    && is_made
                    && self.entities(&Type::at(file, callee)).is_empty()
                    && go(callee)
            }
            Shape::Call { callee, arguments, types } => {
                let found = self.entities(&Type::at(file, callee));
                if !found.is_empty() {
                    return self.gives_foreign(&found, left);
                }
                if self.gives_anything(file, &facts, callee) {
                    return false;
                }
                if let Shape::Member { base, name } = facts.shape(callee) {
                    if self.source.builtins(file).gives_plain(facts.name(name)) {
                        return true;
                    }
                    // What a class has from outside may well give the instance itself.
                    if !self.entities(&Type::at(file, base)).is_empty() {
                        return false;
                    }
                }
                types.len == 0 && self.is_given_plain(file, &facts, arguments) && go(callee)
            }
            Shape::Returned { function } => {
                self.gives_any(&self.entities(&Type::at(file, function)), left)
            }
            Shape::Argument { call, .. } => self.is_foreign_call(file, &facts, call, left),
            Shape::Parameter { function, .. } => match facts.shape(function) {
                Shape::Argument { call, .. } => self.is_foreign_call(file, &facts, call, left),
                Shape::Plain => true,
                _ => false,
            },
            Shape::Fixture { name } => self.gives_any(&self.fixture(file, facts.name(name)), left),
            Shape::Super { item } => self.has_foreign_bases(file, &facts, item, left),
            Shape::Free { name } => self.is_undeclared(file, &facts, name),
            Shape::FreeType { name, arguments } => {
                (arguments.len == 0 || is_first) && self.is_undeclared(file, &facts, name)
            }
            Shape::Module { specifier } => {
                let specifier = facts.name(specifier);
                self.module(file, specifier).is_none()
                    && !self.source.builtins(file).stays_inside(specifier)
            }
            Shape::Type { arguments, .. } if arguments.len > 0 && !is_first => false,
            Shape::Name { binding } | Shape::Type { binding, .. } => {
                self.is_foreign_name(file, &facts, binding, left)
            }
            _ => false,
        }
    }

    /// Whether a class has bases, and all of them are from outside.
    fn has_foreign_bases(&self, file: FileId, facts: &Declarations, item: u32, left: u32) -> bool {
        let bases = facts.list(facts.item(item).map(|it| it.bases).unwrap_or_default());
        !bases.is_empty() && bases.iter().all(|base| self.is_foreign_at(file, *base, left - 1))
    }

    /// Whether a called function of the language may give any value of the program.
    fn gives_anything(&self, file: FileId, facts: &Declarations, callee: u32) -> bool {
        let Shape::Free { name } = facts.shape(callee) else { return false };
        self.source.builtins(file).gives_anything(facts.name(name))
    }

    fn is_foreign_name(&self, file: FileId, facts: &Declarations, binding: u32, left: u32) -> bool {
        let Some(known) = facts.bindings.get(binding as usize) else { return false };
        if known.is_parameter {
            return false;
        }
        if known.item != NONE {
            return self.is_foreign_item(Place { file, item: known.item }, left);
        }
        if known.import == NONE {
            return self.is_foreign_at(file, known.shape, left - 1);
        }
        if self.is_foreign_binding(file, facts, binding) {
            return true;
        }
        let targets = self.binding_targets(file, binding);
        !targets.is_empty()
            && targets.iter().all(|target| match target {
                Target::Item(place) => self.is_foreign_item(*place, left),
                Target::Module(_) => false,
            })
    }

    /// Whether the value of a variable or a member comes from outside.
    fn is_foreign_item(&self, place: Place, left: u32) -> bool {
        let Some(facts) = self.source.file(place.file) else { return false };
        let Some(item) = facts.item(place.item) else { return false };
        let is_value = matches!(
            item.kind,
            DeclarationKind::Variable
                | DeclarationKind::Property
                | DeclarationKind::Getter
                | DeclarationKind::Type
        );
        is_value && item.next == NONE && self.is_foreign_at(place.file, item.shape, left - 1)
    }

    fn is_foreign_member(&self, file: FileId, base: u32, name: &str, left: u32) -> bool {
        let owners = self.entities(&Type::at(file, base));
        if owners.is_empty() {
            return self.is_foreign_at(file, base, left - 1);
        }
        owners.iter().all(|owner| {
            let members = self.entity_members(owner, name);
            if members.is_empty() {
                return self.builds_on_foreign(owner, MOST_BASES);
            }
            members.iter().all(|(place, _)| self.is_foreign_item(*place, left))
        })
    }

    /// Whether a class has members from outside.
    pub(super) fn has_foreign_base(&self, class: &Entity) -> bool {
        match class {
            Entity::Value(place, arguments) => {
                let made = Entity::Instance(*place, arguments.clone());
                self.builds_on_foreign(&made, MOST_BASES)
            }
            _ => false,
        }
    }

    /// Whether a class has members from outside, and all others are known.
    fn builds_on_foreign(&self, owner: &Entity, left: u32) -> bool {
        let Entity::Instance(place, _) = owner else { return false };
        let Some(facts) = self.source.file(place.file) else { return false };
        if left == 0 || !self.is_linked(place.file) || self.answers_for_members(*place) {
            return false;
        }
        let bases = facts.item(place.item).map(|it| it.bases).unwrap_or_default();
        let mut is_foreign = false;
        let is_known = facts.list(bases).iter().all(|base| {
            let is_open = match facts.shape(*base) {
                Shape::Type { arguments, .. }
                | Shape::FreeType { arguments, .. }
                | Shape::Qualified { arguments, .. } => arguments.len > 0,
                _ => true,
            };
            let found = self.entities(&Type::at(place.file, *base));
            if found.is_empty() {
                is_foreign |= self.is_foreign(place.file, *base);
                return !is_open && is_foreign;
            }
            is_foreign |= found.iter().any(|it| self.builds_on_foreign(it, left - 1));
            true
        });
        is_known && is_foreign
    }

    /// The types from outside that a type builds on, as they are written.
    pub fn outside_bases(&self, of: Place) -> BTreeSet<Box<str>> {
        let mut types = self.supers(of);
        types.insert(of);
        let mut found = BTreeSet::new();
        for place in types {
            let Some(facts) = self.source.file(place.file) else { continue };
            self.begin(place.file);
            for item in facts.merged(place.item).filter_map(|item| facts.item(item)) {
                for base in facts.list(item.bases) {
                    let held = self.entities(&Type::at(place.file, *base));
                    let class = match facts.shape(*base) {
                        Shape::New { callee, .. } => callee,
                        _ => *base,
                    };
                    let is_own = held.iter().any(|it| matches!(it, Entity::Instance(..)));
                    if !is_own && self.is_foreign(place.file, class) {
                        found.insert(super::unresolved::written(&facts, *base).into());
                    }
                }
            }
        }
        found
    }

    /// Whether a module answers for names that it does not declare.
    pub(super) fn answers_for_names(&self, module: FileId) -> bool {
        let name = self.source.builtins(module).answers_for_members();
        name.is_some_and(|name| !self.export(module, name).is_empty())
    }

    /// Whether a class answers for members that it does not declare.
    pub(super) fn answers_for_members(&self, place: Place) -> bool {
        let name = self.source.builtins(place.file).answers_for_members();
        name.is_some_and(|name| {
            let entity = Entity::Instance(place, super::types::Arguments::default());
            !self.entity_members(&entity, name).is_empty()
        })
    }

    fn is_foreign_call(&self, file: FileId, facts: &Declarations, call: u32, left: u32) -> bool {
        match facts.shape(call) {
            Shape::Call { callee, types, .. } | Shape::New { callee, types, .. } => {
                types.len == 0
                    && self.entities(&Type::at(file, callee)).is_empty()
                    && self.is_foreign_at(file, callee, left - 1)
            }
            _ => false,
        }
    }

    /// Whether there are functions, and they give what comes from outside.
    fn gives_any(&self, functions: &[Entity], left: u32) -> bool {
        !functions.is_empty() && self.gives_foreign(functions, left)
    }

    /// Whether functions give what comes from outside.
    fn gives_foreign(&self, functions: &[Entity], left: u32) -> bool {
        functions.iter().all(|function| {
            let signatures = self.signatures(function, "()");
            !signatures.is_empty()
                && signatures
                    .iter()
                    .all(|(file, it, _)| self.is_foreign_at(*file, it.gives, left - 1))
        })
    }

    /// Whether lists and the like hold what comes from outside.
    fn holds_foreign(&self, lists: &[Entity], left: u32) -> bool {
        lists.iter().all(|list| match list {
            Entity::List(held) | Entity::Table(held) | Entity::Promise(held) => match held {
                Type::At { file, shape, .. } => self.is_foreign_at(*file, *shape, left - 1),
                Type::Known(_) | Type::Guess(_) => false,
            },
            _ => false,
        })
    }

    /// Whether a name that its file does not declare belongs to the language or the platform.
    fn is_undeclared(&self, file: FileId, facts: &Declarations, name: u32) -> bool {
        let name = facts.name(name);
        if self.is_linked(file) {
            let is_bound = facts.stars.is_empty() || self.source.builtins(file).is_prelude(name);
            return is_bound && self.linked_name(file, name).is_empty();
        }
        self.source.globals(file, name).is_empty()
    }

    /// Whether a value is an instance or a class of the repository, or holds some.
    fn may_be_own(&self, entities: &[Entity], left: u32) -> bool {
        entities.iter().any(|entity| match entity {
            Entity::Instance(..) | Entity::Value(..) => true,
            Entity::List(held) | Entity::Table(held) | Entity::Promise(held) if left > 0 => {
                self.may_be_own(&self.entities(held), left - 1)
            }
            _ => false,
        })
    }

    /// Whether no argument of a call can be part of its result. In languages where types are rarely
    /// generic, that is so for all that is not known to be of the repository.
    fn is_given_plain(&self, file: FileId, facts: &Declarations, arguments: List) -> bool {
        let is_plain = |shape: &u32| {
            matches!(facts.shape(*shape), Shape::Plain)
                || matches!(facts.shape(*shape), Shape::Function { signature }
                    if facts.signatures.get(signature as usize).is_some_and(|it| it.gives <= 1))
        };
        let is_generic = !self.is_linked(file) || self.source.builtins(file).is_generic();
        let own = |shape: &u32| self.may_be_own(&self.entities(&Type::at(file, *shape)), 2);
        let arguments = facts.list(arguments).iter();
        if is_generic {
            arguments.copied().all(|it| is_plain(&it))
        } else {
            !arguments.copied().any(|it| own(&it))
        }
    }
}
