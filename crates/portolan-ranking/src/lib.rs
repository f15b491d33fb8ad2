//! Ranking: which places of a repository a task in words is about.
//!
//! BM25 over declarations and BM25 over files, fused by reciprocal ranks; paths, names, stack frames and error messages in
//! the text are votes. Nothing here reads a file: whoever asks hands over the words that were counted.
//!
//! [`Task`] reads the text, [`TermIndex`] counts its words in files, [`rank_files`] says which files are score_passages
//! parsing, and [`rank_places`] orders their declarations.

mod bm25;
mod places;
mod task;
mod terms;
mod weights;
mod words;

pub use bm25::FileStatistics;
pub use places::{rank_files, rank_places, FileDocument, PlaceDocument, RankedFile, RankedPlace};
pub use task::{PathMention, Task, TaskTerm};
pub use terms::{TermCounts, TermIndex, TermPositions};
pub use words::word_parts;
