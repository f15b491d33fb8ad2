//! Real output of real tools, with the diagnostics in it: every field of every one.
//!
//! The projects that the output is about are told by the paths of their files only. Absolute paths
//! are those of another machine.

use std::collections::BTreeMap;
use std::path::Path;

use portolan_diagnostics::places::{locate, Diagnostic, Files, Ground, Place};
use portolan_diagnostics::readers::read;
use serde_json::{json, Value};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/diagnostics")
}

fn place(place: &Place) -> Value {
    json!([place.file, place.line, place.col])
}

/// The fields that count, in the order of the fixtures; related places as a set.
fn fields(diagnostic: &Diagnostic) -> Value {
    let (file, line, col) = diagnostic
        .place
        .as_ref()
        .map_or((None, None, None), |place| (Some(&place.file), place.line, place.col));
    let related = diagnostic.related.iter().map(place).collect();
    json!([
        file,
        line,
        col,
        diagnostic.severity.as_str(),
        diagnostic.code,
        diagnostic.message,
        as_set(related)
    ])
}

fn as_set(mut places: Vec<Value>) -> Value {
    places.sort_by_key(Value::to_string);
    places.dedup();
    Value::Array(places)
}

#[test]
fn every_field_of_every_diagnostic_is_read() {
    let read_text = |name: &str| std::fs::read_to_string(folder().join(name)).unwrap();
    let projects: BTreeMap<String, Vec<String>> =
        serde_json::from_str(&read_text("projects.json")).unwrap();
    let mut failures = Vec::new();
    let cases = read_text("cases.jsonl");
    for case in cases.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let id = case["id"].as_str().unwrap();
        let ground = Ground {
            files: Files::new(projects[case["project"].as_str().unwrap()].iter().cloned()),
            root: "/here/repository".to_owned(),
            // Where a tool ran is not told: its paths must say so themselves.
            folder: String::new(),
        };
        let raw = std::fs::read(folder().join(format!("{id}.raw"))).unwrap();
        let located = locate(read(&raw, None).findings, &ground);
        let found: Vec<Value> = located.diagnostics.iter().map(fields).collect();
        let expected: Vec<Value> = case["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|wanted| {
                let mut wanted = wanted.as_array().unwrap()[..7].to_vec();
                wanted[6] = as_set(wanted[6].as_array().unwrap().clone());
                Value::Array(wanted)
            })
            .collect();
        if found != expected {
            let missing = expected
                .iter()
                .filter(|wanted| !found.contains(wanted))
                .map(|it| format!("\n  - {it}"));
            let extra =
                found.iter().filter(|it| !expected.contains(it)).map(|it| format!("\n  + {it}"));
            failures.push(format!("{id}:{}", missing.chain(extra).collect::<String>()));
        }
    }
    assert!(cases.lines().count() > 70);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
