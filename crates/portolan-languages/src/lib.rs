//! Everything that Portolan knows about programming languages, one folder per language.
//!
//! `<language>/syntax` turns text into facts and declarations, and is pure. `<language>/resolve`
//! finds the files that an import refers to, over a view of the repository's files, and reads the
//! language's manifests. [`syntax`] and [`resolve`] contain the parts that languages share, and the
//! two tables that register the languages. No other crate contains knowledge about a particular
//! language.
#![warn(clippy::disallowed_methods)]

pub mod c;
pub mod csharp;
pub mod ecma;
pub mod go;
pub mod java;
pub mod kotlin;
pub mod php;
pub mod python;
pub mod resolve;
pub mod ruby;
pub mod rust;
pub mod syntax;

pub use portolan_types::{
    Augmentation, Definition, FactPositions, Facts, Forward, Forwarded, Import, ImportForm, Mark,
    Problem, ProblemKind, Request, ScopeId, TextSpan, Use,
};
pub use resolve::*;
pub use syntax::*;

/// Whether [`Extractor::extract`] can read a file.
pub fn is_code(path: &str) -> bool {
    Languages::default().is_code(path)
}

/// Whether the declarations of a file are read.
pub fn has_declarations(path: &str) -> bool {
    Languages::default().has_declarations(path)
}

/// Whether a file is a program of which the declarations are read.
pub fn is_declaring_program(path: &str) -> bool {
    has_declarations(path) && is_program(path)
}

/// Whether a file is code, judged by its name. Includes languages that we cannot read.
pub fn is_program(path: &str) -> bool {
    Languages::default().is_program(path)
}

/// Identifies how a file is read: files with the same code and the same bytes have the same facts.
/// `None` if the file is not code.
pub fn language_code(path: &str) -> Option<LanguageCode> {
    Languages::default().code(path)
}

/// Identifies the sources of this crate. Caches of computed results use it as part of their key.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
