//! Looks up what a name means in a module.
//!
//! A module has a name itself or through its glob imports. Its own imports may form cycles, because
//! an import is a path whose names are looked up in the same way; such cycles are cut. The glob
//! imports form a graph that is known in advance (`globs.rs`), and each lookup walks it once.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_types::MAX_DEFINERS;
use rustc_hash::{FxHashMap, FxHashSet};

use super::path::{PathForm, PathResolution};
use super::registry::ExternalCrate;
use super::tree::{ModuleTree, definitions_of};
use super::{form, mark};

/// What a name resolves to: modules, files that define it as something else, or an external crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NameResolution<'a> {
    /// Submodules, and whether each is public.
    pub(super) modules: BTreeSet<(u32, bool)>,
    pub(super) items: BTreeSet<&'a str>,
    /// Files that define a macro with this name. A macro does not shadow anything else.
    pub(super) macros: BTreeSet<&'a str>,
    pub(super) external: Option<ExternalCrate>,
    /// How many nested lookups were needed.
    pub(super) depth: usize,
}

impl<'a> NameResolution<'a> {
    /// Merges another resolution into this one.
    pub(super) fn add(&mut self, more: &Self) {
        insert_bounded(&mut self.modules, more.modules.iter().copied());
        insert_bounded(&mut self.items, more.items.iter().copied());
        insert_bounded(&mut self.macros, more.macros.iter().copied());
        self.external = self.external.take().into_iter().chain(more.external.clone()).min();
        self.depth = self.depth.max(more.depth);
    }

    /// Merges the result of a path.
    fn merge(&mut self, walk: PathResolution<'a>) {
        insert_bounded(&mut self.modules, walk.ends.into_iter().map(|module| (module, true)));
        insert_bounded(&mut self.items, walk.items);
        insert_bounded(&mut self.macros, walk.macros);
        self.external = self.external.take().into_iter().chain(walk.external).min();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.is_unresolved() && self.macros.is_empty()
    }

    /// Whether glob imports may still add something.
    pub(super) fn is_unresolved(&self) -> bool {
        self.modules.is_empty() && self.items.is_empty() && self.external.is_none()
    }

    /// All files that define the name.
    pub(super) fn definers(&self) -> impl Iterator<Item = &'a str> {
        self.items.union(&self.macros).copied()
    }
}

/// Inserts into a bounded set. The set keeps its smallest elements and one more when there are
/// more, so the order of insertion does not matter.
pub(super) fn insert_bounded<T: Ord>(set: &mut BTreeSet<T>, more: impl IntoIterator<Item = T>) {
    for one in more {
        set.insert(one);
        if set.len() > MAX_DEFINERS + 1 {
            set.pop_last();
        }
    }
}

/// What the caller of a lookup expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Want {
    /// A module to continue from, if there is one.
    Module,
    /// Anything with that name.
    Anything,
}

/// A module, and whether the importer is inside it and therefore sees its private items.
pub(super) type ModuleView = (u32, bool);

/// A lookup in progress.
struct ActiveLookup {
    name: Box<str>,
    want: Want,
    /// The module whose own imports are being followed.
    now: u32,
    /// Modules that wait for the modules they glob-import.
    open: FxHashSet<ModuleView>,
}

/// The lookups in progress. A module is never asked for the same name while it is looking for it,
/// so cycles end.
#[derive(Default)]
pub(super) struct LookupState<'a> {
    active: Vec<ActiveLookup>,
    /// How often a cycle was cut. Results found meanwhile may be incomplete, so only this lookup
    /// may use them.
    cuts: usize,
    /// The results that only this lookup may use.
    provisional: FxHashMap<(ModuleView, Want, Box<str>), Arc<NameResolution<'a>>>,
    /// The deepest nesting reached. A cached result counts with the depth it had when it was
    /// computed, so the order of lookups does not matter.
    reached: usize,
    /// Whether a limit was exceeded. Then the lookup has no result at all.
    is_over: bool,
}

/// The longest chain of nested lookups.
pub(super) const MAX_LOOKUP_DEPTH: usize = 200;

/// The largest number of provisional results in one lookup.
const MAX_PROVISIONAL: usize = 100;

/// In a long chain of glob imports, every n-th module caches its result.
const CACHE_INTERVAL: usize = 16;

