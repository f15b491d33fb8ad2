//! Reads x07 diagnostics: the payload of a pack, and the focused diagnostic.

use portolan_guard::redact;
use portolan_wire::tree::{Kind, NodeIdx, Tree, parse};

/// The schema version of the payload.
pub const PAYLOAD_VERSION: &str = "x07.x07diag@0.1.0";

/// Diagnostics that a pack can be built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    /// The payload in canonical form.
    pub canonical: Vec<u8>,
    /// The diagnostic in focus.
    pub focus: FocusDiagnostic,
}

/// The focused diagnostic: the first error or, if there is none, the first diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FocusDiagnostic {
    /// Its index in the list.
    pub index: usize,
    /// Its code.
    pub code: String,
    /// Its pointer into an x07AST document, as written.
    pub ptr: String,
    /// The file that the diagnostic names, if any.
    pub file: Option<String>,
}

/// Why no pack can be built from the diagnostics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticsError {
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub hint: &'static str,
    /// Whether the input is not JSON at all.
    pub is_json_error: bool,
}

fn refuse<T>(message: impl Into<String>, hint: &'static str) -> Result<T, DiagnosticsError> {
    Err(DiagnosticsError { message: message.into(), hint, is_json_error: false })
}

const RERUN: &str = "re-run the linter (`x07 lint` or `x07 check`) and give its output";
const RERUN_AST: &str = "re-run the linter on the x07AST file (`x07 lint --input FILE`), so that diagnostics have \
                         `loc.kind` \"x07ast\" and a JSON Pointer";
const FIX_OUTPUT: &str =
    "the diagnostics must match the schema `x07diag`; re-run the linter, or fix its output";

/// Reads a raw payload, or a tool's report that wraps one. Tools quote the code that they read, so
/// secrets are masked here, where their text enters.
pub fn read_diagnostics(bytes: &[u8]) -> Result<Diagnostics, DiagnosticsError> {
    let masked = str::from_utf8(bytes).map(redact);
    let bytes = masked.as_ref().map_or(bytes, |text| text.as_bytes());
    let (mut tree, root) = parse(bytes).map_err(|error| DiagnosticsError {
        message: error.to_string(),
        hint: RERUN,
        is_json_error: true,
    })?;
    let version =
        tree.get(root, "schema_version").and_then(|version| tree.string(version)).unwrap_or("");
    let payload = if version == PAYLOAD_VERSION {
        tree.copy_sorted(root)
    } else if version.starts_with("x07.tool.") && version.ends_with("@0.1.0") {
        unwrap_report(&mut tree, root)
    } else {
        return refuse(format!("unsupported diag schema_version: {version:?}"), RERUN);
    };
    let list = tree.get(payload, "diagnostics").filter(|&list| tree.kind(list) == Kind::Array);
    let Some(list) = list else { return refuse("diag JSON missing diagnostics[]", RERUN) };
    check(&tree, payload).or_else(|(at, message)| {
        refuse(format!("{message} at {}", tree.pointer(payload, at)), FIX_OUTPUT)
    })?;
    let focus = find_focus(&tree, list)?;
    Ok(Diagnostics { canonical: tree.to_canonical(payload), focus })
}

/// Appends the payload that a tool's report wraps: only its diagnostics and its `ok` flag.
fn unwrap_report(tree: &mut Tree<'_>, report: NodeIdx) -> NodeIdx {
    let list = tree.get(report, "diagnostics").filter(|&list| tree.kind(list) == Kind::Array);
    let is_ok = tree.get(report, "ok").is_some_and(|ok| tree.kind(ok) == Kind::True);
    let payload = tree.open_object();
    tree.push_key("diagnostics");
    if let Some(list) = list {
        tree.copy_sorted(list);
    } else {
        let nothing = tree.open_array();
        tree.close(nothing);
    }
    tree.push_key("meta");
    let meta = tree.open_object();
    tree.close(meta);
    tree.push_key("ok");
    tree.push_bool(is_ok);
    tree.push_key("schema_version");
    tree.push_string(PAYLOAD_VERSION);
    tree.close(payload)
}

type Checked = Result<(), (NodeIdx, String)>;

const SEVERITIES: [&str; 4] = ["error", "warning", "info", "hint"];
const STAGES: [&str; 8] = ["parse", "lint", "rewrite", "type", "lower", "codegen", "link", "run"];

/// Checks the payload against its schema.
fn check(tree: &Tree<'_>, payload: NodeIdx) -> Checked {
    if let Some(ok) =
        tree.get(payload, "ok").filter(|&ok| !matches!(tree.kind(ok), Kind::True | Kind::False))
    {
        return Err((ok, "ok must be a boolean".into()));
    }
    is_kind(tree, payload, "meta", Kind::Object, "an object")?;
    let list = tree.get(payload, "diagnostics").into_iter().flat_map(|list| tree.items(list));
    for diagnostic in list {
        check_diagnostic(tree, diagnostic)?;
    }
    Ok(())
}

