//! Accepted replies: each with the resulting files, and undone again.

use std::path::Path;

use portolan_testkit::reliability;
use portolan_vfs::System;

use super::{ABC, apply_to, findings, repository, tree, undo_in};

/// A file afterwards; `None` if it was removed.
type After = (&'static str, Option<&'static str>);

const B5: &str = "export const a = 1;\nexport const b = 5;\nexport const c = 3;\n";
const HUNK: &str = "@@ -2 +2 @@\n-export const b = 2;\n+export const b = 5;";

fn diff(path: &str, hunks: &str) -> String {
    format!("--- a/{path}\n+++ b/{path}\n{hunks}\n")
}

fn fenced(text: &str) -> String {
    format!("```diff\n{}\n```\n", text.trim_end())
}

fn begin(text: &str) -> String {
    format!("*** Begin Patch\n{text}\n*** End Patch\n")
}

fn search(path: &str, old: &str, new: &str) -> String {
    format!("{path}\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n")
}

fn ops(lines: &str) -> String {
    format!("### File Ops\n\n```\n{lines}\n```\n")
}

fn indented(text: &str, by: &str) -> String {
    text.trim_end().lines().map(|line| format!("{by}{line}\n")).collect()
}

/// Diffs at every possible position.
fn placed() -> Vec<(&'static str, String)> {
    let edit = diff("src/a.ts", HUNK);
    let block = fenced(&edit);
    vec![
        ("in a block", block.clone()),
        ("in a block of another language", block.replace("```diff", "```patch")),
        ("in a block of no language", block.replace("```diff", "```")),
        ("between tildes", block.replace("```", "~~~")),
        ("in a long fence", block.replace("```", "`````")),
        ("unfenced", edit.clone()),
        ("unfenced between words", format!("So:\n\n{edit}\nThat is all.\n")),
        ("with line ends of Windows", block.replace('\n', "\r\n")),
        ("behind a byte order mark", format!("\u{feff}{edit}")),
        ("in a list item", format!("1. First:\n\n{}", indented(&block, "   "))),
        ("in a bullet", format!("- {}", indented(&block, "  ").trim_start())),
        ("in a deeper bullet", format!("- x\n  - y\n{}", indented(&block, "    "))),
        ("indented by a tab", indented(&block, "\t")),
        ("quoted", indented(&block, "> ")),
        ("unfenced in a list item", format!("- so:\n{}", indented(&edit, "  "))),
        ("inside a document", format!("````markdown\n{block}````\n")),
        ("below a heading", format!("### Patch: `src/a.ts`\n\n{}", fenced(HUNK))),
        ("below its path", format!("`src/a.ts`:\n\n{}", fenced(HUNK))),
        (
            "with a mail around it",
            format!("```diff\nFrom: me\nSubject: x\n\n{edit}-- \n2.50\n```\n"),
        ),
        ("with the end of a page behind it", format!("{block}\n\n---\n\nDone.\n")),
    ]
}

