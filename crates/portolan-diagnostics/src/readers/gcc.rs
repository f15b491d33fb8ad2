//! GCC and Clang: text, and the JSON of GCC.

use serde_json::Value;

use super::json::{count, known, list, read_known, spot, string};
use super::lines::LogText;
use super::parse::{LeadingLocation, has_ending, is_path, leading};
use super::rustc::excerpt;
use super::tool_diagnostic::{ColumnUnit, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("gcc");
const JSON: Format = Format("gcc-json");

pub(super) struct Gcc;

impl ToolReader for Gcc {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        line(text.get(at)).is_some() || required(text.get(at)).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        // The instantiation notes come before the error.
        let mut led = Vec::new();
        let mut first = at;
        while let Some(spot) = required(text.get(first)) {
            led.push(spot);
            first += 1;
            while text.has(first) && is_frame(text.get(first)) {
                first += 1;
            }
        }
        let Some((place, severity, message)) = line(text.get(first)) else { return first };
        let mut next = first + 1;
        let spot = PrintedLocation::new(place.path, Some(place.line), place.col);
        let Some(severity) = severity else {
            if let Some(last) = out.last_mut().filter(|last| last.format == FORMAT.name()) {
                last.related.append(&mut led);
                last.related.push(spot.with_message(message));
            }
            while text.has(next) && is_frame(text.get(next)) {
                next += 1;
            }
            return next;
        };
        let (message, code) = split_option(message);
        // GCC uses typographic quotes and counts cells; Clang counts bytes.
        let is_gcc = message.contains('‘') || code.is_some_and(|code| code.ends_with('='));
        let (tool, unit) =
            if is_gcc { ("gcc", ColumnUnit::Display) } else { ("clang", ColumnUnit::Byte) };
        let mut finding =
            ToolDiagnostic::new(FORMAT, tool, severity, message).code(code).at(spot).unit(unit);
        finding.related = led;
        while text.has(next) && is_frame(text.get(next)) {
            excerpt(text.get(next), &mut finding);
            next += 1;
        }
        out.push(finding);
        next
    }
}

/// The extensions of sources and generated files for these compilers. Other tools print the same
/// format.
const ENDINGS: [&str; 37] = [
    "c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx", "c++", "h++", "C", "H", "tcc", "tpp", "ipp",
    "inl", "inc", "def", "ixx", "cppm", "m", "mm", "cu", "cuh", "cl", "S", "s", "y", "yy", "l",
    "ll", "f", "f90", "f95", "F90", "ino", "d",
];

fn is_code(path: &str) -> bool {
    is_path(path) && has_ending(path, &ENDINGS)
}

/// `path:12:5: error: message`; the severity is none for a note.
fn line(line: &str) -> Option<(LeadingLocation<'_>, Option<Severity>, &str)> {
    let place = leading(line).filter(|place| place.end.is_none() && is_code(place.path))?;
    let (word, message) = place.rest.split_once(": ")?;
    let severity = match word {
        "error" | "fatal error" | "sorry, unimplemented" | "internal compiler error" => {
            Some(Severity::Error)
        }
        "warning" => Some(Severity::Warning),
        "remark" => Some(Severity::Info),
        "note" => None,
        _ => return None,
    };
    Some((place.clone(), severity, message))
}

/// `path:5:13:   required from here`: the way to an instantiation, known by its indentation.
fn required(line: &str) -> Option<PrintedLocation> {
    let place = leading(line).filter(|place| is_code(place.path))?;
    let message = place.rest.strip_prefix("  ")?.trim();
    // `  [ skipping 3 instantiation contexts, use … ]`
    (!message.is_empty() && !message.starts_with('[')).then(|| {
        PrintedLocation::new(place.path, Some(place.line), place.col).with_message(message)
    })
}

/// `    5 | code`, `      | ^~~`
fn is_frame(line: &str) -> bool {
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(' ') && rest.trim_start().starts_with('|')
}

/// `message [-Wformat=]`
fn split_option(message: &str) -> (&str, Option<&str>) {
    match message.trim_end().strip_suffix(']').and_then(|text| text.rsplit_once(" [-")) {
        Some((text, option)) if !option.contains(' ') => {
            // The dash in front is part of the option.
            let start = message.len() - message.trim_end().len();
            let whole = &message.trim_end()[text.len() + 2..message.len() - start - 1];
            (text, Some(whole))
        }
        _ => (message, None),
    }
}

pub(super) struct GccJson;

impl ToolReader for GccJson {
    fn format(&self) -> Format {
        JSON
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        known(text, at, is_report).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        read_known(text, at, is_report, out, |report, out| {
            for value in report.as_array().into_iter().flatten() {
                read_json(value, out);
            }
        })
    }
}

fn is_report(value: &Value) -> bool {
    let first = value.as_array().and_then(|list| list.first());
    first.is_some_and(|first| first["kind"].is_string() && first["locations"].is_array())
}

fn caret(value: &Value) -> Option<PrintedLocation> {
    let caret = &value["locations"][0]["caret"];
    caret.is_object().then(|| spot(string(caret, "file"), &caret["line"], &caret["column"]))
}

fn read_json(value: &Value, out: &mut Vec<ToolDiagnostic>) {
    let message = string(value, "message");
    let kind = string(value, "kind");
    if kind == "note" {
        if let Some((last, spot)) = out.last_mut().zip(caret(value)) {
            last.related.push(spot.with_message(message));
        }
        return;
    }
    let mut finding = ToolDiagnostic::new(JSON, "gcc", Severity::of(kind), message)
        .code(value["option"].as_str())
        .unit(ColumnUnit::Display);
    finding.place = caret(value);
    let finish = &value["locations"][0]["finish"];
    finding.end = count(&finish["line"]).zip(count(&finish["column"]).map(|col| col + 1));
    finding.related = list(value, "children")
        .filter_map(|child| caret(child).map(|spot| spot.with_message(string(child, "message"))))
        .collect();
    out.push(finding);
}
