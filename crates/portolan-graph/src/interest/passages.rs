//! How likely each passage of a file is to be changed by a task, given the file's place among others.
//!
//! A passage is a declaration, a part of a large one, or the head of a file. What is likely is told by the
//! file's place, by the words of the passage against those of its neighbours, and by its size: of a long
//! file each passage gets little. The weights were fitted like those of the files.

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
pub struct Worth {
    /// How likely it is to be changed, from 0 to 1.
    pub chance: f64,
    /// Which of the words it has, most telling first: places in the list of words.
    pub words: Vec<u32>,
}

/// What each signal weighs. Zero leaves it out.
#[derive(Clone, Debug)]
pub struct PassageWeights {
    /// The place of the file, as a logarithm.
    pub place: f64,
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
            place: -1.42,
            test: 0.59,
            share: 0.46,
            words: 1.4,
            best: 0.85,
            near: 0.4,
            named: 0.55,
            head: 0.63,
            size: 0.21,
            file: -0.56,
            base: 0.35,
        }
    }
}

/// How much a word in a declared name counts against one in the text.
const NAME: f64 = 3.0;
/// A passage of so many words is of middling length.
const LENGTH: f64 = 60.0;
/// At most so many words are told.
const TOLD: usize = 3;

/// What speaks for each passage of a file; `words` are sorted, each with what it is worth, and `place` is that of
/// the file among all, from 0.
pub fn worth(
    passages: &[Passage<'_>],
    words: &[(String, f64)],
    place: usize,
    is_test: bool,
    weights: &PassageWeights,
) -> Vec<Worth> {
    let matches: Vec<(f64, Vec<u32>)> = passages.iter().map(|it| matched(it, words)).collect();
    let best = matches.iter().map(|(score, _)| *score).fold(0.0, f64::max);
    let relative = |score: f64| if best > 0.0 { score / best } else { 0.0 };
    let mass = |(passage, (score, _)): (&Passage<'_>, &(f64, Vec<u32>))| {
        (0.05 + relative(*score).powi(2)) * (f64::from(passage.lines) / 20.0).powf(0.7)
    };
    let masses: Vec<f64> = passages.iter().zip(&matches).map(mass).collect();
    let all: f64 = masses.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let lines: f64 = passages.iter().map(|it| f64::from(it.lines)).sum::<f64>().max(1.0);
    let fixed = weights.base
        + weights.place * (1.0 + f64::from(u32::try_from(place).unwrap_or(u32::MAX))).ln()
        + weights.test * f64::from(u8::from(is_test))
        + weights.file * lines.ln();
    let beside = |at: usize| {
        let score = |at: usize| matches.get(at).map_or(0.0, |(score, _)| *score);
        relative(score(at + 1).max(at.checked_sub(1).map_or(0.0, score)))
    };
    let beside: Vec<f64> = (0..passages.len()).map(beside).collect();
    let each = passages.iter().zip(matches).zip(masses).zip(beside);
    each.map(|(((passage, (score, told)), mass), beside)| {
        let sum = fixed
            + weights.share * (mass / all + 1e-3).ln()
            + weights.words * score
            + weights.best * relative(score)
            + weights.near * beside
            + weights.named * f64::from(u8::from(passage.is_named))
            + weights.head * f64::from(u8::from(passage.is_head))
            + weights.size * f64::from(passage.lines.max(1)).ln();
        // Far digits depend on the machine's logarithm: they decide nothing.
        let chance = (1e9 / (1.0 + (-sum).exp())).round() / 1e9;
        Worth { chance, words: told }
    })
    .collect()
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
    use super::{Passage, PassageWeights, worth};

    fn passage(text: &str) -> Passage<'_> {
        Passage { text, lines: 10, names: Vec::new(), is_head: false, is_named: false }
    }

    #[test]
    fn what_has_the_words_is_likelier_and_says_which() {
        let words = [("link".to_owned(), 0.4), ("timeout".to_owned(), 0.6)];
        let passages = [passage("a link with a timeout"), passage("something else")];
        let found = worth(&passages, &words, 0, false, &PassageWeights::default());
        assert!(found[0].chance > found[1].chance);
        assert_eq!((found[0].words.as_slice(), found[1].words.len()), ([1, 0].as_slice(), 0));
        let later = worth(&passages, &words, 9, false, &PassageWeights::default());
        assert!(later[0].chance < found[0].chance);
    }

    #[test]
    fn what_is_named_or_stands_beside_the_best_is_likelier() {
        let words = [("timeout".to_owned(), 1.0)];
        let worths = |passages: &[Passage<'_>]| -> Vec<f64> {
            let found = worth(passages, &words, 0, false, &PassageWeights::default());
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
