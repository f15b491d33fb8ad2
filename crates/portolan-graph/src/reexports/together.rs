//! Follows many names at once, so that searches share what they find.

use std::collections::BTreeSet;
use std::rc::Rc;

use portolan_types::FileId;
use rustc_hash::FxHashMap;

use super::stars::{Stars, stars_of};
use super::{
    Found, KnownModule, Modules, ReexportSearch, forwards_of, own_names, renamed, starred,
};

/// The most modules with one name that are compared with each other.
const MAX_COMPARED: usize = 16;

/// A name in a module.
type State<'m> = (FileId, &'m str);

/// The result of a state.
#[derive(Clone, Debug, Default)]
struct Answer {
    found: Found,
    /// The states that must wait until more modules are loaded.
    parked: BTreeSet<u32>,
}

struct Together<'m, M> {
    modules: &'m M,
    stars: Stars,
    /// The modules that stars lead to and that have a name themselves, by name.
    holders: FxHashMap<&'m str, Vec<FileId>>,
    numbers: FxHashMap<State<'m>, u32>,
    states: Vec<State<'m>>,
    begin: Vec<u32>,
    answers: Vec<Option<Rc<Answer>>>,
    steps: u64,
}

/// A state whose successors are being followed.
struct Frame {
    state: u32,
    own: Answer,
    successors: Vec<u32>,
    next: usize,
    low: u32,
}

/// Follows names as far as the modules are loaded. Returns the number of steps.
pub(super) fn follow<M: Modules>(
    modules: &M,
    searches: &mut [&mut ReexportSearch],
    unloaded: &mut BTreeSet<FileId>,
) -> u64 {
    let starts: Vec<Vec<(FileId, Box<str>)>> =
        searches.iter_mut().map(|search| std::mem::take(&mut search.starts)).collect();
    let mut together = Together::new(modules);
    let mut parked = BTreeSet::new();
    for (search, starts) in searches.iter_mut().zip(&starts) {
        for (module, name) in starts {
            let state = together.number((*module, name));
            let answer = together.answer(state);
            search.found.merge(&answer.found);
            let open = answer.parked.iter().map(|state| together.states[*state as usize]);
            search.starts.extend(open.map(|(module, name)| (module, Box::from(name))));
            parked.extend(answer.parked.iter().map(|state| together.states[*state as usize].0));
        }
        search.starts.sort_unstable();
        search.starts.dedup();
    }
    together.steps + together.stars.steps() + want(modules, parked, unloaded)
}

/// Collects the unloaded modules that stars lead to from these modules.
fn want(modules: &impl Modules, parked: BTreeSet<FileId>, unloaded: &mut BTreeSet<FileId>) -> u64 {
    let mut steps = 0;
    let mut seen = parked.clone();
    let mut queue: Vec<FileId> = parked.into_iter().collect();
    while let Some(module) = queue.pop() {
        if matches!(modules.module(module), KnownModule::Unloaded) {
            unloaded.insert(module);
        }
        steps += 1;
        queue.extend(stars_of(modules, module).iter().copied().filter(|star| seen.insert(*star)));
    }
    steps
}

impl<'m, M: Modules> Together<'m, M> {
    fn new(modules: &'m M) -> Self {
        let stars = Stars::new(modules);
        let mut holders: FxHashMap<&str, Vec<FileId>> = FxHashMap::default();
        let mut steps = 0;
        for number in FileId::first(modules.count()).filter(|module| stars.is_target(*module)) {
            let KnownModule::Module(module) = modules.module(number) else { continue };
            let forwards = module.forwards.iter().map(|forward| &*forward.name);
            for name in module.definitions.iter().map(|name| &**name).chain(forwards) {
                steps += 1;
                let holders = holders.entry(name).or_default();
                if holders.last() != Some(&number) {
                    holders.push(number);
                }
            }
        }
        let (numbers, states) = (FxHashMap::default(), Vec::new());
        let (begin, answers) = (Vec::new(), Vec::new());
        Self { modules, stars, holders, numbers, states, begin, answers, steps }
    }

    fn number(&mut self, state: State<'m>) -> u32 {
        let next = self.states.len() as u32;
        let number = *self.numbers.entry(state).or_insert(next);
        if number == next {
            self.states.push(state);
            self.begin.push(u32::MAX);
            self.answers.push(None);
        }
        number
    }

