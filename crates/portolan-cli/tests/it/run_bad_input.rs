//! A hostile or broken repository cannot harm a run. Each case ends with a clear message and code 1
//! or 2, keeps the last good archive, and writes nothing outside.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::Repo;

const STATE: &str = ".stan/context/dependency.state.json";
const ARCHIVE: &str = ".stan/output/archive.tar";

/// A repository with a good context archive.
fn after_a_good_run() -> Repo {
    let repo = Repo::with(&[
        ("package.json", "{\"name\":\"demo\"}"),
        ("src/a.ts", "export const a = 1;\n"),
        (STATE, r#"{"v":2,"i":["src/a.ts"]}"#),
    ]);
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    repo
}

/// Checks that a context run fails with a code and a message, and that the outputs of the last run
/// are unchanged.
#[track_caller]
fn check_refused(repo: &Repo, code: i32, message: &str) {
    let outputs = || {
        [".stan/output", ".stan/diff", ".stan/context/npm", ".stan/imports"]
            .map(|folder| repo.files_below(folder))
    };
    let before = outputs();
    let answer = repo.run(&["run", "--context"]);
    assert_eq!(answer.code, code, "{}", answer.stderr);
    assert!(answer.stderr.contains(message), "{}", answer.stderr);
    assert_eq!(answer.stdout, "");
    assert_eq!(outputs(), before);
}

#[test]
fn a_state_that_names_files_outside_is_refused() {
    for (id, reason) in [
        ("../../etc/passwd", "the path leaves the repository"),
        ("src/../../x", "the path leaves the repository"),
        ("/etc/passwd", "the path is absolute"),
        ("C:\\\\x", "the path is absolute"),
        ("src\\\\a.ts", "backslash"),
        ("a\\u0000b", "a control character"),
        ("link", "a link leads outside the repository"),
        ("folder-link/secret.txt", "a link leads outside the repository"),
    ] {
        let repo = after_a_good_run();
        fs::create_dir(repo.parent().join("outside")).unwrap();
        fs::write(repo.parent().join("outside/secret.txt"), "secret").unwrap();
        symlink(repo.parent().join("outside/secret.txt"), repo.path().join("link")).unwrap();
        symlink(repo.parent().join("outside"), repo.path().join("folder-link")).unwrap();
        repo.write(STATE, format!("{{\"v\":2,\"i\":[\"src/a.ts\",\"{id}\"]}}").as_bytes());
        check_refused(&repo, 2, reason);
    }
}

#[test]
fn a_broken_state_is_reported_with_all_its_problems() {
    let repo = after_a_good_run();
    repo.write(STATE, r#"{"v":2,"i":[["src/a.ts",-1],["src/a.ts","1"]]}"#.as_bytes());
    check_refused(&repo, 2, "`i[1][1]`");
    repo.write(STATE, r#"{"v":2,"i":["src/a.ts",]}"#.as_bytes());
    check_refused(&repo, 2, "comma");
    repo.write(STATE, "".as_bytes());
    check_refused(&repo, 2, STATE);
}

#[test]
fn a_hundred_thousand_entries_and_unlimited_depth_work() {
    let repo = after_a_good_run();
    let entries: Vec<String> =
        (0..100_000).map(|n| format!("[\"src/missing-{n}.ts\",7]")).collect();
    let state =
        format!("{{\"v\":2,\"i\":[[\"src/a.ts\",1000000000000000000],{}]}}", entries.join(","));
    repo.write(STATE, state.as_bytes());
    let answer = repo.run(&["run", "-c"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains("(100,000) [CTX-ARCHIVE-0005]"), "{}", answer.stderr);
    assert!(repo.names(ARCHIVE).contains(&"src/a.ts".to_owned()));
}

#[test]
fn a_package_that_calls_itself_a_path_stays_inside() {
    for (name, version) in [
        ("../../evil", "1.0.0"),
        ("evil", "1.0.0/../../../../x"),
        ("@../x", "1"),
        ("a/b/c", "1"),
        ("evil", ".."),
    ] {
        let repo = after_a_good_run();
        let manifest =
            format!("{{\"name\":\"{name}\",\"version\":\"{version}\",\"types\":\"i.d.ts\"}}");
        repo.write("node_modules/evil/package.json", manifest.as_bytes());
        repo.write("node_modules/evil/i.d.ts", "export declare const evil: 1;\n".as_bytes());
        repo.write("src/a.ts", "import { evil } from 'evil';\nexport const a = evil;\n".as_bytes());
        repo.write(STATE, r#"{"v":2,"i":[["src/a.ts",1]]}"#.as_bytes());
        let answer = repo.run(&["run", "-c"]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let names = repo.names(ARCHIVE);
        let staged = names.iter().filter(|name| name.ends_with("i.d.ts"));
        assert!(staged.into_iter().all(|name| name.starts_with(".stan/context/abs/")), "{names:?}");
        assert!(!repo.parent().join("evil").exists() && !repo.path().join("evil").exists());
    }
}

#[test]
fn a_workspace_that_is_a_link_to_elsewhere_is_refused() {
    for link in [".stan", ".stan/output", ".stan/diff", ".stan/context"] {
        let repo = Repo::with(&[("src/a.ts", "export {};\n")]);
        let outside = repo.parent().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::create_dir_all(repo.path().join(link).parent().unwrap()).unwrap();
        symlink(&outside, repo.path().join(link)).unwrap();
        let answer = repo.run(&["run", "-c", "-m"]);
        assert_eq!(answer.code, 2, "{}", answer.stderr);
        assert!(answer.stderr.contains("a link leads outside the repository"), "{}", answer.stderr);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{link}");
    }
}

#[test]
fn an_output_that_is_a_link_is_replaced_and_not_followed() {
    let repo = after_a_good_run();
    fs::write(repo.parent().join("outside.txt"), "mine").unwrap();
    fs::remove_file(repo.path().join(ARCHIVE)).unwrap();
    symlink(repo.parent().join("outside.txt"), repo.path().join(ARCHIVE)).unwrap();
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    assert_eq!(fs::read(repo.parent().join("outside.txt")).unwrap(), b"mine");
    assert!(!repo.path().join(ARCHIVE).is_symlink());
}

#[test]
fn an_output_that_cannot_be_replaced_changes_nothing() {
    let repo = after_a_good_run();
    let archive = repo.path().join(ARCHIVE);
    fs::remove_file(&archive).unwrap();
    fs::create_dir(&archive).unwrap();
    repo.write("src/a.ts", "export const a = 2;\n".as_bytes());
    check_refused(&repo, 1, "cannot replace");
}

#[test]
fn a_corrupt_baseline_is_reported_with_a_remedy() {
    let repo = after_a_good_run();
    repo.write(".stan/diff/.archive.snapshot.context.json", "{oops".as_bytes());
    check_refused(&repo, 1, "portolan snap");
    assert_eq!(repo.run(&["snap"]).code, 0);
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    assert_eq!(repo.names(".stan/output/archive.diff.tar"), [".stan/diff/.stan_no_changes"]);
}
