//! How likely each file is to be changed by a task.
//!
//! The score orders what a reader may want to see; a pack has to know what will be edited, and how sure
//! that is against other files. Two passes: words, names and paths first; then what lies near the best
//! of these (users, what is used, tests, files that changed in the same commits). The weights were fitted
//! on real commits of seven repositories and held on each of them when it was left out; what every signal
//! brings is in `docs/benchmarks-task.md`.

use super::corpus::Corpus;
use super::rank::factor;
use super::score::Evidence;
use super::spread::step;
use super::task::Term;
use super::weights::FileWeights;
use super::words::{compounds, stem};
use portolan_types::FileId;

/// What is asked: the task, what is known to be part of it, and commits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EditTask<'a> {
    /// What is to be done, in words; may be empty.
    pub(super) task: &'a str,
    /// Files that are known to be part of it.
    pub(super) asked: &'a [FileId],
    /// Earlier commits, each as its files.
    pub(super) commits: &'a [Vec<FileId>],
}

/// The files of a corpus by how likely they are to be changed.
#[derive(Clone, Debug, Default)]
pub(super) struct EditRanking {
    /// Their numbers, likeliest first.
    pub(super) order: Vec<FileId>,
}

/// What each signal weighs. Zero leaves it out.
#[derive(Clone, Debug)]
pub(super) struct EditRankingWeights {
    /// All words of a file.
    pub(super) words: f64,
    /// Words of its path.
    pub(super) path: f64,
    /// Words of what it declares.
    pub(super) names: f64,
    /// What the first pass made of it.
    pub(super) first: f64,
    /// What uses it.
    pub(super) users: f64,
    /// What it uses.
    pub(super) used: f64,
    /// Its test, or what it tests.
    pub(super) twin: f64,
    /// Commits that it changed in.
    pub(super) together: f64,
    /// Being a test.
    pub(super) test: f64,
    /// Identifiers of the task that it declares.
    pub(super) identifiers: f64,
    /// Its path in the task.
    pub(super) said: f64,
    /// Its length, as a logarithm: longer files change more often, but cost more to show.
    pub(super) length: f64,
    /// Of the first pass: words, path, names, identifiers, the path in the task, being a test.
    pub(super) seeds: [f64; SEED_SIGNALS],
}

/// How many signals there are.
const SIGNALS: usize = 12;

impl EditRankingWeights {
    /// For somebody who reads names rather than code: fitted to have all that a task changes among the first
    /// twenty, and a long file costs such a reader nothing.
    pub(super) const NAMES_ONLY: Self = Self {
        words: 3.9,
        path: 2.45,
        names: 1.25,
        first: 2.0,
        users: 2.8,
        used: 3.9,
        twin: 0.9,
        together: 5.5,
        test: 0.65,
        identifiers: 0.65,
        said: 2.35,
        length: 0.2,
        seeds: FIRST,
    };

    /// The weights in the order of the signals.
    fn each(&self) -> [f64; SIGNALS] {
        [
            self.words,
            self.path,
            self.names,
            self.first,
            self.users,
            self.used,
            self.twin,
            self.together,
            self.test,
            self.identifiers,
            self.said,
            self.length,
        ]
    }
}

/// How many signals the first pass has.
const SEED_SIGNALS: usize = 6;
/// Weights of the first pass: words, path, names, identifiers, the path in the task, being a test.
const FIRST: [f64; SEED_SIGNALS] = [4.3, 6.0, 2.0, 1.0, 3.0, 0.7];
/// The first pass is scaled around the mean of this many of the best files.
const PIVOT: usize = 8;
/// The number of best files whose co-changes count.
const SEEDS: usize = 20;
/// More than any word can give.
const ASKED: f64 = 100.0;