/// Diffs in every notation.
fn written() -> Vec<(&'static str, String)> {
    let git = format!(
        "diff --git a/src/a.ts b/src/a.ts\nindex 1111111..2222222 100644\n{}",
        diff("src/a.ts", HUNK)
    );
    vec![
        ("as git writes it", fenced(&git)),
        ("without prefixes", fenced(&diff("src/a.ts", HUNK).replace("a/src", "src").replace("b/src", "src"))),
        ("with times", fenced(&diff("src/a.ts", HUNK).replace("a.ts\n", "a.ts\t2026-01-01 00:00:00\n"))),
        ("with other prefixes", fenced(&diff("src/a.ts", HUNK).replace("a/src", "i/src").replace("b/src", "w/src"))),
        ("with quotes", fenced(&diff("src/a.ts", HUNK).replace("a/src/a.ts", "\"a/src/a.ts\""))),
        ("with what the hunk is in", fenced(&diff("src/a.ts", &HUNK.replacen("@@\n", "@@ export\n", 1)))),
        ("with lines around", fenced(&diff("src/a.ts", "@@ -1,3 +1,3 @@\n export const a = 1;\n-export const b = 2;\n+export const b = 5;\n export const c = 3;"))),
        ("with wrong numbers and one place", fenced(&diff("src/a.ts", &HUNK.replace("-2 +2", "-40 +41")))),
        ("with too high counts", fenced(&diff("src/a.ts", &HUNK.replace("-2 +2", "-2,4 +2,9")))),
        ("with too low counts", fenced(&diff("src/a.ts", "@@ -1 +1 @@\n export const a = 1;\n-export const b = 2;\n+export const b = 5;\n export const c = 3;"))),
        ("with too low counts, unfenced", diff("src/a.ts", "@@ -1 +1 @@\n export const a = 1;\n-export const b = 2;\n+export const b = 5;\n export const c = 3;")),
        ("with too high counts before words", format!("{}\nThat is all.\n", diff("src/a.ts", &HUNK.replace("-2 +2", "-2,4 +2,9")))),
        ("without numbers", fenced(&diff("src/a.ts", &HUNK.replace("@@ -2 +2 @@", "@@ ... @@")))),
        ("as a patch in an envelope", begin(&format!("*** Update File: src/a.ts\n{}", HUNK.replace("@@ -2 +2 @@", "@@")))),
        ("in an envelope without a mark", begin("*** Update File: src/a.ts\n-export const b = 2;\n+export const b = 5;")),
        ("in an envelope behind an anchor", begin("*** Update File: src/a.ts\n@@ export const a = 1;\n-export const b = 2;\n+export const b = 5;")),
        ("in a fenced envelope", format!("```\n{}```\n", begin(&format!("*** Update File: src/a.ts\n{}", HUNK.replace("@@ -2 +2 @@", "@@"))))),
        ("searched and replaced", search("src/a.ts", "export const b = 2;\n", "export const b = 5;\n")),
        ("searched with more around", search("**src/a.ts**", ABC, B5)),
        ("searched, the path in the block", "```ts\nsrc/a.ts\n<<<<<<< SEARCH\nexport const b = 2;\n=======\nexport const b = 5;\n>>>>>>> REPLACE\n```\n".to_owned()),
        ("searched, unfenced", "src/a.ts\n<<<<<<< SEARCH\nexport const b = 2;\n=======\nexport const b = 5;\n>>>>>>> REPLACE\n".to_owned()),
        ("searched with other marks", "src/a.ts\n```\n------- SEARCH\nexport const b = 2;\n=======\nexport const b = 5;\n+++++++ REPLACE\n```\n".to_owned()),
        ("searched with other words", "src/a.ts\n```\n<<<<<<< ORIGINAL\nexport const b = 2;\n=======\nexport const b = 5;\n>>>>>>> UPDATED\n```\n".to_owned()),
        ("below a heading of its file", format!("### Update: `src/a.ts`\n\n{}", fenced(&diff("src/a.ts", HUNK)))),
        ("beside a comment", format!("<!-- see `-->` -->\n\n{}\nuse <!-- here.\n", fenced(&diff("src/a.ts", HUNK)))),
        ("beside a session", format!("{}\n### Update: `src/a.ts`\n```bash\nnpm test src/a.ts\n```\n", fenced(&diff("src/a.ts", HUNK)))),
        ("as a whole file", format!("### Patch: `src/a.ts`\n\n```ts\n{B5}```\n")),
    ]
}

