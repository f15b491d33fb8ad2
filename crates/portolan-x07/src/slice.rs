//! The smallest valid x07AST module around a JSON Pointer, with what it depends on, cut to a bound.
//!
//! ```text
//! bytes ─ read ─→ Document ─ focus, select ─→ Draft ─ bounds ─→ Slice
//! ```

mod draft;
mod edit;
mod focus;
mod prune;
mod read;
mod request;
mod select;
mod slice;

pub use read::{check_dotted_name, read, Document, ReadError};
pub use request::{Closure, Enclosure, SliceError, SliceRequest};
pub use slice::{failed_meta, slice, Slice};
