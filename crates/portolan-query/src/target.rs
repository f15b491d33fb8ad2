//! What people and agents ask about: `path`, `path:line[:column]`, `path:from-to`, `path#Name`, `path#Class.member`, a name.

use std::collections::BTreeSet;

use portolan_symbols::meaning::{Place, Resolver, World as _, enclosing};
use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, NONE, Span};
use thiserror::Error;

use super::slices::Focus;
use crate::find::{Found, Reach, find_in};
use portolan_index::symbols::SymbolDb;
use portolan_workspace::path_input::PathInput;

/// What is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file.
    File(String),
    /// A place in a file: line and column, from 1.
    Place(String, u32, Option<u32>),
    /// Lines of a file, from the first to the last.
    Lines(String, u32, u32),
    /// A declaration of a file, with a member where there is a dot.
    Named(String, String),
    /// A declaration by its name.
    Name(String),
}

/// Why there is nothing to show.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TargetError {
    /// No such file.
    #[error("no file `{path}` in the map")]
    NoFile {
        /// What was asked for.
        path: String,
        /// Files that look like it, best first.
        similar: Vec<String>,
    },
    /// A file that nobody is to see.
    #[error("hidden by `excludes` of the configuration: `{path}`")]
    Hidden {
        /// What was asked for.
        path: String,
    },
    /// No such declaration.
    #[error("no declaration `{name}`")]
    NoDeclaration {
        /// What was asked for.
        name: String,
        /// Targets that look like it, best first.
        similar: Vec<String>,
    },
    /// Too many have that name.
    #[error("several declarations are called `{name}`")]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// Some of them, as targets.
        similar: Vec<String>,
    },
    /// It may hold secrets.
    #[error("`{path}` is denied: {reason}")]
    Denied {
        /// The file.
        path: String,
        /// The rule.
        reason: String,
    },
    /// It is a picture, an archive, or gone.
    #[error("`{path}` holds no text that can be shown")]
    NoText {
        /// The file.
        path: String,
    },
    /// Nothing is declared there.
    #[error("nothing is declared at line {line} of `{path}`")]
    Nothing {
        /// The file.
        path: String,
        /// The line.
        line: u32,
    },
}

impl TargetError {
    /// What to ask next.
    pub fn next_call(&self) -> String {
        match self {
            Self::NoFile { similar, .. } | Self::NoDeclaration { similar, .. }
                if similar.is_empty() =>
            {
                "`chart` shows what is there, `find` looks for names".to_owned()
            }
            Self::NoFile { similar, .. } | Self::NoDeclaration { similar, .. } => {
                format!("nearest: `{}`", similar.join("`, `"))
            }
            Self::Ambiguous { similar, .. } => {
                format!("ask for one of them: `{}`", similar.join("`, `"))
            }
            Self::Nothing { path, .. } => {
                format!("`read {path}` shows all that the file declares")
            }
            Self::NoText { path } => format!("`look {path}` shows who uses it"),
            Self::Hidden { .. } => "`chart` shows what is there".to_owned(),
            Self::Denied { .. } => {
                "`portolan.secrets.allow` in the configuration opens single paths".to_owned()
            }
        }
    }
}

/// More declarations of one name than this are a question to ask back.
const MOST_NAMED: usize = 5;

/// Of a target that names no file, so many marks are tried for where its path ends.
const MOST_MARKS: usize = 16;

