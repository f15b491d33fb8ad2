//! Tests the documentation in `docs/`: generates the reference pages from the code and runs the
//! tutorial.
//!
//! `UPDATE_DOCS=1 cargo test -p portolan-cli docs` regenerates them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use portolan_archive::{Baseline, WorkspaceLayout};
use portolan_chat::check_reply::ReplyRule;
use portolan_types::{NoticeCode, RepoPath, Severity};
use portolan_workspace::config::KEYS;

use crate::audit::Audit;
use crate::support::{Repo, run_in};

const MADE: &str =
    "<!-- Generated: `UPDATE_DOCS=1 cargo test -p portolan-cli docs` writes this page. -->";

pub(crate) fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Compares a page with its expected text, or writes it.
#[track_caller]
pub(crate) fn check_page(name: &str, wanted: &str) {
    let path = docs().join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    let first = found.lines().zip(wanted.lines()).position(|(a, b)| a != b);
    assert!(
        found == wanted,
        "docs/{name} is out of date (line {}).\n\
         Regenerate it: UPDATE_DOCS=1 cargo test -p portolan-cli docs",
        first.map_or_else(|| "at its end".to_owned(), |line| (line + 1).to_string())
    );
}

/// Splits a help text into its introduction and its sections. A section starts at a heading such as `Options:`.
fn sections(help: &str) -> Vec<String> {
    let is_heading = |line: &str| line.starts_with(char::is_alphabetic) && line.ends_with(':');
    let mut sections = vec![String::new()];
    for line in help.lines().map(str::trim_end) {
        if is_heading(line) {
            sections.push(String::new());
        }
        if let Some(section) = sections.last_mut() {
            let _ = writeln!(section, "{line}");
        }
    }
    sections
}

/// `-h` and `-V`, which every command has.
const COMMON: &str = "  -h, --help
          Print help (see a summary with '-h')

  -V, --version
          Print version
";

/// The help of one command, without `-h`, `-V`, the list of commands, and the sections that an earlier command has word for word.
/// `shown` maps such a section to the first command that has it.
fn help_block(name: &str, help: &str, shown: &mut BTreeMap<String, String>) -> String {
    let mut parts = sections(help).into_iter();
    let mut text = parts.next().unwrap_or_default().trim_end().to_owned();
    let mut repeated = BTreeMap::<String, Vec<String>>::new();
    for part in parts {
        let part = if name == "portolan" { part } else { part.replace(COMMON, "") };
        let part = part.trim_end();
        let Some((heading, _)) = part.split_once(":\n") else {
            continue; // It had only `-h` and `-V`.
        };
        if heading == "Commands" {
            continue; // The page links to every command at its top.
        }
        if let Some(first) = shown.get(part) {
            repeated.entry(first.clone()).or_default().push(heading.to_owned());
            continue;
        }
        let _ = write!(text, "\n\n{part}");
        shown.insert(part.to_owned(), name.to_owned());
    }
    let mut block = format!("\n## `{name}`\n\n```text\n{text}\n```\n");
    for (first, headings) in repeated.iter().filter(|(first, _)| *first != "portolan") {
        let anchor = first.replace(' ', "-");
        let _ = writeln!(block, "\n{}: see [`{first}`](#{anchor}).", headings.join(", "));
    }
    block
}

/// The commands that a help text lists.
pub(crate) fn commands_in(help: &str) -> Vec<String> {
    let below = |heading: &'static str| {
        let lines = help.lines().skip_while(move |line| *line != heading).skip(1);
        lines.take_while(|line| !line.is_empty())
    };
    let lines = below("Commands:").chain(below("More commands:"));
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(ToOwned::to_owned).collect()
}

