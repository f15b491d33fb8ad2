//! Git's configuration, as far as it decides what is ignored.
//!
//! Include directives are followed: an include is a path and runs nothing. Of the conditions, only those on
//! the repository's location (`gitdir:`) are supported; files under other conditions are skipped. Settings
//! that name a program are not read.

use std::path::{Path, PathBuf};

use portolan_vfs::System;

use super::GitEnvironment;
use crate::wildmatch::Wildmatch;

/// The relevant settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GitConfig {
    /// `core.excludesFile`, as written.
    pub(super) excludes_file: Option<String>,
    /// `core.ignoreCase`.
    pub(super) ignore_case: bool,
    /// `core.bare`.
    pub(super) is_bare: bool,
    /// `extensions.objectFormat` is `sha256`.
    pub(super) is_sha256: bool,
    /// `remote.origin.url`, the first one.
    pub(super) origin: Option<String>,
    /// `extensions.worktreeConfig`.
    pub(super) has_worktree_config: bool,
    /// `core.worktree`.
    pub(super) work_tree: Option<String>,
}

/// The largest configuration file to read.
const MOST_BYTES: usize = 1 << 20;
/// How deep files may include each other, as in git.
const MOST_DEPTH: usize = 10;
/// How many files to read in all: ten levels of files with two includes each would be a thousand.
const MOST_FILES: usize = 100;

/// Reads configuration files, weakest first.
pub(super) struct ConfigReader<'a> {
    pub(super) system: &'a dyn System,
    pub(super) environment: &'a GitEnvironment,
    pub(super) git_dir: &'a Path,
    pub(super) config: GitConfig,
    /// The files that exist but cannot be read, with the reason.
    pub(super) unreadable: Vec<(PathBuf, String)>,
    files: usize,
}

impl<'a> ConfigReader<'a> {
    pub(super) fn new(
        system: &'a dyn System,
        environment: &'a GitEnvironment,
        git_dir: &'a Path,
    ) -> Self {
        let (config, unreadable) = (GitConfig::default(), Vec::new());
        Self { system, environment, git_dir, config, unreadable, files: 0 }
    }

    /// Adds the settings of a file to those read so far.
    pub(super) fn read(&mut self, path: &Path) {
        self.read_at(path, 0);
    }

    fn read_at(&mut self, path: &Path, depth: usize) {
        self.files += 1;
        if depth > MOST_DEPTH || self.files > MOST_FILES {
            return;
        }
        let bytes = match super::read_optional(self.system, path, MOST_BYTES) {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(error) => return self.unreadable.push((path.to_path_buf(), error)),
        };
        let text = String::from_utf8_lossy(&bytes);
        for variable in variables(text.strip_prefix('\u{FEFF}').unwrap_or(&text)) {
            let is_true = is_true(variable.value.as_deref());
            let value = variable.value.unwrap_or_default();
            let of = (variable.section.as_str(), variable.subsection.as_str());
            match (of, variable.name.as_str()) {
                (("core", ""), "excludesfile") => self.config.excludes_file = Some(value),
                (("core", ""), "ignorecase") => self.config.ignore_case = is_true,
                (("core", ""), "bare") => self.config.is_bare = is_true,
                (("core", ""), "worktree") => self.config.work_tree = Some(value),
                (("extensions", ""), "objectformat") => {
                    self.config.is_sha256 = value.eq_ignore_ascii_case("sha256");
                }
                (("extensions", ""), "worktreeconfig") => self.config.has_worktree_config = is_true,
                (("remote", "origin"), "url") => {
                    self.config.origin.get_or_insert(value);
                }
                (("include", ""), "path") => self.include(path, &value, depth),
                (("includeif", condition), "path") if self.is_met(path, condition) => {
                    self.include(path, &value, depth);
                }
                _ => {}
            }
        }
    }

    fn include(&mut self, from: &Path, value: &str, depth: usize) {
        let folder = from.parent().unwrap_or(from);
        if let Some(path) = self.environment.path(value, folder) {
            self.read_at(&path, depth + 1);
        }
    }

    /// Whether the condition of an include is true.
    fn is_met(&self, from: &Path, condition: &str) -> bool {
        let (pattern, ignore_case) = match condition.split_once(':') {
            Some(("gitdir", pattern)) => (pattern, false),
            Some(("gitdir/i", pattern)) => (pattern, true),
            _ => return false,
        };
        let folder = |path: &Path| Some(format!("{}/", path.to_str()?.trim_end_matches('/')));
        // The folder at its start is literal, not a pattern.
        let (start, pattern) = match pattern.split_at_checked(2) {
            Some(("~/", rest)) => {
                (self.environment.home.as_deref().and_then(folder), rest.to_owned())
            }
            Some(("./", rest)) => (from.parent().and_then(folder), rest.to_owned()),
            _ if pattern.starts_with('/') => (Some(String::new()), pattern.to_owned()),
            _ => (Some(String::new()), format!("**/{pattern}")),
        };
        let below =
            start.as_ref().and_then(|start| self.git_dir.to_str()?.strip_prefix(start.as_str()));
        let Some(below) = below else { return false };
        let deep = if pattern.is_empty() || pattern.ends_with('/') { "**" } else { "" };
        let pattern = Wildmatch::new(format!("{pattern}{deep}").as_bytes(), ignore_case);
        let below = if ignore_case { below.to_ascii_lowercase() } else { below.to_owned() };
        pattern.is_some_and(|pattern| pattern.is_match(below.as_bytes()))
    }
}

