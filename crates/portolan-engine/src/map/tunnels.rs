//! Implicit edges: every name that is imported, followed to the files that define it.
//!
//! Files outside the universe are read only when a search comes to them, in rounds: search, read
//! what stood in the way, search again.

use portolan_graph::{Known, Module, ModuleForward, Modules, definers};
use portolan_resolve::{Form, Resolution};
use portolan_syntax::{Facts, Forwarded};
use portolan_types::{KindMask, Notice};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::build::{FileTable, Target, in_node_modules};
use super::link::{Workbench, load};

/// An edge that no file spells out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImplicitEdge {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) kinds: KindMask,
}

/// No chain of re-exports through files that are not of the universe is longer than this.
const MAX_ROUNDS: usize = 200;

/// What is known of the exports of each file.
struct Exports {
    modules: Vec<Option<Module>>,
    /// Whether a file was read already, so that not having a module is final.
    settled: Vec<bool>,
    additions: FxHashMap<(u32, Box<str>), Vec<u32>>,
}

impl Modules for Exports {
    fn module(&self, module: u32) -> Known<'_> {
        match self.modules.get(module as usize) {
            Some(Some(module)) => Known::Module(module),
            Some(None) if self.settled[module as usize] => Known::Opaque,
            _ => Known::Unloaded,
        }
    }

    fn additions(&self, module: u32, name: &str) -> &[u32] {
        if self.additions.is_empty() {
            return &[];
        }
        self.additions.get(&(module, Box::from(name))).map(Vec::as_slice).unwrap_or_default()
    }
}

/// A name asked of a file; many importers ask the same.
type Query = (u32, Box<str>);

pub(super) fn tunnel(
    bench: &Workbench<'_>,
    table: &mut FileTable,
    notices: &mut Vec<Notice>,
) -> Vec<ImplicitEdge> {
    let mut exports = own_exports(table);
    let queries = queries(table);
    let mut answers: FxHashMap<Query, Vec<u32>> = FxHashMap::default();
    let mut open: Vec<Query> = queries;
    for _ in 0..MAX_ROUNDS {
        let found: Vec<_> = open
            .into_par_iter()
            .map(|query| (definers(&exports, query.0, &query.1), query))
            .collect();
        let mut wanted = Vec::new();
        open = Vec::new();
        for (found, query) in found {
            if found.unloaded.is_empty() {
                answers.insert(query, found.files);
            } else {
                wanted.extend(found.unloaded);
                open.push(query);
            }
        }
        if open.is_empty() {
            break;
        }
        wanted.sort_unstable();
        wanted.dedup();
        settle(bench, table, &mut exports, &wanted, notices);
    }
    edges(table, &answers)
}

/// The exports of the universe, whose imports are resolved already.
fn own_exports(table: &FileTable) -> Exports {
    let numbers = 0..table.universe as u32;
    let modules: Vec<Option<Module>> = numbers
        .into_par_iter()
        .map(|number| {
            let targets = &table.files[number as usize].targets;
            table.facts(number).map(|facts| module_of(facts, |import| file_target(targets, import)))
        })
        .collect();
    let mut additions: FxHashMap<(u32, Box<str>), Vec<u32>> = FxHashMap::default();
    for number in 0..table.universe as u32 {
        let targets = &table.files[number as usize].targets;
        for augmentation in table.facts(number).iter().flat_map(|facts| &facts.augmentations) {
            let Some(target) = file_target(targets, augmentation.import) else { continue };
            for name in &augmentation.names {
                additions.entry((target, name.clone())).or_default().push(number);
            }
        }
    }
    Exports { settled: vec![true; modules.len()], modules, additions }
}

fn file_target(targets: &[Target], import: u32) -> Option<u32> {
    match targets.get(import as usize) {
        Some(Target::File(number)) => Some(*number),
        _ => None,
    }
}

/// A file's exports, where `target` tells the file behind an import. What leads to no file is a
/// dead end.
fn module_of(facts: &Facts, target: impl Fn(u32) -> Option<u32>) -> Module {
    let forwards = facts.forwards.iter().filter_map(|forward| {
        let original = match &forward.target {
            Forwarded::Name(name) => Some(name.clone()),
            Forwarded::Namespace => None,
        };
        Some(ModuleForward {
            name: forward.name.clone(),
            module: target(forward.import)?,
            original,
        })
    });
    Module {
        definitions: facts.definitions.iter().map(|one| one.name.clone()).collect(),
        forwards: forwards.collect(),
        stars: facts.stars.iter().filter_map(|import| target(*import)).collect(),
    }
}