/// Reads a target as it is written; `is_file` tells what is a file. Paths are given from the root, however they are
/// spelled.
pub fn parse_target(text: &str, path_input: &PathInput, is_file: impl Fn(&str) -> bool) -> Target {
    let plain = |path: &str| path_input.plain(path, &is_file);
    let whole = plain(text);
    if is_file(&whole) {
        return Target::File(whole);
    }
    // A file may have the mark in its name, and so may what it declares.
    let marks = || text.match_indices('#').take(MOST_MARKS);
    let at_file = marks().find(|(at, _)| is_file(&plain(&text[..*at])));
    if let Some((at, _)) = at_file.or_else(|| marks().next()) {
        return Target::Named(plain(&text[..at]), text[at + 1..].to_owned());
    }
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    if let Some((path, lines)) = text.rsplit_once(':')
        && let Some((from, to)) = lines.split_once('-')
        && let (Some(from), Some(to)) = (number(from), number(to))
        && from <= to
    {
        return Target::Lines(plain(path), from, to);
    }
    if let Some((rest, last)) = text.rsplit_once(':')
        && let Some(last) = number(last)
    {
        if let Some((path, line)) = rest.rsplit_once(':')
            && let Some(line) = number(line)
        {
            return Target::Place(plain(path), line, Some(last));
        }
        return Target::Place(plain(rest), last, None);
    }
    if text.contains('/') { Target::File(whole) } else { Target::Name(text.to_owned()) }
}

/// The one member of an extension that is written in one line: the line means the member.
fn only_member(facts: &Declarations, outer: u32, line: Span) -> Option<u32> {
    let item = facts.item(outer).filter(|it| it.kind == DeclarationKind::Extension)?;
    let is_one_line = line.start <= item.span.start && item.span.end <= line.end;
    match facts.list(item.members) {
        [only] if is_one_line => Some(*only),
        _ => None,
    }
}

/// The declarations of a repository, asked by targets.
#[derive(Clone, Copy)]
pub struct TargetLookup<'a, 'm>(pub &'a SymbolDb<'m>);

impl<'m> std::ops::Deref for TargetLookup<'_, 'm> {
    type Target = SymbolDb<'m>;

    fn deref(&self) -> &SymbolDb<'m> {
        self.0
    }
}

impl TargetLookup<'_, '_> {
    /// A target as it is written by somebody who is where the user is.
    pub fn target(self, text: &str) -> Target {
        parse_target(text, self.path_input(), |path| self.number(path).is_some())
    }

    /// What a target means: declarations, or a place in a file that declares nothing.
    pub(super) fn focus(self, target: &Target) -> Result<Vec<Focus>, TargetError> {
        let found = self.find(target);
        let (Target::Place(path, line, _), Err(TargetError::Nothing { .. })) = (target, &found)
        else {
            return found;
        };
        let text = self.number(path).and_then(|file| Some((file, self.shown(file)?)));
        let text = text.filter(|(_, it)| it.facts.items.is_empty() && *line <= it.lines.count());
        let Some((file, text)) = text else { return found };
        let at = Some(text.lines.span(*line).start);
        Ok(vec![Focus { place: Place { file, item: NONE }, at }])
    }

    /// The declarations that a target means; of a file that declares nothing, the file.
    pub fn find(self, target: &Target) -> Result<Vec<Focus>, TargetError> {
        match target {
            Target::Place(path, line, column) => self.at(path, *line, *column),
            Target::Lines(path, from, to) => self.between(path, *from, *to),
            Target::File(path) => {
                let file = self.known(path)?;
                let facts = self.file(file);
                if facts.is_none() {
                    self.permitted(file)?;
                }
                let items = facts.iter().flat_map(|facts| facts.items.iter().zip(0u32..));
                let own = items.filter(|(item, _)| item.parent == NONE);
                let mut own: Vec<u32> = own.map(|(_, item)| item).collect();
                if own.is_empty() {
                    let text = self.shown(file);
                    text.ok_or_else(|| TargetError::NoText { path: path.clone() })?;
                    own.push(NONE);
                }
                let focus = |item| Focus { place: Place { file, item }, at: None };
                Ok(own.into_iter().map(focus).collect())
            }
            Target::Named(path, name) => {
                let file = self.known(path)?;
                self.named(file, path, name)
            }
            Target::Name(name) => self.by_name(name, Reach::Alike),
        }
    }

