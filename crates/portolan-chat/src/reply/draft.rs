//! What the changes of a reply make of the files, all of them taken together.
//!
//! Every change is for the files as the archive has them, in whatever order the reply has it: a move
//! and an edit under the new name belong together, two files can change places, and two changes of the
//! same lines contradict each other.

mod conflicts;

use std::collections::BTreeMap;

use portolan_types::{RepoPath, RepoPathError};

use crate::reply::change::{Change, FileMode, Hunk, Name, What};
use crate::reply::merge::{usual_end, whole, Merge, Unmerged};
use crate::reply::read::Reply;
use crate::reply::text::{Effort, Misplaced};

/// What a change does to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Parts of the file are replaced.
    Edit,
    /// The file is made.
    Create,
    /// The file is made, or gets another text.
    Replace,
    /// The file goes away.
    Delete,
    /// The file goes elsewhere.
    MoveFrom,
    /// A file comes here.
    MoveTo,
    /// The file is copied.
    CopyFrom,
    /// A copy comes here.
    CopyTo,
    /// The folder is made.
    MakeFolder,
    /// The folder goes away.
    RemoveFolder,
}

impl Role {
    /// Whether the file must have been seen: what is there decides what comes out.
    pub fn needs_a_base(self) -> bool {
        matches!(self, Self::Edit | Self::Delete | Self::MoveFrom | Self::CopyFrom)
    }

    /// Whether it is about a folder.
    pub fn is_folder(self) -> bool {
        matches!(self, Self::MakeFolder | Self::RemoveFolder)
    }

    /// Whether a file comes to be where there may be none.
    pub fn arrives(self) -> bool {
        matches!(self, Self::Create | Self::MoveTo | Self::CopyTo)
    }
}

/// A path that a reply touches.
#[derive(Clone, Debug)]
pub struct Target {
    /// Where the reply says so.
    pub line: usize,
    /// Which path.
    pub path: RepoPath,
    /// What it is for.
    pub role: Role,
    /// Which change.
    change: usize,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Where the reply says so.
    pub line: usize,
    /// The file.
    pub path: RepoPath,
    /// The file that it was made of, where that is another.
    pub from: Option<RepoPath>,
    /// How: [`Role::Edit`], [`Role::Create`], [`Role::Delete`], [`Role::MoveTo`] or [`Role::CopyTo`].
    pub role: Role,
    /// Its bytes; `None` where it goes away.
    pub bytes: Option<Vec<u8>>,
    /// The mode that the reply gives it.
    pub mode: Option<FileMode>,
    /// How many lines come.
    pub added: usize,
    /// How many lines go.
    pub removed: usize,
}

/// A change that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Where.
    pub line: usize,
    /// For which file.
    pub path: RepoPath,
    /// Of which kind.
    pub kind: MisfitKind,
    /// What is there.
    pub message: String,
}

/// The kinds of misfits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MisfitKind {
    /// The file has other lines.
    Unfit,
    /// The file has the lines more than once.
    Ambiguous,
    /// Two changes contradict each other.
    Conflict,
}

/// What came of a draft.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The files, in order of their paths. Not whole where there are misfits.
    pub files: Vec<FileChange>,
    /// What does not fit, in the order of the reply.
    pub misfits: Vec<Misfit>,
    /// How many lines were looked at: what a test can see grow.
    pub effort: u64,
}

/// The changes of a reply, with paths.
pub struct Draft<'r, 'a> {
    reply: &'r Reply<'a>,
    /// The paths that are touched, in the order of the reply.
    pub targets: Vec<Target>,
    /// Names that are no path inside of the repository.
    pub bad_names: Vec<(usize, String, RepoPathError)>,
}

/// The bytes of a file that the assistant has seen.
pub(crate) type Archive<'t> = dyn Fn(&RepoPath) -> Option<&'t [u8]> + 't;

impl<'r, 'a> Draft<'r, 'a> {
    /// Looks the names up. One with `a/` in front is taken without, unless only the whole is known.
    pub fn new(reply: &'r Reply<'a>, is_known: &dyn Fn(&str) -> bool) -> Self {
        let mut draft = Self { reply, targets: Vec::new(), bad_names: Vec::new() };
        for (index, change) in reply.changes.iter().enumerate() {
            for (name, role) in names(&change.what) {
                let text = match &name.bare {
                    Some(bare) if is_known(bare) || !is_known(&name.written) => bare,
                    _ => &name.written,
                };
                match checked(text) {
                    Ok(path) => {
                        let line = change.line;
                        draft.targets.push(Target { line, path, role, change: index });
                    }
                    Err(error) => draft.bad_names.push((change.line, text.clone(), error)),
                }
            }
        }
        draft
    }

