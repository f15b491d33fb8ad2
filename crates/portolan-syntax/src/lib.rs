//! Text in, facts out: what a file imports, exports and says of itself.
//!
//! Nothing here reads a file, and broken code is not an error: the facts that could be read are
//! returned together with the problems. One module a language.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod facts;

pub use facts::{
    Augmentation, ExtractSettings, Facts, Forward, Forwarded, Import, ImportForm, Problem,
    ProblemKind, Request,
};
