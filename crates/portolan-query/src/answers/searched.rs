//! The answer to a search: from the files alone, without the Map.

use std::collections::BTreeMap;

use portolan_types::{Notice, Sha256Digest};
use portolan_wire::question::SearchQuestionV1;
use portolan_wire::search::SearchReportV1;

use crate::file_set::FileSet;
use crate::search::{
    NamesReport, PlacesReport, SearchContext, SearchError, SearchReport, is_plain_text, search,
    search_names, search_task,
};

/// What a search came to.
#[derive(Clone, Debug)]
pub enum Searched {
    /// Lines that match.
    Hits(SearchReport),
    /// The places that a task is about.
    Places(PlacesReport),
    /// Declarations by name.
    Names(NamesReport),
}

impl Searched {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Hits(report) => report.lines == 0,
            Self::Places(report) => report.places.is_empty(),
            Self::Names(report) => report.places.is_empty() && report.files.is_empty(),
        }
    }

    /// The report for machines.
    pub fn to_wire(&self) -> SearchReportV1 {
        match self {
            Self::Hits(report) => report.to_wire(),
            Self::Places(report) => report.to_wire(),
            Self::Names(report) => report.to_wire(),
        }
    }

    /// The first line.
    pub(super) fn head(&self) -> String {
        match self {
            Self::Hits(report) => report.head(),
            Self::Places(report) => report.head(),
            Self::Names(report) => report.head(),
        }
    }

    /// The rest, within so many tokens.
    pub(super) fn body(&self, room: u64) -> String {
        match self {
            Self::Hits(report) => report.body(room),
            Self::Places(report) => report.body(room),
            Self::Names(report) => report.body(room),
        }
    }

    /// What could not be searched.
    pub(super) fn notices(&self) -> Vec<Notice> {
        match self {
            Self::Hits(report) => report.notices.clone(),
            Self::Places(_) | Self::Names(_) => Vec::new(),
        }
    }

    /// The files that were searched.
    pub(super) fn searched(&self) -> FileSet {
        match self {
            Self::Hits(report) => report.searched,
            Self::Places(report) => report.searched,
            Self::Names(report) => report.searched,
        }
    }

    /// The files that an answer shows, with the digests of what was seen.
    pub(super) fn files(&self) -> BTreeMap<String, Sha256Digest> {
        match self {
            Self::Hits(report) => {
                let files = report.files.iter();
                files.filter_map(|file| Some((file.path.clone(), file.sha256?))).collect()
            }
            Self::Places(report) => report.seen.clone(),
            Self::Names(report) => report.seen.clone(),
        }
    }
}

/// Why no file was searched, where the question itself leaves them all out.
pub(super) fn why_nothing(question: &SearchQuestionV1, searched: usize) -> String {
    if searched > 0 {
        return String::new();
    }
    let quoted = |flag: &str, texts: &[String]| {
        texts.iter().map(|text| format!("`{flag}{text}`")).collect::<Vec<_>>()
    };
    let mut asked = quoted("", &question.paths);
    asked.extend(quoted("-g ", &question.glob));
    asked.extend(quoted("-t ", &question.language));
    match asked.as_slice() {
        [] => String::new(),
        [one] => format!(": no file is in {one}"),
        all => format!(": no file is in all of {}", all.join(", ")),
    }
}

/// Searches as a question asks. A text that is plainly no pattern, and matches nothing, is taken as a task. For threads
/// with room for parsing.
pub fn search_question(
    context: SearchContext<'_>,
    question: &SearchQuestionV1,
) -> Result<Searched, SearchError> {
    let request = question;
    if let Some(task) = &question.task {
        return search_task(context, request, task).map(Searched::Places);
    }
    if question.names {
        return search_names(context, request).map(Searched::Names);
    }
    let found = search(context, request)?;
    match request.patterns.as_slice() {
        [text] if found.lines == 0 && is_plain_text(text) => {
            let mut places = search_task(context, request, text)?;
            places.is_instead = true;
            Ok(if places.places.is_empty() {
                Searched::Hits(found)
            } else {
                Searched::Places(places)
            })
        }
        _ => Ok(Searched::Hits(found)),
    }
}
