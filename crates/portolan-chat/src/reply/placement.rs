//! Locates hunks in the text that they patch.
//!
//! A hunk belongs at its stated line if its lines are there, else at the only place that has them.
//! If there are two such places it is rejected: a guess would be right most of the time, which is
//! worse. Lines that are the same byte for byte go before lines that differ in their ends.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::reply::change::Hunk;

/// How many lines are compared before a reply is considered hostile.
const MOST_COMPARED: u64 = 50_000_000;

/// Counts the compared lines, to bound the search and to let a test check its growth.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CompareCount {
    pub(crate) lines: u64,
}

impl CompareCount {
    pub(crate) fn is_spent(self) -> bool {
        self.lines > MOST_COMPARED
    }
}

/// Why a hunk cannot be located.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlacementError {
    /// The text does not have its lines; with the first difference.
    Nowhere(String),
    /// The text has its lines more than once.
    Ambiguous,
    /// Its lines are at or before an earlier hunk.
    Overlap,
    /// `git apply` would put it at another line.
    Elsewhere(usize),
    /// The search would take too long.
    Exhausted,
}

/// The position of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placement {
    pub(crate) at: usize,
    /// Whether its lines are there byte for byte, with their line ends.
    pub(crate) is_exact: bool,
}

/// How lines are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    /// Byte for byte, as git does it.
    Exact,
    /// Without line ends and the byte order mark.
    Loose,
}

/// A text as lines.
pub(crate) struct LineText<'t> {
    /// The byte order mark, if there is one.
    pub(crate) mark: &'t [u8],
    pub(crate) lines: Vec<TextLine<'t>>,
    index: OnceCell<LineIndex<'t>>,
    trimmed: OnceCell<LineIndex<'t>>,
}

/// The positions of each line.
type LineIndex<'t> = BTreeMap<&'t [u8], Vec<usize>>;

/// A line and its end: `\n`, `\r\n` or, for the last line, nothing or `\r`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextLine<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) end: &'t [u8],
}

const MARK: &[u8] = "\u{feff}".as_bytes();

/// A line of a reply without the byte order mark that the first line of a file may have.
pub(crate) fn unmarked(line: &str) -> &str {
    line.strip_prefix('\u{feff}').unwrap_or(line)
}

/// A line of a reply without its carriage return.
pub(crate) fn unreturned(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

impl<'t> LineText<'t> {
    pub(crate) fn new(bytes: &'t [u8]) -> Self {
        let (mark, rest) =
            if bytes.starts_with(MARK) { bytes.split_at(MARK.len()) } else { bytes.split_at(0) };
        let lines = rest.split_inclusive(|byte| *byte == b'\n').map(TextLine::new).collect();
        Self { mark, lines, index: OnceCell::new(), trimmed: OnceCell::new() }
    }

    fn index(&self) -> &LineIndex<'t> {
        self.index.get_or_init(|| index_of(self.lines.iter().map(|line| line.text)))
    }

    fn trimmed(&self) -> &LineIndex<'t> {
        let trimmed = self.lines.iter().map(|line| line.text.trim_ascii());
        self.trimmed.get_or_init(|| index_of(trimmed))
    }

    /// The position of a hunk, at or after `from`. Its stated position counts only if `is_trusted`.
    pub(crate) fn place(
        &self,
        hunk: &Hunk<'_>,
        from: usize,
        is_trusted: bool,
        effort: &mut CompareCount,
    ) -> Result<Placement, PlacementError> {
        let old: Vec<&str> = hunk.old().collect();
        let search = HunkSearch { text: self, hunk, old: &old };
        effort.lines += old.len() as u64;
        if old.is_empty() {
            // Without old lines there is only the stated position.
            return if is_trusted {
                search.insertion(from)
            } else {
                Err(PlacementError::Ambiguous)
            };
        }
        let stated = hunk.at.filter(|at| is_trusted && *at >= from);
        let fits = |how, effort: &mut _| stated.filter(|at| search.fits(*at, how, effort));
        if let Some(at) = fits(Comparison::Exact, effort) {
            return Ok(Placement { at, is_exact: true });
        }
        let exact = search.all(from, Comparison::Exact, effort);
        let loose = search.all(from, Comparison::Loose, effort);
        if effort.is_spent() {
            return Err(PlacementError::Exhausted);
        }
        let stated = fits(Comparison::Loose, effort).filter(|_| exact.is_empty());
        match (stated, &loose[..]) {
            (Some(at), _) => Ok(Placement { at, is_exact: false }),
            (None, []) if from > 0 && !search.anywhere(0, Comparison::Loose, effort).is_empty() => {
                Err(PlacementError::Overlap)
            }
            (None, []) => Err(PlacementError::Nowhere(search.difference())),
            (None, [at]) => Ok(Placement { at: *at, is_exact: exact.contains(at) }),
            (None, _) => Err(PlacementError::Ambiguous),
        }
    }

    /// Whether a line is that of a reply, byte for byte.
    fn is_exactly(&self, at: usize, line: &TextLine<'_>, old: &str) -> bool {
        let mark = if at == 0 { self.mark } else { &[] };
        let rest = old.as_bytes().strip_prefix(mark);
        let end = line.end.strip_suffix(b"\n").unwrap_or(line.end);
        rest.and_then(|rest| rest.strip_prefix(line.text)) == Some(end)
    }

    /// Whether a line is that of a reply, but for its end and the byte order mark.
    fn is_loosely(&self, at: usize, line: &TextLine<'_>, old: &str) -> bool {
        let old = unreturned(old);
        let old = if at == 0 && !self.mark.is_empty() { unmarked(old) } else { old };
        line.text == old.as_bytes()
    }

    /// The positions that have the old lines of a hunk byte for byte.
    pub(crate) fn exact_places(&self, hunk: &Hunk<'_>, effort: &mut CompareCount) -> Vec<usize> {
        let old: Vec<&str> = hunk.old().collect();
        let search = HunkSearch { text: self, hunk, old: &old };
        search
            .candidates(0)
            .filter(|at| !effort.is_spent() && search.fits(*at, Comparison::Exact, effort))
            .collect()
    }
}

