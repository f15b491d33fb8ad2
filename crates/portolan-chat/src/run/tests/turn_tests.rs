//! Tests that turns stay cheap: which files are sent again, which part of the map, and the content
//! of the base.

use std::path::Path;

use portolan_types::NoticeCode;
use portolan_vfs::{MemorySystem, System};

use super::{ARCHIVE, DIFF, RunMode, STATE, fixture, members, names, request, run_in, said};
use crate::run::{Document, run};
use portolan_index::token_counts::Tokenizer;

const META: &str = ".stan/context/dependency.meta.json";
const CHART: &str = ".stan/context/dependency.chart.txt";
const DELTA: &str = ".stan/context/dependency.delta.txt";

fn write(system: &MemorySystem, path: &str, text: &str) {
    system.put(Path::new("/r").join(path), text);
}

/// An open thread with this state.
fn opened(files: &[(&str, &str)], state: &str) -> MemorySystem {
    let system = fixture(files);
    run_in(&system, RunMode::Meta).unwrap();
    write(&system, STATE, state);
    system
}

#[track_caller]
fn check_turn(system: &MemorySystem, sent: &[&str]) {
    let report = run_in(system, RunMode::Context).unwrap().report;
    assert_eq!(names(system, DIFF), sent);
    let all = members(system, DIFF);
    let tokens = all.values().map(|text| Tokenizer::O200kBase.count(text.as_bytes()).unwrap());
    let diff = report.diff.unwrap();
    if diff.archive.files > 0 {
        assert_eq!(diff.archive.tokens, Some(tokens.sum()));
        assert_eq!(report.attach.as_str(), DIFF);
    }
}

