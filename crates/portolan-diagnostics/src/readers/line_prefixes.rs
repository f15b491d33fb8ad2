//! Removes the prefixes that runners and services add to the lines of a tool: timestamps, and names
//! of packages, steps and services.

use std::ops::Range;

/// Removes a timestamp from the front of a line: `2026-11-16T03:43:18.6216343Z `, `[03:43:18] `,
/// and the marks of a CI log. Also returns whether the line continues the previous one.
pub(super) fn strip_timestamp(line: &str) -> (&str, bool) {
    // A downloaded log has the job and the step in front, separated by tabs.
    let line = match line.splitn(3, '\t').nth(2).map(|rest| rest.trim_start_matches('\u{feff}')) {
        Some(rest) if date_time_len(rest).is_some() => rest,
        _ => line,
    };
    let (line, goes_on) = match date_time_len(line) {
        Some(len) => stream(&line[len..]),
        None => (bracketed_time_len(line).map_or(line, |len| &line[len..]), false),
    };
    (line.strip_prefix("##[error]").unwrap_or(line), goes_on)
}

/// The length of a date with its time, and of the space after it.
fn date_time_len(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let is_stamp = bytes.len() >= 20
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && (bytes[10] == b'T' || bytes[10] == b' ')
        && bytes[13] == b':'
        && bytes[16] == b':';
    if !is_stamp {
        return None;
    }
    let after = bytes[19..].iter().position(|&byte| byte == b' ').map_or(bytes.len(), |at| at + 19);
    let zone = bytes[19..after].iter().all(|byte| {
        byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'Z' | b'+' | b'-' | b':')
    });
    zone.then_some((after + 1).min(bytes.len()))
}

/// GitLab's marks after the timestamp: `01O ` for a line of a stream, `01O+` for its continuation.
fn stream(line: &str) -> (&str, bool) {
    let mark = match line.as_bytes() {
        [a, b, b'O' | b'E', mark, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => *mark,
        // The blank after the mark may be missing on an empty line.
        [a, b, b'O' | b'E'] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
            return ("", false);
        }
        _ => return (line, false),
    };
    match mark {
        b' ' | b'+' => (&line[4..], mark == b'+'),
        _ => (line, false),
    }
}

fn bracketed_time_len(line: &str) -> Option<usize> {
    let clock = line.strip_prefix('[')?;
    let end = clock.find("] ")?;
    let is_clock = end >= 8
        && clock[..end].bytes().all(|byte| {
            byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'-' | b'T' | b'Z' | b' ' | b'+')
        })
        && clock[..end].matches(':').count() >= 2;
    is_clock.then_some(end + 3)
}

/// A kind of prefix.
struct PrefixKind {
    /// The length of the prefix of a line, if it has one.
    len: fn(&str) -> Option<usize>,
    /// This many consecutive lines prove the prefix; otherwise most lines of the text must have it.
    row: usize,
    /// Whether the prefix marks lines that belong to a header above.
    is_bar: bool,
}

const fn prefix_kind(len: fn(&str) -> Option<usize>) -> PrefixKind {
    PrefixKind { len, row: 3, is_bar: false }
}

const SHAPES: [PrefixKind; 7] = [
    prefix_kind(numbered_service),
    PrefixKind { row: usize::MAX, ..prefix_kind(service) },
    prefix_kind(build_step),
    prefix_kind(bracketed),
    prefix_kind(package),
    prefix_kind(time_of_day),
    PrefixKind { row: 1, is_bar: true, ..prefix_kind(bar) },
];

/// Prefixes may be nested this deep.
const LAYERS: usize = 3;

/// Removes the prefixes that most lines of a text, or some consecutive lines, have. Returns which
/// lines had a bar: those belong to the header above them.
pub(super) fn strip(lines: &mut [String]) -> Vec<bool> {
    let mut barred = vec![false; lines.len()];
    for _ in 0..LAYERS {
        let mut is_changed = false;
        for prefix_kind in &SHAPES {
            for row in rows(lines, prefix_kind) {
                is_changed = true;
                strip_row(&mut lines[row.clone()], prefix_kind);
                barred[row].fill(prefix_kind.is_bar);
            }
        }
        if !is_changed {
            break;
        }
    }
    barred
}

/// The runs of consecutive lines with a prefix.
fn rows(lines: &[String], prefix_kind: &PrefixKind) -> Vec<Range<usize>> {
    let mut rows: Vec<Range<usize>> = Vec::new();
    let shaped = lines.iter().enumerate().filter(|(_, line)| (prefix_kind.len)(line).is_some());
    for (at, _) in shaped {
        match rows.last_mut() {
            Some(row) if row.end == at => row.end = at + 1,
            _ => rows.push(Range { start: at, end: at + 1 }),
        }
    }
    let shaped: usize = rows.iter().map(ExactSizeIterator::len).sum();
    let all = lines.iter().filter(|line| !line.trim().is_empty()).count();
    if shaped * 2 <= all {
        rows.retain(|row| row.len() >= prefix_kind.row);
    }
    rows
}

