//! Of a long declaration the parts around lines that match.

use std::collections::BTreeSet;

use grep_matcher::Matcher as _;
use portolan_symbols::text::{LineStarts, ranges};

use super::ReadError;
use crate::search::{LineMatcher, line_matcher};

/// How many lines are shown before and after each match.
const AROUND: u32 = 2;
/// How many lines are shown before and after a line that was asked for.
const NEAR: u32 = 12;
/// A declaration of up to this many lines is shown whole, whatever matches.
const SHORT: u32 = 12;
/// The most heads of enclosing blocks that are shown above a match.
const MOST_HEADS: usize = 12;

/// Finds lines.
pub(super) struct Matching(LineMatcher);

impl Matching {
    /// Compiles patterns; `None` where there are none.
    pub(super) fn new(patterns: &[String]) -> Result<Option<Self>, ReadError> {
        if patterns.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self(line_matcher(patterns)?)))
    }

    /// The lines to show between a first and a last one: `head`, then the matches with the heads of the blocks around
    /// them. All of a short declaration. Empty if no line matches.
    pub(super) fn parts(
        &self,
        text: &str,
        lines: &LineStarts,
        (first, last): (u32, u32),
        head: Option<(u32, u32)>,
    ) -> Vec<(u32, u32)> {
        let matches = self.lines(text, lines, (first, last));
        // Of what is short, all is shown: the lines left out would cost less than asking for them.
        if last - first < SHORT {
            return vec![(first, last)];
        }
        if matches.is_empty() {
            return Vec::new();
        }
        windows((text, lines), (first, last), head, &matches, AROUND)
    }

    /// The lines between a first and a last one that match.
    pub(super) fn lines(
        &self,
        text: &str,
        lines: &LineStarts,
        (first, last): (u32, u32),
    ) -> Vec<u32> {
        let found = |matcher: &grep_regex::RegexMatcher| -> Vec<u32> {
            let is_match = |number: &u32| matcher.is_match(lines.text(text, *number).as_bytes());
            (first..=last).filter(|number| is_match(number).unwrap_or_default()).collect()
        };
        let matches = found(&self.0.written);
        match self.0.as_grep_reads.as_ref().filter(|_| matches.is_empty()) {
            Some(other) => found(other),
            None => matches,
        }
    }
}

/// The lines around one that was asked for: the head of the declaration, the heads of the blocks, and what is near.
pub(super) fn around(
    text: &str,
    lines: &LineStarts,
    all: (u32, u32),
    head: (u32, u32),
    at: u32,
) -> Vec<(u32, u32)> {
    windows((text, lines), all, Some(head), &[at], NEAR)
}

/// The head of a declaration, and its lines at some places with the heads of the blocks around them.
fn windows(
    (text, lines): (&str, &LineStarts),
    (first, last): (u32, u32),
    head: Option<(u32, u32)>,
    places: &[u32],
    near: u32,
) -> Vec<(u32, u32)> {
    let line = |number: u32| lines.text(text, number);
    let mut shown: BTreeSet<u32> = BTreeSet::new();
    if let Some((from, to)) = head {
        shown.extend(from.max(first)..=to.min(last));
    }
    let blocks = Blocks::new(&line, first, places.iter().max().copied().unwrap_or(first));
    for at in places {
        shown.extend(at.saturating_sub(near).max(first)..=(at + near).min(last));
        shown.extend(blocks.heads(*at));
    }
    ranges(&shown)
}

/// The lines that open the blocks around others, by indentation. Each line knows the ones above it that count.
struct Blocks {
    first: u32,
    lines: Vec<BlockLine>,
}

/// A line, and lines above it by their places in the list.
struct BlockLine {
    /// The next one that is further left; of a blank line the next that is not blank.
    left: Option<usize>,
    /// The next one that is not further right.
    edge: Option<usize>,
    /// It closes something that has its start above, at the same edge.
    is_closing: bool,
}

