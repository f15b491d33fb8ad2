//! Gradle builds, as far as their scripts say things in plain words: what is computed is not known.
//!
//! A project is a folder with a build script, or one that settings name: those may call its script as they like, or
//! have none.

use std::collections::{BTreeMap, BTreeSet};


use toml::{Table, Value};

use super::published::coordinates;
use crate::resolve::published::{upwards, Manifests, Published};

const SETTINGS: [&str; 2] = ["settings.gradle", "settings.gradle.kts"];
const SCRIPTS: [&str; 2] = ["build.gradle", "build.gradle.kts"];
const CATALOG: &str = "gradle/libs.versions.toml";

/// The folders that settings name as projects.
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

/// A folder below another one; none where it leads out of the repository.
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

/// The projects that settings include, as folders from theirs.
fn included(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let mut folders: BTreeMap<String, String> = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        let rest = tokens.get(at + 1..).unwrap_or_default();
        match token {
            Token::Word("include") => {
                for path in listed(rest) {
                    let folder = path.trim_matches(':').replace(':', "/");
                    folders.insert(path.trim_matches(':').to_owned(), folder);
                }
            }
            Token::Word("project") => {
                if let Some((path, folder)) = moved(rest) {
                    folders.insert(path.trim_matches(':').to_owned(), folder.to_owned());
                }
            }
            _ => {}
        }
    }
    folders.into_values().filter(|folder| !folder.is_empty()).collect()
}

/// The texts of a list, with or without brackets around it.
fn listed<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let mut texts = Vec::new();
    let mut is_open = false;
    let mut is_next = true;
    for token in tokens {
        match token {
            Token::Text(text) if is_next => {
                texts.push(*text);
                is_next = false;
            }
            Token::Mark(',') => is_next = true,
            Token::Mark('(') if texts.is_empty() => is_open = true,
            Token::Line if is_open || is_next => {}
            _ => break,
        }
    }
    texts
}

