//! oxlint: code frames, and JSON. Its unix format is the one of `ESLint`.

use serde_json::Value;

use super::json::{known, list, read_known, spot, string};
use super::lines::LogText;
use super::parse::trailing;
use super::tool_diagnostic::{ColumnUnit, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("oxlint");
const JSON: Format = Format("oxlint-json");

pub(super) struct Oxlint;

impl ToolReader for Oxlint {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        mark(text.get(at)).is_some() && place_below(text, at).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let (Some((severity, head)), Some((spot, frame))) =
            (mark(text.get(at)), place_below(text, at))
        else {
            return at;
        };
        let mut message = head.to_owned();
        for wrapped in at + 1..frame {
            message.push(' ');
            message.push_str(text.get(wrapped).trim().trim_start_matches(['│', '|']).trim());
        }
        let (code, message) = match message.split_once("): ") {
            Some((code, rest)) if code.contains('(') && !code.contains(' ') => {
                (Some(format!("{code})")), rest.to_owned())
            }
            _ => (None, message),
        };
        let finding = ToolDiagnostic::new(FORMAT, "oxlint", severity, &message).code(code);
        out.push(finding.at(spot).unit(ColumnUnit::Byte));
        let mut next = frame + 1;
        while text.has(next) && text.get(next).starts_with(' ') && mark(text.get(next)).is_none() {
            next += 1;
        }
        next
    }
}

fn mark(line: &str) -> Option<(Severity, &str)> {
    let line = line.strip_prefix("  ").unwrap_or(line);
    [
        ("× ", Severity::Error),
        ("x ", Severity::Error),
        ("⚠ ", Severity::Warning),
        ("! ", Severity::Warning),
    ]
    .into_iter()
    .find_map(|(mark, severity)| line.strip_prefix(mark).map(|rest| (severity, rest.trim())))
}

/// `╭─[path:line:col]` within a few lines, because messages are wrapped.
fn place_below(text: &LogText, at: usize) -> Option<(PrintedLocation, usize)> {
    for below in at + 1..at + 8 {
        let line = text.get(below).trim();
        for open in ["╭─[", ",-["] {
            let place = line.strip_prefix(open).and_then(|line| line.strip_suffix(']'));
            if let Some((path, row, col)) = place.and_then(trailing) {
                return Some((PrintedLocation::new(path.trim(), Some(row), col), below));
            }
        }
        if !(line.starts_with('│') || line.starts_with('|')) {
            return None;
        }
    }
    None
}

pub(super) struct OxlintJson;

impl ToolReader for OxlintJson {
    fn format(&self) -> Format {
        JSON
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        known(text, at, is_report).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        read_known(text, at, is_report, out, |report, out| {
            out.extend(list(report, "diagnostics").map(of_json));
        })
    }
}

fn is_report(value: &Value) -> bool {
    let first = value["diagnostics"].as_array().map(|list| list.first());
    match first {
        Some(Some(first)) => first["filename"].is_string() && first["labels"].is_array(),
        Some(None) => value["number_of_files"].is_u64(),
        None => false,
    }
}

fn of_json(diagnostic: &Value) -> ToolDiagnostic {
    let severity = Severity::of(string(diagnostic, "severity"));
    let path = string(diagnostic, "filename");
    let finding = ToolDiagnostic::new(JSON, "oxlint", severity, string(diagnostic, "message"))
        .code(diagnostic["code"].as_str())
        .unit(ColumnUnit::Byte);
    let mut spots = list(diagnostic, "labels").map(|label| {
        let span = &label["span"];
        spot(path, &span["line"], &span["column"]).with_message(string(label, "label"))
    });
    let place = spots.next().unwrap_or_else(|| PrintedLocation::new(path, None, None));
    let related = spots.collect();
    let mut finding = finding.at(PrintedLocation { message: String::new(), ..place });
    finding.related = related;
    finding
}
