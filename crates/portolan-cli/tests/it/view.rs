//! Tests the command `portolan view`: where the page goes, and the messages. `view_browser` tests
//! the page itself.

use serde_json::Value;

use crate::support::{Repo, files_below, run_in};

const APP: &str = "\
//- src/a.ts
import { b } from './b';
export const a = b;
//- src/b.ts
export const b = 1;
";

const PAGE: &str = ".stan/output/view.html";

#[test]
fn the_page_is_written_to_the_workspace_and_reported_in_one_line() {
    let repo = Repo::new(APP);
    std::fs::create_dir(repo.path().join(".stan")).unwrap();
    let run = repo.run(&["view"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.starts_with(".stan/output/view.html  2 files, 21 tokens, 1 edge ("),
        "{}",
        run.stdout
    );
    let page = String::from_utf8(repo.read(PAGE).unwrap()).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("<title>repo · Portolan</title>"));
}

#[test]
fn the_same_files_give_the_same_page_cold_warm_and_on_stdout() {
    let repo = Repo::new(APP);
    std::fs::create_dir(repo.path().join(".stan")).unwrap();
    let cold = repo.run(&["view", "--out", "-"]).stdout;
    assert_eq!(repo.run(&["view"]).code, 0);
    let first = repo.read(PAGE).unwrap();
    assert_eq!(repo.run(&["view", "--threads", "1"]).code, 0);
    assert_eq!(repo.read(PAGE).unwrap(), first);
    assert_eq!(cold.as_bytes(), first);
}

#[test]
fn a_repository_without_a_workspace_gets_nothing_written_into_it() {
    let repo = Repo::new(APP);
    let before = files_below(&repo.path(), "");
    let cache = repo.path().parent().unwrap().join("cache");
    let run = run_in(&repo.path(), &["view"], &[("XDG_CACHE_HOME", cache.to_str().unwrap())]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (page, _) = run.stdout.split_once("  ").unwrap();
    assert!(page.starts_with(cache.to_str().unwrap()) && page.ends_with("view.html"), "{page}");
    assert!(std::fs::read_to_string(page).unwrap().starts_with("<!doctype html>"));
    assert_eq!(files_below(&repo.path(), ""), before);
}

#[test]
fn a_path_is_a_part_of_the_repository_or_another_one() {
    let repo = Repo::new(APP);
    let run = repo.run(&["view", "src", "--out", "../map.html"]);
    assert!(run.stdout.contains("2 files"), "{}", run.stdout);
    let empty = repo.path().parent().unwrap().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let run = run_in(&empty, &["view", "../repo/src", "--out", "map.html"], &[]);
    assert!(run.stdout.contains("2 files"), "{} {}", run.stdout, run.stderr);
    let gone = repo.run(&["view", "gone"]);
    assert_eq!(gone.code, 2);
    assert!(gone.stderr.contains("`gone` is no file or folder here"), "{}", gone.stderr);
}

#[test]
fn machines_get_a_report_and_the_page_in_its_file() {
    let repo = Repo::new(APP);
    let run = repo.run(&["view", "--out", "map.html", "--format", "json"]);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["result"]["page"], "map.html");
    assert_eq!(answer["result"]["declarations"], 2);
    assert_eq!(answer["result"]["bytes"], repo.read("map.html").unwrap().len());
    assert_eq!(repo.read(PAGE), None);
}

#[test]
fn arguments_that_cannot_work_are_refused_before_any_work() {
    let repo = Repo::new(APP);
    for arguments in [["--out", "-", "--format", "json"].as_slice(), &["--out", "-", "--open"]] {
        let run = repo.run(&[&["view"], arguments].concat());
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("hint: "), "{}", run.stderr);
    }
    let run = repo.run(&["view", "--out", "gone/map.html"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("cannot write `gone/map.html`"), "{}", run.stderr);
}

#[test]
#[cfg(unix)]
fn a_workspace_that_leads_elsewhere_is_not_written_to() {
    let repo = Repo::new(APP);
    let outside = repo.parent().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, repo.path().join(".stan")).unwrap();
    let run = repo.run(&["view"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stderr.contains("`.stan` cannot be used"), "{}", run.stderr);
    assert_eq!(std::fs::read_dir(outside).unwrap().count(), 0);
}