/// Parses a boolean as git does. A name without a value is true.
fn is_true(value: Option<&str>) -> bool {
    let Some(value) = value else { return true };
    let is_word = ["true", "yes", "on"].iter().any(|word| value.eq_ignore_ascii_case(word));
    is_word || value.parse::<i64>().is_ok_and(|number| number != 0)
}

/// A variable: `section.subsection.name`, with section and name in lower case.
#[derive(Debug, PartialEq, Eq)]
struct Variable {
    section: String,
    subsection: String,
    name: String,
    value: Option<String>,
}

/// The variables of a text, in order. Skips invalid lines: git would reject the whole file, and its users
/// would know.
fn variables(text: &str) -> Vec<Variable> {
    let mut found = Vec::new();
    let (mut section, mut subsection) = (String::new(), String::new());
    let mut rest = text;
    while !rest.is_empty() {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('[') {
            let (header, after) = header(after);
            if let Some(header) = header {
                (section, subsection) = header;
            }
            rest = after;
            continue;
        }
        if rest.starts_with(['#', ';']) {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
            continue;
        }
        let end = rest.find(['=', '\n']).unwrap_or(rest.len());
        let name = rest[..end].split(['#', ';']).next().unwrap_or_default().trim();
        let name = name.to_ascii_lowercase();
        let value;
        (value, rest) = match rest[end..].strip_prefix('=') {
            Some(after) => {
                let (value, after) = value_of(after);
                (Some(value), after)
            }
            None => (None, rest.get(end + 1..).unwrap_or_default()),
        };
        if !name.is_empty() {
            let (section, subsection) = (section.clone(), subsection.clone());
            found.push(Variable { section, subsection, name, value });
        }
    }
    found
}

/// Parses a section header after its bracket: section, subsection, and the rest of the text.
fn header(text: &str) -> (Option<(String, String)>, &str) {
    let mut quoted: Option<String> = None;
    let mut plain = String::new();
    let mut characters = text.char_indices();
    let mut is_in_quotes = false;
    while let Some((at, character)) = characters.next() {
        match (character, is_in_quotes) {
            ('\n', _) => return (None, &text[at..]),
            ('"', false) => (is_in_quotes, quoted) = (true, Some(String::new())),
            ('"', true) => is_in_quotes = false,
            ('\\', true) => {
                let escaped = characters.next().map(|(_, character)| character);
                quoted.get_or_insert_default().extend(escaped);
            }
            (_, true) => quoted.get_or_insert_default().push(character),
            (']', false) => {
                let plain = plain.trim().to_ascii_lowercase();
                let names = match (quoted, plain.split_once('.')) {
                    (Some(quoted), _) => (plain, quoted),
                    (None, Some((section, below))) => (section.to_owned(), below.to_owned()),
                    (None, None) => (plain, String::new()),
                };
                return (Some(names), &text[at + 1..]);
            }
            (_, false) => plain.push(character),
        }
    }
    (None, "")
}

/// Parses a value after its `=`: the value, and the text after its line.
fn value_of(text: &str) -> (String, &str) {
    let mut value = String::new();
    // Spaces count only if something follows them.
    let mut spaces = String::new();
    let mut is_in_quotes = false;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\n' => return (value, &text[at + 1..]),
            '#' | ';' if !is_in_quotes => {
                return (value, text[at..].split_once('\n').map_or("", |(_, after)| after));
            }
            '"' => is_in_quotes = !is_in_quotes,
            '\\' => {
                let escaped = characters.next().map(|(_, character)| character);
                value.push_str(&std::mem::take(&mut spaces));
                match escaped {
                    // The line continues.
                    Some('\n') | None => {}
                    Some('\r') => {
                        let mut ahead = characters.clone();
                        if ahead.next().is_some_and(|(_, character)| character == '\n') {
                            characters = ahead;
                        }
                    }
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some(other) => value.push(other),
                }
            }
            _ if character.is_whitespace() && !is_in_quotes => {
                if !value.is_empty() {
                    spaces.push(character);
                }
            }
            _ => {
                value.push_str(&std::mem::take(&mut spaces));
                value.push(character);
            }
        }
    }
    (value, "")
}
