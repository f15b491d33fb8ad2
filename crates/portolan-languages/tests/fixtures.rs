//! Each language that a query describes has a folder with a fixture and its outline.
//!
//! `UPDATE_FIXTURES=1 cargo test -p portolan-languages --test fixtures` writes the outlines anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use portolan_languages::{Extractor, Languages};
use portolan_types::declarations::{Declarations, Flags, NONE};

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// The folders with a query.
fn folders() -> Vec<PathBuf> {
    let all = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let found: Vec<PathBuf> = all.into_iter().filter(|it| it.join("tags.scm").is_file()).collect();
    assert!(!found.is_empty());
    found
}

/// The fixture of a folder: its name and its text.
fn fixture(folder: &Path) -> (String, String) {
    let is_it = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == "fixture");
    let path = entries(folder).into_iter().find(is_it).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(!text.is_empty(), "{} has no fixture", folder.display());
    (name, text)
}

/// Each declaration on a line: its word, name, lines, whether it is private or local, where its doc
/// comment starts, and its signature.
fn outline(path: &str, text: &str, facts: &Declarations) -> String {
    let line = |at: u32| text[..at as usize].matches('\n').count() + 1;
    let mut lines = String::new();
    for (item, number) in facts.items.iter().zip(0u32..) {
        let depth = facts.ancestors(number).count() - 1;
        let word = Languages::default().kind_word(path, item.kind);
        let (first, last) = (line(item.span.start), line(item.span.end - 1));
        let is_local = item.flags.has(Flags::LOCAL);
        let mut marks = String::new();
        if is_local {
            marks += " local";
        } else if !item.flags.has(Flags::EXPORTED) {
            marks += " private";
        }
        if item.doc != NONE {
            marks += &[" doc ", &line(item.doc).to_string()].concat();
        }
        let end = if item.body.is_empty() { item.span.end } else { item.body.start };
        let head = text[item.span.start as usize..end as usize].split_whitespace();
        let head = head.collect::<Vec<_>>().join(" ");
        let name = facts.name(item.name);
        let indent = "  ".repeat(depth);
        let _ = writeln!(lines, "{indent}{word} {name} {first}-{last}{marks} | {head}");
    }
    lines
}

#[test]
fn every_fixture_has_its_outline() {
    for folder in folders() {
        let (name, text) = fixture(&folder);
        let facts = Extractor::new().declarations(&name, &text);
        assert!(facts.is_whole(), "{name}");
        let found = outline(&name, &text, &facts);
        let expected = folder.join("outline.txt");
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            std::fs::write(&expected, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(found, expected, "{}", folder.display());
    }
}

/// Every prefix of a fixture is broken code, which must neither panic nor lose its end.
#[test]
fn broken_code_is_read() {
    for folder in folders() {
        let (name, text) = fixture(&folder);
        let mut extractor = Extractor::new();
        for at in (0..text.len()).step_by(7).filter(|at| text.is_char_boundary(*at)) {
            for part in [&text[..at], &text[at..]] {
                let facts = extractor.declarations(&name, part);
                assert!(facts.is_whole(), "{name} at {at}");
                let is_inside = |end: u32| end as usize <= part.len();
                assert!(facts.items.iter().all(|it| is_inside(it.span.end)), "{name} at {at}");
            }
        }
    }
}