#[test]
fn docs_reference_cli_is_the_help_of_every_command() {
    let repo = Repo::new("");
    let mut page = format!(
        "# Command line\n\n{MADE}\n\n\
         The output of `--help-all`. `-h` and `--help` print what most people need; `portolan man` prints manual pages. Every command also takes `-h`, `-V`\n\
         and the global options, and uses the exit codes, listed under [`portolan`](#portolan).\n"
    );
    let (mut shown, mut links, mut blocks) = (BTreeMap::new(), Vec::new(), String::new());
    let mut todo = vec![Vec::<String>::new()];
    while let Some(command) = todo.pop() {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help-all");
        let help = run_in(&repo.path(), &arguments, &[]);
        assert_eq!(help.code, 0, "{arguments:?}: {}", help.stderr);
        let name = ["portolan"].into_iter().chain(command.iter().map(String::as_str));
        let name = name.collect::<Vec<_>>().join(" ");
        blocks.push_str(&help_block(&name, &help.stdout, &mut shown));
        links.push(format!("[`{}`](#{})", command.join(" "), name.replace(' ', "-")));
        let inner = commands_in(&help.stdout).into_iter().rev();
        todo.extend(inner.map(|name| command.iter().cloned().chain([name]).collect()));
    }
    let _ = write!(page, "\nCommands:\n{}\n{blocks}", links[1..].join(",\n"));
    check_page("reference/cli.md", &page);
}

#[test]
fn docs_reference_config_lists_every_key() {
    let mut page = format!(
        "# Configuration\n\n{MADE}\n\n\
         Portolan reads the first of `stan.config.yml`, `stan.config.yaml` and `stan.config.json` at the root. Without one it\n\
         uses the defaults, and the root is the nearest folder with `.git`. Other tools share the `stan-core` keys. Portolan\n\
         ignores sections that this page does not list. An invalid configuration stops the command; the error names line and\n\
         column. `portolan schema config` prints the JSON Schema.\n\n\
         | key | takes | default | meaning |\n| --- | --- | --- | --- |\n"
    );
    for doc in KEYS {
        let _ = writeln!(
            page,
            "| `{}` | {} | `{}` | {} |",
            doc.key, doc.takes, doc.default, doc.meaning
        );
    }
    check_page("reference/config.md", &page);
}

