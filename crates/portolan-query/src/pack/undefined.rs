//! Who still names what no file defines any more, in languages whose names lead to the files that define them.
//!
//! There an import says little; the ecosystem's resolver finds the definers, through modules that pass names on. So
//! it is asked twice, for each use of a lost name alone: in the repository as it is, and in one that still has what
//! was lost. What leads somewhere there and nowhere here is an error, whatever the language.

use std::collections::{BTreeMap, BTreeSet};

use portolan_languages::{
    Ecosystems, ExtractSettings, Extractor, ImportTarget, Importer, Language, Languages,
    ResolveContext, Resolvers, Sources,
};
use portolan_ranking::file_ranking::words::compounds;
use portolan_types::{Definition, Facts, ScopeId, Use};
use portolan_vfs::System;
use rayon::prelude::*;

use super::exports::{folders_with, import_line};
use portolan_index::catch_panics;
use portolan_index::map::{MapReport, UniverseFile};
use portolan_index::pool::PARSER_STACK;
use portolan_workspace::config::Loaded;

/// Larger repositories are not searched, because every file of the language would have to be read.
const MOST_FILES: usize = 6_000;
/// A longer text is no code that people name things of.
const MOST_BYTES: usize = 2 << 20;

/// A file as it was before a change.
pub(super) struct Before<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
}

/// A name that a file defined, and who still uses it: file and line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Undefined {
    pub(super) file: String,
    pub(super) name: String,
    pub(super) users: Vec<(String, u32)>,
}

/// The names that files do not define any more though others use them.
pub(super) fn undefined(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    changed: &[Before<'_>],
) -> Vec<Undefined> {
    let mut by_family: BTreeMap<usize, Vec<&Before<'_>>> = BTreeMap::new();
    for file in changed {
        if let Some(family) = family(file.path) {
            by_family.entry(family).or_default().push(file);
        }
    }
    let mut found: Vec<Undefined> = by_family
        .into_iter()
        .flat_map(|(family, files)| of_family(system, config, map, family, &files))
        .collect();
    found.sort_unstable();
    found
}

/// The ecosystem that a file's names are found by, where that goes by who defines them.
fn family(path: &str) -> Option<usize> {
    let language = Languages::default().of(path).map(Language::name)?;
    let (number, ecosystem) = Ecosystems::default().of_language(language)?;
    ecosystem.resolves_to_definers().then_some(number)
}

fn of_family(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    family: usize,
    changed: &[&Before<'_>],
) -> Vec<Undefined> {
    let Some(root) = config.root.to_str().map(|root| root.trim_end_matches('/')) else {
        return Vec::new();
    };
    let own: Vec<&UniverseFile> = map
        .universe
        .iter()
        .filter(|file| self::family(file.path.as_str()) == Some(family))
        .collect();
    let was: Vec<(&str, Facts)> =
        changed.iter().map(|it| (it.path, facts_of(it.path, it.text.as_bytes()))).collect();
    // Most changes take no name away; find that out before all files are read.
    let is_lost = |(path, was): &(&str, Facts)| {
        let today = own.iter().find(|file| file.path.as_str() == *path);
        let today = today.and_then(|file| read(system, file));
        let today = today.map(|text| facts_of(path, text.as_bytes())).unwrap_or_default();
        !lost(was, &today).is_empty()
    };
    let was: Vec<(&str, Facts)> = was.into_iter().filter(is_lost).collect();
    if was.is_empty() || own.len() > MOST_FILES {
        return Vec::new();
    }
    let read: Vec<(String, String, Facts)> = own
        .into_par_iter()
        .filter_map(|file| {
            let text = read(system, file)?;
            let facts = facts_of(file.path.as_str(), text.as_bytes());
            Some((file.path.to_string(), text, facts))
        })
        .collect();
    Repository { system, config, root, map, files: &read }.undefined(&was)
}

fn read(system: &dyn System, file: &UniverseFile) -> Option<String> {
    let bytes = system.read_at_most(&file.absolute, MOST_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

thread_local! {
    static EXTRACTOR: std::cell::RefCell<Extractor> =
        std::cell::RefCell::new(Extractor::with_stack(PARSER_STACK));
}

fn facts_of(path: &str, bytes: &[u8]) -> Facts {
    let settings = ExtractSettings::default();
    let extract = || EXTRACTOR.with_borrow_mut(|it| it.extract(path, bytes, &settings));
    catch_panics(extract).unwrap_or_default()
}

/// What a file offered and does not offer any more: names that it defined, and imports, by which it passed others on.
fn lost<'f>(was: &'f Facts, today: &Facts) -> BTreeSet<&'f str> {
    let is_there = |name: &str| {
        let is_it = |it: &Definition| *it.name == *name;
        today.definitions.iter().any(is_it)
            || today.imports.iter().any(|it| told_by(&it.specifier, it.alias.as_deref()) == name)
    };
    let defined = was.definitions.iter().filter(|it| it.scope == ScopeId::default());
    let defined = defined.map(|it| &*it.name);
    let imported = was.imports.iter().filter(|it| it.scope == ScopeId::default());
    let imported = imported.map(|it| told_by(&it.specifier, it.alias.as_deref()));
    defined.chain(imported).filter(|name| !name.is_empty() && !is_there(name)).collect()
}

/// Whether a file has a name in its text that it does not import: a macro may make what is called so.
fn may_make(text: &str, facts: &Facts, name: &str) -> bool {
    let has_name = |text: &str| compounds(text).any(|word| word == name);
    has_name(text) && !facts.imports.iter().any(|it| has_name(&it.specifier))
}

/// The name that an import gives to what it leads to.
fn told_by<'f>(specifier: &'f str, alias: Option<&'f str>) -> &'f str {
    alias.unwrap_or_else(|| compounds(specifier).last().unwrap_or_default())
}

/// A file as it is, with what it lost.
fn restored(today: &Facts, was: &Facts, lost: &BTreeSet<&str>) -> Facts {
    let mut facts = today.clone();
    let is_lost = |name: &str| lost.contains(name);
    let defined = was.definitions.iter().filter(|it| it.scope == ScopeId::default());
    facts.definitions.extend(defined.filter(|it| is_lost(&it.name)).cloned());
    facts.definitions.sort_unstable_by(|left, right| {
        portolan_types::cmp_utf16(&left.name, &right.name).then_with(|| left.cmp(right))
    });
    let imports = was.imports.iter().filter(|it| it.scope == ScopeId::default());
    let imports = imports.filter(|it| is_lost(told_by(&it.specifier, it.alias.as_deref())));
    facts.imports.extend(imports.cloned());
    facts
}

/// The files of a family.
struct Repository<'a> {
    system: &'a dyn System,
    config: &'a Loaded,
    root: &'a str,
    map: &'a MapReport,
    /// Path, text and facts, by path.
    files: &'a [(String, String, Facts)],
}

/// The files as resolvers see them, some with other facts than they have.
struct OverriddenFacts<'a> {
    paths: BTreeSet<String>,
    facts: BTreeMap<String, &'a Facts>,
}

