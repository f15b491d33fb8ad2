//! Links files: resolves imports, reads their targets, follows re-exports and assembles the graph.

use std::borrow::Cow;
use std::sync::Arc;

use portolan_graph::{Edge, Graph, GraphBuilder, Node};
use portolan_guard::redact;
use portolan_languages::{self as resolve, Need, ResolveContext, Resolvers, dependency_tracking};
use portolan_types::{
    EdgeKind, Facts, FileId, KindMask, NodeId, NodeIndex, Notice, NoticeCode, Place,
};
use portolan_workspace::Listing;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::build::{File, FileNeed, FileTable, LinkTarget, Linked, Targets, absolute};
use super::dependency_status;
use super::files::FileReader;
use super::reexports::{self, Implicit};
use super::reuse::Part;
use super::staged_ids::{StagedIds, raw_id};
use crate::timings::{Stopwatch, Timings};

/// What the stages share.
pub(super) struct Workbench<'a> {
    pub(super) reader: &'a FileReader<'a>,
    pub(super) root: &'a str,
    pub(super) resolvers: &'a Resolvers<'a>,
}

/// Links all files.
pub(super) fn link(
    reader: &FileReader<'_>,
    stan_path: &str,
    table: &mut FileTable,
    listings: &[Listing],
    part: Option<Part>,
    timings: &mut Timings,
) -> Linked {
    let clock = Stopwatch::start();
    let root = table.root.clone();
    let sources = Arc::clone(&table.sources);
    let folders = listings
        .iter()
        .map(|listing| (absolute(&root, &listing.folder), listing.entries.as_slice()));
    let ctx =
        ResolveContext::new(reader.system, &root, folders, &*sources).with_stores(reader.stores);
    // Queries are recorded only if they are stored, and not while resolvers open.
    let is_kept = reader.cache.is_some();
    let open = || Resolvers::open(&ctx, table.registry.ecosystems);
    let resolvers = if is_kept { dependency_tracking::track(open).0 } else { open() };
    let bases = resolvers.bases();
    let bench = Workbench { reader, root: &root, resolvers: &resolvers };
    let all = || FileId::first(table.universe).collect();
    let open: Vec<FileId> = part.map_or_else(all, |part| part.open(table, &bases));
    let kept_notices = kept_notices(table, &open);
    resolve_imports(&bench, table, &open, is_kept);
    timings.record("resolve", &clock, open.len(), 0);

    let clock = Stopwatch::start();
    let mut notices = Vec::new();
    let outside = (table.universe..table.files.len()).map(FileId::at);
    let outside: Vec<FileId> =
        outside.filter(|number| table.files[number.index()].data.is_none()).collect();
    notices.extend(load(&bench, table, &outside));
    let bytes = bytes_of(&table.files[table.universe..]);
    timings.record("externals", &clock, outside.len(), bytes);
    let implicit =
        timings.measure("reexports", || reexports::reexports(&bench, table, &mut notices));

    let clock = Stopwatch::start();
    let raw = assemble(table, &implicit);
    let ids = StagedIds { bench: &bench, stan_path }.ids(&raw, &mut notices);
    notices.extend(resolvers.notices());
    notices.extend(kept_notices);
    timings.record("assemble", &clock, 0, 0);
    Linked { raw, ids, notices, bases }
}

/// The earlier notices about files that are not resolved again.
fn kept_notices(table: &FileTable, open: &[FileId]) -> Vec<Notice> {
    let open: FxHashSet<FileId> = open.iter().copied().collect();
    let kept = FileId::all().zip(&table.files).filter(|(number, _)| !open.contains(number));
    dependency_status::notices_of(kept.filter_map(|(_, file)| file.asked.as_ref()))
}

fn bytes_of(files: &[File]) -> u64 {
    files.iter().filter_map(|file| file.data.as_ref()).map(|data| data.size).sum()
}

