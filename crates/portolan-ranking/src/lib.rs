//! Ranking: which places of a repository a task in words is about, and what to show within a budget.
//!
//! BM25 over declarations and over files, of the whole text, of its title and of its sentences, with what the text names:
//! paths, stack frames and members. Two linear models with fixed weights add it up. [`Task`] reads the text, [`TermIndex`]
//! counts its words in files and in the messages of commits, [`rank_files`] says which files are worth parsing, and [`rank_places`] orders their
//! declarations. [`choose_passages`] says which parts of files a pack shows. [`file_ranking`] ranks whole files for charts and packs.
//!
//! Pure: words and a graph in, scores out. No language model and no chance: the same question gives the same order.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]
#![expect(clippy::cast_precision_loss, reason = "counts of words are far below 2^52")]

mod bm25;
mod evidence;
pub mod file_ranking;
mod history;
mod passages;
mod places;
mod task;
mod terms;
mod weights;
mod words;

pub use bm25::FileStatistics;
pub use history::{CommitScore, FileHistory, rank_commits};
pub use passages::{Passage, PassageFile, choose_passages};
pub use places::{
    FIRST_PLACES, FileDocument, PlaceDocument, PlaceRanking, PlaceScore, RankedFile, RankedFiles,
    RankedPlace, rank_files, rank_places,
};
pub use task::{PathMention, Task, TaskTerm, calls};
pub use terms::{TermCounts, TermIndex, TermPositions};
pub use words::word_parts;
