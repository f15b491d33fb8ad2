//! Decodes the tree of a configuration file into settings.
//!
//! This collects every problem, so that the user can fix the file in one go. A wrong value keeps
//! its default while decoding, but then the whole file is rejected. The keys come from the
//! reference: a key that it does not list is unknown.

use portolan_graph::chart::LEAST_BUDGET;
use portolan_languages::Ecosystems;
use portolan_types::{Budget, Notice, NoticeCode, Place, RepoPath, is_invisible, is_safe_segment};

use super::ConfigProblem;
use super::reference::names_below;
use super::settings::{MetaArchive, MetaHashes, Settings};
use super::tree::{ConfigTree, Key, Located, Position};

/// The section that other tools share.
const CORE: &str = "stan-core";

type Members = Vec<(Key, Located)>;

/// Decodes a tree into settings. They are valid only if there are no problems.
pub(super) fn decode(file: &str, tree: Located) -> (Settings, Vec<Notice>, Vec<ConfigProblem>) {
    let mut decoder =
        Decoder { file, settings: Settings::default(), notices: Vec::new(), problems: Vec::new() };
    decoder.root(tree);
    decoder.problems.sort_by_key(|problem| problem.place.position);
    (decoder.settings, decoder.notices, decoder.problems)
}

struct Decoder<'a> {
    file: &'a str,
    settings: Settings,
    notices: Vec<Notice>,
    problems: Vec<ConfigProblem>,
}

