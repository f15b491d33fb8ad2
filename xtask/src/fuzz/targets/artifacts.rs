//! Targets that read artifacts back: those that Portolan or an assistant wrote, possibly changed
//! since.

use std::path::Path;

use portolan_index::map::{self, CacheMode, MapRequest};
use portolan_vfs::MemorySystem;
use portolan_vfs::System;
use portolan_wire::entry::parse_entry;
use portolan_wire::graph::AnyGraph;
use portolan_wire::history::HistoryV1;
use portolan_wire::journal::JournalV1;
use portolan_wire::map::MapV1;
use portolan_wire::meta::MetaV2;
use portolan_wire::problem::Problem;
use portolan_wire::snapshot::SnapshotV1;
use portolan_wire::state::{self, ReadState};
use portolan_workspace::config;

fn describe(problem: &Problem) -> String {
    assert!(problem.position.is_some_and(|(line, column)| line > 0 && column > 0), "{problem}");
    problem.to_string()
}

fn describe_all(problems: &[Problem]) -> String {
    problems.iter().map(describe).collect::<Vec<_>>().join("; ")
}

pub(super) fn state(input: &[u8]) -> String {
    let read = match state::read(input) {
        Err(problem) => return describe(&problem),
        Ok(read) => read,
    };
    let answer = format!("{} {}", describe_all(&read.problems), describe_all(&read.notes));
    let text = read.state.to_text();
    let again = state::read(text.as_bytes()).map_err(|problem| vec![problem]);
    // A blank id is accepted literally, with a problem, and stays so when it is written.
    let again = if read.problems.is_empty() { again.and_then(ReadState::strict) } else { again };
    let again = again.map(|read| read.state.to_text());
    assert_eq!(again.as_ref(), Ok(&text));
    answer
}

pub(super) fn entry(input: &[u8]) -> String {
    match parse_entry(&String::from_utf8_lossy(input)) {
        Ok(entry) => format!("{}", entry.kinds.is_some()),
        Err(error) => error.to_string(),
    }
}

pub(super) fn meta(input: &[u8]) -> String {
    let read = match MetaV2::read(input) {
        Err(problem) => return describe(&problem),
        Ok(read) => read,
    };
    let bytes = read.value.to_bytes();
    let again = MetaV2::read(&bytes).map(|again| again.value.to_bytes());
    assert_eq!(again.as_ref(), Ok(&bytes));
    describe_all(&read.problems)
}

pub(super) fn graph(input: &[u8]) -> String {
    match AnyGraph::read(input) {
        Err(problem) => describe(&problem),
        Ok(read) => describe_all(&read.problems),
    }
}

pub(super) fn map_file(input: &[u8]) -> String {
    match MapV1::from_bytes(input) {
        Err(error) => error.message,
        Ok(map) => {
            assert_eq!(MapV1::from_bytes(&map.to_bytes()).as_ref(), Ok(&map));
            format!("{} nodes", map.nodes.len())
        }
    }
}

pub(super) fn snapshot(input: &[u8]) -> String {
    match SnapshotV1::from_bytes(input) {
        Err(error) => error.message,
        Ok(snapshot) => {
            assert_eq!(SnapshotV1::from_bytes(&snapshot.to_bytes()).as_ref(), Ok(&snapshot));
            format!("{} files", snapshot.files.len())
        }
    }
}

pub(super) fn history(input: &[u8]) -> String {
    match HistoryV1::from_bytes(input) {
        Err(error) => error.message,
        Ok(history) => {
            assert_eq!(HistoryV1::from_bytes(&history.to_bytes()).as_ref(), Ok(&history));
            format!("{} entries", history.entries.len())
        }
    }
}

pub(super) fn journal(input: &[u8]) -> String {
    match JournalV1::from_bytes(input) {
        Err(error) => error.message,
        Ok(journal) => {
            assert_eq!(JournalV1::from_bytes(&journal.to_bytes()).as_ref(), Ok(&journal));
            let both = journal.files.iter().any(|file| file.before.is_some());
            format!("read {}", if both { "changes" } else { "new files" })
        }
    }
}

/// A file of an atlas: the first byte selects the table.
pub(super) fn atlas(input: &[u8]) -> String {
    let Some((table, bytes)) = input.split_first() else { return "nothing".to_owned() };
    match portolan_atlas::probe(usize::from(*table), bytes) {
        Ok(rows) => format!("{rows} rows"),
        Err(error) => error.to_string(),
    }
}

/// An archive with one file and a map.
pub(super) fn portolan_archive_bytes() -> Vec<u8> {
    let mut writer = portolan_archive::tar::TarWriter::new(Vec::new());
    let meta: &[u8] = br#"{"n":{"src/a.ts":{"k":0,"s":20}},"v":2}"#;
    for (path, bytes) in
        [(".stan/context/dependency.meta.json", meta), ("src/a.ts", b"export const a = 1;\n")]
    {
        assert!(writer.append(path, false, bytes).is_ok());
    }
    writer.finish().map(|(bytes, _)| bytes).unwrap_or_default()
}

pub(super) fn archive(input: &[u8]) -> String {
    let mut bytes = portolan_archive_bytes();
    // The input overwrites the archive from its start, so that headers are mutated.
    for (byte, over) in bytes.iter_mut().zip(input) {
        *byte ^= over;
    }
    match portolan_archive::tar::read(&bytes) {
        Ok(members) => format!("{} members", "abcdef".get(..members.len().min(6)).unwrap_or("")),
        Err(error) => error.to_string(),
    }
}

/// A cache that was tampered with, with a correct checksum: the map must still be built.
pub(super) fn cache(input: &[u8]) -> String {
    let system = MemorySystem::default();
    system.put("/r/src/a.ts", "import { b } from './b';\nimport 'p';\nexport const a = b;\n");
    system.put("/r/src/b.ts", "export * from './c';\n/** @module b */\nlet x = ;\n");
    system.put("/r/src/c.ts", "export const b = 1;\n");
    system.put("/r/node_modules/p/package.json", r#"{"name":"p","version":"1","types":"i.d.ts"}"#);
    system.put("/r/node_modules/p/i.d.ts", "export {};\n");
    system.put("/r/.stan/x", "");
    let Ok(config) = config::load(&system, Path::new("/r")) else { return String::new() };
    let request = MapRequest { config, threads: 1 };
    let file = Path::new("/r/.stan/cache/facts.bin");
    for _ in 0..2 {
        assert!(map::build_cached(&system, &request, CacheMode::Use).is_ok());
    }
    let Ok(mut bytes) = system.read(file) else { return "no cache".to_owned() };
    // The input overwrites the entries; the header before them ends with a checksum.
    let body = 64.min(bytes.len());
    for (byte, over) in bytes[body..].iter_mut().zip(input) {
        *byte ^= over;
    }
    let sum = cache_sum(&bytes[body..]);
    if let Some(slot) = bytes.get_mut(56..64) {
        slot.copy_from_slice(&sum);
    }
    system.put(file, bytes);
    match map::build_cached(&system, &request, CacheMode::Use) {
        Ok(report) => {
            let notices: Vec<_> =
                report.notices.iter().map(|notice| notice.message.as_str()).collect();
            format!(
                "{} {}",
                ["", "i", "ii", "iii"][report.graph.nodes().len() % 4],
                notices.join(" ")
            )
        }
        Err(error) => error.to_string(),
    }
}

fn cache_sum(body: &[u8]) -> [u8; 8] {
    use std::hash::Hasher as _;
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(body);
    hasher.finish().to_le_bytes()
}