impl Sources for OverriddenFacts<'_> {
    fn paths(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.paths.iter().map(String::as_str))
    }

    fn contains(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    fn facts(&self, path: &str) -> Option<&Facts> {
        self.facts.get(path).copied()
    }
}

/// A name that is passed on by one import after the other is followed so far.
const MOST_ROUNDS: usize = 4;

impl Repository<'_> {
    fn undefined(&self, was: &[(&str, Facts)]) -> Vec<Undefined> {
        let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut then: BTreeMap<String, Facts> = BTreeMap::new();
        let mut gone: Vec<&str> = Vec::new();
        for (path, was) in was {
            let today = self.files.iter().find(|(own, ..)| own == path);
            let nothing = Facts::default();
            let mut lost = lost(was, today.map_or(&nothing, |it| &it.2));
            lost.retain(|name| !today.is_some_and(|(_, text, facts)| may_make(text, facts, name)));
            let facts = today.map_or_else(|| was.clone(), |it| restored(&it.2, was, &lost));
            then.insert(self.absolute(path), facts);
            gone.extend(today.is_none().then_some(*path));
            for name in lost {
                names.entry(name).or_default().insert(path);
            }
        }
        let mut found: BTreeMap<(&str, &str), BTreeSet<(String, u32)>> = BTreeMap::new();
        let mut broken: BTreeMap<String, Facts> = BTreeMap::new();
        // An import that leads nowhere passes nothing on: whoever relied on it is found in the next round.
        for _ in 0..MOST_ROUNDS {
            let uses = self.round(&names, &then, &gone, &broken);
            let before = broken.len();
            for lost in uses {
                for file in names.get(lost.name).into_iter().flatten() {
                    found.entry((file, lost.name)).or_default().insert(lost.place.clone());
                }
                if let Some(import) = lost.import {
                    self.cut(&mut broken, &lost.place.0, import);
                }
            }
            if broken.len() == before {
                break;
            }
        }
        let told = found.into_iter().map(|((file, name), users)| Undefined {
            file: file.to_owned(),
            name: name.to_owned(),
            users: users.into_iter().collect(),
        });
        told.collect()
    }

    /// The uses of lost names, where some files have other facts than they do.
    fn round<'n>(
        &self,
        names: &BTreeMap<&'n str, BTreeSet<&str>>,
        then: &BTreeMap<String, Facts>,
        gone: &[&str],
        broken: &BTreeMap<String, Facts>,
    ) -> Vec<LostUse<'n>> {
        let worlds = [self.world(broken), self.world(then)];
        let folders = folders_with(self.system, self.root, gone);
        let listings = folders.iter().map(|(folder, entries)| (folder.clone(), entries.as_slice()));
        let stores = &self.config.stores;
        let [now, then] = &worlds;
        let grounds = [
            ResolveContext::new(self.system, self.root, std::iter::empty(), now)
                .with_stores(stores),
            ResolveContext::new(self.system, self.root, listings, then).with_stores(stores),
        ];
        let [now, then] = [0, 1].map(|at| Resolvers::open(&grounds[at], Ecosystems::default()));
        let uses = self
            .files
            .par_iter()
            .flat_map_iter(|file| lost_uses(file, &self.absolute(&file.0), names, [&now, &then]));
        uses.collect()
    }

    /// Takes an import away from a file, where nothing points at it.
    fn cut(&self, broken: &mut BTreeMap<String, Facts>, path: &str, import: usize) {
        let Some((.., facts)) = self.files.iter().find(|(own, ..)| own == path) else { return };
        if !(facts.requests.is_empty()
            && facts.forwards.is_empty()
            && facts.glob_reexports.is_empty())
        {
            return;
        }
        let own = broken.entry(self.absolute(path)).or_insert_with(|| facts.clone());
        own.imports.retain(|it| *it != facts.imports[import]);
    }

    fn absolute(&self, path: &str) -> String {
        format!("{}/{path}", self.root)
    }

    /// The files, some with other facts, or only there by these.
    fn world<'w>(&'w self, others: &'w BTreeMap<String, Facts>) -> OverriddenFacts<'w> {
        let own = self.map.universe.iter().map(|it| self.absolute(it.path.as_str()));
        let facts = self.files.iter().map(|(path, _, facts)| (self.absolute(path), facts));
        OverriddenFacts {
            paths: own.chain(others.keys().cloned()).collect(),
            facts: facts.chain(others.iter().map(|(path, facts)| (path.clone(), facts))).collect(),
        }
    }
}

