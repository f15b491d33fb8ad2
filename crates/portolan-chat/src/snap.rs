//! `snap`: moves the baselines of diffs, forward and back.

use std::time::Duration;

use portolan_archive::{Baseline, Move, destination, push};
use portolan_types::{Notice, RepoPath, Sha256Digest};
use portolan_vfs::{System, sha256};
use portolan_wire::history::{HistoryEntry, HistoryV1};
use portolan_wire::map::MapV1;
use portolan_wire::snapshot::SnapshotV1;

use crate::run::context::{self, StateOnDisk};
use crate::run::imports::Imports;
use crate::run::workspace::RunWorkspace;
use crate::run::write::Outputs;
use crate::run::{Progress, RunError, map_delta, plain};
use portolan_index::map::{CacheMode, MapRequest};
use portolan_index::pool::on_threads;
use portolan_workspace::config::Loaded;

/// A request to move baselines.
#[derive(Clone, Debug)]
pub struct SnapRequest {
    /// The repository and its settings.
    pub config: Loaded,
    /// The move.
    pub action: SnapAction,
    /// The number of threads; 0 for one per core.
    pub threads: usize,
    /// How long to wait for another run.
    pub wait: Duration,
}

/// A move of the baselines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapAction {
    /// To the present.
    Set {
        /// The baselines; if none are given, both, or only the plain one if there are no context
        /// runs.
        baselines: Vec<Baseline>,
        /// The time, in seconds since 1970.
        now: u64,
        /// Whether the plain baseline includes nested packages.
        subpackages: bool,
    },
    /// Along the history.
    Go {
        /// The target.
        step: Move,
        /// Whether to move even if files of the selection are missing.
        force: bool,
    },
    /// No move: only show the history.
    Info,
}

/// The result.
#[derive(Clone, Debug)]
pub struct SnapReport {
    /// The history after the move.
    pub history: HistoryV1,
    /// The new baselines, each with its number of files.
    pub set: Vec<(Baseline, usize)>,
    /// The notices, sorted.
    pub notices: Vec<Notice>,
}

/// The reason why a baseline was not moved.
#[derive(Debug, thiserror::Error)]
pub enum SnapError {
    /// An error of a run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// There is no such entry in the history.
    #[error("{0}")]
    Nowhere(String),
    /// The history, or a copy of a baseline, is unreadable.
    #[error("`{path}` cannot be read: {message}")]
    Corrupt {
        /// The file.
        path: RepoPath,
        /// The reason.
        message: String,
    },
    /// External files of the baseline are missing.
    #[error("the selection of that baseline cannot be satisfied any more:\n{}", .0.join("\n"))]
    Unsatisfied(Vec<String>),
}

/// Moves the baselines.
pub fn snap(
    system: &dyn System,
    request: &SnapRequest,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<SnapReport, SnapError> {
    on_threads(request.threads, || snap_here(system, request, progress)).map_err(RunError::from)?
}

/// Moves the baselines on the current threads.
fn snap_here(
    system: &dyn System,
    request: &SnapRequest,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<SnapReport, SnapError> {
    let fenced = RunWorkspace::fence(system, &request.config);
    let workspace = RunWorkspace::open(&*fenced, &request.config)?;
    if request.action == SnapAction::Info {
        let history = read_history(&workspace)?;
        return Ok(SnapReport {
            history,
            set: Vec::new(),
            notices: request.config.notices.clone(),
        });
    }
    let _lock = workspace.lock(request.wait, progress)?;
    match &request.action {
        SnapAction::Set { baselines, now, subpackages } => {
            let baselines = chosen(&workspace, baselines)?;
            set(
                &Setting { workspace: &workspace, request, progress, subpackages: *subpackages },
                &baselines,
                *now,
            )
        }
        SnapAction::Go { step, force } => go(&workspace, *step, *force, progress),
        SnapAction::Info => read_history(&workspace).map(|history| SnapReport {
            history,
            set: Vec::new(),
            notices: Vec::new(),
        }),
    }
}

/// The named baselines; by default both, or only the plain one if there are no context runs.
fn chosen(workspace: &RunWorkspace<'_>, named: &[Baseline]) -> Result<Vec<Baseline>, SnapError> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let has_context = workspace.read_optional(&workspace.workspace.meta())?.is_some();
    Ok(Baseline::ALL
        .into_iter()
        .filter(|baseline| has_context || *baseline == Baseline::Plain)
        .collect())
}

struct Setting<'a> {
    workspace: &'a RunWorkspace<'a>,
    request: &'a SnapRequest,
    progress: &'a (dyn Fn(Progress) + Sync),
    subpackages: bool,
}

impl Setting<'_> {
    /// What a run would archive now.
    fn snapshot(
        &self,
        baseline: Baseline,
        imports: &Imports,
    ) -> Result<(SnapshotV1, Vec<Notice>), RunError> {
        let (plan, snapshot, mapped) = match baseline {
            Baseline::Plain => {
                let plan = plain::plan(self.workspace, imports, self.subpackages, self.progress)?;
                let snapshot = plan.snapshot();
                (plan, snapshot, Vec::new())
            }
            Baseline::Context => {
                let request = self.request;
                let map = MapRequest { config: request.config.clone(), threads: request.threads };
                let state = StateOnDisk {
                    bytes: self.workspace.read_optional(&self.workspace.workspace.state())?,
                };
                let wish = context::wish(&state);
                let mode = CacheMode::Use;
                let charted =
                    context::chart(self.workspace, &map, mode, wish.as_ref(), self.progress)?;
                let plan = context::plan(self.workspace, &charted, state, imports, self.progress)?;
                let snapshot = map_delta::snapshot(self.workspace, &plan, &charted);
                (plan, snapshot, charted.notices)
            }
        };
        let notices = plan.notices.iter().cloned().chain(mapped).collect();
        Ok((snapshot, notices))
    }
}

