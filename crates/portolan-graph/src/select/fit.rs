//! Cuts a selection to a budget: drops one file at a time, the least needed first.
//!
//! Files that an entry names are dropped last. Of the others, the farthest go first; at the same
//! distance, tests, fixtures, generated files and docs go before other files, then files that are
//! unrelated to the task, then files that few selected files need in relation to their cost. When
//! the rest fits, dropped files that still fit come back, the most needed first, so that one large
//! file does not evict many small ones. A named file that cannot fit in any case is dropped first,
//! and the rest is cut as if it had not been named.
//!
//! The result is also given as entries that select exactly these files: their depths end at the
//! farthest remaining file, and nearer files that were dropped are excluded by name. The order of
//! the entries does not matter.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use portolan_types::{KindMask, NodeId, NodeIndex};
use portolan_wire::state::{StateEntry, StateV2};

use super::{Category, SelectSettings, SelectedNode, Selection, normal_entries, select};
use crate::csr_graph::CsrGraph;

/// A group of files that are dropped together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// The files at this distance from an entry, in edges.
    Hops(u32),
    /// The files that an entry names.
    Seeds,
}

/// The files dropped from one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitStep {
    /// The group.
    pub rung: Rung,
    /// The dropped files, sorted.
    pub cut: Vec<NodeId>,
    /// The cost afterwards.
    pub cost: u64,
}

/// A selection cut to a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The budget.
    pub budget: u64,
    /// The cost before any cut.
    pub cost_before: u64,
    /// The cost of the remaining files.
    pub cost: u64,
    /// The groups with dropped files: named files that could not fit, then the farthest first.
    pub steps: Vec<FitStep>,
    /// The entries that reproduce the result.
    pub state: StateV2,
    /// Their selection.
    pub selection: Selection,
}

impl Fit {
    /// Whether the result fits the budget.
    pub fn fits(&self) -> bool {
        self.cost <= self.budget
    }
}

/// The value of files.
#[derive(Clone, Copy)]
pub struct Worth<'a> {
    /// The cost of a file.
    pub cost: &'a dyn Fn(&NodeId) -> u64,
    /// The relevance of a file for the task; 0 if it is unrelated, or if there is no task.
    pub relevance: &'a dyn Fn(&NodeId) -> u32,
}

impl<'a> Worth<'a> {
    /// The value of files without a task.
    pub fn of_cost(cost: &'a dyn Fn(&NodeId) -> u64) -> Self {
        Self { cost, relevance: &|_| 0 }
    }
}

/// Cuts the selection of a state until its cost fits the budget.
pub fn fit(
    csr_graph: &CsrGraph,
    state: &StateV2,
    settings: &SelectSettings,
    budget: u64,
    worth: &Worth<'_>,
) -> Fit {
    let include = normal_entries(&state.include, settings.default_kinds);
    let exclude = normal_entries(&state.exclude, settings.default_kinds);
    let state = StateV2 { include, exclude, ..state.clone() };
    let selection = select(csr_graph, &state, settings);
    let before = total(&selection, worth.cost);
    let mut fit =
        Fit { budget, cost_before: before, cost: before, steps: Vec::new(), state, selection };
    if fit.fits() {
        return fit;
    }
    let files = by_need(csr_graph, &fit.selection, worth);
    let lost = lost_seeds(&files, budget);
    if !lost.is_empty() {
        let mut rest = fit.state.clone();
        rest.include.retain(|entry| !lost.contains(&entry.id));
        let mut fit = self::fit(csr_graph, &rest, settings, budget, worth);
        let step = FitStep { rung: Rung::Seeds, cut: lost, cost: fit.cost_before };
        fit.steps.insert(0, step);
        fit.cost_before = before;
        return fit;
    }
    let gone = given_up(&files, budget);
    fit.steps = steps(&files, &gone, before);
    fit.state = entries_of(csr_graph, &fit, settings, &gone);
    fit.selection = select(csr_graph, &fit.state, settings);
    fit.cost = total(&fit.selection, worth.cost);
    fit
}

fn total(selection: &Selection, cost: &dyn Fn(&NodeId) -> u64) -> u64 {
    selection.nodes.iter().fold(0, |sum: u64, node| sum.saturating_add(cost(&node.id)))
}