    /// Tarjan's search, without recursion: states that lead to each other share one result.
    fn answer(&mut self, first: u32) -> Rc<Answer> {
        if let Some(known) = &self.answers[first as usize] {
            return Rc::clone(known);
        }
        let mut clock = 0;
        // The states of cycles that are not closed yet, each with its own result so far.
        let mut open: Vec<(u32, Answer)> = Vec::new();
        let mut frames = vec![self.enter(first, &mut clock)];
        while let Some(frame) = frames.last_mut() {
            if let Some(next) = frame.successors.get(frame.next).copied() {
                frame.next += 1;
                self.steps += 1;
                if self.answers[next as usize].is_some() {
                    continue;
                }
                match self.begin[next as usize] {
                    u32::MAX => frames.push(self.enter(next, &mut clock)),
                    begun => frame.low = begun.min(frame.low),
                }
                continue;
            }
            let Some(frame) = frames.pop() else { break };
            let is_first = frame.low == self.begin[frame.state as usize];
            if let Some(above) = frames.last_mut() {
                above.low = above.low.min(if is_first { above.low } else { frame.low });
            }
            let start = self.begin[frame.state as usize];
            let (state, own) = self.gathered(frame);
            open.push((state, own));
            if is_first {
                self.close(start, &mut open);
            }
        }
        self.answers[first as usize].clone().unwrap_or_default()
    }

    /// The result of a state: its own, and the known results of its successors.
    fn gathered(&mut self, frame: Frame) -> (u32, Answer) {
        let mut own = frame.own;
        for successor in frame.successors {
            if let Some(answer) = &self.answers[successor as usize] {
                self.steps += 1;
                own.found.merge(&answer.found);
                own.parked.extend(&answer.parked);
            }
        }
        (frame.state, own)
    }

    /// Closes a cycle: everything opened since `start`.
    fn close(&mut self, start: u32, open: &mut Vec<(u32, Answer)>) {
        let mut members = Vec::new();
        let mut whole = Answer::default();
        while let Some((state, _)) = open.last()
            && self.begin[*state as usize] >= start
        {
            let Some((state, own)) = open.pop() else { break };
            whole.found.merge(&own.found);
            whole.parked.extend(&own.parked);
            members.push(state);
        }
        let whole = Rc::new(whole);
        for member in members {
            self.answers[member as usize] = Some(Rc::clone(&whole));
        }
    }

    fn enter(&mut self, state: u32, clock: &mut u32) -> Frame {
        self.begin[state as usize] = *clock;
        *clock += 1;
        let mut own = Answer::default();
        let successors = self.successors(state, &mut own);
        let successors = successors.into_iter().map(|state| self.number(state)).collect();
        Frame { state, own, successors, next: 0, low: *clock - 1 }
    }

    /// The successors of a state. Adds its own result to `own`.
    fn successors(&mut self, number: u32, own: &mut Answer) -> Vec<State<'m>> {
        self.steps += 1;
        let (file, name) = self.states[number as usize];
        let modules = self.modules;
        let module = match modules.module(file) {
            KnownModule::Module(module) => module,
            KnownModule::Opaque => return Vec::new(),
            KnownModule::Unloaded => {
                own.parked.insert(number);
                return Vec::new();
            }
        };
        if own_names(modules, file, module, name, &mut own.found) {
            return renamed(forwards_of(module, name)).collect();
        }
        if module.stars.is_empty() || !modules.star_brings(file, name) {
            return Vec::new();
        }
        if !self.stars.is_complete(file) {
            own.parked.insert(number);
            return Vec::new();
        }
        self.visible(file, name).unwrap_or_else(|| {
            self.steps += module.stars.len() as u64;
            starred(modules, module, name).collect()
        })
    }

    /// The modules with this name from which the stars of a module take it; `None` if only a
    /// star-by-star search can decide that.
    fn visible(&self, file: FileId, name: &'m str) -> Option<Vec<State<'m>>> {
        if !self.stars.is_plain(file) {
            return None;
        }
        let holders = self.holders.get(name).map(Vec::as_slice).unwrap_or_default();
        if holders.len() > MAX_COMPARED {
            return None;
        }
        let lead = |from: FileId, to: FileId| self.stars.lead(self.modules, from, to);
        let reached: Vec<FileId> = holders.iter().copied().filter(|to| lead(file, *to)).collect();
        // A module that leads to another one may hide its name.
        let may_hide =
            reached.iter().any(|from| reached.iter().any(|to| from != to && lead(*from, *to)));
        (!may_hide).then(|| reached.into_iter().map(|module| (module, name)).collect())
    }
}
