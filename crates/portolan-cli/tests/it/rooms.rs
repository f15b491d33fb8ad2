//! Checks the rooms: the table in ARCHITECTURE.md against cargo's metadata, and a few conventions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The table: each room, and the rooms that it may use.
fn table() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `portolan-"));
    rows.map(|row| {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let uses = cells[3].split(',').map(str::trim).filter(|name| !name.is_empty());
        (
            cells[1].trim_matches('`').to_owned(),
            uses.map(|name| format!("portolan-{name}")).collect(),
        )
    })
    .collect()
}

fn metadata() -> Value {
    run_metadata(&["--no-deps"])
}

fn run_metadata(more: &[&str]) -> Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let arguments = [&["metadata", "--format-version", "1", "--offline"], more].concat();
    let output = Command::new(cargo).args(arguments).current_dir(repository()).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The names of a package's normal dependencies.
fn dependencies(package: &Value) -> BTreeSet<String> {
    let all = package["dependencies"].as_array().unwrap();
    let normal = all.iter().filter(|dependency| dependency["kind"].is_null());
    normal.map(|dependency| dependency["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_dependency_has_its_reason() {
    let text = std::fs::read_to_string(repository().join("docs/dependencies.md")).unwrap();
    let mut documented = BTreeSet::new();
    for row in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        for name in cells[1].split(',') {
            let rooms = cells[2].split(',').map(str::trim);
            documented.extend(
                rooms.map(|room| (name.trim().trim_matches('`').to_owned(), room.to_owned())),
            );
        }
    }
    let mut used = BTreeSet::new();
    for package in metadata()["packages"].as_array().unwrap() {
        let Some(room) = package["name"].as_str().unwrap().strip_prefix("portolan-") else {
            continue;
        };
        let foreign =
            dependencies(package).into_iter().filter(|name| !name.starts_with("portolan-"));
        used.extend(foreign.map(|name| (name, room.to_owned())));
    }
    let missing: Vec<_> = used.difference(&documented).collect();
    let names: BTreeSet<_> = used.iter().map(|(name, _)| name).collect();
    let gone: Vec<_> = documented.iter().filter(|(name, _)| !names.contains(name)).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "docs/dependencies.md lacks {missing:?} and still has {gone:?}"
    );
}

#[test]
fn no_room_has_a_dependency_outside_the_table() {
    let metadata = metadata();
    let table = table();
    let mut seen = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        if !name.starts_with("portolan-") {
            continue;
        }
        seen.insert(name.to_owned());
        let allowed = table
            .get(name)
            .unwrap_or_else(|| panic!("{name} is not in the table of ARCHITECTURE.md"));
        let used: BTreeSet<String> = dependencies(package)
            .into_iter()
            .filter(|name| name.starts_with("portolan-"))
            .collect();
        let beyond: Vec<_> = used.difference(allowed).collect();
        assert!(beyond.is_empty(), "{name} uses {beyond:?}, which the table does not allow");
    }
    assert_eq!(
        seen,
        table.into_keys().collect(),
        "the table and the workspace have the same rooms"
    );
}

/// The allowed licences of dependencies; `deny.toml` has the same list.
const LICENCES: [&str; 10] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
];

/// Whether a licence expression (`A OR B`, `(A OR B) AND C`) is satisfied by allowed licences.
fn is_allowed(expression: &str) -> bool {
    let parts = expression.split(" AND ").map(|part| part.trim_matches(['(', ')']));
    parts.into_iter().all(|part| {
        let mut choices = part.split(" OR ").flat_map(|choice| choice.split('/'));
        choices.any(|choice| LICENCES.contains(&choice.trim()))
    })
}

#[test]
fn every_dependency_comes_from_the_registry_under_a_permissive_licence() {
    let lock = std::fs::read_to_string(repository().join("Cargo.lock")).unwrap();
    for source in lock.lines().filter(|line| line.starts_with("source = ")) {
        assert!(
            source.contains("registry+https://github.com/rust-lang/crates.io-index"),
            "{source}"
        );
    }
    let host = Command::new("rustc").arg("-vV").output().unwrap();
    let host = String::from_utf8(host.stdout).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    // Dependencies of other platforms may be missing here.
    let metadata = run_metadata(&["--filter-platform", host]);
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50);
    for package in packages {
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence), "{} is under `{licence}`", package["name"]);
    }
}

