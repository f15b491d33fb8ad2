//! Reads the parts of a git repository that decide which files count: the index, and the ignore files outside the tree.
//!
//! The universe is what git would commit. A tracked file counts, whatever ignore files say; other files follow
//! `.gitignore` files, `info/exclude` and the user's own ignore file. This never runs `git`: it reads the files
//! through `portolan-vfs` like everything else. If one of them is broken, a notice says so and the patterns
//! alone decide.

mod absent;
mod belonging;
mod bitmap;
mod config;
mod environment;
mod history;
mod index;
mod objects;
mod origin;
mod revision;
mod sha1;
mod tracked;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use portolan_types::{Notice, NoticeCode, Place};
use portolan_vfs::{FileKind, System};

pub(crate) use self::absent::AbsentRules;
use self::absent::absent_rules;
use self::config::{ConfigReader, GitConfig};
pub use self::environment::GitEnvironment;
pub use self::history::{Commit, CommitLog, CommitMessage, HistoryBounds, first_parent, history};
use self::index::GitIndex;
pub use self::origin::origin;
pub use self::revision::{NOT_A_REPOSITORY, Revision};
pub(crate) use self::tracked::Tracked;

/// The largest index to read.
const MOST_INDEX_BYTES: usize = 256 << 20;
/// The largest ignore file to read.
pub(crate) const MOST_RULES_BYTES: usize = 4 << 20;
/// The largest `.git` or `commondir` file to read; each is one line.
const MOST_POINTER_BYTES: usize = 64 << 10;

/// The name of the entry that makes a folder the top of a repository.
pub(crate) const DOT_GIT: &str = ".git";

/// A git repository.
#[derive(Debug, Default)]
pub(crate) struct GitRepository {
    pub(crate) tracked: Arc<Tracked>,
    /// Whether patterns ignore case.
    pub(crate) ignore_case: bool,
    /// The ignore files outside the tree, weakest first: their names and their content.
    pub(crate) ignore_files: Vec<(String, Vec<u8>)>,
    /// The ignore files inside the tree that a sparse checkout leaves out.
    pub(crate) absent_rules: AbsentRules,
}

/// The result of opening a folder's `.git`.
pub(crate) enum GitLookup {
    /// A repository.
    Repository(GitRepository),
    /// The `.git` is not a repository; says why.
    Broken(String),
}

/// The position of a repository's top relative to the scanned root.
pub(crate) struct RepositoryPosition<'a> {
    /// The absolute path of the top.
    pub(crate) top: &'a Path,
    /// The path from the top to the root, with a slash; empty if the root is the top or above it.
    pub(crate) above: &'a str,
    /// The path from the root to the top, with a slash; empty if the top is the root or above it.
    pub(crate) base: &'a str,
}

/// Opens the repositories that a walk finds.
pub(crate) struct Git<'a> {
    pub(crate) system: &'a dyn System,
    pub(crate) environment: &'a GitEnvironment,
}