fn set(setting: &Setting<'_>, baselines: &[Baseline], now: u64) -> Result<SnapReport, SnapError> {
    let workspace = setting.workspace;
    let mut history = read_history(workspace)?;
    let settings = workspace.settings;
    let (imports, mut notices) =
        Imports::find(workspace.system, workspace.path, &workspace.workspace, &settings.imports)
            .map_err(RunError::from)?;
    let mut outputs = Outputs::new(workspace, setting.progress);
    if history.entries.is_empty() {
        // The baseline of a run is the first entry, so that the first `snap` can be undone too.
        let first = keep_current(workspace, &mut outputs, now)?;
        if first.plain.is_some() || first.context.is_some() {
            push(&mut history, first);
        }
    }
    let mut entry = history.entries.get(history.index).cloned().unwrap_or(HistoryEntry {
        at: now,
        plain: None,
        context: None,
    });
    entry.at = now;
    let mut counts = Vec::new();
    for baseline in baselines {
        let (snapshot, noticed) = setting.snapshot(*baseline, &imports)?;
        notices.extend(noticed);
        counts.push((*baseline, snapshot.files.len()));
        let bytes = snapshot.to_bytes();
        let copy = keep(workspace, &mut outputs, *baseline, &bytes)?;
        outputs.file(&workspace.workspace.snapshot(*baseline), &bytes)?;
        *slot(&mut entry, *baseline) = Some(copy);
    }
    let dropped = push(&mut history, entry);
    remove_unused(workspace, &mut outputs, &history, &dropped);
    outputs.file(&workspace.workspace.history(), &history.to_bytes())?;
    outputs.commit()?;
    notices.sort_unstable();
    notices.dedup();
    Ok(SnapReport { history, set: counts, notices })
}

fn slot(entry: &mut HistoryEntry, baseline: Baseline) -> &mut Option<RepoPath> {
    match baseline {
        Baseline::Plain => &mut entry.plain,
        Baseline::Context => &mut entry.context,
    }
}

fn copy_of(entry: &HistoryEntry, baseline: Baseline) -> Option<&RepoPath> {
    match baseline {
        Baseline::Plain => entry.plain.as_ref(),
        Baseline::Context => entry.context.as_ref(),
    }
}

