//! Which files changed in the same commits, along the first parents: a merge counts as one change.

use std::path::Path;

use portolan_vfs::System;

use super::objects::{hex, parse_id, Id, Objects};
use super::revision::{entries, parents, tree_of, Repository, SUBMODULE, TREE};

/// A commit with the files that it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its name.
    pub id: String,
    /// The files that it changed, from the folder that was asked about; none where there are too many.
    pub files: Vec<String>,
}

/// How much of a history is looked at.
#[derive(Clone, Copy, Debug)]
pub struct HistoryBounds {
    /// So many commits.
    pub commits: usize,
    /// A commit that changed more files has none.
    pub files: usize,
}

/// A commit that touches more folders has none either.
const MOST_FOLDERS: usize = 500;

/// The commits that lead to what is checked out, latest first, down to one that is known already. Empty where there
/// is no history to be read; it ends where an object is missing.
pub fn history(
    system: &dyn System,
    root: &Path,
    bounds: HistoryBounds,
    is_known: &dyn Fn(&str) -> bool,
) -> Vec<Commit> {
    let mut found = Vec::new();
    let Ok(repository) = Repository::open(system, root) else { return found };
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

/// The commit before one, or what is checked out where none is named.
pub fn first_parent(system: &dyn System, root: &Path, commit: Option<&str>) -> Option<String> {
    let repository = Repository::open(system, root).ok()?;
    let Some(commit) = commit else { return repository.commit("HEAD").ok().map(|id| hex(&id)) };
    let id = parse_id(commit)?;
    parents(&repository.objects, &id).ok()?.first().map(hex)
}

/// The files that differ between two trees; none where there are more than so many.
fn changed(
    objects: &Objects<'_>,
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
