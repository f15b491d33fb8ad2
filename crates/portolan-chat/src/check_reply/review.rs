//! The rules of the guide, one function per rule. This is pure: reply and evidence in, findings
//! out.

mod checklist;
mod forms;
pub(crate) mod paths;
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::reply::{
    DraftOutcome as Outcome, MisfitKind, ParsedReply as Reply, PatchDraft as Draft,
    PathRole as Role, ReplyProblemKind as ProblemKind, TouchedPath as Target,
};
use portolan_types::{RepoPath, Sha256Digest};
use portolan_vfs::sha256;

use super::finding::{Finding, ReplyRule};
use super::{Evidence, ReplyReport, ReplyVerdict};

/// The section with the checklist and the no-change line.
const SECTION: &str = "Input Data Changes";
/// The line that declares that the state does not change.
const NO_CHANGE: &str = "dependency.state.json: no change";

/// A file that a reply changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchedFile {
    /// The line in the reply.
    pub line: usize,
    /// The file.
    pub path: RepoPath,
    /// The action on it.
    pub action: &'static str,
}

/// What a reply says about the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateChange {
    /// Nothing.
    Unsaid,
    /// It declares no change.
    Declared,
    /// It patches the state.
    Patched,
}

impl StateChange {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unsaid => "unsaid",
            Self::Declared => "no change",
            Self::Patched => "patched",
        }
    }
}

/// A checked reply and the resulting files, which are complete only if there are no findings.
pub(crate) struct Judged {
    pub(crate) report: ReplyReport,
    pub(crate) outcome: Outcome,
    /// The digests of the files when they were checked.
    pub(crate) before: BTreeMap<RepoPath, Sha256Digest>,
    /// The folders created explicitly.
    pub(crate) made: Vec<RepoPath>,
    /// The folders removed explicitly.
    pub(crate) removed: Vec<RepoPath>,
}

/// Checks a reply against the rules.
pub(super) fn review(evidence: &Evidence<'_>, text: &str) -> Judged {
    let reply = crate::reply::read(text);
    let draft = Draft::new(&reply, &|path| evidence.has(path));
    let outcome = draft.finish(&|path| evidence.bytes(path));
    let mut review = Review {
        evidence,
        section: reply.document.section(SECTION),
        reply: &reply,
        targets: &draft.targets,
        outcome: &outcome,
        seen: BTreeMap::new(),
        refused: BTreeSet::new(),
        findings: Vec::new(),
    };
    review.problems(&draft);
    review.forms();
    review.emptiness();
    review.paths();
    review.misfits();
    let is_active = evidence.is_active();
    let mut state = StateChange::Unsaid;
    if is_active && !review.targets.is_empty() {
        state = review.state();
        review.checklist();
    }
    review.gate(is_active);
    let Review { mut findings, seen, .. } = review;
    findings.sort_unstable();
    findings.dedup();
    let patches = patched_files(&draft.targets);
    let is_new =
        |path: &RepoPath| seen.get(path).is_some_and(|found| **found == ReplyVerdict::Absent);
    let made = folders(&draft.targets, Role::MakeFolder).filter(|path| is_new(path)).collect();
    let removed = folders(&draft.targets, Role::RemoveFolder).collect();
    let before = seen.iter().filter_map(|(path, found)| match &**found {
        ReplyVerdict::File(bytes) => Some((path.clone(), sha256(bytes))),
        _ => None,
    });
    let before = before.collect();
    let report = ReplyReport { is_active, patches, state, findings, notes: reply.notes.clone() };
    Judged { report, outcome, before, made, removed }
}

/// The folders with a given role, each once.
fn folders(targets: &[Target], role: Role) -> impl Iterator<Item = RepoPath> {
    let folders: BTreeSet<RepoPath> =
        targets.iter().filter(|target| target.role == role).map(|t| t.path.clone()).collect();
    folders.into_iter()
}

/// The changed files. A file that is only copied does not change.
fn patched_files(targets: &[Target]) -> Vec<PatchedFile> {
    let changed = targets.iter().filter(|target| target.role != Role::CopyFrom);
    let files = changed.map(|target| PatchedFile {
        line: target.line,
        path: target.path.clone(),
        action: action(target.role),
    });
    files.collect()
}

