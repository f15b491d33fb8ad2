//! Node: uncaught errors, and the `spec` reporter of its test runner.

use super::lines::LogText;
use super::parse::{class, has_ending, indent, is_path, trailing};
use super::stack::{Stack, frame};
use super::tool_diagnostic::{PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

pub(super) const STACK: Format = Format("node-stack");
pub(super) const SPEC: Format = Format("node-spec");

pub(super) struct NodeStack;

impl ToolReader for NodeStack {
    fn format(&self) -> Format {
        STACK
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        preamble(text, at).is_some() || is_head(text, at)
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let (fallback, head) = match preamble(text, at) {
            Some((spot, head)) => (Some(spot), head),
            None => (None, at),
        };
        let end = end_of_stack(text, head);
        let mut finding = ToolDiagnostic::new(STACK, "node", Severity::Error, "");
        let first = text.get(head).trim();
        let error_in = error_in(first);
        let lines = std::iter::once(error_in).chain((head + 1..end).map(|at| text.get(at)));
        Stack::read(lines, is_class(error_in)).fill(&mut finding);
        if error_in != first {
            finding.notes.insert(0, first.to_owned());
        }
        if is_word(error_in) && finding.code.is_none() {
            finding.code = Some(error_in.to_owned());
        }
        if finding.frames.iter().any(|frame| has_ending(&frame.file, &JVM)) {
            "java".clone_into(&mut finding.tool);
        }
        if finding.code.as_deref().is_some_and(|code| code.ends_with("Warning")) {
            finding.severity = Severity::Warning;
        }
        finding.fallback = fallback;
        out.push(finding);
        end
    }
}

/// Extensions that occur only in JVM stacks.
const JVM: [&str; 5] = ["java", "kt", "scala", "groovy", "clj"];

/// The lines above an uncaught error: `path:line`, the source, a caret. Returns the location and
/// the line of the error itself.
fn preamble(text: &LogText, at: usize) -> Option<(PrintedLocation, usize)> {
    let (path, line, None) = trailing(text.get(at))? else { return None };
    let is_absolute =
        path.starts_with('/') || path.starts_with("file://") || path.get(1..2) == Some(":");
    if !is_absolute || !is_path(path) {
        return None;
    }
    let caret = (at + 2..at + 5).find(|&at| {
        let line = text.get(at).trim();
        !line.is_empty() && line.bytes().all(|byte| byte == b'^')
    })?;
    let head = (caret + 1..caret + 4).find(|&at| !text.get(at).trim().is_empty())?;
    let error_in = text.get(head).trim();
    let is_error = class(error_in, false).is_some()
        || is_class(error_in)
        || frame(text.get(head + 1)).is_some()
        // A program may throw a value that is not an error.
        || text.get(head + 1).starts_with("(Use `node --trace-uncaught");
    if !is_error {
        return None;
    }
    let col = text.get(caret).chars().take_while(|c| c.is_whitespace()).count() + 1;
    Some((PrintedLocation::new(path, Some(line), u32::try_from(col).ok()), head))
}

/// How far below its first line the frames of an error may start.
const AHEAD: usize = 40;

fn is_head(text: &LogText, at: usize) -> bool {
    let line = text.get(at).trim_start();
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    if class(line, false).is_none() {
        return has_frames_below(text, at);
    }
    (at + 1..at + AHEAD)
        .take_while(|&at| text.has(at) && class(text.get(at), false).is_none())
        .any(|at| frame(text.get(at)).is_some() || text.get(at).trim_start().starts_with("at "))
}

/// Whether frames follow directly: they identify an error of any class, also after other words.
fn has_frames_below(text: &LogText, at: usize) -> bool {
    let line = text.get(at).trim();
    let below = text.get(at + 1).trim_start();
    let is_frame = below.starts_with("at ")
        && (frame(below).is_some() || below.contains("(node:") || below.contains("(<anonymous>)"));
    is_frame
        && !line.starts_with("at ")
        && (is_class(line) || is_word(line) || error_in(line) != line)
}

/// `Bad: message`, where the name may be a class. A `Trace` is printed on purpose.
fn is_class(line: &str) -> bool {
    let name = class(line, true).map_or("", |(name, _)| name);
    let name = name.rsplit('.').next().unwrap_or(name);
    name.starts_with(char::is_uppercase) && name != "Trace" && name.len() > 1
}

/// `Bad`
fn is_word(line: &str) -> bool {
    line.starts_with(char::is_uppercase)
        && line.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
}

/// The error in a line that starts with other words: `Failed to start: Error: no`.
fn error_in(line: &str) -> &str {
    if class(line, false).is_some() || is_class(line) {
        return line;
    }
    let thread =
        line.strip_prefix("Exception in thread \"").and_then(|rest| rest.split_once("\" "));
    if let Some((_, rest)) = thread {
        return rest;
    }
    let starts = line.match_indices(' ').map(|(space, _)| &line[space + 1..]);
    starts
        .take(24)
        .find(|rest| class(rest, false).is_some_and(|(_, it)| !it.is_empty()))
        .unwrap_or(line)
}

/// The line after the frames and after the properties printed with the error.
fn end_of_stack(text: &LogText, head: usize) -> usize {
    let mut at = head + 1;
    let mut has_frames = false;
    while text.has(at) {
        let line = text.get(at);
        let start = line.trim_start();
        if start.starts_with("at ") {
            has_frames = true;
            if line.ends_with(" {") {
                return end_of_properties(text, at + 1);
            }
        } else if at > head + AHEAD || has_frames && !is_of_stack(start) {
            return at;
        }
        at += 1;
    }
    at
}

/// Whether a line may occur between frames.
fn is_of_stack(line: &str) -> bool {
    ["[cause]", "Caused by:", "Suppressed:", "... "].iter().any(|start| line.starts_with(start))
}

/// Properties share an indentation; the bracket that closes them, and everything after it, does
/// not.
fn end_of_properties(text: &LogText, at: usize) -> usize {
    let Some(first) = (at..at + 4).find(|&at| !text.get(at).trim().is_empty()) else { return at };
    let depth = indent(text.get(first));
    if depth < 2 {
        return at;
    }
    let is_after = |at: &usize| {
        let line = text.get(*at);
        indent(line) < depth && !line.trim().is_empty()
    };
    let end = (first..text.len()).find(is_after).unwrap_or(text.len());
    end + usize::from(text.get(end).trim() == "}")
}

pub(super) struct NodeSpec;

impl ToolReader for NodeSpec {
    fn format(&self) -> Format {
        SPEC
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        text.get(at).strip_prefix("test at ").is_some_and(|place| trailing(place).is_some())
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let Some((path, line, col)) = text.get(at).strip_prefix("test at ").and_then(trailing)
        else {
            return at;
        };
        let title = text.get(at + 1);
        let mut next = at + 2;
        while text.has(next)
            && (text.get(next).starts_with(' ') || text.get(next).trim().is_empty())
        {
            next += 1;
        }
        let Some(name) = title.strip_prefix("✖ ") else { return next };
        if is_expected(name) {
            // Up to Node 20 the failure was printed before, too.
            let stack = Stack::read((at + 2..next).map(|at| text.get(at)), true);
            let is_it =
                |it: &ToolDiagnostic| it.format == STACK.name() && it.frames == stack.frames;
            out.retain(|it| stack.frames.is_empty() || !is_it(it));
            return next;
        }
        let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
        let mut finding = ToolDiagnostic::new(SPEC, "node:test", Severity::Error, "");
        Stack::read((at + 2..next).map(|at| text.get(at)), true).fill(&mut finding);
        if is_roll_up(&finding.message) {
            return next;
        }
        // A test that was cancelled or that threw a string has a quoted value in place of an error.
        if finding.frames.is_empty() && finding.code.is_none() {
            let message = unquoted(&finding.message).to_owned();
            finding.message = message;
        }
        let test_at =
            PrintedLocation::new(path, Some(line), col).with_message(format!("test: {name}"));
        finding.fallback = Some(test_at.clone());
        finding.test_at = Some(test_at);
        finding.test = Some(name.to_owned());
        out.push(finding);
        next
    }
}

/// Whether a test is marked as one that may fail: `name (1.2ms) # TODO reason`.
pub(super) fn is_expected(title: &str) -> bool {
    ["# TODO", "# SKIP", "# todo", "# skip"].iter().any(|mark| title.contains(mark))
}

fn unquoted(text: &str) -> &str {
    ['\'', '"', '`']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(text)
}

/// `3 subtests failed`
pub(super) fn is_roll_up(message: &str) -> bool {
    let words = message.trim_matches(['\'', '"']);
    words.split_once(' ').is_some_and(|(count, rest)| {
        count.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with("subtest")
    })
}
