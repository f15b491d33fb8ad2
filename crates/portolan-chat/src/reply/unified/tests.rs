//! Which diffs are read, and which are rejected.

use crate::reply::{FileOperation, read};

/// Checks each change with its hunks' old and new lines, and each problem, one line each.
#[track_caller]
fn check(text: &str, wanted: &[&str]) {
    assert_eq!(summarize(text), wanted, "{text}");
}

fn summarize(text: &str) -> Vec<String> {
    let reply = read(text);
    let name = |name: &crate::reply::WrittenPath| {
        name.bare.clone().unwrap_or_else(|| name.written.clone())
    };
    let changes = reply.changes.iter().map(|change| {
        let mark = if change.is_broken { "!" } else { "" };
        let what = match &change.what {
            FileOperation::Edit { path, hunks, mode } => {
                let mode = mode.map_or_else(String::new, |mode| format!(" {mode:?}"));
                format!("edit {} {}{mode}", name(path), hunks.len())
            }
            FileOperation::Create { path, lines, .. } => format!("create {} {lines:?}", name(path)),
            FileOperation::Replace { path, lines } => format!("replace {} {lines:?}", name(path)),
            FileOperation::Delete { path, .. } => format!("delete {}", name(path)),
            FileOperation::Move { from, to, .. } => format!("move {} {}", name(from), name(to)),
            FileOperation::Copy { from, to, .. } => format!("copy {} {}", name(from), name(to)),
            FileOperation::MakeFolder(path) => format!("make {}", name(path)),
            FileOperation::RemoveFolder(path) => format!("remove {}", name(path)),
        };
        format!("{}{mark} {what}", change.line)
    });
    let problems =
        reply.problems.iter().map(|problem| format!("{} ? {}", problem.line, problem.message));
    changes.chain(problems).collect()
}

const EDIT: &str = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b";

#[test]
fn a_diff_is_found_anywhere_in_a_reply() {
    let fenced = format!("```diff\n{EDIT}\n```");
    check(&fenced, &["2 edit x.ts 1"]);
    check(&format!("{EDIT}\n"), &["1 edit x.ts 1"]);
    check(&format!("said\n\n{EDIT}\n\nmore"), &["3 edit x.ts 1"]);
    check(&format!("{EDIT}\n").replace('\n', "\r\n"), &["1 edit x.ts 1"]);
    let indented = |by: &str| EDIT.replace('\n', &format!("\n{by}"));
    check(&format!("- ```diff\n  {}\n  ```", indented("  ")), &["2 edit x.ts 1"]);
    check(&format!("1. so:\n\n   ```diff\n   {}\n   ```", indented("   ")), &["4 edit x.ts 1"]);
    check(&format!("    ```diff\n    {}\n    ```", indented("    ")), &["2 edit x.ts 1"]);
    check(&format!("> ```diff\n> {}\n> ```", indented("> ")), &["2 edit x.ts 1"]);
    check(&format!("- so:\n  {}\n\nafter", indented("  ")), &["2 edit x.ts 1"]);
    check(&format!("- {}\nafter", indented("  ")), &["1 edit x.ts 1"]);
    check(&format!("````markdown\n```diff\n{EDIT}\n```\n````"), &["3 edit x.ts 1"]);
}

#[test]
fn every_way_to_name_a_file_is_read() {
    check("```\n--- x.ts\t2026\n+++ x.ts\n@@\n+b\n```", &["2 edit x.ts 1"]);
    check("### Patch: `y.ts`\n```diff\n@@ -1 +1 @@\n-a\n+b\n```", &["3 edit y.ts 1"]);
    check("**`y.ts`**\n\n```diff\n@@ -1 +1 @@\n-a\n+b\n```", &["4 edit y.ts 1"]);
    check("### Patch: y.json\n```json\n{}\n```", &["2 replace y.json [\"{}\"]"]);
    check("```diff\n@@ -1 +1 @@\n-a\n+b\n```", &["2 ? the patch names no file"]);
    check("### Example\n```ts\nlet a = 1;\n```", &[]);
}

#[test]
fn git_headers_determine_the_operation() {
    let text = "```diff\ndiff --git a/n.ts b/n.ts\nnew file mode 100755\nindex 000..123\n--- /dev/null\n+++ b/n.ts\n@@ -0,0 +1 @@\n+n\n\
                diff --git a/o.ts b/o.ts\ndeleted file mode 100644\n--- a/o.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-o\n\
                diff --git a/p.ts b/q.ts\nsimilarity index 100%\nrename from p.ts\nrename to q.ts\n\
                diff --git a/q.ts b/r.ts\ncopy from q.ts\ncopy to r.ts\n\
                diff --git a/m.sh b/m.sh\nold mode 100644\nnew mode 100755\n\
                diff --git a/e.ts b/e.ts\nnew file mode 100644\nindex 0..0\n-- \n2.50.1\n```";
    check(
        text,
        &[
            "2 create n.ts [\"n\"]",
            "9 delete o.ts",
            "15 move p.ts q.ts",
            "19 copy q.ts r.ts",
            "22 edit m.sh 0 Executable",
            "25 create e.ts []",
        ],
    );
}

