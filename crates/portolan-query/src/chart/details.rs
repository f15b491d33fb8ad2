//! The details of a chart's files, from the Map and the words.

use portolan_graph::chart::FileDetails;
use portolan_ranking::file_ranking::Field;
use portolan_types::{FileId, KindMask, NodeKind};

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
    fn is_open(&self, file: FileId) -> bool {
        let file = &self.atlas.map.universe[file.index()];
        let known = self.atlas.words.index.get(&file.sha256);
        known.is_some_and(|known| known.length(Field::Body) > 0)
            && portolan_guard::by_name_alone(&file.path).is_none()
    }
}

impl FileDetails for MapSight<'_> {
    fn description(&self, file: FileId) -> Option<&str> {
        let node = self.atlas.nodes[file.index()].filter(|_| self.is_open(file))?;
        self.atlas.map.graph.node(node).description.as_deref()
    }

    fn names(&self, file: FileId) -> Vec<String> {
        if !self.is_open(file) {
            return Vec::new();
        }
        let is_code = self.atlas.charted[file.index()].is_code;
        let file = &self.atlas.map.universe[file.index()];
        let mut names = is_code.then(|| self.headings.names(file)).flatten().unwrap_or_else(|| {
            // A language without a reader of declarations: the names after declaring keywords.
            let known = self.atlas.words.index.get(&file.sha256);
            known.map(|known| known.names().map(str::to_owned).collect()).unwrap_or_default()
        });
        names.truncate(NAMES);
        names
    }

    fn uses(&self, file: FileId) -> Vec<(FileId, KindMask)> {
        let Some(node) = self.atlas.nodes[file.index()] else { return Vec::new() };
        let edges = self.atlas.map.graph.edges(node).iter();
        let targets = edges.filter_map(|edge| {
            let target = self.atlas.files[edge.target.index()]?;
            (target != file).then(|| (target, edge.kinds()))
        });
        targets.collect()
    }

    fn leaves_for(&self, file: FileId) -> Vec<(&str, KindMask)> {
        let Some(node) = self.atlas.nodes[file.index()] else { return Vec::new() };
        let graph = &self.atlas.map.graph;
        let away = graph.edges(node).iter().filter_map(|edge| {
            let target = graph.node(edge.target);
            let is_away =
                target.kind == NodeKind::Source && self.atlas.files[edge.target.index()].is_none();
            is_away.then(|| (target.id.as_str(), edge.kinds()))
        });
        away.collect()
    }

    fn heads(&self, file: FileId) -> Vec<String> {
        let is_code = self.atlas.charted[file.index()].is_code;
        let file = is_code.then(|| &self.atlas.map.universe[file.index()]);
        file.map(|file| self.headings.of(file)).unwrap_or_default()
    }
}
