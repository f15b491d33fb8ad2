//! Problems that a reader found: the path of the value, the position in the text, what was found and what is
//! allowed.

use std::fmt;

use portolan_json::{JsonDocument, SyntaxError, positions};

/// A problem in a text that somebody else wrote.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Line and column from 1, the column in UTF-16 units.
    pub position: Option<(u32, u32)>,
    /// The path of the value, such as `i[3][2]`; empty for the whole text.
    pub path: String,
    /// What was found and what is allowed.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "`{}`: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match self.position {
            Some((line, column)) => write!(f, " (line {line}, column {column})"),
            None => Ok(()),
        }
    }
}

/// A value that could be read, and the parts that were skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialRead<T> {
    /// The value.
    pub value: T,
    /// What was skipped, in source order.
    pub problems: Vec<Problem>,
}

impl From<SyntaxError> for Problem {
    fn from(error: SyntaxError) -> Self {
        let message = format!("not JSON: {}", error.message);
        Self { position: Some(error.position), path: String::new(), message }
    }
}

impl std::error::Error for Problem {}

/// A problem whose position is still an offset.
#[derive(Clone, Debug)]
pub(crate) struct ProblemDraft {
    pub(crate) at: usize,
    pub(crate) path: String,
    pub(crate) message: String,
}

impl ProblemDraft {
    pub(crate) fn new(at: usize, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { at, path: path.into(), message: message.into() }
    }
}

/// Converts drafts to problems in source order.
pub(crate) fn finish(bytes: &[u8], mut drafts: Vec<ProblemDraft>) -> Vec<Problem> {
    drafts.sort_by_key(|draft| draft.at);
    let offsets: Vec<usize> = drafts.iter().map(|draft| draft.at).collect();
    // Drafts exist only for a parsed text, so it is UTF-8.
    let places = positions(std::str::from_utf8(bytes).unwrap_or_default(), &offsets);
    drafts
        .into_iter()
        .zip(places)
        .map(|(draft, place)| Problem {
            position: Some(place),
            path: draft.path,
            message: draft.message,
        })
        .collect()
}

/// The deviations of a document as problems.
pub(crate) fn deviations(document: &JsonDocument<'_>) -> Vec<ProblemDraft> {
    let drafts = document.deviations.iter().map(|(at, deviation)| {
        ProblemDraft::new(*at, "", format!("a {}; JSON has none, so remove it", deviation.name()))
    });
    drafts.collect()
}

/// The path of a member: `n["src/a.ts"]`.
pub(crate) fn member(parent: &str, name: &str) -> String {
    format!("{parent}[{name:?}]")
}
