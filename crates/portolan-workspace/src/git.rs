//! git, as far as it decides which files count: the index, and the ignore files outside the tree.
//!
//! The universe is what git would commit. A file that is tracked counts, whatever ignore files say; the
//! others follow `.gitignore` files, `info/exclude` and the person's own ignore file. No `git` is run: the
//! files are read through the same door as everything else, and what is wrong with them is a notice. Then
//! patterns alone decide.

mod absent;
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
pub use self::history::{first_parent, history, Commit, HistoryBounds};
use self::index::Index;
pub use self::origin::origin;
pub use self::revision::Revision;
pub(crate) use self::tracked::Tracked;

/// A larger index is not read.
const MOST_INDEX_BYTES: usize = 256 << 20;
/// A larger ignore file is not one.
pub(crate) const MOST_RULES_BYTES: usize = 4 << 20;
/// A file that says where a repository is, or where its common part is, is a line.
const MOST_POINTER_BYTES: usize = 64 << 10;

/// The name of what makes a folder the top of a repository.
pub(crate) const DOT_GIT: &str = ".git";

/// A repository of git.
#[derive(Debug, Default)]
pub(crate) struct Repository {
    pub(crate) tracked: Arc<Tracked>,
    /// Whether patterns are to match whatever the case.
    pub(crate) ignore_case: bool,
    /// The ignore files outside the tree, weakest first: how they are called, and what they say.
    pub(crate) ignore_files: Vec<(String, Vec<u8>)>,
    /// The ignore files inside the tree that a sparse checkout leaves out.
    pub(crate) absent_rules: AbsentRules,
}

/// What is at a folder that may be the top of a repository.
pub(crate) enum Found {
    /// A repository.
    Repository(Repository),
    /// Something called `.git` that is no repository, and why.
    Broken(String),
}

/// Where a repository's top is, seen from the folder whose files are asked for.
pub(crate) struct Position<'a> {
    /// The absolute path of the top.
    pub(crate) top: &'a Path,
    /// The folder below the top that the root is, with a slash; empty where the root is the top or above.
    pub(crate) above: &'a str,
    /// The folder below the root that the top is, with a slash; empty where the top is the root or above.
    pub(crate) base: &'a str,
}

/// Opens the repositories that a walk comes to.
pub(crate) struct Git<'a> {
    pub(crate) system: &'a dyn System,
    pub(crate) environment: &'a GitEnvironment,
}

impl Git<'_> {
    /// What stands at the `.git` of a folder; an error where its own ignore file is there but cannot be
    /// read: what it keeps back would be shown.
    pub(crate) fn open(
        &self,
        position: &Position<'_>,
        notices: &mut Vec<Notice>,
    ) -> Result<Found, String> {
        let dot_git = position.top.join(DOT_GIT);
        let git_dir = match self.git_dir(&dot_git) {
            Ok(git_dir) => git_dir,
            Err(why) => return Ok(Found::Broken(why)),
        };
        let common = match self.common_dir(&git_dir) {
            Ok(common) => common,
            Err(why) => return Ok(Found::Broken(format!("its `commondir` cannot be read: {why}"))),
        };
        let config = self.config(position, &git_dir, &common, notices);
        if config.is_bare && common == git_dir {
            return Ok(Found::Broken("it is a bare repository: it has no files of its own".into()));
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
            let message = format!("it is not used, so ignore files alone decide: {error}");
            notices.push(notice(position, "/index", message));
            Index::default()
        });
        let ignore_case = config.ignore_case;
        let tracked = Tracked::new(&index, position.above, position.base, ignore_case);
        let tracked = Arc::new(tracked);
        let absent_rules = absent_rules(self.system, position, &common, &index, config.is_sha256);
        Ok(Found::Repository(Repository { tracked, ignore_case, ignore_files, absent_rules }))
    }

    /// The folder that a `.git` is or leads to.
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
        // Where branches point nowhere yet it may be a link that leads nowhere.
        match self.system.lstat(&git_dir.join("HEAD")) {
            Ok(_) => Ok(git_dir),
            Err(error) if is_absent(&error) => Err("it has no `HEAD`".to_owned()),
            Err(error) => Err(format!("its `HEAD` cannot be looked at: {error}")),
        }
    }

    /// The folder that has what all work trees of a repository share.
    fn common_dir(&self, git_dir: &Path) -> Result<PathBuf, String> {
        let common = self.pointer(&git_dir.join("commondir"))?;
        Ok(common.map_or_else(|| git_dir.to_path_buf(), |common| git_dir.join(common.trim())))
    }

    /// The line of a file that says where something is, if there is such a file.
    fn pointer(&self, path: &Path) -> Result<Option<String>, String> {
        let bytes = read_optional(self.system, path, MOST_POINTER_BYTES)?;
        let text = bytes.map(String::from_utf8).transpose();
        text.map_err(|_| "it is not UTF-8".to_owned())
    }

    fn config(
        &self,
        position: &Position<'_>,
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

    /// The person's own ignore file. It is none of the repository's, so without it the run goes on.
    fn excludes_file(
        &self,
        position: &Position<'_>,
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
                    "your ignore file `{label}` cannot be read, so it hides nothing: {error}"
                );
                notices.push(notice(position, "", message));
                None
            }
        }
    }

    /// The index; an empty one where nothing was ever added.
    fn index(&self, git_dir: &Path, hash_bytes: usize) -> Result<Index, String> {
        let path = git_dir.join("index");
        let Some(bytes) = read_optional(self.system, &path, MOST_INDEX_BYTES)? else {
            return Ok(Index::default());
        };
        let index = Index::read(&bytes, hash_bytes)?;
        let Some(checksum) = index.shared() else { return Ok(index) };
        let checksum: String = checksum.iter().map(|byte| format!("{byte:02x}")).collect();
        let name = format!("sharedindex.{checksum}");
        let bytes = self.system.read_at_most(&git_dir.join(&name), MOST_INDEX_BYTES);
        let bytes = bytes.map_err(|error| format!("`{name}` cannot be read: {error}"))?;
        index.joined(Index::read(&bytes, hash_bytes).map_err(|error| format!("`{name}`: {error}"))?)
    }
}

/// A notice of a repository, or of a file in its `.git`.
fn notice(position: &Position<'_>, file: &str, message: String) -> Notice {
    let up = "../".repeat(position.above.matches('/').count());
    let place = format!("{up}{}{DOT_GIT}{file}", position.base);
    Notice::at(NoticeCode::ScanGit, Place::file(place), message)
}

/// Tells of a `.git` that is no repository.
pub(crate) fn broken(position: &Position<'_>, why: &str) -> Notice {
    let message = format!("it is not used, so ignore files alone decide: {why}");
    notice(position, "", message)
}

pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The bytes of a file, if there is one. A device has none: `/dev/null` is how a person says so.
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
