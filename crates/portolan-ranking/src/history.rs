//! What earlier commits tell: a file that changed for a like reason is likely to change again.

use std::collections::BTreeMap;

use crate::bm25::{Counts, FileStatistics, saturated};
use crate::task::{Task, TaskTerm};
use crate::terms::TermCounts;

/// The most commits that count: by the title of a task, and by all of its sentences.
const MOST_COMMITS: usize = 100;
/// A word of the sentences counts at most so often.
const MOST_OFTEN: f64 = 3.0;

/// How much the message of a commit is like a task; 1 is the best there is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommitScore {
    /// The number of the commit.
    pub commit: usize,
    /// By the words of the title.
    title: f64,
    /// By the words of the title and of the sentences.
    sentences: f64,
}

/// The commits whose messages are most like a task, in their order.
pub fn rank_commits(task: &Task, messages: &[TermCounts]) -> Vec<CommitScore> {
    let counted: Vec<Counts> = messages
        .iter()
        .map(|message| message.counts.iter().map(|(number, count)| (*number, f64::from(*count))))
        .map(Iterator::collect)
        .collect();
    let words = messages.iter().map(|message| u64::from(message.length)).sum();
    let statistics = FileStatistics::new(task, &counted, words);
    let scores = |weight: &dyn Fn(&TaskTerm) -> f64| -> Vec<(usize, f64)> {
        let each = messages.iter().zip(&counted).map(|(message, counts)| {
            let length = f64::from(message.length);
            let part = |count| saturated(count, length, statistics.mean);
            statistics.parts(task, counts, weight, part).map(|(_, part)| part).sum::<f64>()
        });
        let mut scores: Vec<(usize, f64)> =
            each.enumerate().filter(|(_, score)| *score > 0.0).collect();
        scores.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
        scores.truncate(MOST_COMMITS);
        let best = scores.first().map_or(1.0, |(_, score)| *score);
        scores.into_iter().map(|(commit, score)| (commit, score / best)).collect()
    };
    let mut found: BTreeMap<usize, CommitScore> = BTreeMap::new();
    for (commit, title) in scores(&|term| term.title) {
        found.insert(commit, CommitScore { commit, title, sentences: 0.0 });
    }
    for (commit, sentences) in scores(&|term| (term.title + term.prose).min(MOST_OFTEN)) {
        let new = CommitScore { commit, ..CommitScore::default() };
        found.entry(commit).or_insert(new).sentences = sentences;
    }
    found.into_values().collect()
}

/// How much earlier commits speak for each file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileHistory {
    of_files: BTreeMap<usize, (f64, f64)>,
}

impl FileHistory {
    /// Adds a commit and the files that it changed, by their numbers. One that changed many says less of each.
    pub fn add(&mut self, score: &CommitScore, files: &[usize]) {
        let share = (files.len().max(1) as f64).sqrt();
        for file in files {
            let (title, sentences) = self.of_files.entry(*file).or_default();
            *title = title.max(score.title / share);
            *sentences = sentences.max(score.sentences / share);
        }
    }

    /// By the title of the task.
    pub(crate) fn title(&self, file: usize) -> f64 {
        self.of_files.get(&file).map_or(0.0, |(title, _)| *title)
    }

    /// By its title and its sentences.
    pub(crate) fn sentences(&self, file: usize) -> f64 {
        self.of_files.get(&file).map_or(0.0, |(_, sentences)| *sentences)
    }
}

#[cfg(test)]
mod tests {
    use super::{FileHistory, rank_commits};
    use crate::task::Task;
    use crate::terms::TermIndex;

    #[test]
    fn a_commit_like_the_task_speaks_for_its_files() {
        let task = Task::new("Escaping of quotes\n\nIt breaks in the shell.");
        let index = TermIndex::new(&task);
        let messages = ["Escape quotes", "Update the shell", "Unrelated"];
        let counts: Vec<_> = messages.iter().map(|text| index.count(text.as_bytes())).collect();
        let ranked = rank_commits(&task, &counts);
        let commits: Vec<usize> = ranked.iter().map(|score| score.commit).collect();
        assert_eq!(commits, [0, 1]);
        let mut history = FileHistory::default();
        history.add(&ranked[0], &[7]);
        history.add(&ranked[1], &[8, 9, 10, 11]);
        assert!((history.title(7) - 1.0).abs() < 1e-9 && history.title(8) <= 0.0);
        assert!(history.sentences(7) > history.sentences(8) && history.sentences(8) > 0.0);
        assert!(history.sentences(1) <= 0.0);
    }

    #[test]
    fn no_commits_say_nothing() {
        assert!(rank_commits(&Task::new("a task"), &[]).is_empty());
    }
}
