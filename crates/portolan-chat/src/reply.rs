//! Reads an assistant's reply: text in, changes out, and the files that result from them.
//!
//! Reading never fails: text that is not a patch is prose. But anything that looks like a patch is
//! either read completely or reported as a [`ReplyProblem`], because a half-understood patch is
//! worse than none. [`PatchDraft`] applies the changes, from bytes to bytes. This crate knows no
//! disk, no archive and no rule of the guide.

mod apply_patch;
mod change;
mod claims;
mod cursor;
mod document;
mod draft;
mod file_ops;
mod git_place;
mod merge;
mod placement;
mod read;
mod search_replace;
mod unified;
mod unsupported;

pub use change::{
    FileMode, FileOperation, Hunk, LineMark, ReplyNote, ReplyProblem, ReplyProblemKind,
    RequestedChange, WrittenPath,
};
pub use claims::{Claim, ClaimSort, CompareBudget};
pub use document::{Heading, MarkdownDocument};
pub use draft::{DraftOutcome, FileChange, Misfit, MisfitKind, PatchDraft, PathRole, TouchedPath};
pub use read::{ParsedReply, read};
