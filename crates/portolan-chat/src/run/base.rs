//! The base of a context archive: the files that it contains whatever the state selects.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_archive::{InsideError, Root, WorkspaceLayout};
use portolan_graph::select::is_lock_file;
use portolan_languages::{Ecosystems, is_program};
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::FileKind;
use portolan_workspace::{PatternError, Patterns};

use super::candidate::{Candidate, CandidateSource, Part};
use super::plan::Collected;
use crate::guide;
use portolan_workspace::config::BaseSettings;

/// The system docs, with the built-in guide if the repository has none.
pub(crate) fn system_docs(root: Root<'_>, workspace: &WorkspaceLayout, collected: &mut Collected) {
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

/// The built-in guide in addition to the repository's own, if that does not explain the map. Only
/// the opener of a thread contains it.
pub(crate) fn guide_beside(root: Root<'_>, workspace: &WorkspaceLayout, collected: &mut Collected) {
    let (prompt, beside) = (workspace.system_prompt(), workspace.guide());
    let own = collected.candidates.get(&prompt).map(|candidate| &candidate.source);
    let Some(CandidateSource::Inside(found)) = own else { return };
    // An unreadable file is reported when it is added to the archive.
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

/// The configured files, and the top-level files except for code, lockfiles and files over the size
/// limits. Only the start of a README is included.
pub(crate) fn project_files<'a>(
    root: Root<'_>,
    settings: &BaseSettings,
    universe: impl IntoIterator<Item = (&'a RepoPath, u64)>,
    collected: &mut Collected,
) -> Result<(), PatternError> {
    let listed = Patterns::new(&settings.files)?;
    let (mut code, mut small) = (Vec::new(), Vec::new());
    for (path, size) in universe {
        let (name, is_listed) = (path.file_name(), listed.is_match(path.as_str()));
        if !is_listed && path.parent().is_some() {
            continue;
        }
        if is_listed {
            collected.inside(root, path.clone(), Part::Base);
        } else if is_program(path.as_str()) && !is_manifest(name) {
            code.push(path.as_str());
        } else if is_readme(name) {
            collected.head_of(root, path);
        } else if is_lock_file(name) {
            collected.left_out(path, "a lockfile; a selection can ask for it");
        } else if size > settings.max_file_bytes {
            let most = settings.max_file_bytes;
            let message = format!(
                "{size} bytes; `portolan.base.maxFileBytes` is {most}; a selection can ask for it"
            );
            collected.left_out(path, &message);
        } else {
            small.push((!is_manifest(name), size, path));
        }
    }
    // Manifests are the most useful, and of the rest the smallest give the most for the same cost.
    small.sort_unstable();
    let mut sum = 0u64;
    let mut others = Vec::new();
    for (_, size, path) in small {
        if sum.saturating_add(size) > settings.max_bytes {
            others.push(path.as_str());
        } else {
            sum += size;
            collected.inside(root, path.clone(), Part::Base);
        }
    }
    let together = format!("more than `portolan.base.maxBytes` ({}) together", settings.max_bytes);
    collected.notices.extend(all_left_out(&code, "code is not part of the base"));
    collected.notices.extend(all_left_out(&others, &together));
    Ok(())
}

fn is_manifest(name: &str) -> bool {
    Ecosystems::default().iter().any(|one| one.is_manifest(name))
}

/// The most files that a notice names.
const NAMED: usize = 3;

/// One notice for all files that a rule leaves out, because there may be many.
fn all_left_out(files: &[&str], rule: &str) -> Option<Notice> {
    let first = files.first()?;
    let names: Vec<String> = files.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let more = files.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "{rule}: {}{more}; a selection can ask for them, `portolan.base.files` adds them",
        names.join(", ")
    );
    Some(Notice::at(NoticeCode::ArchiveBaseLeftOut, Place::file(*first), message))
}

fn is_readme(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.strip_prefix("readme")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
}

/// All files below a folder, without following links to folders.
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
    /// Adds a file inside the repository. An unreadable file gives a notice. A link to a folder is
    /// skipped: its files have their own paths.
    pub(crate) fn inside(&mut self, root: Root<'_>, path: RepoPath, part: Part) {
        match root.file(&path) {
            Ok(found) => self.add(Candidate::new(path, CandidateSource::Inside(found), part)),
            Err(InsideError::NotAFile) => {}
            Err(error) => self.unreadable(&path, &error),
        }
    }

    /// Adds a notice about a file that is not part of the base.
    fn left_out(&mut self, path: &RepoPath, message: &str) {
        let place = Place::file(path.as_str());
        self.notices.push(Notice::at(NoticeCode::ArchiveBaseLeftOut, place, message));
    }

    /// Adds a file to the base, cut to its start if it is long.
    fn head_of(&mut self, root: Root<'_>, path: &RepoPath) {
        self.inside(root, path.clone(), Part::Base);
        if let Some(candidate) = self.candidates.get_mut(path) {
            candidate.head = true;
        }
    }

    /// Adds a file with generated bytes.
    pub(crate) fn made(&mut self, path: RepoPath, bytes: Vec<u8>) {
        self.add(Candidate::new(path, CandidateSource::Made(Arc::from(bytes)), Part::Base));
    }

    fn unreadable(&mut self, path: &RepoPath, error: &InsideError) {
        let place = Place::file(path.as_str());
        self.notices.push(Notice::at(NoticeCode::ArchiveUnreadable, place, error.to_string()));
    }
}
