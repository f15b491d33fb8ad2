//! Tests the engine from outside: one binary, one module per feature.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cache;
mod conformance_context;
mod conformance_graph;
mod determinism;
mod faults;
mod ids;
mod languages;
mod notices;
mod replies;
mod resolution;
mod toy;
mod tunnels;
