//! Go.

pub mod resolve;
pub mod syntax;
