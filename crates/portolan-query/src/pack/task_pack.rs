//! Packs of what is to be done: a task in words, a change, or places in the code.
//!
//! One list of pieces, the most telling first: what was asked for, what changed with what that uses, who uses what
//! changed, and the bodies that a task is about. The budget takes as many from the front as fit, so a larger one shows
//! all that a smaller one does. A task alone needs no Map: it is answered from the files, as a search is.

mod change;
mod compare;
mod cuts;
mod former_uses;
mod frames;
mod parameters;
mod task;
mod tests_named;
mod uses;

use std::sync::Mutex;

use crate::chart::ranking_index;
use crate::pack::context::{
    CHANGE_BUDGET, ContextParts, PackFormat as Form, SMALLEST_BUDGET, SliceCandidate as Piece,
    SliceRole as Role,
};
use portolan_guard::redact;
use portolan_symbols::text::blocks;
use portolan_types::{FileId, Notice, escape_invisible};
use portolan_vfs::System;
use portolan_wire::context::AskedV2;
use serde_json::Value;

use super::code_index::{Code, Item, with_code};
use super::texts::Texts;
use super::windows::around;
use super::{PackError, PackReport, is_known, put_together};
use crate::chart::{IndexFiles, RankingIndex};
use crate::declarations::{Target, TargetError, parse_target};
use crate::diagnostics::DiagnosticsError;
use crate::file_set::FileSet;
use crate::map_paths::MapPaths;
use crate::search::{FileClass, OUTLINES_MADE_BY, SearchContext, SearchError};
use portolan_index::history::{Kept, commits_since};
use portolan_index::map::{CacheMode, MapReport, MapRequest};
use portolan_index::session::Session;
use portolan_index::store::CacheFolder;
use portolan_index::symbols::DeclarationStore;
use portolan_workspace::config::Loaded;
use portolan_workspace::path_input::PathInput;

use self::task::bodies_of;
pub use change::{Changes, Impact};
pub(super) use compare::{Outline, Unit};

/// What is asked.
#[derive(Clone, Debug)]
pub struct UndertakingRequest {
    /// The repository.
    pub config: Loaded,
    /// The task, in words.
    pub task: Option<String>,
    /// Places: `FILE`, `FILE:LINE[:COLUMN]`, `FILE:FROM-TO`, `FILE#NAME`.
    pub at: Vec<String>,
    /// The change: a revision, two of them (`A..B`), or what is usual where it is empty.
    pub changed: Option<String>,
    /// Whether the bodies of a task's tests are shown.
    pub tests: bool,
    /// The most tokens that the pack may have.
    pub budget: u64,
    /// How it is written.
    pub form: Form,
    /// How many threads to use; 0 for one per core.
    pub threads: usize,
    /// Whether the cache is used.
    pub cache: CacheMode,
}

/// What questions are answered from.
#[derive(Clone, Copy)]
pub struct PackInputs<'a> {
    /// The disk.
    pub system: &'a dyn System,
    /// The repository.
    pub config: &'a Loaded,
    /// Its files and their words.
    pub ranking: &'a RankingIndex<'a>,
    /// What is known of its declarations.
    pub store: &'a DeclarationStore,
    /// Earlier commits, each as its files.
    pub commits: &'a [Vec<FileId>],
}

/// A question.
#[derive(Clone, Debug, Default)]
pub struct TaskQuery {
    /// The task, in words.
    pub task: Option<String>,
    /// Places.
    pub at: Vec<String>,
    /// A change.
    pub changes: Option<Changes>,
    /// Whether the bodies of the task's tests are shown.
    pub tests: bool,
    /// The most tokens.
    pub budget: u64,
}

impl UndertakingRequest {
    /// Whether the bodies of tests are shown, and the budget.
    fn body_limits(&self) -> (bool, u64) {
        (self.tests, self.budget)
    }

    /// Whether it is about a task and nothing else.
    fn is_task_alone(&self) -> bool {
        self.task.is_some() && self.at.is_empty() && self.changed.is_none()
    }
}

/// Builds a pack.
pub fn build_undertaking(
    system: &dyn System,
    request: &UndertakingRequest,
) -> Result<PackReport, PackError> {
    if request.budget < SMALLEST_BUDGET {
        return Err(PackError::Budget(request.budget));
    }
    if let Some(task) = request.task.as_ref().filter(|_| request.is_task_alone()) {
        let UndertakingRequest { config, cache, threads, .. } = request;
        let map_request = MapRequest { config: config.clone(), threads: *threads };
        let session = Session::open(system, map_request, *cache).map_err(DiagnosticsError::from)?;
        let outlines = session.outlines(OUTLINES_MADE_BY);
        let context = SearchContext { system, config, outlines: Some(outlines) };
        let found = session.install(|| task_parts(context, task, request.body_limits()));
        let notices = outlines.save(system).into_iter().collect();
        return found.map(|(parts, told, _)| finished((parts, told), request, notices));
    }
    with_ground(system, request, |inputs, ask, notices| pack_on(inputs, ask, request, notices))
}

