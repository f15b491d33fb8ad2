//! How likely each file is to be changed by a task.
//!
//! Interest orders what a reader may want to see; a pack has to know what will be edited, and how sure
//! that is against other files. Two passes: words, names and paths first; then what lies near the best
//! of these (users, what is used, tests, files that changed in the same commits). The weights were fitted
//! on real commits of seven repositories and held on each of them when it was left out; what every signal
//! brings is in `docs/benchmarks-task.md`.

use super::corpus::Corpus;
use super::index::WordIndex;
use super::passages::PassageContext;
use super::rank::factor;
use super::score::{Evidence, evidence};
use super::settings::InterestSettings;
use super::spread::step;
use super::task::{self, Term};
use super::words::{compounds, stem};

/// What is asked: the task, what is known to be part of it, and commits.
#[derive(Clone, Copy, Debug, Default)]
pub struct EditTask<'a> {
    /// What is to be done, in words; may be empty.
    pub task: &'a str,
    /// Files that are known to be part of it.
    pub asked: &'a [u32],
    /// Earlier commits, each as its files.
    pub commits: &'a [Vec<u32>],
}

/// Why a file is likely to be changed, beside words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankingReason {
    /// Its own words, its names and its path.
    Words,
    /// The task says its path.
    Path,
    /// It was asked for.
    Asked,
    /// This file uses it.
    UsedBy(u32),
    /// It uses this file.
    Uses(u32),
    /// It tests this file, or is tested by it.
    Twin(u32),
    /// It changed in the same commits as this file.
    Together(u32),
}

/// The files of a corpus by how likely they are to be changed.
#[derive(Clone, Debug, Default)]
pub struct EditRanking {
    /// The files that may be, most likely first.
    pub order: Vec<u32>,
    /// How likely, for each of these: a logarithm of odds.
    pub scores: Vec<f64>,
    /// Why, for each of these.
    pub because: Vec<RankingReason>,
    /// The words that were looked for, sorted, with what each is `score_passages`; they sum up to about 1.
    pub words: Vec<(String, f64)>,
    /// The identifiers that the task names.
    pub identifiers: Vec<String>,
    /// What each signal says of these files, in the order of the weights' names: for fitting them.
    pub signals: Vec<Vec<f64>>,
}

/// What each signal weighs. Zero leaves it out.
#[derive(Clone, Debug)]
pub struct EditRankingWeights {
    /// All words of a file.
    pub words: f64,
    /// Words of its path.
    pub path: f64,
    /// Words of what it declares.
    pub names: f64,
    /// What the first pass made of it.
    pub first: f64,
    /// What uses it.
    pub users: f64,
    /// What it uses.
    pub used: f64,
    /// Its test, or what it tests.
    pub twin: f64,
    /// Commits that it changed in.
    pub together: f64,
    /// Being a test.
    pub test: f64,
    /// Identifiers of the task that it declares.
    pub identifiers: f64,
    /// Its path in the task.
    pub said: f64,
    /// Its length, as a logarithm: longer files change more often, but cost more to show.
    pub length: f64,
    /// Of the first pass: words, path, names, identifiers, the path in the task, being a test.
    pub seeds: [f64; SEED_SIGNALS],
}

impl Default for EditRankingWeights {
    fn default() -> Self {
        Self {
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
            length: 0.0,
            seeds: FIRST,
        }
    }
}

/// How many signals there are.
const SIGNALS: usize = 12;

impl EditRanking {
    /// Where each of the files stands among the others.
    pub fn standings(&self, is_test: impl Fn(u32) -> bool) -> Vec<PassageContext> {
        // What was asked for stands by its own signals here: the others are not behind it.
        let plain = |score: &f64| if *score >= ASKED { score - ASKED } else { *score };
        let scores: Vec<f64> = self.scores.iter().map(plain).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let behind: Vec<f64> = scores.iter().map(|score| (score - most).max(FARTHEST)).collect();
        let all = behind.iter().map(|it| it.exp()).sum::<f64>().max(f64::MIN_POSITIVE).ln();
        let each = self.order.iter().zip(behind).enumerate();
        each.map(|(place, (at, behind))| PassageContext {
            place,
            share: behind - all,
            behind,
            is_test: is_test(*at),
        })
        .collect()
    }
}