    /// The declarations that have a name, where they are few.
    pub(crate) fn called(self, name: &str) -> Vec<Focus> {
        self.by_name(name, Reach::Exact).unwrap_or_default()
    }

    /// The declarations of a name, wherever they are: few, or none at all.
    fn by_name(self, name: &str, reach: Reach) -> Result<Vec<Focus>, TargetError> {
        let report = find_in(self.0, name, MOST_NAMED + 1, reach);
        let target = |it: &Found| format!("{}#{}", it.file, it.name);
        let own = report.found.iter().filter(|it| it.is_exported);
        let mut own: Vec<_> =
            own.filter(|it| !it.name.contains('.') || name.contains('.')).collect();
        if own.is_empty() {
            own = report.found.iter().collect();
        }
        if !report.is_exact || own.len() > MOST_NAMED {
            let mut similar: Vec<String> = report.found.iter().map(target).collect();
            similar.dedup();
            similar.truncate(MOST_NAMED);
            let name = name.to_owned();
            return Err(if report.is_exact {
                TargetError::Ambiguous { name, similar }
            } else {
                TargetError::NoDeclaration { name, similar }
            });
        }
        let mut found = Vec::new();
        for it in own {
            let Some(file) = self.number(&it.file) else { continue };
            found.extend(self.named(file, &it.file, &it.name)?);
        }
        Ok(found)
    }

    fn known(self, path: &str) -> Result<u32, TargetError> {
        self.number(path).ok_or_else(|| self.no_file(path))
    }

    /// That there is no such file, with those that look like it, or that it is not to be seen.
    pub(super) fn no_file(self, path: &str) -> TargetError {
        if self.map().excluded.has(&path.into()) {
            return TargetError::Hidden { path: path.to_owned() };
        }
        let paths = self.map().universe.iter().map(|file| file.path.as_str());
        let similar = portolan_workspace::similar::similar(path, paths, 3);
        TargetError::NoFile { path: path.to_owned(), similar }
    }

    /// Tells of a file that may hold secrets: it looks as if it were empty.
    fn permitted(self, file: u32) -> Result<(), TargetError> {
        match self.denial(file) {
            Some(rule) => Err(TargetError::Denied {
                path: self.path(file),
                reason: format!("it may hold secrets (rule `{rule}`)"),
            }),
            None => Ok(()),
        }
    }

    fn at(self, path: &str, line: u32, column: Option<u32>) -> Result<Vec<Focus>, TargetError> {
        let file = self.known(path)?;
        let nothing = || TargetError::Nothing { path: path.to_owned(), line };
        let Some(loaded) = self.load(file) else {
            self.permitted(file)?;
            return Err(nothing());
        };
        let at = if let Some(column) = column {
            loaded.lines.offset(&loaded.text, line, column)
        } else {
            let content = loaded.lines.text(&loaded.text, line);
            let indent = content.len() - content.trim_start().len();
            loaded.lines.span(line).start + indent as u32
        };
        let (outer, member) = enclosing(&loaded.facts, at).ok_or_else(nothing)?;
        let line = loaded.lines.span(line);
        let only = || only_member(&loaded.facts, outer, line).filter(|_| column.is_none());
        let item = member.or_else(only).unwrap_or(outer);
        Ok(vec![Focus { place: Place { file, item }, at: Some(at) }])
    }

