//! Python tracebacks, also chained, and syntax errors.

use super::lines::LogText;
use super::parse::{class, indent, number};
use super::tool_diagnostic::{
    Cause, ColumnUnit, Excerpt, PrintedLocation, Severity, ToolDiagnostic,
};
use super::{Format, ToolReader, pytest};

const FORMAT: Format = Format("python");

pub(super) struct PythonTraceback;

impl ToolReader for PythonTraceback {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        is_header(text.get(at))
            || is_syntax(text, at)
            || is_group(text.get(at))
            || is_example(text, at)
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        if is_group(text.get(at)) {
            return group(text, at, out);
        }
        if is_example(text, at) {
            return example(text, at, out);
        }
        let mut causes: Vec<Cause> = Vec::new();
        let mut start = at;
        loop {
            let (traceback, next) = Traceback::read(text, start);
            // The message may have further lines.
            let link = (next..next + MESSAGE)
                .take_while(|&at| text.has(at) && !is_header(text.get(at)))
                .find(|&at| is_link(text.get(at)));
            let again = link.and_then(|link| {
                (link + 1..link + 4).find(|&at| is_header(text.get(at)) || is_syntax(text, at))
            });
            let Some(again) = again else {
                let finding = traceback.finding(causes);
                out.extend(
                    finding.map(|it| ToolDiagnostic { test: unittest_name(text, at), ..it }),
                );
                return next;
            };
            causes.push(Cause { message: traceback.last, frames: traceback.frames });
            start = again;
        }
    }
}

/// The test that unittest names above a traceback: `ERROR: test_a (tests.Cart.test_a) [subtest]`, then perhaps its
/// documentation, and a rule.
fn unittest_name(text: &LogText, traceback: usize) -> Option<String> {
    let rule = traceback.checked_sub(1).filter(|at| text.get(*at).starts_with("-----"))?;
    let above = (rule.saturating_sub(TITLE)..rule).rev();
    let title = above
        .map(|at| text.get(at))
        .find_map(|line| line.strip_prefix("ERROR: ").or_else(|| line.strip_prefix("FAIL: ")))?;
    let (name, rest) = title.split_once(" (").unwrap_or((title, ""));
    let (holder, rest) = rest.split_once(')').unwrap_or(("", rest));
    // Since Python 3.11 the holder ends in the name of the test.
    let full = match holder {
        "" => name.to_owned(),
        holder if holder.rsplit('.').next() == Some(name) => holder.to_owned(),
        holder => format!("{holder}.{name}"),
    };
    Some(format!("{full}{}", rest.trim_end()))
}

/// The most lines between the title of a test and its traceback.
const TITLE: usize = 6;

/// The most lines of a message between an exception and the next of its chain.
const MESSAGE: usize = 40;

/// Whether a doctest failed here: an example whose result differs.
fn is_example(text: &LogText, at: usize) -> bool {
    text.get(at).starts_with("File \"") && text.get(at + 1) == "Failed example:"
}

fn example(text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
    let Some(spot) = file_line(text.get(at)) else { return at };
    let mut next = at + 2;
    while text.has(next) && !text.get(next).starts_with("****") && !is_example(text, next) {
        next += 1;
    }
    let lines: Vec<&str> = (at + 1..next).map(|at| text.get(at)).collect();
    let message = expected(&lines).unwrap_or_else(|| "Failed example".to_owned());
    let mut finding = ToolDiagnostic::new(FORMAT, "doctest", Severity::Error, &message);
    finding.notes = lines.iter().take(NOTES).map(|line| (*line).to_owned()).collect();
    let name = spot.message.strip_prefix("in ").map(str::to_owned);
    finding.test = name;
    out.push(finding.at(spot).unit(ColumnUnit::CodePoint));
    next
}

/// The most lines of an example that are kept.
const NOTES: usize = 20;

/// The expected and the actual result of an example, on one line.
pub(super) fn expected(lines: &[&str]) -> Option<String> {
    let below = |title: &str| {
        let at = lines.iter().position(|line| *line == title)?;
        lines.get(at + 1).map(|line| line.trim())
    };
    let wanted = below("Expected:")?;
    let got = below("Got:").unwrap_or("nothing");
    Some(format!("Expected: {wanted}, got: {got}"))
}

/// Whether a line belongs to the ladder at the left of an exception group.
pub(super) fn is_group(line: &str) -> bool {
    line.trim_start()
        .strip_prefix("+ ")
        .is_some_and(|it| it.starts_with("Exception Group Traceback"))
}

