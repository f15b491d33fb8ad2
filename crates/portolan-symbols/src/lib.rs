//! Declarations: what a name means across files, and which lines show a declaration.
//!
//! Pure: facts in, answers out. [`meaning`] follows references through scopes, imports and types; [`text`] cuts slices
//! out of source text. Files come through the trait [`meaning::World`], which the index implements.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod meaning;
pub mod text;

/// Identifies the sources of this crate, for caches of what they compute.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
