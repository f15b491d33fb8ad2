//! Checks every field of every diagnostic in real output of real tools.
//!
//! A case knows its project only by the paths of its files. Absolute paths are from another
//! machine.

use std::collections::BTreeMap;
use std::path::Path;

use portolan_diagnostics::locations::{Diagnostic, FileIndex, PathContext, SourceLocation, locate};
use portolan_diagnostics::readers::read;
use serde_json::{Value, json};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/diagnostics")
}

fn place(place: &SourceLocation) -> Value {
    json!([place.file, place.line, place.col])
}

/// The compared fields, in the order of the fixtures; related locations are sorted.
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

fn as_set(mut locations: Vec<Value>) -> Value {
    locations.sort_by_key(Value::to_string);
    locations.dedup();
    Value::Array(locations)
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
        let context = PathContext {
            files: FileIndex::new(projects[case["project"].as_str().unwrap()].iter().cloned()),
            root: "/here/repository".to_owned(),
            // The working folder is unknown: the printed paths must be enough.
            folder: String::new(),
        };
        let raw = std::fs::read(folder().join(format!("{id}.raw"))).unwrap();
        let located = locate(read(&raw, None).findings, &context);
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
