//! Which file defines a name of a module: through what the module itself imports, star imports among it.

use std::cell::Cell;
use std::sync::{Arc, OnceLock};

use portolan_types::{cmp_utf16, Facts, Forwarded, Import};
use rustc_hash::{FxHashMap, FxHashSet};

use super::modules::{Found, Modules};
use super::parts;
use crate::Memo;

/// No more modules are asked for one name: thousands that take each other in whole would each ask all others.
const MOST_ASKED: usize = 256;

/// The names of all modules.
pub(super) struct Names<'a> {
    modules: Modules<'a>,
    /// Who defines a name of a module, and whether it was too much to find out.
    known: Memo<(u32, Box<str>), (Option<u32>, bool)>,
    /// The modules that bind a name themselves, in order.
    holders: OnceLock<FxHashMap<&'a str, Vec<u32>>>,
    stars: Memo<u32, Arc<Stars>>,
    /// How many leads were followed.
    #[cfg(test)]
    steps: std::sync::atomic::AtomicUsize,
}

/// The modules that another one takes in whole, each with its place among them.
#[derive(Debug, Default)]
struct Stars {
    /// Those that take in no others: they have a name themselves, or not at all.
    alone: FxHashMap<u32, usize>,
    others: Vec<(usize, u32)>,
}

/// The ways an import is written, as the language numbers them.
const IMPORT: u8 = 0;
const FROM: u8 = 1;

impl<'a> Names<'a> {
    pub(super) fn new(modules: Modules<'a>) -> Self {
        Self {
            modules,
            known: Memo::default(),
            holders: OnceLock::new(),
            stars: Memo::default(),
            #[cfg(test)]
            steps: std::sync::atomic::AtomicUsize::new(0),
        }
    }

    pub(super) fn modules(&self) -> &Modules<'a> {
        &self.modules
    }

    /// The modules that bind a name by a definition or an import of it.
    fn holders(&self, name: &str) -> &[u32] {
        let holders = self.holders.get_or_init(|| {
            let mut holders: FxHashMap<&'a str, Vec<u32>> = FxHashMap::default();
            for (file, facts) in self.modules.all_facts() {
                let forwarded = facts.forwards.iter().map(|forward| &*forward.name);
                for name in facts.definitions.iter().map(|it| &*it.name).chain(forwarded) {
                    let files = holders.entry(name).or_default();
                    if files.last() != Some(&file) {
                        files.push(file);
                    }
                }
            }
            holders
        });
        holders.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// What a module takes in whole.
    fn stars(&self, file: u32, facts: &Facts) -> Arc<Stars> {
        if let Some(known) = self.stars.get(&file) {
            return known;
        }
        let path = self.modules.path(file);
        let mut stars = Stars::default();
        for (place, star) in facts.stars.iter().enumerate() {
            let Some(import) = facts.imports.get(*star as usize) else { continue };
            let Found::File(from) = self.modules.find(path, parts(import).0) else { continue };
            if self.modules.facts(from).is_none_or(|facts| facts.stars.is_empty()) {
                stars.alone.entry(from).or_insert(place);
            } else {
                stars.others.push((place, from));
            }
        }
        self.stars.insert(file, Arc::new(stars))
    }

    /// The modules that a star may bring a name from, in their order: of those that take in no others only who has it.
    fn starred(&self, file: u32, facts: &Facts, name: &str) -> Vec<u32> {
        let holders = self.holders(name);
        if holders.is_empty() {
            return Vec::new();
        }
        let stars = self.stars(file, facts);
        let mut found: Vec<(usize, u32)> =
            stars.others.iter().take(MOST_ASKED + 1).copied().collect();
        if holders.len() <= stars.alone.len() {
            let places = holders.iter().map(|holder| (stars.alone.get(holder), *holder));
            found.extend(places.filter_map(|(place, holder)| Some((*place?, holder))));
        } else {
            let alone = stars.alone.iter().map(|(file, place)| (*place, *file));
            found.extend(alone.filter(|(_, file)| holders.binary_search(file).is_ok()));
        }
        found.retain(|(_, file)| self.offers(*file, name));
        found.sort_unstable();
        found.into_iter().map(|(_, file)| file).collect()
    }

    /// Whether a module gives a name to those that take it in whole: what `__all__` lists, else what has no `_` in front.
    fn offers(&self, file: u32, name: &str) -> bool {
        match self.modules.facts(file).and_then(|facts| facts.dunder_all.as_deref()) {
            Some(listed) => listed.binary_search_by(|it| cmp_utf16(it, name)).is_ok(),
            None => !name.starts_with('_'),
        }
    }
}

