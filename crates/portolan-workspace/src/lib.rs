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

pub use git::{first_parent, history, origin, Commit, GitEnvironment, HistoryBounds, Revision};
pub use pattern::{PatternError, Patterns};
pub use walk::{scan, Listing, Scan, ScanSettings, SourceFile};
