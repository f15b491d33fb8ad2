//! PHP.

pub mod resolve;
pub(crate) mod syntax;
