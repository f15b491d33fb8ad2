//! `apply`: puts the changes of a reply that passed into the files, all or none, and takes them back.
//!
//! This is the one use case that writes into the user's own files. It does so only where nothing was
//! found against the reply: the files are the ones that the assistant saw, to the byte, none is behind
//! a link, and none is one that only tooling or people write. The file system it works on is restricted to
//! the root and follows no link.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::reply::{FileChange, FileMode, PathRole as Role};
use portolan_archive::{
    Changeset, ChangesetError, FileEdit, JournaledChanges, NewContent, Recovery, Root,
    WorkspaceLayout,
};
use portolan_types::{RepoPath, Sha256Digest};
use portolan_vfs::System;
use portolan_wire::journal::{JournalFile, JournalV1};

use crate::check_reply::review::{action, paths::is_patchable};
use crate::check_reply::{self, Judged, ReplyError, ReplyReport, ReplyRequest};
use crate::run::workspace::RunWorkspace;
use crate::run::{Progress, RunError};
use portolan_workspace::config::Loaded;

/// What to apply.
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    /// The repository and its settings.
    pub config: Loaded,
    /// The reply, as Markdown.
    pub reply: String,
    /// Whether rules on what a reply says of itself may be broken.
    pub is_lenient: bool,
    /// Whether to write nothing.
    pub is_dry_run: bool,
    /// How long to wait for another run.
    pub wait: Duration,
}

/// What to take back.
#[derive(Clone, Debug)]
pub struct UndoRequest {
    /// The repository and its settings.
    pub config: Loaded,
    /// Whether to write nothing.
    pub is_dry_run: bool,
    /// How long to wait for another run.
    pub wait: Duration,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct ApplyReport {
    /// The reply, judged; `None` where one was taken back.
    pub reply: Option<ReplyReport>,
    /// The files that are changed, or would be, in order of their paths.
    pub files: Vec<AppliedFile>,
    /// Whether they are changed.
    pub is_applied: bool,
    /// How many files of an `apply` that was cut short were put back before.
    pub taken_back: Option<usize>,
}

/// A file that is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedFile {
    /// Which.
    pub path: RepoPath,
    /// What it is made of, where that is another file.
    pub from: Option<RepoPath>,
    /// What becomes of it.
    pub action: &'static str,
    /// How many lines come.
    pub added: usize,
    /// How many lines go.
    pub removed: usize,
}

/// Why nothing was applied, or taken back.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The reply could not be checked.
    #[error(transparent)]
    Reply(#[from] ReplyError),
    /// As a run fails.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The files could not be changed.
    #[error(transparent)]
    Changes(ChangesetError),
    /// Files were changed after they were applied.
    #[error("files were changed since they were applied: {}", list(.0))]
    ChangedSince(Vec<RepoPath>),
    /// What was cut short cannot be taken back.
    #[error("an `apply` was cut short, and files were changed since: {}", list(.0))]
    CutShort(Vec<RepoPath>),
    /// There is nothing to take back.
    #[error("there is nothing to take back")]
    Nothing,
}

fn list(paths: &[RepoPath]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}

/// Applies a reply that passed.
pub fn apply(
    system: &dyn System,
    request: &ApplyRequest,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<ApplyReport, ApplyError> {
    let question = ReplyRequest { config: request.config.clone(), reply: request.reply.clone() };
    if request.is_dry_run {
        let judged = check_reply::examine(system, &question)?;
        return Ok(report(judged, request, false, None));
    }
    let fence = RunWorkspace::fence(system, &request.config);
    let workspace = RunWorkspace::open(&*fence, &request.config)?;
    if system.lstat(&request.config.root.join(workspace.settings.stan_path.as_str())).is_err() {
        // Without a workspace there is nothing to check it against: that is told before one is made.
        check_reply::examine(system, &question)?;
    }
    let _lock = workspace.lock_anyway(request.wait, progress)?;
    let tree = system.restricted_without_links(&request.config.root);
    let is_allowed = |path: &RepoPath| is_patchable(&workspace.workspace, path);
    let changes = changeset(&*tree, &request.config.root, &workspace.workspace, &is_allowed);
    let taken_back = recover(&changes)?;
    let judged = check_reply::examine(system, &question)?;
    if !passes(&judged.report, request.is_lenient) {
        return Ok(report(judged, request, false, taken_back));
    }
    changes.commit(&journaled(&judged)).map_err(|error| match error {
        ChangesetError::Changed(paths) => ApplyError::ChangedSince(paths),
        error => ApplyError::Changes(error),
    })?;
    Ok(report(judged, request, true, taken_back))
}

/// Takes the last one back.
pub fn undo(
    system: &dyn System,
    request: &UndoRequest,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<ApplyReport, ApplyError> {
    let fence = RunWorkspace::fence(system, &request.config);
    let workspace = RunWorkspace::open(&*fence, &request.config)?;
    let tree = system.restricted_without_links(&request.config.root);
    let is_allowed = |path: &RepoPath| is_patchable(&workspace.workspace, path);
    let changes = changeset(&*tree, &request.config.root, &workspace.workspace, &is_allowed);
    let mut taken_back = None;
    let mut lock = None;
    if !request.is_dry_run {
        lock = Some(workspace.lock_anyway(request.wait, progress)?);
        taken_back = recover(&changes)?;
    }
    // What was cut short is what was asked to be taken back.
    if taken_back.is_some() {
        return Ok(ApplyReport { reply: None, files: Vec::new(), is_applied: true, taken_back });
    }
    let last = changes.last().map_err(ApplyError::Changes)?;
    let last = last.filter(|last| !last.is_undo).ok_or(ApplyError::Nothing)?;
    if !request.is_dry_run {
        changes.undo(&last).map_err(|error| match error {
            ChangesetError::Changed(paths) => ApplyError::ChangedSince(paths),
            error => ApplyError::Changes(error),
        })?;
    }
    drop(lock);
    let is_applied = !request.is_dry_run;
    Ok(ApplyReport { reply: None, files: undone_files(&last), is_applied, taken_back })
}

fn changeset<'a>(
    system: &'a dyn System,
    root: &'a Path,
    workspace: &WorkspaceLayout,
    is_allowed: &'a dyn Fn(&RepoPath) -> bool,
) -> Changeset<'a> {
    Changeset::new(Root { system, path: root }, workspace.apply_dir(), is_allowed)
}