#[test]
fn the_first_delivery_does_not_repeat_the_opener() {
    let own = [(".stan/system/stan.system.md", "# Our rules\n")];
    let system = opened(&own, r#"{"v":2,"i":["src/a.ts"]}"#);
    check_turn(&system, &[STATE, "src/a.ts"]);
    let report = run_in(&system, RunMode::Context).unwrap().report.diff.unwrap();
    assert_eq!((report.deleted, report.deselected), (0, 0), "the guide of the opener is not gone");
}

#[test]
fn an_edit_that_changes_no_edge_sends_the_file_alone() {
    let system = opened(&[], r#"{"v":2,"i":[]}"#);
    write(&system, "package.json", "{\"name\":\"demo\",\"private\":true}");
    write(&system, "src/a.ts", "// A comment.\nexport const a = 1;\n");
    check_turn(&system, &[STATE, "package.json"]);
    assert!(names(&system, ARCHIVE).contains(&META.to_owned()), "the full archive has the map");
}

#[test]
fn files_that_come_go_or_use_others_are_told_in_a_delta() {
    let many: Vec<(String, String)> = (0..40)
        .map(|n| (format!("src/n{n}.ts"), "import './a';\nexport {};\n".to_owned()))
        .collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    let system = opened(&many, r#"{"v":2,"i":[]}"#);
    write(&system, "src/new.ts", "import type { a } from './a';\n");
    write(&system, "src/index.ts", "import './new';\n");
    system.remove_file(Path::new("/r/src/n7.ts")).unwrap();
    check_turn(&system, &[DELTA, STATE]);
    let delta = members(&system, DIFF).remove(DELTA).unwrap();
    let lines: Vec<&str> = delta.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "* src/index.ts > src/new.ts ! .stan/context/npm/alpha/1.2.3/index.d.ts src/a.ts",
            "+ src/new.ts (30 bytes) ~ src/a.ts",
            "- .stan/context/npm/alpha/1.2.3/index.d.ts",
            "- src/n7.ts",
        ]
    );
    assert!(system.stat(&Path::new("/r").join(DELTA)).is_err(), "it is in the diff only");
}

#[test]
fn a_delta_that_would_be_larger_gives_way_to_the_map() {
    let system = opened(&[], r#"{"v":2,"i":[]}"#);
    for n in 0..60 {
        write(&system, &format!("src/new{n}.ts"), "import './a';\n");
    }
    for n in ["src/a.ts", "src/index.ts"] {
        system.remove_file(&Path::new("/r").join(n)).unwrap();
    }
    write(&system, "stan.config.yml", "stan-core: {}\nportolan: {meta: {hashes: none}}\n");
    let report = run_in(&system, RunMode::Context).unwrap();
    let sent = names(&system, DIFF);
    let (delta, meta) = (sent.contains(&DELTA.to_owned()), sent.contains(&META.to_owned()));
    assert!(delta != meta, "one of the two: {sent:?}");
    assert!(report.report.diff.unwrap().archive.tokens.is_some());
}

#[test]
fn a_chart_is_sent_when_the_question_changes() {
    let ask = |task: &str| format!(r#"{{"v":3,"i":[],"q":"{task}"}}"#);
    let system = opened(&[], &ask("numbers"));
    check_turn(&system, &[CHART, STATE]);
    // Now the reader has it.
    let set = crate::snap::SnapRequest {
        config: request(&system, RunMode::Context).config,
        action: crate::snap::SnapAction::Set { baselines: Vec::new(), now: 1, subpackages: true },
        threads: 1,
        wait: std::time::Duration::ZERO,
    };
    crate::snap::snap(&system, &set, &|_| {}).unwrap();
    write(&system, "src/a.ts", "// Larger by a comment.\nexport const a = 1;\n");
    check_turn(&system, &[".stan/diff/.stan_no_changes"]);
    write(&system, STATE, &ask("letters"));
    check_turn(&system, &[CHART, STATE]);
}

#[test]
fn code_at_the_top_is_not_base_unless_it_is_listed() {
    let go = [("main.go", "package main\n"), ("b.go", "package main\n"), ("go.mod", "module x\n")];
    let system = fixture(&go);
    let report = run_in(&system, RunMode::Meta).unwrap();
    let sent = names(&system, ARCHIVE);
    assert!(!sent.iter().any(|name| name.contains(".go")) && sent.contains(&"go.mod".into()));
    assert_eq!(
        said(&report, NoticeCode::ArchiveBaseLeftOut),
        [
            "b.go: code is not part of the base: `b.go`, `main.go`; a selection can ask for them, `portolan.base.files` adds them"
        ]
    );
    write(&system, "stan.config.yml", "portolan: {base: {files: [main.go, src/a.*]}}\n");
    run_in(&system, RunMode::Meta).unwrap();
    let sent = names(&system, ARCHIVE);
    assert!(["main.go", "src/a.ts"].iter().all(|name| sent.contains(&(*name).to_owned())));
    assert!(!sent.contains(&"b.go".to_owned()));
}

#[test]
fn small_files_at_the_top_are_base_up_to_a_limit_manifests_first() {
    let (large, small) = ("x ".repeat(5_000), "y ".repeat(3_000));
    let system = fixture(&[("LICENSE", &large), ("NOTES.txt", &small), ("go.mod", &large)]);
    let report = run_in(&system, RunMode::Meta).unwrap();
    let sent = names(&system, ARCHIVE);
    assert!(["go.mod", "NOTES.txt"].iter().all(|name| sent.contains(&(*name).to_owned())));
    assert!(!sent.contains(&"LICENSE".to_owned()));
    let said = said(&report, NoticeCode::ArchiveBaseLeftOut);
    assert!(
        said[0].starts_with(
            "LICENSE: more than `portolan.base.maxBytes` (16384) together: `LICENSE`;"
        ),
        "{said:?}"
    );
}

#[test]
fn a_long_readme_is_cut_to_its_head_and_whole_when_it_is_selected() {
    let text = "Some words about it.\n".repeat(2_000);
    let system = opened(&[("README.md", &text)], r#"{"v":2,"i":["README.md"]}"#);
    let head = members(&system, ARCHIVE).remove("README.md").unwrap();
    let tokens = Tokenizer::O200kBase.count(head.as_bytes()).unwrap();
    assert!(tokens <= 4_000 && head.contains("[cut here: "), "{tokens}");
    let report = run_in(&system, RunMode::Context).unwrap();
    assert_eq!(members(&system, ARCHIVE)["README.md"], text);
    assert!(said(&report, NoticeCode::ArchiveCut).is_empty());
    write(&system, STATE, r#"{"v":2,"i":[]}"#);
    let report = run_in(&system, RunMode::Context).unwrap();
    assert_eq!(said(&report, NoticeCode::ArchiveCut).len(), 1);
    assert!(said(&report, NoticeCode::ArchiveChanged).is_empty());
}

#[test]
fn the_head_of_a_readme_with_a_secret_is_not_sent_either() {
    let key = format!("AKIA{}", "Z7QX2MN4PL8RT6WK");
    let text = format!("{}aws_access_key_id = {key}\n", "Words and words.\n".repeat(2_000));
    let system = fixture(&[("README.md", &text)]);
    let report = run_in(&system, RunMode::Meta).unwrap();
    assert!(!names(&system, ARCHIVE).contains(&"README.md".to_owned()));
    assert_eq!(report.report.denied.len(), 1);
}

#[test]
fn base_and_closure_are_counted_apart_and_for_real() {
    let system = opened(&[], r#"{"v":2,"i":["src/a.ts"]}"#);
    let cost = run_in(&system, RunMode::Context).unwrap().report.cost;
    assert_eq!(cost.closure.tokens, Tokenizer::O200kBase.count(b"export const a = 1;\n"));
    let total = members(&system, ARCHIVE);
    let total = total.values().map(|text| Tokenizer::O200kBase.count(text.as_bytes()).unwrap());
    assert_eq!(cost.total.tokens, Some(total.sum()));
    assert_eq!(
        cost.base.tokens.unwrap() + cost.closure.tokens.unwrap(),
        cost.total.tokens.unwrap()
    );
}

#[test]
fn a_document_has_the_members_of_the_archive() {
    let system = opened(&[], r#"{"v":2,"i":[["src/index.ts",1]]}"#);
    let mut wanted = request(&system, RunMode::Context);
    for (which, archive) in [(Document::Full, ARCHIVE), (Document::Diff, DIFF)] {
        wanted.document = Some(which);
        let text = run(&system, &wanted, &|_| {}).unwrap().document.unwrap();
        let headings: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`')).collect();
        assert_eq!(headings, names(&system, archive));
        let digests = text.split_once("\n## Digests\n\n").unwrap().1;
        assert_eq!(digests.lines().count(), headings.len());
        assert!(text.contains("```ts\nexport const a = 1;\n```\n"), "{text}");
    }
}
