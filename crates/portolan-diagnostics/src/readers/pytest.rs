//! pytest: failures in every traceback style, and the summary.

use std::collections::BTreeSet;

use super::lines::LogText;
use super::parse::{class, is_path, leading};
use super::python::{expected, file_line, is_link};
use super::tool_diagnostic::{
    Cause, ColumnUnit, Excerpt, PrintedLocation, Severity, ToolDiagnostic,
};
use super::{Format, ToolReader};

pub(super) const FORMAT: Format = Format("pytest");

pub(super) struct Pytest;

impl ToolReader for Pytest {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        let banner = banner(text.get(at));
        is_conftest(text.get(at)) || banner.is_some_and(|words| is_known(words) || is_aside(words))
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let words = banner(text.get(at)).unwrap_or_default();
        if words == "short test summary info" {
            return summary(text, at + 1, out);
        }
        if is_aside(words) {
            return at + 1;
        }
        if is_conftest(text.get(at)) {
            let mut end = at + 1;
            while text.has(end) && !text.get(end).trim().is_empty() {
                end += 1;
            }
            let lines: Vec<&str> = (at + 1..end).map(|at| text.get(at)).collect();
            out.extend(section(&lines));
            return end;
        }
        let session = Session::around(text, at);
        let mut next = at + 1;
        let mut title: Option<&str> = None;
        let mut start = next;
        let mut is_captured = false;
        while text.has(next) {
            let line = text.get(next);
            if banner(line).is_some() && !(is_captured && session.holds(next)) {
                break;
            }
            if let Some(found) = titled(line).filter(|title| session.has(title)) {
                close(text, title, start, next, out);
                title = Some(found);
                start = next + 1;
                is_captured = false;
            }
            is_captured |= is_captured_output(line);
            next += 1;
        }
        close(text, title, start, next, out);
        next
    }
}

/// A run of pytest, by its summary. A test may run pytest itself and print that run's failures and summary: they are the output
/// of a test, and no failures of this run.
#[derive(Default)]
struct Session {
    /// The titles of the tests that failed; none if there is no summary.
    titles: BTreeSet<String>,
    /// The line of the summary's banner.
    summary: usize,
}

impl Session {
    /// The run whose failures begin at a line: that of the first summary which names the first of them.
    fn around(text: &LogText, at: usize) -> Self {
        let lines = || (at + 1..text.len()).take(MOST_LINES);
        let Some(first) = lines().find_map(|at| titled(text.get(at))) else {
            return Self::default();
        };
        let is_summary = |at: &usize| banner(text.get(*at)) == Some("short test summary info");
        let runs = lines().filter(is_summary).map(|summary| {
            let entries = (summary + 1..text.len()).map(|at| text.get(at));
            let entries = entries.take_while(|line| banner(line).is_none());
            Self { titles: entries.filter_map(failed_title).collect(), summary }
        });
        runs.into_iter().find(|run| run.has(first) && !run.titles.is_empty()).unwrap_or_default()
    }

    /// Whether a section with this title is a failure of this run.
    fn has(&self, title: &str) -> bool {
        // `ERROR at setup of test_a`, `ERROR collecting tests/test_a.py`
        let is_error = || title.starts_with("ERROR ");
        self.titles.is_empty() || self.titles.contains(title) || is_error()
    }

    /// Whether a line is before the summary.
    fn holds(&self, at: usize) -> bool {
        at < self.summary
    }
}

/// How many lines are searched for the summary of a run.
const MOST_LINES: usize = 200_000;

/// `----- Captured stdout call -----`
fn is_captured_output(line: &str) -> bool {
    line.starts_with("---") && line.contains("Captured")
}

/// The id of a test that failed, in a line of the summary, and why it failed.
fn failed(line: &str) -> Option<(&str, &str)> {
    let entry = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "))?;
    let (test, why) = entry.split_once(" - ").unwrap_or((entry, ""));
    Some((test.trim(), why))
}

/// The title of the section about a test that failed: its names without the file.
fn failed_title(line: &str) -> Option<String> {
    let (test, _) = failed(line)?;
    Some(
        test.split_once("::")
            .map_or_else(|| test.to_owned(), |(_, names)| names.replace("::", ".")),
    )
}

/// Whether failures follow this banner.
fn is_known(words: &str) -> bool {
    matches!(words, "ERRORS" | "FAILURES" | "short test summary info")
}

/// Whether a run without failures has this banner too.
fn is_aside(words: &str) -> bool {
    words == "test session starts" || words.contains(" passed in ") || words.contains(" passed, ")
}

/// An error in `conftest.py` comes before any test and has no banner.
fn is_conftest(line: &str) -> bool {
    line.starts_with("ImportError while loading conftest")
}

