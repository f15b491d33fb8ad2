//! The real binary, in repositories built for the purpose.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "these are tests; the lints know only `#[test]` functions"
)]

mod repo;
mod scenarios;
