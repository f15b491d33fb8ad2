//! Who still imports what is gone: a name that a file exported, or the file.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;

use portolan_languages::{
    Ecosystems, ImportTarget, Language, Languages, ResolveContext, Resolvers, Sources,
};
use portolan_ranking::file_ranking::words::compounds;
use portolan_symbols::resolver::SymbolSource as _;
use portolan_types::declarations::{DEFAULT, Declarations, Export, NONE, WHOLE};
use portolan_types::{EdgeKind, Facts, FileId, Import, NodeIndex, NodeKind, ScopeId};
use portolan_vfs::{DirEntry, FileKind, System};

use portolan_index::map::MapReport;
use portolan_index::symbols::SymbolDb;
use portolan_workspace::config::Loaded;

/// The most re-exporting modules through which a name is followed.
const MOST_MODULES: usize = 400;

/// Who imports a name that a file exported, also through modules that pass it on: file and line. Nobody, where the
/// file may export it still.
pub(super) fn importers(symbols: &SymbolDb<'_>, file: &str, name: &str) -> Vec<(String, u32)> {
    let Some(target) = symbols.number(file) else { return Vec::new() };
    if may_export(symbols, target, name) {
        return Vec::new();
    }
    let mut found = BTreeSet::new();
    let mut known = BTreeSet::from([(target, name.to_owned())]);
    let mut open = VecDeque::from([(target, name.to_owned())]);
    while let Some((target, name)) = open.pop_front() {
        for user in symbols.dependents(target).iter().copied() {
            let Some(facts) = symbols.file(user) else { continue };
            let uses = uses_of(symbols, user, &facts, (target, &name));
            if let Some(specifier) = uses.specifier
                && let Some((text, _)) = symbols.text(user)
            {
                found.insert((symbols.path(user), import_line(&text, specifier, Some(&name))));
            }
            for name in uses.passed_on {
                if known.len() < MOST_MODULES && known.insert((user, name.clone())) {
                    open.push_back((user, name));
                }
            }
        }
    }
    found.into_iter().collect()
}

/// What a file does with a name of a module.
#[derive(Default)]
struct Uses<'f> {
    /// How the module is written where the name is imported.
    specifier: Option<&'f str>,
    /// Under which names it is passed on.
    passed_on: Vec<String>,
}

fn uses_of<'f>(
    symbols: &SymbolDb<'_>,
    user: FileId,
    facts: &'f Declarations,
    (target, name): (FileId, &str),
) -> Uses<'f> {
    let mut uses = Uses::default();
    let from_there = |specifier: u32, is_required: bool| {
        symbols.resolve(user, facts.name(specifier), is_required) == Some(target)
    };
    let is_it = |own: u32| own != NONE && facts.name(own) == name;
    let imports: BTreeSet<u32> = facts
        .imports
        .iter()
        .zip(0u32..)
        .filter(|(it, _)| is_it(it.name) && from_there(it.specifier, it.is_required))
        .map(|(it, number)| {
            uses.specifier = Some(facts.name(it.specifier));
            number
        })
        .collect();
    for export in &facts.exports {
        let is_passed_on = match export.what {
            Export::From { specifier, name, .. } if is_it(name) && from_there(specifier, false) => {
                uses.specifier = uses.specifier.or(Some(facts.name(specifier)));
                true
            }
            Export::Binding(binding) => {
                let binding = facts.bindings.get(binding as usize);
                binding.is_some_and(|it| imports.contains(&it.import))
            }
            _ => false,
        };
        if is_passed_on {
            uses.passed_on.push(facts.name(export.name).to_owned());
        }
    }
    let is_star = facts.stars.iter().any(|star| from_there(*star, false));
    if is_star && name != DEFAULT && !may_export(symbols, user, name) {
        uses.passed_on.push(name.to_owned());
    }
    uses
}

/// Whether a module exports a name, or passes on what is not known well enough to say that it does not.
fn may_export(symbols: &SymbolDb<'_>, module: FileId, name: &str) -> bool {
    let mut known = BTreeSet::from([module]);
    let mut open = vec![module];
    while let Some(file) = open.pop() {
        let Some(facts) = symbols.file(file) else { return true };
        let is_it = |own: &str| own == name || own == WHOLE;
        let is_passed_on = |own: &str| file == module || own != DEFAULT;
        let mut own = facts.exports.iter().map(|it| facts.name(it.name));
        if own.any(|own| is_it(own) && is_passed_on(own)) || known.len() > MOST_MODULES {
            return true;
        }
        for star in facts.stars.iter().filter(|_| name != DEFAULT) {
            let Some(other) = symbols.resolve(file, facts.name(*star), false) else { return true };
            if known.insert(other) {
                open.push(other);
            }
        }
    }
    false
}

/// The line of a text that imports a name of a module: the one nearest to how the module is written.
pub(super) fn import_line(text: &str, specifier: &str, name: Option<&str>) -> u32 {
    let has_name = |line: &str| name.is_none_or(|name| compounds(line).any(|word| word == name));
    let numbered = || text.lines().zip(1u32..);
    let modules: Vec<u32> =
        numbered().filter(|(line, _)| line.contains(specifier)).map(|(_, number)| number).collect();
    let named = numbered().filter(|(line, _)| has_name(line)).map(|(_, number)| number);
    let nearest = |line: u32| {
        let at = modules.partition_point(|it| *it < line);
        let near =
            modules.get(at).into_iter().chain(at.checked_sub(1).and_then(|it| modules.get(it)));
        near.map(|it| it.abs_diff(line)).min().unwrap_or(u32::MAX)
    };
    named.min_by_key(|line| (nearest(*line), *line)).or(modules.first().copied()).unwrap_or(1)
}

