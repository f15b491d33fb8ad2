//! Inputs that the conformance cases do not cover.

use super::read;

fn check_error(source: &str, expected: &str) {
    assert_eq!(read(source.as_bytes()).unwrap_err().to_string(), expected);
}

fn module(decls: &str) -> String {
    format!(
        r#"{{"schema_version":"x07.x07ast@0.8.0","kind":"module","module_id":"m","imports":[],"decls":[{decls}]}}"#
    )
}

#[test]
fn json_errors_have_line_and_column() {
    check_error("{\n  \"kind\": tru\n}", "expected a value, found `t` at line 2 column 11 at ");
    check_error(
        r#"{"a":1,"a":2}"#,
        "the key \"a\" is there twice in the object at line 1 column 1 at ",
    );
}

#[test]
fn too_deep_nesting_is_rejected_at_the_limit() {
    let deep = format!("{}{}", "[\"f\",".repeat(100_000), "0");
    let decl = format!(r#"{{"kind":"defn","name":"m.a","params":[],"result":"i32","body":{deep}"#);
    let error = read(module(&decl).as_bytes()).unwrap_err().to_string();
    assert!(error.starts_with("more than 127 levels of nesting at line 1 column "), "{error}");
}

#[test]
fn a_deep_type_is_shown_whole() {
    let ty = format!("{}\"i32\"{}", "[\"option\",".repeat(3), "]".repeat(3));
    let param = format!(r#"{{"name":"p","ty":{ty},"brand":"m.b"}}"#);
    check_error(
        &module(&format!(
            r#"{{"kind":"defn","name":"m.a","params":[{param}],"result":"i32","body":0}}"#
        )),
        "E_BRAND_BAD_TY: brand is not allowed on param type App { head: \"option\", args: [App { head: \"option\", \
         args: [App { head: \"option\", args: [Named(\"i32\")] }] }] } at /decls/0/params/0/ty",
    );
}

#[test]
fn negative_zero_is_not_an_integer() {
    check_error(
        &module(r#"{"kind":"defn","name":"m.a","params":[],"result":"i32","body":["+",-0]}"#),
        "number is not an i64: -0.0 at /decls/0/body/1",
    );
}

#[test]
fn a_large_value_is_not_repeated_in_the_message() {
    let value = format!(r#"{{"k":"{}"}}"#, "x".repeat(1000));
    check_error(
        &module(&format!(
            r#"{{"kind":"defn","name":"m.a","params":[],"result":"i32","body":{value}}}"#
        )),
        "unsupported JSON value in expr: Object {..} at /decls/0/body",
    );
}
