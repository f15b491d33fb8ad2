//! What a change affects: changed declarations, who uses them, the tests that reach them, and exports that are
//! gone though files still import them.

use portolan_languages::Languages;
use portolan_types::{FileId, NodeIndex};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::answers::shown_path;
use crate::pack::context::{Changed, ContextParts, SliceCandidate as Piece, SliceRole as Role};
use portolan_diagnostics::line_diff::hunks;
use portolan_ranking::file_ranking::Change;
use portolan_vfs::System;
use portolan_wire::context::{ChangedFileV2, LocV2, TestV2, VanishedV2};
use portolan_workspace::Revision;

use super::compare::{differences, moved, outside};
use super::former_uses::{RemovedName, former_uses};
use super::parameters::lost_parameters;
use super::{Gather, PackInputs, is_test};
use crate::declarations::Target;
use crate::declarations::TargetError;
use crate::declarations::User;
use crate::declarations::parse_target;
use crate::map_paths::MapPaths;
use crate::pack::base::{ChangedFile, Fate, Since, since};
use crate::pack::code_index::{Code, Item};
use crate::pack::exports::importers_of_gone;
use crate::pack::undefined::{Before, undefined};
use crate::pack::{PackError, is_known};
use portolan_index::map::MapReport;
use portolan_workspace::config::Loaded;
use portolan_workspace::path_input::PathInput;

/// The most changed declarations that are listed.
const MOST_DECLARATIONS: usize = 200;
/// If a place is a whole file, the uses of at most this many of its declarations are searched for.
const MOST_ASKED: usize = 100;
/// The most users of a declaration that are shown with their lines.
const MOST_USERS: usize = 12;
/// The most removed declarations of a file that are named.
const MOST_REMOVED: usize = 20;

/// A change.
#[derive(Clone, Debug)]
pub struct Changes {
    /// The revision as it was asked for.
    pub asked: String,
    /// What changed since.
    pub since: Since,
}

/// A declaration that changed.
#[derive(Clone, Debug)]
pub struct ChangedDeclaration {
    pub(super) item: Item,
    /// Its head as it was, where that changed.
    pub(super) head_was: Option<String>,
    /// Parameters that it has no more, each as it was written.
    pub(super) lost_parameters: Vec<String>,
    /// Its users; `None` if they were not searched for.
    pub(super) users: Option<Vec<User>>,
}

/// What a change affects.
#[derive(Clone, Debug, Default)]
pub struct Impact {
    /// The commit that was compared with.
    pub base: String,
    /// The commit after the change, where it is not the working tree.
    pub to: Option<String>,
    /// The files that changed.
    pub files: Vec<ChangedFileV2>,
    /// The declarations that changed.
    pub declarations: Vec<ChangedDeclaration>,
    /// Places that changed outside of declarations: file and lines.
    pub places: Vec<(String, (u32, u32))>,
    /// The tests that reach what changed, nearest first.
    pub tests: Vec<TestV2>,
    /// Exports that are gone though files still import them.
    pub vanished: Vec<VanishedV2>,
    /// What was not looked at, in words.
    pub notes: Vec<String>,
}

/// Compares with a revision: `A`, `A..B`, `A...B` (from what they have in common to B), or where the branch left the
/// main one, if nothing is said.
pub(super) fn open(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    asked: &str,
) -> Result<Changes, PackError> {
    let root = config.root.as_path();
    let at = |name: &str| Revision::open(system, root, name);
    let (from, to) = match asked.split_once("..") {
        Some((from, to)) => (from, Some(to).filter(|to| !to.trim_matches('.').is_empty())),
        None => (asked, None),
    };
    let revision = match to.and_then(|to| to.strip_prefix('.')) {
        _ if from.is_empty() => Revision::open_fork(system, root),
        Some(to) => Revision::open_common(system, root, from, to),
        None => at(from),
    };
    let revision = revision.map_err(PackError::Base)?;
    let to = to.map(|to| at(to.trim_start_matches('.'))).transpose().map_err(PackError::Base)?;
    let since = since(system, config, map, &revision, to.as_ref());
    let since = since.ok_or_else(|| PackError::Unchanged(shown(asked, &revision.id())))?;
    Ok(Changes { asked: asked.to_owned(), since })
}

