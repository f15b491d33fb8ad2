//! Resolves a use of a name to the declarations it refers to, across files.
//!
//! The facts of each file (`portolan_types::declarations`) hold its bindings and the types that are
//! written in it. The resolver follows them from file to file: first scopes, then imports through
//! barrels, then members by their written types, with a bounded number of steps. It is not a type
//! checker: if a type is neither written nor evident from literals and calls, it gives no answer.
//!
//! [`Resolver::resolve`] is the entry point. It loads files through [`SymbolSource`] when it needs them.

mod builtin;
mod decide;
mod departures;
mod enclosures;
mod evaluate;
mod expected;
mod exports;
mod foreign;
mod language_types;
mod linked;
mod members;
mod narrowing;
mod needs;
mod parts;
mod types;
mod unresolved;

use portolan_types::FileId;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_types::declarations::{
    Builtins, DeclarationKind, Declarations, NONE, Reference, Shape, Usage,
};
use rustc_hash::FxHashMap;

pub use self::departures::Departure;
pub use self::enclosures::Enclosures;
pub use self::needs::{MANY_MEMBERS, Need, Needs, enclosing, heads, needs};
use self::types::{Entity, Known, Type};
pub use self::unresolved::Unresolved;

/// The files of a repository, by number.
pub trait SymbolSource {
    /// The declarations of a file; `None` if it is not code or cannot be read.
    fn file(&self, file: FileId) -> Option<Arc<Declarations>>;

    /// The file that a specifier resolves to.
    fn resolve(&self, file: FileId, specifier: &str, is_required: bool) -> Option<FileId>;

    /// The declarations of a name that are global in a file, that is, visible without an import.
    fn globals(&self, file: FileId, name: &str) -> Vec<Place>;

    /// The ambient declarations of a module (`declare module 'x'`), for an import that resolves to
    /// no file.
    fn described(&self, _file: FileId, _specifier: &str) -> Vec<Place> {
        Vec::new()
    }

    /// The declarations of a name by which files augment other modules, each with the augmented
    /// module.
    fn additions(&self, _name: &str) -> Vec<(Place, FileId)> {
        Vec::new()
    }

    /// What the language of a file knows about names that no file declares.
    fn builtins(&self, file: FileId) -> &dyn Builtins;

    /// Whether a specifier means a module of the platform.
    fn is_given(&self, _file: FileId, _specifier: &str) -> bool {
        false
    }

    /// The module name of a file, in a language whose names are looked up in the files that the map
    /// links it to: see [`Builtins::module`].
    fn module(&self, _file: FileId) -> Option<String> {
        None
    }

    /// Whether a file has such a module name. Every step of a search asks this.
    fn is_linked(&self, file: FileId) -> bool {
        self.module(file).is_some()
    }

    /// The files that a file depends on according to the map, sorted.
    fn linked(&self, _file: FileId) -> Arc<[FileId]> {
        Arc::default()
    }

    /// The file of this path.
    fn number(&self, _path: &str) -> Option<FileId> {
        None
    }

    /// Whether a file may export by giving `module.exports` members.
    fn is_script(&self, _file: FileId) -> bool {
        false
    }

    /// The files of some name that are in force for a file because of where they lie: nearest first.
    fn nearby(&self, _file: FileId, _name: &str) -> Vec<FileId> {
        Vec::new()
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
    pub file: FileId,
    /// The declaration.
    pub item: u32,
}

/// What a use of a name refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions {
    /// The declarations, sorted.
    pub places: Vec<Place>,
    /// The modules, if the name refers to a module.
    pub modules: Vec<FileId>,
    /// Whether the result is certain.
    pub is_exact: bool,
    /// Whether there may be declarations that were not found: an alternative of the value is not known.
    pub is_partial: bool,
}

impl Definitions {
    /// Whether the name resolved to nothing.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.modules.is_empty()
    }
}

/// The number of steps that resolving one reference may take.
const FUEL: u32 = 6_000;

/// The members of a list, by name.
type MembersByName = FxHashMap<Box<str>, Vec<u32>>;