/// Every (file, name) that some import asks for, once.
fn queries(table: &FileTable) -> Vec<Query> {
    let mut queries: Vec<Query> = Vec::new();
    for number in 0..table.universe as u32 {
        let targets = &table.files[number as usize].targets;
        let requests =
            table.facts(number).map(|facts| facts.requests.as_slice()).unwrap_or_default();
        let asked = requests.iter().filter_map(|request| {
            Some((file_target(targets, request.import)?, request.name.clone()))
        });
        queries.extend(asked);
    }
    queries.sort_unstable();
    queries.dedup();
    queries
}

/// Reads files that a search came to, and resolves what they pass on.
fn settle(
    bench: &Workbench<'_>,
    table: &mut FileTable,
    exports: &mut Exports,
    wanted: &[u32],
    notices: &mut Vec<Notice>,
) {
    let unread: Vec<u32> = wanted
        .iter()
        .copied()
        .filter(|number| table.files[*number as usize].data.is_none())
        .collect();
    notices.extend(load(bench, table, &unread));
    let resolved: Vec<FxHashMap<u32, Resolution>> =
        wanted.par_iter().map(|number| resolve_forwards(bench, table, *number)).collect();
    for (number, resolutions) in wanted.iter().zip(resolved) {
        let numbers: FxHashMap<u32, u32> = sorted(resolutions)
            .into_iter()
            .filter_map(|(import, resolution)| match resolution {
                Resolution::File(path) => Some((import, table.intern(&path))),
                Resolution::Builtin(_) | Resolution::Missing => None,
            })
            .collect();
        let module = table
            .facts(*number)
            .map(|facts| module_of(facts, |import| numbers.get(&import).copied()));
        let slot = *number as usize;
        exports.modules.resize(exports.modules.len().max(slot + 1), None);
        exports.settled.resize(exports.modules.len(), false);
        exports.modules[slot] = module;
        exports.settled[slot] = true;
    }
}

/// Numbers are given in the order of the imports, not of a hash.
fn sorted(resolutions: FxHashMap<u32, Resolution>) -> Vec<(u32, Resolution)> {
    let mut list: Vec<_> = resolutions.into_iter().collect();
    list.sort_unstable_by_key(|(import, _)| *import);
    list
}

fn resolve_forwards(
    bench: &Workbench<'_>,
    table: &FileTable,
    number: u32,
) -> FxHashMap<u32, Resolution> {
    let Some(facts) = table.facts(number) else { return FxHashMap::default() };
    let path = &table.files[number as usize].path;
    let imports =
        facts.forwards.iter().map(|forward| forward.import).chain(facts.stars.iter().copied());
    imports
        .filter_map(|index| {
            let import = facts.imports.get(index as usize)?;
            let form =
                if Form::of(import.form) == Form::Require { Form::Require } else { Form::Import };
            Some((index, bench.resolver.resolve(path, &import.specifier, form)))
        })
        .collect()
}

/// The edges that the answers make, each importer with the kinds it asked for.
fn edges(table: &FileTable, answers: &FxHashMap<Query, Vec<u32>>) -> Vec<ImplicitEdge> {
    let mut edges = Vec::new();
    for source in 0..table.universe as u32 {
        let targets = &table.files[source as usize].targets;
        for request in table.facts(source).iter().flat_map(|facts| &facts.requests) {
            let Some(entry) = file_target(targets, request.import) else { continue };
            let Some(files) = answers.get(&(entry, request.name.clone())) else { continue };
            let boundary = package_boundary(&table.files[entry as usize].path);
            let kinds = request.kind.mask();
            edges.extend(
                files
                    .iter()
                    .filter(|file| !(request.in_type && **file == entry))
                    .filter(|file| {
                        boundary.is_none_or(|package| {
                            package_boundary(&table.files[**file as usize].path) == Some(package)
                        })
                    })
                    .map(|target| ImplicitEdge { source, target: *target, kinds }),
            );
        }
    }
    edges
}

/// The folder of the installed package a file is in: names are not followed out of it.
fn package_boundary(path: &str) -> Option<&str> {
    if !in_node_modules(path) {
        return None;
    }
    let start = path.rfind("/node_modules/")? + "/node_modules/".len();
    let name = &path[start..];
    let mut slashes = name.match_indices('/').map(|(at, _)| at);
    let end = slashes.nth(usize::from(name.starts_with('@'))).unwrap_or(name.len());
    Some(&path[..start + end])
}