fn shown(asked: &str, id: &str) -> String {
    let short: String = id.chars().take(12).collect();
    if asked.is_empty() { short } else { format!("{asked} ({short})") }
}

/// What a change affects.
pub(super) fn impact(inputs: &PackInputs<'_>, code: &dyn Code, changes: &Changes) -> Impact {
    let since = &changes.since;
    let mut impact = Impact { base: since.id.clone(), to: since.to.clone(), ..Impact::default() };
    let moved: BTreeSet<&str> = since.files.iter().filter_map(|file| moved_from(file)).collect();
    let mut more = 0;
    let mut removed: Vec<RemovedName> = Vec::new();
    for file in &since.files {
        let mut told = told(file);
        more += declarations(&mut impact, &mut told, inputs, code, file, &mut removed);
        vanished(&mut impact, code, file);
        if !moved.contains(file.path.as_str()) {
            impact.files.push(told);
        }
    }
    gone(&mut impact, inputs, since);
    lost(&mut impact, inputs, since);
    former_uses(&mut impact, inputs, &removed);
    impact.ask_users(code);
    impact.add_lost_parameters();
    let note = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
    impact.notes.extend(note(since.more, "more files changed, which were not looked into"));
    impact.notes.extend(note(more, "more declarations changed, which are not told"));
    let files = since.files.iter().map(|it| it.path.as_str());
    impact.find_tests(inputs, files, &changed_text(&since.files));
    impact
}

fn moved_from(file: &ChangedFile) -> Option<&str> {
    match &file.fate {
        Fate::Renamed(was) => Some(was),
        _ => None,
    }
}

/// A changed file in one line.
fn told(file: &ChangedFile) -> ChangedFileV2 {
    let how = match &file.fate {
        Fate::Changed => "changed",
        Fate::New => "new",
        Fate::Deleted => "deleted",
        Fate::Renamed(_) => "renamed",
    };
    ChangedFileV2 {
        file: file.path.clone(),
        how: how.to_owned(),
        was: moved_from(file).map(str::to_owned),
        removed: Vec::new(),
        again: file.is_older,
    }
}

/// What a change of some places would affect.
pub(super) fn impact_at(
    inputs: &PackInputs<'_>,
    code: &dyn Code,
    at: &[String],
    lines: LinesMean,
) -> Result<Impact, TargetError> {
    let map = inputs.ranking.map();
    let mut impact = Impact::default();
    let mut text = String::new();
    let mut files: Vec<String> = Vec::new();
    let path_input = PathInput::here(inputs.config);
    for target in at {
        let items = match parse_target(target, &path_input, &MapPaths::of(map)) {
            Target::Lines(path, from, _) if is_known(map, &path) => match lines {
                LinesMean::Themselves => continue,
                LinesMean::AChange => {
                    has_line(code, &path, from)?;
                    files.push(path);
                    // Between declarations, nothing but the file changes.
                    code.asked(target).or_else(nothing_there)?
                }
            },
            Target::Place(path, line, _)
                if is_known(map, &path) && code.around(&path, line, None).is_none() =>
            {
                files.push(path);
                continue;
            }
            // A file counts, whether or not it declares something.
            Target::File(path) if is_known(map, &path) => {
                files.push(path);
                code.asked(target)?
            }
            _ => code.asked(target)?,
        };
        let more = items.len().saturating_sub(MOST_ASKED);
        for item in items.into_iter().take(MOST_ASKED) {
            text.push_str(&text_of(code, &item));
            files.push(item.file.clone());
            let (head_was, lost_parameters, users) = (None, Vec::new(), None);
            let changed = ChangedDeclaration { item, head_was, lost_parameters, users };
            impact.declarations.push(changed);
        }
        if more > 0 {
            impact.notes.push(format!("{more} more declarations of {target} are not told"));
        }
    }
    for file in files {
        if !impact.files.iter().any(|it| it.file == file) {
            let how = "changed".to_owned();
            impact.files.push(ChangedFileV2 { file, how, ..ChangedFileV2::default() });
        }
    }
    impact.ask_users(code);
    let files: Vec<String> = impact.files.iter().map(|it| it.file.clone()).collect();
    impact.find_tests(inputs, files.iter().map(String::as_str), &text);
    Ok(impact)
}

