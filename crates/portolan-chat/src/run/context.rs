//! `run --context`: the map, and the files that the state selects.

use portolan_graph::select::{SelectSettings, Selection, select};
use portolan_graph::{CsrGraph, MetaHashes, encode_meta};
use portolan_types::{NodeId, NodeKind, Notice, NoticeCode, Place, RepoPath};
use portolan_wire::map::{MapNode, MapV1};
use portolan_wire::problem::Problem;
use portolan_wire::snapshot::MapSnapshot;
use portolan_wire::state::{self, StateV2, StateVersion};

use super::candidate::{CandidateSource, Member};
use super::closure::SelectionResolver;
use super::imports::Imports;
use super::plan::{Collected, Plan};
use super::workspace::RunWorkspace;
use super::{Progress, RunError, Stage, base, map_delta};
use portolan_index::history::commits;
use portolan_index::map::{CacheMode, MapReport, MapRequest};
use portolan_index::session::Session;
use portolan_index::store::CacheFolder;
use portolan_index::symbols::{DeclarationStore, Headings};
use portolan_index::token_counts::Tokenizer;
use portolan_query::chart::{
    ChartRequest, DEFAULT_BUDGET, FileWeights, IndexFiles, RankingIndex as Charts,
};
use portolan_query::select::{groups_of, is_read, spell_out};
use portolan_workspace::config::{self, MetaArchive};
use portolan_workspace::path_input::PathInput;

/// The state that a META run writes: nothing is selected.
pub(crate) const EMPTY_STATE: &[u8] = b"{ \"v\": 2, \"i\": [] }\n";

/// The map and its two files.
pub(crate) struct MapArtifacts {
    pub(crate) map: MapReport,
    /// `dependency.meta.json`, complete.
    pub(crate) meta: Vec<u8>,
    /// Whether archives contain it.
    pub(crate) has_meta: bool,
    /// `dependency.chart.txt`, if archives contain it.
    pub(crate) chart: Option<Vec<u8>>,
    /// `dependency.map.json`.
    pub(crate) locators: Vec<u8>,
    /// What a reader of the archive knows about the map.
    pub(crate) known: MapSnapshot,
    pub(crate) notices: Vec<Notice>,
}

/// The state as it is on disk.
pub(crate) struct StateOnDisk {
    pub(crate) bytes: Option<Vec<u8>>,
}

