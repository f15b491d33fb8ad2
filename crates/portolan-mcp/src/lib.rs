//! The second front end: the five questions as tools of the Model Context Protocol.
//!
//! Tools are data (`tools.json`, `instructions.md`); what they answer is made in the engine, and is what the
//! command line prints. Here are the protocol, a session for each root, progress and cancellation.
#![warn(clippy::disallowed_methods)]

mod atlas;
mod http;
mod job;
mod library;
mod roots;
mod server;
mod stdio;
mod tools;

use std::path::PathBuf;

use portolan_workspace::config::{GitEnvironment, Stores};

pub use self::http::{new_token, serve_http, HttpOptions};
pub use self::stdio::serve_stdio;

/// What a server needs to know.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The folder that it works in where a question names none.
    pub directory: PathBuf,
    /// The configuration to use there instead of the repository's.
    pub config: Option<PathBuf>,
    /// Other folders that it may be asked about.
    pub allow_roots: Vec<PathBuf>,
    /// What git knows of the user.
    pub git: GitEnvironment,
    /// Where the user keeps packages.
    pub stores: Stores,
    /// The folders of other owners that are trusted.
    pub trusted: Vec<String>,
    /// The user's cache folder: manifests of answers go there.
    pub cache: Option<PathBuf>,
    /// How many bytes sessions may keep between questions.
    pub memory: usize,
    /// How many threads a session works on; 0 for one per core.
    pub threads: usize,
}

/// How much sessions may keep where nobody says.
pub const DEFAULT_MEMORY: usize = 512 << 20;

/// The instructions, for whoever counts them.
pub const INSTRUCTIONS: &str = include_str!("instructions.md");

/// The tools as they are written, for whoever counts them.
pub const TOOLS: &str = include_str!("tools.json");
