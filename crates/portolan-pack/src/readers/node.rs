//! Node: uncaught errors, and the `spec` reporter of its tests.

use super::finding::{Finding, Severity, Spot};
use super::lines::Text;
use super::parse::{class, is_path, trailing};
use super::stack::{Stack, frame};
use super::{Format, ToolReader};

const STACK: Format = Format("node-stack");
const SPEC: Format = Format("node-spec");

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
        Stack::read((head..end).map(|at| text.get(at)), false).fill(&mut finding);
        finding.fallback = fallback;
        out.push(finding);
        end
    }
}

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
    class(text.get(head).trim(), false)?;
    let col = text.get(caret).chars().take_while(|c| c.is_whitespace()).count() + 1;
    Some((Spot::new(path, Some(line), u32::try_from(col).ok()), head))
}

/// How far below its first line the frames of an error may start.
const AHEAD: usize = 40;

fn is_head(text: &Text, at: usize) -> bool {
    let line = text.get(at).trim_start();
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    class(line, false).is_some()
        && (at + 1..at + AHEAD)
            .take_while(|&at| text.has(at) && class(text.get(at), false).is_none())
            .any(|at| frame(text.get(at)).is_some() || text.get(at).trim_start().starts_with("at "))
}

/// The line after the frames, and after the properties that are printed with the error.
fn end_of_stack(text: &Text, head: usize) -> usize {
    let mut at = head + 1;
    let mut has_frames = false;
    let mut is_open = false;
    while text.has(at) {
        let line = text.get(at);
        if line.trim_start().starts_with("at ") {
            has_frames = true;
            is_open |= line.ends_with(" {");
        } else if is_open {
            if line == "}" {
                return at + 1;
            }
        } else if at > head + AHEAD || has_frames && !line.trim_start().starts_with("[cause]") {
            return at;
        }
        at += 1;
    }
    at
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
