//! Which file a printed path means.

use super::{FileIndex, PathContext, locate};
use crate::readers::read;

fn context(files: &[&str], folder: &str) -> PathContext {
    PathContext {
        files: FileIndex::new(files.iter().map(|file| (*file).to_owned())),
        root: "/repo".to_owned(),
        folder: folder.to_owned(),
    }
}

/// Checks the files of the diagnostics that `tsc` prints for some paths.
#[track_caller]
fn check(context: &PathContext, paths: &[&str], expected: &[&str]) {
    let text: String = paths.iter().map(|path| format!("{path}(1,1): error TS1: no\n")).collect();
    let located = locate(read(text.as_bytes(), None).findings, context);
    let found: Vec<&str> =
        located.diagnostics.iter().map(|it| it.place.as_ref().unwrap().file.as_str()).collect();
    assert_eq!(found, expected);
}

const PACKAGES: [&str; 5] =
    ["core/src/index.ts", "core/src/a.ts", "web/src/index.ts", "web/src/b.ts", "README.md"];

#[test]
fn the_folder_that_explains_most_wins() {
    let context = context(&PACKAGES, "");
    check(&context, &["src/index.ts", "src/b.ts"], &["web/src/index.ts", "web/src/b.ts"]);
    check(&context, &["../core/src/a.ts", "src/b.ts"], &["core/src/a.ts", "web/src/b.ts"]);
}

#[test]
fn an_ambiguous_path_is_reported_and_left_as_printed() {
    let text = "src/index.ts(1,1): error TS1: no\n";
    let located = locate(read(text.as_bytes(), None).findings, &context(&PACKAGES, ""));
    assert_eq!(located.diagnostics[0].place.as_ref().unwrap().file, "src/index.ts");
    assert_eq!(located.ambiguous["src/index.ts"], ["core/src/index.ts", "web/src/index.ts"]);
    check(&context(&PACKAGES, "core"), &["src/index.ts"], &["core/src/index.ts"]);
}

#[test]
fn absolute_paths_of_other_machines_are_matched_by_their_ending() {
    let context = context(&PACKAGES, "");
    check(
        &context,
        &["/ci/job/web/src/b.ts", "/ci/job/web/dist/x.d.ts"],
        &["web/src/b.ts", "web/dist/x.d.ts"],
    );
    check(&context, &["C:\\w\\web\\src\\b.ts"], &["web/src/b.ts"]);
    check(&context, &["/repo/core/src/a.ts", "/app/src/b.ts"], &["core/src/a.ts", "web/src/b.ts"]);
    check(&context, &["/usr/include/a.ts"], &["/usr/include/a.ts"]);
}

#[test]
fn frames_in_dependencies_are_not_own_code() {
    let text = "TypeError: no\n    at f (/ci/web/node_modules/x/src/b.ts:1:2)\n    at g (/ci/web/src/b.ts:3:4)\n";
    let located = locate(read(text.as_bytes(), None).findings, &context(&PACKAGES, ""));
    let place = located.diagnostics[0].place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line), ("web/src/b.ts", Some(3)));
}

#[test]
fn jvm_frames_are_resolved_by_package() {
    let files = ["app/src/main/java/org/x/Owner.java", "a.md"];
    let text = "java.lang.IllegalStateException: no\n\tat java.base/java.util.Objects.get(Objects.java:4)\n\tat org.x.Owner.pet(Owner.java:7)\n";
    let located = locate(read(text.as_bytes(), None).findings, &context(&files, ""));
    let place = located.diagnostics[0].place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line), (files[0], Some(7)));
}

#[test]
fn a_guess_counts_only_if_its_file_exists() {
    let text = "README.md:3: odd\nnowhere.md:3: odd\n";
    let located = locate(read(text.as_bytes(), None).findings, &context(&PACKAGES, ""));
    assert_eq!(located.diagnostics.len(), 1);
}

#[test]
fn a_caret_under_an_unindented_line_is_corrected() {
    let text =
        "  File \"/ci/web/m.py\", line 2\n    def f(:\n          ^\nSyntaxError: invalid syntax\n";
    let mut located = locate(read(text.as_bytes(), None).findings, &context(&["web/m.py"], ""));
    let diagnostic = &mut located.diagnostics[0];
    diagnostic.check_against_source("class A:\n    def f(:\n");
    assert_eq!(diagnostic.place.as_ref().unwrap().col, Some(11));
    assert!(!diagnostic.is_stale);
    diagnostic.check_against_source("class A:\n    def g(x):\n");
    assert!(diagnostic.is_stale);
}
