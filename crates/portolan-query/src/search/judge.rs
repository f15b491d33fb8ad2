//! Which files may be shown.

use portolan_guard::{Guard, inspect};
use portolan_types::RepoPath;

use super::SearchContext;
use super::sweep::FileBytes;

/// The guard of a repository, with what it found earlier.
pub(super) struct Judge<'a> {
    guard: Guard,
    context: SearchContext<'a>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(context: SearchContext<'a>) -> Self {
        Self { guard: context.config.settings.secrets.guard(), context }
    }

    /// Whether nothing of a file may be shown.
    pub(super) fn is_denied(&self, path: &RepoPath, file: &FileBytes) -> bool {
        if self.guard.allows(path) {
            return false;
        }
        let inspection = match self.context.outlines {
            Some(outlines) => outlines.inspection(path, &file.digest(), file.bytes()),
            None => inspect(file.bytes()),
        };
        self.guard.judge_inspected(path, file.bytes(), inspection).is_some()
    }
}
