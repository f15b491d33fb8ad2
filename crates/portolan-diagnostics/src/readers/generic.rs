//! The guess: `path:line:col: message` and `path(line,col): message` of tools that nobody knows.
//! It counts only where the file is there.

use super::finding::{Finding, Severity, Spot};
use super::lines::Text;
use super::parse::{class, is_path, leading, number};
use super::{Format, ToolReader};

const FORMAT: Format = Format("generic");

pub(super) struct Generic;

impl ToolReader for Generic {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &Text, at: usize) -> bool {
        let line = text.get(at);
        !line.starts_with(' ') && (with_colons(line).is_some() || in_brackets(line).is_some())
    }

    fn read(&self, text: &Text, at: usize, out: &mut Vec<Finding>) -> usize {
        let line = text.get(at);
        let Some((spot, message)) = with_colons(line).or_else(|| in_brackets(line)) else {
            return at;
        };
        let (severity, code, message) = worded(message);
        let mut finding = Finding::new(FORMAT, "unknown", severity, message).code(code).at(spot);
        finding.guessed = true;
        out.push(finding);
        at + 1
    }
}

fn with_colons(line: &str) -> Option<(Spot, &str)> {
    let place =
        leading(line).filter(|place| is_path(place.path) && !place.rest.trim().is_empty())?;
    Some((Spot::new(place.path, Some(place.line), place.col), place.rest))
}

/// `path(12,5): error CS1002: message`
fn in_brackets(line: &str) -> Option<(Spot, &str)> {
    let (front, message) = line.split_once("): ")?;
    let (path, numbers) = front.rsplit_once('(')?;
    let (row, rest) = number(numbers)?;
    let col = rest.strip_prefix(',').and_then(number).map(|(col, _)| col);
    (is_path(path) && (rest.is_empty() || col.is_some()))
        .then(|| (Spot::new(path, Some(row), col), message))
}

/// The severity and the code that a message starts with: `error CS1002: …`, `warning: …`.
fn worded(message: &str) -> (Severity, Option<&str>, &str) {
    let (front, rest) = message.split_once(':').unwrap_or(("", message));
    let (word, code) = front
        .trim()
        .split_once(' ')
        .map_or((front.trim(), None), |(word, code)| (word, Some(code)));
    let lower = word.to_ascii_lowercase();
    let is_known =
        matches!(lower.as_str(), "error" | "warning" | "warn" | "note" | "info" | "fatal" | "hint");
    // `x.py:25: UserWarning: no`
    if code.is_none() && word.ends_with("Warning") && class(message, false).is_some() {
        return (Severity::Warning, Some(word), rest.trim());
    }
    if is_known && code.is_none_or(|code| !code.contains(' ')) {
        (Severity::of(&lower), code, rest.trim())
    } else {
        (Severity::Error, None, message)
    }
}
