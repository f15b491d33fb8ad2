//! Applies the changes of a reply to the files of the archive, all of them together.
//!
//! Every change refers to the files as the archive has them, whatever the order in the reply. So a
//! move and an edit under the new name belong together, two files can swap names, and two changes
//! of the same lines are a conflict.

mod conflicts;

use std::collections::BTreeMap;

use portolan_types::{RepoPath, RepoPathError};

use crate::reply::change::{FileMode, FileOperation, Hunk, RequestedChange, WrittenPath};
use crate::reply::merge::{HunkMerge, MergeError, usual_end, whole};
use crate::reply::placement::{CompareCount, PlacementError};
use crate::reply::read::ParsedReply;

/// What a change does to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathRole {
    /// Parts of the file are replaced.
    Edit,
    /// The file is created.
    Create,
    /// The file is created, or its text is replaced.
    Replace,
    /// The file is deleted.
    Delete,
    /// The file moves away.
    MoveFrom,
    /// A file moves here.
    MoveTo,
    /// The file is copied.
    CopyFrom,
    /// A copy is created here.
    CopyTo,
    /// The folder is created.
    MakeFolder,
    /// The folder is removed.
    RemoveFolder,
}

impl PathRole {
    /// Whether the assistant must have seen the file, because the result depends on its text.
    pub fn needs_a_base(self) -> bool {
        matches!(self, Self::Edit | Self::Delete | Self::MoveFrom | Self::CopyFrom)
    }

    /// Whether it concerns a folder.
    pub fn is_folder(self) -> bool {
        matches!(self, Self::MakeFolder | Self::RemoveFolder)
    }

    /// Whether it creates a file at a path that may be free.
    pub fn arrives(self) -> bool {
        matches!(self, Self::Create | Self::MoveTo | Self::CopyTo)
    }
}

/// A path that a reply touches.
#[derive(Clone, Debug)]
pub struct TouchedPath {
    /// The line in the reply.
    pub line: usize,
    /// Which path.
    pub path: RepoPath,
    /// What the change does to the path.
    pub role: PathRole,
    /// The index of the change.
    change: usize,
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The line in the reply.
    pub line: usize,
    /// The file.
    pub path: RepoPath,
    /// The file that it was moved or copied from.
    pub from: Option<RepoPath>,
    /// The kind of change: [`PathRole::Edit`], [`PathRole::Create`], [`PathRole::Delete`],
    /// [`PathRole::MoveTo`] or [`PathRole::CopyTo`].
    pub role: PathRole,
    /// The new bytes; `None` if it is deleted.
    pub bytes: Option<Vec<u8>>,
    /// The new mode, if the reply gives one.
    pub mode: Option<FileMode>,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
}

/// A change that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The line in the reply.
    pub line: usize,
    /// The file.
    pub path: RepoPath,
    /// Of which kind.
    pub kind: MisfitKind,
    /// The message.
    pub message: String,
}

/// The kinds of misfits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MisfitKind {
    /// The file has other lines.
    Unfit,
    /// The lines occur more than once in the file.
    Ambiguous,
    /// Two changes contradict each other.
    Conflict,
}

/// The result of applying a reply.
#[derive(Debug, Default)]
pub struct DraftOutcome {
    /// The changed files, sorted by path. Incomplete if there are misfits.
    pub files: Vec<FileChange>,
    /// The changes that do not fit, in the order of the reply.
    pub misfits: Vec<Misfit>,
    /// The number of lines that were examined, so that a test can check its growth.
    pub effort: u64,
}

/// The changes of a reply with their resolved paths.
pub struct PatchDraft<'r, 'a> {
    reply: &'r ParsedReply<'a>,
    /// The touched paths, in the order of the reply.
    pub targets: Vec<TouchedPath>,
    /// Names that are not paths inside the repository.
    pub bad_names: Vec<(usize, String, RepoPathError)>,
}

/// Looks up the bytes of a file that the assistant has seen.
pub(crate) type Archive<'t> = dyn Fn(&RepoPath) -> Option<&'t [u8]> + 't;

