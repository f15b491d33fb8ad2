//! Slices: the smallest part of a document around a place, with what it depends on, cut to a bound. Of
//! x07AST documents ([`read()`], [`slice()`]) and of texts ([`text`]).
//!
//! Pure: bytes and a request in, a slice out. It knows nothing of files, projects or diagnostics of
//! others.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod text;
mod x07;

pub use x07::{
    Closure, Document, Enclosure, ReadError, Slice, SliceError, SliceRequest, check_dotted_name,
    failed_meta, read, slice,
};
