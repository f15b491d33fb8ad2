//! A `.git` that leads into another repository of the machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use portolan_testkit::reliability;

use super::{CANARY, Lair};

/// Runs git, and says whether it is there and did it.
fn git(folder: &Path, arguments: &[&str]) -> bool {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output();
    done.is_ok_and(|done| done.status.success())
}

/// Commands that show what was in a commit.
const SHOWING: [&[&str]; 5] = [
    &["pack", "--changed"],
    &["pack", "--changed", "HEAD"],
    &["impact", "HEAD"],
    &["pack", "--changed", "HEAD~1"],
    &["pack", "--changed", "other"],
];

/// A repository whose only neighbour, `outside`, has commits with secrets.
fn beside_commits() -> Option<Lair> {
    let lair = Lair::new(&[("src/a.ts", "export const a = 1;\n")]);
    let outside = lair.outside();
    fs::create_dir_all(outside.join("src")).unwrap();
    fs::write(outside.join("src/a.ts"), format!("export const a = '{CANARY}';\n")).unwrap();
    let is_there = git(&outside, &["init", "-q", "-b", "main"])
        && git(&outside, &["add", "-A", "-f"])
        && git(&outside, &["commit", "-q", "-m", CANARY])
        && git(&outside, &["commit", "-q", "--allow-empty", "-m", "more"]);
    is_there.then_some(lair)
}

fn head_of(outside: &Path) -> String {
    fs::read_to_string(outside.join(".git/refs/heads/main")).unwrap().trim().to_owned()
}

/// The ways to make a `.git` lead into the repository outside.
const WAYS: [fn(&Lair); 11] = [
    |lair| lair.write(".git", format!("gitdir: {}/.git\n", lair.outside().display())),
    |lair| lair.write(".git", "gitdir: ../outside/.git\n"),
    |lair| lair.link(".git", lair.outside().join(".git")),
    |lair| {
        lair.write(".git/HEAD", "ref: refs/heads/main\n");
        lair.write(".git/commondir", format!("{}/.git\n", lair.outside().display()));
    },
    |lair| {
        own(lair, &head_of(&lair.outside()));
        let store = lair.outside().join(".git/objects");
        lair.write(".git/objects/info/alternates", format!("{}\n", store.display()));
    },
    |lair| {
        own(lair, "");
        lair.link(".git/refs/heads/main", lair.outside().join(".git/refs/heads/main"));
        let store = lair.outside().join(".git/objects");
        lair.write(".git/objects/info/alternates", format!("{}\n", store.display()));
    },
    |lair| {
        own(lair, &head_of(&lair.outside()));
        lair.link(".git/objects", lair.outside().join(".git/objects"));
    },
    |lair| {
        own(lair, &head_of(&lair.outside()));
        for entry in fs::read_dir(lair.outside().join(".git/objects")).unwrap() {
            let entry = entry.unwrap();
            lair.link(&format!(".git/objects/{}", entry.file_name().display()), entry.path());
        }
    },
    |lair| {
        let worktree = lair.outside().join(".git/worktrees/other");
        fs::create_dir_all(&worktree).unwrap();
        fs::write(worktree.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(worktree.join("commondir"), "../..\n").unwrap();
        fs::write(worktree.join("gitdir"), "/elsewhere/.git\n").unwrap();
        lair.write(".git", format!("gitdir: {}\n", worktree.display()));
    },
    |lair| {
        own(lair, &head_of(&lair.outside()));
        lair.write(".git/objects/info/alternates", "../../../../outside/.git/objects\n");
    },
    |lair| {
        // All of its history is its own: nothing needs the store of another.
        let root = &lair.root();
        assert!(git(root, &["init", "-q", "-b", "main"]) && git(root, &["add", "-A"]));
        assert!(git(root, &["commit", "-q", "-m", "own"]));
        let store = lair.outside().join(".git/objects");
        lair.write(".git/objects/info/alternates", format!("{}\n", store.display()));
        lair.write(".git/refs/heads/other", format!("{}\n", head_of(&lair.outside())));
    },
];

/// A git folder of the repository's own.
fn own(lair: &Lair, commit: &str) {
    lair.write(".git/HEAD", "ref: refs/heads/main\n");
    lair.write(".git/config", "[core]\nbare = false\n");
    if !commit.is_empty() {
        lair.write(".git/refs/heads/main", format!("{commit}\n"));
    }
}

#[test]
fn no_other_repository_is_shown() {
    for (number, way) in WAYS.iter().enumerate() {
        let Some(lair) = beside_commits() else { return };
        way(&lair);
        for command in SHOWING {
            let outcome = lair.run(command);
            let said = format!("{}{}", outcome.stdout, outcome.stderr);
            assert!(!said.contains("As it was in"), "{number} {command:?}: {said}");
        }
    }
    reliability::row(
        "attacks",
        "a `.git` file, link, `commondir` or alternate that leads into another repository",
        WAYS.len() * SHOWING.len(),
        "history is not available; nothing of it shown",
    );
}

#[test]
fn work_trees_submodules_and_shared_clones_keep_their_history() {
    let Some(lair) = beside_commits() else { return };
    let base = lair.base();
    let outside = lair.outside();
    fs::write(outside.join("src/a.ts"), "export const a = 1;\n").unwrap();
    assert!(git(&outside, &["commit", "-qam", "clean"]));
    assert!(git(&outside, &["worktree", "add", "-q", "../tree"]));
    assert!(git(&base, &["clone", "-q", "--shared", "outside", "shared"]));
    assert!(
        git(&outside, &["submodule", "add", "-q", "./", "sub"])
            || git(&outside, &["submodule", "add", "-q", outside.to_str().unwrap(), "sub"])
    );
    for folder in ["tree", "shared", "outside/sub"] {
        let root = base.join(folder);
        fs::write(root.join("src/a.ts"), "export const a = 2;\n").unwrap();
        let outcome = super::run_limited(&root, &["pack", "--changed"], b"");
        let said = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(outcome.code == 0 && said.contains("src/a.ts"), "{folder}: {said}");
        assert!(!said.contains("not available"), "{folder}: {said}");
    }
}
