//! What people and agents ask about: `path`, `path:line[:column]`, `path:from-to`, `path#Name`, `path#Class.member`, a name.

mod by_name;
mod lookup;
mod spelling;

use std::collections::BTreeSet;

use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, NONE, Span};
use thiserror::Error;

use self::by_name::NamedDeclaration;
pub(crate) use self::by_name::{is_named, whole_name};
pub use self::lookup::TargetLookup;
use crate::search::quoted;
use portolan_workspace::path_input::{KnownPaths, PathInput};
use portolan_workspace::similar::similar;

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

/// The line that names other files which a path may have meant.
pub(super) fn also_line(others: &[String]) -> Option<String> {
    let shown = others.iter().take(MOST_ALSO).map(String::as_str).collect::<Vec<_>>().join(", ");
    match others.len().saturating_sub(MOST_ALSO) {
        _ if others.is_empty() => None,
        0 => Some(format!("also of this name: {shown}")),
        more => Some(format!("also of this name: {shown} and {more} more")),
    }
}

/// The most files of the same name that are listed.
const MOST_ALSO: usize = 3;

impl Target {
    /// The file or folder that it names.
    pub(super) fn path(&self) -> Option<&str> {
        match self {
            Self::File(path)
            | Self::Place(path, ..)
            | Self::Lines(path, ..)
            | Self::Named(path, _) => Some(path),
            Self::Name(_) => None,
        }
    }

    /// The target with its whole path, where a user typed the end of it.
    pub(super) fn spelled(&self, text: &str) -> String {
        let rest = |path: &str| {
            let typed = text.find(['#', ':']).filter(|at| path.ends_with(&text[..*at]));
            typed.map(|at| format!("{path}{}", &text[at..]))
        };
        self.path().and_then(rest).unwrap_or_else(|| text.to_owned())
    }
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
    /// Several files have that name, and none is nearer than the others.
    #[error("several files are called `{path}`")]
    Files {
        /// What was asked for.
        path: String,
        /// Some of them, nearest first.
        similar: Vec<String>,
    },
    /// A file that must not be shown.
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
        /// How many there are beside these.
        more: usize,
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
    /// There are not so many lines.
    #[error("`{path}` has only {lines} lines")]
    NoLine {
        /// The file.
        path: String,
        /// How many it has.
        lines: u32,
    },
    /// There is no line 0.
    #[error("there is no line 0 in `{path}`: the first line is 1")]
    LineZero {
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
            Self::NoFile { similar, .. } if similar.is_empty() => {
                "`chart` shows what is there, `search -l TEXT` finds files by what they contain"
                    .to_owned()
            }
            Self::NoDeclaration { name, similar } if similar.is_empty() => {
                let own = name.rsplit('.').next().unwrap_or(name);
                format!("`search {}` finds where the word stands", quoted(own))
            }
            Self::NoFile { similar, .. } | Self::NoDeclaration { similar, .. } => {
                format!("nearest: `{}`", similar.join("`, `"))
            }
            Self::Ambiguous { name, similar, more } if *more > 0 => {
                let own = name.rsplit('.').next().unwrap_or(name);
                let all = format!("`search --names {}` lists all", quoted(own));
                format!("ask for one of them: `{}`, and {more} more: {all}", similar.join("`, `"))
            }
            Self::Ambiguous { similar, .. } | Self::Files { similar, .. } => {
                format!("ask for one of them: `{}`", similar.join("`, `"))
            }
            Self::Nothing { path, .. } => {
                format!("`read {path}` shows all that the file declares")
            }
            Self::NoText { path } => format!("`look {path}` shows who uses it"),
            Self::LineZero { path } => format!("`read {path}:1-20` shows its first lines"),
            Self::NoLine { path, lines } => format!("`read {path}:1-{lines}` shows all of them"),
            Self::Hidden { .. } => "`chart` shows what is there".to_owned(),
            Self::Denied { .. } => {
                "`portolan.secrets.allow` in the configuration opens single paths".to_owned()
            }
        }
    }
}

/// More declarations of one name than this are a question to ask back.
const MOST_NAMED: usize = 5;

/// The most classes whose uses are counted to order members of one name.
const MOST_OWNERS: usize = 150;

/// The most files of one name that are searched for a declaration.
const MOST_NAMESAKES: usize = 50;

/// The most `#` and `:` that are tried as the end of a target's path.
const MOST_MARKS: usize = 16;

