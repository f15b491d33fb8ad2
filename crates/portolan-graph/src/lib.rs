//! The dependency graph as a value: built from facts and resolutions, never from the disk.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod canonical;
pub mod chart;
mod csr_graph;
mod delta;
mod encode;
mod meta_budget;
mod model;
mod picture;
mod reexports;
pub mod select;
mod stats;

pub use canonical::{canonicalize, CollisionError};
pub use csr_graph::{CsrGraph, Facts};
pub use delta::{map_delta, map_snapshot, DELTA_LEGEND};
pub use encode::{encode_graph, encode_meta, graph_file, inflate, MetaHashes};
pub use meta_budget::{fit_meta, MetaCut, MetaFit, MetaRung};
pub use model::{Edge, Graph, GraphBuilder, Node};
pub use picture::{dot, mermaid, neighbourhood};
pub use reexports::{
    DefiningFiles, KnownModule, Module, ModuleForward, Modules, ReexportSearch, Round, follow,
};
pub use stats::{stats, Stats};

/// Identifies the sources of this crate, for caches of what they compute.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
