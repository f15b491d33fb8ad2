//! `init`: the few files a repository needs to be worked with, and nothing that is there already.
//!
//! Everything is decided before anything is written, so a dry run tells exactly what a real one
//! does. Running it again changes nothing.

mod agents;

use std::io;
use std::path::Path;

use portolan_archive::{InsideError, Root, WorkspaceLayout};
use portolan_types::RepoPath;
use portolan_vfs::System;

use crate::guide;
use portolan_workspace::config::{FILE_NAMES, Loaded};

/// What to set up.
#[derive(Clone, Debug)]
pub struct InitRequest {
    /// The repository and its settings; defaults, where nothing is configured yet.
    pub config: Loaded,
    /// Whether to write what agents read, instead of what an assistant in a chat needs.
    pub agents: bool,
    /// Whether to replace our own texts by those of this version.
    pub refresh: bool,
    /// Whether to write nothing at all.
    pub dry_run: bool,
}

/// What was done, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitReport {
    /// One step a file, in the order they are taken.
    pub steps: Vec<PlannedFile>,
    /// Whether nothing was written.
    pub dry_run: bool,
}

/// One file and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFile {
    /// The file.
    pub path: RepoPath,
    /// What becomes of it.
    pub action: Action,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is made.
    Create,
    /// It gets these lines.
    Append(Vec<String>),
    /// It is brought up to this version.
    Replace,
    /// It is there and stays as it is.
    Keep,
}

impl Action {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Append(_) => "append",
            Self::Replace => "replace",
            Self::Keep => "keep",
        }
    }
}

/// Why a repository could not be set up. Files written before the fault stay: running it again
/// goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// A file or folder is not where it should be.
    #[error("`{path}` cannot be used: {error}")]
    Place {
        /// Which.
        path: RepoPath,
        /// Why.
        error: InsideError,
    },
    /// The file system refuses to show a file or folder, or to make one.
    #[error("cannot use `{path}`: {error}")]
    Io {
        /// Which.
        path: RepoPath,
        /// Why.
        error: io::Error,
    },
    /// An ignore file is not text, so a line cannot be added to it.
    #[error("`{path}` is not UTF-8, so no line can be added to it")]
    NotText {
        /// Which.
        path: RepoPath,
    },
    /// A file that lists servers cannot be added to.
    #[error("`{path}` cannot be added to: {why}")]
    Servers {
        /// Which.
        path: RepoPath,
        /// Why.
        why: String,
    },
    /// The file system refuses.
    #[error("cannot write `{path}`: {error}")]
    Write {
        /// What.
        path: RepoPath,
        /// Why.
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

/// Sets a repository up.
pub fn init(system: &dyn System, request: &InitRequest) -> Result<InitReport, InitError> {
    let held = system.restricted_to_root(&request.config.root);
    let site = Site {
        root: Root { system: &*held, path: &request.config.root },
        workspace: WorkspaceLayout::new(request.config.settings.stan_path.clone()),
    };
    let drafts =
        if request.agents { site.agent_drafts(request.refresh)? } else { site.drafts(request)? };
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

/// A step and the bytes that the file will have.
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

    /// A file that is made where there is none.
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

    /// What tooling writes and nobody should commit.
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
        // A dangling link would be followed when the file is written.
        if bytes.is_none() && self.root.system.lstat(&self.root.join(path)).is_ok() {
            return Err(at(InsideError::Outside));
        }
        Ok(bytes)
    }

    fn write(&self, draft: &InitDraft) -> Result<(), InitError> {
        let InitDraft { step: PlannedFile { path, action }, bytes } = draft;
        if *action == Action::Keep {
            return Ok(());
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

/// Whether a line of an ignore file already names a folder, in any of the ways it can be written.
fn ignores(line: &str, folder: &RepoPath) -> bool {
    let line = line.trim();
    let line = line.strip_prefix('/').unwrap_or(line);
    line.strip_suffix('/').unwrap_or(line) == folder.as_str()
}

/// How lines of a text end.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The text with these lines at its end, with the line ends it already has.
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