/// A patch next to explanations.
#[expect(clippy::too_many_lines, reason = "a table")]
fn explained() -> Vec<(&'static str, String)> {
    let patch = fenced(&diff("src/a.ts", HUNK));
    let with = |text: &str| format!("{patch}\n{text}\n");
    let block = |above: &str, language: &str, text: &str| {
        with(&format!("{above}\n```{language}\n{text}\n```"))
    };
    vec![
        ("the old text below its path", block("`src/a.ts`:", "ts", "export const b = 2;")),
        ("the new text below its path", block("`src/a.ts` is now:", "ts", B5)),
        (
            "the new text below a heading",
            block("### `src/a.ts`\n", "ts", "export const b = 5;\nexport const c = 3;"),
        ),
        ("the new text with its path inside", block("", "ts", "// src/a.ts\nexport const b = 5;")),
        (
            "the old text behind a colon",
            block("", "ts:src/a.ts", "export const a = 1;\n\nexport const b = 2;"),
        ),
        (
            "the old text, indented",
            block("In `src/a.ts`:", "ts", "    export const b = 2;\n    export const c = 3;"),
        ),
        (
            "the old text with gaps",
            block(
                "src/a.ts",
                "ts",
                "// ...\nexport const a = 1;\n// ... rest unchanged\nexport const c = 3;",
            ),
        ),
        ("a file that the archive lacks", block("unseen.ts:", "ts", "unseen")),
        ("the old text in tags", with("<file path=\"src/a.ts\">\nexport const a = 1;\n</file>")),
        (
            "an example of use",
            block("You call it like this:", "ts", "import { b } from './a';\nb + 1;"),
        ),
        ("an example below a name with a dot", block("`console.log`:", "ts", "console.log(b);")),
        ("an example below the name of a program", block("Node.js:", "js", "run();")),
        (
            "a sentence with a path",
            block("The tests of `src/a.ts` fail with this:", "", "expected 2 to be 5"),
        ),
        ("an error below a path", block("src/a.ts:", "text", "TypeError: b is 2")),
        (
            "what to run",
            block(
                "Then run:",
                "bash",
                "npm install\nnpm test -- src/a.ts\ngit add -A && git commit -m 'b is 5'",
            ),
        ),
        (
            "what to run and keep",
            block(
                "",
                "sh",
                "npm test > /tmp/out.txt 2>&1\nnpm run build 2> /dev/null | tee /tmp/log\nnode src/a.ts > out.txt",
            ),
        ),
        (
            "what to clean",
            block(
                "If it fails:",
                "bash",
                "rm -rf node_modules dist .cache\nmkdir -p build\nnpm ci",
            ),
        ),
        (
            "what to set up",
            block("Once:", "bash", "cp .env.example .env\necho 'KEY=1' >> .env\nchmod +x run.sh"),
        ),
        (
            "a text for elsewhere",
            block(
                "",
                "bash",
                "cat > /tmp/in.json <<'EOF'\n{\"path\": \"x\"}\nEOF\ncurl -d @/tmp/in.json localhost",
            ),
        ),
        ("a text for a program", block("", "bash", "psql <<SQL\nselect 1;\nSQL")),
        (
            "how to take it back",
            block("To take it back:", "bash", "git checkout -- src/a.ts\ngit restore src/a.ts"),
        ),
        (
            "data of an answer",
            block("It answers:", "json", "{\"path\": \"/users\", \"content\": \"x\", \"op\": 1}"),
        ),
        (
            "data that names a file",
            block("The config has:", "json", "{\"main\": \"src/a.ts\", \"file\": \"x\"}"),
        ),
        (
            "tags of a page",
            block(
                "",
                "html",
                "<img src=\"src/a.png\">\n<link href=\"a/b.css\">\n<Route path=\"/users\">\n</Route>",
            ),
        ),
        ("a command in a sentence", with("I did not `rm src/a.ts`, since `mv` is enough.")),
        ("a table", with("| file | why |\n| --- | --- |\n| `src/a.ts` | b |")),
        ("a list of files", with("- `src/a.ts`: b is 5 now\n- `a/b.ts`: as it was")),
        ("a rule", with("---\n\n=====\n\n--- see src/a.ts")),
        ("shift operators", block("", "c", "x = 1 << 3;\ny = x << n > 2;")),
        (
            "a patch from a heredoc",
            format!("```bash\ngit apply <<'EOF'\n{}EOF\n```\n", diff("src/a.ts", HUNK)),
        ),
        (
            "a patch put into a file first",
            format!(
                "```bash\ncat > b.patch <<'EOF'\n{}EOF\ngit apply b.patch\n```\n",
                diff("src/a.ts", HUNK)
            ),
        ),
        (
            "an envelope from a heredoc",
            format!(
                "```bash\napply_patch <<'EOF'\n{}EOF\n```\n",
                begin(&format!("*** Update File: src/a.ts\n{}", HUNK.replace("@@ -2 +2 @@", "@@")))
            ),
        ),
    ]
}

