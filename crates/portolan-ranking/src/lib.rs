//! Ranking: how much a file or a passage matters to a question, and what to show within a budget.
//!
//! Pure: words and a graph in, scores out. No model and no chance: the same question gives the same order.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod interest;
