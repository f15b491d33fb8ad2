//! Tests `portolan select` over graphs from files and pipes, and over a repository.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::support::{Repo, Run};

const META: &str = r#"{"v":2,"n":{
  "node:fs":{"k":2},
  "src/a.ts":{"k":0,"s":400,"e":[["src/deep.ts",1]]},
  "src/b.ts":{"k":0,"s":100},
  "src/deep.ts":{"k":0,"s":60},
  "src/index.ts":{"k":0,"s":80,"e":[["node:fs",1],["src/a.ts",1],["src/b.ts",2],["src/lazy.ts",4]]},
  "src/lazy.ts":{"k":0,"s":40}}}"#;

/// Runs `select --graph -` over the sample. Returns stdout and stderr.
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
     ~20       80 B  ██░░░░░░░░  15%  src/index.ts  entry
";
    assert_eq!(stdout, expected);
    let said = "warning: `node:fs`: it is a module of the platform, not a file\n";
    assert_eq!(stderr, said);
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
    assert!(stderr.contains("warning: `src/indx.ts`: it is not in the map"), "{stderr}");
    assert!(stderr.contains("hint: `src/indx.ts`: did you mean `src/index.ts`"), "{stderr}");
}

#[test]
fn a_budget_lists_its_cuts_and_how_to_reproduce_the_rest() {
    let (stdout, _) = select(&["src/index.ts:2", "--budget", "160"]);
    let cuts = &stdout[stdout.find("budget").unwrap()..];
    let expected = "\
budget 160 tokens by the estimate: 170 → 155
  1. 2 hops away: 1 node cut, 155 left (src/deep.ts)
entries that select just this
  src/index.ts:1
";
    assert_eq!(cuts, expected);
    let report = select_json(&["src/index.ts:2", "--budget", "20"]);
    assert_eq!(report["state"], json!({"v": 2, "i": ["src/index.ts"]}));
    assert_eq!(report["budget"]["steps"][1]["step"], "hops");
}

/// A repository with a folder for each kind of id.
fn repository() -> Repo {
    Repo::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".gitignore", ".stan/\n"),
        ("src/api/a.ts", "import '../lib/b';\n"),
        ("src/api/c.ts", "export {};\n"),
        ("src/lib/b.ts", "import './d';\n"),
        ("src/lib/d.ts", "export {};\n"),
        ("tools/run.lua", "require 'x'\n"),
    ])
}

