//! The dependency graph as a value: built from facts and resolutions, without access to the disk.
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

pub use canonical::{CollisionError, canonicalize};
pub use csr_graph::{CsrGraph, Facts};
pub use delta::{DELTA_LEGEND, map_delta, map_snapshot};
pub use encode::{MetaHashes, encode_graph, encode_meta, graph_file, inflate};
pub use meta_budget::{MetaCut, MetaFit, MetaRung, fit_meta};
pub use model::{Edge, Graph, GraphBuilder, Node};
pub use picture::{dot, mermaid, neighbourhood};
pub use reexports::{
    DefiningFiles, KnownModule, Module, ModuleForward, Modules, ReexportSearch, Round, follow,
};
pub use stats::{Stats, stats};

/// Identifies the sources of this crate. Caches of computed results use it as part of their key.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
