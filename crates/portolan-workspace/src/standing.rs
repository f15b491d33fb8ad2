//! Where a walk stands: by which rules the entries of a folder are judged.
//!
//! reserved > `excludes` > `includes` > `.portolanignore` > what git tracks > what git ignores.
//! `node_modules` is out whatever git says, unless an include names it.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::{DirEntry, FileKind};

use crate::git::{
    self, AbsentRules, DOT_GIT, Found, Git, MOST_RULES_BYTES, Position, Repository, Tracked,
};
use crate::ignore_rules::{GIT_IGNORE, IgnoreFile, IgnoreRules, OWN_IGNORE};
use crate::{Patterns, ScanSettings};

/// Where packages are installed: nobody's source.
const INSTALLED: &str = "node_modules";

/// What a walk knows in a folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    rules: IgnoreRules,
    tracked: Arc<Tracked>,
    /// The ignore files that only the index has, by their folder from the top of the outermost repository.
    absent_rules: Arc<AbsentRules>,
    /// The root's path from the top of its repository, with a slash; empty where it is the top.
    above: Arc<str>,
    ignore_case: bool,
    openness: Openness,
    is_installed: bool,
    /// Whether there is a repository at all.
    is_repository: bool,
}

/// What an ignored folder that is walked all the same is walked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Openness {
    /// It is not ignored.
    #[default]
    Open,
    /// git ignores it, and tracks something in it.
    TrackedOnly,
    /// Nothing but an include brings something in it back.
    IncludedOnly,
}

/// What decides beside ignore files.
pub(crate) struct Choice<'a> {
    settings: &'a ScanSettings,
    /// The includes that name `node_modules`.
    installed: Patterns,
}

impl<'a> Choice<'a> {
    pub(crate) fn new(settings: &'a ScanSettings) -> Self {
        Self { settings, installed: settings.includes.naming(INSTALLED) }
    }

    fn includes(&self, is_installed: bool) -> &Patterns {
        if is_installed { &self.installed } else { &self.settings.includes }
    }
}

/// Why an entry is or isn't part of the universe.
enum Verdict {
    In,
    Out,
    /// git ignores it; what it tracks counts all the same.
    Ignored,
}

