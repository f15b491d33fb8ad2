//! The details of a chart's files, from the Map and the words.

use portolan_graph::chart::FileDetails;
use portolan_ranking::file_ranking::Field;
use portolan_types::{KindMask, NodeKind};

use super::RankingIndex;
use portolan_index::symbols::Headings;

/// How many names of a file are shown.
const NAMES: usize = 12;

/// What a Map knows of its files.
pub(super) struct MapSight<'a> {
    pub(super) atlas: &'a RankingIndex<'a>,
    pub(super) headings: &'a Headings<'a>,
}

impl MapSight<'_> {
    /// Whether words of a file may be shown: those of a file that may hold secrets were not kept.
    fn is_open(&self, file: u32) -> bool {
        let file = &self.atlas.map.universe[file as usize];
        let known = self.atlas.words.index.get(&file.sha256);
        known.is_some_and(|known| known.length(Field::Body) > 0)
            && portolan_guard::by_name_alone(&file.path).is_none()
    }
}

impl FileDetails for MapSight<'_> {
    fn description(&self, file: u32) -> Option<&str> {
        let node = self.atlas.nodes[file as usize].filter(|_| self.is_open(file))?;
        self.atlas.map.graph.node(node).description.as_deref()
    }

    fn names(&self, file: u32) -> Vec<String> {
        if !self.is_open(file) {
            return Vec::new();
        }
        let is_code = self.atlas.charted[file as usize].is_code;
        let file = &self.atlas.map.universe[file as usize];
        let mut names = is_code.then(|| self.headings.names(file)).flatten().unwrap_or_else(|| {
            // A language whose declarations nobody reads: what stands behind a word that declares.
            let known = self.atlas.words.index.get(&file.sha256);
            known.map(|known| known.names().map(str::to_owned).collect()).unwrap_or_default()
        });
        names.truncate(NAMES);
        names
    }

    fn uses(&self, file: u32) -> Vec<(u32, KindMask)> {
        let Some(node) = self.atlas.nodes[file as usize] else { return Vec::new() };
        let edges = self.atlas.map.graph.edges(node).iter();
        let targets = edges.filter_map(|edge| {
            let target = self.atlas.files[edge.target as usize]?;
            (target != file).then(|| (target, edge.kinds()))
        });
        targets.collect()
    }

    fn leaves_for(&self, file: u32) -> Vec<(&str, KindMask)> {
        let Some(node) = self.atlas.nodes[file as usize] else { return Vec::new() };
        let graph = &self.atlas.map.graph;
        let away = graph.edges(node).iter().filter_map(|edge| {
            let target = graph.node(edge.target);
            let is_away =
                target.kind == NodeKind::Source && self.atlas.files[edge.target as usize].is_none();
            is_away.then(|| (target.id.as_str(), edge.kinds()))
        });
        away.collect()
    }

    fn heads(&self, file: u32) -> Vec<String> {
        let is_code = self.atlas.charted[file as usize].is_code;
        let file = is_code.then(|| &self.atlas.map.universe[file as usize]);
        file.map(|file| self.headings.of(file)).unwrap_or_default()
    }
}
