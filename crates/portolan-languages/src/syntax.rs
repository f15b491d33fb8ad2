//! Extracts facts from text: the imports, exports, declarations and description of a file.
//!
//! Each language's `syntax` folder implements the trait [`Language`]; [`Languages`] is their table.
//! Nothing here reads a file. Broken code is not an error: the result has the facts that could be
//! read, and the problems.

mod conventions;
pub(crate) mod declared_names;
pub(crate) mod declaring;
pub(crate) mod extractor;
pub(crate) mod fact_recorder;
pub(crate) mod grammar;
pub(crate) mod import_statements;
pub(crate) mod language;
pub(crate) mod lexical;
pub(crate) mod summary;
pub(crate) mod tagged;
pub mod text;
pub(crate) mod tokens;
pub(crate) mod words;

pub use conventions::{ALIAS_BEGINNINGS, CONSTRUCTOR_NAMES, DECLARING_WORDS, FOLDER_DOCUMENTS};
pub use declared_names::{DeclaredName, declared_names};
pub use extractor::Extractor;
pub use import_statements::is_import_statement;
pub use language::{ExtractSettings, Language, LanguageCode, Languages, Scratch, SourceText};
pub use lexical::{LexicalKind, LexicalSpan, lexical_spans};
pub use words::{Word, WordSite};