/// Replies with other resulting files.
fn others() -> Vec<(&'static str, String, Vec<After>)> {
    let one = |name, reply: String, path, text| (name, reply, vec![(path, text)]);
    let new_file =
        |path: &str| format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,2 @@\n+one\n+two\n");
    let note = "\\ No newline at end of file";
    vec![
        one("a new file", fenced(&new_file("src/new/n.ts")), "src/new/n.ts", Some("one\ntwo\n")),
        one("a new file of git", fenced(&format!("diff --git a/n.ts b/n.ts\nnew file mode 100644\n{}", new_file("n.ts"))), "n.ts", Some("one\ntwo\n")),
        one("a new file without a last line end", fenced(&format!("{}{note}", new_file("n.ts"))), "n.ts", Some("one\ntwo")),
        one("a new empty file", fenced("diff --git a/e b/e\nnew file mode 100644\nindex 0..0\n"), "e", Some("")),
        one("a new file in an envelope", begin("*** Add File: n.ts\n+one\n+\n+two"), "n.ts", Some("one\n\ntwo\n")),
        one("a new file by an empty search", search("n.ts", "", "one\n"), "n.ts", Some("one\n")),
        one("a new whole file", "### Patch: n.json\n```json\n{}\n```\n".to_owned(), "n.json", Some("{}\n")),
        one("a deletion", fenced("--- a/src/deep/only.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-only\n"), "src/deep/only.ts", None),
        one("a deletion of git", fenced("diff --git a/src/deep/only.ts b/src/deep/only.ts\ndeleted file mode 100644\nindex 1..0\n--- a/src/deep/only.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-only\n"), "src/deep/only.ts", None),
        one("a deletion of an empty file", fenced("diff --git a/src/empty.ts b/src/empty.ts\ndeleted file mode 100644\nindex 1..0\n"), "src/empty.ts", None),
        one("a deletion in an envelope", begin("*** Delete File: src/deep/only.ts"), "src/deep/only.ts", None),
        one("a deletion by operation", ops("rm src/deep/only.ts"), "src/deep/only.ts", None),
        one("a deletion below other words", ops("rm src/deep/only.ts").replace("Ops", "Operations:"), "src/deep/only.ts", None),
        one("a deletion below bold words", ops("rm src/deep/only.ts").replace("### File Ops", "**File Ops**"), "src/deep/only.ts", None),
        ("a rename", fenced("diff --git a/src/a.ts b/src/z.ts\nsimilarity index 100%\nrename from src/a.ts\nrename to src/z.ts\n"), vec![("src/a.ts", None), ("src/z.ts", Some(ABC))]),
        ("a rename with an edit", fenced(&format!("diff --git a/src/a.ts b/src/z.ts\nsimilarity index 80%\nrename from src/a.ts\nrename to src/z.ts\n--- a/src/a.ts\n+++ b/src/z.ts\n{HUNK}")), vec![("src/a.ts", None), ("src/z.ts", Some(B5))]),
        ("a copy", fenced("diff --git a/src/a.ts b/src/z.ts\nsimilarity index 100%\ncopy from src/a.ts\ncopy to src/z.ts\n"), vec![("src/a.ts", Some(ABC)), ("src/z.ts", Some(ABC))]),
        ("a move in an envelope", begin("*** Update File: src/a.ts\n*** Move to: src/z.ts\n@@\n-export const b = 2;\n+export const b = 5;"), vec![("src/a.ts", None), ("src/z.ts", Some(B5))]),
        ("a move by operation, edited under its new name", ops("mv src/a.ts src/z.ts") + &fenced(&diff("src/z.ts", HUNK)), vec![("src/a.ts", None), ("src/z.ts", Some(B5))]),
        ("a copy by operation", ops("mkdirp src/new\ncp src/a.ts src/new/z.ts"), vec![("src/new/z.ts", Some(ABC))]),
        ("two files that change places", ops("mv src/a.ts a/b.ts\nmv a/b.ts src/a.ts"), vec![("src/a.ts", Some("ab\n")), ("a/b.ts", Some(ABC))]),
        ("a file that becomes a folder", ops("mv src/a.ts src/z.ts") + &fenced(&new_file("src/a.ts/n.ts")), vec![("src/a.ts", None), ("src/z.ts", Some(ABC)), ("src/a.ts/n.ts", Some("one\ntwo\n"))]),
        ("a folder that goes with its file", ops("rm src/deep/only.ts\nrmdir src/deep"), vec![("src/deep/only.ts", None)]),
        one("operations as a list", "## File Ops\n\n- `rm src/deep/only.ts`\n".to_owned(), "src/deep/only.ts", None),
        ("two files", fenced(&(diff("src/a.ts", HUNK) + &diff("a/b.ts", "@@ -1 +1 @@\n-ab\n+AB"))), vec![("src/a.ts", Some(B5)), ("a/b.ts", Some("AB\n"))]),
        one("two hunks", fenced(&diff("src/a.ts", "@@ -1 +1 @@\n-export const a = 1;\n+A\n@@ -3 +3 @@\n-export const c = 3;\n+C")), "src/a.ts", Some("A\nexport const b = 2;\nC\n")),
        one("two patches of one file", fenced(&diff("src/a.ts", "@@ -1 +1,2 @@\n-export const a = 1;\n+A\n+AA")) + &fenced(&diff("src/a.ts", "@@ -4 +4 @@\n-export const c = 3;\n+C")), "src/a.ts", Some("A\nAA\nexport const b = 2;\nC\n")),
        one("two searches in one file", search("src/a.ts", "export const a = 1;\n", "A\n") + &search("src/a.ts", "export const c = 3;\n", ""), "src/a.ts", Some("A\nexport const b = 2;\n")),
        one("lines that are there twice, by their number", fenced(&diff("src/twice.ts", "@@ -3 +3 @@\n-x\n+z")), "src/twice.ts", Some("x\ny\nz\ny\n")),
        one("lines that are only put in", fenced(&diff("src/twice.ts", "@@ -2,0 +3 @@\n+z")), "src/twice.ts", Some("x\ny\nz\nx\ny\n")),
        one("a file of Windows", fenced(&diff("src/crlf.ts", "@@ -2 +2,2 @@\n-two\n+2\n+2.5")), "src/crlf.ts", Some("one\r\n2\r\n2.5\r\nthree\r\n")),
        one("a file without a last line end", fenced(&diff("src/bare.txt", "@@ -1,2 +1,2 @@\n first\n-last\n+end")), "src/bare.txt", Some("first\nend")),
        one("one that gets it", fenced(&diff("src/bare.txt", &format!("@@ -2 +2 @@\n-last\n{note}\n+last"))), "src/bare.txt", Some("first\nlast\n")),
        one("a file with a byte order mark", fenced(&diff("src/marked.ts", "@@ -1 +1 @@\n-let m = 1;\n+let m = 9;")), "src/marked.ts", Some("\u{feff}let m = 9;\nlet n = 2;\n")),
        one("text in an empty file", fenced(&diff("src/empty.ts", "@@ -0,0 +1 @@\n+x")), "src/empty.ts", Some("x\n")),
        one("a file with fences in it", "~~~diff\n--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ -2,4 +2,4 @@\n \n ```ts\n-code\n+more\n ```\n~~~\n".to_owned(), "docs/guide.md", Some("# Guide\n\n```ts\nmore\n```\n\n- item\n")),
        one("an empty line that lost its space", fenced(&diff("docs/guide.md", "@@ -5,3 +5,3 @@\n ```\n\n-- item\n+- thing")).replace("```diff", "~~~diff").replace("thing\n```", "thing\n~~~"), "docs/guide.md", Some("# Guide\n\n```ts\ncode\n```\n\n- thing\n")),
        one("a folder that is called a", fenced(&diff("a/b.ts", "@@ -1 +1 @@\n-ab\n+AB")), "a/b.ts", Some("AB\n")),
        one("the same without prefixes", fenced("--- a/b.ts\n+++ a/b.ts\n@@ -1 +1 @@\n-ab\n+AB\n"), "a/b.ts", Some("AB\n")),
        one("a script, which stays one", fenced(&diff("run.sh", "@@ -2 +2 @@\n-echo hi\n+echo ho")), "run.sh", Some("#!/bin/sh\necho ho\n")),
        ("only a mode", fenced("diff --git a/src/a.ts b/src/a.ts\nold mode 100644\nnew mode 100755\n"), vec![("src/a.ts", Some(ABC))]),
    ]
}

