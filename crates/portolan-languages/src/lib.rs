//! Extracts facts from text: imports, exports, and the description of a file.
//!
//! Each language is a folder that implements the trait [`Language`]; [`Languages`] is the table of
//! all of them. This crate reads no files. Broken code is not an error: the result contains the
//! facts that could be read, and the problems.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod declared_names;
mod declaring;
mod extractor;
mod fact_recorder;
#[cfg(any(feature = "go", feature = "java", feature = "python", feature = "rust"))]
mod grammar;
mod import_statements;
mod language;
mod summary;
mod tokens;

pub mod ecma;
pub mod go;
pub mod java;
pub mod kotlin;
pub mod python;
pub mod rust;
pub mod text;

pub use declared_names::{declared_names, DeclaredName};
pub use extractor::Extractor;
pub use import_statements::is_import_statement;
pub use language::{ExtractSettings, Language, LanguageCode, Languages, Scratch, SourceText};
pub use portolan_types::{
    Augmentation, Definition, Facts, Forward, Forwarded, Import, ImportForm, Mark, Places, Problem,
    ProblemKind, Request, ScopeId, TextSpan, Use,
};

/// Whether [`Extractor::extract`] can read the file `path`.
pub fn is_code(path: &str) -> bool {
    Languages::default().is_code(path)
}

/// Whether a file is code, judged by its name. Includes languages that are not read.
pub fn is_program(path: &str) -> bool {
    Languages::default().is_program(path)
}

/// Identifies how a file is read: files with the same code and the same bytes have the same facts.
/// `None` if it is not code.
pub fn language_code(path: &str) -> Option<LanguageCode> {
    Languages::default().code(path)
}
