//! Resolves a use of a name to the declarations it refers to, across files.
//!
//! The facts of each file (`portolan_types::declarations`) hold its bindings and the types that are
//! written in it. The resolver follows them from file to file: first scopes, then imports through
//! barrels, then members by their written types, with a bounded number of steps. It is not a type
//! checker: if a type is neither written nor evident from literals and calls, it gives no answer.
//!
//! [`Resolver::resolve`] is the entry point. It loads files through [`World`] when it needs them.

mod builtin;
mod decide;
mod departures;
mod evaluate;
mod expected;
mod exports;
mod linked;
mod members;
mod needs;
mod parts;
mod types;
mod unresolved;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_types::declarations::{
    Builtins, DeclarationKind, Declarations, NONE, Reference, Shape, Usage,
};
use rustc_hash::FxHashMap;

pub use self::departures::Departure;
pub use self::needs::{MANY_MEMBERS, Need, Needs, enclosing, heads, needs};
use self::types::{Entity, Known, Type};
pub use self::unresolved::Unresolved;

/// The files of a repository, by number.
pub trait World {
    /// The declarations of a file; `None` if it is not code or cannot be read.
    fn file(&self, file: u32) -> Option<Arc<Declarations>>;

    /// The file that a specifier resolves to.
    fn resolve(&self, file: u32, specifier: &str, is_required: bool) -> Option<u32>;

    /// The declarations of a name that are global in a file, that is, visible without an import.
    fn globals(&self, file: u32, name: &str) -> Vec<Place>;

    /// The ambient declarations of a module (`declare module 'x'`), for an import that resolves to
    /// no file.
    fn described(&self, _file: u32, _specifier: &str) -> Vec<Place> {
        Vec::new()
    }

    /// The declarations of a name by which files augment other modules, each with the augmented
    /// module.
    fn additions(&self, _name: &str) -> Vec<(Place, u32)> {
        Vec::new()
    }

    /// What the language of a file knows about names that no file declares.
    fn builtins(&self, file: u32) -> &dyn Builtins;

    /// Whether a specifier means a module of the platform.
    fn is_given(&self, _file: u32, _specifier: &str) -> bool {
        false
    }

    /// The module name of a file, in a language whose names are looked up in the files that the map
    /// links it to: see [`Builtins::module`].
    fn module(&self, _file: u32) -> Option<String> {
        None
    }

    /// Whether a file has such a module name. Every step of a search asks this.
    fn is_linked(&self, file: u32) -> bool {
        self.module(file).is_some()
    }

    /// The files that a file depends on according to the map, sorted.
    fn linked(&self, _file: u32) -> Arc<[u32]> {
        Arc::default()
    }

    /// The extensions of a declaration in other files.
    fn extensions(&self, _place: Place) -> Vec<Place> {
        Vec::new()
    }
}

/// A declaration of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub file: u32,
    /// The declaration.
    pub item: u32,
}

/// What a use of a name refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// The declarations, sorted.
    pub places: Vec<Place>,
    /// The modules, if the name refers to a module.
    pub modules: Vec<u32>,
    /// Whether the result is certain.
    pub is_exact: bool,
}

impl Meaning {
    /// Whether the name resolved to nothing.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.modules.is_empty()
    }
}

/// The number of steps that resolving one reference may take.
const FUEL: u32 = 6_000;

/// Resolves names to declarations.
pub struct Resolver<'w> {
    world: &'w dyn World,
    /// The evaluated shapes without type arguments.
    memo: RefCell<BTreeMap<(u32, u32), Known>>,
    /// The targets of the bindings of files. A cache, because every use of a name needs its
    /// binding.
    bindings: RefCell<FxHashMap<(u32, u32), exports::Reached>>,
    /// Names that were looked up in the files that the map links to.
    links: RefCell<BTreeMap<linked::Question, linked::LinkedAnswer>>,
    /// The shapes under evaluation. Evaluating one of them again gives nothing, which breaks
    /// cycles.
    open: RefCell<Vec<(u32, u32)>>,
    /// The re-exporting bindings under evaluation.
    passing: RefCell<Vec<(u32, u32)>>,
    fuel: Cell<u32>,
    depth: Cell<u32>,
    is_exact: Cell<bool>,
}

impl<'w> Resolver<'w> {
    /// Creates a resolver for these files.
    pub fn new(world: &'w dyn World) -> Self {
        Self {
            world,
            memo: RefCell::default(),
            bindings: RefCell::default(),
            links: RefCell::default(),
            open: RefCell::default(),
            passing: RefCell::default(),
            fuel: Cell::new(0),
            depth: Cell::new(0),
            is_exact: Cell::new(true),
        }
    }

