//! What counts how much.
//!
//! Chosen on two thirds of SWE-bench Lite: a value stays where it helps on both, and most that helped on one third
//! did harm on the other. docs/search.md has the figures.

/// BM25: how soon more of the same word counts no more.
pub(crate) const FILE_K1: f64 = 1.2;
/// BM25: how much longer files are held back.
pub(crate) const FILE_B: f64 = 0.75;
/// The same for declarations.
pub(crate) const PLACE_K1: f64 = 1.2;
/// The same for declarations.
pub(crate) const PLACE_B: f64 = 0.75;
/// A word of a path counts as so many in the text.
pub(crate) const PATH_WORDS: f64 = 3.0;
/// A word of the path, in a declaration of the file.
pub(crate) const PLACE_PATH_WORDS: f64 = 1.0;
/// A word of a declaration's full name.
pub(crate) const NAME_WORDS: f64 = 3.0;
/// A word of the title counts as so many in the rest.
pub(crate) const TITLE: f64 = 3.0;
/// A word counts at most so often.
pub(crate) const MOST_OFTEN: f64 = 4.0;
/// A file that the text names, in parts of the best score.
pub(crate) const NAMED_FILE: f64 = 0.3;
/// A module that the text names.
pub(crate) const NAMED_MODULE: f64 = 0.15;
/// A file of a stack frame; the innermost frame counts most.
pub(crate) const FRAME_FILE: f64 = 0.4;
/// A function of a stack frame.
pub(crate) const FRAME_PLACE: f64 = 0.2;
/// Each frame further out counts so much of the one before.
pub(crate) const FRAME_DECAY: f64 = 0.7;
/// A file with a message of the text in it.
pub(crate) const MESSAGE_FILE: f64 = 0.2;
/// A declaration with a message of the text in it.
pub(crate) const MESSAGE_PLACE: f64 = 0.5;
/// A file that declares a name of the text.
pub(crate) const DECLARING_FILE: f64 = 0.1;
/// Fusion: how much the first ranks differ; less is more.
pub(crate) const FUSION: f64 = 60.0;
/// So many declarations take part in the fusion.
pub(crate) const MOST_PLACES: usize = 800;
