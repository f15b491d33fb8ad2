//! The MCP front end: the five questions as tools of the Model Context Protocol.
//!
//! The list of tools is made from the questions. `portolan-query` answers them, with the same text that the command
//! line prints. This crate has the protocol, a session per root, progress and cancellation.
#![warn(clippy::disallowed_methods)]

mod atlas;
mod http;
mod job;
mod resources;
mod roots;
mod server;
mod stdio;
mod tools;

use std::path::PathBuf;

use portolan_workspace::config::{GitEnvironment, Stores};

pub use self::http::{HttpOptions, new_token, serve_http};
pub use self::stdio::serve_stdio;

/// The configuration of a server.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The default root.
    pub directory: PathBuf,
    /// The configuration to use there instead of the repository's own.
    pub config: Option<PathBuf>,
    /// Other folders that questions may name.
    pub allow_roots: Vec<PathBuf>,
    /// The user's git configuration.
    pub git: GitEnvironment,
    /// Where the user's packages are stored.
    pub stores: Stores,
    /// Trusted folders of other owners.
    pub trusted: Vec<String>,
    /// The user's cache folder.
    pub cache: Option<PathBuf>,
    /// How many bytes sessions may keep between questions.
    pub memory: usize,
    /// How many threads a session uses; 0 for one per core.
    pub threads: usize,
}

/// The default memory limit of sessions.
pub const DEFAULT_MEMORY: usize = 512 << 20;

/// The instructions, public for tests that count their tokens.
pub const INSTRUCTIONS: &str = include_str!("instructions.md");
