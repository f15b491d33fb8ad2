//! `init`: creates the few files that a repository needs, and keeps existing ones.
//!
//! All decisions come before the first write, so a dry run shows exactly what a real run does.
//! Running it again changes nothing.

mod agents;

use std::io;
use std::path::Path;

use portolan_archive::{InsideError, Root, WorkspaceLayout};
use portolan_types::RepoPath;
use portolan_vfs::System;

use crate::guide;
use portolan_workspace::config::{FILE_NAMES, Loaded};

/// A request to set up a repository.
#[derive(Clone, Debug)]
pub struct InitRequest {
    /// The repository and its settings; defaults if there is no configuration.
    pub config: Loaded,
    /// Whether to write the files for agents instead of those for a chat.
    pub agents: bool,
    /// Whether to replace our own texts by those of this version.
    pub refresh: bool,
    /// Whether to write nothing.
    pub dry_run: bool,
    /// Whether to take back what was written for agents.
    pub undo: bool,
    /// Whether Claude Code is installed: it reads a skill and a list of servers that no other client has.
    pub has_claude: bool,
}

/// The steps that were, or would be, taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitReport {
    /// One step per file, in order.
    pub steps: Vec<PlannedFile>,
    /// Whether nothing was written.
    pub dry_run: bool,
}

/// A file and the action on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFile {
    /// The file.
    pub path: RepoPath,
    /// The action.
    pub action: Action,
}

/// The action on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is created.
    Create,
    /// These lines are appended.
    Append(Vec<String>),
    /// It is updated to this version.
    Replace,
    /// Our part, which these words name, is taken out.
    Cut(Vec<String>),
    /// It is removed.
    Remove,
    /// It exists and stays.
    Keep,
    /// It was to be removed and stays, because a person changed what we wrote. The text names the part.
    KeepChanged(&'static str),
}

impl Action {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Append(_) => "append",
            Self::Replace => "replace",
            Self::Cut(_) => "cut",
            Self::Remove => "remove",
            Self::Keep | Self::KeepChanged(_) => "keep",
        }
    }
}

/// The reason why a repository could not be set up. Files written before the error stay; another
/// run continues from there.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// A file or folder is not where it should be.
    #[error("`{path}` cannot be used: {error}")]
    Place {
        /// Its path.
        path: RepoPath,
        /// The reason.
        error: InsideError,
    },
    /// The file system failed to read or create a file or folder.
    #[error("cannot use `{path}`: {error}")]
    Io {
        /// Its path.
        path: RepoPath,
        /// The error.
        error: io::Error,
    },
    /// An ignore file is not text, so no line can be added.
    #[error("`{path}` is not UTF-8, so no line can be added to it")]
    NotText {
        /// Its path.
        path: RepoPath,
    },
    /// A list of servers cannot be extended.
    #[error("`{path}` cannot be added to: {why}")]
    Servers {
        /// Its path.
        path: RepoPath,
        /// The reason.
        why: String,
    },
    /// The file system failed to write.
    #[error("cannot write `{path}`: {error}")]
    Write {
        /// The path.
        path: RepoPath,
        /// The error.
        error: io::Error,
    },
}

impl InitError {
    fn place(path: &RepoPath, error: InsideError) -> Self {
        match error {
            InsideError::Io(error) => Self::Io { path: path.clone(), error },
            error => Self::Place { path: path.clone(), error },
        }
    }
}

/// Sets up a repository.
pub fn init(system: &dyn System, request: &InitRequest) -> Result<InitReport, InitError> {
    let held = system.restricted_to_root(&request.config.root);
    let site = Site {
        root: Root { system: &*held, path: &request.config.root },
        workspace: WorkspaceLayout::new(request.config.settings.stan_path.clone()),
    };
    let drafts = match (request.undo, request.agents) {
        (true, _) => site.undo_drafts(request.refresh)?,
        (false, true) => site.agent_drafts(request)?,
        (false, false) => site.drafts(request)?,
    };
    if !request.dry_run {
        for draft in &drafts {
            site.write(draft)?;
        }
    }
    Ok(InitReport {
        steps: drafts.into_iter().map(|draft| draft.step).collect(),
        dry_run: request.dry_run,
    })
}

/// A step and the new bytes of the file.
struct InitDraft {
    step: PlannedFile,
    bytes: Vec<u8>,
}

struct Site<'a> {
    root: Root<'a>,
    workspace: WorkspaceLayout,
}