/// `===== FAILURES =====`
fn banner(line: &str) -> Option<&str> {
    let inside = line.strip_prefix("==")?.strip_suffix("==")?;
    Some(inside.trim_matches('=').trim())
}

/// `_____ test_name _____`
fn titled(line: &str) -> Option<&str> {
    let inside = line.trim_end().strip_prefix('_')?.strip_suffix('_')?.trim_matches('_');
    let title = inside.strip_prefix(' ')?.strip_suffix(' ')?.trim();
    (!title.is_empty() && !title.chars().all(|c| matches!(c, '_' | ' '))).then_some(title)
}

fn close(
    text: &LogText,
    title: Option<&str>,
    start: usize,
    end: usize,
    out: &mut Vec<ToolDiagnostic>,
) {
    let lines: Vec<&str> = (start..end).map(|at| text.get(at)).collect();
    match title {
        Some(title) => {
            let mut finding = section(&lines).or_else(|| unexpected(&lines));
            if let Some(finding) = &mut finding {
                finding.test = Some(title.to_owned());
            }
            out.extend(finding);
        }
        // `--tb=line` has one line per failure and no titles.
        None => out.extend(lines.iter().filter_map(|line| single(line))),
    }
}

/// A test that should fail and passed: `[XPASS(strict)] reason`. Its location is in the summary.
fn unexpected(lines: &[&str]) -> Option<ToolDiagnostic> {
    let line = lines.iter().find(|line| line.starts_with("[XPASS(strict)]"))?;
    Some(ToolDiagnostic::new(FORMAT, "pytest", Severity::Error, line))
}

/// `/path/test.py:14: AssertionError: message`
fn single(line: &str) -> Option<ToolDiagnostic> {
    let place =
        leading(line).filter(|place| is_path(place.path) && !line.starts_with([' ', 'E']))?;
    let named = class(place.rest, true).filter(|(name, _)| {
        let name = name.rsplit('.').next().unwrap_or(name);
        name.starts_with(char::is_uppercase)
    });
    let failed = || place.rest.starts_with("assert ").then_some(("AssertionError", place.rest));
    let (code, message) = named.or_else(failed)?;
    let spot = PrintedLocation::new(place.path, Some(place.line), None);
    Some(ToolDiagnostic::new(FORMAT, "pytest", Severity::Error, message).code(Some(code)).at(spot))
}

/// An exception of a chain.
#[derive(Default)]
struct ChainedException {
    /// The frames, outermost first.
    frames: Vec<PrintedLocation>,
    errors: Vec<String>,
    class: Option<String>,
    excerpt: Option<Excerpt>,
}

/// Reads the text of one failure.
pub(super) fn section(lines: &[&str]) -> Option<ToolDiagnostic> {
    let mut parts = vec![ChainedException::default()];
    for line in lines {
        if is_captured_output(line) {
            break;
        }
        if is_link(line) {
            parts.push(ChainedException::default());
        } else if let Some(part) = parts.last_mut() {
            part.take(line);
        }
    }
    let last = parts.pop()?;
    // The latest cause comes first; the members of a group keep their order.
    let (last, causes) = match group(lines) {
        Some((whole, inside)) => (whole, inside),
        None => (last, parts.into_iter().rev().collect()),
    };
    let causes = causes.into_iter().map(|part| Cause {
        message: part.head().0,
        frames: part.frames.into_iter().rev().collect(),
    });
    let causes: Vec<Cause> = causes.collect();
    if last.frames.is_empty() && last.errors.is_empty() {
        return None;
    }
    let (_, code, message) = last.head();
    let message = if message.is_empty() { expected(lines).unwrap_or(message) } else { message };
    let mut finding = ToolDiagnostic::new(FORMAT, "pytest", Severity::Error, &message)
        .code(code)
        .unit(ColumnUnit::CodePoint);
    finding.notes = last.errors.iter().skip(1).take(20).cloned().collect();
    finding.excerpt = last.excerpt;
    finding.frames = last.frames.into_iter().rev().collect();
    finding.causes = causes;
    Some(finding)
}

/// An exception group and its members: a native traceback with a ladder of `|` and `+` at the left.
fn group(lines: &[&str]) -> Option<(ChainedException, Vec<ChainedException>)> {
    let is_start = |line: &&str| line.trim_start().starts_with("+ Exception Group Traceback");
    let start = lines.iter().position(is_start)?;
    let mut parts = vec![ChainedException::default()];
    for line in lines.iter().skip(start + 1).map(|line| line.trim_start()) {
        if let Some(rung) = line.strip_prefix('+') {
            // `+-+---------------- 1 ----------------`; the last rung has no number.
            if rung.contains(|c: char| c.is_ascii_digit()) {
                parts.push(ChainedException::default());
            }
        } else if let Some((rest, part)) = line.strip_prefix('|').zip(parts.last_mut()) {
            part.take_native(rest);
        }
    }
    let whole = parts.remove(0);
    Some((whole, parts))
}

