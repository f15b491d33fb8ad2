//! Java's compiler: its own output, and through Maven.

use super::lines::LogText;
use super::parse::{has_ending, indent, is_path, leading, number};
use super::tool_diagnostic::{ColumnUnit, Excerpt, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("javac");

pub(super) struct Javac;

impl ToolReader for Javac {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        plain(text.get(at)).is_some() || maven(text.get(at)).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        if let Some(finding) = maven(text.get(at)) {
            // Maven's summary repeats the same lines.
            if !out.iter().rev().take(LOOKED_BACK).any(|known| *known == finding) {
                out.push(finding);
            }
            return at + 1;
        }
        let Some(mut finding) = plain(text.get(at)) else { return at };
        let mut next = at + 1;
        if text.get(at + 2).trim() == "^" {
            let source = text.get(at + 1);
            finding.excerpt = Some(Excerpt { text: source.to_owned(), trimmed: false });
            if let Some(place) = &mut finding.place {
                place.col = u32::try_from(indent(text.get(at + 2)) + 1).ok();
            }
            next = at + 3;
        }
        // `  symbol:   class Cart`
        while text.get(next).starts_with("  ") && text.get(next).contains(": ") {
            finding.notes.push(text.get(next).trim().to_owned());
            next += 1;
        }
        out.push(finding);
        next
    }
}

/// How many earlier diagnostics are compared to find a repeated one.
const LOOKED_BACK: usize = 100;

fn is_code(path: &str) -> bool {
    is_path(path) && has_ending(path, &["java", "kt", "scala", "groovy"])
}

/// `path.java:5: error: message`
fn plain(line: &str) -> Option<ToolDiagnostic> {
    let place = leading(line).filter(|place| place.end.is_none() && is_code(place.path))?;
    let (word, message) = place.rest.split_once(": ")?;
    matches!(word, "error" | "warning").then(|| {
        let spot = PrintedLocation::new(place.path, Some(place.line), place.col);
        ToolDiagnostic::new(FORMAT, "javac", Severity::of(word), message)
            .at(spot)
            .unit(ColumnUnit::Utf16)
    })
}

/// `[ERROR] path.java:[5,20] message`
fn maven(line: &str) -> Option<ToolDiagnostic> {
    let (severity, rest) = [("[ERROR] ", Severity::Error), ("[WARNING] ", Severity::Warning)]
        .into_iter()
        .find_map(|(level, severity)| Some((severity, line.strip_prefix(level)?)))
        .unwrap_or((Severity::Error, line));
    let (path, rest) = rest.split_once(":[")?;
    let (row, rest) = number(rest)?;
    let (col, rest) = number(rest.strip_prefix(',')?)?;
    let message = rest.strip_prefix(']')?.trim();
    is_code(path).then(|| {
        let spot = PrintedLocation::new(path, Some(row), Some(col));
        ToolDiagnostic::new(FORMAT, "javac", severity, message).at(spot)
    })
}
