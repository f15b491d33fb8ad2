//! Tests paths as people type them: from the folder they are in, out of it and back, as globs, and wrong.

use std::path::Path;

use crate::support::{Repo, Run, run_in};

const NESTED: &[(&str, &str)] = &[
    (".git/HEAD", "ref: refs/heads/main\n"),
    ("Cargo.toml", "# root\n[workspace]\n"),
    ("core/Cargo.toml", "# core\n[package]\n"),
    ("core/main.rs", "mod flags;\nfn main() {}\n"),
    ("core/flags/mod.rs", "pub fn parse() -> u8 { 1 }\n"),
    ("core/flags/low.rs", "pub fn low() -> u8 { 2 }\n"),
    ("src/a.ts", "export const a = 1;\n"),
    ("src/b.ts", "export const b = 2;\n"),
];

fn at(folder: &Path, arguments: &[&str]) -> Run {
    run_in(folder, arguments, &[])
}

#[test]
fn a_bare_path_is_one_of_the_current_folder_first() {
    let repo = Repo::with(NESTED);
    let core = repo.path().join("core");
    for path in ["Cargo.toml", "./Cargo.toml"] {
        let read = at(&core, &["read", path]).stdout;
        assert!(read.contains("1\t# core\n"), "{path}: {read}");
    }
    assert!(at(&core, &["look", "Cargo.toml"]).stdout.contains(" look core/Cargo.toml "));
    let chart = at(&core, &["chart", "Cargo.toml"]).stdout;
    assert!(chart.contains("core/"), "{chart}");
    let search = at(&core, &["search", "core", "Cargo.toml"]).stdout;
    assert!(search.contains("core/Cargo.toml"), "{search}");
    let pack = at(&core, &["pack", "--at", "Cargo.toml"]).stdout;
    assert!(pack.contains("core/Cargo.toml"), "{pack}");
    // Then the root's, then a file of that name anywhere.
    assert!(at(&core, &["read", "src/a.ts"]).stdout.contains("1\texport const a"));
    assert!(at(&core, &["read", "low.rs"]).stdout.contains("pub fn low"));
}

#[test]
fn a_folder_of_the_current_folder_comes_before_a_name() {
    let repo = Repo::with(NESTED);
    let read = at(&repo.path().join("core"), &["read", "flags"]).stdout;
    assert!(read.contains("outlines of 2 files"), "{read}");
}

#[test]
fn a_way_out_and_back_in_is_a_way_inside() {
    let repo = Repo::with(NESTED);
    let read = repo.run(&["read", "../repo/src/a.ts"]);
    assert!(read.stdout.contains("1\texport const a"), "{}", read.stderr);
    let search = repo.run(&["search", "export", "../repo/src"]);
    assert_eq!(search.code, 0, "{}", search.stderr);
    #[cfg(unix)]
    {
        let link = repo.parent().join("link");
        std::os::unix::fs::symlink(repo.path(), &link).unwrap();
        let path = link.join("src/a.ts");
        let read = repo.run(&["read", path.to_str().unwrap()]);
        assert!(read.stdout.contains("1\texport const a"), "{}", read.stderr);
    }
}

#[test]
fn whoever_is_in_no_repository_goes_to_that_of_the_path() {
    let repo = Repo::with(NESTED);
    let above = repo.parent();
    std::fs::write(above.join("other.ts"), "export const other = 1;\n").unwrap();
    for path in ["repo/src/a.ts".to_owned(), format!("{}/src/a.ts", repo.path().display())] {
        let look = at(&above, &["look", &path]).stdout;
        assert!(look.contains(" look src/a.ts "), "{path}: {look}");
        let search = at(&above, &["search", "export", &path]).stdout;
        assert!(search.contains("src/a.ts") && !search.contains("repo/src"), "{path}: {search}");
    }
    assert!(at(&above, &["look", "other.ts"]).stdout.contains(" look other.ts "));
}

/// The folder around the file may be a whole disk.
#[test]
fn lines_of_a_file_outside_of_a_repository_need_no_walk() {
    let folder = Repo::with(&[("a/b.py", "one = 1\ntwo = 2\nthree = 3\n"), ("c/d.py", "x = 1\n")]);
    std::fs::write(folder.path().join(".gitignore"), "hidden.py\n").unwrap();
    folder.write("hidden.py", b"y = 1\n");
    let read = folder.run(&["read", "a/b.py:2-3"]);
    assert!(read.stdout.contains("2\ttwo = 2\n3\tthree = 3\n"), "{}", read.stderr);
    let json = folder.run(&["read", "a/b.py:2-3", "--format", "json"]).stdout;
    assert!(json.contains("two = 2"), "{json}");
    let before = read.stdout;
    folder.write("c/new.py", b"z = 1\n");
    assert_eq!(folder.run(&["read", "a/b.py:2-3"]).stdout, before, "no other file was asked");
    assert_eq!(folder.run(&["read", "hidden.py:1-1"]).code, 2, "an ignored file is none");
}

