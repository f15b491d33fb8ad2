//! Every format that is written to disk or sent to somebody, by name and version, in one encoding: canonical
//! JSON (RFC 8785).
//!
//! A type here is a promise to readers. It has no logic.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod answer;
pub mod atlas;
pub mod atlas_report;
pub mod canonical;
mod codec;
pub mod context;
pub mod declarations;
pub mod diagnostics;
pub mod diff_report;
pub mod entry;
pub mod graph;
pub mod history;
pub mod journal;
pub mod map;
pub mod meta;
pub mod pack;
pub mod page;
pub mod problem;
pub mod question;
pub mod reports;
pub mod run_report;
pub mod schemas;
pub mod search;
pub mod select;
pub mod slice;
pub mod snapshot;
pub mod state;
pub mod tree;

pub use codec::DecodeError;

/// Identifies the sources of this crate, for caches of what they compute.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
