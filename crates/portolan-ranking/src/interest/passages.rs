//! How likely each passage of a file is to be changed by a task, given the file's place among others.
//!
//! A passage is a declaration, a part of a large one, or the head of a file. What is likely is told by how sure
//! the file is, by the words of the passage against those of its neighbours, by its size (of a long file each
//! passage gets little), and by where it stands: what is added to a test, or to a list, comes last. The weights
//! were fitted like those of the files.

use super::words::words;

/// A part of a file.
#[derive(Clone, Debug)]
pub struct Passage<'t> {
    /// Its text.
    pub text: &'t str,
    /// How many lines that are.
    pub lines: u32,
    /// What it declares.
    pub names: Vec<&'t str>,
    /// Whether it is what comes before the first declaration: imports above all.
    pub is_head: bool,
    /// Whether the task names something that it declares.
    pub is_named: bool,
}

/// What speaks for a passage.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageScore {
    /// How likely it is to be changed, from 0 to 1.
    pub chance: f64,
    /// Which of the words it has, most telling first: places in the list of words.
    pub words: Vec<u32>,
    /// What each signal says of it: for fitting the weights.
    pub signals: Vec<f64>,
}

/// Where a file stands among others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassageContext {
    /// Its place, from 0.
    pub place: usize,
    /// Its share of the chances of all, as a logarithm.
    pub share: f64,
    /// How far it is behind the likeliest, as a logarithm of odds: 0 or less.
    pub behind: f64,
    /// Whether it is a test.
    pub is_test: bool,
}

/// What each signal weighs. Zero leaves it out.
#[derive(Clone, Debug)]
pub struct PassageWeights {
    /// The place of the file, as a logarithm.
    pub place: f64,
    /// The file's share of the chances of all, as a logarithm.
    pub chance: f64,
    /// How far the file is behind the likeliest.
    pub behind: f64,
    /// Being part of a test.
    pub test: f64,
    /// The passage's share of the file by words and size, as a logarithm.
    pub share: f64,
    /// Its words.
    pub words: f64,
    /// Its words, against the best passage of the file.
    pub best: f64,
    /// The words of what stands beside it, against the best passage of the file.
    pub near: f64,
    /// Being named in the task.
    pub named: f64,
    /// Being the head of the file.
    pub head: f64,
    /// The same of a test.
    pub test_head: f64,
    /// Being the last of the file.
    pub last: f64,
    /// The same of a test: what is new comes there.
    pub test_last: f64,
    /// How far down in the file it stands, from 0 to 1.
    pub down: f64,
    /// How many passages of the file have better words, as a logarithm.
    pub after: f64,
    /// Its lines, as a logarithm.
    pub size: f64,
    /// The lines of the file, as a logarithm.
    pub file: f64,
    /// What there is without any of these.
    pub base: f64,
}

impl Default for PassageWeights {
    fn default() -> Self {
        Self {
            place: -0.41,
            chance: 0.76,
            behind: -0.27,
            test: 0.1,
            share: 0.11,
            words: 0.84,
            best: 0.52,
            near: 0.41,
            named: 0.63,
            head: 0.7,
            test_head: 0.52,
            last: 0.58,
            test_last: 0.94,
            down: 0.37,
            after: -0.41,
            size: 0.34,
            file: -0.41,
            base: 1.1,
        }
    }
}

/// How many signals there are.
const SIGNALS: usize = 17;

impl PassageWeights {
    /// The names of all weights of signals.
    pub const NAMES: &[&str] = &[
        "place",
        "chance",
        "behind",
        "test",
        "share",
        "words",
        "best",
        "near",
        "named",
        "head",
        "test-head",
        "last",
        "test-last",
        "down",
        "after",
        "size",
        "file",
    ];

