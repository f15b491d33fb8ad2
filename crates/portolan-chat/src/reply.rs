//! Replies of an assistant: text in, changes out, and what the changes make of the files they are for.
//!
//! Reading never fails: text that is no patch is prose. But whatever looks like a patch is either read
//! whole or told as a [`Problem`]: a patch that is half understood is worse than none. What a change
//! gives is worked out here too, from bytes to bytes ([`Draft`]); nothing here knows a disk, an archive
//! or a rule of the guide.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod change;
mod claims;
mod cursor;
mod document;
mod draft;
mod envelope;
mod exchange;
mod file_ops;
mod merge;
mod read;
mod suspect;
mod text;
mod unified;

pub use change::{Change, FileMode, Hunk, Mark, Name, Problem, ProblemKind, What};
pub use claims::{Claim, ClaimSort, Patience};
pub use document::{Document, Heading};
pub use draft::{Draft, FileChange, Misfit, MisfitKind, Outcome, Role, Target};
pub use read::{read, Reply};
