//! Refused replies, each with its findings; nothing is written.

use portolan_testkit::reliability;

use super::{apply_to, findings, repository, tree};

const HUNK: &str = "@@ -2 +2 @@\n-export const b = 2;\n+export const b = 5;\n";

fn edit(path: &str) -> String {
    format!("```diff\n--- a/{path}\n+++ b/{path}\n{HUNK}```\n")
}

fn hunk(text: &str) -> String {
    format!("```diff\n--- a/src/a.ts\n+++ b/src/a.ts\n{text}\n```\n")
}

fn git(text: &str) -> String {
    format!("```diff\n{text}\n```\n")
}

fn new_file(path: &str) -> String {
    git(&format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x"))
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

/// A diff that no fence ends.
fn open(hunks: &str) -> String {
    format!("--- a/src/a.ts\n+++ b/src/a.ts\n{hunks}")
}

/// An addition to a good patch, which must not be applied alone then.
fn beside(text: &str) -> String {
    edit("src/a.ts") + "\n" + text
}

type Case = (&'static str, String, &'static [&'static str]);

/// Paths that the assistant may not change.
fn paths() -> Vec<Case> {
    vec![
        ("out of the root", edit("../x.ts"), &["0001"]),
        ("out of it from within", new_file("src/../../x.ts"), &["0001"]),
        ("absolute", git("--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b"), &["0001"]),
        ("another drive", new_file("C:\\x.ts"), &["0001"]),
        ("a backslash", new_file("src\\x.ts"), &["0001"]),
        ("a hidden character", new_file("src/\u{202e}x.ts"), &["0001"]),
        ("a line end in a name", git("--- /dev/null\n+++ \"b/x\\ny\"\n@@ -0,0 +1 @@\n+x"), &["0001"]),
        ("no new name", git("diff --git a/src/a.ts b/\nrename from src/a.ts\nrename to "), &["0017"]),
        ("only a prefix", git(&format!("--- a/src/a.ts\n+++ b/\n{HUNK}")), &["0001", "0017"]),
        ("a folder as the new name", git("diff --git a/src/a.ts b/new/\nrename from src/a.ts\nrename to new/"), &["0001"]),
        ("a new file that ends like a folder", new_file("new/"), &["0001"]),
        ("moved to nothing", ops("mv src/a.ts ''"), &["0016"]),
        ("moved into a folder", ops("mv src/a.ts docs/"), &["0016"]),
        ("an envelope that moves to nothing", begin("*** Update File: src/a.ts\n*** Move to: \n@@\n-export const b = 2;\n+x"), &["0001"]),
        ("an envelope that moves to a folder", begin("*** Update File: src/a.ts\n*** Move to: docs/\n@@\n-export const b = 2;\n+x"), &["0001"]),
        ("a secret renamed", git("diff --git a/.env b/n.txt\nsimilarity index 100%\nrename from .env\nrename to n.txt"), &["0023"]),
        ("a secret copied by git", git("diff --git a/.env b/n.txt\ncopy from .env\ncopy to n.txt"), &["0023"]),
        ("a secret moved by an envelope", begin("*** Update File: .env\n*** Move to: n.txt\n@@\n-KEY=secret\n+KEY=x"), &["0023"]),
        ("a secret moved", ops("mv .env n.txt"), &["0023"]),
        ("a secret copied", ops("cp .env docs/n.md"), &["0023"]),
        ("nameless", "```diff\n@@ -1 +1 @@\n-a\n+b\n```\n".to_owned(), &["0001"]),
        ("nothing for nothing", git("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b"), &["0001"]),
        ("git's own files", edit(".git/config"), &["0015"]),
        ("a hook", new_file(".git/hooks/pre-commit"), &["0015"]),
        ("git in other letters", new_file(".GIT/hooks/x"), &["0015"]),
        ("git with a dot behind", new_file(".git./config"), &["0015"]),
        ("git by its short name", new_file("GIT~1/config"), &["0015"]),
        ("git by a joiner", new_file(".g\u{200c}it/config"), &["0015"]),
        ("git by a soft hyphen", new_file(".gi\u{ad}t/config"), &["0015"]),
        ("the guard by a joiner", new_file("stan.con\u{200d}fig.yml"), &["0022"]),
        ("a dot at the end", new_file("src/n.ts."), &["0020"]),
        ("a space at the end of a folder", new_file("src /n.ts"), &["0020"]),
        ("a device", new_file("src/CON"), &["0020"]),
        ("a device with an ending", new_file("src/aux.ts"), &["0020"]),
        ("a folder of a device", ops("mkdirp src/com1"), &["0020"]),
        ("git by a stream", new_file(".git::$INDEX_ALLOCATION/x"), &["0015"]),
        ("the map", new_file(".stan/context/dependency.map.json"), &["0015"]),
        ("the meta", new_file(".stan/context/dependency.meta.json"), &["0015"]),
        ("the archive", edit(".stan/output/archive.tar"), &["0015"]),
        ("a baseline", new_file(".stan/diff/x"), &["0015"]),
        ("the journal of apply", new_file(".stan/patch/portolan/next/journal.json"), &["0015"]),
        ("the cache", new_file(".stan/cache/facts.bin"), &["0015"]),
        ("the workspace in other letters", new_file(".STAN/system/x"), &["0015"]),
        ("imports", edit(".stan/imports/kit/a.md"), &["0014"]),
        ("imports, made", new_file(".stan/Imports/kit/n.md"), &["0014"]),
        ("a folder of imports", ops("mkdirp .stan/imports/x"), &["0014"]),
        ("secrets", edit(".env"), &["0023"]),
        ("secrets, made", new_file("app/.env"), &["0023"]),
        ("secrets, copied", ops("cp .env src/notes.txt"), &["0023"]),
        ("secrets, moved", ops("mv .env src/notes.txt"), &["0023"]),
        ("secrets, copied by git", git("diff --git a/.env b/n.txt\nsimilarity index 100%\ncopy from .env\ncopy to n.txt"), &["0023"]),
        ("secrets, renamed in an envelope", begin("*** Update File: .env\n*** Move to: n.txt"), &["0023"]),
        ("a key", new_file("deploy/id_rsa"), &["0023"]),
        ("the guard", "### Patch: stan.config.json\n```json\n{\"portolan\":{\"secrets\":{\"enabled\":false}}}\n```\n".to_owned(), &["0022"]),
        ("the guard, anew", new_file("stan.config.yml"), &["0022"]),
        ("the guard, elsewhere", new_file("packages/x/stan.config.yaml"), &["0022"]),
        ("the guard, in other letters", new_file("Stan.Config.YML"), &["0022"]),
        ("the guard, by a move", ops("mv src/a.ts stan.config.yml"), &["0022"]),
        ("the guard, away", ops("rm stan.config.json"), &["0022"]),
        ("a file that was not shown", edit("unseen.ts"), &["0013"]),
        ("a file that is not there", edit("nowhere.ts"), &["0013"]),
        ("a hidden file, over it", new_file("unseen.ts"), &["0013"]),
        ("a file that was not shown, deleted", ops("rm unseen.ts"), &["0013"]),
        ("a file that was not shown, replaced", "### Patch: unseen.ts\n```ts\nx\n```\n".to_owned(), &["0013"]),
        ("a file that was not shown, as a source", ops("cp unseen.ts n.ts"), &["0013"]),
        ("a whole folder", ops("rm src"), &["0013", "0018"]),
    ]
}

/// Paths that are not regular files.
fn kinds() -> Vec<Case> {
    vec![
        (
            "a new link",
            git(
                "diff --git a/l b/l\nnew file mode 120000\nindex 0..1\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file",
            ),
            &["0021"],
        ),
        (
            "a submodule",
            git(
                "diff --git a/m b/m\nnew file mode 160000\nindex 0..1\n--- /dev/null\n+++ b/m\n@@ -0,0 +1 @@\n+Subproject commit 1",
            ),
            &["0021"],
        ),
        (
            "a file that becomes a link",
            git("diff --git a/src/a.ts b/src/a.ts\nold mode 100644\nnew mode 120000"),
            &["0021"],
        ),
        (
            "a link that is edited",
            git(
                "diff --git a/src/a.ts b/src/a.ts\nindex 1..2 120000\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-export const a = 1;\n+x",
            ),
            &["0021"],
        ),
        (
            "a link that goes",
            git(
                "diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-x",
            ),
            &["0013", "0021"],
        ),
        (
            "an odd mode",
            git(
                "diff --git a/n b/n\nnew file mode 104755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x",
            ),
            &["0021"],
        ),
        ("a file behind a link", edit("link.ts"), &["0021"]),
        ("a folder behind a link", new_file("alias/n.ts"), &["0021"]),
        (
            "a binary patch",
            git("diff --git a/p b/p\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZQzWMT#Y0096101"),
            &["0013", "0017"],
        ),
        (
            "a binary note",
            git("diff --git a/p b/p\nindex 1..2\nBinary files a/p and b/p differ"),
            &["0013", "0017"],
        ),
    ]
}

/// Patches that cannot be parsed.
fn unread() -> Vec<Case> {
    vec![
        ("too few lines at the end", open("@@ -1,3 +1,3 @@\n export const a = 1;\n-export const b = 2;\n+x\n"), &["0017"]),
        ("too few lines and something else", open("@@ -1,3 +1,3 @@\n export const a = 1;\n-export const b = 2;\n+x\nso\n"), &["0017"]),
        ("too few lines and a tab", open("@@ -1,3 +1,3 @@\n export const a = 1;\n-export const b = 2;\n+x\n\t\n+y\n"), &["0017"]),
        ("a last line without its end", open("@@ -2 +2 @@\n-export const b = 2;\n+x"), &["0017"]),
        ("half a note on the end", hunk("@@ -2 +2 @@\n-export const b = 2;\n+x\n\\No newline at end of file"), &["0017"]),
        ("a note on the end of the first line", hunk("@@ -2,2 +2,2 @@\n-export const b = 2;\n+x\n\\ No newline at end of file\n export const c = 3;"), &["0017"]),
        ("a header without its minus", hunk("@@ 2 +2 @@\n-export const b = 2;\n+x"), &["0017"]),
        ("a header without its plus", hunk("@@ -2 2 @@\n-export const b = 2;\n+x"), &["0017"]),
        ("a header without a space", hunk("@@ -2 +2@@\n-export const b = 2;\n+x"), &["0017"]),
        ("a raw line", hunk("@@ -1,2 +1,2 @@\nexport const a = 1;\n-export const b = 2;\n+x"), &["0017"]),
        ("a header that is none", hunk("@@ -2 @@\n-export const b = 2;\n+x"), &["0017"]),
        ("line zero", hunk("@@ -0,1 +1 @@\n-export const a = 1;\n+x"), &["0017"]),
        ("a number beyond all", hunk("@@ -99999999999999999999,1 +1 @@\n-export const a = 1;\n+x"), &["0017"]),
        ("no header", "```diff\n-export const b = 2;\n+x\n```\n".to_owned(), &["0017"]),
        ("no hunk", hunk(""), &["0017"]),
        ("only words in a block", "```diff\nchange b to 5\n```\n".to_owned(), &["0017"]),
        ("nothing changed", hunk("@@ -2 +2 @@\n export const b = 2;"), &["0017"]),
        ("a block that is not closed", edit("src/a.ts").trim_end_matches("```\n").to_owned(), &["0017"]),
        ("a reply that was cut off in a hunk", edit("src/a.ts")[..60].to_owned(), &["0017"]),
        ("a context diff", "```diff\n*** src/a.ts\n--- src/a.ts\n***************\n*** 2 ****\n! b\n--- 2 ----\n! c\n```\n".to_owned(), &["0017"]),
        ("a normal diff", "```diff\n2c2\n< export const b = 2;\n---\n> x\n```\n".to_owned(), &["0017"]),
        ("a combined diff", "```diff\ndiff --cc src/a.ts\n@@@ -1,1 -1,1 +1,1 @@@\n--a\n++b\n```\n".to_owned(), &["0001", "0017"]),
        ("two names", git(&format!("--- a/src/a.ts\n+++ b/src/z.ts\n{HUNK}")), &["0013", "0017"]),
        ("a head for another file", git(&format!("diff --git a/docs/guide.md b/docs/guide.md\n--- a/src/a.ts\n+++ b/src/a.ts\n{HUNK}")), &["0017"]),
        ("half a rename", git("diff --git a/src/a.ts b/src/z.ts\nrename from src/a.ts"), &["0017"]),
        ("a rename of another", git("diff --git a/src/a.ts b/src/z.ts\nrename from run.sh\nrename to src/z.ts"), &["0017"]),
        ("a hunk in the text", format!("Change this:\n\n{HUNK}"), &["0017"]),
        ("an envelope without an end", "*** Begin Patch\n*** Add File: n.ts\n+x\n".to_owned(), &["0017"]),
        ("an envelope without a beginning", "*** Update File: src/a.ts\n-x\n+y\n".to_owned(), &["0017"]),
        ("an unknown operation", begin("*** Link File: n.ts\n+/etc/passwd"), &["0017"]),
        ("a raw line in an envelope", begin("*** Update File: src/a.ts\n@@\nraw\n-export const b = 2;\n+x"), &["0017"]),
        ("a search without its end", "src/a.ts\n<<<<<<< SEARCH\nexport const b = 2;\n=======\nx\n".to_owned(), &["0017"]),
        ("a search without a middle", "src/a.ts\n<<<<<<< SEARCH\nexport const b = 2;\n>>>>>>> REPLACE\n".to_owned(), &["0017"]),
        ("a search with two middles", search("src/a.ts", "export const b = 2;\n", "=======\nx\n"), &["0017"]),
        ("a search for no file", "<<<<<<< SEARCH\nexport const b = 2;\n=======\nx\n>>>>>>> REPLACE\n".to_owned(), &["0001"]),
        ("a heading without a patch", "### Patch: `src/a.ts`\n\nAs discussed.\n".to_owned(), &["0017"]),
        ("no patch at all", "Looks good to me.\n".to_owned(), &["0025"]),
        ("nothing at all", String::new(), &["0025"]),
        ("an operation of the shell", ops("rm -rf src"), &["0016"]),
        ("an operation of the shell below bold words", ops("rm -rf src").replace("### File Ops", "**File Ops**"), &["0016"]),
        ("an operation of the shell below another heading", ops("rm -rf src").replace("File Ops", "File Operations:"), &["0016"]),
        ("a table of operations", beside("### File Ops\n\n| op | from |\n|---|---|\n| rm | src/a.ts |\n"), &["0016"]),
        ("marks of a conflict", beside("a/b.ts\n```ts\n<<<<<<< HEAD\nab\n=======\nx\n>>>>>>> new\n```\n"), &["0017"]),
        ("a normal diff without a name", beside("`a/b.ts`:\n```\n1c1\n< ab\n---\n> x\n```\n"), &["0017"]),
        ("an envelope with spaces", beside("```\n ***  Begin Patch\n*** Update File : a/b.ts\n@@\n-ab\n+x\n*** End  Patch\n```\n"), &["0017"]),
        ("a diff of a language", beside("```diff-ts\n-ab\n+x\n```\n"), &["0017"]),
        ("a whole file behind a colon", beside("```ts:a/b.ts\nx\n```\n"), &["0017"]),
        ("a whole file with a title", beside("```ts title=\"a/b.ts\"\nx\n```\n"), &["0017"]),
        ("a whole file below another heading", beside("### Update: `a/b.ts`\n\n```ts\nx\n```\n"), &["0017"]),
        ("a whole file with a line for others", beside("### Patch: a/b.ts\n```ts\n// ... existing code ...\nx\n```\n"), &["0017"]),
        ("a replacement with a line for others", beside(&search("a/b.ts", "ab\n", "# … rest of the file unchanged …\nx\n")), &["0017"]),
        ("a call of a tool", beside("<replace_in_file>\n<path>a/b.ts</path>\n<diff>\nx\n</diff>\n</replace_in_file>\n"), &["0017"]),
        ("a patch in a comment", beside(&format!("<!--\n{}-->\n", git("--- a/a/b.ts\n+++ b/a/b.ts\n@@ -1 +1 @@\n-ab\n+x"))), &["0017"]),
        ("an operation in a comment", beside(&format!("<!-- for later:\n\n{}-->\n", ops("rm a/b.ts"))), &["0017"]),
        ("a link by operation", ops("ln -s /etc/passwd src/p"), &["0016"]),
        ("half an operation", ops("mv src/a.ts"), &["0016"]),
        ("a move into a folder", ops("mv src/a.ts z/"), &["0016"]),
        ("a copy into a folder", ops("cp src/a.ts a/"), &["0016"]),
    ]
}

/// Changes in unsupported formats, each next to a supported patch.
#[expect(clippy::too_many_lines, reason = "a table")]
fn forms() -> Vec<Case> {
    let found: &[&str] = &["0017"];
    let sh = |text: &str| beside(&format!("```bash\n{text}\n```\n"));
    let block = |above: &str, language: &str, text: &str| {
        beside(&format!("{above}\n```{language}\n{text}\n```\n"))
    };
    let json = |text: &str| block("", "json", text);
    vec![
        ("a heredoc", sh("cat > src/n.ts <<'EOF'\nx\nEOF"), found),
        ("a heredoc before its file", sh("cat <<EOF > a/b.ts\nx\nEOF"), found),
        ("a heredoc that appends", sh("cat >> a/b.ts <<-\"END\"\nx\nEND"), found),
        ("a heredoc behind a prompt", block("", "console", "$ cat >src/n.ts <<EOF\nx\nEOF"), found),
        (
            "a heredoc without a language",
            block("", "", "mkdir -p src/x && cat > src/x/n.ts << 'EOF'\nx\nEOF"),
            found,
        ),
        ("a heredoc in the text", beside("cat > src/n.ts <<'EOF'\nx\nEOF\n"), found),
        ("a heredoc to tee", sh("sudo tee a/b.ts > /dev/null <<'EOF'\nx\nEOF"), found),
        ("printf", sh("printf 'x\\n' > src/n.ts"), found),
        ("echo", sh("echo \"x\" >> a/b.ts"), found),
        ("echo into tee", sh("echo x | tee -a a/b.ts"), found),
        ("what another program prints", sh("jq . a/b.ts > tmp && mv tmp a/b.ts"), found),
        ("sed", sh("sed -i 's/ab/x/' a/b.ts"), found),
        ("sed of a Mac", sh("sed -i '' -e 's/ab/x/' a/b.ts"), found),
        ("sed over a glob", sh("find src -name '*.ts' -exec sed -i 's/ab/x/' {} +"), found),
        ("perl", sh("perl -pi -e 's/ab/x/' ./a/b.ts"), found),
        ("rm", sh("rm a/b.ts"), found),
        ("rm of a folder", sh("rm -rf src/deep"), found),
        ("rm of git", sh("git rm -q a/b.ts"), found),
        ("rm behind another command", sh("npm test && rm -f a/b.ts"), found),
        ("rm without a language", block("", "", "rm a/b.ts"), found),
        ("rm as an item", beside("- `rm a/b.ts`\n"), found),
        ("rm in a sentence", beside("Run `git rm a/b.ts`.\n"), found),
        ("mv", sh("mv a/b.ts a/c.ts"), found),
        ("mv of git", sh("git mv a/b.ts a/c.ts"), found),
        ("cp", sh("cp a/b.ts a/c.ts"), found),
        ("touch", sh("touch src/n.ts"), found),
        ("ed", sh("ed -s a/b.ts <<'EOF'\n1c\nx\n.\nw\nEOF"), found),
        (
            "a script of Python from the shell",
            sh("python3 - <<'EOF'\nfrom pathlib import Path\np = Path('a/b.ts')\nEOF"),
            found,
        ),
        (
            "a script of Python",
            block("", "python", "from pathlib import Path\nPath(\"a/b.ts\").write_text(\"x\")"),
            found,
        ),
        ("a script of Node", block("", "js", "fs.writeFileSync('a/b.ts', 'x')"), found),
        ("PowerShell", block("", "powershell", "Set-Content -Path a/b.ts -Value 'x'"), found),
        (
            "PowerShell with a text",
            block("", "powershell", "@'\nx\n'@ | Set-Content src/n.ts"),
            found,
        ),
        ("PowerShell that removes", block("", "ps1", "Remove-Item a/b.ts"), found),
        (
            "PowerShell behind a prompt",
            block("", "powershell", "PS C:\\x> Move-Item a/b.ts a/c.ts"),
            found,
        ),
        ("a file as data", json("{\"path\": \"a/b.ts\", \"content\": \"x\"}"), found),
        (
            "a list of edits",
            json(
                "[{\"file\": \"a/b.ts\", \"edits\": [{\"old_string\": \"ab\", \"new_string\": \"x\"}]}]",
            ),
            found,
        ),
        (
            "a call of a tool as data",
            json(
                "{\"name\": \"write_file\", \"arguments\": {\"file_path\": \"src/n.ts\", \"content\": \"x\"}}",
            ),
            found,
        ),
        ("operations as data", json("[\n  {\"op\": \"delete\", \"path\": \"a/b.ts\"}\n]"), found),
        ("files by name as data", json("{\"files\": {\"src/n.ts\": \"x\\ny\\n\"}}"), found),
        (
            "data without a language",
            block("", "", "{\"path\": \"a/b.ts\", \"content\": \"x\"}"),
            found,
        ),
        ("data in the text", beside("{\"path\": \"a/b.ts\", \"content\": \"x\"}\n"), found),
        (
            "a patch of JSON below its file",
            block(
                "`stan.x/package.json`:",
                "json",
                "[{\"op\": \"add\", \"path\": \"/x\", \"value\": 1}]",
            ),
            found,
        ),
        ("a whole file below its path", block("a/b.ts", "ts", "x"), found),
        ("a whole file below its path in quotes", block("`a/b.ts`", "ts", "x"), found),
        ("a whole file below its path in bold", block("**a/b.ts**:\n", "ts", "x"), found),
        ("a new file below its path", block("src/n.ts", "ts", "x"), found),
        ("a new file with a remark", block("`src/n.ts` (new file):", "ts", "x"), found),
        ("a file below a heading", block("### a/b.ts\n", "ts", "x"), found),
        (
            "a file below a numbered heading",
            block("#### 2. `a/b.ts`\n\nAdd the case:\n", "ts", "x"),
            found,
        ),
        ("a file below a step", block("### Step 2: `a/b.ts`\n", "ts", "x"), found),
        ("a file named in its first line", block("", "ts", "// a/b.ts\nx"), found),
        (
            "a file named in a comment of another kind",
            block("", "html", "<!-- src/n.html -->\n<p>x</p>"),
            found,
        ),
        ("a file named with a word", block("", "python", "# File: src/n.py\nx = 1"), found),
        ("a file named as editors do", block("", "ts", "// filepath: src/n.ts\nx"), found),
        ("a file that a sentence changes", block("Update `a/b.ts` to:", "ts", "x"), found),
        (
            "a file that a sentence replaces",
            block("Replace the contents of a/b.ts with this:", "", "x"),
            found,
        ),
        ("a file that a sentence makes", block("Create `setup.cfg` with:", "ini", "x"), found),
        (
            "a file that a sentence calls new",
            block("Here is the updated `a/b.ts`:", "ts", "x"),
            found,
        ),
        ("a part of a file", block("In `src/a.ts`:", "ts", "export const b = 7;"), found),
        (
            "a part between gaps",
            block("`src/a.ts`:", "ts", "// ...\nexport const b = 7;\n// ..."),
            found,
        ),
        ("a file that lost a line", block("src/twice.ts", "ts", "x\ny\ny"), found),
        ("a script below its path", block("run.sh", "sh", "echo other"), found),
        ("files in tags", beside("<file path=\"a/b.ts\">\nx\n</file>\n"), found),
        (
            "files in tags in a block",
            block("", "xml", "<files>\n<file name='src/n.ts'>\nx\n</file>\n</files>"),
            found,
        ),
        (
            "files in tags of an editor",
            beside("<edit path=\"a/b.ts\" mode=\"replace\">\nx\n</edit>\n"),
            found,
        ),
        (
            "paths in tags",
            beside("<document>\n<path>a/b.ts</path>\n<content>\nx\n</content>\n</document>\n"),
            found,
        ),
        (
            "an action in tags",
            beside("<boltAction type=\"file\" filePath=\"a/b.ts\">\nx\n</boltAction>\n"),
            found,
        ),
        (
            "a call of a tool in tags",
            beside("<tool_call>\n{\"name\": \"x\"}\n</tool_call>\n"),
            found,
        ),
        ("files below banners", block("", "", "=== a/b.ts ===\nx\n=== src/n.ts ===\ny"), found),
        ("files below banners in the text", beside("--- FILE: a/b.ts ---\nx\n"), found),
        (
            "a command beside a patch in a block",
            beside(&format!(
                "```bash\ngit apply <<'EOF'\n{}EOF\nrm a/b.ts\n```\n",
                "--- a/src/twice.ts\n+++ b/src/twice.ts\n@@ -1 +1 @@\n-x\n+z\n"
            )),
            found,
        ),
        ("only a heredoc", "```bash\ncat > src/n.ts <<'EOF'\nx\nEOF\n```\n".to_owned(), found),
        ("only a whole file below its path", "src/n.ts\n```ts\nx\n```\n".to_owned(), found),
    ]
}

/// Patches that do not fit.
fn unfit() -> Vec<Case> {
    vec![
        ("lines that are not there", hunk("@@ -2 +2 @@\n-export const b = 3;\n+x"), &["0018"]),
        (
            "context that is not there",
            hunk("@@ -1,2 +1,2 @@\n import x;\n-export const b = 2;\n+x"),
            &["0018"],
        ),
        (
            "white space that is not there",
            hunk("@@ -2 +2 @@\n-export const b = 2; \n+x"),
            &["0018"],
        ),
        ("beyond the end", hunk("@@ -9,0 +9 @@\n+x"), &["0018"]),
        (
            "a last line end that is there",
            hunk("@@ -3 +3 @@\n-export const c = 3;\n\\ No newline at end of file\n+x"),
            &["0018"],
        ),
        (
            "half a deletion",
            git("--- a/src/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-export const a = 1;"),
            &["0018"],
        ),
        (
            "a deletion without lines",
            git("diff --git a/src/a.ts b/src/a.ts\ndeleted file mode 100644"),
            &["0018"],
        ),
        ("a file that is there", new_file("src/a.ts"), &["0018"]),
        ("a move over a file", ops("mv a/b.ts src/a.ts"), &["0018"]),
        ("a copy over a file", ops("cp a/b.ts src/a.ts"), &["0018"]),
        ("an empty search in a file", search("src/a.ts", "", "x\n"), &["0018"]),
        ("a search that finds nothing", search("src/a.ts", "nothing\n", "x\n"), &["0018"]),
        (
            "an envelope that finds nothing",
            begin("*** Update File: src/a.ts\n@@\n-nothing\n+x"),
            &["0018"],
        ),
        (
            "an anchor that is not there",
            begin("*** Update File: src/a.ts\n@@ class X\n-export const b = 2;\n+x"),
            &["0018"],
        ),
        ("a folder that is not empty", ops("rmdir src"), &["0018"]),
        ("a folder that is none", ops("rmdir nowhere"), &["0018"]),
        (
            "lines that are there twice",
            git("--- a/src/twice.ts\n+++ b/src/twice.ts\n@@ -9 +9 @@\n-x\n+z"),
            &["0019"],
        ),
        ("a search that finds two", search("src/twice.ts", "x\n", "z\n"), &["0019"]),
        (
            "an envelope that finds two",
            begin("*** Update File: src/twice.ts\n@@\n-x\n+z"),
            &["0019"],
        ),
        ("lines for anywhere", begin("*** Update File: src/a.ts\n@@\n+x"), &["0019"]),
    ]
}

/// Patches that contradict each other, or the existing files.
fn contradictory() -> Vec<Case> {
    vec![
        (
            "hunks that overlap",
            hunk(
                "@@ -1,2 +1,2 @@\n export const a = 1;\n-export const b = 2;\n+x\n@@ -2,2 +2,2 @@\n-export const b = 2;\n+y\n export const c = 3;",
            ),
            &["0020"],
        ),
        (
            "hunks out of order",
            hunk("@@ -3 +3 @@\n-export const c = 3;\n+x\n@@ -1 +1 @@\n-export const a = 1;\n+y"),
            &["0020"],
        ),
        ("two patches of the same line", edit("src/a.ts") + &edit("src/a.ts"), &["0020"]),
        (
            "a patch and a whole file",
            edit("src/a.ts") + "### Patch: `src/a.ts`\n```ts\nx\n```\n",
            &["0020"],
        ),
        ("a patch of what goes", edit("src/a.ts") + &ops("rm src/a.ts"), &["0020"]),
        ("a patch under the old name", edit("src/a.ts") + &ops("mv src/a.ts src/z.ts"), &["0020"]),
        ("made twice", new_file("n.ts") + &new_file("n.ts"), &["0020"]),
        (
            "made and patched",
            new_file("n.ts") + &git("--- a/n.ts\n+++ b/n.ts\n@@ -1 +1 @@\n-x\n+y"),
            &["0013", "0020"],
        ),
        ("gone and made", ops("rm src/a.ts") + &new_file("src/a.ts"), &["0020"]),
        ("two to one place", ops("mv src/a.ts n.ts\nmv a/b.ts n.ts"), &["0020"]),
        ("below a file", new_file("src/a.ts/n.ts"), &["0020"]),
        ("names that differ in case", new_file("n.ts") + &new_file("N.ts"), &["0020"]),
        ("a name that differs in case from one that is there", new_file("src/A.ts"), &["0020"]),
        ("a folder that differs in case from one that is there", new_file("SRC/n.ts"), &["0020"]),
        ("a folder made beside one", ops("mkdirp Src/x"), &["0020"]),
        ("a copy beside its source", ops("cp run.sh RUN.sh"), &["0020"]),
        ("a move beside another", ops("mv a/b.ts SRC/b.ts"), &["0020"]),
        (
            "a file that was changed since",
            git("--- a/stale.ts\n+++ b/stale.ts\n@@ -1 +1 @@\n-then\n+x"),
            &["0024"],
        ),
        (
            "a file that is gone since",
            git("--- a/gone.ts\n+++ b/gone.ts\n@@ -1 +1 @@\n-gone\n+x"),
            &["0024"],
        ),
        ("a copy of what was changed since", ops("cp stale.ts n.ts"), &["0024"]),
        (
            "one that fits and one that does not",
            edit("src/a.ts") + &git("--- a/a/b.ts\n+++ b/a/b.ts\n@@ -1 +1 @@\n-no\n+x"),
            &["0018"],
        ),
    ]
}

#[test]
fn a_bad_reply_is_found_out_and_nothing_is_written() {
    let cases: Vec<Case> = [paths(), kinds(), unread(), forms(), unfit(), contradictory()].concat();
    let count = cases.len();
    assert!(count >= 60, "{count}");
    let mut wrong = Vec::new();
    for (name, reply, wanted) in cases {
        let system = repository();
        let before = tree(&system);
        let found = findings(&system, &reply);
        if found != wanted {
            wrong.push(format!("{name}: {found:?}, not {wanted:?}"));
        }
        let report = apply_to(&system, &reply);
        assert!(!report.is_applied && report.files.is_empty(), "{name}");
        assert_eq!(tree(&system), before, "{name}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    reliability::row(
        "replies",
        "invalid replies: paths, secrets, links, unreadable, unfitting or contradictory patches",
        count,
        "the right finding; nothing written",
    );
}