/// Copies the current baselines. Skips a corrupt one: `snap` is the way to repair it.
fn keep_current(
    workspace: &RunWorkspace<'_>,
    outputs: &mut Outputs<'_>,
    now: u64,
) -> Result<HistoryEntry, RunError> {
    let mut entry = HistoryEntry { at: now, plain: None, context: None };
    for baseline in Baseline::ALL {
        match workspace.baseline(baseline) {
            Ok(Some(snapshot)) => {
                *slot(&mut entry, baseline) =
                    Some(keep(workspace, outputs, baseline, &snapshot.to_bytes())?);
            }
            Ok(None) | Err(RunError::Snapshot { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(entry)
}

/// Saves a copy of a baseline under the digest of its content, so equal baselines share one copy.
fn keep(
    workspace: &RunWorkspace<'_>,
    outputs: &mut Outputs<'_>,
    baseline: Baseline,
    bytes: &[u8],
) -> Result<RepoPath, RunError> {
    let folder = workspace.workspace.snapshots_dir();
    workspace.root().make_dir(&folder).map_err(|error| RunError::workspace(&folder, error))?;
    let path = copy_name(&folder, baseline, sha256(bytes));
    outputs.file(&path, bytes)?;
    Ok(path)
}

fn copy_name(folder: &RepoPath, baseline: Baseline, digest: Sha256Digest) -> RepoPath {
    let name = format!("{}-{}.json", baseline.name(), &digest.to_hex()[..16]);
    RepoPath::new(name).map_or_else(|_| folder.clone(), |name| folder.join(&name))
}

fn remove_unused(
    workspace: &RunWorkspace<'_>,
    outputs: &mut Outputs<'_>,
    history: &HistoryV1,
    dropped: &[HistoryEntry],
) {
    let copies = |entries: &[HistoryEntry]| -> std::collections::BTreeSet<RepoPath> {
        entries.iter().flat_map(|entry| [&entry.plain, &entry.context]).flatten().cloned().collect()
    };
    let used = copies(&history.entries);
    // A manipulated history must not remove other files.
    let is_ours = |path: &&RepoPath| path.is_under(workspace.workspace.snapshots_dir().as_str());
    for path in copies(dropped).difference(&used).filter(is_ours) {
        outputs.remove(path);
    }
}

fn go(
    workspace: &RunWorkspace<'_>,
    step: Move,
    force: bool,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<SnapReport, SnapError> {
    let mut history = read_history(workspace)?;
    history.index = destination(&history, step).map_err(SnapError::Nowhere)?;
    let entry = &history.entries[history.index];
    let mut outputs = Outputs::new(workspace, progress);
    let mut counts = Vec::new();
    for baseline in Baseline::ALL {
        let target = workspace.workspace.snapshot(baseline);
        let Some(copy) = copy_of(entry, baseline) else {
            outputs.remove(&target);
            continue;
        };
        let snapshot = read_copy(workspace, copy)?;
        if baseline == Baseline::Context && !force {
            check_selection(workspace, &snapshot)?;
        }
        counts.push((baseline, snapshot.files.len()));
        outputs.file(&target, &snapshot.to_bytes())?;
    }
    outputs.file(&workspace.workspace.history(), &history.to_bytes())?;
    outputs.commit()?;
    Ok(SnapReport { history, set: counts, notices: Vec::new() })
}

fn read_copy(workspace: &RunWorkspace<'_>, path: &RepoPath) -> Result<SnapshotV1, SnapError> {
    let corrupt =
        |message: &str| SnapError::Corrupt { path: path.clone(), message: message.to_owned() };
    if !path.is_under(workspace.workspace.snapshots_dir().as_str()) {
        return Err(corrupt("it is not a copy of a baseline"));
    }
    let bytes = workspace.read_optional(path)?.ok_or_else(|| corrupt("it is gone"))?;
    SnapshotV1::from_bytes(&bytes).map_err(|error| corrupt(&error.message))
}

/// Checks the external files of a baseline against the map on disk and the files themselves.
fn check_selection(workspace: &RunWorkspace<'_>, snapshot: &SnapshotV1) -> Result<(), SnapError> {
    let externals =
        || snapshot.files.iter().filter(|(path, _)| workspace.workspace.is_staged(path));
    if externals().next().is_none() {
        return Ok(());
    }
    let path = workspace.workspace.map();
    let map = match workspace.read_optional(&path)? {
        Some(bytes) => MapV1::from_bytes(&bytes)
            .map_err(|error| SnapError::Corrupt { path, message: error.message })?,
        None => MapV1::new([]),
    };
    let problems: Vec<String> = externals()
        .filter_map(|(id, fingerprint)| {
            let reason = match map.nodes.get(id) {
                None => "it is not in the map",
                Some(node) if node.sha256 != fingerprint.sha256 => "the map has other bytes",
                Some(node) => {
                    match workspace.system.digest(std::path::Path::new(&node.locator_abs)) {
                        Err(_) => "its source cannot be read",
                        Ok((size, _)) if size != node.size => "its source has another size",
                        Ok((_, digest)) if digest != node.sha256 => "its source has other bytes",
                        Ok(_) => return None,
                    }
                }
            };
            Some(format!("  `{id}`: {reason}"))
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(SnapError::Unsatisfied(problems)) }
}

fn read_history(workspace: &RunWorkspace<'_>) -> Result<HistoryV1, SnapError> {
    let path = workspace.workspace.history();
    let Some(bytes) = workspace.read_optional(&path)? else { return Ok(HistoryV1::default()) };
    HistoryV1::from_bytes(&bytes)
        .map_err(|error| SnapError::Corrupt { path, message: error.message })
}