/// The targets and needs of a file, before new files have numbers.
#[derive(Default)]
struct LinkedFile {
    imports: Vec<Vec<resolve::ImportTarget>>,
    needs: Vec<Need>,
    is_cut: bool,
}

impl LinkedFile {
    /// Drops implicit needs that repeat an import: they add nothing, and a map is paid for by the token.
    fn drop_implied(&mut self, facts: &Facts) {
        let imports = facts.imports.iter().zip(&self.imports);
        let imported = imports.flat_map(|(import, targets)| {
            targets.iter().map(move |target| (path_of(target), import.kind))
        });
        let needed = self.needs.iter().filter(|need| need.is_written);
        let written: FxHashSet<(Option<Arc<str>>, EdgeKind)> =
            imported.chain(needed.map(|need| (path_of(&need.target), need.kind))).collect();
        self.needs.retain(|need| {
            let path = path_of(&need.target);
            need.is_written || path.is_none() || !written.contains(&(path, need.kind))
        });
    }
}

/// The path of a target that is a file.
fn path_of(target: &resolve::ImportTarget) -> Option<Arc<str>> {
    match target {
        resolve::ImportTarget::File(path) => Some(Arc::clone(path)),
        resolve::ImportTarget::Module(..) => None,
    }
}

/// Resolves the imports of some files of the universe, and numbers the files that only an import resolves to.
fn resolve_imports(
    bench: &Workbench<'_>,
    table: &mut FileTable,
    numbers: &[FileId],
    is_kept: bool,
) {
    let resolve = |number: FileId| -> LinkedFile {
        let found = || {
            if bench.reader.system.is_cancelled() {
                return None;
            }
            let facts = table.facts(number)?;
            let path = &table.files[number.index()].path;
            let importer = bench.resolvers.importer(table.language(number)?.name(), path)?;
            let mut found = LinkedFile::default();
            for import in 0..facts.imports.len() {
                let mut targets = Vec::with_capacity(1);
                importer.resolve(facts, import, &mut targets);
                found.imports.push(targets);
            }
            importer.needs(facts, &mut found.needs);
            found.is_cut = importer.is_cut();
            found.drop_implied(facts);
            Some(found)
        };
        found().unwrap_or_default()
    };
    let recorded = |number: &FileId| {
        // Ecosystems that look at other texts always resolve again, so their queries are not stored.
        if !is_kept || table.resolves_by_facts(*number) {
            return (resolve(*number), None);
        }
        let (found, record) = dependency_tracking::track(|| resolve(*number));
        (found, Some(Arc::new(record)))
    };
    let found: Vec<_> = numbers.par_iter().map(recorded).collect();
    for (number, (found, asked)) in numbers.iter().zip(found) {
        let mut targets = Targets::default();
        for import in found.imports {
            targets.push(import.into_iter().map(|target| numbered(table, target)));
        }
        let needs = found.needs.into_iter().map(|need| FileNeed {
            target: numbered(table, need.target),
            kind: need.kind,
            is_written: need.is_written,
        });
        let needs = needs.collect();
        let file = &mut table.files[number.index()];
        (file.targets, file.needs, file.is_cut) = (targets, needs, found.is_cut);
        file.asked = asked;
    }
}

/// A target by number; a new file gets one.
fn numbered(table: &mut FileTable, target: resolve::ImportTarget) -> LinkTarget {
    match target {
        resolve::ImportTarget::File(path) => LinkTarget::File(table.intern(&path)),
        // The id of a module is the text of an import, which may be a URL with credentials.
        resolve::ImportTarget::Module(id, kind) => match redact(id.as_str()) {
            Cow::Borrowed(_) => LinkTarget::Module(id, kind),
            Cow::Owned(masked) => LinkTarget::Module(masked.into(), kind),
        },
    }
}

