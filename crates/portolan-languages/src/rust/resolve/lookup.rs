//! What a name means in a module.
//!
//! A module has a name by itself, or by the modules that it takes in whole. The first may go in circles, since an import is
//! a path whose names are looked up like any other; these are cut. The second is a graph that is known beforehand
//! (`stars.rs`) and is walked once for each name.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_types::MAX_DEFINERS;
use rustc_hash::{FxHashMap, FxHashSet};

use super::path::{Walk, Way};
use super::registry::Foreign;
use super::tree::{definitions_of, Tree};
use super::{form, mark};

/// What a name leads to: modules, files that define it as something else, or another project's crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found<'a> {
    /// Submodules with whether everybody sees them.
    pub(super) modules: BTreeSet<(u32, bool)>,
    pub(super) items: BTreeSet<&'a str>,
    /// Files that define a macro of the name: those hide nothing else.
    pub(super) macros: BTreeSet<&'a str>,
    pub(super) external: Option<Foreign>,
    /// How many names had to be looked up one inside the other.
    pub(super) depth: usize,
}

impl<'a> Found<'a> {
    /// Adds what was found elsewhere.
    pub(super) fn add(&mut self, more: &Self) {
        take_in(&mut self.modules, more.modules.iter().copied());
        take_in(&mut self.items, more.items.iter().copied());
        take_in(&mut self.macros, more.macros.iter().copied());
        self.external = self.external.take().into_iter().chain(more.external.clone()).min();
        self.depth = self.depth.max(more.depth);
    }

    /// Adds what a path led to.
    fn merge(&mut self, walk: Walk<'a>) {
        take_in(&mut self.modules, walk.ends.into_iter().map(|module| (module, true)));
        take_in(&mut self.items, walk.items);
        take_in(&mut self.macros, walk.macros);
        self.external = self.external.take().into_iter().chain(walk.external).min();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.is_unsettled() && self.macros.is_empty()
    }

    /// Whether modules that are taken in whole may have more to say.
    pub(super) fn is_unsettled(&self) -> bool {
        self.modules.is_empty() && self.items.is_empty() && self.external.is_none()
    }

    /// All files that define the name.
    pub(super) fn definers(&self) -> impl Iterator<Item = &'a str> {
        self.items.union(&self.macros).copied()
    }
}

/// Adds to a set, of which only the first are kept, and one more where there are more: which these are does not depend
/// on the order of adding.
pub(super) fn take_in<T: Ord>(set: &mut BTreeSet<T>, more: impl IntoIterator<Item = T>) {
    for one in more {
        set.insert(one);
        if set.len() > MAX_DEFINERS + 1 {
            set.pop_last();
        }
    }
}

/// What a name is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Want {
    /// To go on from: a module, if there is one.
    Module,
    /// For itself.
    Anything,
}

/// A module, and whether who asks is inside it, and sees all of it.
pub(super) type Seen = (u32, bool);

/// A name that is being looked up.
struct Active {
    name: Box<str>,
    want: Want,
    /// The module whose own imports are followed at the moment.
    now: u32,
    /// Modules that wait for those that they take in.
    open: FxHashSet<Seen>,
}

/// What is being asked at the moment: no module is asked for a name while it looks for it, so circles
/// end.
#[derive(Default)]
pub(super) struct Asked<'a> {
    active: Vec<Active>,
    /// How often a circle was cut: what was found meanwhile is not all there is, and good for this question only.
    cuts: usize,
    /// What was found so.
    provisional: FxHashMap<(Seen, Want, Box<str>), Arc<Found<'a>>>,
    /// The most that was asked at once. Answers that are known count as much as when they were found, so
    /// that it does not matter who asks first.
    reached: usize,
    /// Whether it was too much: then there is no answer at all, whoever asks.
    is_over: bool,
}

/// No chain of names is longer than this.
pub(super) const MOST_ACTIVE: usize = 200;

/// No question goes through more answers than this that are good for it only.
const MOST_PROVISIONAL: usize = 100;

/// Of a chain of modules that take each other in, each so many-th keeps what it found.
const KEPT: usize = 16;

