//! The dependency graph as a value: built from facts and resolutions, never from the disk.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod canonical;
pub mod chart;
pub mod declarations;
mod delta;
mod encode;
pub mod interest;
mod meta_budget;
mod model;
mod picture;
pub mod select;
mod stats;
mod csr_graph;
mod reexports;

pub use canonical::{canonicalize, CollisionError};
pub use delta::{map_delta, map_snapshot, DELTA_LEGEND};
pub use encode::{encode_graph, encode_meta, graph_file, inflate, MetaHashes};
pub use meta_budget::{fit_meta, MetaCut, MetaFit, MetaRung};
pub use model::{Edge, Graph, GraphBuilder, Node};
pub use picture::{dot, mermaid, neighbourhood};
pub use stats::{stats, Stats};
pub use csr_graph::{CsrGraph, Facts};
pub use reexports::{follow, DefiningFiles, KnownModule, Module, ModuleForward, Modules, ReexportSearch, Round};
