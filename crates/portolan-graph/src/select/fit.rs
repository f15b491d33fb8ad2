//! Cutting a selection to a budget: files go one by one, the least needed first.
//!
//! What an entry names goes last, after everything that is only near it. Among the rest the farthest go
//! first; at one distance tests, fixtures, generated files and docs before the others, then those that few
//! selected files need, then the largest. When enough is gone, what still fits comes back, the most
//! needed first, so that one large file does not take many small ones with it.
//!
//! The result is told as entries that select just that: depths are capped at the farthest file that is
//! left, and what lies nearer and went is excluded by name. Nothing depends on the order of the entries.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use portolan_types::{KindMask, NodeId};
use portolan_wire::state::{StateEntry, StateV2};

use super::{Category, SelectSettings, SelectedNode, Selection, normal_entries, select};
use crate::territory::Territory;

/// A group of files that went together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// So many edges away from an entry.
    Hops(u32),
    /// Named by an entry.
    Seeds,
}

/// What of one group went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitStep {
    /// The group.
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
    /// The groups that something went of, the farthest first.
    pub steps: Vec<FitStep>,
    /// The entries that reproduce the result.
    pub state: StateV2,
    /// What they select.
    pub selection: Selection,
}

impl Fit {
    /// Whether the result is within the budget.
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
    let include = normal_entries(&state.include, settings.default_kinds);
    let exclude = normal_entries(&state.exclude, settings.default_kinds);
    let state = StateV2 { include, exclude, ..state.clone() };
    let selection = select(territory, &state, settings);
    let before = total(&selection, cost);
    let mut fit =
        Fit { budget, cost_before: before, cost: before, steps: Vec::new(), state, selection };
    if fit.fits() {
        return fit;
    }
    let files = by_need(territory, &fit.selection, cost);
    let gone = given_up(&files, budget);
    fit.steps = steps(&files, &gone, before);
    fit.state = entries_of(territory, &fit, settings, &gone);
    fit.selection = select(territory, &fit.state, settings);
    fit.cost = total(&fit.selection, cost);
    fit
}

fn total(selection: &Selection, cost: &dyn Fn(&NodeId) -> u64) -> u64 {
    selection.nodes.iter().fold(0, |sum: u64, node| sum.saturating_add(cost(&node.id)))
}

/// A file that may have to go.
struct File<'a> {
    node: &'a SelectedNode,
    cost: u64,
}

impl File<'_> {
    fn is_seed(&self) -> bool {
        self.node.hops == 0
    }
}

/// The selected files, the least needed first.
fn by_need<'a>(
    territory: &Territory,
    selection: &'a Selection,
    cost: &dyn Fn(&NodeId) -> u64,
) -> Vec<File<'a>> {
    let users = users(territory, selection);
    let key = |file: &File<'a>| {
        let used = file.node.node.and_then(|node| users.get(&node)).copied().unwrap_or(0);
        let is_plain = Category::of(file.node.id.as_str()).is_none();
        (Reverse(file.node.hops), is_plain, used, Reverse(file.cost), file.node.id.clone())
    };
    let nodes = selection.nodes.iter();
    let mut files: Vec<File<'a>> = nodes.map(|node| File { node, cost: cost(&node.id) }).collect();
    files.sort_by_cached_key(key);
    files
}

/// How many selected files need each selected one; what is only loaded on demand is not needed.
fn users(territory: &Territory, selection: &Selection) -> BTreeMap<u32, u64> {
    let mut users = BTreeMap::new();
    for node in selection.nodes.iter().filter_map(|node| node.node) {
        let needs = territory.roads().from(node);
        for (target, _) in needs.filter(|(_, kinds)| *kinds != KindMask::DYNAMIC) {
            *users.entry(target).or_default() += 1;
        }
    }
    users
}

/// What has to go. Whatever is named stays while something that is not could go instead.
fn given_up<'a>(files: &'a [File<'a>], budget: u64) -> BTreeSet<&'a NodeId> {
    let budget = u128::from(budget);
    // Sizes from outside may add up to more than a u64 holds.
    let mut left: u128 = files.iter().map(|file| u128::from(file.cost)).sum();
    let mut gone: Vec<&File<'_>> = Vec::new();
    for file in files.iter().filter(|file| file.cost > 0) {
        if left <= budget {
            break;
        }
        left -= u128::from(file.cost);
        gone.push(file);
    }
    let lost_a_seed = gone.last().is_some_and(|file| file.is_seed());
    let mut given_up: BTreeSet<&NodeId> = gone.iter().map(|file| &file.node.id).collect();
    for file in gone.iter().rev().filter(|file| file.is_seed() || !lost_a_seed) {
        if left + u128::from(file.cost) <= budget {
            left += u128::from(file.cost);
            given_up.remove(&file.node.id);
        }
    }
    if lost_a_seed {
        // What cost nothing was not needed either once its neighbours are gone.
        let near = files.iter().filter(|file| !file.is_seed());
        given_up.extend(near.map(|file| &file.node.id));
    }
    given_up
}

/// What went, by distance, the farthest first.
fn steps(files: &[File<'_>], gone: &BTreeSet<&NodeId>, before: u64) -> Vec<FitStep> {
    let mut steps: Vec<FitStep> = Vec::new();
    let mut left = before;
    for file in files.iter().filter(|file| gone.contains(&file.node.id)) {
        let rung = if file.is_seed() { Rung::Seeds } else { Rung::Hops(file.node.hops) };
        left = left.saturating_sub(file.cost);
        match steps.last_mut().filter(|step| step.rung == rung) {
            Some(step) => {
                step.cut.push(file.node.id.clone());
                step.cost = left;
            }
            None => steps.push(FitStep { rung, cut: vec![file.node.id.clone()], cost: left }),
        }
    }
    for step in &mut steps {
        step.cut.sort_unstable();
    }
    steps
}

/// The entries that select what is left.
fn entries_of(
    territory: &Territory,
    fit: &Fit,
    settings: &SelectSettings,
    gone: &BTreeSet<&NodeId>,
) -> StateV2 {
    let kept = || fit.selection.nodes.iter().filter(|node| !gone.contains(&node.id));
    let farthest = u64::from(kept().map(|node| node.hops).max().unwrap_or(0));
    let mut state = fit.state.clone();
    let lost_a_seed = fit.steps.iter().any(|step| step.rung == Rung::Seeds);
    state.include.retain(|entry| !(lost_a_seed && gone.contains(&entry.id)));
    for entry in &mut state.include {
        entry.depth = entry.depth.min(farthest);
    }
    state.include.sort_unstable();
    state.include.dedup();
    let ids: BTreeSet<&NodeId> = kept().map(|node| &node.id).collect();
    let reached = select(territory, &state, settings);
    let unwanted = reached.nodes.into_iter().filter(|node| !ids.contains(&node.id));
    state.exclude.extend(unwanted.map(|node| StateEntry::seed(node.id)));
    state.exclude = normal_entries(&state.exclude, settings.default_kinds);
    state
}
