//! JavaScript and TypeScript.

pub mod resolve;
pub mod syntax;