/// Reads files outside the universe.
pub(super) fn load(
    bench: &Workbench<'_>,
    table: &mut FileTable,
    numbers: &[FileId],
) -> Vec<Notice> {
    let loaded: Vec<_> = numbers
        .par_iter()
        .map(|number| {
            let path = &table.files[number.index()].path;
            bench.reader.read_other(path)
        })
        .collect();
    let mut notices = Vec::new();
    for (number, read) in numbers.iter().zip(loaded) {
        let file = &mut table.files[number.index()];
        match read {
            Ok(data) => file.data = Some(Arc::new(data)),
            // Such a file is never staged.
            Err(_) if table.excluded.hides(bench.root, &file.path) => {}
            Err(error) => {
                let place = Place::file(raw_id(bench.root, &file.path));
                let message = format!("cannot be read, so it cannot be staged: {error}");
                notices.push(Notice::at(NoticeCode::GraphExternalUnreadable, place, message));
            }
        }
    }
    notices
}

/// Assembles nodes and edges, with raw ids.
fn assemble(table: &FileTable, implicit: &Implicit) -> Graph {
    let mut assembly = Assembly {
        table,
        builder: GraphBuilder::default(),
        handles: vec![None; table.files.len()],
        by_id: FxHashMap::default(),
    };
    let universe = &table.files[..table.universe];
    let targets = universe
        .iter()
        .flat_map(|file| file.targets.iter().chain(file.needs.iter().map(|need| &need.target)));
    let reached =
        targets.filter_map(LinkTarget::file).chain(implicit.edges.iter().map(|edge| edge.target));
    for number in FileId::first(table.universe).chain(reached) {
        assembly.add_file(number);
    }
    for (number, file) in FileId::all().zip(universe) {
        let imports = table.facts(number).map(|facts| facts.imports.as_slice()).unwrap_or_default();
        for (index, import) in (0u32..).zip(imports) {
            for target in file.targets.of(index) {
                assembly.add_edge(number, target, import.kind.mask(), KindMask::NONE);
            }
        }
        for need in &file.needs {
            let kinds = need.kind.mask();
            let (explicit, implicit) =
                if need.is_written { (kinds, KindMask::NONE) } else { (KindMask::NONE, kinds) };
            // A file depends on itself only if it imports itself.
            if need.is_written || need.target != LinkTarget::File(number) {
                assembly.add_edge(number, &need.target, explicit, implicit);
            }
        }
    }
    for edge in &implicit.edges {
        assembly.add_edge(edge.source, &LinkTarget::File(edge.target), KindMask::NONE, edge.kinds);
    }
    for number in &implicit.partial {
        if let Some(handle) = assembly.handles[number.index()] {
            assembly.builder.mark_partial(handle);
        }
    }
    assembly.builder.build()
}

/// A graph under construction.
struct Assembly<'t> {
    table: &'t FileTable,
    builder: GraphBuilder,
    /// The node of each file that has one.
    handles: Vec<Option<NodeIndex>>,
    by_id: FxHashMap<NodeId, NodeIndex>,
}

impl Assembly<'_> {
    fn add_file(&mut self, number: FileId) {
        if self.handles[number.index()].is_none()
            && let Some(node) = self.table.node(number)
        {
            let id = node.id.clone();
            let handle = self.builder.node(node);
            self.by_id.insert(id, handle);
            self.handles[number.index()] = Some(handle);
        }
    }

    fn add_edge(
        &mut self,
        source: FileId,
        target: &LinkTarget,
        explicit: KindMask,
        implicit: KindMask,
    ) {
        let Some(source) = self.handles[source.index()] else { return };
        let target = match target {
            LinkTarget::File(number) => self.handles[number.index()],
            // A missing specifier may equal the id of a node: ids share one namespace.
            LinkTarget::Module(id, kind) => {
                let builder = &mut self.builder;
                let known = self.by_id.entry(id.clone());
                Some(
                    *known
                        .or_insert_with(|| builder.node(Node::abstract_module(id.clone(), *kind))),
                )
            }
        };
        if let Some(target) = target {
            self.builder.edge(source, Edge { target, explicit, implicit });
        }
    }
}
