//! `portolan pack`, run as a user runs it.

use serde_json::Value;

use crate::support::{Repo, run_with_input, validate};

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
fn what_was_read_is_listed_and_nothing_else() {
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
fn a_pack_about_nothing_says_what_it_can_be_about() {
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
fn a_document_shows_the_line_of_the_error_and_says_what_to_do() {
    let run = repo().run(&["pack", "--diag", "out.txt"]);
    let (first, rest) = run.stdout.split_once('\n').unwrap();
    assert!(first.starts_with('@') && first.contains(" pack failure "), "{first}");
    assert!(
        rest.starts_with("# TS2304 in `src/b.ts` (2 diagnostics of 1 kind)\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("\n3\t  return 1 + x;\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\n## Other errors\n"), "{}", run.stdout);
    assert!(run.stderr.contains(" tokens"), "{}", run.stderr);
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
fn input_that_holds_nothing_says_what_was_seen() {
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
    let failed = repo.run(&["pack", "--", "sh", "-c", "cat out.txt; echo more >&2; exit 7"]);
    assert_eq!(failed.code, 7, "{failed:?}");
    assert!(failed.stdout.contains("\n# TS2304 in `src/b.ts`"), "{}", failed.stdout);
    assert!(
        failed.stderr.contains("Cannot find name 'y'") && failed.stderr.contains("more"),
        "{}",
        failed.stderr
    );
    let elsewhere =
        repo.run(&["pack", "--out", "pack.md", "--", "sh", "-c", "cat out.txt; exit 1"]);
    assert!(elsewhere.stdout.contains("Cannot find name 'y'"), "{elsewhere:?}");
    assert!(repo.read("pack.md").is_some_and(|pack| pack.starts_with(b"# TS2304")));
    let fine = repo.run(&["pack", "--", "true"]);
    assert!(fine.code == 0 && fine.stdout.is_empty(), "{fine:?}");
    let signal = repo.run(&["pack", "--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(signal.code, 137, "{signal:?}");
    let missing = repo.run(&["pack", "--", "no-such-program-here"]);
    assert_eq!(missing.code, 2, "{missing:?}");
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
    let none = repo.run(&["pack", "--changed"]);
    assert!(none.code == 2 && none.stderr.contains("nothing changed since"), "{}", none.stderr);
    repo.write("src/a.ts", b"export function a(n: string) {\n  return n;\n}\n");
    let text = repo.run(&["pack", "--changed"]).stdout;
    for part in [
        "## Gone, and still imported",
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