impl Asked<'_> {
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    fn give_up(&mut self) {
        self.is_over = true;
        self.cuts += 1;
    }

    /// Whether a module is being asked for a name already. What asks for itself (`use a::a`) has nothing to say,
    /// whoever began; elsewhere it depends on where the circle was entered.
    fn is_circle(&mut self, at: u32, name: &str, want: Want) -> bool {
        let is_it = |active: &Active| {
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

impl<'a> Tree<'a> {
    /// What a bare name means for what stands in a module, and whether all of it was found.
    pub(super) fn in_scope(&self, node: u32, name: &str) -> (Arc<Found<'a>>, bool) {
        let mut asked = Asked::default();
        let found = self.look(node, name, Want::Anything, node, &mut asked);
        if asked.is_over() { (Arc::default(), false) } else { (found, true) }
    }

    /// What a module has by a name, as far as somebody in the module `from` sees it.
    pub(super) fn look(
        &self,
        at: u32,
        name: &str,
        want: Want,
        from: u32,
        asked: &mut Asked<'a>,
    ) -> Arc<Found<'a>> {
        let seen = (at, self.is_inside(from, at));
        if asked.is_over || !self.holders.contains_key(name) {
            return Arc::default();
        }
        let level = asked.active.len();
        if let Some(answer) = self.answered(seen, name, want, level, asked) {
            return answer;
        }
        if asked.is_circle(at, name, want) {
            return Arc::default();
        }
        if level >= MOST_ACTIVE {
            asked.give_up();
            return Arc::default();
        }
        asked.active.push(Active { name: name.into(), want, now: at, open: FxHashSet::default() });
        let found = self.search(seen, name, want, asked);
        asked.active.truncate(level);
        asked.reached = asked.reached.max(level + found.depth);
        found
    }

    /// What is known already, for everybody or for this question.
    fn answered(
        &self,
        seen: Seen,
        name: &str,
        want: Want,
        level: usize,
        asked: &mut Asked<'a>,
    ) -> Option<Arc<Found<'a>>> {
        if let Some(known) = self.known(seen, name, want) {
            let reached = level + known.depth;
            if reached > MOST_ACTIVE {
                asked.give_up();
                return Some(Arc::default());
            }
            asked.reached = asked.reached.max(reached);
            return Some(known);
        }
        if asked.provisional.is_empty() {
            return None;
        }
        let found = asked.provisional.get(&(seen, want, name.into())).cloned();
        asked.cuts += usize::from(found.is_some());
        found
    }

    /// Keeps an answer: for everybody, unless a circle was cut for it.
    fn settle(
        &self,
        seen: Seen,
        name: &str,
        want: Want,
        is_cut: bool,
        found: &Arc<Found<'a>>,
        asked: &mut Asked<'a>,
    ) {
        if asked.is_over {
            return;
        }
        if is_cut {
            asked.provisional.insert((seen, want, name.into()), Arc::clone(found));
            if asked.provisional.len() > MOST_PROVISIONAL {
                asked.give_up();
            }
        } else {
            self.keep(seen, name, want, found);
        }
    }

    /// What the module has by itself, with what those that it takes in have where it has nothing.
    fn search(&self, start: Seen, name: &str, want: Want, asked: &mut Asked<'a>) -> Arc<Found<'a>> {
        let first = self.visit(start, name, want, asked);
        if first.is_done(self) {
            let found = Arc::new(first.found);
            self.settle(start, name, want, first.is_cut, &found, asked);
            return found;
        }
        Stars {
            tree: self,
            name,
            want,
            visits: Vec::new(),
            numbers: FxHashMap::default(),
            waiting: Vec::new(),
        }
        .walk(first, asked)
    }

    /// Asks a module for what it has by itself.
    fn visit(&self, seen: Seen, name: &str, want: Want, asked: &mut Asked<'a>) -> Visit<'a> {
        #[cfg(test)]
        self.steps.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let level = asked.active.len().saturating_sub(1);
        if let Some(active) = asked.active.last_mut() {
            active.now = seen.0;
        }
        let (cuts, reached) = (asked.cuts, std::mem::replace(&mut asked.reached, level + 1));
        let has_it =
            self.holders.get(name).is_some_and(|nodes| nodes.binary_search(&seen.0).is_ok());
        let mut found = Found::default();
        if has_it {
            found = self.own(seen, name, want, asked);
        }
        found.depth = asked.reached - level;
        asked.reached = asked.reached.max(reached);
        Visit {
            seen,
            found,
            is_cut: asked.cuts > cuts,
            low: 0,
            rest: Vec::new(),
            is_waiting: false,
        }
    }

    fn own(
        &self,
        (at, is_inside): Seen,
        name: &str,
        want: Want,
        asked: &mut Asked<'a>,
    ) -> Found<'a> {
        let node = self.node(at);
        let mut found = Found::default();
        take_in(&mut found.modules, node.children.get(name).into_iter().flatten().copied());
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
            // Exported macros are at the root of their crate.
            let exported = &self.exported[node.owner as usize];
            take_in(&mut found.macros, exported.get(name).into_iter().flatten().copied());
        }
        for import in node.aliases.get(name).into_iter().flatten() {
            if *import.specifier == *name && self.take_placed(at, name, &mut found) {
                continue;
            }
            if is_inside || import.form.0 != form::USE {
                let way = Way::of(import.form.0);
                found.merge(self.walk(at, &import.specifier, way, asked));
            }
        }
        if want == Want::Module {
            // Nothing goes on from a macro.
            found.macros.clear();
        }
        if found.is_unsettled() {
            take_in(&mut found.modules, self.strays_of(at, name));
        }
        found
    }
}