/// How many files were put back, where one was cut short.
fn recover(changes: &Changeset<'_>) -> Result<Option<usize>, ApplyError> {
    match changes.recover() {
        Ok(Recovery::Nothing) => Ok(None),
        Ok(Recovery::RolledBack(count)) => Ok(Some(count)),
        Err(ChangesetError::Changed(paths)) => Err(ApplyError::CutShort(paths)),
        Err(error) => Err(ApplyError::Changes(error)),
    }
}

/// Whether a reply may be applied.
pub fn passes(report: &ReplyReport, is_lenient: bool) -> bool {
    report.findings.iter().all(|finding| is_lenient && finding.rule.is_about_form())
}

fn report(
    judged: Judged,
    request: &ApplyRequest,
    is_applied: bool,
    taken_back: Option<usize>,
) -> ApplyReport {
    let files =
        if passes(&judged.report, request.is_lenient) { files(&judged) } else { Vec::new() };
    ApplyReport { reply: Some(judged.report), files, is_applied, taken_back }
}

fn files(judged: &Judged) -> Vec<AppliedFile> {
    let files = judged.outcome.files.iter().map(|file| AppliedFile {
        path: file.path.clone(),
        from: file.from.clone(),
        action: if file.mode.is_some() && file.role == Role::Edit && file.added + file.removed == 0
        {
            "mode"
        } else {
            action(file.role)
        },
        added: file.added,
        removed: file.removed,
    });
    let folder = |action| {
        move |path: &RepoPath| AppliedFile {
            path: path.clone(),
            from: None,
            action,
            added: 0,
            removed: 0,
        }
    };
    let made = judged.made.iter().map(folder("make folder"));
    let removed = judged.removed.iter().map(folder("remove folder"));
    let mut files: Vec<_> = files.chain(made).chain(removed).collect();
    files.sort_by(|left, right| left.path.cmp(&right.path));
    files
}

fn undone_files(last: &JournalV1) -> Vec<AppliedFile> {
    let file = |file: &JournalFile| AppliedFile {
        path: file.path.clone(),
        from: None,
        action: match (file.before, file.after) {
            (None, _) => "delete",
            (_, None) => "create",
            _ => "edit",
        },
        added: 0,
        removed: 0,
    };
    last.files.iter().map(file).collect()
}

/// What becomes of each path: a file that moves leaves its old one.
fn journaled(judged: &Judged) -> JournaledChanges {
    let before = |path: &RepoPath| judged.before.get(path).copied();
    let mut edits: BTreeMap<RepoPath, FileEdit> = BTreeMap::new();
    for file in &judged.outcome.files {
        let edit = edit(file, before(&file.path), &before);
        edits.insert(file.path.clone(), edit);
    }
    for file in judged.outcome.files.iter().filter(|file| file.role == Role::MoveTo) {
        let Some(from) = &file.from else { continue };
        edits.entry(from.clone()).or_insert_with(|| FileEdit {
            path: from.clone(),
            before: before(from),
            after: None,
        });
    }
    JournaledChanges {
        edits: edits.into_values().collect(),
        made: judged.made.clone(),
        removed: judged.removed.clone(),
    }
}

fn edit(
    file: &FileChange,
    before: Option<Sha256Digest>,
    is_there: &dyn Fn(&RepoPath) -> Option<Sha256Digest>,
) -> FileEdit {
    let source = file.from.as_ref().unwrap_or(&file.path);
    let mode_of = is_there(source).is_some().then(|| source.clone());
    let executable = match (file.mode, &mode_of) {
        (Some(FileMode::Executable), _) => Some(true),
        (Some(FileMode::Plain), Some(_)) => Some(false),
        _ => None,
    };
    let content =
        file.bytes.as_ref().map(|bytes| NewContent { bytes: bytes.clone(), mode_of, executable });
    FileEdit { path: file.path.clone(), before, after: content }
}
