//! Finds the file that defines a name of a module, through the module's own imports, including star
//! imports.

use std::cell::Cell;
use std::sync::{Arc, OnceLock};

use portolan_types::{Facts, Forwarded, Import, cmp_utf16};
use rustc_hash::{FxHashMap, FxHashSet};

use super::modules::{ModuleTarget, Modules};
use super::parts;
use crate::Memo;

/// The largest number of modules searched for one name. Thousands of modules with star imports of
/// each other would each search all others.
const MAX_SEARCHED: usize = 256;

/// The names of all modules.
pub(super) struct ModuleNames<'a> {
    modules: Modules<'a>,
    /// The definer of a name in a module, and whether the search hit the limit.
    known: Memo<(u32, Box<str>), (Option<u32>, bool)>,
    /// The modules that bind a name themselves, in order.
    modules_by_name: OnceLock<FxHashMap<&'a str, Vec<u32>>>,
    stars: Memo<u32, Arc<StarImports>>,
    /// How many search steps were taken.
    #[cfg(test)]
    steps: std::sync::atomic::AtomicUsize,
}

/// The star imports of a module, with their positions.
#[derive(Debug, Default)]
struct StarImports {
    /// Modules without star imports: they bind a name themselves, or not at all.
    alone: FxHashMap<u32, usize>,
    others: Vec<(usize, u32)>,
}

/// The import forms, with the numbers that the Python extractor gives them.
const IMPORT: u8 = 0;
const FROM: u8 = 1;

impl<'a> ModuleNames<'a> {
    pub(super) fn new(modules: Modules<'a>) -> Self {
        Self {
            modules,
            known: Memo::default(),
            modules_by_name: OnceLock::new(),
            stars: Memo::default(),
            #[cfg(test)]
            steps: std::sync::atomic::AtomicUsize::new(0),
        }
    }

    pub(super) fn modules(&self) -> &Modules<'a> {
        &self.modules
    }

    /// The modules that bind a name by a definition or an import.
    fn modules_by_name(&self, name: &str) -> &[u32] {
        let modules_by_name = self.modules_by_name.get_or_init(|| {
            let mut modules_by_name: FxHashMap<&'a str, Vec<u32>> = FxHashMap::default();
            for (file, facts) in self.modules.all_facts() {
                let forwarded = facts.forwards.iter().map(|forward| &*forward.name);
                for name in facts.definitions.iter().map(|it| &*it.name).chain(forwarded) {
                    let files = modules_by_name.entry(name).or_default();
                    if files.last() != Some(&file) {
                        files.push(file);
                    }
                }
            }
            modules_by_name
        });
        modules_by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The star imports of a module.
    fn stars(&self, file: u32, facts: &Facts) -> Arc<StarImports> {
        if let Some(known) = self.stars.get(&file) {
            return known;
        }
        let path = self.modules.path(file);
        let mut stars = StarImports::default();
        for (place, star) in facts.glob_reexports.iter().enumerate() {
            let Some(import) = facts.imports.get(*star as usize) else { continue };
            let ModuleTarget::File(from) = self.modules.find(path, parts(import).0) else {
                continue;
            };
            if self.modules.facts(from).is_none_or(|facts| facts.glob_reexports.is_empty()) {
                stars.alone.entry(from).or_insert(place);
            } else {
                stars.others.push((place, from));
            }
        }
        self.stars.insert(file, Arc::new(stars))
    }

    /// The modules from which a star import may bring a name, in import order. A module without
    /// star imports counts only if it binds the name.
    fn star_candidates(&self, file: u32, facts: &Facts, name: &str) -> Vec<u32> {
        let modules_by_name = self.modules_by_name(name);
        if modules_by_name.is_empty() {
            return Vec::new();
        }
        let stars = self.stars(file, facts);
        let mut found: Vec<(usize, u32)> =
            stars.others.iter().take(MAX_SEARCHED + 1).copied().collect();
        if modules_by_name.len() <= stars.alone.len() {
            let places = modules_by_name.iter().map(|holder| (stars.alone.get(holder), *holder));
            found.extend(places.filter_map(|(place, holder)| Some((*place?, holder))));
        } else {
            let alone = stars.alone.iter().map(|(file, place)| (*place, *file));
            found.extend(alone.filter(|(_, file)| modules_by_name.binary_search(file).is_ok()));
        }
        found.retain(|(_, file)| self.exports(*file, name));
        found.sort_unstable();
        found.into_iter().map(|(_, file)| file).collect()
    }

    /// Whether a star import of a module includes a name: `__all__` lists it or, without `__all__`,
    /// it has no leading `_`.
    fn exports(&self, file: u32, name: &str) -> bool {
        match self.modules.facts(file).and_then(|facts| facts.dunder_all.as_deref()) {
            Some(listed) => listed.binary_search_by(|it| cmp_utf16(it, name)).is_ok(),
            None => !name.starts_with('_'),
        }
    }
}

