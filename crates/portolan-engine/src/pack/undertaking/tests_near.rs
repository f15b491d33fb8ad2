//! The tests of some files: those that reach them through imports, are named like them, or change with them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use portolan_graph::Graph;

use super::{is_test, place_of};
use crate::map::MapReport;

/// Imports are followed so far.
pub(super) const FAR: u32 = 8;

/// The tests of some files, the likeliest first, each with the number of imports between; 0 for one that is among
/// the files itself, `FAR` and more for one that no import leads from.
///
/// What counts, fitted on real commits: being named like a file, being near through imports and in folders, and above all
/// having changed in the same commits before.
pub fn nearest_tests(map: &MapReport, commits: &[Vec<u32>], files: &[u32]) -> Vec<(u32, u32)> {
    let graph = &map.graph;
    let path = |file: u32| map.universe[file as usize].path.as_str();
    let node = |file: &u32| graph.index_of(path(*file));
    let starts: Vec<u32> = files.iter().filter_map(node).collect();
    let mut distance_of: BTreeMap<u32, u32> = BTreeMap::new();
    for (node, distance) in distances(graph, &starts) {
        if let Some(file) = place_of(map, graph.node(node).id.as_str()) {
            distance_of.insert(file, distance);
        }
    }
    let changed: BTreeSet<u32> = files.iter().copied().collect();
    let stems: BTreeSet<String> =
        files.iter().filter(|file| !is_test(path(**file))).map(|file| stem(path(*file))).collect();
    let shared = shared(commits, &changed);
    let mut tests: Vec<(i64, u32, u32)> = Vec::new();
    for test in (0..map.universe.len() as u32).filter(|file| is_test(path(*file))) {
        let distance = distance_of.get(&test).copied();
        let is_named = stems.contains(&stem(path(test)));
        let together = shared.get(&test).copied().unwrap_or_default();
        if distance.is_none() && !is_named && together == 0.0 {
            continue;
        }
        let near = files.iter().map(|file| common(path(*file), path(test))).max().unwrap_or(0);
        let score = f64::from(u8::from(is_named))
            + 0.5 / (1.0 + f64::from(distance.unwrap_or(FAR + 1)))
            + 0.5 * f64::from(near as u32) / 8.0
            + 2.0 * (2.0 * together).min(1.0);
        let own = if changed.contains(&test) { 0 } else { distance.unwrap_or(FAR + 1).max(1) };
        // As a number of thousandths: far digits decide nothing.
        let score = if own == 0 { i64::MAX } else { (score * 1e6).round() as i64 };
        tests.push((score, test, own));
    }
    tests.sort_by_key(|(score, test, _)| (std::cmp::Reverse(*score), *test));
    tests.into_iter().map(|(_, test, distance)| (test, distance)).collect()
}

/// How much other files changed in the commits of some.
fn shared(commits: &[Vec<u32>], files: &BTreeSet<u32>) -> BTreeMap<u32, f64> {
    let mut times: BTreeMap<u32, u32> = BTreeMap::new();
    for file in commits.iter().flatten() {
        *times.entry(*file).or_default() += 1;
    }
    let often = |file: u32, more: f64| {
        (f64::from(times.get(&file).copied().unwrap_or_default()) + more).sqrt()
    };
    let mut shared: BTreeMap<u32, f64> = BTreeMap::new();
    for commit in commits {
        let weight = 1.0 / f64::from(commit.len().max(2) as u32 - 1).sqrt();
        for own in commit.iter().filter(|file| files.contains(file)) {
            for other in commit.iter().filter(|file| !files.contains(file)) {
                *shared.entry(*other).or_default() +=
                    weight / often(*own, 2.0) / often(*other, 3.0);
            }
        }
    }
    shared
}

/// How many imports lie between the files that reach some, and these.
fn distances(graph: &Graph, starts: &[u32]) -> BTreeMap<u32, u32> {
    let mut users: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (node, _) in graph.iter() {
        for edge in graph.edges(node) {
            users.entry(edge.target).or_default().push(node);
        }
    }
    let mut found: BTreeMap<u32, u32> = starts.iter().map(|start| (*start, 0)).collect();
    let mut queue: VecDeque<u32> = starts.iter().copied().collect();
    while let Some(node) = queue.pop_front() {
        let next = found.get(&node).copied().unwrap_or_default() + 1;
        if next > FAR {
            continue;
        }
        for user in users.get(&node).into_iter().flatten() {
            if !found.contains_key(user) {
                found.insert(*user, next);
                queue.push_back(*user);
            }
        }
    }
    found
}

/// The name that a file and its test share.
fn stem(path: &str) -> String {
    let name = super::base_name(path);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    let ends = ["_test", "-test", "_spec", "Tests", "Test", "Spec"];
    let stem = ends.iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    let stem = stem.to_lowercase();
    // Names that everybody uses tell nothing.
    if ["index", "main", "mod", "utils", "types", "lib"].contains(&stem.as_str()) {
        let folder = path.rsplit('/').nth(1).unwrap_or_default();
        return format!("{}/{stem}", folder.to_lowercase());
    }
    stem
}

fn common(left: &str, right: &str) -> usize {
    left.split('/').zip(right.split('/')).take_while(|(left, right)| left == right).count()
}
