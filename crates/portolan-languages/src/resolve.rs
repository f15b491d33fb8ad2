//! Resolves imports to files.
//!
//! Each language's `resolve` folder implements the traits [`Ecosystem`] and [`Resolve`];
//! [`Ecosystems`] is their table. All of them share one view of the disk, the [`ResolveContext`],
//! which makes each disk call once. An import that leads nowhere is an outcome, not an error.

pub(crate) mod context;
pub mod dependency_tracking;
pub(crate) mod ecosystem;
pub(crate) mod files;
pub(crate) mod published;
pub(crate) mod resolvers;
mod stores;

pub use context::{PathSources, ResolveContext, Sources};
pub(crate) use ecosystem::first_definers;
pub use ecosystem::{
    BuiltinExample, Ecosystem, Ecosystems, ImportTarget, Importer, Need, PackageIdentity, Resolve,
};
pub(crate) use files::has_extension;
pub use files::{DiskView, Memo, ancestors, folder_of, is_under, join, split};
pub use published::{Manifests, Published, PublishedPackage, published};
pub use resolvers::Resolvers;
pub use stores::{PACKAGE_FOLDERS, Stores};
