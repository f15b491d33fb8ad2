//! The readers of untrusted text, each with the promise that it must keep.
//!
//! A target returns a sentence about the input, so that new answers can be distinguished from known
//! ones, and panics if a promise is broken. Two fuzzers use the targets: the chore next to this
//! file, and the guided one of `fuzz/`, which includes this file.

mod artifacts;
mod code;
mod repository;
mod tool_text;

/// A reader.
pub(crate) struct FuzzTarget {
    /// The name of the target and of its corpus.
    pub(crate) name: &'static str,
    /// Reads an input and describes the result.
    pub(crate) check: fn(&[u8]) -> String,
}

pub(crate) const TARGETS: &[FuzzTarget] = &[
    FuzzTarget { name: "state", check: artifacts::state },
    FuzzTarget { name: "entry", check: artifacts::entry },
    FuzzTarget { name: "meta", check: artifacts::meta },
    FuzzTarget { name: "graph", check: artifacts::graph },
    FuzzTarget { name: "map", check: artifacts::map_file },
    FuzzTarget { name: "snapshot", check: artifacts::snapshot },
    FuzzTarget { name: "history", check: artifacts::history },
    FuzzTarget { name: "journal", check: artifacts::journal },
    FuzzTarget { name: "archive", check: artifacts::archive },
    FuzzTarget { name: "cache", check: artifacts::cache },
    FuzzTarget { name: "atlas", check: artifacts::atlas },
    FuzzTarget { name: "config-yaml", check: repository::config_yaml },
    FuzzTarget { name: "config-json", check: repository::config_json },
    FuzzTarget { name: "manifests", check: repository::manifests },
    FuzzTarget { name: "ignore", check: repository::ignore },
    FuzzTarget { name: "globs", check: repository::globs },
    FuzzTarget { name: "git-index", check: repository::git_index },
    FuzzTarget { name: "git-pack", check: repository::git_pack },
    FuzzTarget { name: "source", check: code::source },
    FuzzTarget { name: "component", check: code::component },
    FuzzTarget { name: "languages", check: code::languages },
    FuzzTarget { name: "declarations", check: code::declarations },
    FuzzTarget { name: "x07ast", check: code::x07ast },
    FuzzTarget { name: "diagnostics", check: tool_text::diagnostics },
    FuzzTarget { name: "output", check: tool_text::output },
    FuzzTarget { name: "project", check: tool_text::project },
    FuzzTarget { name: "reply", check: tool_text::reply_text },
    FuzzTarget { name: "diff", check: tool_text::diff },
    FuzzTarget { name: "envelope", check: tool_text::envelope },
    FuzzTarget { name: "exchange", check: tool_text::exchange },
    FuzzTarget { name: "file-ops", check: tool_text::file_ops },
    FuzzTarget { name: "guard", check: tool_text::guard },
];
