//! Which parts of files a pack of a task shows, and in which order: by how likely each is to be changed, for what it costs.
//!
//! A passage is a declaration, a part of a long one, its documentation, or what stands between declarations. The chance is a
//! logistic model, fitted on commits and on the tasks of SWE-bench Lite (docs/benchmarks-task.md). The first passage of a file
//! costs a heading, and one that stands apart a line about what is left out; so what lies between two that are shown is cheap.

use std::collections::{BTreeSet, BinaryHeap};

use crate::places::PlaceScore;

/// A part of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passage {
    /// How many lines it has.
    pub lines: u32,
    /// What its text costs, in tokens.
    pub tokens: f64,
    /// The weight of the task's words in it.
    pub words: f64,
    /// What speaks for the declaration that it is part of; none between declarations.
    pub place: Option<PlaceScore>,
    /// Whether it is what comes before the first declaration.
    pub is_head: bool,
    /// Whether it is documentation inside of a declaration.
    pub is_documentation: bool,
}

/// A file with its passages, from top to bottom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassageFile {
    /// Its score, as [`crate::rank_places`] gives it.
    pub score: f64,
    /// Its passages.
    pub passages: Vec<Passage>,
}

/// What the heading of a file costs, in tokens.
const HEADING: f64 = 28.0;
/// What a gap between passages costs.
const GAP: f64 = 7.0;
/// Nothing is cheaper than this.
const LEAST: f64 = 15.0;

/// What each signal weighs.
mod weights {
    /// What there is without any of these.
    pub(super) const BASE: f64 = 0.17;
    /// The place of the file, as a logarithm.
    pub(super) const FILE_RANK: f64 = -0.91;
    /// The share of the file among all by its score, as a logarithm.
    pub(super) const FILE_SHARE: f64 = 0.45;
    /// Being in the best file, beside its place.
    pub(super) const FIRST_FILE: f64 = -0.89;
    /// How far the declaration is behind the best.
    pub(super) const BEHIND: f64 = 0.17;
    /// Its place among all, as a logarithm.
    pub(super) const RANK: f64 = -0.2;
    /// Being in the best place.
    pub(super) const FIRST_PLACE: f64 = 1.2;
    /// Being in one of the three best.
    pub(super) const FIRST_THREE: f64 = 0.96;
    /// The share of the task's words that it has.
    pub(super) const EVIDENCE: f64 = 1.85;
    /// The words of the passage, against the best passage of the file.
    pub(super) const WORDS: f64 = 0.6;
    /// Being the head of the file.
    pub(super) const HEAD: f64 = 1.65;
    /// Being between declarations.
    pub(super) const BETWEEN: f64 = -1.66;
    /// Being documentation.
    pub(super) const DOCUMENTATION: f64 = -0.29;
    /// The lines of the passage, as a logarithm.
    pub(super) const LINES: f64 = 0.18;
    /// The lines of the file, as a logarithm.
    pub(super) const FILE_LINES: f64 = -0.47;
}

/// The passages of files, each as the numbers of the file and of the passage, in the order in which they are shown. The files
/// come best first. Those with less than `least` of the best chance, or without a word of the task, are left out; but the head of a
/// file needs no words.
pub fn choose_passages(files: &[PassageFile], least: f64) -> Vec<(usize, usize)> {
    let shelf = Shelf::new(files);
    let best = shelf.offers.iter().map(|offer| offer.chance).fold(0.0, f64::max);
    let mut chosen = Chosen::default();
    let is_enough = |number: &usize| {
        let offer = &shelf.offers[*number];
        offer.has_evidence && offer.chance >= best * least
    };
    let mut heap: BinaryHeap<(Density, std::cmp::Reverse<usize>)> = (0..shelf.offers.len())
        .filter(is_enough)
        .map(|number| (chosen.density(&shelf, number), std::cmp::Reverse(number)))
        .collect();
    while let Some((density, std::cmp::Reverse(number))) = heap.pop() {
        // A passage is offered again whenever it has become cheaper: an earlier offer is void.
        if chosen.taken.contains(&number) || density < chosen.density(&shelf, number) {
            continue;
        }
        let is_opened = !chosen.files.contains(&shelf.offers[number].file);
        chosen.take(&shelf, number);
        let cheaper = if is_opened { shelf.of_file(number) } else { shelf.beside(number) };
        let is_left = |number: &usize| !chosen.taken.contains(number);
        let cheaper = cheaper.into_iter().filter(|it| is_enough(it) && is_left(it));
        heap.extend(cheaper.map(|it| (chosen.density(&shelf, it), std::cmp::Reverse(it))));
    }
    let place = |number: usize| (shelf.offers[number].file, shelf.offers[number].passage);
    chosen.order.into_iter().map(place).collect()
}

/// A chance for a price, for sorting: in thousand-millionths a token.
type Density = u64;

/// A passage that may be shown.
struct Offer {
    file: usize,
    passage: usize,
    chance: f64,
    tokens: f64,
    /// It has words of the task, or is the head of its file.
    has_evidence: bool,
}

/// All passages, in the order of files and lines.
struct Shelf {
    offers: Vec<Offer>,
}

