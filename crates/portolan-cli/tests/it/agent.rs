//! Tests `portolan agent context` and `portolan agent verify` through the binary.

#![expect(
    clippy::needless_pass_by_value,
    reason = "helpers that take `json!(…)` read better without `&`"
)]

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::support::{Run, validate};

fn function(name: &str, body: Value) -> Value {
    json!({"kind": "defn", "name": name, "params": [], "result": "i32", "body": body})
}

fn module(id: &str, decls: Value) -> Value {
    json!({"schema_version": "x07.x07ast@0.8.0", "kind": "module", "module_id": id, "imports": [], "decls": decls})
}

fn diagnostic(severity: &str, ptr: &str) -> Value {
    json!({"code": format!("X-{severity}"), "severity": severity, "stage": "type", "message": "call\nmismatch",
           "loc": {"kind": "x07ast", "ptr": ptr}, "data": {"file": "src/main.x07.json", "n": 1.5}})
}

fn payload(diagnostics: Value) -> Value {
    json!({"schema_version": "x07.x07diag@0.1.0", "ok": false, "diagnostics": diagnostics, "meta": {}})
}

const MANIFEST: &str = r#"{"schema_version":"x07.project@0.5.0","world":"solve-pure","entry":"src/main.x07.json","module_roots":["src"]}"#;

/// A project with a warning and an error in its entry.
fn project() -> Folder {
    let folder = Folder::new();
    folder.put("x07.json", MANIFEST);
    let ones: Vec<Value> = std::iter::once(json!("+")).chain((0..300).map(|n| json!(n))).collect();
    let decls =
        json!([function("main.a", json!(["main.b", ["x", "y"]])), function("main.b", json!(ones))]);
    folder.put("src/main.x07.json", module("main", decls).to_string());
    folder.put(
        "src/util.x07.json",
        module("util", json!([function("util.f", json!(["q"]))])).to_string(),
    );
    let list = json!([diagnostic("warning", "/decls/1"), diagnostic("error", "/decls/0/body/1")]);
    folder.put("diag.json", payload(list).to_string());
    folder
}

fn context(folder: &Folder, extra: &[&str]) -> Run {
    folder.run(
        &[&["agent", "context", "--diag", "diag.json", "--project", "x07.json"], extra].concat(),
    )
}