#[test]
fn a_miscounted_hunk_is_counted_again() {
    let hunk =
        |header: &str, body: &str| format!("```diff\n--- a/x\n+++ b/x\n{header}\n{body}\n```");
    let noted = |text: &str, counts: &str| {
        let reply = read(text);
        let notes: Vec<_> = reply.notes.iter().map(|note| (note.line, &*note.message)).collect();
        let wanted = format!("the hunk header counts {counts}");
        assert_eq!(notes, [(4, wanted.as_str())], "{text}");
        check(text, &["2 edit x 1"]);
    };
    check(&hunk("@@ -1,2 +1,2 @@", " a\n-b\n+c"), &["2 edit x 1"]);
    check(&hunk("@@ -1,3 +1,3 @@", " a\n-b\n+c\n"), &["2 edit x 1"]);
    let short = "3 old and 2 new lines, but the hunk has 2 and 2";
    noted(&hunk("@@ -1,3 +1,2 @@", " a\n-b\n+c"), short);
    let long = "1 old and 1 new lines, but the hunk has 2 and 2";
    noted(&hunk("@@ -1 +1 @@", "-b\n+c\n-d\n+e"), long);
    let blank = "1 old and 1 new lines, but the hunk has 3 and 2";
    noted(&hunk("@@ -1 +1 @@", "-b\n\n+c\n-d"), blank);
    let dashes = "1 old and 9 new lines, but the hunk has 2 and 1";
    noted(&hunk("@@ -1 +1,9 @@", "-b\n--\n+c"), dashes);
    // The next hunk, the next file and the text after a blank line end a miscounted one.
    for rest in ["@@ -9 +9 @@\n-x\n+y", "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b", "\nThat is all."] {
        let reply = format!("--- a/x\n+++ b/x\n@@ -1,9 +1 @@\n-b\n+c\n{rest}\n");
        let read = read(&reply);
        assert_eq!((read.problems.len(), read.notes.len()), (0, 1), "{reply}");
    }
}

#[test]
fn a_hunk_that_may_be_cut_off_is_not_counted_again() {
    let last = |text: &str| summarize(text).last().cloned().unwrap_or_default();
    let head = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n";
    for (body, wanted) in [
        (" a\n-b\n+c\n", "cut off"),
        (" a\n-b\n+c\nraw\n d\n", "begins like this"),
        (" a\n-b\n+c\n\td\n", "begins like this"),
        (" a\n-b\n+c\n d", "no line end: the reply may be cut off"),
        (" a\n-b\n+c\n d\n\\No newline at end of file\n", "No newline"),
        (" a\n-b\n+c\n d\n\\\n", "No newline"),
        (" a\n-b\n\\ No newline at end of file\n+c\n d\n", "after the one that has no line end"),
        ("\\ No newline at end of file\n a\n-b\n+c\n d\n", "No newline"),
    ] {
        let text = format!("{head}{body}");
        assert!(last(&text).contains(wanted), "{text}: {:?}", summarize(&text));
    }
    let header = "4 ? a hunk's header is `@@ -FIRST,COUNT +FIRST,COUNT @@`";
    for bad in [
        "@@ -1 @@",
        "@@ -1,x +1 @@",
        "@@ -0,1 +1 @@",
        "@@ -1 +1",
        "@@ -99999999999999999999 +1 @@",
        "@@ 1,3 +1,3 @@",
        "@@ -1,3 1,3 @@",
        "@@  -1,3 +1,3 @@",
        "@@-1,3 +1,3 @@",
        "@@ -1,3+1,3 @@",
        "@@ -1,3 +1,3@@",
        "@@ +1,3 @@",
    ] {
        check(
            &format!("```diff\n--- a/x\n+++ b/x\n{bad}\n-b\n+c\n```"),
            &["2! edit x 0", header][..],
        );
    }
}

#[test]
fn text_that_only_looks_like_a_patch_is_reported() {
    let first = |text: &str| summarize(text).last().cloned().unwrap_or_default();
    for (text, wanted) in [
        ("```diff\n-a\n+b\n```", "no hunk"),
        ("```diff\nsaid\n```", "without a patch"),
        ("```diff\n--- a/x\n+++ b/x\n```", "no hunk"),
        ("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b", "two names differ"),
        ("diff --git a/x b/x\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b", "differ from those of"),
        ("diff --git a/x b/y\nrename from x\n", "two names"),
        ("diff --git a/x b/y\nrename from x\nrename to z", "of its rename"),
        ("diff --git a/x b/x\nnew file mode 120000\n", "symbolic link"),
        (
            "diff --git a/x b/x\nindex 1..2 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b",
            "submodule",
        ),
        ("diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 1", "binary"),
        ("diff --git a/x b/x\nBinary files a/x and b/x differ", "binary"),
        ("@@ -1 +1 @@\n-a\n+b", "belongs to no file"),
        ("*** x\n***************\n", "context diff"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n a", "changes nothing"),
        ("```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", "not closed"),
        ("### Patch: `x`\nnothing", "there is none"),
        ("--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", "has old lines"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b", "names no file"),
        ("@@@ -1 -1 +1 @@@\n", "combined"),
    ] {
        let text = format!("{text}\n");
        assert!(first(&text).contains(wanted), "{text}: {:?}", summarize(&text));
    }
}
