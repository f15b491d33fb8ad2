//! `apply`: writes the changes of a valid reply to the files, all or none, and undoes them.
//!
//! This is the only use case that writes to the user's own files. It does so only if the check of
//! the reply found nothing: the files are byte for byte those that the assistant saw, none is
//! behind a link, and none is reserved for tools or people. Its file system is restricted to the
//! root and follows no links.

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

/// A request to apply a reply.
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    /// The repository and its settings.
    pub config: Loaded,
    /// The reply, as Markdown.
    pub reply: String,
    /// Whether to ignore findings about the form of the reply.
    pub is_lenient: bool,
    /// Whether to write nothing.
    pub is_dry_run: bool,
    /// How long to wait for another run.
    pub wait: Duration,
}

/// A request to undo the last `apply`.
#[derive(Clone, Debug)]
pub struct UndoRequest {
    /// The repository and its settings.
    pub config: Loaded,
    /// Whether to write nothing.
    pub is_dry_run: bool,
    /// How long to wait for another run.
    pub wait: Duration,
}

/// The result.
#[derive(Clone, Debug)]
pub struct ApplyReport {
    /// The check of the reply; `None` for an undo.
    pub reply: Option<ReplyReport>,
    /// The files that are, or would be, changed, sorted by path.
    pub files: Vec<AppliedFile>,
    /// Whether they were changed.
    pub is_applied: bool,
    /// The number of files restored first because an earlier `apply` was interrupted.
    pub taken_back: Option<usize>,
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedFile {
    /// Its path.
    pub path: RepoPath,
    /// The file that it was moved or copied from.
    pub from: Option<RepoPath>,
    /// The action on it.
    pub action: &'static str,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
}

/// The reason why nothing was applied or undone.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The reply could not be checked.
    #[error(transparent)]
    Reply(#[from] ReplyError),
    /// An error of a run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The files could not be changed.
    #[error(transparent)]
    Changes(ChangesetError),
    /// Files have changed since they were applied.
    #[error("files were changed since they were applied: {}", list(.0))]
    ChangedSince(Vec<RepoPath>),
    /// An interrupted `apply` cannot be undone.
    #[error("an `apply` was cut short, and files were changed since: {}", list(.0))]
    CutShort(Vec<RepoPath>),
    /// There is nothing to undo.
    #[error("there is nothing to take back")]
    Nothing,
}

fn list(paths: &[RepoPath]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}

/// Applies a reply if its check found nothing.
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
        // Without an archive there is nothing to check against: fail before creating a workspace.
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

/// Undoes the last `apply`.
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
    // The interrupted `apply` was the one to undo.
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

/// Undoes an interrupted `apply`. Returns the number of restored files.
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

/// The new content of each path. A moved file leaves its old path empty.
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
