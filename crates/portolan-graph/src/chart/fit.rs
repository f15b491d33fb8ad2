//! Fits a chart to a budget.

use super::plan::{Stroke, strokes};
use super::render::{Drawing, render};
use super::tree::Tree;
use super::{Chart, ChartRequest, Level};

/// The smallest budget that is enough for a chart of any repository.
pub const LEAST_BUDGET: u64 = 500;

/// The search ends when at most this much of the budget, in thousandths, is left.
const SLACK: u64 = 10;
/// The share of its budget, in percent, for a chart without a question that cannot show everything.
const ROLL_UP: u64 = 60;
/// A budget up to this size is used completely.
const OVERVIEW: u64 = 1_400;
/// How many charts the search draws at most.
const TRIES: usize = 24;

/// Draws the chart. It fits the budget if that is at least [`LEAST_BUDGET`].
pub fn chart(request: &ChartRequest<'_>) -> Chart {
    let mut tree = Tree::new(request.files);
    if !request.has_question {
        tree.link(|file| {
            request.details.uses(file).into_iter().map(|(target, _)| target).collect()
        });
    }
    let strokes = affordable(request, strokes(request, &tree));
    let fit = Fit { request, tree: &tree, strokes: &strokes };
    let whole = fit.longest();
    if request.has_question || whole.folded.is_empty() {
        return whole;
    }
    // Without a question, the details that would fill the rest of the budget are not worth it.
    let budget = (request.budget * ROLL_UP / 100).max(OVERVIEW).min(request.budget);
    let request = ChartRequest { budget, ..*request };
    Fit { request: &request, tree: &tree, strokes: &strokes }.longest()
}

/// Drops strokes that alone would take most of the budget: names can be very long.
fn affordable(request: &ChartRequest<'_>, mut strokes: Vec<Stroke>) -> Vec<Stroke> {
    let most = usize::try_from(request.budget / 2).unwrap_or(usize::MAX);
    strokes.retain(|stroke| match stroke {
        Stroke::Show(file, _) => request.files[file.index()].path.len() <= most,
        Stroke::Open(_) | Stroke::Uses(_) => true,
    });
    strokes
}

struct Fit<'a> {
    request: &'a ChartRequest<'a>,
    tree: &'a Tree<'a>,
    strokes: &'a [Stroke],
}

impl Fit<'_> {
    fn draw(&self, count: usize) -> (Drawing, u64) {
        let drawing = render(self.request, self.tree, &self.strokes[..count]);
        let tokens = (self.request.count)(&drawing.text);
        (drawing, tokens)
    }

    /// Searches for the longest chart that fits, guided by estimates of the tokens.
    fn longest(&self) -> Chart {
        let budget = self.request.budget;
        let (mut best, least) = self.draw(0);
        let (mut low, mut low_tokens) = (0, least);
        let mut best_tokens = least;
        let costs = self.estimates();
        let (mut high, mut high_tokens) = (self.strokes.len() + 1, None);
        let mut next = costs.partition_point(|total| *total <= budget).min(self.strokes.len());
        for attempt in 0..TRIES {
            if low + 1 >= high {
                break;
            }
            let count = next.clamp(low + 1, high - 1);
            let (drawing, tokens) = self.draw(count);
            if tokens <= budget {
                (low, low_tokens, best, best_tokens) = (count, tokens, drawing, tokens);
                if budget - tokens <= budget * SLACK / 1000 {
                    break;
                }
            } else {
                (high, high_tokens) = (count, Some(tokens));
            }
            // Every third step halves the range, in case one long line misleads the guesses.
            next = match attempt % 3 {
                2 => low + (high - low) / 2,
                _ => self.guess((low, low_tokens), (high, high_tokens), &costs),
            };
        }
        let Drawing { text, listed, folded } = best;
        Chart { text, tokens: best_tokens, listed, folded }
    }

    /// Guesses the count that just fits, between one that fits and one that does not.
    fn guess(&self, low: (usize, u64), high: (usize, Option<u64>), costs: &[u64]) -> usize {
        let budget = self.request.budget;
        let at = |count: usize| costs.get(count.saturating_sub(1)).copied().unwrap_or(0);
        let left = budget.saturating_sub(low.1);
        let target = match high.1 {
            // Scale the estimates to the counted tokens at both ends.
            Some(tokens) => {
                let estimated = at(high.0).saturating_sub(at(low.0)).max(1);
                let counted = tokens.saturating_sub(low.1).max(1);
                at(low.0) + left * estimated / counted
            }
            None if low.0 == 0 => at(low.0) + left,
            None => at(low.0) + left * at(low.0).max(1) / low.1.max(1),
        };
        costs.partition_point(|total| *total <= target)
    }

    /// A rough estimate of the tokens after each stroke.
    fn estimates(&self) -> Vec<u64> {
        let mut total = 200;
        let mut levels = vec![Level::Folded; self.request.files.len()];
        let cost = |stroke: &Stroke| {
            total += match *stroke {
                Stroke::Open(at) => 6 + self.tree.folders[at as usize].name.len() as u64 / 5,
                Stroke::Uses(_) => 8,
                Stroke::Show(file, level) => {
                    let path = self.request.files[file.index()].path;
                    let name = path.len() - path.rfind('/').map_or(0, |at| at + 1);
                    let known = std::mem::replace(&mut levels[file.index()], level);
                    let about = |level: Level| match level {
                        Level::Folded => 0,
                        Level::Named => 3 + name as u64 / 6,
                        Level::Costed => 8 + name as u64 / 6,
                        Level::Linked => 25 + name as u64 / 6,
                        Level::Described => 43 + name as u64 / 6,
                        Level::Headed => 163 + name as u64 / 6,
                    };
                    about(level).saturating_sub(about(known))
                }
            };
            total
        };
        self.strokes.iter().map(cost).collect()
    }
}
