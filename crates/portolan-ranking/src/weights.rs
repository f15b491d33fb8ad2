//! What counts how much.
//!
//! The two lists are linear models. They were fitted by gradient descent on the tasks of SWE-bench Lite: on one half, judged
//! on the other, and then on both. A signal is in a list only if leaving it out cost something on the half that it was not fitted on.
//! docs/search.md has the figures.

/// A word of a path counts as so many in the text of its file.
pub(crate) const PATH_WORDS: f64 = 3.0;
/// A word of the path, in a declaration of the file.
pub(crate) const PLACE_PATH_WORDS: f64 = 1.0;
/// A word of a declaration's full name.
pub(crate) const NAME_WORDS: f64 = 3.0;
/// A word of the title counts as so many in the rest.
pub(crate) const TITLE: f64 = 3.0;
/// A word counts at most so often.
pub(crate) const MOST_OFTEN: f64 = 4.0;
/// In the title alone, or in the sentences alone, it counts at most so often.
pub(crate) const MOST_OFTEN_IN_PART: f64 = 3.0;
/// Each frame further out counts so much of the one before.
pub(crate) const FRAME_DECAY: f64 = 0.7;
/// What it adds to the evidence for a declaration that the text names it, or that one of its frames leads to it.
pub(crate) const NAMED_EVIDENCE: f64 = 0.4;
/// What a message of the text that stands in it adds.
pub(crate) const MESSAGE_EVIDENCE: f64 = 0.4;
/// The length of a declaration is its logarithm in parts of this.
pub(crate) const LENGTH: f64 = 8.0;

/// What speaks for a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FileSignals {
    /// BM25 of its words and those of its path.
    pub(crate) words: f64,
    /// The same for the words of the title.
    pub(crate) title: f64,
    /// The same for the words of the sentences: code and stack traces are left out.
    pub(crate) prose: f64,
    /// The words in its path.
    pub(crate) path: f64,
    /// How many words of the title it has.
    pub(crate) covered_title: f64,
    /// The text names the file.
    pub(crate) named: f64,
    /// It is in a stack frame; the innermost counts most.
    pub(crate) frame: f64,
    /// The best of its declarations.
    pub(crate) best: f64,
    /// The mean of its three best.
    pub(crate) best_three: f64,
    /// The text names a class of it.
    pub(crate) holder: f64,
}

impl FileSignals {
    pub(crate) fn score(&self) -> f64 {
        1.2 * self.words
            + 1.8 * self.title
            + 1.9 * self.prose
            + 1.4 * self.path
            + 1.3 * self.covered_title
            + 1.6 * self.named
            + 0.3 * self.frame
            + 1.8 * self.best
            + 1.6 * self.best_three
            + 0.8 * self.holder
    }
}

/// What speaks for a declaration.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlaceSignals {
    /// BM25 of its words, those of its name and of its path.
    pub(crate) words: f64,
    /// The same for the words of the title, without the path.
    pub(crate) title: f64,
    /// The same for the words of the sentences.
    pub(crate) prose: f64,
    /// The words in its full name.
    pub(crate) name: f64,
    /// The words of the title in its own name.
    pub(crate) own_title: f64,
    /// How many different words it has.
    pub(crate) covered: f64,
    /// How many of those of the title.
    pub(crate) covered_title: f64,
    /// The text has `Holder.name`.
    pub(crate) qualified: f64,
    /// It is in a stack frame; the innermost counts most.
    pub(crate) frame: f64,
    /// Its length: more code, more to change.
    pub(crate) length: f64,
    /// It is a value or a type, and no code that runs.
    pub(crate) value: f64,
    /// The score of its file, 0 for the best.
    pub(crate) file: f64,
}

impl PlaceSignals {
    pub(crate) fn score(&self) -> f64 {
        1.8 * self.words
            + 0.6 * self.title
            + 1.2 * self.prose
            + 1.2 * self.name
            + 0.4 * self.own_title
            + 2.1 * self.covered
            + 1.0 * self.covered_title
            + 1.0 * self.qualified
            + 1.5 * self.frame
            + 2.4 * self.length
            - 2.1 * self.value
            + 0.5 * self.file
    }
}
