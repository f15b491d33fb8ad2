//! Ranks files by their relevance for a task. A budget keeps the most relevant ones.

use std::collections::BTreeMap;

use portolan_types::NodeId;

use crate::chart::{ChartRequest, DEFAULT_BUDGET, FileWeights, IndexFiles, RankingIndex};
use portolan_index::history::commits;
use portolan_index::map::MapReport;
use portolan_workspace::path_input::PathInput;

/// The relevance of the first file in the ranking. The next two have one less, the next four two
/// less, and so on.
const MOST: u32 = 9;

/// The relevance of files for a task in words; files without relevance are absent.
pub fn bearings(files: &IndexFiles<'_>, map: &MapReport, task: &str) -> BTreeMap<NodeId, u32> {
    let ranking = RankingIndex::new(map, files);
    let request = ChartRequest {
        zoom: Vec::new(),
        path_input: PathInput::default(),
        changed: Vec::new(),
        task: Some(task.to_owned()),
        commits: commits(files, map),
        budget: DEFAULT_BUDGET,
        weights: FileWeights::default(),
    };
    // The request names no file, so it cannot fail with an unknown one.
    let order = ranking.by_interest(&request).unwrap_or_default();
    let importance = |(place, path): (usize, &str)| {
        let importance = MOST.saturating_sub((place + 1).ilog2());
        (importance > 0).then(|| (NodeId::from(path), importance))
    };
    order.into_iter().enumerate().map_while(importance).collect()
}
