//! Checks artifacts against their published schemas, whatever test wrote them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use jsonschema::Validator;
use portolan_vfs::System;
use portolan_wire::schemas;
use serde_json::Value;

static VALIDATORS: LazyLock<BTreeMap<&str, Validator>> = LazyLock::new(|| {
    let compiled = schemas::ALL.iter().map(|(name, text)| {
        let schema: Value = serde_json::from_str(text).expect("a published schema is JSON");
        (*name, jsonschema::validator_for(&schema).expect("a published schema is a schema"))
    });
    compiled.collect()
});

/// The artifacts of a workspace, each with its schema.
const ARTIFACTS: [(&str, &str); 7] = [
    ("context/dependency.meta.json", "meta"),
    ("context/dependency.map.json", "map"),
    ("output/archive.diff.json", "diff-report"),
    ("diff/.archive.snapshot.json", "snapshot"),
    ("diff/.archive.snapshot.context.json", "snapshot"),
    ("diff/.snap.history.json", "snap-history"),
    ("patch/portolan/last/journal.json", "apply-journal"),
];

/// The schema of an artifact, by its path.
pub fn schema_of(path: &str) -> Option<&'static str> {
    let known = ARTIFACTS.iter().find(|(artifact, _)| path.ends_with(artifact));
    let kept = path.contains("/diff/snapshots/").then_some("snapshot");
    known.map(|(_, schema)| *schema).or(kept)
}

/// Panics if a value does not match the schema of that name.
#[track_caller]
pub fn check_schema(name: &str, value: &Value) {
    let validator = VALIDATORS.get(name).expect("the schema is published");
    let problems: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{name}: {problems:#?}\n{value}");
}

/// Panics if an artifact of a workspace does not match its schema.
#[track_caller]
pub fn check_workspace(system: &dyn System, workspace: &Path) {
    for (path, schema) in ARTIFACTS {
        if let Ok(bytes) = system.read(&workspace.join(path)) {
            check_schema(schema, &serde_json::from_slice(&bytes).expect("an artifact is JSON"));
        }
    }
}
