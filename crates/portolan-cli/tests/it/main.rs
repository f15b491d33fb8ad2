//! Runs the binary as a user does: one test binary, one module per command.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod agent;
mod answers;
mod apply;
mod ast_slice;
mod at_once;
mod atlas;
#[cfg(unix)]
mod attacks;
mod audit;
mod cache;
mod chart;
mod check_reply;
#[cfg(unix)]
mod ci;
mod docs;
mod folder;
mod front_door;
mod graph;
mod help;
mod init;
#[cfg(unix)]
mod machine;
mod mcp;
mod mcp_fresh;
mod mcp_packs;
mod pack;
mod paths;
mod read;
mod rooms;
#[cfg(unix)]
mod run_bad_input;
#[cfg(unix)]
mod run_scenarios;
mod run_thread;
mod same_bytes;
mod screenshots;
mod search;
mod select;
mod snap;
mod support;
mod view;
#[cfg(unix)]
mod view_browser;
