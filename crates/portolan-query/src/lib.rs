//! Each use case of Portolan as a request that gives a report.
//!
//! The rooms below meet only here. Nothing here prints, and nothing knows of a command line.
#![warn(clippy::disallowed_methods)]

pub mod agent;
pub mod answers;
pub mod apply;
pub mod ast;
pub mod chart;
pub mod config;
pub mod declarations;
pub mod diagnostics;
pub mod export;
pub mod guide;
pub mod history;
pub mod init;
pub mod map;
pub mod pack;
pub mod page;
pub mod reply;
pub mod run;
pub mod search;
pub mod select;
pub mod session;
mod shield;
pub mod similar;
pub mod snap;
pub mod path_input;
pub mod threads;
pub mod timings;
pub mod tokens;
pub mod view;

pub use portolan_archive::{Baseline, Move};
pub use portolan_graph::MetaHashes;
pub use portolan_guard::redact;
pub use portolan_vfs::{FileKind, OsSystem, System, Watch};
pub use shield::is_catching_panics;
