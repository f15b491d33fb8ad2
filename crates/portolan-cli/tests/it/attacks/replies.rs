//! Replies and journals that try to make `apply` write forbidden files.

use std::fs;
use std::os::unix::fs::MetadataExt;

use portolan_testkit::reliability;
use portolan_vfs::sha256;

use super::{CANARY, Lair, json, put};

const APPLY: &[&str] = &["apply", "-", "--lenient"];
const FOLDER: &str = ".stan/patch/portolan";

/// A repository with an archive of its three files.
fn lair() -> Lair {
    let lair = Lair::new(&[
        ("src/a.ts", "export const a = 1;\n"),
        ("src/deep/b.ts", "b\n"),
        ("notes.md", "notes\n"),
        (".env", &format!("KEY={CANARY}\n")),
        (".git/HEAD", "ref: refs/heads/main\n"),
    ]);
    assert_eq!(lair.run(&["run"]).code, 0);
    lair
}

fn edit(path: &str, old: &str) -> String {
    format!("```diff\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+x\n```\n")
}

fn new_file(path: &str) -> String {
    format!("```diff\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n```\n")
}

/// Names that no reply may give a file.
const FORBIDDEN_NAMES: &[&str] = &[
    ".git\u{200b}/x",
    "a/.git/hooks/x",
    ".gitmodules/../.git/x",
    ".git::$INDEX_ALLOCATION/x",
    "GIT~1/config",
    "C:/x",
    "\\\\srv\\x",
    "src//b.ts",
    "src/./b.ts",
    "src/a.ts/",
    "src/a.ts/b",
    "new/",
    ".stan/output/x",
    ".stan/imports/x/y",
    "stan.config.json",
    ".env",
    ".env.local",
    ".Env",
    "x/.env",
    "prod.env",
    ".netrc",
    "id_rsa",
    "con",
    "aux.ts",
    "nul.txt",
    "a.ts.",
    "SRC/b.ts",
    "src/A.ts",
    "a\u{2028}b",
    "notes.md",
];

/// File operations that no reply may ask for.
const FORBIDDEN_OPERATIONS: &[&str] = &[
    "mv .env src/",
    "mv ./.env ./x",
    "cp ./././.env x",
    "cp .//.env x",
    "mv src/a.ts .env",
    "cp notes.md .git/x",
    "mv notes.md ''",
    "mv '' x",
    "rm .env",
    "mkdirp .git/x",
    "mkdirp .stan/output/y",
    "mv src/a.ts notes.md",
    "cp src/a.ts notes.md",
    "mv src src2",
    "cp -r src x",
    "rm -rf src",
    "rm src/",
    "mv src/a.ts src/a.ts/",
    "ln -s /etc/passwd x",
    "chmod 777 src/a.ts",
    "touch x",
];

/// Patches that git refuses, that hide something, or that name files which they may not.
const FORBIDDEN_PATCHES: &[&str] = &[
    "```diff\ndiff --git a/.env b/x\nsimilarity index 100%\nrename from .env\nrename to x\n```\n",
    "```diff\ndiff --git a/notes.md b/\nrename from notes.md\nrename to \n```\n",
    "```diff\ndiff --git a/notes.md b/n/\nrename from notes.md\nrename to n/\n```\n",
    "```diff\ndiff --git a/notes.md b/notes.md\nold mode 100644\nnew mode 120000\n```\n",
    "```diff\ndiff --git a/n b/n\nnew file mode 100777\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n```\n",
    "```diff\n--- a/notes.md\n+++ b/src/a.ts\n@@ -1 +1 @@\n-notes\n+x\n```\n",
    "```diff\n--- a/notes.md\n+++ b/notes.md\n@@ 1 +1 @@\n-notes\n+x\n```\n",
    "```diff\n--- a/notes.md\n+++ b/notes.md\n@@ -1 +1 @@\n-notes\n+x\n\\No newline\n```\n",
    "--- a/notes.md\n+++ b/notes.md\n@@ -1,3 +1,3 @@\n-notes\n+x\n",
    "--- a/notes.md\n+++ b/notes.md\n@@ -1,3 +1,3 @@\n-notes\n+x\nraw\n",
    "--- a/notes.md\n+++ b/notes.md\n@@ -1 +1 @@\n-notes\n+x",
    "```diff\n--- a/notes.md\n+++ b/notes.md\n@@ -1 +1 @@\n-notes\n+x\n",
    "*** Begin Patch\n*** Add File: .git/x\n+x\n*** End Patch\n",
    "*** Begin Patch\n*** Delete File: .env\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: notes.md\n*** Move to: .git/x\n@@\n-notes\n+x\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: notes.md\n*** Move to: n/\n@@\n-notes\n+x\n*** End Patch\n",
    "### Patch: .env\n```\nx\n```\n",
    "### Patch: .git/config\n```\nx\n```\n",
    "### Patch: src/\n```\nx\n```\n",
];

