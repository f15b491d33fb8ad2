//! From an import to the files it means.
//!
//! Each ecosystem is a folder behind the traits [`Ecosystem`] and [`Resolve`]; [`Ecosystems`] is the
//! table of those there are. All of them look at one view of the disk, the [`Ground`], which asks
//! every question once. Whatever leads nowhere is an outcome, not an error.
#![warn(clippy::disallowed_methods)]

pub mod asked;
mod ecosystem;
mod files;
mod ground;
mod published;
mod resolvers;
mod stores;

pub mod cargo;
pub mod golang;
pub mod maven;
pub mod npm;
pub mod pypi;

pub(crate) use ecosystem::first_definers;
pub use ecosystem::{
    BuiltinExample, Ecosystem, Ecosystems, Importer, Need, PackageIdentity, Resolve, Target,
};
pub(crate) use files::has_extension;
pub use files::{ancestors, folder_of, is_under, join, split, Files, Memo};
pub use ground::{Ground, PathSources, Sources};
pub use published::{published, Manifests, Published, PublishedPackage};
pub use resolvers::Resolvers;
pub use stores::Stores;
