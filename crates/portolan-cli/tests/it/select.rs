//! `portolan select` over graphs from files and pipes, and over a repository.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const META: &str = r#"{"v":2,"n":{
  "node:fs":{"k":2},
  "src/a.ts":{"k":0,"s":400,"e":[["src/deep.ts",1]]},
  "src/b.ts":{"k":0,"s":100},
  "src/deep.ts":{"k":0,"s":60},
  "src/index.ts":{"k":0,"s":80,"e":[["node:fs",1],["src/a.ts",1],["src/b.ts",2],["src/lazy.ts",4]]},
  "src/lazy.ts":{"k":0,"s":40}}}"#;

fn portolan(folder: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_portolan"))
        .args(args)
        .current_dir(folder)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads no input may be gone before it is written.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Runs `select --graph -` over the sample; answers stdout and stderr.
fn select(args: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let output = portolan(folder.path(), &[&["select", "--graph", "-"], args].concat(), META);
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stdout).to_owned(), text(&output.stderr).to_owned())
}

fn select_json(args: &[&str]) -> Value {
    let (stdout, _) = select(&[&["--format", "json"], args].concat());
    let value: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(portolan_wire::canonical::to_string(&value) + "\n", stdout);
    value
}

/// Whether a report is what its published schema says.
fn check_schema(name: &str, report: &Value) {
    let schema: Value = serde_json::from_str(portolan_wire::schemas::find(name).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> = validator
        .iter_errors(report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{name}: {faults:#?}");
}

#[test]
fn a_graph_from_stdin_needs_no_repository() {
    let report = select_json(&["src/index.ts:1:runtime"]);
    assert_eq!(report["selectedNodeIds"], json!(["src/a.ts", "src/index.ts"]));
    assert_eq!((&report["totalBytes"], &report["estimatedTokens"]), (&json!(480), &json!(120)));
    assert_eq!(report["warnings"], json!(["Dropped builtin node from selection: node:fs"]));
    assert_eq!(report["tokens"], Value::Null);
    check_schema("select-report", &report);
}

#[test]
fn excludes_and_the_options_of_the_contract_are_taken() {
    let report = select_json(&[
        "src/index.ts:1",
        "-x",
        "src/b.ts",
        "--keep-kinds",
        "builtin,missing",
        "--top",
        "1",
    ]);
    assert_eq!(
        report["selectedNodeIds"],
        json!(["node:fs", "src/a.ts", "src/index.ts", "src/lazy.ts"])
    );
    assert_eq!(report["largest"], json!([{"bytes": 400, "nodeId": "src/a.ts"}]));
    assert_eq!(report["excluded"], json!(["src/b.ts"]));
    let report = select_json(&["src/index.ts:1", "--default-kinds", "type"]);
    assert_eq!(report["selectedNodeIds"], json!(["src/b.ts", "src/index.ts"]));
}

#[test]
fn people_get_a_table_without_colours_in_a_pipe() {
    let (stdout, stderr) = select(&["src/index.ts:2:runtime"]);
    let expected = "\
3 nodes, 540 bytes, ~135 tokens (bytes / 4)
   tokens       bytes  share           node          why
     ~100         400  ████████░░  74% src/a.ts      1 hop from src/index.ts:2:1
      ~15          60  ██░░░░░░░░  11% src/deep.ts   2 hops from src/index.ts:2:1
      ~20          80  ██░░░░░░░░  14% src/index.ts  entry
";
    assert_eq!(stdout, expected);
    assert_eq!(stderr, "warning: Dropped builtin node from selection: node:fs\n");
}

#[test]
fn a_tree_shows_folders() {
    let (stdout, _) = select(&["src/index.ts", "--tree"]);
    let names: Vec<&str> =
        stdout.lines().skip(2).map(|line| line.get(39..).unwrap_or(line).trim_end()).collect();
    assert!(stdout.contains("src/\n"), "{names:?}");
    assert!(stdout.contains("  index.ts"), "{stdout}");
}

#[test]
fn why_shows_the_shortest_way_with_its_kinds() {
    let (stdout, _) = select(&["src/index.ts:9", "--why", "src/deep.ts"]);
    let expected = "\
src/deep.ts is selected
  included by src/index.ts:9
    ─ runtime → src/a.ts
    ─ runtime → src/deep.ts
";
    assert_eq!(stdout, expected);
    let report = select_json(&["src/index.ts:9", "-x", "src/a.ts", "--why", "src/a.ts"]);
    assert_eq!(
        (&report["selected"], &report["excludedBy"]["entry"]),
        (&json!(false), &json!("src/a.ts"))
    );
    check_schema("select-why", &report);
}

#[test]
fn importers_are_listed_nearest_first() {
    let report = select_json(&["--importers", "src/deep.ts", "--depth", "2"]);
    assert_eq!(
        report["importers"],
        json!([{"id": "src/a.ts", "hops": 1, "kinds": ["runtime"]}, {"id": "src/index.ts", "hops": 2, "kinds": []}])
    );
    check_schema("select-importers", &report);
}

#[test]
fn a_misspelt_id_gets_a_hint() {
    let (_, stderr) = select(&["src/indx.ts"]);
    assert!(
        stderr.contains("warning: Selected nodeId not present in graph.nodes: src/indx.ts"),
        "{stderr}"
    );
    assert!(stderr.contains("hint: `src/indx.ts`: did you mean `src/index.ts`"), "{stderr}");
}

#[test]
fn a_budget_says_what_it_cut_and_how_to_reproduce_the_rest() {
    let (stdout, _) = select(&["src/index.ts:2", "--budget", "160"]);
    let cuts = &stdout[stdout.find("budget").unwrap()..];
    let expected = "\
budget 160 tokens by the estimate: 170 → 160
  1. dynamic edges not followed: 1 node cut, 160 left (src/lazy.ts)
entries that select just this
  src/index.ts:2:3
";
    assert_eq!(cuts, expected);
    let report = select_json(&["src/index.ts:2", "--budget", "20"]);
    assert_eq!(report["state"], json!({"v": 2, "i": [["src/index.ts", 0, 3]]}));
    check_schema("select-report", &report);
}

#[test]
fn bad_input_exits_with_two_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [(&[&str], &str, &str); 5] = [
        (
            &["--graph", "-", "a"],
            "{\"v\": 2,\n \"n\": [}",
            "error: -:2:8: not JSON: expected a value, found `}`",
        ),
        (&["--graph", "-", "a"], "[]", "error: -:1:1: `nodes`: an object with `nodes` and `edges`"),
        (
            &["--graph", "-"],
            META,
            "error: nothing to select: `--graph` needs entries or `--state FILE`",
        ),
        (&["--graph", "-", "a:1:runtme"], META, "error: `runtme` is no kind of edge"),
        (&["--graph", "-", "--importers", "src/aa.ts"], META, "hint: did you mean `src/a.ts`?"),
    ];
    for (args, input, expected) in cases {
        let output = portolan(folder.path(), &[&["select"], args].concat(), input);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(expected), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_state_file_is_read_leniently_and_upgraded_strictly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    std::fs::write(folder.path().join("meta.json"), META).unwrap();
    let select = |args: &[&str]| {
        portolan(
            folder.path(),
            &[&["select", "--graph", "meta.json", "--state", "state.json"], args].concat(),
            "",
        )
    };

    std::fs::write(&path, "{\"include\": [[\"src/index.ts\", 1, [\"runtime\"]]],}").unwrap();
    let output = select(&[]);
    assert!(output.status.success());
    assert!(text(&output.stderr).contains("version 1"), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("Trailing comma in the state at line 1, column 47"));
    let refused = select(&["--upgrade"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("a trailing comma; JSON has none"),
        "{}",
        text(&refused.stderr)
    );

    std::fs::write(&path, "{\"include\": [[\"src/index.ts\", 1, [\"runtime\"]]]}").unwrap();
    assert!(select(&["--upgrade"]).status.success());
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written, "{ \"v\": 2, \"i\": [\n  [\"src/index.ts\", 1, 1]\n] }\n");
    check_schema("state", &serde_json::from_str(&written).unwrap());
}

#[test]
fn in_a_repository_the_state_on_disk_is_used_and_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::create_dir_all(root.join("src")).unwrap();
    std::fs::write(root.join("src/index.ts"), "import { a } from './a';\nexport const b = a;\n")
        .unwrap();
    std::fs::write(root.join("src/a.ts"), "export const a = 1;\n").unwrap();

    let none = portolan(root, &["select"], "");
    assert!(none.status.success(), "{}", text(&none.stderr));
    assert!(text(&none.stderr).contains("there is no state yet"), "{}", text(&none.stderr));

    let written = portolan(root, &["select", "src/index.ts:1", "--write"], "");
    assert!(written.status.success(), "{}", text(&written.stderr));
    let state = std::fs::read_to_string(root.join(".stan/context/dependency.state.json")).unwrap();
    assert_eq!(state, "{ \"v\": 2, \"i\": [\n  [\"src/index.ts\", 1]\n] }\n");

    let output = portolan(root, &["select", "--format", "json"], "");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["selectedNodeIds"], json!(["src/a.ts", "src/index.ts"]));
    assert_eq!(report["tokenizer"], "o200k_base");
    let tokens: u64 =
        report["nodes"].as_array().unwrap().iter().filter_map(|node| node["tokens"].as_u64()).sum();
    assert!(tokens > 0 && report["tokens"] == tokens, "{report}");
    check_schema("select-report", &report);

    let quick = portolan(root, &["select", "--format", "json", "--tokenizer", "none"], "");
    let report: Value = serde_json::from_slice(&quick.stdout).unwrap();
    assert_eq!((&report["tokenizer"], report.get("tokens")), (&json!("none"), None));
}
