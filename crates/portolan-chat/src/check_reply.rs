//! `check-reply`: holds an assistant's reply to the rules of the guide, with the archive it was
//! given as evidence.
//!
//! What was attached is read from the archive on disk: a file that the assistant has not seen is not
//! present, whatever the disk has, and a patch is for the bytes that it saw. The files of the repository
//! are looked at as well, since that is where a patch is to be applied.

mod archive_graph;
mod finding;
mod packed;
pub(crate) mod review;

use std::collections::BTreeMap;

use portolan_archive::{Root, WorkspaceLayout, tar};
use portolan_types::RepoPath;
use portolan_vfs::System;

pub use finding::{Finding, ReplyRule};
pub use packed::check_pack;
pub(crate) use review::Judged;
pub use review::{PatchedFile, StateChange};

use crate::run::context::EMPTY_STATE;
use archive_graph::ArchiveGraph;
use portolan_workspace::config::Loaded;

/// What to check.
#[derive(Clone, Debug)]
pub struct ReplyRequest {
    /// The repository and its settings.
    pub config: Loaded,
    /// The reply, as Markdown.
    pub reply: String,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyReport {
    /// Whether the Map has been seen, so that all rules hold.
    pub is_active: bool,
    /// The files that the reply changes, in its order.
    pub patches: Vec<PatchedFile>,
    /// What becomes of the state.
    pub state: StateChange,
    /// The rules that are broken, in the order of the reply.
    pub findings: Vec<Finding>,
}

/// Why a reply could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum ReplyError {
    /// There is no archive to check against.
    #[error("there is no `{0}` to check the reply against")]
    NoArchive(RepoPath),
    /// The archive cannot be read.
    #[error("`{path}` cannot be read: {reason}")]
    Archive {
        /// Which.
        path: RepoPath,
        /// Why.
        reason: String,
    },
    /// The pack cannot be read.
    #[error("the pack cannot be read: {0}")]
    Pack(String),
}

/// Checks a reply.
pub fn check(system: &dyn System, request: &ReplyRequest) -> Result<ReplyReport, ReplyError> {
    examine(system, request).map(|judged| judged.report)
}

/// Checks a reply, and works out what it makes of the files.
pub(crate) fn examine(system: &dyn System, request: &ReplyRequest) -> Result<Judged, ReplyError> {
    let root = Root { system, path: &request.config.root };
    let workspace = WorkspaceLayout::new(request.config.settings.stan_path.clone());
    let path = workspace.archive();
    let broken = |reason: String| ReplyError::Archive { path: path.clone(), reason };
    let bytes = match root.read_optional(&path) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(ReplyError::NoArchive(path)),
        Err(error) => return Err(broken(error.to_string())),
    };
    let members = tar::read(&bytes).map_err(|error| broken(error.to_string()))?;
    let attached: BTreeMap<String, &[u8]> =
        members.into_iter().map(|member| (member.path, member.bytes)).collect();
    let archive_graph =
        ArchiveGraph::open(root, &workspace, &attached, request.config.settings.secrets.guard());
    let evidence = Evidence {
        workspace: &workspace,
        attached: &attached,
        world: &archive_graph,
        is_thread: true,
    };
    Ok(review::review(&evidence, &request.reply))
}

/// What a reply is held against.
struct Evidence<'a> {
    workspace: &'a WorkspaceLayout,
    /// The files of the archive.
    attached: &'a BTreeMap<String, &'a [u8]>,
    world: &'a dyn ReplyContext,
    /// Whether it is an archive of a thread: then there are rules on the state.
    is_thread: bool,
}

/// What there is beyond the archive.
trait ReplyContext {
    /// Whether a Map has been written for this repository.
    fn has_map(&self) -> bool;
    /// Whether a path is a file of the repository.
    fn is_file(&self, path: &RepoPath) -> bool;
    /// Whether the Map has an id.
    fn is_node(&self, id: &str) -> bool;
    /// The ids that look like one that does not exist.
    fn similar(&self, id: &str) -> Vec<String>;
    /// What stands at a path.
    fn look(&self, path: &RepoPath) -> ReplyVerdict;
    /// The names in a folder.
    fn names(&self, folder: &RepoPath) -> Vec<String>;
    /// The rule by which a path holds secrets; with what is to be in it, where that is known.
    fn secret(&self, path: &RepoPath, bytes: Option<&[u8]>) -> Option<&'static str>;
}

/// What stands at a path of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ReplyVerdict {
    /// Nothing.
    Absent,
    /// A file with these bytes.
    File(Vec<u8>),
    /// A folder.
    Folder,
    /// A link, something behind one, or a name with another spelling on the disk.
    Elsewhere,
    /// There is no telling.
    Unreadable(String),
}

impl Evidence<'_> {
    /// The rules on the state hold once the Map has been seen, in this archive or before.
    fn is_active(&self) -> bool {
        let is_attached = |path: RepoPath| self.attached.contains_key(path.as_str());
        self.is_thread
            && (is_attached(self.workspace.meta())
                || is_attached(self.workspace.chart())
                || self.world.has_map())
    }

    fn has(&self, path: &str) -> bool {
        self.attached.contains_key(path)
    }

    /// The bytes that a patch for a file is for.
    fn bytes(&self, path: &RepoPath) -> Option<&[u8]> {
        if *path == self.workspace.state() {
            return Some(self.state());
        }
        self.attached.get(path.as_str()).copied()
    }

    /// The state that the assistant saw.
    fn state(&self) -> &[u8] {
        self.attached.get(self.workspace.state().as_str()).copied().unwrap_or(EMPTY_STATE)
    }
}

#[cfg(test)]
mod tests;