/// What `FILE:10-20` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinesMean {
    /// These lines as they are, and nothing beside: what a pack shows.
    Themselves,
    /// A change of what they touch.
    AChange,
}

/// That a file has a line, as far as its text is known.
fn has_line(code: &dyn Code, path: &str, line: u32) -> Result<(), TargetError> {
    let Some(text) = code.text(path) else { return Ok(()) };
    let lines = text.lines().count() as u32;
    let path = path.to_owned();
    if line > lines { Err(TargetError::NoLine { path, lines }) } else { Ok(()) }
}

/// No declarations, where that is all that is wrong.
fn nothing_there(error: TargetError) -> Result<Vec<Item>, TargetError> {
    if matches!(error, TargetError::Nothing { .. }) { Ok(Vec::new()) } else { Err(error) }
}

/// The lines that changed: of what is tested, or of the tests where only these changed.
fn changed_text(files: &[ChangedFile]) -> String {
    let is_all = files.iter().all(|file| is_test(&file.path));
    let told = files.iter().filter(|file| is_all || !is_test(&file.path));
    told.map(|file| file.lines.as_str()).collect()
}

/// The lines of a declaration.
fn text_of(code: &dyn Code, item: &Item) -> String {
    let text = code.text(&item.file).unwrap_or_default();
    let is_own = |line: u32| item.whole.iter().any(|(from, to)| (*from..=*to).contains(&line));
    let lines = text.lines().zip(1u32..).filter(|(_, line)| is_own(*line));
    lines.flat_map(|(line, _)| [line, "\n"]).collect()
}

/// The tests of some files of which these lines changed.
fn tests_of(inputs: &PackInputs<'_>, files: &[FileId], text: &str) -> Vec<TestV2> {
    let map = inputs.ranking.map();
    let change = Change { files, text, commits: inputs.commits };
    let tests = inputs.ranking.covering(&change).into_iter();
    let named = tests.map(|it| TestV2 {
        file: map.universe[it.test.index()].path.to_string(),
        distance: it.distance,
        ..TestV2::default()
    });
    named.collect()
}

/// Adds the changed declarations of a file. Returns how many more there are than are listed.
fn declarations(
    impact: &mut Impact,
    told: &mut ChangedFileV2,
    inputs: &PackInputs<'_>,
    code: &dyn Code,
    file: &ChangedFile,
    removed: &mut Vec<RemovedName>,
) -> usize {
    if file.hunks.is_empty() {
        return 0;
    }
    let before = code.outline(&file.path, &file.before);
    let after = code.outline(&file.path, &file.after);
    let found = differences(&before, &after);
    let name = |at: &usize| before.units[*at].full_name();
    told.removed = found.removed.iter().take(MOST_REMOVED).map(name).collect();
    removed.extend(found.removed.iter().take(MOST_REMOVED).map(|at| {
        let unit = &before.units[*at];
        let (name, container) = (unit.name.clone(), unit.container.clone());
        RemovedName { file: file.path.clone(), name, container }
    }));
    let left = found.removed.len().saturating_sub(MOST_REMOVED);
    told.removed.extend((left > 0).then(|| format!("{left} more")));
    if !is_known(inputs.ranking.map(), &file.path) {
        return 0;
    }
    // Lines are those of the file as it is.
    let text = if file.is_older { code.text(&file.path) } else { None };
    let today = text.as_ref().map(|text| code.outline(&file.path, text));
    let mut gone_since = Vec::new();
    let room = MOST_DECLARATIONS.saturating_sub(impact.declarations.len());
    for (unit, was) in found.changed.iter().take(room) {
        let now = &after.units[*unit];
        let item = match &today {
            Some(today) => today.find(now).and_then(|now| code.unit(&file.path, now)),
            None => code.unit(&file.path, now),
        };
        let head_was = was.map(|was| before.head(was));
        let head_was = head_was.filter(|was| !is_same_text(was, &after.head(*unit)));
        match item {
            Some(item) => {
                let was = head_was.as_deref().unwrap_or_default();
                let lost_parameters = lost_parameters(was, &after.head(*unit));
                let changed = ChangedDeclaration { item, head_was, lost_parameters, users: None };
                impact.declarations.push(changed);
            }
            None => gone_since.extend(today.is_some().then(|| now.full_name())),
        }
    }
    gone_since.retain(|name| !name.is_empty());
    if !gone_since.is_empty() {
        let names = gone_since.join(", ");
        impact.notes.push(format!("{} has no {names} any more, which changed", file.path));
    }
    let since = text.as_ref().map(|text| hunks(&file.after, text)).unwrap_or_default();
    let places = outside(&file.hunks, &before, &after).into_iter();
    let places = places.filter_map(|lines| moved(&since, lines));
    impact.places.extend(places.map(|lines| (file.path.clone(), lines)));
    found.changed.len().saturating_sub(room)
}

