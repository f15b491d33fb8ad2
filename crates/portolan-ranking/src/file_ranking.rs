//! How much each file matters to a question.
//!
//! What was asked for counts most; then the words of the task, found in paths, declared names and text
//! (BM25F); then closeness in the graph, since what a change touches is connected; then what a file is
//! in itself (used by many, a test, a document). No model and no chance: the same question always gives
//! the same order.

mod corpus;
mod covering;
mod edit_ranking;
#[cfg(test)]
mod fixture;
pub mod index;
mod rank;
mod score;
mod spread;
mod task;
mod weights;
pub mod words;

pub use corpus::{Candidate, Corpus};
pub use covering::{Change, Covering, covering};
pub use index::{Field, FileWords, Known, WordIndex};
pub use rank::{FileRanking, Question, rank};
pub use weights::FileWeights;