impl Site<'_> {
    fn drafts(&self, request: &InitRequest) -> Result<Vec<InitDraft>, InitError> {
        let stan_path = self.workspace.stan_path().as_str();
        let mut drafts = Vec::new();
        if let Some(path) = &request.config.config_path {
            drafts.extend(kept(path));
        } else {
            let path = at_root(FILE_NAMES[0]);
            drafts.extend(path.map(|path| created(path, config_text(stan_path))));
        }
        let guide = guide::text(stan_path);
        drafts.push(self.guide(request.refresh, guide)?);
        drafts.push(self.unless_there(self.workspace.project_prompt(), PROJECT.to_owned())?);
        if let Some(path) = at_root(".gitignore") {
            drafts.push(self.ignore_lines(path)?);
        }
        Ok(drafts)
    }

    fn guide(&self, refresh: bool, text: String) -> Result<InitDraft, InitError> {
        let path = self.workspace.system_prompt();
        let draft = self.unless_there(path.clone(), text.clone())?;
        let is_old = draft.step.action == Action::Keep && draft.bytes != text.as_bytes();
        if refresh && is_old {
            return Ok(InitDraft {
                step: PlannedFile { path, action: Action::Replace },
                bytes: text.into_bytes(),
            });
        }
        Ok(draft)
    }

    /// Creates a file unless it exists.
    fn unless_there(&self, path: RepoPath, text: String) -> Result<InitDraft, InitError> {
        Ok(match self.read(&path)? {
            Some(bytes) => InitDraft { step: PlannedFile { path, action: Action::Keep }, bytes },
            None => created(path, text),
        })
    }

    fn ignore_lines(&self, path: RepoPath) -> Result<InitDraft, InitError> {
        let before = self.read(&path)?;
        let text = String::from_utf8(before.clone().unwrap_or_default())
            .map_err(|_| InitError::NotText { path: path.clone() })?;
        let missing: Vec<String> = self
            .ignored_folders()
            .into_iter()
            .filter(|folder| !text.lines().any(|line| ignores(line, folder)))
            .map(|folder| format!("/{folder}/"))
            .collect();
        let bytes = with_lines(&text, &missing).into_bytes();
        let action = match before {
            _ if missing.is_empty() => Action::Keep,
            None => Action::Create,
            Some(_) => Action::Append(missing),
        };
        Ok(InitDraft { step: PlannedFile { path, action }, bytes })
    }

    /// Folders that tools write and that do not belong in a commit.
    fn ignored_folders(&self) -> [RepoPath; 6] {
        let workspace = &self.workspace;
        [
            workspace.output_dir(),
            workspace.diff_dir(),
            workspace.patch_dir(),
            workspace.imports_dir(),
            workspace.context_dir(),
            workspace.cache_dir(),
        ]
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, InitError> {
        let at = |error| InitError::place(path, error);
        let bytes = self.root.read_optional(path).map_err(at)?;
        // Writing to a dangling link would follow it.
        if bytes.is_none() && self.root.system.lstat(&self.root.join(path)).is_ok() {
            return Err(at(InsideError::Outside));
        }
        Ok(bytes)
    }

    fn write(&self, draft: &InitDraft) -> Result<(), InitError> {
        let InitDraft { step: PlannedFile { path, action }, bytes } = draft;
        match action {
            Action::Keep | Action::KeepChanged(_) => return Ok(()),
            Action::Remove => return self.remove(path),
            _ => {}
        }
        if let Some(folder) = path.parent().and_then(|folder| RepoPath::new(folder).ok()) {
            self.root.make_dir(&folder).map_err(|error| InitError::place(&folder, error))?;
        }
        // A link inside the repository is written through, not replaced.
        let target = match self.root.file(path) {
            Ok(found) => found.absolute,
            Err(error @ InsideError::Io(_)) => return Err(InitError::place(path, error)),
            Err(_) => self.root.join(path),
        };
        self.root
            .system
            .write(&target, bytes)
            .map_err(|error| InitError::Write { path: path.clone(), error })
    }
}

fn created(path: RepoPath, text: String) -> InitDraft {
    InitDraft { step: PlannedFile { path, action: Action::Create }, bytes: text.into_bytes() }
}

fn kept(path: &Path) -> Option<InitDraft> {
    let path = at_root(path.file_name()?.to_str()?)?;
    Some(InitDraft { step: PlannedFile { path, action: Action::Keep }, bytes: Vec::new() })
}

fn at_root(name: &str) -> Option<RepoPath> {
    RepoPath::new(name).ok()
}

/// Whether a line of an ignore file already names a folder, in any notation.
fn ignores(line: &str, folder: &RepoPath) -> bool {
    let line = line.trim();
    let line = line.strip_prefix('/').unwrap_or(line);
    line.strip_suffix('/').unwrap_or(line) == folder.as_str()
}

/// The line ending of a text.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Appends lines to a text, with its own line endings.
fn with_lines(text: &str, lines: &[String]) -> String {
    let end = line_end(text);
    let mut out = text.to_owned();
    if !lines.is_empty() && !out.is_empty() && !out.ends_with('\n') {
        out.push_str(end);
    }
    for line in lines {
        out.push_str(&line.replace('\n', end));
        out.push_str(end);
    }
    out
}

fn config_text(stan_path: &str) -> String {
    CONFIG.replace("{stan}", stan_path)
}

const CONFIG: &str = "\
# What Portolan works with. Every key has a default; docs/reference/config.md lists them all.
stan-core:
  # The workspace: everything Portolan writes is below it.
  stanPath: {stan}
  # Globs from the root that bring back what .gitignore leaves out.
  includes: []
  # Globs from the root that nothing brings back.
  excludes: []

# portolan:
#   meta:
#     budget: 20k      # the most tokens the map may cost in an archive, or `none`
#     hashes: short    # `none` for a smaller map
";

const PROJECT: &str = "\
# About this project

What an assistant should know before it reads any code. This file is in every archive: keep it short.

- What it is, and for whom:
- How to build, test and run it:
- Where things are:
- What must not be broken:
";

#[cfg(test)]
mod tests;
