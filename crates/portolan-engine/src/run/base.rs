//! The base of a context archive: what is in it whatever the state says.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_archive::{InsideError, Root, Workspace};
use portolan_graph::is_code;
use portolan_scan::{PatternError, Patterns};
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::FileKind;

use super::candidate::{Candidate, Part, Source};
use super::plan::Collected;
use crate::config::BaseSettings;
use crate::guide;

/// Files that only a package manager reads, and that cost more than all the rest.
const LOCKFILES: &[&str] = &[
    "Cargo.lock",
    "Gemfile.lock",
    "Package.resolved",
    "Pipfile.lock",
    "Podfile.lock",
    "bun.lock",
    "bun.lockb",
    "composer.lock",
    "conan.lock",
    "deno.lock",
    "flake.lock",
    "go.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "pdm.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
];

/// Whether a file is one that only a package manager reads.
pub(crate) fn is_lockfile(name: &str) -> bool {
    LOCKFILES.contains(&name)
}

/// The system docs, with the built-in guide where the repository has none of its own.
pub(crate) fn system_docs(root: Root<'_>, workspace: &Workspace, collected: &mut Collected) {
    let docs_meta = workspace.docs_meta();
    for path in files_below(root, &workspace.system_dir(), collected) {
        if path != docs_meta {
            collected.inside(root, path, Part::Base);
        }
    }
    let prompt = workspace.system_prompt();
    if !collected.candidates.contains_key(&prompt) {
        collected.made(prompt, guide::text(workspace.stan_path().as_str()).into_bytes());
    }
}

/// The built-in guide beside the repository's own, where that does not say how to read the Map. A thread
/// opens with it: later archives need not repeat it.
pub(crate) fn guide_beside(root: Root<'_>, workspace: &Workspace, collected: &mut Collected) {
    let (prompt, beside) = (workspace.system_prompt(), workspace.guide());
    let own = collected.candidates.get(&prompt).map(|candidate| &candidate.source);
    let Some(Source::Inside(found)) = own else { return };
    // What cannot be read now is told when it is put into the archive.
    let Ok(bytes) = found.read(root.system) else { return };
    let is_there = collected.candidates.contains_key(&beside);
    if is_there || guide::has_tables(&String::from_utf8_lossy(&bytes)) {
        return;
    }
    let message = format!("it does not say how to read the map; `{beside}` in the archive does");
    collected.notices.push(Notice::at(
        NoticeCode::ArchiveGuide,
        Place::file(prompt.as_str()),
        message,
    ));
    collected.made(beside, guide::text(workspace.stan_path().as_str()).into_bytes());
}

/// What the settings list, and the top-level files, but for code, lockfiles and large ones. Of a README
/// the head is enough.
pub(crate) fn project_files<'a>(
    root: Root<'_>,
    settings: &BaseSettings,
    universe: impl IntoIterator<Item = (&'a RepoPath, u64)>,
    collected: &mut Collected,
) -> Result<(), PatternError> {
    let listed = Patterns::new(&settings.files)?;
    let mut code = Vec::new();
    for (path, size) in universe {
        let is_listed = listed.is_match(path.as_str());
        if !is_listed && path.parent().is_some() {
            continue;
        }
        let reason = if is_listed {
            None
        } else if is_code(path.as_str()) {
            code.push(path.as_str());
            continue;
        } else if is_readme(path.file_name()) {
            collected.head_of(root, path);
            continue;
        } else if is_lockfile(path.file_name()) {
            Some("a lockfile".to_owned())
        } else {
            let most = settings.max_file_bytes;
            let message = || format!("{size} bytes; `portolan.base.maxFileBytes` is {most}");
            (size > most).then(message)
        };
        let Some(reason) = reason else {
            collected.inside(root, path.clone(), Part::Base);
            continue;
        };
        let message = format!("{reason}; a selection can ask for it");
        let place = Place::file(path.as_str());
        collected.notices.push(Notice::at(NoticeCode::ArchiveBaseLeftOut, place, message));
    }
    collected.notices.extend(code_left_out(&code));
    Ok(())
}

/// How many files of code a notice names.
const NAMED: usize = 3;

/// Tells of all code at the top at once: it is no surprise, and there may be much.
fn code_left_out(code: &[&str]) -> Option<Notice> {
    let first = code.first()?;
    let names: Vec<String> = code.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let more = code.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "code is not part of the base: {}{more}; a selection can ask for it, `portolan.base.files` adds it",
        names.join(", ")
    );
    Some(Notice::at(NoticeCode::ArchiveBaseLeftOut, Place::file(*first), message))
}

fn is_readme(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.strip_prefix("readme")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
}

/// Every file below a folder, links to folders not followed.
pub(crate) fn files_below(
    root: Root<'_>,
    folder: &RepoPath,
    collected: &mut Collected,
) -> BTreeSet<RepoPath> {
    let mut files = BTreeSet::new();
    let mut todo = vec![folder.clone()];
    while let Some(folder) = todo.pop() {
        let entries = match root.check_dir(&folder) {
            Ok(()) => root.system.read_dir(&root.join(&folder)).map_err(InsideError::from),
            Err(error) => Err(error),
        };
        let entries = match entries {
            Ok(entries) => entries,
            Err(InsideError::Missing) => continue,
            Err(error) => {
                collected.unreadable(&folder, &error);
                continue;
            }
        };
        for entry in entries {
            let Some(name) = entry.name.to_str().and_then(|name| RepoPath::new(name).ok()) else {
                collected.unreadable(&folder, &InsideError::OddName);
                continue;
            };
            match entry.kind {
                FileKind::Dir => todo.push(folder.join(&name)),
                FileKind::File | FileKind::Link => {
                    files.insert(folder.join(&name));
                }
                FileKind::Other => {}
            }
        }
    }
    files
}

impl Collected {
    /// A file inside the repository; one that cannot be opened is a notice. A link to a folder is
    /// neither: what is in that folder is found under its own name.
    pub(crate) fn inside(&mut self, root: Root<'_>, path: RepoPath, part: Part) {
        match root.file(&path) {
            Ok(found) => self.add(Candidate::new(path, Source::Inside(found), part)),
            Err(InsideError::NotAFile) => {}
            Err(error) => self.unreadable(&path, &error),
        }
    }

    /// A file of the base of which the head is enough.
    fn head_of(&mut self, root: Root<'_>, path: &RepoPath) {
        self.inside(root, path.clone(), Part::Base);
        if let Some(candidate) = self.candidates.get_mut(path) {
            candidate.head = true;
        }
    }

    /// A file whose bytes this run made.
    pub(crate) fn made(&mut self, path: RepoPath, bytes: Vec<u8>) {
        self.add(Candidate::new(path, Source::Made(Arc::from(bytes)), Part::Base));
    }

    fn unreadable(&mut self, path: &RepoPath, error: &InsideError) {
        let place = Place::file(path.as_str());
        self.notices.push(Notice::at(NoticeCode::ArchiveUnreadable, place, error.to_string()));
    }
}