/// Ranks the files of a corpus by how likely they are to be changed, at most `most`.
pub(super) fn likely_by(
    corpus: &Corpus<'_>,
    terms: &[Term],
    found: &Evidence,
    undertaking: &EditTask<'_>,
    settings: &FileWeights,
    weights: &EditRankingWeights,
    most: usize,
) -> EditRanking {
    let identifiers = identifiers(undertaking.task);
    let own = Own::new(corpus, found, terms, &identifiers, undertaking);
    let first = own.first(&weights.seeds);
    let near = Near::new(corpus, &first, undertaking.commits);
    let signals = |at: usize| {
        [
            own.words[at] * factor(corpus, at, settings),
            own.path[at],
            own.names[at],
            first[at],
            near.users[at],
            near.used[at],
            near.twins[at],
            near.together[at],
            own.test[at],
            own.identifiers[at],
            own.said[at],
            (1.0 + f64::from(corpus.files[at].tokens) / 500.0).ln(),
        ]
    };
    let score = |at: usize| {
        let sum: f64 = signals(at).iter().zip(weights.each()).map(|(it, weight)| it * weight).sum();
        // Far digits depend on the machine's exponential: they decide nothing.
        ((sum + ASKED * own.asked[at]) * 1e9).round() / 1e9
    };
    let scores: Vec<f64> = (0..corpus.files.len()).map(score).collect();
    let mut order: Vec<FileId> = FileId::first(scores.len()).collect();
    order.retain(|at| corpus.files[at.index()].is_code && scores[at.index()] > 0.0);
    order.sort_by(|left, right| {
        scores[right.index()].total_cmp(&scores[left.index()]).then(left.cmp(right))
    });
    order.truncate(most);
    EditRanking { order }
}

/// What a file says by itself.
struct Own {
    words: Vec<f64>,
    path: Vec<f64>,
    names: Vec<f64>,
    identifiers: Vec<f64>,
    said: Vec<f64>,
    test: Vec<f64>,
    asked: Vec<f64>,
}

impl Own {
    fn new(
        corpus: &Corpus<'_>,
        found: &Evidence,
        terms: &[Term],
        identifiers: &[String],
        undertaking: &EditTask<'_>,
    ) -> Self {
        let count = corpus.files.len();
        let most = found.scores.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let total: f64 = found.weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let share = |list: &[f64]| list.iter().map(|score| score / total).collect::<Vec<f64>>();
        let mut asked = vec![0.0; count];
        for at in undertaking.asked {
            asked[at.index()] = 1.0;
        }
        let paths = said_paths(undertaking.task);
        let said = |path: &str| {
            let is_it = |said: &&str| {
                path.strip_suffix(*said).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            };
            f64::from(u8::from(paths.iter().any(is_it)))
        };
        Self {
            words: found.scores.iter().map(|score| score / most).collect(),
            path: share(&found.path),
            names: share(&found.names),
            identifiers: declared(found, terms, identifiers),
            said: corpus.files.iter().map(|file| said(file.path)).collect(),
            test: corpus.categories.iter().map(|it| f64::from(u8::from(*it == Some(0)))).collect(),
            asked,
        }
    }

    /// The first pass: from 0 to 1, one half for a file that is as good as the best few.
    fn first(&self, seeds: &[f64; SEED_SIGNALS]) -> Vec<f64> {
        let score = |at: usize| {
            seeds[0] * self.words[at]
                + seeds[1] * self.path[at]
                + seeds[2] * self.names[at]
                + seeds[3] * self.identifiers[at]
                + seeds[4] * self.said[at]
                + seeds[5] * self.test[at]
        };
        let scores: Vec<f64> = (0..self.words.len()).map(score).collect();
        let mut best = scores.clone();
        best.sort_by(|left, right| right.total_cmp(left));
        best.truncate(PIVOT);
        let pivot = best.iter().sum::<f64>() / f64::from(best.len().max(1) as u32);
        let curve = |(score, asked): (&f64, &f64)| {
            (1.0 / (1.0 + (-2.0 * (score - pivot)).exp())).max(*asked)
        };
        scores.iter().zip(&self.asked).map(curve).collect()
    }
}

/// How many of the identifiers each file declares; one that many declare says little.
fn declared(found: &Evidence, terms: &[Term], identifiers: &[String]) -> Vec<f64> {
    let mut sums = vec![0.0; found.scores.len()];
    for identifier in identifiers {
        let word = as_word(identifier);
        let Ok(term) = terms.binary_search_by(|term| term.word.as_str().cmp(&word)) else {
            continue;
        };
        let files = &found.declaring[term];
        let share = 1.0 / f64::from(files.len().max(1) as u32).sqrt();
        for file in files {
            sums[file.index()] += share;
        }
    }
    sums
}

/// An identifier as the word that the index has for it.
fn as_word(identifier: &str) -> String {
    let lower = identifier.to_lowercase();
    let is_compound = identifier.contains('_')
        || identifier
            .chars()
            .zip(identifier.chars().skip(1))
            .any(|(left, right)| left.is_lowercase() && right.is_uppercase());
    if is_compound { lower.replace('_', "") } else { stem(&lower).to_owned() }
}