impl<'a> Tree<'a> {
    /// `pub(crate) use name;` makes a path of a macro that is seen here by its place, unless it is a crate that is meant.
    fn take_placed(&self, at: u32, name: &str, found: &mut Found<'a>) -> bool {
        let owner = self.owner(at);
        if owner.locals.contains_key(name) || owner.foreign.contains_key(name) {
            return false;
        }
        let macros = self.by_place(at, name);
        let is_one = !macros.is_empty();
        take_in(&mut found.macros, macros);
        is_one
    }
}

/// A module that was asked.
struct Visit<'a> {
    seen: Seen,
    found: Found<'a>,
    is_cut: bool,
    /// The first module in the same circle, by its number in the walk.
    low: usize,
    /// Those that it takes in and that were not asked yet, the last first.
    rest: Vec<Seen>,
    is_waiting: bool,
}

impl Visit<'_> {
    fn is_done(&self, tree: &Tree<'_>) -> bool {
        !self.found.is_unsettled() || tree.stars_of(self.seen).next().is_none()
    }
}

/// A walk over modules that take each other in whole, for one name: circles are found as Tarjan does it, and all of
/// a circle means the same, so each module is asked once.
struct Stars<'t, 'a> {
    tree: &'t Tree<'a>,
    name: &'t str,
    want: Want,
    visits: Vec<Visit<'a>>,
    numbers: FxHashMap<Seen, usize>,
    /// Those whose circle is not closed yet, in order.
    waiting: Vec<usize>,
}

