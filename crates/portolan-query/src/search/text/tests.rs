//! What answers look like.

use crate::search::kinds::FileClass;
use crate::search::report::{HitGroup, SearchHit, SearchReport, SearchedFile};

fn hit(line: u32, text: &str) -> SearchHit {
    SearchHit { line, text: text.to_owned(), matched: (0, 1), around: Vec::new() }
}

fn group(name: &str, range: (u32, u32), hits: Vec<SearchHit>) -> HitGroup {
    HitGroup {
        name: name.to_owned(),
        kind: "function",
        test: None,
        range,
        definition: None,
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
    let mut mixed = report(vec![
        file("a.py", FileClass::Code, vec![group("", (0, 0), one.clone())]),
        file("a.md", FileClass::Document, vec![group("", (0, 0), one)]),
    ]);
    assert_eq!(mixed.head(), "2 lines = 1 outside + 1 in documents");
    // Files that were not searched are no part of the sum.
    mixed.unsearched = [".env", "a.env", "b.env", "c.env"].map(str::to_owned).to_vec();
    assert_eq!(mixed.head(), "2 lines = 1 outside + 1 in documents");
    let note = "(4 files that may hold secrets were not searched: .env, a.env, b.env, …)\n";
    assert!(mixed.body(1_000).ends_with(note));
}

#[test]
fn a_line_each_with_the_declaration_once() {
    let mut definition = group("A.b", (2, 9), vec![hit(2, "def b"), hit(5, "b()"), hit(7, "b(1)")]);
    definition.definition = Some(2);
    let outside = group("", (0, 0), vec![hit(12, "b(2)")]);
    let shown = report(vec![file("a.py", FileClass::Code, vec![definition, outside])]).body(1_000);
    let expected = "a.py\n A.b 2-9 (definition): def b\n  5 b()\n  7 b(1)\n 12 b(2)\n";
    assert_eq!(shown, format!("{expected}next: portolan read a.py#A.b\n"));
}

#[test]
fn the_same_text_is_written_once_and_a_holder_too() {
    let first = group("A.b", (2, 9), vec![hit(5, "x = b()"), hit(6, "b(1)"), hit(8, "x = b()")]);
    let second = group("A.c", (11, 13), vec![hit(12, "b(2)")]);
    let shown = report(vec![file("a.py", FileClass::Code, vec![first, second])]).body(1_000);
    assert!(
        shown.starts_with("a.py\n A.b 2-9: 5 8 x = b()\n  6 b(1)\n .c 11-13: 12 b(2)\n"),
        "{shown}"
    );
}

#[test]
fn the_text_of_a_declaration_of_one_line_has_its_name() {
    let one = |line, text| group(&format!("A.x{line}"), (line, line), vec![hit(line, text)]);
    let groups =
        vec![one(3, "x3 = b"), one(4, "x4 = b"), group("y", (6, 6), vec![hit(6, "y = b")])];
    let long = group("A.z", (7, 9), vec![hit(8, "z(b)")]);
    let files = vec![file("a.py", FileClass::Code, [groups, vec![long]].concat())];
    let shown = report(files).body(1_000);
    let expected = "a.py\n A: 3 x3 = b\n  4 x4 = b\n 6 y = b\n A.z 7-9: 8 z(b)\n";
    assert_eq!(shown, format!("{expected}next: portolan read a.py#A.z\n"));
}

#[test]
fn members_of_one_line_stand_below_the_class_that_holds_them() {
    let class = group("A", (1, 9), vec![hit(1, "class A(b):")]);
    let member = group("A.x", (2, 2), vec![hit(2, "x = b")]);
    let more = group("f", (12, 30), vec![hit(13, "b(1)"), hit(14, "b(2)")]);
    let shown = report(vec![file("a.py", FileClass::Code, vec![class, member, more])]).body(1_000);
    assert!(shown.starts_with("a.py\n A 1-9: 1 class A(b):\n  2 x = b\n f 12-30: "), "{shown}");
}

#[test]
fn the_next_call_reads_what_is_defined_before_what_has_most_hits() {
    let many = group("many", (20, 40), (21..30).map(|line| hit(line, "b(1)")).collect());
    let mut defined = group("b", (2, 9), vec![hit(2, "def b"), hit(5, "b()")]);
    defined.definition = Some(2);
    let shown = report(vec![file("a.py", FileClass::Code, vec![many, defined])]).body(1_000);
    assert!(shown.ends_with("next: portolan read a.py#{b,many}\n"), "{shown}");
}

#[test]
fn forty_hits_have_a_text_each_though_it_is_more_than_half_of_what_grep_prints() {
    let long = format!("{}(x)", "call_".repeat(20));
    let hits: Vec<SearchHit> = (1..=40).map(|line| hit(line, &format!("x{line} {long}"))).collect();
    let mut dense = report(vec![file("a.py", FileClass::Code, vec![group("f", (1, 70), hits)])]);
    dense.plain_bytes = 3_500;
    let shown = dense.body(2_000);
    assert!((1..=40).all(|line| shown.contains(&format!("{line} x{line} "))), "{shown}");
    assert!(shown.len() < 3_500, "{}", shown.len());
}

#[test]
fn text_gives_way_to_numbers_before_anything_is_left_out() {
    let hits: Vec<SearchHit> =
        (1..=30).map(|line| hit(line * 2, &format!("{line}{}", "x".repeat(90)))).collect();
    let mut dense = report(vec![file("a.py", FileClass::Code, vec![group("f", (1, 70), hits)])]);
    dense.plain_bytes = 300;
    let shown = dense.body(1_000);
    assert!(shown.starts_with("a.py\n f 1-70: 2 1xxx"), "{shown}");
    assert!(shown.contains("… · 4 6 8 ") && shown.contains(" 58 60\n"), "{shown}");
    dense.plain_bytes = 150;
    let shown = dense.body(1_000);
    assert!(shown.starts_with("a.py\n f 1-70: 2 4 6 8 "), "{shown}");
}

#[test]
fn tests_have_their_texts_where_there_is_nothing_else() {
    let hits = vec![hit(3, "a()"), hit(5, "b()"), hit(7, "c()"), hit(9, "d()")];
    let shown =
        report(vec![file("t.py", FileClass::Test, vec![group("f", (1, 9), hits)])]).body(1_000);
    assert_eq!(shown, "t.py\n f 1-9: 3 a()\n  5 b()\n  7 c()\n  9 d()\n");
}

#[test]
fn few_hits_have_their_whole_lines_and_the_names_of_tests() {
    let long = format!("value = {}(needle)", "call_".repeat(14));
    let code = group("f", (1, 9), (2..7).map(|line| hit(line, &format!("{line}{long}"))).collect());
    let test = group("test_f", (3, 5), vec![hit(4, "f()")]);
    let files =
        vec![file("a.py", FileClass::Code, vec![code]), file("t.py", FileClass::Test, vec![test])];
    let mut few = report(files);
    few.plain_bytes = 1_100;
    let shown = few.body(1_000);
    assert!(shown.contains(&format!("6 6{long}\n")), "{shown}");
    assert!(shown.contains("t.py\n test_f 3-5: 4\n"), "{shown}");
}

#[test]
fn of_few_hits_imports_have_their_texts_where_grep_is_no_shorter() {
    let import = group("", (0, 0), vec![hit(2, "from forms import all_valid")]);
    let inside = ["a", "b", "c"].map(|name| group(name, (10, 20), vec![hit(12, "all_valid(1)")]));
    let groups: Vec<HitGroup> = std::iter::once(import).chain(inside).collect();
    let mut few = report(vec![file("admin/options.py", FileClass::Code, groups)]);
    few.plain_bytes = 200;
    assert!(few.body(1_000).contains("2 from forms import all_valid\n"), "{}", few.body(1_000));
    few.plain_bytes = 100;
    assert!(!few.body(1_000).contains("from forms"), "never longer than grep");
}
