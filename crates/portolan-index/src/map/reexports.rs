//! Implicit edges: follows every imported name to the files that define it.
//!
//! Files outside the universe are read on demand, in rounds: follow names, read the files that are missing, continue.
//! Each round reads at least one new file, so the rounds end.

use std::collections::BTreeMap;

use portolan_graph::{
    DefiningFiles, KnownModule, Module, ModuleForward, Modules, ReexportSearch, follow,
};
use portolan_languages::{Facts, Forwarded, ImportTarget, Language};
use portolan_types::{FileId, KindMask, MAX_DEFINERS, Notice, NoticeCode, Place};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::build::FileTable;
use super::link::{Workbench, load};
use super::staged_ids::raw_id;

/// An implicit edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImplicitEdge {
    pub(super) source: FileId,
    pub(super) target: FileId,
    pub(super) kinds: KindMask,
}

/// The implicit edges, and the files that lack some of theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Implicit {
    pub(super) edges: Vec<ImplicitEdge>,
    /// The files with a name that has too many definers, in order.
    pub(super) partial: Vec<FileId>,
}

/// The known exports of each file.
struct Exports {
    modules: Vec<Option<Module>>,
    /// Whether a file was read, so that a missing module is final.
    settled: Vec<bool>,
    additions: FxHashMap<(FileId, Box<str>), Vec<FileId>>,
    languages: Vec<Option<&'static dyn Language>>,
}

impl Modules for Exports {
    fn count(&self) -> usize {
        self.modules.len()
    }

    fn module(&self, module: FileId) -> KnownModule<'_> {
        match self.modules.get(module.index()) {
            Some(Some(module)) => KnownModule::Module(module),
            Some(None) if self.settled[module.index()] => KnownModule::Opaque,
            _ => KnownModule::Unloaded,
        }
    }

    fn additions(&self, module: FileId, name: &str) -> &[FileId] {
        if self.additions.is_empty() {
            return &[];
        }
        self.additions.get(&(module, Box::from(name))).map(Vec::as_slice).unwrap_or_default()
    }

    fn star_brings(&self, module: FileId, name: &str) -> bool {
        let language = self.languages.get(module.index()).copied().flatten();
        language.is_none_or(|language| language.glob_includes(name))
    }

    fn same_stars(&self, left: FileId, right: FileId) -> bool {
        let language = |module: FileId| self.languages.get(module.index()).copied().flatten();
        match (language(left), language(right)) {
            (Some(left), Some(right)) => left.name() == right.name(),
            (None, _) | (_, None) => true,
        }
    }
}

/// A name of a file; many importers use the same.
type Query = (FileId, Box<str>);

pub(super) fn reexports(
    bench: &Workbench<'_>,
    table: &mut FileTable,
    notices: &mut Vec<Notice>,
) -> Implicit {
    let mut exports = own_exports(table);
    let mut pursuits: Vec<(Query, ReexportSearch)> = queries(table)
        .into_par_iter()
        .map(|query| (query.clone(), ReexportSearch::new(query.0, query.1)))
        .collect();
    loop {
        let open = pursuits.iter_mut().map(|(_, pursuit)| pursuit);
        let mut open: Vec<&mut ReexportSearch> =
            open.filter(|pursuit| !pursuit.is_over()).collect();
        let round = follow(&exports, &mut open);
        let mut wanted = round.unloaded;
        if wanted.is_empty() {
            break;
        }
        while !wanted.is_empty() {
            settle(bench, table, &mut exports, &wanted, notices);
            wanted =
                if round.wants_stars { unsettled_stars(&exports, &wanted) } else { Vec::new() };
        }
    }
    let answers = pursuits.into_par_iter().map(|(query, pursuit)| (query, pursuit.definers()));
    let answers: FxHashMap<Query, DefiningFiles> =
        answers.collect::<Vec<_>>().into_iter().collect();
    let implicit = edges(table, &answers);
    notices.extend(implicit.partial.iter().map(|number| cut_notice(table, *number)));
    implicit
}

/// The unread files of glob re-exports.
fn unsettled_stars(exports: &Exports, numbers: &[FileId]) -> Vec<FileId> {
    let modules = numbers.iter().filter_map(|number| exports.modules[number.index()].as_ref());
    let stars = modules.flat_map(|module| module.stars.iter().copied());
    let mut unsettled: Vec<FileId> =
        stars.filter(|star| matches!(exports.module(*star), KnownModule::Unloaded)).collect();
    unsettled.sort_unstable();
    unsettled.dedup();
    unsettled
}

fn cut_notice(table: &FileTable, number: FileId) -> Notice {
    let path = &table.files[number.index()].path;
    if table.files[number.index()].is_cut {
        let message = format!(
            "uses a name that more than {MAX_DEFINERS} files define or that goes through too many others, or takes in very many \
             files as all beside it do; it has edges to some of them only"
        );
        return Notice::at(NoticeCode::GraphCut, Place::file(raw_id(&table.root, path)), message);
    }
    let message = format!(
        "imports a name that more than {MAX_DEFINERS} files define or add to; it has implicit edges to the \
         first {MAX_DEFINERS} of them only"
    );
    Notice::at(NoticeCode::GraphCut, Place::file(raw_id(&table.root, path)), message)
}

