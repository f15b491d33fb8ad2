//! Where `git apply` would put a hunk.
//!
//! Git begins at the line that the hunk has in the changed file and takes the nearest match. A hunk
//! from the first line must match there, and one without trailing context at the end of the text.
//! Portolan refuses a hunk that git would put elsewhere, so that both give the same bytes.

use crate::reply::change::{Hunk, LineMark};
use crate::reply::placement::{CompareCount, LineText, PlacementError, TextLine};

/// The text as git has changed it so far: where hunks were put, in lines of the original text.
pub(crate) struct GitImage {
    taken: Vec<TakenLines>,
    /// Whether no hunk has context. Such a patch is for `git apply --unidiff-zero`.
    has_no_context: bool,
}

/// The lines that a hunk covers.
struct TakenLines {
    start: usize,
    end: usize,
    /// The number of lines up to here, before and after the changes.
    before: usize,
    after: usize,
}

impl GitImage {
    pub(crate) fn new(hunks: &[Hunk<'_>]) -> Self {
        let has_no_context = !hunks.iter().any(Hunk::has_context);
        Self { taken: Vec::new(), has_no_context }
    }

    /// Remembers where a hunk was put: behind all others.
    pub(crate) fn record(&mut self, hunk: &Hunk<'_>, at: usize) {
        let (old, new) = (hunk.old().count(), hunk.new_lines().count());
        let (before, after) = self.taken.last().map_or((0, 0), |last| (last.before, last.after));
        let taken =
            TakenLines { start: at, end: at + old, before: before + old, after: after + new };
        self.taken.push(taken);
    }

    /// Checks that git would put a hunk at the same line, or nowhere.
    pub(crate) fn check(
        &self,
        text: &LineText<'_>,
        hunk: &Hunk<'_>,
        at: usize,
        effort: &mut CompareCount,
    ) -> Result<(), PlacementError> {
        // Git does not read headers without numbers.
        let (Some(stated), Some(new_at)) = (hunk.at, hunk.new_at) else { return Ok(()) };
        let length = hunk.old().count();
        let first = if length == 0 { stated } else { stated + 1 };
        let must_begin = first == 0 || first == 1 && !self.has_no_context;
        let ends_with_context = matches!(hunk.lines.last(), Some((LineMark::Keep, _)));
        let must_end = !self.has_no_context && !ends_with_context;
        let is_end = |at: usize| at + length == text.lines.len();
        let is_allowed = |at: usize| {
            (!must_begin || self.line(at) == 0)
                && (!must_end || is_end(at))
                && self.is_free(at, length)
        };
        if is_allowed(at) && (must_begin || must_end || self.line(at) == new_at) {
            return Ok(());
        }
        let mut places: Vec<usize> = if length == 0 {
            effort.lines += text.lines.len() as u64;
            (0..=text.lines.len()).collect()
        } else {
            text.exact_places(hunk, effort)
        };
        if effort.is_spent() {
            return Err(PlacementError::Exhausted);
        }
        places.retain(|at| is_allowed(*at));
        let nearest = places.into_iter().min_by_key(|at| {
            let line = self.line(*at);
            (line.abs_diff(new_at), line < new_at)
        });
        match nearest {
            Some(other) if other != at && !is_same_result(text, hunk, at, other) => {
                Err(PlacementError::Elsewhere(other + 1))
            }
            _ => Ok(()),
        }
    }

    /// The line of the changed text that a line of the original has become.
    fn line(&self, at: usize) -> usize {
        let above = self.taken.partition_point(|taken| taken.end <= at).checked_sub(1);
        let Some(above) = above.map(|index| &self.taken[index]) else { return at };
        (at + above.after).saturating_sub(above.before)
    }

    /// Whether no other hunk covers the lines.
    fn is_free(&self, at: usize, length: usize) -> bool {
        let next = self.taken.partition_point(|taken| taken.end <= at);
        self.taken.get(next).is_none_or(|taken| taken.start >= at + length)
    }
}

/// Whether a hunk gives the same text at two places, as in a row of equal lines.
fn is_same_result(text: &LineText<'_>, hunk: &Hunk<'_>, at: usize, other: usize) -> bool {
    let (first, second) = (at.min(other), at.max(other));
    let Some(lines) = text.lines.get(first..second + hunk.old().count()) else { return false };
    let bytes = |lines: &[TextLine<'_>]| -> Vec<u8> {
        lines.iter().flat_map(|line| [line.text, line.end].concat()).collect()
    };
    let new: Vec<u8> =
        hunk.new_lines().flat_map(|line| [line, "\n"].concat().into_bytes()).collect();
    let (head, tail) = (&lines[..second - first], &lines[lines.len() - (second - first)..]);
    [bytes(head), new.clone()].concat() == [new, bytes(tail)].concat()
}