/// Name lookup on behalf of one importing file.
pub(super) struct NameLookup<'i, 'a> {
    names: &'i ModuleNames<'a>,
    is_cut: Cell<bool>,
}

impl<'i, 'a> NameLookup<'i, 'a> {
    pub(super) fn new(names: &'i ModuleNames<'a>) -> Self {
        Self { names, is_cut: Cell::new(false) }
    }

    pub(super) fn modules(&self) -> &'i Modules<'a> {
        &self.names.modules
    }

    /// Whether a search hit the limit.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    /// The file that `from module import item` leads to: the submodule, unless the module binds the
    /// name to something else.
    pub(super) fn item(&self, path: &str, module: &str, file: u32, item: &str) -> u32 {
        if !self.modules().is_package(file) {
            return file;
        }
        let Some(submodule) = self.modules().submodule(path, module, item) else { return file };
        let is_submodule = !self.has(file, item) || self.define(file, item) == Some(submodule);
        if is_submodule { submodule } else { file }
    }

    /// Whether a module binds a name by a definition, an import or a star import.
    fn has(&self, file: u32, name: &str) -> bool {
        let Some(facts) = self.modules().facts(file) else { return false };
        facts.definition(name).is_some()
            || facts.forwards.iter().any(|forward| *forward.name == *name)
            || (!facts.glob_reexports.is_empty() && self.define(file, name).is_some())
    }

    /// The file that defines an imported name, if it is not the import's own target.
    pub(super) fn definer_of(&self, path: &str, import: &Import) -> Option<u32> {
        let (module, item) = parts(import);
        let item = item.filter(|item| *item != "*")?;
        let ModuleTarget::File(file) = self.modules().find(path, module) else { return None };
        let target = self.item(path, module, file, item);
        if target != file {
            return None;
        }
        self.define(file, item).filter(|definer| *definer != target)
    }

    /// The module that an import binds to a name, if any.
    pub(super) fn bound(&self, path: &str, import: &Import) -> Option<u32> {
        let (module, item) = parts(import);
        match (import.form.0, item) {
            (IMPORT, None) => match self.modules().find(path, module) {
                ModuleTarget::File(file) => Some(file),
                _ => None,
            },
            (FROM, Some(item)) => self.bound_module(path, module, item),
            _ => None,
        }
    }

    /// The file that defines an attribute of a module, if it is not the module itself.
    pub(super) fn attribute_of(&self, module: u32, name: &str) -> Option<u32> {
        self.define(module, name).filter(|definer| *definer != module)
    }

    /// The module that `from module import item` binds, if any.
    fn bound_module(&self, path: &str, module: &str, item: &str) -> Option<u32> {
        let submodule = self.modules().submodule(path, module, item)?;
        match self.modules().find(path, module) {
            ModuleTarget::Namespace => Some(submodule),
            ModuleTarget::File(file) if self.modules().is_package(file) => self
                .define(file, item)
                .is_none_or(|definer| definer == submodule)
                .then_some(submodule),
            _ => None,
        }
    }

