//! The readers of text from outside, each with the promise it is held to.
//!
//! A target answers with a sentence (what came of the input), so that new answers can be told from
//! known ones, and panics where a promise is broken. Two fuzzers use them: the chore beside this file, and
//! the guided one of `fuzz/`, which includes it.

mod artifacts;
mod code;
mod ground;
mod talk;

/// A reader.
pub(crate) struct Target {
    /// Its name, and that of its corpus.
    pub(crate) name: &'static str,
    /// Reads, and answers what came of it.
    pub(crate) check: fn(&[u8]) -> String,
}

pub(crate) const TARGETS: &[Target] = &[
    Target { name: "state", check: artifacts::state },
    Target { name: "entry", check: artifacts::entry },
    Target { name: "meta", check: artifacts::meta },
    Target { name: "graph", check: artifacts::graph },
    Target { name: "map", check: artifacts::map_file },
    Target { name: "snapshot", check: artifacts::snapshot },
    Target { name: "history", check: artifacts::history },
    Target { name: "journal", check: artifacts::journal },
    Target { name: "archive", check: artifacts::archive },
    Target { name: "cache", check: artifacts::cache },
    Target { name: "atlas", check: artifacts::atlas },
    Target { name: "config-yaml", check: ground::config_yaml },
    Target { name: "config-json", check: ground::config_json },
    Target { name: "manifests", check: ground::manifests },
    Target { name: "ignore", check: ground::ignore },
    Target { name: "globs", check: ground::globs },
    Target { name: "git-index", check: ground::git_index },
    Target { name: "git-pack", check: ground::git_pack },
    Target { name: "source", check: code::source },
    Target { name: "component", check: code::component },
    Target { name: "languages", check: code::languages },
    Target { name: "declarations", check: code::declarations },
    Target { name: "x07ast", check: code::x07ast },
    Target { name: "diagnostics", check: talk::diagnostics },
    Target { name: "output", check: talk::output },
    Target { name: "project", check: talk::project },
    Target { name: "reply", check: talk::reply_text },
    Target { name: "diff", check: talk::diff },
    Target { name: "envelope", check: talk::envelope },
    Target { name: "exchange", check: talk::exchange },
    Target { name: "file-ops", check: talk::file_ops },
    Target { name: "guard", check: talk::guard },
];
