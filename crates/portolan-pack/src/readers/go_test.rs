//! `go test`: its text, and its events as JSON, which are the same lines with their test and package.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::finding::{ColumnUnit, Finding, Severity, Spot};
use super::json::{known, string};
use super::lines::Text;
use super::parse::{has_ending, indent, leading, trailing};
use super::{Format, ToolReader};

const FORMAT: Format = Format("go-test");
const JSON: Format = Format("go-test-json");

pub(super) struct GoTest;

impl ToolReader for GoTest {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &Text, at: usize) -> bool {
        let line = text.get(at);
        failed(line).is_some()
            || package(line).is_some()
            || running(line).is_some()
            || (line.starts_with("panic: ") && is_trace(text, at))
    }

    fn read(&self, text: &Text, at: usize, out: &mut Vec<Finding>) -> usize {
        let line = text.get(at);
        if let Some(package) = package(line) {
            let unplaced = |finding: &&mut Finding| {
                finding.format == FORMAT.name() && finding.package.is_none()
            };
            for finding in out.iter_mut().rev().take_while(unplaced) {
                finding.package = Some(package.to_owned());
            }
            return at + 1;
        }
        if line.starts_with("panic: ") {
            return panic(text, at, None, out);
        }
        // With `-v` the lines of a test come before its verdict; then only they are inside.
        let (test, is_verdict) = match failed(line) {
            Some(test) => (test, true),
            None => (running(line).unwrap_or_default(), false),
        };
        let mut next = at + 1;
        let mut logged = Vec::new();
        while let Some(log) = log(text.get(next)).filter(|_| text.has(next)) {
            next = read_log(text, next, log, test, &mut logged);
        }
        if text.get(next).starts_with("panic: ") && is_verdict {
            next = panic(text, next, Some(test), &mut logged);
        } else if !is_verdict && failed(text.get(next)) != Some(test) {
            logged.clear();
        }
        out.append(&mut logged);
        next
    }
}

/// `    --- FAIL: TestName/sub (0.00s)`
fn failed(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("--- FAIL: ")?;
    Some(rest.rsplit_once(" (").map_or(rest, |(test, _)| test))
}

fn running(line: &str) -> Option<&str> {
    line.strip_prefix("=== RUN   ").or_else(|| line.strip_prefix("=== NAME  ")).map(str::trim)
}

/// `FAIL`, the package and the time, with tabs between
fn package(line: &str) -> Option<&str> {
    let mut words =
        line.strip_prefix("FAIL\t").or_else(|| line.strip_prefix("ok  \t"))?.split(['\t', ' ']);
    words.next().filter(|package| !package.is_empty())
}

/// `    queue_test.go:18: message`
fn log(line: &str) -> Option<(&str, u32, &str)> {
    let place = leading(line.trim_start()).filter(|_| indent(line) >= 4)?;
    let is_bare = has_ending(place.path, &["go"]) && !place.path.contains([' ', '\t']);
    (is_bare && place.col.is_none()).then_some((place.path, place.line, place.rest))
}

fn read_log(
    text: &Text,
    at: usize,
    (file, line, message): (&str, u32, &str),
    test: &str,
    out: &mut Vec<Finding>,
) -> usize {
    let mut next = at + 1;
    let depth = indent(text.get(at));
    let mut notes = Vec::new();
    while text.has(next) && indent(text.get(next)) > depth && failed(text.get(next)).is_none() {
        notes.push(text.get(next).trim().to_owned());
        next += 1;
    }
    // testify leaves the first line empty and has the message in a field.
    let field = notes.iter().find_map(|note| note.strip_prefix("Error:")).map(str::trim);
    let message = if message.trim().is_empty() { field.unwrap_or_default() } else { message };
    let mut finding = Finding::new(FORMAT, "go test", Severity::Error, message)
        .at(Spot::new(file, Some(line), None))
        .unit(ColumnUnit::Byte);
    finding.notes = notes;
    finding.test = Some(test.to_owned());
    out.push(finding);
    next
}

