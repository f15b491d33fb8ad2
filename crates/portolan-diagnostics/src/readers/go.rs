//! `go build` and `go vet`: text, and the JSON of vet.

use serde_json::Value;

use super::json::{known, read_known, string};
use super::lines::LogText;
use super::parse::{LeadingLocation, is_path, leading, trailing, trailing_code};
use super::tool_diagnostic::{ColumnUnit, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("go");
const JSON: Format = Format("go-vet-json");

pub(super) struct GoBuild;

impl ToolReader for GoBuild {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        line(text.get(at)).is_some() || of_tool(text.get(at)).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        if let Some(message) = of_tool(text.get(at)) {
            out.push(ToolDiagnostic::new(FORMAT, "go", Severity::Error, message));
            return at + 1;
        }
        let Some((place, is_vet)) = line(text.get(at)) else { return at };
        let mut next = at + 1;
        if place.rest == "too many errors" {
            return next;
        }
        // golangci-lint names the linter, and prints the source with a caret below.
        let is_shown = text.get(at + 2).trim() == "^";
        let coded = trailing_code(place.rest, '(', ')').filter(|_| is_shown);
        let (message, code) = coded.map_or((place.rest, None), |(text, code)| (text, Some(code)));
        let spot = PrintedLocation::new(place.path, Some(place.line), place.col);
        let tool = if is_vet { "go vet" } else { "go build" };
        let mut finding = ToolDiagnostic::new(FORMAT, tool, Severity::Error, message)
            .code(code)
            .at(spot)
            .unit(ColumnUnit::Byte);
        while text.get(next).starts_with('\t') {
            let note = text.get(next).trim();
            match line(note) {
                // `other declaration of x`
                Some((other, false)) => finding.related.push(
                    PrintedLocation::new(other.path, Some(other.line), other.col)
                        .with_message(other.rest),
                ),
                _ => finding.notes.push(note.to_owned()),
            }
            next += 1;
        }
        out.push(finding);
        next
    }
}

/// `go: go.mod requires go >= 1.99`: an error of the tool itself, not of a file. The tool tells its progress alike.
fn of_tool(line: &str) -> Option<&str> {
    const PROGRESS: [&str; 10] = [
        "downloading ",
        "finding ",
        "extracting ",
        "added ",
        "upgraded ",
        "downgraded ",
        "removed ",
        "creating new go.mod",
        "to add module",
        "warning: ",
    ];
    let message = line.strip_prefix("go: ")?;
    (!PROGRESS.iter().any(|start| message.starts_with(start))).then_some(message)
}

/// `path.go:12:5: message`, with `vet: ` in front for type errors.
fn line(line: &str) -> Option<(LeadingLocation<'_>, bool)> {
    let plain = line.strip_prefix("vet: ");
    let place = leading(plain.unwrap_or(line))?;
    let is_go =
        [".go", "go.mod", "go.work", "go.sum"].iter().any(|ending| place.path.ends_with(ending));
    // Words in front of a path are the output of a program.
    let is_bare = !place.path.contains(' ') || place.path.starts_with(['/', '.']);
    (is_go && is_bare && is_path(place.path) && !place.rest.is_empty())
        .then_some((place, plain.is_some()))
}

pub(super) struct GoVetJson;

impl ToolReader for GoVetJson {
    fn format(&self) -> Format {
        JSON
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        known(text, at, is_report).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        read_known(text, at, is_report, out, |report, out| {
            for (analyzer, list) in findings(report) {
                for finding in list.as_array().into_iter().flatten() {
                    out.extend(of_json(analyzer, finding));
                }
            }
        })
    }
}

/// `{package: {analyzer: [finding]}}`
fn findings(report: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let packages = report.as_object().into_iter().flat_map(|packages| packages.values());
    packages.filter_map(Value::as_object).flatten()
}

fn is_report(value: &Value) -> bool {
    findings(value).any(|(_, list)| list[0]["posn"].is_string())
}

fn of_json(analyzer: &str, value: &Value) -> Option<ToolDiagnostic> {
    let (path, line, col) = trailing(string(value, "posn"))?;
    let end = trailing(string(value, "end"));
    let mut finding =
        ToolDiagnostic::new(JSON, "go vet", Severity::Warning, string(value, "message"))
            .code(Some(analyzer))
            .at(PrintedLocation::new(path, Some(line), col))
            .unit(ColumnUnit::Byte);
    finding.end = end.and_then(|(_, line, col)| Some((line, col?)));
    Some(finding)
}
