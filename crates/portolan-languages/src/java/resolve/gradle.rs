//! Reads Gradle builds, as far as their scripts use plain literals. Computed values are unknown.
//!
//! A project is a folder with a build script, or one that the settings name. Settings may rename a
//! project's script, and a project may have none.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::published::coordinates;
use crate::resolve::published::{Manifests, Published, upwards};

const SETTINGS: [&str; 2] = ["settings.gradle", "settings.gradle.kts"];
const SCRIPTS: [&str; 2] = ["build.gradle", "build.gradle.kts"];
const CATALOG: &str = "gradle/libs.versions.toml";

/// The project folders that settings files name.
pub(super) fn projects(manifests: &Manifests<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for path in manifests.below("") {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if SETTINGS.contains(&name)
            && let Some(text) = manifests.read(folder, name)
        {
            found.extend(included(&text).iter().filter_map(|project| inside(folder, project)));
        }
    }
    found.retain(|folder| manifests.below(folder).next().is_some());
    found
}

/// A path below a folder; `None` if it leads out of the repository.
fn inside(folder: &str, project: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in project.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

/// The projects that a settings file includes, as relative folders.
fn included(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let mut folders: BTreeMap<String, String> = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        let rest = tokens.get(at + 1..).unwrap_or_default();
        match token {
            ScriptToken::Word("include") => {
                for path in listed(rest) {
                    let folder = path.trim_matches(':').replace(':', "/");
                    folders.insert(path.trim_matches(':').to_owned(), folder);
                }
            }
            ScriptToken::Word("project") => {
                if let Some((path, folder)) = project_dir(rest) {
                    folders.insert(path.trim_matches(':').to_owned(), folder.to_owned());
                }
            }
            _ => {}
        }
    }
    folders.into_values().filter(|folder| !folder.is_empty()).collect()
}

/// The strings of a list, with or without parentheses.
fn listed<'t>(tokens: &[ScriptToken<'t>]) -> Vec<&'t str> {
    let mut texts = Vec::new();
    let mut is_open = false;
    let mut is_next = true;
    for token in tokens {
        match token {
            ScriptToken::Text(text) if is_next => {
                texts.push(*text);
                is_next = false;
            }
            ScriptToken::Mark(',') => is_next = true,
            ScriptToken::Mark('(') if texts.is_empty() => is_open = true,
            ScriptToken::Line if is_open || is_next => {}
            _ => break,
        }
    }
    texts
}

/// Parses `project(':a').projectDir = file('b')` into the project and its folder.
fn project_dir<'t>(tokens: &[ScriptToken<'t>]) -> Option<(&'t str, &'t str)> {
    let [
        ScriptToken::Mark('('),
        ScriptToken::Text(path),
        ScriptToken::Mark(')'),
        ScriptToken::Word(".projectDir"),
        rest @ ..,
    ] = tokens
    else {
        return None;
    };
    let line = rest.iter().take_while(|token| **token != ScriptToken::Line);
    let folder = line.filter_map(|token| match token {
        ScriptToken::Text(text) => Some(*text),
        _ => None,
    });
    let folder = folder.last()?;
    let known = ["$rootDir", "${rootDir}", "$settingsDir", "${settingsDir}"];
    let folder = known.iter().find_map(|it| folder.strip_prefix(it)).unwrap_or(folder);
    (!folder.contains('$')).then_some((path, folder))
}

