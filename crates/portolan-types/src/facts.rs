//! What is known of a file after reading its text once, whatever its language.
//!
//! Facts hold names, not files: which file a specifier means is for a resolver to say. A language
//! gives what it has and leaves the rest empty. What only its own resolver has to understand (how an
//! import is written, what sort of thing a definition is) is an opaque code: nobody in between looks
//! at it.
//!
//! Facts are kept between runs as they are, so they can be written and read; their shape may change
//! with every version, since what another version kept is dropped.

use serde::{Deserialize, Serialize};

use crate::EdgeKind;

/// So many files are given for a name; where there are more, that is told.
pub const MAX_DEFINERS: usize = 64;

/// Everything the graph needs to know of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Every specifier that leads out of the file, once per (specifier, kind, form, alias, scope), in
    /// the order of first appearance.
    pub imports: Vec<Import>,
    /// The names that are asked of an import: each may tunnel through a barrel.
    pub requests: Vec<Request>,
    /// The names the file defines for others, sorted, unique.
    pub definitions: Vec<Definition>,
    /// The names it passes on from another module, sorted by name.
    pub forwards: Vec<Forward>,
    /// Indexes of the imports that are re-exported as a whole (`export * from`), in source order.
    pub glob_reexports: Vec<u32>,
    /// The only names that a glob import of this file brings, sorted, if the file lists them, as
    /// Python's `__all__` does.
    pub dunder_all: Option<Vec<Box<str>>>,
    /// How the specifiers start that the file computes when it runs, as far as they are written: sorted, unique.
    pub computed: Vec<Box<str>>,
    /// Modules that it adds declarations to.
    pub augmentations: Vec<Augmentation>,
    /// The package or namespace that the file says it is part of.
    pub package: Option<Box<str>>,
    /// The names it uses that no import of it binds for certain: bare ones, and qualified ones whose
    /// first part may be an import, a module or a type (`q.Name`, `a::b::c`, as written). Sorted,
    /// unique.
    pub uses: Vec<Use>,
    /// The modules that are written inside the file, by their path in it (`tests`, `a::b`); number 1
    /// is the first, see [`ScopeId`].
    pub scopes: Vec<Box<str>>,
    /// One line on what the module is for, from its doc comments.
    pub description: Option<Box<str>>,
    /// What could not be read as it should.
    pub problems: Vec<Problem>,
    /// Where in the text imports and definitions are. No edge depends on it.
    pub places: Places,
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

    /// Whether every number in it points at something that is there.
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

    /// The definition of a name, the first where there are several.
    pub fn definition(&self, name: &str) -> Option<&Definition> {
        let order = |own: &Definition| crate::cmp_utf16(&own.name, name);
        let start = self.definitions.partition_point(|own| order(own).is_lt());
        self.definitions.get(start).filter(|own| *own.name == *name)
    }
}

/// One specifier, with the reason it is needed and the way it has to be resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Import {
    /// The specifier, escapes decoded.
    pub specifier: Box<str>,
    /// Why it is needed.
    pub kind: EdgeKind,
    /// How it is to be resolved.
    pub form: ImportForm,
    /// The name that stands for the module in this file, where one is written and matters.
    pub alias: Option<Box<str>>,
    /// The module inside the file that imports.
    pub scope: ScopeId,
}

/// How an import is written: a code of its language, for the resolver of that language.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ImportForm(pub u8);

/// What sort of thing a name stands for (a macro, a private module): a code of its language, for the
/// resolver of that language.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Mark(pub u8);

/// A module inside a file: 0 for the file itself, else one more than an index into
/// [`Facts::scopes`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ScopeId(pub u32);

/// A name that is asked of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Request {
    /// Index into [`Facts::imports`].
    pub import: u32,
    /// The name as the module exports it.
    pub name: Box<str>,
    /// Why it is needed.
    pub kind: EdgeKind,
    /// Whether it is asked for in a type rather than by an import statement: then finding it in the
    /// very module that is named there says nothing new.
    pub in_type: bool,
    /// The module inside the file that asks.
    pub scope: ScopeId,
}

/// A name that the file defines.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Definition {
    /// The name that others know it by.
    pub name: Box<str>,
    /// The module inside the file that it is in.
    pub scope: ScopeId,
    /// What sort of thing it is.
    pub mark: Mark,
}

impl From<&str> for Definition {
    fn from(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

/// A name that the file uses without saying where it is from.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Use {
    /// The name, qualified as it is written.
    pub name: Box<str>,
    /// Why it is needed.
    pub kind: EdgeKind,
    /// The module inside the file that uses it.
    pub scope: ScopeId,
    /// What sort of use it is.
    pub mark: Mark,
}

/// An exported name that is defined in another module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forward {
    /// The name it is exported under here.
    pub name: Box<str>,
    /// Index into [`Facts::imports`].
    pub import: u32,
    /// What it is there.
    pub target: Forwarded,
    /// The module inside the file that passes it on.
    pub scope: ScopeId,
}

/// What a forwarded name is in the module it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Forwarded {
    /// This exported name of it.
    Name(Box<str>),
    /// The module itself.
    Namespace,
}

/// Declarations added to another module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Augmentation {
    /// Index into [`Facts::imports`] of the module that is added to.
    pub import: u32,
    /// The names that are declared in it, sorted, unique.
    pub names: Vec<Box<str>>,
}

/// Where things are in the text, in the order of the lists they are about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    /// Where each of [`Facts::imports`] is written first.
    pub imports: Vec<TextSpan>,
    /// Where each of [`Facts::definitions`] is written first.
    pub definitions: Vec<TextSpan>,
}

/// A part of a file's text, in bytes of the text as UTF-8 without a byte order mark.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct TextSpan {
    /// Where it starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

/// Something in the text that could not be read as it should.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Which sort.
    pub kind: ProblemKind,
    /// What, in words for a person.
    pub message: String,
    /// Line and column from 1, the column in UTF-16 units, where known.
    pub position: Option<(u32, u32)>,
}

/// The sorts of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProblemKind {
    /// A syntax error.
    Broken,
    /// Nested too deeply, or too large, to be parsed safely: searched by tokens only.
    TooDeep,
    /// The guard denies the file: it contributes its path and nothing else.
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
