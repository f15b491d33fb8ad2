//! BM25 (Robertson and Zaragoza), over counts.

use crate::task::Task;

/// What is known of all files: how rare each word of a task is, and how long files are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileStatistics {
    /// The weight of each word: what it counts in the task, times how rare it is.
    pub(crate) weights: Vec<f64>,
    /// The mean length.
    pub(crate) mean: f64,
}

impl FileStatistics {
    /// From the number of files with each word, the number of files, and the sum of their lengths.
    pub(crate) fn new(task: &Task, having: &[u32], files: usize, words: u64) -> Self {
        let all = files as f64;
        let each = task.terms.iter().zip(having);
        let weights = each.map(|(term, having)| {
            let having = f64::from(*having);
            term.weight * (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
        });
        Self { weights: weights.collect(), mean: words as f64 / all.max(1.0) }
    }

    /// The weight of each word of the task, in the order of its words.
    pub fn word_weights(&self) -> &[f64] {
        &self.weights
    }
}

/// How much a word that stands so often in a text of this length counts.
pub(crate) fn saturated(count: f64, length: f64, mean: f64, k1: f64, b: f64) -> f64 {
    let relative = if mean > 0.0 { length / mean } else { 1.0 };
    count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * relative))
}
