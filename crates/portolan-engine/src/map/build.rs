//! The stages of building the Map, in order.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use portolan_graph::{Edge, Graph, GraphBuilder, Node, canonicalize};
use portolan_resolve::{Form, Resolution, Resolver};
use portolan_scan::{Listing, Scan, ScanSettings, scan};
use portolan_syntax::{ExtractSettings, Facts, ImportForm, language_code};
use portolan_types::{
    KindMask, Language, NodeId, NodeKind, Notice, NoticeCode, Place, is_safe_segment,
};
use portolan_vfs::{System, sha256};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::cache::{Cache, CacheMode, Seen};
use super::files::{self, FileData, Reader};
use super::tunnels::{self, ImplicitEdge};
use super::{Locator, MapError, MapReport, UniverseFile};
use crate::timings::{Stopwatch, Timings};

/// A file that takes part: one of the universe, or one that an import led to.
pub(super) struct File {
    /// Its absolute path.
    pub(super) path: Arc<str>,
    /// `None` where it could not be read.
    pub(super) data: Option<FileData>,
    /// Where each of its imports leads; only for files whose edges count.
    pub(super) targets: Vec<Target>,
}

/// Where an import leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The file with this number.
    File(u32),
    /// A module that is not a file.
    Module(NodeId, NodeKind),
}

/// The files by number and by path. Numbers below `universe` are the universe, in order.
#[derive(Default)]
pub(super) struct FileTable {
    pub(super) files: Vec<File>,
    pub(super) by_path: FxHashMap<Arc<str>, u32>,
    pub(super) universe: usize,
}

impl FileTable {
    pub(super) fn intern(&mut self, path: &Arc<str>) -> u32 {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let number = self.files.len() as u32;
        self.files.push(File { path: Arc::clone(path), data: None, targets: Vec::new() });
        self.by_path.insert(Arc::clone(path), number);
        number
    }

    pub(super) fn facts(&self, number: u32) -> Option<&Facts> {
        self.files[number as usize].data.as_ref()?.facts.as_ref()
    }
}

/// What the stages share.
pub(super) struct Workbench<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) root: &'a str,
    pub(super) resolver: &'a Resolver<'a>,
}

pub(super) fn build(
    system: &dyn System,
    settings: &ScanSettings,
    extract: &ExtractSettings,
    mode: CacheMode,
) -> Result<MapReport, MapError> {
    let root = settings.root.to_str().ok_or_else(|| MapError::RootName(settings.root.clone()))?;
    let root = root.trim_end_matches('/');
    let (mut timings, mut notices) = (Timings::default(), Vec::new());
    let cache = timings.measure("cache", || {
        Cache::open(system, root, &settings.stan_path, extract, mode, &mut notices)
    });
    let reader = Reader { system, extract, cache: cache.as_ref() };

    let clock = Stopwatch::start();
    let scan = scan_universe(&reader, settings, root);
    if let Some(reason) = scan.root_error {
        return Err(MapError::RootUnreadable { path: settings.root.clone(), reason });
    }
    let Universe { mut table, files: universe, listings } = universe(scan, root, &mut notices);
    let bytes = universe.iter().map(|file| file.size).sum();
    timings.record("scan", &clock, universe.len(), bytes);

    let clock = Stopwatch::start();
    let known: FxHashMap<Arc<str>, u32> = table.by_path.clone();
    let is_source = |path: &str| known.contains_key(path);
    let manifests = manifests(&table);
    let folders = listings
        .iter()
        .map(|listing| (absolute(root, &listing.folder), listing.entries.as_slice()));
    let resolver = Resolver::new(system, root, folders, &manifests, &is_source);
    let bench = Workbench { reader: &reader, root, resolver: &resolver };
    resolve_imports(&bench, &mut table);
    timings.record("resolve", &clock, universe.len(), 0);

    let clock = Stopwatch::start();
    let explicit_targets = (table.universe as u32..table.files.len() as u32).collect::<Vec<_>>();
    notices.extend(load(&bench, &mut table, &explicit_targets));
    timings.record(
        "externals",
        &clock,
        explicit_targets.len(),
        bytes_of(&table.files[table.universe..]),
    );
    let implicit = timings.measure("tunnel", || tunnels::tunnel(&bench, &mut table, &mut notices));

    let clock = Stopwatch::start();
    let raw = assemble(&bench, &table, &implicit);
    let names = Names { bench: &bench, stan_path: settings.stan_path.as_str() };
    let (graph, locators) = names.rename(&raw, &mut notices)?;
    // Last: giving names reads manifests too.
    notices.extend(resolver.notices());
    timings.record("assemble", &clock, 0, 0);

    notices.extend(
        timings.measure("save", || cache.and_then(|cache| cache.save(system, seen(&table)))),
    );
    notices.sort_unstable();
    notices.dedup();
    Ok(MapReport { graph, raw, locators, universe, notices, timings })
}