    /// Works out what becomes of each file. Files that the archive lacks, and changes that were not
    /// read whole, are passed over: they are told elsewhere.
    pub fn finish(&self, archive: &Archive<'_>) -> Outcome {
        let mut work = Work { outcome: Outcome::default(), effort: Effort::default(), archive };
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

    /// The change that a target is of.
    fn change(&self, target: &Target) -> &'r Change<'a> {
        &self.reply.changes[target.change]
    }
}

/// A path that can be shown, and that every file system tells from others.
fn checked(text: &str) -> Result<RepoPath, RepoPathError> {
    if text.chars().any(portolan_types::is_invisible) {
        return Err(RepoPathError::BadCharacter);
    }
    RepoPath::from_untrusted(text)
}

/// The names of a change, with what it does to each.
fn names<'c>(what: &'c What<'_>) -> Vec<(&'c Name, Role)> {
    match what {
        What::Edit { path, .. } => vec![(path, Role::Edit)],
        What::Create { path, .. } => vec![(path, Role::Create)],
        What::Replace { path, .. } => vec![(path, Role::Replace)],
        What::Delete { path, .. } => vec![(path, Role::Delete)],
        What::Move { from, to, .. } => vec![(from, Role::MoveFrom), (to, Role::MoveTo)],
        What::Copy { from, to, .. } => vec![(from, Role::CopyFrom), (to, Role::CopyTo)],
        What::MakeFolder(path) => vec![(path, Role::MakeFolder)],
        What::RemoveFolder(path) => vec![(path, Role::RemoveFolder)],
    }
}

/// All that is to become of one path.
pub(crate) struct Plan<'r, 'a> {
    line: usize,
    path: RepoPath,
    role: Role,
    /// The file that it is made of, where that is another.
    from: Option<RepoPath>,
    /// Its text, where it is given whole.
    text: Option<(&'r [&'a str], bool)>,
    /// The hunks of each section.
    sections: Vec<(usize, &'r [Hunk<'a>])>,
    mode: Option<FileMode>,
}

impl<'r, 'a> Plan<'r, 'a> {
    fn new(target: &Target, change: &'r Change<'a>) -> Self {
        let (line, path, role) = (target.line, target.path.clone(), target.role);
        let mut plan =
            Self { line, path, role, from: None, text: None, sections: Vec::new(), mode: None };
        match &change.what {
            What::Create { lines, is_unended, mode, .. } => {
                plan.text = Some((lines, *is_unended));
                plan.mode = *mode;
            }
            What::Replace { lines, .. } => plan.text = Some((lines, false)),
            What::Delete { hunks: Some(hunks), .. } => plan.sections.push((line, hunks)),
            What::Edit { hunks, mode, .. }
            | What::Move { hunks, mode, .. }
            | What::Copy { hunks, mode, .. } => {
                plan.mode = *mode;
                if !hunks.is_empty() {
                    plan.sections.push((line, hunks));
                }
            }
            What::Delete { hunks: None, .. } | What::MakeFolder(_) | What::RemoveFolder(_) => {}
        }
        plan
    }
}

/// A draft that is worked out.
struct Work<'w, 't> {
    outcome: Outcome,
    effort: Effort,
    archive: &'w Archive<'t>,
}

impl Work<'_, '_> {
    fn file(&mut self, plan: &Plan<'_, '_>) {
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
        if let Some((lines, is_unended)) = plan.text {
            self.effort.lines += lines.len() as u64;
            let old = base.filter(|_| plan.role == Role::Replace);
            let bytes = whole(lines, is_unended, usual_end(old.unwrap_or_default()));
            let role = if old.is_some() { Role::Edit } else { Role::Create };
            let removed = old.map_or(0, count_lines);
            self.outcome.files.push(file(role, Some(bytes), lines.len(), removed));
            return;
        }
        let Some(base) = base else { return };
        let mut merge = Merge::new(base);
        for (_, hunks) in &plan.sections {
            if let Err((line, error)) = merge.section(hunks, &mut self.effort) {
                return self.misfit(plan, line, error);
            }
        }
        let merged = merge.finish();
        self.effort.lines += count_lines(base) as u64;
        if plan.role != Role::Delete {
            let (added, removed) = (merged.added, merged.removed);
            self.outcome.files.push(file(plan.role, Some(merged.bytes), added, removed));
        } else if plan.sections.is_empty() || merged.bytes.is_empty() {
            self.outcome.files.push(file(Role::Delete, None, 0, count_lines(base)));
        } else {
            let (path, line) = (plan.path.clone(), plan.line);
            let message = format!("the patch takes `{path}` away, and not all of its lines");
            self.outcome.misfits.push(Misfit { line, path, kind: MisfitKind::Unfit, message });
        }
    }

    fn misfit(&mut self, plan: &Plan<'_, '_>, line: usize, error: Unmerged) {
        let path = &plan.path;
        let (kind, message) = match error {
            Unmerged::Misplaced(Misplaced::Nowhere(why)) => {
                (MisfitKind::Unfit, format!("the patch does not fit `{path}`: {why}"))
            }
            Unmerged::Misplaced(Misplaced::Exhausted) => {
                (MisfitKind::Unfit, format!("finding the place in `{path}` would take too long"))
            }
            Unmerged::Misplaced(Misplaced::Ambiguous) => {
                (MisfitKind::Ambiguous, format!("the patch fits more than one place of `{path}`"))
            }
            Unmerged::Misplaced(Misplaced::Overlap) => (
                MisfitKind::Conflict,
                format!("the hunk for `{path}` overlaps the one before, or should be before it"),
            ),
            Unmerged::Conflict(other) => (
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

/// The plans of a draft by path. A path that is left and arrived at has the one of its arrival.
pub(crate) type Plans<'r, 'a> = BTreeMap<RepoPath, Plan<'r, 'a>>;

#[cfg(test)]
mod roundtrip;
#[cfg(test)]
mod tests;
