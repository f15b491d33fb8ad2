//! Many repositories as one map: an atlas is a folder or a bucket with a set of Parquet files for each.
//!
//! A set is written by [`publish`]: its tables under names that nobody has used for anything else, then the one
//! row that makes it current. Readers begin with those rows ([`Atlas::open`]), so they see a set or the one before
//! it, never half of one. [`tables`] says what is in them; engines read the same files ([`sql`]).
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod answer;
mod atlas;
mod chart;
#[cfg(feature = "cloud")]
mod cloud;
mod error;
mod find;
mod look;
mod place;
mod probe;
mod publish;
pub mod queries;
mod scan;
mod sheet;
pub mod sql;
mod store;
pub mod tables;
mod text;
mod wire;

pub use atlas::Atlas;
pub use chart::{Chart, ChartedRepository, Dependence};
pub use error::AtlasError;
pub use find::{FindInAtlas, FoundInAtlas};
pub use look::{parse_target, LookInAtlas, Provider, Target, UseLine, UserRepository};
pub use place::{is_bucket, Variables};
pub use probe::probe;
pub use publish::{encode_set, publish, slug, Encoded, Published};
pub use scan::is_catching_panics;
pub use store::Store;