impl LookupState<'_> {
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    fn give_up(&mut self) {
        self.is_over = true;
        self.cuts += 1;
    }

    /// Whether a module is already being asked for a name. A name that refers to itself (`use
    /// a::a`) resolves to nothing from everywhere. Any other cycle depends on where it was entered,
    /// so it counts as a cut.
    fn is_cycle(&mut self, at: u32, name: &str, want: Want) -> bool {
        let is_it = |active: &ActiveLookup| {
            (active.want, &*active.name) == (want, name)
                && (active.now == at
                    || [true, false].iter().any(|inside| active.open.contains(&(at, *inside))))
        };
        let found = self.active.iter().rposition(is_it);
        let is_itself =
            |index: usize| index + 1 == self.active.len() && self.active[index].now == at;
        self.cuts += usize::from(found.is_some_and(|index| !is_itself(index)));
        found.is_some()
    }
}

impl<'a> ModuleTree<'a> {
    /// What a bare name means inside a module, and whether the result is complete.
    pub(super) fn in_scope(&self, node: u32, name: &str) -> (Arc<NameResolution<'a>>, bool) {
        let mut state = LookupState::default();
        let found = self.look(node, name, Want::Anything, node, &mut state);
        if state.is_over() { (Arc::default(), false) } else { (found, true) }
    }

    /// What a name means in module `at`, as far as code in module `from` can see it.
    pub(super) fn look(
        &self,
        at: u32,
        name: &str,
        want: Want,
        from: u32,
        state: &mut LookupState<'a>,
    ) -> Arc<NameResolution<'a>> {
        let view = (at, self.is_inside(from, at));
        if state.is_over || !self.modules_by_name.contains_key(name) {
            return Arc::default();
        }
        let level = state.active.len();
        if let Some(answer) = self.cached_or_provisional(view, name, want, level, state) {
            return answer;
        }
        if state.is_cycle(at, name, want) {
            return Arc::default();
        }
        if level >= MAX_LOOKUP_DEPTH {
            state.give_up();
            return Arc::default();
        }
        state.active.push(ActiveLookup {
            name: name.into(),
            want,
            now: at,
            open: FxHashSet::default(),
        });
        let found = self.search(view, name, want, state);
        state.active.truncate(level);
        state.reached = state.reached.max(level + found.depth);
        found
    }

    /// A cached result: global, or provisional for this lookup.
    fn cached_or_provisional(
        &self,
        view: ModuleView,
        name: &str,
        want: Want,
        level: usize,
        state: &mut LookupState<'a>,
    ) -> Option<Arc<NameResolution<'a>>> {
        if let Some(known) = self.cached(view, name, want) {
            let reached = level + known.depth;
            if reached > MAX_LOOKUP_DEPTH {
                state.give_up();
                return Some(Arc::default());
            }
            state.reached = state.reached.max(reached);
            return Some(known);
        }
        if state.provisional.is_empty() {
            return None;
        }
        let found = state.provisional.get(&(view, want, name.into())).cloned();
        state.cuts += usize::from(found.is_some());
        found
    }

    /// Caches a result: globally, or for this lookup only if a cycle was cut.
    fn cache_result(
        &self,
        view: ModuleView,
        name: &str,
        want: Want,
        is_cut: bool,
        found: &Arc<NameResolution<'a>>,
        state: &mut LookupState<'a>,
    ) {
        if state.is_over {
            return;
        }
        if is_cut {
            state.provisional.insert((view, want, name.into()), Arc::clone(found));
            if state.provisional.len() > MAX_PROVISIONAL {
                state.give_up();
            }
        } else {
            self.cache(view, name, want, found);
        }
    }

    /// The module's own meaning of a name, or else what its glob imports have.
    fn search(
        &self,
        start: ModuleView,
        name: &str,
        want: Want,
        state: &mut LookupState<'a>,
    ) -> Arc<NameResolution<'a>> {
        let first = self.visit(start, name, want, state);
        if first.is_done(self) {
            let found = Arc::new(first.found);
            self.cache_result(start, name, want, first.is_cut, &found, state);
            return found;
        }
        GlobWalk {
            tree: self,
            name,
            want,
            visits: Vec::new(),
            numbers: FxHashMap::default(),
            waiting: Vec::new(),
        }
        .walk(first, state)
    }

    /// Looks a name up in one module, without its glob imports.
    fn visit(
        &self,
        view: ModuleView,
        name: &str,
        want: Want,
        state: &mut LookupState<'a>,
    ) -> ModuleVisit<'a> {
        #[cfg(test)]
        self.steps.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let level = state.active.len().saturating_sub(1);
        if let Some(active) = state.active.last_mut() {
            active.now = view.0;
        }
        let (cuts, reached) = (state.cuts, std::mem::replace(&mut state.reached, level + 1));
        let has_it = self
            .modules_by_name
            .get(name)
            .is_some_and(|nodes| nodes.binary_search(&view.0).is_ok());
        let mut found = NameResolution::default();
        if has_it {
            found = self.look_in_module(view, name, want, state);
        }
        found.depth = state.reached - level;
        state.reached = state.reached.max(reached);
        ModuleVisit {
            view,
            found,
            is_cut: state.cuts > cuts,
            low: 0,
            rest: Vec::new(),
            is_waiting: false,
        }
    }

    fn look_in_module(
        &self,
        (at, is_inside): ModuleView,
        name: &str,
        want: Want,
        state: &mut LookupState<'a>,
    ) -> NameResolution<'a> {
        let node = self.node(at);
        let mut found = NameResolution::default();
        insert_bounded(&mut found.modules, node.children.get(name).into_iter().flatten().copied());
        if want == Want::Module && !found.modules.is_empty() {
            return found;
        }
        let own = definitions_of(node.facts, name).filter(|own| own.scope.0 == node.scope);
        for own in own {
            match own.mark.0 {
                mark::PLAIN => found.items.insert(node.file),
                mark::MACRO | mark::EXPORTED_MACRO => found.macros.insert(node.file),
                _ => false,
            };
        }
        if node.parent.is_none() {
            // Exported macros live at the root of their crate.
            let exported = &self.exported[node.owner as usize];
            insert_bounded(&mut found.macros, exported.get(name).into_iter().flatten().copied());
        }
        for import in node.aliases.get(name).into_iter().flatten() {
            if *import.specifier == *name && self.add_textual_macros(at, name, &mut found) {
                continue;
            }
            if is_inside || import.form.0 != form::USE {
                let form = PathForm::of(import.form.0);
                found.merge(self.walk(at, &import.specifier, form, state));
            }
        }
        if want == Want::Module {
            // A path cannot continue from a macro.
            found.macros.clear();
        }
        if found.is_unresolved() {
            insert_bounded(&mut found.modules, self.undeclared_of(at, name));
        }
        found
    }
}

