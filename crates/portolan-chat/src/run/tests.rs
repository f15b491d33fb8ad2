//! Tests runs in memory: the content of archives, denied files, and the files left after a fault.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use portolan_types::NoticeCode;
use portolan_vfs::{CallOutcome, FaultySystem, MemorySystem, Operation, System};

use super::{RunError, RunMode, RunReport, RunRequest, run};
use portolan_index::map::CacheMode;
use portolan_workspace::config;

mod turn_tests;

const STATE: &str = ".stan/context/dependency.state.json";
const ARCHIVE: &str = ".stan/output/archive.tar";
const DIFF: &str = ".stan/output/archive.diff.tar";

/// A small repository with one package installed.
fn fixture(files: &[(&str, &str)]) -> MemorySystem {
    let system = MemorySystem::default();
    let basics = [
        ("package.json", "{\"name\":\"demo\"}"),
        (
            "src/index.ts",
            "import { a } from './a';\nimport { alpha } from 'alpha';\nexport const x = [a, alpha];\n",
        ),
        ("src/a.ts", "export const a = 1;\n"),
        (".gitignore", "node_modules/\nnotes/\n"),
        (
            "node_modules/alpha/package.json",
            "{\"name\":\"alpha\",\"version\":\"1.2.3\",\"types\":\"index.d.ts\"}",
        ),
        ("node_modules/alpha/index.d.ts", "export declare const alpha: number;\n"),
    ];
    for (path, text) in basics.iter().chain(files) {
        system.put(Path::new("/r").join(path), *text);
    }
    system
}

fn request(system: &dyn System, mode: RunMode) -> RunRequest {
    let config = config::load(system, Path::new("/r")).unwrap();
    RunRequest {
        config,
        mode,
        subpackages: true,
        plan_only: false,
        document: None,
        threads: 1,
        cache: CacheMode::Off,
        wait: Duration::ZERO,
    }
}

fn run_in(system: &dyn System, mode: RunMode) -> Result<RunReport, RunError> {
    let outcome = run(system, &request(system, mode), &|_| {});
    if outcome.is_ok() {
        portolan_testkit::artifacts::check_workspace(system, Path::new("/r/.stan"));
    }
    outcome
}

fn members(system: &MemorySystem, archive: &str) -> BTreeMap<String, String> {
    let bytes = system.read(&Path::new("/r").join(archive)).unwrap();
    let mut reader = tar::Archive::new(bytes.as_slice());
    let entries = reader.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        (entry.path().unwrap().to_str().unwrap().to_owned(), text)
    });
    entries.collect()
}

fn names(system: &MemorySystem, archive: &str) -> Vec<String> {
    members(system, archive).into_keys().collect()
}

/// The closure of a context archive: its content besides the base.
fn closure(system: &MemorySystem) -> Vec<String> {
    const BASE: [&str; 5] = [
        ".gitignore",
        ".stan/context/dependency.meta.json",
        STATE,
        ".stan/system/stan.system.md",
        "package.json",
    ];
    let names = names(system, ARCHIVE);
    assert!(BASE.iter().all(|name| names.iter().any(|other| other == name)), "{names:?}");
    names.into_iter().filter(|name| !BASE.contains(&name.as_str())).collect()
}

fn said(report: &RunReport, code: NoticeCode) -> Vec<String> {
    let notices = report.notices.iter().filter(|notice| notice.code == code);
    notices
        .map(|notice| format!("{}: {}", notice.place.as_ref().unwrap(), notice.message))
        .collect()
}

/// The files that a user sees: everything in the workspace except for temporary names and the lock.
fn visible(system: &MemorySystem) -> BTreeMap<PathBuf, Vec<u8>> {
    let is_visible = |path: &Path| !path.to_string_lossy().contains(".portolan-tmp-");
    system.files_below("/r/.stan").into_iter().filter(|(path, _)| is_visible(path)).collect()
}

#[track_caller]
fn check_selects(state: &str, expected: &[&str]) -> RunReport {
    let system = fixture(&[(STATE, state), ("notes/todo.md", "# todo\n")]);
    let report = run_in(&system, RunMode::Context).unwrap();
    assert_eq!(closure(&system), expected);
    report
}

