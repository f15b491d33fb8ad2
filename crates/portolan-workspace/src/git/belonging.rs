//! Whether the objects that a work tree leads to are its own.
//!
//! A `.git` file, a link, a `commondir` or an alternate can lead into any repository of the machine, and an archive from
//! anyone can have them. So history is read only from a store that is inside the work tree, or in a repository that names
//! the work tree back: as a linked work tree or as a submodule. Alternates outside, as `git clone --shared` writes them,
//! count if what is checked out came from there: the index has the files of `HEAD`, by ids that only somebody who has
//! those files knows.

use std::path::{Path, PathBuf};

use portolan_vfs::System;

use super::GitEnvironment;
use super::config::ConfigReader;
use super::index::GitIndex;
use super::objects::{Id, ObjectKind, ObjectStore};
use super::revision::{TREE, entries, tree_of};

/// The folders of a repository, without links.
pub(super) struct Owned {
    /// The top of the work tree.
    top: PathBuf,
    /// The git folder that all work trees share.
    common: PathBuf,
    git_dir: PathBuf,
}

impl Owned {
    /// The folders, if they belong to the work tree at `top`. The error is for the user.
    pub(super) fn new(
        system: &dyn System,
        top: &Path,
        git_dir: &Path,
        common: &Path,
    ) -> Result<Self, String> {
        let real = |path: &Path| system.real_path(path).map_err(|error| error.to_string());
        let owned = Self { top: real(top)?, common: real(common)?, git_dir: real(git_dir)? };
        let is_inside = [&owned.common, &owned.git_dir].iter().all(|it| it.starts_with(&owned.top));
        if is_inside || owned.is_work_tree(system) || owned.is_submodule(system) {
            Ok(owned)
        } else {
            Err(unavailable("its `.git` leads to another repository"))
        }
    }

    /// Whether a path is inside the work tree or its git folders, with all links followed.
    pub(super) fn contains(&self, system: &dyn System, path: &Path) -> bool {
        let folders = [&self.top, &self.common, &self.git_dir];
        system
            .real_path(path)
            .is_ok_and(|real| folders.iter().any(|folder| real.starts_with(folder)))
    }

    /// Whether the repository names the work tree as one of its linked ones.
    fn is_work_tree(&self, system: &dyn System) -> bool {
        let is_below = self.git_dir.parent() == Some(&self.common.join("worktrees"));
        let named = system.read_at_most(&self.git_dir.join("gitdir"), super::MOST_POINTER_BYTES);
        let named = named.ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let named = named.map(|text| self.git_dir.join(text.trim_end_matches(['\r', '\n'])));
        let top = named.and_then(|path| system.real_path(path.parent()?).ok());
        is_below && top.as_ref() == Some(&self.top)
    }

    /// Whether the repository's configuration names the work tree, as that of a submodule does.
    fn is_submodule(&self, system: &dyn System) -> bool {
        let environment = GitEnvironment::default();
        let mut reader = ConfigReader::new(system, &environment, &self.git_dir);
        reader.read(&self.common.join("config"));
        if reader.config.has_worktree_config {
            reader.read(&self.git_dir.join("config.worktree"));
        }
        let named = reader.config.work_tree.map(|path| self.git_dir.join(path));
        let named = named.and_then(|path| system.real_path(&path).ok());
        named.as_ref() == Some(&self.top)
    }
}

/// The message for a store that is not the work tree's own.
pub(super) fn unavailable(why: &str) -> String {
    format!("history is not available: {why}")
}

/// How many files and folders to compare.
const MOST_FILES: usize = 64;
const MOST_TREES: usize = 32;

/// Whether what is checked out came from a store: at least half of the first files of a commit are in the index, with the
/// same ids.
pub(super) fn is_checked_out(objects: &ObjectStore<'_>, commit: &Id, index: &GitIndex) -> bool {
    let stamps = index.stamps("");
    let Ok(root) = tree_of(objects, commit) else { return false };
    let mut open = std::collections::VecDeque::from([(String::new(), root)]);
    let (mut seen, mut same, mut trees) = (0, 0, 0);
    while let Some((folder, id)) = open.pop_front() {
        trees += 1;
        let Ok((ObjectKind::Tree, bytes)) = objects.read(&id) else { return false };
        for (mode, name, id) in entries(&bytes) {
            let path = format!("{folder}{name}");
            if mode == TREE {
                open.push_back((format!("{path}/"), id));
            } else {
                seen += 1;
                same += usize::from(stamps.get(&path).is_some_and(|stamp| stamp.id == id));
            }
        }
        if seen >= MOST_FILES || trees >= MOST_TREES {
            break;
        }
    }
    same > 0 && same * 2 >= seen
}
