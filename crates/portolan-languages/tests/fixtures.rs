//! Each language that a query describes has a folder with a fixture and its outline.
//!
//! `UPDATE_FIXTURES=1 cargo test -p portolan-languages --test fixtures` writes the outlines anew.

use std::path::{Path, PathBuf};

use portolan_languages::{Extractor, Languages};
use portolan_types::declarations::{Declarations, Flags, NONE};

/// The folders with a query.
fn folders() -> Vec<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let entries = std::fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|it| it.join("tags.scm").is_file()).collect();
    found.sort();
    found
}

/// The file of a folder with this stem.
fn fixture(folder: &Path) -> PathBuf {
    let mut entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.find(|path| path.file_stem().is_some_and(|stem| stem == "fixture"));
    found.unwrap_or_else(|| panic!("{} has no fixture", folder.display()))
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
            marks += &format!(" doc {}", line(item.doc));
        }
        let end = if item.body.is_empty() { item.span.end } else { item.body.start };
        let head = text[item.span.start as usize..end as usize].split_whitespace();
        let head = head.collect::<Vec<_>>().join(" ");
        let name = facts.name(item.name);
        let indent = "  ".repeat(depth);
        lines += &format!("{indent}{word} {name} {first}-{last}{marks} | {head}\n");
    }
    lines
}

#[test]
fn every_fixture_has_its_outline() {
    for folder in folders() {
        let path = fixture(&folder);
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let facts = Extractor::new().declarations(name, &text);
        assert!(facts.is_whole(), "{name}");
        let found = outline(name, &text, &facts);
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
        let path = fixture(&folder);
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut extractor = Extractor::new();
        for at in (0..text.len()).step_by(7).filter(|at| text.is_char_boundary(*at)) {
            for part in [&text[..at], &text[at..]] {
                let facts = extractor.declarations(name, part);
                assert!(facts.is_whole(), "{name} at {at}");
                let is_inside = |end: u32| end as usize <= part.len();
                assert!(facts.items.iter().all(|it| is_inside(it.span.end)), "{name} at {at}");
            }
        }
    }
}