/// A use of a lost name.
struct LostUse<'n> {
    name: &'n str,
    place: (String, u32),
    /// The import that says the name, by which others may have got it.
    import: Option<usize>,
}

/// The uses of lost names in a file.
fn lost_uses<'n>(
    (path, text, facts): &(String, String, Facts),
    absolute: &str,
    names: &BTreeMap<&'n str, BTreeSet<&str>>,
    worlds: [&Resolvers<'_>; 2],
) -> Vec<LostUse<'n>> {
    let words: BTreeSet<&str> = compounds(text).collect();
    let Some(language) = Languages::default().of(path).map(Language::name) else {
        return Vec::new();
    };
    let probe = Probe { language, absolute, facts, worlds };
    let mut found = Vec::new();
    for name in names.keys().copied().filter(|name| words.contains(name)) {
        let has_name = |text: &str| compounds(text).any(|word| word == name);
        let mut imports = facts.imports.iter().enumerate();
        let import = imports.find(|(at, import)| {
            if has_name(&import.specifier) {
                // As code would write it: an import alone may be taken for what a macro makes.
                let name = import.specifier.clone();
                probe.is_use_lost(&Use { name, scope: import.scope, ..Use::default() })
            } else {
                probe.is_import_lost(*at, &has_name)
            }
        });
        let used =
            || facts.uses.iter().filter(|it| has_name(&it.name)).find(|it| probe.is_use_lost(it));
        let line = if let Some((_, import)) = import {
            line_of(text, &import.specifier, name)
        } else {
            let Some(used) = used() else { continue };
            let line = text.lines().position(|line| line.contains(&*used.name));
            line.map_or_else(|| import_line(text, "", Some(name)), |at| at as u32 + 1)
        };
        let import = import.filter(|(_, it)| has_name(&it.specifier)).map(|(at, _)| at);
        found.push(LostUse { name, place: (path.clone(), line), import });
    }
    found
}