/// What the scripts of a project say.
pub(super) fn published(manifests: &Manifests<'_>, folder: &str) -> Published {
    let own = folder.rsplit('/').next().unwrap_or(folder);
    let mut merged = GradleScript::default();
    let named = [format!("{own}.gradle"), format!("{own}.gradle.kts")];
    let mut names = SCRIPTS.into_iter().chain(named.iter().map(String::as_str));
    if let Some(text) = names.find_map(|name| manifests.read(folder, name)) {
        merged.read(&text, ScriptOwner::Own);
    }
    for above in upwards(folder) {
        merged.read_properties(&manifests.read(above, "gradle.properties").unwrap_or_default());
        let script = SCRIPTS.iter().find_map(|name| manifests.read(above, name));
        if let Some(text) = script.filter(|_| above != folder) {
            merged.read(&text, ScriptOwner::Above);
        }
    }
    let settings = SETTINGS.iter().find_map(|name| manifests.read(folder, name));
    let root =
        settings.and_then(|text| assigned(&tokens(&text), "rootProject.name").map(str::to_owned));
    let artifact = root.or_else(|| Some(own.to_owned()).filter(|own| !own.is_empty()));
    let group = merged.group.as_deref().and_then(|group| merged.expand(group));
    let catalog = upwards(folder).find_map(|above| manifests.read(above, CATALOG));
    Published {
        name: artifact.map(|artifact| coordinates(group.as_deref(), &artifact)),
        version: merged.version.as_deref().and_then(|version| merged.expand(version)),
        requirements: merged.requirements(&Catalog::read(catalog.as_deref())),
        ..Published::default()
    }
}

/// Which project a script belongs to. Of a parent's script, only what it sets for all projects
/// counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptOwner {
    Own,
    Above,
}

/// What the scripts say about a project. The nearest one wins.
#[derive(Default)]
struct GradleScript {
    group: Option<String>,
    version: Option<String>,
    /// Variables with literal values.
    values: BTreeMap<String, String>,
    /// Dependency coordinates as written, with or without a version.
    asked: Vec<String>,
    /// Catalog aliases: `libs.a.b` without `libs`.
    aliases: BTreeSet<String>,
}

impl GradleScript {
    fn read(&mut self, text: &str, whose: ScriptOwner) {
        let tokens = tokens(text);
        let mut blocks: Vec<&str> = Vec::new();
        let mut last = "";
        let mut open: BTreeMap<&str, &str> = BTreeMap::new();
        for (at, token) in tokens.iter().enumerate() {
            let rest = tokens.get(at + 1..).unwrap_or_default();
            let is_shared = match whose {
                ScriptOwner::Own => blocks.iter().all(|it| *it == "allprojects"),
                ScriptOwner::Above => !blocks.is_empty() && blocks.iter().all(|it| is_for_all(it)),
            };
            let is_asking = blocks.contains(&"dependencies")
                && (whose == ScriptOwner::Own || blocks.iter().any(|it| is_for_all(it)));
            match token {
                ScriptToken::Mark('{') => blocks.push(last),
                ScriptToken::Mark('}') => drop(blocks.pop()),
                ScriptToken::Word(word) => {
                    last = word;
                    if let Some(value) = value_of(rest) {
                        self.assign(word, value, is_shared);
                        if is_asking {
                            open.insert(word, value);
                        }
                    }
                    if let Some(alias) = word.strip_prefix("libs.").filter(|_| is_asking) {
                        self.aliases.insert(alias.to_owned());
                    }
                }
                ScriptToken::Text(text) if is_asking && is_coordinates(text) => {
                    self.asked.push((*text).to_owned());
                }
                ScriptToken::Line => self.add_by_parts(&std::mem::take(&mut open)),
                ScriptToken::Text(_) | ScriptToken::Mark(_) => {}
            }
        }
    }

    fn assign(&mut self, name: &str, value: &str, is_shared: bool) {
        match name {
            "group" | "project.group" if is_shared && !value.contains(':') => {
                self.group.get_or_insert_with(|| value.to_owned());
            }
            "version" | "project.version" if is_shared => {
                self.version.get_or_insert_with(|| value.to_owned());
            }
            _ => {
                let short = name.rsplit('.').next().unwrap_or(name);
                self.values.entry(short.to_owned()).or_insert_with(|| value.to_owned());
            }
        }
    }

