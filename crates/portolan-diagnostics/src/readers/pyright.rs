//! Pyright: text and JSON.

use serde_json::Value;

use super::json::{from_zero, known, list, read_known, string};
use super::lines::LogText;
use super::parse::{trailing, trailing_code};
use super::tool_diagnostic::{PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("pyright");
const JSON: Format = Format("pyright-json");

pub(super) struct Pyright;

impl ToolReader for Pyright {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        line(text.get(at)).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let Some((spot, severity, message)) = line(text.get(at)) else { return at };
        let mut lines = vec![message.trim()];
        let mut next = at + 1;
        while is_continued(text.get(next)) && line(text.get(next)).is_none() {
            lines.push(text.get(next).trim());
            next += 1;
        }
        let last = lines.pop().unwrap_or_default();
        let split = trailing_code(last, '(', ')').filter(|(_, code)| code.starts_with("report"));
        let (last, code) = split.map_or((last, None), |(text, code)| (text, Some(code)));
        lines.push(last);
        out.push(
            ToolDiagnostic::new(FORMAT, "pyright", severity, &lines.join("\n")).code(code).at(spot),
        );
        next
    }
}

/// Whether a line continues a message: it is indented, partly with non-breaking spaces.
fn is_continued(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with("  \u{a0}") || line.starts_with('\u{a0}')
}

/// `  path:12:5 - error: message`
fn line(line: &str) -> Option<(PrintedLocation, Severity, &str)> {
    let (place, rest) = line.split_once(" - ")?;
    let (word, message) = rest.split_once(": ")?;
    let severity = match word {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        "information" | "info" => Severity::Info,
        _ => return None,
    };
    let (path, row, col) = trailing(place.trim())?;
    Some((PrintedLocation::new(path, Some(row), Some(col?)), severity, message))
}

pub(super) struct PyrightJson;

impl ToolReader for PyrightJson {
    fn format(&self) -> Format {
        JSON
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        known(text, at, is_report).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        read_known(text, at, is_report, out, |report, out| {
            for diagnostic in list(report, "generalDiagnostics") {
                let range = &diagnostic["range"];
                let (start, end) = (&range["start"], &range["end"]);
                let spot = PrintedLocation::new(
                    string(diagnostic, "file"),
                    from_zero(&start["line"]),
                    from_zero(&start["character"]),
                );
                let severity = Severity::of(string(diagnostic, "severity"));
                let finding =
                    ToolDiagnostic::new(JSON, "pyright", severity, string(diagnostic, "message"))
                        .code(diagnostic["rule"].as_str())
                        .end(from_zero(&end["line"]), from_zero(&end["character"]));
                out.push(finding.at(spot));
            }
        })
    }
}

fn is_report(value: &Value) -> bool {
    value["generalDiagnostics"].is_array()
}
