//! mypy: text with or without columns and wrapping, and JSON.

use serde_json::Value;

use super::json::{count, from_zero, known, read_known, string};
use super::lines::LogText;
use super::parse::{LeadingLocation, is_path, leading};
use super::tool_diagnostic::{ColumnUnit, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("mypy");
const JSON: Format = Format("mypy-json");

pub(super) struct Mypy;

impl ToolReader for Mypy {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        line(text.get(at)).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let Some((place, word, message)) = line(text.get(at)) else { return at };
        let spot = PrintedLocation::new(place.path, Some(place.line), place.col);
        if word == "note" && note(&spot, message, out) {
            return at + 1;
        }
        let (message, code, next) = unwrap(text, at, message);
        let severity = Severity::of(word);
        let end = place.end.map(|(line, col)| (line, col + 1));
        let mut finding = ToolDiagnostic::new(FORMAT, "mypy", severity, &message)
            .code(code)
            .at(spot)
            .unit(ColumnUnit::Byte);
        finding.end = end;
        out.push(finding);
        next
    }
}

fn line(line: &str) -> Option<(LeadingLocation<'_>, &str, &str)> {
    let place = leading(line)?;
    let (word, message) = place.rest.split_once(": ")?;
    let is_python = [".py", ".pyi"].iter().any(|ending| place.path.ends_with(ending));
    (is_python && is_path(place.path) && matches!(word, "error" | "warning" | "note"))
        .then(|| (place.clone(), word, message))
}

/// Adds a note to the error above it: as another location, or as another line of its text.
fn note(spot: &PrintedLocation, message: &str, out: &mut [ToolDiagnostic]) -> bool {
    let Some(last) = out.last_mut().filter(|last| last.format == FORMAT.name()) else {
        return false;
    };
    if last.severity != Severity::Error || is_alone(message) {
        return false;
    }
    let is_same =
        last.place.as_ref().is_some_and(|place| place.file == spot.file && place.line == spot.line);
    if is_same {
        last.notes.push(message.to_owned());
    } else {
        last.related.push(spot.clone().with_message(message));
    }
    true
}

/// Whether a note is about its own line, and not about the error above it.
fn is_alone(message: &str) -> bool {
    ["Revealed type is ", "Revealed local types are", "By default the bodies of untyped functions"]
        .iter()
        .any(|start| message.starts_with(start))
}

fn split_code(message: &str) -> Option<(&str, &str)> {
    let (text, code) = message.trim_end().strip_suffix(']')?.rsplit_once("  [")?;
    (!code.is_empty() && !code.contains(' ')).then_some((text.trim_end(), code))
}

/// The whole message: `--pretty` wraps it, and the code is at the end of the last line.
fn unwrap(text: &LogText, at: usize, message: &str) -> (String, Option<String>, usize) {
    if let Some((message, code)) = split_code(message) {
        return (message.to_owned(), Some(code.to_owned()), at + 1);
    }
    let mut whole = message.trim_end().to_owned();
    for next in at + 1..at + 8 {
        let part = text.get(next);
        if part.trim().is_empty() || part.starts_with("    ") || line(part).is_some() {
            break;
        }
        let bare = part.trim().strip_prefix('[').and_then(|code| code.strip_suffix(']'));
        if let Some(code) = bare.filter(|code| !code.is_empty() && !code.contains([' ', ','])) {
            return (whole, Some(code.to_owned()), next + 1);
        }
        whole.push(' ');
        whole.push_str(part.trim());
        if let Some((_, code)) = split_code(part) {
            let length = whole.len() - code.len() - 2;
            let message = whole.get(..length).unwrap_or(&whole).trim_end().to_owned();
            return (message, Some(code.to_owned()), next + 1);
        }
    }
    (message.trim_end().to_owned(), None, at + 1)
}

pub(super) struct MypyJson;

impl ToolReader for MypyJson {
    fn format(&self) -> Format {
        JSON
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        known(text, at, is_line).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        read_known(text, at, is_line, out, |value, out| {
            let spot = PrintedLocation::new(
                string(value, "file"),
                count(&value["line"]),
                from_zero(&value["column"]),
            );
            let severity = Severity::of(string(value, "severity"));
            let finding = ToolDiagnostic::new(JSON, "mypy", severity, string(value, "message"))
                .code(value["code"].as_str())
                .end(count(&value["end_line"]), from_zero(&value["end_column"]));
            out.push(finding.at(spot).unit(ColumnUnit::Byte));
        })
    }
}

fn is_line(value: &Value) -> bool {
    value["file"].is_string()
        && value["column"].is_i64()
        && value["message"].is_string()
        && value["severity"].is_string()
}
