//! Python.

pub mod resolve;
pub mod syntax;
