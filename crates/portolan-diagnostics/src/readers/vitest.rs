//! Vitest's text output.

use super::lines::LogText;
use super::parse::{is_path, leading, trailing};
use super::stack::Stack;
use super::tool_diagnostic::{PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("vitest");

pub(super) struct Vitest;

impl ToolReader for Vitest {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        is_fail(text, at) || is_unhandled(text.get(at))
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let title = text.get(at).trim_start().strip_prefix("FAIL").map(str::trim);
        let mut first = at + 1;
        while is_fail(text, first) {
            first += 1;
        }
        let mut next = first;
        while text.has(next) && !is_rule(text.get(next)) && !is_fail(text, next) {
            next += 1;
        }
        let lines: Vec<&str> = (first..next).map(|at| text.get(at)).collect();
        let Some(head) = lines.iter().find(|line| !line.trim().is_empty()) else { return next };
        let mut finding = ToolDiagnostic::new(FORMAT, "vitest", Severity::Error, head);
        Stack::read(lines.iter().copied().filter(|line| !is_excerpt(line)), true)
            .fill(&mut finding);
        finding.test = title.map(str::to_owned);
        finding.fallback = transform_error(&lines).or_else(|| title.and_then(file_of));
        out.push(finding);
        next
    }
}

/// ` FAIL  path > suite > test`. Jest's header has its first test below it instead of an error.
fn is_fail(text: &LogText, at: usize) -> bool {
    text.get(at).starts_with(" FAIL  ") && !text.get(at + 1).trim_start().starts_with('●')
}

fn is_unhandled(line: &str) -> bool {
    is_rule(line)
        && ["Unhandled Rejection", "Unhandled Error ", "Uncaught Exception"]
            .iter()
            .any(|words| line.contains(words))
}

fn is_rule(line: &str) -> bool {
    line.trim_start().starts_with("⎯⎯⎯")
}

/// `      12| code`, and the line with the caret below it.
fn is_excerpt(line: &str) -> bool {
    let front = line.trim_start();
    let digits = front.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("  ") && digits.starts_with('|')
}

/// A file that does not parse has its location in the message: `path:3:5: ERROR: …`, `File:
/// path:3:5`, `╭─[ path:3:5 ]`.
pub(super) fn transform_error(lines: &[&str]) -> Option<PrintedLocation> {
    lines.iter().take(40).find_map(|line| {
        let line = line.trim();
        if let Some(place) = line.strip_prefix("File:") {
            let (path, row, col) = trailing(place.trim())?;
            return Some(PrintedLocation::new(path, Some(row), col));
        }
        if let Some(place) = line.strip_prefix("╭─[").and_then(|place| place.strip_suffix(']'))
        {
            let (path, row, col) = trailing(place.trim())?;
            return Some(PrintedLocation::new(path, Some(row), col));
        }
        let place = leading(line).filter(|place| place.rest.starts_with("ERROR"))?;
        Some(PrintedLocation::new(place.path, Some(place.line), place.col))
    })
}

/// The file in a title: `|project| path > suite > test [ path ]`.
fn file_of(title: &str) -> Option<PrintedLocation> {
    let title = match title.strip_prefix('|').and_then(|rest| rest.split_once('|')) {
        Some((_, rest)) => rest.trim(),
        None => title,
    };
    let path = title.split(" > ").next().unwrap_or(title);
    let path = path.split(" [ ").next().unwrap_or(path).trim();
    is_path(path).then(|| PrintedLocation::new(path, None, None))
}
