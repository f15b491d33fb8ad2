//! TAP, with the YAML blocks of Node's test runner.

use super::lines::LogText;
use super::node::is_roll_up;
use super::parse::{indent, trailing};
use super::stack::{bare_frame, frame};
use super::tool_diagnostic::{PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("tap");

pub(super) struct Tap;

impl ToolReader for Tap {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        title(text.get(at)).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let Some(name) = title(text.get(at)) else { return at };
        let (block, next) = block(text, at + 1);
        let is_expected =
            ["# TODO", "# SKIP", "# todo", "# skip"].iter().any(|mark| name.contains(mark));
        if is_expected || block.kind == "subtestsFailed" || is_roll_up(&block.error) {
            return next;
        }
        let message = if block.error.trim().is_empty() { name } else { block.error.as_str() };
        let mut finding = ToolDiagnostic::new(FORMAT, "node:test", Severity::Error, message)
            .code(Some(block.name));
        finding.frames = block
            .stack
            .lines()
            .filter_map(|line| frame(line).or_else(|| bare_frame(line)))
            .collect();
        finding.test = Some(name.to_owned());
        if let Some((path, line, col)) = trailing(&block.location) {
            let spot =
                PrintedLocation::new(path, Some(line), col).with_message(format!("test: {name}"));
            finding.fallback = Some(spot.clone());
            finding.test_at = Some(spot);
        }
        out.push(finding);
        next
    }
}

/// `not ok 3 - name`
fn title(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("not ok ")?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    Some(rest.strip_prefix("- ").unwrap_or(rest).trim())
}

#[derive(Default)]
struct YamlBlock {
    kind: String,
    error: String,
    name: String,
    location: String,
    stack: String,
}

/// The YAML between `---` and `...`: only strings at the top level.
fn block(text: &LogText, at: usize) -> (YamlBlock, usize) {
    let mut block = YamlBlock::default();
    let depth = indent(text.get(at));
    if text.get(at).trim() != "---" {
        return (block, at);
    }
    let mut next = at + 1;
    while text.has(next) {
        let line = text.get(next);
        next += 1;
        if line.trim() == "..." && indent(line) == depth {
            break;
        }
        let Some((key, value)) = line.get(depth..).and_then(|line| line.split_once(':')) else {
            continue;
        };
        if line.trim().is_empty() || indent(line) != depth || key.contains(' ') {
            continue;
        }
        let mut value = scalar(value.trim());
        if matches!(value.as_str(), "|-" | "|" | "|+" | ">-" | ">") {
            value.clear();
            while text.has(next)
                && (indent(text.get(next)) > depth || text.get(next).trim().is_empty())
            {
                value.push_str(text.get(next).get(depth + 2..).unwrap_or_default());
                value.push('\n');
                next += 1;
            }
        }
        match key {
            "failureType" => block.kind = value,
            // The compared value may itself be an error, with the same keys on the same level
            // below.
            "error" | "message" if block.error.is_empty() => block.error = value,
            "name" if block.name.is_empty() => block.name = value,
            "location" => block.location = value,
            "stack" => block.stack = value,
            _ => {}
        }
    }
    (block, next)
}

/// A string, quoted or plain.
fn scalar(value: &str) -> String {
    if let Some(inside) = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')) {
        return inside.replace("''", "'");
    }
    if value.starts_with('"') {
        return serde_json::from_str(value).unwrap_or_else(|_| value.trim_matches('"').to_owned());
    }
    value.to_owned()
}