/// The names of all modules, for one file that asks.
pub(super) struct Asking<'i, 'a> {
    names: &'i Names<'a>,
    is_cut: Cell<bool>,
}

impl<'i, 'a> Asking<'i, 'a> {
    pub(super) fn new(names: &'i Names<'a>) -> Self {
        Self { names, is_cut: Cell::new(false) }
    }

    pub(super) fn modules(&self) -> &'i Modules<'a> {
        &self.names.modules
    }

    /// Whether it was too much to find a name that was asked for.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    /// The file that `from module import item` leads to: the submodule of that name, unless the module
    /// has something else by it.
    pub(super) fn item(&self, path: &str, module: &str, file: u32, item: &str) -> u32 {
        if !self.modules().is_package(file) {
            return file;
        }
        let Some(submodule) = self.modules().submodule(path, module, item) else { return file };
        let is_submodule = !self.has(file, item) || self.define(file, item) == Some(submodule);
        if is_submodule { submodule } else { file }
    }

    /// Whether a module binds a name itself, by definition, import or star.
    fn has(&self, file: u32, name: &str) -> bool {
        let Some(facts) = self.modules().facts(file) else { return false };
        facts.definition(name).is_some()
            || facts.forwards.iter().any(|forward| *forward.name == *name)
            || (!facts.stars.is_empty() && self.define(file, name).is_some())
    }

    /// The file that defines what an import names, if that is not where it leads by itself.
    pub(super) fn definer_of(&self, path: &str, import: &Import) -> Option<u32> {
        let (module, item) = parts(import);
        let item = item.filter(|item| *item != "*")?;
        let Found::File(file) = self.modules().find(path, module) else { return None };
        let target = self.item(path, module, file, item);
        if target != file {
            return None;
        }
        self.define(file, item).filter(|definer| *definer != target)
    }

    /// The module that an import binds to a name, if it binds one.
    pub(super) fn bound(&self, path: &str, import: &Import) -> Option<u32> {
        let (module, item) = parts(import);
        match (import.form.0, item) {
            (IMPORT, None) => match self.modules().find(path, module) {
                Found::File(file) => Some(file),
                _ => None,
            },
            (FROM, Some(item)) => self.bound_module(path, module, item),
            _ => None,
        }
    }

    /// The file that defines `name`, an attribute of a module, if that is not the module itself.
    pub(super) fn attribute_of(&self, module: u32, name: &str) -> Option<u32> {
        self.define(module, name).filter(|definer| *definer != module)
    }

    /// The module that `from module import item` binds, if it binds one.
    fn bound_module(&self, path: &str, module: &str, item: &str) -> Option<u32> {
        let submodule = self.modules().submodule(path, module, item)?;
        match self.modules().find(path, module) {
            Found::Namespace => Some(submodule),
            Found::File(file) if self.modules().is_package(file) => self
                .define(file, item)
                .is_none_or(|definer| definer == submodule)
                .then_some(submodule),
            _ => None,
        }
    }

    /// The file that defines a name, looked up in a module.
    fn define(&self, file: u32, name: &str) -> Option<u32> {
        let key = (file, Box::from(name));
        let known = self.names.known.get(&key);
        let (found, is_cut) =
            known.unwrap_or_else(|| self.names.known.insert(key, self.names.search(file, name)));
        self.is_cut.set(self.is_cut.get() || is_cut);
        found
    }
}

impl<'a> Names<'a> {
    /// What is asked of one module after the other, in the order in which Python would find it. A module
    /// that was asked for a name is not asked for it again.
    fn search(&self, file: u32, name: &str) -> (Option<u32>, bool) {
        let mut seen = FxHashSet::default();
        let mut asked: Vec<Lead> = vec![Lead::Ask(file, name.into())];
        while let Some(step) = asked.pop() {
            #[cfg(test)]
            self.steps.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let (file, name) = match step {
                Lead::Found(file) => return (Some(file), false),
                Lead::Ask(file, name) => (file, name),
            };
            if seen.len() >= MOST_ASKED {
                return (None, true);
            }
            if !seen.insert((file, name.clone())) {
                continue;
            }
            let Some(facts) = self.modules.facts(file) else { continue };
            let steps = self.steps(file, facts, &name);
            asked.extend(steps.into_iter().rev());
        }
        (None, false)
    }