impl EditRankingWeights {
    /// For somebody who reads names rather than code: fitted to have all that a task changes among the first
    /// twenty, and a long file costs such a reader nothing.
    pub const NAMES_ONLY: Self = Self {
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

    /// The names of all weights.
    pub const NAMES: &[&str] = &[
        "words",
        "path",
        "names",
        "first",
        "users",
        "used",
        "twin",
        "together",
        "test",
        "identifiers",
        "said",
        "length",
    ];

    /// A weight by its name, to measure what it brings.
    pub fn weight(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "words" => &mut self.words,
            "path" => &mut self.path,
            "names" => &mut self.names,
            "first" => &mut self.first,
            "users" => &mut self.users,
            "used" => &mut self.used,
            "twin" => &mut self.twin,
            "together" => &mut self.together,
            "test" => &mut self.test,
            "identifiers" => &mut self.identifiers,
            "said" => &mut self.said,
            "length" => &mut self.length,
            _ => return None,
        })
    }
}

/// How many signals the first pass has.
const SEED_SIGNALS: usize = 6;
/// Weights of the first pass: words, path, names, identifiers, the path in the task, being a test.
const FIRST: [f64; SEED_SIGNALS] = [4.3, 6.0, 2.0, 1.0, 3.0, 0.7];
/// The first pass is told apart around the mean of so many of the best.
const PIVOT: usize = 8;
/// Co-changes are asked of so many of the best.
const SEEDS: usize = 20;
/// No file is farther behind the likeliest than this.
const FARTHEST: f64 = -12.0;
/// More than any word can give.
const ASKED: f64 = 100.0;

/// Ranks the files of a corpus by how likely they are to be changed, at most `most`.
pub fn rank_edits(
    corpus: &Corpus<'_>,
    index: &WordIndex,
    undertaking: &EditTask<'_>,
    settings: &InterestSettings,
    weights: &EditRankingWeights,
    most: usize,
) -> EditRanking {
    let (title, scope, pair) = (settings.title, settings.scope, settings.pair);
    let terms = task::terms(undertaking.task, task::Weights { title, scope, pair });
    let found = evidence(corpus, index, &terms, settings);
    likely_by(corpus, &terms, &found, undertaking, settings, weights, most)
}

/// The same for somebody who has looked for the words already.
pub(super) fn likely_by(
    corpus: &Corpus<'_>,
    terms: &[Term],
    found: &Evidence,
    undertaking: &EditTask<'_>,
    settings: &InterestSettings,
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
            near.together[at].0,
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
    let mut order: Vec<u32> = (0..scores.len() as u32).collect();
    order.retain(|at| corpus.files[*at as usize].is_code && scores[*at as usize] > 0.0);
    order.sort_by(|left, right| {
        scores[*right as usize].total_cmp(&scores[*left as usize]).then(left.cmp(right))
    });
    order.truncate(most);
    let because = order.iter().map(|at| because(*at, corpus, &own, &near, &first, weights));
    let total: f64 = found.weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let words = terms.iter().zip(&found.weights).filter(|(_, weight)| **weight > 0.0);
    let words = words.map(|(term, weight)| (term.word.clone(), weight / total));
    EditRanking {
        because: because.collect(),
        words: words.collect(),
        identifiers,
        signals: order.iter().map(|at| signals(*at as usize).to_vec()).collect(),
        scores: order.iter().map(|at| scores[*at as usize]).collect(),
        order,
    }
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
            asked[*at as usize] = 1.0;
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
            sums[*file as usize] += share;
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
    /// With the file that gives most.
    together: Vec<(f64, u32)>,
}

impl Near {
    fn new(corpus: &Corpus<'_>, first: &[f64], commits: &[Vec<u32>]) -> Self {
        let twin = |twin: &Option<u32>| twin.map_or(0.0, |twin| first[twin as usize]);
        Self {
            users: step(first, &corpus.users, &corpus.uses),
            used: step(first, &corpus.uses, &corpus.users),
            twins: corpus.twins.iter().map(twin).collect(),
            together: together(first, commits),
        }
    }
}

