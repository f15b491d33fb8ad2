//! TypeScript's compiler (`tsc`, `vue-tsc`), 5.x and 7.x: plain and pretty output, and builds.

use super::lines::LogText;
use super::parse::{has_ending, number, split_runner, trailing};
use super::tool_diagnostic::{ColumnUnit, Excerpt, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("tsc");

pub(super) struct Tsc;

impl ToolReader for Tsc {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        let line = text.get(at);
        line.contains(" TS") && header(line).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let Some((mut finding, is_pretty)) = header(text.get(at)) else { return at };
        let mut next = at + 1;
        while text.has(next) && text.get(next).starts_with("  ") {
            finding.notes.push(text.get(next).trim_end().to_owned());
            next += 1;
        }
        if is_pretty {
            next = frame(text, next, &mut finding);
        }
        out.push(finding);
        next
    }
}

/// The first line of a diagnostic, and whether the output is pretty.
pub(super) fn header(line: &str) -> Option<(ToolDiagnostic, bool)> {
    let mut from = 0;
    while let Some(found) = line[from..].find(" TS") {
        let mark = from + found;
        from = mark + 3;
        let Some((code, rest)) = number(&line[from..]) else { continue };
        let Some(message) = rest.strip_prefix(':') else { continue };
        let Some((before, word)) = line[..mark].rsplit_once(' ').or(Some(("", &line[..mark])))
        else {
            continue;
        };
        if !matches!(word, "error" | "warning" | "message" | "suggestion") {
            continue;
        }
        let severity = if word == "suggestion" { Severity::Hint } else { Severity::of(word) };
        let finding =
            ToolDiagnostic::new(FORMAT, "tsc", severity, message).code(Some(format!("TS{code}")));
        if before.is_empty() {
            return Some((finding, false));
        }
        let (spot, is_pretty) = match before.strip_suffix(':') {
            Some(place) => (in_brackets(place)?, false),
            None => (with_colons(before.strip_suffix(" -")?)?, true),
        };
        let (path, folder) = split_runner(&spot.file);
        let mut finding = finding.at(PrintedLocation { file: path.to_owned(), ..spot.clone() });
        if has_ending(path, &["vue"]) {
            "vue-tsc".clone_into(&mut finding.tool);
        }
        finding.folder = folder.map(str::to_owned);
        return Some((finding.unit(ColumnUnit::Utf16), is_pretty));
    }
    None
}

/// `path(line,col)`: the last brackets, because a path may contain some too.
fn in_brackets(place: &str) -> Option<PrintedLocation> {
    let (path, numbers) = place.strip_suffix(')')?.rsplit_once('(')?;
    let (line, rest) = number(numbers)?;
    let (col, rest) = number(rest.strip_prefix(',')?)?;
    (rest.is_empty() && !path.is_empty())
        .then(|| PrintedLocation::new(path.trim_start(), Some(line), Some(col)))
}

fn with_colons(place: &str) -> Option<PrintedLocation> {
    let (path, line, col) = trailing(place)?;
    Some(PrintedLocation::new(path.trim_start(), Some(line), Some(col?)))
}

/// Reads the excerpt below a pretty diagnostic and the related locations below that.
fn frame(text: &LogText, mut at: usize, finding: &mut ToolDiagnostic) -> usize {
    let line_of_place = finding.place.as_ref().and_then(|place| place.line);
    while text.has(at) {
        let line = text.get(at);
        if line.trim().is_empty() {
            at += 1;
            continue;
        }
        if let Some((number, source)) = number(line) {
            if Some(number) == line_of_place && finding.excerpt.is_none() {
                let text = source.strip_prefix(' ').unwrap_or(source).to_owned();
                finding.excerpt = Some(Excerpt { text, trimmed: false });
            }
            at += 1;
        } else if line.starts_with(' ') && header(line).is_none() {
            at = related(text, at, finding);
        } else {
            break;
        }
    }
    at
}

/// A related location: `  path:line:col - text` (7.x), or a text below its own excerpt (5.x). All
/// other indented lines belong to an excerpt.
fn related(text: &LogText, at: usize, finding: &mut ToolDiagnostic) -> usize {
    let line = text.get(at);
    let place = line.strip_prefix("  ").filter(|place| !place.starts_with(' ')).unwrap_or_default();
    let (place, message) = match place.split_once(" - ") {
        Some((place, message)) if trailing(place).is_some() => (place, Some(message)),
        _ => (place, None),
    };
    let Some((path, row, Some(col))) = trailing(place).filter(|(path, ..)| !path.trim().is_empty())
    else {
        return at + 1;
    };
    let mut next = at + 1;
    while text.has(next) && text.get(next).starts_with("    ") {
        next += 1;
    }
    let below = || text.get(next - 1).trim();
    let message = message.map_or_else(|| if next > at + 1 { below() } else { "" }, str::trim);
    finding.related.push(PrintedLocation::new(path, Some(row), Some(col)).with_message(message));
    next
}