impl Decoder<'_> {
    fn root(&mut self, tree: Located) {
        let at = tree.position;
        let members = match tree.value {
            ConfigTree::Map(members) => members,
            ConfigTree::Null => Vec::new(),
            other => {
                return self.problem(
                    at,
                    format!("expected a map of sections, found {}", other.describe()),
                );
            }
        };
        let (sections, core_keys) = (names_below(""), names_below(CORE));
        let is_ours = |name: &str| sections.contains(&name) || core_keys.contains(&name);
        if !members.iter().any(|(key, _)| is_ours(&key.name)) {
            let found =
                members.iter().find_map(|(key, _)| Some((key, nearest(&key.name, &sections)?)));
            return match found {
                Some((key, section)) => self.unknown_key(key, "", Some(section)),
                None => self
                    .problem(at, "there is no `stan-core` section; add one with `stanPath: .stan`"),
            };
        }
        let mut legacy = Vec::new();
        let mut core = Vec::new();
        for (key, value) in members {
            match key.name.as_str() {
                CORE => core = self.section(CORE, value),
                "portolan" => self.portolan(value),
                name if core_keys.contains(&name) => legacy.push((key, value)),
                name => self.foreign_key(&key, nearest(name, &sections)),
            }
        }
        self.core(core, legacy);
    }

    /// Other tools have sections of their own in the file. Report one only if it looks like a
    /// misspelt key of ours.
    fn foreign_key(&mut self, key: &Key, looks_like: Option<&str>) {
        if let Some(section) = looks_like {
            self.notice(
                key.position,
                format!("`{}` is ignored; did you mean `{section}`?", key.name),
            );
        }
    }

    /// Old files have their keys at the root. Keys in the section override them.
    fn core(&mut self, mut core: Members, legacy: Members) {
        for (key, value) in legacy {
            if core.iter().any(|(inner, _)| inner.name == key.name) {
                self.notice(
                    key.position,
                    format!("`{}` is ignored: `stan-core` has it too", key.name),
                );
            } else {
                self.notice(
                    key.position,
                    format!("`{}` belongs in the section `stan-core`; it is used", key.name),
                );
                core.push((key, value));
            }
        }
        for (key, value) in core {
            match key.name.as_str() {
                "stanPath" => self.stan_path(value),
                "includes" => self.settings.includes = self.texts(value),
                "excludes" => self.settings.excludes = self.texts(value),
                "imports" => self.imports(value),
                _ => {}
            }
        }
    }

    fn stan_path(&mut self, value: Located) {
        let at = value.position;
        let Some(text) = self.text(value) else { return };
        match RepoPath::from_untrusted(&text) {
            Ok(path) if path.as_str().split('/').any(is_taken) => {
                self.problem(
                    at,
                    format!("`stanPath` cannot be `{path}`: that folder belongs to another tool"),
                );
            }
            Ok(path) if path.as_str().contains(is_invisible) => {
                self.problem(at, "`stanPath` has a character that cannot be seen");
            }
            Ok(path) => self.settings.stan_path = path,
            Err(error) => self
                .problem(at, format!("`stanPath` must be a folder inside the repository: {error}")),
        }
    }

    fn imports(&mut self, value: Located) {
        for (key, value) in self.map("imports", value) {
            if !key.name.split('/').all(is_safe_segment) {
                self.problem(
                    key.position,
                    format!("the label `{}` cannot be a folder's name", key.name),
                );
                continue;
            }
            let patterns = match value.value {
                ConfigTree::Text(text) => self.texts(Located {
                    value: ConfigTree::List(vec![Located {
                        value: ConfigTree::Text(text),
                        position: value.position,
                    }]),
                    position: value.position,
                }),
                other => self.texts(Located { value: other, position: value.position }),
            };
            if !patterns.is_empty() {
                self.settings.imports.insert(key.name, patterns);
            }
        }
    }

    fn portolan(&mut self, value: Located) {
        for (key, value) in self.section("portolan", value) {
            match key.name.as_str() {
                "meta" => self.meta(value),
                "descriptions" => self.descriptions(value),
                "base" => self.base(value),
                "scope" => self.settings.scope = self.texts(value),
                "secrets" => self.secrets(value),
                _ => {}
            }
        }
    }

    fn meta(&mut self, value: Located) {
        for (key, value) in self.section("portolan.meta", value) {
            match key.name.as_str() {
                "hashes" => self.hashes(value),
                "budget" => self.budget(&value),
                "archive" => self.archive(value),
                _ => {}
            }
        }
    }

    fn hashes(&mut self, value: Located) {
        match value.value {
            ConfigTree::Text(text) if text == "short" => {
                self.settings.meta.hashes = MetaHashes::Short;
            }
            ConfigTree::Text(text) if text == "none" => {
                self.settings.meta.hashes = MetaHashes::None;
            }
            other => self.expected(value.position, "`short` or `none`", &other),
        }
    }

    fn archive(&mut self, value: Located) {
        self.settings.meta.archive = match value.value {
            ConfigTree::Text(text) if text == "fit" => MetaArchive::Fit,
            ConfigTree::Text(text) if text == "always" => MetaArchive::Always,
            ConfigTree::Text(text) if text == "never" => MetaArchive::Never,
            other => return self.expected(value.position, "`fit`, `always` or `never`", &other),
        };
    }

    fn budget(&mut self, value: &Located) {
        const WANTED: &str = "a number of tokens such as `20000` or `20k`, at least 500, or `none`";
        match &value.value {
            ConfigTree::Integer(tokens) if tokens.unsigned_abs() >= LEAST_BUDGET && *tokens > 0 => {
                self.settings.meta.budget = Some(tokens.unsigned_abs());
            }
            ConfigTree::Text(text) if text == "none" => self.settings.meta.budget = None,
            ConfigTree::Text(text) => match text.parse().map(Budget::tokens) {
                Ok(tokens) if tokens >= LEAST_BUDGET => self.settings.meta.budget = Some(tokens),
                _ => self.expected(value.position, WANTED, &value.value),
            },
            other => self.expected(value.position, WANTED, other),
        }
    }

    fn descriptions(&mut self, value: Located) {
        for (key, value) in self.section("portolan.descriptions", value) {
            match key.name.as_str() {
                "limit" => {
                    if let Some(limit) = self.count(value) {
                        self.settings.descriptions.limit = u32::try_from(limit).unwrap_or(u32::MAX);
                    }
                }
                "tags" => self.tags(value),
                _ => {}
            }
        }
    }

    /// An empty list means the default, as in the graph library of old versions.
    fn tags(&mut self, value: Located) {
        let tags = self.texts(value);
        if !tags.is_empty() {
            let with_at = |tag: String| if tag.starts_with('@') { tag } else { format!("@{tag}") };
            self.settings.descriptions.tags = tags.into_iter().map(with_at).collect();
        }
    }

    fn base(&mut self, value: Located) {
        for (key, value) in self.section("portolan.base", value) {
            match key.name.as_str() {
                "maxFileBytes" => {
                    if let Some(bytes) = self.count(value) {
                        self.settings.base.max_file_bytes = bytes;
                    }
                }
                "maxBytes" => {
                    if let Some(bytes) = self.count(value) {
                        self.settings.base.max_bytes = bytes;
                    }
                }
                "files" => self.settings.base.files = self.texts(value),
                _ => {}
            }
        }
    }

    fn secrets(&mut self, value: Located) {
        for (key, value) in self.section("portolan.secrets", value) {
            match (key.name.as_str(), &value.value) {
                ("enabled", ConfigTree::Bool(enabled)) => self.settings.secrets.enabled = *enabled,
                ("enabled", other) => self.expected(value.position, "`true` or `false`", other),
                ("allow", _) => self.allow(value),
                _ => {}
            }
        }
    }

    fn allow(&mut self, value: Located) {
        let at = value.position;
        for text in self.texts(value) {
            match RepoPath::from_untrusted(&text) {
                Ok(path) => self.settings.secrets.allow.push(path),
                Err(error) => self.problem(at, format!("`secrets.allow` has `{text}`: {error}")),
            }
        }
    }

    /// The members of a section that the reference lists. Reports all others.
    fn section(&mut self, section: &str, value: Located) -> Members {
        let known = names_below(section);
        let mut members = self.map(section, value);
        members.retain(|(key, _)| {
            let is_known = known.contains(&key.name.as_str());
            if !is_known {
                self.unknown_key(key, section, nearest(&key.name, &known));
            }
            is_known
        });
        members
    }

    /// The members of a map; none if it is empty.
    fn map(&mut self, name: &str, value: Located) -> Members {
        match value.value {
            ConfigTree::Map(members) => members,
            ConfigTree::Null => Vec::new(),
            other => {
                self.expected(value.position, &format!("a map below `{name}`"), &other);
                Vec::new()
            }
        }
    }

    fn text(&mut self, value: Located) -> Option<String> {
        match value.value {
            ConfigTree::Text(text) => Some(text),
            other => {
                self.expected(value.position, "a text (put it in quotes)", &other);
                None
            }
        }
    }

    /// A list of texts, trimmed; empty ones are dropped.
    fn texts(&mut self, value: Located) -> Vec<String> {
        let items = match value.value {
            ConfigTree::List(items) => items,
            ConfigTree::Null => Vec::new(),
            other => {
                self.expected(value.position, "a list of texts", &other);
                Vec::new()
            }
        };
        let texts = items.into_iter().filter_map(|item| self.text(item));
        texts.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
    }

    fn count(&mut self, value: Located) -> Option<u64> {
        match value.value {
            ConfigTree::Integer(count) if count >= 0 => Some(count.unsigned_abs()),
            other => {
                self.expected(value.position, "a whole number, 0 or more", &other);
                None
            }
        }
    }

    fn unknown_key(&mut self, key: &Key, section: &str, suggestion: Option<&str>) {
        let place = if section.is_empty() { String::new() } else { format!(" in `{section}`") };
        let hint = match (suggestion, key.name.split_once('.')) {
            (Some(known), _) => format!("; did you mean `{known}`?"),
            (None, Some((outer, inner))) => format!("; write `{outer}:` and below it `{inner}:`"),
            (None, None) => String::new(),
        };
        self.problem(key.position, format!("unknown key `{}`{place}{hint}", key.name));
    }

    fn expected(&mut self, at: Position, wanted: &str, found: &ConfigTree) {
        self.problem(at, format!("expected {wanted}, found {}", found.describe()));
    }

    fn problem(&mut self, (line, column): Position, message: impl Into<String>) {
        self.problems.push(ConfigProblem {
            place: Place::at(self.file, line, column),
            message: message.into(),
        });
    }

    fn notice(&mut self, (line, column): Position, message: String) {
        self.notices.push(Notice::at(
            NoticeCode::ConfigLegacy,
            Place::at(self.file, line, column),
            message,
        ));
    }
}

/// The known word that is nearest to a misspelt one, if any is near.
fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let distances = known.iter().map(|candidate| (distance(word, candidate), *candidate));
    distances
        .min()
        .filter(|(distance, candidate)| *distance <= 1.max(candidate.len() / 4))
        .map(|(_, found)| found)
}

/// The edit distance (insert, delete, replace) of two words, ignoring case.
fn distance(left: &str, right: &str) -> usize {
    let (left, right) = (left.to_lowercase(), right.to_lowercase());
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (at, b) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[right.len()]
}

/// Whether a folder of that name belongs to another tool. The file system may ignore case, and a
/// trailing dot or space.
fn is_taken(name: &str) -> bool {
    let name = name.trim_end_matches(['.', ' ']);
    name.eq_ignore_ascii_case(".git") || Ecosystems::default().iter().any(|one| one.is_store(name))
}
