//! `portolan select` over graphs from files and pipes, and over a repository.

use serde_json::{Value, json};

use crate::folder::Folder;

const META: &str = r#"{"v":2,"n":{
  "node:fs":{"k":2},
  "src/a.ts":{"k":0,"s":400,"e":[["src/deep.ts",1]]},
  "src/b.ts":{"k":0,"s":100},
  "src/deep.ts":{"k":0,"s":60},
  "src/index.ts":{"k":0,"s":80,"e":[["node:fs",1],["src/a.ts",1],["src/b.ts",2],["src/lazy.ts",4]]},
  "src/lazy.ts":{"k":0,"s":40}}}"#;

/// Runs `select --graph -` over the sample; answers stdout and stderr.
fn select(args: &[&str]) -> (String, String) {
    let arguments = [&["select", "--graph", "-"], args].concat();
    let run = Folder::new().run_with_input(&arguments, META.as_bytes());
    assert_eq!(run.code, 0, "{}", run.stderr);
    (run.stdout, run.stderr)
}

fn select_json(args: &[&str]) -> Value {
    let (stdout, _) = select(&[&["--format", "json"], args].concat());
    let value: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(portolan_wire::canonical::to_string(&value) + "\n", stdout);
    value["result"].clone()
}

#[test]
fn a_graph_from_stdin_needs_no_repository() {
    let report = select_json(&["src/index.ts:1:runtime"]);
    assert_eq!(report["selectedNodeIds"], json!(["src/a.ts", "src/index.ts"]));
    assert_eq!((&report["totalBytes"], &report["estimatedTokens"]), (&json!(480), &json!(120)));
    assert_eq!(report["warnings"], json!(["Dropped builtin node from selection: node:fs"]));
    assert_eq!(report["tokens"], Value::Null);
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
3 nodes, 540 B, ~135 tokens (bytes / 4)
  tokens       size  share            node          why
    ~100      400 B  ████████░░  74%  src/a.ts      1 hop from src/index.ts:2:1
     ~15       60 B  ██░░░░░░░░  11%  src/deep.ts   2 hops from src/index.ts:2:1
     ~20       80 B  ██░░░░░░░░  14%  src/index.ts  entry
";
    assert_eq!(stdout, expected);
    assert_eq!(stderr, "warning: Dropped builtin node from selection: node:fs\n");
}

#[test]
fn a_tree_shows_folders() {
    let (stdout, _) = select(&["src/index.ts", "--tree"]);
    assert!(stdout.contains(" src/\n"), "{stdout}");
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
}

#[test]
fn importers_are_listed_nearest_first() {
    let report = select_json(&["--importers", "src/deep.ts", "--depth", "2"]);
    assert_eq!(
        report["importers"],
        json!([{"id": "src/a.ts", "hops": 1, "kinds": ["runtime"]}, {"id": "src/index.ts", "hops": 2, "kinds": []}])
    );
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
}

#[test]
fn bad_input_exits_with_two_and_says_where() {
    let folder = Folder::new();
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
        let run = folder.run_with_input(&[&["select"], args].concat(), input.as_bytes());
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.stderr.contains(expected), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn a_state_file_is_read_leniently_and_upgraded_strictly() {
    let folder = Folder::new();
    folder.put("meta.json", META);
    let select = |args: &[&str]| {
        folder.run(&[&["select", "--graph", "meta.json", "--state", "state.json"], args].concat())
    };

    folder.put("state.json", "{\"include\": [[\"src/index.ts\", 1, [\"runtime\"]]],}");
    let run = select(&[]);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("version 1"), "{}", run.stderr);
    assert!(run.stderr.contains("Trailing comma in the state at line 1, column 47"));
    let refused = select(&["--upgrade"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("a trailing comma; JSON has none"), "{}", refused.stderr);

    folder.put("state.json", "{\"include\": [[\"src/index.ts\", 1, [\"runtime\"]]]}");
    let upgraded = select(&["--upgrade"]);
    assert_eq!((upgraded.code, upgraded.stderr.as_str()), (0, "wrote state.json\n"));
    let written = folder.get("state.json").unwrap();
    assert_eq!(written, "{ \"v\": 2, \"i\": [\n  [\"src/index.ts\", 1, 1]\n] }\n");
}

#[test]
fn in_a_repository_the_state_on_disk_is_used_and_can_be_written() {
    const STATE: &str = ".stan/context/dependency.state.json";
    let folder = Folder::new();
    folder.put(".git/HEAD", "");
    folder.put("src/index.ts", "import { a } from './a';\nexport const b = a;\n");
    folder.put("src/a.ts", "export const a = 1;\n");

    let none = folder.run(&["select"]);
    assert_eq!(none.code, 0, "{}", none.stderr);
    assert!(none.stderr.contains(&format!("{STATE}: there is no state yet")), "{}", none.stderr);

    let written = folder.run(&["select", "src/index.ts:1", "--write"]);
    assert_eq!((written.code, written.stderr), (0, format!("wrote {STATE}\n")));
    let state = folder.get(STATE).unwrap();
    assert_eq!(state, "{ \"v\": 2, \"i\": [\n  [\"src/index.ts\", 1]\n] }\n");

    let result = |args: &[&str]| {
        let run = folder.run(&[&["select", "--format", "json"], args].concat());
        serde_json::from_str::<Value>(&run.stdout).unwrap()["result"].clone()
    };
    let report = result(&[]);
    assert_eq!(report["selectedNodeIds"], json!(["src/a.ts", "src/index.ts"]));
    assert_eq!(report["tokenizer"], "o200k_base");
    let tokens: u64 =
        report["nodes"].as_array().unwrap().iter().filter_map(|node| node["tokens"].as_u64()).sum();
    assert!(tokens > 0 && report["tokens"] == tokens, "{report}");

    let quick = result(&["--tokenizer", "none"]);
    assert_eq!((&quick["tokenizer"], quick.get("tokens")), (&json!("none"), None));
}
