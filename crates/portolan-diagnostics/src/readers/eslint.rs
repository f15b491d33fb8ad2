//! `ESLint`: the table of the default formatter, the unix and compact formats, and JSON.

use serde_json::Value;

use super::json::{count, list, read_known, string};
use super::lines::LogText;
use super::parse::{is_path, leading, number};
use super::tool_diagnostic::{PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("eslint");
const JSON: Format = Format("eslint-json");

pub(super) struct EslintJson;

impl ToolReader for EslintJson {
    fn format(&self) -> Format {
        JSON
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        super::json::known(text, at, is_report).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        read_known(text, at, is_report, out, |report, out| {
            for file in report.as_array().into_iter().flatten() {
                let path = string(file, "filePath");
                out.extend(list(file, "messages").map(|message| of_json(path, message)));
            }
        })
    }
}

fn is_report(value: &Value) -> bool {
    let first = value.as_array().and_then(|files| files.first());
    first.is_some_and(|file| file["filePath"].is_string() && file["messages"].is_array())
}

fn of_json(path: &str, message: &Value) -> ToolDiagnostic {
    let severity = if message["severity"] == 1 { Severity::Warning } else { Severity::Error };
    let spot = PrintedLocation::new(path, count(&message["line"]), count(&message["column"]));
    ToolDiagnostic::new(JSON, "eslint", severity, string(message, "message"))
        .code(message["ruleId"].as_str())
        .end(count(&message["endLine"]), count(&message["endColumn"]))
        .at(spot)
}

pub(super) struct Eslint;

impl ToolReader for Eslint {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        is_table(text, at) || unix(text.get(at)).is_some() || compact(text.get(at)).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        if let Some(finding) = unix(text.get(at)).or_else(|| compact(text.get(at))) {
            out.push(finding);
            return at + 1;
        }
        let path = text.get(at).trim();
        let mut next = at + 1;
        while let Some(mut finding) = row(path, text.get(next)) {
            next += 1;
            // A line break in a message breaks the table: the rule is at the end of the last line.
            let mut ahead = next;
            while finding.code.is_none() && ahead < next + 8 && is_broken_row(path, text.get(ahead))
            {
                let (_, rule) = split_rule(text.get(ahead));
                ahead += 1;
                if let Some(rule) = rule {
                    finding.code = Some(rule.to_owned());
                    next = ahead;
                }
            }
            out.push(finding);
        }
        next
    }
}

fn is_broken_row(path: &str, line: &str) -> bool {
    !line.trim().is_empty()
        && !line.starts_with('✖')
        && row(path, line).is_none()
        && !is_path(line.trim())
}

/// A path alone on its line, and a row below it.
fn is_table(text: &LogText, at: usize) -> bool {
    let line = text.get(at);
    !line.starts_with(' ') && is_path(line.trim()) && row(line, text.get(at + 1)).is_some()
}

/// `  12:5  error  message  rule`
fn row(path: &str, line: &str) -> Option<ToolDiagnostic> {
    let cells = line.strip_prefix(' ')?.trim_start();
    let (row, rest) = number(cells)?;
    let (col, rest) = number(rest.strip_prefix(':')?)?;
    let rest = rest.strip_prefix(' ')?.trim_start();
    let (word, rest) = rest.split_once(' ')?;
    if !matches!(word, "error" | "warning" | "info" | "✖" | "×" | "⚠") {
        return None;
    }
    let (message, rule) = split_rule(rest.trim());
    let spot = PrintedLocation::new(path.trim(), Some(row), Some(col));
    Some(ToolDiagnostic::new(FORMAT, "eslint", Severity::of(word), message).code(rule).at(spot))
}

/// The message and the rule, separated by at least two blanks.
fn split_rule(cells: &str) -> (&str, Option<&str>) {
    let cells = cells.trim_end();
    match cells.rsplit_once("  ") {
        Some((message, rule)) if is_rule(rule) => (message.trim_end(), Some(rule)),
        _ => (cells, None),
    }
}

fn is_rule(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "@/-_.:()#".contains(c))
        && word.chars().any(|c| c.is_ascii_alphabetic())
}

/// `path:1:16: message [Warning/rule]`
fn unix(line: &str) -> Option<ToolDiagnostic> {
    let place = leading(line)?;
    let (message, mark) = place.rest.strip_suffix(']')?.rsplit_once(" [")?;
    let (word, code) = mark.split_once('/').map_or((mark, None), |(word, code)| (word, Some(code)));
    if !matches!(word, "Error" | "Warning" | "Info") || !is_path(place.path) {
        return None;
    }
    let tool = if code.is_none_or(|code| code.ends_with(')')) { "oxlint" } else { "eslint" };
    let spot = PrintedLocation::new(place.path, Some(place.line), place.col);
    let unit = if tool == "oxlint" { super::ColumnUnit::Byte } else { super::ColumnUnit::Utf16 };
    Some(
        ToolDiagnostic::new(FORMAT, tool, Severity::of(word), message)
            .code(code)
            .at(spot)
            .unit(unit),
    )
}

/// `path: line 5, col 0, Error - message (rule)`
fn compact(line: &str) -> Option<ToolDiagnostic> {
    let (path, rest) = line.split_once(": line ")?;
    let (row, rest) = number(rest)?;
    let (col, rest) = number(rest.strip_prefix(", col ")?)?;
    let (word, message) = rest.strip_prefix(", ")?.split_once(" - ")?;
    if !matches!(word, "Error" | "Warning" | "Info") {
        return None;
    }
    let (message, code) = super::parse::trailing_code(message, '(', ')')
        .map_or((message, None), |(message, code)| (message, Some(code)));
    let spot = PrintedLocation::new(path, Some(row), Some(col));
    Some(ToolDiagnostic::new(FORMAT, "eslint", Severity::of(word), message).code(code).at(spot))
}
