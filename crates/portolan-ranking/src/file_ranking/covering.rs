//! Which tests a change is likely to concern.
//!
//! What counts, most first: words of the changed lines in the text of the test and in its name, a name like
//! that of a changed file, earlier commits that changed both, and imports: how many of the changed files it
//! reaches, and how near. The weights were fitted on real commits of seven repositories and held on each of
//! them when it was left out; what every signal brings is in `docs/benchmarks-task.md`.

use portolan_types::FileId;
use std::collections::{BTreeMap, BTreeSet};

use super::corpus::{Candidate, Corpus};
use super::index::WordIndex;
use super::score::body_scores;
use super::task::Term;
use super::weights::FileWeights;
use super::words::words;
use portolan_graph::select::is_named_test;

/// A change.
#[derive(Clone, Copy, Debug, Default)]
pub struct Change<'a> {
    /// The files that changed.
    pub files: &'a [FileId],
    /// The lines that changed, as they were and as they are.
    pub text: &'a str,
    /// Earlier commits, each as its files.
    pub commits: &'a [Vec<FileId>],
}

/// A test that a change concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covering {
    /// The file.
    pub test: FileId,
    /// How many imports lie between; 0 for a test that changed itself, over 8 where none is known to
    /// lead there.
    pub distance: u32,
}

/// Imports are followed so far.
const FAR: u32 = 8;
/// Words of the changed lines in the text, against the test that has most.
const WORDS: f64 = 3.4;
/// A name like that of a changed file.
const NAMED: f64 = 2.56;
/// Words of the changed lines in the name, against the test that has most.
const NAME_WORDS: f64 = 1.78;
/// The share of the changed files that it reaches.
const REACH: f64 = 1.62;
/// Earlier commits.
const TOGETHER: f64 = 1.17;
/// How near the nearest changed file is.
const NEAR: f64 = 0.8;
/// A test that nothing else leads to has at least this share of the words of the best.
const MANY_WORDS: f64 = 0.5;
/// A shorter name is part of others by chance.
const SHORTEST_PART: usize = 4;
/// Names that everybody uses tell nothing: the folder does.
const COMMON_NAMES: &[&str] =
    &["index", "main", "mod", "utils", "util", "types", "lib", "helpers", "constants"];
/// Folders that tell as little.
const COMMON_FOLDERS: &[&str] = &[
    "src",
    "lib",
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "e2e",
    "cypress",
    "stories",
    "benches",
];

/// The tests that a change concerns, likeliest first; those that changed themselves before all others.
pub fn covering(corpus: &Corpus<'_>, index: &WordIndex, change: &Change<'_>) -> Vec<Covering> {
    let is_test = |file: &FileId| is_test(corpus, *file);
    let changed: BTreeSet<FileId> = change.files.iter().copied().collect();
    // A change of tests alone concerns what they test.
    let mut subjects: Vec<FileId> = changed.iter().copied().filter(|file| !is_test(file)).collect();
    if subjects.is_empty() {
        subjects = changed.iter().copied().collect();
    }
    let tests: Vec<FileId> = FileId::first(corpus.files.len()).filter(is_test).collect();
    let terms = terms(change.text);
    let signals = Signals {
        reached: reached(corpus, &subjects),
        groups: subjects.len().min(GROUPS) as u32,
        words: text_words(corpus, index, &tests, &terms),
        name_words: name_words(corpus, &tests, &terms),
        names: subjects.iter().map(|file| subject_of(corpus.files[file.index()].path)).collect(),
        together: together(change.commits, &subjects),
    };
    let mut found: Vec<(i64, Covering)> = Vec::new();
    for (at, test) in tests.iter().enumerate() {
        let (score, distance) = signals.of(at, *test, corpus.files[test.index()].path);
        if changed.contains(test) {
            found.push((i64::MAX, Covering { test: *test, distance: 0 }));
        } else if let Some(score) = score {
            // Far digits depend on the machine's logarithm: they decide nothing.
            let score = (score * 1e6).round() as i64;
            found.push((score, Covering { test: *test, distance: distance.max(1) }));
        }
    }
    found.sort_by_key(|(score, it)| (std::cmp::Reverse(*score), it.test));
    found.into_iter().map(|(_, it)| it).collect()
}

/// Whether a file is a test: code that is one by its name, or is in a folder of tests and not what several others
/// share there.
fn is_test(corpus: &Corpus<'_>, file: FileId) -> bool {
    let candidate = &corpus.files[file.index()];
    let name = candidate.path.rsplit('/').next().unwrap_or(candidate.path).to_ascii_lowercase();
    let is_shared = || corpus.users.of(file.index()).len() > 1;
    corpus.categories[file.index()] == Some(0)
        && candidate.is_code
        && (is_named_test(&name) || !is_shared())
}

/// What speaks for tests.
struct Signals {
    /// Of each file which groups of the changed ones it reaches, and how far the nearest is.
    reached: Vec<(u64, u32)>,
    groups: u32,
    /// Of each test.
    words: Vec<f64>,
    name_words: Vec<f64>,
    /// Of the changed files.
    names: BTreeSet<String>,
    /// Of files that changed with them.
    together: BTreeMap<FileId, f64>,
}

