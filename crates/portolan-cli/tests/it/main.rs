//! The binary, run as a user runs it: one test binary, one module a command or a theme.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod bad_input;
mod graph;
mod repo;
mod rooms;
mod scenarios;
mod snap;
mod thread;