impl<'a> ModuleTree<'a> {
    /// `pub(crate) use name;` gives a path to a macro in textual scope, unless the name is a crate.
    fn add_textual_macros(&self, at: u32, name: &str, found: &mut NameResolution<'a>) -> bool {
        let owner = self.owner(at);
        if owner.locals.contains_key(name) || owner.foreign.contains_key(name) {
            return false;
        }
        let macros = self.textual_macros(at, name);
        let is_one = !macros.is_empty();
        insert_bounded(&mut found.macros, macros);
        is_one
    }
}

/// A module that was visited by a glob walk.
struct ModuleVisit<'a> {
    view: ModuleView,
    found: NameResolution<'a>,
    is_cut: bool,
    /// The lowest visit number reachable from here (Tarjan's low link).
    low: usize,
    /// The glob imports not visited yet, last first.
    rest: Vec<ModuleView>,
    is_waiting: bool,
}

impl ModuleVisit<'_> {
    fn is_done(&self, tree: &ModuleTree<'_>) -> bool {
        !self.found.is_unresolved() || tree.glob_imports_of(self.view).next().is_none()
    }
}

/// A walk over the glob imports for one name. Tarjan's algorithm finds the cycles. All modules of a
/// cycle share one result, so each module is visited once.
struct GlobWalk<'t, 'a> {
    tree: &'t ModuleTree<'a>,
    name: &'t str,
    want: Want,
    visits: Vec<ModuleVisit<'a>>,
    numbers: FxHashMap<ModuleView, usize>,
    /// The visits whose component is still open, in order.
    waiting: Vec<usize>,
}

