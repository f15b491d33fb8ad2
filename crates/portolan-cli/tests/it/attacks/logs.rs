//! Secrets in what a tool prints.

use std::fs;

use portolan_testkit::reliability;

use super::{CANARY, Lair};

/// Assembled at run time, so that no scanner reports this file as a leak.
fn token() -> String {
    format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6g7H8")
}

/// Lines of base64 that differ.
fn key_lines() -> Vec<String> {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |at: usize| char::from(letters[(at * at * 31 + at * 17 + at / 64) % 64]);
    (0..20).map(|line| (0..64).map(|at| letter(line * 64 + at + 7)).collect()).collect()
}

/// Logs of tools with a word in them.
fn logs(word: &str) -> Vec<String> {
    vec![
        format!("a.py:2:1: error: bad {word} here\n"),
        format!("a.py(2,1): error TS2322: Type '{word}' is not assignable\n"),
        format!("::error file=a.py,line=2::{word}\n"),
        format!(
            "Traceback (most recent call last):\n  File \"a.py\", line 2, in f\n    return 1\nValueError: {word}\n"
        ),
        format!(
            "error[E0308]: mismatched {word}\n --> a.py:2:5\n  |\n2 |     return 1\n  |     ^ expected `{word}`\n"
        ),
        format!(
            "FAIL ./a.test.js\n  ● does {word} › works\n\n    Expected: \"{word}\"\n\n      at f (a.py:2:1)\n"
        ),
        format!(
            "<testsuite><testcase name=\"{word}\"><failure message=\"{word}\">a.py:2: {word}</failure></testcase></testsuite>"
        ),
        format!(
            "=== FAILURES ===\n___ test_a[{word}] ___\n\n>   assert f() == \"{word}\"\nE   AssertionError: {word}\n\na.py:2: AssertionError\nFAILED a.py::test_a[{word}] - {word}\n"
        ),
    ]
}

/// Everything that a run may have left: what it said, and files beside the repository.
fn check_untold(lair: &Lair, log: &str, words: &[String]) -> usize {
    let path = lair.base().join("log.txt");
    fs::write(&path, log).unwrap();
    let path = path.to_str().unwrap();
    let out = lair.base().join("pack.md");
    let out = out.to_str().unwrap();
    let ways: [&[&str]; 7] = [
        &["pack", "--diag", path],
        &["--format", "json", "pack", "--diag", path],
        &["pack", "--diag", path, "--list"],
        &["--format", "json", "pack", "--diag", path, "--list"],
        &["pack", "--diag", path, "--out", out],
        &["pack", "--task", log],
        &["search", "--task", log],
    ];
    for way in ways {
        let outcome = super::run_limited(&lair.root(), way, b"");
        assert!(matches!(outcome.code, 0..=2), "{way:?} {outcome:?}");
        let written = fs::read_to_string(out).unwrap_or_default();
        let _ = fs::remove_file(out);
        for word in words {
            let is_told = [&outcome.stdout, &outcome.stderr, &written]
                .into_iter()
                .any(|it| it.contains(word));
            assert!(!is_told, "{word} in {way:?} of {log}: {outcome:?}");
        }
    }
    ways.len()
}

#[test]
fn what_a_tool_prints_of_secrets_is_masked() {
    let lair = Lair::new(&[
        ("a.py", "def f():\n    return 1\n"),
        (".git/HEAD", ""),
        (".env", &format!("DB_PW={CANARY}!x\n")),
    ]);
    let mut tried = 0;
    for log in logs(&format!("{CANARY}!x")) {
        tried += check_untold(&lair, &log, &[CANARY.to_owned()]);
    }
    let token = token();
    for at in [4, 10, 20, 39] {
        let (left, right) = token.split_at(at);
        for between in ["\n", "\r\n", "\n    "] {
            let log = format!("a.py:2:1: error: bad {left}{between}{right} here\n");
            let half = if at > 20 { left } else { right };
            tried += check_untold(&lair, &log, &[half.to_owned()]);
        }
    }
    let lines = key_lines();
    let mark = |word: &str| format!("-----{word} RSA PRIVATE {}-----", "KEY");
    for before in
        ["", "2026-11-19T10:00:00Z ", "INFO: ", "[10:00:00] ", "app: ", "web-1  | ", "E   "]
    {
        let all = [vec![mark("BEGIN")], lines.clone(), vec![mark("END")]].concat();
        let key: String = all.iter().map(|line| format!("{before}{line}\n")).collect();
        let tail: String = all[6..].iter().map(|line| format!("{before}{line}\n")).collect();
        for key in [key, tail] {
            let log = format!("a.py:2:1: error: bad key\n{key}");
            tried += check_untold(&lair, &log, &lines);
        }
    }
    reliability::row(
        "attacks",
        "settings, broken tokens and keys behind prefixes in the output of tools",
        tried,
        "masked in packs, lists, files and answers",
    );
}
