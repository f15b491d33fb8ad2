//! The real binary, in repositories built for the purpose.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "these are tests; the lints know only `#[test]` functions"
)]

mod bad_input;
mod repo;
mod scenarios;
mod snap;
mod thread;