impl Git<'_> {
    /// Opens the `.git` of a folder. Fails if its own ignore file exists but cannot be read: the scan would
    /// show files that it hides.
    pub(crate) fn open(
        &self,
        position: &RepositoryPosition<'_>,
        notices: &mut Vec<Notice>,
    ) -> Result<GitLookup, String> {
        let dot_git = position.top.join(DOT_GIT);
        let git_dir = match self.git_dir(&dot_git) {
            Ok(git_dir) => git_dir,
            Err(why) => return Ok(GitLookup::Broken(why)),
        };
        let common = match self.common_dir(&git_dir) {
            Ok(common) => common,
            Err(why) => {
                return Ok(GitLookup::Broken(format!("its `commondir` cannot be read: {why}")));
            }
        };
        let config = self.config(position, &git_dir, &common, notices);
        if config.is_bare && common == git_dir {
            return Ok(GitLookup::Broken("it is a bare repository without a work tree".into()));
        }
        let mut ignore_files = Vec::new();
        ignore_files.extend(self.excludes_file(position, &config, notices));
        let info = common.join("info/exclude");
        let label = format!("{}{DOT_GIT}/info/exclude", position.base);
        let text = read_optional(self.system, &info, MOST_RULES_BYTES);
        let text = text.map_err(|error| format!("`{label}` cannot be read: {error}"))?;
        ignore_files.extend(text.map(|text| (label, text)));
        let hash_bytes = if config.is_sha256 { 32 } else { 20 };
        let index = self.index(&git_dir, hash_bytes).unwrap_or_else(|error| {
            let message = format!("not used, so only ignore files apply: {error}");
            notices.push(notice(position, "/index", message));
            GitIndex::default()
        });
        let ignore_case = config.ignore_case;
        let tracked = Tracked::new(&index, position.above, position.base, ignore_case);
        let tracked = Arc::new(tracked);
        let absent_rules = absent_rules(self.system, position, &common, &index, config.is_sha256);
        Ok(GitLookup::Repository(GitRepository {
            tracked,
            ignore_case,
            ignore_files,
            absent_rules,
        }))
    }

    /// The git folder that `.git` is or points to.
    fn git_dir(&self, dot_git: &Path) -> Result<PathBuf, String> {
        let stat = self.system.stat(dot_git).map_err(|error| error.to_string())?;
        let git_dir = match stat.kind {
            FileKind::Dir => dot_git.to_path_buf(),
            FileKind::File => {
                let text = self.pointer(dot_git)?.unwrap_or_default();
                let target = text.strip_prefix("gitdir:").map(str::trim);
                let target = target.filter(|target| !target.is_empty());
                let target = target.ok_or("it does not say where the repository is")?;
                dot_git.parent().unwrap_or(dot_git).join(target)
            }
            FileKind::Link | FileKind::Other => return Err("it is not a folder".to_owned()),
        };
        // Before the first commit, `HEAD` may be a dangling link.
        match self.system.lstat(&git_dir.join("HEAD")) {
            Ok(_) => Ok(git_dir),
            Err(error) if is_absent(&error) => Err("it has no `HEAD`".to_owned()),
            Err(error) => Err(format!("its `HEAD` cannot be read: {error}")),
        }
    }

    /// The folder that all work trees of a repository share.
    fn common_dir(&self, git_dir: &Path) -> Result<PathBuf, String> {
        let common = self.pointer(&git_dir.join("commondir"))?;
        Ok(common.map_or_else(|| git_dir.to_path_buf(), |common| git_dir.join(common.trim())))
    }

    /// The path in a pointer file, if the file exists.
    fn pointer(&self, path: &Path) -> Result<Option<String>, String> {
        let bytes = read_optional(self.system, path, MOST_POINTER_BYTES)?;
        let text = bytes.map(String::from_utf8).transpose();
        text.map_err(|_| "it is not UTF-8".to_owned())
    }

    fn config(
        &self,
        position: &RepositoryPosition<'_>,
        git_dir: &Path,
        common: &Path,
        notices: &mut Vec<Notice>,
    ) -> GitConfig {
        let mut reader = ConfigReader::new(self.system, self.environment, git_dir);
        for path in &self.environment.config_files {
            reader.read(path);
        }
        reader.read(&common.join("config"));
        if reader.config.has_worktree_config {
            reader.read(&git_dir.join("config.worktree"));
        }
        for (path, error) in &reader.unreadable {
            let path = self.environment.shown(path);
            let message = format!("git's configuration `{path}` cannot be read: {error}");
            notices.push(notice(position, "", message));
        }
        reader.config
    }

    /// The user's own ignore file. It is not part of the repository, so the run continues without it.
    fn excludes_file(
        &self,
        position: &RepositoryPosition<'_>,
        config: &GitConfig,
        notices: &mut Vec<Notice>,
    ) -> Option<(String, Vec<u8>)> {
        let path = match &config.excludes_file {
            Some(value) => match self.environment.path(value, position.top) {
                Some(path) => path,
                None if value.is_empty() => return None,
                None => {
                    let message = format!(
                        "your ignore file `{}` is in a home that is not known here, so it hides nothing: \
                         write `core.excludesFile` without `~`",
                        value.escape_debug()
                    );
                    notices.push(notice(position, "", message));
                    return None;
                }
            },
            None => self.environment.default_excludes.clone()?,
        };
        let label = self.environment.shown(&path);
        match read_optional(self.system, &path, MOST_RULES_BYTES) {
            Ok(text) => text.map(|text| (label, text)),
            Err(error) => {
                let message = format!(
                    "your ignore file `{label}` cannot be read, so it has no effect: {error}"
                );
                notices.push(notice(position, "", message));
                None
            }
        }
    }

    /// The index; empty if nothing was ever added.
    fn index(&self, git_dir: &Path, hash_bytes: usize) -> Result<GitIndex, String> {
        let path = git_dir.join("index");
        let Some(bytes) = read_optional(self.system, &path, MOST_INDEX_BYTES)? else {
            return Ok(GitIndex::default());
        };
        let index = GitIndex::read(&bytes, hash_bytes)?;
        let Some(checksum) = index.shared() else { return Ok(index) };
        let checksum: String = checksum.iter().map(|byte| format!("{byte:02x}")).collect();
        let name = format!("sharedindex.{checksum}");
        let bytes = self.system.read_at_most(&git_dir.join(&name), MOST_INDEX_BYTES);
        let bytes = bytes.map_err(|error| format!("`{name}` cannot be read: {error}"))?;
        index.joined(
            GitIndex::read(&bytes, hash_bytes).map_err(|error| format!("`{name}`: {error}"))?,
        )
    }
}

/// A notice about a repository, or about a file in its `.git`.
fn notice(position: &RepositoryPosition<'_>, file: &str, message: String) -> Notice {
    let up = "../".repeat(position.above.matches('/').count());
    let place = format!("{up}{}{DOT_GIT}{file}", position.base);
    Notice::at(NoticeCode::ScanGit, Place::file(place), message)
}

/// A notice about a `.git` that is not a repository.
pub(crate) fn broken(position: &RepositoryPosition<'_>, why: &str) -> Notice {
    let message = format!("not used, so only ignore files apply: {why}");
    notice(position, "", message)
}

pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Reads a file if it exists. A device counts as absent: users write `/dev/null` for "none".
pub(crate) fn read_optional(
    system: &dyn System,
    path: &Path,
    limit: usize,
) -> Result<Option<Vec<u8>>, String> {
    match system.read_at_most(path, limit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => match system.stat(path) {
            Ok(stat) if stat.kind == FileKind::Other => Ok(None),
            _ => Err(error.to_string()),
        },
    }
}

#[cfg(test)]
mod tests;