fn is_same_text(left: &str, right: &str) -> bool {
    left.split_whitespace().eq(right.split_whitespace())
}

/// Removed exports of a file that other files still import.
fn vanished(impact: &mut Impact, code: &dyn Code, file: &ChangedFile) {
    if file.hunks.is_empty() || file.fate == Fate::Deleted {
        return;
    }
    let location = |(file, line): (String, u32)| LocV2 { file, line: Some(line), col: None };
    let today = code.exports(&file.path, &file.after);
    for name in code.exports(&file.path, &file.before).difference(&today) {
        let importers = code.importers(&file.path, name);
        if !importers.is_empty() {
            impact.vanished.push(VanishedV2 {
                name: name.clone(),
                file: file.path.clone(),
                importers: importers.into_iter().map(location).collect(),
                ..VanishedV2::default()
            });
        }
    }
}

/// Deleted files that other files still import.
fn gone(impact: &mut Impact, inputs: &PackInputs<'_>, since: &Since) {
    let map = inputs.ranking.map();
    let is_gone = |file: &&ChangedFile| file.fate == Fate::Deleted && !is_known(map, &file.path);
    let paths: Vec<&str> =
        since.files.iter().filter(is_gone).map(|file| file.path.as_str()).collect();
    let location = |(file, line): (String, u32)| LocV2 { file, line: Some(line), col: None };
    for (file, importers) in importers_of_gone(inputs.system, inputs.config, map, &paths) {
        let importers = importers.into_iter().map(location).collect();
        impact.vanished.push(VanishedV2 { file, importers, ..VanishedV2::default() });
    }
}

/// Names that no file defines any more although files use them, in languages whose names lead to their definers.
fn lost(impact: &mut Impact, inputs: &PackInputs<'_>, since: &Since) {
    let map = inputs.ranking.map();
    let is_it = |file: &&ChangedFile| {
        file.fate != Fate::New && (file.fate != Fate::Deleted || !is_known(map, &file.path))
    };
    let changed = since.files.iter().filter(is_it);
    let changed: Vec<Before<'_>> =
        changed.map(|file| Before { path: &file.path, text: &file.before }).collect();
    let location = |(file, line): (String, u32)| LocV2 { file, line: Some(line), col: None };
    for it in undefined(inputs.system, inputs.config, map, &changed) {
        let importers = it.users.into_iter().map(location).collect();
        let (name, file) = (it.name, it.file);
        impact.vanished.push(VanishedV2 { name, file, importers, ..VanishedV2::default() });
    }
}

impl Gather<'_, '_> {
    /// Adds the description of a change, without code.
    pub(super) fn change(impact: &Impact, parts: &mut ContextParts) {
        let was = impact.declarations.iter().filter_map(|it| {
            let before = it.head_was.clone()?;
            Some(Changed { file: it.item.file.clone(), lines: it.item.decl.lines, before })
        });
        parts.base = Some((impact.base.clone(), was.collect()));
        parts.to.clone_from(&impact.to);
        parts.changed_files.clone_from(&impact.files);
        parts.notes.clone_from(&impact.notes);
        parts.tests.clone_from(&impact.tests);
        parts.vanished.clone_from(&impact.vanished);
    }

