//! Sends only the changes of the map that the reader does not know.
//!
//! The meta and the chart change with every edit, in sizes and hashes. A reader of the previous
//! ones needs new ones only if files were added or removed or have other dependencies, and then a
//! few lines about those are enough.

use portolan_graph::{map_delta, map_snapshot};
use portolan_wire::diff_report::FileChange;
use portolan_wire::snapshot::{Fingerprint, MapSnapshot, SnapshotV1};
use portolan_wire::state::StateV2;

use super::candidate::{CandidateSource, Member};
use super::context::MapArtifacts;
use super::plan::{Diff, Plan, TOKENIZER};
use super::workspace::RunWorkspace;
use portolan_index::map::MapReport;

/// What the reader of an archive knows about the map.
pub(crate) fn known(map: &MapReport, chart: Option<String>) -> MapSnapshot {
    MapSnapshot { chart, ..map_snapshot(&map.graph) }
}

/// Identifies what a chart shows: charts for the same question are comparable.
pub(crate) fn question(wish: Option<&StateV2>) -> String {
    let asked = wish.map(|state| (&state.zoom, &state.task));
    serde_json::to_string(&asked).unwrap_or_default()
}

/// A snapshot of a context archive, without our guide: only the opener contains it, and its later
/// absence is not a change.
pub(crate) fn snapshot(
    workspace: &RunWorkspace<'_>,
    plan: &Plan,
    charted: &MapArtifacts,
) -> SnapshotV1 {
    let mut snapshot = plan.snapshot();
    let guide = workspace.workspace.guide();
    let is_ours = |member: &&Member| {
        member.path == guide && matches!(member.source, CandidateSource::Made(_))
    };
    if plan.members.iter().any(|member| is_ours(&member)) {
        snapshot.files.remove(&guide);
    }
    snapshot.map = Some(charted.known.clone());
    snapshot
}

/// Removes the map's files from a diff if they tell the reader nothing new, or replaces them by a
/// delta if that is smaller.
pub(crate) fn send_map_delta(
    workspace: &RunWorkspace<'_>,
    charted: &MapArtifacts,
    before: Option<&SnapshotV1>,
    plan: &Plan,
    diff: &mut Diff,
) {
    let Some(before) = before.and_then(|snapshot| snapshot.map.as_ref()) else { return };
    let workspace = &workspace.workspace;
    let mut spared = vec![workspace.meta()];
    if before.chart == charted.known.chart {
        spared.push(workspace.chart());
    }
    spared.retain(|path| diff.report.changed.iter().any(|change| change.path == *path));
    if spared.is_empty() {
        return;
    }
    let graph = &charted.map.graph;
    let size = |id: &str| graph.index_of(id).and_then(|node| graph.node(node).size);
    if let Some(text) = map_delta(before, &charted.known, &size) {
        let cost = |bytes: &[u8]| TOKENIZER.count(bytes).unwrap_or(u64::MAX);
        let members = plan.members.iter().filter(|member| spared.contains(&member.path));
        let whole = members.fold(0u64, |sum, member| match &member.source {
            CandidateSource::Made(bytes) => sum.saturating_add(cost(bytes)),
            CandidateSource::Inside(_) | CandidateSource::Staged(_) => sum,
        });
        if cost(text.as_bytes()) >= whole {
            return;
        }
        let tokens = TOKENIZER.count(text.as_bytes());
        let delta = Member { tokens, ..Member::made(workspace.delta(), text.into_bytes()) };
        let fingerprint = Fingerprint { size: Some(delta.size), sha256: delta.sha256 };
        let change = FileChange { path: delta.path.clone(), fingerprint, before: None };
        let place = diff.report.added.partition_point(|other| other.path < change.path);
        diff.report.added.insert(place, change);
        diff.delta = Some(delta);
    }
    diff.report.changed.retain(|change| !spared.contains(&change.path));
}