impl<'a> Stars<'_, 'a> {
    fn walk(&mut self, first: Visit<'a>, asked: &mut Asked<'a>) -> Arc<Found<'a>> {
        let mut path = vec![self.enter(first, asked)];
        let mut last = Arc::default();
        while let Some(at) = path.last().copied() {
            if let Some(star) = self.visits[at].rest.pop().filter(|_| !asked.is_over) {
                path.extend(self.step(at, star, path.len(), asked));
                continue;
            }
            path.pop();
            let low = self.visits[at].low;
            if low == at {
                last = self.close(at, path.len(), asked);
                if let Some(outer) = path.last() {
                    let Visit { seen, is_cut, .. } = self.visits[at];
                    self.take(*outer, seen, &last, is_cut);
                }
            } else if let Some(outer) = path.last() {
                let outer = &mut self.visits[*outer];
                outer.low = outer.low.min(low);
            }
        }
        last
    }

    fn enter(&mut self, mut visit: Visit<'a>, asked: &mut Asked<'a>) -> usize {
        let number = self.visits.len();
        (visit.low, visit.is_waiting) = (number, true);
        visit.rest = self.tree.stars_of(visit.seen).collect();
        visit.rest.reverse();
        self.numbers.insert(visit.seen, number);
        self.waiting.push(number);
        if let Some(active) = asked.active.last_mut() {
            active.open.insert(visit.seen);
        }
        self.visits.push(visit);
        number
    }

    /// Gives a module what one that it takes in has: of that one's private modules none, but where it is inside itself.
    fn take(&mut self, at: usize, (_, is_inside): Seen, found: &Arc<Found<'a>>, is_cut: bool) {
        let visit = &mut self.visits[at];
        visit.is_cut |= is_cut;
        let tree = self.tree;
        let is_shown =
            |(module, is_pub): &(u32, bool)| is_inside || *is_pub || tree.node(*module).is_stray;
        if found.modules.iter().all(is_shown) {
            visit.found.add(found);
        } else {
            let mut shown = Found::clone(found);
            shown.modules.retain(is_shown);
            visit.found.add(&shown);
        }
    }

    /// Asks a module that another takes in; its number where that has to be gone on from.
    fn step(
        &mut self,
        at: usize,
        star: Seen,
        depth: usize,
        asked: &mut Asked<'a>,
    ) -> Option<usize> {
        if let Some(number) =
            self.numbers.get(&star).copied().filter(|number| self.visits[*number].is_waiting)
        {
            self.visits[at].low = self.visits[at].low.min(number);
            return None;
        }
        let cuts = asked.cuts;
        let level = asked.active.len().saturating_sub(1);
        let known = self.tree.answered(star, self.name, self.want, level, asked);
        if let Some(known) = known {
            self.take(at, star, &known, asked.cuts > cuts);
            return None;
        }
        let visit = self.tree.visit(star, self.name, self.want, asked);
        if !visit.is_done(self.tree) {
            return Some(self.enter(visit, asked));
        }
        let found = Arc::new(visit.found);
        self.keep(star, visit.is_cut, &found, depth, asked);
        self.take(at, star, &found, visit.is_cut);
        None
    }

    /// A circle is closed: all in it mean what any of them found.
    fn close(&mut self, first: usize, depth: usize, asked: &mut Asked<'a>) -> Arc<Found<'a>> {
        let start = self.waiting.iter().rposition(|number| *number == first).unwrap_or(0);
        let circle = self.waiting.split_off(start);
        let (mut found, mut is_cut) = (Found::default(), false);
        for number in &circle {
            found.add(&self.visits[*number].found);
            is_cut |= self.visits[*number].is_cut;
        }
        let found = Arc::new(found);
        for number in circle {
            let visit = &mut self.visits[number];
            (visit.is_waiting, visit.is_cut) = (false, is_cut);
            let seen = visit.seen;
            if let Some(active) = asked.active.last_mut() {
                active.open.remove(&seen);
            }
            self.keep(seen, is_cut, &found, if number == first { depth } else { number }, asked);
        }
        found
    }

    /// Keeps an answer where somebody will ask for it again: of a walk's beginning, of what several take in, and here and there
    /// of a long chain. Everything would be as many answers as there are modules, for each name.
    fn keep(
        &self,
        seen: Seen,
        is_cut: bool,
        found: &Arc<Found<'a>>,
        depth: usize,
        asked: &mut Asked<'a>,
    ) {
        if is_cut || depth.is_multiple_of(KEPT) || self.tree.is_shared(seen.0) {
            self.tree.settle(seen, self.name, self.want, is_cut, found, asked);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::Ordering;

    use portolan_types::{Definition, Facts, Import, ImportForm};
    use portolan_vfs::MemorySystem;

    use super::{form, Tree};
    use crate::{has_extension, Ground, Sources};

    struct Texts(BTreeMap<String, Facts>);

    impl Sources for Texts {
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

    /// `*path`, `path::name` or `name`: taken in whole, imported, defined.
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

    /// How often modules `m0`, `m1`… of a crate, with what else its root has, are asked when all of them ask for names.
    fn steps(root: &str, modules: &[String], asked: &[&str]) -> usize {
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
        let sources = Texts(files);
        let ground = Ground::new(&system, "/r", std::iter::empty(), &sources);
        let tree = Tree::new(&ground);
        assert_eq!(tree.nodes.len(), modules.len() + 1);
        for node in 0..tree.nodes.len() as u32 {
            for name in asked {
                tree.in_scope(node, name);
            }
        }
        tree.steps.load(Ordering::Relaxed)
    }

    /// Twice as many modules are about twice the work, however they are wired.
    #[track_caller]
    fn check_growth(asked: &[&str], make: impl Fn(usize) -> (String, Vec<String>)) {
        let work = |n: usize| {
            let (root, modules) = make(n);
            steps(&root, &modules, asked)
        };
        let (small, large) = (work(200), work(400));
        assert!(small > 200 && large < small * 5 / 2, "{small} → {large}");
    }

    #[test]
    fn work_grows_with_a_root_that_takes_in_those_that_take_it_in() {
        check_growth(&["shared", "last", "nobody"], |n| {
            let stars = (0..n).map(|at| format!("*m{at} ")).collect();
            let text = |at: usize| if at + 1 == n { "*crate last" } else { "*crate shared" };
            (stars, (0..n).map(|at| text(at).to_owned()).collect())
        });
    }

    #[test]
    fn work_grows_with_a_circle_and_a_chain_of_stars_whoever_asks() {
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
    fn work_grows_with_a_tangle_of_names_that_nobody_defines() {
        check_growth(&["x"], |n| {
            let others = |at: usize| [at * 7 + 1, at * 13 + 5, at * 31 + 11].map(|to| to % n);
            let text = |at: usize| others(at).map(|to| format!("crate::m{to}::x ")).concat();
            (String::new(), (0..n).map(text).collect())
        });
    }

    #[test]
    fn work_grows_with_a_chain_whose_links_are_doubled() {
        check_growth(&["last"], |n| {
            let text = |at: usize| format!("*crate::m{0} crate::m{0}::other *crate::m{0}", at + 1);
            let mut modules: Vec<String> = (0..n - 1).map(text).collect();
            modules.push("last".to_owned());
            (String::new(), modules)
        });
    }
}
