//! Walks the repository: lists every folder once, and visits every file on the thread that found it.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use portolan_guard::Guard;
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::{DirEntry, FileKind, System};
use rayon::Scope;

use crate::git::Git;
use crate::ignore_stack::{FileFilter, IgnoreStack, is_reserved};
use crate::{GitEnvironment, Patterns};

/// The settings that decide which files count.
#[derive(Clone, Debug)]
pub struct ScanSettings {
    /// The repository's root, as a real path.
    pub root: PathBuf,
    /// The workspace: never part of the universe, except for its `system` folder.
    pub stan_path: RepoPath,
    /// Brings ignored files back.
    pub includes: Patterns,
    /// Takes files out; overrides everything else.
    pub excludes: Patterns,
    /// The user's git configuration.
    pub git: GitEnvironment,
    /// The only files to visit; empty for all. Folders that lead to none of them are not listed.
    pub only: Vec<String>,
    /// Which files may hold secrets. A link is judged by the name of its target, too.
    pub guard: Guard,
}

impl ScanSettings {
    /// Whether a file, or a folder on the way to one, is to be visited.
    fn is_wanted(&self, path: &str) -> bool {
        let is_on_way = |wanted: &String| {
            wanted.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.only.is_empty() || self.only.iter().any(is_on_way)
    }
}

/// A file of the universe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path in the repository.
    pub path: RepoPath,
    /// The path of its content: below the root, also for a link.
    pub absolute: PathBuf,
}

/// A walked folder and all its entries, ignored or not.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Its repo path; empty for the root.
    pub folder: String,
    /// Its entries, in no particular order.
    pub entries: Vec<DirEntry>,
}

/// The result of a walk.
#[derive(Debug)]
pub struct Scan<T> {
    /// The universe, sorted by path, with the caller's result for each file.
    pub files: Vec<(SourceFile, T)>,
    /// Every folder that was walked.
    pub listings: Vec<Listing>,
    /// What was left out and why, sorted.
    pub notices: Vec<Notice>,
    /// Why the root could not be listed. The scan then failed; the universe is not just empty.
    pub root_error: Option<String>,
    /// Whether files in the workspace's `output` would be committed because git does not ignore it.
    pub is_workspace_open: bool,
}

/// Larger targets of links are judged by their names alone.
const MOST_JUDGED: usize = 16 << 20;

/// The number of files of a folder per task, so that large folders spread over the threads.
const BATCH: usize = 16;

/// Walks the repository on the threads of the current rayon pool and calls `visit` once for each
/// file of the universe, as soon as it is found.
pub fn scan<T: Send>(
    system: &dyn System,
    settings: &ScanSettings,
    visit: &(dyn Fn(&SourceFile) -> Result<T, Notice> + Sync),
) -> Scan<T> {
    let git = Git { system, environment: &settings.git };
    let filter = FileFilter::new(settings);
    let walk = RepositoryWalker { system, settings, git, filter, visit, found: Mutex::default() };
    let mut notices = Vec::new();
    match IgnoreStack::at_root(&walk.git, &settings.root, &mut notices) {
        Ok(stack) => rayon::scope(|scope| walk.folder(scope, String::new(), stack)),
        Err(error) => walk.leave_out("", &error),
    }
    walk.found().notices.append(&mut notices);
    walk.links();
    let WalkResults { mut files, listings, mut notices, root_error, is_workspace_open, .. } =
        walk.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    files.sort_unstable_by(|left, right| left.0.path.cmp(&right.0.path));
    notices.sort_unstable();
    Scan { files, listings, notices, root_error, is_workspace_open }
}

struct RepositoryWalker<'a, T> {
    system: &'a dyn System,
    settings: &'a ScanSettings,
    git: Git<'a>,
    filter: FileFilter<'a>,
    visit: &'a (dyn Fn(&SourceFile) -> Result<T, Notice> + Sync),
    found: Mutex<WalkResults<T>>,
}

struct WalkResults<T> {
    files: Vec<(SourceFile, T)>,
    /// Links to files. Whether they count is decided after all other files are known.
    links: Vec<SourceFile>,
    listings: Vec<Listing>,
    notices: Vec<Notice>,
    root_error: Option<String>,
    is_workspace_open: bool,
}

impl<T> Default for WalkResults<T> {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            links: Vec::new(),
            listings: Vec::new(),
            notices: Vec::new(),
            root_error: None,
            is_workspace_open: false,
        }
    }
}

