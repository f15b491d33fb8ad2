//! Tests help, completions, manual pages and the version.

use crate::docs::commands_in;
use crate::support::{Repo, Run, run_in, run_with_input};

/// All commands, as typed.
fn commands() -> Vec<Vec<String>> {
    let repo = Repo::new("");
    let (mut found, mut todo) = (Vec::new(), vec![Vec::<String>::new()]);
    while let Some(command) = todo.pop() {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help-all");
        let inner = commands_in(&repo.run(&arguments).stdout);
        let is_group = !inner.is_empty() && !command.ends_with(&["snap".to_owned()]);
        let below = |name| command.iter().cloned().chain([name]).collect();
        todo.extend(inner.into_iter().map(below).filter(|_| is_group));
        if !is_group {
            found.push(command);
        }
    }
    found
}

fn help(command: &[String], flag: &str) -> String {
    let arguments: Vec<&str> = command.iter().map(String::as_str).chain([flag]).collect();
    Repo::new("").run(&arguments).stdout
}

/// The lines of a help text below `Examples:`.
fn examples(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.take_while(|line| line.starts_with("  ")).map(str::trim).collect()
}

#[test]
fn every_command_has_examples_and_the_long_help_its_exit_codes() {
    let commands = commands();
    let nested = ["x07", "agent", "verify"].map(str::to_owned).to_vec();
    assert!(commands.contains(&nested), "{commands:?}");
    for command in commands {
        let (short, long) = (help(&command, "-h"), help(&command, "--help-all"));
        let count = examples(&short).len();
        assert!((2..=3).contains(&count), "{command:?} has {count} examples");
        assert_eq!(examples(&short), examples(&long));
        assert!(long.contains("Exit codes:\n"), "{command:?}: {long}");
        assert!(examples(&short).iter().all(|line| line.chars().count() <= 78), "{short}");
        assert!(long.lines().all(|line| line.chars().count() <= 100), "{command:?}: {long}");
    }
}

/// One screen has what most people need; `--help-all` has the rest.
#[test]
fn the_help_of_every_command_fits_a_screen() {
    let groups = [vec![], vec!["chat"], vec!["x07"], vec!["atlas"], vec!["cache"]];
    let groups = groups.map(|words| words.into_iter().map(str::to_owned).collect());
    for command in commands().into_iter().chain(groups) {
        let (short, long) = (help(&command, "-h"), help(&command, "--help"));
        assert_eq!(short, long, "{command:?}");
        let lines = short.lines().count();
        assert!(lines <= 40, "{command:?} has {lines} lines:\n{short}");
        let words: Vec<&str> =
            ["help"].into_iter().chain(command.iter().map(String::as_str)).collect();
        assert_eq!(Repo::new("").run(&words).stdout, short, "{words:?}");
        assert!(short.contains("--help-all"), "{command:?}");
    }
    let look = ["look".to_owned()];
    assert!(!help(&look, "--help").contains("--excludes"));
    assert!(help(&look, "--help-all").contains("--excludes"), "nothing is hidden from it");
    let passed_on = Repo::new("").run(&["pack", "--", "echo", "--help-all"]);
    assert!(
        !passed_on.stdout.contains("Usage:"),
        "it belongs to the command: {}",
        passed_on.stdout
    );
}

/// A repository with everything that the examples name.
pub(crate) fn playground() -> Repo {
    let module = r#"{"schema_version":"x07.x07ast@0.8.0","kind":"module","module_id":"main","imports":[],"decls":[{"kind":"defn","name":"main.f","params":[],"result":"i32","body":0}]}"#;
    let repo = Repo::with(&[
        ("src/index.ts", "import { a } from './a';\nexport const b = a;\n"),
        ("src/a.ts", "export const a = 1;\n"),
        (
            "reply.md",
            "## Input Data Changes\n\n- `note.md` — present: `yes`\n- dependency.state.json: no change\n\n\
             ```diff\n--- a/note.md\n+++ b/note.md\n@@ -1 +1 @@\n-old\n+new\n```\n",
        ),
        ("note.md", "old\n"),
        ("Cargo.toml", "[package]\nname = \"a\"\n"),
        ("ci.log", "src/index.ts(2,14): error TS2304: Cannot find name 'c'.\n"),
        ("main.x07.json", module),
        (
            "x07.json",
            r#"{"schema_version":"x07.project@0.5.0","world":"solve-pure","entry":"main.x07.json","module_roots":["."]}"#,
        ),
        (
            "diag.json",
            r#"{"schema_version":"x07.x07diag@0.1.0","ok":false,"meta":{},"diagnostics":[{"code":"X","severity":"error","stage":"type","message":"m","loc":{"kind":"x07ast","ptr":"/decls/0"}}]}"#,
        ),
    ]);
    assert_eq!(repo.run(&["export", "--out", "../atlas"]).code, 0);
    assert_eq!(repo.run(&["run"]).code, 0);
    assert_eq!(repo.run(&["run", "-cm"]).code, 0);
    let pack = repo.run(&["agent", "context", "--diag", "diag.json", "--project", "."]).stdout;
    repo.write("pack.json", pack.as_bytes());
    repo
}