#[test]
fn docs_reference_notices_explains_every_code() {
    let mut page = format!(
        "# Notices and findings\n\n{MADE}\n\n\
         A notice is a problem that does not stop a command. Portolan groups notices on stderr and lists all of them with\n\
         `--format json`. Codes never change their meaning.\n\n\
         | code | | meaning |\n| --- | --- | --- |\n"
    );
    for code in NoticeCode::ALL {
        let severity = match code.severity() {
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        let _ = writeln!(page, "| `{}` | {severity} |{} |", code.as_str(), code.explanation());
    }
    page.push_str(
        "\n## Findings of `portolan check-reply`\n\n| code | rule | broken when |\n| --- | --- | --- |\n",
    );
    for rule in ReplyRule::ALL {
        let _ = writeln!(page, "| `{}` | {} |{} |", rule.code(), rule.title(), rule.explanation());
    }
    check_page("reference/notices.md", &page);
}

#[test]
fn docs_reference_exit_codes_are_those_of_the_help() {
    let help = run_in(&Repo::new("").path(), &["--help-all"], &[]).stdout;
    let codes = help.lines().skip_while(|line| *line != "Exit codes:").skip(1);
    let mut page = format!("# Exit codes\n\n{MADE}\n\n| code | meaning |\n| --- | --- |\n");
    for line in codes.take_while(|line| line.starts_with("  ")) {
        let (code, meaning) = line.trim().split_once("  ").unwrap();
        let _ = writeln!(page, "| {code} | {meaning} |");
    }
    page.push_str(
        "\nAn error on stderr names the problem, the place and the next step. With `--format json`, stdout also has\n\
         `{\"error\": {\"message\", \"place\", \"hints\"}}`. Notices never change the exit code.\n",
    );
    check_page("reference/exit-codes.md", &page);
}

#[test]
fn docs_reference_artifacts_lists_every_file() {
    let workspace = WorkspaceLayout::new(RepoPath::new(".stan").unwrap());
    let rows: [(RepoPath, &str, &str); 12] = [
        (workspace.meta(), "meta", "the map as the assistant sees it; in context archives"),
        (workspace.state(), "state", "the assistant's selection; in context archives"),
        (workspace.map(), "map", "the real paths of external files; private, in no archive"),
        (workspace.archive(), "", "everything the assistant has now"),
        (workspace.diff_archive(), "", "new and changed files since the baseline"),
        (workspace.diff_report(), "diff-report", "the same as a list, with deleted files"),
        (workspace.page(), "", "the page of `portolan view`; in no archive"),
        (workspace.snapshot(Baseline::Plain), "snapshot", "the baseline of `portolan run`"),
        (
            workspace.snapshot(Baseline::Context),
            "snapshot",
            "the baseline of `portolan run --context`",
        ),
        (workspace.history(), "snap-history", "the baselines that `portolan snap` keeps"),
        (
            workspace.system_prompt(),
            "",
            "the assistant's guide; `portolan init` writes it, you may change it",
        ),
        (workspace.project_prompt(), "", "your notes on the project for the assistant"),
    ];
    let mut page = format!(
        "# Artifacts\n\n{MADE}\n\n\
         All files are below `stanPath` (`.stan` here). JSON artifacts are canonical (RFC 8785). Archives are plain tar with\n\
         sorted members and without times, owners and folders, so the same files give the same bytes. Portolan replaces each\n\
         file in one step; a killed run leaves the old files intact.\n\n\
         | file | schema | content |\n| --- | --- | --- |\n"
    );
    for (path, schema, meaning) in rows {
        let schema = if schema.is_empty() { String::new() } else { format!("`{schema}`") };
        let _ = writeln!(page, "| `{path}` | {schema} | {meaning} |");
    }
    let names = run_in(&Repo::new("").path(), &["schema"], &[]).stdout;
    let names: Vec<_> = names.lines().map(|name| format!("`{name}`")).collect();
    let _ = write!(
        page,
        "\n`portolan schema NAME` prints a schema; `schemas/` has them too: {}.\n",
        names.join(", ")
    );
    check_page("reference/artifacts.md", &page);
}

/// Runs a command of the tutorial and returns what a terminal would show.
fn terminal(repo: &Repo, line: &str) -> String {
    let (command, is_failing) = match line.split_once("  # exits 1") {
        Some((command, _)) => (command, true),
        None => (line, false),
    };
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[..] {
        ["portolan", ref arguments @ ..] => {
            let audit = Audit::begin(&repo.path());
            let path = repo.parent().join("terminal.txt");
            let out = File::create(&path).unwrap();
            let status = Command::new(env!("CARGO_BIN_EXE_portolan"))
                .args(arguments)
                .current_dir(repo.path())
                .env_clear()
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .stderr(out.try_clone().unwrap())
                .stdout(out)
                .status()
                .unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(status.code(), Some(i32::from(is_failing)), "{line}\n{text}");
            audit.end(arguments, &text);
            text.lines().map(|line| format!("{}\n", without_time(line))).collect()
        }
        ["tar", "tf", archive] => {
            repo.names(archive).iter().map(|name| format!("{name}\n")).collect()
        }
        ["cat", file] => String::from_utf8(repo.read(file).unwrap()).unwrap(),
        _ => unreachable!("the tutorial has a command that nobody runs: {line}"),
    }
}

/// Replaces durations and the time of a baseline, which differ from run to run.
pub(crate) fn without_time(line: &str) -> String {
    let seconds = line.strip_suffix(" s").unwrap_or_default();
    if seconds.parse::<f64>().is_ok() {
        return "0.0 s".to_owned();
    }
    match line.find(" UTC").and_then(|end| Some((end.checked_sub(19)?, end))) {
        Some((start, end)) => format!("{}2026-01-01 12:00:00{}", &line[..start], &line[end..]),
        None => line.to_owned(),
    }
}

/// Runs the commands of a page and inserts their output: `<!-- file: PATH -->` before a block
/// writes the block to a file; lines of a `console` block that start with `$ ` are commands.
pub(crate) fn played(page: &str, repo: &Repo) -> String {
    let mut out = String::new();
    let mut lines = page.lines();
    let mut file = None;
    while let Some(line) = lines.next() {
        let _ = writeln!(out, "{line}");
        if let Some(name) = line.strip_prefix("<!-- file: ") {
            file = Some(name.trim_end_matches(" -->"));
            continue;
        }
        let fence: String = line.chars().take_while(|c| *c == '`').collect();
        if fence.len() < 3 {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        if line[fence.len()..] == *"console" {
            for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                let _ = write!(out, "$ {command}\n{}", terminal(repo, command));
            }
        } else {
            let text: String = block.iter().map(|line| format!("{line}\n")).collect();
            if let Some(name) = file.take() {
                repo.write(name, text.as_bytes());
            }
            out.push_str(&text);
        }
        let _ = writeln!(out, "{fence}");
    }
    out
}

#[test]
fn docs_tutorial_prints_what_it_says() {
    let page = std::fs::read_to_string(docs().join("tutorial.md")).unwrap().replace("\r\n", "\n");
    check_page("tutorial.md", &played(&page, &Repo::new("")));
}

#[test]
fn docs_readme_prints_what_it_says() {
    let tutorial = std::fs::read_to_string(docs().join("tutorial.md")).unwrap();
    let (setting, _) = tutorial.split_once("## 1.").unwrap();
    let repo = Repo::new("");
    played(setting, &repo);
    let page = std::fs::read_to_string(docs().join("../README.md")).unwrap().replace("\r\n", "\n");
    check_page("../README.md", &played(&page, &repo));
}

/// The pages at the root and below `docs`.
fn pages() -> Vec<PathBuf> {
    let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "md");
    let inside =
        |folder: PathBuf| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let folders = [docs().join(".."), docs(), docs().join("reference")];
    folders.into_iter().flat_map(inside).filter(is_page).collect()
}

