//! Which files changed in which commits, along first parents: a merge counts as one change.

use std::path::Path;

use portolan_vfs::System;

use super::objects::{Id, ObjectStore, hex, parse_id};
use super::revision::{RepositoryHandle, SUBMODULE, TREE, entries, message, parents, tree_of};

/// A commit and the files that it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: String,
    /// The changed files, relative to the requested folder; empty if there are too many.
    pub files: Vec<String>,
}

/// How much of a history to read.
#[derive(Clone, Copy, Debug)]
pub struct HistoryBounds {
    /// How many commits to read.
    pub commits: usize,
    /// A commit that changed more files than this reports none.
    pub files: usize,
}

/// A commit that touches more folders than this reports none either.
const MOST_FOLDERS: usize = 500;

/// The commits up to what is checked out, latest first, back to a known one. Empty if there is no readable
/// history; ends where an object is missing.
pub fn history(
    system: &dyn System,
    root: &Path,
    bounds: HistoryBounds,
    is_known: &dyn Fn(&str) -> bool,
) -> Vec<Commit> {
    let mut found = Vec::new();
    let Ok(repository) = RepositoryHandle::open(system, root) else { return found };
    let Ok(mut commit) = repository.commit("HEAD") else { return found };
    let objects = &repository.objects;
    let inside =
        if repository.below.is_empty() { String::new() } else { format!("{}/", repository.below) };
    while found.len() < bounds.commits {
        let id = hex(&commit);
        if is_known(&id) {
            break;
        }
        let Ok(Some(parent)) = parents(objects, &commit).map(|all| all.first().copied()) else {
            break;
        };
        let trees = tree_of(objects, &commit).and_then(|new| Ok((tree_of(objects, &parent)?, new)));
        let Ok((old, new)) = trees else { break };
        let Ok(files) = changed(objects, old, new, bounds.files, &inside) else { break };
        found.push(Commit { id, files });
        commit = parent;
    }
    found
}

/// What a commit says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitMessage {
    /// Its message, up to 2,000 bytes.
    pub text: String,
    id: Id,
    parent: Id,
}

/// The bytes of a message that are read.
pub(super) const LONGEST_MESSAGE: usize = 2_000;

/// Earlier commits, opened to read their messages. Which files they changed is read only where somebody asks: that costs
/// far more.
pub struct CommitLog<'a> {
    repository: RepositoryHandle<'a>,
}

impl<'a> CommitLog<'a> {
    /// The history of what is checked out in a folder; `None` if there is no readable one.
    pub fn open(system: &'a dyn System, root: &Path) -> Option<Self> {
        RepositoryHandle::open(system, root).ok().map(|repository| Self { repository })
    }

    /// The messages of so many commits, latest first; ends where an object is missing.
    pub fn messages(&self, most: usize) -> Vec<CommitMessage> {
        let mut found = Vec::new();
        let Ok(mut id) = self.repository.commit("HEAD") else { return found };
        while found.len() < most {
            let Ok((Some(parent), text)) = message(&self.repository.objects, &id) else { break };
            found.push(CommitMessage { text, id, parent });
            id = parent;
        }
        found
    }

    /// The files that a commit changed, relative to the folder; none if there are more than `most`.
    pub fn files(&self, message: &CommitMessage, most: usize) -> Vec<String> {
        let RepositoryHandle { objects, below, .. } = &self.repository;
        let inside = if below.is_empty() { String::new() } else { format!("{below}/") };
        let trees = tree_of(objects, &message.parent)
            .and_then(|old| Ok((old, tree_of(objects, &message.id)?)));
        let changed = trees.and_then(|(old, new)| changed(objects, old, new, most, &inside));
        changed.unwrap_or_default()
    }
}

/// The first parent of a commit, or the checked-out commit if none is given.
pub fn first_parent(system: &dyn System, root: &Path, commit: Option<&str>) -> Option<String> {
    let repository = RepositoryHandle::open(system, root).ok()?;
    let Some(commit) = commit else { return repository.commit("HEAD").ok().map(|id| hex(&id)) };
    let id = parse_id(commit)?;
    parents(&repository.objects, &id).ok()?.first().map(hex)
}

/// The files that differ between two trees; none if there are more than the limit.
fn changed(
    objects: &ObjectStore<'_>,
    old: Id,
    new: Id,
    most: usize,
    inside: &str,
) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    let mut open = vec![(String::new(), Some(old), Some(new))];
    let mut folders = 0;
    while let Some((folder, old, new)) = open.pop() {
        folders += 1;
        let read = |id: Option<Id>| match id {
            Some(id) => objects.read(&id).map(|(_, bytes)| Some(bytes)),
            None => Ok(None),
        };
        let (old, new) = (read(old)?, read(new)?);
        let mut names: std::collections::BTreeMap<&str, [Option<(&str, Id)>; 2]> =
            std::collections::BTreeMap::new();
        for (side, bytes) in [&old, &new].into_iter().enumerate() {
            for (mode, name, id) in bytes.iter().flat_map(|bytes| entries(bytes)) {
                names.entry(name).or_default()[side] = Some((mode, id));
            }
        }
        for (name, [old, new]) in names {
            if old == new {
                continue;
            }
            let tree =
                |side: Option<(&str, Id)>| side.and_then(|(mode, id)| (mode == TREE).then_some(id));
            let is_file = |side: Option<(&str, Id)>| {
                side.is_some_and(|(mode, _)| mode != TREE && mode != SUBMODULE)
            };
            let path = format!("{folder}{name}");
            let below = format!("{path}/");
            let trees = (tree(old), tree(new));
            let is_near = below.starts_with(inside) || inside.starts_with(&below);
            if is_near && (trees.0.is_some() || trees.1.is_some()) {
                open.push((below, trees.0, trees.1));
            }
            if let Some(path) = path.strip_prefix(inside).filter(|_| is_file(old) || is_file(new)) {
                files.push(path.to_owned());
            }
        }
        if files.len() > most || folders > MOST_FOLDERS {
            return Ok(Vec::new());
        }
    }
    files.sort_unstable();
    Ok(files)
}