impl<'r, 'a> PatchDraft<'r, 'a> {
    /// Resolves the names. The prefix `a/` is dropped, unless only the path with the prefix is
    /// known.
    pub fn new(reply: &'r ParsedReply<'a>, is_known: &dyn Fn(&str) -> bool) -> Self {
        let mut draft = Self { reply, targets: Vec::new(), bad_names: Vec::new() };
        for (index, change) in reply.changes.iter().enumerate() {
            for (name, role) in names(&change.what) {
                let text = match &name.bare {
                    Some(bare) if is_known(bare) || !is_known(&name.written) => bare,
                    _ => &name.written,
                };
                match checked(text, role) {
                    Ok(path) => {
                        let line = change.line;
                        draft.targets.push(TouchedPath { line, path, role, change: index });
                    }
                    Err(error) => draft.bad_names.push((change.line, text.clone(), error)),
                }
            }
        }
        draft
    }

    /// Works out the new state of each file. Skips files that the archive lacks and changes that
    /// could not be read; those are reported elsewhere.
    pub fn finish(&self, archive: &Archive<'_>) -> DraftOutcome {
        let mut work = PlanRunner {
            outcome: DraftOutcome::default(),
            effort: CompareCount::default(),
            archive,
        };
        let plans = conflicts::plans(self, archive, &mut work.outcome.misfits);
        for plan in plans.into_values() {
            work.file(&plan);
        }
        let mut outcome = work.outcome;
        outcome.effort = work.effort.lines + self.targets.len() as u64;
        outcome
            .misfits
            .sort_by(|left, right| (left.line, &left.message).cmp(&(right.line, &right.message)));
        outcome.files.sort_by(|left, right| left.path.cmp(&right.path));
        outcome
    }

    /// The change that touches a path.
    fn change(&self, target: &TouchedPath) -> &'r RequestedChange<'a> {
        &self.reply.changes[target.change]
    }
}

/// A path that can be displayed, and that every file system can represent. Only the name of a folder
/// ends with `/`.
fn checked(text: &str, role: PathRole) -> Result<RepoPath, RepoPathError> {
    if text.ends_with('/') && !role.is_folder() {
        return Err(RepoPathError::NotNormal);
    }
    if text.chars().any(portolan_types::is_invisible) {
        return Err(RepoPathError::BadCharacter);
    }
    RepoPath::from_untrusted(text)
}

/// The names in a change, with their roles.
fn names<'c>(what: &'c FileOperation<'_>) -> Vec<(&'c WrittenPath, PathRole)> {
    match what {
        FileOperation::Edit { path, .. } => vec![(path, PathRole::Edit)],
        FileOperation::Create { path, .. } => vec![(path, PathRole::Create)],
        FileOperation::Replace { path, .. } => vec![(path, PathRole::Replace)],
        FileOperation::Delete { path, .. } => vec![(path, PathRole::Delete)],
        FileOperation::Move { from, to, .. } => {
            vec![(from, PathRole::MoveFrom), (to, PathRole::MoveTo)]
        }
        FileOperation::Copy { from, to, .. } => {
            vec![(from, PathRole::CopyFrom), (to, PathRole::CopyTo)]
        }
        FileOperation::MakeFolder(path) => vec![(path, PathRole::MakeFolder)],
        FileOperation::RemoveFolder(path) => vec![(path, PathRole::RemoveFolder)],
    }
}

/// Everything that happens to one path.
pub(crate) struct PathPlan<'r, 'a> {
    line: usize,
    path: RepoPath,
    role: PathRole,
    /// The file that it is moved or copied from.
    from: Option<RepoPath>,
    /// The whole text, if the reply gives it.
    text: Option<(&'r [&'a str], bool)>,
    /// The hunks of each section.
    sections: Vec<(usize, &'r [Hunk<'a>])>,
    mode: Option<FileMode>,
}

impl<'r, 'a> PathPlan<'r, 'a> {
    fn new(target: &TouchedPath, change: &'r RequestedChange<'a>) -> Self {
        let (line, path, role) = (target.line, target.path.clone(), target.role);
        let mut plan =
            Self { line, path, role, from: None, text: None, sections: Vec::new(), mode: None };
        match &change.what {
            FileOperation::Create { lines, lacks_newline, mode, .. } => {
                plan.text = Some((lines, *lacks_newline));
                plan.mode = *mode;
            }
            FileOperation::Replace { lines, .. } => plan.text = Some((lines, false)),
            FileOperation::Delete { hunks: Some(hunks), .. } => plan.sections.push((line, hunks)),
            FileOperation::Edit { hunks, mode, .. }
            | FileOperation::Move { hunks, mode, .. }
            | FileOperation::Copy { hunks, mode, .. } => {
                plan.mode = *mode;
                if !hunks.is_empty() {
                    plan.sections.push((line, hunks));
                }
            }
            FileOperation::Delete { hunks: None, .. }
            | FileOperation::MakeFolder(_)
            | FileOperation::RemoveFolder(_) => {}
        }
        plan
    }
}

