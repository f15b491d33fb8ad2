//! The index of a repository: its map, what its files declare, and the caches of both.
//!
//! [`session::Session`] is the way in: it reads the repository once, keeps what it found, and refreshes it. [`map`]
//! builds the dependency graph; [`symbols`] opens the declarations. Nothing here prints.
#![warn(clippy::disallowed_methods)]

mod catch_panics;
pub mod history;
pub mod map;
pub mod pool;
pub mod session;
pub mod symbols;
pub mod timings;
pub mod token_counts;
pub mod word_index;

pub use catch_panics::{is_shielded, shielded};

/// Identifies the sources of this crate, for caches of what they compute.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