/// Reads a target as it is written. Paths are given from the root, however they are spelled; a folder counts as a file.
pub fn parse_target(text: &str, path_input: &PathInput, known: &dyn KnownPaths) -> Target {
    let is_file = |path: &str| known.has(path);
    if let Some(path) = path_input.in_folder(text, known) {
        return Target::File(path);
    }
    let as_written = path_input.plain(text, &is_file);
    if is_file(&as_written) {
        return Target::File(as_written);
    }
    let plain = |path: &str| {
        let meant = path_input.meant(path, known);
        meant.unwrap_or_else(|| path_input.plain(path, &is_file))
    };
    // As pytest names tests: `path::Class::test[case]`. In other languages `::` separates names.
    if let Some((path, names)) = text.split_once("::")
        && path.contains(['.', '/'])
        && is_file(&plain(path))
    {
        return Target::Named(plain(path), without_case(&names.replace("::", ".")).to_owned());
    }
    // A file may have the mark in its name, and so may what it declares.
    let marks = || text.match_indices('#').take(MOST_MARKS);
    let at_file = marks().find(|(at, _)| is_file(&plain(&text[..*at])));
    if let Some((at, _)) = at_file.or_else(|| marks().next()) {
        let (path, name) = (plain(&text[..at]), &text[at + 1..]);
        // As forges link to lines: `path#L10-L20`.
        let is_numbered = name.starts_with(|c: char| c == 'L' || c.is_ascii_digit());
        if let Some((from, to)) = lines_of(name).filter(|_| is_numbered) {
            return Target::Lines(path, from, to);
        }
        // The title of a test stays as it is; a name may be written as in Rust: `path#Type::member`.
        let is_title = name.starts_with('"');
        let name = if is_title { name.to_owned() } else { name.replace("::", ".") };
        return Target::Named(path, without_case(&name).to_owned());
    }
    if let Some(target) = with_code(text, |path| Some(plain(path)).filter(|path| is_file(path))) {
        return target;
    }
    let number = |text: &str| text.parse::<u32>().ok();
    if let Some((path, from, to)) = path_and_lines(text) {
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
    // As ctags and other tools write it: `path:Name`.
    if let Some((path, name)) = text.rsplit_once(':')
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && is_file(&plain(path))
    {
        return Target::Named(plain(path), name.to_owned());
    }
    if text.contains('/') || matches!(text, "." | "..") {
        return Target::File(plain(text));
    }
    // `app.py` is a file wherever it lies; `Query.filter` is none.
    match path_input.nearest(text, known).best.filter(|path| text.contains('.') && is_file(path)) {
        Some(path) => Target::File(path),
        None => Target::Name(dotted(text)),
    }
}

/// A line as grep prints it, `path:12:` with or without its code, and a name behind a path and a blank.
fn with_code(text: &str, file: impl Fn(&str) -> Option<String>) -> Option<Target> {
    let line = |text: &str| text.parse::<u32>().ok();
    for (at, _) in text.match_indices(':').take(MOST_MARKS) {
        let rest = &text[at + 1..];
        if let Some((number, after)) = rest.split_once(':')
            && !after.starts_with(|c: char| c.is_ascii_digit())
            && let Some(number) = line(number)
            && let Some(path) = file(&text[..at])
        {
            return Some(Target::Place(path, number, None));
        }
    }
    let (path, name) = text.trim().split_once(char::is_whitespace)?;
    let path = Some(path).filter(|path| path.contains(['.', '/'])).and_then(file)?;
    let name = name.trim();
    Some(match (line(name), lines_of(name)) {
        (Some(number), _) => Target::Place(path, number, None),
        (_, Some((from, to))) => Target::Lines(path, from, to),
        _ => Target::Named(path, name.to_owned()),
    })
}

/// The path and the lines of `path:10-20`.
pub(crate) fn path_and_lines(text: &str) -> Option<(&str, u32, u32)> {
    let (path, lines) = text.rsplit_once(':')?;
    lines_of(lines).map(|(from, to)| (path, from, to))
}

/// Lines as people write them: `10-20`, `10,20`, `10..20`, `L10-L20`, `10-` and `-20`, in either order; `10,20p`,
/// `10,+5` and `10+5` as for sed. A range that begins at 0 is one from 0: there is no such line.
fn lines_of(text: &str) -> Option<(u32, u32)> {
    let text = text.strip_suffix('p').unwrap_or(text);
    if let Some((from, more)) = text.split_once('+') {
        let from: u32 = from.trim_end_matches(',').trim_start_matches('L').parse().ok()?;
        return Some((from, from.saturating_add(more.parse().ok()?)));
    }
    let (from, to) = text.split_once("..").or_else(|| text.split_once(['-', ',']))?;
    let number = |text: &str, open: u32| match text.trim_start_matches('L') {
        "" => Some(open),
        digits => digits.parse::<u32>().ok(),
    };
    if from.is_empty() && to.is_empty() {
        return None;
    }
    let (from, to) = (number(from, 1)?, number(to, u32::MAX)?);
    Some((from.min(to), from.max(to)))
}

/// A name whose parts stand between colons, as some languages write them, with dots.
fn dotted(text: &str) -> String {
    let dotted = text.replace("::", ".");
    let dotted = dotted.trim_matches('.');
    if dotted.is_empty() { text.to_owned() } else { dotted.to_owned() }
}

/// The parts of a path as names are written: folders and the stem of the file.
fn path_parts(path: &str) -> Vec<String> {
    let stem = |name: &str| name.split('.').next().unwrap_or(name).replace('-', "_");
    path.split('/').map(stem).collect()
}

/// How many of some names are folders of a path or its file, in their order from the end.
fn parts_in_path(names: &[&str], path: &[String]) -> usize {
    let mut left = path.iter().rev();
    let is_there = |name: &&&str| left.any(|part| part.eq_ignore_ascii_case(name));
    names.iter().rev().take_while(is_there).count()
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

/// The name of a test without the case that it ran with: `test_total[empty]`.
fn without_case(name: &str) -> &str {
    let is_case = |at: &usize| name[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    match name.find('[').filter(is_case) {
        Some(at) if name.ends_with(']') && !name.starts_with('"') => &name[..at],
        _ => name,
    }
}

/// The name of a declaration, with that of what it is a member of.
fn full_name(facts: &Declarations, item: &Declaration) -> String {
    match facts.item(item.parent) {
        Some(parent) if item.parent != NONE => {
            format!("{}.{}", facts.name(parent.name), facts.name(item.name))
        }
        _ => facts.name(item.name).to_owned(),
    }
}

/// The names of a file that are like one that it does not have: as a whole, by the part of the class, or by the last part.
fn nearest(name: &str, names: &BTreeSet<String>) -> Vec<String> {
    const MOST: usize = 3;
    let near = |name: &str| similar(name, names.iter().map(String::as_str), MOST);
    let (owner, own) = name.rsplit_once('.').unwrap_or(("", name));
    let mut found = near(name);
    if found.is_empty() && !owner.is_empty() {
        found = near(owner);
    }
    if found.is_empty() {
        let last = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
        let lasts: BTreeSet<String> = names.iter().map(|name| last(name)).collect();
        let alike = similar(own, lasts.iter().map(String::as_str), MOST);
        found =
            names.iter().filter(|name| alike.contains(&last(name))).take(MOST).cloned().collect();
    }
    found
}

/// Declarations as targets, each once.
fn targets<'d>(declarations: impl Iterator<Item = &'d NamedDeclaration>) -> Vec<String> {
    let mut known = BTreeSet::new();
    let targets = declarations.map(|it| format!("{}#{}", it.file, it.name));
    targets.filter(|it| known.insert(it.clone())).collect()
}

/// Targets of which each path is written once, where they follow each other: `a.py#{Cart,Shop}.total`.
fn grouped(targets: &[String]) -> Vec<String> {
    let parts = |target: &'_ str| {
        let (path, name) = target.split_once('#').unwrap_or((target, ""));
        let (owner, own) = name.rsplit_once('.').unwrap_or(("", name));
        (path.to_owned(), owner.to_owned(), own.to_owned())
    };
    let mut groups: Vec<(String, String, Vec<String>)> = Vec::new();
    for target in targets {
        let (path, owner, own) = parts(target);
        let known = groups.iter_mut().find(|it| {
            it.0 == path && it.1 == own && !owner.is_empty() && !it.2.contains(&String::new())
        });
        match known {
            Some((.., owners)) => owners.push(owner),
            None => groups.push((path, own, vec![owner])),
        }
    }
    let written = groups.into_iter().map(|(path, own, owners)| match owners.as_slice() {
        [owner] if owner.is_empty() => format!("{path}#{own}"),
        [owner] => format!("{path}#{owner}.{own}"),
        _ => format!("{path}#{{{}}}.{own}", owners.join(",")),
    });
    written.collect()
}

/// Those declarations that are not inside of code that runs.
fn not_local(mut all: Vec<NamedDeclaration>) -> Vec<NamedDeclaration> {
    all.retain(|it| !it.is_local);
    all
}

/// Those declarations whose path and name have all parts of a name: `sql.where.WhereNode.as_sql`, `group::report`. The first
/// part may be that of a package, which no folder has.
fn in_path(all: Vec<NamedDeclaration>, name: &str) -> Vec<NamedDeclaration> {
    let parts: Vec<&str> = name.split('.').collect();
    let is_crate = |part: &&str| matches!(*part, "crate" | "self" | "super");
    let asked = parts.get(parts.iter().take_while(|part| is_crate(part)).count()..);
    let asked = asked.unwrap_or_default();
    if asked.len() < 2 && asked.len() == parts.len() {
        return Vec::new();
    }
    let fit = |it: &NamedDeclaration| {
        let shared = it.shared_parts(asked);
        let before = asked.get(..asked.len() - shared).unwrap_or_default();
        let there = parts_in_path(before, &path_parts(&it.file));
        let is_it = there == before.len() || (there > 0 && there + 1 == before.len());
        (shared > 0 && is_it).then_some((shared, there))
    };
    let best = all.iter().filter_map(fit).max();
    let Some(best) = best else { return Vec::new() };
    all.into_iter().filter(|it| fit(it) == Some(best)).collect()
}

/// Whether a name is the title of a test.
fn is_quoted(name: &str) -> bool {
    name.starts_with('"') || name.contains(' ')
}