    /// Where a name of a module may come from, the likeliest first.
    fn steps(&self, file: u32, facts: &'a Facts, name: &str) -> Vec<Lead> {
        let path = self.modules.path(file);
        let mut steps = Vec::new();
        let mut is_forwarded = false;
        for forward in facts.forwards.iter().filter(|forward| *forward.name == *name) {
            let (Some(import), Forwarded::Name(original)) =
                (facts.imports.get(forward.import as usize), &forward.target)
            else {
                continue;
            };
            is_forwarded = true;
            let (module, _) = parts(import);
            if let Found::File(from) = self.modules.find(path, module) {
                steps.push(Lead::Ask(from, original.clone()));
            }
            if let Some(submodule) = self.modules.submodule(path, module, original) {
                steps.push(Lead::Found(submodule));
            }
        }
        let is_defined = facts.definition(name).is_some();
        if is_defined {
            steps.push(Lead::Found(file));
        }
        if is_forwarded || is_defined {
            return steps;
        }
        if !facts.stars.is_empty() {
            let starred = self.starred(file, facts, name);
            steps.extend(starred.into_iter().map(|from| Lead::Ask(from, name.into())));
        }
        steps
    }
}

/// Something to do on the way to a definer.
enum Lead {
    /// Ask this module for this name.
    Ask(u32, Box<str>),
    /// This is it.
    Found(u32),
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::Ordering;

    use portolan_types::{Definition, Facts, Import, ImportForm};
    use portolan_vfs::MemorySystem;

    use super::{Asking, FROM, Names};
    use crate::python::resolve::modules::Modules;
    use crate::{Ground, Sources};

    struct Texts(BTreeMap<String, Facts>);

    impl Sources for Texts {
        fn paths(&self) -> Box<dyn Iterator<Item = &str> + '_> {
            Box::new(self.0.keys().map(String::as_str))
        }

        fn contains(&self, path: &str) -> bool {
            self.0.contains_key(path)
        }

        fn facts(&self, path: &str) -> Option<&Facts> {
            self.0.get(path)
        }
    }

    /// A module that takes in others whole, and defines a name.
    fn facts(stars: impl Iterator<Item = String>, name: &str) -> Facts {
        let mut facts = Facts::default();
        for (at, star) in stars.enumerate() {
            let specifier = format!("{star}:*").into();
            facts.imports.push(Import { specifier, form: ImportForm(FROM), ..Import::default() });
            facts.stars.push(at as u32);
        }
        facts.definitions.push(Definition::from(name));
        facts
    }

    /// How many leads are followed when each of so many modules asks the hub for the name of the next one, and how often
    /// that was too much.
    fn work(count: usize, takes_in: impl Fn(usize) -> Vec<String>) -> (usize, usize) {
        let all = (0..count).map(|at| format!("m{at:04}"));
        let mut files = BTreeMap::from([("/r/hub.py".to_owned(), facts(all, "hub"))]);
        for at in 0..count {
            let module = facts(takes_in(at).into_iter(), &format!("n{at}"));
            files.insert(format!("/r/m{at:04}.py"), module);
        }
        let (system, sources) = (MemorySystem::default(), Texts(files));
        let ground = Ground::new(&system, "/r", std::iter::empty(), &sources);
        let names = Names::new(Modules::new(&ground));
        let hub = names.modules().number("hub.py").unwrap_or_default();
        let mut cuts = 0;
        for at in 0..count {
            let asking = Asking::new(&names);
            let own = names.modules().number(&format!("m{at:04}.py")).unwrap_or_default();
            asking.attribute_of(hub, &format!("n{}", (at + 1) % count));
            asking.attribute_of(own, &format!("n{}", (at + 1) % count));
            cuts += usize::from(asking.is_cut());
        }
        (names.steps.load(Ordering::Relaxed), cuts)
    }

    #[track_caller]
    fn check_growth(takes_in: impl Fn(usize) -> Vec<String>) -> usize {
        let (small, large) = (work(500, &takes_in), work(1000, &takes_in));
        assert!(small.0 >= 500 && large.0 < small.0 * 5 / 2, "{small:?} → {large:?}");
        large.1
    }

    #[test]
    fn work_grows_with_modules_that_a_hub_takes_in() {
        assert_eq!(check_growth(|_| Vec::new()), 0);
    }

    #[test]
    fn work_grows_with_modules_that_take_each_other_in_and_what_is_too_much_is_told() {
        assert!(check_growth(|_| vec!["hub".to_owned()]) > 0);
    }
}
