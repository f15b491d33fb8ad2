//! The facts of a file after reading its text once, for any language.
//!
//! Facts hold names, not files: a resolver decides which file a specifier names. A language fills in
//! what it has and leaves the rest empty. Details that only its own resolver understands (how an
//! import is written, what kind of thing a definition is) are opaque codes; nothing in between reads
//! them.
//!
//! Facts are cached between runs. Their layout may change with every version, because a version drops
//! the cache of any other version.

use serde::{Deserialize, Serialize};

use crate::EdgeKind;

/// The most files reported as definers of one name. If there are more, the result says so.
pub const MAX_DEFINERS: usize = 64;

/// Everything the graph needs to know about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Every specifier that the file imports, once per (specifier, kind, form, alias, scope), in
    /// order of first appearance.
    pub imports: Vec<Import>,
    /// The names requested from an import. Each may pass through a barrel.
    pub requests: Vec<Request>,
    /// The names that the file defines for others, sorted and unique.
    pub definitions: Vec<Definition>,
    /// The names that it re-exports from another module, sorted by name.
    pub forwards: Vec<Forward>,
    /// Indexes of the imports that are re-exported as a whole (`export * from`), in source order.
    pub glob_reexports: Vec<u32>,
    /// The only names that a glob import of this file brings, sorted, if the file lists them, as
    /// Python's `__all__` does.
    pub dunder_all: Option<Vec<Box<str>>>,
    /// How the specifiers start that the file computes when it runs, as far as they are written: sorted, unique.
    pub computed: Vec<Box<str>>,
    /// The modules that it adds declarations to.
    pub augmentations: Vec<Augmentation>,
    /// The package or namespace that the file declares.
    pub package: Option<Box<str>>,
    /// The names it uses that none of its imports certainly binds: bare names, and qualified names
    /// whose first part may be an import, a module or a type (`q.Name`, `a::b::c`, as written).
    /// Sorted and unique.
    pub uses: Vec<Use>,
    /// The modules written inside the file, by their path in it (`tests`, `a::b`). Number 1 is the
    /// first; see [`ScopeId`].
    pub scopes: Vec<Box<str>>,
    /// A one-line summary of the module, from its doc comments.
    pub description: Option<Box<str>>,
    /// The problems found while reading it.
    pub problems: Vec<Problem>,
    /// The positions of imports and definitions. No edge depends on them.
    pub places: FactPositions,
}

impl Facts {
    /// Whether two texts have the same links to other files. The pattern names every field, so a
    /// new one must be added here on purpose.
    pub fn links_as(&self, other: &Self) -> bool {
        let Self {
            imports,
            requests,
            definitions,
            forwards,
            glob_reexports,
            dunder_all,
            augmentations,
            package,
            uses,
            scopes,
            // No edge depends on these.
            computed: _,
            description: _,
            problems: _,
            places: _,
        } = self;
        *imports == other.imports
            && *requests == other.requests
            && *definitions == other.definitions
            && *forwards == other.forwards
            && *glob_reexports == other.glob_reexports
            && *dunder_all == other.dunder_all
            && *augmentations == other.augmentations
            && *package == other.package
            && *uses == other.uses
            && *scopes == other.scopes
    }

    /// Whether every index in it is in range.
    pub fn is_whole(&self) -> bool {
        let import = |import: u32| (import as usize) < self.imports.len();
        let scope = |scope: ScopeId| scope.0 as usize <= self.scopes.len();
        self.requests.iter().all(|request| import(request.import) && scope(request.scope))
            && self.forwards.iter().all(|forward| import(forward.import) && scope(forward.scope))
            && self.glob_reexports.iter().all(|star| import(*star))
            && self.augmentations.iter().all(|augmentation| import(augmentation.import))
            && self.imports.iter().all(|import| scope(import.scope))
            && self.definitions.iter().all(|definition| scope(definition.scope))
            && self.uses.iter().all(|name| scope(name.scope))
    }

    /// The definition of a name; the first if there are several.
    pub fn definition(&self, name: &str) -> Option<&Definition> {
        let order = |own: &Definition| crate::cmp_utf16(&own.name, name);
        let start = self.definitions.partition_point(|own| order(own).is_lt());
        self.definitions.get(start).filter(|own| *own.name == *name)
    }
}

