//! SARIF 2.1.

use serde_json::Value;

use super::json::{count, known, list, read_known, string};
use super::lines::LogText;
use super::tool_diagnostic::{ColumnUnit, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("sarif");

pub(super) struct Sarif;

impl ToolReader for Sarif {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        known(text, at, is_log).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        read_known(text, at, is_log, out, |log, out| {
            for run in list(log, "runs") {
                read_run(run, out);
            }
        })
    }
}

fn is_log(value: &Value) -> bool {
    let has_schema = string(value, "$schema").contains("sarif");
    value["runs"].is_array() && (has_schema || string(value, "version").starts_with("2."))
}

fn read_run(run: &Value, out: &mut Vec<ToolDiagnostic>) {
    let before = out.len();
    let tool = string(&run["tool"]["driver"], "name").to_lowercase();
    let unit = match string(run, "columnKind") {
        "unicodeCodePoints" => ColumnUnit::CodePoint,
        "utf16CodeUnits" => ColumnUnit::Utf16,
        _ if tool == "ruff" => ColumnUnit::CodePoint,
        _ => ColumnUnit::Utf16,
    };
    let is_clang = tool.starts_with("clang");
    for result in list(run, "results").filter(|result| is_open(result)) {
        let level =
            result["level"].as_str().or_else(|| default_level(run, result)).unwrap_or("warning");
        let locations: Vec<&Value> = list(result, "locations").collect();
        // Clang's caret is the last location; the others are the underlined ranges.
        let location = if is_clang { locations.last() } else { locations.first() };
        let place = location.and_then(|location| spot(run, location));
        let message = message(run, result);
        if is_clang && level == "note" {
            if let Some((last, place)) = out[before..].last_mut().zip(place) {
                last.related.push(place.with_message(message));
            }
            continue;
        }
        let mut finding = ToolDiagnostic::new(FORMAT, tool.clone(), Severity::of(level), &message)
            .code(result["ruleId"].as_str().or_else(|| result["rule"]["id"].as_str()))
            .unit(unit);
        finding.place = place;
        finding.end = location.and_then(|location| end(location));
        finding.related = list(result, "relatedLocations")
            .filter_map(|location| {
                Some(spot(run, location)?.with_message(string(&location["message"], "text")))
            })
            .collect();
        out.push(finding);
    }
    for invocation in list(run, "invocations") {
        for key in ["toolConfigurationNotifications", "toolExecutionNotifications"] {
            out.extend(list(invocation, key).filter_map(|notification| {
                let location = list(notification, "locations").next()?;
                let place = spot(run, location)?;
                let level = notification["level"].as_str().unwrap_or("warning");
                let text = string(&notification["message"], "text");
                let finding = ToolDiagnostic::new(FORMAT, tool.clone(), Severity::of(level), text);
                Some(finding.code(notification["descriptor"]["id"].as_str()).unit(unit).at(place))
            }));
        }
    }
}

/// Whether a result is open: not passed, not suppressed, not absent.
fn is_open(result: &Value) -> bool {
    let is_suppressed = list(result, "suppressions")
        .any(|it| !matches!(string(it, "status"), "underReview" | "rejected"));
    result["kind"] != "pass" && result["baselineState"] != "absent" && !is_suppressed
}

fn rule<'r>(run: &'r Value, result: &Value) -> &'r Value {
    let rules = &run["tool"]["driver"]["rules"];
    let index = result["ruleIndex"].as_u64().or_else(|| result["rule"]["index"].as_u64());
    let by_index = index.and_then(|index| usize::try_from(index).ok()).map(|index| &rules[index]);
    by_index.unwrap_or(&Value::Null)
}

fn default_level<'r>(run: &'r Value, result: &Value) -> Option<&'r str> {
    rule(run, result)["defaultConfiguration"]["level"].as_str()
}

fn message(run: &Value, result: &Value) -> String {
    let message = &result["message"];
    let by_id = || {
        let strings = &rule(run, result)["messageStrings"];
        strings[string(message, "id")]["text"].as_str()
    };
    let text = message["text"].as_str().or_else(by_id).or_else(|| message["markdown"].as_str());
    let text =
        text.or_else(|| rule(run, result)["shortDescription"]["text"].as_str()).unwrap_or_default();
    with_arguments(text, &message["arguments"])
}

/// Fills in the placeholders `{0}`, `{1}` and so on, from left to right.
fn with_arguments(text: &str, arguments: &Value) -> String {
    if !arguments.is_array() {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let index = rest[1..].split_once('}').map(|(index, _)| index);
        let argument = index.and_then(|it| arguments[it.parse::<usize>().ok()?].as_str());
        if let Some((argument, index)) = argument.zip(index) {
            out.push_str(argument);
            rest = &rest[index.len() + 2..];
        } else {
            out.push('{');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

fn spot(run: &Value, location: &Value) -> Option<PrintedLocation> {
    let physical = &location["physicalLocation"];
    let artifact = &physical["artifactLocation"];
    // A run may list its files once and refer to them by number.
    let listed = || {
        let index = usize::try_from(artifact["index"].as_u64()?).ok()?;
        run["artifacts"][index]["location"]["uri"].as_str()
    };
    let uri = artifact["uri"].as_str().or_else(listed)?;
    let region = &physical["region"];
    // A relative path is a URI too: decode its escapes like those of a `file:` URL.
    let path = if uri.contains('%') && !uri.contains(':') {
        format!("file:{uri}")
    } else {
        uri.to_owned()
    };
    Some(PrintedLocation::new(path, count(&region["startLine"]), count(&region["startColumn"])))
}

fn end(location: &Value) -> Option<(u32, u32)> {
    let region = &location["physicalLocation"]["region"];
    let line = count(&region["endLine"]).or_else(|| count(&region["startLine"]));
    line.zip(count(&region["endColumn"]))
}
