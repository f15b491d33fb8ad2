//! An index of the modules that stars lead to, for many lookups.

use std::cell::RefCell;
use std::collections::BTreeMap;

use portolan_types::FileId;

use super::{KnownModule, Modules};

/// The time of a visit that has not happened.
const NEVER: u32 = u32::MAX;

/// The most sets of reachable modules that are cached.
const MAX_CLOSURES: usize = 32;

/// The graph of stars. Modules that lead to each other form a group; its first visited module
/// represents it.
pub(super) struct Stars {
    /// The group of each module, once it is closed.
    group: Vec<Option<FileId>>,
    /// When the search entered a module, and when it left it.
    begin: Vec<u32>,
    end: Vec<u32>,
    /// For each group, whether all modules that its stars lead to are loaded.
    is_complete: Vec<bool>,
    /// For each group, whether every star below it passes on the same names.
    is_plain: Vec<bool>,
    targets: Vec<bool>,
    closures: RefCell<BTreeMap<FileId, Vec<bool>>>,
    steps: RefCell<u64>,
}

/// A module whose stars are being followed.
struct Frame {
    module: FileId,
    next: usize,
}

impl Stars {
    pub(super) fn new(modules: &impl Modules) -> Self {
        let own = || FileId::first(modules.count());
        let highest = own().flat_map(|module| stars_of(modules, module)).max();
        let count = modules.count().max(highest.map_or(0, |highest| highest.index() + 1));
        let mut stars = Self {
            group: vec![None; count],
            begin: vec![NEVER; count],
            end: vec![0; count],
            is_complete: vec![true; count],
            is_plain: vec![true; count],
            targets: vec![false; count],
            closures: RefCell::default(),
            steps: RefCell::default(),
        };
        let mut clock = 0;
        for module in own() {
            for star in stars_of(modules, module) {
                stars.targets[star.index()] = true;
            }
            if stars.begin[module.index()] == NEVER {
                stars.visit(modules, module, &mut clock);
            }
        }
        stars
    }

    /// Tarjan's search for groups, without recursion. It also keeps the spanning tree: everything
    /// below the first module of a group can be reached from the whole group.
    fn visit(&mut self, modules: &impl Modules, first: FileId, clock: &mut u32) {
        let mut low = BTreeMap::new();
        let mut open = Vec::new();
        let mut frames = vec![Frame { module: first, next: 0 }];
        self.enter(modules, first, clock, &mut open);
        low.insert(first, self.begin[first.index()]);
        while let Some(frame) = frames.last_mut() {
            let module = frame.module;
            if let Some(star) = stars_of(modules, module).get(frame.next).copied() {
                frame.next += 1;
                *self.steps.get_mut() += 1;
                if !modules.same_stars(module, star) {
                    self.is_plain[module.index()] = false;
                }
                if self.begin[star.index()] == NEVER {
                    self.enter(modules, star, clock, &mut open);
                    low.insert(star, self.begin[star.index()]);
                    frames.push(Frame { module: star, next: 0 });
                } else if let Some(group) = self.group[star.index()] {
                    self.inherit(module, group);
                } else {
                    let reached = self.begin[star.index()];
                    low.entry(module).and_modify(|low| *low = reached.min(*low));
                }
                continue;
            }
            frames.pop();
            self.end[module.index()] = *clock;
            let own_low = low.get(&module).copied().unwrap_or_default();
            if own_low == self.begin[module.index()] {
                self.close(module, &mut open);
            }
            if let Some(above) = frames.last() {
                let above = above.module;
                low.entry(above).and_modify(|low| *low = own_low.min(*low));
                // A property of the modules below applies above as well, in the same group or not.
                self.inherit(above, module);
            }
        }
    }

    fn enter(
        &mut self,
        modules: &impl Modules,
        module: FileId,
        clock: &mut u32,
        open: &mut Vec<FileId>,
    ) {
        let at = module.index();
        self.begin[at] = *clock;
        *clock += 1;
        open.push(module);
        match modules.module(module) {
            KnownModule::Module(known) => self.is_plain[at] &= known.offered.is_none(),
            KnownModule::Unloaded => self.is_complete[at] = false,
            KnownModule::Opaque => {}
        }
    }

    fn inherit(&mut self, module: FileId, below: FileId) {
        self.is_complete[module.index()] &= self.is_complete[below.index()];
        self.is_plain[module.index()] &= self.is_plain[below.index()];
    }

    /// Closes a group: a module and everything open above it.
    fn close(&mut self, first: FileId, open: &mut Vec<FileId>) {
        let start = open.iter().rposition(|module| *module == first).unwrap_or_default();
        let members = open.split_off(start);
        for member in &members {
            self.inherit(first, *member);
        }
        for member in members {
            self.group[member.index()] = Some(first);
            self.inherit(member, first);
        }
    }

    /// The group of a module. After the search every module has one.
    fn group_of(&self, module: FileId) -> FileId {
        self.group[module.index()].unwrap_or(module)
    }

    pub(super) fn is_complete(&self, module: FileId) -> bool {
        self.is_complete[self.group_of(module).index()]
    }

    pub(super) fn is_plain(&self, module: FileId) -> bool {
        self.is_plain[self.group_of(module).index()]
    }

    /// Whether a star leads to a module.
    pub(super) fn is_target(&self, module: FileId) -> bool {
        self.targets.get(module.index()).copied().unwrap_or_default()
    }

    /// Whether stars lead from one module to another.
    pub(super) fn lead(&self, modules: &impl Modules, from: FileId, to: FileId) -> bool {
        *self.steps.borrow_mut() += 1;
        let group = self.group_of(from);
        let (first, to) = (group.index(), to.index());
        let is_below = self.begin[first] <= self.begin[to] && self.begin[to] < self.end[first];
        is_below || self.group[to] == Some(group) || self.closure_has(modules, group, to)
    }

    fn closure_has(&self, modules: &impl Modules, group: FileId, to: usize) -> bool {
        let mut closures = self.closures.borrow_mut();
        if closures.len() >= MAX_CLOSURES && !closures.contains_key(&group) {
            closures.clear();
        }
        let closure = closures.entry(group).or_insert_with(|| {
            let mut reached = vec![false; self.group.len()];
            let mut queue = vec![group];
            reached[group.index()] = true;
            while let Some(module) = queue.pop() {
                for star in stars_of(modules, module) {
                    *self.steps.borrow_mut() += 1;
                    if !std::mem::replace(&mut reached[star.index()], true) {
                        queue.push(*star);
                    }
                }
            }
            reached
        });
        closure[to]
    }

    pub(super) fn steps(&self) -> u64 {
        *self.steps.borrow()
    }
}

pub(super) fn stars_of(modules: &impl Modules, module: FileId) -> &[FileId] {
    match modules.module(module) {
        KnownModule::Module(module) => &module.stars,
        KnownModule::Unloaded | KnownModule::Opaque => &[],
    }
}