#[test]
fn no_reply_writes_forbidden_files() {
    let ops = |line: &str| format!("### File Ops\n- `{line}`\n");
    let special = |mode: &str, text: &str| {
        format!(
            "```diff\ndiff --git a/x b/x\nnew file mode {mode}\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+{text}\n```\n"
        )
    };
    let replies = [
        new_file("../outside/new"),
        new_file("/tmp/portolan-attack"),
        new_file("src/../../outside/new"),
        new_file(".git/hooks/post-checkout"),
        new_file(".Git/hooks/post-checkout"),
        new_file(".git /hooks/post-checkout"),
        new_file("sub/.git/config"),
        new_file(".stan/diff/x"),
        new_file(".stan/patch/portolan/next/journal.json"),
        new_file("stan.config.yml"),
        new_file("src/stan.config.json"),
        new_file("src/\u{202e}st.a"),
        new_file("src/\u{1b}[2J.ts"),
        edit(".env", &format!("KEY={CANARY}")),
        edit(".git/HEAD", "ref: refs/heads/main"),
        ops("cp .env notes.txt"),
        ops("mv .env notes.txt"),
        ops("cp ../outside/secret.txt notes.txt"),
        ops("cp .git/HEAD head.txt"),
        ops("mv src/a.ts ../outside/a.ts"),
        ops("rm ../outside/secret.txt"),
        ops("rm .git/HEAD"),
        ops("rmdir .git"),
        ops("rmdir src"),
        ops("mkdirp ../outside/new"),
        special("120000", "../outside/secret.txt"),
        special("160000", "Subproject commit 0123456789"),
        special("100644", "x").replace("+++ b/x", "+++ b/../outside/x"),
        "```diff\ndiff --git a/.env b/n\ncopy from .env\ncopy to n\n```\n".to_owned(),
        "*** Begin Patch\n*** Update File: .env\n*** Move to: n\n*** End Patch\n".to_owned(),
        "*** Begin Patch\n*** Add File: ../outside/n\n+x\n*** End Patch\n".to_owned(),
        "../outside/n\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n".to_owned(),
        "### Patch: ../outside/n\n```\nx\n```\n".to_owned(),
    ];
    let made = FORBIDDEN_NAMES.iter().map(|path| new_file(path));
    let operations = FORBIDDEN_OPERATIONS.iter().map(|line| ops(line));
    let patches = FORBIDDEN_PATCHES.iter().map(|&text| text.to_owned());
    let more = made.chain(operations).chain(patches);
    let replies: Vec<String> = replies.into_iter().chain(more).collect();
    let lair = lair();
    for reply in &replies {
        // It changes nothing, and reveals nothing hidden: `run_with` checks that.
        let outcome = lair.run_with(APPLY, reply.as_bytes());
        assert_eq!(outcome.code, 1, "{reply}: {outcome:?}");
        assert_eq!(lair.run_with(&["check-reply", "-"], reply.as_bytes()).code, 1, "{reply}");
    }
    reliability::row(
        "attacks",
        "replies that change outside, git, secret or reserved files, or links",
        replies.len(),
        "findings, exit 1; nothing written or shown",
    );
}

