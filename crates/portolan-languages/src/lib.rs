//! Text in, facts out: what a file imports, exports and says of itself.
//!
//! Each language is a folder behind the trait [`Language`]; [`Languages`] is the table of those there
//! are. Nothing here reads a file, and broken code is not an error: the facts that could be read are
//! returned together with the problems.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod declared;
mod declaring;
mod extractor;
#[cfg(any(feature = "go", feature = "java", feature = "python", feature = "rust"))]
mod grammar;
mod language;
mod leads;
mod lexical;
mod recorded;
mod summary;
mod tokens;

pub mod ecma;
pub mod go;
pub mod java;
pub mod kotlin;
pub mod python;
pub mod rust;
pub mod text;

pub use declared::{declared, Declared};
pub use extractor::Extractor;
pub use language::{ExtractSettings, Language, LanguageCode, Languages, Scratch, Source};
pub use leads::leads_elsewhere;
pub use lexical::{lexical_spans, LexicalKind, LexicalSpan};
pub use portolan_types::{
    Augmentation, Definition, Facts, Forward, Forwarded, Import, ImportForm, Mark, Places, Problem,
    ProblemKind, Request, ScopeId, TextSpan, Use,
};

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
