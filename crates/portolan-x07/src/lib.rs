//! Slices: the smallest part of a document around a location, with its dependencies, cut to a
//! limit. For x07AST documents ([`read()`], [`slice()`]) and for texts ([`text`]).
//!
//! This crate is pure: bytes and a request in, a slice out. It knows nothing about files, projects
//! or diagnostics.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod text;
mod x07;

pub use x07::{
    AstDocument, AstReadError, Closure, Enclosure, Slice, SliceError, SliceRequest,
    check_dotted_name, failed_meta, read, slice,
};
