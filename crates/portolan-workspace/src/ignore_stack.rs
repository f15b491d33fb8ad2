//! The rules that decide about the entries of a folder during a walk.
//!
//! reserved > `excludes` > `includes` > `.portolanignore` > tracked by git > ignored by git.
//! `node_modules` is always out, unless an include names it.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::{DirEntry, FileKind};

use crate::git::{
    self, AbsentRules, DOT_GIT, Git, GitLookup, GitRepository, MOST_RULES_BYTES,
    RepositoryPosition, Tracked,
};
use crate::ignore_rules::{GIT_IGNORE, IgnoreFile, IgnoreRules, OWN_IGNORE};
use crate::{Patterns, ScanSettings};

/// Where packages are installed. Its content is not the repository's source.
const INSTALLED: &str = "node_modules";

/// The rules that apply in a folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct IgnoreStack {
    rules: IgnoreRules,
    tracked: Arc<Tracked>,
    /// The ignore files that exist only in the index, by their folder from the top of the outermost repository.
    absent_rules: Arc<AbsentRules>,
    /// The root's path from the top of its repository, with a slash; empty if it is the top.
    above: Arc<str>,
    ignore_case: bool,
    mode: FolderMode,
    is_installed: bool,
    /// Whether there is a repository.
    is_repository: bool,
}

/// Which files to look for in a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FolderMode {
    /// All: the folder is not ignored.
    #[default]
    Open,
    /// Tracked files only: git ignores the folder, but tracks something in it.
    TrackedOnly,
    /// Included files only.
    IncludedOnly,
}

/// The configured filters, besides ignore files.
pub(crate) struct FileFilter<'a> {
    settings: &'a ScanSettings,
    /// The includes that name `node_modules`.
    installed: Patterns,
}

impl<'a> FileFilter<'a> {
    pub(crate) fn new(settings: &'a ScanSettings) -> Self {
        Self { settings, installed: settings.includes.naming(INSTALLED) }
    }

    fn includes(&self, is_installed: bool) -> &Patterns {
        if is_installed { &self.installed } else { &self.settings.includes }
    }
}

/// The decision about an entry.
enum EntryVerdict {
    In,
    Out,
    /// Git ignores it, but it counts if it is tracked.
    Ignored,
}

