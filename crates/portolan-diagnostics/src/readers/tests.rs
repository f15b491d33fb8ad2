//! Formats that the conformance cases do not cover, and hostile input.

use proptest::prelude::*;

use super::{Format, read};

/// Checks the first diagnostic of a text, on a line: location, severity, code, message, and the
/// number of diagnostics.
#[track_caller]
fn check(text: &str, expected: &str) {
    let findings = read(text.as_bytes(), None).findings;
    let first = findings.first().map(|finding| {
        let spot = finding.place.as_ref().or(finding.frames.first()).or(finding.fallback.as_ref());
        let place = spot.map_or_else(
            || "-".to_owned(),
            |spot| format!("{}:{}:{}", spot.file, spot.line.unwrap_or(0), spot.col.unwrap_or(0)),
        );
        let code = finding.code.as_deref().unwrap_or("-");
        format!("{place} {} {code} {}", finding.severity.as_str(), finding.message)
    });
    assert_eq!(format!("{} of {}", first.unwrap_or_default(), findings.len()), expected);
}

#[test]
fn a_ci_log_has_timestamps_marks_and_several_tools() {
    let log = "2026-11-16T03:43:18.6216343Z ##[group]Run npm test\n\
               2026-11-16T03:43:18.6216343Z ##[error]src/a.ts(1,2): error TS2304: Cannot find name 'x'.\n\
               2026-11-16T03:43:19.0000000Z \u{1b}[31msrc/b.py:3:1: F401 `os` imported but unused\u{1b}[0m\r\n\
               2026-11-16T03:43:20.0000000Z ./c.go:7:2: undefined: y\r\n";
    check(log, "src/a.ts:1:2 error TS2304 Cannot find name 'x'. of 3");
}

#[test]
fn windows_redirections_are_utf16() {
    let text = "src\\a.ts(3,4): error TS1005: ';' expected.\r\n";
    let bytes: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let findings = read(&bytes, None).findings;
    assert_eq!(findings[0].place.as_ref().unwrap().file, "src\\a.ts");
}

#[test]
fn failures_before_any_test_are_read() {
    let text = "ImportError while loading conftest '/r/tests/conftest.py'.
tests/conftest.py:7: in <module>
    from shop import Cart
src/shop/__init__.py:22: in <module>
    from .cart import Cart as Cart
E   ImportError: cannot import name 'Cart' from 'shop.cart' (/r/src/shop/cart.py)
";
    let expected = "src/shop/__init__.py:22:0 error ImportError \
        cannot import name 'Cart' from 'shop.cart' (/r/src/shop/cart.py) of 1";
    check(text, expected);
}

