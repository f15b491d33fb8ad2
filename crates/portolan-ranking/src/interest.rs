//! How much each file matters to a question.
//!
//! What was asked for counts most; then the words of the task, found in paths, declared names and text
//! (BM25F); then closeness in the graph, since what a change touches is connected; then what a file is
//! in itself (used by many, a test, a document). No model and no chance: the same question always gives
//! the same order.

mod choice;
mod covering;
#[cfg(test)]
mod fixture;
pub mod index;
mod edit_ranking;
mod passages;
mod rank;
mod score;
mod settings;
mod spread;
mod task;
mod corpus;
pub mod words;

pub use choice::{choose, FileCandidate, PassageCandidate};
pub use covering::{covering, Change, Covering};
pub use index::{Field, FileWords, Known, WordIndex};
pub use edit_ranking::{rank_edits, EditRanking, EditRankingWeights, EditTask, RankingReason};
pub use passages::{score_passages, Passage, PassageContext, PassageScore, PassageWeights};
pub use rank::{rank, Interest, Question};
pub use settings::InterestSettings;
pub use corpus::{Candidate, Corpus};
