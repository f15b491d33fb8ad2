//! The lines of a log: without colours, carriage returns, timestamps, and the package names that
//! runners put in front.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::json::{Documents, find_documents};
use super::line_prefixes::{self, strip_timestamp};

/// A line without its prefixes.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogLine {
    text: String,
    /// The index of the package folder that the line belongs to, if the runner names it.
    folder: Option<u32>,
}

/// The lines of a log.
#[derive(Clone, Debug, Default)]
pub struct LogText {
    lines: Vec<LogLine>,
    folders: Vec<String>,
    /// JSON values by the line that they start on.
    documents: BTreeMap<usize, Documents>,
    /// Whether it contains annotations of a CI service.
    pub(crate) has_annotations: bool,
}

/// The package folders, each once.
#[derive(Default)]
struct Folders {
    names: Vec<String>,
}

impl Folders {
    fn number(&mut self, folder: String) -> Option<u32> {
        let known = self.names.iter().position(|known| *known == folder);
        let index = known.unwrap_or_else(|| {
            self.names.push(folder);
            self.names.len() - 1
        });
        u32::try_from(index).ok()
    }
}

impl LogText {
    /// Splits a log into lines and removes colours and prefixes.
    pub fn new(bytes: &[u8]) -> Self {
        let text = masked(bytes);
        let mut lines: Vec<String> = Vec::new();
        for line in text.split('\n') {
            let (line, goes_on) = strip_timestamp(line.trim_end_matches('\r'));
            match lines.last_mut().filter(|_| goes_on) {
                Some(last) => last.push_str(line),
                None => lines.push(line.to_owned()),
            }
        }
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
        }
        let barred = line_prefixes::strip(&mut lines);
        let prefixes = prefixes(&lines);
        let mut folders = Folders::default();
        let mut headed = None;
        let lines: Vec<LogLine> = lines
            .into_iter()
            .zip(barred)
            .map(|(text, is_barred)| match strip_prefix(&text, &prefixes) {
                None => LogLine { text, folder: headed.filter(|_| is_barred) },
                Some((rest, folder)) => {
                    let folder = folders.number(folder);
                    headed = folder;
                    LogLine { text: rest.to_owned(), folder }
                }
            })
            .collect();
        let folders = folders.names;
        let has_annotations = lines.iter().any(|line| {
            ["::error ", "::warning ", "::notice "].iter().any(|mark| line.text.starts_with(mark))
        });
        let mut text = Self { lines, folders, documents: BTreeMap::new(), has_annotations };
        text.documents = find_documents(&text);
        text
    }

    /// Splits a text that is part of another: nothing is removed.
    pub(crate) fn part(text: &str) -> Self {
        let lines =
            text.lines().map(|line| LogLine { text: line.to_owned(), folder: None }).collect();
        Self { lines, folders: Vec::new(), documents: BTreeMap::new(), has_annotations: false }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// A line; empty beyond the end.
    pub(crate) fn get(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", |line| line.text.as_str())
    }

    pub(crate) fn has(&self, at: usize) -> bool {
        at < self.lines.len()
    }

    /// The folder of the package that a line belongs to.
    pub(crate) fn folder(&self, at: usize) -> Option<String> {
        let folder = self.lines.get(at)?.folder?;
        self.folders.get(folder as usize).filter(|folder| !folder.is_empty()).cloned()
    }

    /// The JSON values that start on a line, and the line after them.
    pub(crate) fn documents(&self, at: usize) -> Option<(&[Value], usize)> {
        self.documents.get(&at).map(|found| (found.values.as_slice(), found.next))
    }
}

/// A log as it may be shown and stored: without colours, and with secrets masked. Tools quote the code that they read.
/// Colours go first, since they may split a secret. Masking a masked log changes nothing.
pub fn masked(bytes: &[u8]) -> String {
    let text = without_invisible(without_colours(&decode(bytes)));
    portolan_guard::redact_log(&without_named(text)).into_owned()
}

/// Removes characters that nobody sees from the middle of words, where they would split a secret. In other scripts and in
/// pictures they mean something.
fn without_invisible(text: String) -> String {
    let is_invisible = |c: char| matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}');
    if !text.contains(is_invisible) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(is_invisible) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let visible = after.trim_start_matches(is_invisible);
        let is_inside = out.ends_with(|c: char| c.is_ascii_graphic())
            && visible.starts_with(|c: char| c.is_ascii_graphic());
        if !is_inside {
            out.push_str(&after[..after.len() - visible.len()]);
        }
        rest = visible;
    }
    out.push_str(rest);
    out
}

/// Masks what a job of GitHub names as secret: `::add-mask::VALUE`.
fn without_named(text: String) -> String {
    const COMMAND: &str = "::add-mask::";
    const SHORTEST: usize = 4;
    const MOST: usize = 64;
    if !text.contains(COMMAND) {
        return text;
    }
    let values = text.lines().filter_map(|line| line.split_once(COMMAND));
    let values = values.map(|(_, value)| value.trim()).filter(|value| {
        // A name in a description of the command is no value.
        value.len() >= SHORTEST && !value.contains(char::is_whitespace) && *value != "***"
    });
    let values: Vec<String> = values.take(MOST).map(str::to_owned).collect();
    values.iter().fold(text, |text, value| text.replace(value.as_str(), portolan_guard::MASK))
}

/// Decodes UTF-8, or UTF-16 with a byte order mark (the default of redirections on Windows).
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

/// Removes escape sequences: colours (CSI), titles and links (OSC), other strings (APC, DCS, PM),
/// and single escapes.
pub(super) fn without_colours(text: &str) -> String {
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
            // Titles and links, and the marks of CI services.
            Some(']' | '_' | 'P' | '^') => {
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

/// The start of a block of output.
const BLOCK: &str = "┌─ ";

/// The prefixes that runners add: `packages/web check: `, announced by the line `packages/web
/// check$ tsc`, and `@shop/web:check: `, announced by a line about a cache miss.
fn prefixes(lines: &[String]) -> BTreeSet<String> {
    let mut prefixes = BTreeSet::new();
    for line in lines {
        let line = line.strip_prefix(BLOCK).unwrap_or(line);
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

/// A line without its runner's prefix, and the folder that the prefix names.
fn strip_prefix<'l>(line: &'l str, prefixes: &BTreeSet<String>) -> Option<(&'l str, String)> {
    if prefixes.is_empty() {
        return None;
    }
    let line = line.strip_prefix(BLOCK).unwrap_or(line);
    for mark in [": ", "$ ", ":"] {
        let Some(end) = line.find(mark) else { continue };
        // A name may contain a colon (`web:check`), so try two ends.
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