fn pack(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn a_pack_is_built_around_the_first_error_and_fits_its_schema() {
    let folder = project();
    let run = context(&folder, &[]);
    let pack = pack(&run);
    assert_eq!(pack["focus"], json!({"diag_code": "X-error", "loc_ptr": "/decls/0/body/1"}));
    assert_eq!(
        pack["project"],
        json!({"root": ".", "world": "solve-pure", "entry": "src/main.x07.json"})
    );
    assert_eq!(pack["toolchain"]["name"], "portolan");
    let paths: Vec<&str> = pack["digests"]["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["diag.json", "x07.json", "src/main.x07.json"]);
    assert_eq!(pack["diagnostics"]["diagnostics"][1]["data"]["n"], json!(1.5));
    validate(&folder.run(&["schema", "pack"]).stdout, &pack);
    assert_eq!(run.stdout, context(&folder, &[]).stdout, "the same inputs give other bytes");
}

#[test]
fn a_pack_is_the_same_in_every_checkout_and_from_every_folder() {
    let (one, other) = (project(), project());
    let from_below =
        ["-C", "src", "agent", "context", "--diag", "../diag.json", "--project", "x07.json"];
    let folder_given = ["agent", "context", "--diag", "diag.json", "--project", "."];
    let expected = context(&one, &[]).stdout;
    for args in [&from_below[..], &folder_given[..]] {
        assert_eq!(other.run(args).stdout, expected, "{args:?}");
    }
}

#[test]
fn a_tool_report_is_unwrapped_and_stdin_is_read() {
    let folder = project();
    let report = json!({"schema_version": "x07.tool.lint.report@0.1.0", "ok": true, "extra": 1,
                        "diagnostics": [diagnostic("error", "/decls/1")]});
    let run = folder.run_with_input(
        &["agent", "context", "--diag", "-", "--project", "x07.json"],
        report.to_string().as_bytes(),
    );
    let pack = pack(&run);
    let expected = json!({"schema_version": "x07.x07diag@0.1.0", "ok": true, "meta": {}, "diagnostics": report["diagnostics"]});
    assert_eq!(
        (&pack["diagnostics"], &pack["digests"]["inputs"][0]["path"]),
        (&expected, &json!("-"))
    );
}

#[test]
fn a_cut_is_reported_on_stderr_and_in_the_wrapper_report() {
    let folder = project();
    let run = context(&folder, &["--max-nodes", "1"]);
    assert!(
        run.stderr.starts_with(
            "info X07-AST-SLICE-0001: x07 ast slice truncated (max_nodes): 1 of 2 decls"
        ),
        "{run:?}"
    );
    let wrapped = pack(&context(&folder, &["--max-nodes", "1", "--json"]));
    assert_eq!(wrapped["diagnostics"][0]["code"], "X07-AST-SLICE-0001");
    validate(&folder.run(&["agent", "context", "--json-schema"]).stdout, &wrapped);
}

fn check_refused(folder: &Folder, extra: &[&str], expected: &str) {
    let run = context(folder, extra);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    assert!(run.stderr.contains(expected), "{expected} is not in {}", run.stderr);
}

#[test]
fn a_focus_in_another_module_is_refused_or_followed() {
    let folder = project();
    let mut focus = diagnostic("error", "/decls/0/body");
    focus["data"]["file"] = json!("./src/util.x07.json");
    folder.put("diag.json", payload(json!([focus])).to_string());
    check_refused(&folder, &[], "src/util.x07.json");
    let pack = pack(&context(&folder, &["--follow-file"]));
    assert_eq!(pack["ast"]["source_path"], "src/util.x07.json");
    assert_eq!(pack["ast"]["slice_ast"]["decls"][0]["name"], "util.f");
    assert_eq!(pack["digests"]["inputs"][3]["path"], "src/util.x07.json");
    validate(&folder.run(&["schema", "pack"]).stdout, &pack);
    for outside in ["../secret.x07.json", "/etc/hosts"] {
        focus["data"]["file"] = json!(outside);
        folder.put("diag.json", payload(json!([focus])).to_string());
        check_refused(&folder, &["--follow-file"], "is not in the project's folder");
    }
}

#[test]
fn diagnostics_that_do_not_fit_their_schema_are_located() {
    let folder = project();
    let check = |diagnostic: Value, expected: &str| {
        folder.put("diag.json", payload(json!([diagnostic])).to_string());
        check_refused(&folder, &[], expected);
    };
    let with = |field: &str, value: Value| {
        let mut diagnostic = diagnostic("error", "/decls/0");
        diagnostic[field] = value;
        diagnostic
    };
    check(
        with("severity", json!("fatal")),
        "severity must be one of error, warning, info, hint at /diagnostics/0/severity",
    );
    check(with("data", json!([])), "data must be an object at /diagnostics/0/data");
    check(
        with("related", json!([{"kind": "x07ast"}])),
        "missing required field: ptr at /diagnostics/0/related/0",
    );
    check(
        json!({"severity": "error", "stage": "run", "message": ""}),
        "missing required field: code at /diagnostics/0",
    );
    check(with("loc", json!({"kind": "text", "span": {}})), "hint: re-run the linter");
}

#[test]
fn an_entry_that_leaves_the_folder_is_refused() {
    let folder = project();
    for (entry, expected) in [
        ("../main.x07.json", "must not contain '..' segments"),
        ("/main.x07.json", "must be a relative path"),
        ("C:\\\\main.x07.json", "must be a relative path"),
    ] {
        folder.put("x07.json", MANIFEST.replace("src/main.x07.json", entry));
        check_refused(&folder, &[], expected);
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = project();
    std::fs::remove_file(folder.path("src/main.x07.json")).unwrap();
    check_refused(&folder, &[], "read entry: ");
    std::fs::remove_file(folder.path("x07.json")).unwrap();
    check_refused(&folder, &[], "[X07PROJECT_READ] read project: ");
    std::fs::remove_file(folder.path("diag.json")).unwrap();
    check_refused(&folder, &[], "read diag: diag.json: ");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_refused() {
    let (folder, outside) = (project(), project());
    std::fs::remove_file(folder.path("src/main.x07.json")).unwrap();
    std::os::unix::fs::symlink(outside.path("src/main.x07.json"), folder.path("src/main.x07.json"))
        .unwrap();
    check_refused(&folder, &[], "is not in the project's folder: it leads to ");
}

#[test]
fn a_budget_gives_the_largest_pack_that_fits() {
    let folder = project();
    let tokens = |run: &Run| -> u64 {
        let said = run
            .stderr
            .lines()
            .find(|line| line.starts_with("note: the pack has "))
            .unwrap_or_else(|| panic!("{run:?}"));
        said.split(' ').nth(4).unwrap().parse().unwrap()
    };
    let whole = tokens(&context(&folder, &["--budget", "1000000"]));
    let run = context(&folder, &["--budget", &(whole - 1).to_string()]);
    let cut = &pack(&run)["ast"]["slice_meta"]["truncation"];
    let max_bytes = cut["max_bytes"].as_u64().unwrap();
    assert!(tokens(&run) < whole);
    let same = context(&folder, &["--max-bytes", &max_bytes.to_string()]);
    assert_eq!(same.stdout, run.stdout);
    let larger =
        context(&folder, &["--max-bytes", &(max_bytes + 1).to_string(), "--budget", "1000000"]);
    assert!(tokens(&larger) >= whole);
    check_refused(&folder, &["--budget", "10"], "no pack of this focus fits 10 tokens");
}

#[test]
fn a_pack_is_verified_against_its_files() {
    let folder = project();
    assert_eq!(context(&folder, &["--max-nodes", "1", "--out", "out/pack.json"]).stdout, "");
    let verified = folder.run(&["agent", "verify", "out/pack.json"]);
    assert_eq!(
        (verified.code, verified.stdout.as_str()),
        (0, "the pack is what its 3 files give today\n")
    );
    let pack: Value = serde_json::from_str(&folder.get("out/pack.json").unwrap()).unwrap();
    let forge = |pointer: &str, value: Value, expected: &str| {
        let mut forged = pack.clone();
        *forged.pointer_mut(pointer).unwrap() = value;
        folder.put("forged.json", forged.to_string());
        let run = folder.run(&["agent", "verify", "forged.json"]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stdout.contains(expected), "{run:?}");
    };
    forge("/ast/slice_ast/decls/0/body", json!(7), "changed  ast.slice_ast: ");
    forge("/focus/diag_code", json!("X-other"), "changed  focus: ");
    forge("/env", json!({"k": 1}), "changed  env: ");
    let main = folder.get("src/main.x07.json").unwrap();
    folder.put("src/main.x07.json", main.replace("\"x\"", "\"z\""));
    let changed = folder.run(&["--format", "json", "agent", "verify", "out/pack.json"]);
    let answer: Value = serde_json::from_str(&changed.stdout).unwrap();
    let report = &answer["result"];
    assert_eq!(
        (changed.code, &report["ok"], &report["changes"][0]["what"]),
        (1, &json!(false), &json!("src/main.x07.json"))
    );
}

#[test]
fn only_inputs_that_can_be_read_again_are_verified() {
    let folder = project();
    let diag = folder.get("diag.json").unwrap();
    let elsewhere = Folder::new();
    elsewhere.put("diag.json", diag.clone());
    let outside = elsewhere.path("diag.json").to_str().unwrap().to_owned();
    for (source, shown) in [(outside.as_str(), "../"), ("-", "-: ")] {
        let made = folder.run_with_input(
            &["agent", "context", "--diag", source, "--project", ".", "--out", "pack.json"],
            diag.as_bytes(),
        );
        assert_eq!(made.code, 0, "{made:?}");
        let verified = folder.run(&["agent", "verify", "pack.json"]);
        assert_eq!(verified.code, 1, "{verified:?}");
        assert!(verified.stdout.starts_with(&format!("unverifiable  {shown}")), "{verified:?}");
        let json = folder.run(&["agent", "verify", "pack.json", "--format", "json"]);
        let answer: Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(answer["result"]["ok"], json!(false));
        assert_eq!(answer["result"]["checked"].as_array().unwrap().len(), 2);
        let given = folder.run(&["agent", "verify", "pack.json", "--diag", "diag.json"]);
        assert_eq!(given.code, 0, "{given:?}");
    }
}

#[test]
fn a_pack_that_is_not_its_canonical_text_does_not_verify() {
    let folder = project();
    assert_eq!(context(&folder, &["--out", "pack.json"]).code, 0);
    let pack = folder.get("pack.json").unwrap();
    let forged = [
        pack.replacen('{', "{\"ast\":{},", 1),
        pack.replacen('{', "{ ", 1),
        pack.replacen("\"project\":{", "\"project\":{\"world\":\"evil\",", 1),
    ];
    for text in forged {
        assert_ne!(text, pack);
        folder.put("forged.json", text);
        let run = folder.run(&["agent", "verify", "forged.json"]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stdout.contains("canonical"), "{run:?}");
    }
}

#[test]
fn a_pack_can_be_read_as_a_document() {
    let folder = project();
    let run =
        context(&folder, &["--closure", "types", "--max-bytes", "300", "--format", "markdown"]);
    assert_eq!(run.code, 0, "{run:?}");
    for part in [
        "# X-error in `src/main.x07.json`\n\n> call\n> mismatch\n",
        "- at `/decls/0/body/1`\n",
        "## Code\n\n```json\n{\"decls\":[",
        "## Left out\n\n- decls: `main.b`\n",
        "## Other diagnostics\n\n- warning X-warning at `/decls/1`: call mismatch\n",
        "- `src/main.x07.json`, ",
    ] {
        assert!(run.stdout.contains(part), "{part} is not in {}", run.stdout);
    }
    assert_eq!(folder.run(&["graph", "--format", "markdown"]).code, 2);
}
