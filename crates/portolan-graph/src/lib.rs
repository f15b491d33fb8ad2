//! The dependency graph as a value: built from facts and resolutions, never from the disk.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod canonical;
mod encode;
mod model;
mod tunnel;

pub use canonical::{CollisionError, canonicalize};
pub use encode::{MetaHashes, encode_graph, encode_meta, graph_file, inflate};
pub use model::{Edge, Graph, GraphBuilder, Node};
pub use tunnel::{Definers, Known, Module, ModuleForward, Modules, definers};