/// Resolves names to declarations.
pub struct Resolver<'w> {
    source: &'w dyn SymbolSource,
    /// The evaluated shapes without type arguments.
    memo: RefCell<BTreeMap<(FileId, u32), Known>>,
    /// The targets of the bindings of files. A cache, because every use of a name needs its
    /// binding.
    bindings: RefCell<FxHashMap<(FileId, u32), exports::Reached>>,
    /// The members of long lists, by file, place of the list, and name.
    members: RefCell<FxHashMap<(FileId, u32), MembersByName>>,
    /// Names that were looked up in the files that the map links to.
    links: RefCell<BTreeMap<linked::Question, linked::LinkedAnswer>>,
    /// The shapes under evaluation.
    open: RefCell<Vec<(FileId, u32)>>,
    /// What these are assumed to be meanwhile.
    assumed: RefCell<Vec<types::Assumed>>,
    /// The re-exporting bindings under evaluation.
    passing: RefCell<Vec<(FileId, u32)>>,
    /// The file of the reference that is being resolved.
    root: Cell<Option<FileId>>,
    fuel: Cell<u32>,
    depth: Cell<u32>,
    is_exact: Cell<bool>,
    /// Whether there are several results of one call: overloads. A member that one of them has is certain, because the
    /// others would be wrong.
    is_choice: Cell<bool>,
    /// What the result leaves open.
    gaps: Cell<Gaps>,
}

/// What an evaluation leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Gaps {
    /// An alternative is not known, or was guessed.
    is_partial: bool,
    /// It is the result of a function that does not say what it gives. Its body told, and a body does more than we follow.
    is_inferred: bool,
    /// There is a doubt for another reason than that a test runner gives values by name.
    is_doubtful: bool,
}

impl Gaps {
    /// What either of two evaluations leaves open.
    fn and(self, other: Self) -> Self {
        Self {
            is_partial: self.is_partial || other.is_partial,
            is_inferred: self.is_inferred || other.is_inferred,
            is_doubtful: self.is_doubtful || other.is_doubtful,
        }
    }
}

impl<'w> Resolver<'w> {
    /// Creates a resolver for these files.
    pub fn new(source: &'w dyn SymbolSource) -> Self {
        Self {
            source,
            memo: RefCell::default(),
            bindings: RefCell::default(),
            members: RefCell::default(),
            links: RefCell::default(),
            open: RefCell::default(),
            assumed: RefCell::default(),
            passing: RefCell::default(),
            root: Cell::new(None),
            fuel: Cell::new(0),
            depth: Cell::new(0),
            is_exact: Cell::new(true),
            is_choice: Cell::new(false),
            gaps: Cell::default(),
        }
    }

    /// The declarations of a file.
    pub fn facts(&self, file: FileId) -> Option<Arc<Declarations>> {
        self.source.file(file)
    }

    /// Resolves a reference in a file.
    pub fn resolve(&self, file: FileId, reference: &Reference) -> Definitions {
        let Some(facts) = self.source.file(file) else { return Definitions::default() };
        self.begin(file);
        let mut definitions = Definitions::default();
        match reference.usage {
            Usage::Value | Usage::Type if reference.of == NONE && self.is_linked(file) => {
                for target in self.linked_name(file, facts.name(reference.name)) {
                    if let exports::Target::Item(place) = target {
                        definitions.places.extend(self.merged(place));
                    }
                }
            }
            Usage::Value | Usage::Type if reference.of == NONE => {
                // Without an import, only the compiler's settings decide whether a file is visible.
                self.doubt();
                definitions.places = self.source.globals(file, facts.name(reference.name));
            }
            Usage::Value | Usage::Type => {
                for target in self.binding_targets(file, reference.of) {
                    match target {
                        exports::Target::Item(place) => {
                            definitions.places.extend(self.merged(place));
                        }
                        exports::Target::Module(module) => definitions.modules.push(module),
                    }
                }
            }
            Usage::Member | Usage::Taken | Usage::Given => {
                self.resolve_member(file, &facts, reference, &mut definitions);
            }
        }
        definitions.places.sort_unstable();
        definitions.places.dedup();
        definitions.modules.sort_unstable();
        definitions.modules.dedup();
        definitions.is_exact = self.is_exact.get() && !definitions.is_empty();
        definitions.is_partial = self.gaps.get().is_partial;
        definitions
    }

