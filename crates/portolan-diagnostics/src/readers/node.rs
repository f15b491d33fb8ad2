//! Node: uncaught errors, and the `spec` reporter of its tests.

use super::finding::{Finding, Severity, Spot};
use super::lines::Text;
use super::parse::{class, has_ending, indent, is_path, trailing};
use super::stack::{frame, Stack};
use super::{Format, ToolReader};

pub(super) const STACK: Format = Format("node-stack");
pub(super) const SPEC: Format = Format("node-spec");

pub(super) struct NodeStack;

impl ToolReader for NodeStack {
    fn format(&self) -> Format {
        STACK
    }

    fn sniff(&self, text: &Text, at: usize) -> bool {
        preamble(text, at).is_some() || is_head(text, at)
    }

    fn read(&self, text: &Text, at: usize, out: &mut Vec<Finding>) -> usize {
        let (fallback, head) = match preamble(text, at) {
            Some((spot, head)) => (Some(spot), head),
            None => (None, at),
        };
        let end = end_of_stack(text, head);
        let mut finding = Finding::new(STACK, "node", Severity::Error, "");
        let first = text.get(head).trim();
        let said = said(first);
        let lines = std::iter::once(said).chain((head + 1..end).map(|at| text.get(at)));
        Stack::read(lines, is_class(said)).fill(&mut finding);
        if said != first {
            finding.notes.insert(0, first.to_owned());
        }
        if is_word(said) && finding.code.is_none() {
            finding.code = Some(said.to_owned());
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

/// Files that only stacks of the JVM name.
const JVM: [&str; 5] = ["java", "kt", "scala", "groovy", "clj"];

/// What Node prints above an uncaught error: `path:line`, the source, a caret. Answers the place and
/// the line of the error itself.
fn preamble(text: &Text, at: usize) -> Option<(Spot, usize)> {
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
    let said = text.get(head).trim();
    let is_error = class(said, false).is_some()
        || is_class(said)
        || frame(text.get(head + 1)).is_some()
        // What is no error may be thrown, too.
        || text.get(head + 1).starts_with("(Use `node --trace-uncaught");
    if !is_error {
        return None;
    }
    let col = text.get(caret).chars().take_while(|c| c.is_whitespace()).count() + 1;
    Some((Spot::new(path, Some(line), u32::try_from(col).ok()), head))
}

/// How far below its first line the frames of an error may start.
const AHEAD: usize = 40;

fn is_head(text: &Text, at: usize) -> bool {
    let line = text.get(at).trim_start();
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    if class(line, false).is_none() {
        return is_told_by_frames(text, at);
    }
    (at + 1..at + AHEAD)
        .take_while(|&at| text.has(at) && class(text.get(at), false).is_none())
        .any(|at| frame(text.get(at)).is_some() || text.get(at).trim_start().starts_with("at "))
}

/// An error of any class, or behind other words, is known by the frames that start right below it.
fn is_told_by_frames(text: &Text, at: usize) -> bool {
    let line = text.get(at).trim();
    let below = text.get(at + 1).trim_start();
    let is_frame = below.starts_with("at ")
        && (frame(below).is_some() || below.contains("(node:") || below.contains("(<anonymous>)"));
    is_frame && !line.starts_with("at ") && (is_class(line) || is_word(line) || said(line) != line)
}

/// `Bad: message`, where the name can be that of a class; a trace is printed on purpose.
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

/// The error in a line that says something in front of it: `Failed to start: Error: no`.
fn said(line: &str) -> &str {
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

/// The line after the frames, and after the properties that are printed with the error.
fn end_of_stack(text: &Text, head: usize) -> usize {
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

/// What may stand between frames.
fn is_of_stack(line: &str) -> bool {
    ["[cause]", "Caused by:", "Suppressed:", "... "].iter().any(|start| line.starts_with(start))
}

/// Properties are indented by as much; the bracket that closes them, and whatever comes after, is not.
fn end_of_properties(text: &Text, at: usize) -> usize {
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

    fn sniff(&self, text: &Text, at: usize) -> bool {
        text.get(at).strip_prefix("test at ").is_some_and(|place| trailing(place).is_some())
    }

    fn read(&self, text: &Text, at: usize, out: &mut Vec<Finding>) -> usize {
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
        let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
        let mut finding = Finding::new(SPEC, "node:test", Severity::Error, "");
        Stack::read((at + 2..next).map(|at| text.get(at)), true).fill(&mut finding);
        if is_roll_up(&finding.message) {
            return next;
        }
        let test_at = Spot::new(path, Some(line), col).saying(format!("test: {name}"));
        finding.fallback = Some(test_at.clone());
        finding.test_at = Some(test_at);
        finding.test = Some(name.to_owned());
        out.push(finding);
        next
    }
}

/// `3 subtests failed`
pub(super) fn is_roll_up(message: &str) -> bool {
    let words = message.trim_matches(['\'', '"']);
    words.split_once(' ').is_some_and(|(count, rest)| {
        count.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with("subtest")
    })
}