/// The state while plans are applied.
struct PlanRunner<'w, 't> {
    outcome: DraftOutcome,
    effort: CompareCount,
    archive: &'w Archive<'t>,
}

impl PlanRunner<'_, '_> {
    fn file(&mut self, plan: &PathPlan<'_, '_>) {
        let base = (self.archive)(plan.from.as_ref().unwrap_or(&plan.path));
        let file = |role, bytes, added, removed| FileChange {
            line: plan.line,
            path: plan.path.clone(),
            from: plan.from.clone(),
            role,
            bytes,
            mode: plan.mode,
            added,
            removed,
        };
        if let Some((lines, lacks_newline)) = plan.text {
            self.effort.lines += lines.len() as u64;
            let old = base.filter(|_| plan.role == PathRole::Replace);
            let bytes = whole(lines, lacks_newline, usual_end(old.unwrap_or_default()));
            let role = if old.is_some() { PathRole::Edit } else { PathRole::Create };
            let removed = old.map_or(0, count_lines);
            self.outcome.files.push(file(role, Some(bytes), lines.len(), removed));
            return;
        }
        let Some(base) = base else { return };
        let mut merge = HunkMerge::new(base);
        for (_, hunks) in &plan.sections {
            if let Err((line, error)) = merge.section(hunks, &mut self.effort) {
                return self.misfit(plan, line, error);
            }
        }
        let merged = merge.finish();
        self.effort.lines += count_lines(base) as u64;
        if plan.role != PathRole::Delete {
            let (added, removed) = (merged.added, merged.removed);
            self.outcome.files.push(file(plan.role, Some(merged.bytes), added, removed));
        } else if plan.sections.is_empty() || merged.bytes.is_empty() {
            self.outcome.files.push(file(PathRole::Delete, None, 0, count_lines(base)));
        } else {
            let (path, line) = (plan.path.clone(), plan.line);
            let message = format!("the patch deletes `{path}` but not all of its lines");
            self.outcome.misfits.push(Misfit { line, path, kind: MisfitKind::Unfit, message });
        }
    }

    fn misfit(&mut self, plan: &PathPlan<'_, '_>, line: usize, error: MergeError) {
        let path = &plan.path;
        let (kind, message) = match error {
            MergeError::PlacementError(PlacementError::Nowhere(why)) => {
                (MisfitKind::Unfit, format!("the patch does not fit `{path}`: {why}"))
            }
            MergeError::PlacementError(PlacementError::Exhausted) => {
                (MisfitKind::Unfit, format!("finding the place in `{path}` would take too long"))
            }
            MergeError::PlacementError(PlacementError::Ambiguous) => {
                (MisfitKind::Ambiguous, format!("the patch fits more than one place in `{path}`"))
            }
            MergeError::PlacementError(PlacementError::Elsewhere(other)) => (
                MisfitKind::Ambiguous,
                format!(
                    "`git apply` would put the hunk for `{path}` at line {other}: give it more context"
                ),
            ),
            MergeError::PlacementError(PlacementError::Overlap) => (
                MisfitKind::Conflict,
                format!("the hunk for `{path}` overlaps the one before, or should be before it"),
            ),
            MergeError::Conflict(other) => (
                MisfitKind::Conflict,
                format!("the patch changes lines of `{path}` that line {other} changes too"),
            ),
        };
        self.outcome.misfits.push(Misfit { line, path: path.clone(), kind, message });
    }
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.split_inclusive(|byte| *byte == b'\n').count()
}

/// The plans by path. If a file moves away and another arrives, the plan is that of the arrival.
pub(crate) type Plans<'r, 'a> = BTreeMap<RepoPath, PathPlan<'r, 'a>>;

#[cfg(test)]
mod roundtrip;
#[cfg(test)]
mod tests;