/// `project(':a').projectDir = file('b')`: the project, and where it is.
fn moved<'t>(tokens: &[Token<'t>]) -> Option<(&'t str, &'t str)> {
    let [
        Token::Mark('('),
        Token::Text(path),
        Token::Mark(')'),
        Token::Word(".projectDir"),
        rest @ ..,
    ] = tokens
    else {
        return None;
    };
    let line = rest.iter().take_while(|token| **token != Token::Line);
    let folder = line.filter_map(|token| match token {
        Token::Text(text) => Some(*text),
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
    let mut said = Script::default();
    let named = [format!("{own}.gradle"), format!("{own}.gradle.kts")];
    let mut names = SCRIPTS.into_iter().chain(named.iter().map(String::as_str));
    if let Some(text) = names.find_map(|name| manifests.read(folder, name)) {
        said.read(&text, Whose::Own);
    }
    for above in upwards(folder) {
        said.read_properties(&manifests.read(above, "gradle.properties").unwrap_or_default());
        let script = SCRIPTS.iter().find_map(|name| manifests.read(above, name));
        if let Some(text) = script.filter(|_| above != folder) {
            said.read(&text, Whose::Above);
        }
    }
    let settings = SETTINGS.iter().find_map(|name| manifests.read(folder, name));
    let root =
        settings.and_then(|text| assigned(&tokens(&text), "rootProject.name").map(str::to_owned));
    let artifact = root.or_else(|| Some(own.to_owned()).filter(|own| !own.is_empty()));
    let group = said.group.as_deref().and_then(|group| said.filled(group));
    let catalog = upwards(folder).find_map(|above| manifests.read(above, CATALOG));
    Published {
        name: artifact.map(|artifact| coordinates(group.as_deref(), &artifact)),
        version: said.version.as_deref().and_then(|version| said.filled(version)),
        requirements: said.requirements(&Catalog::read(catalog.as_deref())),
        ..Published::default()
    }
}

/// Whose script is read: of one above only what it says of all projects counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Own,
    Above,
}

/// What scripts say of a project, the nearest first.
#[derive(Default)]
struct Script {
    group: Option<String>,
    version: Option<String>,
    /// Names with plain texts behind them.
    values: BTreeMap<String, String>,
    /// Coordinates as written, with a version or without.
    asked: Vec<String>,
    /// Names of catalogs: `libs.a.b` without its first part.
    aliases: BTreeSet<String>,
}

impl Script {
    fn read(&mut self, text: &str, whose: Whose) {
        let tokens = tokens(text);
        let mut blocks: Vec<&str> = Vec::new();
        let mut last = "";
        let mut open: BTreeMap<&str, &str> = BTreeMap::new();
        for (at, token) in tokens.iter().enumerate() {
            let rest = tokens.get(at + 1..).unwrap_or_default();
            let is_shared = match whose {
                Whose::Own => blocks.iter().all(|it| *it == "allprojects"),
                Whose::Above => !blocks.is_empty() && blocks.iter().all(|it| is_for_all(it)),
            };
            let is_asking = blocks.contains(&"dependencies")
                && (whose == Whose::Own || blocks.iter().any(|it| is_for_all(it)));
            match token {
                Token::Mark('{') => blocks.push(last),
                Token::Mark('}') => drop(blocks.pop()),
                Token::Word(word) => {
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
                Token::Text(text) if is_asking && is_coordinates(text) => {
                    self.asked.push((*text).to_owned());
                }
                Token::Line => self.ask_by_parts(&std::mem::take(&mut open)),
                Token::Text(_) | Token::Mark(_) => {}
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

    /// `group: 'a', name: 'b', version: 'c'`.
    fn ask_by_parts(&mut self, parts: &BTreeMap<&str, &str>) {
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

    /// A text with the values of the names in it; none where one of them is not known.
    fn filled(&self, text: &str) -> Option<String> {
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
            let (Some(group), Some(artifact)) = (self.filled(group), self.filled(artifact)) else {
                continue;
            };
            let version = parts.next().map(|it| it.split([':', '@']).next().unwrap_or(it));
            note(coordinates(Some(&group), &artifact), version.and_then(|it| self.filled(it)));
        }
        for alias in &self.aliases {
            for (name, version) in catalog.meant(alias) {
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

/// The libraries of a catalog, by the names that scripts use.
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

    /// What a name means: a library, or those of a bundle. Scripts may call something behind a name.
    fn meant(&self, alias: &str) -> Vec<&(String, Option<String>)> {
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

/// How scripts write the name of a catalog's entry.
fn accessor(alias: &str) -> String {
    alias.replace(['-', '_'], ".")
}

fn library(value: &Value, versions: &BTreeMap<&str, &Value>) -> Option<(String, Option<String>)> {
    if let Some(text) = value.as_str() {
        let mut parts = text.splitn(3, ':');
        let (group, artifact) = (parts.next()?, parts.next()?);
        return Some((coordinates(Some(group), artifact), parts.next().map(str::to_owned)));
    }
    let said = |key: &str| value.get(key).and_then(Value::as_str);
    let name = match said("module") {
        Some(module) => module.to_owned(),
        None => coordinates(Some(said("group")?), said("name")?),
    };
    let version = value.get("version").and_then(|version| {
        let named = version.get("ref").and_then(Value::as_str);
        wanted(named.map_or(Some(version), |named| versions.get(named).copied())?)
    });
    Some((name, version))
}

/// A version, plain or by what is strictly, at least or rather wanted.
fn wanted(version: &Value) -> Option<String> {
    let keys = ["strictly", "require", "prefer"];
    let rich = || keys.iter().find_map(|key| version.get(key).and_then(Value::as_str));
    version.as_str().or_else(rich).map(str::to_owned)
}

/// The text that a name is given.
fn assigned<'t>(tokens: &[Token<'t>], name: &str) -> Option<&'t str> {
    let at = tokens.iter().position(|token| *token == Token::Word(name))?;
    value_of(tokens.get(at + 1..)?)
}

/// The text behind a name: `= 'text'`, `: 'text'` or `'text'`.
fn value_of<'t>(tokens: &[Token<'t>]) -> Option<&'t str> {
    match tokens {
        [Token::Mark('=' | ':'), Token::Text(text), ..] | [Token::Text(text), ..] => Some(text),
        _ => None,
    }
}

/// A piece of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    /// A name with its dots.
    Word(&'t str),
    /// What stands between quotes.
    Text(&'t str),
    /// Any other character.
    Mark(char),
    /// The end of a line.
    Line,
}

/// The pieces of a script, Groovy's or Kotlin's, without comments.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').and_then(|at| comment.get(at..)).unwrap_or_default();
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
        } else if let Some((inner, next)) = quoted(rest) {
            found.push(Token::Text(inner));
            rest = next;
        } else if is_word(first) {
            let (word, next) = rest.split_at(rest.find(|it| !is_word(it)).unwrap_or(rest.len()));
            found.push(Token::Word(word));
            rest = next;
        } else {
            match first {
                '\n' => found.push(Token::Line),
                it if it.is_whitespace() => {}
                it => found.push(Token::Mark(it)),
            }
            rest = after;
        }
    }
    found
}

fn is_word(it: char) -> bool {
    it.is_alphanumeric() || matches!(it, '_' | '.' | '$')
}

/// A quoted text at the start, and what comes behind it.
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