fn index_of<'t>(lines: impl Iterator<Item = &'t [u8]>) -> LineIndex<'t> {
    let mut index = LineIndex::new();
    for (at, line) in lines.enumerate() {
        index.entry(line).or_default().push(at);
    }
    index
}

impl<'t> TextLine<'t> {
    fn new(line: &'t [u8]) -> Self {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        Self { text, end: &line[text.len()..] }
    }

    /// Whether it is a last line without a line end.
    pub(crate) fn is_unended(&self) -> bool {
        !self.end.ends_with(b"\n")
    }
}

/// The search for the position of a hunk.
struct HunkSearch<'s, 't, 'a> {
    text: &'s LineText<'t>,
    hunk: &'s Hunk<'a>,
    old: &'s [&'a str],
}

impl HunkSearch<'_, '_, '_> {
    /// The position of a hunk that only adds lines.
    fn insertion(&self, from: usize) -> Result<Placement, PlacementError> {
        let end = self.text.lines.len();
        let is_last = self.hunk.is_at_end || self.hunk.new_lacks_newline;
        match self.hunk.at {
            Some(at) if at > end => {
                Err(PlacementError::Nowhere(format!("it has only {end} lines, not {at}")))
            }
            Some(at) if at < from => Err(PlacementError::Overlap),
            Some(at) if is_last && at != end => {
                Err(PlacementError::Nowhere(format!("its last line is {end}, not {at}")))
            }
            // Behind a last line without a line end, nothing can be added byte for byte.
            Some(at) => Ok(Placement { at, is_exact: at < end || !self.is_unended() }),
            None if is_last || end == 0 => Ok(Placement { at: end, is_exact: false }),
            None => Err(PlacementError::Ambiguous),
        }
    }

    /// Whether the last line of the text has no line end.
    fn is_unended(&self) -> bool {
        self.text.lines.last().is_some_and(TextLine::is_unended)
    }

    /// Whether the lines of the hunk are at a position.
    fn fits(&self, at: usize, how: Comparison, effort: &mut CompareCount) -> bool {
        let lines = &self.text.lines;
        let Some(found) = lines.get(at..at + self.old.len()) else { return false };
        let is_end = at + found.len() == lines.len();
        let must_end =
            self.hunk.is_at_end || self.hunk.old_lacks_newline || self.hunk.new_lacks_newline;
        let is_unended = found.last().is_some_and(TextLine::is_unended);
        if must_end && !is_end || self.hunk.old_lacks_newline && !is_unended {
            return false;
        }
        if how == Comparison::Exact && is_unended && !self.hunk.old_lacks_newline {
            return false;
        }
        let mut same = found.iter().zip(self.old).enumerate().take_while(|(index, (line, old))| {
            effort.lines += 1;
            match how {
                Comparison::Exact => self.text.is_exactly(at + index, line, old),
                Comparison::Loose => self.text.is_loosely(at + index, line, old),
            }
        });
        same.by_ref().count() == self.old.len()
    }

    /// The positions from `from` on that have the lines: at most two.
    fn all(&self, from: usize, how: Comparison, effort: &mut CompareCount) -> Vec<usize> {
        if self.hunk.anchors.is_empty() {
            self.anywhere(from, how, effort)
        } else {
            self.anchored(from, how, effort)
        }
    }

    fn anywhere(&self, from: usize, how: Comparison, effort: &mut CompareCount) -> Vec<usize> {
        self.candidates(from)
            .filter(|at| !effort.is_spent() && self.fits(*at, how, effort))
            .take(2)
            .collect()
    }

    /// The positions where the rarest of its lines has the right offset.
    fn candidates(&self, from: usize) -> impl Iterator<Item = usize> {
        let index = self.text.index();
        let places = |line: &str| index.get(line.as_bytes()).map_or(&[][..], Vec::as_slice);
        // The first line may have a byte order mark, in the text and in the hunk: its position has
        // to be asked for besides.
        let lines = self.old.iter().enumerate();
        let rarest = lines
            .map(|(offset, line)| (offset, places(unreturned(line))))
            .min_by_key(|(_, found)| found.len());
        let (offset, found) = rarest.unwrap_or((0, &[][..]));
        let start = found.partition_point(|at| *at < from + offset);
        let is_marked = from == 0 && !self.text.mark.is_empty();
        let top = is_marked.then_some(0);
        let rest = found[start..].iter().map(move |at| at - offset);
        top.into_iter().chain(rest.filter(move |at| !(is_marked && *at == 0)))
    }

    /// For each sequence of the anchors, the first position after it that has the lines, without
    /// duplicates.
    fn anchored(&self, from: usize, how: Comparison, effort: &mut CompareCount) -> Vec<usize> {
        let index = self.text.trimmed();
        let places =
            |anchor: &str| index.get(anchor.trim().as_bytes()).map_or(&[][..], Vec::as_slice);
        let mut behind: BTreeSet<usize> = BTreeSet::from([from]);
        for (depth, anchor) in self.hunk.anchors.iter().enumerate() {
            let all = places(anchor);
            let next = behind.iter().flat_map(|from| {
                let rest = &all[all.partition_point(|at| at < from)..];
                // Only the first anchor may be anywhere; each further one is the next of its kind.
                &rest[..if depth == 0 { rest.len() } else { rest.len().min(1) }]
            });
            behind = next.map(|at| at + 1).collect();
            effort.lines += behind.len() as u64;
        }
        let mut found = BTreeSet::new();
        for from in behind {
            let first =
                self.candidates(from).find(|at| effort.is_spent() || self.fits(*at, how, effort));
            found.extend(first);
            if found.len() > 1 || effort.is_spent() {
                break;
            }
        }
        found.into_iter().collect()
    }

    /// Describes the difference to the text.
    fn difference(&self) -> String {
        let index = self.text.index();
        let is_known = |line: &str| {
            index.contains_key(line.as_bytes()) || index.contains_key(unmarked(line).as_bytes())
        };
        let old = self.old.iter().map(|line| unreturned(line));
        let unknown = old.clone().find(|line| !is_known(line));
        let at = self.hunk.at.filter(|at| *at < self.text.lines.len());
        let different = at.and_then(|at| {
            let lines = self.text.lines.get(at..)?.iter().zip(old).enumerate();
            let mut lines = lines.map(|(index, (line, old))| (at + index, line.text, old));
            lines.find(|(_, line, old)| *line != old.as_bytes())
        });
        match (unknown, different) {
            (Some(line), _) => format!("it has no line `{}`", clipped(line)),
            (None, Some((at, line, old))) => {
                let line = String::from_utf8_lossy(line);
                format!("its line {} is `{}`, not `{}`", at + 1, clipped(&line), clipped(old))
            }
            (None, None) => "its lines are not consecutive there".to_owned(),
        }
    }
}

/// The beginning of a line that may be long.
fn clipped(line: &str) -> String {
    const LIMIT: usize = 60;
    let mut text: String = line.chars().take(LIMIT).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    text
}
