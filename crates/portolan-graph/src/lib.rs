//! The dependency graph as a value: built from facts and resolutions, never from the disk.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod model;

pub use model::{Edge, Graph, GraphBuilder, Node};