    /// The declarations of a file.
    pub fn facts(&self, file: u32) -> Option<Arc<Declarations>> {
        self.world.file(file)
    }

    /// Resolves a reference in a file.
    pub fn resolve(&self, file: u32, reference: &Reference) -> Meaning {
        let Some(facts) = self.world.file(file) else { return Meaning::default() };
        self.fuel.set(FUEL);
        self.is_exact.set(true);
        let mut meaning = Meaning::default();
        match reference.usage {
            Usage::Value | Usage::Type if reference.of == NONE && self.is_linked(file) => {
                for target in self.linked_name(file, facts.name(reference.name)) {
                    if let exports::Target::Item(place) = target {
                        meaning.places.extend(self.merged(place));
                    }
                }
            }
            Usage::Value | Usage::Type if reference.of == NONE => {
                // Without an import, only the compiler's settings decide whether a file is visible.
                self.doubt();
                meaning.places = self.world.globals(file, facts.name(reference.name));
            }
            Usage::Value | Usage::Type => {
                for target in self.binding_targets(file, reference.of) {
                    match target {
                        exports::Target::Item(place) => meaning.places.extend(self.merged(place)),
                        exports::Target::Module(module) => meaning.modules.push(module),
                    }
                }
            }
            Usage::Member | Usage::Taken | Usage::Given => {
                let base = Type::at(file, reference.of);
                let name = facts.name(reference.name);
                let entities = self.entities(&base);
                let may_have = entities.iter().filter(|entity| !entity.is_of_language()).count();
                let is_joined =
                    matches!(Self::shape_of(&facts, reference.of), Shape::Intersection { .. });
                if may_have > 1 && !is_joined {
                    // The value has one of several types, and we do not try to find out which.
                    self.doubt();
                }
                for entity in entities.iter() {
                    if let Entity::Module(module) = entity {
                        if reference.usage == Usage::Given {
                            // A test replaces a member of a module.
                            self.doubt();
                        }
                        for target in self.export(*module, name) {
                            match target {
                                exports::Target::Item(place) => {
                                    meaning.places.extend(self.merged(place));
                                }
                                exports::Target::Module(module) => meaning.modules.push(module),
                            }
                        }
                    } else {
                        let found = self.entity_members(entity, name);
                        meaning.places.extend(found.iter().map(|(place, _)| *place));
                    }
                }
                if self.owners(&meaning.places) > 1 {
                    self.doubt();
                }
            }
        }
        meaning.places.sort_unstable();
        meaning.places.dedup();
        meaning.modules.sort_unstable();
        meaning.modules.dedup();
        meaning.is_exact = self.is_exact.get() && !meaning.is_empty();
        meaning
    }

    /// The shape of a value as far as its own file says it: a name has its written type.
    fn shape_of(facts: &Declarations, shape: u32) -> Shape {
        let mut at = facts.shape(shape);
        for _ in 0..4 {
            at = match at {
                Shape::Name { binding } | Shape::Type { binding, .. } => {
                    let Some(known) = facts.bindings.get(binding as usize) else { break };
                    match facts.item(known.item) {
                        Some(item) => facts.shape(item.shape),
                        None => facts.shape(known.shape),
                    }
                }
                _ => break,
            };
        }
        at
    }

    /// Whether a reference is to a member of a built-in type, which no file declares.
    fn is_of_language(&self, file: u32, reference: &Reference) -> bool {
        let is_plain = reference.of == 1;
        let entities = self.entities(&Type::at(file, reference.of));
        is_plain || (!entities.is_empty() && entities.iter().all(Entity::is_of_language))
    }

    /// A declaration and the ones that are merged with it. Extensions are left out: the name does
    /// not refer to them.
    fn merged(&self, place: Place) -> Vec<Place> {
        let Some(facts) = self.world.file(place.file) else { return vec![place] };
        let is_named =
            |item: &u32| facts.item(*item).is_none_or(|it| it.kind != DeclarationKind::Extension);
        facts.merged(place.item).filter(is_named).map(|item| Place { item, ..place }).collect()
    }

    /// The number of distinct parents of these declarations.
    fn owners(&self, places: &[Place]) -> usize {
        let owner = |place: &Place| {
            let facts = self.world.file(place.file)?;
            Some((place.file, facts.item(place.item)?.parent))
        };
        places.iter().filter_map(owner).collect::<std::collections::BTreeSet<_>>().len()
    }

    /// Uses up one step; false if there is none left.
    fn step(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        left > 0
    }

    fn doubt(&self) {
        self.is_exact.set(false);
    }
}
