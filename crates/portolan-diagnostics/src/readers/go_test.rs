//! `go test`: its text, and its events as JSON, which are the same lines with their test and package.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::finding::{Cause, ColumnUnit, Finding, Severity, Spot};
use super::go::Go;
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
        verdict(line).is_some()
            || package(line).is_some()
            || running(line).is_some()
            || is_race(text, at)
            || is_panic(text, at)
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
        let mut run = Run::default();
        let next = run.read(text, at);
        let Run { said, failed, .. } = run;
        let is_told =
            |(test, _): &(Option<&str>, Finding)| test.is_none_or(|it| failed.contains(it));
        out.extend(said.into_iter().filter(is_told).map(|(_, finding)| finding));
        next
    }
}

/// The output of tests. With `-v` their lines come before the verdict, and those of several tests are
/// mixed; a marker says whose they are.
#[derive(Default)]
struct Run<'t> {
    test: Option<&'t str>,
    failed: BTreeSet<&'t str>,
    /// What was said, and by which test.
    said: Vec<(Option<&'t str>, Finding)>,
}

/// With `-v` tests print whatever they like; so many lines of it are passed over.
const PRINTED: usize = 1_000;

impl<'t> Run<'t> {
    /// Answers the line after the last that is known.
    fn read(&mut self, text: &'t Text, at: usize) -> usize {
        let mut is_verbose = false;
        let (mut next, mut end) = (at, at);
        while text.has(next) && next - end <= PRINTED {
            let line = text.get(next);
            let mut found = Vec::new();
            let mut after = next + 1;
            if let Some(test) = running(line) {
                is_verbose = true;
                self.test = Some(test);
            } else if let Some((test, has_failed)) = verdict(line) {
                self.test = Some(test);
                if has_failed {
                    self.failed.insert(test);
                }
            } else if is_race(text, next) {
                after = race(text, next, self.test, &mut found);
            } else if is_panic(text, next) {
                after = panic(text, next, self.test, &mut found);
                self.failed.extend(self.test);
            } else if let Some((log, test)) = log(line).zip(self.test) {
                after = read_log(text, next, log, test, &mut found);
            } else if package(line).is_some() || !is_verbose {
                break;
            } else {
                next += 1;
                continue;
            }
            let test = self.test;
            self.said.extend(found.into_iter().map(|finding| (test, finding)));
            next = after;
            end = after;
        }
        end
    }
}

/// `    --- FAIL: TestName/sub (0.00s)`, and whether it failed.
fn verdict(line: &str) -> Option<(&str, bool)> {
    let rest = line.trim_start().strip_prefix("--- ")?;
    let (word, rest) = rest.split_once(": ")?;
    let test = rest.rsplit_once(" (").map_or(rest, |(test, _)| test);
    matches!(word, "FAIL" | "PASS" | "SKIP").then_some((test, word == "FAIL"))
}

