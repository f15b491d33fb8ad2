//! The conformance cases: documents, requests, and what comes out.
//!
//! A case that is marked divergent shows a result that the project decided against; there the
//! invariants decide, in `properties.rs` and `divergences.rs`.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use portolan_x07::{failed_meta, read, slice, SliceRequest};
use portolan_wire::slice::Diagnostic;
use serde_json::{json, Value};
use sha2::{Digest, Sha256};

use crate::cases::{cases, inputs, lines, request};

/// What we answer, in the form of a case.
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

/// Whether the answer is the case's, in everything that the case has.
fn agrees(case: &Value, answer: &Value) -> bool {
    let keys = ["exit", "meta", "diagnostics", "bytes", "sha256", "slice_ast"];
    keys.iter().filter(|key| !case[**key].is_null()).all(|key| {
        let free_text = case["free_text"] == true && *key == "diagnostics";
        case[*key] == answer[*key] || free_text
    })
}

/// Cases that are not marked and that we answer differently all the same, with our exact answers:
/// there, they contradict a decision on a divergence or an invariant.
fn decided() -> BTreeMap<String, Value> {
    let decided = lines(include_str!("../conformance/decided.jsonl"));
    decided.map(|answer| (answer["id"].as_str().unwrap().to_owned(), answer)).collect()
}

#[test]
fn every_case_that_is_not_divergent_matches() {
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
