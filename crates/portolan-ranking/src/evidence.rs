//! How much of what a task names a declaration has.
//!
//! A rank only says what comes before what; the first of a list may still have nothing to do with the task. Evidence
//! is the share of the task's words, each by how rare it is, that a declaration has. Words that say what to do and not
//! where (`fix`, `improve`, `test`) are no evidence.

use std::collections::BTreeSet;

use crate::bm25::FileStatistics;
use crate::task::Task;
use crate::words::stem_length;

/// Words that say what to do, not where.
const DOING: &[&str] = &[
    "add",
    "allow",
    "also",
    "avoid",
    "bad",
    "better",
    "big",
    "bug",
    "bugs",
    "build",
    "builds",
    "bump",
    "change",
    "changed",
    "changes",
    "clean",
    "cleanup",
    "code",
    "correct",
    "correctly",
    "crash",
    "crashes",
    "dependencies",
    "dependency",
    "ensure",
    "error",
    "errors",
    "expected",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "fast",
    "faster",
    "feature",
    "fix",
    "fixed",
    "fixes",
    "fixing",
    "fixup",
    "flaky",
    "good",
    "handle",
    "handling",
    "implement",
    "improve",
    "improved",
    "improvement",
    "improvements",
    "improves",
    "incorrect",
    "issue",
    "issues",
    "little",
    "make",
    "makes",
    "minor",
    "misc",
    "missing",
    "more",
    "new",
    "nit",
    "optimise",
    "optimize",
    "performance",
    "please",
    "polish",
    "problem",
    "quality",
    "quick",
    "quickly",
    "readability",
    "refactor",
    "refactoring",
    "refine",
    "remove",
    "removed",
    "rename",
    "rewrite",
    "simple",
    "simplify",
    "slightly",
    "slow",
    "small",
    "some",
    "speed",
    "stuff",
    "support",
    "test",
    "tests",
    "things",
    "tidy",
    "typo",
    "typos",
    "unexpected",
    "unused",
    "up",
    "update",
    "updated",
    "updates",
    "upgrade",
    "various",
    "version",
    "warning",
    "warnings",
    "work",
    "working",
    "works",
    "wrong",
];

/// The words of a task that are evidence, by their weights.
pub(crate) struct TaskEvidence {
    weights: Vec<f64>,
    total: f64,
}

impl TaskEvidence {
    pub(crate) fn new(task: &Task, statistics: &FileStatistics) -> Self {
        // The words of a task are stems.
        let stem = |word: &'static str| &word[..stem_length(word.as_bytes())];
        let doing: BTreeSet<&str> = DOING.iter().map(|word| stem(word)).collect();
        let each = task.terms.iter().zip(statistics.word_weights(task));
        let weights: Vec<f64> = each
            .map(|(term, weight)| if doing.contains(term.word.as_str()) { 0.0 } else { weight })
            .collect();
        let total = weights.iter().sum();
        Self { weights, total }
    }

    /// The share of the task that some of its words are.
    pub(crate) fn share(&self, words: impl Iterator<Item = u16>) -> f64 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let found = words.filter_map(|number| self.weights.get(usize::from(number)));
        found.sum::<f64>() / self.total
    }
}

#[cfg(test)]
mod tests {
    use super::{DOING, TaskEvidence};
    use crate::bm25::{Counts, FileStatistics};
    use crate::task::Task;

    fn share(text: &str, having: &[u32], words: &[&str]) -> f64 {
        let task = Task::new(text);
        // A hundred files, of which so many have each word.
        let files: Vec<Counts> = (0..100u32)
            .map(|file| {
                let has = (0u16..).zip(having).filter(|(_, having)| file < **having);
                has.map(|(number, _)| (number, 1.0)).collect()
            })
            .collect();
        let statistics = FileStatistics::new(&task, &files, 1_000);
        let number = |word: &&str| {
            (0u16..).zip(&task.terms).find(|(_, term)| term.word == **word).map(|(at, _)| at)
        };
        TaskEvidence::new(&task, &statistics).share(words.iter().filter_map(number))
    }

    #[test]
    fn words_that_say_what_to_do_are_no_evidence() {
        assert!(DOING.is_sorted());
        assert!(share("fix typo", &[3, 1], &["fix", "typo"]) <= 0.0);
        assert!(share("fix parser", &[3, 1], &["parser"]) >= 1.0);
        // Words of a task are stems, and these words are written in full.
        for text in
            ["improve performance", "fix warnings", "small improvements", "update dependencies"]
        {
            let words: Vec<String> = Task::new(text).terms.into_iter().map(|it| it.word).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            assert!(share(text, &[3, 1], &words) <= 0.0, "{text}");
        }
    }

    #[test]
    fn rare_words_are_more_evidence_than_common_ones() {
        let rare = share("lexer parser", &[1, 90], &["lexer"]);
        let common = share("lexer parser", &[1, 90], &["parser"]);
        assert!(rare > 0.9 && common < 0.1, "{rare} {common}");
    }
}
