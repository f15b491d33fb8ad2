//! `go test`: text, and JSON events, which are the same lines with their test and package.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::go::GoBuild;
use super::json::{known, string};
use super::lines::LogText;
use super::parse::{has_ending, indent, leading, trailing};
use super::tool_diagnostic::{Cause, ColumnUnit, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("go-test");
const JSON: Format = Format("go-test-json");

pub(super) struct GoTest;

impl ToolReader for GoTest {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        let line = text.get(at);
        verdict(line).is_some()
            || package(line).is_some()
            || running(line).is_some()
            || is_race(text, at)
            || is_panic(text, at)
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let line = text.get(at);
        if let Some(package) = package(line) {
            let unplaced = |finding: &&mut ToolDiagnostic| {
                finding.format == FORMAT.name() && finding.package.is_none()
            };
            for finding in out.iter_mut().rev().take_while(unplaced) {
                finding.package = Some(package.to_owned());
            }
            return at + 1;
        }
        let mut run = GoTestRun::default();
        let next = run.read(text, at);
        let GoTestRun { diagnostics, failed, .. } = run;
        let is_failed_or_other =
            |(test, _): &(Option<&str>, ToolDiagnostic)| test.is_none_or(|it| failed.contains(it));
        out.extend(diagnostics.into_iter().filter(is_failed_or_other).map(|(_, finding)| finding));
        next
    }
}

/// The output of tests. With `-v` the lines come before the verdict and those of several tests are
/// mixed; a marker names the test.
#[derive(Default)]
struct GoTestRun<'t> {
    test: Option<&'t str>,
    failed: BTreeSet<&'t str>,
    /// The diagnostics, with the test that printed each.
    diagnostics: Vec<(Option<&'t str>, ToolDiagnostic)>,
}

/// With `-v` tests print anything; this many unknown lines are skipped.
const PRINTED: usize = 1_000;