impl<'a> GlobWalk<'_, 'a> {
    fn walk(
        &mut self,
        first: ModuleVisit<'a>,
        state: &mut LookupState<'a>,
    ) -> Arc<NameResolution<'a>> {
        let mut path = vec![self.enter(first, state)];
        let mut last = Arc::default();
        while let Some(at) = path.last().copied() {
            if let Some(star) = self.visits[at].rest.pop().filter(|_| !state.is_over) {
                path.extend(self.step(at, star, path.len(), state));
                continue;
            }
            path.pop();
            let low = self.visits[at].low;
            if low == at {
                last = self.close(at, path.len(), state);
                if let Some(outer) = path.last() {
                    let ModuleVisit { view, is_cut, .. } = self.visits[at];
                    self.take(*outer, view, &last, is_cut);
                }
            } else if let Some(outer) = path.last() {
                let outer = &mut self.visits[*outer];
                outer.low = outer.low.min(low);
            }
        }
        last
    }

    fn enter(&mut self, mut visit: ModuleVisit<'a>, state: &mut LookupState<'a>) -> usize {
        let number = self.visits.len();
        (visit.low, visit.is_waiting) = (number, true);
        visit.rest = self.tree.glob_imports_of(visit.view).collect();
        visit.rest.reverse();
        self.numbers.insert(visit.view, number);
        self.waiting.push(number);
        if let Some(active) = state.active.last_mut() {
            active.open.insert(visit.view);
        }
        self.visits.push(visit);
        number
    }

    /// Adds the result of a glob import to a module. Private modules count only where the importer
    /// is inside.
    fn take(
        &mut self,
        at: usize,
        (_, is_inside): ModuleView,
        found: &Arc<NameResolution<'a>>,
        is_cut: bool,
    ) {
        let visit = &mut self.visits[at];
        visit.is_cut |= is_cut;
        let tree = self.tree;
        let is_shown = |(module, is_pub): &(u32, bool)| {
            is_inside || *is_pub || tree.node(*module).is_undeclared
        };
        if found.modules.iter().all(is_shown) {
            visit.found.add(found);
        } else {
            let mut shown = NameResolution::clone(found);
            shown.modules.retain(is_shown);
            visit.found.add(&shown);
        }
    }

    /// Visits a glob import. Returns its number if the walk must continue there.
    fn step(
        &mut self,
        at: usize,
        star: ModuleView,
        depth: usize,
        state: &mut LookupState<'a>,
    ) -> Option<usize> {
        if let Some(number) =
            self.numbers.get(&star).copied().filter(|number| self.visits[*number].is_waiting)
        {
            self.visits[at].low = self.visits[at].low.min(number);
            return None;
        }
        let cuts = state.cuts;
        let level = state.active.len().saturating_sub(1);
        let known = self.tree.cached_or_provisional(star, self.name, self.want, level, state);
        if let Some(known) = known {
            self.take(at, star, &known, state.cuts > cuts);
            return None;
        }
        let visit = self.tree.visit(star, self.name, self.want, state);
        if !visit.is_done(self.tree) {
            return Some(self.enter(visit, state));
        }
        let found = Arc::new(visit.found);
        self.cache(star, visit.is_cut, &found, depth, state);
        self.take(at, star, &found, visit.is_cut);
        None
    }

    /// Closes a component: all its modules get the merged result.
    fn close(
        &mut self,
        first: usize,
        depth: usize,
        state: &mut LookupState<'a>,
    ) -> Arc<NameResolution<'a>> {
        let start = self.waiting.iter().rposition(|number| *number == first).unwrap_or(0);
        let component = self.waiting.split_off(start);
        let (mut found, mut is_cut) = (NameResolution::default(), false);
        for number in &component {
            found.add(&self.visits[*number].found);
            is_cut |= self.visits[*number].is_cut;
        }
        let found = Arc::new(found);
        for number in component {
            let visit = &mut self.visits[number];
            (visit.is_waiting, visit.is_cut) = (false, is_cut);
            let view = visit.view;
            if let Some(active) = state.active.last_mut() {
                active.open.remove(&view);
            }
            self.cache(view, is_cut, &found, if number == first { depth } else { number }, state);
        }
        found
    }

    /// Caches a result that is likely to be asked for again: the start of a walk, modules with several
    /// importers, and every n-th module of a long chain. Caching every module would store one
    /// result per module and name.
    fn cache(
        &self,
        view: ModuleView,
        is_cut: bool,
        found: &Arc<NameResolution<'a>>,
        depth: usize,
        state: &mut LookupState<'a>,
    ) {
        if is_cut || depth.is_multiple_of(CACHE_INTERVAL) || self.tree.is_shared(view.0) {
            self.tree.cache_result(view, self.name, self.want, is_cut, found, state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::Ordering;

    use portolan_types::{Definition, Facts, Import, ImportForm};
    use portolan_vfs::MemorySystem;

    use super::{ModuleTree, form};
    use crate::{ResolveContext, Sources, has_extension};

    struct RustFacts(BTreeMap<String, Facts>);

    impl Sources for RustFacts {
        fn paths(&self) -> Box<dyn Iterator<Item = &str> + '_> {
            Box::new(self.0.keys().map(String::as_str))
        }

        fn contains(&self, path: &str) -> bool {
            self.0.contains_key(path)
        }

        fn facts(&self, path: &str) -> Option<&Facts> {
            self.0.get(path).filter(|_| has_extension(path, &["rs"]))
        }
    }

    fn import(specifier: &str, form: u8, alias: Option<&str>) -> Import {
        let (specifier, form) = (specifier.into(), ImportForm(form));
        Import { specifier, form, alias: alias.map(Box::from), ..Import::default() }
    }

    /// Builds facts from words: `*path` is a glob import, `path::name` an import, `name` a
    /// definition.
    fn facts(text: &str) -> Facts {
        let mut facts = Facts::default();
        for word in text.split_whitespace() {
            match (word.strip_prefix('*'), word.rsplit_once("::")) {
                (Some(path), _) => facts.imports.push(import(path, form::PUB_GLOB, None)),
                (None, Some((_, name))) => {
                    facts.imports.push(import(word, form::PUB_USE, Some(name)));
                }
                (None, None) => facts.definitions.push(Definition::from(word)),
            }
        }
        facts
    }

    /// Counts the module visits when every module of a crate (`m0`, `m1`, … and the root) looks up
    /// each name.
    fn steps(root: &str, modules: &[String], names: &[&str]) -> usize {
        let mut crate_root = facts(root);
        let mut files = BTreeMap::from([("/r/Cargo.toml".to_owned(), Facts::default())]);
        for (at, text) in modules.iter().enumerate() {
            let name = format!("m{at}");
            crate_root.imports.push(import(&name, form::PUB_MOD, Some(&name)));
            files.insert(format!("/r/src/{name}.rs"), facts(text));
        }
        files.insert("/r/src/lib.rs".to_owned(), crate_root);
        let system = MemorySystem::default();
        system.put("/r/Cargo.toml", "[package]\nname = \"r\"\nedition = \"2021\"\n");
        let sources = RustFacts(files);
        let ctx = ResolveContext::new(&system, "/r", std::iter::empty(), &sources);
        let tree = ModuleTree::new(&ctx);
        assert_eq!(tree.nodes.len(), modules.len() + 1);
        for node in 0..tree.nodes.len() as u32 {
            for name in names {
                tree.in_scope(node, name);
            }
        }
        tree.steps.load(Ordering::Relaxed)
    }

    /// Twice as many modules cost about twice the work, however they are connected.
    #[track_caller]
    fn check_growth(names: &[&str], make: impl Fn(usize) -> (String, Vec<String>)) {
        let work = |n: usize| {
            let (root, modules) = make(n);
            steps(&root, &modules, names)
        };
        let (small, large) = (work(200), work(400));
        assert!(small > 200 && large < small * 5 / 2, "{small} → {large}");
    }

    #[test]
    fn work_is_linear_for_mutual_globs_with_the_root() {
        check_growth(&["shared", "last", "nobody"], |n| {
            let glob_imports = (0..n).map(|at| format!("*m{at} ")).collect();
            let text = |at: usize| if at + 1 == n { "*crate last" } else { "*crate shared" };
            (glob_imports, (0..n).map(|at| text(at).to_owned()).collect())
        });
    }

    #[test]
    fn work_is_linear_for_cycles_and_chains_of_globs() {
        for closes in [true, false] {
            check_growth(&["last", "nobody"], |n| {
                let next = |at: usize| if closes { (at + 1) % n } else { (at + 1).min(n - 1) };
                let text = |at: usize| if at + 1 == n { "last " } else { "" };
                let modules = (0..n).map(|at| format!("{}*crate::m{}", text(at), next(at)));
                (String::new(), modules.collect())
            });
        }
    }

    #[test]
    fn work_is_linear_for_a_tangle_of_undefined_names() {
        check_growth(&["x"], |n| {
            let others = |at: usize| [at * 7 + 1, at * 13 + 5, at * 31 + 11].map(|to| to % n);
            let text = |at: usize| others(at).map(|to| format!("crate::m{to}::x ")).concat();
            (String::new(), (0..n).map(text).collect())
        });
    }

    #[test]
    fn work_is_linear_for_a_chain_of_doubled_globs() {
        check_growth(&["last"], |n| {
            let text = |at: usize| format!("*crate::m{0} crate::m{0}::other *crate::m{0}", at + 1);
            let mut modules: Vec<String> = (0..n - 1).map(text).collect();
            modules.push("last".to_owned());
            (String::new(), modules)
        });
    }
}