    /// What a member of a value means.
    fn resolve_member(
        &self,
        file: FileId,
        facts: &Declarations,
        reference: &Reference,
        definitions: &mut Definitions,
    ) {
        let name = facts.name(reference.name);
        let entities = self.entities(&Type::at(file, reference.of));
        // Alternatives that may have the member, and those that have it.
        let (mut may_have, mut have) = (0, 0);
        for entity in entities.iter() {
            let is_left_out = entity.is_of_language() || self.leaves_out(entity, name);
            may_have += usize::from(!is_left_out);
            if let Entity::Module(module) = entity {
                if reference.usage == Usage::Given {
                    // A test replaces a member of a module.
                    self.doubt();
                }
                for target in self.export(*module, name) {
                    match target {
                        exports::Target::Item(place) => {
                            definitions.places.extend(self.merged(place));
                        }
                        exports::Target::Module(module) => definitions.modules.push(module),
                    }
                }
            } else if reference.usage == Usage::Given && self.has_constructor(file, entity) {
                // An argument by name is one of the constructor.
            } else {
                let found = self.entity_members(entity, name);
                have += usize::from(!found.is_empty());
                definitions.places.extend(found.iter().map(|(place, _)| *place));
            }
        }
        if !self.is_linked(file) && is_of_parameter(facts, reference.of) {
            // `T['a']` is not decided before `T` is.
            self.doubt();
        }
        let is_bare = matches!(facts.shape(reference.of), Shape::This { .. });
        if self.is_linked(file) && is_bare && definitions.places.is_empty() {
            // `import static a.B.*`: a name without a receiver.
            let starred = self.starred(file, name).into_iter();
            definitions.places.extend(starred.filter_map(|target| match target {
                exports::Target::Item(place) => Some(place),
                exports::Target::Module(_) => None,
            }));
        }
        if self.is_linked(file) {
            // The value has one of several types, and we do not try to find out which.
            if self.owners(&definitions.places) > 1 {
                self.doubt();
            }
        } else if have > 1
            && (self.is_choice.get() || have < may_have)
            && self.owners(&definitions.places) > 1
        {
            // A member that all alternatives have is one of each. If only some have it, the value was narrowed down in a
            // way that is not known; where these are one and the same, that does not matter.
            self.doubt();
        }
    }

    /// Whether a type was made of another one without its member of this name.
    fn leaves_out(&self, entity: &Entity, name: &str) -> bool {
        match entity {
            Entity::Mapped { source, .. } => {
                let sources = self.entities(source);
                !sources.is_empty() && sources.iter().all(|it| it.leaves_out(name))
            }
            entity => entity.leaves_out(name),
        }
    }

    /// Whether a class says itself how instances are made.
    fn has_constructor(&self, file: FileId, entity: &Entity) -> bool {
        let name = self.source.builtins(file).constructor();
        name.is_some_and(|name| !self.entity_members(entity, name).is_empty())
    }

    /// Whether an argument by name is one of a constructor, and no field.
    fn is_of_constructor(&self, file: FileId, made: u32) -> bool {
        let entities = self.entities(&Type::at(file, made));
        !entities.is_empty() && entities.iter().all(|it| self.has_constructor(file, it))
    }

    /// Starts a question about something of a file.
    fn begin(&self, file: FileId) {
        self.fuel.set(FUEL);
        self.is_exact.set(true);
        self.is_choice.set(false);
        self.gaps.set(Gaps::default());
        self.root.set(Some(file));
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
    fn is_of_language(&self, file: FileId, reference: &Reference) -> bool {
        let is_plain = reference.of == 1;
        let entities = self.entities(&Type::at(file, reference.of));
        is_plain || (!entities.is_empty() && entities.iter().all(Entity::is_of_language))
    }

    /// A declaration and the ones that are merged with it. Extensions are left out: the name does
    /// not refer to them.
    fn merged(&self, place: Place) -> Vec<Place> {
        let Some(facts) = self.source.file(place.file) else { return vec![place] };
        let is_named =
            |item: &u32| facts.item(*item).is_none_or(|it| it.kind != DeclarationKind::Extension);
        facts.merged(place.item).filter(is_named).map(|item| Place { item, ..place }).collect()
    }

    /// The number of distinct parents of these declarations. An extension counts as its type.
    fn owners(&self, places: &[Place]) -> usize {
        let owner = |place: &Place| {
            let facts = self.source.file(place.file)?;
            let parent = facts.item(place.item)?.parent;
            let owner = facts.item(parent)?;
            if owner.kind == DeclarationKind::Extension {
                let name = Some(Box::<str>::from(facts.name(owner.name)));
                return Some((name, place.file, NONE));
            }
            let extended = facts.merged(parent).skip(1).filter_map(|item| facts.item(item));
            let mut extended = extended.filter(|it| it.kind == DeclarationKind::Extension);
            match extended.next() {
                Some(it) => Some((Some(facts.name(it.name).into()), place.file, NONE)),
                None => Some((None, place.file, parent)),
            }
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
        self.gaps.set(Gaps { is_doubtful: true, ..self.gaps.get() });
    }

    /// There may be more than what is found.
    fn miss(&self) {
        self.gaps.set(Gaps { is_partial: true, ..self.gaps.get() });
    }

    /// What is found is a guess.
    fn doubt_and_miss(&self) {
        self.doubt();
        self.miss();
    }
}

/// Whether a type is a member of a type parameter.
fn is_of_parameter(facts: &Declarations, shape: u32) -> bool {
    const MOST: usize = 8;
    let mut at = shape;
    for _ in 0..MOST {
        match facts.shape(at) {
            Shape::Member { base, .. } => at = base,
            Shape::Type { binding, .. } => {
                return facts.bindings.get(binding as usize).is_some_and(|it| it.is_parameter);
            }
            _ => return false,
        }
    }
    false
}
