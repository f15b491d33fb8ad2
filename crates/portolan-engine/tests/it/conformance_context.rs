//! The conformance cases of `agent context`, over files in memory.

use std::path::PathBuf;

use portolan_engine::agent::{AgentContextReport, AgentContextRequest, AgentError, build_pack};
use portolan_engine::ast::{Closure, Enclosure, SliceRequest, Source};
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

/// What we answer, in the form of a case.
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

/// The places of a case that its divergence, or the JSON parser, decides differently for us.
fn agrees(case: &Value, answer: &Value) -> bool {
    let free_text = case["stderr"].as_str().is_some_and(|text| text.starts_with("parse diag JSON"));
    if free_text {
        return case["exit"] == answer["exit"]
            && answer["stderr"].as_str().unwrap().starts_with("parse diag JSON: broken.json: ");
    }
    let free_slice = !case["divergent"].is_null();
    let mut expected =
        json!({"exit": case["exit"], "pack": case["pack"], "stderr": case["stderr"]});
    let mut got =
        json!({"exit": answer["exit"], "pack": answer["pack"], "stderr": answer["stderr"]});
    if free_slice {
        for side in [&mut expected, &mut got] {
            side["pack"]["slice"] = Value::Null;
            side["pack"]["slice_meta"] = side["pack"]["slice_meta"]["ptr"].take();
        }
    }
    expected == got
}

/// Cases that are not marked and differ for a reason: pruning leaves only imports that are needed.
const DECIDED: [&str; 0] = [];

#[test]
fn packs_match_their_cases() {
    let system = files();
    let mut differences = Vec::new();
    for case in lines(include_str!("../conformance/context-cases.jsonl")) {
        let answer = answer(build_pack(&system, &request(&case)));
        let is_decided = DECIDED.contains(&case["id"].as_str().unwrap());
        if agrees(&case, &answer) == is_decided {
            differences.push(format!("{case}\n  -> {answer}"));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}