/// The exports of the universe, whose imports are resolved.
fn own_exports(table: &FileTable) -> Exports {
    let numbers = 0..table.universe;
    let modules: Vec<Option<Module>> = numbers
        .into_par_iter()
        .map(FileId::at)
        .map(|number| {
            let targets = &table.files[number.index()].targets;
            table.facts(number).map(|facts| module_of(facts, |import| targets.files(import)))
        })
        .collect();
    let mut additions: FxHashMap<(FileId, Box<str>), Vec<FileId>> = FxHashMap::default();
    for number in FileId::first(table.universe) {
        let targets = &table.files[number.index()].targets;
        for augmentation in table.facts(number).iter().flat_map(|facts| &facts.augmentations) {
            for target in targets.files(augmentation.import) {
                for name in &augmentation.names {
                    additions.entry((target, name.clone())).or_default().push(number);
                }
            }
        }
    }
    let languages = FileId::first(table.universe).map(|number| table.language(number)).collect();
    Exports { settled: vec![true; modules.len()], modules, additions, languages }
}

/// The exports of a file; `targets` gives the files of an import. An import without a file is a dead end.
fn module_of<T: Iterator<Item = FileId>>(facts: &Facts, targets: impl Fn(u32) -> T) -> Module {
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
        stars: facts.glob_reexports.iter().flat_map(|import| targets(*import)).collect(),
        offered: facts.dunder_all.clone(),
    }
}

/// Every imported (file, name), once.
fn queries(table: &FileTable) -> Vec<Query> {
    let mut queries: Vec<Query> = Vec::new();
    for number in FileId::first(table.universe) {
        let targets = &table.files[number.index()].targets;
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

/// Reads files that a search reached, and resolves their re-exports.
fn settle(
    bench: &Workbench<'_>,
    table: &mut FileTable,
    exports: &mut Exports,
    wanted: &[FileId],
    notices: &mut Vec<Notice>,
) {
    let unread: Vec<FileId> = wanted
        .iter()
        .copied()
        .filter(|number| table.files[number.index()].data.is_none())
        .collect();
    notices.extend(load(bench, table, &unread));
    let resolved: Vec<BTreeMap<u32, Vec<ImportTarget>>> =
        wanted.par_iter().map(|number| resolve_forwards(bench, table, *number)).collect();
    for (number, resolved) in wanted.iter().zip(resolved) {
        let file = |target| match target {
            ImportTarget::File(path) => Some(table.intern(&path)),
            ImportTarget::Module(..) => None,
        };
        let mut file = file;
        let numbers: BTreeMap<u32, Vec<FileId>> = resolved
            .into_iter()
            .map(|(import, targets)| (import, targets.into_iter().filter_map(&mut file).collect()))
            .collect();
        let targets = |import: u32| numbers.get(&import).into_iter().flatten().copied();
        let module = table.facts(*number).map(|facts| module_of(facts, targets));
        let slot = number.index();
        exports.modules.resize(exports.modules.len().max(slot + 1), None);
        exports.settled.resize(exports.modules.len(), false);
        exports.languages.resize(exports.modules.len(), None);
        exports.modules[slot] = module;
        exports.languages[slot] = table.language(*number);
        exports.settled[slot] = true;
    }
}

/// The targets of a file's re-exports, in the order of its imports.
fn resolve_forwards(
    bench: &Workbench<'_>,
    table: &FileTable,
    number: FileId,
) -> BTreeMap<u32, Vec<ImportTarget>> {
    let mut resolved = BTreeMap::new();
    let path = &table.files[number.index()].path;
    let language = table.language(number);
    let importer = language.and_then(|language| bench.resolvers.importer(language.name(), path));
    let (Some(importer), Some(facts)) = (importer, table.facts(number)) else { return resolved };
    let imports = facts
        .forwards
        .iter()
        .map(|forward| forward.import)
        .chain(facts.glob_reexports.iter().copied());
    for import in imports {
        resolved.entry(import).or_insert_with(|| {
            let mut targets = Vec::new();
            importer.resolve(facts, import as usize, &mut targets);
            targets
        });
    }
    resolved
}

/// The edges for the found definers, with the kinds of each importer.
fn edges(table: &FileTable, answers: &FxHashMap<Query, DefiningFiles>) -> Implicit {
    let mut implicit = Implicit::default();
    for source in FileId::first(table.universe) {
        let file = &table.files[source.index()];
        let targets = &file.targets;
        if file.is_cut {
            implicit.partial.push(source);
        }
        for request in table.facts(source).iter().flat_map(|facts| &facts.requests) {
            for entry in targets.files(request.import) {
                let Some(found) = answers.get(&(entry, request.name.clone())) else { continue };
                if found.is_cut && implicit.partial.last() != Some(&source) {
                    implicit.partial.push(source);
                }
                // Names are not followed out of an installed package.
                let boundary = package_of(table, entry);
                let kinds = request.kind.mask();
                implicit.edges.extend(
                    found
                        .files
                        .iter()
                        .filter(|file| !(request.in_type && **file == entry))
                        .filter(|file| boundary.is_none() || package_of(table, **file) == boundary)
                        .map(|target| ImplicitEdge { source, target: *target, kinds }),
                );
            }
        }
    }
    implicit
}

/// The folder of the installed package of a file.
fn package_of(table: &FileTable, number: FileId) -> Option<&str> {
    table.installed(&table.files[number.index()].path)
}
