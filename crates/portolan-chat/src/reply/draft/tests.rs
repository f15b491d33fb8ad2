//! Replies and archives, and the files that result.

use std::collections::BTreeMap;

use portolan_types::RepoPath;

use super::{PatchDraft, PathRole};
use crate::reply::read;

/// The files that result from a reply, or its misfits, one line each.
fn made(files: &[(&str, &str)], reply: &str) -> Vec<String> {
    let archive: BTreeMap<&str, &str> = files.iter().copied().collect();
    let reply = read(reply);
    assert_eq!(reply.problems, []);
    let draft = PatchDraft::new(&reply, &|path| archive.contains_key(path));
    let bytes = |path: &RepoPath| archive.get(path.as_str()).map(|text| text.as_bytes());
    let outcome = draft.finish(&bytes);
    let files = outcome.files.iter().map(|file| {
        let text = file.bytes.as_ref().map(|bytes| String::from_utf8(bytes.clone()).unwrap());
        let from = file.from.as_ref().map_or_else(String::new, |from| format!(" from {from}"));
        let text = text.map_or_else(|| "gone".to_owned(), |text| format!("{text:?}"));
        format!("{}{from} +{} -{} {text}", file.path, file.added, file.removed)
    });
    let misfits = outcome
        .misfits
        .iter()
        .map(|misfit| format!("{} {:?}: {}", misfit.line, misfit.kind, misfit.message));
    files.chain(misfits).collect()
}

#[track_caller]
fn check(files: &[(&str, &str)], reply: &str, wanted: &[&str]) {
    assert_eq!(made(files, reply), wanted, "{reply}");
}

fn edit(path: &str, hunks: &str) -> String {
    format!("--- a/{path}\n+++ b/{path}\n{hunks}\n")
}

const ABC: &[(&str, &str)] = &[("x", "a\nb\nc\n")];

#[test]
fn a_hunk_goes_to_its_stated_line_or_to_the_only_match() {
    let twice = &[("x", "a\nb\na\nb\n")];
    check(twice, &edit("x", "@@ -3 +3 @@\n-a\n+A"), &["x +1 -1 \"a\\nb\\nA\\nb\\n\""]);
    check(
        twice,
        &edit("x", "@@ -2 +2 @@\n-a\n+A"),
        &["3 Ambiguous: the patch fits more than one place in `x`"],
    );
    check(ABC, &edit("x", "@@ -9 +9 @@\n-c\n+C"), &["x +1 -1 \"a\\nb\\nC\\n\""]);
    check(ABC, &edit("x", "@@ ... @@\n-c\n+C"), &["x +1 -1 \"a\\nb\\nC\\n\""]);
    check(
        ABC,
        &edit("x", "@@ -1,2 +1,2 @@\n a\n-d\n+e"),
        &["3 Unfit: the patch does not fit `x`: it has no line `d`"],
    );
    check(
        ABC,
        &edit("x", "@@ -1,2 +1,2 @@\n a\n-c\n+e"),
        &["3 Unfit: the patch does not fit `x`: its line 2 is `b`, not `c`"],
    );
    check(ABC, &edit("x", "@@ -2,0 +3 @@\n+n"), &["x +1 -0 \"a\\nb\\nn\\nc\\n\""]);
    check(
        ABC,
        &edit("x", "@@ -9,0 +9 @@\n+n"),
        &["3 Unfit: the patch does not fit `x`: it has only 3 lines, not 9"],
    );
}

#[test]
fn overlapping_or_contradicting_hunks_are_rejected() {
    let overlap = "the hunk for `x` overlaps the one before, or should be before it";
    let hunks = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -2,2 +2,2 @@\n b\n-c\n+C";
    check(ABC, &edit("x", hunks), &[&format!("7 Conflict: {overlap}")]);
    let backwards = "@@ -3 +3 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A";
    check(ABC, &edit("x", backwards), &[&format!("6 Conflict: {overlap}")]);
    let again = edit("x", "@@ -1 +1 @@\n-a\n+A") + &edit("x", "@@ -1 +1 @@\n-a\n+B");
    check(ABC, &again, &["8 Conflict: the patch changes lines of `x` that line 3 changes too"]);
    let apart =
        edit("x", "@@ -1,2 +1,3 @@\n-a\n+A\n+A2\n b") + &edit("x", "@@ -3,2 +3,2 @@\n b\n-c\n+C");
    check(ABC, &apart, &["x +3 -2 \"A\\nA2\\nb\\nC\\n\""]);
    let inserted = edit("x", "@@ -1,0 +2 @@\n+n") + &edit("x", "@@ -1,0 +2 @@\n+m");
    check(ABC, &inserted, &["7 Ambiguous: the patch fits more than one place in `x`"]);
}

