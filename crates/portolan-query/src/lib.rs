//! Every question that Portolan answers: a request in, a typed report out, rendered as text, JSON or Markdown.
//!
//! Command line and MCP server only pass requests on. Nothing here knows of arguments or of a protocol.
#![warn(clippy::disallowed_methods)]

mod account;
pub mod agent;
pub mod answers;
pub mod ast;
pub mod chart;
pub mod declarations;
pub mod diagnostics;
pub mod export;
pub mod file_set;
mod look;
mod map_paths;
mod name_likeness;
pub mod pack;
pub mod page;
pub mod path;
mod read;
pub mod search;
pub mod select;
pub mod settings_values;
mod slices;
mod target;
pub mod text;
mod unresolved;
mod users;
pub mod view;