fn is_trace(text: &Text, at: usize) -> bool {
    (at + 1..at + 12).any(|at| text.get(at).starts_with("goroutine "))
}

/// A panic and the stack of the goroutine that it happened in.
fn panic(text: &Text, at: usize, test: Option<&str>, out: &mut Vec<Finding>) -> usize {
    let message = text.get(at).strip_prefix("panic: ").unwrap_or_default();
    let message = message.split(" [recovered").next().unwrap_or(message);
    let mut finding =
        Finding::new(FORMAT, "go test", Severity::Error, message).unit(ColumnUnit::Byte);
    finding.test = test.map(str::to_owned);
    let mut next = at + 1;
    while text.has(next) && !text.get(next).starts_with("goroutine ") && next < at + 40 {
        next += 1;
    }
    let mut name = "";
    next += 1;
    while text.has(next) && !text.get(next).trim().is_empty() && package(text.get(next)).is_none() {
        let line = text.get(next);
        if let Some(place) = line.strip_prefix('\t') {
            let place = place.split(" +0x").next().unwrap_or(place);
            if let Some((path, row, col)) = trailing(place.trim()) {
                finding.frames.push(Spot::new(path, Some(row), col).saying(format!("at {name}")));
            }
        } else if line == "FAIL" || line.starts_with("exit status") {
            break;
        } else {
            name = line.rsplit_once('(').map_or(line, |(name, _)| name);
        }
        next += 1;
    }
    out.push(finding);
    next
}

pub(super) struct GoTestJson;

impl ToolReader for GoTestJson {
    fn format(&self) -> Format {
        JSON
    }

    fn sniff(&self, text: &Text, at: usize) -> bool {
        known(text, at, is_event).is_some()
    }

    fn read(&self, text: &Text, at: usize, out: &mut Vec<Finding>) -> usize {
        let mut events = Vec::new();
        let mut next = at;
        while let Some((values, after)) = known(text, next, is_event) {
            events.extend(values);
            next = after;
        }
        read_events(&events, out);
        next
    }
}

fn is_event(value: &Value) -> bool {
    value["Action"].is_string() && (value["Package"].is_string() || value["ImportPath"].is_string())
}

/// Puts the output of each failed test together, in the order in which they spoke first.
fn read_events(events: &[&Value], out: &mut Vec<Finding>) {
    let key =
        |event: &Value| (string(event, "Package").to_owned(), string(event, "Test").to_owned());
    let failed: BTreeSet<_> =
        events.iter().filter(|event| event["Action"] == "fail").map(|event| key(event)).collect();
    let has_types = events.iter().any(|event| event["OutputType"].is_string());
    let mut order: Vec<(String, String)> = Vec::new();
    let mut texts: BTreeMap<(String, String), String> = BTreeMap::new();
    for event in events.iter().filter(|event| event["Action"] == "output") {
        let key = key(event);
        let kind = string(event, "OutputType");
        let output = string(event, "Output");
        // A line of a log is not a failure where the kinds of output are told.
        let is_said =
            !has_types || kind.starts_with("error") || kind.is_empty() && log(output).is_none();
        if !failed.contains(&key) || !is_said || key.1.is_empty() {
            continue;
        }
        if !texts.contains_key(&key) {
            order.push(key.clone());
        }
        texts.entry(key).or_default().push_str(output);
    }
    for key in order {
        let text = Text::part(&texts[&key]);
        let before = out.len();
        let mut at = 0;
        while text.has(at) {
            at = match log(text.get(at)) {
                Some(found) => read_log(&text, at, found, &key.1, out),
                None if text.get(at).starts_with("panic: ") => panic(&text, at, Some(&key.1), out),
                None => at + 1,
            };
        }
        for finding in &mut out[before..] {
            finding.format = JSON.name();
            finding.package = Some(key.0.clone());
        }
    }
}
