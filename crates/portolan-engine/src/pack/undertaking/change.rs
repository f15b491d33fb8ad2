//! What a change affects: changed declarations, who uses them, the tests that reach them, and exports that are
//! gone though files still import them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use portolan_graph::interest::Change;
use portolan_pack::context::{Changed, ContextParts, Piece, Role};
use portolan_scan::Revision;
use portolan_types::NodeKind;
use portolan_vfs::System;
use portolan_wire::context::{LocV2, TestV2, VanishedV2};

use super::{Gather, Ground, is_test};
use crate::config::Loaded;
use crate::declarations::{TargetError, User};
use crate::map::MapReport;
use crate::pack::base::{ChangedFile, Since, since};
use crate::pack::shelf::{Code, Item};
use crate::pack::{PackError, is_known};

/// So many changed declarations are told.
const MOST_DECLARATIONS: usize = 60;
/// The users of so many are looked for.
const MOST_ASKED: usize = 24;
/// So many users of one are shown with their lines.
const MOST_USERS: usize = 12;

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
    /// Who uses it.
    pub(super) users: Vec<User>,
}

/// What a change affects.
#[derive(Clone, Debug, Default)]
pub struct Impact {
    /// The commit that was compared with.
    pub base: String,
    /// The files that changed.
    pub files: Vec<String>,
    /// The declarations that changed.
    pub declarations: Vec<ChangedDeclaration>,
    /// Places that changed outside of declarations: file and lines.
    pub places: Vec<(String, (u32, u32))>,
    /// The tests that reach what changed, nearest first.
    pub tests: Vec<TestV2>,
    /// Exports that are gone though files still import them.
    pub vanished: Vec<VanishedV2>,
}

/// Compares with a revision: `A`, `A..B`, or where the branch left the main one, if nothing is said.
pub(super) fn open(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    asked: &str,
) -> Result<Changes, PackError> {
    let root = config.root.as_path();
    let at = |name: &str| Revision::open(system, root, name).map_err(PackError::Base);
    let (from, to) = match asked.split_once("..") {
        Some((from, to)) => (from, Some(to.trim_start_matches('.')).filter(|to| !to.is_empty())),
        None => (asked, None),
    };
    let revision = if from.is_empty() {
        Revision::open_fork(system, root).map_err(PackError::Base)?
    } else {
        at(from)?
    };
    let mut found = since(system, config, map, &revision)
        .ok_or_else(|| PackError::Unchanged(shown(asked, &revision.id())))?;
    if let Some(to) = to {
        let between: BTreeSet<String> = revision.differing(&at(to)?).into_iter().collect();
        found.files.retain(|file| between.contains(&file.path));
    }
    if found.files.is_empty() {
        return Err(PackError::Unchanged(shown(asked, &found.id)));
    }
    Ok(Changes { asked: asked.to_owned(), since: found })
}

fn shown(asked: &str, id: &str) -> String {
    let short: String = id.chars().take(12).collect();
    if asked.is_empty() { short } else { format!("{asked} ({short})") }
}

/// What a change affects.
pub(super) fn impact(ground: &Ground<'_>, code: &dyn Code, changes: &Changes) -> Impact {
    let map = ground.atlas.map();
    let since = &changes.since;
    let mut impact = Impact {
        base: since.id.clone(),
        files: since.files.iter().map(|file| file.path.clone()).collect(),
        ..Impact::default()
    };
    for file in since.files.iter().filter(|file| is_known(map, &file.path)) {
        declarations(&mut impact, code, file);
    }
    for declaration in impact.declarations.iter_mut().take(MOST_ASKED) {
        let line = declaration.item.decl.lines.0;
        declaration.users = code.users(&declaration.item.file, line);
    }
    for file in &since.files {
        vanished(&mut impact, ground, code, file);
    }
    let places: Vec<u32> = since.files.iter().filter_map(|it| map.place_of(&it.path)).collect();
    impact.tests = tests_of(ground, &places, &changed_text(&since.files));
    impact
}

