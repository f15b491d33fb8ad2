//! The universe: which files of a repository count, found in one parallel walk.
//!
//! This room knows ignore rules, patterns and links. It reads no source: what is done with a file
//! is the caller's business, on the thread that found it.
#![warn(clippy::disallowed_methods)]

mod git;
mod ignore_rules;
mod pattern;
mod standing;
mod walk;
mod wildmatch;

pub use git::{Commit, GitEnvironment, HistoryBounds, Revision, first_parent, history, origin};
pub use pattern::{PatternError, Patterns};
pub use walk::{Listing, Scan, ScanSettings, SourceFile, scan};