/// The word for an action on a path.
pub(crate) fn action(role: Role) -> &'static str {
    match role {
        Role::Edit => "edit",
        Role::Create => "create",
        Role::Replace => "replace",
        Role::Delete => "delete",
        Role::MoveFrom => "move away",
        Role::MoveTo => "move",
        Role::CopyFrom | Role::CopyTo => "copy",
        Role::MakeFolder => "make folder",
        Role::RemoveFolder => "remove folder",
    }
}

struct Review<'j, 'a> {
    evidence: &'j Evidence<'j>,
    reply: &'j Reply<'a>,
    section: Vec<(usize, &'a str)>,
    targets: &'j [Target],
    outcome: &'j Outcome,
    /// The paths that were looked up on the disk.
    seen: BTreeMap<RepoPath, Rc<ReplyVerdict>>,
    /// Paths that no reply may touch.
    refused: BTreeSet<RepoPath>,
    findings: Vec<Finding>,
}

impl Review<'_, '_> {
    fn find(
        &mut self,
        line: usize,
        rule: ReplyRule,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.findings.push(Finding { line, rule, message: message.into(), fix: fix.into() });
    }

    /// Reports patches that could not be parsed or resolved.
    fn problems(&mut self, draft: &Draft<'_, '_>) {
        const NAME: &str =
            "name the file from the repository's root: `--- a/path` and `+++ b/path`";
        const OPERATION: &str =
            "write `mv FROM TO`, `cp FROM TO`, `rm PATH`, `rmdir PATH` or `mkdirp PATH`";
        const UNREAD: &str = "write the whole patch again, as a unified diff with right counts in a \
                              closed `diff` block";
        for problem in &self.reply.problems {
            let (rule, fix) = match problem.kind {
                ProblemKind::NoName => (ReplyRule::PatchTarget, NAME),
                ProblemKind::Operation => (ReplyRule::FileOperation, OPERATION),
                ProblemKind::Unread => (ReplyRule::PatchUnread, UNREAD),
                ProblemKind::Special => {
                    (ReplyRule::OrdinaryFile, "make ordinary files: mode 100644 or 100755")
                }
            };
            self.find(problem.line, rule, problem.message.clone(), fix);
        }
        for (line, name, error) in &draft.bad_names {
            let message = format!("the patch is for `{name}`: {error}");
            self.find(*line, ReplyRule::PatchTarget, message, NAME);
        }
    }

    /// Reports a reply without patches.
    fn emptiness(&mut self) {
        if self.targets.is_empty() && self.findings.is_empty() {
            let fix = "nothing can be applied; a patch is a unified diff in a `diff` block";
            self.find(1, ReplyRule::NoPatch, "the reply has no patch", fix);
        }
    }

    /// Reports patches that do not fit the bytes of the archive. The state has a rule of its own.
    fn misfits(&mut self) {
        let state = self.evidence.workspace.state();
        for misfit in self.outcome.misfits.iter().filter(|misfit| misfit.path != state) {
            let (rule, fix) = match misfit.kind {
                MisfitKind::Unfit => (
                    ReplyRule::PatchUnfit,
                    "make the patch from the file in the archive, line for line",
                ),
                MisfitKind::Ambiguous => (
                    ReplyRule::PatchAmbiguous,
                    "say the right line, or take in lines around it that are there only once",
                ),
                MisfitKind::Conflict => (
                    ReplyRule::PatchConflict,
                    "say once what becomes of each line: put the changes of a file into one patch",
                ),
            };
            self.find(misfit.line, rule, misfit.message.clone(), fix);
        }
    }

    /// What is at a path. Each path is looked up once.
    fn look(&mut self, path: &RepoPath) -> Rc<ReplyVerdict> {
        let context = self.evidence.context;
        let seen = self.seen.entry(path.clone()).or_insert_with(|| Rc::new(context.look(path)));
        Rc::clone(seen)
    }
}
