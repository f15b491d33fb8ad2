//! What changed since a commit.

use std::path::Path;

use portolan_pack::changes::{Hunk, hunks};
use portolan_scan::Revision;
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::System;

use super::{Base, PackError, PackRequest};
use crate::map::MapReport;

/// A file that changed since.
#[derive(Clone, Debug)]
pub struct ChangedFile {
    /// Its path.
    pub path: String,
    /// Its text as it was.
    pub before: String,
    /// What changed in it.
    pub hunks: Vec<Hunk>,
}

/// The state that was compared with.
#[derive(Clone, Debug)]
pub struct Since {
    /// The commit.
    pub id: String,
    /// The files that changed since.
    pub files: Vec<ChangedFile>,
}

/// More changed files are not looked into.
const MOST_FILES: usize = 200;
/// Larger texts are not compared.
const MOST_BYTES: usize = 2 << 20;

/// Compares with the base; none where nothing changed, or where there is nothing to compare with.
pub(super) fn open(
    system: &dyn System,
    request: &PackRequest,
    map: &MapReport,
    notices: &mut Vec<Notice>,
) -> Result<Option<Since>, PackError> {
    let root = &request.output.config.root;
    let name = match &request.base {
        Base::Off => return Ok(None),
        Base::Auto => "HEAD",
        Base::Revision(name) => name.as_str(),
    };
    let revision = match Revision::open(system, root, name) {
        Ok(revision) => revision,
        Err(error) if request.base == Base::Auto => {
            let message = format!("`HEAD` cannot be read, so what changed is not told: {error}");
            notices.push(Notice::general(NoticeCode::PackBase, message));
            return Ok(None);
        }
        Err(error) => return Err(PackError::Base(error)),
    };
    Ok(since(system, root, map, &revision))
}

/// What changed since a revision; none where nothing did.
pub(super) fn since(
    system: &dyn System,
    root: &Path,
    map: &MapReport,
    revision: &Revision<'_>,
) -> Option<Since> {
    let changed = revision.changed(map.universe.iter().map(|file| file.path.as_str()));
    if changed.is_empty() {
        return None;
    }
    let guard = request.output.config.settings.secrets.guard();
    let mut files = Vec::new();
    for path in changed.into_iter().take(MOST_FILES) {
        let Ok(repo) = RepoPath::from_untrusted(&path) else { continue };
        let before = revision.read(&path).unwrap_or_default();
        let after = system.read_beneath(root, &repo).unwrap_or_default();
        let is_text = |bytes: &[u8]| bytes.len() <= MOST_BYTES && !bytes.contains(&0);
        if !is_text(&before) || !is_text(&after) {
            continue;
        }
        let before = String::from_utf8_lossy(&before).into_owned();
        let hunks = hunks(&before, &String::from_utf8_lossy(&after));
        // What is gone from a file may be the secret that should never have been in it.
        let before = match guard.judge(&repo, before.as_bytes()) {
            None => before,
            Some(denial) => {
                let rule = denial.rule;
                let message =
                    format!("it held secrets (rule `{rule}`), so what it was is not shown");
                notices.push(Notice::at(NoticeCode::PackNoFile, Place::file(&*path), message));
                String::new()
            }
        };
        if !hunks.is_empty() {
            files.push(ChangedFile { path, before, hunks });
        }
    }
    Some(Since { id: revision.id(), files })
}
