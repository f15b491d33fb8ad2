//! Resolves names to declarations across files, and selects the lines that show a declaration.
//!
//! This crate is pure. [`resolver`] resolves references through scopes, imports and types; [`text`]
//! cuts slices out of source text. Files come through the trait [`resolver::SymbolSource`], which the index
//! implements.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod resolver;
pub mod text;

/// Identifies the sources of this crate. Caches of computed results use it as part of their key.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