/// Asks where names of a file lead: in the repository as it is, and in one that has what was lost.
struct Probe<'p, 'r> {
    language: &'p str,
    absolute: &'p str,
    facts: &'p Facts,
    worlds: [&'p Resolvers<'r>; 2],
}

impl Probe<'_, '_> {
    /// Whether a name that stands in the code leads nowhere any more.
    fn is_use_lost(&self, used: &Use) -> bool {
        let facts = Facts { uses: vec![used.clone()], ..self.facts.clone() };
        let [now, then] = self.leads(|importer, leads| leads.needs(importer, &facts));
        now.is_nowhere_against(&then)
    }

    /// Whether what is used of an import by a name leads nowhere any more, whatever else the import leads to.
    fn is_import_lost(&self, import: usize, has_name: &dyn Fn(&str) -> bool) -> bool {
        let uses: Vec<Use> =
            self.facts.uses.iter().filter(|it| has_name(&it.name)).cloned().collect();
        if uses.is_empty() {
            return false;
        }
        let of = |uses: Vec<Use>| {
            let facts = Facts { uses, ..self.facts.clone() };
            self.leads(|importer, leads| leads.import(importer, &facts, import))
        };
        let ([now, then], [now_else, then_else]) = (of(uses), of(Vec::new()));
        now.without(&now_else).is_nowhere_against(&then.without(&then_else))
    }

    fn leads(&self, ask: impl Fn(&dyn Importer, &mut Leads)) -> [Leads; 2] {
        self.worlds.map(|world| {
            let mut leads = Leads::default();
            if let Some(importer) = world.importer(self.language, self.absolute) {
                ask(&*importer, &mut leads);
            }
            leads
        })
    }
}

/// The line that names something of what an import leads to: the import, where it has the name itself.
fn line_of(text: &str, specifier: &str, name: &str) -> u32 {
    let has_name = compounds(specifier).any(|word| word == name);
    let last = compounds(specifier).last().unwrap_or_default();
    let used = format!("{last}.{name}");
    let qualified = text.lines().position(|line| !has_name && line.contains(&used));
    qualified.map_or_else(|| import_line(text, specifier, Some(name)), |at| at as u32 + 1)
}

/// The files that something leads to: as an import, as what is written out, and as what is meant.
#[derive(Default)]
struct Leads {
    files: [BTreeSet<String>; 3],
    /// Whether that is not all.
    is_cut: bool,
}

impl Leads {
    /// Whether something that leads somewhere in another repository leads nowhere here.
    fn is_nowhere_against(&self, then: &Self) -> bool {
        let mut pairs = self.files.iter().zip(&then.files);
        !self.is_cut && pairs.any(|(now, then)| now.is_empty() && !then.is_empty())
    }

    fn without(mut self, others: &Self) -> Self {
        for (own, others) in self.files.iter_mut().zip(&others.files) {
            own.retain(|file| !others.contains(file));
        }
        self
    }

    fn import(&mut self, importer: &dyn Importer, facts: &Facts, at: usize) {
        let mut targets = Vec::new();
        importer.resolve(facts, at, &mut targets);
        self.files[0].extend(targets.iter().filter_map(file));
        self.is_cut |= importer.is_cut();
    }

    fn needs(&mut self, importer: &dyn Importer, facts: &Facts) {
        let mut needs = Vec::new();
        importer.needs(facts, &mut needs);
        for need in &needs {
            let way = if need.is_written { 1 } else { 2 };
            self.files[way].extend(file(&need.target));
        }
        self.is_cut |= importer.is_cut();
    }
}

fn file(target: &ImportTarget) -> Option<String> {
    match target {
        ImportTarget::File(path) => Some(path.to_string()),
        ImportTarget::Module(..) => None,
    }
}
