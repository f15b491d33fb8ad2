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

pub use read::{Document, ReadError, check_dotted_name, read};
pub use request::{Closure, Enclosure, SliceError, SliceRequest};
pub use slice::{Slice, failed_meta, slice};
