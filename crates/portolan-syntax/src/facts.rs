//! What is known of a file after reading its text once.
//!
//! Facts hold names, not files: which file a specifier means is for the resolver to say.

use portolan_types::EdgeKind;

/// Everything the graph needs to know of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Every specifier that leads out of the file, once per (specifier, kind, form), in the order
    /// of first appearance.
    pub imports: Vec<Import>,
    /// The names that import statements ask for: each may tunnel through a barrel.
    pub requests: Vec<Request>,
    /// The names the file defines and exports itself (`default` among them), sorted, unique.
    pub definitions: Vec<Box<str>>,
    /// The names it passes on from another module, sorted by name.
    pub forwards: Vec<Forward>,
    /// Indexes of the imports that `export * from` passes on whole, in source order.
    pub stars: Vec<u32>,
    /// Modules that it adds declarations to (`declare module './a' { … }` in a module).
    pub augmentations: Vec<Augmentation>,
    /// One line on what the module is for, from its doc comments.
    pub description: Option<Box<str>>,
    /// What could not be read as it should.
    pub problems: Vec<Problem>,
}

/// One specifier, with the reason it is needed and the way it has to be resolved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Import {
    /// The specifier, escapes decoded.
    pub specifier: Box<str>,
    /// Why it is needed.
    pub kind: EdgeKind,
    /// How it is to be resolved.
    pub form: ImportForm,
}

/// The ways a specifier is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImportForm {
    /// By the rules for `import`: static, dynamic, in a type, `import.meta.resolve`.
    Import,
    /// By the rules for `require`, also `require.resolve` and `import x = require()`.
    Require,
    /// `/// <reference path="x" />`: a file next to this one, `./` or not.
    ReferencePath,
    /// `/// <reference types="x" />`: a package of types.
    ReferenceTypes,
    /// `new URL('x', import.meta.url)`: a file relative to this one, as written.
    Url,
}

/// A name that is asked of an import.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// Index into [`Facts::imports`].
    pub import: u32,
    /// The exported name; `default` for a default import.
    pub name: Box<str>,
    /// Why it is needed.
    pub kind: EdgeKind,
    /// Whether it is asked for in a type (`import('x').T`) rather than by an import statement: then
    /// finding it in the very module that is named there says nothing new.
    pub in_type: bool,
}

/// An exported name that is defined in another module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forward {
    /// The name it is exported under here.
    pub name: Box<str>,
    /// Index into [`Facts::imports`].
    pub import: u32,
    /// What it is there.
    pub target: Forwarded,
}

/// What a forwarded name is in the module it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forwarded {
    /// This exported name of it.
    Name(Box<str>),
    /// The module itself (`export * as ns from`).
    Namespace,
}

/// Declarations added to another module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Augmentation {
    /// Index into [`Facts::imports`] of the module that is added to.
    pub import: u32,
    /// The names that are declared in it, sorted, unique.
    pub names: Vec<Box<str>>,
}

/// Something in the text that could not be read as it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which sort.
    pub kind: ProblemKind,
    /// What, in words for a person.
    pub message: String,
    /// Line and column from 1, the column in UTF-16 units, where known.
    pub position: Option<(u32, u32)>,
}

/// The sorts of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// A syntax error.
    Broken,
    /// Nested too deeply, or too large, to be parsed safely: searched by tokens only.
    TooDeep,
}

/// What extraction depends on beside the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractSettings {
    /// The longest description in UTF-16 units; 0 for none.
    pub description_limit: usize,
    /// The doc tags that mark a module description, in order of preference; never empty.
    pub description_tags: Vec<String>,
}

impl Default for ExtractSettings {
    fn default() -> Self {
        Self {
            description_limit: 160,
            description_tags: vec!["@module".into(), "@packageDocumentation".into()],
        }
    }
}
