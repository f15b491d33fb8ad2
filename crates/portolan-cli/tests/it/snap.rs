//! Moves baselines to the present, back, and forward again.

use crate::support::Repo;

const DIFF: &str = ".stan/output/archive.diff.tar";
const NO_CHANGES: [&str; 1] = [".stan/diff/.stan_no_changes"];

fn fixture() -> Repo {
    let repo = Repo::with(&[
        ("src/a.ts", "import { alpha } from 'alpha';\nexport const a = alpha;\n"),
        (
            "node_modules/alpha/package.json",
            "{\"name\":\"alpha\",\"version\":\"1.2.3\",\"types\":\"i.d.ts\"}",
        ),
        ("node_modules/alpha/i.d.ts", "export declare const alpha: 1;\n"),
        (".gitignore", "node_modules/\n"),
        (".stan/context/dependency.state.json", r#"{"v":2,"i":[["src/a.ts",1]]}"#),
    ]);
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    repo
}

#[track_caller]
fn check_diff(repo: &Repo, expected: &[&str]) {
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    assert_eq!(repo.names(DIFF), expected);
}

#[test]
fn snap_moves_the_baseline_and_undo_and_redo_move_it_along() {
    let repo = fixture();
    repo.write(
        "src/a.ts",
        "import { alpha } from 'alpha';\nexport const a = alpha + 1;\n".as_bytes(),
    );
    // The edges are the same, so the map is not sent again.
    let changed = ["src/a.ts"];
    check_diff(&repo, &changed);
    check_diff(&repo, &changed);

    let answer = repo.run(&["snap"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    check_diff(&repo, &NO_CHANGES);
    assert_eq!(repo.run(&["snap", "undo"]).code, 0);
    check_diff(&repo, &changed);
    assert_eq!(repo.run(&["snap", "redo"]).code, 0);
    check_diff(&repo, &NO_CHANGES);
    assert_eq!(repo.run(&["snap", "set", "0"]).code, 0);
    check_diff(&repo, &changed);

    let info = repo.run(&["snap", "info"]).stdout;
    assert_eq!(info.lines().count(), 2, "{info}");
    assert!(info.starts_with("> 0  "), "{info}");
}

#[test]
fn moves_beyond_the_ends_are_reported() {
    let repo = fixture();
    let answer = repo.run(&["snap", "undo"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("there is no history yet"), "{}", answer.stderr);
    assert_eq!(repo.run(&["snap"]).code, 0);
    for step in [&["snap", "redo"][..], &["snap", "set", "9"]] {
        assert_eq!(repo.run(step).code, 2);
    }
}

#[test]
fn undo_checks_that_the_selection_can_still_be_satisfied() {
    let repo = fixture();
    assert_eq!(repo.run(&["snap"]).code, 0);
    std::fs::remove_file(repo.path().join("node_modules/alpha/i.d.ts")).unwrap();
    let before = repo.files_below(".stan/diff");
    let answer = repo.run(&["snap", "undo"]);
    assert_eq!(answer.code, 1);
    assert!(
        answer.stderr.contains("`.stan/context/npm/alpha/1.2.3/i.d.ts`: its source cannot be read"),
        "{}",
        answer.stderr
    );
    assert_eq!(repo.files_below(".stan/diff"), before);
    assert_eq!(repo.run(&["snap", "undo", "--force"]).code, 0);
}

#[test]
fn one_baseline_can_be_moved_alone() {
    let repo = fixture();
    assert_eq!(repo.run(&["run"]).code, 0);
    repo.write("src/a.ts", "export const a = 2;\n".as_bytes());
    assert_eq!(repo.run(&["snap", "--plain"]).code, 0);
    assert_eq!(repo.run(&["run"]).code, 0);
    assert_eq!(repo.names(DIFF), NO_CHANGES);
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    assert!(repo.names(DIFF).contains(&"src/a.ts".to_owned()));
}

#[test]
fn ten_baselines_are_kept_and_their_copies_go_with_them() {
    let repo = fixture();
    for n in 0..14 {
        repo.write("src/a.ts", format!("export const a = {n};\n").as_bytes());
        assert_eq!(repo.run(&["snap", "--plain"]).code, 0);
    }
    assert_eq!(repo.run(&["snap", "info"]).stdout.lines().count(), 10);
    let copies = repo.files_below(".stan/diff/snapshots");
    assert!(copies.len() <= 11, "{copies:?}");
}
