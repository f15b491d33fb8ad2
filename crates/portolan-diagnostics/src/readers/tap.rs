//! TAP, with the YAML blocks of Node's test runner.

use super::lines::LogText;
use super::node::{is_expected, is_roll_up};
use super::parse::{indent, is_path, number, trailing};
use super::stack::{Stack, bare_frame, frame};
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
        let Some(title) = title(text.get(at)) else { return at };
        let (name, is_suite) = named(title);
        let (block, next) = block(text, at + 1);
        if is_suite
            || is_expected(title)
            || block.kind == "subtestsFailed"
            || is_roll_up(&block.error)
        {
            return next;
        }
        if next == at + 1 {
            return without_block(text, at, name, out);
        }
        let message = if block.error.trim().is_empty() { name } else { block.error.as_str() };
        let is_node = block.at.is_empty();
        let tool = if is_node { "node:test" } else { "tap" };
        let mut finding = ToolDiagnostic::new(FORMAT, tool, Severity::Error, message)
            .code(Some(block.name).filter(|name| !name.contains(' ')));
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
        if finding.fallback.is_none() {
            let spot = bare_frame(&block.at).filter(|spot| !spot.file.contains("/node_modules/"));
            finding.fallback = spot.or_else(|| file_of(name));
        }
        out.push(finding);
        next
    }
}

/// The name of a test, without its time, and whether it holds other tests: `suite # time=3ms {`.
fn named(title: &str) -> (&str, bool) {
    let inside = title.strip_suffix('{').map(str::trim_end);
    let name = inside.unwrap_or(title);
    (name.rsplit_once(" # time=").map_or(name, |(name, _)| name), inside.is_some())
}

/// The file in a name: a file that cannot be loaded is a test of its own, and others begin with theirs.
fn file_of(name: &str) -> Option<PrintedLocation> {
    let path = name.split(" > ").next().unwrap_or(name);
    (is_path(path) && path.contains('/')).then(|| PrintedLocation::new(path, None, None))
}

/// A failure without a block: what follows is an error with its stack, or comments that name the place.
fn without_block(text: &LogText, at: usize, name: &str, out: &mut Vec<ToolDiagnostic>) -> usize {
    let depth = indent(text.get(at));
    let mut finding = ToolDiagnostic::new(FORMAT, "tap", Severity::Error, name);
    finding.test = Some(name.to_owned());
    let is_below = |at: usize| {
        let line = text.get(at);
        let first = line.trim_start();
        indent(line) >= depth + 2
            && !["ok ", "not ok ", "# Subtest", "1.."].iter().any(|start| first.starts_with(start))
    };
    let mut next = at + 1;
    while text.has(next) && is_below(next) {
        next += 1;
    }
    if next > at + 1 {
        let stack = Stack::read((at + 1..next).map(|at| text.get(at)), false);
        if stack.has_frames() {
            stack.fill(&mut finding);
        }
        out.push(finding);
        return next;
    }
    while let Some(comment) = text.get(next).trim_start().strip_prefix('#') {
        let comment = comment.trim();
        finding.fallback = finding.fallback.take().or_else(|| placed(comment));
        if let Some(failed) = comment.strip_suffix(" failed").filter(|it| it.starts_with('`')) {
            finding.message = format!("{failed} failed");
        }
        next += 1;
    }
    out.push(finding);
    next
}

/// The place in a comment: `(in test file a.bats, line 3)`, `at t/a.t line 2.`
fn placed(comment: &str) -> Option<PrintedLocation> {
    let (front, rest) = comment.rsplit_once(" line ")?;
    let (line, _) = number(rest)?;
    let front = front.trim_end_matches(',');
    let path = ["file ", "at "].iter().find_map(|word| front.rsplit_once(word))?.1;
    is_path(path).then(|| PrintedLocation::new(path, Some(line), None))
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
    /// Where it failed; other runners than Node's say it.
    at: String,
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
        if key == "error" && value.is_empty() {
            next = nested(text, next, depth, &mut block);
            continue;
        }
        match key {
            "failureType" => block.kind = value,
            // The compared value may itself be an error, with the same keys on the same level
            // below.
            "error" | "message" if block.error.is_empty() => block.error = value,
            "name" if block.name.is_empty() => block.name = value,
            "location" => block.location = value,
            "stack" => block.stack = value,
            "at" => block.at = value,
            _ => {}
        }
    }
    (block, next)
}

/// An error with a name and a message of its own, below its key.
fn nested(text: &LogText, at: usize, depth: usize, block: &mut YamlBlock) -> usize {
    let mut next = at;
    while text.has(next) && indent(text.get(next)) > depth {
        match text.get(next).trim().split_once(':') {
            Some(("name", value)) if block.name.is_empty() => block.name = scalar(value.trim()),
            Some(("message", value)) if block.error.is_empty() => {
                block.error = scalar(value.trim());
            }
            _ => {}
        }
        next += 1;
    }
    next
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
