//! The engine, tested from outside: one binary, one module a feature.

mod conformance_graph;
