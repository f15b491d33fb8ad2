//! What counts how much.
//!
//! The two lists are linear models. They were fitted by gradient descent on the tasks of SWE-bench Lite (`xtask/locate-fit`): on some
//! projects, judged on the others, and then on all. A signal is in a list only if leaving it out cost something on projects
//! that it was not fitted on. docs/search.md has the figures.

/// The weight of a word of a path; in the text of a file it is 1.
pub(crate) const PATH_WORDS: f64 = 3.0;
/// A word of the path, in a declaration of the file.
pub(crate) const PLACE_PATH_WORDS: f64 = 1.0;
/// A word of a declaration's full name.
pub(crate) const NAME_WORDS: f64 = 3.0;
/// The weight of a word of the title; in the rest of a task it is 1.
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

/// A commit like the task brings a file among those that are parsed as if it had so much of the best words.
pub(crate) const COMMIT_FOR_PARSING: f64 = 0.3;

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
    /// The text names the file.
    pub(crate) named: f64,
    /// It is in a stack frame; the innermost counts most.
    pub(crate) frame: f64,
    /// The best of its declarations.
    pub(crate) best: f64,
    /// The text names a class of it.
    pub(crate) holder: f64,
    /// The words of the best files in its folder.
    pub(crate) folder: f64,
    /// A commit changed it whose message is like the title.
    pub(crate) commit_title: f64,
    /// A commit changed it whose message is like the sentences.
    pub(crate) commit_prose: f64,
    /// It is a test.
    pub(crate) test: f64,
}

impl FileSignals {
    pub(crate) fn score(&self) -> f64 {
        2.5 * self.title
            + 1.8 * self.prose
            + 1.2 * self.path
            + 1.7 * self.named
            + 0.3 * self.frame
            + 2.7 * self.best
            + 0.4 * self.holder
            + 1.2 * self.folder
            + 1.2 * self.commit_title
            + 1.05 * self.commit_prose
            - 1.5 * self.test
    }
}

/// What speaks for a declaration.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlaceSignals {
    /// BM25 of its words, those of its name and of its path.
    pub(crate) words: f64,
    /// BM25 of its code, by how rare words are among declarations.
    pub(crate) code: f64,
    /// The same of its documentation: what is described there often works.
    pub(crate) documentation: f64,
    /// The words in its full name.
    pub(crate) name: f64,
    /// How many different words it has.
    pub(crate) covered: f64,
    /// How many of those of the title.
    pub(crate) covered_title: f64,
    /// The text has `Holder.name`.
    pub(crate) qualified: f64,
    /// A function that the text names calls it; less where many have its name.
    pub(crate) called: f64,
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
        1.15 * self.words + 2.1 * self.code - 0.7 * self.documentation
            + 1.55 * self.name
            + 1.7 * self.covered
            + 1.6 * self.covered_title
            + 1.0 * self.qualified
            + 1.35 * self.called
            + 0.95 * self.frame
            + 1.5 * self.length
            - 1.9 * self.value
            + 0.52 * self.file
    }
}