fn strip_row(lines: &mut [String], prefix_kind: &PrefixKind) {
    for line in &mut *lines {
        let len = (prefix_kind.len)(line).unwrap_or_default();
        line.drain(..len.min(line.len()));
    }
    // A text that is indented as a whole has one more blank in front.
    let is_indented = lines.iter().all(|line| line.is_empty() || line.starts_with(' '));
    for line in lines {
        let text = line.strip_prefix(' ').filter(|_| is_indented).unwrap_or(line.as_str());
        let clock = line.len() - strip_timestamp(text).0.len();
        line.drain(..clock);
    }
}

/// The length of a prefix, with the blank after it unless the line ends there.
fn closed(line: &str, len: usize) -> Option<usize> {
    match line.as_bytes().get(len) {
        None => Some(len),
        Some(b' ') => Some(len + 1),
        Some(_) => None,
    }
}

fn word_len(line: &str, is_in: impl Fn(u8) -> bool) -> usize {
    line.bytes().position(|byte| !is_in(byte)).unwrap_or(line.len())
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// `web  | `, from Compose and from Procfile runners, which put a time in front.
fn service(line: &str) -> Option<usize> {
    let start = time_of_day(line).unwrap_or(0);
    let rest = &line[start..];
    let name = word_len(rest, is_of_name);
    let blanks = word_len(&rest[name..], |byte| byte == b' ');
    let is_name = name > 1 && rest.as_bytes()[0].is_ascii_alphabetic() && blanks > 0;
    let bar = start + name + blanks;
    if !is_name || line.as_bytes().get(bar) != Some(&b'|') {
        return None;
    }
    closed(line, bar + 1)
}

/// `web-1  | `, `web_1  | `, `web.1  | `
fn numbered_service(line: &str) -> Option<usize> {
    let len = service(line)?;
    let name = &line[time_of_day(line).unwrap_or(0)..];
    let name = &name[..word_len(name, is_of_name)];
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (word.len() < name.len() && word.ends_with(['-', '_', '.'])).then_some(len)
}

/// `#12 3.456 `, from a step of an image build.
fn build_step(line: &str) -> Option<usize> {
    let rest = line.strip_prefix('#')?;
    let (step, rest) = rest.split_once(' ')?;
    let time = word_len(rest, |byte| byte.is_ascii_digit() || byte == b'.');
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, part) = rest[..time].split_once('.')?;
    let is_step = is_digits(step) && is_digits(whole) && is_digits(part);
    is_step.then(|| closed(line, step.len() + 2 + time)).flatten()
}

/// `[0] `, `[web] `, `[@shop/web]: `. Log levels are not names.
fn bracketed(line: &str) -> Option<usize> {
    let inside = line.strip_prefix('[')?;
    let name = word_len(inside, |byte| is_of_name(byte) || matches!(byte, b'@' | b'/' | b':'));
    let is_level =
        matches!(&inside[..name], "INFO" | "WARNING" | "WARN" | "ERROR" | "DEBUG" | "FATAL");
    let after = inside[name..].strip_prefix(']')?;
    let colon = usize::from(after.starts_with(':'));
    (name > 0 && !is_level).then(|| closed(line, name + 2 + colon)).flatten()
}

/// `@shop/web: `, `web:test: `, `@shop/web:test: `
fn package(line: &str) -> Option<usize> {
    let is_of_package = |byte: u8| is_of_name(byte) || byte == b'/';
    let (scope, name) = match line.strip_prefix('@') {
        Some(rest) => (1, word_len(rest, is_of_package)),
        None => (0, word_len(line, |byte| is_of_name(byte) && byte != b'.')),
    };
    let has_scope = scope == 1 && line[1..][..name].contains('/');
    if name == 0 || scope == 1 && !has_scope {
        return None;
    }
    let rest = line[scope + name..].strip_prefix(':')?;
    let script = word_len(rest, is_of_name);
    if script == 0 {
        return has_scope.then(|| closed(line, scope + name + 1)).flatten();
    }
    let is_script =
        rest.starts_with(|c: char| c.is_ascii_alphabetic()) && rest[script..].starts_with(':');
    let is_name = line[scope..].starts_with(|c: char| c.is_ascii_alphabetic());
    (is_script && is_name).then(|| closed(line, scope + name + script + 2)).flatten()
}

/// `03:43:18 `, `03:43:18.123 `
fn time_of_day(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let is_clock = bytes.len() >= 8
        && [0, 1, 3, 4, 6, 7].iter().all(|&at| bytes[at].is_ascii_digit())
        && bytes[2] == b':'
        && bytes[5] == b':';
    if !is_clock {
        return None;
    }
    let part = word_len(&line[8..], |byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
    closed(line, 8 + part)
}

/// `│ `, from pnpm below a header.
fn bar(line: &str) -> Option<usize> {
    line.starts_with('│').then(|| closed(line, '│'.len_utf8())).flatten()
}