#[test]
fn line_ends_and_byte_order_marks_are_kept() {
    check(
        &[("x", "a\r\nb\r\n")],
        &edit("x", "@@ -1,2 +1,3 @@\n a\n-b\n+B\n+c"),
        &["x +2 -1 \"a\\r\\nB\\r\\nc\\r\\n\""],
    );
    let unended = &[("x", "a\nb")];
    check(unended, &edit("x", "@@ -2 +2 @@\n-b\n+c"), &["x +1 -1 \"a\\nc\""]);
    check(unended, &edit("x", "@@ -2 +2,2 @@\n b\n+c"), &["x +1 -0 \"a\\nb\\nc\""]);
    let note = "\\ No newline at end of file";
    check(unended, &edit("x", &format!("@@ -2 +2 @@\n-b\n{note}\n+b")), &["x +1 -1 \"a\\nb\\n\""]);
    check(ABC, &edit("x", &format!("@@ -3 +3 @@\n-c\n+c\n{note}")), &["x +1 -1 \"a\\nb\\nc\""]);
    check(
        ABC,
        &edit("x", &format!("@@ -3 +3 @@\n-c\n{note}\n+d")),
        &["3 Unfit: the patch does not fit `x`: its lines are not consecutive there"],
    );
    let marked = &[("x", "\u{feff}a\nb\n")];
    check(marked, &edit("x", "@@ -1 +1 @@\n-a\n+A"), &["x +1 -1 \"\\u{feff}A\\nb\\n\""]);
    check(
        marked,
        &edit("x", "@@ -1 +1 @@\n-\u{feff}a\n+\u{feff}A"),
        &["x +1 -1 \"\\u{feff}A\\nb\\n\""],
    );
}

#[test]
fn where_git_applies_a_patch_the_bytes_are_gits() {
    let mixed = &[("x", "a\r\nb\nc\r\n")];
    for (hunks, wanted) in [
        ("@@ -1,2 +1,3 @@\n a\r\n+n\n b", "a\r\nn\nb\nc\r\n"),
        ("@@ -1,2 +1,3 @@\n a\r\n+n\r\n b", "a\r\nn\r\nb\nc\r\n"),
        ("@@ -1,3 +1,3 @@\n a\r\n-b\n+b\r\n c\r", "a\r\nb\r\nc\r\n"),
        ("@@ -1,3 +1,3 @@\n-a\r\n+a\n b\n c\r", "a\nb\nc\r\n"),
        // The ends were lost on the way: the neighbours' are taken.
        ("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c", "a\r\nB\nc\r\n"),
    ] {
        let made = made(mixed, &edit("x", hunks));
        assert!(made[0].ends_with(&format!("{wanted:?}")), "{hunks:?}: {made:?}");
    }
    let new = "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\r\n+b\n";
    check(&[], new, &["n +2 -0 \"a\\r\\nb\\n\""]);
    let marked = &[("x", "\u{feff}a\nb\n")];
    check(marked, &edit("x", "@@ -1,2 +1,2 @@\n-\u{feff}a\n+a\n b"), &["x +1 -1 \"a\\nb\\n\""]);
    check(
        marked,
        &edit("x", "@@ -1,2 +1,3 @@\n+n\n \u{feff}a\n b"),
        &["x +1 -0 \"n\\n\\u{feff}a\\nb\\n\""],
    );
}

#[test]
fn a_hunk_that_git_would_put_elsewhere_is_refused() {
    let twice = &[("x", "a\nb\na\nb\na\nb\n")];
    let elsewhere = |line| {
        format!(
            "3 Ambiguous: `git apply` would put the hunk for `x` at line {line}: give it more context"
        )
    };
    // The line in the new file is what git believes.
    check(twice, &edit("x", "@@ -3,2 +5,2 @@\n-a\n+A\n b"), &[&elsewhere(5)]);
    check(
        twice,
        &edit("x", "@@ -3,2 +3,2 @@\n-a\n+A\n b"),
        &["x +1 -1 \"a\\nb\\nA\\nb\\na\\nb\\n\""],
    );
    // A hunk without trailing context belongs to the end of the file.
    check(
        twice,
        &edit("x", "@@ -2,2 +2,2 @@\n b\n-a\n+A"),
        &["x +1 -1 \"a\\nb\\nA\\nb\\na\\nb\\n\""],
    );
    check(twice, &edit("x", "@@ -3,2 +3,2 @@\n a\n-b\n+B"), &[&elsewhere(5)]);
    let equal = &[("x", "a\nz\nz\nb\n")];
    check(equal, &edit("x", "@@ -3 +2,0 @@\n-z"), &["x +0 -1 \"a\\nz\\nb\\n\""]);
}

