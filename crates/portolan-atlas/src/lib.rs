//! Many repositories as one map: an atlas is a folder or bucket with a set of Parquet files per repository.
//!
//! [`publish`] writes a set: first its tables under new, unique names, then the one row that makes it current.
//! Readers start with those rows ([`Atlas::open`]), so they see either the new set or the previous one, never a
//! mix. [`tables`] documents the columns; SQL engines read the same files ([`sql`]).
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod answer;
mod atlas;
mod chart;
#[cfg(feature = "cloud")]
mod cloud;
mod error;
mod find;
mod look;
mod page_headers;
mod parquet_reader;
mod parquet_writer;
mod place;
mod probe;
mod publish;
pub mod queries;
pub mod sql;
mod store;
pub mod tables;
mod text;
mod wire;

pub use atlas::Atlas;
pub use chart::{AtlasChart, ChartedRepository, RepositoryDependency};
pub use error::AtlasError;
pub use find::FindInAtlas;
pub use look::{LookInAtlas, PackageTarget, Provider, UseLine, UserRepository, parse_target};
pub use parquet_reader::is_catching_panics;
pub use place::{Variables, is_bucket};
pub use probe::probe;
pub use publish::{EncodedSet, PublishResult, encode_set, publish, slug};
pub use store::Store;

/// Identifies the sources of this crate. Caches of computed results use it as part of their key.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
