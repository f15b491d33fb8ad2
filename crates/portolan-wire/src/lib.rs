//! Every shape that is written to disk or handed to somebody, by name and version, and the one way
//! it is written: canonical JSON (RFC 8785).
//!
//! A type here is a promise to readers. It decides nothing.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod canonical;
mod codec;
pub mod diff_report;
pub mod history;
pub mod map;
pub mod run_report;
pub mod snapshot;

pub use codec::ReadError;
