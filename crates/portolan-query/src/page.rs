//! Implements `portolan view`: the map as one page that needs only a browser.
//!
//! `details` collects the data, `columns` encodes it, and `html` puts it into the page together with
//! the style and the scripts from `assets`. Of each file the page contains only its path, size,
//! description and declared names, all of which have passed the guard.

mod columns;
mod details;
mod html;

use std::io;

use portolan_archive::{InsideError, Root, WorkspaceLayout};
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::System;
use portolan_wire::reports::ViewReportV1;
use thiserror::Error;

use portolan_index::map::MapError;
use portolan_index::session::Session;
use portolan_index::token_counts::{DiskTokenStore, Tokenizer};
use portolan_workspace::config::Loaded;

/// The tokenizer for the sizes on the page.
const TOKENIZER: Tokenizer = Tokenizer::O200kBase;

/// A page and its statistics.
#[derive(Clone, Debug, Default)]
pub struct PageReport {
    /// The page.
    pub html: String,
    /// The number of the repository's files on it.
    pub files: usize,
    /// Their total tokens.
    pub tokens: u64,
    /// The number of edges.
    pub edges: usize,
    /// The number of declarations.
    pub declarations: usize,
    /// Notices.
    pub notices: Vec<Notice>,
    /// Whether git would commit files in the workspace.
    is_workspace_open: bool,
}

impl PageReport {
    /// The report as JSON; `page` is the path of the page.
    pub fn to_wire(&self, page: &str) -> ViewReportV1 {
        ViewReportV1 {
            v: 1,
            page: page.to_owned(),
            bytes: self.html.len(),
            files: self.files,
            tokens: self.tokens,
            edges: self.edges,
            declarations: self.declarations,
        }
    }
}

/// The reason why a page could not be written to the workspace.
#[derive(Debug, Error)]
pub enum WritePageError {
    /// The path leads outside.
    #[error("`{path}` cannot be used: {error}")]
    Place {
        /// The path.
        path: RepoPath,
        /// The reason.
        error: InsideError,
    },
    /// The file system failed.
    #[error("cannot write `{path}`: {error}")]
    Write {
        /// The path.
        path: RepoPath,
        /// The error.
        error: io::Error,
    },
}

/// Draws the page of a repository.
pub fn draw(session: &Session<'_>) -> Result<PageReport, MapError> {
    let snapshot = session.snapshot()?;
    let system = session.system();
    let store = DiskTokenStore::open(system, session.cache(), TOKENIZER);
    let details = session.install(|| details::collect(session, &snapshot, &store));
    let page = columns::columns(&snapshot.map.graph, &details);
    let mut notices = snapshot.map.notices.clone();
    notices.extend(store.save(system));
    notices.extend(session.declarations().save(system));
    Ok(PageReport {
        files: details.files,
        tokens: details.own_tokens,
        edges: page.edges.targets.len(),
        declarations: page.declarations.names.len(),
        html: html::page(&page),
        notices,
        is_workspace_open: snapshot.map.is_workspace_open,
    })
}

/// Writes a page to its path in the workspace and returns that path. Adds a notice if git would
/// commit it.
pub fn write(
    system: &dyn System,
    config: &Loaded,
    report: &mut PageReport,
) -> Result<RepoPath, WritePageError> {
    let workspace = WorkspaceLayout::new(config.settings.stan_path.clone());
    let (folder, path) = (workspace.output_dir(), workspace.page());
    let restricted = system.restricted_to(&config.root, &config.settings.stan_path);
    let root = Root { system: &*restricted, path: &config.root };
    for place in [workspace.stan_path(), &folder] {
        let place_error = |error| WritePageError::Place { path: place.clone(), error };
        root.check_dir(place).map_err(place_error)?;
    }
    let written = restricted
        .create_dir_all(&config.root.join(folder.as_str()))
        .and_then(|()| restricted.write(&config.root.join(path.as_str()), report.html.as_bytes()));
    written.map_err(|error| WritePageError::Write { path: path.clone(), error })?;
    if report.is_workspace_open {
        let message = "git does not ignore it: the page may be committed by mistake; `portolan init` adds the lines to `.gitignore`";
        let place = Place::file(path.as_str());
        report.notices.push(Notice::at(NoticeCode::ArchiveNotIgnored, place, message));
    }
    Ok(path)
}

#[cfg(test)]
mod tests;
