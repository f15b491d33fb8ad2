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
mod territory;
mod tunnel;

pub use canonical::{CollisionError, canonicalize};
pub use delta::{DELTA_LEGEND, map_delta, map_snapshot};
pub use encode::{MetaHashes, encode_graph, encode_meta, graph_file, inflate};
pub use meta_budget::{MetaCut, MetaFit, MetaRung, fit_meta};
pub use model::{Edge, Graph, GraphBuilder, Node};
pub use picture::{dot, mermaid, neighbourhood};
pub use stats::{Stats, stats};
pub use territory::{Facts, Territory};
pub use tunnel::{Definers, Known, Module, ModuleForward, Modules, Pursuit, Round, follow};

/// Identifies the sources of this crate, for caches of what they compute.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
