//! Language servers: `publishDiagnostics`, and responses to `textDocument/diagnostic`.

use serde_json::Value;

use super::json::{from_zero, known, list, read_known, string};
use super::lines::LogText;
use super::tool_diagnostic::{PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("lsp");

pub(super) struct Lsp;

impl ToolReader for Lsp {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        known(text, at, is_message).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        read_known(text, at, is_message, out, |message, out| {
            let params = params(message);
            let uri = params["uri"].as_str();
            // A server publishes all diagnostics of a file each time: the last list counts.
            if let Some(uri) = uri.filter(|_| params["diagnostics"].is_array()) {
                out.retain(|it| it.format != FORMAT.name() || file_of(it) != Some(uri));
            }
            let items = list(params, "diagnostics").chain(list(params, "items"));
            for item in items {
                match item["uri"].as_str() {
                    // A report on the whole workspace has a report for each file.
                    Some(uri) => out.extend(list(item, "items").map(|it| of_item(Some(uri), it))),
                    None => out.push(of_item(uri, item)),
                }
            }
            for (uri, report) in params["relatedDocuments"].as_object().into_iter().flatten() {
                out.extend(list(report, "items").map(|item| of_item(Some(uri), item)));
            }
        })
    }
}

fn file_of(finding: &ToolDiagnostic) -> Option<&str> {
    finding.place.as_ref().map(|place| place.file.as_str())
}

fn params(message: &Value) -> &Value {
    [&message["params"], &message["result"]]
        .into_iter()
        .find(|part| part.is_object())
        .unwrap_or(message)
}

fn is_message(value: &Value) -> bool {
    let params = params(value);
    let is_published = params["uri"].is_string() && params["diagnostics"].is_array();
    let is_workspace =
        list(params, "items").any(|it| it["uri"].is_string() && it["items"].is_array());
    is_published || is_workspace || (params["kind"].is_string() && params["items"].is_array())
}

fn of_item(uri: Option<&str>, item: &Value) -> ToolDiagnostic {
    let severity = match item["severity"].as_u64() {
        Some(2) => Severity::Warning,
        Some(3) => Severity::Info,
        Some(4) => Severity::Hint,
        _ => Severity::Error,
    };
    let source = string(item, "source").to_lowercase();
    let is_typescript =
        matches!(source.as_str(), "typescript" | "ts" | "javascript" | "js" | "deno-ts" | "tsgo");
    let code = match &item["code"] {
        Value::Number(number) if is_typescript || source.is_empty() => Some(format!("TS{number}")),
        Value::Number(number) => Some(number.to_string()),
        Value::String(code) => Some(code.clone()),
        other => other["value"].as_str().map(str::to_owned),
    };
    let tool = if is_typescript { "tsc" } else { &source };
    let mut finding =
        ToolDiagnostic::new(FORMAT, tool, severity, string(item, "message")).code(code);
    finding.place = uri.map(|uri| spot(uri, &item["range"]));
    let end = &item["range"]["end"];
    finding.end = from_zero(&end["line"]).zip(from_zero(&end["character"]));
    finding.related = list(item, "relatedInformation")
        .map(|related| {
            let location = &related["location"];
            spot(string(location, "uri"), &location["range"])
                .with_message(string(related, "message"))
        })
        .collect();
    finding
}

fn spot(uri: &str, range: &Value) -> PrintedLocation {
    let start = &range["start"];
    PrintedLocation::new(uri, from_zero(&start["line"]), from_zero(&start["character"]))
}