#[test]
fn a_selection_is_delivered_with_its_externals_staged() {
    check_selects(r#"{"v":2,"i":["src/a.ts"]}"#, &["src/a.ts"]);
    let staged = ".stan/context/npm/alpha/1.2.3/index.d.ts";
    let report =
        check_selects(r#"{"v":2,"i":[["src/index.ts",1]]}"#, &[staged, "src/a.ts", "src/index.ts"]);
    assert_eq!(report.report.staged, 1);
    assert_eq!(report.report.cost.closure.files, 3);
}

#[test]
fn a_file_that_is_not_in_the_map_can_be_asked_for_at_any_depth() {
    check_selects(r#"{"v":2,"i":[["notes/todo.md",3]]}"#, &["notes/todo.md"]);
}

#[test]
fn an_id_that_is_nothing_is_a_notice_with_the_nearest_ids() {
    let report = check_selects(r#"{"v":2,"i":["src/a.ts","src/b.ts"]}"#, &["src/a.ts"]);
    let said = said(&report, NoticeCode::ArchiveUnknownId);
    assert_eq!(
        said,
        [
            "src/b.ts: selected path not found: it is neither in the map nor a file of the repository; did you mean `src/a.ts`?"
        ]
    );
}

#[test]
fn a_folder_or_a_glob_stands_for_the_files_it_matches() {
    check_selects(r#"{"v":2,"i":["src/"],"x":["src/i*.ts"]}"#, &["src/a.ts"]);
}

#[test]
fn ids_that_could_lead_out_fail_the_run_with_all_of_them_listed() {
    let system = fixture(&[(
        STATE,
        r#"{"v":2,"i":["src/a.ts","../../etc/passwd","/etc/passwd","C:\\x","none","link","a\u0000b"]}"#,
    )]);
    system.put("/etc/passwd", "root");
    system.link("/r/link", "/etc/passwd");
    let error = run_in(&system, RunMode::Context).unwrap_err();
    let message = error.to_string();
    assert!(error.is_bad_input());
    for part in [
        "../../etc/passwd",
        "`/etc/passwd`: the path is absolute",
        "C:",
        "`link`: a link leads outside",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(system.stat(Path::new("/r/.stan/output/archive.tar")).is_err());
}

#[test]
fn a_stale_staged_file_is_not_taken_for_the_real_one() {
    let stale = ".stan/context/npm/beta/1.0.0/index.d.ts";
    let system = fixture(&[(STATE, &format!(r#"{{"v":2,"i":["{stale}"]}}"#)), (stale, "old")]);
    let report = run_in(&system, RunMode::Context).unwrap();
    assert_eq!(closure(&system), [""; 0]);
    assert_eq!(said(&report, NoticeCode::ArchiveUnknownId).len(), 1);
    assert!(system.stat(&Path::new("/r").join(stale)).is_err(), "stale files go");
}

#[test]
fn denials_go_by_their_order_and_name_their_rule() {
    let files = [
        (
            "stan.config.yml",
            "stan-core: {excludes: ['private/**']}\nportolan: {secrets: {allow: [open/.env]}}\n",
        ),
        ("private/k.ts", "export {};\n"),
        (".git/config", "[core]"),
        (".env", "PASSWORD=hunter2"),
        ("open/.env", "PASSWORD=hunter2"),
        ("pic.png", "\0\0"),
        (
            STATE,
            r#"{"v":2,"i":["private/k.ts",".git/config",".env","open/.env","pic.png","a-link","src/a.ts"],"x":["src/a.ts"]}"#,
        ),
    ];
    let system = fixture(&files);
    system.link("/r/a-link", ".git/config");
    let report = run_in(&system, RunMode::Context).unwrap();
    assert_eq!(closure(&system), ["open/.env", "stan.config.yml"]);
    let denied: Vec<_> =
        report.report.denied.iter().map(|denial| (denial.path.as_str(), denial.rule)).collect();
    assert_eq!(
        denied,
        [
            (".env", "secret"),
            (".git/config", "reserved"),
            ("a-link", "reserved"),
            ("pic.png", "binary"),
            ("private/k.ts", "excludes"),
        ]
    );
    let said = said(&report, NoticeCode::ArchiveDenied);
    assert!(said[0].contains("rule `env-file`"), "{said:?}");
}

#[test]
fn settings_are_denied_by_name_unless_they_are_allowed() {
    let config = "stan-core: {}\nportolan: {secrets: {allow: [open/.env]}}\n";
    let files = [
        ("stan.config.yml", config),
        (".gitignore", "hidden/"),
        (".env", "MODE=production\nPORT=3000\n"),
        ("open/.env", "MODE=production\nPORT=3000\n"),
        ("hidden/.env", "MODE=production\nPORT=3000\n"),
        (STATE, r#"{"v":2,"i":[".env","open/.env","hidden/.env"]}"#),
    ];
    let system = fixture(&files);
    let report = run_in(&system, RunMode::Context).unwrap();
    let denied: Vec<_> = report.report.denied.iter().map(|denial| denial.path.as_str()).collect();
    assert_eq!(denied, [".env", "hidden/.env"]);
    assert!(closure(&system).contains(&"open/.env".to_owned()));
}

#[test]
fn an_excluded_file_is_an_id_and_nothing_else() {
    let files = [
        ("stan.config.yml", "stan-core: {excludes: [src/a.ts, node_modules/alpha, lib/*.ts]}\n"),
        ("src/a.ts", "/** @module The words that are hidden. */\nexport const a = 1;\n"),
        ("node_modules/.store/alpha/package.json", r#"{"name":"alpha","version":"1.2.3"}"#),
        ("node_modules/.store/alpha/index.d.ts", "/** @module Hidden, too. */ export {};\n"),
        (STATE, r#"{"v":2,"i":[["src/index.ts",1]]}"#),
    ];
    let system = fixture(&files);
    system.remove_dir_all(Path::new("/r/node_modules/alpha")).unwrap();
    system.link("/r/node_modules/alpha", ".store/alpha");
    let report = run_in(&system, RunMode::Context).unwrap();
    assert_eq!(closure(&system), ["src/index.ts", "stan.config.yml"]);
    let alpha = ".stan/context/npm/alpha/1.2.3/index.d.ts";
    let denied = report.report.denied.iter().map(|denial| (denial.path.as_str(), denial.rule));
    assert_eq!(denied.collect::<Vec<_>>(), [(alpha, "excludes"), ("src/a.ts", "excludes")]);
    let meta = members(&system, ARCHIVE).remove(".stan/context/dependency.meta.json").unwrap();
    let meta: serde_json::Value = serde_json::from_str(&meta).unwrap();
    assert_eq!(meta["n"]["src/a.ts"], serde_json::json!({"k": 0}));
    assert_eq!(meta["n"][alpha], serde_json::json!({"k": 1}));
    let map = system.read(Path::new("/r/.stan/context/dependency.map.json")).unwrap();
    assert!(!String::from_utf8(map).unwrap().contains("alpha"));
}

#[test]
fn modules_that_are_no_files_are_told() {
    let files = [
        ("src/use.ts", "import 'node:fs';\nimport 'nowhere';\n"),
        (STATE, r#"{"v":2,"i":[["src/use.ts",1]]}"#),
    ];
    let report = run_in(&fixture(&files), RunMode::Context).unwrap();
    assert_eq!(
        said(&report, NoticeCode::ArchiveDropped),
        [
            "node:fs: it is a module of the platform: there is no file to deliver",
            "nowhere: it leads nowhere: there is no file to deliver",
        ]
    );
}

#[test]
fn a_guide_of_the_repository_without_the_tables_gets_ours_beside_it() {
    const OWN: &str = ".stan/system/stan.system.md";
    const OURS: &str = ".stan/system/portolan.guide.md";
    let system = fixture(&[(OWN, "# Our rules\n")]);
    let report = run_in(&system, RunMode::Meta).unwrap();
    let members = members(&system, ARCHIVE);
    assert_eq!(members[OWN], "# Our rules\n");
    assert_eq!(members[OURS], crate::guide::text(".stan"));
    let told = format!("{OWN}: it does not say how to read the map; `{OURS}` in the archive does");
    assert_eq!(said(&report, NoticeCode::ArchiveGuide), [told]);
    assert!(system.stat(&Path::new("/r").join(OURS)).is_err());

    let whole = fixture(&[(OWN, &crate::guide::text(".stan"))]);
    let report = run_in(&whole, RunMode::Meta).unwrap();
    assert!(said(&report, NoticeCode::ArchiveGuide).is_empty());
    assert!(!names(&whole, ARCHIVE).contains(&OURS.to_owned()));
}

#[test]
fn secrets_can_be_switched_off() {
    let files = [
        ("stan.config.yml", "portolan: {secrets: {enabled: false}}\n"),
        (".env", "PASSWORD=hunter2"),
    ];
    let system = fixture(&files);
    run_in(&system, RunMode::Plain).unwrap();
    assert!(names(&system, ARCHIVE).contains(&".env".to_owned()));
}

#[test]
fn lockfiles_and_large_files_are_not_in_the_base_but_can_be_selected() {
    let large = "x".repeat(70_000);
    let files =
        [("yarn.lock", "lock"), ("CHANGES.md", &*large), (STATE, r#"{"v":2,"i":["yarn.lock"]}"#)];
    let system = fixture(&files);
    let report = run_in(&system, RunMode::Context).unwrap();
    assert_eq!(closure(&system), ["yarn.lock"]);
    let said = said(&report, NoticeCode::ArchiveBaseLeftOut);
    assert_eq!(
        said,
        [
            "CHANGES.md: 70000 bytes; `portolan.base.maxFileBytes` is 65536; a selection can ask for it",
            "yarn.lock: a lockfile; a selection can ask for it",
        ]
    );
}

#[test]
fn meta_opens_a_thread_with_an_empty_state_and_keeps_the_old_one() {
    let old = r#"{"v":2,"i":[["src/index.ts",1]]}"#;
    let system = fixture(&[(STATE, old)]);
    run_in(&system, RunMode::Context).unwrap();
    assert!(system.stat(&Path::new("/r").join(DIFF)).is_ok());
    let report = run_in(&system, RunMode::Meta).unwrap();
    assert_eq!(closure(&system), [""; 0]);
    assert_eq!(members(&system, ARCHIVE)[STATE], "{ \"v\": 2, \"i\": [] }\n");
    assert!(system.stat(&Path::new("/r").join(DIFF)).is_err());
    assert_eq!(
        system.read(Path::new("/r/.stan/diff/dependency.state.prev.json")).unwrap(),
        old.as_bytes()
    );
    assert_eq!(said(&report, NoticeCode::ArchiveStateReplaced).len(), 1);
    assert!(
        system.stat(Path::new("/r/.stan/context/npm/alpha/1.2.3/index.d.ts")).is_ok(),
        "staged files stay"
    );
    // A second opener does not replace the saved state by an empty one.
    run_in(&system, RunMode::Meta).unwrap();
    assert_eq!(
        system.read(Path::new("/r/.stan/diff/dependency.state.prev.json")).unwrap(),
        old.as_bytes()
    );
}

#[test]
fn a_diff_has_what_changed_and_its_report_what_went_away() {
    let system =
        fixture(&[(STATE, r#"{"v":2,"i":["src/a.ts","notes/n.md"]}"#), ("notes/n.md", "n")]);
    run_in(&system, RunMode::Context).unwrap();
    run_in(&system, RunMode::Context).unwrap();
    assert_eq!(names(&system, DIFF), [".stan/diff/.stan_no_changes"]);
    assert_eq!(members(&system, DIFF)[".stan/diff/.stan_no_changes"], "no changes");

    system.put("/r/src/a.ts", "export const a = 2;\n");
    system.put(Path::new("/r").join(STATE), r#"{"v":2,"i":["src/a.ts"]}"#);
    let report = run_in(&system, RunMode::Context).unwrap();
    // An edit changes sizes and hashes in the map, which need not be sent again.
    assert_eq!(names(&system, DIFF), [STATE, "src/a.ts"]);
    let diff = report.report.diff.unwrap();
    assert_eq!((diff.added, diff.changed, diff.deleted, diff.deselected), (0, 2, 0, 1));
    system.remove_file(Path::new("/r/notes/n.md")).unwrap();
    let report = run_in(&system, RunMode::Context).unwrap();
    assert_eq!(report.report.diff.unwrap().deleted, 1);
}

#[test]
fn a_corrupt_baseline_stops_the_run_and_says_the_way_out() {
    let system = fixture(&[
        (STATE, r#"{"v":2,"i":[]}"#),
        (".stan/diff/.archive.snapshot.context.json", "{oops"),
        (ARCHIVE, "old"),
    ]);
    let error = run_in(&system, RunMode::Context).unwrap_err();
    assert!(error.hints()[0].contains("portolan snap"), "{error}");
    assert_eq!(system.read(&Path::new("/r").join(ARCHIVE)).unwrap(), b"old");
}

#[test]
fn a_plan_writes_nothing_and_tells_the_same_figures() {
    let files = [(STATE, r#"{"v":2,"i":[["src/index.ts",1]]}"#)];
    for mode in [RunMode::Plain, RunMode::Meta, RunMode::Context] {
        let system = fixture(&files);
        let before = system.files_below("/r");
        let mut planned = request(&system, mode);
        planned.plan_only = true;
        let plan = run(&system, &planned, &|_| {}).unwrap().report;
        assert_eq!(system.files_below("/r"), before);
        let mut done = run_in(&system, mode).unwrap().report;
        let bytes = system.read(&Path::new("/r").join(ARCHIVE)).unwrap().len() as u64;
        assert_eq!((plan.archive.bytes, done.archive.bytes), (bytes, bytes));
        done.planned = true;
        assert_eq!(plan, done);
    }
}

#[test]
fn what_would_be_the_same_again_keeps_its_time() {
    let system = fixture(&[(STATE, r#"{"v":2,"i":[["src/index.ts",1]]}"#)]);
    let outputs = [ARCHIVE, DIFF, ".stan/context/dependency.meta.json"];
    let times = || {
        run_in(&system, RunMode::Context).unwrap();
        outputs.map(|path| system.stat(&Path::new("/r").join(path)).unwrap().mtime_ns)
    };
    let [archive, diff, meta] = times();
    let again = times();
    assert_eq!((again[0], again[2]), (archive, meta));
    assert_ne!(again[1], diff, "nothing has changed since the first run, so its diff is another");
    assert_eq!(times(), again);
}

#[test]
fn two_runs_give_the_same_bytes() {
    let archives = || {
        let system = fixture(&[(STATE, r#"{"v":2,"i":[["src/index.ts",1]]}"#)]);
        run_in(&system, RunMode::Context).unwrap();
        [ARCHIVE, DIFF].map(|path| system.read(&Path::new("/r").join(path)).unwrap())
    };
    assert_eq!(archives(), archives());
}

#[test]
fn nested_packages_are_in_a_plain_archive_unless_told_otherwise() {
    let system =
        fixture(&[("packages/app/package.json", "{}"), ("packages/app/m.ts", "export {};\n")]);
    run_in(&system, RunMode::Plain).unwrap();
    assert!(names(&system, ARCHIVE).contains(&"packages/app/m.ts".to_owned()));
    let mut without = request(&system, RunMode::Plain);
    without.subpackages = false;
    run(&system, &without, &|_| {}).unwrap();
    assert!(!names(&system, ARCHIVE).iter().any(|name| name.starts_with("packages/")));
}

#[test]
fn imports_are_staged_always_archived_plain_and_selectable_in_context() {
    let files = [
        ("stan.config.yml", "stan-core: {imports: {kit: ../kit/*.md}}\n"),
        (".stan/imports/old/x.md", "stale"),
        (STATE, r#"{"v":2,"i":[".stan/imports/kit/a.md",".stan/imports/old/x.md"]}"#),
    ];
    let system = fixture(&files);
    system.put("/kit/a.md", "# a");
    system.put("/kit/b.md", "# b");
    let report = run_in(&system, RunMode::Context).unwrap();
    assert_eq!(closure(&system), [".stan/imports/kit/a.md", "stan.config.yml"]);
    assert_eq!((report.report.imported, said(&report, NoticeCode::ArchiveUnknownId).len()), (2, 1));
    assert!(system.stat(Path::new("/r/.stan/imports/old/x.md")).is_err());
    run_in(&system, RunMode::Plain).unwrap();
    assert!(names(&system, ARCHIVE).contains(&".stan/imports/kit/b.md".to_owned()));
}

#[test]
fn a_workspace_behind_a_link_that_leads_out_is_refused() {
    for link in ["/r/.stan", "/r/.stan/output", "/r/.stan/context", "/r/.stan/diff"] {
        let system = fixture(&[]);
        system.put("/elsewhere/keep", "");
        system.link(link, "/elsewhere");
        let error = run_in(&system, RunMode::Meta).unwrap_err();
        assert!(error.is_bad_input(), "{link}: {error}");
        assert_eq!(system.files_below("/elsewhere").len(), 1, "{link}");
    }
}

#[test]
fn a_second_run_at_the_same_time_says_why_it_stops() {
    let system = fixture(&[]);
    run_in(&system, RunMode::Plain).unwrap();
    let _held = system.try_lock(Path::new("/r/.stan/diff/.portolan.lock")).unwrap();
    let error = run_in(&system, RunMode::Plain).unwrap_err();
    assert!(error.to_string().contains("another run is working"), "{error}");
}

/// The second selection of a thread after a good run, on which faults are tried.
fn second_run(
    fault: &dyn Fn(MemorySystem) -> Box<dyn System>,
) -> (MemorySystem, MemorySystem, Result<RunReport, RunError>) {
    let system = fixture(&[(STATE, r#"{"v":2,"i":["src/a.ts"]}"#)]);
    run_in(&system, RunMode::Context).unwrap();
    system.put(Path::new("/r").join(STATE), r#"{"v":2,"i":[["src/index.ts",1]]}"#);
    let before = MemorySystem::default();
    for (path, bytes) in visible(&system) {
        before.put(path, bytes);
    }
    let outcome = run_in(&*fault(system.clone()), RunMode::Context);
    (system, before, outcome)
}

/// Changes something after the map was built, before staging.
fn meddling(inner: MemorySystem, change: fn(&MemorySystem)) -> Box<dyn System> {
    let disk = inner.clone();
    Box::new(FaultySystem::new(inner, move |call| {
        if call.operation == Operation::Lstat && call.path.ends_with("dependency.map.json") {
            change(&disk);
        }
        CallOutcome::Pass
    }))
}

#[test]
fn an_external_file_that_changed_after_it_was_mapped_fails_the_run() {
    const SOURCE: &str = "/r/node_modules/alpha/index.d.ts";
    type Case = (fn(&MemorySystem), &'static str);
    let cases: [Case; 3] = [
        (|system| system.put(SOURCE, "export declare const alpha: NUMBER;\n"), "hash mismatch"),
        (|system| system.put(SOURCE, "short"), "size mismatch: expected 36 bytes, got 5 bytes"),
        (
            |system| system.remove_file(Path::new(SOURCE)).unwrap(),
            "reading `/r/node_modules/alpha/index.d.ts` failed",
        ),
    ];
    for (change, part) in cases {
        let (system, before, outcome) = second_run(&|inner| meddling(inner, change));
        let message = outcome.unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
        for path in [ARCHIVE, DIFF, ".stan/diff/.archive.snapshot.context.json"] {
            let path = Path::new("/r").join(path);
            assert_eq!(system.read(&path).unwrap(), before.read(&path).unwrap());
        }
    }
}

#[test]
fn a_source_file_that_changed_after_it_was_mapped_is_told() {
    let inner = fixture(&[(STATE, r#"{"v":2,"i":["src/a.ts"]}"#)]);
    let system = meddling(inner, |system| system.put("/r/src/a.ts", "export const a = 9;\n"));
    let report = run_in(&*system, RunMode::Context).unwrap();
    assert_eq!(said(&report, NoticeCode::ArchiveChanged).len(), 1);
}

#[test]
fn a_run_on_one_thread_has_one_thread() {
    for mode in [RunMode::Plain, RunMode::Meta, RunMode::Context] {
        let seen: Arc<Mutex<Vec<ThreadId>>> = Arc::default();
        let noted = Arc::clone(&seen);
        let system = FaultySystem::new(fixture(&[]), move |_| {
            let (mut seen, here) = (noted.lock().unwrap(), std::thread::current().id());
            if !seen.contains(&here) {
                seen.push(here);
            }
            CallOutcome::Pass
        });
        run_in(&system, RunMode::Meta).unwrap();
        let request = request(&system, mode);
        seen.lock().unwrap().clear();
        run(&system, &request, &|_| {}).unwrap();
        assert_eq!(seen.lock().unwrap().len(), 1, "{mode:?}");
    }
}