/// A file that may be dropped.
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
fn by_need<'a>(csr_graph: &CsrGraph, selection: &'a Selection, worth: &Worth<'_>) -> Vec<File<'a>> {
    /// The fixed cost of a file besides its text, so that a tiny file is not worth more than one
    /// that many need.
    const FRAME: u64 = 200;
    let users = users(csr_graph, selection);
    let key = |file: &File<'a>| {
        let id = &file.node.id;
        let used = file.node.node.and_then(|node| users.get(&node)).copied().unwrap_or(0);
        let needed = u128::from(used + 1) << 64;
        let for_its_cost = needed / u128::from(file.cost.saturating_add(FRAME));
        let is_plain = Category::of(id.as_str()).is_none();
        (Reverse(file.node.hops), is_plain, (worth.relevance)(id), for_its_cost, id.clone())
    };
    let nodes = selection.nodes.iter();
    let mut files: Vec<File<'a>> =
        nodes.map(|node| File { node, cost: (worth.cost)(&node.id) }).collect();
    files.sort_by_cached_key(key);
    files
}

/// The number of selected files that need each selected file. Files loaded on demand are not
/// needed.
fn users(csr_graph: &CsrGraph, selection: &Selection) -> BTreeMap<NodeIndex, u64> {
    let mut users = BTreeMap::new();
    for node in selection.nodes.iter().filter_map(|node| node.node) {
        let needs = csr_graph.roads().from(node);
        for (target, _) in needs.filter(|(_, kinds)| *kinds != KindMask::DYNAMIC) {
            *users.entry(target).or_default() += 1;
        }
    }
    users
}

/// The named files that must be dropped, sorted: they do not fit even without all other files.
fn lost_seeds(files: &[File<'_>], budget: u64) -> Vec<NodeId> {
    let seeds: Vec<&File<'_>> = files.iter().filter(|file| file.is_seed()).collect();
    let mut lost: Vec<NodeId> = over(&seeds, budget).into_iter().cloned().collect();
    lost.sort_unstable();
    lost
}

/// The files to drop so that all named files can stay.
fn given_up<'a>(files: &'a [File<'a>], budget: u64) -> BTreeSet<&'a NodeId> {
    let seeds: u64 =
        files.iter().filter(|file| file.is_seed()).fold(0, |sum, it| sum.saturating_add(it.cost));
    let near: Vec<&File<'_>> = files.iter().filter(|file| !file.is_seed()).collect();
    over(&near, budget.saturating_sub(seeds))
}

/// The files to drop from a list (the least needed first) so that the rest fits a budget. When the
/// rest fits, dropped files that still fit come back.
fn over<'a>(files: &[&'a File<'a>], budget: u64) -> BTreeSet<&'a NodeId> {
    let budget = u128::from(budget);
    // The sum of sizes from outside may exceed a u64.
    let mut left: u128 = files.iter().map(|file| u128::from(file.cost)).sum();
    let mut gone: Vec<&File<'_>> = Vec::new();
    for file in files.iter().filter(|file| file.cost > 0) {
        if left <= budget {
            break;
        }
        left -= u128::from(file.cost);
        gone.push(file);
    }
    let mut given_up: BTreeSet<&NodeId> = gone.iter().map(|file| &file.node.id).collect();
    for file in gone.iter().rev() {
        if left + u128::from(file.cost) <= budget {
            left += u128::from(file.cost);
            given_up.remove(&file.node.id);
        }
    }
    given_up
}

/// The dropped files by distance, the farthest first.
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

/// The entries that select the remaining files.
fn entries_of(
    csr_graph: &CsrGraph,
    fit: &Fit,
    settings: &SelectSettings,
    gone: &BTreeSet<&NodeId>,
) -> StateV2 {
    let kept = || fit.selection.nodes.iter().filter(|node| !gone.contains(&node.id));
    let farthest = u64::from(kept().map(|node| node.hops).max().unwrap_or(0));
    let mut state = fit.state.clone();
    for entry in &mut state.include {
        entry.depth = entry.depth.min(farthest);
    }
    state.include.sort_unstable();
    state.include.dedup();
    let ids: BTreeSet<&NodeId> = kept().map(|node| &node.id).collect();
    let reached = select(csr_graph, &state, settings);
    let unwanted = reached.nodes.into_iter().filter(|node| !ids.contains(&node.id));
    state.exclude.extend(unwanted.map(|node| StateEntry::seed(node.id)));
    state.exclude = normal_entries(&state.exclude, settings.default_kinds);
    state
}
