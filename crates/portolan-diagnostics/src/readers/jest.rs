//! Jest's text output.

use super::lines::LogText;
use super::parse::{is_path, number};
use super::stack::Stack;
use super::tool_diagnostic::{PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader, tsc};

pub(super) const FORMAT: Format = Format("jest");

pub(super) struct Jest;

impl ToolReader for Jest {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        title(text.get(at)).is_some() || is_summary(text.get(at))
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        if is_summary(text.get(at)) {
            // The summary repeats all failures: skip everything up to the totals.
            let end = (at..text.len()).find(|&at| text.get(at).starts_with("Test Suites:"));
            return end.unwrap_or(text.len());
        }
        let Some(title) = title(text.get(at)) else { return at };
        let mut next = at + 1;
        while text.has(next) && is_inside(text.get(next)) {
            next += 1;
        }
        let is_talk = ["Console", "Validation Warning", "Deprecation Warning"];
        if !is_talk.iter().any(|talk| title.starts_with(talk)) {
            let lines: Vec<&str> = (at + 1..next).map(|at| text.get(at)).collect();
            read_block(title, &lines, out, || suite_above(text, at));
        }
        next
    }
}

/// `  ● suite › test`
fn title(line: &str) -> Option<&str> {
    line.strip_prefix("  ● ").map(str::trim).filter(|title| !title.is_empty())
}

fn is_summary(line: &str) -> bool {
    line.trim() == "Summary of all failing tests"
}

fn is_inside(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with("   ")
}

/// The file of the suite, for failures without a frame: the last header above.
fn suite_above(text: &LogText, at: usize) -> Option<PrintedLocation> {
    (at.saturating_sub(400)..at).rev().find_map(|above| {
        let header = text.get(above).trim_start().strip_prefix("FAIL ")?.trim();
        let header = header.split(" (").next().unwrap_or(header);
        let path = header.rsplit_once(' ').map_or(header, |(_, path)| path);
        is_path(path).then(|| PrintedLocation::new(path, None, None))
    })
}

/// Reads the lines below a title.
pub(super) fn read_block(
    title: &str,
    lines: &[&str],
    out: &mut Vec<ToolDiagnostic>,
    suite: impl Fn() -> Option<PrintedLocation>,
) {
    if let Some(finding) = lines.iter().find_map(|line| unparsed(line.trim())) {
        out.push(finding);
        return;
    }
    let types: Vec<ToolDiagnostic> = lines
        .iter()
        .filter_map(|line| tsc::header(line.trim_start()).map(|(finding, _)| finding))
        .collect();
    if !types.is_empty() {
        out.extend(types);
        return;
    }
    let mut finding = ToolDiagnostic::new(FORMAT, "jest", Severity::Error, "");
    Stack::read(lines.iter().copied().filter(|line| !is_excerpt(line)), false).fill(&mut finding);
    if title != "Test suite failed to run" {
        finding.test = Some(title.to_owned());
    }
    if finding.frames.is_empty() || finding.message.is_empty() {
        finding.fallback = suite();
    }
    out.push(finding);
}

/// `SyntaxError: /path/file.js: Unexpected token (2:12)`; the column is zero-based.
fn unparsed(line: &str) -> Option<ToolDiagnostic> {
    let rest = line.strip_prefix("SyntaxError: ")?;
    let (rest, place) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let (row, after) = number(place)?;
    let (col, after) = number(after.strip_prefix(':')?)?;
    let (path, message) = rest.split_once(": ").filter(|(path, _)| is_path(path))?;
    let spot = PrintedLocation::new(path, Some(row), Some(col + 1));
    let finding =
        ToolDiagnostic::new(FORMAT, "jest", Severity::Error, message).code(Some("SyntaxError"));
    after.is_empty().then(|| finding.at(spot))
}

/// `    > 12 | code`, and the line with the caret below it.
fn is_excerpt(line: &str) -> bool {
    let front = line.trim_start().trim_start_matches('>').trim_start();
    let digits = front.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("    ") && (digits.starts_with(" |") || digits.starts_with('|'))
}