/// Builds a pack of a task from the files alone, and returns the files that were searched. For threads with room for parsing.
pub(crate) fn build_task(
    context: SearchContext<'_>,
    request: &UndertakingRequest,
) -> Result<(PackReport, FileSet), PackError> {
    if request.budget < SMALLEST_BUDGET {
        return Err(PackError::Budget(request.budget));
    }
    let task = request.task.as_deref().unwrap_or_default();
    let (parts, told, searched) = task_parts(context, task, request.body_limits())?;
    Ok((finished((parts, told), request, Vec::new()), searched))
}

/// The parts of a pack of a task, before they are cut to a budget, and the files that were searched. For threads with
/// room for parsing. `limits` are whether the bodies of tests are shown, and the budget.
pub fn task_parts(
    context: SearchContext<'_>,
    task: &str,
    limits: (bool, u64),
) -> Result<(ContextParts, Vec<Notice>, FileSet), PackError> {
    let SearchContext { system, config, .. } = context;
    let texts = Texts::new(system, &config.root, config.settings.secrets.guard());
    // The pack repeats the task: what must not leave is not in it.
    let task = redact(task).into_owned();
    let found = bodies_of(context, &texts, &task, limits).map_err(of_search)?;
    let asked = AskedV2 { task: Some(task), tests: limits.0, ..AskedV2::default() };
    let mut parts = ContextParts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        asked: Some(asked),
        ..ContextParts::default()
    };
    let searched = found.searched;
    parts.pieces = found.add_to(&mut parts);
    let (parts, told) = with_sources(parts, texts);
    Ok((parts, told, searched))
}

/// Why there are no places of a task.
fn of_search(error: SearchError) -> PackError {
    match error {
        SearchError::Map(error) => DiagnosticsError::from(error).into(),
        error => PackError::Search(error),
    }
}

/// Adds the files that the pieces are cut from.
fn with_sources(mut parts: ContextParts, texts: Texts<'_>) -> (ContextParts, Vec<Notice>) {
    let (sources, told) = texts.into_parts();
    let ending = |path: &String| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
    parts.languages = parts.pieces.iter().filter_map(|piece| ending(&piece.file)).collect();
    parts.sources = sources;
    (parts, told)
}

/// Builds a pack from the inputs that a session keeps.
pub(crate) fn build_undertaking_on(
    stand: &TaskInputs<'_>,
    request: &UndertakingRequest,
) -> Result<PackReport, PackError> {
    if request.budget < SMALLEST_BUDGET {
        return Err(PackError::Budget(request.budget));
    }
    let changes = changes(stand.system, stand.ranking.map(), request)?;
    on_ground(stand, request, changes, |inputs, ask, notices| {
        pack_on(inputs, ask, request, notices)
    })
}

fn pack_on(
    inputs: &PackInputs<'_>,
    ask: &TaskQuery,
    request: &UndertakingRequest,
    notices: Vec<Notice>,
) -> Result<PackReport, PackError> {
    Ok(finished(parts_for(inputs, ask)?, request, notices))
}

/// Cuts the parts to the budget of a request.
fn finished(
    (parts, told): (ContextParts, Vec<Notice>),
    request: &UndertakingRequest,
    mut notices: Vec<Notice>,
) -> PackReport {
    let context = put_together(&parts, request.budget, request.form);
    notices.extend(told);
    notices.sort_unstable();
    notices.dedup();
    PackReport { context, notices }
}

/// What a change affects, and the pack of it for programs.
#[derive(Clone, Debug)]
pub struct ImpactReport {
    /// What is affected.
    pub impact: Impact,
    /// The parts of the pack, before they are cut to a budget.
    parts: ContextParts,
    /// What was noticed on the way.
    pub notices: Vec<Notice>,
}

impl ImpactReport {
    /// A tree of what is affected, for people.
    pub fn to_text(&self) -> String {
        let text = self.impact.to_text();
        text.lines().map(|line| format!("{}\n", escape_invisible(line))).collect()
    }

    /// The pack, for machines.
    pub fn to_wire(&self) -> Value {
        put_together(&self.parts, CHANGE_BUDGET, Form::Json).pack.to_value()
    }

    /// The files that changed, and those that use what changed.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        let users = self.impact.declarations.iter().flat_map(|it| it.users.iter().flatten());
        let users = users.map(|user| user.file.as_str());
        self.impact.files.iter().map(|it| it.file.as_str()).chain(users)
    }
}

