//! What answers leave behind, and what they are made from: run as a user runs the binary.

use std::path::{Path, PathBuf};

use crate::support::{Repo, Run, run_in};

fn repo() -> Repo {
    Repo::with(&[
        (".git/HEAD", ""),
        ("src/a.ts", "import { worker } from './b';\nexport const a = worker();\n"),
        ("src/b.ts", "// the worker\nexport function worker(): number {\n  return 1;\n}\n"),
    ])
}

/// Runs the binary in a folder of a repository, with a cache beside it.
fn run(repo: &Repo, folder: &str, arguments: &[&str]) -> Run {
    let cache = repo.parent().join("cache");
    run_in(&repo.path().join(folder), arguments, &[("XDG_CACHE_HOME", cache.to_str().unwrap())])
}

/// The digest on the first line of an answer.
fn digest(run: &Run) -> String {
    assert!(run.stdout.starts_with('@'), "{run:?}");
    run.stdout[1..17].to_owned()
}

fn store(repo: &Repo) -> PathBuf {
    repo.parent().join("cache/portolan/answers")
}

fn all_text(folder: &Path) -> String {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

fn key() -> String {
    format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap())
}

#[test]
fn no_secret_of_a_log_or_a_task_is_kept() {
    let repo = repo();
    let (key, error) = (key(), "src/b.ts(3,3): error TS2304: Cannot find name 'x'.\n");
    let split = format!("{}\u{1b}[31m{}\u{1b}[0m", &key[..20], &key[20..]);
    for (name, text) in [("plain", &key), ("coloured", &split)] {
        repo.write("ci.log", format!("{error}token {text}\n").as_bytes());
        let pack = run(&repo, "", &["pack", "--diag", "ci.log"]);
        assert_eq!(pack.code, 0, "{name}: {}", pack.stderr);
        let check = run(&repo, "", &["check", &digest(&pack)]);
        assert!(check.stdout.contains(" true: pack failure"), "{name}: {}", check.stdout);
        for arguments in [["pack", "--task"], ["chart", "--task"], ["search", "--task"]] {
            let task = format!("the worker gets {text} wrong");
            let answer = run(&repo, "", &[arguments[0], arguments[1], &task]);
            assert_eq!(answer.code, 0, "{}", answer.stderr);
            let check = run(&repo, "", &["check", &digest(&answer)]);
            assert_eq!(check.code, 0, "{name}: {}", check.stdout);
        }
        let kept = all_text(&store(&repo));
        assert!(kept.contains("TS2304") && kept.contains("the worker gets"), "{kept}");
        assert!(!kept.contains(&key[20..]), "{name}: {kept}");
    }
}

#[test]
fn a_question_that_needs_a_secret_is_not_kept() {
    let repo = repo();
    let key = key();
    repo.write("src/c.txt", format!("the key is {key}\n").as_bytes());
    let found = run(&repo, "", &["search", &key]);
    // The file is denied for the key: nothing tells that it has it.
    assert_eq!(found.code, 1, "{}", found.stdout);
    assert!(run(&repo, "", &["check", &digest(&found)]).stdout.contains("unknown"));
    assert!(!store(&repo).exists() || !all_text(&store(&repo)).contains(&key));
}

#[cfg(unix)]
#[test]
fn only_the_user_may_read_what_is_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let repo = repo();
    // What an earlier version left: open to everybody, and not masked.
    std::fs::create_dir_all(store(&repo)).unwrap();
    let old = store(&repo).join("0123456789abcdef.json");
    std::fs::write(&old, key()).unwrap();
    for folder in [store(&repo), repo.parent().join("cache/portolan")] {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let look = run(&repo, "", &["look", "src/b.ts"]);
    assert!(!old.exists());
    let kept = store(&repo).join(format!("{}.json", digest(&look)));
    assert_eq!(mode(&kept), 0o600);
    assert_eq!(mode(&store(&repo)), 0o700);
    assert_eq!(mode(&repo.parent().join("cache/portolan")), 0o700);
    let again = run(&repo, "", &["look", "src/a.ts"]);
    assert!(kept.exists(), "{}", again.stderr);
}

#[test]
fn an_answer_with_other_files_has_another_digest() {
    let (empty, repo) = (Repo::with(&[(".git/HEAD", "")]), repo());
    for n in 0..40 {
        let text = format!("export const v{n} = {n};\n").repeat(30);
        repo.write(&format!("src/deep/down/f{n}.ts"), text.as_bytes());
    }
    let chart = ["chart", "--budget", "500"];
    let before = run(&repo, "", &chart);
    assert_ne!(digest(&before), digest(&run(&empty, "", &chart)));
    repo.write("src/deep/down/new.ts", b"export const v = 1;\n");
    let after = run(&repo, "", &chart);
    assert_ne!(digest(&before), digest(&after));
    let check = run(&repo, "", &["check", &digest(&before)]).stdout;
    assert!(check.contains(" changed: chart . 43 files"), "{check}");
    let nothing = ["search", "zebra"];
    let before = run(&repo, "", &nothing);
    repo.write("src/other.ts", b"export const other = 1;\n");
    assert_ne!(digest(&before), digest(&run(&repo, "", &nothing)));
}

#[test]
fn a_range_of_lines_is_found_however_its_path_is_written() {
    let repo = repo();
    for (folder, path) in [
        ("", "src/b.ts"),
        ("", "./src/b.ts"),
        ("src", "b.ts"),
        ("src", "./b.ts"),
        ("src", "../src/b.ts"),
    ] {
        let target = format!("{path}:2-3");
        for arguments in [["read", target.as_str()].as_slice(), &["pack", "--at", &target]] {
            let answer = run(&repo, folder, arguments);
            assert_eq!(answer.code, 0, "{folder} {arguments:?}: {}", answer.stderr);
            assert!(
                answer.stdout.contains("return 1;"),
                "{folder} {arguments:?}: {}",
                answer.stdout
            );
        }
    }
}
