//! Finds the universe: the files of a repository that count, in one parallel walk.
//!
//! This crate knows ignore rules, patterns and links. It reads no source: the caller processes each file on
//! the thread that found it.
#![warn(clippy::disallowed_methods)]

mod agent_files;
pub mod config;
mod git;
mod ignore_rules;
mod ignore_stack;
pub mod path_input;
mod pattern;
pub mod similar;
mod walk;
mod wildmatch;

pub use agent_files::is_own_line as is_own_agent_line;
pub use git::{
    Commit, CommitLog, CommitMessage, GitEnvironment, HistoryBounds, NOT_A_REPOSITORY, Revision,
    first_parent, history, origin,
};
pub use pattern::{PatternError, Patterns};
pub use portolan_languages::PACKAGE_FOLDERS;
pub use walk::{Listing, Scan, ScanSettings, SourceFile, scan};