#[test]
fn an_exception_group_lists_its_members() {
    let text = "=================================== FAILURES ===================================
__________________________________ test_group __________________________________
  + Exception Group Traceback (most recent call last):
  |   File \"/r/test_a.py\", line 11, in test_group
  |     raise ExceptionGroup(\"several things failed\", errors)
  | ExceptionGroup: several things failed (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File \"/r/test_a.py\", line 8, in test_group
    |     go(n)
    |   File \"/r/a.py\", line 2, in go
    |     raise ValueError(n)
    | ValueError: bad 0
    +---------------- 2 ----------------
    | KeyError: 'k'
    +------------------------------------
=========================== short test summary info ============================
FAILED test_a.py::test_group - ExceptionGroup: several things failed (2 sub-e...
";
    let expected =
        "/r/test_a.py:11:0 error ExceptionGroup several things failed (2 sub-exceptions) of 1";
    check(text, expected);
    let causes = &read(text.as_bytes(), None).findings[0].causes;
    let found: Vec<_> = causes.iter().map(|it| (it.message.as_str(), it.frames.len())).collect();
    assert_eq!(found, [("ValueError: bad 0", 2), ("KeyError: 'k'", 0)]);
}

#[test]
fn package_prefixes_of_runners_are_removed() {
    let turbo = "web:check: cache miss, executing 12\nweb:check: src/a.ts(1,2): error TS1: no.\n";
    check(turbo, "src/a.ts:1:2 error TS1 no. of 1");
    // The log is cut off before the line that announces the command.
    check("packages/web check: src/a.ts(1,2): error TS1: no.", "src/a.ts:1:2 error TS1 no. of 1");
}

#[test]
fn eslint_tables_and_other_linter_formats_are_read() {
    check("/r/a.js: line 5, col 1, Error - Bad. (no-bad)", "/r/a.js:5:1 error no-bad Bad. of 1");
    check(
        "src/a.js\n  5:1  error  First line\nsecond line  no-bad\n  6:1  warning  Other  no-other\n",
        "src/a.js:5:1 error no-bad First line of 2",
    );
    check(
        "\n  ⚠ eslint(no-unused-vars): Variable 'a' is declared but\n  │ never used.\n   ╭─[src/a.ts:1:7]\n 1 │ const a = 1;\n   ╰────\n",
        "src/a.ts:1:7 warning eslint(no-unused-vars) Variable 'a' is declared but never used. of 1",
    );
    check("a.py:1:1: C0114: Missing docstring", "a.py:1:1 error C0114 Missing docstring of 1");
}

#[test]
fn mypy_wraps_and_explains() {
    let text = "a.py:5: error: Module \"m\" has no attribute \"x\"; maybe\n\"y\"?  [attr-defined]\n    import x\n    ^\n\
                a.py:5: note: See the docs\na.py:9: note: defined here\n";
    check(
        text,
        "a.py:5:0 error attr-defined Module \"m\" has no attribute \"x\"; maybe \"y\"? of 1",
    );
    assert_eq!(read(text.as_bytes(), None).findings[0].related[0].line, Some(9));
}

#[test]
fn pytest_has_many_styles() {
    let native = "=== FAILURES ===\n____ test_a ____\nTraceback (most recent call last):\n  File \"/r/t.py\", line 3, in test_a\n    f()\n  File \"/r/m.py\", line 9, in f\n    raise ValueError('x')\nValueError: x\n=== 1 failed ===\n";
    check(native, "/r/m.py:9:0 error ValueError x of 1");
    let none = "=== short test summary info ===\nFAILED t.py::test_a - ValueError: x\n=== 1 failed in 1s ===\n";
    check(none, "t.py:0:0 error ValueError x of 1");
    let bare = "=== FAILURES ===\n____ test_a ____\n\n>   assert f() == 2\nE   assert 1 == 2\n\nt.py:3: AssertionError\n";
    check(bare, "t.py:3:0 error AssertionError assert 1 == 2 of 1");
    let syntax = "=== ERRORS ===\n____ ERROR collecting t.py ____\nt.py:1: in <module>\n    import m\nE     File \"/r/m.py\", line 3\nE       def f(:\nE             ^\nE   SyntaxError: invalid syntax\n";
    check(syntax, "/r/m.py:3:0 error SyntaxError invalid syntax of 1");
}

#[test]
fn pytest_inside_a_test_is_the_output_of_that_test() {
    let inner = "=== test session starts ===\ncollected 1 item\n\n=== FAILURES ===\n____ test_in ____\n\n>   assert 0\nE   assert 0\n\n\
                 test_in.py:2: AssertionError\n=== short test summary info ===\nFAILED test_in.py::test_in - assert 0\n=== 1 failed in 0.01s ===\n";
    let outer = |name: &str, line: u32| {
        format!(
            "____ {name} ____\n\n>   result.assert_outcomes(passed=1)\nE   Failed: nomatch\n\nt.py:{line}: Failed\n\
             ---- Captured stdout call ----\n{inner}"
        )
    };
    let run = |names: [(&str, u32); 2], ids: &str| {
        let sections: String = names.iter().map(|(name, line)| outer(name, *line)).collect();
        let start =
            "=== test session starts ===\ncollected 2 items\n\nt.py FF\n\n=== FAILURES ===\n";
        let end = "=== short test summary info ===\n";
        format!("{start}{sections}{end}{ids}=== 2 failed in 1.00s ===\n")
    };
    let first = run(
        [("TestA.test_a", 3), ("test_b[1]", 9)],
        "FAILED t.py::TestA::test_a - Failed: nomatch\nFAILED t.py::test_b[1] - Failed: nomatch\n",
    );
    let places = |log: &str| -> Vec<String> {
        let found = read(log.as_bytes(), None).findings.into_iter();
        let told = found.map(|it| {
            let place = it.frames.first().map(|at| format!("{}:{:?}", at.file, at.line));
            format!("{} {}", place.unwrap_or_default(), it.test.unwrap_or_default())
        });
        told.collect()
    };
    let expected = ["t.py:Some(3) TestA.test_a", "t.py:Some(9) test_b[1]"];
    assert_eq!(places(&first), expected);
    // A second run in the same log has a summary of its own.
    let second =
        run([("test_c", 20), ("test_d", 30)], "FAILED t.py::test_c\nFAILED t.py::test_d\n");
    let both = places(&format!("{first}{second}"));
    assert_eq!(both[..2], expected);
    assert_eq!(both[2..], ["t.py:Some(20) test_c", "t.py:Some(30) test_d"]);
}

#[test]
fn rust_panics_of_every_age() {
    check("thread 'main' panicked at 'no', src/main.rs:2:5\n", "src/main.rs:2:5 error - no of 1");
    check(
        "---- t stdout ----\nnote: test did not panic as expected at src/lib.rs:9:8\n\nfailures:\n",
        "src/lib.rs:9:8 error - test did not panic as expected of 1",
    );
    check(
        "error: this loop never loops\n --> src/a.rs:3:5\n  |\n3 |     loop {}\n  = note: `-D clippy::never-loop` implied by `-D warnings`\n",
        "src/a.rs:3:5 error clippy::never_loop this loop never loops of 1",
    );
    check(
        "error: linking with `cc` failed: exit status: 1\n",
        "- error - linking with `cc` failed: exit status: 1 of 1",
    );
    check("error: could not compile `a` (lib) due to 1 previous error\n", " of 0");
}

#[test]
fn verbose_go_tests_and_testify_are_read() {
    let verbose = "=== RUN   TestA\n    a_test.go:5: bad\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\n    a_test.go:9: only a log\n--- PASS: TestB (0.00s)\nFAIL\nFAIL\tm.io/a\t0.1s\n";
    check(verbose, "a_test.go:5:0 error - bad of 1");
    let testify = "--- FAIL: TestA (0.00s)\n    a_test.go:5: \n        \tError Trace:\t/r/a_test.go:5\n        \tError:      \tNot equal: \n";
    check(testify, "a_test.go:5:0 error - Not equal: of 1");
    check(
        "a.go:3:5: x is unused (unused)\n\tx := 1\n\t^\n",
        "a.go:3:5 error unused x is unused of 1",
    );
}

#[test]
fn jest_suites_that_fail_to_start_are_read() {
    let types = "FAIL src/a.test.ts\n  ● Test suite failed to run\n\n    src/a.ts:3:5 - error TS2322: no.\n\n    3 x\n";
    check(types, "src/a.ts:3:5 error TS2322 no. of 1");
    let again = "FAIL a.test.js\n  ● t\n\n    boom\n\n      at f (a.js:1:2)\n\nSummary of all failing tests\nFAIL a.test.js\n  ● t\n\n    boom\n\n      at f (a.js:1:2)\n\nTest Suites: 1 failed\n";
    check(again, "a.js:1:2 error - boom of 1");
}

#[test]
fn vitest_rejections_and_transform_errors_are_read() {
    let rejected =
        "⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯⎯\nTypeError: no\n ❯ f src/a.ts:3:5\n\n⎯⎯⎯⎯⎯⎯⎯⎯⎯\n";
    check(rejected, "f src/a.ts:3:5 error TypeError no of 1");
    let broken = " FAIL  a.test.ts [ a.test.ts ]\nError: Transform failed with 1 error:\n/r/a.test.ts:2:4: ERROR: Expected \";\"\n\n⎯⎯⎯⎯⎯[1/1]⎯\n";
    check(broken, "/r/a.test.ts:2:4 error Error Transform failed with 1 error: of 1");
}

#[test]
fn output_of_unknown_tools_is_guessed_but_prose_is_not() {
    check("lib/a.rb:3: warning: unused x", "lib/a.rb:3:0 warning - unused x of 1");
    check("A.cs(3,5): error CS1002: ; expected", "A.cs:3:5 error CS1002 ; expected of 1");
    check("12:30:45: all good\nhttp://a.b:80: x\nsee README.md\n", " of 0");
}

#[test]
fn framed_language_server_messages_are_read() {
    let body = r#"{"jsonrpc":"2.0","id":1,"result":{"kind":"full","items":[{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":2}},"message":"no","severity":1,"code":2304,"source":"ts"}]}}"#;
    let text = format!("Content-Length: {}\r\n\r\n{body}Content-Length: 3\r\n\r\n{{}}", body.len());
    check(&text, "- error TS2304 no of 1");
}

#[test]
fn a_format_can_be_forced() {
    let text = "a.go:1:2: no\nb.ts(1,2): error TS1: no\n";
    let only = Format::from_name("tsc");
    assert_eq!(read(text.as_bytes(), only).findings.len(), 1);
    assert_eq!(Format::from_name("nothing"), None);
}

/// The cases of the conformance suite.
fn cases() -> Vec<Vec<u8>> {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/diagnostics");
    #[expect(clippy::disallowed_methods, reason = "tests read their fixtures")]
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "raw"));
    paths.sort();
    #[expect(clippy::disallowed_methods, reason = "tests read their fixtures")]
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn truncated_and_mixed_output_does_not_panic(
        cuts in proptest::collection::vec((0usize..100, 0usize..12_000, 0usize..12_000), 1..4),
        noise in "[\\PC\n:({\\[]{0,80}",
    ) {
        let cases = cases();
        let mut text = noise.into_bytes();
        for (case, from, to) in cuts {
            let case = &cases[case % cases.len()];
            let (from, to) = (from.min(case.len()), to.min(case.len()));
            text.extend(&case[from.min(to)..from.max(to)]);
        }
        let reading = read(&text, None);
        prop_assert!(reading.unknown <= reading.lines);
    }
}

#[test]
fn time_grows_linearly_with_the_input() {
    // Each line looks like the start of something that never ends.
    for line in [
        "{\"a\": [\n",
        "TypeError: x\n",
        "--- FAIL: T (0.0s)\n",
        "---- t stdout ----\n",
        "  ● t\n",
        "<testsuite\n",
        " FAIL  a\n",
    ] {
        let text = line.repeat(20_000);
        let reading = read(text.as_bytes(), None);
        assert!(reading.lines > 0, "{line}");
    }
}

#[test]
fn what_rustc_advises_is_kept() {
    let output = "error[E0599]: no method named `is_match` found for struct `A`\n --> src/a.rs:3:7\n  |\n3 |     a.is_match();\n  |       ^^^^^^^^\n  |\nhelp: there is a method `is_matching` with a similar name\n  |\n  = help: for further information visit https://example.org\n";
    let found = read(output.as_bytes(), None);
    let notes = found.findings.first().map(|finding| finding.notes.clone()).unwrap_or_default();
    assert_eq!(notes, ["there is a method `is_matching` with a similar name"]);
}

/// Checks all diagnostics of a text, one line each.
#[track_caller]
fn check_all(text: &str, expected: &[&str]) {
    let findings = read(text.as_bytes(), None).findings;
    let found: Vec<String> = findings
        .iter()
        .map(|finding| {
            let spot =
                finding.place.as_ref().or(finding.frames.first()).or(finding.fallback.as_ref());
            let place = spot.map_or_else(
                || "-".to_owned(),
                |spot| format!("{}:{}", spot.file, spot.line.unwrap_or(0)),
            );
            let code = finding.code.as_deref().unwrap_or("-");
            format!("{} {place} {code} {}", finding.tool, finding.message)
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn the_properties_of_an_error_end_at_the_closing_bracket() {
    let log = "  Oops: not equal
      at T.<anonymous> (/r/test/a.js:3:5) {
    code: 'ERR_ASSERTION',
    actual: {
      a: 1
    }
  }

src/b.ts(1,2): error TS2304: Cannot find name 'x'.
";
    check_all(
        log,
        &["node /r/test/a.js:3 Oops not equal", "tsc src/b.ts:1 TS2304 Cannot find name 'x'."],
    );
    // A truncated object does not swallow the text after it.
    let cut = log.replace("    }\n  }\n", "");
    assert_eq!(read(cut.as_bytes(), None).findings.len(), 2);
}

#[test]
fn a_failure_that_node_prints_twice_counts_once() {
    let log = "▶ outer
  ✖ inner (1ms)
    TypeError: no
        at f (/r/src/a.js:2:5)
        at T.<anonymous> (/r/test/a.js:4:3)

✖ failing tests:

test at test/a.js:4:3
✖ inner (1ms)
  TypeError: no
      at f (/r/src/a.js:2:5)
      at T.<anonymous> (/r/test/a.js:4:3)
";
    check_all(log, &["node:test /r/src/a.js:2 TypeError no"]);
}

#[test]
fn errors_of_any_class_are_recognized_by_their_frames() {
    check_all("Bad: gone\n    at f (/r/a.js:2:5)\n", &["node /r/a.js:2 Bad gone"]);
    check_all("Shut\n    at f (/r/a.js:2:5)\n", &["node /r/a.js:2 Shut Shut"]);
    check_all(
        "Failed to start: Error: gone\n    at f (/r/a.js:2:5)\n",
        &["node /r/a.js:2 Error gone"],
    );
    check_all("Trace: here\n    at f (/r/a.js:2:5)\n", &[]);
    check_all("all is well\n    at f (/r/a.js:2:5)\n", &[]);
    check_all(
        "Exception in thread \"main\" a.b.NoSuchThing: gone\n\tat a.b.C.f(C.java:7)\nCaused by: x.YError: z\n\tat a.D.g(D.java:9)\n\t... 2 more\nsrc/b.ts(1,2): error TS1: no.\n",
        &["java a/b/C.java:7 a.b.NoSuchThing gone", "tsc src/b.ts:1 TS1 no."],
    );
    check_all(
        "/r/a.js:2\nthrow 'plain'\n^\nplain\n(Use `node --trace-uncaught ...` to show where)\n",
        &["node /r/a.js:2 - plain"],
    );
}

#[test]
fn frames_of_the_runtime_are_not_locations() {
    let broken = " FAIL  a.test.ts [ a.test.ts ]\nError: Transform failed with 1 error:\n/r/a.test.ts:2:4: ERROR: Expected \";\"\n ❯ Socket.emit node:events:524:28\n\n⎯⎯⎯⎯⎯[1/1]⎯\n";
    check(broken, "/r/a.test.ts:2:4 error Error Transform failed with 1 error: of 1");
    let framed = " FAIL  a.test.ts [ a.test.ts ]\nError: Transform failed with 1 error:\n\n[PARSE_ERROR] Unexpected token\n   ╭─[ test/a.test.ts:2:22 ]\n   │\n 2 │ const = 1\n───╯\n\n  File: /r/test/a.test.ts\n\n⎯⎯⎯⎯⎯[1/1]⎯\n";
    check(framed, "test/a.test.ts:2:22 error Error Transform failed with 1 error: of 1");
}

#[test]
fn verbose_go_lines_belong_to_the_test_of_the_marker_above() {
    let log = "=== RUN   TestA
=== RUN   TestA/one
=== PAUSE TestA/one
=== RUN   TestA/two
some output
    a_test.go:5: two is bad
=== CONT  TestA/one
    a_test.go:9: one only logs
=== NAME  TestA
    a_test.go:12: after all
--- FAIL: TestA (0.00s)
    --- FAIL: TestA/two (0.00s)
    --- PASS: TestA/one (0.00s)
=== RUN   TestB
    a_test.go:20: B only logs
--- PASS: TestB (0.00s)
FAIL
FAIL\tm.io/a\t0.1s
";
    check_all(log, &["go test a_test.go:5 - two is bad", "go test a_test.go:12 - after all"]);
    let findings = read(log.as_bytes(), None).findings;
    assert_eq!(findings[0].test.as_deref(), Some("TestA/two"));
    assert_eq!(findings[0].package.as_deref(), Some("m.io/a"));
}

#[test]
fn go_races_deadlocks_timeouts_and_redeclarations_are_read() {
    let race = "==================\nWARNING: DATA RACE\nWrite at 0x00c0 by goroutine 8:\n  m.io/a.Add()\n      /r/a/a.go:12 +0x44\n\nPrevious write at 0x00c0 by goroutine 7:\n  m.io/a.Sub()\n      /r/a/a.go:14 +0x44\n\n==================\n--- FAIL: TestRace (0.00s)\n    testing.go:1398: race detected during execution of test\n";
    check_all(race, &["go test /r/a/a.go:12 - DATA RACE"]);
    assert_eq!(read(race.as_bytes(), None).findings[0].causes[0].frames[0].line, Some(14));
    let asleep = "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n\t/r/main.go:40 +0x25\nexit status 2\n";
    check_all(asleep, &["go test /r/main.go:40 - all goroutines are asleep - deadlock!"]);
    let late = "panic: test timed out after 1s\n\trunning tests:\n\t\tTestSlow (1s)\n\ngoroutine 17 [running]:\ntesting.f()\n\t/usr/local/go/src/testing/testing.go:2373 +0x385\n\ngoroutine 6 [chan receive]:\nm.io/a.TestSlow(0xc0)\n\t/r/a/a_test.go:70 +0x1b\nFAIL\tm.io/a\t1.005s\n";
    let findings = read(late.as_bytes(), None).findings;
    assert_eq!(findings[0].test.as_deref(), Some("TestSlow"));
    assert_eq!(findings[0].frames[1].line, Some(70));
    let twice = "./a.go:20:6: F redeclared in this block\n\t./a.go:10:6: other declaration of F\n";
    let findings = read(twice.as_bytes(), None).findings;
    assert_eq!((findings.len(), findings[0].related[0].line), (1, Some(10)));
}

#[test]
fn go_events_report_packages_that_fail_to_build() {
    let log = r##"{"ImportPath":"m.io/b","Action":"build-output","Output":"# m.io/b\n"}
{"ImportPath":"m.io/b","Action":"build-output","Output":"b/b.go:12:9: undefined: a.Missing\n"}
{"ImportPath":"m.io/b","Action":"build-fail"}
{"Action":"output","Package":"m.io/a","Test":"TestA","Output":"    a_test.go:21: bad\n"}
{"Action":"fail","Package":"m.io/a","Test":"TestA"}
"##;
    check_all(log, &["go build b/b.go:12 - undefined: a.Missing", "go test a_test.go:21 - bad"]);
}

#[test]
fn common_line_prefixes_are_removed() {
    let log = "src/a.ts:3:5 - error TS2322: no.\n\n3   let x: string = 1;\n        ~\n\n\nFound 1 error in src/a.ts:3\n";
    let plain = format!("{:?}", read(log.as_bytes(), None).findings);
    for prefix in [
        "2026-11-16T03:43:18.621634Z 01O ",
        "build\tRun tests\t2026-11-16T03:43:18.6216343Z ",
        "[2026-11-16T03:43:18.621Z] ",
        "web-1  | ",
        "app_1 | ",
        "web  | ",
        "12:00:01 web.1  | ",
        "web-1  | 2026-11-16T03:43:18.621634Z ",
        "#12 3.456 ",
        "[0] ",
        "[web] ",
        "[@shop/web]: ",
        "@shop/web: ",
        "@shop/web:test: ",
        "web:test: ",
        "03:43:18 ",
        "03:43:18  ",
        "\u{1b}_bk;t=1700000000000\u{7}",
        "│ ",
    ] {
        let dressed: String = log.lines().map(|line| format!("{prefix}{line}\n")).collect();
        assert_eq!(format!("{:?}", read(dressed.as_bytes(), None).findings), plain, "{prefix:?}");
    }
}

#[test]
fn a_block_belongs_to_the_package_of_its_header() {
    let log =
        "packages/web check$ tsc\n│ src/a.ts(1,2): error TS1: no.\n└─ Failed in 1.2s\nDone.\n";
    let log = format!("{log}{}", log.replace("web", "api"));
    let folders: Vec<_> =
        read(log.as_bytes(), None).findings.into_iter().map(|finding| finding.folder).collect();
    assert_eq!(folders, ["packages/web", "packages/api"].map(|it| Some(it.to_owned())));
}

#[test]
fn a_continued_line_is_joined() {
    let log =
        "2026-11-16T03:43:18.6Z 01O src/a.ts(1,2): error\n2026-11-16T03:43:18.7Z 01O+ TS1: no.\n";
    check(log, "src/a.ts:1:2 error TS1 no. of 1");
}

#[test]
fn similar_compiler_formats_are_distinguished() {
    check_all(
        "src/a.rs:3:5: error[E0432]: unresolved import\n",
        &["cargo src/a.rs:3 E0432 unresolved import"],
    );
    check_all("src/a.rs:3:5: warning: unused\n", &["cargo src/a.rs:3 - unused"]);
    let java = "src/A.java:5: error: cannot find symbol\n    int x = y;\n            ^\n  symbol:   variable y\n  location: class A\n1 error\n";
    check(java, "src/A.java:5:13 error - cannot find symbol of 1");
    let maven = "[INFO] Compiling\n[ERROR] /r/src/A.java:[5,20] incompatible types: no\n[WARNING] /r/src/A.java:[9,1] old\n[ERROR] /r/src/A.java:[5,20] incompatible types: no\n";
    check_all(
        maven,
        &["javac /r/src/A.java:5 - incompatible types: no", "javac /r/src/A.java:9 - old"],
    );
    check_all("a.swift:3:5: error: no\n", &["unknown a.swift:3 - no"]);
    check_all("a.cpp:3:5: error: no\n", &["clang a.cpp:3 - no"]);
    check_all(
        "a.py:1:1: F401 'os' imported but unused\na.py:2:1: F401 `os` imported but unused\na.py:3:0: C0114: Missing docstring\n",
        &[
            "flake8 a.py:1 F401 'os' imported but unused",
            "ruff a.py:2 F401 `os` imported but unused",
            "pylint a.py:3 C0114 Missing docstring",
        ],
    );
}

#[test]
fn python_warnings_are_warnings() {
    check("x.py:25: UserWarning: old\n", "x.py:25:0 warning UserWarning old of 1");
}

#[test]
fn a_clean_run_is_known() {
    let log = "=== test session starts ===\ncollected 3 items\n\nt.py ...   [100%]\n\n=== 3 passed in 0.01s ===\n";
    let reading = read(log.as_bytes(), None);
    assert_eq!(reading.findings.len(), 0);
    assert_eq!(reading.formats, [Format::from_name("pytest").unwrap()]);
}

#[test]
fn python_groups_and_exceptions_of_any_class_are_read() {
    let group = "  + Exception Group Traceback (most recent call last):
  |   File \"/r/run.py\", line 21, in <module>
  |     go()
  | ExceptionGroup: many (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: one
    +---------------- 2 ----------------
    | KeyError: 'two'
    +------------------------------------
";
    check_all(group, &["python /r/run.py:21 ExceptionGroup many (2 sub-exceptions)"]);
    assert_eq!(read(group.as_bytes(), None).findings[0].causes.len(), 2);
    let xml = format!(
        "<testsuite><testcase name=\"t\"><failure message=\"many\">{}</failure></testcase></testsuite>",
        group.replace('<', "&lt;")
    );
    check_all(&xml, &["pytest /r/run.py:21 ExceptionGroup many (2 sub-exceptions)"]);
    let bare = "Traceback (most recent call last):\n  File \"/r/a.py\", line 3, in f\n    raise AppDown\nshop.AppDown\n";
    check(bare, "/r/a.py:3:0 error shop.AppDown shop.AppDown of 1");
}

#[test]
fn sarif_artifact_indices_and_suppressions_are_respected() {
    let log = r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"T","rules":[{"id":"y","messageStrings":{"d":{"text":"Bad {0} in {1} {x}"}}}]}},"artifacts":[{"location":{"uri":"src/a.c"}}],"results":[
{"ruleId":"y","ruleIndex":0,"level":"error","message":{"id":"d","arguments":["p","main"]},"locations":[{"physicalLocation":{"artifactLocation":{"index":0},"region":{"startLine":7}}}]},
{"ruleId":"s","message":{"text":"hidden"},"suppressions":[{"kind":"inSource"}]},
{"ruleId":"b","baselineState":"absent","message":{"text":"fixed"}}]}]}"#;
    check(log, "src/a.c:7:0 error y Bad p in main {x} of 1");
}