#[test]
fn no_form_is_passed_over_beside_a_patch() {
    let forms = [
        "```bash\ncat > notes.md <<'EOF'\nx\nEOF\n```\n",
        "```sh\nsed -i 's/b/x/' src/deep/b.ts\n```\n",
        "```console\n$ git rm notes.md\n```\n",
        "```powershell\nSet-Content -Path src/n.ts -Value 'x'\n```\n",
        "```json\n{\"path\": \"notes.md\", \"content\": \"x\"}\n```\n",
        "`src/deep/b.ts`:\n```ts\nx\n```\n",
        "src/n.ts\n```ts\nx\n```\n",
        "```ts\n// src/deep/b.ts\nx\n```\n",
        "<file path=\"src/n.ts\">\nx\n</file>\n",
        "```python\nPath('notes.md').write_text('x')\n```\n",
    ];
    let lair = lair();
    let patch = edit("src/a.ts", "export const a = 1;");
    for form in forms {
        let reply = format!("{patch}\n{form}");
        for command in [&["check-reply", "-"][..], APPLY] {
            let outcome = lair.run_with(command, reply.as_bytes());
            assert_eq!(outcome.code, 1, "{form}: {outcome:?}");
            let said = outcome.stdout + &outcome.stderr;
            assert!(said.contains("CTX-REPLY-0017") && said.contains("### Patch: path"), "{said}");
        }
        assert_eq!(fs::read(lair.root().join("src/a.ts")).unwrap(), b"export const a = 1;\n");
    }
    let quoted = format!("{patch}\n`notes.md`:\n```\nnotes\n```\n\n```bash\nnpm test\n```\n");
    assert_eq!(lair.run_with(&["check-reply", "-"], quoted.as_bytes()).code, 0);
    reliability::row(
        "attacks",
        "edits in unsupported forms beside a valid patch",
        forms.len() * 2,
        "findings, exit 1; nothing applied",
    );
}

#[test]
fn no_link_is_written_through() {
    let places: [(&str, &str); 5] = [
        ("src/a.ts", "src/a.ts"),
        ("src", "src/a.ts"),
        ("src/deep", "src/deep/b.ts"),
        (".stan/patch", "src/a.ts"),
        (FOLDER, "src/a.ts"),
    ];
    for (place, target) in places {
        let lair = lair();
        let path = lair.root().join(place);
        let outside = lair.outside().join("taken");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.exists() {
            fs::rename(&path, &outside).unwrap();
        } else {
            fs::create_dir_all(&outside).unwrap();
        }
        lair.link(place, &outside);
        let old = if target == "src/a.ts" { "export const a = 1;" } else { "b" };
        let outcome = lair.run_with(APPLY, edit(target, old).as_bytes());
        assert_ne!(outcome.code, 0, "{place}: {outcome:?}");
    }
    reliability::row(
        "attacks",
        "links in place of patched files and backups of `apply`",
        places.len(),
        "refused; nothing outside written",
    );
}

