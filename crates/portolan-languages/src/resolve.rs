//! Resolves imports to files.
//!
//! Each ecosystem is a folder that implements the traits [`Ecosystem`] and [`Resolve`];
//! [`Ecosystems`] is the table of all of them. They share one view of the disk, the
//! [`ResolveContext`], which makes every disk call once. An import that leads nowhere is an
//! outcome, not an error.
#![warn(clippy::disallowed_methods)]

mod context;
pub mod dependency_tracking;
mod ecosystem;
mod files;
mod published;
mod resolvers;
mod stores;

pub mod cargo;
pub mod golang;
pub mod maven;
pub mod npm;
pub mod pypi;

pub use context::{PathSources, ResolveContext, Sources};
pub(crate) use ecosystem::first_definers;
pub use ecosystem::{
    BuiltinExample, Ecosystem, Ecosystems, ImportTarget, Importer, Need, PackageIdentity, Resolve,
};
pub(crate) use files::has_extension;
pub use files::{ancestors, folder_of, is_under, join, split, DiskView, Memo};
pub use published::{published, Manifests, Published, PublishedPackage};
pub use resolvers::Resolvers;
pub use stores::Stores;
