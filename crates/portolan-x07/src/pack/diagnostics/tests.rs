//! Which diagnostics are accepted, and which one is the focus.
#![expect(
    clippy::needless_pass_by_value,
    reason = "helpers that take `json!(…)` read better without `&`"
)]

use serde_json::{Value, json};

use super::read_diagnostics;

fn diagnostic(code: &str, severity: &str) -> Value {
    json!({"code": code, "severity": severity, "stage": "run", "message": "m", "loc": {"kind": "x07ast", "ptr": " /decls/0"}})
}

fn focus_of(diagnostics: Value) -> Result<String, String> {
    let payload = json!({"schema_version": "x07.x07diag@0.1.0", "diagnostics": diagnostics});
    read_diagnostics(payload.to_string().as_bytes())
        .map(|read| read.focus.code)
        .map_err(|error| error.message)
}

#[test]
fn the_focus_is_the_first_error_or_the_first_diagnostic() {
    let (warning, error, other) =
        (diagnostic("W", "warning"), diagnostic("E", "error"), diagnostic("F", "error"));
    assert_eq!(focus_of(json!([warning, error, other])).as_deref(), Ok("E"));
    assert_eq!(focus_of(json!([warning, diagnostic("I", "info")])).as_deref(), Ok("W"));
    assert_eq!(focus_of(json!([])).unwrap_err(), "diag JSON has no diagnostics");
}

#[test]
fn a_first_error_without_location_is_an_error() {
    let mut without_place = diagnostic("E", "error");
    without_place.as_object_mut().unwrap().remove("loc");
    assert_eq!(
        focus_of(json!([without_place, diagnostic("F", "error")])).unwrap_err(),
        "focus diagnostic missing loc"
    );
}

#[test]
fn a_payload_is_embedded_in_canonical_form() {
    let text = r#"{"x":[1.50,{"b":1,"a":1e2}],"diagnostics":[{"stage":"run","code":"E","severity":"error","message":"","loc":{"ptr":"/","kind":"x07ast"}}],"schema_version":"x07.x07diag@0.1.0"}"#;
    let canonical =
        String::from_utf8(read_diagnostics(text.as_bytes()).unwrap().canonical).unwrap();
    assert_eq!(
        canonical,
        r#"{"diagnostics":[{"code":"E","loc":{"kind":"x07ast","ptr":"/"},"message":"","severity":"error","stage":"run"}],"schema_version":"x07.x07diag@0.1.0","x":[1.5,{"a":100,"b":1}]}"#
    );
}

#[test]
fn a_tool_report_of_another_version_is_refused() {
    let check = |payload: Value, expected: &str| {
        assert_eq!(read_diagnostics(payload.to_string().as_bytes()).unwrap_err().message, expected);
    };
    check(
        json!({"schema_version": "x07.tool.prove.report@0.2.0"}),
        "unsupported diag schema_version: \"x07.tool.prove.report@0.2.0\"",
    );
    check(
        json!({"schema_version": "x07.x07diag@0.1.0", "diagnostics": {}}),
        "diag JSON missing diagnostics[]",
    );
    check(json!([]), "unsupported diag schema_version: \"\"");
    check(
        json!({"schema_version": "x07.tool.lint.report@0.1.0", "diagnostics": 1}),
        "diag JSON has no diagnostics",
    );
}