impl<T: Send> RepositoryWalker<'_, T> {
    fn absolute(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.settings.root.clone() } else { self.settings.root.join(path) }
    }

    fn notice(&self, code: NoticeCode, path: &str, message: impl Into<String>) {
        self.found().notices.push(Notice::at(code, Place::file(path), message));
    }

    fn found(&self) -> std::sync::MutexGuard<'_, WalkResults<T>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists a folder, visits its files and walks its subfolders.
    fn folder<'s>(&'s self, scope: &Scope<'s>, folder: String, stack: IgnoreStack) {
        let entries = match self.system.read_dir(&self.absolute(&folder)) {
            Ok(entries) => entries,
            Err(error) => return self.leave_out(&folder, &error.to_string()),
        };
        let mut notices = Vec::new();
        let root = &self.settings.root;
        let stack = stack.entered(&self.git, root, &folder, &entries, &mut notices);
        self.found().notices.append(&mut notices);
        let stack = match stack {
            Ok(stack) => stack,
            Err(error) => return self.leave_out(&folder, &error),
        };
        let mut files = Vec::new();
        for entry in &entries {
            let Some(path) = self.path_of(&folder, entry) else { continue };
            if !self.settings.is_wanted(&path) {
                continue;
            }
            let stan_path = &self.settings.stan_path;
            // The workspace must be walked to reach its system docs.
            let is_workspace = entry.kind == FileKind::Dir && stan_path.as_str() == path;
            if is_reserved(&path, stan_path) && !is_workspace {
                let is_output = path.strip_prefix(stan_path.as_str()) == Some("/output");
                if is_output && stack.commits(&self.filter, &path) {
                    self.found().is_workspace_open = true;
                }
                continue;
            }
            match entry.kind {
                FileKind::Dir => {
                    if let Some(stack) = stack.below_folder(&self.filter, &path) {
                        scope.spawn(move |scope| self.folder(scope, path, stack));
                    }
                }
                FileKind::File | FileKind::Link if stack.takes(&self.filter, &path) => {
                    files.push((path, entry.kind));
                }
                FileKind::File | FileKind::Link | FileKind::Other => {}
            }
        }
        self.found().listings.push(Listing { folder, entries });
        while files.len() > BATCH {
            let batch = files.split_off(files.len() - BATCH);
            scope.spawn(move |_| self.files(batch));
        }
        self.files(files);
    }

    /// Reports a folder that is left out as a whole.
    fn leave_out(&self, folder: &str, error: &str) {
        if folder.is_empty() {
            self.found().root_error = Some(error.to_owned());
        }
        let shown = if folder.is_empty() { "." } else { folder };
        self.notice(NoticeCode::ScanUnreadable, shown, format!("folder left out: {error}"));
    }

    /// The repo path of an entry; gives a notice if its name is not UTF-8.
    fn path_of(&self, folder: &str, entry: &DirEntry) -> Option<String> {
        let Some(name) = entry.name.to_str() else {
            let shown = format!("{folder}/{}", entry.name.to_string_lossy());
            let message = "left out: its name is not UTF-8; rename it to have it in the map";
            self.notice(NoticeCode::ScanOddName, shown.trim_start_matches('/'), message);
            return None;
        };
        Some(if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") })
    }

    /// Visits a batch of files and stores the results.
    fn files(&self, batch: Vec<(String, FileKind)>) {
        let (mut files, mut links) = (Vec::with_capacity(batch.len()), Vec::new());
        let mut notices = Vec::new();
        for (path, kind) in batch {
            match self.source_file(&path, kind) {
                Ok((file, odd)) => {
                    notices.extend(odd);
                    match kind {
                        FileKind::Link => links.push(file),
                        _ => self.visited(file, &mut files, &mut notices),
                    }
                }
                Err(notice) => notices.extend(notice),
            }
        }
        let mut found = self.found();
        found.files.append(&mut files);
        found.links.append(&mut links);
        found.notices.append(&mut notices);
    }

    fn visited(
        &self,
        file: SourceFile,
        files: &mut Vec<(SourceFile, T)>,
        notices: &mut Vec<Notice>,
    ) {
        match (self.visit)(&file) {
            Ok(value) => files.push((file, value)),
            Err(notice) => notices.push(notice),
        }
    }

    /// Visits the links whose targets count. Git stores only a link's target path, so any other link could show a file
    /// that git hides.
    fn links(&self) {
        let mut links = std::mem::take(&mut self.found().links);
        if links.is_empty() {
            return;
        }
        // Links are few, and files many: the set is that of the links.
        let targets: BTreeSet<&OsStr> =
            links.iter().map(|link| link.absolute.as_os_str()).collect();
        let files = std::mem::take(&mut self.found().files);
        let known = files.iter().map(|(file, _)| file.absolute.as_os_str());
        let known: BTreeSet<OsString> =
            known.filter(|path| targets.contains(path)).map(OsStr::to_owned).collect();
        self.found().files = files;
        links.retain(|link| {
            let is_known = known.contains(link.absolute.as_os_str());
            if !is_known {
                let why = "link left out: its target is not in the map itself";
                self.notice(NoticeCode::ScanLink, link.path.as_str(), why);
            }
            is_known
        });
        rayon::scope(|scope| {
            while !links.is_empty() {
                let batch = links.split_off(links.len().saturating_sub(BATCH));
                scope.spawn(move |_| {
                    let (mut files, mut notices) = (Vec::new(), Vec::new());
                    for link in batch {
                        self.visited(link, &mut files, &mut notices);
                    }
                    let mut found = self.found();
                    found.files.append(&mut files);
                    found.notices.append(&mut notices);
                });
            }
        });
    }

    /// The file of an entry, with a notice if its name is unusual; or why it is left out, if that is worth a
    /// notice.
    fn source_file(
        &self,
        path: &str,
        kind: FileKind,
    ) -> Result<(SourceFile, Option<Notice>), Option<Notice>> {
        let place = || Place::file(path);
        // The only forbidden character that a name on the disk can have is a control character.
        let repo_path = RepoPath::new(path).map_err(|_| {
            let message =
                "left out: its name has a control character; rename it to have it in the map";
            Some(Notice::at(NoticeCode::ScanOddName, place(), message))
        })?;
        let odd = path.contains('\\').then(|| {
            let message = "its name has a backslash; it is in the map under that name";
            Notice::at(NoticeCode::ScanOddName, place(), message)
        });
        let absolute = match kind {
            FileKind::Link => self.link_target(path)?,
            _ => self.absolute(path),
        };
        Ok((SourceFile { path: repo_path, absolute }, odd))
    }

    /// The target of a link, if the universe may show it. A link to a folder inside is skipped without a
    /// notice: the files there are in the map under their own paths.
    fn link_target(&self, path: &str) -> Result<PathBuf, Option<Notice>> {
        let refuse = |why: &str| {
            Some(Notice::at(
                NoticeCode::ScanLink,
                Place::file(path),
                format!("link left out: {why}"),
            ))
        };
        let target =
            self.system.real_path(&self.absolute(path)).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => refuse("its target does not exist"),
                _ => refuse(&error.to_string()),
            })?;
        let Some(inside) = repo_path_of(&self.settings.root, &target) else {
            return Err(refuse("its target is outside the repository"));
        };
        let stat = self.system.stat(&target).map_err(|error| refuse(&error.to_string()))?;
        match stat.kind {
            FileKind::File => {}
            FileKind::Dir => return Err(None),
            FileKind::Link | FileKind::Other => {
                return Err(refuse("its target is not a file"));
            }
        }
        if is_reserved(&inside, &self.settings.stan_path)
            || self.settings.excludes.is_match(&inside)
        {
            return Err(refuse("its target is excluded"));
        }
        if self.is_denied(path, &inside, &target) {
            return Err(refuse("its target may hold secrets"));
        }
        Ok(target)
    }

    /// Whether the guard denies the target of a link under its own name. The link's own name is judged when the file is read.
    /// Here the target's name is: if it alone is suspect, the text is not looked at.
    fn is_denied(&self, path: &str, inside: &str, target: &Path) -> bool {
        let guard = &self.settings.guard;
        let allows = |name: &str| RepoPath::new(name).is_ok_and(|name| guard.allows(&name));
        let Ok(inside) = RepoPath::new(inside) else { return true };
        if allows(path) || guard.allows(&inside) {
            return false;
        }
        if portolan_guard::by_name_alone(&inside).is_some() {
            return true;
        }
        let bytes = self.system.read_real(target, MOST_JUDGED);
        bytes.is_ok_and(|bytes| guard.judge(&inside, &bytes).is_some())
    }
}

/// The repo path of an absolute path, if it is below the root and valid.
fn repo_path_of(root: &Path, absolute: &Path) -> Option<String> {
    let relative = absolute.strip_prefix(root).ok()?;
    let segments: Option<Vec<&str>> = relative.iter().map(|segment| segment.to_str()).collect();
    segments.map(|segments| segments.join("/"))
}

#[cfg(test)]
mod tests;