/// A journal that claims that a file with these bytes replaced nothing, or a saved file.
fn journal(path: &str, now: &str, before: Option<&str>) -> String {
    let digest = |text: &str| json(&sha256(text.as_bytes()).to_hex());
    let before = before.map_or_else(|| "null".to_owned(), digest);
    let file = format!(r#"{{"path":{},"before":{before},"after":{}}}"#, json(path), digest(now));
    format!(r#"{{"v":1,"place":"PLACE","isUndo":false,"files":[{file}],"made":[],"removed":[]}}"#)
}

#[test]
fn a_forged_journal_changes_no_more_than_a_reply() {
    let head = "ref: refs/heads/main\n";
    let journals = [
        journal(".git/HEAD", head, None),
        journal(".git/HEAD", head, Some("evil\n")),
        journal(".GIT/HEAD", head, Some("evil\n")),
        journal("../outside/secret.txt", CANARY, None),
        journal("stan.config.yml", "", Some("evil\n")),
        journal(".stan/output/archive.tar", "", None),
        journal("/etc/hosts", "", None),
        journal("src/a.ts", "other than it is\n", Some("evil\n")),
        journal("src/a.ts", "export const a = 1;\n", Some("not what is kept\n")),
        "{}".to_owned(),
        "[".repeat(100_000),
        journal("src/a.ts", "x", None).replace("\"v\":1", "\"v\":2"),
        journal("src/a.ts", "x", None).replace("\"made\":[]", r#""made":[{"path":"../x"}]"#),
        journal("src/a.ts", "x", None).replace("\"removed\":[]", r#""removed":[{"path":".git"}]"#),
    ];
    let mut tried = 0;
    for text in &journals {
        for name in ["next", "last"] {
            let lair = lair();
            let folder = lair.root().join(FOLDER).join(name);
            put(&folder.join("before-0"), b"evil\n");
            // The worst case: it contains the inode, which only this machine knows.
            let place = format!("{:x}", folder.metadata().unwrap().ino());
            put(&folder.join("journal.json"), text.replace("PLACE", &place).as_bytes());
            for command in [&["apply", "--undo"][..], APPLY, &["run"], &["snap"]] {
                lair.run_with(command, b"");
                tried += 1;
            }
        }
    }
    let secret = CANARY;
    let lair = lair();
    let text = journal("src/a.ts", "export const a = 1;\n", Some("evil\n"));
    for name in ["next", "last"] {
        let folder = lair.root().join(FOLDER).join(name);
        put(&folder.join("before-0"), b"evil\n");
        put(&folder.join("journal.json"), text.as_bytes());
        let outcome = lair.run(&["apply", "--undo"]);
        assert!(outcome.stderr.contains("it was not made here"), "{outcome:?}");
        fs::remove_dir_all(folder).unwrap();
    }
    let folder = lair.root().join(FOLDER).join("last");
    let text = journal("src/a.ts", "export const a = 1;\n", Some(secret));
    put(&folder.join("journal.json"), b"");
    let place = format!("{:x}", folder.metadata().unwrap().ino());
    put(&folder.join("journal.json"), text.replace("PLACE", &place).as_bytes());
    lair.link(&format!("{FOLDER}/last/before-0"), lair.outside().join("secret.txt"));
    assert_ne!(lair.run(&["apply", "--undo"]).code, 0, "a link is not what was kept");
    reliability::row(
        "attacks",
        "forged `apply` journals",
        tried + 3,
        "refused or ignored; nothing changed or read outside",
    );
}

#[test]
fn no_reply_takes_for_ever() {
    let lair = lair();
    lair.write("same.txt", "a\n".repeat(20_000));
    assert_eq!(lair.run(&["run"]).code, 0);
    let many =
        |count: usize, part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<String>();
    let hunks = many(3_000, &|_| format!("@@ ... @@\n{}-b\n+c\n", " a\n".repeat(20)));
    let replies = [
        many(20_000, &|n| edit(&format!("x{n}"), "a")),
        many(20_000, &|n| format!("### File Ops\n- `rm x{n}`\n")),
        many(20_000, &|n| format!("x{n}.ts\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n")),
        format!("```diff\n--- a/same.txt\n+++ b/same.txt\n{hunks}```\n"),
        format!(
            "*** Begin Patch\n*** Update File: same.txt\n{}*** End Patch\n",
            many(3_000, &|_| "@@ a\n@@ a\n a\n-b\n+c\n".to_owned())
        ),
        format!(
            "same.txt\n<<<<<<< SEARCH\n{}b\n=======\nc\n>>>>>>> REPLACE\n",
            "a\n".repeat(19_000)
        ),
        "> ".repeat(100_000) + "```diff\n",
        "- ".repeat(100_000) + "--- a/x\n",
        "```diff\n@@ ... @@\n".to_owned() + &"\n".repeat(200_000),
        "*** Begin Patch\n".repeat(50_000),
        "<<<<<<< SEARCH\n".repeat(50_000),
        "diff --git a/x b/x\n".repeat(50_000),
        "diff --git ".to_owned() + &"a/x ".repeat(100_000),
        many(2_000, &|_| format!("same.txt\n```\n{}b\n```\n", "a\n".repeat(50))),
        format!("same.txt\n```\n{}b\n```\n", "a\n".repeat(19_000)),
        many(20_000, &|n| format!("<t{n} path=\"a/b.c\">\n")),
        "```sh\n".to_owned() + &"cat > x <<EOF\n".repeat(50_000),
        "```json\n{\"path\": ".to_owned() + &"\"a/b.c\", \"content\": ".repeat(50_000),
        "echo ".to_owned() + &"> x ".repeat(100_000),
    ];
    for reply in &replies {
        lair.run_with(APPLY, reply.as_bytes());
    }
    reliability::row(
        "attacks",
        "reply bombs: sections, ambiguous hunks, quotations, lists",
        replies.len(),
        "answered within a minute and a gigabyte",
    );
}
