//! Folders, globs and declarations in a state: each stands for the files it matches.

use portolan_graph::Territory;
use portolan_scan::Patterns;
use portolan_types::NodeId;
use portolan_wire::state::{StateEntry, StateV2};

/// The state with every folder and glob replaced by the entries of the nodes it matches, at its depth
/// and along its kinds, and every declaration (`path#Name`) by its file. An entry that is a node, or matches
/// none, stays as it is.
pub fn spell_out(territory: &Territory, state: StateV2) -> StateV2 {
    let StateV2 { include, exclude, zoom, task } = state;
    let spelt = |entries: Vec<StateEntry>| {
        entries.into_iter().flat_map(|entry| spell_out_entry(territory, entry)).collect()
    };
    StateV2 { include: spelt(include), exclude: spelt(exclude), zoom, task }
}

fn spell_out_entry(territory: &Territory, entry: StateEntry) -> Vec<StateEntry> {
    let id = entry.id.as_str();
    if territory.index_of(id).is_some() {
        return vec![entry];
    }
    if let Some((path, _)) = id.rsplit_once('#')
        && let Some(file) = territory.index_of(path).and_then(|at| territory.ids().get(at as usize))
    {
        return vec![StateEntry { id: file.clone(), ..entry }];
    }
    let wanted = id.trim_start_matches("./").trim_end_matches('/');
    let ids = territory.ids().iter();
    let matches: Vec<&NodeId> = if wanted.contains(['*', '?', '[', '{']) {
        let patterns = Patterns::new(&[wanted]).ok();
        let is_match =
            |id: &&NodeId| patterns.as_ref().is_some_and(|one| one.is_match(id.as_str()));
        ids.filter(is_match).collect()
    } else if wanted.is_empty() || wanted.starts_with("..") || wanted.starts_with('/') {
        Vec::new()
    } else {
        let below = format!("{wanted}/");
        ids.filter(|id| id.as_str().starts_with(&below)).collect()
    };
    if matches.is_empty() {
        return vec![entry];
    }
    matches.into_iter().map(|id| StateEntry { id: id.clone(), ..entry.clone() }).collect()
}
