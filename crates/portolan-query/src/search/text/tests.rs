//! What answers look like.

use crate::search::kinds::FileClass;
use crate::search::report::{HitGroup, SearchHit, SearchReport, SearchedFile, WithheldHits};

fn hit(line: u32, text: &str) -> SearchHit {
    SearchHit { line, text: text.to_owned(), matched: (0, 1), around: Vec::new() }
}

fn group(name: &str, range: (u32, u32), hits: Vec<SearchHit>) -> HitGroup {
    HitGroup {
        name: name.to_owned(),
        kind: "function",
        range,
        is_definition: false,
        is_named: true,
        hits,
    }
}

fn file(path: &str, class: FileClass, groups: Vec<HitGroup>) -> SearchedFile {
    SearchedFile { path: path.to_owned(), class, sha256: None, is_grouped: true, groups }
}

fn report(files: Vec<SearchedFile>) -> SearchReport {
    let lines = files.iter().map(SearchedFile::lines).sum();
    SearchReport { lines, files, plain_bytes: 100_000, ..SearchReport::default() }
}

#[test]
fn one_part_of_a_sum_needs_no_equation() {
    let one = vec![hit(1, "a")];
    let code = report(vec![file("a.py", FileClass::Code, vec![group("f", (1, 2), one.clone())])]);
    assert_eq!(code.head(), "1 line in 1 declaration");
    let outside = report(vec![file("a.py", FileClass::Code, vec![group("", (0, 0), one.clone())])]);
    assert_eq!(outside.head(), "1 line outside");
    let mut mixed = report(vec![file("a.md", FileClass::Document, vec![group("", (0, 0), one)])]);
    mixed.lines = 3;
    mixed.withheld = WithheldHits { lines: 2, files: 1 };
    assert_eq!(mixed.head(), "3 lines = 1 in documents + 2 in files that may hold secrets");
}

#[test]
fn a_line_each_with_the_declaration_once() {
    let mut definition = group("A.b", (2, 9), vec![hit(2, "def b"), hit(5, "b()"), hit(7, "b(1)")]);
    definition.is_definition = true;
    let outside = group("", (0, 0), vec![hit(12, "b(2)")]);
    let shown = report(vec![file("a.py", FileClass::Code, vec![definition, outside])]).body(1_000);
    assert_eq!(shown, "a.py\n A.b 2-9 (definition): 5 b()\n  7 b(1)\n 12 b(2)\n");
}

#[test]
fn text_gives_way_to_numbers_before_anything_is_left_out() {
    let hits: Vec<SearchHit> = (1..=30).map(|line| hit(line * 2, &"x".repeat(90))).collect();
    let mut dense = report(vec![file("a.py", FileClass::Code, vec![group("f", (1, 70), hits)])]);
    dense.plain_bytes = 300;
    let shown = dense.body(1_000);
    assert_eq!(shown.lines().count(), 2, "{shown}");
    assert!(shown.ends_with(" 58 60\n"), "{shown}");
}
