//! The JSON of cargo and rustc: one message per line.

use serde_json::Value;

use super::json::{count, known, list, read_known, string};
use super::lines::LogText;
use super::tool_diagnostic::{ColumnUnit, Excerpt, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("cargo-json");

pub(super) struct CargoJson;

impl ToolReader for CargoJson {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        known(text, at, is_message).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        read_known(text, at, is_message, out, |value, out| {
            let message = if value["reason"].is_string() { &value["message"] } else { value };
            out.extend(of_message(message));
        })
    }
}

fn is_message(value: &Value) -> bool {
    let reason = string(value, "reason");
    let is_reason = ["compiler-", "build-"].iter().any(|start| reason.starts_with(start));
    is_reason || (value["$message_type"].is_string() && value["level"].is_string())
}

fn of_message(message: &Value) -> Option<ToolDiagnostic> {
    let severity = match string(message, "level") {
        "error" | "error: internal compiler error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let code = message["code"]["code"].as_str();
    let words = string(message, "message");
    let spans: Vec<&Value> = list(message, "spans").collect();
    if spans.is_empty() && code.is_none() && severity == Severity::Warning
        || words.starts_with("aborting due to")
        || words.ends_with("emitted")
    {
        return None;
    }
    let tool =
        if code.is_some_and(|code| code.starts_with("clippy::")) { "clippy" } else { "cargo" };
    let mut finding =
        ToolDiagnostic::new(FORMAT, tool, severity, words).code(code).unit(ColumnUnit::CodePoint);
    let primary = spans.iter().position(|span| span["is_primary"] == true);
    if let Some(span) = primary.and_then(|primary| own(spans[primary])) {
        finding.place = Some(spot(span, ""));
        finding.end = count(&span["line_end"]).zip(count(&span["column_end"]));
        finding.excerpt = span["text"][0]["text"]
            .as_str()
            .map(|text| Excerpt { text: text.to_owned(), trimmed: false });
    }
    for (index, span) in spans.iter().enumerate() {
        if Some(index) != primary {
            relate(&mut finding, span, string(span, "label"));
        }
        expansions(&mut finding, span);
    }
    for child in list(message, "children") {
        for span in list(child, "spans").filter(|span| span["suggested_replacement"].is_null()) {
            let label = span["label"].as_str().filter(|label| !label.is_empty());
            relate(&mut finding, span, label.unwrap_or(string(child, "message")));
            expansions(&mut finding, span);
        }
        finding.notes.push(format!("{}: {}", string(child, "level"), string(child, "message")));
    }
    Some(finding)
}

fn is_outside(span: &Value) -> bool {
    let file = string(span, "file_name");
    file.starts_with("/rustc/") || file.starts_with('<') || file.is_empty()
}

/// The span, or the use of the macro that it is in.
fn own(span: &Value) -> Option<&Value> {
    std::iter::successors(Some(span), |span| {
        let outer = &span["expansion"]["span"];
        outer.is_object().then_some(outer)
    })
    .take(64)
    .find(|span| !is_outside(span))
}

fn spot(span: &Value, message: &str) -> PrintedLocation {
    let (line, col) = (count(&span["line_start"]), count(&span["column_start"]));
    PrintedLocation::new(string(span, "file_name"), line, col).with_message(message)
}

fn relate(finding: &mut ToolDiagnostic, span: &Value, message: &str) {
    let spot = spot(span, message);
    let is_new = |known: &PrintedLocation| {
        (&known.file, known.line, known.col) != (&spot.file, spot.line, spot.col)
    };
    if !is_outside(span) && finding.related.iter().all(is_new) && finding.place.iter().all(is_new) {
        finding.related.push(spot);
    }
}

/// Adds the uses of the macros around a span as related locations.
fn expansions(finding: &mut ToolDiagnostic, span: &Value) {
    let mut span = span;
    for _ in 0..64 {
        span = &span["expansion"]["span"];
        if !span.is_object() {
            return;
        }
        relate(finding, span, "in this macro invocation");
    }
}
