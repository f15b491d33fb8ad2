//! Which text is a quotation, and which is a path.

use super::{Claim, ClaimSort, CompareBudget, is_inside, is_path};
use crate::reply::read;

#[track_caller]
fn check(shown: &str, file: &str, wanted: bool) {
    let lines = shown.lines().collect();
    let claim = Claim { line: 1, path: "a".into(), sort: ClaimSort::Text, message: "", lines };
    assert_eq!(claim.is_quoted_from(file, &CompareBudget::default()), wanted, "{shown} of {file}");
}

#[test]
fn a_quotation_has_the_lines_of_the_file_in_order() {
    let file = "a\n  b\n\nc\nd\n";
    for shown in
        ["b", "  a\n  b\n  c", "a\n// ...\nd", "...\nc\nd\n# … rest of the file unchanged", ""]
    {
        check(shown, file, true);
    }
    for shown in ["x", "a\nc", "b\n// ...\na", "c\nd\ne", "a\nb\nc\nd\nd"] {
        check(shown, file, false);
    }
}

#[test]
fn an_expensive_comparison_is_not_a_quotation() {
    let file = "x\n".repeat(100_000);
    check(&("x\n".repeat(50_000) + "y"), &file, false);
}

#[test]
fn paths_are_distinguished_from_other_words() {
    for text in ["src/a.ts", "a/b/c.test.tsx", "./a/b.rs"] {
        assert!(is_path(text), "{text}");
    }
    for text in [
        "src/a",
        "a.ts",
        "/etc/x.conf",
        "https://x.y/z.js",
        "~/x/y.z",
        "a b/c.d",
        "and/or",
        "1/2.5",
        "$X/a.ts",
        "C:/x/a.ts",
    ] {
        assert!(!is_path(text), "{text}");
    }
    assert!(is_inside("Makefile") && !is_inside("&1") && !is_inside("") && !is_inside("-x"));
}

#[test]
fn unclosed_tags_are_scanned_once() {
    let text: String = (0..50_000).map(|n| format!("<t{n} path=\"a/b.c\">\n")).collect();
    assert_eq!(read(&text).claims, []);
}
