//! Slices and packs of x07AST documents.
//!
//! [`read()`] and [`slice()`] cut the smallest valid module around a JSON Pointer; [`pack`] puts it beside the diagnostic
//! that it is about. Pure: bytes in, bytes out.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod pack;
mod slice;

pub use slice::{
    AstDocument, AstReadError, Closure, Enclosure, Slice, SliceError, SliceRequest,
    check_dotted_name, failed_meta, read, slice,
};
