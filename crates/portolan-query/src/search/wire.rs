//! Reports for machines.

use portolan_wire::search::{SearchFileV1, SearchGroupV1, SearchHitV1, SearchReportV1};

use super::report::{HitGroup, ReadAs, SearchReport, SearchedFile};

/// The most hits that are listed: each one more takes memory several times over. `--plain` prints all.
const MOST_LISTED: usize = 20_000;

impl SearchReport {
    /// The report for machines.
    pub fn to_wire(&self) -> SearchReportV1 {
        let mut room = MOST_LISTED;
        let mut files = Vec::new();
        for file in &self.files {
            if room > 0 {
                files.push(file_to_wire(file, &mut room));
            }
        }
        let listed = (MOST_LISTED - room) as u64;
        SearchReportV1 {
            v: 1,
            lines: self.lines,
            searched: self.searched.count as u64,
            read_as: self.read_as.as_ref().and_then(|read_as| match read_as {
                ReadAs::Grep { patterns, .. }
                | ReadAs::Code(patterns)
                | ReadAs::Parts(patterns) => Some(patterns.clone()),
                ReadAs::Text => Some(self.read_pattern.clone()),
                ReadAs::InTextOnly(_) => None,
            }),
            files,
            left_out: self.lines.saturating_sub(listed),
            unsearched: self.unsearched.len() as u64,
            ..SearchReportV1::default()
        }
    }
}

fn file_to_wire(file: &SearchedFile, room: &mut usize) -> SearchFileV1 {
    let mut groups = Vec::new();
    for group in &file.groups {
        if *room > 0 {
            groups.push(group_to_wire(group, *room));
            *room = room.saturating_sub(group.hits.len());
        }
    }
    SearchFileV1 { path: file.path.clone(), class: file.class.name(), groups }
}

fn group_to_wire(group: &HitGroup, room: usize) -> SearchGroupV1 {
    let is_named = !group.name.is_empty();
    let hits = group.hits.iter().take(room).map(|hit| SearchHitV1 {
        line: hit.line,
        text: (!hit.text.is_empty()).then(|| hit.text.clone()),
    });
    SearchGroupV1 {
        name: is_named.then(|| group.name.clone()),
        kind: is_named.then_some(group.kind),
        test: group.test.as_ref().map(|test| test.title.clone()),
        lines: (group.range.0 > 0).then(|| group.range.into()),
        definition: group.definition.is_some(),
        hits: hits.collect(),
    }
}
