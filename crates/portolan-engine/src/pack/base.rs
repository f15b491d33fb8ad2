//! What changed since a commit.

use portolan_pack::changes::{Hunk, hunks};
use portolan_scan::Revision;
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::System;

use super::{Base, PackError, PackRequest};
use crate::config::Loaded;
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
    /// The lines that changed, as they were and as they are: to look for their words, never to be shown.
    pub lines: String,
}

/// The state that was compared with.
#[derive(Clone, Debug)]
pub struct Since {
    /// The commit.
    pub id: String,
    /// The files that changed since.
    pub files: Vec<ChangedFile>,
    /// What is not shown of them, and why.
    pub notices: Vec<Notice>,
}

/// More changed files are not looked into.
const MOST_FILES: usize = 200;
/// More of the changed lines of a file says nothing new of it.
const MOST_LINES_BYTES: usize = 64 << 10;
/// Larger texts are not compared.
const MOST_BYTES: usize = 2 << 20;

/// Compares with the base; none where nothing changed, or where there is nothing to compare with.
pub(super) fn open(
    system: &dyn System,
    request: &PackRequest,
    map: &MapReport,
    notices: &mut Vec<Notice>,
) -> Result<Option<Since>, PackError> {
    let config = &request.output.config;
    let name = match &request.base {
        Base::Off => return Ok(None),
        Base::Auto => "HEAD",
        Base::Revision(name) => name.as_str(),
    };
    let revision = match Revision::open(system, &config.root, name) {
        Ok(revision) => revision,
        Err(error) if request.base == Base::Auto => {
            let message = format!("`HEAD` cannot be read, so what changed is not told: {error}");
            notices.push(Notice::general(NoticeCode::PackBase, message));
            return Ok(None);
        }
        Err(error) => return Err(PackError::Base(error)),
    };
    let found = since(system, config, map, &revision);
    notices.extend(found.iter().flat_map(|found| found.notices.clone()));
    Ok(found)
}

/// What changed since a revision; none where nothing did.
pub(super) fn since(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    revision: &Revision<'_>,
) -> Option<Since> {
    let changed = revision.changed(map.universe.iter().map(|file| file.path.as_str()));
    if changed.is_empty() {
        return None;
    }
    let guard = config.settings.secrets.guard();
    let (mut files, mut notices) = (Vec::new(), Vec::new());
    for path in changed.into_iter().take(MOST_FILES) {
        let Ok(repo) = RepoPath::from_untrusted(&path) else { continue };
        let before = revision.read(&path).unwrap_or_default();
        let after = system.read_beneath(&config.root, &repo).unwrap_or_default();
        let is_text = |bytes: &[u8]| bytes.len() <= MOST_BYTES && !bytes.contains(&0);
        if !is_text(&before) || !is_text(&after) {
            continue;
        }
        let before = String::from_utf8_lossy(&before).into_owned();
        let after = String::from_utf8_lossy(&after);
        let hunks = hunks(&before, &after);
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
        let lines = changed_lines(&hunks, &before, &after);
        if !hunks.is_empty() {
            files.push(ChangedFile { path, before, hunks, lines });
        }
    }
    Some(Since { id: revision.id(), files, notices })
}

/// The lines that hunks took away and put there, as many as tell what a change is about.
fn changed_lines(hunks: &[Hunk], before: &str, after: &str) -> String {
    let mut lines = String::new();
    for (text, is_old) in [(before, true), (after, false)] {
        let mut ranges = hunks.iter().map(|it| if is_old { it.before } else { it.after });
        let mut range = ranges.next();
        for (line, number) in text.lines().zip(1u32..) {
            while range.is_some_and(|(_, end)| end <= number) {
                range = ranges.next();
            }
            if range.is_some_and(|(first, _)| first <= number) && lines.len() < MOST_LINES_BYTES {
                lines.push_str(line);
                lines.push('\n');
            }
        }
    }
    lines
}