#[test]
fn a_wrapped_code_is_not_part_of_the_message() {
    let text = "a.py:4: error: Module \"m\" has no attribute \"Missing\" \n[attr-defined]\n    import x\n    ^\n";
    check(text, "a.py:4:0 error attr-defined Module \"m\" has no attribute \"Missing\" of 1");
}

#[test]
fn a_compared_error_is_not_the_failure() {
    let tap = "not ok 1 - t\n  ---\n  error: 'first'\n  name: 'AssertionError'\n  actual:\n  error: 'second'\n  ...\n";
    check(tap, "- error AssertionError first of 1");
}

#[test]
fn pytest_xpass_and_single_line_failures_are_read() {
    let strict = "=== FAILURES ===\n____ TestA.test_x ____\n[XPASS(strict)] known bug\n=== short test summary info ===\nFAILED tests/test_a.py::TestA::test_x - [XPASS(strict)] known bug\n=== 1 failed ===\n";
    check(strict, "tests/test_a.py:0:0 error - [XPASS(strict)] known bug of 1");
    let lines = "=== FAILURES ===\nE   assert 0\n/r/t.py:7: assert 0\nsrc/a.py:2: error: printed\n/r/t.py:9: KeyError: 'k'\n=== 1 failed ===\n";
    check_all(
        lines,
        &["pytest /r/t.py:7 AssertionError assert 0", "pytest /r/t.py:9 KeyError 'k'"],
    );
}

