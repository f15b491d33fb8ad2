//! Combines the changes of each path, and finds those that contradict each other.

use std::collections::BTreeMap;

use portolan_types::RepoPath;

use super::{Archive, Misfit, MisfitKind, PatchDraft, PathPlan, PathRole, Plans, TouchedPath};

/// Makes one plan per path. Contradictions are reported, and the first change wins.
pub(super) fn plans<'r, 'a>(
    draft: &PatchDraft<'r, 'a>,
    archive: &Archive<'_>,
    misfits: &mut Vec<Misfit>,
) -> Plans<'r, 'a> {
    let mut builder = PlanBuilder { draft, plans: Plans::new(), left: BTreeMap::new(), misfits };
    let targets = || draft.targets.iter().filter(|target| !draft.change(target).is_broken);
    // Departures and arrivals first: an edit applies to the file that is at the path afterwards.
    targets().filter(|target| leaves(target.role)).for_each(|target| builder.leave(target));
    targets().filter(|target| comes(target.role)).for_each(|target| builder.come(target));
    targets()
        .filter(|target| target.role == PathRole::Edit)
        .for_each(|target| builder.edit(target));
    builder.folders(archive);
    let PlanBuilder { mut plans, left, .. } = builder;
    for (path, target) in left {
        // If nothing arrives, the file is deleted; a move is reported at its destination.
        if target.role == PathRole::Delete && !plans.contains_key(&path) {
            plans.insert(path, PathPlan::new(target, draft.change(target)));
        }
    }
    plans
}

fn leaves(role: PathRole) -> bool {
    matches!(role, PathRole::Delete | PathRole::MoveFrom)
}

fn comes(role: PathRole) -> bool {
    matches!(role, PathRole::Create | PathRole::Replace | PathRole::MoveTo | PathRole::CopyTo)
}

struct PlanBuilder<'g, 'r, 'a> {
    draft: &'g PatchDraft<'r, 'a>,
    plans: Plans<'r, 'a>,
    /// The paths that files leave.
    left: BTreeMap<RepoPath, &'g TouchedPath>,
    misfits: &'g mut Vec<Misfit>,
}

impl<'g> PlanBuilder<'g, '_, '_> {
    fn conflict(&mut self, target: &TouchedPath, what: &str, other: usize) {
        let (path, line) = (target.path.clone(), target.line);
        let message = format!("`{path}` {what} line {other}");
        self.misfits.push(Misfit { line, path, kind: MisfitKind::Conflict, message });
    }

    fn leave(&mut self, target: &'g TouchedPath) {
        if let Some(other) = self.left.get(&target.path).map(|other| other.line) {
            return self.conflict(target, "is removed, but it is already removed at", other);
        }
        self.left.insert(target.path.clone(), target);
    }

    fn come(&mut self, target: &'g TouchedPath) {
        if let Some(other) = self.plans.get(&target.path).map(|plan| plan.line) {
            return self.conflict(target, "is created, but it is already created at", other);
        }
        let left = self.left.get(&target.path);
        if let Some(other) = left.filter(|left| left.role == PathRole::Delete).map(|left| left.line)
        {
            return self.conflict(target, "is created, but it is removed at", other);
        }
        let mut plan = PathPlan::new(target, self.draft.change(target));
        if matches!(target.role, PathRole::MoveTo | PathRole::CopyTo) {
            let other =
                |other: &&TouchedPath| other.change == target.change && other.role != target.role;
            let Some(source) = self.source(target, other) else { return };
            plan.from = Some(source);
        }
        self.plans.insert(target.path.clone(), plan);
    }

    /// The source of a move or a copy: the target before it.
    fn source(
        &self,
        target: &TouchedPath,
        is_it: impl Fn(&&TouchedPath) -> bool,
    ) -> Option<RepoPath> {
        let targets = &self.draft.targets;
        let here = targets.partition_point(|other| other.change < target.change);
        targets[here..].iter().take(2).find(is_it).map(|source| source.path.clone())
    }

    fn edit(&mut self, target: &'g TouchedPath) {
        let change = self.draft.change(target);
        let Some(plan) = self.plans.get_mut(&target.path) else {
            if let Some(other) = self.left.get(&target.path).map(|left| left.line) {
                return self.conflict(target, "is edited, but it is removed at", other);
            }
            self.plans.insert(target.path.clone(), PathPlan::new(target, change));
            return;
        };
        if plan.text.is_some() {
            let other = plan.line;
            return self.conflict(target, "is edited, but its whole text is replaced at", other);
        }
        let more = PathPlan::new(target, change);
        plan.sections.extend(more.sections);
        plan.mode = plan.mode.or(more.mode);
    }

    /// Reports a file where a folder must be.
    fn folders(&mut self, archive: &Archive<'_>) {
        let is_file = |path: &RepoPath| {
            self.plans.contains_key(path)
                || (archive(path).is_some() && !self.left.contains_key(path))
        };
        let mut found = Vec::new();
        for target in &self.draft.targets {
            let is_new = comes(target.role) || target.role == PathRole::MakeFolder;
            let above = is_new.then(|| folders_above(&target.path)).into_iter().flatten();
            let own = (target.role == PathRole::MakeFolder).then(|| target.path.clone());
            if let Some(file) = above.chain(own).find(is_file) {
                found.push((target, file));
            }
        }
        for (target, file) in found {
            let (path, line) = (target.path.clone(), target.line);
            let message = format!("`{path}` needs a folder where `{file}` is a file");
            self.misfits.push(Misfit { line, path, kind: MisfitKind::Conflict, message });
        }
    }
}

/// The folders of a path, innermost first.
pub(super) fn folders_above(path: &RepoPath) -> impl Iterator<Item = RepoPath> {
    let text = path.as_str().to_owned();
    let ends: Vec<usize> = text.match_indices('/').map(|(at, _)| at).collect();
    ends.into_iter().rev().filter_map(move |end| RepoPath::new(&text[..end]).ok())
}
