//! Tests `portolan apply` on a disk: messages, permissions, kills, two processes at once.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Repo, run_with_input};

/// A repository with a plain archive.
fn archived() -> Repo {
    let repo = Repo::with(&[
        ("src/a.ts", "export const a = 1;\nexport const b = 2;\n"),
        ("src/old.ts", "old\n"),
        ("run.sh", "#!/bin/sh\n"),
    ]);
    set_mode(&repo.path().join("run.sh"), 0o750);
    assert_eq!(repo.run(&["run"]).code, 0);
    repo
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) {}

const REPLY: &str = "\
```diff
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,2 +1,3 @@
 export const a = 1;
-export const b = 2;
+export const b = 3;
+export const c = 4;
--- a/run.sh
+++ b/run.sh
@@ -1 +1,2 @@
 #!/bin/sh
+echo hi
```
### File Ops
- `mv src/old.ts lib/new.ts`
";

fn text(repo: &Repo, path: &str) -> Option<String> {
    repo.read(path).map(|bytes| String::from_utf8(bytes).unwrap())
}

#[test]
fn a_reply_is_shown_applied_and_taken_back() {
    let repo = archived();
    repo.write("../reply.md", REPLY.as_bytes());
    let before = repo.files_below(".");
    let shown = repo.run(&["apply", "../reply.md", "--dry-run"]);
    let table = "move  lib/new.ts from src/old.ts\nedit  run.sh  +1 -0\nedit  src/a.ts  +2 -1\n";
    assert_eq!((shown.code, shown.stdout.as_str()), (0, table), "{}", shown.stderr);
    assert_eq!(shown.stderr, "3 files would change, +3 -1\n");
    assert_eq!(repo.files_below("."), before, "a dry run writes nothing");
    let applied = repo.run(&["apply", "../reply.md"]);
    assert_eq!((applied.code, applied.stdout.as_str()), (0, table), "{}", applied.stderr);
    assert_eq!(applied.stderr, "applied 3 files, +3 -1; undo: portolan apply --undo\n");
    assert_eq!(text(&repo, "run.sh").unwrap(), "#!/bin/sh\necho hi\n");
    assert_eq!(
        (text(&repo, "src/old.ts"), text(&repo, "lib/new.ts").as_deref()),
        (None, Some("old\n"))
    );
    let again = repo.run(&["apply", "../reply.md"]);
    assert_eq!(again.code, 1);
    assert!(again.stderr.ends_with("nothing was applied\n"), "{}", again.stderr);
    let undone = repo.run(&["apply", "--undo"]);
    assert_eq!((undone.code, undone.stderr.as_str()), (0, "took 4 files back\n"));
    let sources = |files: std::collections::BTreeMap<String, String>| -> Vec<(String, String)> {
        files.into_iter().filter(|(path, _)| !path.contains(".stan/")).collect()
    };
    assert_eq!(sources(repo.files_below(".")), sources(before));
    assert!(!repo.path().join("lib").is_dir(), "a folder that was made is left");
    let nothing = repo.run(&["apply", "--undo"]);
    assert_eq!(nothing.code, 2);
    assert!(nothing.stderr.starts_with("error: there is nothing to take back\n"));
}

#[cfg(unix)]
#[test]
fn permissions_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let mode =
        |repo: &Repo| repo.path().join("run.sh").metadata().unwrap().permissions().mode() & 0o777;
    let repo = archived();
    assert_eq!(run_with_input(&repo.path(), &["apply", "-"], REPLY.as_bytes()).code, 0);
    assert_eq!(mode(&repo), 0o750);
    assert_eq!(repo.run(&["apply", "--undo"]).code, 0);
    assert_eq!(mode(&repo), 0o750);
    let only = "```diff\ndiff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n```\n";
    assert_eq!(run_with_input(&repo.path(), &["apply", "-"], only.as_bytes()).code, 0);
    assert_eq!(mode(&repo), 0o640);
}

#[test]
fn undo_is_refused_if_a_file_has_changed_since() {
    let repo = archived();
    assert_eq!(run_with_input(&repo.path(), &["apply", "-"], REPLY.as_bytes()).code, 0);
    repo.write("src/a.ts", b"mine\n");
    let refused = repo.run(&["apply", "--undo"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("changed since they were applied: `src/a.ts`"),
        "{}",
        refused.stderr
    );
    assert_eq!(text(&repo, "lib/new.ts").as_deref(), Some("old\n"), "nothing was taken back");
}

#[test]
fn machines_get_a_report() {
    let repo = archived();
    let run = |arguments: &[&str], input: &str| -> (i32, Value) {
        let run = run_with_input(&repo.path(), arguments, input.as_bytes());
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        (run.code, answer["result"].clone())
    };
    let (code, report) = run(&["apply", "-", "--format", "json"], "no patch");
    assert_eq!((code, &report["applied"]), (1, &json!(false)));
    assert_eq!(report["findings"][0]["code"], "CTX-REPLY-0025");
    let (code, report) = run(&["apply", "-", "--format", "json"], REPLY);
    assert_eq!((code, &report["applied"]), (0, &json!(true)));
    let first = json!({"action": "move", "added": 0, "from": "src/old.ts", "path": "lib/new.ts", "removed": 0});
    assert_eq!(report["files"][0], first);
    let (code, report) = run(&["apply", "--undo", "--format", "json"], "");
    assert_eq!(
        (code, &report["undo"], report["files"].as_array().unwrap().len()),
        (0, &json!(true), 4)
    );
}

#[test]
fn findings_about_form_can_be_ignored() {
    let repo = Repo::with(&[("note.md", "old\n"), ("src/a.ts", "a\n")]);
    assert_eq!(repo.run(&["run", "-cm"]).code, 0);
    let patch =
        |path: &str| format!("```diff\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+new\n```\n");
    let apply = |path: &str, more: &[&str]| {
        let arguments = [&["apply", "-"], more].concat();
        run_with_input(&repo.path(), &arguments, patch(path).as_bytes())
    };
    let refused = apply("note.md", &[]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.ends_with("hint: `--lenient` applies it all the same: the patches fit\n")
    );
    assert_eq!(apply("note.md", &["--lenient"]).code, 0);
    assert_eq!(text(&repo, "note.md").as_deref(), Some("new\n"));
    assert_eq!(apply("src/a.ts", &["--lenient"]).code, 1, "it was not shown");
}

/// Simulates an `apply` that was killed after its first file.
fn cut_short(repo: &Repo) {
    assert_eq!(run_with_input(&repo.path(), &["apply", "-"], REPLY.as_bytes()).code, 0);
    let folder = repo.path().join(".stan/patch/portolan");
    std::fs::rename(folder.join("last"), folder.join("next")).unwrap();
    let files = ["lib/new.ts", "run.sh", "src/a.ts", "src/old.ts"];
    for (index, path) in files.iter().enumerate().skip(2) {
        let before = folder.join(format!("next/before-{index}"));
        if *path == "src/a.ts" {
            std::fs::copy(before, repo.path().join(path)).unwrap();
        }
    }
}

#[test]
fn an_interrupted_apply_is_rolled_back_and_blocks_runs() {
    let repo = archived();
    let before = text(&repo, "run.sh");
    cut_short(&repo);
    let run = repo.run(&["run"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("an `apply` was cut short"), "{}", run.stderr);
    assert!(run.stderr.contains("hint: `portolan apply --undo` puts the files back"));
    let undone = repo.run(&["apply", "--undo"]);
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    assert!(
        undone.stderr.starts_with("an `apply` was cut short: 3 files put back as they were\n"),
        "{}",
        undone.stderr
    );
    assert_eq!(text(&repo, "run.sh"), before);
    assert_eq!(
        (text(&repo, "src/old.ts").as_deref(), text(&repo, "lib/new.ts")),
        (Some("old\n"), None)
    );
    assert_eq!(repo.run(&["run"]).code, 0);
    cut_short(&repo);
    let next = run_with_input(&repo.path(), &["apply", "-"], REPLY.as_bytes());
    assert_eq!(next.code, 0, "the next one mends it first: {}", next.stderr);
    assert_eq!(text(&repo, "lib/new.ts").as_deref(), Some("old\n"));
}

#[test]
fn of_two_at_once_one_applies_and_the_other_finds_the_files_changed() {
    for _ in 0..5 {
        let repo = archived();
        repo.write("../reply.md", REPLY.as_bytes());
        let both = [(), ()].map(|()| repo.spawn(&["apply", "../reply.md", "--wait", "60"]));
        let mut codes = both.map(|child| child.wait_with_output().unwrap().status.code().unwrap());
        codes.sort_unstable();
        assert_eq!(codes, [0, 1]);
        assert_eq!(text(&repo, "lib/new.ts").as_deref(), Some("old\n"));
    }
}

#[test]
fn a_reply_or_undo_must_be_asked_for() {
    let repo = archived();
    for arguments in [&["apply"][..], &["apply", "--undo", "x"], &["apply", "nowhere.md"]] {
        assert_eq!(repo.run(arguments).code, 2, "{arguments:?}");
    }
    let empty = Repo::new("");
    assert_eq!(run_with_input(&empty.path(), &["apply", "-"], b"x").code, 2, "no archive");
}

#[test]
fn a_repository_without_a_workspace_gets_none_from_a_reply_that_cannot_be_checked() {
    let repo = Repo::with(&[("a.ts", "export {};\n"), ("reply.md", "nothing\n")]);
    let run = repo.run(&["apply", "reply.md"]);
    assert_ne!(run.code, 0);
    assert!(run.stderr.contains("archive.tar"), "{}", run.stderr);
    assert!(!repo.path().join(".stan").exists());
}
