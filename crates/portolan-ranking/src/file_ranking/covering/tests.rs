//! Which tests come first, one signal at a time.

use portolan_types::FileId;

use super::super::fixture::{File, commits_of, corpus_of};
use super::{Change, covering, likeness, subject_of};

/// The tests of a change of the first file, with their distances, likeliest first.
fn check(files: &[File], text: &str, commits: &[&[u32]], expected: &str) {
    let commits = &commits_of(commits);
    check_change(files, &Change { files: &[FileId::new(0)], text, commits }, expected);
}

fn check_change(files: &[File], change: &Change<'_>, expected: &str) {
    let (corpus, index) = corpus_of(files);
    let found: Vec<String> = covering(&corpus, &index, change)
        .into_iter()
        .map(|it| format!("{}:{}", files[it.test.index()].0, it.distance))
        .collect();
    assert_eq!(found.join(" "), expected);
}

#[test]
fn a_test_that_speaks_of_the_changed_lines_comes_before_a_nearer_one() {
    let files: &[File] = &[
        ("a/core.ts", "", &[]),
        ("a/one.test.ts", "first second third", &[0]),
        ("a/two.test.ts", "retry the timeout", &[3]),
        ("a/use.ts", "", &[0]),
    ];
    check(files, "if (timeout) retry()", &[], "a/two.test.ts:2 a/one.test.ts:1");
    check(files, "", &[], "a/one.test.ts:1 a/two.test.ts:2");
}

#[test]
fn a_test_named_like_the_file_or_like_the_changed_lines_comes_first() {
    let files: &[File] = &[
        ("a/link.ts", "", &[]),
        ("b/test/link.ts", "", &[]),
        ("b/test/other.ts", "", &[0]),
        ("b/test/retry.ts", "", &[0]),
    ];
    check(files, "", &[], "b/test/link.ts:9 b/test/other.ts:1 b/test/retry.ts:1");
    check(files, "retry()", &[], "b/test/retry.ts:1 b/test/link.ts:9 b/test/other.ts:1");
}

#[test]
fn what_is_no_code_or_shared_by_tests_is_no_test() {
    let files: &[File] = &[
        ("a/core.ts", "", &[]),
        ("a/test/README.md", "core", &[]),
        ("a/test/core.gen.ts", "core", &[0]),
        ("a/test/one.ts", "core", &[0, 5]),
        ("a/test/package.json", "core", &[]),
        ("a/test/types.ts", "core", &[0]),
        ("a/test/types.test.ts", "core", &[5]),
    ];
    check(files, "core", &[], "a/test/one.ts:1 a/test/types.test.ts:2");
}

#[test]
fn a_test_that_changed_with_the_file_before_is_named_without_an_import() {
    let files: &[File] = &[
        ("a/core.ts", "", &[]),
        ("a/x.test.ts", "", &[]),
        ("a/y.test.ts", "", &[]),
        ("a/z.test.ts", "", &[0]),
    ];
    let commits: [&[u32]; 2] = [&[0, 2], &[0, 2]];
    check(files, "", &commits, "a/y.test.ts:9 a/z.test.ts:1");
}

#[test]
fn a_test_of_more_of_the_changed_files_comes_first_and_a_changed_one_before_all() {
    let files: &[File] = &[
        ("a/core.ts", "", &[]),
        ("a/more.ts", "", &[]),
        ("a/x.test.ts", "", &[0]),
        ("a/y.test.ts", "", &[0, 1]),
        ("a/z.test.ts", "", &[]),
    ];
    let change = Change { files: &[0, 1, 4].map(FileId::new), text: "", commits: &[] };
    check_change(files, &change, "a/z.test.ts:0 a/y.test.ts:1 a/x.test.ts:1");
}

#[test]
fn a_name_that_everybody_uses_is_told_by_its_folder() {
    let cases = [
        ("a/src/httpLink.ts", "httplink"),
        ("a/http-link.test.ts", "httplink"),
        ("a/css/index.ts", "css"),
        ("playground/css/__tests__/index.spec.ts", "css"),
        ("tests/test_views.py", "views"),
        ("index.ts", "index"),
    ];
    for (path, subject) in cases {
        assert_eq!(subject_of(path), subject, "{path}");
    }
    let percent = |left, right| (100.0 * likeness(left, right)).round() as i32;
    assert_eq!([percent("link", "link"), percent("link", "httplink")], [100, 50]);
    assert_eq!([percent("url", "curly"), percent("", "a")], [0, 0]);
}