/// Walks the universe; every file is read on the way.
fn scan_universe(reader: &Reader<'_>, settings: &ScanSettings, root: &str) -> Scan<FileData> {
    scan(reader.system, settings, &|file| {
        let read = reader.read(&file.absolute, &absolute(root, file.path.as_str()));
        read.map_err(|error| {
            let place = Place::file(file.path.as_str());
            Notice::at(NoticeCode::ScanUnreadable, place, format!("left out: {error}"))
        })
    })
}

/// What a scan is made into.
struct Universe {
    table: FileTable,
    files: Vec<UniverseFile>,
    listings: Vec<Listing>,
}

fn universe(scan: Scan<FileData>, root: &str, notices: &mut Vec<Notice>) -> Universe {
    let mut table = FileTable { universe: scan.files.len(), ..FileTable::default() };
    let mut files = Vec::with_capacity(scan.files.len());
    notices.extend(scan.notices);
    for (file, data) in scan.files {
        let number = table.intern(&Arc::from(absolute(root, file.path.as_str())));
        notices
            .extend(data.facts.iter().flat_map(|facts| files::notices(file.path.as_str(), facts)));
        files.push(UniverseFile {
            path: file.path,
            absolute: file.absolute,
            size: data.size,
            sha256: data.sha256,
        });
        table.files[number as usize].data = Some(data);
    }
    Universe { table, files, listings: scan.listings }
}

/// The absolute path of a repo path; the root for an empty one.
fn absolute(root: &str, path: &str) -> String {
    if path.is_empty() { root.to_owned() } else { format!("{root}/{path}") }
}

/// The universe's `package.json` files.
fn manifests(table: &FileTable) -> Vec<String> {
    let paths = table.files.iter().map(|file| &file.path);
    paths.filter(|path| path.ends_with("/package.json")).map(ToString::to_string).collect()
}

fn bytes_of(files: &[File]) -> u64 {
    files.iter().filter_map(|file| file.data.as_ref()).map(|data| data.size).sum()
}

/// What the cache is told of the files of this run.
fn seen(table: &FileTable) -> impl Iterator<Item = Seen<'_>> {
    table.files.iter().filter_map(|file| {
        let data = file.data.as_ref()?;
        Some(Seen {
            path: &file.path,
            size: data.size,
            sha256: data.sha256,
            stat: data.stat,
            facts: language_code(&file.path).zip(data.facts.as_ref()),
        })
    })
}

fn form_of(form: ImportForm) -> Form {
    match form {
        ImportForm::Import => Form::Import,
        ImportForm::Require => Form::Require,
        ImportForm::ReferencePath => Form::ReferencePath,
        ImportForm::ReferenceTypes => Form::ReferenceTypes,
        ImportForm::Url => Form::Url,
    }
}

