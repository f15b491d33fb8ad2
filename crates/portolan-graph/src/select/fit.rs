//! Cutting a selection to a budget by a fixed ladder.
//!
//! Every rung changes the entries, never the selection itself, so the result is by construction what
//! its entries select. The rungs, each taken only while the cost is above the budget:
//!
//! 1. *dynamic*: no entry follows dynamic edges any more;
//! 2. *depth*: all depths are capped, from the outside in, at the largest cap that fits, at least 1;
//! 3. *tests*, *fixtures*, *generated*, *docs*: what is left of each is excluded, unless an entry
//!    names it;
//! 4. *seeds only*: all depths are capped at 0;
//! 5. *seeds*: the entries themselves go, one node at a time: those of the categories above first,
//!    then the most costly, then by id. Each is a warning.
//!
//! Nothing depends on the order of the entries.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use portolan_types::{KindMask, NodeId};
use portolan_wire::state::{StateEntry, StateV2};

use super::{Category, SelectSettings, Selection, normal_entries, select};
use crate::territory::Territory;

/// A rung of the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// Dynamic edges are no longer followed.
    Dynamic,
    /// Depths are capped.
    Depth(u64),
    /// A category is excluded.
    Category(Category),
    /// An entry's own node is given up.
    Seeds,
}

/// What one rung cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitStep {
    /// The rung.
    pub rung: Rung,
    /// What is no longer selected, sorted.
    pub cut: Vec<NodeId>,
    /// The cost after it.
    pub cost: u64,
}

/// A selection cut to a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The budget.
    pub budget: u64,
    /// The cost before any cut.
    pub cost_before: u64,
    /// The cost of what is left.
    pub cost: u64,
    /// The rungs that cut something, in their order.
    pub steps: Vec<FitStep>,
    /// The entries that reproduce the result.
    pub state: StateV2,
    /// What they select.
    pub selection: Selection,
}

impl Fit {
    /// Whether the result is within the budget. The last rung gives up seeds until it is.
    pub fn fits(&self) -> bool {
        self.cost <= self.budget
    }
}

/// Cuts what a state selects until its cost is within the budget. `cost` prices a node.
pub fn fit(
    territory: &Territory,
    state: &StateV2,
    settings: &SelectSettings,
    budget: u64,
    cost: &dyn Fn(&NodeId) -> u64,
) -> Fit {
    let mut ladder = Ladder::new(territory, state, *settings, budget, cost);
    if !ladder.fits() {
        ladder.drop_dynamic();
    }
    if !ladder.fits() {
        ladder.cap_depths();
    }
    for category in Category::ALL {
        if !ladder.fits() {
            ladder.exclude(category);
        }
    }
    if !ladder.fits() {
        ladder.seeds_only();
    }
    if !ladder.fits() {
        ladder.drop_seeds();
    }
    ladder.fit
}

struct Ladder<'a> {
    territory: &'a Territory,
    settings: SelectSettings,
    cost: &'a dyn Fn(&NodeId) -> u64,
    /// The excludes as they came, without those that the ladder adds.
    own_excludes: Vec<StateEntry>,
    fit: Fit,
}

impl<'a> Ladder<'a> {
    fn new(
        territory: &'a Territory,
        state: &StateV2,
        settings: SelectSettings,
        budget: u64,
        cost: &'a dyn Fn(&NodeId) -> u64,
    ) -> Self {
        let own_excludes = normal_entries(&state.exclude, settings.default_kinds);
        let include = normal_entries(&state.include, settings.default_kinds);
        let state = StateV2 { include, exclude: own_excludes.clone(), ..state.clone() };
        let selection = select(territory, &state, &settings);
        let before = total(&selection, cost);
        let fit =
            Fit { budget, cost_before: before, cost: before, steps: Vec::new(), state, selection };
        Self { territory, settings, cost, own_excludes, fit }
    }

    fn fits(&self) -> bool {
        self.fit.fits()
    }

    fn try_state(&self, state: &StateV2) -> (Selection, u64) {
        let selection = select(self.territory, state, &self.settings);
        let cost = total(&selection, self.cost);
        (selection, cost)
    }

