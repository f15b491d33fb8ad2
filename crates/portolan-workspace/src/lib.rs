//! Finds the universe: the files of a repository that count, in one parallel walk.
//!
//! This crate knows ignore rules, patterns and links. It reads no source: the caller processes each file on
//! the thread that found it.
#![warn(clippy::disallowed_methods)]

mod git;
mod ignore_rules;
mod ignore_stack;
mod pattern;
mod walk;
mod wildmatch;

pub use git::{first_parent, history, origin, Commit, GitEnvironment, HistoryBounds, Revision};
pub use pattern::{PatternError, Patterns};
pub use walk::{scan, Listing, Scan, ScanSettings, SourceFile};
