//! Implicit edges: every name that is imported, followed to the files that define it.
//!
//! Files outside the universe are read only when a search comes to them, in rounds: search, read
//! what stood in the way, search again.

use std::collections::BTreeMap;

use portolan_graph::{Known, Module, ModuleForward, Modules, definers};
use portolan_resolve::Target;
use portolan_syntax::{Facts, Forwarded, Language};
use portolan_types::{KindMask, Notice};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::build::FileTable;
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
    languages: Vec<Option<&'static dyn Language>>,
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

    fn star_brings(&self, module: u32, name: &str) -> bool {
        let language = self.languages.get(module as usize).copied().flatten();
        language.is_none_or(|language| language.star_brings(name))
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
            table.facts(number).map(|facts| module_of(facts, |import| targets.files(import)))
        })
        .collect();
    let mut additions: FxHashMap<(u32, Box<str>), Vec<u32>> = FxHashMap::default();
    for number in 0..table.universe as u32 {
        let targets = &table.files[number as usize].targets;
        for augmentation in table.facts(number).iter().flat_map(|facts| &facts.augmentations) {
            for target in targets.files(augmentation.import) {
                for name in &augmentation.names {
                    additions.entry((target, name.clone())).or_default().push(number);
                }
            }
        }
    }
    let languages = (0..table.universe as u32).map(|number| table.language(number)).collect();
    Exports { settled: vec![true; modules.len()], modules, additions, languages }
}

/// A file's exports, where `targets` tells the files behind an import. What leads to no file is a
/// dead end.
fn module_of<T: Iterator<Item = u32>>(facts: &Facts, targets: impl Fn(u32) -> T) -> Module {
    let forwards = facts.forwards.iter().flat_map(|forward| {
        let original = match &forward.target {
            Forwarded::Name(name) => Some(name.clone()),
            Forwarded::Namespace => None,
        };
        targets(forward.import).map(move |module| ModuleForward {
            name: forward.name.clone(),
            module,
            original: original.clone(),
        })
    });
    Module {
        definitions: facts.definitions.iter().map(|one| one.name.clone()).collect(),
        forwards: forwards.collect(),
        stars: facts.stars.iter().flat_map(|import| targets(*import)).collect(),
        offered: facts.offered.clone(),
    }
}

/// Every (file, name) that some import asks for, once.
fn queries(table: &FileTable) -> Vec<Query> {
    let mut queries: Vec<Query> = Vec::new();
    for number in 0..table.universe as u32 {
        let targets = &table.files[number as usize].targets;
        let requests =
            table.facts(number).map(|facts| facts.requests.as_slice()).unwrap_or_default();
        let asked = requests.iter().flat_map(|request| {
            targets.files(request.import).map(|target| (target, request.name.clone()))
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
    let resolved: Vec<BTreeMap<u32, Vec<Target>>> =
        wanted.par_iter().map(|number| resolve_forwards(bench, table, *number)).collect();
    for (number, resolved) in wanted.iter().zip(resolved) {
        let file = |target| match target {
            Target::File(path) => Some(table.intern(&path)),
            Target::Module(..) => None,
        };
        let mut file = file;
        let numbers: BTreeMap<u32, Vec<u32>> = resolved
            .into_iter()
            .map(|(import, targets)| (import, targets.into_iter().filter_map(&mut file).collect()))
            .collect();
        let targets = |import: u32| numbers.get(&import).into_iter().flatten().copied();
        let module = table.facts(*number).map(|facts| module_of(facts, targets));
        let slot = *number as usize;
        exports.modules.resize(exports.modules.len().max(slot + 1), None);
        exports.settled.resize(exports.modules.len(), false);
        exports.languages.resize(exports.modules.len(), None);
        exports.modules[slot] = module;
        exports.languages[slot] = table.language(*number);
        exports.settled[slot] = true;
    }
}

/// Where the imports lead that a file passes names on from, in the order of the imports.
fn resolve_forwards(
    bench: &Workbench<'_>,
    table: &FileTable,
    number: u32,
) -> BTreeMap<u32, Vec<Target>> {
    let mut resolved = BTreeMap::new();
    let path = &table.files[number as usize].path;
    let language = table.language(number);
    let importer = language.and_then(|language| bench.resolvers.importer(language.name(), path));
    let (Some(importer), Some(facts)) = (importer, table.facts(number)) else { return resolved };
    let imports =
        facts.forwards.iter().map(|forward| forward.import).chain(facts.stars.iter().copied());
    for import in imports {
        resolved.entry(import).or_insert_with(|| {
            let mut targets = Vec::new();
            importer.resolve(facts, import as usize, &mut targets);
            targets
        });
    }
    resolved
}

/// The edges that the answers make, each importer with the kinds it asked for.
fn edges(table: &FileTable, answers: &FxHashMap<Query, Vec<u32>>) -> Vec<ImplicitEdge> {
    let mut edges = Vec::new();
    for source in 0..table.universe as u32 {
        let targets = &table.files[source as usize].targets;
        for request in table.facts(source).iter().flat_map(|facts| &facts.requests) {
            for entry in targets.files(request.import) {
                let Some(files) = answers.get(&(entry, request.name.clone())) else { continue };
                // Names are not followed out of an installed package.
                let boundary = package_of(table, entry);
                let kinds = request.kind.mask();
                edges.extend(
                    files
                        .iter()
                        .filter(|file| !(request.in_type && **file == entry))
                        .filter(|file| boundary.is_none() || package_of(table, **file) == boundary)
                        .map(|target| ImplicitEdge { source, target: *target, kinds }),
                );
            }
        }
    }
    edges
}

/// The folder of the installed package a file is in.
fn package_of(table: &FileTable, number: u32) -> Option<&str> {
    table.installed(&table.files[number as usize].path)
}
