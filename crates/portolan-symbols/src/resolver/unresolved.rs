//! Unresolved names: imports that lead nowhere, and members of unknown types.

use portolan_types::FileId;
use std::collections::{BTreeMap, BTreeSet};

use portolan_types::declarations::{
    Builtin, DEFAULT, DeclarationKind, Declarations, NONE, Reference, Shape, Span, Usage,
};

use super::exports::Target;
use super::needs::members;
use super::types::{Entity, Type};
use super::{Place, Resolver};

/// A name that could not be resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unresolved {
    /// The name as written, with the path before it.
    pub name: Box<str>,
    /// Members of that name in declarations that were already found.
    pub like: Vec<Place>,
}

/// The most steps from a member path to its first name.
const MOST_STEPS: usize = 32;
/// The greatest depth at which a value is checked for being text or a number.
const MOST_DEPTH: u32 = 8;
/// If more declarations than this have a member of some name, the name alone says nothing.
const MOST_LIKE: usize = 3;
/// The most names of a file whose members are searched.
const MOST_NAMES: usize = 60;

impl Resolver<'_> {
    /// Whether a reference that means nothing may mean something of the repository.
    pub fn is_open(&self, file: FileId, reference: &Reference) -> bool {
        self.open_name(file, reference).is_some()
    }

    /// The name to report for an unresolved reference; `None` if the language or the platform
    /// provides it, or if it is a member of a name that is reported itself.
    pub(super) fn open_name(&self, file: FileId, reference: &Reference) -> Option<String> {
        let facts = self.source.file(file)?;
        let name = facts.name(reference.name);
        match reference.usage {
            Usage::Value | Usage::Type => {
                let leads_nowhere = if reference.of == NONE {
                    !self.is_given(file, name)
                } else {
                    self.is_lost_import(file, &facts, reference.of)
                };
                leads_nowhere.then(|| name.to_owned())
            }
            Usage::Member | Usage::Taken => {
                let is_told = reference.of > 1
                    && !self.is_of_language(file, reference)
                    && !self.starts_elsewhere(file, &facts, reference.of)
                    && !self.is_plain(file, reference.of, MOST_DEPTH);
                is_told.then(|| format!("{}.{name}", written(&facts, reference.of)))
            }
            Usage::Given => None,
        }
    }

    /// Whether the language or the platform provides a name. In languages that resolve through the
    /// map we cannot tell for a name without a link, so it counts as provided.
    fn is_given(&self, file: FileId, name: &str) -> bool {
        let builtins = self.source.builtins(file);
        self.is_linked(file)
            || builtins.is_given(name)
            || builtins.scope(name).is_some()
            || builtins.named(name) != Builtin::Unknown
            || builtins.called(name) != Builtin::Unknown
    }

    /// Whether an import leads to no file, or to a file without that name.
    fn is_lost_import(&self, file: FileId, facts: &Declarations, binding: u32) -> bool {
        let known = facts.bindings.get(binding as usize);
        let import = known.and_then(|it| facts.imports.get(it.import as usize));
        let Some(import) = import.filter(|_| !self.is_linked(file)) else { return false };
        let specifier = facts.name(import.specifier);
        match self.source.resolve(file, specifier, import.is_required) {
            None => !self.source.is_given(file, specifier),
            // The default export of a component file is the component; no name in its script says
            // so.
            Some(module) => {
                import.name != NONE
                    && facts.name(import.name) != DEFAULT
                    && self.source.file(module).is_some()
            }
        }
    }

    /// Whether a value starts with a name from elsewhere. Reporting that name is enough.
    fn starts_elsewhere(&self, file: FileId, facts: &Declarations, shape: u32) -> bool {
        let mut at = shape;
        for _ in 0..MOST_STEPS {
            at = match facts.shape(at) {
                Shape::Member { base, .. }
                | Shape::Qualified { base, .. }
                | Shape::Element { base }
                | Shape::Entry { base, .. }
                | Shape::Awaited { base }
                | Shape::Entered { value: base } => base,
                Shape::Call { callee, .. } | Shape::New { callee, .. } => callee,
                Shape::Parameter { function, .. } | Shape::Returned { function } => function,
                Shape::Argument { call, .. } => call,
                Shape::Guarded { value, .. }
                | Shape::Narrowed { value, .. }
                | Shape::Checked { value, .. } => value,
                Shape::Free { name } | Shape::FreeType { name, .. } => {
                    return self.source.globals(file, facts.name(name)).is_empty();
                }
                Shape::Module { .. } => return true,
                Shape::Name { binding } | Shape::Type { binding, .. } => {
                    let Some(known) = facts.bindings.get(binding as usize) else { return false };
                    if known.import != NONE {
                        return self.binding_targets(file, binding).is_empty();
                    }
                    known.shape
                }
                _ => return false,
            };
        }
        false
    }

    /// Whether a value is text, a number or the like, or computed from one, whichever of its alternatives it is: its
    /// members are built in.
    pub(super) fn is_plain(&self, file: FileId, shape: u32, depth: u32) -> bool {
        let Some(facts) = self.source.file(file).filter(|_| depth > 0) else { return false };
        let is_plain = |shape: u32| self.is_plain(file, shape, depth - 1);
        match facts.shape(shape) {
            Shape::Plain | Shape::Literal { .. } => true,
            Shape::Member { base, name } => {
                let name = facts.name(name);
                let found = self.entities(&Type::at(file, base));
                let members = found.iter().flat_map(|it| self.entity_members(it, name));
                let members: Vec<_> = members.collect();
                let is_known = !members.is_empty();
                is_plain(base)
                    || (is_known
                        && members.iter().all(|(place, _)| self.is_plain_item(*place, depth - 1)))
            }
            Shape::Call { callee, .. } => {
                let gives = |entity: &Entity| match entity {
                    Entity::Function { file, signature, .. } => {
                        let other = self.source.file(*file);
                        let signature =
                            other.and_then(|it| it.signatures.get(*signature as usize).copied());
                        signature.is_some_and(|it| self.is_plain(*file, it.gives, depth - 1))
                    }
                    _ => false,
                };
                let callees = self.entities(&Type::at(file, callee));
                is_plain(callee) || (!callees.is_empty() && callees.iter().all(gives))
            }
            Shape::Element { base } | Shape::Entry { base, .. } => {
                let holds = |entity: &Entity| match entity {
                    Entity::List(Type::At { file, shape, .. })
                    | Entity::Table(Type::At { file, shape, .. }) => {
                        self.is_plain(*file, *shape, depth - 1)
                    }
                    _ => false,
                };
                let lists = self.entities(&Type::at(file, base));
                is_plain(base) || (!lists.is_empty() && lists.iter().all(holds))
            }
            Shape::Awaited { base } => is_plain(base),
            Shape::Guarded { value, .. } | Shape::Narrowed { value, .. } => is_plain(value),
            Shape::Checked { value, types, holds } => is_plain(value) || (holds && is_plain(types)),
            Shape::Union { parts } => facts.list(parts).iter().all(|part| is_plain(*part)),
            Shape::Name { binding } | Shape::Type { binding, .. } => {
                let Some(known) = facts.bindings.get(binding as usize) else { return false };
                if known.item == NONE && known.import == NONE {
                    return is_plain(known.shape);
                }
                let targets = self.binding_targets(file, binding);
                !targets.is_empty()
                    && targets.into_iter().all(|target| match target {
                        Target::Item(place) => self.is_plain_item(place, depth - 1),
                        Target::Module(_) => false,
                    })
            }
            _ => false,
        }
    }

    fn is_plain_item(&self, place: Place, depth: u32) -> bool {
        let facts = self.source.file(place.file);
        let item = facts.and_then(|facts| facts.item(place.item).copied());
        item.is_some_and(|it| {
            it.kind == DeclarationKind::Enum || self.is_plain(place.file, it.shape, depth)
        })
    }

    /// Finds declarations with members of these names, among the needs of the text and the names of
    /// its files.
    pub(super) fn alike(
        &self,
        open: &BTreeSet<String>,
        focus: &[(FileId, Span)],
        needed: impl Iterator<Item = Place>,
    ) -> Vec<Unresolved> {
        let open = shortest(open);
        let last = |name: &str| name.rsplit_once('.').map(|(_, last)| last.to_owned());
        let wanted: BTreeSet<String> = open.iter().filter_map(|name| last(name)).collect();
        let mut found: BTreeMap<String, Vec<Place>> = BTreeMap::new();
        self.find_members(needed, &wanted, &mut found);
        let left: BTreeSet<String> =
            wanted.into_iter().filter(|name| !found.contains_key(name)).collect();
        if !left.is_empty() {
            let files: BTreeSet<FileId> = focus.iter().map(|(file, _)| *file).collect();
            let named = files.into_iter().flat_map(|file| self.named_in(file));
            self.find_members(named, &left, &mut found);
        }
        let like = |name: &str| last(name).and_then(|name| found.get(&name)).cloned();
        let each = open.iter().map(|name| {
            let mut like = like(name).unwrap_or_default();
            like.truncate(MOST_LIKE);
            Unresolved { name: name.as_str().into(), like }
        });
        each.collect()
    }

    fn find_members(
        &self,
        reach: impl Iterator<Item = Place>,
        wanted: &BTreeSet<String>,
        found: &mut BTreeMap<String, Vec<Place>>,
    ) {
        let mut known = BTreeSet::new();
        for place in reach.filter(|place| known.insert(*place)) {
            let Some(facts) = self.source.file(place.file) else { continue };
            for item in members(&facts, place.item) {
                let name = facts.item(item).map_or("", |it| facts.name(it.name));
                if wanted.contains(name) {
                    found.entry(name.to_owned()).or_default().push(Place { item, ..place });
                }
            }
        }
    }

    /// The declarations that the names of a file refer to.
    fn named_in(&self, file: FileId) -> Vec<Place> {
        let Some(facts) = self.source.file(file) else { return Vec::new() };
        let is_named = |binding: &u32| {
            let known = facts.bindings.get(*binding as usize);
            known.is_some_and(|it| it.item != NONE || it.import != NONE)
        };
        let bindings = (0..facts.bindings.len() as u32).filter(is_named).take(MOST_NAMES);
        let mut places = Vec::new();
        for binding in bindings {
            self.fuel.set(super::FUEL);
            for target in self.binding_targets(file, binding) {
                if let Target::Item(place) = target {
                    places.extend(self.merged(place));
                }
            }
        }
        places
    }
}