fn group(text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
    let is_rung = |at: &usize| {
        let line = text.get(*at).trim_start();
        line.starts_with('|') || line.starts_with('+')
    };
    let next = (at + 1..text.len()).take_while(is_rung).last().unwrap_or(at) + 1;
    let lines: Vec<&str> = (at..next).map(|at| text.get(at)).collect();
    if let Some(mut finding) = pytest::section(&lines) {
        finding.format = FORMAT.name();
        "python".clone_into(&mut finding.tool);
        out.push(finding);
    }
    next
}

fn is_header(line: &str) -> bool {
    line.trim_start_matches([' ', '|', '+']) == "Traceback (most recent call last):"
}

pub(super) fn is_link(line: &str) -> bool {
    line.starts_with("During handling of the above exception")
        || line.starts_with("The above exception was the direct cause")
}

/// Whether this is a syntax error in the started file, which has no header.
fn is_syntax(text: &LogText, at: usize) -> bool {
    text.get(at).starts_with("  File \"")
        && file_line(text.get(at)).is_some_and(|spot| spot.message.is_empty())
        && (at + 1..at + 5).any(|at| is_syntax_class(text.get(at)))
}

fn is_syntax_class(line: &str) -> bool {
    ["SyntaxError", "IndentationError", "TabError"].iter().any(|name| line.starts_with(name))
}

/// `File "path", line 12, in name`
pub(super) fn file_line(line: &str) -> Option<PrintedLocation> {
    let rest = line.trim_start_matches([' ', '|']).strip_prefix("File \"")?;
    let (path, rest) = rest.split_once("\", line ")?;
    let (row, rest) = number(rest)?;
    let name = rest.strip_prefix(", ").unwrap_or_default();
    Some(PrintedLocation::new(path, Some(row), None).with_message(name))
}

#[derive(Default)]
struct Traceback {
    /// The frames, innermost first.
    frames: Vec<PrintedLocation>,
    /// `Class: message`
    last: String,
    excerpt: Option<Excerpt>,
}

impl Traceback {
    fn read(text: &LogText, at: usize) -> (Self, usize) {
        let mut traceback = Self::default();
        let depth = if is_header(text.get(at)) { indent(text.get(at)) } else { 0 };
        let mut next = if is_header(text.get(at)) { at + 1 } else { at };
        while text.has(next) {
            let line = text.get(next);
            let is_deeper = indent(line) > depth || line.trim().is_empty();
            if let Some(spot) = file_line(line).filter(|_| is_deeper) {
                traceback.frames.push(spot);
                let source = text.get(next + 1);
                traceback.excerpt = (file_line(source).is_none() && indent(source) > depth)
                    .then(|| Excerpt { text: source.trim().to_owned(), trimmed: true });
            } else if !is_deeper {
                line.trim().clone_into(&mut traceback.last);
                next += 1;
                break;
            }
            next += 1;
        }
        if is_syntax_class(&traceback.last) {
            traceback.column(text, next);
        }
        traceback.frames.reverse();
        (traceback, next)
    }

    /// The caret of a syntax error marks its column.
    fn column(&mut self, text: &LogText, end: usize) {
        let caret = (end.saturating_sub(4)..end).find(|&at| {
            let line = text.get(at).trim();
            !line.is_empty() && line.bytes().all(|byte| matches!(byte, b'^' | b'~' | b' '))
        });
        if let (Some(caret), Some(frame)) = (caret, self.frames.last_mut())
            && caret > 0
        {
            let margin = indent(text.get(caret - 1));
            let col = indent(text.get(caret)).saturating_sub(margin) + 1;
            frame.col = u32::try_from(col).ok();
        }
    }

    fn finding(self, causes: Vec<Cause>) -> Option<ToolDiagnostic> {
        // An exception of any class may have no message.
        let is_bare = !self.last.is_empty()
            && self.last.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let (code, message) = match class(&self.last, true) {
            Some((name, message)) => (Some(name.to_owned()), message),
            None => (is_bare.then(|| self.last.clone()), self.last.as_str()),
        };
        let message = if message.is_empty() { self.last.as_str() } else { message };
        if self.frames.is_empty() && message.is_empty() {
            return None;
        }
        let mut finding = ToolDiagnostic::new(FORMAT, "python", Severity::Error, message)
            .code(code)
            .unit(ColumnUnit::CodePoint);
        finding.excerpt = self.excerpt;
        finding.frames = self.frames;
        // The nearest cause first.
        finding.causes = causes.into_iter().rev().collect();
        Some(finding)
    }
}
