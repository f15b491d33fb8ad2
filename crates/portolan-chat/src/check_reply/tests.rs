//! For each rule, a reply that breaks it and one that follows it; and arbitrary texts.

use std::collections::BTreeMap;

use portolan_archive::WorkspaceLayout;
use portolan_types::RepoPath;
use proptest::prelude::*;

use super::review::review;
use super::{Evidence, ReplyContext, ReplyReport, ReplyVerdict};

/// `src/a.ts` is attached; `src/b.ts` is only in the repository and the map.
struct Fixture {
    makes_scratch: bool,
}

impl ReplyContext for Fixture {
    fn has_map(&self) -> bool {
        true
    }

    fn is_file(&self, path: &RepoPath) -> bool {
        ["src/a.ts", "src/b.ts"].contains(&path.as_str())
    }

    fn is_node(&self, id: &str) -> bool {
        ["src/a.ts", "src/b.ts", "src/db.ts", "node:fs"].contains(&id)
    }

    fn similar(&self, _: &str) -> Vec<String> {
        vec!["src/b.ts".to_owned()]
    }

    fn look(&self, path: &RepoPath) -> ReplyVerdict {
        let file = ATTACHED.iter().find(|(name, _)| *name == path.as_str());
        match path.as_str() {
            ".stan/system/stan.scratch.md" if self.makes_scratch => ReplyVerdict::Absent,
            _ if file.is_some_and(|(_, bytes)| *bytes != b"{}") => {
                ReplyVerdict::File(file.map(|(_, bytes)| bytes.to_vec()).unwrap_or_default())
            }
            "src/b.ts" => ReplyVerdict::File(b"old\n".to_vec()),
            "src" | ".stan" | ".stan/context" | ".stan/system" => ReplyVerdict::Folder,
            _ => ReplyVerdict::Absent,
        }
    }

    fn names(&self, _: &RepoPath) -> Vec<String> {
        Vec::new()
    }

    fn secret(&self, _: &RepoPath, _: Option<&[u8]>) -> Option<&'static str> {
        None
    }
}

const ATTACHED: [(&str, &[u8]); 4] = [
    (".stan/context/dependency.meta.json", b"{}"),
    (".stan/context/dependency.state.json", b"{ \"v\": 2, \"i\": [] }\n"),
    (".stan/system/stan.scratch.md", b"x\n"),
    ("src/a.ts", b"old\n"),
];

fn report(reply: &str) -> ReplyReport {
    let workspace = WorkspaceLayout::new(RepoPath::new(".stan").unwrap());
    // A reply that creates the scratch file needs an archive without it.
    let makes_scratch = reply.contains("--- /dev/null\n+++ b/.stan/system/stan.scratch.md");
    let is_there = |path: &str| !(makes_scratch && path.ends_with("scratch.md"));
    let attached: BTreeMap<String, &[u8]> = ATTACHED
        .into_iter()
        .filter(|(path, _)| is_there(path))
        .map(|(path, bytes)| (path.to_owned(), bytes))
        .collect();
    let context = Fixture { makes_scratch };
    let evidence =
        Evidence { workspace: &workspace, attached: &attached, context: &context, is_thread: true };
    review(&evidence, reply).report
}

/// Checks the findings: the last two digits of each code, and the line.
#[track_caller]
fn check(reply: &str, wanted: &[(&str, usize)]) {
    let report = report(reply);
    let found: Vec<_> =
        report.findings.iter().map(|finding| (&finding.rule.code()[12..], finding.line)).collect();
    assert_eq!(found, wanted, "{report:#?}");
}

fn edit(path: &str) -> String {
    format!(
        "### Patch: `{path}`\n\n```diff\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+new\n```\n"
    )
}

fn state(line: &str) -> String {
    format!(
        "```diff\n--- a/.stan/context/dependency.state.json\n+++ b/.stan/context/dependency.state.json\n\
         @@ -1 +1 @@\n-{{ \"v\": 2, \"i\": [] }}\n+{line}\n```\n"
    )
}

