//! BM25 (Robertson and Zaragoza), over counts.

use std::collections::BTreeMap;

use crate::task::{Task, TaskTerm};

/// How soon more of the same word counts no more.
const K1: f64 = 1.2;
/// How much longer texts are held back.
const B: f64 = 0.75;

/// How often words stand in a text, by their numbers in the task.
pub(crate) type Counts = BTreeMap<u16, f64>;

/// What is known of all files: how rare each word of a task is, and how long files are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileStatistics {
    /// How rare each word is.
    pub(crate) rarity: Vec<f64>,
    /// The mean length.
    pub(crate) mean: f64,
}

impl FileStatistics {
    /// From the counts of each file, and the sum of their lengths.
    pub(crate) fn new(task: &Task, files: &[Counts], words: u64) -> Self {
        let mut having = vec![0u32; task.terms.len()];
        for number in files.iter().flat_map(BTreeMap::keys) {
            if let Some(having) = having.get_mut(usize::from(*number)) {
                *having += 1;
            }
        }
        let all = files.len() as f64;
        let rarity = having.into_iter().map(|having| {
            let having = f64::from(having);
            (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
        });
        Self { rarity: rarity.collect(), mean: words as f64 / all.max(1.0) }
    }

    /// What each word of a text is worth in the task, by some weight: weight times rarity times `part` of its count.
    pub(crate) fn parts<'c>(
        &'c self,
        task: &'c Task,
        counts: &'c Counts,
        weight: impl Fn(&TaskTerm) -> f64 + 'c,
        part: impl Fn(f64) -> f64 + 'c,
    ) -> impl Iterator<Item = (u16, f64)> + 'c {
        counts.iter().filter_map(move |(number, count)| {
            let at = usize::from(*number);
            let term = task.terms.get(at)?;
            Some((*number, weight(term) * self.rarity.get(at)? * part(*count)))
        })
    }

    /// The weight of each word of the task, in the order of its words.
    pub fn word_weights(&self, task: &Task) -> Vec<f64> {
        task.terms.iter().zip(&self.rarity).map(|(term, rarity)| term.weight * rarity).collect()
    }
}

/// How much a word counts that stands so often in a text of this length.
pub(crate) fn saturated(count: f64, length: f64, mean: f64) -> f64 {
    let relative = if mean > 0.0 { length / mean } else { 1.0 };
    count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * relative))
}
