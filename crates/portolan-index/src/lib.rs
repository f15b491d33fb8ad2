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
pub mod store;
pub mod symbols;
pub mod timings;
pub mod token_counts;
pub mod word_index;

pub use catch_panics::{catch_panics, is_catching_panics};

/// Identifies the sources that make facts and links: caches that other sources wrote are dropped.
pub fn fingerprint() -> String {
    [
        portolan_types::FINGERPRINT,
        portolan_json::FINGERPRINT,
        portolan_guard::FINGERPRINT,
        portolan_languages::FINGERPRINT,
        portolan_graph::FINGERPRINT,
        portolan_symbols::FINGERPRINT,
        env!("PORTOLAN_FINGERPRINT"),
    ]
    .join("-")
}
