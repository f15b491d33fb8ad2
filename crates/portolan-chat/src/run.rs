//! `run`: archives of the universe, of the map, or of a selection.
//!
//! Everything is validated and planned before an archive is touched; then all outputs are replaced
//! at once or not at all. Only `dependency.meta.json` and `dependency.map.json` are written before
//! the state is read: they describe the repository, not the selection, and the user needs the new
//! map to fix an invalid state.

mod base;
mod candidate;
mod closure;
pub(crate) mod context;
mod document;
mod error;
pub(crate) mod imports;
mod long_readmes;
pub(crate) mod map_delta;
pub(crate) mod plain;
pub(crate) mod plan;
pub(crate) mod workspace;
pub(crate) mod write;

use std::time::Duration;

use portolan_archive::Baseline;
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::System;
use portolan_wire::run_report::{ArchiveReport, DiffSummary, RunReportV1};
use portolan_wire::snapshot::SnapshotV1;

pub use closure::BadId;
pub use error::RunError;
pub use imports::ImportError;
pub use portolan_wire::run_report::RunMode;

use candidate::Member;
use context::{EMPTY_STATE, MapArtifacts, StateOnDisk};
use document::Page;
use imports::Imports;
use plan::{Diff, Plan, TOKENIZER, archive_bytes};
use workspace::RunWorkspace;
use write::{NO_CHANGES, Outputs};

use portolan_index::map::{CacheMode, MapRequest};
use portolan_index::pool::on_threads;
use portolan_workspace::config::Loaded;

/// A request to run.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The repository and its settings.
    pub config: Loaded,
    /// The kind of run.
    pub mode: RunMode,
    /// Whether a plain archive includes nested packages.
    pub subpackages: bool,
    /// Whether to write nothing.
    pub plan_only: bool,
    /// Whether to render an archive as a document too, and which.
    pub document: Option<Document>,
    /// The number of threads; 0 for one per core.
    pub threads: usize,
    /// The cache mode of the map; a run that only plans does not write the cache.
    pub cache: CacheMode,
    /// How long to wait for another run.
    pub wait: Duration,
}

impl RunRequest {
    fn map(&self) -> MapRequest {
        MapRequest { config: self.config.clone(), threads: self.threads }
    }

    /// A run that writes nothing writes no cache either.
    fn cache(&self) -> CacheMode {
        if self.plan_only { CacheMode::Off } else { self.cache }
    }
}

/// The archive to render as a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// The whole archive.
    Full,
    /// The files that are new or changed since the baseline.
    Diff,
}

/// The result.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The figures.
    pub report: RunReportV1,
    /// The archive as one Markdown document, if requested.
    pub document: Option<String>,
    /// The notices, sorted.
    pub notices: Vec<Notice>,
}

/// A stage of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Waiting for another run.
    Waiting,
    /// Building the map.
    Mapping,
    /// Reading files and checking them against the rules.
    Planning,
    /// Copying external files.
    Staging,
    /// Writing archives.
    Archiving,
    /// Replacing the outputs.
    Committing,
}

/// The start of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The stage.
    pub stage: Stage,
    /// The number of files in it, if known.
    pub count: usize,
}

/// A run, ready to be written.
struct Prepared {
    mode: RunMode,
    plan: Plan,
    diff: Option<Diff>,
    /// The new baseline.
    baseline: Option<(Baseline, SnapshotV1)>,
    imports: Imports,
    /// The map's files, if they are not written yet.
    charted: Option<MapArtifacts>,
    /// The chart in the archive.
    chart: Option<Vec<u8>>,
    /// The state that is replaced.
    previous_state: Option<Vec<u8>>,
    notices: Vec<Notice>,
}

/// The state on disk.
pub fn read_state(system: &dyn System, config: &Loaded) -> Result<Option<Vec<u8>>, RunError> {
    let workspace = RunWorkspace::open(system, config)?;
    workspace.read_optional(&workspace.workspace.state())
}

/// Replaces the state on disk.
pub fn write_state(system: &dyn System, config: &Loaded, bytes: &[u8]) -> Result<(), RunError> {
    let fenced = RunWorkspace::fence(system, config);
    let workspace = RunWorkspace::open(&*fenced, config)?;
    let folder = workspace.workspace.context_dir();
    workspace.root().make_dir(&folder).map_err(|error| RunError::workspace(&folder, error))?;
    workspace.write(&workspace.workspace.state(), bytes)
}