/// What a change of some places would affect.
pub(super) fn impact_at(
    ground: &Ground<'_>,
    code: &dyn Code,
    at: &[String],
) -> Result<Impact, TargetError> {
    let map = ground.atlas.map();
    let mut impact = Impact::default();
    let mut text = String::new();
    for target in at {
        for item in code.asked(target)?.into_iter().take(MOST_ASKED) {
            text.push_str(&text_of(code, &item));
            if !impact.files.contains(&item.file) {
                impact.files.push(item.file.clone());
            }
            let users = code.users(&item.file, item.decl.lines.0);
            impact.declarations.push(ChangedDeclaration { item, head_was: None, users });
        }
    }
    let places: Vec<u32> = impact.files.iter().filter_map(|it| map.place_of(it)).collect();
    impact.tests = tests_of(ground, &places, &text);
    Ok(impact)
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
fn tests_of(ground: &Ground<'_>, files: &[u32], text: &str) -> Vec<TestV2> {
    let map = ground.atlas.map();
    let change = Change { files, text, commits: ground.commits };
    let tests = ground.atlas.covering(&change).into_iter();
    let named = tests.map(|it| TestV2 {
        file: map.universe[it.test as usize].path.to_string(),
        distance: it.distance,
    });
    named.collect()
}

/// The declarations that the hunks of a file touch.
fn declarations(impact: &mut Impact, code: &dyn Code, file: &ChangedFile) {
    let mut seen = BTreeSet::new();
    for hunk in &file.hunks {
        let (from, to) = hunk.after;
        let lines = if from < to { (from, to - 1) } else { (from.saturating_sub(1).max(1), from) };
        let mut line = lines.0;
        let mut found = false;
        while line <= lines.1 {
            let Some(item) = code.around(&file.path, line, None) else {
                line += 1;
                continue;
            };
            found = true;
            line = item.decl.lines.1.max(line) + 1;
            if seen.insert(item.decl.lines.0) && impact.declarations.len() < MOST_DECLARATIONS {
                let was = code.head_in(&file.path, &file.before, &item.decl.name);
                let head_was = was.filter(|was| !is_same_head(code, &item, was));
                impact.declarations.push(ChangedDeclaration { item, head_was, users: Vec::new() });
            }
        }
        if !found {
            impact.places.push((file.path.clone(), lines));
        }
    }
}

fn is_same_head(code: &dyn Code, item: &Item, was: &str) -> bool {
    code.head_of(item).is_some_and(|now| now.split_whitespace().eq(was.split_whitespace()))
}

/// Exports that a file had and has no more, where somebody still imports them.
fn vanished(impact: &mut Impact, ground: &Ground<'_>, code: &dyn Code, file: &ChangedFile) {
    let map = ground.atlas.map();
    let location = |(file, line): (String, u32)| LocV2 { file, line: Some(line), col: None };
    if !is_known(map, &file.path) {
        let importers = importers_of_missing(map, &file.path);
        if !importers.is_empty() {
            let importers =
                importers.into_iter().map(|file| LocV2 { file, line: None, col: None }).collect();
            let (name, file) = (String::new(), file.path.clone());
            impact.vanished.push(VanishedV2 { name, file, importers });
        }
        return;
    }
    let Some(now) = code.text(&file.path) else { return };
    let today = code.exports(&file.path, &now);
    for name in code.exports(&file.path, &file.before).difference(&today) {
        let importers = code.importers(&file.path, name);
        if !importers.is_empty() {
            impact.vanished.push(VanishedV2 {
                name: name.clone(),
                file: file.path.clone(),
                importers: importers.into_iter().map(location).collect(),
            });
        }
    }
}

/// Who imports a file that is not there, by a path that would lead to it.
fn importers_of_missing(map: &MapReport, gone: &str) -> Vec<String> {
    let bare = |path: &str| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split('.').next().unwrap_or(name);
        if stem == "index" { folder.to_owned() } else { format!("{folder}/{stem}") }
    };
    let wanted = bare(gone);
    let graph = &map.graph;
    let mut importers = BTreeSet::new();
    for (node, file) in graph.iter().filter(|(_, node)| node.kind == NodeKind::Source) {
        for edge in graph.edges(node) {
            let target = graph.node(edge.target);
            if target.kind != NodeKind::Missing || !target.id.as_str().starts_with('.') {
                continue;
            }
            let joined = joined(file.id.as_str(), target.id.as_str());
            if joined.is_some_and(|path| bare(&path) == wanted || path == wanted) {
                importers.insert(file.id.to_string());
            }
        }
    }
    importers.into_iter().collect()
}