/// The identifiers of a task: what is written as code writes names or calls, and names in backquotes.
fn identifiers(task: &str) -> Vec<String> {
    let is_code = |word: &&str| {
        let mut pairs = word.chars().zip(word.chars().skip(1));
        word.trim_matches('_').contains('_')
            || pairs.any(|(left, right)| left.is_lowercase() && right.is_uppercase())
    };
    let quoted = task.split('`').skip(1).step_by(2).filter(|text| text.len() <= 60);
    let names = quoted.filter(|text| !text.contains(char::is_whitespace)).flat_map(compounds);
    // `parse()` is a call, `fix(parse): …` is not.
    let calls = task.match_indices("()").filter_map(|(at, _)| {
        let before = task.get(..at).filter(|text| text.ends_with(is_of_name))?;
        before.rsplit(|c: char| !is_of_name(c)).next()
    });
    let mut found: Vec<String> = compounds(task)
        .filter(is_code)
        .chain(names)
        .chain(calls)
        .filter(|name| name.len() > 2)
        .map(str::to_owned)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What looks like a path of a file in a text.
fn said_paths(task: &str) -> Vec<&str> {
    let is_end = |c: char| c.is_whitespace() || "`'\"()<>[],;:".contains(c);
    let words = task.split(is_end).map(|word| word.trim_end_matches('.'));
    let paths = words.filter(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        name.rsplit_once('.').is_some_and(|(stem, ending)| {
            (stem.len() > 1 || word.contains('/'))
                && (1..=6).contains(&ending.len())
                && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
        })
    });
    paths.map(|word| word.trim_start_matches("./")).collect()
}

/// What lies near the files of the first pass.
struct Near {
    users: Vec<f64>,
    used: Vec<f64>,
    twins: Vec<f64>,
    together: Vec<f64>,
}

impl Near {
    fn new(corpus: &Corpus<'_>, first: &[f64], commits: &[Vec<FileId>]) -> Self {
        let twin = |twin: &Option<FileId>| twin.map_or(0.0, |twin| first[twin.index()]);
        Self {
            users: step(first, &corpus.users, &corpus.uses),
            used: step(first, &corpus.uses, &corpus.users),
            twins: corpus.twins.iter().map(twin).collect(),
            together: together(first, commits),
        }
    }
}

/// How much each file changed in the commits of the best.
fn together(first: &[f64], commits: &[Vec<FileId>]) -> Vec<f64> {
    let mut sums = vec![0.0; first.len()];
    if commits.is_empty() {
        return sums;
    }
    let mut times = vec![0u32; first.len()];
    for file in commits.iter().flatten() {
        times[file.index()] += 1;
    }
    let mut seeds: Vec<FileId> = FileId::first(first.len()).collect();
    seeds.sort_by(|left, right| {
        first[right.index()].total_cmp(&first[left.index()]).then(left.cmp(right))
    });
    seeds.truncate(SEEDS);
    for seed in seeds.into_iter().filter(|seed| times[seed.index()] > 0) {
        let mut shared: Vec<(FileId, f64)> = Vec::new();
        for commit in commits.iter().filter(|commit| commit.contains(&seed)) {
            let weight = 1.0 / f64::from(commit.len().max(2) as u32 - 1).sqrt();
            shared.extend(commit.iter().filter(|file| **file != seed).map(|file| (*file, weight)));
        }
        shared.sort_by_key(|(file, _)| *file);
        let often = |file: FileId, more: f64| (f64::from(times[file.index()]) + more).sqrt();
        for group in shared.chunk_by(|left, right| left.0 == right.0) {
            let (file, sum) = (group[0].0, group.iter().map(|(_, weight)| weight).sum::<f64>());
            let gain = first[seed.index()] * sum / often(seed, 2.0) / often(file, 3.0);
            sums[file.index()] += gain;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::{as_word, identifiers, said_paths};

    #[test]
    fn identifiers_are_told_by_how_they_are_written() {
        assert_eq!(identifiers("fix(parse): z.text().email() or () fails"), ["email", "text"]);
        let found = identifiers("make `fetch` of createClient obey MAX_TIME, said Ann");
        assert_eq!(found, ["MAX_TIME", "createClient", "fetch"]);
        assert_eq!(
            found.iter().map(|it| as_word(it)).collect::<Vec<_>>().join(" "),
            "maxtime createclient fetch"
        );
    }

    #[test]
    fn paths_are_told_from_prose_and_versions() {
        assert_eq!(
            said_paths("see ./src/a.ts, `b.test.tsx` and v1.2.3 e.g. this."),
            ["src/a.ts", "b.test.tsx"]
        );
    }
}
