//! Follows an imported name through any number of barrels to the files that define it.
//!
//! A name that a module defines or re-exports explicitly hides the same name from a star. The
//! language of the module, and the module behind the star, decide which names a star passes on.
//!
//! Most names are found in a few steps, each on its own and in parallel. The others are searched
//! together ([`crate::reexports::together`]), so that the work grows linearly with the modules, not
//! with their square, however they are connected.

mod stars;
mod together;

use std::collections::BTreeSet;

use portolan_types::{FileId, MAX_DEFINERS};
use rayon::prelude::*;

/// The exports of a module, with resolved specifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// The names it defines, sorted.
    pub definitions: Vec<Box<str>>,
    /// The names it re-exports explicitly, sorted by name.
    pub forwards: Vec<ModuleForward>,
    /// The modules it re-exports with a star.
    pub stars: Vec<FileId>,
    /// The only names that a star takes from it, sorted, if it declares such a list (`__all__`).
    pub offered: Option<Vec<Box<str>>>,
}

impl Module {
    fn defines(&self, name: &str) -> bool {
        self.definitions.binary_search_by(|own| (**own).cmp(name)).is_ok()
    }

    fn offers(&self, name: &str) -> bool {
        let is_in = |names: &Vec<Box<str>>| names.binary_search_by(|own| (**own).cmp(name)).is_ok();
        self.offered.as_ref().is_none_or(is_in)
    }
}

/// An explicit re-export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleForward {
    /// Its name in this module.
    pub name: Box<str>,
    /// The module it comes from.
    pub module: FileId,
    /// Its name in that module; `None` for the module itself.
    pub original: Option<Box<str>>,
}

/// A module, as far as it is loaded.
#[derive(Clone, Copy, Debug)]
pub enum KnownModule<'a> {
    /// Its exports.
    Module(&'a Module),
    /// Not loaded yet: load it and ask again.
    Unloaded,
    /// It has no exports: a stylesheet, a JSON file, an unreadable file.
    Opaque,
}

/// The modules of a graph.
pub trait Modules: Sync {
    /// The number of modules. Modules that are not loaded may have higher numbers.
    fn count(&self) -> usize;

    /// The module with a number.
    fn module(&self, module: FileId) -> KnownModule<'_>;

    /// The files that add declarations to a name of a module (`declare module`).
    fn additions(&self, module: FileId, name: &str) -> &[FileId];

    /// Whether the stars of a module can pass on a name.
    fn star_brings(&self, module: FileId, name: &str) -> bool;

    /// Whether the stars of both modules pass on the same names.
    fn same_stars(&self, left: FileId, right: FileId) -> bool;
}

/// A search with more steps than this is handed to the joint search.
const EASY_STEPS: u64 = 256;

/// The files that a search has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    /// The files that define the name.
    files: BTreeSet<FileId>,
    /// The files that augment it.
    added: BTreeSet<FileId>,
    is_cut: bool,
}

impl Found {
    /// Keeps the smallest ones, so that the result does not depend on the search order.
    fn keep(set: &mut BTreeSet<FileId>, is_cut: &mut bool, file: FileId) {
        set.insert(file);
        if set.len() > MAX_DEFINERS {
            set.pop_last();
            *is_cut = true;
        }
    }

    fn define(&mut self, file: FileId) {
        Self::keep(&mut self.files, &mut self.is_cut, file);
    }

    fn add(&mut self, sorted: &[FileId]) {
        // More than these cannot be kept.
        for file in sorted.iter().take(MAX_DEFINERS + 1) {
            Self::keep(&mut self.added, &mut self.is_cut, *file);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.is_cut |= other.is_cut;
        for file in &other.files {
            self.define(*file);
        }
        for file in &other.added {
            Self::keep(&mut self.added, &mut self.is_cut, *file);
        }
    }

    /// Defining files come before augmenting ones.
    fn definers(&self) -> DefiningFiles {
        let added = self.added.difference(&self.files);
        let mut files: Vec<FileId> = self.files.iter().chain(added).copied().collect();
        let is_cut = self.is_cut || files.len() > MAX_DEFINERS;
        files.truncate(MAX_DEFINERS);
        files.sort_unstable();
        DefiningFiles { files, is_cut }
    }
}

/// The files that a name leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefiningFiles {
    /// The defining files, sorted.
    pub files: Vec<FileId>,
    /// Whether there are more.
    pub is_cut: bool,
}

/// The search for one name of a module.
#[derive(Clone, Debug)]
pub struct ReexportSearch {
    /// Where to continue; empty when the search is complete.
    starts: Vec<(FileId, Box<str>)>,
    found: Found,
}

