//! The chart: the Map as text for a reader with a budget.
//!
//! Folders are lines, and so are the files that are shown in detail; files that are only named stand on
//! the line of their folder. Every folder that is shown counts what of it is not. What is shown comes from a
//! list of strokes, most wanted first: the chart is the longest beginning of the list whose text fits the
//! budget, counted with the reader's own tokenizer. So it never exceeds the budget, whatever the
//! repository looks like, and more budget only ever adds.

mod fit;
mod line;
mod plan;
mod render;
mod tree;

use std::collections::BTreeMap;

use portolan_types::KindMask;

pub use fit::{LEAST_BUDGET, chart};
pub use line::LEGEND;
pub(crate) use line::{sign_of, written};

/// A file of the chart.
#[derive(Clone, Copy, Debug)]
pub struct ChartFile<'a> {
    /// Its path from the root.
    pub path: &'a str,
    /// What it costs to read; 0 for what is no text.
    pub tokens: u32,
    /// Whether it is code.
    pub is_code: bool,
    /// Whether it makes its folder a package.
    pub is_manifest: bool,
}

/// How much is shown of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It is counted on the line of a folder.
    #[default]
    Folded,
    /// Its name, on the line of its folder.
    Named,
    /// A line with its name and cost.
    Costed,
    /// And the files it uses.
    Linked,
    /// And what it is for and the names it exports.
    Described,
    /// And, a line each, the heads of what it declares for others.
    Headed,
}

/// What more there is to say of files, asked for only where there is room for it. Files are meant by
/// their places in the list.
pub trait FileDetails: Sync {
    /// What a file is for.
    fn description(&self, file: u32) -> Option<&str>;

    /// The names it exports.
    fn names(&self, file: u32) -> Vec<String>;

    /// The files it uses.
    fn uses(&self, file: u32) -> Vec<(u32, KindMask)>;

    /// The files of the repository that it uses and that are not in the list: a chart may be of a part. By path.
    fn leaves_for(&self, file: u32) -> Vec<(&str, KindMask)>;

    /// The heads of what it declares for others, each after its line: what `names` has no more than the names of.
    fn heads(&self, file: u32) -> Vec<String>;
}

/// What a chart is drawn from.
#[derive(Clone, Copy)]
pub struct ChartRequest<'a> {
    /// The files, sorted by path.
    pub files: &'a [ChartFile<'a>],
    /// Their places, most interesting first; each once.
    pub order: &'a [u32],
    /// How many of the first were asked for by name.
    pub asked: usize,
    /// Whether there is a question at all: without one the chart is a roll-up of the folders.
    pub has_question: bool,
    /// The most tokens.
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
    /// What it costs.
    pub tokens: u64,
    /// The places of the files that are listed by name, sorted.
    pub listed: Vec<u32>,
    /// The folders with something that is not listed: how many files below it are counted there, and
    /// their tokens. The root is the empty path.
    pub folded: BTreeMap<String, Folded>,
}

/// What a folder's line counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// How many files.
    pub files: u32,
    /// What they cost to read.
    pub tokens: u64,
}