/// The repository with files that are gone.
struct Restored {
    paths: BTreeSet<String>,
}

impl Sources for Restored {
    fn paths(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.paths.iter().map(String::as_str))
    }

    fn contains(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    fn facts(&self, _path: &str) -> Option<&Facts> {
        None
    }
}

/// Who imports files that are not there any more, by what leads to them if they were: file and line, for each.
pub(super) fn importers_of_gone(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    gone: &[&str],
) -> BTreeMap<String, Vec<(String, u32)>> {
    let suspects = suspects(map, gone);
    let Some(root) = config.root.to_str().filter(|_| !suspects.is_empty()) else {
        return BTreeMap::new();
    };
    let root = root.trim_end_matches('/');
    let absolute = |path: &str| format!("{root}/{path}");
    let today = map.universe.iter().map(|file| absolute(file.path.as_str()));
    let restored = Restored { paths: today.chain(gone.iter().map(|it| absolute(it))).collect() };
    let folders = folders_with(system, root, gone);
    let listings = folders.iter().map(|(folder, entries)| (folder.clone(), entries.as_slice()));
    let ctx = ResolveContext::new(system, root, listings, &restored).with_stores(&config.stores);
    let resolvers = Resolvers::open(&ctx, Ecosystems::default());
    let wanted: BTreeMap<String, &str> = gone.iter().map(|it| (absolute(it), *it)).collect();
    let mut found: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
    for (file, specifiers) in suspects {
        let Some(language) = Languages::default().of(&file).map(Language::name) else { continue };
        let from = absolute(&file);
        let Some(importer) = resolvers.importer(language, &from) else { continue };
        let text = system.read(&config.root.join(&file)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        for specifier in specifiers {
            let forms = Languages::default().builtins(&file);
            let import = |is_required: bool| Import {
                specifier: specifier.as_str().into(),
                kind: EdgeKind::Runtime,
                form: forms.import_form(is_required),
                alias: None,
                scope: ScopeId::default(),
            };
            let imports = vec![import(false), import(true)];
            let facts = Facts { imports, ..Facts::default() };
            let mut targets = Vec::new();
            importer.resolve(&facts, 0, &mut targets);
            importer.resolve(&facts, 1, &mut targets);
            let files = targets.into_iter().filter_map(|target| match target {
                ImportTarget::File(path) => wanted.get(&*path).copied(),
                ImportTarget::Module(..) => None,
            });
            for gone in files {
                let line = import_line(&text, &specifier, None);
                found.entry(gone.to_owned()).or_default().push((file.clone(), line));
            }
        }
    }
    for importers in found.values_mut() {
        importers.sort_unstable();
        importers.dedup();
    }
    found
}

/// Files with imports that lead nowhere and have the name of one that is gone, and these.
fn suspects(map: &MapReport, gone: &[&str]) -> Vec<(String, Vec<String>)> {
    let graph = &map.graph;
    let lost = |node: NodeIndex| -> Vec<String> {
        let targets = graph.edges(node).iter().map(|edge| graph.node(edge.target));
        let lost = targets.filter(|it| it.kind == NodeKind::Missing);
        let lost = lost.filter(|it| leads_to_one(it.id.as_str(), gone));
        lost.map(|it| it.id.to_string()).collect()
    };
    let sources = graph.iter().filter(|(_, file)| file.kind == NodeKind::Source);
    let sources = sources.filter(|_| !gone.is_empty());
    let found = sources.map(|(node, file)| (file.id.to_string(), lost(node)));
    found.filter(|(_, lost)| !lost.is_empty()).collect()
}

/// Whether an import has the name of one of some files, or of its folder, in it.
fn leads_to_one(specifier: &str, gone: &[&str]) -> bool {
    gone.iter().any(|path| {
        let mut parts = path.rsplit('/');
        let name = parts.next().unwrap_or(path);
        let stem = name.split('.').next().unwrap_or(name);
        specifier.contains(stem) || parts.next().is_some_and(|folder| specifier.contains(folder))
    }) || specifier.ends_with('.')
}

/// What folders would hold if some files were there.
pub(super) fn folders_with(
    system: &dyn System,
    root: &str,
    gone: &[&str],
) -> BTreeMap<String, Vec<DirEntry>> {
    let mut folders: BTreeMap<String, Vec<DirEntry>> = BTreeMap::new();
    for path in gone {
        let (mut path, mut kind) = (format!("{root}/{path}"), FileKind::File);
        while let Some((folder, name)) = path.rsplit_once('/')
            && folder.len() >= root.len()
        {
            let read = || system.read_dir(folder.as_ref()).unwrap_or_default();
            let entries = folders.entry(folder.to_owned()).or_insert_with(read);
            let name = OsString::from(name);
            let is_there = entries.iter().any(|entry| entry.name == name);
            if !is_there {
                entries.push(DirEntry { name, kind });
            }
            kind = FileKind::Dir;
            path = folder.to_owned();
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::import_line;

    #[test]
    fn the_line_is_that_of_the_import() {
        let text = "// gone is gone\nimport {\n  a,\n  gone,\n} from './a';\nimport { b } from './b';\nuse(gone);\n";
        assert_eq!(import_line(text, "./a", Some("gone")), 4);
        assert_eq!(import_line(text, "./b", None), 6);
        assert_eq!(
            import_line("x = 1\nfrom pk.a import (\n    gone,\n)\n", "pk.a", Some("gone")),
            3
        );
    }
}
