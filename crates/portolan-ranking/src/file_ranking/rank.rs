//! The order of files for a question.
//!
//! The score separates files that are far apart: a neighbour of a good file is good. Which files a task will change is
//! better predicted by `edit_ranking.rs`, so its best files come first, and all others follow by score.

use super::corpus::Corpus;
use super::edit_ranking::{EditRankingWeights, EditTask, likely_by};
use super::index::WordIndex;
use super::score::evidence;
use super::spread::step;
use super::task;
use super::weights::FileWeights;
use portolan_types::FileId;

/// What a reader wants to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// What the reader wants to do, in words; may be empty.
    pub task: &'a str,
    /// How much each file was asked for by name, 0 for not at all; empty where none was.
    pub asked: &'a [f64],
    /// Earlier commits, each as its files.
    pub commits: &'a [Vec<FileId>],
}

/// How many files come first by how likely a task is to change them.
const LIKELIEST: usize = 60;

/// The score of each file, and their order.
#[derive(Clone, Debug, Default)]
pub struct FileRanking {
    /// Of each file, from 0 to about 1; above it for what was asked for.
    pub scores: Vec<f64>,
    /// The places of the files, most interesting first.
    pub order: Vec<FileId>,
    /// Whether any file has a word of the task.
    pub is_met: bool,
}

/// Ranks the files of a corpus.
pub fn rank(
    corpus: &Corpus<'_>,
    index: &WordIndex,
    question: &Question<'_>,
    settings: &FileWeights,
) -> FileRanking {
    let (title, scope, pair) = (settings.title, settings.scope, settings.pair);
    let terms = task::terms(question.task, task::Weights { title, scope, pair });
    let found = evidence(corpus, index, &terms, settings);
    let mut scores = found.scores.clone();
    normalize(&mut scores);
    let factors: Vec<f64> =
        (0..corpus.files.len()).map(|at| factor(corpus, at, settings)).collect();
    for (at, score) in scores.iter_mut().enumerate() {
        *score = *score * factors[at] + question.asked.get(at).copied().unwrap_or(0.0);
    }
    let from_users = step(&scores, &corpus.users, &corpus.uses);
    let from_used = step(&scores, &corpus.uses, &corpus.users);
    let folders = folder_means(corpus, &scores);
    let near = |at: usize| {
        let twin = corpus.twins[at].map_or(0.0, |twin| scores[twin.index()]);
        settings.from_users * from_users[at]
            + settings.from_used * from_used[at]
            + settings.twin * twin
            + settings.folder * folders[at]
    };
    let own = |at: usize| {
        settings.importance * (1.0 + corpus.users.degree(at)).ln()
            + settings.length * (1.0 + f64::from(corpus.files[at].tokens) / 500.0).ln()
    };
    let all = 0..corpus.files.len();
    let scores: Vec<f64> =
        all.map(|at| rounded(scores[at] + (near(at) + own(at)) * factors[at])).collect();
    let mut order: Vec<FileId> = FileId::first(scores.len()).collect();
    order.sort_by(|left, right| {
        scores[right.index()].total_cmp(&scores[left.index()]).then(left.cmp(right))
    });
    let is_met = found.weights.iter().any(|weight| *weight > 0.0);
    if is_met {
        let is_asked = |at: &FileId| question.asked.get(at.index()).is_some_and(|it| *it > 0.0);
        let asked: Vec<FileId> = order.iter().copied().take_while(is_asked).collect();
        let it = EditTask { task: question.task, asked: &asked, commits: question.commits };
        let most = LIKELIEST + asked.len();
        let weights = &EditRankingWeights::NAMES_ONLY;
        let likely = likely_by(corpus, &terms, &found, &it, settings, weights, most);
        put_first(&mut order, &asked, &likely.order);
    }
    FileRanking { scores, order, is_met }
}

/// Puts what was asked for first, then what is likely; all others keep their order.
fn put_first(order: &mut [FileId], asked: &[FileId], likely: &[FileId]) {
    let mut places = vec![usize::MAX; order.len()];
    for (place, at) in likely.iter().enumerate() {
        places[at.index()] = place + 1;
    }
    for at in asked {
        places[at.index()] = 0;
    }
    order.sort_by_key(|at| places[at.index()]);
}

/// Far digits depend on the machine's logarithm: they decide nothing.
fn rounded(score: f64) -> f64 {
    (score * 1e9).round() / 1e9
}

fn normalize(scores: &mut [f64]) {
    let most = scores.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        for score in scores {
            *score /= most;
        }
    }
}

pub(super) fn factor(corpus: &Corpus<'_>, at: usize, settings: &FileWeights) -> f64 {
    let category = corpus.categories[at].map_or(1.0, |at| settings.categories[usize::from(at)]);
    if corpus.files[at].is_code { category } else { category * settings.other }
}

/// The mean score of the best files of each file's folder.
fn folder_means(corpus: &Corpus<'_>, scores: &[f64]) -> Vec<f64> {
    let mut means = vec![0.0; scores.len()];
    for group in &corpus.folders {
        let mut best: Vec<f64> = group.iter().map(|at| scores[at.index()]).collect();
        best.sort_by(|left, right| right.total_cmp(left));
        best.truncate(3);
        let mean = best.iter().sum::<f64>() / 3.0;
        for at in group {
            means[at.index()] = mean;
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::{FileWeights, Question, rank};
    use crate::file_ranking::fixture::{File, commits_of, corpus_of};

    const FILES: &[File] = &[
        ("a/other.ts", "nothing", &[]),
        ("b/upload.ts", "upload a file", &[]),
        ("c/plain.ts", "nothing", &[]),
        ("d/table.ts", "nothing", &[]),
    ];

    #[track_caller]
    fn check(asked: &[f64], commits: &[&[u32]], expected: &str) {
        let commits = &commits_of(commits);
        let (corpus, index) = corpus_of(FILES);
        let question = Question { task: "retry an upload", asked, commits };
        let found = rank(&corpus, &index, &question, &FileWeights::default());
        let order: Vec<&str> = found.order.iter().map(|at| FILES[at.index()].0).collect();
        assert_eq!(order.join(" "), expected);
    }

    #[test]
    fn what_changed_with_the_files_of_the_words_comes_after_them() {
        check(&[], &[], "b/upload.ts a/other.ts c/plain.ts d/table.ts");
        let commits: [&[u32]; 2] = [&[1, 3], &[1, 3]];
        check(&[], &commits, "b/upload.ts d/table.ts a/other.ts c/plain.ts");
    }

    #[test]
    fn what_was_asked_for_stays_first() {
        check(&[0.0, 0.0, 4.0], &[], "c/plain.ts b/upload.ts a/other.ts d/table.ts");
    }
}
