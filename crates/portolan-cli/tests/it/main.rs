//! The binary, run as a user runs it: one test binary, one module a command.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod graph;
mod init;
mod rooms;
mod run_bad_input;
mod run_scenarios;
mod run_thread;
mod snap;
mod support;