/// The anchors of a page, as generated from its headings.
fn anchors(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let text = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn docs_link_only_to_what_is_there() {
    let pages = pages();
    assert!(pages.len() > 15, "{pages:?}");
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap_or_default();
            if target.contains("://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path =
                if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(path.exists(), "{} links to {target}", page.display());
            let is_there = anchor.is_empty() || anchors(&path).iter().any(|known| known == anchor);
            assert!(is_there, "{} links to {target}", page.display());
        }
    }
}

#[test]
fn docs_index_leads_to_every_page() {
    let index = std::fs::read_to_string(docs().join("README.md")).unwrap();
    for page in pages().iter().filter_map(|page| page.strip_prefix(docs()).ok()) {
        let name = page.to_string_lossy().replace('\\', "/");
        assert!(
            name.starts_with("..") || name == "README.md" || index.contains(&format!("]({name})")),
            "{name}"
        );
    }
}

#[test]
fn docs_reliability_has_only_rows_that_a_test_writes() {
    let sources: Vec<String> = crate::rooms::rust_files()
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    for what in portolan_testkit::reliability::rows() {
        let literal = format!("{what:?}");
        assert!(
            sources.iter().any(|text| text.contains(&literal)),
            "docs/reliability.md has a row that no test writes: {what}"
        );
    }
}

#[test]
fn docs_config_template_and_examples_fit_the_schema() {
    let schema = portolan_wire::schemas::find("config").unwrap();
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let repo = Repo::new("");
    assert_eq!(repo.run(&["init"]).code, 0);
    let template = String::from_utf8(repo.read("stan.config.yml").unwrap()).unwrap();
    let mut texts = vec![template];
    for doc in KEYS {
        for value in [doc.default, doc.example] {
            let sections = doc.key.split('.').rev();
            texts.push(
                sections.fold(value.to_owned(), |inner, name| format!("{{{name}: {inner}}}")),
            );
        }
    }
    for text in texts {
        let value: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
        assert!(validator.is_valid(&value), "{text}");
    }
    assert!(!validator.is_valid(&serde_json::json!({"stan-core": {"stanpath": "x"}})));
    let mut documented: Vec<String> = KEYS.iter().map(|doc| doc.key.to_owned()).collect();
    documented.sort();
    assert_eq!(keys_of(&schema), documented);
}

/// The keys in a schema of sections, with dots between sections, sorted.
fn keys_of(schema: &serde_json::Value) -> Vec<String> {
    let (mut keys, mut todo) = (Vec::new(), vec![(String::new(), schema)]);
    while let Some((path, schema)) = todo.pop() {
        match schema["properties"].as_object() {
            Some(inner) => todo.extend(inner.iter().map(|(name, inner)| {
                let dot = if path.is_empty() { "" } else { "." };
                (format!("{path}{dot}{name}"), inner)
            })),
            None => keys.push(path),
        }
    }
    keys.sort();
    keys
}