    /// Adds what changed: the tests, or the others, on which more depends.
    pub(super) fn changed(&mut self, impact: &Impact, of_tests: bool) {
        let is_asked = |file: &str| is_test(file) == of_tests;
        for declaration in impact.declarations.iter().filter(|it| is_asked(&it.item.file)) {
            self.whole(Role::Changed, "changed", &declaration.item);
        }
        for (file, lines) in impact.places.iter().filter(|(file, _)| is_asked(file)) {
            self.parts_of(Role::Changed, "changed", file, None, *lines);
        }
    }

    /// Adds who uses what changed: the lines, with the head of what they are in.
    pub(super) fn users(&mut self, impact: &Impact) {
        for declaration in &impact.declarations {
            let why = format!("uses `{}`", declaration.item.decl.name);
            for user in declaration.users.iter().flatten().take(MOST_USERS) {
                if self.texts.get(&user.file).is_none() {
                    continue;
                }
                let item = self.code.head_at(&user.file, user.line);
                let (decl, ranges) = match item {
                    Some(item) => (Some(item.decl), item.ranges),
                    None => (None, vec![(user.line, user.line)]),
                };
                let (role, why, file) = (Role::User, vec![why.clone()], user.file.clone());
                self.pieces.push(Piece { role, why, file, decl, ranges });
            }
        }
    }
}

/// Whether a test may depend on a file: it is code, or somebody reads it. What is only told about is not tested.
fn is_read(map: &MapReport, place: FileId) -> bool {
    let path = map.universe[place.index()].path.as_str();
    let graph = &map.graph;
    let node = graph.index_of(path);
    let is_target = |(index, _): (NodeIndex, _)| {
        graph.edges(index).iter().any(|edge| Some(edge.target) == node)
    };
    Languages::default().is_code(path) || node.is_some() && graph.iter().any(is_target)
}

