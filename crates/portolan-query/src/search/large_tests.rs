//! Searches with very many hits.

use std::path::Path;

use portolan_index::pool::on_threads;
use portolan_vfs::MemorySystem;
use portolan_wire::question::SearchQuestionV1;
use portolan_workspace::config;

use super::{SearchContext, SearchReport, search};

fn repo(files: &[(&str, &str)]) -> MemorySystem {
    let system = MemorySystem::default();
    system.put("/r/.git/HEAD", "");
    for (path, text) in files {
        system.put(Path::new("/r").join(path), *text);
    }
    system
}

fn question(pattern: &str) -> SearchQuestionV1 {
    SearchQuestionV1 { patterns: vec![pattern.to_owned()], ..SearchQuestionV1::default() }
}

fn found(system: &MemorySystem, request: &SearchQuestionV1) -> SearchReport {
    let config = config::load(system, Path::new("/r")).unwrap();
    on_threads(2, || search(SearchContext::new(system, &config), request)).unwrap().unwrap()
}

#[test]
fn many_hits_declarations_and_tests_take_no_longer_each() {
    let functions: String =
        (0..40_000).map(|n| format!("def f{n}():\n    needle({n})\n")).collect();
    let tests: String = (0..40_000)
        .map(|n| format!("  it('does {n}', () => {{\n    needle({n});\n  }});\n"))
        .collect();
    let system = repo(&[
        ("a.py", functions.as_str()),
        ("a.test.ts", &format!("describe('x', () => {{\n{tests}}});\n")),
    ]);
    assert_eq!(found(&system, &question("needle")).lines, 80_000);
}

#[test]
fn more_lines_around_hits_than_any_budget_has_room_for_are_not_kept() {
    let functions: String = (0..3_000).map(|n| format!("def f{n}():\n    needle({n})\n")).collect();
    let system = repo(&[("a.py", functions.as_str())]);
    let around = |context| SearchQuestionV1 { context: Some(context), ..question("needle") };
    let kept = |context| {
        let report = found(&system, &around(context));
        let groups = report.files.iter().flat_map(|file| &file.groups);
        groups.flat_map(|group| &group.hits).map(|hit| hit.around.len()).sum::<usize>()
    };
    assert_eq!(kept(1), 8_999);
    assert_eq!(kept(u32::MAX), 0);
    // Lines around hits of one declaration are kept once.
    let one = repo(&[("a.py", &format!("def f():\n{}", "    needle()\n".repeat(5_000)))]);
    let report = found(&one, &around(1_000_000));
    let groups = report.files.iter().flat_map(|file| &file.groups);
    let sum: usize = groups.flat_map(|group| &group.hits).map(|hit| hit.around.len()).sum();
    assert_eq!(sum, 5_001);
}

#[test]
fn a_report_for_machines_lists_so_many_hits_and_counts_the_rest() {
    let system = repo(&[("a.txt", &"needle\n".repeat(30_000)), ("b.txt", "needle\n")]);
    let report = found(&system, &question("needle")).to_wire();
    let groups = report.files.iter().flat_map(|file| &file.groups);
    let listed: usize = groups.map(|group| group.hits.len()).sum();
    assert_eq!((report.lines, listed as u64 + report.left_out), (30_001, 30_001));
    assert_eq!(listed, 20_000);
}
