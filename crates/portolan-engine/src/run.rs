//! `run`: archives of the universe, of the Map, or of what a state asks for.
//!
//! Everything is validated and planned before an archive is touched, and then takes its place all
//! at once or not at all. Only `dependency.meta.json` and `dependency.map.json` are written before
//! the state is read: they tell of the repository, not of the selection, and a refused state is
//! mended with the new Map at hand.

mod base;
mod candidate;
mod closure;
pub(crate) mod context;
mod error;
pub(crate) mod imports;
pub(crate) mod plain;
pub(crate) mod plan;
pub(crate) mod site;
pub(crate) mod write;

use std::time::Duration;

use portolan_archive::Baseline;
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::System;
use portolan_wire::run_report::{ArchiveReport, DiffSummary, RunReportV1};

pub use closure::BadId;
pub use error::RunError;
pub use imports::ImportError;
pub use portolan_wire::run_report::RunMode;

use context::{Charted, EMPTY_STATE, StateOnDisk};
use imports::Imports;
use plan::{Diff, Plan, archive_bytes};
use site::Site;
use write::{NO_CHANGES, Outputs};

use crate::config::Loaded;
use crate::map::{CacheMode, MapRequest};
use crate::threads::on_threads;

/// What to run.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The repository and its settings.
    pub config: Loaded,
    /// Which of the three runs.
    pub mode: RunMode,
    /// Whether nested packages are part of a plain archive.
    pub subpackages: bool,
    /// Whether to write nothing at all.
    pub plan_only: bool,
    /// How many threads to use; 0 for one per core.
    pub threads: usize,
    /// What to do with the cache of the Map; a run that only plans does not write one.
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

/// What came of it.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The figures.
    pub report: RunReportV1,
    /// What was noticed, sorted.
    pub notices: Vec<Notice>,
}

/// A stage of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Another run holds the lock.
    Waiting,
    /// The Map is built.
    Mapping,
    /// Files are read and held to the rules.
    Planning,
    /// External files are copied.
    Staging,
    /// Archives are written.
    Archiving,
    /// Everything takes its place.
    Committing,
}

/// A stage begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Which.
    pub stage: Stage,
    /// How many files it is about, where that is known.
    pub count: usize,
}

/// Everything about a run but the writing.
struct Prepared {
    mode: RunMode,
    plan: Plan,
    diff: Option<Diff>,
    imports: Imports,
    /// The Map's files, where they are not written yet.
    charted: Option<Charted>,
    /// The state that is replaced.
    previous_state: Option<Vec<u8>>,
    notices: Vec<Notice>,
}

/// The state of a repository, as it is on disk.
pub fn read_state(system: &dyn System, config: &Loaded) -> Result<Option<Vec<u8>>, RunError> {
    let site = Site::open(system, config)?;
    site.read_optional(&site.workspace.state())
}

/// Replaces the state of a repository.
pub fn write_state(system: &dyn System, config: &Loaded, bytes: &[u8]) -> Result<(), RunError> {
    let fenced = Site::fence(system, config);
    let site = Site::open(&*fenced, config)?;
    let folder = site.workspace.context_dir();
    site.root().make_dir(&folder).map_err(|error| RunError::workspace(&folder, error))?;
    site.write(&site.workspace.state(), bytes)
}

