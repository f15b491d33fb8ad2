//! The repository around an archive: its map, and the files on the disk.

use std::collections::BTreeMap;
use std::io;

use portolan_archive::{Root, WorkspaceLayout};
use portolan_graph::CsrGraph;
use portolan_guard::{Guard, by_name, by_name_alone};
use portolan_types::{NodeId, RepoPath};
use portolan_vfs::FileKind;
use portolan_wire::map::MapV1;
use portolan_wire::meta::MetaV2;

use super::{ReplyContext, ReplyVerdict};
use portolan_workspace::similar::similar;

/// The repository around the archive.
pub(super) struct ArchiveGraph<'a> {
    root: Root<'a>,
    has_map: bool,
    csr_graph: CsrGraph,
    /// The external files; the meta may leave some out to fit its budget.
    externals: Option<MapV1>,
    guard: Guard,
}

impl<'a> ArchiveGraph<'a> {
    pub(super) fn open(
        root: Root<'a>,
        workspace: &WorkspaceLayout,
        attached: &BTreeMap<String, &[u8]>,
        guard: Guard,
    ) -> Self {
        let on_disk = |path: &RepoPath| root.read_optional(path).ok().flatten();
        let meta = attached.get(workspace.meta().as_str()).map(|bytes| bytes.to_vec());
        let meta = meta.or_else(|| on_disk(&workspace.meta()));
        let read = meta.as_ref().and_then(|bytes| MetaV2::read(bytes).ok());
        let csr_graph = read.map(|read| CsrGraph::from(&read.value)).unwrap_or_default();
        let externals = on_disk(&workspace.map());
        let externals = externals.and_then(|bytes| MapV1::from_bytes(&bytes).ok());
        Self { root, has_map: meta.is_some(), csr_graph, externals, guard }
    }

    fn try_look(&self, path: &RepoPath) -> io::Result<ReplyVerdict> {
        let (system, place) = (self.root.system, self.root.join(path));
        let real = match system.real_path(&place) {
            Ok(real) => real,
            Err(error) if is_absent(&error) => {
                // A dangling link exists, too.
                let is_there = system.lstat(&place).is_ok();
                return Ok(if is_there { ReplyVerdict::Elsewhere } else { ReplyVerdict::Absent });
            }
            Err(error) => return Err(error),
        };
        if real != place {
            return Ok(ReplyVerdict::Elsewhere);
        }
        Ok(match system.stat(&place)?.kind {
            FileKind::File => match self.root.read_optional(path) {
                Ok(Some(bytes)) => ReplyVerdict::File(bytes),
                Ok(None) => ReplyVerdict::Absent,
                Err(error) => ReplyVerdict::Unreadable(error.to_string()),
            },
            FileKind::Dir => ReplyVerdict::Folder,
            FileKind::Link | FileKind::Other => ReplyVerdict::Elsewhere,
        })
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl ReplyContext for ArchiveGraph<'_> {
    fn has_map(&self) -> bool {
        self.has_map
    }

    fn is_file(&self, path: &RepoPath) -> bool {
        self.root.file(path).is_ok()
    }

    fn is_node(&self, id: &str) -> bool {
        let is_external =
            |map: &MapV1| RepoPath::new(id).is_ok_and(|path| map.nodes.contains_key(&path));
        self.csr_graph.index_of(id).is_some() || self.externals.as_ref().is_some_and(is_external)
    }

    fn similar(&self, id: &str) -> Vec<String> {
        similar(id, self.csr_graph.ids().iter().map(NodeId::as_str), 3)
    }

    fn look(&self, path: &RepoPath) -> ReplyVerdict {
        self.try_look(path).unwrap_or_else(|error| ReplyVerdict::Unreadable(error.to_string()))
    }

    fn names(&self, folder: &RepoPath) -> Vec<String> {
        let entries = self.root.system.read_dir(&self.root.join(folder)).unwrap_or_default();
        entries.into_iter().map(|entry| entry.name.to_string_lossy().into_owned()).collect()
    }

    fn secret(&self, path: &RepoPath, bytes: Option<&[u8]>) -> Option<&'static str> {
        if self.guard.allows(path) {
            return None;
        }
        let denial = bytes.map_or_else(|| by_name_alone(path), |bytes| by_name(path, bytes));
        denial.map(|denial| denial.rule)
    }
}