#[test]
fn a_good_reply_is_applied_and_can_be_taken_back() {
    let same = placed().into_iter().chain(written()).chain(explained());
    let same = same.map(|(name, reply)| (name, reply, vec![("src/a.ts", Some(B5))]));
    let cases: Vec<_> = same.chain(others()).collect();
    let count = cases.len();
    assert!(count >= 60, "{count}");
    for (name, reply, wanted) in cases {
        let system = repository();
        let before = tree(&system);
        assert_eq!(findings(&system, &reply), [""; 0], "{name}:\n{reply}");
        let report = apply_to(&system, &reply);
        assert!(report.is_applied, "{name}");
        let mut expected = before.clone();
        for (path, text) in wanted {
            match text {
                Some(text) => expected.insert(path.to_owned(), text.to_owned()),
                None => expected.remove(path),
            };
        }
        assert_eq!(tree(&system), expected, "{name}:\n{reply}");
        undo_in(&system);
        assert_eq!(tree(&system), before, "{name} taken back");
    }
    reliability::row(
        "replies",
        "valid replies: unified and git diffs, envelopes, searches, file operations, beside quoted code",
        count,
        "no finding; applied and undone byte for byte",
    );
}

#[test]
fn permissions_are_kept_and_set() {
    let executable =
        |system: &dyn System, path: &str| system.stat(Path::new(path)).unwrap().executable;
    let system = repository();
    apply_to(&system, &fenced(&diff("run.sh", "@@ -2 +2 @@\n-echo hi\n+echo ho")));
    assert!(executable(&system, "/r/run.sh"));
    apply_to(
        &system,
        &fenced("diff --git a/src/a.ts b/src/a.ts\nold mode 100644\nnew mode 100755\n"),
    );
    assert!(executable(&system, "/r/src/a.ts"));
    undo_in(&system);
    assert!(!executable(&system, "/r/src/a.ts"));
    apply_to(
        &system,
        &fenced(
            "diff --git a/n.sh b/n.sh\nnew file mode 100755\n--- /dev/null\n+++ b/n.sh\n@@ -0,0 +1 @@\n+x\n",
        ),
    );
    assert!(executable(&system, "/r/n.sh"));
    let system = repository();
    apply_to(&system, &ops("cp run.sh go.sh"));
    assert!(executable(&system, "/r/go.sh"));
}
