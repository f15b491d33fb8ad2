//! Which changes belong together, and which contradict each other.

use std::collections::BTreeMap;

use portolan_types::RepoPath;

use super::{Archive, Draft, Misfit, MisfitKind, Plan, Plans, Role, Target};

/// One plan a path; contradictions are told and leave the first of both.
pub(super) fn plans<'r, 'a>(
    draft: &Draft<'r, 'a>,
    archive: &Archive<'_>,
    misfits: &mut Vec<Misfit>,
) -> Plans<'r, 'a> {
    let mut gathering = Gathering { draft, plans: Plans::new(), left: BTreeMap::new(), misfits };
    let targets = || draft.targets.iter().filter(|target| !draft.change(target).is_broken);
    // What goes and comes first: an edit is for what is there then.
    targets().filter(|target| leaves(target.role)).for_each(|target| gathering.leave(target));
    targets().filter(|target| comes(target.role)).for_each(|target| gathering.come(target));
    targets().filter(|target| target.role == Role::Edit).for_each(|target| gathering.edit(target));
    gathering.folders(archive);
    let Gathering { mut plans, left, .. } = gathering;
    for (path, target) in left {
        // A path that nothing comes to is empty then; a move is told where it leads to.
        if target.role == Role::Delete && !plans.contains_key(&path) {
            plans.insert(path, Plan::new(target, draft.change(target)));
        }
    }
    plans
}

fn leaves(role: Role) -> bool {
    matches!(role, Role::Delete | Role::MoveFrom)
}

fn comes(role: Role) -> bool {
    matches!(role, Role::Create | Role::Replace | Role::MoveTo | Role::CopyTo)
}

struct Gathering<'g, 'r, 'a> {
    draft: &'g Draft<'r, 'a>,
    plans: Plans<'r, 'a>,
    /// The paths that files go from.
    left: BTreeMap<RepoPath, &'g Target>,
    misfits: &'g mut Vec<Misfit>,
}

impl<'g> Gathering<'g, '_, '_> {
    fn conflict(&mut self, target: &Target, what: &str, other: usize) {
        let (path, line) = (target.path.clone(), target.line);
        let message = format!("`{path}` {what} line {other}");
        self.misfits.push(Misfit { line, path, kind: MisfitKind::Conflict, message });
    }

    fn leave(&mut self, target: &'g Target) {
        if let Some(other) = self.left.get(&target.path).map(|other| other.line) {
            return self.conflict(target, "goes away, and has gone already at", other);
        }
        self.left.insert(target.path.clone(), target);
    }

    fn come(&mut self, target: &'g Target) {
        if let Some(other) = self.plans.get(&target.path).map(|plan| plan.line) {
            return self.conflict(target, "is made, and is made already at", other);
        }
        let left = self.left.get(&target.path);
        if let Some(other) = left.filter(|left| left.role == Role::Delete).map(|left| left.line) {
            return self.conflict(target, "is made, and goes away at", other);
        }
        let mut plan = Plan::new(target, self.draft.change(target));
        if matches!(target.role, Role::MoveTo | Role::CopyTo) {
            let other =
                |other: &&Target| other.change == target.change && other.role != target.role;
            let Some(source) = self.source(target, other) else { return };
            plan.from = Some(source);
        }
        self.plans.insert(target.path.clone(), plan);
    }

    /// The path that a move or a copy starts from: it is told right before the other.
    fn source(&self, target: &Target, is_it: impl Fn(&&Target) -> bool) -> Option<RepoPath> {
        let targets = &self.draft.targets;
        let here = targets.partition_point(|other| other.change < target.change);
        targets[here..].iter().take(2).find(is_it).map(|source| source.path.clone())
    }

    fn edit(&mut self, target: &'g Target) {
        let change = self.draft.change(target);
        let Some(plan) = self.plans.get_mut(&target.path) else {
            if let Some(other) = self.left.get(&target.path).map(|left| left.line) {
                return self.conflict(target, "is edited, and goes away at", other);
            }
            self.plans.insert(target.path.clone(), Plan::new(target, change));
            return;
        };
        if plan.text.is_some() {
            let other = plan.line;
            return self.conflict(target, "is edited, and gets a whole text at", other);
        }
        let more = Plan::new(target, change);
        plan.sections.extend(more.sections);
        plan.mode = plan.mode.or(more.mode);
    }

    /// No file where a folder must be.
    fn folders(&mut self, archive: &Archive<'_>) {
        let is_file = |path: &RepoPath| {
            self.plans.contains_key(path)
                || (archive(path).is_some() && !self.left.contains_key(path))
        };
        let mut found = Vec::new();
        for target in &self.draft.targets {
            let is_new = comes(target.role) || target.role == Role::MakeFolder;
            let above = is_new.then(|| folders_above(&target.path)).into_iter().flatten();
            let own = (target.role == Role::MakeFolder).then(|| target.path.clone());
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

/// The folders that a path is in, innermost first.
pub(super) fn folders_above(path: &RepoPath) -> impl Iterator<Item = RepoPath> {
    let text = path.as_str().to_owned();
    let ends: Vec<usize> = text.match_indices('/').map(|(at, _)| at).collect();
    ends.into_iter().rev().filter_map(move |end| RepoPath::new(&text[..end]).ok())
}