    /// Takes a rung: the state it leads to becomes the result.
    fn take(&mut self, rung: Rung, mut state: StateV2) {
        state.include.sort_unstable();
        state.include.dedup();
        let (selection, cost) = self.try_state(&state);
        let gone = self.fit.selection.nodes.iter().filter(|node| !selection.contains(&node.id));
        let cut: Vec<NodeId> = gone.map(|node| node.id.clone()).collect();
        if !cut.is_empty() {
            self.fit.steps.push(FitStep { rung, cut, cost });
            (self.fit.state, self.fit.selection, self.fit.cost) = (state, selection, cost);
        }
    }

    fn drop_dynamic(&mut self) {
        let mut state = self.fit.state.clone();
        for entry in &mut state.include {
            let kinds = entry.kinds.unwrap_or(KindMask::ALL);
            entry.kinds =
                Some(kinds.kinds().filter(|kind| kind.mask() != KindMask::DYNAMIC).collect());
        }
        self.take(Rung::Dynamic, state);
    }

    /// The largest cap that fits, found by halving: a smaller cap never selects more.
    fn cap_depths(&mut self) {
        let farthest =
            self.fit.selection.nodes.iter().map(|node| u64::from(node.hops)).max().unwrap_or(0);
        // A node may be nearer to one entry than to the one that pays for it: the deepest wish counts.
        let deepest = self.fit.state.include.iter().map(|entry| entry.depth).max().unwrap_or(0);
        let mut low = 1;
        let mut high = deepest.min(self.territory.len() as u64).max(farthest);
        if high <= low {
            return;
        }
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            let (_, cost) = self.try_state(&capped(&self.fit.state, middle));
            if cost <= self.fit.budget { low = middle } else { high = middle }
        }
        self.take(Rung::Depth(low), capped(&self.fit.state, low));
    }

    fn exclude(&mut self, category: Category) {
        let seeds = self.fit.selection.seeds();
        let nodes = self.fit.selection.nodes.iter();
        let unwanted = nodes.filter(|node| {
            Category::of(node.id.as_str()) == Some(category) && !seeds.contains(&node.id)
        });
        let entries: Vec<StateEntry> =
            unwanted.map(|node| StateEntry::seed(node.id.clone())).collect();
        let mut state = self.fit.state.clone();
        state.exclude.extend(entries);
        state.exclude.sort_unstable();
        self.take(Rung::Category(category), state);
    }

    fn seeds_only(&mut self) {
        self.take(Rung::Depth(0), self.seeds_alone());
    }

    /// The seeds without anything they reach. The ladder never excludes a seed, so only the excludes
    /// that were there before have an effect.
    fn seeds_alone(&self) -> StateV2 {
        let state = capped(&self.fit.state, 0);
        StateV2 { exclude: self.own_excludes.clone(), ..state }
    }

    fn drop_seeds(&mut self) {
        let nodes = self.fit.selection.nodes.iter().map(|node| &node.id);
        let mut order: Vec<(bool, Reverse<u64>, NodeId)> = nodes
            .map(|id| (Category::of(id.as_str()).is_none(), Reverse((self.cost)(id)), id.clone()))
            .filter(|(_, cost, _)| cost.0 > 0)
            .collect();
        order.sort_unstable();
        // Sizes from outside may add up to more than a u64 holds.
        let mut left: u128 = order.iter().map(|(_, cost, _)| u128::from(cost.0)).sum();
        let mut given_up = BTreeSet::new();
        for (_, cost, id) in order {
            if left <= u128::from(self.fit.budget) {
                break;
            }
            left -= u128::from(cost.0);
            given_up.insert(id);
        }
        let mut state = self.seeds_alone();
        state.include.retain(|entry| !given_up.contains(&entry.id));
        self.take(Rung::Seeds, state);
    }
}

fn total(selection: &Selection, cost: &dyn Fn(&NodeId) -> u64) -> u64 {
    selection.nodes.iter().fold(0, |sum: u64, node| sum.saturating_add(cost(&node.id)))
}

fn capped(state: &StateV2, cap: u64) -> StateV2 {
    let include = state
        .include
        .iter()
        .map(|entry| StateEntry { depth: entry.depth.min(cap), ..entry.clone() });
    StateV2 { include: include.collect(), ..state.clone() }
}
