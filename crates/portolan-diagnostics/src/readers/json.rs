//! Finds JSON in a log: whole documents, one per line, framed messages, and all of these between
//! other lines.

use std::collections::BTreeMap;

use serde_json::{Deserializer, Value};

use super::lines::LogText;
use super::tool_diagnostic::{PrintedLocation, ToolDiagnostic};

/// The values that start on a line.
#[derive(Clone, Debug)]
pub(super) struct Documents {
    pub(super) values: Vec<Value>,
    /// The line after them.
    pub(super) next: usize,
}

/// Finds all JSON in a text. The search for a missing end costs the length of the document, so it
/// stops after a few multiples of the text.
pub(super) fn find_documents(text: &LogText) -> BTreeMap<usize, Documents> {
    let mut found = BTreeMap::new();
    let starts = |line: &str| matches!(line.trim_start().as_bytes().first(), Some(b'{' | b'['));
    if !(0..text.len()).any(|at| starts(text.get(at))) {
        return found;
    }
    let mut all = String::new();
    let mut offsets = Vec::with_capacity(text.len());
    for at in 0..text.len() {
        offsets.push(all.len());
        all.push_str(text.get(at));
        all.push('\n');
    }
    let mut budget = 4 * all.len() + 65_536;
    let mut at = 0;
    while at < text.len() {
        if !starts(text.get(at)) {
            at += 1;
            continue;
        }
        let line = text.get(at);
        let documents = match first_value(line) {
            Parsed::Value(value, end) => {
                let mut values = vec![value];
                more_values(&line[end..], &mut values);
                Some(Documents { values, next: at + 1 })
            }
            Parsed::Open if budget > 0 => {
                let rest = &all[offsets[at]..];
                match first_value(rest) {
                    Parsed::Value(value, end) => {
                        let end = offsets[at] + end;
                        let next = offsets.partition_point(|&offset| offset < end);
                        let mut values = vec![value];
                        let line_end = offsets.get(next).copied().unwrap_or(all.len());
                        more_values(&all[end..line_end.max(end)], &mut values);
                        Some(Documents { values, next })
                    }
                    Parsed::Open => {
                        budget = budget.saturating_sub(rest.len());
                        None
                    }
                    Parsed::Broken(read) => {
                        budget = budget.saturating_sub(read);
                        None
                    }
                }
            }
            Parsed::Open | Parsed::Broken(_) => None,
        };
        let next = documents.as_ref().map_or(at + 1, |documents| documents.next.max(at + 1));
        found.extend(documents.map(|documents| (at, documents)));
        at = next;
    }
    found
}

enum Parsed {
    Value(Value, usize),
    /// The text ends before the value does.
    Open,
    /// The value is not JSON, which became clear after this many bytes.
    Broken(usize),
}

fn first_value(text: &str) -> Parsed {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => Parsed::Value(value, values.byte_offset()),
        Some(Err(error)) if error.is_eof() => Parsed::Open,
        _ => Parsed::Broken(values.byte_offset().max(text.len().min(256))),
    }
}

/// Appends further values on the same line, as framed messages have.
fn more_values(mut rest: &str, values: &mut Vec<Value>) {
    while let Some(open) = rest.find('{') {
        match first_value(&rest[open..]) {
            Parsed::Value(value, end) => {
                values.push(value);
                rest = &rest[open + end..];
            }
            Parsed::Open | Parsed::Broken(_) => return,
        }
    }
}

/// The values on a line that a format recognizes, with the line after them.
pub(super) fn known(
    text: &LogText,
    at: usize,
    is_known: fn(&Value) -> bool,
) -> Option<(Vec<&Value>, usize)> {
    let (values, next) = text.documents(at)?;
    let known: Vec<&Value> = values.iter().filter(|value| is_known(value)).collect();
    (!known.is_empty()).then_some((known, next))
}

/// Reads the values on a line that a format recognizes.
pub(super) fn read_known(
    text: &LogText,
    at: usize,
    is_known: fn(&Value) -> bool,
    out: &mut Vec<ToolDiagnostic>,
    read: impl Fn(&Value, &mut Vec<ToolDiagnostic>),
) -> usize {
    let Some((values, next)) = known(text, at, is_known) else { return at };
    for value in values {
        read(value, out);
    }
    next
}

pub(super) fn string<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// A one-based number.
pub(super) fn count(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// A zero-based number, as a one-based one.
pub(super) fn from_zero(value: &Value) -> Option<u32> {
    let number = value.as_i64()?;
    u32::try_from(number.max(-1) + 1).ok()
}

pub(super) fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value[key].as_array().into_iter().flatten()
}

/// A location from a path and two one-based numbers.
pub(super) fn spot(file: &str, line: &Value, col: &Value) -> PrintedLocation {
    PrintedLocation::new(file, count(line), count(col))
}
