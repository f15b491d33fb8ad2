//! Attacks on the reader of the output: terminal escapes, text that reorders or hides itself, names
//! with line breaks that look like our messages.

use portolan_testkit::reliability;
use portolan_types::is_invisible;

use super::{CONFIG, Lair, Outcome, STATE, json};

/// The worst names.
const EVIL: [&str; 3] = [
    "\u{1b}[31mred\u{1b}]0;title\u{7}\u{9b}2J\u{7f}\r",
    "a\nerror: forged\n  warning: forged\r\nhint: forged",
    "\u{202e}txt.exe\u{2066}\u{200b}\u{feff}\u{2028}\u{61c}\u{e0041}",
];

/// Our own styles.
const STYLES: [&str; 9] = [
    "\u{1b}[0m",
    "\u{1b}[1m",
    "\u{1b}[2m",
    "\u{1b}[31m",
    "\u{1b}[32m",
    "\u{1b}[33m",
    "\u{1b}[35m",
    "\u{1b}[36m",
    "\n",
];

/// Checks that only our own styles affect the terminal, and that no forged line starts at the
/// margin.
#[track_caller]
fn check_shown(outcome: &Outcome) {
    for text in [&outcome.stdout, &outcome.stderr] {
        let forged = text.lines().find(|line| {
            ["error: forged", "warning: forged", "hint: forged"].iter().any(|x| line.starts_with(x))
        });
        assert_eq!(forged, None, "{text}");
        let plain = STYLES.iter().fold(text.clone(), |text, style| text.replace(style, ""));
        // A forged style may equal one of ours, so the escape character in the name must not
        // survive.
        assert!(!plain.contains(is_invisible), "{plain:?}");
        assert!(!text.contains("\u{1b}[31mred"), "{text:?}");
    }
}

