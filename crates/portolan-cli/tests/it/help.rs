//! Help, completions, manual pages and the version: what somebody asks for first.

use crate::support::{Repo, run_in};

/// Every command that does something, as one types it.
const COMMANDS: &[&[&str]] = &[
    &["init"],
    &["run"],
    &["snap"],
    &["graph"],
    &["select"],
    &["prompt"],
    &["check-reply"],
    &["ast", "slice"],
    &["agent", "context"],
    &["schema"],
    &["completions"],
    &["man"],
];

#[test]
fn every_command_has_examples_and_the_long_help_its_exit_codes() {
    let repo = Repo::new("");
    for command in COMMANDS {
        let help = |flag: &str| repo.run(&[command, &[flag][..]].concat()).stdout;
        let (short, long) = (help("-h"), help("--help"));
        assert!(short.contains("Examples:\n"), "{command:?}: {short}");
        assert!(
            long.contains("Examples:\n") && long.contains("Exit codes:\n"),
            "{command:?}: {long}"
        );
        let mut lines = long.lines();
        assert!(lines.all(|line| line.chars().count() <= 120), "{command:?}: {long}");
    }
}

#[test]
fn the_version_tells_commit_and_target() {
    let version = Repo::new("").run(&["--version"]).stdout;
    let wanted = concat!("portolan ", env!("CARGO_PKG_VERSION"), " (");
    assert!(version.starts_with(wanted), "{version}");
    assert!(version.contains(std::env::consts::ARCH), "{version}");
}

#[test]
fn a_mistyped_command_or_flag_gets_the_nearest() {
    let repo = Repo::new("");
    for (typed, meant) in [(&["selct"][..], "'select'"), (&["run", "--contxt"], "'--context'")] {
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
    for page in ["portolan.1", "portolan-run.1", "portolan-ast-slice.1"] {
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
    assert!(lines.contains(&"  … and 4997 more"), "{lines:?}");
    assert_eq!(lines.last(), Some(&"hint: `--format json` lists every notice"));
}
