//! Tests `portolan check-reply` against an archive that a run wrote.

use serde_json::Value;

use crate::support::Repo;

fn thread() -> Repo {
    let repo = Repo::with(&[
        ("src/a.ts", "import { b } from './b';\nexport const a = b;\n"),
        ("src/b.ts", "export const b = 1;\n"),
        (".stan/context/dependency.state.json", r#"{"v":2,"i":["src/a.ts"]}"#),
    ]);
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    repo
}

const BLIND: &str = "## Input Data Changes\n\n- `src/b.ts` — present: `yes`\n- dependency.state.json: no change\n\n\
```diff\n--- a/src/b.ts\n+++ b/src/b.ts\n@@ -1 +1 @@\n-export const b = 1;\n+export const b = 2;\n```\n";

#[test]
fn a_file_that_was_never_attached_may_not_be_patched() {
    let repo = thread();
    repo.write("reply.md", BLIND.as_bytes());
    let answer = repo.run(&["check-reply", "reply.md"]);
    assert_eq!(answer.code, 1);
    let wanted = "reply.md:3: `src/b.ts` is said to be present: yes [CTX-REPLY-0011]\n";
    assert!(answer.stdout.starts_with(wanted), "{}", answer.stdout);
    assert!(answer.stdout.contains("reply.md:7: `src/b.ts` is patched, and the archive does not"));
    assert_eq!(answer.stderr, "2 findings in a reply with 1 patched file\n");
    let json = repo.run(&["check-reply", "reply.md", "--format", "json"]);
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((json.code, &report["result"]["findings"][0]["line"]), (1, &Value::from(3)));
}

#[test]
fn a_reply_that_keeps_the_rules_passes_in_both_forms() {
    let repo = thread();
    let seen = BLIND.replace("src/b.ts", "src/a.ts").replace("@@ -1 +1 @@", "@@ -2 +2 @@");
    let seen = seen.replace("export const b = 1;", "export const a = b;");
    repo.write("reply.md", seen.as_bytes());
    let answer = repo.run(&["check-reply", "reply.md"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{}", answer.stderr);
    let json = repo.run(&["check-reply", "reply.md", "--format", "json"]).stdout;
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["result"]["findings"], serde_json::json!([]));
    assert_eq!(report["result"]["state"], "no change");
    assert_eq!(report["result"]["patches"][0]["path"], "src/a.ts");
}

#[test]
fn without_an_archive_there_is_nothing_to_check_against() {
    let repo = Repo::with(&[("reply.md", "hello")]);
    let answer = repo.run(&["check-reply", "reply.md"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("hint: `portolan run --context --meta`"), "{}", answer.stderr);
    repo.write(".stan/output/archive.tar", b"not an archive");
    assert_eq!(repo.run(&["check-reply", "reply.md"]).code, 2);
    assert_eq!(thread().run(&["check-reply", "gone.md"]).code, 2);
}

/// Checks a reply that changes one line of a file against a pack of `src/a.ts#a`.
fn packed(repo: &Repo, path: &str, line: u32, old: &str) -> (i32, String) {
    let reply =
        format!("```diff\n--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-{old}\n+new\n```\n");
    repo.write("reply.md", reply.as_bytes());
    let answer = repo.run(&["check-reply", "reply.md", "--pack", "pack.json"]);
    (answer.code, answer.stdout)
}

#[test]
fn a_reply_to_a_pack_may_change_only_the_shown_lines() {
    let repo = Repo::with(&[
        ("src/a.ts", "export function a() {\n  return 1;\n}\n\nconst hidden = 2;\n"),
        ("src/b.ts", "export const b = 1;\n"),
    ]);
    let made = repo.run(&["pack", "--at", "src/a.ts#a", "--out", "pack.json"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(packed(&repo, "src/a.ts", 2, "  return 1;"), (0, String::new()));
    let (code, text) = packed(&repo, "src/a.ts", 5, "const hidden = 2;");
    assert!(
        code == 1 && text.contains("line 5 of `src/a.ts` is changed, and the pack does not"),
        "{text}"
    );
    let (code, text) = packed(&repo, "src/b.ts", 1, "export const b = 1;");
    assert!(code == 1 && text.contains("the pack does not show it [CTX-REPLY-0013]"), "{text}");
    repo.write("src/a.ts", b"export function a() {\n  return 1;\n}\n");
    let (code, text) = packed(&repo, "src/a.ts", 2, "  return 1;");
    assert!(
        code == 1 && text.contains("is not as it was when the pack was made [CTX-REPLY-0024]"),
        "{text}"
    );
    repo.write("pack.json", b"{}");
    assert_eq!(packed(&repo, "src/a.ts", 2, "  return 1;").0, 2);
}
