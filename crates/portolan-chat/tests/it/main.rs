//! The engine, tested from outside: one binary, one module a feature.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cache;
mod conformance_context;
mod conformance_graph;
mod determinism;
mod faults;
mod fingerprint;
mod ids;
mod languages;
mod notices;
mod replies;
mod resolution;
mod toy;
mod tunnels;