impl Blocks {
    /// The lines from a first to a last one.
    fn new<'t>(line: &impl Fn(u32) -> &'t str, first: u32, last: u32) -> Self {
        let mut lines = Vec::new();
        // The lines above that are further left than all that follow them, with their indentation.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (at, number) in (first..=last).enumerate() {
            let text = line(number);
            let top = |open: &[(usize, usize)]| open.last().map(|(at, _)| *at);
            let Some(indent) = indent(text) else {
                lines.push(BlockLine { left: top(&open), edge: top(&open), is_closing: false });
                continue;
            };
            while open.last().is_some_and(|(_, other)| *other > indent) {
                open.pop();
            }
            let edge = top(&open);
            while open.last().is_some_and(|(_, other)| *other >= indent) {
                open.pop();
            }
            let is_closing = text.trim_start().starts_with([')', ']', '}']);
            lines.push(BlockLine { left: top(&open), edge, is_closing });
            open.push((at, indent));
        }
        Self { first, lines }
    }

    /// The lines that open the blocks around a line, innermost first.
    fn heads(&self, at: u32) -> impl Iterator<Item = u32> {
        let above = move |place: usize| {
            let line = self.lines.get(place)?;
            if line.is_closing { line.edge } else { line.left }
        };
        let start = at.checked_sub(self.first).and_then(|at| self.lines.get(at as usize)?.left);
        let heads = std::iter::successors(start, move |place| above(*place));
        heads.take(MOST_HEADS).map(|place| self.first + place as u32)
    }
}

/// The indentation of a line; none for a blank line.
fn indent(line: &str) -> Option<usize> {
    let width = |c: char| if c == '\t' { 4 } else { 1 };
    let trimmed = line.trim_start();
    (!trimmed.is_empty()).then(|| line[..line.len() - trimmed.len()].chars().map(width).sum())
}

#[cfg(test)]
mod tests {
    use portolan_symbols::text::LineStarts;
    use proptest::prelude::*;

    use super::{Blocks, MOST_HEADS, Matching, indent};

    fn parts(text: &str, pattern: &str) -> Vec<(u32, u32)> {
        let matching = Matching::new(&[pattern.to_owned()]).unwrap().unwrap();
        let last = text.lines().count() as u32;
        matching.parts(text, &LineStarts::new(text), (1, last), Some((1, 1)))
    }

    #[test]
    fn the_lines_around_a_match_are_shown_with_the_heads_above_it() {
        let text =
            format!("def f():\n{}    needle()\n{}", "    x()\n".repeat(9), "    y()\n".repeat(9));
        assert_eq!(parts(&text, "needle"), [(1, 1), (9, 13)]);
        assert_eq!(parts(&text, "absent"), []);
    }

    /// The heads above each line, found line by line.
    fn slow_heads(lines: &[&str], at: usize) -> Vec<u32> {
        let mut heads = Vec::new();
        let mut edge = indent(lines[at]).unwrap_or(usize::MAX);
        for number in (0..at).rev() {
            let Some(indent) = indent(lines[number]).filter(|indent| *indent < edge) else {
                continue;
            };
            heads.push(number as u32 + 1);
            if heads.len() == MOST_HEADS {
                break;
            }
            let is_closing = lines[number].trim_start().starts_with([')', ']', '}']);
            edge = if is_closing { indent + 1 } else { indent };
        }
        heads
    }

    proptest! {
        #[test]
        fn heads_are_those_of_a_search_line_by_line(
            lines in prop::collection::vec("[ ]{0,6}(a|\\}|\\)|)", 1..40),
        ) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let line = |number: u32| lines[number as usize - 1];
            let blocks = Blocks::new(&line, 1, lines.len() as u32);
            for at in 0..lines.len() {
                let found: Vec<u32> = blocks.heads(at as u32 + 1).collect();
                prop_assert_eq!(found, slow_heads(&lines, at), "{} of {:?}", at, lines);
            }
        }
    }

    #[test]
    fn matches_on_every_line_of_a_long_declaration_are_found_at_once() {
        let text = format!("def f():\n{}", "    needle()\n".repeat(200_000));
        assert_eq!(parts(&text, "needle"), [(1, 200_001)]);
    }

    #[test]
    fn a_short_declaration_is_shown_whole() {
        let text = format!("def f():\n{}", "    x()\n".repeat(11));
        assert_eq!(parts(&text, "absent"), [(1, 12)]);
    }
}
