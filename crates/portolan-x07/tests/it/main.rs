//! Tests the slicer from outside: one binary, one module per concern.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(
    clippy::needless_pass_by_value,
    reason = "helpers that take `json!(…)` read better without `&`"
)]

mod cases;
mod conformance;
mod divergences;
mod fuzz;
mod generator;
mod invariants;
mod properties;
