//! What is read of a diff, and what is refused.

use crate::reply::{read, What};

/// Each change with its hunks' old and new lines, and each problem, a line each.
#[track_caller]
fn check(text: &str, wanted: &[&str]) {
    assert_eq!(told(text), wanted, "{text}");
}

fn told(text: &str) -> Vec<String> {
    let reply = read(text);
    let name = |name: &crate::reply::Name| name.bare.clone().unwrap_or_else(|| name.written.clone());
    let changes = reply.changes.iter().map(|change| {
        let mark = if change.is_broken { "!" } else { "" };
        let what = match &change.what {
            What::Edit { path, hunks, mode } => {
                let mode = mode.map_or_else(String::new, |mode| format!(" {mode:?}"));
                format!("edit {} {}{mode}", name(path), hunks.len())
            }
            What::Create { path, lines, .. } => format!("create {} {lines:?}", name(path)),
            What::Replace { path, lines } => format!("replace {} {lines:?}", name(path)),
            What::Delete { path, .. } => format!("delete {}", name(path)),
            What::Move { from, to, .. } => format!("move {} {}", name(from), name(to)),
            What::Copy { from, to, .. } => format!("copy {} {}", name(from), name(to)),
            What::MakeFolder(path) => format!("make {}", name(path)),
            What::RemoveFolder(path) => format!("remove {}", name(path)),
        };
        format!("{}{mark} {what}", change.line)
    });
    let problems =
        reply.problems.iter().map(|problem| format!("{} ? {}", problem.line, problem.message));
    changes.chain(problems).collect()
}

const EDIT: &str = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b";

#[test]
fn a_diff_is_found_wherever_it_stands() {
    let fenced = format!("```diff\n{EDIT}\n```");
    check(&fenced, &["2 edit x.ts 1"]);
    check(EDIT, &["1 edit x.ts 1"]);
    check(&format!("said\n\n{EDIT}\n\nmore"), &["3 edit x.ts 1"]);
    check(&EDIT.replace('\n', "\r\n"), &["1 edit x.ts 1"]);
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
fn each_way_to_name_a_file_is_understood() {
    check("```\n--- x.ts\t2026\n+++ x.ts\n@@\n+b\n```", &["2 edit x.ts 1"]);
    check("### Patch: `y.ts`\n```diff\n@@ -1 +1 @@\n-a\n+b\n```", &["3 edit y.ts 1"]);
    check("**`y.ts`**\n\n```diff\n@@ -1 +1 @@\n-a\n+b\n```", &["4 edit y.ts 1"]);
    check("### Patch: y.json\n```json\n{}\n```", &["2 replace y.json [\"{}\"]"]);
    check("```diff\n@@ -1 +1 @@\n-a\n+b\n```", &["2 ? the patch names no file"]);
    check("### Example\n```ts\nlet a = 1;\n```", &[]);
}

#[test]
fn a_git_diff_says_what_becomes_of_each_file() {
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
fn counts_are_held_to_the_line() {
    let hunk =
        |header: &str, body: &str| format!("```diff\n--- a/x\n+++ b/x\n{header}\n{body}\n```");
    let miscounted = |counts: &str| format!("4 ? the hunk counts {counts}");
    check(&hunk("@@ -1,2 +1,2 @@", " a\n-b\n+c"), &["2 edit x 1"]);
    check(&hunk("@@ -1,3 +1,3 @@", " a\n-b\n+c\n"), &["2 edit x 1"]);
    let short = miscounted("3 old and 2 new lines, and has 2 and 2");
    check(&hunk("@@ -1,3 +1,2 @@", " a\n-b\n+c"), &["2! edit x 1", &short]);
    let long = miscounted("1 old and 1 new lines, and has 2 and 2");
    check(&hunk("@@ -1 +1 @@", "-b\n+c\n-d\n+e"), &["2! edit x 1", &long]);
    let raw = miscounted("2 old and 2 new lines, and has 1 and 1");
    check(&hunk("@@ -1,2 +1,2 @@", "-b\n+c\nraw"), &["2! edit x 1", &raw]);
    let header = "4 ? a hunk's header is `@@ -FIRST,COUNT +FIRST,COUNT @@`";
    for bad in
        ["@@ -1 @@", "@@ -1,x +1 @@", "@@ -0,1 +1 @@", "@@ -1 +1", "@@ -99999999999999999999 +1 @@"]
    {
        check(&hunk(bad, "-b\n+c"), &["2! edit x 0", header][..]);
    }
}

#[test]
fn what_only_looks_like_a_patch_is_told() {
    let first = |text: &str| told(text).last().cloned().unwrap_or_default();
    for (text, wanted) in [
        ("```diff\n-a\n+b\n```", "no hunk"),
        ("```diff\nsaid\n```", "without a patch"),
        ("```diff\n--- a/x\n+++ b/x\n```", "no hunk"),
        ("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b", "two names differ"),
        ("diff --git a/x b/x\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b", "are not those of"),
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
        ("--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", "there already"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b", "names no file"),
        ("@@@ -1 -1 +1 @@@\n", "combined"),
    ] {
        assert!(first(text).contains(wanted), "{text}: {:?}", told(text));
    }
}