#[test]
fn a_path_that_is_not_there_is_an_error_of_a_search() {
    let repo = Repo::with(NESTED);
    let gone = repo.run(&["search", "export", "core/flag"]);
    assert_eq!(gone.code, 2, "{}", gone.stdout);
    assert!(gone.stderr.contains("nearest: `core/flags`"), "{}", gone.stderr);
    let lines = repo.run(&["search", "export", "src/a.ts:10-20"]);
    assert_eq!(lines.code, 2, "{}", lines.stdout);
    assert!(lines.stderr.contains("`portolan read src/a.ts:10-20 --match"), "{}", lines.stderr);
}

#[test]
fn globs_name_files_in_every_command() {
    let repo = Repo::with(NESTED);
    let read = repo.run(&["read", "src/*.ts"]).stdout;
    assert!(read.contains("export const a") && read.contains("export const b"), "{read}");
    let document = repo.run(&["read", "src/*.ts", "--format", "markdown"]).stdout;
    assert!(document.contains("## src/a.ts") && document.contains("## src/b.ts"), "{document}");
    let look = repo.run(&["look", "src/*.ts"]).stdout;
    assert!(look.contains("src/a.ts") && look.contains("src/b.ts"), "{look}");
    let near = at(&repo.path().join("src"), &["read", "*.ts"]).stdout;
    assert!(near.contains("export const a"), "{near}");
    assert_eq!(repo.run(&["read", "src/*.go"]).code, 2);
}

#[test]
fn globs_of_a_search_are_seen_from_the_current_folder() {
    let repo = Repo::with(NESTED);
    let core = repo.path().join("core");
    let found = at(&core, &["search", "low", "-g", "flags/**"]);
    assert!(found.stdout.contains("core/flags"), "{}", found.stdout);
    let found = at(&core, &["search", "low", "flags/*.rs"]);
    assert!(found.stdout.contains("core/flags"), "{}", found.stdout);
    let nothing = repo.run(&["search", "low", "-g", "nope/**", "--type", "py"]);
    assert_eq!(nothing.code, 1);
    let why = "in 0 files: no file is in all of `-g nope/**`, `-t py`\n";
    assert!(nothing.stdout.contains(why), "{}", nothing.stdout);
}

#[test]
fn an_answer_from_a_subfolder_has_no_note_on_the_root() {
    let repo = Repo::with(NESTED);
    for arguments in [&["read", "main.rs"][..], &["look", "main.rs"], &["chart"]] {
        let run = at(&repo.path().join("core"), arguments);
        assert_eq!(run.stderr, "", "{arguments:?}");
    }
}

#[test]
fn lines_are_taken_as_sed_writes_them_and_begin_at_one() {
    let repo = Repo::with(&[("a.py", "a = 1\nb = 2\nc = 3\nd = 4\n")]);
    for lines in ["2,3p", "2-3", "2+1", "2,+1", "2,+1p"] {
        let read = repo.run(&["read", &format!("a.py:{lines}")]).stdout;
        assert!(read.ends_with("a.py\n2\tb = 2\n3\tc = 3\n"), "{lines}: {read}");
    }
    for zero in ["a.py:0", "a.py:0-2"] {
        let read = repo.run(&["read", zero]);
        assert_eq!(read.code, 2, "{zero}");
        assert!(read.stderr.contains("the first line is 1"), "{}", read.stderr);
    }
    let gone = repo.run(&["read", "nosuchthing"]);
    assert!(gone.stderr.contains("`search nosuchthing` finds where the word"), "{}", gone.stderr);
}

#[test]
fn a_path_that_is_not_there_is_told_at_once_outside_of_a_repository() {
    let repo = Repo::with(&[("big/a.py", "x = 1\n"), ("big/b.py", "y = 2\n")]);
    let folder = repo.path().join("big");
    let (gone, glob) = (folder.join("gone/x.py"), folder.join("gone/*.py"));
    let (gone, glob) = (gone.to_str().unwrap(), glob.to_str().unwrap());
    for arguments in [
        &["read", gone][..],
        &["look", gone],
        &["look", &format!("{gone}#name")],
        &["read", &format!("{gone}:3-9")],
        &["search", "x", gone],
        &["chart", gone],
        &["impact", "--at", gone],
        &["look", "../big/gone/x.py"],
        &["search", "x", glob],
    ] {
        let run = at(&folder, arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(run.stderr.contains("does not exist"), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains("is there, and has no `gone`"), "{}", run.stderr);
    }
    let glob = folder.join("*.py");
    let found = at(&folder, &["search", "x", glob.to_str().unwrap()]);
    assert_eq!(found.code, 0, "{}", found.stderr);
}

#[test]
fn a_selection_takes_the_file_of_the_current_folder_first() {
    let repo = Repo::with(NESTED);
    let core = repo.path().join("core");
    let selected = at(&core, &["select", "Cargo.toml"]).stdout;
    assert!(selected.contains("core/Cargo.toml"), "{selected}");
    let selected = at(&core, &["select", "src/a.ts"]).stdout;
    assert!(selected.contains("src/a.ts"), "{selected}");
}