/// Resolves every import of the universe, and gives the files that only an import led to a number.
fn resolve_imports(bench: &Workbench<'_>, table: &mut FileTable) {
    let resolved: Vec<Vec<Resolution>> = table.files[..table.universe]
        .par_iter()
        .map(|file| {
            let facts = file.data.as_ref().and_then(|data| data.facts.as_ref());
            let imports = facts.map(|facts| facts.imports.as_slice()).unwrap_or_default();
            let resolve = |import: &portolan_syntax::Import| {
                bench.resolver.resolve(&file.path, &import.specifier, form_of(import.form))
            };
            imports.iter().map(resolve).collect()
        })
        .collect();
    for (number, resolutions) in resolved.into_iter().enumerate() {
        let targets =
            resolutions.into_iter().enumerate().map(|(index, resolution)| match resolution {
                Resolution::File(path) => Target::File(table.intern(&path)),
                Resolution::Builtin(name) => {
                    Target::Module(format!("node:{name}").into(), NodeKind::Builtin)
                }
                Resolution::Missing => {
                    let facts = table.facts(number as u32);
                    let specifier = facts.map_or("", |facts| &*facts.imports[index].specifier);
                    Target::Module(specifier.into(), NodeKind::Missing)
                }
            });
        let targets: Vec<Target> = targets.collect();
        table.files[number].targets = targets;
    }
}

/// Reads files that are not of the universe.
pub(super) fn load(bench: &Workbench<'_>, table: &mut FileTable, numbers: &[u32]) -> Vec<Notice> {
    let loaded: Vec<_> = numbers
        .par_iter()
        .map(|number| {
            let path = &table.files[*number as usize].path;
            bench.reader.read(Path::new(&**path), path)
        })
        .collect();
    let mut notices = Vec::new();
    for (number, read) in numbers.iter().zip(loaded) {
        let file = &mut table.files[*number as usize];
        match read {
            Ok(data) => file.data = Some(data),
            Err(error) => {
                let place = Place::file(raw_id(bench.root, &file.path));
                let message = format!("cannot be read, so it cannot be staged: {error}");
                notices.push(Notice::at(NoticeCode::GraphExternalUnreadable, place, message));
            }
        }
    }
    notices
}

/// The id of a file before it is made canonical: relative to the root, or absolute outside it.
fn raw_id<'p>(root: &str, path: &'p str) -> &'p str {
    path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
}

/// Whether a file belongs to an installed package.
pub(super) fn in_node_modules(path: &str) -> bool {
    path.contains("/node_modules/")
}

/// Puts nodes and edges together, with raw ids.
fn assemble(bench: &Workbench<'_>, table: &FileTable, implicit: &[ImplicitEdge]) -> Graph {
    let mut builder = GraphBuilder::default();
    let mut handles: Vec<Option<u32>> = vec![None; table.files.len()];
    let mut by_id: FxHashMap<NodeId, u32> = FxHashMap::default();
    let targets = table.files[..table.universe].iter().flat_map(|file| &file.targets);
    let reached = targets.filter_map(|target| match target {
        Target::File(number) => Some(*number),
        Target::Module(..) => None,
    });
    let reached = reached.chain(implicit.iter().map(|edge| edge.target));
    for number in (0..table.universe as u32).chain(reached) {
        if handles[number as usize].is_none() {
            let node = file_node(
                bench.root,
                &table.files[number as usize],
                (number as usize) < table.universe,
            );
            let id = node.id.clone();
            let handle = builder.node(node);
            by_id.insert(id, handle);
            handles[number as usize] = Some(handle);
        }
    }
    for (number, file) in table.files[..table.universe].iter().enumerate() {
        let (Some(source), Some(facts)) = (handles[number], table.facts(number as u32)) else {
            continue;
        };
        for (import, target) in facts.imports.iter().zip(&file.targets) {
            let target = match target {
                Target::File(number) => handles[*number as usize],
                // A missing specifier may read like the id of a node: ids are one namespace.
                Target::Module(id, kind) => Some(
                    *by_id
                        .entry(id.clone())
                        .or_insert_with(|| builder.node(Node::abstract_module(id.clone(), *kind))),
                ),
            };
            if let Some(target) = target {
                builder.edge(
                    source,
                    Edge { target, explicit: import.kind.mask(), implicit: KindMask::NONE },
                );
            }
        }
    }
    for edge in implicit {
        if let (Some(source), Some(target)) =
            (handles[edge.source as usize], handles[edge.target as usize])
        {
            builder.edge(source, Edge { target, explicit: KindMask::NONE, implicit: edge.kinds });
        }
    }
    builder.build()
}