impl Shelf {
    fn new(files: &[PassageFile]) -> Self {
        let best = files.iter().map(|file| file.score).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = files.iter().map(|file| (file.score - best).exp()).sum();
        let mut offers = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let standing = FileStanding {
                rank: (1.0 + number as f64).ln(),
                is_first: number == 0,
                share: file.score - best - sum.max(1.0).ln(),
                lines: file
                    .passages
                    .iter()
                    .map(|it| f64::from(it.lines))
                    .sum::<f64>()
                    .max(1.0)
                    .ln(),
                words: file.passages.iter().map(|it| it.words).fold(0.0, f64::max),
            };
            offers.extend(file.passages.iter().enumerate().map(|(passage, it)| Offer {
                file: number,
                passage,
                chance: standing.chance(it),
                tokens: it.tokens,
                has_evidence: it.words > 0.0 || it.is_head,
            }));
        }
        Self { offers }
    }

    /// The passages beside one, in the same file.
    fn beside(&self, number: usize) -> Vec<usize> {
        let file = self.offers[number].file;
        let near = [number.checked_sub(1), Some(number + 1)].into_iter().flatten();
        near.filter(|near| self.offers.get(*near).is_some_and(|it| it.file == file)).collect()
    }

    /// The passages of the file that one is part of.
    fn of_file(&self, number: usize) -> Vec<usize> {
        let file = self.offers[number].file;
        let first = self.offers.partition_point(|it| it.file < file);
        let after = self.offers.partition_point(|it| it.file <= file);
        (first..after).collect()
    }
}

/// Where a file stands among others.
struct FileStanding {
    rank: f64,
    is_first: bool,
    share: f64,
    lines: f64,
    /// The words of its best passage.
    words: f64,
}

impl FileStanding {
    /// How likely a passage is to be changed, from 0 to 1.
    fn chance(&self, passage: &Passage) -> f64 {
        let yes = |is: bool| f64::from(u8::from(is));
        let words = if self.words > 0.0 { passage.words / self.words } else { 0.0 };
        let of_place = passage.place.map_or(weights::BETWEEN, |place| {
            weights::BEHIND * place.behind
                + weights::RANK * (1.0 + place.rank as f64).ln()
                + weights::EVIDENCE * place.evidence
                + weights::FIRST_PLACE * yes(place.rank == 0)
                + weights::FIRST_THREE * yes(place.rank < 3)
        });
        let sum = weights::BASE
            + weights::FILE_RANK * self.rank
            + weights::FILE_SHARE * self.share
            + weights::FIRST_FILE * yes(self.is_first)
            + weights::FILE_LINES * self.lines
            + weights::WORDS * words
            + weights::HEAD * yes(passage.is_head)
            + weights::DOCUMENTATION * yes(passage.is_documentation)
            + weights::LINES * f64::from(passage.lines.max(1)).ln()
            + of_place;
        1.0 / (1.0 + (-sum).exp())
    }
}

/// What is shown so far.
#[derive(Default)]
struct Chosen {
    order: Vec<usize>,
    taken: BTreeSet<usize>,
    files: BTreeSet<usize>,
}

impl Chosen {
    fn take(&mut self, shelf: &Shelf, number: usize) {
        self.files.insert(shelf.offers[number].file);
        self.taken.insert(number);
        self.order.push(number);
    }

    /// The chance of a passage for its price. Far digits depend on the machine's logarithm: they decide nothing.
    #[expect(clippy::cast_sign_loss, reason = "chances and prices are positive")]
    fn density(&self, shelf: &Shelf, number: usize) -> Density {
        let offer = &shelf.offers[number];
        let heading = if self.files.contains(&offer.file) { 0.0 } else { HEADING };
        let beside = shelf.beside(number).iter().filter(|near| self.taken.contains(near)).count();
        let price = offer.tokens + heading + GAP * (1.0 - beside as f64);
        (offer.chance * 1e9 / price.max(LEAST)).round() as Density
    }
}

#[cfg(test)]
mod tests {
    use super::{Passage, PassageFile, choose_passages};
    use crate::places::PlaceScore;

    fn passage(words: f64, tokens: f64, rank: usize) -> Passage {
        let place = Some(PlaceScore { rank, evidence: words, behind: -(rank as f64) / 10.0 });
        Passage { lines: 10, tokens, words, place, ..Passage::default() }
    }

    fn file(score: f64, passages: Vec<Passage>) -> PassageFile {
        PassageFile { score, passages }
    }

    #[test]
    fn the_likeliest_for_its_price_comes_first() {
        let files = [
            file(
                3.0,
                vec![passage(0.9, 100.0, 0), passage(0.1, 100.0, 50), passage(0.9, 3_000.0, 1)],
            ),
            file(0.0, vec![passage(0.1, 100.0, 50)]),
        ];
        let order = choose_passages(&files, 0.0);
        assert_eq!(
            order,
            [(0, 0), (0, 1), (0, 2), (1, 0)],
            "a long one, or another file, costs more"
        );
    }

    #[test]
    fn what_is_unlikely_is_left_out() {
        let files = [file(
            3.0,
            vec![passage(1.0, 100.0, 0), passage(0.1, 100.0, 700), passage(0.0, 9.0, 1)],
        )];
        assert_eq!(choose_passages(&files, 0.5), [(0, 0)]);
        assert_eq!(choose_passages(&files, 0.0), [(0, 0), (0, 1)]);
        assert!(choose_passages(&[], 0.0).is_empty());
    }

    #[test]
    fn what_lies_between_two_that_are_shown_is_cheap() {
        let like = |words| passage(words, 60.0, 10);
        let files = [file(3.0, vec![like(0.9), like(0.3), like(0.9), like(0.2), like(0.31)])];
        let order = choose_passages(&files, 0.0);
        let at = |passage: usize| order.iter().position(|it| *it == (0, passage));
        assert!(at(1) < at(4), "{order:?}");
    }
}
