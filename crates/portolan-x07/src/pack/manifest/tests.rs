//! Which manifests are accepted.
#![expect(
    clippy::needless_pass_by_value,
    reason = "helpers that take `json!(…)` read better without `&`"
)]

use serde_json::{Value, json};

use super::{ManifestError, read_manifest};

fn manifest(fields: Value) -> Vec<u8> {
    let mut manifest = json!({"schema_version": "x07.project@0.5.0", "world": " solve-pure ", "entry": " src/a.x07.json",
                              "module_roots": ["src"], "unknown": {}});
    for (field, value) in fields.as_object().unwrap() {
        manifest[field] = value.clone();
    }
    manifest.to_string().into_bytes()
}

fn check(fields: Value, expected: &str) {
    let error = read_manifest(&manifest(fields)).unwrap_err();
    assert_eq!(error, ManifestError::Invalid(expected.to_owned()));
}

#[test]
fn strings_are_trimmed_and_unknown_fields_are_ignored() {
    let manifest = read_manifest(&manifest(json!({"compat": " ", "lockfile": null}))).unwrap();
    assert_eq!(
        (manifest.world.as_str(), manifest.entry.as_str()),
        ("solve-pure", "src/a.x07.json")
    );
}

#[test]
fn other_json_is_a_parse_error() {
    for text in ["", "[]", "{}", r#"{"schema_version":1}"#] {
        assert!(matches!(read_manifest(text.as_bytes()), Err(ManifestError::Parse(_))), "{text}");
    }
}

#[test]
fn versions_gate_fields() {
    check(
        json!({"schema_version": "x07.project@0.1.0"}),
        "project schema_version mismatch: expected one of [\"x07.project@0.2.0\", \"x07.project@0.3.0\", \
         \"x07.project@0.4.0\", \"x07.project@0.5.0\"] got \"x07.project@0.1.0\"",
    );
    check(
        json!({"schema_version": "x07.project@0.2.0", "patch": {"a": {"version": "1"}}}),
        "project.patch requires project schema_version x07.project@0.5.0 (got x07.project@0.2.0)",
    );
    check(
        json!({"schema_version": "x07.project@0.4.0", "compat": "x"}),
        "project.compat requires project schema_version x07.project@0.5.0",
    );
    check(
        json!({"schema_version": "x07.project@0.3.0", "operational_entry_symbol": "m.a"}),
        "project.operational_entry_symbol requires project schema_version x07.project@0.4.0",
    );
}

#[test]
fn values_are_checked_in_order() {
    check(
        json!({"world": "moon", "entry": ""}),
        "invalid project world \"moon\": unknown world: moon",
    );
    check(json!({"entry": " "}), "project entry must be non-empty");
    check(json!({"entry": "a.json"}), "project entry must be a *.x07.json file, got \"a.json\"");
    check(json!({"module_roots": []}), "project module_roots must be non-empty");
    check(json!({"module_roots": ["a", " "]}), "project.module_roots[1] must be non-empty");
    check(
        json!({"link": {"libs": ["-x"]}}),
        "project.link.libs[0] must not start with '-': \"-x\"",
    );
    check(
        json!({"link": {"frameworks": ["a b"]}}),
        "project.link.frameworks[0] must not contain whitespace, '/', '\\\\', or NUL: \"a b\"",
    );
    check(
        json!({"dependencies": [{"name": "d", "version": "1", "path": "../x"}]}),
        "project.dependencies[0].path must not contain '..' segments: \"../x\"",
    );
    check(
        json!({"patch": {"A": {"version": "1"}}}),
        "project.patch key must match ^[a-z][a-z0-9_-]*$, got \"A\"",
    );
    check(
        json!({"patch": {"a": {"version": " "}}}),
        "project.patch[\"a\"].version must be non-empty",
    );
    check(
        json!({"certification_entry_symbol": "a..b"}),
        "invalid project certification_entry_symbol \"a..b\": invalid module_id (empty segment): \"a..b\"",
    );
}

#[test]
fn a_path_that_could_leave_the_folder_on_any_system_is_refused() {
    for (entry, how) in
        [("/a.x07.json", "relative"), ("C:/a.x07.json", "relative"), ("\\a.x07.json", "relative")]
    {
        check(
            json!({"entry": entry}),
            &format!("project.entry must be a {how} path, got {entry:?}"),
        );
    }
    check(
        json!({"entry": "a/../../b.x07.json"}),
        "project.entry must not contain '..' segments: \"a/../../b.x07.json\"",
    );
}
