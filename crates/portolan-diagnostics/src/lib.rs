//! Diagnostics: readers of what compilers, linters and test runners print, and the choice of the one to repair first.
//!
//! Pure: bytes in, diagnostics out. The caller decides which files they may name.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod environment;
pub mod focus;
pub mod line_diff;
pub mod locations;
pub mod readers;
