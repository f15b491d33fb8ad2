//! The work for a reply grows with its length, not with its square.

use std::fmt::Write as _;

use portolan_chat::reply::{PatchDraft as Draft, read};
use portolan_types::RepoPath;

/// The number of lines examined for a reply with so many sections.
fn effort(sections: usize, reply: &str, file: &str) -> u64 {
    let reply = read(reply);
    assert_eq!(reply.problems, []);
    assert!(reply.changes.len() >= sections, "{}", reply.changes.len());
    let draft = Draft::new(&reply, &|_| true);
    let outcome =
        draft.finish(&|path: &RepoPath| path.as_str().starts_with('f').then_some(file.as_bytes()));
    assert_eq!(outcome.misfits.len(), 0, "{:?}", outcome.misfits.first());
    outcome.effort
}

#[track_caller]
fn check(reply: impl Fn(usize) -> (String, String)) {
    let [small, large] = [500, 4_000].map(|count| {
        let (reply, file) = reply(count);
        effort(count, &reply, &file)
    });
    assert!(large <= small * 10, "{small} → {large} for eight times as much");
}

fn numbered(count: usize) -> String {
    (0..count).map(|n| format!("line {n}\n")).collect()
}

#[test]
fn sections_of_many_files_of_one_file_and_searches_are_linear() {
    check(|count| {
        let mut reply = String::new();
        for n in 0..count {
            let _ = write!(reply, "```diff\n--- a/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n-x\n+y\n```\n");
        }
        (reply, "x\n".to_owned())
    });
    check(|count| {
        let mut reply = String::new();
        for n in 0..count {
            let at = n + 1;
            let _ =
                write!(reply, "```diff\n--- a/f\n+++ b/f\n@@ -{at} +{at} @@\n-line {n}\n+y\n```\n");
        }
        (reply, numbered(count))
    });
    check(|count| {
        let mut reply = "f\n```\n".to_owned();
        for n in 0..count {
            let _ =
                write!(reply, "f.x\n<<<<<<< SEARCH\nline {n}\n=======\ny {n}\n>>>>>>> REPLACE\n");
        }
        (reply + "```\n", numbered(count))
    });
    check(|count| {
        let mut reply = String::new();
        for n in 0..count {
            let _ = write!(reply, "## File Ops\n- `mkdirp d{n}`\n");
        }
        (reply, String::new())
    });
}
