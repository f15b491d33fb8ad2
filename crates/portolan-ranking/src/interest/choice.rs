//! In which order passages are taken into a pack: by what each is likely to be `score_passages`, for what showing it costs.
//!
//! The first passage of a file costs a heading too, and one that stands apart from those shown a word about what is
//! left out between them. So the tiny head of an unlikely file is not cheap, and what lies between two passages
//! that are shown nearly is. And a reader learns little from the imports of a file that is not likely by itself: to open it
//! with them, rather than with a passage that has words or a name of the task, costs more.

/// A passage that may be shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassageCandidate {
    /// How likely it is to be changed.
    pub chance: f64,
    /// What its text costs, in tokens.
    pub tokens: f64,
    /// Whether it tells a reader why its file is there.
    pub is_telling: bool,
}

/// A file that may be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct FileCandidate {
    /// What its heading costs, in tokens.
    pub heading: f64,
    /// Its passages, from top to bottom.
    pub offers: Vec<PassageCandidate>,
}

/// What a gap between passages costs: the word about it, and a line number.
const GAP: f64 = 9.0;
/// What it costs more to open a file with what does not tell why it is there.
const UNTOLD: f64 = 100.0;
/// Nothing is cheaper than this.
const LEAST: f64 = 1.0;
/// Of so many passages of a file, the best for their price, it is seen what stands beside them.
const LOOKED_AT: usize = 300;

/// Passages that are taken together: their `score_passages`, their price, and which they are.
struct Bundle {
    chance: f64,
    price: f64,
    file: usize,
    passages: Vec<usize>,
}

impl Bundle {
    fn density(&self) -> f64 {
        self.chance / self.price.max(LEAST)
    }
}

/// All passages, as pairs of a file and its passage, in the order in which they are taken.
pub fn choose(shelves: &[FileCandidate]) -> Vec<(usize, usize)> {
    let mut all: Vec<Bundle> =
        shelves.iter().enumerate().flat_map(|(file, shelf)| bundles(file, shelf)).collect();
    // The bundles of a file come in the order of their density: sorting keeps it.
    all.sort_by(|left, right| right.density().total_cmp(&left.density()));
    all.into_iter()
        .flat_map(|bundle| bundle.passages.into_iter().map(move |at| (bundle.file, at)))
        .collect()
}

/// The passages of a file, the best for its price first, put together so that no bundle is better than the one before.
fn bundles(file: usize, shelf: &FileCandidate) -> Vec<Bundle> {
    let mut found: Vec<Bundle> = Vec::new();
    let mut is_shown = vec![false; shelf.offers.len()];
    let plain = |at: usize| shelf.offers[at].chance / (shelf.offers[at].tokens + GAP);
    let mut left: Vec<usize> = (0..shelf.offers.len()).collect();
    left.sort_by(|one, other| plain(*other).total_cmp(&plain(*one)));
    while !left.is_empty() {
        let price = |at: usize| {
            let is_there = |at: Option<usize>| at.is_some_and(|at| is_shown.get(at) == Some(&true));
            let beside = u8::from(is_there(at.checked_sub(1))) + u8::from(is_there(Some(at + 1)));
            shelf.offers[at].tokens + GAP * (1.0 - f64::from(beside))
        };
        let density = |at: usize| shelf.offers[at].chance / price(at).max(LEAST);
        let near = left.iter().take(LOOKED_AT).enumerate();
        let Some((place, best)) =
            near.map(|(place, at)| (place, *at)).max_by(|(_, one), (_, other)| {
                density(*one).total_cmp(&density(*other)).then(other.cmp(one))
            })
        else {
            break;
        };
        let offer = shelf.offers[best];
        let opening = shelf.heading + if offer.is_telling { 0.0 } else { UNTOLD };
        let heading = if found.is_empty() { opening } else { 0.0 };
        let (chance, price) = (offer.chance, price(best) + heading);
        let mut bundle = Bundle { chance, price, file, passages: vec![best] };
        left.remove(place);
        is_shown[best] = true;
        while found.last().is_some_and(|last| last.density() <= bundle.density()) {
            let Some(before) = found.pop() else { break };
            bundle.chance += before.chance;
            bundle.price += before.price;
            bundle.passages.splice(0..0, before.passages);
        }
        found.push(bundle);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{FileCandidate, PassageCandidate, choose};

    fn shelf(offers: &[(f64, f64)]) -> FileCandidate {
        let offer = |(chance, tokens): &(f64, f64)| PassageCandidate {
            chance: *chance,
            tokens: *tokens,
            is_telling: true,
        };
        FileCandidate { heading: 40.0, offers: offers.iter().map(offer).collect() }
    }

    #[test]
    fn a_crumb_of_an_unlikely_file_is_not_cheap() {
        let (likely, crumb) = (shelf(&[(0.5, 200.0)]), shelf(&[(0.06, 8.0)]));
        // By its text alone it has three times the chance a token.
        assert_eq!(choose(&[crumb, likely]), [(1, 0), (0, 0)]);
    }

    #[test]
    fn what_lies_between_is_cheap() {
        let offers = [(0.5, 100.0), (0.01, 12.0), (0.5, 100.0), (0.1, 60.0)];
        assert_eq!(choose(&[shelf(&offers)]), [(0, 0), (0, 2), (0, 1), (0, 3)]);
    }

    #[test]
    fn a_file_is_opened_with_what_tells_why_it_is_there() {
        let mut imports = shelf(&[(0.4, 10.0), (0.1, 60.0), (0.1, 70.0)]);
        let other = shelf(&[(0.3, 60.0)]);
        assert_eq!(choose(&[other.clone(), imports.clone()])[0], (1, 0));
        // The imports wait for more of their file.
        imports.offers[0].is_telling = false;
        let found = choose(&[other, imports]);
        assert_eq!(found[..3], [(0, 0), (1, 0), (1, 1)]);
    }

    #[test]
    fn a_heading_is_paid_by_all_that_it_is_for() {
        let many = shelf(&[(0.2, 50.0), (0.2, 50.0), (0.2, 50.0)]);
        let one = shelf(&[(0.21, 50.0)]);
        assert_eq!(choose(&[one, many])[0], (1, 0));
    }
}