    /// Adds a dependency written as `group: 'a', name: 'b', version: 'c'`.
    fn add_by_parts(&mut self, parts: &BTreeMap<&str, &str>) {
        if let (Some(group), Some(name)) = (parts.get("group"), parts.get("name")) {
            let version = parts.get("version").map(|it| format!(":{it}")).unwrap_or_default();
            self.asked.push(format!("{group}:{name}{version}"));
        }
    }

    fn read_properties(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', '!'])) {
            if let Some((name, value)) = line.split_once('=') {
                self.assign(name.trim(), value.trim(), true);
            }
        }
    }

    /// Expands the variables in a text; `None` if one is unknown.
    fn expand(&self, text: &str) -> Option<String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            filled.push_str(before);
            let (name, next) = if let Some(inner) = after.strip_prefix('{') {
                inner.split_once('}')?
            } else {
                let is_name = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
                after.split_at(after.find(|it| !is_name(it)).unwrap_or(after.len()))
            };
            let short = name.trim().rsplit('.').next().unwrap_or(name);
            let value = self.values.get(short).filter(|value| !value.contains('$'))?;
            filled.push_str(value);
            rest = next;
        }
        filled.push_str(rest);
        (!filled.is_empty()).then_some(filled)
    }

    fn requirements(&self, catalog: &Catalog) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut note = |name: String, version: Option<String>| {
            found.entry(name).or_insert_with(|| version.unwrap_or_else(|| "*".to_owned()));
        };
        for asked in &self.asked {
            let mut parts = asked.splitn(3, ':');
            let (Some(group), Some(artifact)) = (parts.next(), parts.next()) else { continue };
            let (Some(group), Some(artifact)) = (self.expand(group), self.expand(artifact)) else {
                continue;
            };
            let version = parts.next().map(|it| it.split([':', '@']).next().unwrap_or(it));
            note(coordinates(Some(&group), &artifact), version.and_then(|it| self.expand(it)));
        }
        for alias in &self.aliases {
            for (name, version) in catalog.libraries_of(alias) {
                note(name.clone(), version.clone());
            }
        }
        found
    }
}

fn is_for_all(block: &str) -> bool {
    matches!(block, "allprojects" | "subprojects")
}

/// Whether a text is `group:artifact` or `group:artifact:version`.
fn is_coordinates(text: &str) -> bool {
    let parts: Vec<&str> = text.splitn(3, ':').collect();
    let is_part = |part: &&str| !part.is_empty() && !part.contains([' ', '/', '\\', '(']);
    parts.len() >= 2 && parts.iter().all(is_part)
}

/// A version catalog: its libraries and bundles by accessor.
#[derive(Default)]
struct Catalog {
    libraries: BTreeMap<String, (String, Option<String>)>,
    bundles: BTreeMap<String, Vec<String>>,
}

impl Catalog {
    fn read(text: Option<&str>) -> Self {
        let mut catalog = Self::default();
        let Some(table) = text.and_then(|text| text.parse::<Table>().ok()) else { return catalog };
        let part = |name: &str| table.get(name).and_then(Value::as_table).into_iter().flatten();
        let versions: BTreeMap<&str, &Value> =
            part("versions").map(|(name, it)| (name.as_str(), it)).collect();
        for (alias, value) in part("libraries") {
            catalog.libraries.extend(library(value, &versions).map(|it| (accessor(alias), it)));
        }
        for (alias, value) in part("bundles") {
            let members = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            catalog.bundles.insert(accessor(alias), members.map(accessor).collect());
        }
        catalog
    }

    /// The libraries of an accessor: one, or those of a bundle. Scripts may append a call such as
    /// `.get()`.
    fn libraries_of(&self, alias: &str) -> Vec<&(String, Option<String>)> {
        let mut name = alias;
        loop {
            if let Some(members) = name.strip_prefix("bundles.").and_then(|it| self.bundles.get(it))
            {
                return members.iter().filter_map(|it| self.libraries.get(it)).collect();
            }
            if let Some(library) = self.libraries.get(name) {
                return vec![library];
            }
            match name.rsplit_once('.') {
                Some((before, _)) => name = before,
                None => return Vec::new(),
            }
        }
    }
}