/// A value as it is written, as far as it consists of names.
pub(super) fn written(facts: &Declarations, shape: u32) -> String {
    let (mut at, mut parts) = (shape, Vec::new());
    for _ in 0..MOST_STEPS {
        at = match facts.shape(at) {
            Shape::Member { base, name } | Shape::Qualified { base, name, .. } => {
                parts.push(facts.name(name));
                parts.push(".");
                base
            }
            Shape::Call { callee, .. } => {
                parts.push("()");
                callee
            }
            // What a class builds on.
            Shape::New { callee, .. } => callee,
            Shape::Element { base } | Shape::Entry { base, .. } => {
                parts.push("[]");
                base
            }
            Shape::Awaited { base } | Shape::Entered { value: base } => base,
            Shape::Name { binding } | Shape::Type { binding, .. } => {
                let known = facts.bindings.get(binding as usize);
                parts.push(known.map_or("…", |it| facts.name(it.name)));
                break;
            }
            Shape::Free { name } | Shape::FreeType { name, .. } => {
                parts.push(facts.name(name));
                break;
            }
            Shape::This { .. } => {
                parts.push("this");
                break;
            }
            Shape::Super { .. } => {
                parts.push("super");
                break;
            }
            _ => {
                parts.push("…");
                break;
            }
        };
    }
    parts.reverse();
    parts.concat()
}

/// Drops names that start with another one: members of a reported name are not news.
fn shortest(names: &BTreeSet<String>) -> Vec<String> {
    let starts = |name: &str| {
        let ends =
            name.char_indices().filter(|(at, char)| *at > 0 && matches!(char, '.' | '(' | '['));
        ends.map(|(at, _)| name.get(..at).unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let is_new = |name: &&String| !starts(name).iter().any(|start| names.contains(start));
    names.iter().filter(is_new).cloned().collect()
}