    /// The declarations that lines touch: of one that has them all, the members.
    fn between(self, path: &str, from: u32, to: u32) -> Result<Vec<Focus>, TargetError> {
        let file = self.known(path)?;
        let nothing = || TargetError::Nothing { path: path.to_owned(), line: from };
        let Some(loaded) = self.load(file) else {
            self.permitted(file)?;
            return Err(nothing());
        };
        let lines = |item: u32| {
            let span = loaded.facts.item(item).map(|it| it.span).unwrap_or_default();
            (loaded.lines.of(span.start), loaded.lines.last_of(span))
        };
        let touches = |item: &u32| {
            let (first, last) = lines(*item);
            first <= to && from <= last
        };
        let items = loaded.facts.items.iter().zip(0u32..);
        let own = items.filter(|(item, _)| item.parent == NONE).map(|(_, number)| number);
        let mut found: Vec<u32> = own.filter(touches).collect();
        if let [only] = found[..]
            && lines(only).0 < from
            && to < lines(only).1
            && let Some(item) = loaded.facts.item(only)
        {
            let members = loaded.facts.list(item.members).iter().copied();
            let members: Vec<u32> = members.filter(touches).collect();
            found = if members.is_empty() { found } else { members };
        }
        let focus = |item: u32| Focus { place: Place { file, item }, at: None };
        let found: Vec<Focus> = found.into_iter().map(focus).collect();
        if found.is_empty() { Err(nothing()) } else { Ok(found) }
    }

    fn named(self, file: u32, path: &str, name: &str) -> Result<Vec<Focus>, TargetError> {
        let facts = self.file(file);
        if facts.is_none() {
            self.permitted(file)?;
        }
        let facts = facts.unwrap_or_default();
        let mut names = name.split('.');
        let outer = names.next().unwrap_or_default();
        let tops = facts.items.iter().zip(0u32..);
        let tops = tops.filter(|(it, _)| it.parent == NONE && facts.name(it.name) == outer);
        let mut found: Vec<Place> = tops.map(|(_, item)| Place { file, item }).collect();
        if found.is_empty() {
            // What is added to other modules, or to all, goes by its own name.
            let is_it = |it: &Declaration| {
                facts.name(it.name) == outer
                    && facts.item(it.parent).is_some_and(Declaration::is_module)
            };
            let added = facts.items.iter().zip(0u32..).filter(|(it, _)| is_it(it));
            found = added.map(|(_, item)| Place { file, item }).collect();
        }
        if found.is_empty() {
            found = self.exported(file, outer, &mut names);
        }
        for member in names {
            found = found.iter().flat_map(|place| self.members(*place, member)).collect();
        }
        let is_extension = |place: &Place| {
            let facts = self.file(place.file);
            let kind = facts.as_ref().and_then(|it| it.item(place.item)).map(|it| it.kind);
            kind == Some(DeclarationKind::Extension)
        };
        // What extends it comes with what it needs.
        if !found.iter().all(is_extension) {
            found.retain(|place| !is_extension(place));
        }
        if found.is_empty() {
            let names = facts.items.iter().filter(|item| item.parent == NONE);
            let names: BTreeSet<&str> = names.map(|item| facts.name(item.name)).collect();
            let similar = portolan_workspace::similar::similar(outer, names.into_iter(), 3);
            let similar = similar.into_iter().map(|name| format!("{path}#{name}")).collect();
            return Err(TargetError::NoDeclaration { name: name.to_owned(), similar });
        }
        Ok(found.into_iter().map(|place| Focus { place, at: None }).collect())
    }

    /// What a file exports under a name. Of a module that it passes on under a name, the next of the names is meant.
    fn exported<'n>(
        self,
        file: u32,
        name: &str,
        rest: &mut impl Iterator<Item = &'n str>,
    ) -> Vec<Place> {
        let resolver = Resolver::new(self.0);
        let mut meaning = resolver.exported(file, name);
        while meaning.places.is_empty()
            && let Some(module) = meaning.modules.first().copied()
            && let Some(next) = rest.next()
        {
            meaning = resolver.exported(module, next);
        }
        meaning.places
    }

    /// The members of a declaration that have a name.
    fn members(self, place: Place, name: &str) -> Vec<Place> {
        let facts = self.file(place.file).unwrap_or_default();
        let Some(outer) = facts.item(place.item) else { return Vec::new() };
        let is_it = |it: &u32| facts.item(*it).is_some_and(|it| facts.name(it.name) == name);
        let own = facts.list(outer.members).iter().copied().filter(is_it);
        own.map(|item| Place { item, ..place }).collect()
    }
}