/// How much each file changed in the commits of the best.
fn together(first: &[f64], commits: &[Vec<u32>]) -> Vec<(f64, u32)> {
    let mut sums = vec![(0.0, u32::MAX); first.len()];
    if commits.is_empty() {
        return sums;
    }
    let mut times = vec![0u32; first.len()];
    for file in commits.iter().flatten() {
        times[*file as usize] += 1;
    }
    let mut seeds: Vec<u32> = (0..first.len() as u32).collect();
    seeds.sort_by(|left, right| {
        first[*right as usize].total_cmp(&first[*left as usize]).then(left.cmp(right))
    });
    seeds.truncate(SEEDS);
    let mut best = vec![0.0; first.len()];
    for seed in seeds.into_iter().filter(|seed| times[*seed as usize] > 0) {
        let mut shared: Vec<(u32, f64)> = Vec::new();
        for commit in commits.iter().filter(|commit| commit.contains(&seed)) {
            let weight = 1.0 / f64::from(commit.len().max(2) as u32 - 1).sqrt();
            shared.extend(commit.iter().filter(|file| **file != seed).map(|file| (*file, weight)));
        }
        shared.sort_by_key(|(file, _)| *file);
        let often = |file: u32, more: f64| (f64::from(times[file as usize]) + more).sqrt();
        for group in shared.chunk_by(|left, right| left.0 == right.0) {
            let (file, sum) = (group[0].0, group.iter().map(|(_, weight)| weight).sum::<f64>());
            let gain = first[seed as usize] * sum / often(seed, 2.0) / often(file, 3.0);
            sums[file as usize].0 += gain;
            if gain > best[file as usize] {
                (best[file as usize], sums[file as usize].1) = (gain, seed);
            }
        }
    }
    sums
}

/// What speaks most for a file, beside its words where these alone would do.
fn because(
    at: u32,
    corpus: &Corpus<'_>,
    own: &Own,
    near: &Near,
    first: &[f64],
    weights: &EditRankingWeights,
) -> RankingReason {
    let place = at as usize;
    if own.asked[place] > 0.0 {
        return RankingReason::Asked;
    }
    if own.said[place] > 0.0 {
        return RankingReason::Path;
    }
    let best = |list: &[u32]| {
        let by = |left: &&u32, right: &&u32| {
            first[**left as usize].total_cmp(&first[**right as usize]).then(right.cmp(left))
        };
        list.iter().max_by(by).copied()
    };
    let words = weights.words * own.words[place]
        + weights.path * own.path[place]
        + weights.names * own.names[place]
        + weights.identifiers * own.identifiers[place];
    let (together, seed) = near.together[place];
    let reasons = [
        (words, Some(RankingReason::Words)),
        (
            weights.users * near.users[place],
            best(corpus.users.of(place)).map(RankingReason::UsedBy),
        ),
        (weights.used * near.used[place], best(corpus.uses.of(place)).map(RankingReason::Uses)),
        (weights.twin * near.twins[place], corpus.twins[place].map(RankingReason::Twin)),
        (weights.together * together, (seed != u32::MAX).then_some(RankingReason::Together(seed))),
    ];
    let mut most = (0.0, RankingReason::Words);
    for (weight, reason) in reasons {
        if let Some(reason) = reason.filter(|_| weight > most.0) {
            most = (weight, reason);
        }
    }
    most.1
}

#[cfg(test)]
mod tests {
    use super::{ASKED, EditRanking, as_word, identifiers, said_paths};

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
    fn files_stand_by_their_share_of_all_chances() {
        let of = |scores: &[f64]| {
            let order = (0..scores.len() as u32).collect();
            EditRanking { order, scores: scores.to_vec(), ..EditRanking::default() }
                .standings(|at| at == 1)
        };
        let near = of(&[3.0, 3.0, 1.0]);
        assert_eq!((near[0].behind, near[1].behind, near[2].behind), (0.0, 0.0, -2.0));
        assert!(near[1].is_test && near[2].place == 2);
        assert!(of(&[3.0, -9.0])[0].share > near[0].share);
        // Others are not behind what was asked for.
        assert!(of(&[ASKED + 1.0, 3.0])[1].behind.abs() < f64::EPSILON);
    }

    #[test]
    fn paths_are_told_from_prose_and_versions() {
        assert_eq!(
            said_paths("see ./src/a.ts, `b.test.tsx` and v1.2.3 e.g. this."),
            ["src/a.ts", "b.test.tsx"]
        );
    }
}
