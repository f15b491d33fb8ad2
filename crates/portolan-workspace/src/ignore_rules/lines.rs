//! Parses the lines of one ignore file as git does, and indexes them so that a match need not try each.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::wildmatch::Wildmatch;

/// The longest pattern to accept.
const MOST_LINE: usize = 8 << 10;

/// The rules of a file. The last matching rule wins.
#[derive(Debug, Default)]
pub(super) struct IgnoreFileRules {
    ignore_case: bool,
    list: Vec<IgnoreRule>,
    /// The numbers of the rules, by a text that every match has. Each rule is in one of these.
    names: RulesByText,
    paths: RulesByText,
    starts_of_names: RulesByText,
    starts_of_paths: RulesByText,
    ends: RulesByText,
}

#[derive(Debug)]
struct IgnoreRule {
    is_negated: bool,
    is_for_folders: bool,
    /// Whether it matches the path relative to the file's folder, or the name alone.
    is_path: bool,
    pattern: Wildmatch,
}

impl IgnoreFileRules {
    /// Parses a file. Reports lines without effect by number.
    pub(super) fn new(
        bytes: &[u8],
        ignore_case: bool,
        complain: &mut dyn FnMut(u32, &str),
    ) -> Self {
        let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
        let mut rules = Self { ignore_case, ..Self::default() };
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            let Some(line) = pattern_of(line) else { continue };
            if line.len() > MOST_LINE {
                complain(number, "it is too long");
                continue;
            }
            match IgnoreRule::new(line, ignore_case) {
                Some(rule) => rules.push(rule),
                None => complain(number, "it matches nothing"),
            }
        }
        rules
    }

    fn push(&mut self, rule: IgnoreRule) {
        let number = self.list.len() as u32;
        let (start, end) = (rule.pattern.start(), rule.pattern.end());
        let is_path = rule.is_path;
        if rule.pattern.is_literal() {
            let keyed = if is_path { &mut self.paths } else { &mut self.names };
            keyed.put(start, start.first(), number);
        } else if end.len() > start.len() {
            self.ends.put(&end, end.last(), number);
        } else {
            let keyed = if is_path { &mut self.starts_of_paths } else { &mut self.starts_of_names };
            keyed.put(start, start.first(), number);
        }
        self.list.push(rule);
    }

    /// Whether a path relative to the file's folder is ignored; `None` if no rule matches.
    pub(super) fn decide(&self, path: &str, is_dir: bool) -> Option<bool> {
        let path =
            if self.ignore_case { path.to_ascii_lowercase().into() } else { Cow::from(path) };
        let path = path.as_bytes();
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let starts = self.starts_of_names.starts(name).chain(self.starts_of_paths.starts(path));
        let whole = self.names.whole(name).into_iter().chain(self.paths.whole(path));
        let mut last: Option<u32> = None;
        for numbers in whole.chain(starts).chain(self.ends.ends(path)) {
            let later =
                numbers.iter().rev().take_while(|number| last.is_none_or(|last| **number > last));
            let found = later.copied().find(|number| {
                let rule = &self.list[*number as usize];
                (is_dir || !rule.is_for_folders)
                    && rule.pattern.is_match(if rule.is_path { path } else { name })
            });
            last = found.or(last);
        }
        last.map(|last| !self.list[last as usize].is_negated)
    }
}

impl IgnoreRule {
    fn new(line: &[u8], ignore_case: bool) -> Option<Self> {
        let (is_negated, line) = cut(line.strip_prefix(b"!"), line);
        let (is_for_folders, line) = cut(line.strip_suffix(b"/"), line);
        let is_path = line.contains(&b'/');
        let line = line.strip_prefix(b"/").unwrap_or(line);
        let pattern = Wildmatch::new(line, ignore_case)?;
        Some(Self { is_negated, is_for_folders, is_path, pattern })
    }
}

fn cut<'l>(shorter: Option<&'l [u8]>, line: &'l [u8]) -> (bool, &'l [u8]) {
    (shorter.is_some(), shorter.unwrap_or(line))
}

/// The pattern of a line, without the line ending and unescaped trailing spaces. `None` for a comment or an
/// empty line.
fn pattern_of(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.split(|byte| *byte == 0).next().unwrap_or(line);
    if line.starts_with(b"#") {
        return None;
    }
    let spaces = line.iter().rev().take_while(|byte| **byte == b' ').count();
    let end = line.len() - spaces;
    let backslashes = line[..end].iter().rev().take_while(|byte| **byte == b'\\').count();
    let is_escaped = spaces > 0 && backslashes % 2 == 1;
    Some(&line[..end + usize::from(is_escaped)]).filter(|line| !line.is_empty())
}

/// The numbers of rules by text, looked up by prefix or suffix.
#[derive(Debug, Default)]
struct RulesByText {
    numbers: BTreeMap<Vec<u8>, Vec<u32>>,
    /// The lengths of the texts by their first (or last) byte; without a byte, only 0.
    lengths: BTreeMap<Option<u8>, BTreeSet<usize>>,
}

impl RulesByText {
    fn put(&mut self, text: &[u8], edge: Option<&u8>, number: u32) {
        self.lengths.entry(edge.copied()).or_default().insert(text.len());
        self.numbers.entry(text.to_vec()).or_default().push(number);
    }

    /// The rules for exactly this text.
    fn whole(&self, text: &[u8]) -> Option<&Vec<u32>> {
        self.numbers.get(text)
    }

    /// The rules for each prefix of this text.
    fn starts<'k>(&'k self, text: &'k [u8]) -> impl Iterator<Item = &'k Vec<u32>> {
        let lengths = self.lengths(text.len(), text.first());
        lengths.filter_map(|length| self.whole(&text[..*length]))
    }

    /// The rules for each suffix of this text.
    fn ends<'k>(&'k self, text: &'k [u8]) -> impl Iterator<Item = &'k Vec<u32>> {
        let lengths = self.lengths(text.len(), text.last());
        lengths.filter_map(|length| self.whole(&text[text.len() - length..]))
    }

    fn lengths(&self, most: usize, edge: Option<&u8>) -> impl Iterator<Item = &usize> {
        let empty = self.lengths.get(&None);
        let others = edge.and_then(|edge| self.lengths.get(&Some(*edge)));
        empty.into_iter().chain(others).flat_map(move |lengths| lengths.range(..=most))
    }
}