impl ChainedException {
    /// Reads a line of a native traceback, without the ladder at its left.
    fn take_native(&mut self, line: &str) {
        if let Some(spot) = file_line(line) {
            self.frames.push(spot);
            return;
        }
        // Source is indented; text that is not indented belongs to the exception.
        let message = line.strip_prefix(' ').filter(|message| !message.starts_with(' '));
        let Some(message) = message.filter(|it| !it.contains("Traceback (most recent call last)"))
        else {
            return;
        };
        if self.errors.is_empty() {
            self.class = class(message, true).map(|(name, _)| name.to_owned());
        }
        self.errors.push(message.trim().to_owned());
    }

    fn take(&mut self, line: &str) {
        if let Some(error) =
            line.strip_prefix('E').filter(|rest| rest.is_empty() || rest.starts_with(' '))
        {
            if let Some(spot) = file_line(error) {
                self.frames.push(spot);
            }
            self.errors.push(error.trim().to_owned());
            return;
        }
        if let Some(source) = line.strip_prefix("> ") {
            self.excerpt = Some(Excerpt { text: source.trim().to_owned(), trimmed: true });
            return;
        }
        if let Some(spot) = file_line(line).filter(|_| line.starts_with(' ')) {
            self.frames.push(spot);
            self.excerpt = None;
            return;
        }
        if line.starts_with(' ') {
            return;
        }
        let place = leading(line).filter(|place| is_path(place.path) && place.col.is_none());
        let Some(place) = place else {
            // The last line of a native traceback.
            if !self.frames.is_empty() && self.errors.is_empty() && class(line, false).is_some() {
                self.errors.push(line.trim().to_owned());
            }
            return;
        };
        let rest = place.rest.trim();
        let spot = PrintedLocation::new(place.path, Some(place.line), None);
        if rest.is_empty() {
            self.frames.push(spot.with_message("called"));
        } else if rest.starts_with("in ") {
            self.frames.push(spot.with_message(rest));
            self.excerpt = None;
        } else if !rest.contains(' ')
            && rest.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        {
            self.frames.push(spot.with_message(rest));
            self.class = Some(rest.to_owned());
        }
    }

    /// The whole first line, its class and its message.
    fn head(&self) -> (String, Option<String>, String) {
        let is_plain = |line: &&String| !line.starts_with("File \"");
        let first = self.errors.first().filter(is_plain);
        let head = first
            .or_else(|| self.errors.iter().rev().find(|line| class(line, false).is_some()))
            .map_or("", String::as_str);
        let known = self.class.as_deref();
        let split = class(head, true).filter(|(name, _)| {
            known.is_some_and(|known| name.ends_with(known)) || class(head, false).is_some()
        });
        match split {
            Some((name, message)) => {
                let code = known.unwrap_or(name).to_owned();
                let message = if message.is_empty() { name } else { message };
                (head.to_owned(), Some(code), message.to_owned())
            }
            None => (head.to_owned(), known.map(str::to_owned), head.to_owned()),
        }
    }
}

/// Reads the summary, which counts if the failures themselves were not printed (`--tb=no`).
fn summary(text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
    let is_known = out.iter().any(|finding| finding.format == FORMAT.name());
    let mut next = at;
    while text.has(next) && banner(text.get(next)).is_none() {
        let line = text.get(next);
        next += 1;
        let Some((test, why)) = failed(line) else { continue };
        if is_known {
            place(test, out);
            continue;
        }
        let path = test.split("::").next().unwrap_or(test).trim();
        let (code, message) =
            class(why, false).map_or((None, why), |(code, message)| (Some(code), message));
        let message = if message.is_empty() { test } else { message };
        let mut finding = ToolDiagnostic::new(FORMAT, "pytest", Severity::Error, message)
            .code(code)
            .at(PrintedLocation::new(path, None, None));
        finding.test = Some(test.trim().to_owned());
        out.push(finding);
    }
    next
}

/// Gives a test without a location the one from the summary. The title of a failure has the test's
/// names without the file.
fn place(test: &str, out: &mut [ToolDiagnostic]) {
    let Some((path, names)) = test.trim().split_once("::") else { return };
    let title = names.replace("::", ".");
    let is_it = |finding: &&mut ToolDiagnostic| {
        finding.format == FORMAT.name()
            && finding.fallback.is_none()
            && finding.message.starts_with("[XPASS(strict)]")
            && finding.test.as_deref() == Some(title.as_str())
    };
    if let Some(finding) = out.iter_mut().rev().take(LOOKED_BACK).find(is_it) {
        finding.fallback = Some(PrintedLocation::new(path, None, None));
    }
}

/// How many earlier diagnostics are compared to find the test of a line.
const LOOKED_BACK: usize = 500;
