//! What people and agents ask about: `path`, `path:line[:column]`, `path#Name`, `path#Class.member`, a name.

use portolan_graph::declarations::{Place, World as _, enclosing};
use portolan_types::declarations::{DeclarationKind, NONE};
use thiserror::Error;

use super::find::{Found, Reach, find_in};
use super::library::Library;
use super::slices::Focus;

/// What is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file.
    File(String),
    /// A place in a file: line and column, from 1.
    Place(String, u32, Option<u32>),
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
            Self::Hidden { .. } => "`chart` shows what is there".to_owned(),
            Self::Denied { .. } => {
                "`portolan.secrets.allow` in the configuration opens single paths".to_owned()
            }
        }
    }
}

/// More declarations of one name than this are a question to ask back.
const MOST_NAMED: usize = 5;

/// Reads a target as it is written; `is_file` tells what is a file.
pub fn parse_target(text: &str, is_file: impl Fn(&str) -> bool) -> Target {
    let text = text.strip_prefix("./").unwrap_or(text);
    if is_file(text) {
        return Target::File(text.to_owned());
    }
    if let Some((path, name)) = text.rsplit_once('#') {
        return Target::Named(path.to_owned(), name.to_owned());
    }
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    if let Some((rest, last)) = text.rsplit_once(':')
        && let Some(last) = number(last)
    {
        if let Some((path, line)) = rest.rsplit_once(':')
            && let Some(line) = number(line)
        {
            return Target::Place(path.to_owned(), line, Some(last));
        }
        return Target::Place(rest.to_owned(), last, None);
    }
    if text.contains('/') { Target::File(text.to_owned()) } else { Target::Name(text.to_owned()) }
}

impl Library<'_> {
    /// The declarations that a target means.
    pub fn find(&self, target: &Target) -> Result<Vec<Focus>, TargetError> {
        match target {
            Target::Place(path, line, column) => self.at(path, *line, *column),
            Target::File(path) => {
                let file = self.known(path)?;
                let facts = self.file(file);
                if facts.is_none() {
                    self.permitted(file)?;
                }
                let items = facts.iter().flat_map(|facts| facts.items.iter().zip(0u32..));
                let own = items.filter(|(item, _)| item.parent == NONE);
                Ok(own.map(|(_, item)| Focus { place: Place { file, item }, at: None }).collect())
            }
            Target::Named(path, name) => {
                let file = self.known(path)?;
                self.named(file, path, name)
            }
            Target::Name(name) => self.by_name(name, Reach::Alike),
        }
    }

    /// The declarations that have a name, where they are few.
    pub(crate) fn called(&self, name: &str) -> Vec<Focus> {
        self.by_name(name, Reach::Exact).unwrap_or_default()
    }

    /// The declarations of a name, wherever they are: few, or none at all.
    fn by_name(&self, name: &str, reach: Reach) -> Result<Vec<Focus>, TargetError> {
        let report = find_in(self, name, MOST_NAMED + 1, reach);
        let target = |it: &Found| format!("{}#{}", it.file, it.name);
        let own = report.found.iter().filter(|it| it.is_exported);
        let mut own: Vec<_> =
            own.filter(|it| !it.name.contains('.') || name.contains('.')).collect();
        if own.is_empty() {
            own = report.found.iter().collect();
        }
        if !report.is_exact || own.len() > MOST_NAMED {
            let similar = report.found.iter().take(MOST_NAMED).map(target).collect();
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

    fn known(&self, path: &str) -> Result<u32, TargetError> {
        self.number(path).ok_or_else(|| self.no_file(path))
    }

    /// That there is no such file, with those that look like it, or that it is not to be seen.
    pub(super) fn no_file(&self, path: &str) -> TargetError {
        if self.map().excluded.has(&path.into()) {
            return TargetError::Hidden { path: path.to_owned() };
        }
        let paths = self.map().universe.iter().map(|file| file.path.as_str());
        let similar = crate::similar::similar(path, paths, 3);
        TargetError::NoFile { path: path.to_owned(), similar }
    }

    /// Tells of a file that may hold secrets: it looks as if it were empty.
    fn permitted(&self, file: u32) -> Result<(), TargetError> {
        match self.denial(file) {
            Some(rule) => Err(TargetError::Denied {
                path: self.path(file),
                reason: format!("it may hold secrets (rule `{rule}`)"),
            }),
            None => Ok(()),
        }
    }

    fn at(&self, path: &str, line: u32, column: Option<u32>) -> Result<Vec<Focus>, TargetError> {
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
        let item = member.unwrap_or(outer);
        Ok(vec![Focus { place: Place { file, item }, at: Some(at) }])
    }

    fn named(&self, file: u32, path: &str, name: &str) -> Result<Vec<Focus>, TargetError> {
        let facts = self.file(file);
        if facts.is_none() {
            self.permitted(file)?;
        }
        let facts = facts.unwrap_or_default();
        let (outer, member) = match name.split_once('.') {
            Some((outer, member)) => (outer, Some(member)),
            None => (name, None),
        };
        let tops = facts
            .items
            .iter()
            .zip(0u32..)
            .filter(|(item, _)| item.parent == NONE && facts.name(item.name) == outer);
        let is_extension =
            |item: u32| facts.item(item).is_some_and(|it| it.kind == DeclarationKind::Extension);
        let mut found = Vec::new();
        for (item, number) in tops {
            let Some(member) = member else {
                found.push(number);
                continue;
            };
            let is_it = |it: &u32| facts.item(*it).is_some_and(|it| facts.name(it.name) == member);
            found.extend(facts.list(item.members).iter().copied().filter(is_it));
        }
        // What extends it comes with what it needs.
        if !found.iter().all(|item| is_extension(*item)) {
            found.retain(|item| !is_extension(*item));
        }
        if found.is_empty() {
            let names = facts.items.iter().filter(|item| item.parent == NONE);
            let names: Vec<&str> = names.map(|item| facts.name(item.name)).collect();
            let similar = crate::similar::similar(outer, names.into_iter(), 3);
            let similar = similar.into_iter().map(|name| format!("{path}#{name}")).collect();
            return Err(TargetError::NoDeclaration { name: name.to_owned(), similar });
        }
        Ok(found.into_iter().map(|item| Focus { place: Place { file, item }, at: None }).collect())
    }
}
