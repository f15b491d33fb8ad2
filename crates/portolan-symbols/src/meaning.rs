//! From the use of a name to the declarations it means, across files.
//!
//! The facts of each file (`portolan_types::declarations`) say what its names are bound to, and what is
//! written of the types of values. Here they are followed from file to file: scopes first, imports
//! through barrels, then members by the types that are written, a bounded number of steps. It is no type
//! checker: where nothing is written and nothing can be told from literals and calls, there is no answer.
//!
//! [`Resolver::resolve`] is the way in. Files are asked for through [`World`] when a search comes to them.

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

/// The files of a repository. Files are numbers here.
pub trait World {
    /// What a file declares; `None` for what is no code or cannot be read.
    fn file(&self, file: u32) -> Option<Arc<Declarations>>;

    /// The file that a specifier means.
    fn resolve(&self, file: u32, specifier: &str, is_required: bool) -> Option<u32>;

    /// The declarations of a name that are in force in a file without an import.
    fn globals(&self, file: u32, name: &str) -> Vec<Place>;

    /// The declarations of a module that some file describes, in force for an import that leads to no file.
    fn described(&self, _file: u32, _specifier: &str) -> Vec<Place> {
        Vec::new()
    }

    /// What files add to other modules under a name, each with the module.
    fn additions(&self, _name: &str) -> Vec<(Place, u32)> {
        Vec::new()
    }

    /// What the language of a file knows of names that no file declares.
    fn builtins(&self, file: u32) -> &dyn Builtins;

    /// Whether a specifier means a module that comes with the platform.
    fn is_given(&self, _file: u32, _specifier: &str) -> bool {
        false
    }

    /// What a file is called as a module, in a language whose names are looked for in the files that
    /// the Map leads to: see [`Builtins::module`].
    fn module(&self, _file: u32) -> Option<String> {
        None
    }

    /// Whether a file has such a name: asked at every step of a search.
    fn is_linked(&self, file: u32) -> bool {
        self.module(file).is_some()
    }

    /// The files that the Map says a file depends on, sorted.
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

/// What the use of a name means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// The declarations, sorted.
    pub places: Vec<Place>,
    /// The modules, for a name that stands for one.
    pub modules: Vec<u32>,
    /// Whether there is no doubt.
    pub is_exact: bool,
}

impl Meaning {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.modules.is_empty()
    }
}

/// Steps that the meaning of one reference may take.
const FUEL: u32 = 6_000;

/// Finds out what names mean.
pub struct Resolver<'w> {
    world: &'w dyn World,
    /// What is known of shapes without type arguments.
    memo: RefCell<BTreeMap<(u32, u32), Known>>,
    /// What the bindings of files stand for: every use of a name asks.
    bindings: RefCell<FxHashMap<(u32, u32), exports::Reached>>,
    /// What names are found to mean in the files that the Map leads to.
    links: RefCell<BTreeMap<linked::Question, linked::LinkedAnswer>>,
    /// What is being found out: asked again, it has no answer.
    open: RefCell<Vec<(u32, u32)>>,
    /// The bindings that pass on what is being found out.
    passing: RefCell<Vec<(u32, u32)>>,
    fuel: Cell<u32>,
    depth: Cell<u32>,
    is_exact: Cell<bool>,
}

impl<'w> Resolver<'w> {
    /// For these files.
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

    /// What a file declares.
    pub fn facts(&self, file: u32) -> Option<Arc<Declarations>> {
        self.world.file(file)
    }

    /// What a reference in a file means.
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
                // Whether a file that is not imported is in force is for the compiler's settings to say.
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
                    // One of several: which one it is, is not looked into.
                    self.doubt();
                }
                for entity in entities.iter() {
                    if let Entity::Module(module) = entity {
                        if reference.usage == Usage::Given {
                            // What a test gives in the place of a module.
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

    /// The shape of a value, as far as it stands in its own file: a name is the type that is written for it.
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

    /// Whether a reference is to a member of what the language itself brings: no file declares it.
    fn is_of_language(&self, file: u32, reference: &Reference) -> bool {
        let is_plain = reference.of == 1;
        let entities = self.entities(&Type::at(file, reference.of));
        is_plain || (!entities.is_empty() && entities.iter().all(Entity::is_of_language))
    }

    /// A declaration with those that are merged with it. What only extends it is not named by its name.
    fn merged(&self, place: Place) -> Vec<Place> {
        let Some(facts) = self.world.file(place.file) else { return vec![place] };
        let is_named =
            |item: &u32| facts.item(*item).is_none_or(|it| it.kind != DeclarationKind::Extension);
        facts.merged(place.item).filter(is_named).map(|item| Place { item, ..place }).collect()
    }

    /// How many declarations these are members of.
    fn owners(&self, places: &[Place]) -> usize {
        let owner = |place: &Place| {
            let facts = self.world.file(place.file)?;
            Some((place.file, facts.item(place.item)?.parent))
        };
        places.iter().filter_map(owner).collect::<std::collections::BTreeSet<_>>().len()
    }

    /// Spends a step; false when there is none left.
    fn step(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        left > 0
    }

    fn doubt(&self) {
        self.is_exact.set(false);
    }
}