#[test]
fn anchors_distinguish_two_matches() {
    let file = &[("x", "fn f()\n  a\n  end\nfn g()\n  a\n  end\n")];
    let patch = |body: &str| format!("*** Begin Patch\n*** Update File: x\n{body}\n*** End Patch");
    check(
        file,
        &patch("@@ fn g()\n-  a\n+  b"),
        &["x +1 -1 \"fn f()\\n  a\\n  end\\nfn g()\\n  b\\n  end\\n\""],
    );
    check(
        file,
        &patch("@@ fn f()\n-  a\n+  b"),
        &["x +1 -1 \"fn f()\\n  b\\n  end\\nfn g()\\n  a\\n  end\\n\""],
    );
    check(
        file,
        &patch("@@\n-  a\n+  b"),
        &["3 Ambiguous: the patch fits more than one place in `x`"],
    );
    check(file, &patch("@@\n+  b"), &["3 Ambiguous: the patch fits more than one place in `x`"]);
    check(
        file,
        &patch("@@ end\n@@ end\n+x\n*** End of File"),
        &["x +1 -0 \"fn f()\\n  a\\n  end\\nfn g()\\n  a\\n  end\\nx\\n\""],
    );
    check(
        file,
        &patch("@@\n-  end\n+  done\n*** End of File"),
        &["x +1 -1 \"fn f()\\n  a\\n  end\\nfn g()\\n  a\\n  done\\n\""],
    );
}

#[test]
fn moves_copies_and_edits_belong_together_in_any_order() {
    let two = &[("a", "1\n"), ("b", "2\n")];
    let ops = |lines: &str| format!("### File Ops\n```\n{lines}\n```\n");
    check(two, &ops("mv a c"), &["c from a +0 -0 \"1\\n\""]);
    let moved = edit("c", "@@ -1 +1 @@\n-1\n+one") + &ops("mv a c");
    check(two, &moved, &["c from a +1 -1 \"one\\n\""]);
    check(two, &ops("mv a b\nmv b a"), &["a from b +0 -0 \"2\\n\"", "b from a +0 -0 \"1\\n\""]);
    check(two, &ops("cp a c\nrm a"), &["a +0 -1 gone", "c from a +0 -0 \"1\\n\""]);
    let renamed =
        "diff --git a/a b/c\nrename from a\nrename to c\n--- a/a\n+++ b/c\n@@ -1 +1 @@\n-1\n+one\n";
    check(two, renamed, &["c from a +1 -1 \"one\\n\""]);
}

#[test]
fn contradictions_between_sections_are_reported() {
    let two = &[("a", "1\n"), ("b", "2\n")];
    let ops = |lines: &str| format!("### File Ops\n```\n{lines}\n```\n");
    let conflicts = |reply: &str| {
        let found = made(two, reply);
        found.iter().filter(|line| line.contains("Conflict")).count()
    };
    let create = |path: &str| format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+n\n");
    for reply in [
        ops("rm a\nrm a"),
        ops("mv a c\nmv a d"),
        ops("mv a c\nmv b c"),
        ops("mv a c\nrm a"),
        ops("rm a") + &create("a"),
        ops("rm a") + &edit("a", "@@ -1 +1 @@\n-1\n+one"),
        create("n") + &create("n"),
        create("n") + &edit("n", "@@ -1 +1 @@\n-n\n+m"),
        create("a/n"),
        create("n") + &create("n/m"),
        ops("mkdirp a"),
        ops("mkdirp a/b"),
    ] {
        assert_eq!(conflicts(&reply), 1, "{reply}: {:?}", made(two, &reply));
    }
    assert_eq!(conflicts(&(ops("mv a c") + &create("a/n"))), 0);
}

#[test]
fn a_deletion_must_cover_the_whole_file() {
    let gone = |hunks: &str| format!("--- a/x\n+++ /dev/null\n{hunks}\n");
    check(ABC, &gone("@@ -1,3 +0,0 @@\n-a\n-b\n-c"), &["x +0 -3 gone"]);
    check(
        ABC,
        &gone("@@ -1,2 +0,0 @@\n-a\n-b"),
        &["1 Unfit: the patch deletes `x` but not all of its lines"],
    );
}

#[test]
fn a_prefix_is_dropped_unless_only_the_whole_is_known() {
    let path = |known: &str, text: &str| {
        let reply = read(text);
        let draft = PatchDraft::new(&reply, &|path| path == known);
        assert_eq!(draft.targets[0].role, PathRole::Edit);
        draft.targets[0].path.to_string()
    };
    let text = "--- a/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(path("a/x", text), "a/x");
    assert_eq!(path("x", text), "x");
    assert_eq!(path("", text), "x");
}
