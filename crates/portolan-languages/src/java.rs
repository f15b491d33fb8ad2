//! Java.

pub mod resolve;
pub mod syntax;