impl<'t> GoTestRun<'t> {
    /// Returns the line after the last known one.
    fn read(&mut self, text: &'t LogText, at: usize) -> usize {
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
                    after = example(text, after, test, &mut found);
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
            self.diagnostics.extend(found.into_iter().map(|finding| (test, finding)));
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

/// An example that prints something else than it says: the lines below `got:` and `want:`.
fn example(text: &LogText, at: usize, test: &str, out: &mut Vec<ToolDiagnostic>) -> usize {
    if text.get(at) != "got:" {
        return at;
    }
    let is_over = |line: &str| verdict(line).is_some() || running(line).is_some() || line == "FAIL";
    let want = (at + 1..at + PRINTED).find(|&at| text.get(at) == "want:" || !text.has(at));
    let Some(want) = want.filter(|&want| text.has(want)) else { return at };
    let end = (want + 1..text.len()).find(|&at| is_over(text.get(at))).unwrap_or(text.len());
    let message = format!("got: {}, want: {}", text.get(at + 1).trim(), text.get(want + 1).trim());
    let mut finding = ToolDiagnostic::new(FORMAT, "go test", Severity::Error, &message);
    finding.notes = (at..end).take(40).map(|at| text.get(at).to_owned()).collect();
    finding.test = Some(test.to_owned());
    out.push(finding);
    end
}

/// `=== RUN   TestName`: the next lines belong to this test.
fn running(line: &str) -> Option<&str> {
    let (word, test) = line.strip_prefix("=== ")?.split_once(' ')?;
    matches!(word, "RUN" | "NAME" | "CONT" | "PAUSE").then(|| test.trim())
}

/// `FAIL`, the package and the time, separated by tabs.
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
    text: &LogText,
    at: usize,
    (file, line, message): (&str, u32, &str),
    test: &str,
    out: &mut Vec<ToolDiagnostic>,
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
    // The race itself, with its locations, is read from the log.
    if file == "testing.go" && message.starts_with("race detected") {
        return next;
    }
    // testify leaves the first line empty and puts the message in a field.
    let field = notes.iter().find_map(|note| note.strip_prefix("Error:")).map(str::trim);
    let message = if message.trim().is_empty() { field.unwrap_or_default() } else { message };
    let mut finding = ToolDiagnostic::new(FORMAT, "go test", Severity::Error, message)
        .at(PrintedLocation::new(file, Some(line), None))
        .unit(ColumnUnit::Byte);
    finding.notes = notes;
    finding.test = Some(test.to_owned());
    // The library tells a failure of its own, such as a folder that it cannot remove.
    if file == "testing.go" {
        finding.place = None;
    }
    out.push(finding);
    next
}

/// How a dying program starts its report; the stacks of its goroutines follow.
const ENDS: [&str; 2] = ["panic: ", "fatal error: "];

fn ending(line: &str) -> Option<&str> {
    ENDS.iter().find_map(|start| line.strip_prefix(start))
}

fn is_panic(text: &LogText, at: usize) -> bool {
    ending(text.get(at)).is_some()
        && (at + 1..at + 40)
            .take_while(|&at| ending(text.get(at)).is_none())
            .any(|at| text.get(at).starts_with("goroutine "))
}

/// Reads a panic and the stack of its goroutine.
fn panic(text: &LogText, at: usize, test: Option<&str>, out: &mut Vec<ToolDiagnostic>) -> usize {
    let message = ending(text.get(at)).unwrap_or_default();
    let message = message.split(" [recovered").next().unwrap_or(message);
    let mut finding =
        ToolDiagnostic::new(FORMAT, "go test", Severity::Error, message).unit(ColumnUnit::Byte);
    finding.test = test.map(str::to_owned);
    // The timer that fired runs in a goroutine of its own: the others show what took so long.
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

/// Function names, each with its location below, until a blank line.
fn stack(text: &LogText, at: usize, frames: &mut Vec<PrintedLocation>) -> usize {
    let mut name = "";
    let mut next = at;
    while text.has(next) && !text.get(next).trim().is_empty() && package(text.get(next)).is_none() {
        let line = text.get(next);
        let place = line.strip_prefix('\t').or_else(|| line.strip_prefix("      "));
        if let Some(place) = place {
            let place = place.split(" +0x").next().unwrap_or(place);
            // The tool writes the program that runs the tests.
            let own = trailing(place.trim()).filter(|(path, ..)| *path != "_testmain.go");
            if let Some((path, row, col)) = own {
                frames.push(
                    PrintedLocation::new(path, Some(row), col).with_message(format!("at {name}")),
                );
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

fn is_race(text: &LogText, at: usize) -> bool {
    text.get(at) == "WARNING: DATA RACE"
}

/// Reads a data race: two accesses and the origins of their goroutines, each with a stack.
fn race(text: &LogText, at: usize, test: Option<&str>, out: &mut Vec<ToolDiagnostic>) -> usize {
    let mut finding =
        ToolDiagnostic::new(FORMAT, "go test", Severity::Error, "DATA RACE").unit(ColumnUnit::Byte);
    finding.test = test.map(str::to_owned);
    let mut next = at + 1;
    let mut is_first = true;
    while text.has(next) && !text.get(next).starts_with("====") {
        let line = text.get(next);
        next += 1;
        let Some(message) = line.strip_suffix(':').filter(|_| !line.starts_with(' ')) else {
            // Unknown text means that the report was cut off.
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

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        known(text, at, is_event).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
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

/// The package and the test of an event; the test is empty for the package itself.
fn key(event: &Value) -> (String, String) {
    (string(event, "Package").to_owned(), string(event, "Test").to_owned())
}

/// The tests that failed, and those that a dying program never finished.
fn failed_tests(events: &[&Value]) -> BTreeSet<(String, String)> {
    let with = |actions: &[&str]| -> BTreeSet<(String, String)> {
        let is_one = |event: &&&Value| actions.contains(&string(event, "Action"));
        events.iter().filter(is_one).map(|event| key(event)).collect()
    };
    let mut failed = with(&["fail"]);
    let ended = with(&["fail", "pass", "skip"]);
    let has_failed =
        |(package, _): &(String, String)| failed.contains(&(package.clone(), String::new()));
    let cut_off: Vec<_> =
        with(&["run"]).into_iter().filter(|it| !ended.contains(it) && has_failed(it)).collect();
    failed.extend(cut_off);
    failed
}

/// Joins the output of each failed test, in the order of their first output.
fn read_events(events: &[&Value], out: &mut Vec<ToolDiagnostic>) {
    let failed = failed_tests(events);
    let has_types = events.iter().any(|event| event["OutputType"].is_string());
    let mut order: Vec<(String, String)> = Vec::new();
    let mut texts: BTreeMap<(String, String), String> = BTreeMap::new();
    for event in events.iter().filter(|event| event["Action"] == "output") {
        let key = key(event);
        let kind = string(event, "OutputType");
        let output = string(event, "Output");
        // If events mark the kind of output, a log line is not a failure.
        let is_output =
            !has_types || kind.starts_with("error") || kind.is_empty() && log(output).is_none();
        if !failed.contains(&key) || !is_output {
            continue;
        }
        if !texts.contains_key(&key) {
            order.push(key.clone());
        }
        texts.entry(key).or_default().push_str(output);
    }
    read_builds(events, out);
    for key in order {
        let before = out.len();
        read_test(&LogText::part(&texts[&key]), &key.1, out);
        for finding in &mut out[before..] {
            finding.format = JSON.name();
            finding.package = Some(key.0.clone());
        }
    }
}

/// Reads the output of one test. Outside of tests a program can only die.
fn read_test(text: &LogText, test: &str, out: &mut Vec<ToolDiagnostic>) {
    let named = Some(test).filter(|test| !test.is_empty());
    let mut at = 0;
    while text.has(at) {
        at = match (log(text.get(at)), named) {
            (Some(found), Some(test)) => read_log(text, at, found, test, out),
            _ if is_panic(text, at) => panic(text, at, named, out),
            _ if is_race(text, at) => race(text, at, named, out),
            (None, Some(test)) if text.get(at) == "got:" => {
                example(text, at, test, out).max(at + 1)
            }
            _ => at + 1,
        };
    }
}

/// Reads the compiler's output for packages that failed to build. It has full paths, so the package
/// is not needed.
fn read_builds(events: &[&Value], out: &mut Vec<ToolDiagnostic>) {
    let is_output = |event: &&&Value| event["Action"] == "build-output";
    let output: String =
        events.iter().filter(is_output).map(|event| string(event, "Output")).collect();
    let text = LogText::part(&output);
    let before = out.len();
    let mut at = 0;
    while text.has(at) {
        at = if GoBuild.sniff(&text, at) {
            GoBuild.read(&text, at, out).max(at + 1)
        } else {
            at + 1
        };
    }
    for finding in &mut out[before..] {
        finding.format = JSON.name();
    }
}
