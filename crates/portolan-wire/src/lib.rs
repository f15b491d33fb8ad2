//! Every shape that is written to disk or handed to somebody, by name and version, and the one way
//! it is written: canonical JSON (RFC 8785).
//!
//! A type here is a promise to readers. It decides nothing.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod canonical;
pub mod graph;
pub mod located;
pub mod meta;
pub mod problem;
pub mod schemas;
pub mod select;
pub mod state;