#[test]
fn linters_write_junit_too() {
    let eslint = "<testsuites><testsuite package=\"org.eslint\" name=\"/r/src/a.ts\"><testcase name=\"org.eslint.no-undef\" classname=\"/r/src/a\"><failure message=\"no x.\"><![CDATA[line 13, col 2, Warning - no x. (no-undef)]]></failure></testcase></testsuite></testsuites>";
    check(eslint, "/r/src/a.ts:13:2 warning no-undef no x. of 1");
    let ruff = "<testsuites><testsuite package=\"org.ruff\" name=\"/r/a.py\"><testcase name=\"org.ruff.F401\" classname=\"/r/a\" line=\"1\" column=\"8\"><failure message=\"unused\">line 1, col 8, unused</failure></testcase></testsuite></testsuites>";
    check(ruff, "/r/a.py:1:8 error F401 unused of 1");
}

#[test]
fn failed_doctests_are_read() {
    let pytest = "=== FAILURES ===\n____ [doctest] m.f ____\n002 \n003     >>> f(1)\nExpected:\n    2\nGot:\n    1\n\n/r/m.py:3: DocTestFailure\n=== 1 failed ===\n";
    check(pytest, "/r/m.py:3:0 error DocTestFailure Expected: 2, got: 1 of 1");
    let python = "****\nFile \"/r/m.py\", line 3, in m.f\nFailed example:\n    f(1)\nExpected:\n    2\nGot nothing\n****\n1 items had failures:\n";
    check(python, "/r/m.py:3:0 error - Expected: 2, got: nothing of 1");
    let rust = "---- src/lib.rs - add (line 5) stdout ----\nTest executable failed (exit status: 101).\n\nstderr:\n\nthread 'main' (7) panicked at /tmp/rustdoctest1/d.rs:4:1:\nassertion failed: no\nnote: run with `RUST_BACKTRACE=1`\n\n\nfailures:\n";
    let finding = read(rust.as_bytes(), None).findings.remove(0);
    assert_eq!(finding.test.as_deref(), Some("src/lib.rs - add (line 5)"));
    assert_eq!(
        finding.fallback.map(|spot| (spot.file, spot.line)),
        Some(("src/lib.rs".into(), Some(5)))
    );
}

