//! The chart: the map as text for a reader with a token budget.
//!
//! Folders have a line each, and so do files shown in detail; files that are only named share the
//! line of their folder. Each shown folder counts the files that are not shown. The content comes
//! from a list of strokes, most important first: the chart is the longest prefix of the list whose
//! text fits the budget, counted with the reader's own tokenizer. So a chart never exceeds its
//! budget, whatever the repository looks like, and a larger budget only adds to it.

mod fit;
mod line;
mod plan;
mod render;
mod tree;

use std::collections::BTreeMap;

use portolan_types::{FileId, KindMask};

pub use fit::{LEAST_BUDGET, chart};
pub use line::LEGEND;
pub(crate) use line::{sign_of, written};

/// A file of the chart.
#[derive(Clone, Copy, Debug)]
pub struct ChartFile<'a> {
    /// Its path from the root.
    pub path: &'a str,
    /// Its size in tokens; 0 if it is not text.
    pub tokens: u32,
    /// Whether it is code.
    pub is_code: bool,
    /// Whether it makes its folder a package.
    pub is_manifest: bool,
}

/// How much of a file is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing: it is only counted on the line of a folder.
    #[default]
    Folded,
    /// Its name, on the line of its folder.
    Named,
    /// A line with its name and its size in tokens.
    Costed,
    /// Also the files it uses.
    Linked,
    /// Also its description and the names it exports.
    Described,
    /// Also the signatures of its exported declarations, one line each.
    Headed,
}

/// Details of files, which the chart requests only if there is room for them. Files are given by
/// their index in the list.
pub trait FileDetails: Sync {
    /// The description of a file.
    fn description(&self, file: FileId) -> Option<&str>;

    /// The names it exports.
    fn names(&self, file: FileId) -> Vec<String>;

    /// The files it uses.
    fn uses(&self, file: FileId) -> Vec<(FileId, KindMask)>;

    /// The paths of files that it uses outside the list: a chart may show only a part of the
    /// repository.
    fn leaves_for(&self, file: FileId) -> Vec<(&str, KindMask)>;

    /// The signatures of its exported declarations, each after its line number. A signature
    /// replaces the entry in `names`.
    fn heads(&self, file: FileId) -> Vec<String>;
}

/// A request for a chart.
#[derive(Clone, Copy)]
pub struct ChartRequest<'a> {
    /// The files, sorted by path.
    pub files: &'a [ChartFile<'a>],
    /// The indexes of the files, most relevant first; each once.
    pub order: &'a [FileId],
    /// How many files at the start of `order` the user named.
    pub asked: usize,
    /// Whether there is a question. Without one, the chart gives an overview of the folders.
    pub has_question: bool,
    /// The token budget.
    pub budget: u64,
    /// Details.
    pub details: &'a dyn FileDetails,
    /// Counts the tokens of a text.
    pub count: &'a (dyn Fn(&str) -> u64 + Sync),
}

/// A chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chart {
    /// The text.
    pub text: String,
    /// Its size in tokens.
    pub tokens: u64,
    /// The indexes of the files that are listed by name, sorted.
    pub listed: Vec<FileId>,
    /// The folders with unlisted files: the number of files counted there, and their tokens. The
    /// root is the empty path.
    pub folded: BTreeMap<String, Folded>,
}

/// The files that a folder's line counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// The number of files.
    pub files: u32,
    /// Their tokens.
    pub tokens: u64,
}
