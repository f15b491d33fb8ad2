//! `run --context`: the Map, and what the state asks for.

use portolan_graph::select::{SelectSettings, Selection, select};
use portolan_graph::{MetaHashes, Territory, encode_meta, fit_meta};
use portolan_types::{NodeId, NodeKind, Notice, NoticeCode, Place, RepoPath};
use portolan_wire::map::{MapNode, MapV1};
use portolan_wire::problem::Problem;
use portolan_wire::state::{self, StateVersion};

use super::base;
use super::candidate::Member;
use super::closure::Atlas;
use super::imports::Imports;
use super::plan::{Collected, Plan};
use super::site::Site;
use super::{Progress, RunError, Stage};
use crate::config;
use crate::map::{self, CacheMode, MapReport, MapRequest};

/// The state that a META run writes: nothing selected.
pub(crate) const EMPTY_STATE: &[u8] = b"{ \"v\": 2, \"i\": [] }\n";

/// The Map and its two files.
pub(crate) struct Charted {
    pub(crate) map: MapReport,
    /// `dependency.meta.json`, within its budget.
    pub(crate) meta: Vec<u8>,
    /// `dependency.map.json`.
    pub(crate) locators: Vec<u8>,
    pub(crate) notices: Vec<Notice>,
}

/// The state as it is on disk.
pub(crate) struct StateOnDisk {
    pub(crate) bytes: Option<Vec<u8>>,
}

/// Builds the Map.
pub(crate) fn chart(
    site: &Site<'_>,
    request: &MapRequest,
    cache: CacheMode,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Charted, RunError> {
    progress(Progress { stage: Stage::Mapping, count: 0 });
    let map = map::build_cached(site.system, request, cache)?;
    let hashes = match site.settings.meta.hashes {
        config::MetaHashes::Short => MetaHashes::Short,
        config::MetaHashes::None => MetaHashes::None,
    };
    let mut meta = encode_meta(&map.graph, hashes);
    let mut notices = map.notices.clone();
    if let Some(budget) = site.settings.meta.budget {
        let fit = fit_meta(meta, budget);
        notices.extend(fit.notices());
        meta = fit.meta;
    }
    let mut bytes = meta.to_bytes();
    bytes.push(b'\n');
    let locators = map_file(&map, &mut notices).to_bytes();
    Ok(Charted { map, meta: bytes, locators, notices })
}

/// The map file. What it cannot tell is staged all the same, but not checked by `snap`.
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

/// Plans a META archive: the base, with an empty state.
pub(crate) fn plan_meta(site: &Site<'_>, charted: &Charted) -> Result<Plan, RunError> {
    let mut collected = base(site, charted, Some(EMPTY_STATE.to_vec()));
    base::guide_beside(site.root(), &site.workspace, &mut collected);
    Plan::make(site.system, &site.rules(), collected).map_err(RunError::Stage)
}

/// Plans a context archive: the base and what the state selects.
pub(crate) fn plan(
    site: &Site<'_>,
    charted: &Charted,
    state: StateOnDisk,
    imports: &Imports,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Plan, RunError> {
    let territory = Territory::from(&charted.map.graph);
    let (selection, notices) = read_selection(site, &territory, state.bytes.as_deref())?;
    progress(Progress { stage: Stage::Planning, count: selection.nodes.len() });

    let mut collected = base(site, charted, state.bytes);
    collected.notices.extend(notices);
    let atlas = Atlas {
        root: site.root(),
        workspace: &site.workspace,
        graph: &charted.map.graph,
        territory: &territory,
        locators: &charted.map.locators,
        excluded: &charted.map.excluded,
        imports,
    };
    let bad = atlas.collect(&selection.nodes, &mut collected);
    if !bad.is_empty() {
        return Err(RunError::BadIds { state: site.workspace.state(), ids: bad });
    }
    let mut plan = Plan::make(site.system, &site.rules(), collected).map_err(RunError::Stage)?;
    let changed = changed_since(&charted.map, &plan.members);
    plan.notices.extend(changed);
    Ok(plan)
}

fn base(site: &Site<'_>, charted: &Charted, state: Option<Vec<u8>>) -> Collected {
    let mut collected = Collected::default();
    base::system_docs(site.root(), &site.workspace, &mut collected);
    collected.made(site.workspace.meta(), charted.meta.clone());
    if let Some(state) = state {
        collected.made(site.workspace.state(), state);
    }
    let universe = charted.map.universe.iter().map(|file| (&file.path, file.size));
    base::top_level_files(site.root(), site.settings.base, universe, &mut collected);
    collected
}

fn read_selection(
    site: &Site<'_>,
    territory: &Territory,
    bytes: Option<&[u8]>,
) -> Result<(Selection, Vec<Notice>), RunError> {
    let path = site.workspace.state();
    let Some(bytes) = bytes else {
        let message = "there is no state yet: the archive has the base only";
        let notice = Notice::at(NoticeCode::StateOddity, Place::file(path.as_str()), message);
        return Ok((Selection::default(), vec![notice]));
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
    let selection = select(territory, &read.state, &SelectSettings::default());
    notices.extend(selection.dropped.iter().map(|(id, kind)| {
        let what = match kind {
            NodeKind::Missing => "it leads nowhere",
            _ => "it is a module of the platform",
        };
        let message = format!("{what}: there is no file to deliver");
        Notice::at(NoticeCode::ArchiveDropped, Place::file(id.as_str()), message)
    }));
    Ok((selection, notices))
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

/// Files that were edited between the Map and the plan: their `h` in the meta is of the old bytes.
fn changed_since(map: &MapReport, members: &[Member]) -> Vec<Notice> {
    let changed = members.iter().filter(|member| {
        let mapped = map.universe.binary_search_by(|file| file.path.cmp(&member.path)).ok();
        mapped.is_some_and(|index| map.universe[index].sha256 != member.sha256)
    });
    let notice = |member: &Member| {
        let message = "it changed while the run was going on; the archive has the new bytes";
        Notice::at(NoticeCode::ArchiveChanged, Place::file(member.path.as_str()), message)
    };
    changed.map(notice).collect()
}

/// Whether a path that is not in the archive any more is still there to be selected.
pub(crate) fn is_there(site: &Site<'_>, map: &MapReport, path: &RepoPath) -> bool {
    let is_node = map.graph.index_of(NodeId::from(path.as_str()).as_str()).is_some();
    is_node || (!site.workspace.is_staged(path) && site.has(path))
}