/// The path that a relative specifier means.
fn joined(importer: &str, specifier: &str) -> Option<String> {
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in specifier.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

impl Gather<'_, '_> {
    /// Adds what changed.
    pub(super) fn changed(&mut self, impact: &Impact, parts: &mut ContextParts) {
        // What others depend on comes before tests.
        let mut order: Vec<&ChangedDeclaration> = impact.declarations.iter().collect();
        order.sort_by_key(|it| is_test(&it.item.file));
        for declaration in order {
            self.whole(Role::Changed, "changed", &declaration.item);
        }
        for (file, lines) in &impact.places {
            self.parts_of(Role::Changed, "changed", file, None, *lines);
        }
        let was = impact.declarations.iter().filter_map(|it| {
            let before = it.head_was.clone()?;
            Some(Changed { file: it.item.file.clone(), lines: it.item.decl.lines, before })
        });
        parts.base = Some((impact.base.clone(), was.collect()));
        parts.tests.clone_from(&impact.tests);
        parts.vanished.clone_from(&impact.vanished);
    }

    /// Adds who uses what changed: the lines, with the head of what they are in.
    pub(super) fn users(&mut self, impact: &Impact) {
        for declaration in &impact.declarations {
            let why = format!("uses `{}`", declaration.item.decl.name);
            let others = declaration.users.iter().filter(|it| !is_import(&it.text));
            for user in others.take(MOST_USERS) {
                if self.texts.get(&user.file).is_none() {
                    continue;
                }
                let item = self.code.head_at(&user.file, user.line);
                let (decl, ranges) = match item {
                    Some(item) => (Some(item.decl), item.ranges),
                    None => (None, vec![(user.line, user.line)]),
                };
                let (role, why, file) = (Role::User, why.clone(), user.file.clone());
                self.pieces.push(Piece { role, why, file, decl, ranges });
            }
        }
    }
}

fn is_import(line: &str) -> bool {
    portolan_syntax::leads_elsewhere(line)
}

impl Impact {
    /// A tree of who is affected, for people.
    pub fn to_text(&self) -> String {
        let base: String = self.base.chars().take(12).collect();
        let about = if base.is_empty() {
            "a change of".to_owned()
        } else {
            format!("changed since {base}:")
        };
        let mut text = format!(
            "{about} {}, {}\n",
            counted(self.files.len(), "file"),
            counted(self.declarations.len(), "declaration")
        );
        // Writing to a string does not fail.
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
            let _ = writeln!(
                text,
                "gone: {what}, still imported by {} (an error, found without a compiler)",
                places.join(", ")
            );
        }
        for file in &self.files {
            let _ = writeln!(text, "{file}");
            for declaration in self.declarations.iter().filter(|it| it.item.file == *file) {
                declaration.write(&mut text);
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
}

impl ChangedDeclaration {
    /// The declaration and its users, a line a file.
    fn write(&self, text: &mut String) {
        let decl = &self.item.decl;
        let head = if self.head_was.is_some() { ", its head too" } else { "" };
        let mut files: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for user in self.users.iter().filter(|user| !is_import(&user.text)) {
            files.entry(&user.file).or_default().push(user.line);
        }
        let uses: usize = files.values().map(Vec::len).sum();
        let used = match uses {
            0 => "no uses".to_owned(),
            _ => format!("{} in {}", counted(uses, "use"), counted(files.len(), "file")),
        };
        let _ = writeln!(text, "  {} {}:{}{head}: {used}", decl.kind, decl.name, decl.lines.0);
        for (file, lines) in files.iter().take(20) {
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
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
