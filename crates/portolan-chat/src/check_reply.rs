//! `check-reply`: checks an assistant's reply against the rules of the guide, with its archive as
//! evidence.
//!
//! The attached files are read from the archive on disk: a file that the assistant has not seen
//! does not exist for this check, and a patch refers to the bytes that it saw. The files of the
//! repository are checked as well, because the patch will be applied to them.

mod archive_graph;
mod finding;
mod packed;
pub(crate) mod review;

use std::collections::BTreeMap;

use portolan_archive::{Root, WorkspaceLayout, tar};
use portolan_types::RepoPath;
use portolan_vfs::System;

pub use crate::reply::ReplyNote;
pub use finding::{Finding, ReplyRule};
pub use packed::check_pack;
pub(crate) use review::Judged;
pub use review::{PatchedFile, StateChange};

use crate::run::context::EMPTY_STATE;
use archive_graph::ArchiveGraph;
use portolan_workspace::config::Loaded;

/// A request to check a reply.
#[derive(Clone, Debug)]
pub struct ReplyRequest {
    /// The repository and its settings.
    pub config: Loaded,
    /// The reply, as Markdown.
    pub reply: String,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyReport {
    /// Whether the assistant has seen the map, so that all rules apply.
    pub is_active: bool,
    /// The files that the reply changes, in its order.
    pub patches: Vec<PatchedFile>,
    /// What the reply does to the state.
    pub state: StateChange,
    /// The broken rules, in the order of the reply.
    pub findings: Vec<Finding>,
    /// What was corrected in the patches, in the order of the reply.
    pub notes: Vec<ReplyNote>,
}

/// The reason why a reply could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum ReplyError {
    /// There is no archive to check against.
    #[error("there is no `{0}` to check the reply against")]
    NoArchive(RepoPath),
    /// The archive cannot be read.
    #[error("`{path}` cannot be read: {reason}")]
    Archive {
        /// Its path.
        path: RepoPath,
        /// The reason.
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

/// Checks a reply, and computes the resulting files.
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
        context: &archive_graph,
        is_thread: true,
    };
    Ok(review::review(&evidence, &request.reply))
}

/// The evidence against which a reply is checked.
struct Evidence<'a> {
    workspace: &'a WorkspaceLayout,
    /// The files of the archive.
    attached: &'a BTreeMap<String, &'a [u8]>,
    context: &'a dyn ReplyContext,
    /// Whether the archive belongs to a thread: then the rules about the state apply.
    is_thread: bool,
}

/// The repository beyond the archive.
trait ReplyContext {
    /// Whether a map was written for this repository.
    fn has_map(&self) -> bool;
    /// Whether a path is a file of the repository.
    fn is_file(&self, path: &RepoPath) -> bool;
    /// Whether the map has an id.
    fn is_node(&self, id: &str) -> bool;
    /// Ids similar to one that does not exist.
    fn similar(&self, id: &str) -> Vec<String>;
    /// What is at a path.
    fn look(&self, path: &RepoPath) -> ReplyVerdict;
    /// The names in a folder.
    fn names(&self, folder: &RepoPath) -> Vec<String>;
    /// The rule by which a path holds secrets; takes the new content into account if it is known.
    fn secret(&self, path: &RepoPath, bytes: Option<&[u8]>) -> Option<&'static str>;
}

/// What is at a path of the repository.
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
    /// Unknown: it cannot be read.
    Unreadable(String),
}

impl Evidence<'_> {
    /// Whether the rules about the state apply: the assistant has seen the map, in this archive or
    /// before.
    fn is_active(&self) -> bool {
        let is_attached = |path: RepoPath| self.attached.contains_key(path.as_str());
        self.is_thread
            && (is_attached(self.workspace.meta())
                || is_attached(self.workspace.chart())
                || self.context.has_map())
    }

    fn has(&self, path: &str) -> bool {
        self.attached.contains_key(path)
    }

    /// The bytes that a patch of a file refers to.
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
