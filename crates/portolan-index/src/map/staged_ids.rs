//! Ids of files: raw ids are paths on disk, canonical ids are paths in an archive.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use portolan_graph::{Graph, Node};
use portolan_languages::PackageIdentity;
use portolan_types::{NodeId, NodeKind, Notice, NoticeCode, Place, Sha256Digest, is_safe_segment};
use portolan_vfs::sha256;
use rayon::prelude::*;

use super::Locator;
use super::link::Workbench;

/// The raw id of a file: relative to the root, or absolute outside it.
pub(super) fn raw_id<'p>(root: &str, path: &'p str) -> &'p str {
    path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
}

/// The absolute path of the file of a node.
pub(super) fn path_of(root: &str, node: &Node) -> String {
    if node.outside_root { node.id.to_string() } else { format!("{root}/{}", node.id) }
}

/// Makes canonical ids.
pub(super) struct StagedIds<'a> {
    pub(super) bench: &'a Workbench<'a>,
    pub(super) stan_path: &'a str,
}

impl StagedIds<'_> {
    /// The canonical id of each node.
    pub(super) fn ids(&self, raw: &Graph, notices: &mut Vec<Notice>) -> Vec<NodeId> {
        let packages: Vec<Option<PackageIdentity>> =
            raw.nodes().par_iter().map(|node| self.package_of(node)).collect();
        let impostors = self.impostors(raw, &packages, notices);
        let canonical: Vec<(NodeId, Option<Notice>)> = raw
            .nodes()
            .par_iter()
            .zip(&packages)
            .map(|(node, package)| self.canonical(node, package.as_ref(), &impostors))
            .collect();
        notices.extend(canonical.iter().filter_map(|(_, notice)| notice.clone()));
        canonical.into_iter().map(|(id, _)| id).collect()
    }

    /// The package that an external file is part of.
    fn package_of(&self, node: &Node) -> Option<PackageIdentity> {
        let is_external = node.kind == NodeKind::External;
        is_external.then(|| self.bench.resolvers.package_of(&path_of(self.bench.root, node)))?
    }

    /// The folders of packages with the name and version of another package but different files. The package nearest to
    /// the root keeps the name.
    fn impostors(
        &self,
        raw: &Graph,
        packages: &[Option<PackageIdentity>],
        notices: &mut Vec<Notice>,
    ) -> BTreeSet<String> {
        let mut copies: BTreeMap<(&str, &str, &str), BTreeMap<&str, Copy<'_>>> = BTreeMap::new();
        for (node, package) in raw.nodes().iter().zip(packages) {
            let Some(package) = package else { continue };
            let id = (package.ecosystem, package.name.as_str(), package.version.as_str());
            let folders = copies.entry(id).or_default();
            let copy = folders.entry(&package.folder).or_insert_with(|| Copy::new(package));
            if let (Some(size), Some(sha256)) = (node.size, node.sha256) {
                let path = path_of(self.bench.root, node);
                copy.files.push((path[package.folder.len()..].to_owned(), (size, sha256)));
            }
        }
        let mut impostors = BTreeSet::new();
        for copies in copies.into_values().filter(|copies| copies.len() > 1) {
            let mut copies: Vec<Copy<'_>> = copies.into_values().collect();
            copies.sort_by_key(|copy| self.distance(&copy.package.folder));
            let mut known: BTreeMap<String, (u64, Sha256Digest)> = BTreeMap::new();
            let first = copies.first().map(|copy| copy.package.folder.clone()).unwrap_or_default();
            for Copy { package, files } in copies {
                let differs = |(inside, bytes): &(String, _)| {
                    known.get(inside).is_some_and(|known| known != bytes)
                };
                if files.iter().any(differs) {
                    notices.push(self.impostor_notice(package, &first));
                    impostors.insert(package.folder.clone());
                } else {
                    known.extend(files);
                }
            }
        }
        impostors
    }

    /// The distance of a folder from the root: inside first, then by depth, then by name.
    fn distance<'f>(&self, folder: &'f str) -> (bool, usize, &'f str) {
        let shown = raw_id(self.bench.root, folder);
        (shown.len() == folder.len(), shown.split('/').count(), shown)
    }

    fn impostor_notice(&self, package: &PackageIdentity, first: &str) -> Notice {
        let (root, PackageIdentity { name, version, .. }) = (self.bench.root, package);
        let first = raw_id(root, first);
        // Paths of the machine are private.
        let first = if first.starts_with('/') { "a folder outside the repository" } else { first };
        let message = format!(
            "`{name}` `{version}` is also what `{first}` calls itself, with other files; the files here have ids with `{}`",
            own_version(version, raw_id(root, &package.folder))
        );
        let manifest = raw_id(root, &package.manifest).to_owned();
        Notice::at(NoticeCode::GraphCollision, Place::file(manifest), message)
    }

    /// The canonical id of a node, and a notice if the name of its package is unusable.
    fn canonical(
        &self,
        node: &Node,
        package: Option<&PackageIdentity>,
        impostors: &BTreeSet<String>,
    ) -> (NodeId, Option<Notice>) {
        if node.kind != NodeKind::External {
            return (node.id.clone(), None);
        }
        let path = path_of(self.bench.root, node);
        let Some(package) = package else { return (self.by_path(&path), None) };
        let inside = path[package.folder.len()..].trim_start_matches('/');
        if package.is_addressable && is_path(&package.name) && is_safe_segment(&package.version) {
            let version = if impostors.contains(&package.folder) {
                own_version(&package.version, raw_id(self.bench.root, &package.folder))
            } else {
                package.version.clone()
            };
            let id = format!(
                "{}/context/{}/{}/{version}/{inside}",
                self.stan_path, package.ecosystem, package.name
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

/// A copy of a package.
struct Copy<'p> {
    package: &'p PackageIdentity,
    /// Its files in the graph, by their paths in the package.
    files: Vec<(String, (u64, Sha256Digest))>,
}

impl<'p> Copy<'p> {
    fn new(package: &'p PackageIdentity) -> Self {
        Self { package, files: Vec::new() }
    }
}

/// A version with a suffix, because another package has the same name and version.
fn own_version(version: &str, folder: &str) -> String {
    format!("{version}{DIFFERS}{}", &sha256(folder.as_bytes()).to_hex()[..HASH])
}

/// Distinguishes a package from another one with its name and version.
const DIFFERS: &str = "~differs-";
const HASH: usize = 12;

/// The id of a file without the suffix of its version.
pub fn claimed_id(id: &str) -> Option<String> {
    let (start, rest) = id.split_once(DIFFERS)?;
    Some([start, rest.get(HASH..)?].concat())
}

/// Whether a name is usable as segments of a path.
fn is_path(name: &str) -> bool {
    name.strip_prefix('@').unwrap_or(name).split('/').all(is_safe_segment)
}

/// The locations of the external files: of several copies, the one with the smallest raw id.
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
    // A stable sort keeps copies of a file in the order of their raw ids.
    locators.sort_by(|left, right| left.id.cmp(&right.id));
    locators.dedup_by(|later, kept| later.id == kept.id);
    locators
}
