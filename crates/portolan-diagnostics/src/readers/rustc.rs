//! rustc, cargo and clippy: their text for people.

use super::lines::LogText;
use super::parse::{has_ending, is_path, leading, number, trailing};
use super::tool_diagnostic::{ColumnUnit, Excerpt, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

pub(super) const FORMAT: Format = Format("rustc");

pub(super) struct Rustc;

impl ToolReader for Rustc {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        header(text.get(at)).is_some() || short(text.get(at)).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        if let Some(finding) = short(text.get(at)) {
            out.push(finding);
            return at + 1;
        }
        let Some((severity, code, message)) = header(text.get(at)) else { return at };
        let mut finding = ToolDiagnostic::new(FORMAT, "cargo", severity, message)
            .code(code)
            .unit(ColumnUnit::CodePoint);
        let mut next = at + 1;
        let mut label = String::new();
        while text.has(next) && !text.get(next).trim().is_empty() {
            let line = text.get(next);
            if header(line).is_some() && finding.place.is_some() {
                break;
            }
            next += 1;
            if let Some(spot) = arrow(line) {
                if finding.place.is_none() {
                    finding.place = Some(spot);
                } else if !spot.file.starts_with("/rustc/") {
                    finding.related.push(spot.with_message(label.clone()));
                }
                continue;
            }
            if let Some(note) = line.strip_prefix("note: ").or_else(|| line.strip_prefix("help: "))
            {
                note.trim().clone_into(&mut label);
            }
            excerpt(line, &mut finding);
            lint(line, &label, &mut finding);
            advice(line, &mut finding);
            if finding.place.is_none() && !line.starts_with(' ') {
                break;
            }
        }
        if finding.place.is_none() {
            return if is_build_message(&finding) {
                if is_old_compiler(message) {
                    finding.notes = listed_below(text, at);
                }
                out.push(finding);
                at + 1
            } else {
                // A summary, or a message from another program: recognized, but not a diagnostic.
                at + usize::from(is_summary_line(message))
            };
        }
        if finding.code.as_deref().is_some_and(|code| code.starts_with("clippy::")) {
            "clippy".clone_into(&mut finding.tool);
        }
        out.push(finding);
        next
    }
}

/// `error[E0432]: message`, `warning: message`
fn header(line: &str) -> Option<(Severity, Option<&str>, &str)> {
    let (severity, rest) = [("error", Severity::Error), ("warning", Severity::Warning)]
        .into_iter()
        .find_map(|(word, severity)| line.strip_prefix(word).map(|rest| (severity, rest)))?;
    let (code, rest) = match rest.strip_prefix('[') {
        Some(coded) => coded.split_once(']').map(|(code, rest)| (Some(code), rest))?,
        None => (None, rest),
    };
    let message =
        rest.strip_prefix(": ").or_else(|| rest.strip_prefix(": internal compiler error: "))?;
    Some((severity, code, message))
}

/// `path.rs:1:5: error[E0432]: message`, the whole diagnostic with `--message-format short`.
fn short(line: &str) -> Option<ToolDiagnostic> {
    let place =
        leading(line).filter(|place| has_ending(place.path, &["rs"]) && is_path(place.path))?;
    let (severity, code, message) = header(place.rest)?;
    let spot = PrintedLocation::new(place.path, Some(place.line), Some(place.col?));
    let finding = ToolDiagnostic::new(FORMAT, "cargo", severity, message).code(code).at(spot);
    Some(finding.unit(ColumnUnit::CodePoint))
}

fn is_summary_line(message: &str) -> bool {
    ["could not compile", "aborting due to", "test failed", "build failed", "process didn't exit"]
        .iter()
        .any(|sum| message.starts_with(sum))
        || message.contains(" generated ")
        || message.ends_with("warnings emitted")
        || message.ends_with("warning emitted")
}

/// Whether cargo says this about a whole build.
fn is_build_message(finding: &ToolDiagnostic) -> bool {
    finding.severity == Severity::Error
        && (finding.code.is_some()
            || [
                "linking with ",
                "failed to parse manifest",
                "failed to load manifest",
                "failed to select a version",
                "failed to run custom build command",
                "no matching package",
                "toolchain '",
            ]
            .iter()
            .any(|start| finding.message.starts_with(start))
            || is_old_compiler(&finding.message))
}

