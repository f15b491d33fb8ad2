//! Checks all JSON that a run of the binary prints or writes against its published schema, whatever
//! the test is about. JSON without a schema fails the test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use portolan_testkit::artifacts::{check_schema, schema_of};
use serde_json::Value;

use crate::help::playground;

/// The JSON files of a folder before a run.
pub(crate) struct Audit {
    folder: PathBuf,
    before: BTreeMap<String, Vec<u8>>,
}

impl Audit {
    /// Records a folder before the binary runs in it.
    pub(crate) fn begin(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), before: json_files(folder) }
    }

    /// Checks the printed JSON, and the files that were written or changed.
    #[track_caller]
    pub(crate) fn end(self, arguments: &[&str], stdout: &str) {
        if arguments.first() != Some(&"schema")
            && !arguments.contains(&"--json-schema")
            && let Ok(value @ Value::Object(_)) = serde_json::from_str(stdout)
        {
            check_shape(arguments, &value);
        }
        for (path, bytes) in json_files(&self.folder) {
            if self.before.get(&path) == Some(&bytes) || is_copy(&path) {
                continue;
            }
            let value: Value = serde_json::from_slice(&bytes).unwrap();
            match schema_of(&path) {
                Some(schema) => check_schema(schema, &value),
                None => check_shape(arguments, &value),
            }
        }
    }
}

/// Whether a file is a copy of a file that is not ours.
fn is_copy(path: &str) -> bool {
    ["/context/npm/", "/context/abs/", "/imports/"].iter().any(|folder| path.contains(folder))
}

fn json_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => todo.push(path),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|end| end == "json") => {
                    let name = path.to_string_lossy().replace('\\', "/");
                    found.extend(std::fs::read(&path).map(|bytes| (name, bytes)));
                }
                _ => {}
            }
        }
    }
    found
}

/// Checks a value that identifies itself by its members.
#[track_caller]
fn check_shape(arguments: &[&str], value: &Value) {
    let has = |member: &str| value.get(member).is_some();
    let version = value["schema_version"].as_str().unwrap_or_default();
    if version.starts_with("x07.tool.") {
        check_tool_report(value);
    } else if version.starts_with("x07.agent.context@") {
        check_schema("pack", value);
    } else if version.starts_with("portolan.agent.context@") {
        check_schema("context-pack", value);
    } else if ["mcpServers", "servers", "context_servers", "mcp"].into_iter().any(has) {
        // Files for agent clients have the client's format.
    } else if version.starts_with("x07.x07ast@") {
        // A slice is a module, whose schema belongs to the language.
    } else if has("slice_meta") {
        check_schema("slice-report", value);
    } else if has("error") || (has("result") && has("notices")) {
        check_schema("answer", value);
        if let Some(schema) = value.get("result").and_then(|result| result_of(arguments, result)) {
            check_schema(schema, &value["result"]);
        }
    } else if has("n") {
        check_schema("meta", value);
    } else if has("i") {
        check_schema("state", value);
    } else if has("nodes") && has("edges") {
        check_schema("graph", value);
    } else {
        unreachable!("{arguments:?} gives JSON that has no schema: {value}");
    }
}

/// The wrapper's schema contains the command's name.
#[track_caller]
fn check_tool_report(report: &Value) {
    let mut report = report.clone();
    for member in ["schema_version", "command"] {
        let text = report[member].as_str().unwrap();
        let text = ["ast.slice", "agent.context"]
            .iter()
            .fold(text.to_owned(), |text, command| text.replace(command, "COMMAND"));
        report[member] = text.into();
    }
    check_schema("tool-report", &report);
}

/// The schema of an answer's result; a picture is only text.
fn result_of(arguments: &[&str], result: &Value) -> Option<&'static str> {
    let command = arguments.iter().find(|word| COMMANDS.contains(word))?;
    Some(match *command {
        "export" => "export-report",
        "atlas" => match arguments.iter().skip_while(|word| **word != "atlas").nth(1) {
            Some(&"add" | &"export") => "export-report",
            Some(&"look") => "atlas-look",
            Some(&"find") => "atlas-find",
            Some(&"chart") => "atlas-chart",
            _ => "atlas-query",
        },
        "init" => "init-report",
        "run" => "run-report",
        "snap" => "snap-report",
        "prompt" => "prompt-report",
        "check-reply" => "reply-report",
        "apply" => "apply-report",
        "pack" => "diagnostics",
        "agent" if arguments.contains(&"--list") => "diagnostics",
        "agent" => "verify-report",
        "select" if arguments.contains(&"--why") => "select-why",
        "select" if arguments.contains(&"--importers") => "select-importers",
        "select" => "select-report",
        "read" => "read-report",
        "look" => "look-report",
        "find" => "search-report",
        "path" => "path-report",
        "check" => "check-report",
        "view" => "view-report",
        _ if result.is_string() => return None,
        _ if result.get("n").is_some() => "meta",
        _ if result.get("edges").is_some() => "graph",
        _ => "graph-stats",
    })
}

const COMMANDS: [&str; 18] = [
    "export",
    "atlas",
    "check",
    "init",
    "apply",
    "run",
    "snap",
    "prompt",
    "check-reply",
    "agent",
    "select",
    "graph",
    "read",
    "look",
    "find",
    "path",
    "pack",
    "view",
];

#[test]
fn every_command_answers_with_a_result_and_notices() {
    let repo = playground();
    for command in [
        "init",
        "run",
        "run -c",
        "run -c --plan",
        "snap",
        "snap info",
        "graph",
        "graph --view graph",
        "graph --view stats --timings",
        "graph --view dot",
        "select src/index.ts:1",
        "select src/index.ts:1 --budget 1",
        "select src/index.ts:1 --why src/a.ts",
        "select --importers src/a.ts",
        "prompt",
        "view",
        "check-reply reply.md",
        "apply reply.md --dry-run",
        "apply reply.md",
        "apply --undo",
        "agent verify pack.json",
    ] {
        let words: Vec<&str> = command.split(' ').chain(["--format", "json"]).collect();
        let answer: Value = serde_json::from_str(&repo.run(&words).stdout).unwrap();
        assert!(answer["result"] != Value::Null && answer["notices"].is_array(), "{command}");
    }
    let failed: Value =
        serde_json::from_str(&repo.run(&["snap", "set", "9", "--format", "json"]).stdout).unwrap();
    assert!(failed["error"]["message"].is_string(), "{failed}");
}

#[test]
#[should_panic(expected = "selectedCount")]
fn an_answer_that_does_not_match_its_schema_fails() {
    let audit = Audit::begin(Path::new("nowhere"));
    audit.end(&["select"], r#"{"notices":[],"result":{"v":1,"selectedNodeIds":[]}}"#);
}

#[test]
#[should_panic(expected = "has no schema")]
fn json_without_a_schema_fails() {
    Audit::begin(Path::new("nowhere")).end(&["select"], r#"{"new":1}"#);
}
