//! C.

pub mod syntax;
