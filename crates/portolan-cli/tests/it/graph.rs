//! Tests `portolan graph`, as text and JSON.

use serde_json::Value;

use crate::support::{Repo, run_in};

const APP: &str = "\
//- package.json
{ \"name\": \"app\" }
//- src/index.ts
/**
 * @module
 * Where it starts.
 */
import { add, type Sum } from './math';
import { readFileSync } from 'node:fs';
import './nope';
//- src/math/add.ts
export const add = (a: number, b: number) => a + b;
//- src/math/index.ts
export * from './add';
export type { Sum } from './sum';
//- src/math/sum.ts
export type Sum = number;
import '../index';
//- broken.ts
import './src/index';
let = ;
";

#[test]
fn the_meta_is_canonical_and_goes_to_stdout() {
    let run = Repo::new(APP).run(&["graph", "--view", "meta", "--no-hashes"]);
    let expected = concat!(
        r#"{"n":{"./nope":{"k":3},"broken.ts":{"e":[["src/index.ts",1]],"k":0,"s":30},"node:fs":{"k":2},"#,
        r#""package.json":{"k":0,"s":18},"src/index.ts":{"d":"Where it starts.","e":[["./nope",1],["node:fs",1],"#,
        r#"["src/math/add.ts",1,2],["src/math/index.ts",1],["src/math/sum.ts",2,2]],"k":0,"s":136},"#,
        r#""src/math/add.ts":{"k":0,"s":52},"src/math/index.ts":{"e":[["src/math/add.ts",1],["src/math/sum.ts",2]],"k":0,"s":57},"#,
        r#""src/math/sum.ts":{"e":[["src/index.ts",1]],"k":0,"s":45}},"v":2}"#,
        "\n",
    );
    assert_eq!(run.stdout, expected);
    assert_eq!(run.code, 0);
    assert!(
        run.stderr.contains("files with syntax errors (1)") && run.stderr.contains("broken.ts:2:"),
        "{}",
        run.stderr
    );
}

#[test]
fn hashes_are_in_the_meta_by_default() {
    let repo = Repo::new("//- empty.txt\n");
    assert!(repo.run(&["graph"]).stdout.contains("\"h\":\"47DEQpj8HBSa-_TImW-5JA\""));
    assert!(!repo.run(&["graph", "--no-hashes"]).stdout.contains("\"h\""));
    repo.write("stan.config.yml", b"portolan:\n  meta:\n    hashes: none\n");
    assert!(!repo.run(&["graph"]).stdout.contains("\"h\""));
}

#[test]
fn json_wraps_every_view_with_its_notices() {
    let repo = Repo::new(APP);
    for view in ["meta", "graph", "stats", "mermaid", "dot"] {
        let run = repo.run(&["graph", "--view", view, "--format", "json"]);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert!(!report["result"].is_null(), "{view}");
        assert_eq!(report["notices"][0]["code"], "CTX-SYNTAX-0001", "{view}");
        assert_eq!(run.stderr, "", "{view}");
    }
}

#[test]
fn stats_show_kinds_hubs_and_cycles() {
    let run = Repo::new(APP).run(&["graph", "--view", "stats", "--quiet"]);
    let expected = "\
Nodes   6 source, 1 builtin, 1 missing  (338 B of source)
Edges   6 runtime, 1 type
Tunnels 1 runtime, 1 type  (implicit)
Meta    639 B, 302 tokens
Hubs        2  src/index.ts
            2  src/math/add.ts
            2  src/math/sum.ts
            1  ./nope
            1  node:fs
Cycles  none
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn a_picture_shows_the_neighbourhood_of_a_node() {
    let repo = Repo::new(APP);
    let run = repo.run(&["graph", "--view", "mermaid", "--focus", "src/math/add.ts", "-q"]);
    assert!(
        run.stdout.starts_with("flowchart LR\n") && run.stdout.contains("[\"src/math/index.ts\"]"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("node:fs"));
    let misspelt = repo.run(&["graph", "--view", "dot", "--focus", "src/math/ad.ts"]);
    assert_eq!(misspelt.code, 2);
    assert!(misspelt.stderr.contains("did you mean `src/math/add.ts`"), "{}", misspelt.stderr);
}

#[test]
fn flags_add_to_the_configuration() {
    let repo = Repo::new("//- .gitignore\ngen\n//- gen/a.ts\n//- src/a.ts\n//- docs/a.md\n");
    let ids = |arguments: &[&str]| -> Vec<String> {
        let run = repo.run(&[&["graph", "-q"], arguments].concat());
        let meta: Value = serde_json::from_str(&run.stdout).unwrap();
        meta["n"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(
        ids(&["--includes", "gen", "--excludes", "docs"]),
        [".gitignore", "gen/a.ts", "src/a.ts"]
    );
    let bad = repo.run(&["graph", "--excludes", "../x"]);
    assert_eq!(bad.code, 2);
    assert!(bad.stderr.contains("pattern `../x`: leads outside the repository"), "{}", bad.stderr);
}

#[test]
fn out_writes_a_file_and_leaves_stdout_alone() {
    let repo = Repo::new("//- a.ts\n");
    let run = repo.run(&["graph", "--view", "graph", "--out", "graph.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    let written = std::fs::read_to_string(repo.path().join("graph.json")).unwrap();
    assert!(written.starts_with("{\"edges\":{\"a.ts\":[]},\"nodes\":"), "{written}");
    let refused = repo.run(&["graph", "--out", "no/such/folder/x.json"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("cannot write `no/such/folder/x.json`"), "{}", refused.stderr);
}

#[test]
fn a_broken_configuration_is_reported_with_its_position() {
    let run = Repo::new("//- stan.config.yml\nstan-core:\n  exclude: [a]\n").run(&["graph"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.contains("stan.config.yml:2:3") && run.stderr.contains("excludes"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_missing_folder_is_reported() {
    let repo = Repo::new("//- a.ts\n");
    let run = repo.run(&["-C", "nowhere", "graph"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("nowhere"), "{}", run.stderr);
}

#[test]
fn locale_time_zone_and_threads_do_not_show() {
    let repo = Repo::new(APP);
    let run = |environment: &[(&str, &str)], threads: &str| {
        run_in(&repo.path(), &["graph", "--view", "graph", "--threads", threads, "-q"], environment)
            .stdout
    };
    let expected = run(&[], "1");
    assert_eq!(
        run(&[("LANG", "cs_CZ.UTF-8"), ("LC_ALL", "et_EE.UTF-8"), ("TZ", "Asia/Kathmandu")], "4"),
        expected
    );
    assert_eq!(run(&[("LANG", "C"), ("TZ", "UTC")], "2"), expected);
}

#[test]
#[cfg(unix)]
fn names_from_the_repository_cannot_drive_the_terminal() {
    let repo = Repo::new("");
    repo.write("\u{1b}[31mred.ts", b"let = ;");
    let run = repo.run(&["graph", "--view", "stats"]);
    assert!(
        !run.stderr.contains('\u{1b}') && run.stderr.contains("\\u{1b}[31mred.ts"),
        "{}",
        run.stderr
    );
}

#[test]
fn descriptions_follow_their_flags() {
    let repo = Repo::new(
        "//- a.ts\n/**\n * @module\n * One line of text.\n */\n/** @file\n * Other. */\n",
    );
    let described = |arguments: &[&str]| -> Value {
        let run = repo.run(&[&["graph", "-q"], arguments].concat());
        let meta: Value = serde_json::from_str(&run.stdout).unwrap();
        meta["n"]["a.ts"]["d"].clone()
    };
    assert_eq!(described(&[]), "One line of text.");
    assert_eq!(described(&["--description-limit", "3"]), "One...");
    assert_eq!(described(&["--description-limit", "0"]), Value::Null);
    assert_eq!(described(&["--description-tags", "@file"]), "Other.");
    assert_eq!(repo.run(&["graph", "--description-tags", "file"]).code, 2);
}

#[test]
fn the_meta_is_whole_unless_a_budget_is_given() {
    let fixture: String = (0..40).map(|n| format!("//- notes/{n}.txt\n")).collect();
    let repo = Repo::new(&format!("//- a.ts\n{fixture}"));
    assert!(repo.run(&["graph"]).stdout.contains("notes/39.txt"));
    let cut = repo.run(&["graph", "--meta-budget", "50"]);
    assert!(cut.stdout.contains("\"a.ts\"") && !cut.stdout.contains("notes/"), "{}", cut.stdout);
    assert!(cut.stderr.contains("CTX-META-0001"), "{}", cut.stderr);
}
