//! Ruff: code frames, concise lines (flake8 prints the same), and JSON.

use serde_json::Value;

use super::json::{count, known, read_known, spot, string};
use super::lines::LogText;
use super::parse::{is_path, leading};
use super::rustc::{arrow, excerpt};
use super::tool_diagnostic::{ColumnUnit, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("ruff");
const JSON: Format = Format("ruff-json");

pub(super) struct Ruff;

impl ToolReader for Ruff {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        concise(text.get(at)).is_some() || full(text, at).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        if let Some(finding) = concise(text.get(at)) {
            out.push(finding);
            return at + 1;
        }
        let Some(mut finding) = full(text, at) else { return at };
        let mut next = at + 2;
        while text.has(next) && !text.get(next).trim().is_empty() {
            excerpt(text.get(next), &mut finding);
            next += 1;
        }
        out.push(finding);
        next
    }
}

/// `CODE [*] message`, without the mark for fixable diagnostics.
fn coded(text: &str) -> Option<(&str, &str)> {
    let (code, message) = text.split_once(' ')?;
    let plain = code.strip_suffix(':').unwrap_or(code);
    let letters = plain.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_code = letters.len() < plain.len()
        && (1..=5).contains(&letters.len())
        && letters.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_named = code.ends_with(':') && matches!(plain, "invalid-syntax" | "SyntaxError");
    let message = message.trim_start();
    let message =
        message.strip_prefix("[*]").or_else(|| message.strip_prefix("[-*]")).unwrap_or(message);
    (is_code || is_named).then_some((plain, message.trim()))
}

/// `path:1:8: F401 [*] message`
fn concise(line: &str) -> Option<ToolDiagnostic> {
    let place = leading(line).filter(|place| is_path(place.path) && place.end.is_none())?;
    let is_python =
        [".py", ".pyi", ".ipynb", ".toml"].iter().any(|ending| place.path.ends_with(ending));
    let (code, message) = coded(place.rest).filter(|_| is_python)?;
    let spot = PrintedLocation::new(place.path, Some(place.line), Some(place.col?));
    let mut finding = finding(message, code).at(spot);
    tool(place.rest, code, message).clone_into(&mut finding.tool);
    Some(finding)
}

/// Which tool printed the line: pylint has a colon after the code; flake8 starts in lower case and
/// uses other quotes.
fn tool(rest: &str, code: &str, message: &str) -> &'static str {
    let is_lint = rest.strip_prefix(code).is_some_and(|rest| rest.starts_with(':'));
    if is_lint && code.ends_with(|c: char| c.is_ascii_digit()) {
        "pylint"
    } else if code == "E999" || message.starts_with(|c: char| c.is_lowercase() || c == '\'') {
        "flake8"
    } else {
        "ruff"
    }
}

/// `F401 [*] message`, with ` --> path:1:8` below it.
fn full(text: &LogText, at: usize) -> Option<ToolDiagnostic> {
    let (code, message) = coded(text.get(at))?;
    Some(finding(message, code).at(arrow(text.get(at + 1))?))
}

fn finding(message: &str, code: &str) -> ToolDiagnostic {
    ToolDiagnostic::new(FORMAT, "ruff", Severity::Error, message)
        .code(Some(code))
        .unit(ColumnUnit::CodePoint)
}

pub(super) struct RuffJson;

impl ToolReader for RuffJson {
    fn format(&self) -> Format {
        JSON
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        known(text, at, is_report).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        read_known(text, at, is_report, out, |report, out| match report.as_array() {
            Some(list) => out.extend(list.iter().map(of_json)),
            None => out.push(of_json(report)),
        })
    }
}

fn is_report(value: &Value) -> bool {
    let first = value.as_array().map_or(Some(value), |list| list.first());
    first.is_some_and(|first| first["filename"].is_string() && first["location"]["row"].is_u64())
}

fn of_json(value: &Value) -> ToolDiagnostic {
    let (start, end) = (&value["location"], &value["end_location"]);
    let severity = value["severity"].as_str().map_or(Severity::Error, Severity::of);
    ToolDiagnostic::new(JSON, "ruff", severity, string(value, "message"))
        .code(value["code"].as_str())
        .at(spot(string(value, "filename"), &start["row"], &start["column"]))
        .end(count(&end["row"]), count(&end["column"]))
        .unit(ColumnUnit::CodePoint)
}