impl ReexportSearch {
    /// Starts a search for an export of a module.
    pub fn new(module: FileId, name: Box<str>) -> Self {
        Self { starts: vec![(module, name)], found: Found::default() }
    }

    /// Whether the search is complete.
    pub fn is_over(&self) -> bool {
        self.starts.is_empty()
    }

    /// The files found so far; all of them if the search is complete.
    pub fn definers(&self) -> DefiningFiles {
        self.found.definers()
    }
}

/// The result of a round of searching.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// The modules that must be loaded first, sorted. Load them and call [`follow`] again.
    pub unloaded: Vec<FileId>,
    /// Whether the targets of their stars will be needed too.
    pub wants_stars: bool,
    /// The number of steps, as a measure of work.
    pub steps: u64,
}

/// Follows names as far as the modules are loaded.
pub fn follow(modules: &impl Modules, searches: &mut [&mut ReexportSearch]) -> Round {
    let easy: Vec<(Option<BTreeSet<FileId>>, u64)> =
        searches.par_iter_mut().map(|search| follow_alone(modules, search)).collect();
    let steps = easy.iter().map(|(_, steps)| steps).sum();
    let mut round = Round { steps, ..Round::default() };
    let mut unloaded = BTreeSet::new();
    let mut hard = Vec::new();
    for ((found, _), search) in easy.into_iter().zip(searches) {
        match found {
            Some(wanted) => unloaded.extend(wanted),
            None => hard.push(&mut **search),
        }
    }
    if !hard.is_empty() {
        round.wants_stars = true;
        round.steps += together::follow(modules, &mut hard, &mut unloaded);
    }
    round.unloaded = unloaded.into_iter().collect();
    round
}

/// Follows one name. Returns the modules that must be loaded first, or `None` if it takes too many
/// steps; then nothing has changed.
fn follow_alone(
    modules: &impl Modules,
    search: &mut ReexportSearch,
) -> (Option<BTreeSet<FileId>>, u64) {
    let mut found = Found::default();
    let mut unloaded = BTreeSet::new();
    let mut parked = Vec::new();
    let mut queue: Vec<(FileId, &str)> =
        search.starts.iter().map(|(module, name)| (*module, &**name)).collect();
    let mut visited: BTreeSet<(FileId, &str)> = queue.iter().copied().collect();
    let mut steps = 0;
    while let Some((file, name)) = queue.pop() {
        steps += 1;
        let module = match modules.module(file) {
            KnownModule::Module(module) => module,
            KnownModule::Opaque => continue,
            KnownModule::Unloaded => {
                unloaded.insert(file);
                parked.push((file, Box::from(name)));
                continue;
            }
        };
        let forwards = forwards_of(module, name);
        steps += forwards.len() as u64;
        if own_names(modules, file, module, name, &mut found) {
            for (module, original) in renamed(forwards) {
                if visited.insert((module, original)) {
                    queue.push((module, original));
                }
            }
        } else if modules.star_brings(file, name) {
            if steps + module.stars.len() as u64 > EASY_STEPS {
                return (None, steps);
            }
            steps += module.stars.len() as u64;
            let stars = starred(modules, module, name).filter(|state| visited.insert(*state));
            queue.extend(stars);
        }
        if steps > EASY_STEPS {
            return (None, steps);
        }
    }
    search.found.merge(&found);
    search.starts = parked;
    (Some(unloaded), steps)
}

/// Adds the module's own meaning of a name. Returns whether it has one.
fn own_names(
    modules: &impl Modules,
    file: FileId,
    module: &Module,
    name: &str,
    found: &mut Found,
) -> bool {
    let is_defined = module.defines(name);
    if is_defined {
        found.define(file);
        found.add(modules.additions(file, name));
    }
    let forwards = forwards_of(module, name);
    for forward in forwards.iter().filter(|forward| forward.original.is_none()) {
        found.define(forward.module);
    }
    is_defined || !forwards.is_empty()
}

/// The targets of explicit re-exports.
fn renamed(forwards: &[ModuleForward]) -> impl Iterator<Item = (FileId, &str)> {
    forwards.iter().filter_map(|forward| Some((forward.module, forward.original.as_deref()?)))
}

/// The targets of a module's stars that can pass on a name.
fn starred<'n>(
    modules: &impl Modules,
    module: &Module,
    name: &'n str,
) -> impl Iterator<Item = (FileId, &'n str)> {
    let offers = move |star: &&FileId| match modules.module(**star) {
        KnownModule::Module(module) => module.offers(name),
        KnownModule::Unloaded | KnownModule::Opaque => true,
    };
    module.stars.iter().filter(offers).map(move |star| (*star, name))
}

