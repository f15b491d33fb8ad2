//! A chart of what was asked for by path: outlines of files; of folders their files, with what these are for.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use portolan_graph::chart::Folded;
use portolan_types::declarations::NONE;
use portolan_types::{NodeId, Sha256Digest};

use super::purpose::Purposes;
use super::screen::{cost, screen};
use super::zoom::{self, UnknownZoom};
use super::{ChartRequest, RankingIndex};
use crate::map_paths::MapPaths;
use crate::read::outline;
use portolan_index::symbols::SymbolDb;
use portolan_workspace::path_input::PathInput;

/// The most files of a folder that are shown with the names they declare.
const MOST_NAMED: usize = 200;
/// The most names of a file that are shown.
const MOST_NAMES: usize = 12;

/// What is shown of paths.
pub(super) struct AskedChart {
    pub(super) text: String,
    pub(super) listed: Vec<NodeId>,
    pub(super) folded: BTreeMap<String, Folded>,
    pub(super) seen: Vec<(String, Sha256Digest)>,
}

/// The chart of what was asked for, within a budget: each path has its share.
pub(super) fn asked_chart(
    index: &RankingIndex<'_>,
    symbols: &SymbolDb<'_>,
    purposes: &Purposes<'_>,
    request: &ChartRequest,
) -> Result<AskedChart, UnknownZoom> {
    let universe = &index.map.universe;
    zoom::asked(universe, &request.path_input, &request.zoom)?;
    let mut chart = AskedChart {
        text: String::new(),
        listed: Vec::new(),
        folded: BTreeMap::new(),
        seen: Vec::new(),
    };
    let plain: Vec<String> =
        request.zoom.iter().flat_map(|path| paths_of(index, &request.path_input, path)).collect();
    for (at, path) in plain.iter().enumerate() {
        let left = request.budget.saturating_sub(cost(&chart.text));
        let share = left / (plain.len() - at) as u64;
        if index.map.graph.index_of(path).is_some() {
            add_file(&mut chart, symbols, path, share);
        } else {
            add_folder(&mut chart, index, purposes, symbols, path, share);
        }
    }
    chart.listed.sort();
    chart.listed.dedup();
    let shown = chart.listed.len();
    let rest = chart.folded.entry(String::new()).or_default();
    rest.files = universe.len().saturating_sub(shown) as u32;
    rest.tokens = index
        .charted
        .iter()
        .filter(|file| !chart.listed.iter().any(|id| id.as_str() == file.path))
        .map(|file| u64::from(file.tokens))
        .sum();
    if rest.files == 0 {
        chart.folded.clear();
    }
    Ok(chart)
}

/// The file or folder that a path means, or the files that a glob does.
fn paths_of(index: &RankingIndex<'_>, path_input: &PathInput, asked: &str) -> Vec<String> {
    let is_there = |path: &str| {
        let inside = format!("{path}/");
        index.charted.iter().any(|file| file.path == path || file.path.starts_with(&inside))
    };
    let mut plain = path_input.plain(asked, &is_there);
    if !is_there(&plain) {
        plain = path_input.meant(asked, &MapPaths::of(index.map)).unwrap_or(plain);
    }
    let plain = plain.trim_end_matches('/').to_owned();
    if is_there(&plain) {
        return vec![plain];
    }
    let asked = zoom::asked(&index.map.universe, path_input, &[asked.to_owned()]);
    let asked = asked.unwrap_or_default();
    let files = index.charted.iter().zip(asked).filter(|(_, asked)| *asked != zoom::Asked::No);
    files.map(|(file, _)| file.path.to_owned()).collect()
}

fn add_file(chart: &mut AskedChart, symbols: &SymbolDb<'_>, path: &str, room: u64) {
    chart.listed.push(NodeId::from(path));
    let found = symbols.number(path).and_then(|file| outline(symbols, file, NONE));
    let _ = match &found {
        Some(outline) => writeln!(chart.text, "{path} {} lines", outline.lines),
        None => writeln!(chart.text, "{path}"),
    };
    if let Some(outline) = found {
        chart.text.push_str(&outline.to_text(room.saturating_sub(cost(path) + 8)));
        chart.seen.push((outline.file.clone(), outline.sha256));
    }
}

fn add_folder(
    chart: &mut AskedChart,
    index: &RankingIndex<'_>,
    purposes: &Purposes<'_>,
    symbols: &SymbolDb<'_>,
    folder: &str,
    room: u64,
) {
    let _ = writeln!(chart.text, "{folder}/");
    let own = index.charted.iter().filter(|file| {
        file.path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.strip_prefix('/').is_some_and(|name| !name.contains('/')))
    });
    let own: Vec<_> = own.collect();
    let inside = screen(index, purposes, folder, room / 3).text;
    let room = room.saturating_sub(cost(&inside) + 8);
    // With less room only what files are for, then only their names.
    let mut files = String::new();
    for detail in [Detail::Names, Detail::Purpose, Detail::Bare] {
        files = own.iter().map(|file| line_of(symbols, purposes, file, detail)).collect();
        if cost(&files) <= room {
            break;
        }
    }
    chart.listed.extend(own.iter().map(|file| NodeId::from(file.path)));
    for file in &own {
        if let Some(digest) = index.map.graph.index_of(file.path) {
            let digest = index.map.graph.node(digest).sha256;
            chart.seen.extend(digest.map(|digest| (file.path.to_owned(), digest)));
        }
    }
    let indented = inside.lines().map(|line| format!(" {line}\n"));
    chart.text.extend(indented);
    chart.text.push_str(&files);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Names,
    Purpose,
    Bare,
}

fn line_of(
    symbols: &SymbolDb<'_>,
    purposes: &Purposes<'_>,
    file: &portolan_graph::chart::ChartFile<'_>,
    detail: Detail,
) -> String {
    let name = file.path.rsplit('/').next().unwrap_or(file.path);
    let mut line = format!(" {name} {}", file.tokens);
    if let Some(purpose) = purposes.of_file(file.path).filter(|_| detail != Detail::Bare) {
        let _ = write!(line, " ({purpose})");
    }
    if detail == Detail::Names && file.is_code {
        let found = symbols.number(file.path).and_then(|file| outline(symbols, file, NONE));
        let items = found.map(|outline| outline.items).unwrap_or_default();
        let names = items.iter().filter(|item| item.depth == 0).map(|item| item.name.as_str());
        let names: Vec<&str> = names.take(MOST_NAMED).collect();
        if !names.is_empty() {
            let shown = names.get(..MOST_NAMES).unwrap_or(&names);
            let _ = write!(line, " = {}", shown.join(" "));
        }
        if names.len() > MOST_NAMES {
            let _ = write!(line, " … {} more", names.len() - MOST_NAMES);
        }
    }
    line.push('\n');
    line
}