/// Runs our part of an example; the rest of a pipe belongs to the shell.
fn played(repo: &Repo, example: &str) -> Run {
    let (line, _) = example.split_once("  ").unwrap_or((example, ""));
    let line = line.trim_start_matches("source <(").trim_end_matches(')');
    let (line, _) = line.split_once(" | ").unwrap_or((line, ""));
    let (line, input) = line.split_once(" < ").unwrap_or((line, ""));
    let input = repo.read(input).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[0], "portolan", "{example}");
    run_with_input(&repo.path(), &words[1..], &input)
}

#[test]
fn every_example_works_as_printed() {
    for command in commands() {
        let repo = playground();
        for example in examples(&help(&command, "-h")) {
            let run = played(&repo, example);
            assert_eq!(run.code, 0, "{example}: {}", run.stderr);
        }
    }
    let repo = playground();
    let start = help(&[], "-h");
    let start = start.lines().skip_while(|line| *line != "Start here:").skip(1);
    let start: Vec<&str> = start.take_while(|line| !line.is_empty()).collect();
    assert_eq!(start.len(), 5);
    for line in start {
        assert!(line.chars().count() <= 78, "{line}");
        assert_eq!(played(&repo, line.trim()).code, 0, "{line}");
    }
}

#[test]
fn the_version_shows_commit_and_target() {
    let version = Repo::new("").run(&["--version"]).stdout;
    let wanted = concat!("portolan ", env!("CARGO_PKG_VERSION"), " (");
    assert!(version.starts_with(wanted), "{version}");
    assert!(version.contains(std::env::consts::ARCH), "{version}");
}

#[test]
fn a_mistyped_command_or_flag_gets_the_nearest() {
    let repo = Repo::new("");
    for (typed, meant) in [(&["selct"][..], "`select`"), (&["run", "--contxt"], "`--context`")] {
        let answer = repo.run(typed);
        assert_eq!(answer.code, 2);
        assert!(answer.stderr.contains(meant), "{}", answer.stderr);
    }
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let repo = Repo::new("");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = repo.run(&["completions", shell]).stdout;
        assert!(script.contains("check-reply"), "{shell}");
    }
    assert!(repo.run(&["man"]).stdout.contains("portolan"));
    assert_eq!(repo.run(&["man", "--out", "man1"]).code, 0);
    for page in ["portolan.1", "portolan-chat-run.1", "portolan-ast-slice.1"] {
        assert!(repo.read(&format!("man1/{page}")).is_some(), "{page}");
    }
}

#[test]
fn colours_are_for_terminals_only() {
    let repo = Repo::with(&[("stan.config.yml", "stan-core: {stanPth: x}\n")]);
    let plain = run_in(&repo.path(), &["run"], &[]).stderr;
    assert!(plain.starts_with("error: ") && !plain.contains('\u{1b}'), "{plain}");
    let coloured = run_in(&repo.path(), &["run", "--color", "always"], &[]).stderr;
    assert!(coloured.contains("\u{1b}["), "{coloured}");
}

#[test]
fn thousands_of_notices_are_a_few_lines_and_the_way_to_see_all() {
    let ids: Vec<String> = (0..5000).map(|n| format!("\"gone/{n}.ts\"")).collect();
    let state = format!("{{\"v\":2,\"i\":[{}]}}", ids.join(","));
    let repo = Repo::with(&[(".stan/context/dependency.state.json", &state)]);
    let answer = repo.run(&["run", "-c"]);
    assert_eq!(answer.code, 0);
    let lines: Vec<&str> = answer.stderr.lines().collect();
    assert!(lines.len() <= 8, "{lines:?}");
    assert!(
        lines[1].starts_with("  gone/0.ts and 4,999 more: selected path not found"),
        "{lines:?}"
    );
    assert_eq!(lines.last(), Some(&"hint: `--format json` lists every notice"));
}

#[test]
fn an_empty_folder_gets_a_hint_to_name_another() {
    let empty = Repo::with(&[]).run(&["chart"]);
    assert!(
        empty.stderr.contains("hint: no file is here to tell of; `-C DIR`"),
        "{}",
        empty.stderr
    );
    let full = Repo::with(&[("a.ts", "")]).run(&["chart"]);
    assert!(!full.stderr.contains("no file is here"), "{}", full.stderr);
}
