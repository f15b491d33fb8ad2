//! How much files have to do with a task: what a budget keeps first.

use std::collections::BTreeMap;

use portolan_types::NodeId;

use crate::chart::{ChartRequest, DEFAULT_BUDGET, IndexFiles, InterestSettings, RankingIndex};
use portolan_index::history::commits;
use portolan_index::map::MapReport;
use portolan_workspace::path_input::PathInput;

/// The first file by interest has so much to do with a task, the next two one less, the next four two less.
const MOST: u32 = 9;

/// How much the files of a Map have to do with a task in words; not there for nothing.
pub fn bearings(files: &IndexFiles<'_>, map: &MapReport, task: &str) -> BTreeMap<NodeId, u32> {
    let atlas = RankingIndex::new(map, files);
    let request = ChartRequest {
        zoom: Vec::new(),
        path_input: PathInput::default(),
        changed: Vec::new(),
        task: Some(task.to_owned()),
        commits: commits(files, map),
        budget: DEFAULT_BUDGET,
        interest: InterestSettings::default(),
    };
    // Nothing is asked for by name, so nothing can be unknown.
    let order = atlas.by_interest(&request).unwrap_or_default();
    let importance = |(place, path): (usize, &str)| {
        let importance = MOST.saturating_sub((place + 1).ilog2());
        (importance > 0).then(|| (NodeId::from(path), importance))
    };
    order.into_iter().enumerate().map_while(importance).collect()
}
