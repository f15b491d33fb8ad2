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
mod likely;
mod passages;
mod rank;
mod score;
mod settings;
mod spread;
mod task;
mod terrain;
pub mod words;

pub use choice::{Offer, Shelf, choose};
pub use covering::{Change, Covering, covering};
pub use index::{Field, FileWords, Known, WordIndex};
pub use likely::{Because, Likely, LikelyWeights, Undertaking, likely};
pub use passages::{Passage, PassageWeights, Standing, Worth, worth};
pub use rank::{Interest, Question, rank};
pub use settings::InterestSettings;
pub use terrain::{Candidate, Terrain};