    /// A weight by its name, to measure what it brings.
    pub fn weight(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "place" => &mut self.place,
            "chance" => &mut self.chance,
            "behind" => &mut self.behind,
            "test" => &mut self.test,
            "share" => &mut self.share,
            "words" => &mut self.words,
            "best" => &mut self.best,
            "near" => &mut self.near,
            "named" => &mut self.named,
            "head" => &mut self.head,
            "test-head" => &mut self.test_head,
            "last" => &mut self.last,
            "test-last" => &mut self.test_last,
            "down" => &mut self.down,
            "after" => &mut self.after,
            "size" => &mut self.size,
            "file" => &mut self.file,
            _ => return None,
        })
    }

    /// The weights in the order of the signals.
    fn each(&self) -> [f64; SIGNALS] {
        [
            self.place,
            self.chance,
            self.behind,
            self.test,
            self.share,
            self.words,
            self.best,
            self.near,
            self.named,
            self.head,
            self.test_head,
            self.last,
            self.test_last,
            self.down,
            self.after,
            self.size,
            self.file,
        ]
    }
}

/// How much a word in a declared name counts against one in the text.
const NAME: f64 = 3.0;
/// A passage of so many words is of middling length.
const LENGTH: f64 = 60.0;
/// At most so many words are told.
const TOLD: usize = 3;