#[test]
fn no_room_has_unsafe_code() {
    let manifest = std::fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    assert!(manifest.contains("unsafe_code = \"forbid\""));
    for package in metadata()["packages"].as_array().unwrap() {
        let path = package["manifest_path"].as_str().unwrap();
        let manifest = std::fs::read_to_string(path).unwrap();
        assert!(manifest.contains("[lints]\nworkspace = true"), "{path} has lints of its own");
    }
}

pub(crate) fn rust_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![repository().join("crates"), repository().join("xtask")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn every_file_has_a_module_doc() {
    for path in rust_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//!"), "{} has no module doc", path.display());
    }
}

#[test]
fn no_file_is_longer_than_the_limit() {
    const LIMIT: usize = 800;
    for path in rust_files() {
        let is_test =
            path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs");
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count();
        assert!(is_test || code <= LIMIT, "{} has {code} lines of code", path.display());
    }
}

/// Rooms that must not know any language, and words that would show that they do.
const TONGUELESS: [&str; 11] = [
    "portolan-archive",
    "portolan-atlas",
    "portolan-chat",
    "portolan-cli",
    "portolan-graph",
    "portolan-index",
    "portolan-mcp",
    "portolan-query",
    "portolan-ranking",
    "portolan-symbols",
    "portolan-x07",
];
const WORDS: [&str; 20] = [
    "Cargo.toml",
    "__init__",
    "build.gradle",
    "crate::ecma",
    "ecma::",
    "golang",
    "go.mod",
    "pom.xml",
    "pyproject",
    "setup.py",
    "site-packages",
    "src/main/java",
    "package.json",
    "node:",
    "npm",
    "\"default\"",
    "node_modules",
    "tsconfig",
    "require(",
    ".d.ts",
];

/// The shipped code of a file: without comments, tests and doc comments.
fn shipped_code(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    code.filter(|line| !line.trim_start().starts_with("//"))
}

/// Exceptions: `node: Node` declares a variable, while `"node:fs"` names a module; one list has the
/// lock files of all ecosystems, another one their secrets; the atlas lists all ecosystems by name,
/// as data of its tables, and shows example targets (`npm:zod`).
fn is_of_a_language(line: &str, word: &str) -> bool {
    match word {
        "node:" => line.contains("\"node:") || line.contains("`node:"),
        "npm" => {
            let is_data = ["npm-shrinkwrap.json", "pnpm-lock", "npm:zod"];
            let is_list = line.contains("pypi") && line.contains("cargo");
            line.contains(word) && !is_list && !is_data.iter().any(|it| line.contains(it))
        }
        _ => line.contains(word),
    }
}

/// Rooms below the questions: only the rooms above may name flags or tool arguments.
const WORDLESS: [&str; 14] = [
    "portolan-archive",
    "portolan-diagnostics",
    "portolan-graph",
    "portolan-guard",
    "portolan-json",
    "portolan-languages",
    "portolan-ranking",
    "portolan-symbols",
    "portolan-tokens",
    "portolan-types",
    "portolan-vfs",
    "portolan-wire",
    "portolan-workspace",
    "portolan-x07",
];

/// The configuration is read next to the walk, and its messages may name a flag.
const CONFIGURATION: &str = "portolan-workspace/src/config";

/// Whether a word in backticks is a flag; `---` is not.
fn names_flag(line: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase();
    line.match_indices("`--").any(|(at, it)| line[at + it.len()..].starts_with(is_letter))
}

#[test]
fn no_room_below_the_questions_names_a_command_or_a_flag() {
    let mut found = Vec::new();
    for path in rust_files() {
        let shown = path.strip_prefix(repository().join("crates")).unwrap_or(&path);
        let shown = shown.to_str().unwrap();
        let is_wordless = WORDLESS.iter().any(|room| shown.starts_with(&format!("{room}/src/")));
        if !is_wordless || shown.starts_with(CONFIGURATION) || shown.ends_with("tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let named =
            shipped_code(&text).filter(|line| line.contains("`portolan ") || names_flag(line));
        found.extend(named.map(|line| format!("{shown}: {}", line.trim())));
    }
    assert!(found.is_empty(), "words of the command line below it:\n{}", found.join("\n"));
}

/// A command uses one thread pool: that of its session.
#[test]
fn no_front_end_starts_threads_beside_a_session() {
    for path in rust_files() {
        let shown = path.strip_prefix(repository().join("crates")).unwrap_or(&path).to_owned();
        let is_front =
            shown.starts_with("portolan-cli/src") || shown.starts_with("portolan-mcp/src");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!is_front || !text.contains("on_threads("), "{}", shown.display());
    }
}

