//! Questions that try to find out what is in a file that may hold secrets.

use portolan_testkit::reliability;
use serde_json::json;

use super::Lair;
use crate::mcp::Client;
use crate::support::Repo;

/// Assembled at run time, so that no scanner reports this file as a leak.
fn token() -> String {
    format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6g7H8")
}

/// A file that may hold secrets, with a word in it.
type Denied = (&'static str, fn(&str) -> String);

/// Files that are denied by their name, or by what is in them.
const DENIED: [Denied; 6] = [
    (".env", |word| format!("DB_PW={word}\n")),
    ("deploy/prod.env", |word| format!("DB_PW={word}\n")),
    (".npmrc", |word| format!("DB_PW={word}\n//r.io/:_authToken={word}\n")),
    ("src/config.yml", |word| format!("DB_PW={word}\nkey: {}\n", token())),
    ("src/keys.py", |word| format!("def f():\n  DB_PW = {word}\nkey = '{}'\n", token())),
    ("src/far.py", |word| {
        format!("DB_PW={word}\n{}\0key = '{}'\n", "x = 1\n".repeat(40_000), token())
    }),
];

/// The ways to ask for a pattern.
const WAYS: [&[&str]; 13] = [
    &["search"],
    &["search", "-l"],
    &["search", "-c"],
    &["search", "--plain"],
    &["search", "-i"],
    &["search", "-w"],
    &["search", "-C", "2"],
    &["search", "--names"],
    &["search", "--in", "code"],
    &["--format", "json", "search"],
    &["search", "-e", "x = 1", "-e"],
    &["search", "--task"],
    &["find"],
];

#[test]
fn no_answer_tells_whether_a_pattern_matches_in_a_denied_file() {
    let patterns = ["DB_PW ?= ?s", "sommer", "^DB_PW=[a-m]", "DB_PW|x = 1"];
    let mut tried = 0;
    for (path, content) in DENIED {
        let lair = Lair::new(&[("src/a.py", "def a():\n  return 1\n"), (".git/HEAD", "")]);
        for way in WAYS {
            for pattern in patterns {
                for below in [None, Some(path)] {
                    // Not all of the ways take a path.
                    let takes_path = !matches!(way, ["find"] | ["search", "-e", ..]);
                    let below = below.filter(|_| takes_path);
                    let command: Vec<&str> =
                        way.iter().copied().chain([pattern]).chain(below).collect();
                    let said = ["sommer7", "winter8"].map(|word| {
                        lair.write(path, content(word));
                        let outcome = lair.run(&command);
                        (outcome.code, outcome.stdout, outcome.stderr)
                    });
                    assert_eq!(said[0], said[1], "{path} {command:?}");
                    assert!(!said[0].1.contains("DB_PW=s"), "{path} {command:?}");
                    tried += 1;
                }
            }
        }
    }
    reliability::row(
        "attacks",
        "patterns that match in a file that may hold secrets, asked in every way",
        tried,
        "the answer, its digest and the exit code are those of a pattern that does not",
    );
}

#[test]
fn a_server_tells_no_more() {
    let repo = Repo::with(&[("src/a.py", "def a():\n  return 1\n"), (".git/HEAD", "")]);
    let asked = [
        json!({"patterns": ["^DB_PW=s"]}),
        json!({"patterns": ["DB_PW", "return"]}),
        json!({"patterns": ["sommer"], "paths": [".env"]}),
    ];
    for question in &asked {
        let said = ["sommer7", "winter8"].map(|word| {
            repo.write(".env", format!("DB_PW={word}\n").as_bytes());
            let answer = Client::old(&repo, &[]).call("search", question);
            assert!(answer.0.contains("not searched: .env"), "{answer:?}");
            answer
        });
        assert_eq!(said[0], said[1], "{question}");
    }
    reliability::row(
        "attacks",
        "the same patterns, asked of a server",
        asked.len(),
        "the same answer for any content",
    );
}

#[test]
fn a_token_as_pattern_name_or_path_is_masked() {
    let lair = Lair::new(&[("src/a.py", "def a():\n  return 1\n"), (".git/HEAD", "")]);
    let token = token();
    let (either, path, wrong) =
        (format!("return|{token}"), format!("{token}/x"), format!("({token}"));
    let (glob, file) = (format!("{token}*"), format!("src/a.py#{token}"));
    let asked: [&[&str]; 16] = [
        &["search", &token],
        &["search", "-F", &token],
        &["search", "-l", &token],
        &["search", "--plain", &token],
        &["search", "--names", &token],
        &["search", "--task", &token],
        &["search", &either],
        &["search", "-e", "return", "-e", &token],
        &["search", "return", &token],
        &["search", "return", &path],
        &["search", "return", "-g", &glob],
        &["search", &wrong],
        &["read", &file],
        &["read", "src/a.py", "--match", &token],
        &["path", &token, "a"],
        &["chart", &token],
    ];
    for command in asked {
        for more in [[].as_slice(), &["--format", "json"]] {
            let is_plain = command.iter().any(|it| matches!(*it, "-l" | "--plain"));
            if is_plain && !more.is_empty() {
                continue;
            }
            let command = [more, command].concat();
            let outcome = lair.run(&command);
            let is_told = outcome.stdout.contains(&token) || outcome.stderr.contains(&token);
            assert!(!is_told, "{command:?}: {outcome:?}");
        }
    }
    reliability::row(
        "attacks",
        "tokens as patterns, names, globs and paths of a search",
        asked.len() * 2 - 2,
        "masked in answers and errors",
    );
}

#[test]
fn no_answer_depends_on_what_a_denied_file_says() {
    const LOG: &str = "Traceback (most recent call last):\n  File \"{path}\", line 1, in q\n    DB_PW=sommer7\n\
        ValueError: bad\n{path}:2: error: bad\n";
    let ways: [&[&str]; 10] = [
        &["search", "--task", "where a is sommer7"],
        &["search", "--names", "sommer7"],
        &["pack", "--task", "where a is sommer7"],
        &["chart"],
        &["chart", "src"],
        &["chart", "--task", "sommer7"],
        &["look", "src/a.py#a", "--side", "users"],
        &["read", "src/a.py#a", "--users"],
        &["pack", "--diag", "ci.log"],
        &["--format", "json", "pack", "--diag", "ci.log"],
    ];
    let mut tried = 0;
    for (path, content) in DENIED {
        let code = "def a():\n  return 1\n\ndef sommer():\n  return a()\n";
        let lair = Lair::new(&[("src/a.py", code), (".git/HEAD", "")]);
        lair.write("ci.log", LOG.replace("{path}", path));
        for way in ways {
            let said = ["sommer7", "a = where(1, 2, 3)\nsommer7 = a()"].map(|word| {
                lair.write(path, content(word));
                let outcome = lair.run(way);
                (outcome.code, outcome.stdout, outcome.stderr)
            });
            assert_eq!(said[0], said[1], "{path} {way:?}");
            tried += 1;
        }
    }
    reliability::row(
        "attacks",
        "answers beside a file that may hold secrets, for two contents of it",
        tried,
        "byte for byte the same: neither its words nor its length nor its lines count",
    );
}
