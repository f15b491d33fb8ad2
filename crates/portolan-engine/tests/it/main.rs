//! The engine, tested from outside: one binary, one module a feature.

mod conformance_graph;
mod determinism;
mod ids;
mod resolution;
mod tunnels;