/// Runs it.
pub fn run(
    system: &dyn System,
    request: &RunRequest,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<RunReport, RunError> {
    on_threads(request.threads, || run_here(system, request, progress))?
}

/// Runs it on the threads that there are.
fn run_here(
    system: &dyn System,
    request: &RunRequest,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<RunReport, RunError> {
    let fenced = Site::fence(system, &request.config);
    let site = Site::open(&*fenced, &request.config)?;
    let _lock = if request.plan_only { None } else { Some(site.lock(request.wait, progress)?) };
    let settings = site.settings;
    let (imports, notices) = Imports::find(system, site.path, &site.workspace, &settings.imports)?;
    let mut prepared = match request.mode {
        RunMode::Plain => prepare_plain(&site, request, imports, progress)?,
        RunMode::Meta => prepare_meta(&site, request, imports, progress)?,
        RunMode::Context => prepare_context(&site, request, imports, progress)?,
    };
    prepared.notices.extend(notices);
    prepared.notices.extend(request.config.notices.iter().cloned());
    if !request.plan_only {
        write(&site, &prepared, progress)?;
    }
    Ok(report(&site, prepared, request.plan_only))
}

fn prepare_plain(
    site: &Site<'_>,
    request: &RunRequest,
    imports: Imports,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Prepared, RunError> {
    let before = site.baseline(Baseline::Plain)?;
    let plan = plain::plan(site, &imports, request.subpackages, progress)?;
    let is_there = |path: &RepoPath| site.has(path);
    let diff = Diff::new(Baseline::Plain, before.as_ref(), &plan.snapshot(), is_there);
    let mode = RunMode::Plain;
    Ok(Prepared {
        mode,
        plan,
        diff: Some(diff),
        imports,
        charted: None,
        previous_state: None,
        notices: Vec::new(),
    })
}

fn prepare_meta(
    site: &Site<'_>,
    request: &RunRequest,
    imports: Imports,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Prepared, RunError> {
    let mut charted = context::chart(site, &request.map(), request.cache(), progress)?;
    let previous_state =
        site.read_optional(&site.workspace.state())?.filter(|bytes| bytes != EMPTY_STATE);
    let plan = context::plan_meta(site, &charted)?;
    let mut notices = std::mem::take(&mut charted.notices);
    if previous_state.is_some() {
        let place = Place::file(site.workspace.state().as_str());
        let message =
            format!("the state that was there is kept as `{}`", site.workspace.previous_state());
        notices.push(Notice::at(NoticeCode::ArchiveStateReplaced, place, message));
    }
    Ok(Prepared {
        mode: RunMode::Meta,
        plan,
        diff: None,
        imports,
        charted: Some(charted),
        previous_state,
        notices,
    })
}

fn prepare_context(
    site: &Site<'_>,
    request: &RunRequest,
    imports: Imports,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Prepared, RunError> {
    let mut charted = context::chart(site, &request.map(), request.cache(), progress)?;
    if !request.plan_only {
        site.write(&site.workspace.meta(), &charted.meta)?;
        site.write(&site.workspace.map(), &charted.locators)?;
    }
    let state = StateOnDisk { bytes: site.read_optional(&site.workspace.state())? };
    let before = site.baseline(Baseline::Context)?;
    let plan = context::plan(site, &charted, state, &imports, progress)?;
    let is_there = |path: &RepoPath| context::is_there(site, &charted.map, path);
    let diff = Diff::new(Baseline::Context, before.as_ref(), &plan.snapshot(), is_there);
    let notices = std::mem::take(&mut charted.notices);
    let mode = RunMode::Context;
    Ok(Prepared {
        mode,
        plan,
        diff: Some(diff),
        imports,
        charted: None,
        previous_state: None,
        notices,
    })
}

fn write(
    site: &Site<'_>,
    prepared: &Prepared,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(), RunError> {
    let workspace = &site.workspace;
    let mut outputs = Outputs::new(site, progress);
    outputs.imports(&prepared.imports)?;
    if prepared.mode == RunMode::Context {
        outputs.externals(&prepared.plan)?;
    }
    if let Some(charted) = &prepared.charted {
        outputs.file(&workspace.meta(), &charted.meta)?;
        outputs.file(&workspace.map(), &charted.locators)?;
    }
    if let Some(state) = &prepared.previous_state {
        outputs.file(&workspace.previous_state(), state)?;
    }
    if prepared.mode == RunMode::Meta {
        outputs.file(&workspace.state(), EMPTY_STATE)?;
        outputs.remove(&workspace.diff_archive());
        outputs.remove(&workspace.diff_report());
    }
    if let Some(diff) = prepared.diff.as_ref().filter(|diff| !diff.report.baseline) {
        outputs.file(&workspace.snapshot(diff.baseline), &prepared.plan.snapshot().to_bytes())?;
    }
    outputs.archives(&prepared.plan, prepared.diff.as_ref())?;
    outputs.commit()
}

fn report(site: &Site<'_>, prepared: Prepared, planned: bool) -> RunReport {
    let Prepared { mode, plan, diff, imports, previous_state, mut notices, .. } = prepared;
    let members = || plan.members.iter();
    let archive = ArchiveReport {
        path: site.workspace.archive(),
        bytes: archive_bytes(members().map(|member| (member.path.as_str(), member.size))),
        files: plan.members.len(),
    };
    let is_external = |target: &RepoPath| site.workspace.is_staged(target);
    let report = RunReportV1 {
        v: 1,
        mode,
        planned,
        archive,
        diff: diff.map(|diff| diff_summary(site, &plan, &diff)),
        cost: plan.cost(),
        largest: plan.largest(),
        staged: plan.staged.iter().filter(|file| is_external(&file.target)).count(),
        imported: imports.files().count(),
        denied: plan.denied,
        previous_state: previous_state.map(|_| site.workspace.previous_state()),
        elapsed_ms: None,
    };
    notices.extend(plan.notices);
    notices.sort_unstable();
    notices.dedup();
    RunReport { report, notices }
}

fn diff_summary(site: &Site<'_>, plan: &Plan, diff: &Diff) -> DiffSummary {
    let sent: Vec<_> = plan.members.iter().filter(|member| diff.sends(&member.path)).collect();
    let sentinel = site.workspace.no_changes();
    let bytes = if sent.is_empty() {
        archive_bytes(std::iter::once((sentinel.as_str(), NO_CHANGES.len() as u64)))
    } else {
        archive_bytes(sent.iter().map(|member| (member.path.as_str(), member.size)))
    };
    DiffSummary {
        archive: ArchiveReport { path: site.workspace.diff_archive(), bytes, files: sent.len() },
        report: site.workspace.diff_report(),
        baseline_created: !diff.report.baseline,
        added: diff.report.added.len(),
        changed: diff.report.changed.len(),
        deleted: diff.report.deleted.len(),
        deselected: diff.report.deselected.len(),
    }
}

#[cfg(test)]
mod tests;
