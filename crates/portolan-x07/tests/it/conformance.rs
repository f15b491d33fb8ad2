//! The conformance cases: documents, requests, and results.
//!
//! A case marked divergent has a result that the project decided against. For those, the invariants
//! in `properties.rs` and `divergences.rs` decide.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use portolan_wire::slice::Diagnostic;
use portolan_x07::{SliceRequest, failed_meta, read, slice};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::cases::{cases, inputs, lines, request};

/// Our result, in the format of a case.
fn answer(source: &[u8], request: &SliceRequest) -> Value {
    let failed = |exit: u8, message: String| json!({"exit": exit, "meta": failed_meta(request), "diagnostics": [Diagnostic::failed(message)]});
    let mut document = match read(source) {
        Ok(document) => document,
        Err(error) => return failed(2, error.to_string()),
    };
    match slice(&mut document, request) {
        Ok(slice) => json!({
            "exit": 0, "meta": slice.meta, "diagnostics": slice.diagnostics,
            "bytes": slice.ast.len(), "sha256": HEXLOWER.encode(&Sha256::digest(&slice.ast)),
            "slice_ast": serde_json::from_slice::<Value>(&slice.ast).unwrap(),
        }),
        Err(error) => failed(20, error.to_string()),
    }
}

/// Whether the result agrees with a case in every field that the case has.
fn agrees(case: &Value, answer: &Value) -> bool {
    let keys = ["exit", "meta", "diagnostics", "bytes", "sha256", "slice_ast"];
    keys.iter().filter(|key| !case[**key].is_null()).all(|key| {
        let free_text = case["free_text"] == true && *key == "diagnostics";
        case[*key] == answer[*key] || free_text
    })
}

/// Unmarked cases with a different result, and our exact results: the cases contradict a decision
/// on a divergence or an invariant.
fn decided() -> BTreeMap<String, Value> {
    let decided = lines(include_str!("../conformance/decided.jsonl"));
    decided.map(|answer| (answer["id"].as_str().unwrap().to_owned(), answer)).collect()
}

#[test]
fn every_case_matches_unless_it_is_divergent() {
    let (inputs, decided) = (inputs(), decided());
    let mut differences = Vec::new();
    for case in cases().filter(|case| case["divergent"].is_null()) {
        let answer = answer(&inputs[case["input"].as_str().unwrap()], &request(&case["args"]));
        let expected = decided.get(case["id"].as_str().unwrap()).unwrap_or(&case);
        if !agrees(expected, &answer) {
            differences.push(format!("{case}\n  -> {answer}"));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}