impl Signals {
    /// The score of a test, none where nothing leads to it; and its distance.
    fn of(&self, at: usize, test: FileId, path: &str) -> (Option<f64>, u32) {
        let (groups, distance) = self.reached[test.index()];
        let own = subject_of(path);
        let alike = self.names.iter().map(|name| likeness(name, &own)).fold(0.0, f64::max);
        let together = self.together.get(&test).copied().unwrap_or_default();
        let is_led_to = groups > 0 || alike > 0.0 || together > 0.0 || self.words[at] > MANY_WORDS;
        let score = WORDS * self.words[at]
            + NAME_WORDS * self.name_words[at]
            + NAMED * alike
            + REACH * f64::from(groups.count_ones()) / f64::from(self.groups.max(1))
            + NEAR / (1.0 + f64::from(distance))
            + TOGETHER * (1.0 + 20.0 * together).ln();
        (is_led_to.then_some(score), distance)
    }
}

/// The words of a text of code, sorted. What is said again weighs a little more.
fn terms(text: &str) -> Vec<Term> {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    words(text, |word| *counts.entry(word.to_owned()).or_default() += 1.0);
    let weighed = |(word, count): (String, f64)| Term { word, weight: 2.0 * count / (count + 1.0) };
    counts.into_iter().map(weighed).collect()
}

/// How well the text of each test answers the terms, against the best.
fn text_words(
    corpus: &Corpus<'_>,
    index: &WordIndex,
    tests: &[FileId],
    terms: &[Term],
) -> Vec<f64> {
    let files: Vec<Candidate<'_>> = tests.iter().map(|test| corpus.files[test.index()]).collect();
    let mut scores = body_scores(&files, index, terms, &FileWeights::default());
    against_best(&mut scores);
    scores
}

/// The same of its name.
fn name_words(corpus: &Corpus<'_>, tests: &[FileId], terms: &[Term]) -> Vec<f64> {
    let place = |word: &str| terms.binary_search_by(|term| term.word.as_str().cmp(word)).ok();
    let own = |test: &FileId| {
        let mut own = BTreeSet::new();
        words(stem(corpus.files[test.index()].path), |word| own.extend(place(word)));
        own
    };
    let named: Vec<BTreeSet<usize>> = tests.iter().map(own).collect();
    let mut having = vec![0u32; terms.len()];
    for term in named.iter().flatten() {
        having[*term] += 1;
    }
    let total = f64::from(tests.len() as u32);
    let score_passages =
        |term: &usize| terms[*term].weight * (1.0 + total / (1.0 + f64::from(having[*term]))).ln();
    let mut scores: Vec<f64> =
        named.iter().map(|own| own.iter().map(score_passages).sum()).collect();
    against_best(&mut scores);
    scores
}

fn against_best(scores: &mut [f64]) {
    let best = scores.iter().copied().fold(0.0, f64::max);
    if best > 0.0 {
        for score in scores {
            *score /= best;
        }
    }
}

/// The most groups of changed files.
const GROUPS: usize = 64;

/// For each file which groups of some it reaches through imports, as bits, and how far the nearest is.
fn reached(corpus: &Corpus<'_>, subjects: &[FileId]) -> Vec<(u64, u32)> {
    let mut reached = vec![(0u64, FAR + 1); corpus.files.len()];
    let mut fresh: BTreeMap<FileId, u64> = BTreeMap::new();
    for (at, subject) in subjects.iter().enumerate() {
        *fresh.entry(*subject).or_default() |= 1 << (at % GROUPS);
    }
    for distance in 0..=FAR {
        let mut next: BTreeMap<FileId, u64> = BTreeMap::new();
        for (file, bits) in fresh {
            let (known, nearest) = &mut reached[file.index()];
            let new = bits & !*known;
            if new == 0 {
                continue;
            }
            *known |= new;
            *nearest = distance.min(*nearest);
            for user in corpus.users.of(file.index()) {
                *next.entry(*user).or_default() |= new;
            }
        }
        fresh = next;
    }
    reached
}

/// How much other files changed in the commits of some.
fn together(commits: &[Vec<FileId>], files: &[FileId]) -> BTreeMap<FileId, f64> {
    let mut times: BTreeMap<FileId, u32> = BTreeMap::new();
    for file in commits.iter().flatten() {
        *times.entry(*file).or_default() += 1;
    }
    let often = |file: FileId, more: f64| {
        (f64::from(times.get(&file).copied().unwrap_or_default()) + more).sqrt()
    };
    let is_own = |file: &&FileId| files.binary_search(file).is_ok();
    let mut shared: BTreeMap<FileId, f64> = BTreeMap::new();
    for commit in commits {
        let weight = 1.0 / f64::from(commit.len().max(2) as u32 - 1).sqrt();
        for own in commit.iter().filter(is_own) {
            for other in commit.iter().filter(|file| !is_own(file)) {
                *shared.entry(*other).or_default() +=
                    weight / often(*own, 2.0) / often(*other, 3.0);
            }
        }
    }
    shared
}

/// The name of a file without its endings.
fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.split('.').next().unwrap_or(name)
}

/// What a file is about by its name, and a test by that of its subject: `a` of `a.test.ts`, `css` of
/// `css/index.ts`.
fn subject_of(path: &str) -> String {
    let stem = stem(path);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    let ends = ["_test", "-test", "_spec", "Tests", "Test", "Spec"];
    let stem = ends.iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem).to_lowercase();
    let is_common = COMMON_NAMES.contains(&stem.as_str());
    let folders = path.rsplit('/').skip(1).map(str::to_lowercase);
    let told = folders.filter(|_| is_common).find(|it| !COMMON_FOLDERS.contains(&it.as_str()));
    told.unwrap_or(stem).replace(['-', '_'], "")
}

/// How much of the longer of two names the shorter is, where it is a part of it.
fn likeness(left: &str, right: &str) -> f64 {
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    let is_part = left == right || (short.len() >= SHORTEST_PART && long.contains(short));
    if is_part && !short.is_empty() {
        f64::from(short.len() as u32) / f64::from(long.len() as u32)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests;