    /// The file that defines a name of a module.
    fn define(&self, file: u32, name: &str) -> Option<u32> {
        let key = (file, Box::from(name));
        let known = self.names.known.get(&key);
        let (found, is_cut) =
            known.unwrap_or_else(|| self.names.known.insert(key, self.names.search(file, name)));
        self.is_cut.set(self.is_cut.get() || is_cut);
        found
    }
}

impl<'a> ModuleNames<'a> {
    /// Searches modules in the order in which Python would find the name. Each module is searched
    /// once per name.
    fn search(&self, file: u32, name: &str) -> (Option<u32>, bool) {
        let mut seen = FxHashSet::default();
        let mut asked: Vec<SearchStep> = vec![SearchStep::Ask(file, name.into())];
        while let Some(step) = asked.pop() {
            #[cfg(test)]
            self.steps.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let (file, name) = match step {
                SearchStep::Done(file) => return (Some(file), false),
                SearchStep::Ask(file, name) => (file, name),
            };
            if seen.len() >= MAX_SEARCHED {
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

    /// Where a name of a module may come from, most likely first.
    fn steps(&self, file: u32, facts: &'a Facts, name: &str) -> Vec<SearchStep> {
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
            if let ModuleTarget::File(from) = self.modules.find(path, module) {
                steps.push(SearchStep::Ask(from, original.clone()));
            }
            if let Some(submodule) = self.modules.submodule(path, module, original) {
                steps.push(SearchStep::Done(submodule));
            }
        }
        let is_defined = facts.definition(name).is_some();
        if is_defined {
            steps.push(SearchStep::Done(file));
        }
        if is_forwarded || is_defined {
            return steps;
        }
        if !facts.glob_reexports.is_empty() {
            let starred = self.star_candidates(file, facts, name);
            steps.extend(starred.into_iter().map(|from| SearchStep::Ask(from, name.into())));
        }
        steps
    }
}

/// A step in the search for a definer.
enum SearchStep {
    /// Search this module for this name.
    Ask(u32, Box<str>),
    /// This file defines it.
    Done(u32),
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::Ordering;

    use portolan_types::{Definition, Facts, Import, ImportForm};
    use portolan_vfs::MemorySystem;

    use super::{FROM, ModuleNames, NameLookup};
    use crate::python::resolve::modules::Modules;
    use crate::{ResolveContext, Sources};

    struct PythonFacts(BTreeMap<String, Facts>);

    impl Sources for PythonFacts {
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

    /// A module with star imports that defines one name.
    fn facts(stars: impl Iterator<Item = String>, name: &str) -> Facts {
        let mut facts = Facts::default();
        for (at, star) in stars.enumerate() {
            let specifier = format!("{star}:*").into();
            facts.imports.push(Import { specifier, form: ImportForm(FROM), ..Import::default() });
            facts.glob_reexports.push(at as u32);
        }
        facts.definitions.push(Definition::from(name));
        facts
    }

    /// Every one of `count` modules asks the hub and itself for the name of the next one. Returns
    /// the number of search steps, and how often the limit was hit.
    fn work(count: usize, takes_in: impl Fn(usize) -> Vec<String>) -> (usize, usize) {
        let all = (0..count).map(|at| format!("m{at:04}"));
        let mut files = BTreeMap::from([("/r/hub.py".to_owned(), facts(all, "hub"))]);
        for at in 0..count {
            let module = facts(takes_in(at).into_iter(), &format!("n{at}"));
            files.insert(format!("/r/m{at:04}.py"), module);
        }
        let (system, sources) = (MemorySystem::default(), PythonFacts(files));
        let ctx = ResolveContext::new(&system, "/r", std::iter::empty(), &sources);
        let names = ModuleNames::new(Modules::new(&ctx));
        let hub = names.modules().number("hub.py").unwrap_or_default();
        let mut cuts = 0;
        for at in 0..count {
            let asking = NameLookup::new(&names);
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
    fn work_is_linear_when_a_hub_star_imports_all_modules() {
        assert_eq!(check_growth(|_| Vec::new()), 0);
    }

    #[test]
    fn work_is_linear_for_mutual_star_imports_and_the_limit_is_reported() {
        assert!(check_growth(|_| vec!["hub".to_owned()]) > 0);
    }
}
