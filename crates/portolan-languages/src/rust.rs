//! Rust.

pub mod resolve;
pub mod syntax;