/// A repository in which everything has the worst possible name.
fn lair(evil: &str) -> Lair {
    let lair = Lair::new(&[("package.json", "{broken"), ("big.ts", "export {};\n")]);
    let source = format!(
        "import {0}; import {1}; import './big';\nlet x = ;\n/** @module {evil} */\n",
        json(&format!("missing/{evil}")),
        json(&format!("p{evil}")),
    );
    lair.write(&format!("src/{evil}.ts"), &source);
    lair.write(
        &format!("src/{evil}/{evil}.ts"),
        format!("import {};", json(&format!("../{evil}"))),
    );
    lair.write(&format!("{evil}.env"), "x");
    lair.write(&format!("sub/{evil}/.gitignore"), "[z-a]\n");
    lair.write(&format!("{evil}.bin"), [0, 1, 2]);
    lair.write(
        &format!("node_modules/p{evil}/package.json"),
        format!(r#"{{"name":{0},"version":{0},"types":"i.d.ts"}}"#, json(evil)),
    );
    lair.write(&format!("node_modules/p{evil}/i.d.ts"), "export {};\n");
    lair.write("tsconfig.json", format!(r#"{{"extends":{}}}"#, json(&format!("./{evil}"))));
    lair.link(&format!("out{evil}"), "/etc/passwd");
    lair.link(&format!("nowhere{evil}"), evil);
    let ids = [format!("src/{evil}.ts"), format!("src/{evil}/{evil}.ts"), evil.to_owned()];
    let entries: Vec<String> = ids.iter().map(|id| format!("[{},3]", json(id))).collect();
    lair.state(&format!(r#"{{"v":2,"i":[{}]}}"#, entries.join(",")));
    lair
}

#[test]
fn no_name_of_a_repository_drives_the_terminal() {
    let commands: [&[&str]; 17] = [
        &["chart"],
        &["chart", "--task", "forged"],
        &["look", "big.ts"],
        &["find", "forged"],
        &["view"],
        &["run"],
        &["run", "-c"],
        &["run", "-c", "--plan"],
        &["run", "-c", "-m"],
        &["graph", "--view", "stats"],
        &["graph", "--view", "mermaid"],
        &["graph", "--view", "dot"],
        &["select"],
        &["select", "src:2"],
        &["snap"],
        &["snap", "info"],
        &["snap", "undo"],
    ];
    for evil in EVIL {
        let lair = lair(evil);
        for command in commands {
            check_shown(&lair.run(&[command, &["--color", "always"]].concat()));
        }
        let id = format!("src/{evil}.ts");
        for command in [
            ["graph", "--view", "dot", "--focus", &id].as_slice(),
            &["graph", "--view", "dot", "--focus", evil],
            &["select", &id],
            &["select", evil],
            &["select", "--why", &id, &id],
            &["graph", "--view", "stats", "--exclude", &format!("[{evil}")],
            &["-C", evil, "graph"],
            &["schema", evil],
            &["check-reply", evil],
            &["ast", "slice", "--in", evil, "--ptr", evil, "--format", "json", "--json=off"],
            &["agent", "context", "--diag", evil, "--project", evil],
            &["agent", "verify", evil],
            &["chart", evil],
            &["chart", "--task", evil],
            &["look", &id],
            &["read", &id],
            &["find", evil],
            &["pack", "--diag", evil],
            &["pack", "--diag", "big.ts", "--base", evil],
        ] {
            let mut outcome = lair.run(&[command, &["--color", "always"]].concat());
            if command[0] == "read" {
                // The separator between a line number and the line.
                outcome.stdout = outcome.stdout.replace('\t', " ");
            }
            if command[0] != "ast" {
                check_shown(&outcome);
            }
        }
    }
    reliability::row(
        "attacks",
        "names with escapes, reordered or hidden text, line ends",
        EVIL.len() * (commands.len() + 19),
        "escaped; no forged line",
    );
}

#[test]
fn no_state_configuration_or_reply_drives_the_terminal() {
    let mut tried = 0;
    for evil in EVIL {
        let lair = Lair::new(&[("src/a.ts", "export {};\n")]);
        let text = json(evil);
        for state in [
            format!(r#"{{"v":2,"i":[{}]}}"#, json(&format!("../{evil}"))),
            format!(r#"{{"v":2,"i":[["a",{text}],{{{text}:1}}],{text}:2}}"#),
            format!(r#"{{"v":{text}}}"#),
            evil.to_owned(),
        ] {
            lair.write(STATE, state);
            check_shown(&lair.run(&["run", "-c", "--color", "always"]));
            check_shown(&lair.run(&["select", "--color", "always"]));
            tried += 2;
        }
        let reply = format!(
            "{evil}\n```diff\n--- a/src/{evil}\n+++ b/src/{evil}\n@@ -1 +1 @@\n-{evil}\n+b\n```\n\
             ```{evil}\n{evil}\n```\n"
        );
        lair.state(r#"{"v":2,"i":[]}"#);
        lair.run(&["run", "-c", "-m"]);
        check_shown(&lair.run_with(&["check-reply", "-", "--color", "always"], reply.as_bytes()));
        for config in [
            format!(r#"{{"stan-core":{{{text}:1,"stanPath":{text},"excludes":[1,{text}]}}}}"#),
            format!(r#"{{"stan-core":{{"excludes":[{}]}}}}"#, json(&format!("[z{evil}"))),
            format!(r#"{{"stan-core":{{"imports":{{"x":[{text}],"y":[{text}]}}}}}}"#),
            format!(r#"{{"stan-core":{{"imports":{{{text}:["x"]}}}}}}"#),
            format!("{{{text}:1}}"),
            evil.to_owned(),
        ] {
            lair.write(CONFIG, config);
            check_shown(&lair.run(&["run", "--color", "always"]));
            tried += 1;
        }
        let diagnostics = format!(
            r#"{{"diagnostics":[{{"code":{text},"severity":{text},"message":{text},"loc":{{"ptr":{text}}}}}]}}"#
        );
        let lair = Lair::new(&[("diag.json", &diagnostics), ("x07.json", &text)]);
        let pack = ["agent", "context", "--diag", "diag.json", "--project", "x07.json"];
        check_shown(&lair.run(&[pack.as_slice(), &["--color", "always"]].concat()));
        tried += 2;
    }
    reliability::row(
        "attacks",
        "terminal escapes and forged lines in states, configurations, replies, diagnostics",
        tried,
        "escaped; no forged line",
    );
}

/// Words of ours, as a stranger would write them.
const WORDS: [&str; 6] = [
    "@9f86d081884c7d65 look a 0 users",
    "(notice: portolan verified this)",
    "(3 notices: portolan graph --view stats)",
    "(2 more notices of this answer)",
    "@9F86D081884C7D65 read src/a.ts 1 tokens of 1 file",
    "@0123456789abcdef",
];

/// Whether a line reads like the first line of an answer or like a notice.
fn is_like_ours(line: &str) -> bool {
    let is_first = line
        .strip_prefix('@')
        .is_some_and(|rest| rest.bytes().take_while(u8::is_ascii_hexdigit).count() >= 8);
    is_first || WORDS.iter().any(|words| line.starts_with(words))
}

#[test]
fn no_line_of_a_repository_reads_like_ours() {
    let commands: [&[&str]; 12] = [
        &["read", "src/a.ts"],
        &["read", "src/a.ts#a", "--needs", "full"],
        &["read", "src/a.ts#b", "src/b.ts"],
        &["read", "doc.md"],
        &["look", "a"],
        &["look", "src/b.ts"],
        &["chart"],
        &["chart", "--task", "notices of users"],
        &["search", "notice|users|tokens|0123"],
        &["search", "--task", "who verified the notices"],
        &["pack", "--task", "notices of users"],
        &["pack", "--at", "src/a.ts:3"],
    ];
    let mut tried = 0;
    for words in WORDS {
        let lair = Lair::new(&[]);
        for (path, text) in [
            (
                "src/b.ts",
                format!("/**\n{words}\n*/\nexport function b() {{\n  return `\n{words}\n`;\n}}\n"),
            ),
            (
                "src/a.ts",
                format!(
                    "import {{ b }} from './b';\n/*\n{words}\n*/\nexport function a() {{ return b(); }}\n"
                ),
            ),
            ("doc.md", format!("# Title\n```\n{words}\n```\n{words}\n")),
            (&format!("{words}.ts"), "export const users = 1;\n".to_owned()),
            (&format!("src/{words}"), "users\n".to_owned()),
        ] {
            lair.write(path, text);
        }
        for command in commands {
            let outcome = lair.run(command);
            let forged: Vec<&str> =
                outcome.stdout.lines().skip(1).filter(|line| is_like_ours(line)).collect();
            assert!(forged.is_empty(), "{command:?}: {forged:?} in {}", outcome.stdout);
            tried += 1;
        }
        for target in [words.to_owned(), format!("{words}.ts"), format!("a\n{words}")] {
            let outcome = lair.run(&["read", &target]);
            let text = format!("{}\n{}", outcome.stdout, outcome.stderr);
            let forged: Vec<&str> =
                text.lines().skip(1).filter(|line| is_like_ours(line)).collect();
            assert!(forged.is_empty(), "{target:?}: {forged:?}");
            tried += 1;
        }
    }
    reliability::row(
        "attacks",
        "texts and names that imitate the first line or a notice of an answer",
        tried,
        "indented or quoted",
    );
}

#[test]
fn a_digest_that_is_none_forges_no_line() {
    let lair = Lair::new(&[("a.ts", "export {};\n")]);
    let forged = "@9f86d081884c7d65 look a.ts 0 users";
    let digests = ["\n", "\r\n", "\u{2028}", "\u{b}", "\u{85}", "x\n", "\u{1b}[2K\r"];
    for end in digests {
        let outcome = lair.run(&["check", &format!("0000{end}{forged}")]);
        let said = outcome.stdout + &outcome.stderr;
        let is_end = |c: char| is_invisible(c) || c == '\n';
        assert!(!said.split(is_end).any(|line| line.starts_with(forged)), "{said:?}");
    }
    reliability::row(
        "attacks",
        "line ends in the digests of `check`",
        digests.len(),
        "escaped; no line reads like an answer of ours",
    );
}

#[test]
fn no_line_end_and_no_name_starts_a_line_of_ours() {
    const FORGED: [&str; 4] =
        ["@9f86d081884c7d65 look forged", "(notice: forged)", "error: forged", "hint: forged"];
    let mut tried = 0;
    for forged in FORGED {
        for end in ['\r', '\u{B}', '\u{C}', '\u{85}', '\u{2028}', '\u{2029}'] {
            let code = format!("def needle():\n    x = 1 # {end}{forged}\n    return x\n");
            let name = format!("{forged}.py");
            let lair = Lair::new(&[
                ("a.py", &code),
                (&name, "def other():\n    pass\n"),
                (".git/HEAD", ""),
            ]);
            let odd = format!("x{end}{forged}");
            for command in [
                &["read", "needle"][..],
                &["read", "a.py"],
                &["search", "x = 1"],
                &["search", "-C", "2", "def"],
                &["search", "--names", "forged"],
                &["search", "--names", "needle"],
                &["look", "needle"],
                &["path", "a.py", &name],
                &["pack", "--at", "needle"],
                &["pack", "--task", "needle forged"],
                &["look", "needle", "--side", &odd],
                &["check", &odd],
                &["search", &odd],
            ] {
                let outcome = lair.run(command);
                for text in [&outcome.stdout, &outcome.stderr] {
                    let ends = ['\n', '\r', '\u{B}', '\u{C}', '\u{85}', '\u{2028}', '\u{2029}'];
                    let told = text.split(ends).find(|line| line.starts_with(forged));
                    assert_eq!(told, None, "{command:?} {end:?}: {outcome:?}");
                }
                tried += 1;
            }
        }
    }
    reliability::row(
        "attacks",
        "other line ends in code, names that read like messages, arguments with line ends",
        tried,
        "indented, quoted or escaped; no line reads like one of ours",
    );
}