/// A file's node. Its kind follows from where it is, never from who asked first.
fn file_node(root: &str, file: &File, in_universe: bool) -> Node {
    let id = raw_id(root, &file.path);
    let outside_root = id.len() == file.path.len();
    let external = !in_universe && (outside_root || in_node_modules(&file.path));
    let data = file.data.as_ref();
    let described = |data: &FileData| {
        data.facts.as_ref().and_then(|facts| facts.description.as_deref().map(Arc::from))
    };
    Node {
        id: id.into(),
        kind: if external { NodeKind::External } else { NodeKind::Source },
        language: Language::from_path(id),
        size: data.map(|data| data.size),
        sha256: data.map(|data| data.sha256),
        description: data.and_then(described),
        outside_root,
    }
}

/// Makes ids that an archive can be addressed by.
struct Names<'a> {
    bench: &'a Workbench<'a>,
    stan_path: &'a str,
}

impl Names<'_> {
    fn absolute(&self, node: &Node) -> String {
        if node.outside_root {
            node.id.to_string()
        } else {
            format!("{}/{}", self.bench.root, node.id)
        }
    }

    /// The graph with canonical ids, and where its external files are.
    fn rename(
        &self,
        raw: &Graph,
        notices: &mut Vec<Notice>,
    ) -> Result<(Graph, Vec<Locator>), MapError> {
        let canonical: Vec<(NodeId, Option<Notice>)> =
            raw.nodes().par_iter().map(|node| self.canonical(node)).collect();
        notices.extend(canonical.iter().filter_map(|(_, notice)| notice.clone()));
        let ids: Vec<NodeId> = canonical.into_iter().map(|(id, _)| id).collect();
        Ok((canonicalize(raw, &ids)?, locators(self, raw, &ids)))
    }

    /// The canonical id of a node, and a notice where its package calls itself something unusable.
    fn canonical(&self, node: &Node) -> (NodeId, Option<Notice>) {
        if node.kind != NodeKind::External {
            return (node.id.clone(), None);
        }
        let path = self.absolute(node);
        let package =
            in_node_modules(&path).then(|| self.bench.resolver.package_of(&path)).flatten();
        let Some(package) = package else { return (self.by_path(&path), None) };
        let inside = path[package.folder.len()..].trim_start_matches('/');
        let scoped = package.name.strip_prefix('@').and_then(|name| name.split_once('/'));
        let name_is_safe = match scoped {
            Some((scope, name)) => is_safe_segment(scope) && is_safe_segment(name),
            None => is_safe_segment(&package.name),
        };
        if name_is_safe && is_safe_segment(&package.version) {
            let id = format!(
                "{}/context/npm/{}/{}/{inside}",
                self.stan_path, package.name, package.version
            );
            return (id.into(), None);
        }
        let manifest = format!("{}/package.json", raw_id(self.bench.root, &package.folder));
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

/// Where the external files are: of several copies the one with the smallest raw id.
fn locators(names: &Names<'_>, raw: &Graph, ids: &[NodeId]) -> Vec<Locator> {
    let mut locators: Vec<Locator> = raw
        .nodes()
        .iter()
        .zip(ids)
        .filter(|(node, _)| node.kind == NodeKind::External)
        .filter_map(|(node, id)| {
            let (size, sha256) = (node.size?, node.sha256?);
            Some(Locator {
                id: id.clone(),
                path: PathBuf::from(names.absolute(node)),
                size,
                sha256,
            })
        })
        .collect();
    // Stable: copies of one file stay in the order of their raw ids.
    locators.sort_by(|left, right| left.id.cmp(&right.id));
    locators.dedup_by(|later, kept| later.id == kept.id);
    locators
}
