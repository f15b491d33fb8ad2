//! A guess for unknown tools: `path:line:col: message` and `path(line,col): message`. It counts
//! only if the file exists.

use super::lines::LogText;
use super::parse::{class, is_path, leading, number};
use super::tool_diagnostic::{PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("generic");

pub(super) struct Generic;

impl ToolReader for Generic {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        let line = text.get(at);
        !line.starts_with(' ') && (with_colons(line).is_some() || in_brackets(line).is_some())
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let line = text.get(at);
        let Some((spot, message)) = with_colons(line).or_else(|| in_brackets(line)) else {
            return at;
        };
        let (severity, code, message) = split_severity(message);
        let mut finding =
            ToolDiagnostic::new(FORMAT, "unknown", severity, message).code(code).at(spot);
        finding.guessed = true;
        out.push(finding);
        at + 1
    }
}

fn with_colons(line: &str) -> Option<(PrintedLocation, &str)> {
    let place =
        leading(line).filter(|place| is_path(place.path) && !place.rest.trim().is_empty())?;
    Some((PrintedLocation::new(place.path, Some(place.line), place.col), place.rest))
}

/// `path(12,5): error CS1002: message`
fn in_brackets(line: &str) -> Option<(PrintedLocation, &str)> {
    let (front, message) = line.split_once("): ")?;
    let (path, numbers) = front.rsplit_once('(')?;
    let (row, rest) = number(numbers)?;
    let col = rest.strip_prefix(',').and_then(number).map(|(col, _)| col);
    (is_path(path) && (rest.is_empty() || col.is_some()))
        .then(|| (PrintedLocation::new(path, Some(row), col), message))
}

/// The severity and the code at the start of a message: `error CS1002: …`, `warning: …`.
fn split_severity(message: &str) -> (Severity, Option<&str>, &str) {
    let (front, rest) = message.split_once(':').unwrap_or(("", message));
    let (word, code) = front
        .trim()
        .split_once(' ')
        .map_or((front.trim(), None), |(word, code)| (word, Some(code)));
    if let Some((code, message)) = bracketed(message) {
        return (severity_of_code(code), Some(code), message);
    }
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

/// `[E302] message`, `[C0301(line-too-long), scope] message`: the code and the message.
fn bracketed(message: &str) -> Option<(&str, &str)> {
    let (inside, rest) = message.strip_prefix('[')?.split_once("] ")?;
    let code = inside.split(['(', ',', ' ']).next().unwrap_or(inside);
    let digits = code.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let is_code = digits.len() < code.len()
        && digits.len() > 2
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_code || code == "invalid-syntax").then_some((code, rest.trim()))
}

/// pylint's codes begin with the severity; other codes are errors.
fn severity_of_code(code: &str) -> Severity {
    match code.as_bytes() {
        [b'C' | b'R' | b'W', rest @ ..] if rest.len() == 4 => Severity::Warning,
        [b'I', rest @ ..] if rest.len() == 4 => Severity::Info,
        _ => Severity::Error,
    }
}