/// `=== RUN   TestName`: what follows is of this test.
fn running(line: &str) -> Option<&str> {
    let (word, test) = line.strip_prefix("=== ")?.split_once(' ')?;
    matches!(word, "RUN" | "NAME" | "CONT" | "PAUSE").then(|| test.trim())
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
    let is_deeper = |at: usize| indent(text.get(at)) > depth && verdict(text.get(at)).is_none();
    while text.has(next)
        && (is_deeper(next) || text.get(next).trim().is_empty() && is_deeper(next + 1))
    {
        notes.push(text.get(next).trim().to_owned());
        next += 1;
    }
    // Whoever reads the log has the race itself, with its places.
    if file == "testing.go" && message.starts_with("race detected") {
        return next;
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

/// How a program says that it ends, with the stacks of its goroutines below.
const ENDS: [&str; 2] = ["panic: ", "fatal error: "];

fn ending(line: &str) -> Option<&str> {
    ENDS.iter().find_map(|start| line.strip_prefix(start))
}

fn is_panic(text: &Text, at: usize) -> bool {
    ending(text.get(at)).is_some()
        && (at + 1..at + 40)
            .take_while(|&at| ending(text.get(at)).is_none())
            .any(|at| text.get(at).starts_with("goroutine "))
}

/// A panic and the stack of the goroutine that it happened in.
fn panic(text: &Text, at: usize, test: Option<&str>, out: &mut Vec<Finding>) -> usize {
    let message = ending(text.get(at)).unwrap_or_default();
    let message = message.split(" [recovered").next().unwrap_or(message);
    let mut finding =
        Finding::new(FORMAT, "go test", Severity::Error, message).unit(ColumnUnit::Byte);
    finding.test = test.map(str::to_owned);
    // The clock that ran out is in a goroutine of its own: the others tell what took so long.
    let is_late = message.starts_with("test timed out");
    let mut next = at + 1;
    while text.has(next) && !text.get(next).starts_with("goroutine ") && next < at + 40 {
        let running = text.get(next).strip_prefix("\t\t").filter(|_| is_late);
        let running = running.and_then(|test| test.rsplit_once(" (")).map(|(test, _)| test);
        finding.test = finding.test.or_else(|| running.map(str::to_owned));
        next += 1;
    }
    next = stack(text, next + 1, &mut finding.frames);
    while is_late && text.get(next).trim().is_empty() && is_goroutine(text.get(next + 1)) {
        next = stack(text, next + 2, &mut finding.frames);
    }
    out.push(finding);
    next
}

fn is_goroutine(line: &str) -> bool {
    line.starts_with("goroutine ") && line.ends_with("]:")
}

/// The name of a function, and its place below, until a blank line.
fn stack(text: &Text, at: usize, frames: &mut Vec<Spot>) -> usize {
    let mut name = "";
    let mut next = at;
    while text.has(next) && !text.get(next).trim().is_empty() && package(text.get(next)).is_none() {
        let line = text.get(next);
        let place = line.strip_prefix('\t').or_else(|| line.strip_prefix("      "));
        if let Some(place) = place {
            let place = place.split(" +0x").next().unwrap_or(place);
            if let Some((path, row, col)) = trailing(place.trim()) {
                frames.push(Spot::new(path, Some(row), col).saying(format!("at {name}")));
            }
        } else if line == "FAIL" || line.starts_with("exit status") || line.starts_with("====") {
            break;
        } else {
            name = line.rsplit_once('(').map_or(line, |(name, _)| name).trim();
        }
        next += 1;
    }
    next
}

fn is_race(text: &Text, at: usize) -> bool {
    text.get(at) == "WARNING: DATA RACE"
}

/// Two accesses and where their goroutines come from, each with a stack.
fn race(text: &Text, at: usize, test: Option<&str>, out: &mut Vec<Finding>) -> usize {
    let mut finding =
        Finding::new(FORMAT, "go test", Severity::Error, "DATA RACE").unit(ColumnUnit::Byte);
    finding.test = test.map(str::to_owned);
    let mut next = at + 1;
    let mut is_first = true;
    while text.has(next) && !text.get(next).starts_with("====") {
        let line = text.get(next);
        next += 1;
        let Some(message) = line.strip_suffix(':').filter(|_| !line.starts_with(' ')) else {
            // Other words: the tool was cut off.
            if line.trim().is_empty() {
                continue;
            }
            break;
        };
        let mut frames = Vec::new();
        next = stack(text, next, &mut frames);
        if is_first {
            finding.frames = frames;
        } else {
            finding.causes.push(Cause { message: message.to_owned(), frames });
        }
        finding.notes.push(message.to_owned());
        is_first = false;
    }
    out.push(finding);
    next + usize::from(text.get(next).starts_with("===="))
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
    read_builds(events, out);
    for key in order {
        let text = Text::part(&texts[&key]);
        let before = out.len();
        let mut at = 0;
        while text.has(at) {
            at = match log(text.get(at)) {
                Some(found) => read_log(&text, at, found, &key.1, out),
                None if is_panic(&text, at) => panic(&text, at, Some(&key.1), out),
                None if is_race(&text, at) => race(&text, at, Some(&key.1), out),
                None => at + 1,
            };
        }
        for finding in &mut out[before..] {
            finding.format = JSON.name();
            finding.package = Some(key.0.clone());
        }
    }
}

/// What the compiler said of the packages that were not built. It names paths, so the package is not asked.
fn read_builds(events: &[&Value], out: &mut Vec<Finding>) {
    let is_said = |event: &&&Value| event["Action"] == "build-output";
    let said: String = events.iter().filter(is_said).map(|event| string(event, "Output")).collect();
    let text = Text::part(&said);
    let before = out.len();
    let mut at = 0;
    while text.has(at) {
        at = if Go.sniff(&text, at) { Go.read(&text, at, out).max(at + 1) } else { at + 1 };
    }
    for finding in &mut out[before..] {
        finding.format = JSON.name();
    }
}