/// A specifier, why the file needs it, and how to resolve it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Import {
    /// The specifier, with escapes decoded.
    pub specifier: Box<str>,
    /// Why the file needs it.
    pub kind: EdgeKind,
    /// How to resolve it.
    pub form: ImportForm,
    /// The local name of the module, if one is written and matters.
    pub alias: Option<Box<str>>,
    /// The inner module that imports it.
    pub scope: ScopeId,
}

/// How an import is written: a code that only the resolver of that language reads.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ImportForm(pub u8);

/// What kind of thing a name is (a macro, a private module): a code that only the resolver of that
/// language reads.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Mark(pub u8);

/// A module inside a file: 0 for the file itself, otherwise an index into [`Facts::scopes`] plus
/// one.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ScopeId(pub u32);

/// A name requested from an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Request {
    /// Index into [`Facts::imports`].
    pub import: u32,
    /// The name as the module exports it.
    pub name: Box<str>,
    /// Why the file needs it.
    pub kind: EdgeKind,
    /// Whether a type position requests it, not an import statement. If so, finding it in the very
    /// module that is named there adds nothing.
    pub in_type: bool,
    /// The inner module that requests it.
    pub scope: ScopeId,
}

/// A name that the file defines.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Definition {
    /// The name that other files use.
    pub name: Box<str>,
    /// The inner module that contains it.
    pub scope: ScopeId,
    /// What kind of thing it is.
    pub mark: Mark,
}

impl From<&str> for Definition {
    fn from(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

/// A name that the file uses without importing it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Use {
    /// The name, qualified as written.
    pub name: Box<str>,
    /// Why the file needs it.
    pub kind: EdgeKind,
    /// The inner module that uses it.
    pub scope: ScopeId,
    /// What kind of use it is.
    pub mark: Mark,
}

/// An exported name that another module defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forward {
    /// The name that this file exports.
    pub name: Box<str>,
    /// Index into [`Facts::imports`].
    pub import: u32,
    /// What it is in that module.
    pub target: Forwarded,
    /// The inner module that re-exports it.
    pub scope: ScopeId,
}

/// What a re-exported name is in the module it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Forwarded {
    /// An exported name of that module.
    Name(Box<str>),
    /// The module itself.
    Namespace,
}

/// Declarations added to another module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Augmentation {
    /// Index into [`Facts::imports`] of the augmented module.
    pub import: u32,
    /// The added names, sorted and unique.
    pub names: Vec<Box<str>>,
}

/// The positions of imports and definitions, in the order of their lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactPositions {
    /// The first position of each of [`Facts::imports`].
    pub imports: Vec<TextSpan>,
    /// The first position of each of [`Facts::definitions`].
    pub definitions: Vec<TextSpan>,
}

/// A range of a file's text, in bytes of UTF-8 without a byte order mark.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct TextSpan {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A problem found while reading a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// A message for people.
    pub message: String,
    /// Line and column from 1, the column in UTF-16 units, if known.
    pub position: Option<(u32, u32)>,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProblemKind {
    /// A syntax error.
    Broken,
    /// Nested too deeply, or too large, to parse safely. Only its tokens were searched.
    TooDeep,
    /// The guard denies the file: only its path may appear.
    Denied,
}

#[cfg(test)]
mod tests {
    use super::{Definition, Facts, Import, Problem, ProblemKind, Use};

    #[test]
    fn links_depend_on_names_and_not_on_prose_or_problems() {
        let plain = Facts::default();
        let import = Import { specifier: "./a".into(), ..Import::default() };
        let used = Use { name: "a".into(), ..Use::default() };
        for changed in [
            Facts { imports: vec![import], ..Facts::default() },
            Facts { definitions: vec![Definition::from("a")], ..Facts::default() },
            Facts { glob_reexports: vec![0], ..Facts::default() },
            Facts { dunder_all: Some(Vec::new()), ..Facts::default() },
            Facts { package: Some("p".into()), ..Facts::default() },
            Facts { uses: vec![used], ..Facts::default() },
            Facts { scopes: vec!["tests".into()], ..Facts::default() },
        ] {
            assert!(!plain.links_as(&changed), "{changed:?}");
        }
        let kind = ProblemKind::Broken;
        let problem = Problem { kind, message: String::new(), position: None };
        for same in [
            Facts { description: Some("Reads files.".into()), ..Facts::default() },
            Facts { problems: vec![problem], ..Facts::default() },
            Facts { computed: vec!["./".into()], ..Facts::default() },
        ] {
            assert!(plain.links_as(&same), "{same:?}");
        }
    }
}