/// Whether cargo says that packages need a newer compiler: `rustc 1.95.0 is not supported by the following packages:`, and the
/// packages below it; or `package `a v1` cannot be built because it requires rustc 1.96`.
fn is_old_compiler(message: &str) -> bool {
    message.starts_with("rustc ") && message.contains(" is not supported by the following package")
        || message.starts_with("package `") && message.contains(" requires rustc ")
}

/// The lines below a message, each once.
fn listed_below(text: &LogText, at: usize) -> Vec<String> {
    let lines = (at + 1..text.len()).map(|at| text.get(at));
    let listed = lines.take_while(|line| line.starts_with("  ")).map(|line| line.trim().to_owned());
    let mut listed: Vec<String> = listed.take(MOST_LISTED).collect();
    listed.dedup();
    listed
}

/// The most lines that are read below a message.
const MOST_LISTED: usize = 20;

/// `  --> path:line:col`, and `  ::: path:line:col` for another file.
pub(super) fn arrow(line: &str) -> Option<PrintedLocation> {
    let line = line.trim_start();
    let place = line.strip_prefix("--> ").or_else(|| line.strip_prefix("::: "))?;
    let (path, row, col) = trailing(place.trim())?;
    Some(PrintedLocation::new(path, Some(row), Some(col?)))
}

/// Keeps the source line of the location: `12 | code`.
pub(super) fn excerpt(line: &str, finding: &mut ToolDiagnostic) {
    if finding.excerpt.is_some() {
        return;
    }
    let row = finding.place.as_ref().and_then(|place| place.line);
    let Some((_, source)) = number(line.trim_start()).filter(|(number, _)| Some(*number) == row)
    else {
        return;
    };
    if let Some(text) = source.strip_prefix(" |") {
        let text = text.strip_prefix(' ').unwrap_or(text).to_owned();
        finding.excerpt = Some(Excerpt { text, trimmed: false });
    }
}

/// Keeps the compiler's advice: `help: there is a method `b` with a similar name`.
fn advice(line: &str, finding: &mut ToolDiagnostic) {
    let line = line.trim_start();
    let advice = ["help: ", "= help: "].iter().find_map(|start| line.strip_prefix(start));
    let is_specific = |advice: &&str| !advice.starts_with("for further information");
    finding.notes.extend(advice.filter(is_specific).map(|advice| advice.trim().to_owned()));
}

/// A note has the name of the lint: it says how the level was set, or where to read about it.
fn lint(line: &str, label: &str, finding: &mut ToolDiagnostic) {
    let note = line.trim_start();
    let set = note.strip_prefix("= note: ").or_else(|| {
        // Below "the lint level is defined here" is the attribute itself.
        label
            .starts_with("the lint level is defined")
            .then(|| note.split_once("| ").map_or("", |(_, text)| text))
    });
    if let Some(set) = set {
        let attribute = ["#[warn(", "#[deny(", "#[forbid(", "#![warn(", "#![deny(", "#![forbid("]
            .iter()
            .find_map(|open| set.split_once(open))
            .and_then(|(_, rest)| rest.split_once(')'))
            .map(|(name, _)| name.trim().to_owned())
            .filter(|name| !name.contains(','));
        let flag = || {
            let (_, rest) =
                ["`-D ", "`-W ", "`-F "].iter().find_map(|open| set.split_once(open))?;
            rest.split_once('`').map(|(name, _)| name.replace('-', "_"))
        };
        if let Some(name) = attribute.or_else(flag)
            && (finding.code.is_none() || note.starts_with("= note"))
            && !matches!(finding.code.as_deref(), Some(code) if code.starts_with('E'))
        {
            finding.code = Some(name);
        }
    }
    if finding.code.is_none()
        && let Some((_, name)) =
            note.split_once("rust-clippy/").and_then(|(_, rest)| rest.split_once('#'))
    {
        finding.code = Some(format!("clippy::{}", name.trim()));
    }
}
