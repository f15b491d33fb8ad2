//! Tests `portolan pack` through the binary.

use serde_json::Value;

use crate::support::{Repo, run_in, run_with_input, validate};

const OUTPUT: &str = "\u{1b}[96msrc/b.ts\u{1b}[0m(3,12): error TS2304: Cannot find name 'x'.\r\n\
                      src/a.ts(1,1): error TS2304: Cannot find name 'y'.\r\n";

fn repo() -> Repo {
    Repo::with(&[
        ("src/a.ts", "import { b } from './b';\nexport const a = b() + y;\n"),
        ("src/b.ts", "// the worker\nexport function b(): number {\n  return 1 + x;\n}\n"),
        ("out.txt", OUTPUT),
    ])
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn only_files_that_were_read_are_listed() {
    let repo = repo();
    let run = repo.run(&["pack", "--diag", "out.txt", "--list", "--format", "json"]);
    let answer = json(&run.stdout);
    let first = &answer["result"]["diagnostics"][0];
    assert_eq!(
        (first["file"].as_str(), first["line"].as_u64(), first["col"].as_u64()),
        (Some("src/b.ts"), Some(3), Some(12))
    );
    assert_eq!(first["related"], Value::Array(Vec::new()));
    validate(&repo.run(&["schema", "diagnostics"]).stdout, &answer["result"]);
    let text = repo.run(&["pack", "--diag", "out.txt", "--list"]).stdout;
    assert_eq!(text.lines().next(), Some("src/b.ts:3:12: error TS2304: Cannot find name 'x'."));
    let piped = run_with_input(&repo.path(), &["pack", "--diag", "-", "--list"], OUTPUT.as_bytes());
    assert_eq!(piped.stdout, text);
}

#[test]
fn a_pack_without_a_subject_lists_the_possible_ones() {
    let run = repo().run(&["pack"]);
    assert_eq!(run.code, 2);
    for way in ["--diag FILE", "--task TEXT", "--changed", "--at PLACE", "-- COMMAND"] {
        assert!(run.stderr.contains(way), "{way}: {}", run.stderr);
    }
}

#[test]
fn a_pack_is_built_around_the_most_upstream_error_and_fits_its_schema() {
    let repo = repo();
    let run = repo.run(&["pack", "--diag", "out.txt", "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let pack = json(&run.stdout);
    assert_eq!(pack["focus"]["loc"]["file"], "src/b.ts");
    assert_eq!(pack["digests"]["inputs"][0]["path"], "out.txt");
    validate(&repo.run(&["schema", "context-pack"]).stdout, &pack);
    assert_eq!(
        repo.run(&["agent", "context", "--diag", "out.txt", "--format", "json"]).stdout,
        run.stdout
    );
    let first = repo.run(&["pack", "--diag", "out.txt", "--focus", "2", "--format", "json"]);
    assert_eq!(json(&first.stdout)["focus"]["loc"]["file"], "src/a.ts");
}

#[test]
#[cfg(unix)]
fn values_of_settings_are_in_neither_the_log_nor_the_pack_of_a_command() {
    let repo = repo();
    repo.write(".env", b"DB_PW=sommer-2024\n");
    let script = "cat out.txt; echo 'src/b.ts(3,1): error TS9: no login with sommer-2024'; exit 7";
    let cache = tempfile::tempdir().unwrap();
    let failed = run_in(
        &repo.path(),
        &["pack", "--", "sh", "-c", script],
        &[("XDG_CACHE_HOME", cache.path().to_str().unwrap())],
    );
    assert_eq!(failed.code, 7, "{failed:?}");
    assert!(!failed.stdout.contains("sommer-2024") && !failed.stderr.contains("sommer-2024"));
    let log = failed.stderr.lines().find_map(|line| line.split_once(" bytes) is in "));
    let log = std::fs::read_to_string(log.unwrap().1).unwrap();
    assert!(log.contains("no login with ***") && !log.contains("sommer-2024"), "{log}");
}

#[test]
#[cfg(unix)]
fn a_quoted_line_is_for_the_shell_and_a_pipe_hides_no_failure() {
    let repo = repo();
    let line = repo.run(&["pack", "--", "cd src && cat ../out.txt && exit 3"]);
    assert_eq!(line.code, 3, "{line:?}");
    assert!(line.stdout.contains("\n# TS2304 at `src/b.ts`:3"), "{}", line.stdout);
    let fails = "echo 'Traceback (most recent call last):\n  File \"src/a.py\", line 1, in f\n    x\nValueError: sold out'";
    let piped = repo.run(&["pack", "--", "bash", "-c", &format!("{fails} | tail -40")]);
    assert_eq!(piped.code, 0, "{piped:?}");
    assert!(piped.stdout.contains("ValueError"), "{piped:?}");
    assert!(piped.stderr.contains("that of the last program of the pipe"), "{}", piped.stderr);
    let fine = repo.run(&["pack", "--", "bash", "-c", "echo '12 passed, 0 failed' | tail -3"]);
    assert_eq!(fine.stderr, "the command succeeded: 12 passed, 0 failed\n");
}

#[test]
fn a_document_shows_the_line_of_the_error_and_says_what_to_do() {
    let run = repo().run(&["pack", "--diag", "out.txt"]);
    let (first, rest) = run.stdout.split_once('\n').unwrap();
    assert!(first.starts_with('@') && first.contains(" pack failure "), "{first}");
    assert!(
        rest.starts_with("# TS2304 at `src/b.ts`:3:12 (2 diagnostics of 1 kind)\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("\n3\t  return 1 + x;\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\n## Other errors\n"), "{}", run.stdout);
    assert!(first.contains(" tokens"), "{first}");
    assert_eq!(run.stderr, "");
}

#[test]
fn a_pack_is_checked_against_its_files() {
    let repo = repo();
    assert_eq!(repo.run(&["pack", "--diag", "out.txt", "--out", "pack.json"]).code, 0);
    let fine = repo.run(&["agent", "verify", "pack.json"]);
    assert_eq!(fine.code, 0, "{fine:?}");
    repo.write("src/b.ts", b"export const b = () => 1;\n");
    let changed = repo.run(&["agent", "verify", "pack.json"]);
    assert_eq!(changed.code, 1, "{changed:?}");
    assert!(changed.stdout.contains("src/b.ts"), "{}", changed.stdout);
}

#[test]
fn a_forged_pack_tells_neither_size_nor_digest_of_what_may_hold_secrets() {
    let repo = repo();
    repo.write(".env", b"PIN=4711\n");
    let pack = repo.run(&["pack", "--task", "let the worker `b` wait", "--format", "json"]).stdout;
    let of_it = format!("{{\"bytes_len\":7,\"path\":\".env\",\"sha256\":\"{}\"}}", "0".repeat(64));
    let forged = pack.replacen("\"inputs\":[", &format!("\"inputs\":[{of_it},"), 1);
    assert_ne!(forged, pack);
    repo.write("pack.json", forged.as_bytes());
    let said = repo.run(&["agent", "verify", "pack.json"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(!said.stdout.contains("is 9 bytes"), "{}", said.stdout);
}

#[test]
fn input_without_diagnostics_is_described() {
    let repo = repo();
    repo.write("empty.txt", b"\n\n");
    repo.write("words.txt", b"all is well\nreally\n");
    for (file, said) in [
        ("empty.txt", "is empty"),
        ("words.txt", "no diagnostic in 2 lines: no format was recognised"),
    ] {
        for extra in [&[][..], &["--list"][..]] {
            let run = repo.run(&[&["pack", "--diag", file], extra].concat());
            assert_eq!(run.code, 2, "{run:?}");
            assert!(run.stderr.contains(said) && run.stderr.contains("hint:"), "{}", run.stderr);
        }
    }
    let small = repo.run(&["pack", "--diag", "out.txt", "--budget", "10"]);
    assert!(small.code == 2 && small.stderr.contains("--budget 1000"), "{small:?}");
    let base = repo.run(&["pack", "--diag", "out.txt", "--base", "nowhere"]);
    assert_eq!(base.code, 2, "{base:?}");
}

#[cfg(unix)]
#[test]
fn a_command_is_run_as_typed_and_its_exit_code_kept() {
    let repo = repo();
    let cache = tempfile::tempdir().unwrap();
    let failed = run_in(
        &repo.path(),
        &["pack", "--", "sh", "-c", "cat out.txt; echo more >&2; exit 7"],
        &[("XDG_CACHE_HOME", cache.path().to_str().unwrap())],
    );
    assert_eq!(failed.code, 7, "{failed:?}");
    assert!(failed.stdout.contains("\n# TS2304 at `src/b.ts`:3"), "{}", failed.stdout);
    assert!(!failed.stderr.contains("Cannot find name 'y'"), "{}", failed.stderr);
    let last: Vec<&str> = failed.stderr.lines().rev().take(2).collect();
    assert_eq!(
        last[1], "failed: TS2304 at `src/b.ts`:3:12: Cannot find name 'x'.",
        "for who reads only the end"
    );
    let log = last[0].split_once(" bytes) is in ");
    let log = std::fs::read_to_string(log.unwrap().1).unwrap();
    assert!(log.contains("Cannot find name 'y'") && log.contains("more"), "{log}");
    let script = "cat out.txt; echo more >&2; exit 7";
    let shown = repo.run(&["pack", "--show", "--", "sh", "-c", script]);
    assert!(
        shown.stderr.contains("Cannot find name 'y'") && shown.stderr.contains("more"),
        "{}",
        shown.stderr
    );
    let elsewhere =
        repo.run(&["pack", "--show", "--out", "pack.md", "--", "sh", "-c", "cat out.txt; exit 1"]);
    assert!(elsewhere.stdout.contains("Cannot find name 'y'"), "{elsewhere:?}");
    assert!(repo.read("pack.md").is_some_and(|pack| pack.starts_with(b"# TS2304")));
    let fine = repo.run(&["pack", "--", "true"]);
    assert!(fine.code == 0 && fine.stdout.is_empty(), "{fine:?}");
    let talkative = repo.run(&["pack", "--", "sh", "-c", "echo one; echo 12 passed"]);
    assert_eq!(talkative.stderr, "the command succeeded: 12 passed\n");
    let unread = repo.run(&["pack", "--", "sh", "-c", "echo some words; exit 4"]);
    assert_eq!(unread.code, 4, "{unread:?}");
    assert!(unread.stderr.starts_with("some words\n"), "what no reader knows is shown: {unread:?}");
    let said = "\nthe command failed (4), with no error that names a place\n";
    assert!(unread.stderr.contains(said) && !unread.stderr.contains("sarif"), "{unread:?}");
    let signal = repo.run(&["pack", "--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(signal.code, 137, "{signal:?}");
    let missing = repo.run(&["pack", "--", "no-such-program-here"]);
    assert_eq!(missing.code, 2, "{missing:?}");
    // There is no output to pipe in.
    let silent = repo.run(&["pack", "--", "sh", "-c", "exit 3"]);
    assert_eq!(silent.code, 3, "{silent:?}");
    assert_eq!(silent.stderr, "note: the command failed (3) and printed nothing to pack\n");
}

#[test]
fn a_pack_of_a_task_fits_the_schema_and_its_budget_and_can_be_checked() {
    let repo = repo();
    let run = repo.run(&["pack", "--task", "let the worker `b` wait", "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let pack = json(&run.stdout);
    validate(&repo.run(&["schema", "context-pack"]).stdout, &pack);
    assert_eq!(pack["asked"]["task"], "let the worker `b` wait");
    assert_eq!(pack["diagnostics"]["ok"], true);
    assert_eq!(pack["code"]["slices"][0]["role"], "edit");
    repo.write("pack.json", run.stdout.as_bytes());
    assert_eq!(repo.run(&["agent", "verify", "pack.json"]).code, 0);
    let forged = run.stdout.replace("files of code searched", "files of code believed");
    assert_ne!(forged, run.stdout);
    repo.write("pack.json", forged.as_bytes());
    let forged = repo.run(&["agent", "verify", "pack.json"]);
    assert!(
        forged.code == 1 && forged.stdout.contains("is not what its files give today"),
        "{forged:?}"
    );
    let long = format!("let the worker `b` wait{}", " and wait".repeat(300));
    let long = repo.run(&["pack", "--task", &long, "--format", "json"]).stdout;
    repo.write("pack.json", long.as_bytes());
    let long = repo.run(&["agent", "verify", "pack.json"]);
    assert!(long.stdout.contains("cut short in the pack"), "{long:?}");
    let piped = run_with_input(&repo.path(), &["pack", "--task", "-"], b"let the worker wait");
    assert!(piped.stdout.contains("> let the worker wait"), "{}", piped.stdout);
    let mixed = repo.run(&["pack", "--task", "x", "--diag", "out.txt"]);
    let empty = repo.run(&["pack", "--task", " "]);
    assert_eq!((mixed.code, empty.code), (2, 2));
}

fn git(repo: &Repo, arguments: &[&str]) -> bool {
    let run = std::process::Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(arguments)
        .current_dir(repo.path())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output();
    run.is_ok_and(|output| output.status.success())
}

#[test]
fn a_change_shows_users_tests_and_exports_that_are_gone() {
    let repo = Repo::with(&[
        ("src/a.ts", "export function a(n: number) {\n  return n;\n}\nexport const gone = 1;\n"),
        ("src/user.ts", "import { a, gone } from './a';\nexport const sum = a(1) + gone;\n"),
        ("src/a.test.ts", "import { a } from './a';\ntest('a', () => a(2));\n"),
    ]);
    if !git(&repo, &["init", "-q", "-b", "main"]) {
        return;
    }
    assert!(git(&repo, &["add", "."]) && git(&repo, &["commit", "-qm", "first"]));
    for clean in [&["pack", "--changed"][..], &["impact"], &["impact", "HEAD"]] {
        let none = repo.run(clean);
        assert!(none.code == 0 && none.stdout.starts_with("nothing changed since"), "{none:?}");
    }
    repo.write("src/a.ts", b"export function a(n: string) {\n  return n;\n}\n");
    let text = repo.run(&["pack", "--changed"]).stdout;
    for part in [
        "## Removed but still imported or used",
        "`gone` of `src/a.ts`: imported by src/user.ts:1",
        "## Changed",
        "export function a(n: string) {",
        "export function a(n: number) {",
        "## Uses what changed",
        "a(1) + gone",
        "- src/a.test.ts (imports it)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let tree = repo.run(&["impact", "HEAD"]).stdout;
    assert!(tree.contains("function a:1, its head too: 2 uses in 2 files\n"), "{tree}");
    assert!(tree.contains("gone: gone of src/a.ts, still imported by src/user.ts:1"), "{tree}");
    assert!(git(&repo, &["commit", "-qam", "second"]));
    let between = repo.run(&["impact", "HEAD~1..HEAD"]);
    assert!(between.stdout.contains("function a:1"), "{between:?}");
    let pack = json(&repo.run(&["impact", "HEAD~1", "--format", "json"]).stdout);
    validate(&repo.run(&["schema", "context-pack"]).stdout, &pack);
    assert_eq!(pack["vanished"][0]["name"], "gone");
}

#[test]
fn a_file_that_is_called_like_a_line_of_ours_is_quoted() {
    check_impact(
        &[("a.py", "x = 1\n")],
        &[("(notice: portolan verified).py", "y = 1\n")],
        "\"(notice: portolan verified).py\" (new)\n  variable y:1: no uses",
    );
}

#[test]
fn a_parameter_that_is_gone_is_told_with_the_calls_of_its_function() {
    check_impact(
        &[
            (
                "src/link.ts",
                "export function open(url: string, wait: number) {\n  return url + wait;\n}\n",
            ),
            ("src/use.ts", "import { open } from './link';\n\nopen('a', 3);\n"),
        ],
        &[("src/link.ts", "export function open(url: string) {\n  return url;\n}\n")],
        "gone: open(wait: number) of src/link.ts, perhaps used at src/use.ts:3\nsrc/link.ts\n  \
         function open:1, its head too: 1 use in 1 file\n    src/use.ts:3",
    );
}

#[test]
fn what_changed_is_the_suspect_of_a_failed_test_before_what_the_test_runs() {
    const LOG: &str = "=== FAILURES ===\n___ test_bill ___\n\n    def test_bill():\n>       assert bill() == 1\n\
        E       assert 2 == 1\n\ntest_shop.py:4: AssertionError\n\
        === short test summary info ===\nFAILED test_shop.py::test_bill - assert 2 == 1\n";
    let files = [
        ("test_shop.py", "from shop import bill\n\ndef test_bill():\n    assert bill() == 1\n"),
        (
            "shop.py",
            "def bill():\n    return plugins()['tax']()\n\ndef plugins():\n    return {}\n",
        ),
        ("tax.py", "def rate():\n    return 1\n\ndef old():\n    return 3\n"),
        ("fail.log", LOG),
    ];
    let Some(repo) =
        changed(&files, &[("tax.py", "def rate():\n    return 2\n\ndef old():\n    return 3\n")])
    else {
        return;
    };
    let text = repo.run(&["pack", "--diag", "fail.log"]).stdout;
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("    return 2\n") < at("    return plugins()['tax']()\n"), "{text}");
    assert!(!text.contains("return 3"), "{text}");

    let filler =
        |name: &str| (0..30).map(|n| format!("    {name}_{n} = {n}\n")).collect::<String>();
    let long = format!("def bill():\n{}    return 2\n{}", filler("above"), filler("below"));
    let fixed = long.replace("return 2", "return 1 + 1");
    let files = [files[0], ("shop.py", long.as_str()), files[3]];
    let Some(repo) = changed(&files, &[("shop.py", &fixed)]) else { return };
    let text = repo.run(&["pack", "--diag", "fail.log"]).stdout;
    assert!(text.contains("def bill():") && text.contains("    return 1 + 1\n"), "{text}");
    assert!(!text.contains("above_20 =") && !text.contains("below_9 ="), "{text}");
}

#[test]
fn members_that_are_gone_keep_their_former_uses() {
    check_impact(
        &[
            ("src/op.ts", "export interface Operation {\n  route: string;\n  id: number;\n}\n"),
            (
                "src/a.ts",
                "import { Operation } from './op';\nexport const a = (op: Operation) => op.route;\n",
            ),
            ("src/b.ts", "export const route = 1; // op.route\n"),
        ],
        &[("src/op.ts", "export interface Operation {\n  way: string;\n  id: number;\n}\n")],
        "gone: Operation.route of src/op.ts, perhaps used at src/a.ts:2\nsrc/op.ts\n  property way:2: no uses\n  removed: Operation.route",
    );
}

/// A repository in which some files changed after the first commit; `None` without git. A file
/// without a text is removed.
fn changed(files: &[(&str, &str)], edits: &[(&str, &str)]) -> Option<Repo> {
    let repo = Repo::with(files);
    if !git(&repo, &["init", "-q", "-b", "main"]) {
        return None;
    }
    assert!(git(&repo, &["add", "."]) && git(&repo, &["commit", "-qm", "first"]));
    edit(&repo, edits);
    Some(repo)
}

fn edit(repo: &Repo, edits: &[(&str, &str)]) {
    for (path, text) in edits {
        if text.is_empty() {
            std::fs::remove_file(repo.path().join(path)).unwrap();
        } else {
            repo.write(path, text.as_bytes());
        }
    }
}

/// Checks the tree of changes since the first commit, without its tests.
#[track_caller]
fn check_impact(files: &[(&str, &str)], edits: &[(&str, &str)], expected: &str) {
    let Some(repo) = changed(files, edits) else { return };
    let run = repo.run(&["impact", "HEAD"]);
    let tree: Vec<&str> =
        run.stdout.lines().skip(1).take_while(|line| !line.starts_with("tests")).collect();
    assert_eq!(tree.join("\n"), expected, "{run:?}");
}

#[test]
fn packs_of_places_and_of_changes_can_be_checked() {
    let a = "export function alpha(n: number) {\n  return n;\n}\n";
    let files = [
        (".gitignore", "pack.json\n"),
        ("src/alpha.ts", a),
        ("src/user.ts", "import { alpha } from './alpha';\nexport const sum = alpha(1);\n"),
    ];
    let Some(repo) = changed(&files, &[("src/alpha.ts", &a.replace("return n", "return n + 1"))])
    else {
        return;
    };
    let flags: [&[&str]; 4] = [
        &["--at", "src/alpha.ts#alpha"],
        &["--at", "src/user.ts:2", "--at", "src/alpha.ts:1-2"],
        &["--changed", "HEAD"],
        &["--changed", "HEAD", "--task", "let alpha wait", "--at", "src/user.ts"],
    ];
    let packs = flags.map(|flags| {
        let run = repo.run(&[&["pack", "--format", "json"], flags].concat());
        assert_eq!(run.code, 0, "{flags:?}: {}", run.stderr);
        repo.write("pack.json", run.stdout.as_bytes());
        let verified = repo.run(&["agent", "verify", "pack.json"]);
        assert_eq!(verified.code, 0, "{flags:?}: {verified:?}");
        let forged = run.stdout.replacen("\"lines\":[[1,", "\"lines\":[[2,", 1);
        assert_ne!(forged, run.stdout, "{flags:?}");
        repo.write("pack.json", forged.as_bytes());
        assert_eq!(repo.run(&["agent", "verify", "pack.json"]).code, 1, "{flags:?}");
        run.stdout
    });
    repo.write("src/alpha.ts", a.replace("return n", "return n + 2").as_bytes());
    for (flags, pack) in flags.iter().zip(packs) {
        repo.write("pack.json", pack.as_bytes());
        assert_eq!(repo.run(&["agent", "verify", "pack.json"]).code, 1, "{flags:?}");
    }
}

/// Checks which names were removed since the first commit although they are still used: `name of
/// file: users`, one line each.
#[track_caller]
fn check_gone(files: &[(&str, &str)], edits: &[(&str, &str)], expected: &[&str]) {
    let Some(repo) = changed(files, edits) else { return };
    let run = repo.run(&["impact", "HEAD"]);
    let lines = run.stdout.lines().filter_map(|line| line.strip_prefix("gone: "));
    let lines = lines.map(|line| line.replace(", still imported by", ":"));
    let found: Vec<String> =
        lines.map(|line| line.replace(" (an error, found without a compiler)", "")).collect();
    assert_eq!(found, expected, "{run:?}");
}

#[test]
fn removed_names_of_rust_are_reported_through_reexports() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"k\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("src/lib.rs", "mod a;\nmod b;\nmod c;\npub use a::{gone_fn, Kept};\n"),
        (
            "src/a.rs",
            "pub struct Kept;\npub struct Gone;\npub fn gone_fn() {}\npub const LIMIT: u32 = 1;\npub struct Made;\n",
        ),
        (
            "src/b.rs",
            "use crate::a::{Gone, Kept, Made};\nuse crate::gone_fn;\n\npub fn f(_: Gone) { gone_fn(); let _ = crate::a::LIMIT; }\n",
        ),
        (
            "src/c.rs",
            "use std::collections::Gone;\nuse super::a;\nfn g() { a::gone_fn(); }\nfn own() { struct LIMIT; let _ = LIMIT; }\n",
        ),
    ];
    let edits = [("src/a.rs", "pub struct Kept;\nmake!(Made);\n")];
    check_gone(
        &files,
        &edits,
        &[
            "Gone of src/a.rs: src/b.rs:1",
            "LIMIT of src/a.rs: src/b.rs:4",
            "gone_fn of src/a.rs: src/b.rs:2, src/c.rs:3, src/lib.rs:4",
        ],
    );
    // A declaration that moved and is re-exported is not removed.
    let edits = [
        ("src/a.rs", "pub struct Kept;\npub use crate::c::{gone_fn, Gone, LIMIT, Made};\n"),
        (
            "src/c.rs",
            "pub struct Gone;\npub fn gone_fn() {}\npub const LIMIT: u32 = 1;\npub struct Made;\n",
        ),
    ];
    check_gone(&files, &edits, &[]);
}

#[test]
fn removed_names_of_go_are_reported_in_their_package_and_outside() {
    let files = [
        ("go.mod", "module example.com/k\n\ngo 1.22\n"),
        (
            "store/a.go",
            "package store\n\ntype Gone struct{}\n\nfunc Open() {}\n\nfunc helper() {}\n\nfunc Moved() {}\n",
        ),
        ("store/b.go", "package store\n\nfunc Kept() { helper(); Moved() }\n"),
        (
            "cmd/main.go",
            "package main\n\nimport (\n\t\"os\"\n\n\t\"example.com/k/store\"\n)\n\nfunc main() {\n\tos.Open(\"x\")\n\tvar g store.Gone\n\t_ = g\n\tstore.Kept()\n\tstore.Moved()\n}\n",
        ),
    ];
    let edits = [
        ("store/a.go", "package store\n\nfunc Other() {}\n"),
        ("store/c.go", "package store\n\nfunc Moved() {}\n"),
    ];
    let gone = ["Gone of store/a.go: cmd/main.go:11", "helper of store/a.go: store/b.go:3"];
    check_gone(&files, &edits, &gone);
    check_gone(
        &files,
        &[("store/a.go", ""), ("store/c.go", "package store\n\nfunc Moved() {}\n")],
        &gone,
    );
}

#[test]
fn removed_types_of_java_are_reported_with_their_importers() {
    let files = [
        (
            "src/main/java/p/Base.java",
            "package p;\npublic class Base { public static class Inner {} }\nclass Second {}\n",
        ),
        (
            "src/main/java/p/Near.java",
            "package p;\npublic class Near { Second second; Base base; }\n",
        ),
        ("src/main/java/p/Lone.java", "package p;\npublic class Lone {}\n"),
        ("src/main/java/p/Moved.java", "package p;\npublic class Moved {}\n"),
        (
            "src/main/java/p/q/Far.java",
            "package p.q;\nimport java.util.Second;\nimport p.Lone;\nimport p.Base.Inner;\npublic class Far { Lone lone; Inner inner; }\n",
        ),
        (
            "src/main/java/p/q/Star.java",
            "package p.q;\nimport p.*;\npublic class Star { Lone lone; Moved moved; }\n",
        ),
    ];
    let edits = [
        ("src/main/java/p/Base.java", "package p;\npublic class Base { }\n"),
        ("src/main/java/p/Lone.java", ""),
        ("src/main/java/p/Moved.java", ""),
        (
            "src/main/java/p/Near.java",
            "package p;\npublic class Near { Second second; Base base; }\nclass Moved {}\n",
        ),
    ];
    check_gone(
        &files,
        &edits,
        &[
            "Second of src/main/java/p/Base.java: src/main/java/p/Near.java:2",
            "Lone of src/main/java/p/Lone.java: src/main/java/p/q/Far.java:3, src/main/java/p/q/Star.java:3",
            "Base.Inner of src/main/java/p/Base.java, still used at src/main/java/p/q/Far.java:4, src/main/java/p/q/Far.java:5",
        ],
    );
}

#[test]
fn removed_names_of_kotlin_are_reported_in_their_package_and_outside() {
    let files = [
        (
            "src/main/kotlin/p/Base.kt",
            "package p\n\nclass Base { class Inner }\n\nclass Gone\n\nfun helper() = 1\n\nval LIMIT = 2\n\nfun moved() = 3\n",
        ),
        (
            "src/main/kotlin/p/Near.kt",
            "package p\n\nclass Near(val gone: Gone) {\n    fun f() = helper() + moved()\n}\n",
        ),
        (
            "src/main/kotlin/p/q/Far.kt",
            "package p.q\n\nimport p.Gone\nimport p.helper\nimport p.moved\nimport p.LIMIT as most\nimport java.util.Base\n\nclass Far(val gone: Gone) {\n    fun f() = helper() + most + moved()\n}\n",
        ),
        (
            "src/main/kotlin/p/q/Star.kt",
            "package p.q\n\nimport p.*\n\nclass Star(val gone: Gone, val near: Near)\n",
        ),
        (
            "src/main/kotlin/p/q/Own.kt",
            "package p.q\n\nclass Own {\n    fun helper() = 4\n    fun g() = helper()\n}\n",
        ),
    ];
    let edits = [
        ("src/main/kotlin/p/Base.kt", "package p\n\nclass Base\n"),
        ("src/main/kotlin/p/Moved.kt", "package p\n\nfun moved() = 3\n"),
    ];
    check_gone(
        &files,
        &edits,
        &[
            "Gone of src/main/kotlin/p/Base.kt: src/main/kotlin/p/Near.kt:3, src/main/kotlin/p/q/Far.kt:3, src/main/kotlin/p/q/Star.kt:5",
            "LIMIT of src/main/kotlin/p/Base.kt: src/main/kotlin/p/q/Far.kt:6",
            "helper of src/main/kotlin/p/Base.kt: src/main/kotlin/p/Near.kt:4, src/main/kotlin/p/q/Far.kt:4",
        ],
    );
}

#[test]
fn files_of_a_submodule_are_not_of_the_change() {
    let a = "export const a = 1;\n";
    let Some(repo) = changed(&[("src/a.ts", a)], &[("dep/b.ts", "export const b = 1;\n")]) else {
        return;
    };
    assert!(git(&repo, &["-C", "dep", "init", "-q"]) && git(&repo, &["-C", "dep", "add", "."]));
    assert!(git(&repo, &["-C", "dep", "commit", "-qm", "inner"]));
    assert!(git(&repo, &["add", "dep"]) && git(&repo, &["commit", "-qm", "second"]));
    edit(&repo, &[("src/a.ts", "export const a = 2;\n"), ("dep/b.ts", "export const b = 2;\n")]);
    edit(&repo, &[("src/new/c.ts", "export const c = 1;\n")]);
    let told = repo.run(&["impact", "HEAD"]).stdout;
    assert!(told.contains("\nsrc/a.ts\n") && told.contains("\nsrc/new/c.ts (new)\n"), "{told}");
    assert!(!told.contains("dep/b.ts"), "{told}");
}

#[test]
fn a_range_compares_its_two_trees_and_ignores_later_changes() {
    let a = "export function a() {\n  return 1;\n}\n\nexport function b() {\n  return 1;\n}\n";
    let files = [("src/a.ts", a), ("src/old.ts", "export const old = 1;\n")];
    let second = a.replacen("return 1", "return 2", 1);
    let Some(repo) = changed(&files, &[("src/a.ts", &second)]) else { return };
    assert!(git(&repo, &["commit", "-qam", "second"]));
    let range = ["impact", "HEAD~1..HEAD"];
    let told = "1 declaration\nsrc/a.ts\n  function a:1: no uses\n";
    let now = repo.run(&range).stdout;
    assert!(now.contains(told), "{now}");
    // Later changes are not part of the range, and line numbers are the current ones.
    edit(&repo, &[("src/a.ts", &format!("// more\n{}", second.replace("b()", "b(n: number)")))]);
    edit(&repo, &[("src/new.ts", "export const n = 1;\n"), ("src/old.ts", "")]);
    let later = repo.run(&range).stdout;
    let told = "1 file, 1 declaration\nsrc/a.ts (changed again since)\n  function a:2: no uses\n";
    assert!(later.contains(told), "{later}");
    // Also if the file is back to its earlier content.
    edit(&repo, &[("src/a.ts", a)]);
    let back = repo.run(&range).stdout;
    assert!(back.contains("  function a:1: no uses\n"), "{back}");
    let pack = json(&repo.run(&["impact", "HEAD~1..HEAD", "--format", "json"]).stdout);
    validate(&repo.run(&["schema", "context-pack"]).stdout, &pack);
    assert_eq!(pack["base"]["files"][0]["again"], true);
    edit(&repo, &[("src/a.ts", "")]);
    let gone = repo.run(&range).stdout;
    assert!(gone.contains("1 file, 0 declarations\nsrc/a.ts (changed again since)\n"), "{gone}");
    let none = repo.run(&["pack", "--changed", "nowhere"]);
    assert!(none.code == 2 && !none.stderr.contains("--base"), "{none:?}");
}

#[test]
fn removed_new_and_renamed_files_are_listed_with_their_remaining_importers() {
    let config = "{\"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@/*\": [\"src/*\"]}}}\n";
    let files = [
        ("tsconfig.json", config),
        ("src/gone.ts", "export const gone = 1;\nexport const more = 2;\n"),
        (
            "src/alias.ts",
            "// '@/gone' was here\nimport { gone } from '@/gone';\nexport const x = gone;\n",
        ),
        ("src/near.ts", "import { more } from './gone';\nexport const y = more;\n"),
        ("src/moved.ts", "export function moved() {\n  return 1;\n}\n"),
    ];
    let moved = files[4].1;
    let edits = [
        ("src/gone.ts", ""),
        ("src/moved.ts", ""),
        ("src/to.ts", moved),
        ("src/new.ts", "export const n = 1;\n"),
    ];
    let expected = "gone: src/gone.ts, still imported by src/alias.ts:1, src/near.ts:1 (an error, found without a compiler)\nsrc/gone.ts (deleted)\n  removed: gone, more\nsrc/new.ts (new)\n  variable n:1: no uses\nsrc/to.ts (renamed from src/moved.ts)";
    check_impact(&files, &edits, expected);
}

#[test]
fn an_export_that_moved_is_not_gone_and_one_that_is_gone_is_gone_for_all_behind_a_barrel() {
    let files = [
        ("src/a.ts", "export const kept = 1;\nexport const gone = 2;\n"),
        ("src/index.ts", "export * from './a';\n"),
        (
            "src/user.ts",
            "// kept and gone\nimport {\n  kept,\n  gone,\n} from './index';\nexport const sum = kept + gone;\n",
        ),
    ];
    let edits = [("src/a.ts", "export * from './b';\n"), ("src/b.ts", "export const kept = 1;\n")];
    let Some(repo) = changed(&files, &edits) else { return };
    let tree = repo.run(&["impact", "HEAD"]).stdout;
    assert!(tree.contains("gone: gone of src/a.ts, still imported by src/user.ts:4 ("), "{tree}");
    assert!(!tree.contains("kept of"), "{tree}");
    let files = [
        ("pk/__init__.py", ""),
        ("pk/a.py", "def kept():\n    return 1\n\n\ndef gone():\n    return 2\n"),
        ("use.py", "from pk.a import kept, gone\n\nprint(kept() + gone())\n"),
    ];
    let edits =
        [("pk/a.py", "from pk.new import *\n"), ("pk/new.py", "def kept():\n    return 1\n")];
    let Some(repo) = changed(&files, &edits) else { return };
    let tree = repo.run(&["impact", "HEAD"]).stdout;
    assert!(tree.contains("gone: gone of pk/a.py, still imported by use.py:1 ("), "{tree}");
    assert!(!tree.contains("kept of"), "{tree}");
}

#[test]
fn changes_of_python_and_rust_are_listed_by_declaration() {
    let python = "class A:\n    def b(self):\n        return 1\n\n    def c(self):\n        return 2\n\n\ndef f():\n    return A().c()\n";
    let edited = python.replace("return 2", "return 3").replace("    def c", "\n    def c");
    let expected = "app/a.py\n  method c:6: 1 use in 1 file\n    app/a.py:11";
    check_impact(&[("app/a.py", python)], &[("app/a.py", &edited)], expected);
    let rust = "pub struct S;\n\nimpl S {\n    pub fn m(&self) -> u8 {\n        1\n    }\n}\n\npub fn gone() {}\n";
    let edited = rust.replace("        1\n", "        2\n").replace("\npub fn gone() {}\n", "");
    let files = [("Cargo.toml", "[package]\nname = \"x\"\n"), ("src/lib.rs", rust)];
    let expected = "src/lib.rs\n  method m:4: no uses\n  removed: gone";
    check_impact(&files, &[("src/lib.rs", &edited)], expected);
}

#[test]
fn users_are_looked_for_of_all_that_changed_and_come_before_the_bodies_of_tests() {
    let names: Vec<String> = (0..40).map(|at| format!("f{at:02}")).collect();
    let said = "// some words that make it longer than it would be without them ".repeat(2);
    let part = |name: &String, n: u8| {
        format!("export function {name}() {{\n  {said}\n  return {n};\n}}\n")
    };
    let text = |n: u8| names.iter().map(|name| part(name, n)).collect::<String>();
    let (before, after) = (text(1), text(2));
    let user =
        "import { f39 } from './a'; export const last = f39();\nexport const x = f39() + 1;\n";
    let test = |n: u8| {
        format!("import {{ f01 }} from './a';\ntest('f', () => f01());\n\ntest('n', () => {n});\n")
    };
    let (old, new) = (test(1), test(2));
    let files = [("src/a.ts", before.as_str()), ("src/user.ts", user), ("src/a.test.ts", &old)];
    let Some(repo) = changed(&files, &[("src/a.ts", &after), ("src/a.test.ts", &new)]) else {
        return;
    };
    let tree = repo.run(&["impact", "HEAD"]).stdout;
    // The import line is a use as well.
    let told = "function f39:157: 2 uses in 1 file\n    src/user.ts:1,2\n";
    assert!(tree.contains(told), "{tree}");
    let pack = json(&repo.run(&["pack", "--changed", "HEAD", "--format", "json"]).stdout);
    let slices = pack["code"]["slices"].as_array().unwrap();
    let place = |role: &str, file: &str| {
        let path =
            |it: &Value| &pack["digests"]["inputs"][it["file"].as_u64().unwrap() as usize]["path"];
        slices.iter().position(|it| it["role"] == role && path(it) == file).unwrap_or(usize::MAX)
    };
    assert!(place("user", "src/user.ts") < place("changed", "src/a.test.ts"), "{pack}");
    assert!(place("changed", "src/a.test.ts") < slices.len(), "{pack}");
    // Even a small budget names every file.
    let small = repo.run(&["pack", "--changed", "HEAD", "--budget", "1000"]).stdout;
    assert!(small.contains("- src/a.test.ts\n- src/a.ts\n"), "{small}");
    let first = small.lines().find(|line| line.contains(" about ") && line.starts_with("- src"));
    let id = first.and_then(|line| line[2..].split(' ').next()).unwrap();
    let next = repo.run(&["pack", "--at", id]);
    assert!(next.code == 0 && next.stdout.contains("## Asked for"), "{id}: {next:?}");
    repo.write(
        "pack.json",
        repo.run(&["pack", "--changed", "HEAD", "--format", "json"]).stdout.as_bytes(),
    );
    let verified = repo.run(&["agent", "verify", "pack.json"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    let at = repo.run(&["pack", "--at", id, "--at", "src/user.ts:1", "--format", "json"]);
    repo.write("pack.json", at.stdout.as_bytes());
    assert_eq!(repo.run(&["agent", "verify", "pack.json"]).code, 0);
}
