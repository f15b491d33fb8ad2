//! The conformance cases of `agent context`, over files in memory.

use std::collections::BTreeMap;
use std::path::PathBuf;

use portolan_query::agent::{AgentContextReport, AgentContextRequest, AgentError, build_pack};
use portolan_query::ast::{Closure, Enclosure, SliceRequest, Source};
use portolan_types::Sha256Digest;
use portolan_vfs::{MemorySystem, sha256};
use serde_json::{Value, json};

fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

fn files() -> MemorySystem {
    let system = MemorySystem::default();
    for file in lines(include_str!("../conformance/context-files.jsonl")) {
        let path = PathBuf::from("/w").join(file["path"].as_str().unwrap());
        system.put(path, file["text"].as_str().unwrap());
    }
    system
}

fn request(case: &Value) -> AgentContextRequest {
    let args = &case["args"];
    let directory = PathBuf::from("/w").join(case["cwd"].as_str().unwrap());
    let bound = |name: &str| args[name].as_str().map(|bound| bound.parse().unwrap());
    let diag = args["diag"].as_str().unwrap().to_owned();
    AgentContextRequest {
        diag_source: Source::File(directory.join(&diag)),
        diag,
        project: args["project"].as_str().unwrap().into(),
        directory,
        slice: SliceRequest {
            ptr: String::new(),
            enclosure: match args["enclosure"].as_str() {
                Some("module") => Enclosure::Module,
                Some("defn") => Enclosure::Defn,
                _ => Enclosure::Decl,
            },
            closure: match args["closure"].as_str() {
                Some("locals") => Closure::Locals,
                Some("types") => Closure::Types,
                Some("imports") => Closure::Imports,
                _ => Closure::All,
            },
            max_nodes: bound("max-nodes"),
            max_bytes: bound("max-bytes"),
        },
        follow_file: false,
        budget: None,
    }
}

fn summary(bytes: &[u8]) -> Value {
    let digest: Sha256Digest = sha256(bytes);
    json!({"sha256": digest.to_hex(), "bytes": bytes.len()})
}

/// Our answer, in the form of a case.
fn answer(outcome: Result<AgentContextReport, AgentError>) -> Value {
    let pack = match outcome {
        Err(error) => return json!({"exit": 2, "stderr": format!("{error}\n")}),
        Ok(report) => report.pack,
    };
    let digests: Vec<Value> = pack
        .digests
        .inputs
        .iter()
        .map(|file| json!({"sha256": file.sha256, "bytes_len": file.bytes_len}))
        .collect();
    json!({"exit": 0, "pack": {
        "focus": pack.focus, "slice": summary(&pack.ast.slice_ast), "slice_meta": pack.ast.slice_meta,
        "source_path": pack.ast.source_path, "source_schema_version": pack.ast.source_schema_version,
        "diagnostics": summary(&pack.diagnostics), "digests": digests,
        "world": pack.project.world, "entry": pack.project.entry,
    }})
}

/// Our own part of a message; the rest comes from the JSON parser or the operating system.
fn own_part(message: &Value) -> Value {
    let text = message.as_str().unwrap_or_default();
    let prefixes = ["parse diag JSON: broken.json: ", "read diag: absent.json: "];
    prefixes
        .into_iter()
        .find(|prefix| text.starts_with(prefix))
        .map_or_else(|| message.clone(), Value::from)
}

/// Whether the answer matches the case. A slice that is marked divergent is left to the slicer's
/// tests.
fn agrees(case: &Value, answer: &Value) -> bool {
    let [mut expected, mut got] = [case, answer]
        .map(|side| json!({"exit": side["exit"], "pack": side["pack"], "stderr": own_part(&side["stderr"])}));
    if !case["divergent"].is_null() {
        for side in [&mut expected, &mut got] {
            side["pack"]["slice"] = Value::Null;
            side["pack"]["slice_meta"] = side["pack"]["slice_meta"]["ptr"].take();
        }
    }
    expected == got
}

/// Cases that we answer differently on purpose, with our exact answers and the reasons.
fn decided() -> BTreeMap<String, Value> {
    let decided = lines(include_str!("../conformance/context-decided.jsonl"));
    decided.map(|answer| (answer["id"].as_str().unwrap().to_owned(), answer)).collect()
}

#[test]
fn packs_match_their_cases() {
    let (system, decided) = (files(), decided());
    let mut differences = Vec::new();
    for case in lines(include_str!("../conformance/context-cases.jsonl")) {
        let answer = answer(build_pack(&system, &request(&case)));
        let expected = decided.get(case["id"].as_str().unwrap()).unwrap_or(&case);
        if !agrees(expected, &answer) {
            differences.push(format!("{case}\n  -> {answer}"));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}