impl IgnoreStack {
    /// The rules at the root of a walk, including those of its parent folders. Fails if an ignore file exists
    /// but cannot be read: the scan would show files that it hides.
    pub(crate) fn at_root(
        git: &Git<'_>,
        root: &Path,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, String> {
        for top in root.ancestors() {
            let below = root.strip_prefix(top).ok().and_then(Path::to_str);
            // The root is UTF-8, and so is its suffix.
            let Some(below) = below else { break };
            let above = if below.is_empty() { String::new() } else { format!("{below}/") };
            let position = RepositoryPosition { top, above: &above, base: "" };
            let kind = match git.system.lstat(&top.join(DOT_GIT)) {
                Ok(stat) => stat.kind,
                Err(error) => {
                    // A sandbox may hide folders above the root.
                    let is_hidden = error.kind() == ErrorKind::PermissionDenied;
                    if !git::is_absent(&error) && (above.is_empty() || !is_hidden) {
                        notices.push(git::broken(&position, &error.to_string()));
                    }
                    continue;
                }
            };
            match git.open(&position, notices)? {
                GitLookup::Repository(found) => {
                    return Self::below(git, &position, found, notices);
                }
                GitLookup::Broken(why) => {
                    // As in git: it looks for a folder that is a repository further up.
                    if above.is_empty() || kind != FileKind::Dir {
                        notices.push(git::broken(&position, &why));
                    }
                    if kind != FileKind::Dir {
                        break;
                    }
                }
            }
        }
        Ok(Self::default())
    }

    /// The rules at the root of a walk in a repository whose top is the root or above it.
    fn below(
        git: &Git<'_>,
        position: &RepositoryPosition<'_>,
        repository: GitRepository,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, String> {
        let mut stack = Self { above: position.above.into(), ..Self::default() };
        stack.enter_repository(repository, "", notices);
        let mut folder = String::new();
        for name in position.above.split_terminator('/') {
            let place = position.top.join(&folder).join(GIT_IGNORE);
            let depth = position.above[folder.len()..].trim_matches('/').split('/').count();
            let shown = format!("{}{GIT_IGNORE}", "../".repeat(depth));
            let is_link = git.system.lstat(&place).is_ok_and(|stat| stat.kind == FileKind::Link);
            let read = git::read_optional(git.system, &place, MOST_RULES_BYTES);
            let bytes = read.map_err(|error| format!("`{shown}` cannot be read: {error}"))?;
            match bytes.filter(|_| !is_link) {
                Some(bytes) => stack.add_git(&shown, &folder, &bytes, notices),
                None => stack.add_absent(&shown, &folder, notices)?,
            }
            if !folder.is_empty() {
                folder.push('/');
            }
            folder.push_str(name);
            if stack.rules.is_ignored(&folder, true) {
                return Ok(stack.in_ignored_root(&folder, notices));
            }
        }
        Ok(stack)
    }

    /// The rules for a root that the repository above ignores. If it tracks something in the root, only that
    /// counts; otherwise the repository does not matter.
    fn in_ignored_root(self, folder: &str, notices: &mut Vec<Notice>) -> Self {
        let (counts, stack) = if self.tracked.is_empty() {
            ("only the ignore files in it count", Self::default())
        } else {
            let mode = FolderMode::TrackedOnly;
            ("only the files that it tracks count", Self { mode, ..self })
        };
        let message = format!("the repository above ignores `{folder}`, so {counts}");
        notices.push(Notice::at(NoticeCode::ScanGit, Place::file("."), message));
        stack
    }

    /// Applies the rules of a repository from its top on.
    fn enter_repository(&mut self, found: GitRepository, folder: &str, notices: &mut Vec<Notice>) {
        let GitRepository { tracked, ignore_case, ignore_files, absent_rules } = found;
        let from_top = |below: String| format!("{folder}/{below}").trim_matches('/').to_owned();
        let absent = absent_rules.into_iter().map(|(below, text)| (from_top(below), text));
        self.absent_rules = Arc::new(absent.collect());
        self.rules = self.rules.without_git();
        self.tracked = tracked;
        self.ignore_case = ignore_case;
        self.mode = FolderMode::Open;
        self.is_repository = true;
        for (shown, bytes) in &ignore_files {
            self.add_git(shown, folder, bytes, notices);
        }
    }

    /// Adds a git ignore file whose patterns are relative to a folder of its repository.
    fn add_git(&mut self, shown: &str, folder: &str, bytes: &[u8], notices: &mut Vec<Notice>) {
        let file = IgnoreFile { shown, folder, ignore_case: self.ignore_case, bytes };
        self.rules = std::mem::take(&mut self.rules).with_git(&file, notices);
    }

    /// Adds the ignore file of a folder that exists only in the index, if there is one.
    fn add_absent(
        &mut self,
        shown: &str,
        folder: &str,
        notices: &mut Vec<Notice>,
    ) -> Result<(), String> {
        let absent = Arc::clone(&self.absent_rules);
        match absent.get(folder) {
            Some(Ok(bytes)) => self.add_git(shown, folder, bytes, notices),
            Some(Err(error)) => {
                return Err(format!("`{shown}` is not checked out and cannot be read: {error}"));
            }
            None => {}
        }
        Ok(())
    }

    /// The rules inside a folder that was just listed: adds its ignore files, or switches to the rules of
    /// another repository at its top.
    pub(crate) fn entered(
        mut self,
        git: &Git<'_>,
        root: &Path,
        folder: &str,
        entries: &[DirEntry],
        notices: &mut Vec<Notice>,
    ) -> Result<Self, String> {
        let has = |name: &str| entries.iter().find(|entry| entry.name == name);
        if !folder.is_empty() && has(DOT_GIT).is_some() && self.may_enter(folder) {
            let base = format!("{folder}/");
            let position = RepositoryPosition { top: &root.join(folder), above: "", base: &base };
            match git.open(&position, notices)? {
                GitLookup::Repository(found) => {
                    let folder = format!("{}{folder}", self.above);
                    self.enter_repository(found, &folder, notices);
                }
                GitLookup::Broken(why) => notices.push(git::broken(&position, &why)),
            }
        }
        let is_file = |name: &str| has(name).is_some_and(|entry| entry.kind == FileKind::File);
        let read = |name: &str| {
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            let bytes = git.system.read_at_most(&root.join(&path), MOST_RULES_BYTES);
            let bytes = bytes.map_err(|error| format!("`{path}` cannot be read: {error}"))?;
            Ok::<_, String>((path, bytes))
        };
        // An ignore file inside an ignored folder cannot bring anything back.
        if self.mode == FolderMode::Open {
            let from = format!("{}{folder}", self.above);
            let from = from.trim_end_matches('/');
            if is_file(GIT_IGNORE) {
                let (path, bytes) = read(GIT_IGNORE)?;
                self.add_git(&path, from, &bytes, notices);
            } else {
                let shown = format!("{folder}/{GIT_IGNORE}");
                self.add_absent(shown.trim_start_matches('/'), from, notices)?;
            }
        }
        if is_file(OWN_IGNORE) {
            let (path, bytes) = read(OWN_IGNORE)?;
            let file = IgnoreFile { shown: &path, folder, ignore_case: false, bytes: &bytes };
            self.rules = self.rules.with_own(&file, notices);
        }
        Ok(self)
    }

    /// Whether a nested repository counts. If the outer repository ignores its folder, only a submodule
    /// does.
    fn may_enter(&self, folder: &str) -> bool {
        match self.mode {
            FolderMode::Open => !self.is_installed,
            FolderMode::TrackedOnly => self.tracked.is_submodule(folder),
            FolderMode::IncludedOnly => false,
        }
    }

    /// Whether a file belongs to the universe.
    pub(crate) fn takes(&self, filter: &FileFilter<'_>, path: &str) -> bool {
        if filter.settings.excludes.is_match(path) {
            return false;
        }
        match self.verdict(filter, path, false) {
            EntryVerdict::In => true,
            EntryVerdict::Ignored => self.tracked.has(path),
            EntryVerdict::Out => false,
        }
    }

    /// Whether git would commit the content of a folder.
    pub(crate) fn commits(&self, filter: &FileFilter<'_>, folder: &str) -> bool {
        self.is_repository && matches!(self.verdict(filter, folder, true), EntryVerdict::In)
    }

    /// The rules inside a subfolder; `None` if it need not be walked.
    pub(crate) fn below_folder(&self, filter: &FileFilter<'_>, path: &str) -> Option<Self> {
        let excludes = &filter.settings.excludes;
        if excludes.covers(path) {
            return None;
        }
        let mut below = self.clone();
        below.is_installed |= path.rsplit('/').next() == Some(INSTALLED);
        // A later negated pattern may bring back something below an excluded folder.
        if excludes.is_match(path) {
            return Some(below);
        }
        match below.verdict(filter, path, true) {
            EntryVerdict::In => {}
            EntryVerdict::Ignored if self.tracked.has_below(path) => {
                below.mode = FolderMode::TrackedOnly;
            }
            EntryVerdict::Ignored | EntryVerdict::Out => {
                if !filter.includes(below.is_installed).may_match_below(path) {
                    return None;
                }
                below.mode = FolderMode::IncludedOnly;
            }
        }
        Some(below)
    }

    /// The decision about an entry that is neither reserved nor excluded.
    fn verdict(&self, filter: &FileFilter<'_>, path: &str, is_dir: bool) -> EntryVerdict {
        if filter.includes(self.is_installed).is_match(path) {
            return EntryVerdict::In;
        }
        if self.is_installed || self.mode == FolderMode::IncludedOnly {
            return EntryVerdict::Out;
        }
        match self.rules.own(path, is_dir) {
            Some(true) => return EntryVerdict::Out,
            Some(false) => return EntryVerdict::In,
            None => {}
        }
        let is_ignored = match (self.mode, &*self.above) {
            (FolderMode::Open, "") => self.rules.is_ignored(path, is_dir),
            (FolderMode::Open, above) => self.rules.is_ignored(&format!("{above}{path}"), is_dir),
            _ => true,
        };
        if is_ignored { EntryVerdict::Ignored } else { EntryVerdict::In }
    }
}

/// Whether a path never belongs to the universe: git's own files at any depth, and the workspace except
/// for its system docs.
pub(crate) fn is_reserved(path: &str, stan_path: &RepoPath) -> bool {
    if path.split('/').any(|segment| segment == DOT_GIT) {
        return true;
    }
    let Some(below) = path.strip_prefix(stan_path.as_str()) else { return false };
    let system =
        below.strip_prefix("/system").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    (below.is_empty() || below.starts_with('/')) && !system
}
