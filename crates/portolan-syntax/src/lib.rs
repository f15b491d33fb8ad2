//! Text in, facts out: what a file imports, exports and says of itself.
//!
//! Nothing here reads a file, and broken code is not an error: the facts that could be read are
//! returned together with the problems.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod facts;

mod extractor;

mod comments;
mod commonjs;
mod component;
mod ecma;
mod description;
mod dialect;
mod esm;
mod expressions;
mod lexer;
mod literal;
mod nesting;
mod outline;
mod parse;
mod recorder;
mod scan;
mod stack;
mod text;

#[cfg(test)]
mod tests;

pub use ecma::declarations::declarations_of;
pub use extractor::{Extractor, is_code, language_code};
pub use facts::{
    Augmentation, ExtractSettings, Facts, Forward, Forwarded, Import, ImportForm, Problem,
    ProblemKind, Request,
};
