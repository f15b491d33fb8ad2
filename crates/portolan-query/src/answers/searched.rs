//! The answer to a search: from the files alone, without the Map.

use std::collections::BTreeMap;

use portolan_types::{Sha256Digest, escape_invisible};
use portolan_vfs::{CancellableSystem, System};
use portolan_wire::question::{QuestionV1, SearchQuestionV1, WithinV1};
use portolan_wire::search::SearchReportV1;

use super::{Answer, AnswerContext, AnswerError, FRAME_TOKENS, budget_of, cut, seal};
use crate::file_set::FileSet;
use crate::search::{
    NamesReport, PlacesReport, SearchError, SearchReport, SearchRequest, Within, is_plain_text,
    search, search_names, search_task,
};
use portolan_index::map::MapError;
use portolan_index::session::Session;
use portolan_workspace::config::Loaded;

/// What a search came to.
#[derive(Clone, Debug)]
pub enum Searched {
    /// `LineStarts` that match.
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
            Self::Names(report) => report.places.is_empty(),
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

    /// The first line and the rest, within so many tokens.
    fn text(&self, room: u64) -> (String, String) {
        match self {
            Self::Hits(report) => (report.head(), report.body(room)),
            Self::Places(report) => (report.head(), report.body(room)),
            Self::Names(report) => (report.head(), report.body(room)),
        }
    }

    /// The files that were searched.
    fn searched(&self) -> FileSet {
        match self {
            Self::Hits(report) => report.searched,
            Self::Places(report) => report.searched,
            Self::Names(report) => report.searched,
        }
    }

    /// The files that an answer shows, with the digests of what was seen.
    fn files(&self) -> BTreeMap<String, Sha256Digest> {
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

/// Searches as a question asks. A text that is plainly no pattern, and matches nothing, is taken as a task. For threads
/// with room for parsing.
pub fn search_question(
    system: &dyn System,
    config: &Loaded,
    question: &SearchQuestionV1,
) -> Result<Searched, SearchError> {
    let request = request_of(question);
    if let Some(task) = &question.task {
        return search_task(system, config, &request, task).map(Searched::Places);
    }
    if question.names {
        return search_names(system, config, &request).map(Searched::Names);
    }
    let found = search(system, config, &request)?;
    match request.patterns.as_slice() {
        [text] if found.lines == 0 && is_plain_text(text) => {
            let mut places = search_task(system, config, &request, text)?;
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

/// Answers a search from the disk as it is now, and tells whether it found nothing.
pub(super) fn answer(
    context: AnswerContext<'_>,
    question: &QuestionV1,
) -> Result<(Answer, bool), AnswerError> {
    let QuestionV1::Search(search) = question else { return Err(SearchError::Empty.into()) };
    let session = context.session;
    let system = CancellableSystem::new(session.system(), context.watch);
    let found = session.install(|| search_question(&system, session.config(), search));
    // What was made of refused calls is no answer, and no error either.
    if context.watch.is_cancelled() {
        return Err(MapError::Stopped.into());
    }
    let found = found?;
    Ok((finish(session, question, &found), found.is_empty()))
}

/// A question as the use case takes it.
pub fn request_of(question: &SearchQuestionV1) -> SearchRequest {
    SearchRequest {
        patterns: question.patterns.clone(),
        paths: question.paths.clone(),
        ignore_case: question.ignore_case,
        word: question.word,
        fixed: question.fixed,
        globs: question.glob.clone(),
        languages: question.language.clone(),
        within: question.within.map(|within| match within {
            WithinV1::Code => Within::Code,
            WithinV1::Comments => Within::Comments,
            WithinV1::Strings => Within::Strings,
        }),
        before: question.before.unwrap_or(0),
        after: question.after.unwrap_or(0),
    }
}

/// The whole text, with its first line.
fn finish(session: &Session<'_>, question: &QuestionV1, found: &Searched) -> Answer {
    let budget = budget_of(question);
    let (head, body) = found.text(budget.saturating_sub(FRAME_TOKENS));
    // The pattern is in it, as whoever asked wrote it.
    let text = format!("{}\n{}", escape_invisible(&head), cut(&body, budget));
    let root = session.config().root.to_string_lossy();
    let notices = match found {
        Searched::Hits(report) => report.notices.clone(),
        Searched::Places(_) | Searched::Names(_) => Vec::new(),
    };
    Answer { notices, ..seal(&root, question.clone(), &text, found.files(), found.searched()) }
}