impl Impact {
    /// Looks for the tests of files of which these lines changed: those that use what changed come first.
    fn find_tests<'f>(
        &mut self,
        inputs: &PackInputs<'_>,
        files: impl Iterator<Item = &'f str>,
        text: &str,
    ) {
        let map = inputs.ranking.map();
        let places = files.filter_map(|file| map.place_of(file));
        let places: Vec<FileId> = places.filter(|place| is_read(map, *place)).collect();
        if places.is_empty() {
            return;
        }
        let mut tests = tests_of(inputs, &places, text);
        let users = self.declarations.iter().flat_map(|it| it.users.iter().flatten());
        let mut doubts: BTreeMap<&str, bool> = BTreeMap::new();
        for user in users {
            let is_doubtful = doubts.entry(&user.file).or_insert(true);
            *is_doubtful &= !user.is_exact;
        }
        tests.sort_by_key(|test| doubts.get(test.file.as_str()).map_or(2, |it| u8::from(*it)));
        self.tests = tests;
    }

    /// Finds the users of the declarations, unless there are too many declarations.
    fn ask_users(&mut self, code: &dyn Code) {
        let items: Vec<&Item> = self.declarations.iter().map(|it| &it.item).collect();
        let users = code.users(&items);
        let count = users.iter().filter(|users| users.is_none()).count();
        for (declaration, users) in self.declarations.iter_mut().zip(users) {
            declaration.users = users;
        }
        if count > 0 {
            let what = if count == 1 { "declaration" } else { "declarations" };
            self.notes.push(format!("the uses of {count} {what} were not looked for"));
        }
    }

    /// Adds parameters that are gone, with the calls that may still pass them.
    fn add_lost_parameters(&mut self) {
        for declaration in &self.declarations {
            let users = declaration.users.iter().flatten();
            let place = |user: &User| {
                let (file, line) = (user.file.clone(), Some(user.line));
                LocV2 { file, line, col: None }
            };
            let importers: Vec<LocV2> = users.map(place).collect();
            for parameter in declaration.lost_parameters.iter().filter(|_| !importers.is_empty()) {
                self.vanished.push(VanishedV2 {
                    name: format!("{}({parameter})", declaration.item.decl.name),
                    file: declaration.item.file.clone(),
                    importers: importers.clone(),
                    used: true,
                    possible: true,
                });
            }
        }
    }

    /// A tree of who is affected, for people.
    pub fn to_text(&self) -> String {
        let short = |id: &str| id.chars().take(12).collect::<String>();
        let about = match &self.to {
            _ if self.base.is_empty() => "a change of".to_owned(),
            Some(to) => format!("changed from {} to {}:", short(&self.base), short(to)),
            None => format!("changed since {}:", short(&self.base)),
        };
        let mut text = format!(
            "{about} {}, {}\n",
            counted(self.files.len(), "file"),
            counted(self.declarations.len(), "declaration")
        );
        self.write_gone(&mut text);
        // Writing to a string does not fail.
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        for file in &self.files {
            let fate = file.fate().map_or_else(String::new, |fate| format!(" ({fate})"));
            let _ = writeln!(text, "{}{fate}", shown_path(&file.file));
            for declaration in self.declarations.iter().filter(|it| it.item.file == file.file) {
                declaration.write(&mut text);
            }
            if !file.removed.is_empty() {
                let _ = writeln!(text, "  removed: {}", file.removed.join(", "));
            }
        }
        if self.tests.is_empty() {
            text.push_str("tests: none found\n");
        } else {
            let _ = writeln!(text, "tests, likeliest first ({} in all):", self.tests.len());
            for test in self.tests.iter().take(20) {
                let _ = writeln!(text, "  {}", test.file);
            }
        }
        text
    }

    /// What is gone though it is imported.
    fn write_gone(&self, text: &mut String) {
        for gone in &self.vanished {
            let places: Vec<String> = gone
                .importers
                .iter()
                .map(|it| it.line.map_or(it.file.clone(), |line| format!("{}:{line}", it.file)))
                .collect();
            let what = if gone.name.is_empty() {
                gone.file.clone()
            } else {
                format!("{} of {}", gone.name, gone.file)
            };
            let found = if gone.used { "" } else { " (an error, found without a compiler)" };
            let still = if gone.possible { "" } else { "still " };
            let _ =
                writeln!(text, "gone: {what}, {still}{} {}{found}", gone.how(), places.join(", "));
        }
    }
}

impl ChangedDeclaration {
    /// The declaration and its users, a line a file.
    fn write(&self, text: &mut String) {
        let decl = &self.item.decl;
        if decl.name.is_empty() {
            // Nobody can name it.
            let _ = writeln!(text, "  {}:{}", decl.kind, decl.lines.0);
            return;
        }
        let head = if self.head_was.is_some() { ", its head too" } else { "" };
        let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut possible = 0;
        for user in self.users.iter().flatten() {
            // As `look` marks them.
            let doubt = if user.is_exact { "" } else { "~" };
            possible += usize::from(!user.is_exact);
            files.entry(&user.file).or_default().push(format!("{doubt}{}", user.line));
        }
        let uses: usize = files.values().map(Vec::len).sum();
        let in_files = format!("{} in {}", counted(uses, "use"), counted(files.len(), "file"));
        let used = match (uses - possible, possible) {
            _ if self.users.is_none() => "uses not looked for".to_owned(),
            (0, 0) => "no uses".to_owned(),
            (_, 0) => in_files,
            (0, possible) => {
                format!("no certain use, {possible} possible in {}", counted(files.len(), "file"))
            }
            (certain, possible) => format!("{in_files}: {certain} certain, {possible} possible"),
        };
        let _ = writeln!(text, "  {} {}:{}{head}: {used}", decl.kind, decl.name, decl.lines.0);
        for (file, lines) in files.iter().take(20) {
            let _ = writeln!(text, "    {file}:{}", lines.join(","));
        }
        if files.len() > 20 {
            let _ = writeln!(text, "    and {} more files", files.len() - 20);
        }
    }
}

fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