/// Builds the map.
pub(crate) fn chart(
    workspace: &RunWorkspace<'_>,
    request: &MapRequest,
    cache: CacheMode,
    wish: Option<&StateV2>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<MapArtifacts, RunError> {
    progress(Progress { stage: Stage::Mapping, count: 0 });
    let map = Session::open(workspace.system, request.clone(), cache)?.map()?;
    let hashes = match workspace.settings.meta.hashes {
        config::MetaHashes::Short => MetaHashes::Short,
        config::MetaHashes::None => MetaHashes::None,
    };
    let mut meta = encode_meta(&map.graph, hashes).to_bytes();
    meta.push(b'\n');
    let mut notices = map.notices.clone();
    if map.is_workspace_open {
        notices.push(workspace.not_ignored());
    }
    let has_meta = match workspace.settings.meta.archive {
        MetaArchive::Always => true,
        MetaArchive::Never => false,
        MetaArchive::Fit => fits(&meta, workspace.settings.meta.budget),
    };
    let locators = map_file(&map, &mut notices).to_bytes();
    let wish = wish.filter(|state| state.asks_for_a_chart());
    let has_chart = wish.is_some() || !has_meta;
    let known = map_delta::known(&map, has_chart.then(|| map_delta::question(wish)));
    let mut charted = MapArtifacts { map, meta, has_meta, chart: None, locators, known, notices };
    if has_chart {
        draw(workspace, &mut charted, cache, wish)?;
    }
    Ok(charted)
}

/// Whether the meta fits the budget, by its exact tokens.
fn fits(meta: &[u8], budget: Option<u64>) -> bool {
    /// The average token of a meta has at most this many bytes, so a longer meta cannot fit.
    const MOST_BYTES: u64 = 16;
    budget.is_none_or(|budget| {
        meta.len() as u64 <= budget.saturating_mul(MOST_BYTES)
            && Tokenizer::O200kBase.count(meta).is_some_and(|tokens| tokens <= budget)
    })
}

/// Draws the chart: of the paths in the state, or of everything.
fn draw(
    workspace: &RunWorkspace<'_>,
    charted: &mut MapArtifacts,
    cache: CacheMode,
    wish: Option<&StateV2>,
) -> Result<(), RunError> {
    let cache = CacheFolder::open(workspace.system, workspace.config, cache);
    let files = IndexFiles { system: workspace.system, root: workspace.path, cache: &cache };
    let budget = workspace.settings.meta.budget.unwrap_or(DEFAULT_BUDGET);
    let atlas = Charts::new(&charted.map, &files);
    let task = wish.and_then(|state| state.task.clone());
    let mut request = ChartRequest {
        commits: task.as_ref().map(|_| commits(&files, &charted.map)).unwrap_or_default(),
        zoom: wish.map(|state| state.zoom.clone()).unwrap_or_default(),
        path_input: PathInput::at_root(workspace.path),
        changed: wish.map(|state| at_hand(workspace, &charted.map, state)).unwrap_or_default(),
        task,
        budget,
        weights: FileWeights::default(),
    };
    request.check()?;
    // Report a missing path, and show the rest.
    let place = Place::file(workspace.workspace.state().as_str());
    for unknown in atlas.take_unknown(&mut request) {
        let message = format!("`z`: {unknown}");
        charted.notices.push(Notice::at(NoticeCode::StateOddity, place.clone(), message));
    }
    let store = DeclarationStore::open(workspace.system, &cache);
    let headings = Headings::new(workspace.system, workspace.config, &store);
    let report = atlas.chart(&request, &headings)?;
    charted.notices.extend(store.save(workspace.system));
    charted.notices.extend(report.notices);
    charted.chart = Some(report.text.into_bytes());
    Ok(())
}

/// The files that a thread works on besides its request: those that its state selects, and those
/// changed since the last commit. They only influence a chart with a question.
fn at_hand(workspace: &RunWorkspace<'_>, map: &MapReport, state: &StateV2) -> Vec<String> {
    if state.zoom.is_empty() && state.task.is_none() {
        return Vec::new();
    }
    let selected = state.include.iter().map(|entry| entry.id.to_string());
    let changed =
        portolan_query::chart::changed_since(workspace.system, workspace.path, "HEAD", map)
            .unwrap_or_default();
    selected.chain(changed).collect()
}

/// The chart that the state requests; `None` for a broken state, which is reported later.
pub(crate) fn wish(state: &StateOnDisk) -> Option<StateV2> {
    Some(state::read(state.bytes.as_deref()?).ok()?.state)
}

/// The map file. Files that it cannot describe are staged anyway, but `snap` does not check them.
fn map_file(map: &MapReport, notices: &mut Vec<Notice>) -> MapV1 {
    let nodes = map.locators.iter().filter_map(|locator| {
        let node = RepoPath::new(locator.id.as_str()).ok().zip(locator.path.to_str());
        if node.is_none() {
            let place = Place::file(locator.id.as_str());
            let message = "it cannot be written into the map file: its real path is not UTF-8";
            notices.push(Notice::at(NoticeCode::GraphExternalUnreadable, place, message));
        }
        let (id, path) = node?;
        let locator_abs = path.to_owned();
        Some(MapNode { id, locator_abs, size: locator.size, sha256: locator.sha256 })
    });
    MapV1::new(nodes)
}

/// Plans a META archive: the base with an empty state.
pub(crate) fn plan_meta(
    workspace: &RunWorkspace<'_>,
    charted: &MapArtifacts,
) -> Result<Plan, RunError> {
    let mut collected = base(workspace, charted, Some(EMPTY_STATE.to_vec()))?;
    base::guide_beside(workspace.root(), &workspace.workspace, &mut collected);
    Plan::make(workspace.system, &workspace.rules(), collected).map_err(RunError::Stage)
}

/// Plans a context archive: the base and the selected files.
pub(crate) fn plan(
    workspace: &RunWorkspace<'_>,
    charted: &MapArtifacts,
    state: StateOnDisk,
    imports: &Imports,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Plan, RunError> {
    let csr_graph = CsrGraph::from(&charted.map.graph);
    let Read { selection, groups, notices } =
        read_selection(workspace, &csr_graph, state.bytes.as_deref())?;
    progress(Progress { stage: Stage::Planning, count: selection.nodes.len() });

    let mut collected = base(workspace, charted, state.bytes)?;
    collected.notices.extend(notices);
    let atlas = SelectionResolver {
        root: workspace.root(),
        workspace: &workspace.workspace,
        graph: &charted.map.graph,
        csr_graph: &csr_graph,
        locators: &charted.map.locators,
        excluded: &charted.map.excluded,
        imports,
    };
    let bad = atlas.collect(&selection.nodes, &mut collected);
    if !bad.is_empty() {
        return Err(RunError::BadIds { state: workspace.workspace.state(), ids: bad });
    }
    let mut plan =
        Plan::make(workspace.system, &workspace.rules(), collected).map_err(RunError::Stage)?;
    let changed = changed_since(&charted.map, &plan.members);
    plan.notices.extend(changed);
    plan.groups = groups.iter().map(|id| plan.priced(id)).collect();
    Ok(plan)
}

/// The selection of a state.
#[derive(Default)]
struct Read {
    selection: Selection,
    /// The folders and globs among its entries.
    groups: Vec<NodeId>,
    notices: Vec<Notice>,
}

fn base(
    workspace: &RunWorkspace<'_>,
    charted: &MapArtifacts,
    state: Option<Vec<u8>>,
) -> Result<Collected, RunError> {
    let mut collected = Collected::default();
    base::system_docs(workspace.root(), &workspace.workspace, &mut collected);
    if charted.has_meta {
        collected.made(workspace.workspace.meta(), charted.meta.clone());
    }
    if let Some(chart) = &charted.chart {
        collected.made(workspace.workspace.chart(), chart.clone());
    }
    if let Some(state) = state {
        collected.made(workspace.workspace.state(), state);
    }
    let universe = charted.map.universe.iter().map(|file| (&file.path, file.size));
    base::project_files(workspace.root(), &workspace.settings.base, universe, &mut collected)?;
    Ok(collected)
}

fn read_selection(
    workspace: &RunWorkspace<'_>,
    csr_graph: &CsrGraph,
    bytes: Option<&[u8]>,
) -> Result<Read, RunError> {
    let path = workspace.workspace.state();
    let Some(bytes) = bytes else {
        let message = "there is no state yet, so only the base is sent; the assistant writes one, or `portolan select ENTRY… --write`";
        let notice = Notice::at(NoticeCode::StateOddity, Place::file(path.as_str()), message);
        return Ok(Read { notices: vec![notice], ..Read::default() });
    };
    let failed = |problems| RunError::State { path: path.clone(), problems };
    let read =
        state::read(bytes).map_err(|problem| failed(vec![problem]))?.strict().map_err(failed)?;
    let mut notices: Vec<Notice> =
        read.notes.iter().map(|note| state_notice(&path, note)).collect();
    if read.version == StateVersion::V1 {
        let message = "the state is in version 1; `portolan select --upgrade` rewrites it";
        notices.push(Notice::at(NoticeCode::StateLegacy, Place::file(path.as_str()), message));
    }
    let path_input = PathInput::at_root(workspace.path);
    let groups = groups_of(csr_graph, &path_input, &read.state);
    let state = spell_out(csr_graph, &path_input, read.state);
    let unread = state.include.iter().filter(|entry| entry.depth > 0 && !is_read(&entry.id));
    notices.extend(unread.map(|entry| {
        let message = "imports of its language are not read, so nothing it needs is selected";
        Notice::at(NoticeCode::StateOddity, Place::file(entry.id.as_str()), message)
    }));
    let selection = select(csr_graph, &state, &SelectSettings::default());
    notices.extend(selection.dropped.iter().map(|(id, kind)| {
        let what = match kind {
            NodeKind::Missing => "it leads nowhere",
            _ => "it is a module of the platform",
        };
        let message = format!("{what}: there is no file to deliver");
        Notice::at(NoticeCode::ArchiveDropped, Place::file(id.as_str()), message)
    }));
    Ok(Read { selection, groups, notices })
}

fn state_notice(path: &RepoPath, note: &Problem) -> Notice {
    let place = match note.position {
        Some((line, column)) => Place::at(path.as_str(), line, column),
        None => Place::file(path.as_str()),
    };
    let message = if note.path.is_empty() {
        note.message.clone()
    } else {
        format!("`{}`: {}", note.path, note.message)
    };
    Notice::at(NoticeCode::StateOddity, place, message)
}

/// Notices about files that were edited after the map was built: their `h` in the meta is outdated.
fn changed_since(map: &MapReport, members: &[Member]) -> Vec<Notice> {
    // Generated members have no file to compare with.
    let own = members.iter().filter(|member| !matches!(member.source, CandidateSource::Made(_)));
    let changed = own.filter(|member| {
        let mapped = map.universe.binary_search_by(|file| file.path.cmp(&member.path)).ok();
        mapped.is_some_and(|index| map.universe[index].sha256 != member.sha256)
    });
    let notice = |member: &Member| {
        let message = "it changed while the run was going on; the archive has the new bytes";
        Notice::at(NoticeCode::ArchiveChanged, Place::file(member.path.as_str()), message)
    };
    changed.map(notice).collect()
}

/// Whether a path that is no longer in the archive still exists.
pub(crate) fn is_there(workspace: &RunWorkspace<'_>, map: &MapReport, path: &RepoPath) -> bool {
    let is_node = map.graph.index_of(NodeId::from(path.as_str()).as_str()).is_some();
    is_node || (!workspace.workspace.is_staged(path) && workspace.has(path))
}
