//! What changed since a commit, or between two.

use std::collections::{BTreeMap, BTreeSet};

use portolan_diagnostics::line_diff::{LineHunk as Hunk, hunks};
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::{FileKind, System};
use portolan_workspace::{NOT_A_REPOSITORY, Revision};

use super::{Base, PackError, PackRequest};
use crate::search::FileClass;
use portolan_index::map::MapReport;
use portolan_workspace::config::Loaded;

/// A file that changed.
#[derive(Clone, Debug, Default)]
pub struct ChangedFile {
    /// Its path.
    pub path: String,
    /// What became of it.
    pub fate: Fate,
    /// Its text as it was.
    pub before: String,
    /// Its text after the change; as it is today, where nothing else was asked for.
    pub after: String,
    /// What changed in it.
    pub hunks: Vec<Hunk>,
    /// The lines that changed, as they were and as they are: to look for their words, never to be shown.
    pub lines: String,
    /// Whether it is another today than after the change.
    pub is_older: bool,
}

/// What became of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It has another text.
    #[default]
    Changed,
    /// It was not there.
    New,
    /// It is not there any more.
    Deleted,
    /// It was there under this path, with the same text.
    Renamed(String),
}

/// The state that was compared with.
#[derive(Clone, Debug, Default)]
pub struct Since {
    /// The commit.
    pub id: String,
    /// The commit after the change; none where it is the working tree.
    pub to: Option<String>,
    /// The files that changed since.
    pub files: Vec<ChangedFile>,
    /// How many more changed, which were not looked into.
    pub more: usize,
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
        // Outside of git nobody expects to be told what changed.
        Err(error) if request.base == Base::Auto && error == NOT_A_REPOSITORY => return Ok(None),
        Err(error) if request.base == Base::Auto => {
            let message = format!("`HEAD` cannot be read, so what changed is not told: {error}");
            notices.push(Notice::general(NoticeCode::PackBase, message));
            return Ok(None);
        }
        Err(error) => return Err(PackError::Base(error)),
    };
    let found = since(system, config, map, &revision, None).and_then(without_noise);
    notices.extend(found.iter().flat_map(|found| found.notices.clone()));
    Ok(found)
}

/// Leaves out what no failure comes from: lock files, documents, what a tool wrote, and new files that are no programs
/// (those of `init` are among them); none where nothing is left.
fn without_noise(mut since: Since) -> Option<Since> {
    since.files.retain(|file| {
        let is_program = portolan_languages::is_program(&file.path);
        let is_written = matches!(
            FileClass::of(&file.path),
            FileClass::Generated | FileClass::Document | FileClass::Vendored
        );
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_lock = matches!(extension, "lock" | "sum") || name.contains("-lock.");
        !is_written && !is_lock && (is_program || file.fate != Fate::New)
    });
    (!since.files.is_empty()).then_some(since)
}

/// What changed from a revision to another one, or to the working tree; none where nothing did.
pub(super) fn since(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    revision: &Revision<'_>,
    to: Option<&Revision<'_>>,
) -> Option<Since> {
    let changed = match to {
        Some(to) => revision.differing(to),
        None => revision.changed(map.universe.iter().map(|file| file.path.as_str())),
    };
    if changed.is_empty() {
        return None;
    }
    let guard = config.settings.secrets.guard();
    let mut found = Since {
        id: revision.id(),
        to: to.map(Revision::id),
        more: changed.len().saturating_sub(MOST_FILES),
        ..Since::default()
    };
    for path in changed.into_iter().take(MOST_FILES) {
        let Ok(repo) = RepoPath::from_untrusted(&path) else { continue };
        let before = revision.read(&path);
        let after = match to {
            Some(to) => to.read(&path),
            None => read_today(system, config, &repo),
        };
        let fate = match (&before, &after) {
            (None, _) => Fate::New,
            (_, None) => Fate::Deleted,
            _ => Fate::Changed,
        };
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        let is_older = to.is_some_and(|to| !is_today(system, config, to, &path));
        let mut file = ChangedFile { path, fate, is_older, ..ChangedFile::default() };
        let is_text = |bytes: &[u8]| bytes.len() <= MOST_BYTES && !bytes.contains(&0);
        if is_text(&before) && is_text(&after) {
            file.before = String::from_utf8_lossy(&before).into_owned();
            file.after = String::from_utf8_lossy(&after).into_owned();
            file.hunks = hunks(&file.before, &file.after);
        }
        // What is gone from a file may be the secret that should never have been in it.
        if let Some(denial) = guard.judge(&repo, file.before.as_bytes()) {
            let rule = denial.rule;
            let message = format!("it held secrets (rule `{rule}`), so what it was is not shown");
            let place = Place::file(&*file.path);
            found.notices.push(Notice::at(NoticeCode::PackNoFile, place, message));
            file.before = String::new();
        }
        file.lines = changed_lines(&file.hunks, &file.before, &file.after);
        found.files.push(file);
    }
    renamed(&mut found.files);
    Some(found)
}

/// A file as it is; none where it is not there. What a link leads to is not its text.
fn read_today(system: &dyn System, config: &Loaded, path: &RepoPath) -> Option<Vec<u8>> {
    let stat = system.lstat(&config.root.join(path.as_str())).ok()?;
    let bytes = (stat.kind == FileKind::File).then(|| system.read_beneath(&config.root, path).ok());
    Some(bytes.flatten().unwrap_or_else(|| vec![0]))
}

/// Whether a file is on the disk what it was in a commit; or in neither.
fn is_today(system: &dyn System, config: &Loaded, to: &Revision<'_>, path: &str) -> bool {
    if to.contains(path) {
        to.has_today(path)
    } else {
        system.lstat(&config.root.join(path)).is_err()
    }
}

/// Finds files that are there under another path with the same text: nothing in them changed.
fn renamed(files: &mut [ChangedFile]) {
    let is_told =
        |file: &&ChangedFile| file.fate == Fate::Deleted && !file.before.trim().is_empty();
    let mut gone: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files.iter().filter(is_told) {
        gone.entry(file.before.clone()).or_default().push(file.path.clone());
    }
    let mut moved = BTreeSet::new();
    for file in files.iter_mut().filter(|file| file.fate == Fate::New) {
        if let Some(was) = gone.get_mut(&file.after).and_then(Vec::pop) {
            file.hunks.clear();
            file.before.clone_from(&file.after);
            file.fate = Fate::Renamed(was.clone());
            moved.insert(was);
        }
    }
    for file in files.iter_mut().filter(|file| moved.contains(&file.path)) {
        file.lines.clear();
    }
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
