//! Where every import leads: resolved, read, followed through re-exports, and put together.

use std::path::Path;
use std::sync::Arc;

use portolan_graph::{Edge, Graph, GraphBuilder, Node};
use portolan_resolve::{Form, Resolution, Resolver};
use portolan_scan::Listing;
use portolan_syntax::Import;
use portolan_types::{KindMask, NodeId, NodeKind, Notice, NoticeCode, Place};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::build::{File, FileTable, Linked, Target, absolute};
use super::files::Reader;
use super::names::{Names, raw_id};
use super::tunnels::{self, ImplicitEdge};
use crate::timings::{Stopwatch, Timings};

/// What the stages share.
pub(super) struct Workbench<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) root: &'a str,
    pub(super) resolver: &'a Resolver<'a>,
}

/// Finds out where everything leads.
pub(super) fn link(
    reader: &Reader<'_>,
    stan_path: &str,
    table: &mut FileTable,
    listings: &[Listing],
    timings: &mut Timings,
) -> Linked {
    let clock = Stopwatch::start();
    let root = table.root.clone();
    let sources = Arc::clone(&table.sources);
    let is_source = |path: &str| sources.contains_key(path);
    let manifests = manifests(table);
    let folders = listings
        .iter()
        .map(|listing| (absolute(&root, &listing.folder), listing.entries.as_slice()));
    let resolver = Resolver::new(reader.system, &root, folders, &manifests, &is_source);
    let bench = Workbench { reader, root: &root, resolver: &resolver };
    resolve_imports(&bench, table);
    timings.record("resolve", &clock, table.universe, 0);

    let clock = Stopwatch::start();
    let mut notices = Vec::new();
    let outside = (table.universe as u32..table.files.len() as u32).collect::<Vec<_>>();
    notices.extend(load(&bench, table, &outside));
    let bytes = bytes_of(&table.files[table.universe..]);
    timings.record("externals", &clock, outside.len(), bytes);
    let implicit = timings.measure("tunnel", || tunnels::tunnel(&bench, table, &mut notices));

    let clock = Stopwatch::start();
    let raw = assemble(table, &implicit);
    let ids = Names { bench: &bench, stan_path }.ids(&raw, &mut notices);
    notices.extend(resolver.notices());
    timings.record("assemble", &clock, 0, 0);
    Linked { raw, ids, notices }
}

/// The universe's `package.json` files.
fn manifests(table: &FileTable) -> Vec<String> {
    let paths = table.files.iter().map(|file| &file.path);
    paths.filter(|path| path.ends_with("/package.json")).map(ToString::to_string).collect()
}

fn bytes_of(files: &[File]) -> u64 {
    files.iter().filter_map(|file| file.data.as_ref()).map(|data| data.size).sum()
}

/// Where an import leads, before files that are new have a number.
enum Found {
    Known(Target),
    New(Arc<str>),
}

/// Resolves every import of the universe, and gives the files that only an import led to a number.
fn resolve_imports(bench: &Workbench<'_>, table: &mut FileTable) {
    let resolve = |file: &File| -> Vec<Found> {
        let Some(facts) = file.data.as_ref().and_then(|data| data.facts()) else {
            return Vec::new();
        };
        let importer = bench.resolver.importer(&file.path);
        let resolve =
            |import: &Import| match importer.resolve(&import.specifier, Form::of(import.form)) {
                Resolution::File(path) => match table.number(&path) {
                    Some(number) => Found::Known(Target::File(number)),
                    None => Found::New(path),
                },
                Resolution::Builtin(name) => {
                    Found::Known(Target::Module(format!("node:{name}").into(), NodeKind::Builtin))
                }
                Resolution::Missing => {
                    let specifier = &*import.specifier;
                    Found::Known(Target::Module(specifier.into(), NodeKind::Missing))
                }
            };
        facts.imports.iter().map(resolve).collect()
    };
    let found: Vec<Vec<Found>> = table.files[..table.universe].par_iter().map(resolve).collect();
    for (number, found) in found.into_iter().enumerate() {
        let targets = found.into_iter().map(|found| match found {
            Found::Known(target) => target,
            Found::New(path) => Target::File(table.intern(&path)),
        });
        let targets = targets.collect();
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

/// Puts nodes and edges together, with raw ids.
fn assemble(table: &FileTable, implicit: &[ImplicitEdge]) -> Graph {
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
        if handles[number as usize].is_none()
            && let Some(node) = table.node(number)
        {
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