/// The accessor that scripts use for a catalog alias.
fn accessor(alias: &str) -> String {
    alias.replace(['-', '_'], ".")
}

fn library(value: &Value, versions: &BTreeMap<&str, &Value>) -> Option<(String, Option<String>)> {
    if let Some(text) = value.as_str() {
        let mut parts = text.splitn(3, ':');
        let (group, artifact) = (parts.next()?, parts.next()?);
        return Some((coordinates(Some(group), artifact), parts.next().map(str::to_owned)));
    }
    let field = |key: &str| value.get(key).and_then(Value::as_str);
    let name = match field("module") {
        Some(module) => module.to_owned(),
        None => coordinates(Some(field("group")?), field("name")?),
    };
    let version = value.get("version").and_then(|version| {
        let named = version.get("ref").and_then(Value::as_str);
        version_text(named.map_or(Some(version), |named| versions.get(named).copied())?)
    });
    Some((name, version))
}

/// A version: plain, or the `strictly`, `require` or `prefer` of a rich version.
fn version_text(version: &Value) -> Option<String> {
    let keys = ["strictly", "require", "prefer"];
    let rich = || keys.iter().find_map(|key| version.get(key).and_then(Value::as_str));
    version.as_str().or_else(rich).map(str::to_owned)
}

/// The string that is assigned to a name.
fn assigned<'t>(tokens: &[ScriptToken<'t>], name: &str) -> Option<&'t str> {
    let at = tokens.iter().position(|token| *token == ScriptToken::Word(name))?;
    value_of(tokens.get(at + 1..)?)
}

/// The string after a name: `= 'text'`, `: 'text'` or `'text'`.
fn value_of<'t>(tokens: &[ScriptToken<'t>]) -> Option<&'t str> {
    match tokens {
        [ScriptToken::Mark('=' | ':'), ScriptToken::Text(text), ..]
        | [ScriptToken::Text(text), ..] => Some(text),
        _ => None,
    }
}

/// A token of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScriptToken<'t> {
    /// A name with its dots.
    Word(&'t str),
    /// The text between quotes.
    Text(&'t str),
    /// Any other character.
    Mark(char),
    /// The end of a line.
    Line,
}

/// Splits a Groovy or Kotlin script into tokens, without comments.
fn tokens(text: &str) -> Vec<ScriptToken<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').and_then(|at| comment.get(at..)).unwrap_or_default();
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
        } else if let Some((inner, next)) = quoted(rest) {
            found.push(ScriptToken::Text(inner));
            rest = next;
        } else if is_word(first) {
            let (word, next) = rest.split_at(rest.find(|it| !is_word(it)).unwrap_or(rest.len()));
            found.push(ScriptToken::Word(word));
            rest = next;
        } else {
            match first {
                '\n' => found.push(ScriptToken::Line),
                it if it.is_whitespace() => {}
                it => found.push(ScriptToken::Mark(it)),
            }
            rest = after;
        }
    }
    found
}

fn is_word(it: char) -> bool {
    it.is_alphanumeric() || matches!(it, '_' | '.' | '$')
}

/// Splits a quoted text from the start of a script.
fn quoted(text: &str) -> Option<(&str, &str)> {
    for quotes in ["\"\"\"", "'''"] {
        if let Some(inner) = text.strip_prefix(quotes) {
            return Some(inner.split_once(quotes).unwrap_or((inner, "")));
        }
    }
    let quote = text.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    let inner = text.get(1..)?;
    let mut is_escaped = false;
    let end = inner.find(|it: char| {
        let is_end = (it == quote && !is_escaped) || it == '\n';
        is_escaped = it == '\\' && !is_escaped;
        is_end
    });
    let end = end.unwrap_or(inner.len());
    let next = inner.get(end..).unwrap_or_default();
    Some((inner.get(..end)?, next.strip_prefix(quote).unwrap_or(next)))
}
