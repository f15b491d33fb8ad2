//! The tests that reach some files: through imports, nearest first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use portolan_graph::Graph;

use super::{is_test, place_of};
use crate::map::MapReport;

/// Imports are followed so far.
const FAR: u32 = 8;

/// The tests that reach some files, nearest first, each with the number of imports between; 0 for one that is
/// among the files itself. Among tests that are equally near, one that is named like a file comes first, then
/// those of the same folder.
pub fn nearest_tests(map: &MapReport, files: &[u32]) -> Vec<(u32, u32)> {
    let graph = &map.graph;
    let node = |file: &u32| graph.index_of(map.universe[*file as usize].path.as_str());
    let starts: Vec<u32> = files.iter().filter_map(node).collect();
    let distances = distances(graph, &starts);
    let path = |file: u32| map.universe[file as usize].path.as_str();
    let changed: BTreeSet<u32> = files.iter().copied().collect();
    let mut tests: Vec<(u32, u32)> = Vec::new();
    for (node, distance) in &distances {
        let file = place_of(map, graph.node(*node).id.as_str());
        let Some(file) = file.filter(|file| is_test(path(*file))) else { continue };
        tests.push((file, if changed.contains(&file) { 0 } else { (*distance).max(1) }));
    }
    // A test that no import leads from is told by its name.
    let reached: BTreeSet<u32> = tests.iter().map(|(file, _)| *file).collect();
    let stems: BTreeSet<String> =
        files.iter().filter(|file| !is_test(path(**file))).map(|file| stem(path(*file))).collect();
    for at in 0..map.universe.len() as u32 {
        let is_named = || is_test(path(at)) && stems.contains(&stem(path(at)));
        if !reached.contains(&at) && is_named() {
            tests.push((at, FAR + 1));
        }
    }
    let near = |test: u32| {
        let common = |file: &u32| common(path(*file), path(test));
        files.iter().map(common).max().unwrap_or(0)
    };
    tests.sort_by_cached_key(|(test, distance)| {
        let is_named = stems.contains(&stem(path(*test)));
        (*distance > 0, !is_named, *distance, std::cmp::Reverse(near(*test)), *test)
    });
    tests
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
