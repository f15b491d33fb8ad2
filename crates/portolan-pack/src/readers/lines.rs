//! The text of a log as lines: without colours, carriage returns, clocks and the names of packages
//! that runners put in front.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::json::{Documents, find_documents};

/// A line without its dressing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    text: String,
    /// The folder of the package whose output it is, where the runner says so.
    folder: Option<u32>,
}

/// A log as lines.
#[derive(Clone, Debug, Default)]
pub struct Text {
    lines: Vec<Line>,
    folders: Vec<String>,
    /// JSON by the line that it starts on.
    documents: BTreeMap<usize, Documents>,
    /// Whether annotations of a CI service are in it.
    pub(crate) has_annotations: bool,
}

impl Text {
    /// Takes the dressing off.
    pub fn new(bytes: &[u8]) -> Self {
        // Tools quote what they read: secrets in their words are masked where those words come in.
        let text = without_colours(&decode(bytes));
        let text = portolan_guard::redact(&text);
        let mut lines: Vec<String> = text
            .split('\n')
            .map(|line| without_clock(line.trim_end_matches('\r')).to_owned())
            .collect();
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
        }
        let prefixes = prefixes(&lines);
        let mut folders: Vec<String> = Vec::new();
        let lines: Vec<Line> = lines
            .into_iter()
            .map(|text| match strip_prefix(&text, &prefixes) {
                None => Line { text, folder: None },
                Some((rest, folder)) => {
                    let known = folders.iter().position(|known| *known == folder);
                    let index = known.unwrap_or_else(|| {
                        folders.push(folder);
                        folders.len() - 1
                    });
                    Line { text: rest.to_owned(), folder: u32::try_from(index).ok() }
                }
            })
            .collect();
        let has_annotations = lines.iter().any(|line| {
            ["::error ", "::warning ", "::notice "].iter().any(|mark| line.text.starts_with(mark))
        });
        let mut text = Self { lines, folders, documents: BTreeMap::new(), has_annotations };
        text.documents = find_documents(&text);
        text
    }

    /// A text that is part of another: nothing is taken off.
    pub(crate) fn part(text: &str) -> Self {
        let lines = text.lines().map(|line| Line { text: line.to_owned(), folder: None }).collect();
        Self { lines, folders: Vec::new(), documents: BTreeMap::new(), has_annotations: false }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// A line; beyond the end it is empty.
    pub(crate) fn get(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", |line| line.text.as_str())
    }

    pub(crate) fn has(&self, at: usize) -> bool {
        at < self.lines.len()
    }

    /// The folder of the package whose output a line is.
    pub(crate) fn folder(&self, at: usize) -> Option<String> {
        let folder = self.lines.get(at)?.folder?;
        self.folders.get(folder as usize).filter(|folder| !folder.is_empty()).cloned()
    }

    /// The JSON that starts on a line, and the line after it.
    pub(crate) fn documents(&self, at: usize) -> Option<(&[Value], usize)> {
        self.documents.get(&at).map(|found| (found.values.as_slice(), found.next))
    }
}

/// UTF-8, or UTF-16 with its mark (the default of redirections on Windows).
fn decode(bytes: &[u8]) -> String {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Takes escape sequences off: colours (CSI), titles and links (OSC), and single escapes.
fn without_colours(text: &str) -> String {
    if !text.contains('\u{1b}') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
            continue;
        }
        match chars.peek() {
            Some('[') => {
                chars.next();
                while let Some(&c) = chars.peek() {
                    if c == '\n' {
                        break;
                    }
                    chars.next();
                    if ('@'..='~').contains(&c) {
                        break;
                    }
                }
            }
            Some(']') => {
                while let Some(&c) = chars.peek() {
                    if c == '\n' {
                        break;
                    }
                    chars.next();
                    if c == '\u{7}' {
                        break;
                    }
                    if c == '\u{1b}' {
                        chars.next_if_eq(&'\\');
                        break;
                    }
                }
            }
            Some(c) if c.is_ascii_alphanumeric() || "=>()#".contains(*c) => {
                chars.next();
            }
            _ => {}
        }
    }
    out
}

/// Takes a clock off the front: `2026-11-16T03:43:18.6216343Z `, `[03:43:18] `, and the marks of a
/// CI service's log.
fn without_clock(line: &str) -> &str {
    let line = match clock_len(line) {
        Some(len) => &line[len..],
        None => line,
    };
    line.strip_prefix("##[error]").unwrap_or(line)
}

fn clock_len(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let is_stamp = bytes.len() > 20
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && (bytes[10] == b'T' || bytes[10] == b' ')
        && bytes[13] == b':'
        && bytes[16] == b':';
    if is_stamp {
        let after = bytes[19..].iter().position(|&byte| byte == b' ')? + 19;
        let zone = bytes[19..after].iter().all(|byte| {
            byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'Z' | b'+' | b'-' | b':')
        });
        return zone.then_some(after + 1);
    }
    let clock = line.strip_prefix('[')?;
    let end = clock.find("] ")?;
    let is_clock = end >= 8
        && clock[..end].bytes().all(|byte| {
            byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'-' | b'T' | b'Z' | b' ' | b'+')
        })
        && clock[..end].matches(':').count() >= 2;
    is_clock.then_some(end + 3)
}

/// What runners put in front of lines: `packages/web check: `, of which one line says
/// `packages/web check$ tsc`, and `@shop/web:check: `, of which one says that the cache missed.
fn prefixes(lines: &[String]) -> BTreeSet<String> {
    let mut prefixes = BTreeSet::new();
    for line in lines {
        if let Some((name, _)) = line.split_once("$ ") {
            let words = name.rsplit_once(' ');
            if words.is_some_and(|(folder, script)| !folder.is_empty() && is_script(script)) {
                prefixes.insert(name.to_owned());
            }
        }
        if let Some((name, rest)) = line.split_once(": ")
            && (rest.starts_with("cache miss")
                || rest.starts_with("cache hit")
                || rest.starts_with("cache bypass"))
            && !name.contains(' ')
        {
            prefixes.insert(name.to_owned());
        }
    }
    prefixes
}

fn is_script(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.'))
}

/// A line without the prefix of its runner, and the folder that the prefix names.
fn strip_prefix<'l>(line: &'l str, prefixes: &BTreeSet<String>) -> Option<(&'l str, String)> {
    if prefixes.is_empty() {
        return None;
    }
    for mark in [": ", "$ ", ":"] {
        let Some(end) = line.find(mark) else { continue };
        // A name may have a colon of its own (`web:check`), so two ends are tried.
        let second = line[end + 1..].find(mark).map(|next| end + 1 + next);
        for end in [Some(end), second].into_iter().flatten() {
            if prefixes.contains(&line[..end]) {
                let rest = &line[(end + mark.len()).min(line.len())..];
                let folder = line[..end].rsplit_once(' ').map_or("", |(folder, _)| folder);
                return Some((rest, folder.to_owned()));
            }
        }
    }
    None
}
