//! The smallest valid x07AST module around a JSON Pointer, with its dependencies, cut to a limit.
//!
//! ```text
//! bytes ─ read ─→ AstDocument ─ focus, select ─→ SliceDraft ─ limits ─→ Slice
//! ```

mod cut;
mod draft;
mod edit;
mod focus;
mod prune;
mod read;
mod request;
mod select;

pub use cut::{Slice, failed_meta, slice};
pub use read::{AstDocument, AstReadError, check_dotted_name, read};
pub use request::{Closure, Enclosure, SliceError, SliceRequest};