#[test]
fn what_nobody_sees_does_not_split_a_secret_in_a_log() {
    let body = "a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6g7H8";
    for hidden in ["\u{AD}", "\u{200B}", "\u{202E}", "\u{FEFF}", "\u{2060}\u{200D}", "\u{1b}[0m"] {
        let text = format!("token {}{hidden}{} failed\n", "ghp_", body);
        assert_eq!(super::masked(text.as_bytes()), "token *** failed\n", "{hidden:?}");
        let text = format!("{{\"m\":\"{}{hidden}{}\"}}\n", &"ghp_a1B2"[..6], &body[2..]);
        assert!(!super::masked(text.as_bytes()).contains(&body[8..]), "{hidden:?}");
    }
    // A picture of several signs stays whole.
    assert_eq!(super::masked("👩\u{200D}💻 ok".as_bytes()), "👩\u{200D}💻 ok");
}

#[test]
fn what_a_job_names_as_secret_is_masked_in_its_log() {
    let log = "::add-mask::sommer\npassword is sommer, really\nuse ::add-mask:: to hide values\n";
    let expected = "::add-mask::***\npassword is ***, really\nuse ::add-mask:: to hide values\n";
    assert_eq!(super::masked(log.as_bytes()), expected);
    assert_eq!(super::masked(expected.as_bytes()), expected);
}
