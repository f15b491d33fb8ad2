//! Biome: text and JSON.

use serde_json::Value;

use super::json::{known, list, read_known, spot, string};
use super::lines::LogText;
use super::parse::{number, trailing};
use super::tool_diagnostic::{ColumnUnit, Excerpt, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("biome");
const JSON: Format = Format("biome-json");

pub(super) struct Biome;

impl ToolReader for Biome {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        header(text.get(at)).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let Some((place, category)) = header(text.get(at)) else { return at };
        let mut next = at + 1;
        let mut finding: Option<ToolDiagnostic> = None;
        while text.has(next)
            && (text.get(next).starts_with(' ') || text.get(next).trim().is_empty())
        {
            let line = text.get(next).trim_start();
            next += 1;
            if let Some(finding) = &mut finding {
                excerpt(line, finding);
                continue;
            }
            let mark = ["×", "✖", "!", "⚠", "i", "ℹ"].iter().find_map(|mark| {
                line.strip_prefix(mark)
                    .and_then(|rest| rest.strip_prefix(' '))
                    .map(|rest| (*mark, rest))
            });
            if let Some((mark, message)) = mark {
                let severity = if mark == "ℹ" { Severity::Info } else { Severity::of(mark) };
                let unit = ColumnUnit::CodePoint;
                finding = Some(
                    ToolDiagnostic::new(FORMAT, "biome", severity, message)
                        .code(Some(category))
                        .unit(unit),
                );
            }
        }
        // A header without a location is a summary.
        if let (Some(finding), false) = (finding, place.is_empty()) {
            let spot = match trailing(place) {
                Some((path, line, col)) => PrintedLocation::new(path, Some(line), col),
                None => PrintedLocation::new(place, None, None),
            };
            let mut finding = finding.at(spot);
            keep_matching_excerpt(&mut finding);
            out.push(finding);
        }
        next
    }
}

/// `path:line:col category  FIXABLE  ━━━━`: the location and the category.
fn header(line: &str) -> Option<(&str, &str)> {
    let front = line.trim_end().strip_suffix("━━")?.trim_end_matches('━').trim_end();
    let mut front = front;
    for tag in ["FIXABLE", "INTERNAL", "DEPRECATED", "VERBOSE", "UNSAFE"] {
        front = front.strip_suffix(tag).map_or(front, str::trim_end);
    }
    let (place, category) = front.rsplit_once(' ').unwrap_or(("", front));
    let is_category = !category.is_empty()
        && !line.starts_with(' ')
        && category.chars().all(|c| c.is_ascii_alphanumeric() || "/-_".contains(c));
    is_category.then_some((place.trim_end(), category))
}

/// Keeps the first marked line of the code frame: `> 12 │ code`.
fn excerpt(line: &str, finding: &mut ToolDiagnostic) {
    if finding.excerpt.is_some() {
        return;
    }
    let Some((row, source)) = line.strip_prefix("> ").and_then(|line| number(line.trim_start()))
    else {
        return;
    };
    if let Some(source) = source.trim_start().strip_prefix('│') {
        let text = source.strip_prefix(' ').unwrap_or(source).to_owned();
        finding.excerpt = Some(Excerpt { text, trimmed: false });
        finding.end = Some((row, 0));
    }
}

/// Drops the excerpt unless it is of the diagnostic's line.
fn keep_matching_excerpt(finding: &mut ToolDiagnostic) {
    let row = finding.end.take().map(|(row, _)| row);
    if row != finding.place.as_ref().and_then(|place| place.line) {
        finding.excerpt = None;
    }
}

pub(super) struct BiomeJson;

impl ToolReader for BiomeJson {
    fn format(&self) -> Format {
        JSON
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        known(text, at, is_report).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        read_known(text, at, is_report, out, |report, out| {
            out.extend(list(report, "diagnostics").map(of_json));
        })
    }
}

fn is_report(value: &Value) -> bool {
    value["diagnostics"].is_array() && value["summary"].is_object()
}

fn of_json(diagnostic: &Value) -> ToolDiagnostic {
    let message = match &diagnostic["message"] {
        Value::String(message) => message.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["content"].as_str()).collect(),
        _ => string(diagnostic, "description").to_owned(),
    };
    let location = &diagnostic["location"];
    let path = location["path"].as_str().or_else(|| location["path"]["file"].as_str());
    let severity = Severity::of(string(diagnostic, "severity"));
    let mut finding = ToolDiagnostic::new(JSON, "biome", severity, &message)
        .code(diagnostic["category"].as_str())
        .unit(ColumnUnit::CodePoint);
    let Some(path) = path else { return finding };
    let (start, end) = (&location["start"], &location["end"]);
    let place = match &location["span"] {
        // Version 1.x has byte offsets, with the text that they refer to.
        Value::Array(span) => by_offset(path, span, string(location, "sourceCode")),
        _ => spot(path, &start["line"], &start["column"]),
    };
    finding =
        finding.at(place).end(super::json::count(&end["line"]), super::json::count(&end["column"]));
    let advices = list(diagnostic, "advices").filter(|advice| advice["start"].is_object());
    finding.related = advices
        .map(|advice| {
            let start = &advice["start"];
            spot(path, &start["line"], &start["column"]).with_message(string(advice, "text"))
        })
        .collect();
    finding
}

fn by_offset(path: &str, span: &[Value], source: &str) -> PrintedLocation {
    let offset =
        span.first().and_then(Value::as_u64).and_then(|offset| usize::try_from(offset).ok());
    let before = offset.and_then(|offset| source.get(..offset));
    let Some(before) = before.filter(|_| !source.is_empty()) else {
        return PrintedLocation::new(path, None, None);
    };
    let line = before.matches('\n').count() + 1;
    let col = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    PrintedLocation::new(path, u32::try_from(line).ok(), u32::try_from(col).ok())
}