#[test]
fn a_missing_declaration_is_reported() {
    let repo = Repo::new(
        "//- src/a.ts\nexport const one = 1;\nclass Two { three() {} }\n//- src/index.ts\nexport * from './a';\n",
    );
    let warnings = |entry: &str| {
        let run = repo.run(&["select", entry, "--format", "json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let value: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(value["result"]["selectedNodeIds"].as_array().unwrap().len(), 1, "{entry}");
        value["result"]["warnings"].clone()
    };
    for entry in ["src/a.ts#one", "src/a.ts#Two.three", "src/index.ts#one", "src/a.ts"] {
        assert_eq!(warnings(entry), json!([]), "{entry}");
    }
    assert_eq!(
        warnings("src/a.ts#onee"),
        json!(["No declaration `onee`, the file is selected, nearest: `src/a.ts#one`: src/a.ts"])
    );
    assert_eq!(
        warnings("src/a.ts#Two.nope"),
        json!([
            "No declaration `Two.nope`, the file is selected, nearest: `src/a.ts#Two`: src/a.ts"
        ])
    );
}

fn selected(run: &Run) -> Vec<String> {
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let ids = answer["result"]["selectedNodeIds"].as_array().unwrap().iter();
    ids.map(|id| id.as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_id_means_the_same_however_it_is_written() {
    let repo = repository();
    let absolute = repo.path().canonicalize().unwrap().join("src/api/a.ts");
    for (folder, id) in [
        (".", "src/api/a.ts"),
        (".", "./src/api/a.ts"),
        (".", absolute.to_str().unwrap()),
        ("src", "api/a.ts"),
        ("src/api", "a.ts"),
        ("src/api", "./a.ts"),
        ("src/lib", "../api/a.ts"),
        ("src/lib", "src/api/a.ts"),
    ] {
        let run = repo.run(&["-C", folder, "select", id, "--format", "json"]);
        assert_eq!(selected(&run), ["src/api/a.ts"], "{id} in {folder}: {}", run.stderr);
        let chart = repo.run(&["-C", folder, "chart", id]);
        assert_eq!(chart.code, 0, "{id} in {folder}: {}", chart.stderr);
    }
    for folder in ["api", "./api/", "api/*.ts"] {
        let run = repo.run(&["-C", "src", "select", folder, "--format", "json"]);
        assert_eq!(selected(&run), ["src/api/a.ts", "src/api/c.ts"], "{folder}");
    }
}

#[test]
fn an_unknown_id_is_not_written_and_nothing_is_overwritten() {
    const STATE: &str = ".stan/context/dependency.state.json";
    let repo = repository();
    assert_eq!(repo.run(&["select", "src/api/a.ts:1", "--write"]).code, 0);
    let before = repo.read(STATE).unwrap();
    let run = repo.run(&["select", "src/api/aa.ts", "src/api/c.ts", "--write"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.contains("nothing was written: `src/api/aa.ts` is neither"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("did you mean `src/api/a.ts`"), "{}", run.stderr);
    assert_eq!(repo.read(STATE).unwrap(), before);
}

#[test]
fn files_of_an_unsupported_language_do_not_count_as_unused() {
    let repo = repository();
    let run = repo.run(&["select", "--importers", "tools/run.lua"]);
    assert_eq!(
        run.stdout,
        "nobody knows who depends on tools/run.lua: imports of this language are not read\n"
    );
    let run = repo.run(&["select", "--importers", "src/api/c.ts"]);
    assert_eq!(run.stdout, "0 nodes depend on src/api/c.ts\n");
    // One known importer does not mean that all are known.
    repo.write("src/api/c.ts", b"import '../../tools/run.lua';\n");
    let said = repo.run(&["select", "--importers", "tools/run.lua"]).stdout;
    assert!(said.ends_with("there may be more: imports of this language are not read\n"), "{said}");
    let said = repo.run(&["select", "tools/run.lua:1"]).stderr;
    assert!(said.contains("`tools/run.lua`: imports of its language are not read"), "{said}");
    assert!(!repo.run(&["select", "tools/run.lua"]).stderr.contains("not read"), "alone");
    repo.write(".stan/context/dependency.state.json", br#"{"v":2,"i":[["tools/run.lua",2]]}"#);
    let said = repo.run(&["run", "-c"]).stderr;
    assert!(said.contains("tools/run.lua: imports of its language are not read"), "{said}");
}

#[test]
fn a_folder_has_files_that_have_importers() {
    let run = repository().run(&["select", "--importers", "src/api"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("`src/api` is a folder; `--importers` takes a file"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_written_state_keeps_the_zoom_and_the_task_of_the_thread() {
    const STATE: &str = ".stan/context/dependency.state.json";
    let repo = repository();
    repo.write(STATE, br#"{"v":3,"i":["src/api/a.ts"],"z":["src/lib"],"q":"mend it"}"#);
    assert_eq!(repo.run(&["select", "src/api/c.ts", "--write"]).code, 0);
    let state: Value = serde_json::from_slice(&repo.read(STATE).unwrap()).unwrap();
    let expected = json!({"v": 3, "i": ["src/api/c.ts"], "z": ["src/lib"], "q": "mend it"});
    assert_eq!(state, expected);
}

#[test]
fn a_budget_keeps_the_files_of_the_task_in_the_state() {
    let repo = repository();
    repo.write("src/api/a.ts", b"import './one';\nimport './two';\n");
    repo.write("src/api/one.ts", b"export const colour = 'of paint';\n");
    repo.write("src/api/two.ts", b"export const timeout = 'of links';\n");
    let left = |task: &str| {
        let state = json!({"v": 3, "i": [["src/api/a.ts", 1]], "q": task}).to_string();
        repo.write(".stan/context/dependency.state.json", state.as_bytes());
        selected(&repo.run(&["select", "--budget", "20", "--format", "json"]))
    };
    assert_eq!(left("paint with another colour"), ["src/api/a.ts", "src/api/one.ts"]);
    assert_eq!(left("timeout of links"), ["src/api/a.ts", "src/api/two.ts"]);
}

#[test]
fn a_scope_limits_the_map_and_keeps_its_dependencies_visible() {
    let repo = repository();
    let ids = |args: &[&str]| {
        let run = repo.run(args);
        let meta: Value = serde_json::from_str(&run.stdout).unwrap();
        meta["n"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let part = ["src/api/a.ts", "src/api/c.ts", "src/lib/b.ts"];
    assert_eq!(ids(&["graph", "--scope", "src/api"]), part);
    assert_eq!(ids(&["-C", "src/api", "graph", "--scope", "."]), part);
    let said = repo.run(&["-C", "src/api", "graph"]).stderr;
    assert!(said.contains("`--scope src/api` limits the map to this folder"), "{said}");
    repo.write("stan.config.yml", b"portolan: {scope: [src/lib]}\n");
    assert_eq!(ids(&["graph", "-q"]), ["src/lib/b.ts", "src/lib/d.ts"]);
    let chart = repo.run(&["chart"]).stdout;
    assert!(chart.contains("src/lib/") && !chart.contains("api"), "{chart}");
    repo.run(&["run", "-q"]);
    let names = repo.names(".stan/output/archive.tar");
    assert!(names.iter().all(|name| name.starts_with("src/lib/") || name.starts_with(".stan/")));
    // A file outside the map can still be selected.
    let run = repo.run(&["select", "src/api/c.ts", "--format", "json"]);
    assert_eq!(selected(&run), ["src/api/c.ts"]);
}

#[test]
fn bad_input_exits_with_two_and_gives_its_position() {
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