const KEPT: &str = "## Input Data Changes\n- Patch targets:\n  - `src/a.ts` — present: `yes`\n- dependency.state.json: no change\n";
const SCRATCH: &str = "```diff\n--- a/.stan/system/stan.scratch.md\n+++ b/.stan/system/stan.scratch.md\n@@ -1 +1 @@\n-x\n+why\n```\n";
const STATE_LISTED: &str = "## Input Data Changes\n- `.stan/context/dependency.state.json` — present: `yes`\n- i: `\"src/b.ts\"`\n";

#[test]
fn a_reply_that_keeps_the_rules_has_no_findings() {
    check("Just words, no patch.", &[("25", 1)]);
    check(&format!("{KEPT}{}", edit("src/a.ts")), &[]);
    let asks = format!("{STATE_LISTED}{}{SCRATCH}", state(r#"{ "v": 2, "i": ["src/b.ts"] }"#));
    check(&asks, &[]);
    let only_notes =
        format!("## Input Data Changes\n`dependency.state.json: no change`\n{SCRATCH}");
    check(&only_notes, &[]);
}

#[test]
fn the_example_of_the_guide_keeps_the_rules() {
    let guide = crate::guide::text(".stan");
    let (_, reply) = guide.split_once("~~~~markdown\n").unwrap();
    let (reply, _) = reply.split_once("~~~~\n").unwrap();
    check(reply, &[]);
    assert_eq!(report(reply).patches.len(), 2);
}

#[test]
fn exactly_one_of_state_patch_and_no_change_line() {
    check(SCRATCH, &[("02", 2)]);
    let both = format!(
        "{STATE_LISTED}dependency.state.json: no change\n{}{SCRATCH}",
        state(r#"{ "v": 2, "i": ["src/b.ts"] }"#)
    );
    check(&both, &[("03", 4)]);
    check(&format!("dependency.state.json: no change\n{SCRATCH}"), &[("04", 1)]);
    check(
        &format!("## Input Data Changes\nDependency.state.json: No change.\n{SCRATCH}"),
        &[("04", 2)],
    );
}

#[test]
fn a_state_patch_changes_the_state_and_says_why() {
    let listed =
        "## Input Data Changes\n- `.stan/context/dependency.state.json` — present: `yes`\n";
    let no_op = format!("{listed}{}{SCRATCH}", state(r#"{"i": [], "v": 2}"#));
    check(&no_op, &[("05", 4)]);
    let unfit = no_op.replace("-{ \"v\"", "-{ \"w\"");
    check(&unfit, &[("06", 4)]);
    let broken = format!("{listed}{}{SCRATCH}", state(r#"{ "v": 2, "i": [7] }"#));
    check(&broken, &[("07", 4)]);
    let unexplained = format!("{STATE_LISTED}{}", state(r#"{ "v": 2, "i": ["src/b.ts"] }"#));
    check(&unexplained, &[("09", 5)]);
}

#[test]
fn ids_of_a_patched_state_exist_and_are_listed() {
    let listed = format!("{STATE_LISTED}- `src/c.ts`\n");
    let wrong = format!("{listed}{}{SCRATCH}", state(r#"{ "v": 2, "i": [["src/c.ts", 1]] }"#));
    check(&wrong, &[("08", 6)]);
    assert_eq!(report(&wrong).findings[0].fix, "did you mean `src/b.ts`?");
    let unlisted = format!("{STATE_LISTED}{}{SCRATCH}", state(r#"{ "v": 2, "i": ["src/a.ts"] }"#));
    check(&unlisted, &[("12", 5)]);
}

#[test]
fn the_checklist_is_complete_and_true() {
    let none =
        format!("## Input Data Changes\ndependency.state.json: no change\n{}", edit("src/a.ts"));
    check(&none, &[("10", 6)]);
    let false_no = KEPT.replace("`yes`", "no") + &edit("src/a.ts");
    let found = report(&false_no);
    assert_eq!(found.findings[0].rule.code(), "CTX-REPLY-0011");
    assert_eq!(found.findings[0].line, 3);
}

#[test]
fn nothing_is_patched_blind() {
    let blind = KEPT.replace("src/a.ts", "src/b.ts") + &edit("src/b.ts");
    check(&blind, &[("11", 3), ("13", 8)]);
    let waiting = format!("{KEPT}- `src/b.ts` — present: `no`\n{}", edit("src/a.ts"));
    check(&waiting, &[("13", 9)]);
}

#[test]
fn a_new_file_may_be_made_where_there_is_none() {
    let create =
        |path: &str| format!("```diff\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+new\n```\n");
    let list = |path: &str| KEPT.replace("src/a.ts", path).replace("`yes`", "`no`");
    check(&format!("{}{}", list("src/new.ts"), create("src/new.ts")), &[]);
    check(&format!("{}{}", list("src/b.ts"), create("src/b.ts")), &[("13", 6)]);
}

#[test]
fn what_is_not_the_assistants_is_left_alone() {
    let no_change = "## Input Data Changes\ndependency.state.json: no change\n";
    let rule_of = |path: &str| {
        report(&format!("{no_change}{}", edit(path))).findings[0].rule.code().to_owned()
    };
    assert_eq!(rule_of("../x.ts"), "CTX-REPLY-0001");
    for path in [".stan/context/dependency.map.json", ".git/config", ".stan/output/archive.tar"] {
        let found = report(&format!("{no_change}{}", edit(path)));
        let codes: Vec<_> = found.findings.iter().map(|finding| finding.rule.code()).collect();
        assert!(codes.contains(&"CTX-REPLY-0015"), "{path}: {codes:?}");
    }
    let imports = report(&edit(".stan/imports/docs/x.md"));
    assert!(imports.findings.iter().any(|finding| finding.rule.code() == "CTX-REPLY-0014"));
}

#[test]
fn file_operations_count_as_patches() {
    let ops = |lines: &str| format!("### File Ops\n```\n{lines}\n```\n");
    let moved = format!(
        "{KEPT}- `src/new.ts` — present: `no`\n{}",
        ops("mkdirp src/deep\nmv src/a.ts src/new.ts")
    );
    check(&moved, &[]);
    check(&ops("rm src/a.ts"), &[("02", 3), ("10", 3)]);
    let blind = KEPT.replace("src/a.ts", "src/b.ts").replace("`yes`", "`no`") + &ops("rm src/b.ts");
    check(&blind, &[("13", 7)]);
    let over = format!("{KEPT}- `src/b.ts` — present: `no`\n{}", ops("cp src/a.ts src/b.ts"));
    check(&over, &[("13", 8)]);
    let no_change = "## Input Data Changes\ndependency.state.json: no change\n";
    check(&format!("{no_change}{}", ops("mkdirp .stan/imports/x")), &[("14", 5)]);
    check(&format!("{no_change}{}", ops("mv x")), &[("16", 5)]);
    let taken = format!("{STATE_LISTED}{}", ops("rm .stan/context/dependency.state.json"));
    check(&taken, &[("06", 6)]);
}

/// Meaningful lines, so that random replies get far.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("## Input Data Changes".to_owned()),
        Just("dependency.state.json: no change".to_owned()),
        Just("```diff".to_owned()),
        Just("```".to_owned()),
        Just("--- a/.stan/context/dependency.state.json".to_owned()),
        Just("+++ b/.stan/context/dependency.state.json".to_owned()),
        Just("--- /dev/null".to_owned()),
        Just("@@ -1 +1 @@".to_owned()),
        Just("-{ \"v\": 2, \"i\": [] }".to_owned()),
        Just("### Patch: `src/a.ts`".to_owned()),
        Just("### File Ops".to_owned()),
        "(mv|rm|mkdirp) [a-z./ ]{0,9}",
        "[-+ @#`~]{0,4}.{0,12}",
        "- `[a-zé/.]{0,8}`? — present: `?(yes|no|é)?",
        "\\+\\{ \"v\": 2, \"i\": \\[.{0,9}\\] \\}",
    ]
}

proptest! {
    #[test]
    fn no_text_is_too_odd(lines in proptest::collection::vec(line(), 0..30)) {
        let found = report(&lines.join("\n"));
        for finding in &found.findings {
            prop_assert!(finding.line >= 1 && finding.line <= lines.len() + 1);
        }
    }

    #[test]
    fn nor_are_any_characters(text in "\\PC{0,200}") {
        report(&text);
    }
}
