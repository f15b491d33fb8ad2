//! The dependency graph as a value: built from facts and resolutions, never from the disk.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod encode;
mod model;

pub use encode::{MetaHashes, encode_graph, encode_meta, graph_file, inflate};
pub use model::{Edge, Graph, GraphBuilder, Node};