fn check_diagnostic(tree: &Tree<'_>, diagnostic: NodeIdx) -> Checked {
    if tree.kind(diagnostic) != Kind::Object {
        return Err((diagnostic, "a diagnostic must be an object".into()));
    }
    let code = required_string(tree, diagnostic, "code")?;
    if code.1.is_empty() {
        return Err((code.0, "code must not be empty".into()));
    }
    one_of(required_string(tree, diagnostic, "severity")?, "severity", &SEVERITIES)?;
    one_of(required_string(tree, diagnostic, "stage")?, "stage", &STAGES)?;
    required_string(tree, diagnostic, "message")?;
    if let Some(location) = tree.get(diagnostic, "loc") {
        check_location(tree, location)?;
    }
    is_kind(tree, diagnostic, "notes", Kind::Array, "an array")?;
    for note in tree.get(diagnostic, "notes").into_iter().flat_map(|notes| tree.items(notes)) {
        if tree.kind(note) != Kind::String {
            return Err((note, "a note must be a string".into()));
        }
    }
    is_kind(tree, diagnostic, "related", Kind::Array, "an array")?;
    for location in
        tree.get(diagnostic, "related").into_iter().flat_map(|related| tree.items(related))
    {
        check_location(tree, location)?;
    }
    is_kind(tree, diagnostic, "data", Kind::Object, "an object")?;
    is_kind(tree, diagnostic, "quickfix", Kind::Object, "an object")
}

fn check_location(tree: &Tree<'_>, location: NodeIdx) -> Checked {
    if tree.kind(location) != Kind::Object {
        return Err((location, "a location must be an object".into()));
    }
    let (at, kind) = required_string(tree, location, "kind")?;
    match kind {
        "x07ast" => required_string(tree, location, "ptr").map(drop),
        "text" if tree.get(location, "span").is_none() => {
            Err((location, "missing required field: span".into()))
        }
        "text" => {
            is_kind(tree, location, "span", Kind::Object, "an object")?;
            is_kind(tree, location, "snippet", Kind::String, "a string")
        }
        _ => Err((at, "kind must be \"x07ast\" or \"text\"".into())),
    }
}

fn is_kind(tree: &Tree<'_>, object: NodeIdx, field: &str, kind: Kind, what: &str) -> Checked {
    match tree.get(object, field).filter(|&value| tree.kind(value) != kind) {
        Some(value) => Err((value, format!("{field} must be {what}"))),
        None => Ok(()),
    }
}

fn required_string<'t>(
    tree: &'t Tree<'_>,
    object: NodeIdx,
    field: &str,
) -> Result<(NodeIdx, &'t str), (NodeIdx, String)> {
    let Some(value) = tree.get(object, field) else {
        return Err((object, format!("missing required field: {field}")));
    };
    tree.string(value)
        .map(|text| (value, text))
        .ok_or_else(|| (value, format!("{field} must be a string")))
}

fn one_of((at, text): (NodeIdx, &str), field: &str, known: &[&str]) -> Checked {
    if known.contains(&text) {
        Ok(())
    } else {
        Err((at, format!("{field} must be one of {}", known.join(", "))))
    }
}

fn find_focus(tree: &Tree<'_>, list: NodeIdx) -> Result<FocusDiagnostic, DiagnosticsError> {
    let is_error = |node: &NodeIdx| text_of(tree, *node, "severity") == Some("error");
    let first_error = tree.items(list).enumerate().find(|(_, node)| is_error(node));
    let Some((index, node)) =
        first_error.or_else(|| tree.items(list).next().map(|first| (0, first)))
    else {
        return refuse(
            "diag JSON has no diagnostics",
            "there is nothing to repair, or the linter was not run",
        );
    };
    let Some(location) = tree.get(node, "loc") else {
        return refuse("focus diagnostic missing loc", RERUN_AST);
    };
    let kind = text_of(tree, location, "kind").unwrap_or("");
    if kind != "x07ast" {
        let message = format!(
            "focus diagnostic loc.kind is not x07ast (got {kind:?}); re-run producing x07ast pointers"
        );
        return refuse(message, RERUN_AST);
    }
    let Some(ptr) = text_of(tree, location, "ptr") else {
        return refuse("focus diagnostic loc.ptr missing", RERUN_AST);
    };
    let file = tree.get(node, "data").and_then(|data| text_of(tree, data, "file"));
    Ok(FocusDiagnostic {
        index,
        code: text_of(tree, node, "code").unwrap_or("").to_owned(),
        ptr: ptr.to_owned(),
        file: file.map(str::to_owned),
    })
}

fn text_of<'t>(tree: &'t Tree<'_>, object: NodeIdx, field: &str) -> Option<&'t str> {
    tree.get(object, field).and_then(|value| tree.string(value))
}

#[cfg(test)]
mod tests;