/// Tells what a change affects.
pub(crate) fn build_impact_on(
    stand: &TaskInputs<'_>,
    request: &UndertakingRequest,
) -> Result<ImpactReport, PackError> {
    let changes = changes(stand.system, stand.ranking.map(), request)?;
    on_ground(stand, request, changes, impact_of)
}

fn impact_of(
    inputs: &PackInputs<'_>,
    ask: &TaskQuery,
    mut notices: Vec<Notice>,
) -> Result<ImpactReport, PackError> {
    let (parts, impact, told) = gathered(inputs, ask, change::LinesMean::AChange)?;
    notices.extend(told);
    Ok(ImpactReport { impact: impact.unwrap_or_default(), parts, notices })
}

/// The inputs of a task pack.
pub(crate) struct TaskInputs<'a> {
    pub(crate) system: &'a dyn System,
    pub(crate) config: &'a Loaded,
    pub(crate) ranking: &'a RankingIndex<'a>,
    pub(crate) store: &'a DeclarationStore,
    /// The commits that were read before; those that were read now are added.
    pub(crate) commits: &'a Mutex<Kept>,
    pub(crate) cache: &'a CacheFolder,
}

fn with_ground<R: Send>(
    system: &dyn System,
    request: &UndertakingRequest,
    work: impl FnOnce(&PackInputs<'_>, &TaskQuery, Vec<Notice>) -> Result<R, PackError> + Send,
) -> Result<R, PackError> {
    let UndertakingRequest { config, cache, .. } = request;
    let map_request = MapRequest { config: config.clone(), threads: request.threads };
    let session = Session::open(system, map_request, *cache).map_err(DiagnosticsError::from)?;
    let map = session.map().map_err(DiagnosticsError::from)?;
    // Report that nothing changed before starting the work.
    let changes = changes(system, &map, request)?;
    let (ranking, store) = (ranking_index(&session, &map, system, true), session.declarations());
    let commits = Mutex::default();
    let stand = TaskInputs {
        system,
        config,
        ranking: &ranking,
        store,
        commits: &commits,
        cache: session.cache(),
    };
    let result = session.install(|| on_ground(&stand, request, changes, work));
    // What cannot be kept is read again next time.
    let _ = store.save(system);
    drop(ranking);
    // The process is about to end: freeing a large map piece by piece wastes time.
    std::mem::forget((map, session));
    result
}

/// The change that is asked about.
fn changes(
    system: &dyn System,
    map: &MapReport,
    request: &UndertakingRequest,
) -> Result<Option<Changes>, PackError> {
    let open = |revision: &String| change::open(system, &request.config, map, revision);
    request.changed.as_ref().map(open).transpose()
}

fn on_ground<R>(
    stand: &TaskInputs<'_>,
    request: &UndertakingRequest,
    changes: Option<Changes>,
    work: impl FnOnce(&PackInputs<'_>, &TaskQuery, Vec<Notice>) -> Result<R, PackError>,
) -> Result<R, PackError> {
    let &TaskInputs { system, config, ranking, store, commits, cache } = stand;
    let files = IndexFiles { system, root: &config.root, cache };
    let commits = commits_since(&files, ranking.map(), commits);
    let inputs = PackInputs { system, config, ranking, store, commits: &commits };
    // The pack repeats the task: what must not leave is not in it.
    let task = request.task.as_deref().map(|task| redact(task).into_owned());
    let ask = TaskQuery {
        task,
        at: request.at.clone(),
        changes,
        tests: request.tests,
        budget: request.budget,
    };
    let mut notices = ranking.notices().to_vec();
    notices.extend(ask.changes.iter().flat_map(|changes| changes.since.notices.clone()));
    work(&inputs, &ask, notices)
}

/// The parts of a pack, before they are cut to a budget.
pub fn parts_for(
    inputs: &PackInputs<'_>,
    ask: &TaskQuery,
) -> Result<(ContextParts, Vec<Notice>), PackError> {
    gathered(inputs, ask, change::LinesMean::Themselves).map(|(parts, _, told)| (parts, told))
}

/// The same, with what a change affects.
fn gathered(
    inputs: &PackInputs<'_>,
    ask: &TaskQuery,
    lines: change::LinesMean,
) -> Result<(ContextParts, Option<Impact>, Vec<Notice>), PackError> {
    let map = inputs.ranking.map();
    let gathered = with_code(inputs.system, inputs.config, map, inputs.store, |code| {
        let guard = inputs.config.settings.secrets.guard();
        let texts = Texts::new(inputs.system, &inputs.config.root, guard);
        let mut gather = Gather { inputs, code, texts: &texts, pieces: Vec::new(), lines };
        let (mut parts, impact) = gather.all(ask)?;
        parts.pieces = gather.pieces;
        let (parts, told) = with_sources(parts, texts);
        Ok::<_, PackError>((parts, impact, told))
    });
    gathered.map_err(DiagnosticsError::from)?
}

/// Gathers pieces.
struct Gather<'a, 'c> {
    inputs: &'a PackInputs<'a>,
    code: &'a dyn Code,
    texts: &'a Texts<'c>,
    pieces: Vec<Piece>,
    lines: change::LinesMean,
}

impl Gather<'_, '_> {
    fn all(&mut self, ask: &TaskQuery) -> Result<(ContextParts, Option<Impact>), PackError> {
        let mut parts = ContextParts {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            asked: Some(AskedV2 {
                task: ask.task.clone(),
                at: ask.at.clone(),
                changed: ask.changes.as_ref().map(|changes| changes.asked.clone()),
                tests: ask.tests,
            }),
            ..ContextParts::default()
        };
        for target in &ask.at {
            self.asked(target)?;
        }
        let mut impact = None;
        if let Some(changes) = &ask.changes {
            let found = change::impact(self.inputs, self.code, changes);
            Self::change(&found, &mut parts);
            self.changed(&found, false);
            impact = Some(found);
        } else if ask.task.is_none() && !ask.at.is_empty() {
            let found = change::impact_at(self.inputs, self.code, &ask.at, self.lines)?;
            parts.tests.clone_from(&found.tests);
            impact = Some(found);
        }
        let known: Vec<(String, u32)> = self
            .pieces
            .iter()
            .filter_map(|piece| Some((piece.file.clone(), piece.decl.as_ref()?.lines.0)))
            .collect();
        self.uses(&known);
        if let Some(impact) = &impact {
            self.users(impact);
            // What others depend on comes before tests.
            if ask.changes.is_some() {
                self.changed(impact, true);
            }
        }
        if let Some(task) = &ask.task {
            let PackInputs { system, config, .. } = *self.inputs;
            let context = SearchContext::new(system, config);
            let found = bodies_of(context, self.texts, task, (ask.tests, ask.budget));
            self.pieces.extend(found.map_err(of_search)?.add_to(&mut parts));
        }
        Ok((parts, impact))
    }

    /// A place that was asked for: the whole declaration, or the block around the line.
    fn asked(&mut self, target: &str) -> Result<(), TargetError> {
        let map = self.inputs.ranking.map();
        let why = "asked for";
        let path_input = PathInput::here(self.inputs.config);
        match parse_target(target, &path_input, &MapPaths::of(map)) {
            Target::File(path) if is_known(map, &path) => {
                let Some(source) = self.texts.get(&path) else { return Ok(()) };
                let last = source.text.lines().count() as u32;
                self.parts_of(Role::Focus, why, &path, None, (1, last));
            }
            Target::Lines(path, from, to) if is_known(map, &path) => {
                let Some(source) = self.texts.get(&path) else { return Ok(()) };
                let last = source.text.lines().count() as u32;
                if from > last {
                    return Err(TargetError::Nothing { path, line: from });
                }
                self.parts_of(Role::Focus, why, &path, None, (from, to.min(last)));
            }
            Target::Place(path, line, _)
                if is_known(map, &path) && self.code.around(&path, line, None).is_none() =>
            {
                let Some(source) = self.texts.get(&path) else { return Ok(()) };
                if let Some(range) = around(&source.text, line) {
                    self.parts_of(Role::Focus, why, &path, None, range);
                }
            }
            _ => {
                for item in self.code.asked(target)? {
                    self.whole(Role::Focus, why, &item);
                }
            }
        }
        Ok(())
    }

    /// All of a declaration.
    fn whole(&mut self, role: Role, why: &str, item: &Item) {
        if !is_known(self.inputs.ranking.map(), &item.file) || self.texts.get(&item.file).is_none()
        {
            return;
        }
        for range in item.whole.iter().copied() {
            self.parts_of(role, why, &item.file, Some(item), range);
        }
    }

    /// Some lines of a file, block by block: where not all of them fit, the first do.
    fn parts_of(
        &mut self,
        role: Role,
        why: &str,
        file: &str,
        item: Option<&Item>,
        range: (u32, u32),
    ) {
        let Some(source) = self.texts.get(file) else { return };
        let inside = blocks(&source.text).into_iter().filter_map(|block| {
            let part = (block.first.max(range.0), block.last.min(range.1));
            (part.0 <= part.1).then_some(part)
        });
        for part in inside {
            self.pieces.push(Piece {
                role,
                why: vec![why.to_owned()],
                file: file.to_owned(),
                decl: item.map(|item| item.decl.clone()),
                ranges: vec![part],
            });
        }
    }
}

/// Whether a file is code of tests.
fn is_test(path: &str) -> bool {
    portolan_languages::is_program(path) && FileClass::of(path) == FileClass::Test
}

/// The last part of a path.
fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests;
