//! Ids of files: raw ones, which say where a file is, and canonical ones, which say where an archive has
//! it.

use std::path::PathBuf;

use portolan_graph::{Graph, Node};
use portolan_types::{NodeId, NodeKind, Notice, NoticeCode, Place, is_safe_segment};
use portolan_vfs::sha256;
use rayon::prelude::*;

use super::Locator;
use super::link::Workbench;

/// The id of a file before it is made canonical: relative to the root, or absolute outside it.
pub(super) fn raw_id<'p>(root: &str, path: &'p str) -> &'p str {
    path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
}

/// The absolute path of the file that a node stands for.
fn path_of(root: &str, node: &Node) -> String {
    if node.outside_root { node.id.to_string() } else { format!("{root}/{}", node.id) }
}

/// Makes ids that an archive can be addressed by.
pub(super) struct Names<'a> {
    pub(super) bench: &'a Workbench<'a>,
    pub(super) stan_path: &'a str,
}

impl Names<'_> {
    /// The canonical id of each node.
    pub(super) fn ids(&self, raw: &Graph, notices: &mut Vec<Notice>) -> Vec<NodeId> {
        let canonical: Vec<(NodeId, Option<Notice>)> =
            raw.nodes().par_iter().map(|node| self.canonical(node)).collect();
        notices.extend(canonical.iter().filter_map(|(_, notice)| notice.clone()));
        canonical.into_iter().map(|(id, _)| id).collect()
    }

    /// The canonical id of a node, and a notice where its package calls itself something unusable.
    fn canonical(&self, node: &Node) -> (NodeId, Option<Notice>) {
        if node.kind != NodeKind::External {
            return (node.id.clone(), None);
        }
        let path = path_of(self.bench.root, node);
        let package = self.bench.resolvers.package_of(&path);
        let Some(package) = package else { return (self.by_path(&path), None) };
        let inside = path[package.folder.len()..].trim_start_matches('/');
        if package.is_addressable && is_path(&package.name) && is_safe_segment(&package.version) {
            let id = format!(
                "{}/context/{}/{}/{}/{inside}",
                self.stan_path, package.ecosystem, package.name, package.version
            );
            return (id.into(), None);
        }
        let manifest = raw_id(self.bench.root, &package.manifest).to_owned();
        let message = format!(
            "`{}` `{}` cannot be part of a path; its files have `abs` ids",
            package.name, package.version
        );
        (
            self.by_path(&path),
            Some(Notice::at(NoticeCode::GraphPackageName, Place::file(manifest), message)),
        )
    }

    fn by_path(&self, path: &str) -> NodeId {
        let name = path.rsplit('/').next().unwrap_or(path);
        format!("{}/context/abs/{}/{name}", self.stan_path, sha256(path.as_bytes())).into()
    }
}

/// Whether a name can be some segments of a path, whatever its ecosystem says.
fn is_path(name: &str) -> bool {
    name.strip_prefix('@').unwrap_or(name).split('/').all(is_safe_segment)
}

/// Where the external files are: of several copies the one with the smallest raw id.
pub(super) fn locators(root: &str, raw: &Graph, ids: &[NodeId]) -> Vec<Locator> {
    let mut locators: Vec<Locator> = raw
        .nodes()
        .iter()
        .zip(ids)
        .filter(|(node, _)| node.kind == NodeKind::External)
        .filter_map(|(node, id)| {
            let (size, sha256) = (node.size?, node.sha256?);
            Some(Locator { id: id.clone(), path: PathBuf::from(path_of(root, node)), size, sha256 })
        })
        .collect();
    // Stable: copies of one file stay in the order of their raw ids.
    locators.sort_by(|left, right| left.id.cmp(&right.id));
    locators.dedup_by(|later, kept| later.id == kept.id);
    locators
}