/// What speaks for each passage of a file; `words` are sorted, each with what it is `score_passages`.
pub fn score_passages(
    passages: &[Passage<'_>],
    words: &[(String, f64)],
    standing: &PassageContext,
    weights: &PassageWeights,
) -> Vec<PassageScore> {
    let matches: Vec<(f64, Vec<u32>)> = passages.iter().map(|it| matched(it, words)).collect();
    let signals = signals(passages, &matches, standing);
    let sum = |signals: &[f64; SIGNALS]| {
        weights.base
            + signals.iter().zip(weights.each()).map(|(it, weight)| it * weight).sum::<f64>()
    };
    let each = signals.into_iter().zip(matches);
    each.map(|(signals, (_, told))| {
        // Far digits depend on the machine's logarithm: they decide nothing.
        let chance = (1e9 / (1.0 + (-sum(&signals)).exp())).round() / 1e9;
        PassageScore { chance, words: told, signals: signals.to_vec() }
    })
    .collect()
}

/// What each signal says of each passage, in the order of [`PassageWeights::each`].
fn signals(
    passages: &[Passage<'_>],
    matches: &[(f64, Vec<u32>)],
    standing: &PassageContext,
) -> Vec<[f64; SIGNALS]> {
    let scores: Vec<f64> = matches.iter().map(|(score, _)| *score).collect();
    let best = scores.iter().copied().fold(0.0, f64::max);
    let relative = |score: f64| if best > 0.0 { score / best } else { 0.0 };
    let mass = |(passage, score): (&Passage<'_>, &f64)| {
        (0.05 + relative(*score).powi(2)) * (f64::from(passage.lines) / 20.0).powf(0.7)
    };
    let masses: Vec<f64> = passages.iter().zip(&scores).map(mass).collect();
    let all: f64 = masses.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let lines: f64 = passages.iter().map(|it| f64::from(it.lines)).sum::<f64>().max(1.0);
    let beside = |at: usize| {
        let score = |at: usize| scores.get(at).copied().unwrap_or(0.0);
        relative(score(at + 1).max(at.checked_sub(1).map_or(0.0, score)))
    };
    let mut by_words: Vec<usize> = (0..scores.len()).collect();
    by_words.sort_by(|left, right| scores[*right].total_cmp(&scores[*left]).then(left.cmp(right)));
    let mut better = vec![0u32; scores.len()];
    for (at, place) in by_words.into_iter().zip(0u32..) {
        better[at] = place;
    }
    let yes = |is: bool| f64::from(u8::from(is));
    let place = f64::from(u32::try_from(standing.place).unwrap_or(u32::MAX));
    let mut above = 0.0;
    let one = |(at, passage): (usize, &Passage<'_>)| {
        let (own, is_last) = (f64::from(passage.lines), at + 1 == passages.len());
        let middle = above + f64::midpoint(own, 1.0);
        above += own;
        [
            (1.0 + place).ln(),
            standing.share,
            standing.behind,
            yes(standing.is_test),
            (masses[at] / all + 1e-3).ln(),
            scores[at],
            relative(scores[at]),
            beside(at),
            yes(passage.is_named),
            yes(passage.is_head),
            yes(passage.is_head && standing.is_test),
            yes(is_last),
            yes(is_last && standing.is_test),
            middle / lines,
            (1.0 + f64::from(better[at])).ln(),
            own.max(1.0).ln(),
            lines.ln(),
        ]
    };
    passages.iter().enumerate().map(one).collect()
}

/// How well a passage answers the words, and by which.
fn matched(passage: &Passage<'_>, wanted: &[(String, f64)]) -> (f64, Vec<u32>) {
    let mut counts = vec![0.0; wanted.len()];
    let find = |word: &str| wanted.binary_search_by(|(known, _)| known.as_str().cmp(word)).ok();
    let mut total = 0.0;
    words(passage.text, |word| {
        total += 1.0;
        if let Some(at) = find(word) {
            counts[at] += 1.0;
        }
    });
    for name in &passage.names {
        words(name, |word| {
            if let Some(at) = find(word) {
                counts[at] += NAME;
            }
        });
    }
    let long = 0.5 + 0.5 * total / LENGTH;
    let mut parts: Vec<(f64, u32)> = counts
        .iter()
        .zip(wanted)
        .zip(0u32..)
        .filter(|((count, _), _)| **count > 0.0)
        .map(|((count, (_, weight)), at)| (weight * count / (long + count), at))
        .collect();
    parts.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let score = parts.iter().map(|(part, _)| part).sum();
    (score, parts.iter().take(TOLD).map(|(_, at)| *at).collect())
}

#[cfg(test)]
mod tests {
    use super::{Passage, PassageContext, PassageWeights, score_passages};

    fn passage(text: &str) -> Passage<'_> {
        Passage { text, lines: 10, names: Vec::new(), is_head: false, is_named: false }
    }

    #[test]
    fn what_has_the_words_is_likelier_and_says_which() {
        let words = [("link".to_owned(), 0.4), ("timeout".to_owned(), 0.6)];
        let passages = [passage("a link with a timeout"), passage("something else")];
        let found = score_passages(
            &passages,
            &words,
            &PassageContext::default(),
            &PassageWeights::default(),
        );
        assert!(found[0].chance > found[1].chance);
        assert_eq!((found[0].words.as_slice(), found[1].words.len()), ([1, 0].as_slice(), 0));
        let behind = PassageContext { place: 9, share: -5.0, behind: -3.0, is_test: false };
        let later = score_passages(&passages, &words, &behind, &PassageWeights::default());
        assert!(later[0].chance < found[0].chance);
    }

    #[test]
    fn the_end_of_a_test_is_likelier_than_its_middle() {
        let passages = [passage("one"), passage("two"), passage("three")];
        let worths = |is_test: bool| -> Vec<f64> {
            let standing = PassageContext { is_test, ..PassageContext::default() };
            let found = score_passages(&passages, &[], &standing, &PassageWeights::default());
            found.iter().map(|it| it.chance).collect()
        };
        let (test, other) = (worths(true), worths(false));
        assert!(test[2] > test[1]);
        assert!(test[2] / test[1] > other[2] / other[1]);
    }

    #[test]
    fn what_is_named_or_stands_beside_the_best_is_likelier() {
        let words = [("timeout".to_owned(), 1.0)];
        let worths = |passages: &[Passage<'_>]| -> Vec<f64> {
            let found = score_passages(
                passages,
                &words,
                &PassageContext::default(),
                &PassageWeights::default(),
            );
            found.iter().map(|it| it.chance).collect()
        };
        let [far, near] = [passage("one thing"), passage("other thing")];
        let best = passage("a timeout");
        let found = worths(&[far.clone(), near.clone(), best]);
        assert!(found[1] > found[0]);
        let named = Passage { is_named: true, ..near };
        let found = worths(&[far, named]);
        assert!(found[1] > found[0]);
    }
}
