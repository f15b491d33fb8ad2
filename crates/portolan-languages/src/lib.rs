//! What Portolan knows of programming languages: one folder a language.
//!
//! `<language>/syntax` turns text into facts and declarations, and is pure. `<language>/resolve` finds the files that an
//! import means, over a view of the repository's files, and reads the language's manifests. [`syntax`] and [`resolve`]
//! hold what the languages share, and the two tables in which a language is registered. No other crate knows a word of a
//! language.
#![warn(clippy::disallowed_methods)]

pub mod ecma;
pub mod go;
pub mod java;
pub mod kotlin;
pub mod python;
pub mod resolve;
pub mod rust;
pub mod syntax;

pub use portolan_types::{
    Augmentation, Definition, FactPositions, Facts, Forward, Forwarded, Import, ImportForm, Mark,
    Problem, ProblemKind, Request, ScopeId, TextSpan, Use,
};
pub use resolve::*;
pub use syntax::*;

/// Whether the file `path` is one that [`Extractor::extract`] can read.
pub fn is_code(path: &str) -> bool {
    Languages::default().is_code(path)
}

/// Whether a file is code, by its name: in one of the languages, or in one that is not read.
pub fn is_program(path: &str) -> bool {
    Languages::default().is_program(path)
}

/// Names the way a file is read: files that have the same code here and the same bytes have the same
/// facts. `None` for what is no code.
pub fn language_code(path: &str) -> Option<LanguageCode> {
    Languages::default().code(path)
}

/// Identifies the sources of this crate, for caches of what they compute.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