fn forwards_of<'m>(module: &'m Module, name: &str) -> &'m [ModuleForward] {
    let start = module.forwards.partition_point(|forward| *forward.name < *name);
    let length =
        module.forwards[start..].iter().take_while(|forward| *forward.name == *name).count();
    &module.forwards[start..start + length]
}

#[cfg(test)]
mod tests {
    use super::{
        FileId, KnownModule, MAX_DEFINERS, Module, ModuleForward, Modules, ReexportSearch, Round,
        follow, together,
    };

    /// Modules written as `defs | name=module.original | *module | +offered`, one per number.
    struct Fixture(Vec<Option<Module>>);

    impl Modules for Fixture {
        fn count(&self) -> usize {
            self.0.len()
        }

        fn same_stars(&self, _: FileId, _: FileId) -> bool {
            true
        }

        fn module(&self, module: FileId) -> KnownModule<'_> {
            self.0.get(module.index()).map_or(KnownModule::Opaque, |slot| {
                slot.as_ref().map_or(KnownModule::Unloaded, KnownModule::Module)
            })
        }

        fn additions(&self, _: FileId, _: &str) -> &[FileId] {
            &[]
        }

        fn star_brings(&self, _: FileId, name: &str) -> bool {
            name != "own"
        }
    }

    fn parse(text: &str) -> Option<Module> {
        let mut module = Module::default();
        for word in text.split_whitespace() {
            if word == "?" {
                return None;
            }
            if let Some(name) = word.strip_prefix('+') {
                module.offered.get_or_insert_default().push(name.into());
            } else if let Some(star) = word.strip_prefix('*') {
                module.stars.push(FileId::new(star.parse().unwrap()));
            } else if let Some((name, target)) = word.split_once('=') {
                let (number, original) =
                    target.split_once('.').map_or((target, None), |(n, o)| (n, Some(o.into())));
                module.forwards.push(ModuleForward {
                    name: name.into(),
                    module: FileId::new(number.parse().unwrap()),
                    original,
                });
            } else {
                module.definitions.push(word.into());
            }
        }
        Some(module)
    }

    /// Checks that both searches find the same files.
    #[track_caller]
    fn check(modules: &[&str], name: &str, expected: &[u32]) {
        let fixture = Fixture(modules.iter().map(|text| parse(text)).collect());
        let mut alone = ReexportSearch::new(FileId::new(0), name.into());
        follow(&fixture, &mut [&mut alone]);
        assert!(alone.is_over());
        assert_eq!(alone.definers().files, expected, "{modules:?} {name}");
        let mut hard = ReexportSearch::new(FileId::new(0), name.into());
        together::follow(&fixture, &mut [&mut hard], &mut std::collections::BTreeSet::new());
        assert!(hard.is_over());
        assert_eq!(hard.definers().files, expected, "together: {modules:?} {name}");
    }

    #[test]
    fn a_definition_is_its_own_definer() {
        check(&["A"], "A", &[0]);
        check(&["A"], "B", &[]);
    }

    #[test]
    fn stars_and_renames_are_followed_to_the_end() {
        check(&["*1", "*2 *3", "X", "A"], "A", &[3]);
        check(&["A=1.B", "B=2.own", "own"], "A", &[2]);
        check(&["ns=1", "A"], "ns", &[1]);
    }

    #[test]
    fn own_names_hide_stars_and_some_names_no_star_brings() {
        check(&["A *1", "A"], "A", &[0]);
        check(&["A=2.A *1", "A", "A"], "A", &[2]);
        check(&["*1", "own"], "own", &[]);
        check(&["A=1.own", "own"], "A", &[1]);
    }

    #[test]
    fn a_module_may_list_the_names_for_stars() {
        check(&["*1", "A B +A"], "A", &[1]);
        check(&["*1", "A B +A"], "B", &[]);
        check(&["B=1.B", "A B +A"], "B", &[1]);
    }

    #[test]
    fn circles_end() {
        check(&["*1", "*0 *2", "*1 A"], "A", &[2]);
        check(&["A=1.A", "A=0.A"], "A", &[]);
    }

    #[test]
    fn unloaded_modules_are_requested() {
        let mut fixture = Fixture(vec![parse("*1 *2"), parse("?"), parse("A")]);
        let mut search = ReexportSearch::new(FileId::new(0), "A".into());
        let round = follow(&fixture, &mut [&mut search]);
        assert_eq!(round.unloaded, [1]);
        assert!(!search.is_over());
        fixture.0[1] = parse("A");
        assert_eq!(follow(&fixture, &mut [&mut search]).unloaded, [0; 0]);
        assert_eq!(search.definers().files, [1, 2]);
        assert!(search.is_over());
    }

    #[test]
    fn unloaded_modules_are_requested_once_for_many_searches() {
        let mut modules: Vec<String> = vec![(1..=400).map(|at| format!("*{at} ")).collect()];
        modules.extend((1..400).map(|at| format!("n{at}")));
        modules.push("?".to_owned());
        let mut fixture = Fixture(modules.iter().map(|text| parse(text)).collect());
        let mut searches: Vec<_> = (1..=400)
            .map(|at| ReexportSearch::new(FileId::new(0), format!("n{at}").into()))
            .collect();
        let mut all: Vec<&mut ReexportSearch> = searches.iter_mut().collect();
        let round = follow(&fixture, &mut all);
        assert_eq!(round.unloaded, [400]);
        assert!(round.wants_stars);
        fixture.0[400] = parse("n1 n400");
        follow(&fixture, &mut all);
        let found: Vec<_> = searches.iter().map(|search| search.definers().files).collect();
        assert_eq!(found[0], [1, 400]);
        assert!((2..=400).all(|at| found[at - 1] == [at as u32]));
    }

    #[test]
    fn only_the_first_definers_are_kept_and_marked_as_cut() {
        let mut modules = vec![(1..=300).map(|at| format!("*{at} ")).collect::<String>()];
        modules.extend((1..=300).map(|_| "A".to_owned()));
        let fixture = Fixture(modules.iter().map(|text| parse(text)).collect());
        let mut search = ReexportSearch::new(FileId::new(0), "A".into());
        follow(&fixture, &mut [&mut search]);
        let definers = search.definers();
        assert_eq!(definers.files, (1..=MAX_DEFINERS as u32).collect::<Vec<_>>());
        assert!(definers.is_cut);
    }

    /// The number of steps for all of these searches.
    fn steps(modules: &[String], asked: &[(u32, String)]) -> u64 {
        let fixture = Fixture(modules.iter().map(|text| parse(text)).collect());
        let mut searches: Vec<_> = asked
            .iter()
            .map(|(module, name)| ReexportSearch::new(FileId::new(*module), name.as_str().into()))
            .collect();
        let Round { steps, .. } = follow(&fixture, &mut searches.iter_mut().collect::<Vec<_>>());
        assert!(searches.iter().all(ReexportSearch::is_over));
        steps
    }

    /// Checks that twice as many modules take about twice the work, however they are connected.
    #[track_caller]
    fn check_growth(make: impl Fn(usize) -> (Vec<String>, Vec<(u32, String)>)) {
        let work = |n: usize| {
            let (modules, asked) = make(n);
            steps(&modules, &asked)
        };
        let (small, large) = (work(1_000), work(2_000));
        assert!(large < small * 5 / 2, "{small} → {large}");
    }

    #[test]
    fn work_grows_with_a_star_barrel_and_not_with_its_square() {
        check_growth(|n| {
            let mut modules = vec![(1..=n).map(|at| format!("*{at} ")).collect::<String>()];
            modules.extend((1..=n).map(|at| format!("n{at}")));
            // A second barrel over the same modules, and one over both.
            modules.push(modules[0].clone());
            modules.push(format!("*0 *{}", n + 1));
            let barrels = [0, n as u32 + 1, n as u32 + 2];
            let asked = |at: usize| barrels.map(|barrel| (barrel, format!("n{at}")));
            (modules, (1..=n).flat_map(asked).collect())
        });
    }

    #[test]
    fn work_grows_linearly_with_a_cycle_of_barrels_for_a_missing_name() {
        check_growth(|n| {
            let modules = (0..n).map(|at| format!("*{} n{at}", (at + 1) % n)).collect();
            let missing = (0..n).map(|at| (at as u32, format!("missing{at}")));
            let there = (0..n).map(|at| (at as u32, format!("n{}", (at + n / 2) % n)));
            (modules, missing.chain(there).collect())
        });
    }

    #[test]
    fn work_grows_linearly_with_a_chain_of_stars_from_every_module() {
        check_growth(|n| {
            let modules = (0..n).map(|at| format!("*{} n{at}", (at + 1).min(n - 1))).collect();
            let from_the_top = (0..n).map(|at| (0, format!("n{at}")));
            let from_everywhere = (0..n).map(|at| (at as u32, format!("n{}", n - 1)));
            (modules, from_the_top.chain(from_everywhere).collect())
        });
    }

    #[test]
    fn work_grows_linearly_with_a_chain_of_renames_from_every_module() {
        check_growth(|n| {
            let mut modules: Vec<String> =
                (1..n).map(|at| format!("n{}={at}.n{at}", at - 1)).collect();
            modules.push(format!("n{}", n - 1));
            (modules, (0..n).map(|at| (at as u32, format!("n{at}"))).collect())
        });
    }
}
