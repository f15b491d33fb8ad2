//! Failed tests and panics of Rust programs, with their backtraces.

use super::lines::LogText;
use super::parse::{is_path, number, trailing};
use super::tool_diagnostic::{ColumnUnit, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

pub(super) const FORMAT: Format = Format("cargo-test");

pub(super) struct CargoTest;

impl ToolReader for CargoTest {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        Panic::start(text, at).is_some() || section(text.get(at)).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        match Panic::start(text, at) {
            Some(panic) => panic.read(text, out),
            None => match section(text.get(at)) {
                Some(test) => without_panic(text, at, test, out),
                None => at,
            },
        }
    }
}

/// `---- tests::name stdout ----`
fn section(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

/// `src/lib.rs - name (line 5)`. Rust compiles the example into a program of its own, which may
/// have another path.
fn doctest(test: &str) -> Option<PrintedLocation> {
    let (path, rest) = test.split_once(" - ").filter(|(path, _)| is_path(path))?;
    let (_, line) = rest.strip_suffix(')')?.rsplit_once("(line ")?;
    Some(PrintedLocation::new(path, Some(number(line)?.0), None))
}

/// A test that failed without a panic: it returned an error, or did not panic as it should. Returns
/// the line after the header; other readers read the rest.
fn without_panic(text: &LogText, at: usize, test: &str, out: &mut Vec<ToolDiagnostic>) -> usize {
    let end = (at + 1..text.len())
        .find(|&at| section(text.get(at)).is_some() || text.get(at) == "failures:")
        .unwrap_or(text.len());
    if let Some(start) = (at + 1..end).find(|&at| Panic::start(text, at).is_some()) {
        return match (doctest(test), Panic::start(text, start)) {
            (Some(place), Some(panic)) => {
                let next = panic.read(text, out);
                if let Some(finding) = out.last_mut() {
                    "cargo test".clone_into(&mut finding.tool);
                    finding.test = Some(test.to_owned());
                    finding.fallback = Some(place);
                }
                next
            }
            _ => at + 1,
        };
    }
    for line in at + 1..end {
        let line = text.get(line);
        let finding = if let Some(message) = line.strip_prefix("Error: ") {
            Some(ToolDiagnostic::new(FORMAT, "cargo test", Severity::Error, message))
        } else {
            line.strip_prefix("note: ").filter(|note| note.contains("did not panic")).map(|note| {
                let (message, place) = note.rsplit_once(" at ").unwrap_or((note, ""));
                let finding = ToolDiagnostic::new(FORMAT, "cargo test", Severity::Error, message);
                match trailing(place) {
                    Some((path, row, col)) => {
                        finding.at(PrintedLocation::new(path, Some(row), col))
                    }
                    None => finding,
                }
            })
        };
        if let Some(mut finding) = finding {
            finding.test = Some(test.to_owned());
            out.push(finding.unit(ColumnUnit::CodePoint));
            return end;
        }
    }
    at + 1
}

struct Panic<'t> {
    thread: &'t str,
    place: PrintedLocation,
    message: String,
    next: usize,
}

impl<'t> Panic<'t> {
    /// `thread 'name' (123) panicked at path:1:2:`, with the message on the next line. Up to Rust
    /// 1.72: `thread 'name' panicked at 'message', path:1:2`.
    fn start(text: &'t LogText, at: usize) -> Option<Self> {
        let line = text.get(at).trim_start();
        let (thread, rest) = line.strip_prefix("thread '")?.split_once("' ")?;
        let (_, rest) = rest.split_once("panicked at ").filter(|(id, _)| id.len() < 24)?;
        if let Some(place) = rest.strip_suffix(':')
            && let Some((path, row, col)) = trailing(place)
        {
            let message = text.get(at + 1).trim().to_owned();
            return Some(Self {
                thread,
                place: PrintedLocation::new(path, Some(row), col),
                message,
                next: at + 2,
            });
        }
        let (message, place) = rest.rsplit_once(", ")?;
        let (path, row, col) = trailing(place)?;
        let message = message.trim_matches('\'').to_owned();
        Some(Self {
            thread,
            place: PrintedLocation::new(path, Some(row), col),
            message,
            next: at + 1,
        })
    }

    fn read(self, text: &LogText, out: &mut Vec<ToolDiagnostic>) -> usize {
        let is_test = self.thread != "main" && self.thread != "<unnamed>";
        let tool = if is_test { "cargo test" } else { "rust" };
        let mut finding = ToolDiagnostic::new(FORMAT, tool, Severity::Error, &self.message);
        finding.unit = ColumnUnit::CodePoint;
        finding.test = is_test.then(|| self.thread.to_owned());
        finding.frames.push(self.place);
        let mut next = self.next;
        // The rest of the message, up to the start of the backtrace.
        while text.has(next) && finding.notes.len() < 40 && !is_end(text.get(next)) {
            finding.notes.push(text.get(next).trim_end().to_owned());
            next += 1;
        }
        if text.get(next) == "stack backtrace:" {
            next = backtrace(text, next + 1, &mut finding);
        }
        out.push(finding);
        next
    }
}

fn is_end(line: &str) -> bool {
    line.trim().is_empty()
        || line == "stack backtrace:"
        || line.starts_with("note: ")
        || line.starts_with("thread '")
        || section(line).is_some()
}

/// `   2: name`, and `             at ./path:1:2` below it.
fn backtrace(text: &LogText, at: usize, finding: &mut ToolDiagnostic) -> usize {
    let mut next = at;
    let mut name = "";
    while text.has(next) && text.get(next).starts_with(' ') {
        let line = text.get(next).trim();
        if let Some(place) = line.strip_prefix("at ") {
            if let Some((path, row, col)) = trailing(place) {
                let path = path.strip_prefix("./").unwrap_or(path);
                let spot =
                    PrintedLocation::new(path, Some(row), col).with_message(format!("at {name}"));
                let is_known = finding.frames.iter().any(|known| {
                    known.file == spot.file && known.line == spot.line && known.col == spot.col
                });
                if !is_known {
                    finding.frames.push(spot);
                }
            }
        } else {
            name = line.split_once(": ").map_or(line, |(_, name)| name);
        }
        next += 1;
    }
    next
}