#[test]
fn only_the_folder_of_a_language_has_its_words() {
    let mut found = Vec::new();
    for path in rust_files() {
        let shown = path.strip_prefix(repository().join("crates")).unwrap_or(&path);
        let shown = shown.to_str().unwrap();
        let is_tongueless =
            TONGUELESS.iter().any(|room| shown.starts_with(&format!("{room}/src/")))
                || shown.starts_with(CONFIGURATION);
        if !is_tongueless || shown.ends_with("tests.rs") || shown.contains("secrets") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for line in shipped_code(&text) {
            let words = WORDS.iter().filter(|word| is_of_a_language(line, word));
            found.extend(words.map(|word| format!("{shown}: `{word}` in `{}`", line.trim())));
        }
    }
    assert!(found.is_empty(), "words of a language outside its folder:\n{}", found.join("\n"));
}

/// The words of the glossary in ARCHITECTURE.md.
fn glossary() -> Vec<String> {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let (_, section) = text.split_once("## Glossary").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| row.split('`').nth(1).unwrap().to_owned()).collect()
}

#[test]
fn every_word_of_the_glossary_is_a_type_or_a_module() {
    let mut known = BTreeSet::new();
    for path in rust_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        known.insert(path.file_stem().unwrap().to_str().unwrap().to_owned());
        for line in text.lines() {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.any(|word| ["struct", "enum", "trait", "type"].contains(&word)) {
                known.extend(words.next().map(str::to_owned));
            }
        }
    }
    let words = glossary();
    assert!((20..=30).contains(&words.len()), "{} words", words.len());
    let gone: Vec<_> = words.iter().filter(|word| !known.contains(*word)).collect();
    assert!(gone.is_empty(), "in the glossary and nowhere else: {gone:?}");
}

/// The table of CONTRIBUTING.md that says where things are decided.
#[test]
fn every_decision_is_where_the_guide_says() {
    let text = std::fs::read_to_string(repository().join("CONTRIBUTING.md")).unwrap();
    let (_, section) = text.split_once("## Where is it decided").unwrap();
    let rows = section
        .split("\n## ")
        .next()
        .unwrap()
        .lines()
        .skip_while(|it| *it != "| --- | --- | --- |");
    let mut count = 0;
    for row in rows.skip(1).filter(|row| row.starts_with("| ")) {
        let mut quoted = row.rsplit('`').skip(1).step_by(2);
        let (name, file) = (quoted.next().unwrap(), quoted.next().unwrap());
        let path = repository().join(format!("crates/portolan-{file}"));
        let code = std::fs::read_to_string(&path).unwrap_or_default();
        let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        assert!(words.any(|word| word == name), "{row}");
        count += 1;
    }
    assert_eq!(count, 30);
}

/// A language's syntax is pure: text in, facts out.
#[test]
fn no_syntax_of_a_language_sees_the_disk() {
    for path in rust_files() {
        let shown = path.strip_prefix(repository().join("crates")).unwrap_or(&path).to_owned();
        let shown = shown.to_str().unwrap();
        let is_syntax = shown.starts_with("portolan-languages/src/") && shown.contains("/syntax");
        let text = std::fs::read_to_string(&path).unwrap();
        let sees = ["portolan_vfs", "std::fs", "crate::resolve", "::resolve::"];
        let found = sees.iter().find(|it| shipped_code(&text).any(|line| line.contains(**it)));
        assert!(!is_syntax || found.is_none(), "{shown}: {found:?}");
    }
}

/// Idiomatic type names that many modules define.
const IDIOMS: [&str; 6] = ["Args", "Builder", "Error", "Options", "Report", "Request"];

#[test]
fn no_type_name_means_three_things() {
    let mut defined: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for path in rust_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        for line in text.lines() {
            let line = line.trim_start();
            let line = line.strip_prefix("pub ").unwrap_or(line);
            let line = line
                .strip_prefix("pub(crate) ")
                .or(line.strip_prefix("pub(super) "))
                .unwrap_or(line);
            let Some((word, rest)) = line.split_once(' ') else { continue };
            if ["struct", "enum", "trait"].contains(&word) {
                let name = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap();
                defined.entry(name.to_owned()).or_default().insert(path.clone());
            }
        }
    }
    let many: Vec<_> = defined
        .iter()
        .filter(|(name, files)| files.len() > 2 && !IDIOMS.contains(&name.as_str()))
        .map(|(name, files)| format!("{name} {}", files.len()))
        .collect();
    assert!(many.is_empty(), "type names of three or more meanings: {many:?}");
}
