//! Fits text to a token budget: as many lines as fit, and a count of the rest.

use std::fmt::Write as _;

use portolan_types::thousands;

/// Tokens of names, paths and numbers are much shorter.
const LONGEST_TOKEN: u64 = 64;

/// A text of ranked lines.
pub(crate) struct RankedLines {
    /// The part that is always shown.
    pub(crate) head: String,
    /// The other lines, each with a priority; lower numbers go in first.
    pub(crate) lines: Vec<(u32, String)>,
}

impl RankedLines {
    /// The text with as many lines as fit a token budget, in their original order.
    pub(crate) fn fit(&self, budget: u64) -> String {
        let mut order: Vec<usize> = (0..self.lines.len()).collect();
        order.sort_by_key(|at| self.lines.get(*at).map_or(0, |line| line.0));
        // Most of a large answer is far over any budget, so it is not rendered only to be counted.
        let most = budget.saturating_mul(LONGEST_TOKEN);
        let mut length = self.head.len() as u64;
        let may_fit = order.iter().take_while(|at| {
            length += self.lines.get(**at).map_or(0, |line| line.1.len() as u64 + 1);
            length <= most
        });
        let (mut low, mut high) = (0, may_fit.count());
        if fits(&self.written(&order, high), budget) {
            return self.written(&order, high);
        }
        while low < high {
            let middle = (low + high).div_ceil(2);
            if fits(&self.written(&order, middle), budget) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        self.written(&order, low)
    }

    /// The text with the first `count` lines of an order.
    fn written(&self, order: &[usize], count: usize) -> String {
        let mut shown: Vec<usize> = order.iter().copied().take(count).collect();
        shown.sort_unstable();
        let mut text = self.head.clone();
        for (_, line) in shown.iter().filter_map(|at| self.lines.get(*at)) {
            text.push_str(line);
            text.push('\n');
        }
        let left = self.lines.len() - shown.len();
        if left > 0 {
            let _ = writeln!(text, "… {} more: a larger budget shows them", thousands(left));
        }
        text
    }
}

fn fits(text: &str, budget: u64) -> bool {
    // No token is shorter than a byte.
    text.len() as u64 <= budget || portolan_tokens::count_bytes(text.as_bytes()) <= budget
}

#[cfg(test)]
mod tests {
    use super::RankedLines;

    #[test]
    fn the_least_important_lines_are_cut_and_counted() {
        let lines = (0..200).map(|at| (at % 2, format!("line number {at}"))).collect();
        let text = RankedLines { head: "head\n".to_owned(), lines }.fit(200);
        assert!(text.starts_with("head\nline number 0\nline number 2\n"), "{text}");
        assert!(text.ends_with(" more: a larger budget shows them\n"), "{text}");
        assert!(!text.contains("line number 1\n"), "{text}");
        assert!(portolan_tokens::count_bytes(text.as_bytes()) <= 200);
    }
}