/// Runs it.
pub fn run(
    system: &dyn System,
    request: &RunRequest,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<RunReport, RunError> {
    on_threads(request.threads, || run_here(system, request, progress))?
}

/// Runs on the current threads.
fn run_here(
    system: &dyn System,
    request: &RunRequest,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<RunReport, RunError> {
    let fenced = RunWorkspace::fence(system, &request.config);
    let workspace = RunWorkspace::open(&*fenced, &request.config)?.counting(request.cache());
    let _lock =
        if request.plan_only { None } else { Some(workspace.lock(request.wait, progress)?) };
    let settings = workspace.settings;
    let (imports, notices) =
        Imports::find(system, workspace.path, &workspace.workspace, &settings.imports)?;
    let mut prepared = match request.mode {
        RunMode::Plain => prepare_plain(&workspace, request, imports, progress)?,
        RunMode::Meta => prepare_meta(&workspace, request, imports, progress)?,
        RunMode::Context => prepare_context(&workspace, request, imports, progress)?,
    };
    prepared.notices.extend(notices);
    prepared.notices.extend(request.config.notices.iter().cloned());
    if !request.plan_only {
        prepared.notices.extend(workspace.save_counts());
    }
    let mut document = None;
    if !request.plan_only {
        document = write(&workspace, &prepared, request.document, progress)?;
    }
    Ok(RunReport { document, ..report(&workspace, prepared, request.plan_only) })
}

fn prepare_plain(
    workspace: &RunWorkspace<'_>,
    request: &RunRequest,
    imports: Imports,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Prepared, RunError> {
    let before = workspace.baseline(Baseline::Plain)?;
    let plan = plain::plan(workspace, &imports, request.subpackages, progress)?;
    let is_there = |path: &RepoPath| workspace.has(path);
    let now = plan.snapshot();
    let diff = Diff::new(before.as_ref(), &now, is_there);
    let mode = RunMode::Plain;
    Ok(Prepared {
        mode,
        plan,
        baseline: before.is_none().then_some((Baseline::Plain, now)),
        diff: Some(diff),
        imports,
        charted: None,
        chart: None,
        previous_state: None,
        notices: Vec::new(),
    })
}

fn prepare_meta(
    workspace: &RunWorkspace<'_>,
    request: &RunRequest,
    imports: Imports,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Prepared, RunError> {
    let mut charted = context::chart(workspace, &request.map(), request.cache(), None, progress)?;
    let previous_state =
        workspace.read_optional(&workspace.workspace.state())?.filter(|bytes| bytes != EMPTY_STATE);
    let plan = context::plan_meta(workspace, &charted)?;
    let mut notices = std::mem::take(&mut charted.notices);
    if previous_state.is_some() {
        let place = Place::file(workspace.workspace.state().as_str());
        let message = format!(
            "the state that was there is kept as `{}`",
            workspace.workspace.previous_state()
        );
        notices.push(Notice::at(NoticeCode::ArchiveStateReplaced, place, message));
    }
    // A thread starts here, so the opener's content need not be sent again.
    let now = map_delta::snapshot(workspace, &plan, &charted);
    Ok(Prepared {
        mode: RunMode::Meta,
        plan,
        diff: None,
        baseline: Some((Baseline::Context, now)),
        imports,
        chart: charted.chart.take(),
        charted: Some(charted),
        previous_state,
        notices,
    })
}

fn prepare_context(
    workspace: &RunWorkspace<'_>,
    request: &RunRequest,
    imports: Imports,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Prepared, RunError> {
    let state = StateOnDisk { bytes: workspace.read_optional(&workspace.workspace.state())? };
    let wish = context::wish(&state);
    let mut charted =
        context::chart(workspace, &request.map(), request.cache(), wish.as_ref(), progress)?;
    if !request.plan_only {
        workspace.write(&workspace.workspace.meta(), &charted.meta)?;
        workspace.write(&workspace.workspace.map(), &charted.locators)?;
    }
    let before = workspace.baseline(Baseline::Context)?;
    let plan = context::plan(workspace, &charted, state, &imports, progress)?;
    let is_there = |path: &RepoPath| context::is_there(workspace, &charted.map, path);
    let now = map_delta::snapshot(workspace, &plan, &charted);
    let mut diff = Diff::new(before.as_ref(), &now, is_there);
    map_delta::send_map_delta(workspace, &charted, before.as_ref(), &plan, &mut diff);
    let notices = std::mem::take(&mut charted.notices);
    let mode = RunMode::Context;
    Ok(Prepared {
        mode,
        plan,
        baseline: before.is_none().then_some((Baseline::Context, now)),
        diff: Some(diff),
        imports,
        charted: None,
        chart: charted.chart.take(),
        previous_state: None,
        notices,
    })
}

fn write(
    workspace: &RunWorkspace<'_>,
    prepared: &Prepared,
    document: Option<Document>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Option<String>, RunError> {
    let dirs = &workspace.workspace;
    let mut outputs = Outputs::new(workspace, progress);
    outputs.imports(&prepared.imports)?;
    if prepared.mode == RunMode::Context {
        outputs.externals(&prepared.plan)?;
    }
    if let Some(charted) = &prepared.charted {
        outputs.file(&dirs.meta(), &charted.meta)?;
        outputs.file(&dirs.map(), &charted.locators)?;
    }
    match prepared.chart.as_ref() {
        Some(chart) => outputs.file(&dirs.chart(), chart)?,
        None if prepared.mode == RunMode::Plain => {}
        None => outputs.remove(&dirs.chart()),
    }
    if let Some(state) = &prepared.previous_state {
        outputs.file(&dirs.previous_state(), state)?;
    }
    if prepared.mode == RunMode::Meta {
        outputs.file(&dirs.state(), EMPTY_STATE)?;
        outputs.remove(&dirs.diff_archive());
        outputs.remove(&dirs.diff_report());
    }
    if let Some((baseline, snapshot)) = &prepared.baseline {
        outputs.file(&dirs.snapshot(*baseline), &snapshot.to_bytes())?;
    }
    outputs.archives(&prepared.plan, prepared.diff.as_ref())?;
    // Render it while the staged files are still at their temporary paths.
    let document =
        document.map(|which| prepared.document(workspace, which, &outputs)).transpose()?;
    outputs.commit()?;
    Ok(document)
}

impl Prepared {
    /// Renders an archive as a document; the whole archive if there is no diff.
    fn document(
        &self,
        workspace: &RunWorkspace<'_>,
        which: Document,
        outputs: &Outputs<'_>,
    ) -> Result<String, RunError> {
        let diff = self.diff.as_ref().filter(|_| which == Document::Diff);
        let (path, members) = match diff {
            Some(diff) => (workspace.workspace.diff_archive(), diff.members(&self.plan)),
            None => (workspace.workspace.archive(), self.plan.members.iter().collect()),
        };
        let page = |member: &&Member| {
            let (path, sha256) = (member.path.clone(), member.sha256);
            outputs.read(member).map(|bytes| Page { path, sha256, bytes })
        };
        let pages: Vec<Page> = members.iter().map(page).collect::<Result<_, _>>()?;
        Ok(document::document(path.as_str(), &pages))
    }
}

fn report(workspace: &RunWorkspace<'_>, prepared: Prepared, planned: bool) -> RunReport {
    let Prepared { mode, plan, diff, imports, previous_state, mut notices, .. } = prepared;
    let members: Vec<&Member> = plan.members.iter().collect();
    let archive = archive_report(workspace.workspace.archive(), &members);
    // A reader with the baseline needs the diff; without a baseline, or in a new thread, the reader
    // needs everything.
    let goes_on = diff.as_ref().is_some_and(|diff| diff.report.baseline);
    let attach =
        if goes_on { workspace.workspace.diff_archive() } else { workspace.workspace.archive() };
    let is_external = |target: &RepoPath| workspace.workspace.is_staged(target);
    let report = RunReportV1 {
        v: 1,
        mode,
        planned,
        archive,
        diff: diff.map(|diff| diff_summary(workspace, &plan, &diff)),
        cost: plan.cost(),
        groups: plan.groups.clone(),
        tokenizer: TOKENIZER.name(),
        attach,
        largest: plan.largest(),
        staged: plan.staged.iter().filter(|file| is_external(&file.target)).count(),
        imported: imports.files().count(),
        denied: plan.denied,
        previous_state: previous_state.map(|_| workspace.workspace.previous_state()),
        elapsed_ms: None,
    };
    notices.extend(plan.notices);
    notices.sort_unstable();
    notices.dedup();
    RunReport { report, document: None, notices }
}

fn archive_report(path: RepoPath, members: &[&Member]) -> ArchiveReport {
    ArchiveReport {
        path,
        bytes: archive_bytes(members.iter().map(|member| (member.path.as_str(), member.size))),
        files: members.len(),
        tokens: members.iter().map(|member| member.tokens).sum(),
    }
}

fn diff_summary(workspace: &RunWorkspace<'_>, plan: &Plan, diff: &Diff) -> DiffSummary {
    let mut archive = archive_report(workspace.workspace.diff_archive(), &diff.members(plan));
    if archive.files == 0 {
        let sentinel = workspace.workspace.no_changes();
        archive.bytes =
            archive_bytes(std::iter::once((sentinel.as_str(), NO_CHANGES.len() as u64)));
    }
    DiffSummary {
        archive,
        report: workspace.workspace.diff_report(),
        baseline_created: !diff.report.baseline,
        added: diff.report.added.len(),
        changed: diff.report.changed.len(),
        deleted: diff.report.deleted.len(),
        deselected: diff.report.deselected.len(),
    }
}

#[cfg(test)]
mod tests;
