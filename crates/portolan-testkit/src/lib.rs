//! Shared test support: a fixture language for small repositories, and helpers that build and print
//! their maps.
//!
//! A fixture is one text. A line `//- path` starts a file, `//- path -> target` is a symbolic link:
//!
//! ```text
//! //- src/a.ts
//! import { b } from './b';
//! //- src/b.ts
//! export const b = 1;
//! ```
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a helper for tests: failing is how it reports"
)]

pub mod artifacts;
pub mod browser;
pub mod random;
pub mod reliability;
pub mod secrets;
pub mod toy;

use std::path::{Path, PathBuf};

use portolan_graph::Graph;
use portolan_index::map::{self, MapReport, MapRequest};
use portolan_types::KindMask;
use portolan_vfs::{MemorySystem, System};
use portolan_workspace::config;

/// The root of fixtures in memory.
pub const ROOT: &str = "/repo";

/// The files and links of a fixture, in order.
pub fn parse(fixture: &str) -> Vec<(String, FixtureEntry)> {
    let mut entries: Vec<(String, FixtureEntry)> = Vec::new();
    for line in fixture.lines() {
        if let Some(header) = line.trim_start().strip_prefix("//- ") {
            entries.push(match header.split_once(" -> ") {
                Some((path, target)) => {
                    (path.trim().to_owned(), FixtureEntry::Link(target.trim().to_owned()))
                }
                None => (header.trim().to_owned(), FixtureEntry::File(String::new())),
            });
        } else if let Some((_, FixtureEntry::File(text))) = entries.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    entries
}

/// A file's text or a link's target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixtureEntry {
    /// A file with this text.
    File(String),
    /// A symbolic link.
    Link(String),
}

/// A fixture in memory, below [`ROOT`]. Paths may leave it with `../`.
pub fn memory(fixture: &str) -> MemorySystem {
    let system = MemorySystem::default();
    system.create_dir_all(Path::new(ROOT)).expect("an empty file system takes a folder");
    for (path, entry) in parse(fixture) {
        let path = place(Path::new(ROOT), &path);
        match entry {
            FixtureEntry::File(text) => system.put(path, text),
            FixtureEntry::Link(target) => system.link(path, target),
        }
    }
    system
}

/// A git index (version 2) that tracks these files; the names must be sorted.
pub fn git_index(names: &[&str]) -> Vec<u8> {
    let count = (names.len() as u32).to_be_bytes();
    let mut bytes = [b"DIRC".as_slice(), &[0, 0, 0, 2], &count].concat();
    for name in names {
        let start = bytes.len();
        // Times, an inode, a mode, an owner, a size and a digest: not used here.
        bytes.resize(start + 60, 0);
        bytes.extend((name.len() as u16).to_be_bytes());
        bytes.extend(name.as_bytes());
        bytes.resize(start + (bytes.len() - start + 8) / 8 * 8, 0);
    }
    // The checksum.
    bytes.resize(bytes.len() + 20, 0);
    bytes
}

fn place(root: &Path, path: &str) -> PathBuf {
    match path.strip_prefix("../") {
        Some(outside) => root.parent().unwrap_or(root).join(outside),
        None => root.join(path),
    }
}

/// The map of a fixture.
pub fn map_of(fixture: &str) -> MapReport {
    map_in(&memory(fixture), Path::new(ROOT), 2)
}

/// The map of the repository at `root` of a file system.
pub fn map_in(system: &dyn System, root: &Path, threads: usize) -> MapReport {
    let config = config::load(system, root).expect("the fixture's configuration is sound");
    map::build(system, &MapRequest { config, threads }).expect("the fixture has a map")
}

/// The edges of a graph, one line each: `a -> b runtime` for explicit ones, `a ~> b type` for
/// implicit ones.
pub fn edges_of(graph: &Graph) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, node) in graph.iter() {
        for edge in graph.edges(index) {
            let target = &graph.node(edge.target).id;
            let mut push = |arrow: &str, kinds: KindMask| {
                lines.extend(
                    kinds
                        .kinds()
                        .map(|kind| format!("{} {arrow} {target} {}", node.id, kind.name())),
                );
            };
            push("->", edge.explicit);
            push("~>", edge.implicit);
        }
    }
    lines
}

/// Checks all edges of a fixture, with raw ids.
#[track_caller]
pub fn check_edges(fixture: &str, expected: &[&str]) {
    assert_eq!(edges_of(&map_of(fixture).raw), expected);
}

/// Checks the targets of the imports of one file: ids of explicit targets, in order; `?` marks
/// missing ones, `!` external ones.
#[track_caller]
pub fn check_targets(fixture: &str, importer: &str, expected: &str) {
    let graph = map_of(fixture).raw;
    let index = graph.index_of(importer).expect("the importer is in the map");
    let explicit = graph.edges(index).iter().filter(|edge| !edge.explicit.is_empty());
    let shown: Vec<String> = explicit
        .map(|edge| {
            let node = graph.node(edge.target);
            let mark = match node.kind {
                portolan_types::NodeKind::Missing => "?",
                portolan_types::NodeKind::External => "!",
                portolan_types::NodeKind::Source | portolan_types::NodeKind::Builtin => "",
            };
            format!("{mark}{}", node.id)
        })
        .collect();
    assert_eq!(shown.join(" "), expected);
}

/// Checks the notices of a fixture: `CODE place`.
#[track_caller]
pub fn check_notices(fixture: &str, expected: &[&str]) {
    let notices = map_of(fixture).notices;
    let shown = notices.iter().map(|notice| {
        let place = notice.place.as_ref().map_or_else(String::new, ToString::to_string);
        format!("{} {place}", notice.code.as_str())
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected);
}
