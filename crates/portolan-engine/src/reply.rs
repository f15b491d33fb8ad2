//! `check-reply`: holds an assistant's reply to the rules of the guide, with the archive it was
//! given as evidence.
//!
//! Reading a reply never fails: text that is no patch is prose. What was attached is read from the
//! archive on disk, never from the repository: a file that the assistant has not seen is not
//! present, whatever the disk has.

mod document;
mod file_ops;
mod finding;
mod judge;
mod patch;

use std::collections::BTreeMap;

use portolan_archive::{Root, Workspace, tar};
use portolan_graph::Territory;
use portolan_types::{NodeId, RepoPath};
use portolan_vfs::System;
use portolan_wire::map::MapV1;
use portolan_wire::meta::MetaV2;

pub use finding::{Finding, ReplyRule};
pub use judge::{PatchedFile, StateChange};

use crate::config::Loaded;
use crate::run::context::EMPTY_STATE;
use crate::similar::similar;

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
}

/// Checks a reply.
pub fn check(system: &dyn System, request: &ReplyRequest) -> Result<ReplyReport, ReplyError> {
    let root = Root { system, path: &request.config.root };
    let workspace = Workspace::new(request.config.settings.stan_path.clone());
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
    let atlas = Atlas::open(root, &workspace, &attached);
    let evidence = Evidence { workspace: &workspace, attached: &attached, world: &atlas };
    Ok(judge::judge(&evidence, &request.reply))
}

/// What a reply is held against.
struct Evidence<'a> {
    workspace: &'a Workspace,
    /// The files of the archive.
    attached: &'a BTreeMap<String, &'a [u8]>,
    world: &'a dyn World,
}

/// What there is beyond the archive.
trait World {
    /// Whether a Map has been written for this repository.
    fn has_map(&self) -> bool;
    /// Whether a path is a file of the repository.
    fn is_file(&self, path: &RepoPath) -> bool;
    /// Whether the Map has an id.
    fn is_node(&self, id: &str) -> bool;
    /// The ids that look like one that does not exist.
    fn similar(&self, id: &str) -> Vec<String>;
}

impl Evidence<'_> {
    /// The rules on the state hold once the Map has been seen, in this archive or before.
    fn is_active(&self) -> bool {
        let is_attached = |path: RepoPath| self.attached.contains_key(path.as_str());
        is_attached(self.workspace.meta())
            || is_attached(self.workspace.chart())
            || self.world.has_map()
    }

    fn has(&self, path: &str) -> bool {
        self.attached.contains_key(path)
    }

    /// The state that the assistant saw.
    fn state(&self) -> &[u8] {
        self.attached.get(self.workspace.state().as_str()).copied().unwrap_or(EMPTY_STATE)
    }
}

/// The repository around the archive.
struct Atlas<'a> {
    root: Root<'a>,
    has_map: bool,
    territory: Territory,
    /// The external files; the meta may leave some out to fit its budget.
    externals: Option<MapV1>,
}

impl<'a> Atlas<'a> {
    fn open(root: Root<'a>, workspace: &Workspace, attached: &BTreeMap<String, &[u8]>) -> Self {
        let on_disk = |path: &RepoPath| root.read_optional(path).ok().flatten();
        let meta = attached.get(workspace.meta().as_str()).map(|bytes| bytes.to_vec());
        let meta = meta.or_else(|| on_disk(&workspace.meta()));
        let read = meta.as_ref().and_then(|bytes| MetaV2::read(bytes).ok());
        let territory = read.map(|read| Territory::from(&read.value)).unwrap_or_default();
        let externals = on_disk(&workspace.map());
        let externals = externals.and_then(|bytes| MapV1::from_bytes(&bytes).ok());
        Self { root, has_map: meta.is_some(), territory, externals }
    }
}

impl World for Atlas<'_> {
    fn has_map(&self) -> bool {
        self.has_map
    }

    fn is_file(&self, path: &RepoPath) -> bool {
        self.root.file(path).is_ok()
    }

    fn is_node(&self, id: &str) -> bool {
        let is_external =
            |map: &MapV1| RepoPath::new(id).is_ok_and(|path| map.nodes.contains_key(&path));
        self.territory.index_of(id).is_some() || self.externals.as_ref().is_some_and(is_external)
    }

    fn similar(&self, id: &str) -> Vec<String> {
        similar(id, self.territory.ids().iter().map(NodeId::as_str), 3)
    }
}

#[cfg(test)]
mod tests;