impl Standing {
    /// Where a walk begins, with what the folders above say. An error where an ignore file is there but
    /// cannot be read: what it keeps back would be shown.
    pub(crate) fn at_root(
        git: &Git<'_>,
        root: &Path,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, String> {
        for top in root.ancestors() {
            let below = root.strip_prefix(top).ok().and_then(Path::to_str);
            // The root is text; its end is too.
            let Some(below) = below else { break };
            let above = if below.is_empty() { String::new() } else { format!("{below}/") };
            let position = Position { top, above: &above, base: "" };
            let kind = match git.system.lstat(&top.join(DOT_GIT)) {
                Ok(stat) => stat.kind,
                Err(error) => {
                    // What a sandbox hides above the root is none of ours.
                    let is_hidden = error.kind() == ErrorKind::PermissionDenied;
                    if !git::is_absent(&error) && (above.is_empty() || !is_hidden) {
                        notices.push(git::broken(&position, &error.to_string()));
                    }
                    continue;
                }
            };
            match git.open(&position, notices)? {
                Found::Repository(found) => {
                    return Self::below(git, &position, found, notices);
                }
                Found::Broken(why) => {
                    // As git does: it looks for a folder that is a repository further up.
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

    /// The root of a walk in a repository whose top is the root or above it.
    fn below(
        git: &Git<'_>,
        position: &Position<'_>,
        repository: Repository,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, String> {
        let mut standing = Self { above: position.above.into(), ..Self::default() };
        standing.enter_repository(repository, "", notices);
        let mut folder = String::new();
        for name in position.above.split_terminator('/') {
            let place = position.top.join(&folder).join(GIT_IGNORE);
            let depth = position.above[folder.len()..].trim_matches('/').split('/').count();
            let shown = format!("{}{GIT_IGNORE}", "../".repeat(depth));
            let is_link = git.system.lstat(&place).is_ok_and(|stat| stat.kind == FileKind::Link);
            let read = git::read_optional(git.system, &place, MOST_RULES_BYTES);
            let bytes = read.map_err(|error| format!("`{shown}` cannot be read: {error}"))?;
            match bytes.filter(|_| !is_link) {
                Some(bytes) => standing.add_git(&shown, &folder, &bytes, notices),
                None => standing.add_absent(&shown, &folder, notices)?,
            }
            if !folder.is_empty() {
                folder.push('/');
            }
            folder.push_str(name);
            if standing.rules.is_ignored(&folder, true) {
                return Ok(standing.in_ignored_root(&folder, notices));
            }
        }
        Ok(standing)
    }

    /// A root that the repository above ignores. With something tracked in it, that is what counts; else
    /// the repository has nothing to do with it.
    fn in_ignored_root(self, folder: &str, notices: &mut Vec<Notice>) -> Self {
        let (counts, standing) = if self.tracked.is_empty() {
            ("only the ignore files in it count", Self::default())
        } else {
            let openness = Openness::TrackedOnly;
            ("only the files that it tracks count", Self { openness, ..self })
        };
        let message = format!("the repository above ignores `{folder}`, so {counts}");
        notices.push(Notice::at(NoticeCode::ScanGit, Place::file("."), message));
        standing
    }

    /// Takes over what a repository says, from its top on.
    fn enter_repository(&mut self, found: Repository, folder: &str, notices: &mut Vec<Notice>) {
        let Repository { tracked, ignore_case, ignore_files, absent_rules } = found;
        let from_top = |below: String| format!("{folder}/{below}").trim_matches('/').to_owned();
        let absent = absent_rules.into_iter().map(|(below, text)| (from_top(below), text));
        self.absent_rules = Arc::new(absent.collect());
        self.rules = self.rules.without_git();
        self.tracked = tracked;
        self.ignore_case = ignore_case;
        self.openness = Openness::Open;
        self.is_repository = true;
        for (shown, bytes) in &ignore_files {
            self.add_git(shown, folder, bytes, notices);
        }
    }

    /// Adds an ignore file of git's whose patterns start from a folder of its repository.
    fn add_git(&mut self, shown: &str, folder: &str, bytes: &[u8], notices: &mut Vec<Notice>) {
        let file = IgnoreFile { shown, folder, ignore_case: self.ignore_case, bytes };
        self.rules = std::mem::take(&mut self.rules).with_git(&file, notices);
    }

    /// Adds the ignore file of a folder that only the index has, if there is one.
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

    /// Where a walk stands once it has listed a folder: with its own ignore files, and at the top of
    /// another repository by its rules.
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
            let position = Position { top: &root.join(folder), above: "", base: &base };
            match git.open(&position, notices)? {
                Found::Repository(found) => {
                    let folder = format!("{}{folder}", self.above);
                    self.enter_repository(found, &folder, notices);
                }
                Found::Broken(why) => notices.push(git::broken(&position, &why)),
            }
        }
        let is_file = |name: &str| has(name).is_some_and(|entry| entry.kind == FileKind::File);
        let read = |name: &str| {
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            let bytes = git.system.read_at_most(&root.join(&path), MOST_RULES_BYTES);
            let bytes = bytes.map_err(|error| format!("`{path}` cannot be read: {error}"))?;
            Ok::<_, String>((path, bytes))
        };
        // Nothing below an ignored folder is brought back by an ignore file in it.
        if self.openness == Openness::Open {
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

    /// Whether a repository inside this one counts: where the one around it ignores its folder, only a
    /// submodule does.
    fn may_enter(&self, folder: &str) -> bool {
        match self.openness {
            Openness::Open => !self.is_installed,
            Openness::TrackedOnly => self.tracked.is_submodule(folder),
            Openness::IncludedOnly => false,
        }
    }

    /// Whether a file is part of the universe.
    pub(crate) fn takes(&self, choice: &Choice<'_>, path: &str) -> bool {
        if choice.settings.excludes.is_match(path) {
            return false;
        }
        match self.verdict(choice, path, false) {
            Verdict::In => true,
            Verdict::Ignored => self.tracked.has(path),
            Verdict::Out => false,
        }
    }

    /// Whether git would take what is in a folder for part of the repository.
    pub(crate) fn commits(&self, choice: &Choice<'_>, folder: &str) -> bool {
        self.is_repository && matches!(self.verdict(choice, folder, true), Verdict::In)
    }

    /// Whether to walk a folder, and how it stands there.
    pub(crate) fn below_folder(&self, choice: &Choice<'_>, path: &str) -> Option<Self> {
        let excludes = &choice.settings.excludes;
        if excludes.covers(path) {
            return None;
        }
        let mut below = self.clone();
        below.is_installed |= path.rsplit('/').next() == Some(INSTALLED);
        // A later negated pattern may bring something below an excluded folder back.
        if excludes.is_match(path) {
            return Some(below);
        }
        match below.verdict(choice, path, true) {
            Verdict::In => {}
            Verdict::Ignored if self.tracked.has_below(path) => {
                below.openness = Openness::TrackedOnly;
            }
            Verdict::Ignored | Verdict::Out => {
                if !choice.includes(below.is_installed).may_match_below(path) {
                    return None;
                }
                below.openness = Openness::IncludedOnly;
            }
        }
        Some(below)
    }

    /// What is said of an entry that is neither reserved nor excluded.
    fn verdict(&self, choice: &Choice<'_>, path: &str, is_dir: bool) -> Verdict {
        if choice.includes(self.is_installed).is_match(path) {
            return Verdict::In;
        }
        if self.is_installed || self.openness == Openness::IncludedOnly {
            return Verdict::Out;
        }
        match self.rules.own(path, is_dir) {
            Some(true) => return Verdict::Out,
            Some(false) => return Verdict::In,
            None => {}
        }
        let is_ignored = match (self.openness, &*self.above) {
            (Openness::Open, "") => self.rules.is_ignored(path, is_dir),
            (Openness::Open, above) => self.rules.is_ignored(&format!("{above}{path}"), is_dir),
            _ => true,
        };
        if is_ignored { Verdict::Ignored } else { Verdict::In }
    }
}

/// Whether a path is never part of the universe: git's own files at any depth, and the workspace but for
/// its system docs.
pub(crate) fn is_reserved(path: &str, stan_path: &RepoPath) -> bool {
    if path.split('/').any(|segment| segment == DOT_GIT) {
        return true;
    }
    let Some(below) = path.strip_prefix(stan_path.as_str()) else { return false };
    let system =
        below.strip_prefix("/system").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    (below.is_empty() || below.starts_with('/')) && !system
}
