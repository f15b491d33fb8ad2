//! Tests `portolan ast slice` and `portolan schema` through the binary.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::support::validate;

const DOCUMENT: &str = r#"{"schema_version":"x07.x07ast@0.8.0","kind":"module","module_id":"m","imports":[],
"decls":[{"kind":"defn","name":"m.a","params":[],"result":"i32","body":["+",1,2]}],"meta":{"note":"a\u007fb"}}"#;

fn cases() -> Vec<Value> {
    let text = include_str!("../conformance/cli_cases.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Cases about features that we do not have: flags before the command, and event streams.
const NOT_OURS: [&str; 3] = ["scli002", "scli027", "scli044"];

/// Removes values that differ between tools, machines and runs.
fn normalize(mut report: Value) -> Value {
    report["command"] = json!("COMMAND");
    report["meta"] =
        json!({"inputs": report["meta"]["inputs"], "outputs": report["meta"]["outputs"]});
    report
}

#[test]
fn the_command_line_cases_match() {
    let cases = cases();
    let mut differences = Vec::new();
    // Messages of the operating system differ between platforms.
    let is_portable = |case: &Value| cfg!(unix) || !case.to_string().contains("os error");
    let is_ours = |case: &Value| !NOT_OURS.contains(&case["id"].as_str().unwrap());
    for case in cases[1..].iter().filter(|case| is_ours(case) && is_portable(case)) {
        let folder = Folder::new();
        for (name, text) in cases[0]["files"].as_object().unwrap() {
            folder.put(name, text.as_str().unwrap());
        }
        let argv: Vec<&str> =
            case["argv"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        let run = folder.run(&argv);
        let expect = &case["expect"];
        let mut same = expect["exit_code"] == run.code;
        match &expect["stdout"] {
            _ if expect["stdout_compare"] == "exit_only" || case["id"] == "scli009" => {}
            Value::String(text) => same &= *text == run.stdout,
            report @ Value::Object(_) => {
                let ours = serde_json::from_str(&run.stdout).unwrap_or_default();
                same &= normalize(report.clone()) == normalize(ours);
            }
            _ => {}
        }
        for (name, content) in expect["files"].as_object().into_iter().flatten() {
            let file = folder.get(name);
            same &= match content {
                Value::Null => file.is_none(),
                Value::String(text) => file.as_ref() == Some(text),
                report => file.is_some_and(|file| {
                    normalize(serde_json::from_str(&file).unwrap_or_default())
                        == normalize(report.clone())
                }),
            };
        }
        if !same {
            differences.push(format!("{case}\n  -> {run:?}"));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn reports_are_valid_against_their_schemas() {
    let folder = Folder::new();
    folder.put("a.x07.json", DOCUMENT);
    for extra in [
        &[][..],
        &["--max-bytes", "180"],
        &["--max-bytes", "20"],
        &["--closure", "types"],
        &["--out", "o.json"],
    ] {
        let run = folder.run(
            &[&["ast", "slice", "--in", "a.x07.json", "--ptr", "/decls/0/body/1"], extra].concat(),
        );
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        validate(&folder.run(&["schema", "slice-report"]).stdout, &report);
        validate(&folder.run(&["schema", "slice-meta"]).stdout, &report["slice_meta"]);
        let wrapped = folder.run(
            &[&["ast", "slice", "--json", "--in", "a.x07.json", "--ptr", "/decls/0/body/1"], extra]
                .concat(),
        );
        let schema = folder.run(&["ast", "slice", "--json-schema"]).stdout;
        validate(&schema, &serde_json::from_str(&wrapped.stdout).unwrap());
    }
}

#[test]
fn stdin_is_read_for_a_dash_and_every_byte_comes_out() {
    let folder = Folder::new();
    let run = folder
        .run_with_input(&["ast", "slice", "--in", "-", "--ptr", "/decls/0"], DOCUMENT.as_bytes());
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (run.code, &report["in"], &report["slice_ast"]["meta"]["note"]),
        (0, &json!("-"), &json!("a\u{7f}b"))
    );
}

#[test]
fn an_impossible_bound_suggests_a_possible_one() {
    let folder = Folder::new();
    folder.put("a.x07.json", DOCUMENT);
    let run = folder.run(&[
        "ast",
        "slice",
        "--in",
        "a.x07.json",
        "--ptr",
        "/decls/0",
        "--max-bytes",
        "20",
    ]);
    assert_eq!(run.code, 20);
    let (_, smallest) = run.stderr.split_once("--max-bytes ").unwrap();
    let smallest = smallest.split('`').next().unwrap();
    assert_eq!(
        folder
            .run(&[
                "ast",
                "slice",
                "--in",
                "a.x07.json",
                "--ptr",
                "/decls/0",
                "--max-bytes",
                smallest
            ])
            .code,
        0
    );
}

#[test]
fn bad_documents_are_located_and_never_crash() {
    let folder = Folder::new();
    let check = |text: &str, expected: &str| {
        folder.put("a.x07.json", text);
        let run = folder.run(&["ast", "slice", "--in", "a.x07.json", "--ptr", "/decls/0"]);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((run.code, report["diagnostics"][0]["message"].as_str()), (2, Some(expected)));
    };
    check(&"[".repeat(100_000), "more than 127 levels of nesting at line 1 column 128 at ");
    check(
        "{\"a\":0,\n\"b\":{\"x\":1,\"x\":2}}",
        "the key \"x\" is there twice in the object at line 2 column 5 at ",
    );
    check("\"\\udc00\"", "a surrogate without its other half in a string at line 1 column 8 at ");
    for ptr in ["/decls/0/~2", "/decls/99999999999999999999999", "/decls/0/body/-"] {
        folder.put("a.x07.json", DOCUMENT);
        assert_eq!(
            folder.run(&["ast", "slice", "--in", "a.x07.json", "--ptr", ptr]).code,
            20,
            "{ptr}"
        );
    }
}

#[test]
fn schemas_are_listed_and_an_unknown_one_is_refused() {
    let folder = Folder::new();
    for name in folder.run(&["schema"]).stdout.lines() {
        let schema: Value = serde_json::from_str(&folder.run(&["schema", name]).stdout).unwrap();
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
    }
    let unknown = folder.run(&["schema", "nothing"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
    assert!(unknown.stderr.contains("slice-report"), "{}", unknown.stderr);
}
