//! A text that is to be patched, and where in it a hunk belongs.
//!
//! A hunk belongs where it says, if its lines are there; else to the only place that has them. Two
//! places are none: a guess would be right most of the time, which is worse.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::reply::change::Hunk;

/// How many lines are compared before a reply counts as one that was made to take for ever.
const PATIENCE: u64 = 50_000_000;

/// Counts what placing hunks takes, so that it can be bounded and a test can see it grow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub(crate) lines: u64,
}

impl Effort {
    fn is_spent(self) -> bool {
        self.lines > PATIENCE
    }
}

/// Why a hunk has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Misplaced {
    /// The text has no such lines; with the first that differs.
    Nowhere(String),
    /// The text has them more than once.
    Ambiguous,
    /// They are where an earlier hunk is, or before it.
    Overlap,
    /// Finding out would take too long.
    Exhausted,
}

/// A text, line by line.
pub(crate) struct Text<'t> {
    /// The byte order mark, where there is one.
    pub(crate) mark: &'t [u8],
    pub(crate) lines: Vec<Line<'t>>,
    index: OnceCell<Index<'t>>,
    trimmed: OnceCell<Index<'t>>,
}

/// Where each line stands.
type Index<'t> = BTreeMap<&'t [u8], Vec<usize>>;

/// A line and its end: `\n`, `\r\n` or, for the last one, nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) end: &'t [u8],
}

const MARK: &[u8] = "\u{feff}".as_bytes();

/// A line of a reply without the byte order mark that the first line of a file may have.
pub(crate) fn unmarked(line: &str) -> &[u8] {
    line.strip_prefix('\u{feff}').unwrap_or(line).as_bytes()
}

impl<'t> Text<'t> {
    pub(crate) fn new(bytes: &'t [u8]) -> Self {
        let (mark, rest) =
            if bytes.starts_with(MARK) { bytes.split_at(MARK.len()) } else { bytes.split_at(0) };
        let lines = rest.split_inclusive(|byte| *byte == b'\n').map(Line::new).collect();
        Self { mark, lines, index: OnceCell::new(), trimmed: OnceCell::new() }
    }

    fn index(&self) -> &Index<'t> {
        self.index.get_or_init(|| index_of(self.lines.iter().map(|line| line.text)))
    }

    fn trimmed(&self) -> &Index<'t> {
        let trimmed = self.lines.iter().map(|line| line.text.trim_ascii());
        self.trimmed.get_or_init(|| index_of(trimmed))
    }

    /// Where a hunk belongs, at or behind `from`. What it says of its place counts only if
    /// `is_trusted`.
    pub(crate) fn place(
        &self,
        hunk: &Hunk<'_>,
        from: usize,
        is_trusted: bool,
        effort: &mut Effort,
    ) -> Result<usize, Misplaced> {
        let old: Vec<&str> = hunk.old().collect();
        let sought = Sought { text: self, hunk, old: &old };
        effort.lines += old.len() as u64;
        if old.is_empty() {
            // Without lines of the text there is only what it says of its place.
            return if is_trusted { sought.insertion(from) } else { Err(Misplaced::Ambiguous) };
        }
        if let Some(at) = hunk.at.filter(|at| is_trusted && *at >= from)
            && sought.fits(at, effort)
        {
            return Ok(at);
        }
        let found = if hunk.anchors.is_empty() {
            sought.anywhere(from, effort)
        } else {
            sought.anchored(from, effort)
        };
        if effort.is_spent() {
            return Err(Misplaced::Exhausted);
        }
        match found.len() {
            0 if from > 0 && !sought.anywhere(0, effort).is_empty() => Err(Misplaced::Overlap),
            0 => Err(Misplaced::Nowhere(sought.difference())),
            1 => found.first().copied().ok_or(Misplaced::Ambiguous),
            _ => Err(Misplaced::Ambiguous),
        }
    }
}

fn index_of<'t>(lines: impl Iterator<Item = &'t [u8]>) -> Index<'t> {
    let mut index = Index::new();
    for (at, line) in lines.enumerate() {
        index.entry(line).or_default().push(at);
    }
    index
}

impl<'t> Line<'t> {
    fn new(line: &'t [u8]) -> Self {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text =
            if text.len() < line.len() { text.strip_suffix(b"\r").unwrap_or(text) } else { text };
        Self { text, end: &line[text.len()..] }
    }
}

/// A hunk that looks for its place.
struct Sought<'s, 't, 'a> {
    text: &'s Text<'t>,
    hunk: &'s Hunk<'a>,
    old: &'s [&'a str],
}

impl Sought<'_, '_, '_> {
    /// The place of a hunk that only adds.
    fn insertion(&self, from: usize) -> Result<usize, Misplaced> {
        let end = self.text.lines.len();
        let is_last = self.hunk.is_at_end || self.hunk.is_new_unended;
        match self.hunk.at {
            Some(at) if at > end => {
                Err(Misplaced::Nowhere(format!("it has only {end} lines, and not {at}")))
            }
            Some(at) if at < from => Err(Misplaced::Overlap),
            Some(at) if is_last && at != end => {
                Err(Misplaced::Nowhere(format!("its last line is {end}, and not {at}")))
            }
            Some(at) => Ok(at),
            None if is_last || end == 0 => Ok(end),
            None => Err(Misplaced::Ambiguous),
        }
    }

    /// Whether the lines of the hunk are there.
    fn fits(&self, at: usize, effort: &mut Effort) -> bool {
        let lines = &self.text.lines;
        let Some(found) = lines.get(at..at + self.old.len()) else { return false };
        let is_end = at + found.len() == lines.len();
        let must_end = self.hunk.is_at_end || self.hunk.is_old_unended || self.hunk.is_new_unended;
        let is_unended = found.last().is_some_and(|line| line.end.is_empty());
        if must_end && !is_end || self.hunk.is_old_unended && !is_unended {
            return false;
        }
        let mut same = found.iter().zip(self.old).enumerate().take_while(|(index, (line, old))| {
            effort.lines += 1;
            line.text == self.sought(at + index, old)
        });
        same.by_ref().count() == self.old.len()
    }

    fn sought<'o>(&self, at: usize, old: &'o str) -> &'o [u8] {
        if at == 0 && !self.text.mark.is_empty() { unmarked(old) } else { old.as_bytes() }
    }

    /// The places behind `from` that have the lines: none, one, or two of more.
    fn anywhere(&self, from: usize, effort: &mut Effort) -> Vec<usize> {
        self.candidates(from)
            .filter(|at| !effort.is_spent() && self.fits(*at, effort))
            .take(2)
            .collect()
    }

    /// The places that have the rarest of its lines where it should be.
    fn candidates(&self, from: usize) -> impl Iterator<Item = usize> {
        let index = self.text.index();
        let places = |line: &str| index.get(line.as_bytes()).map_or(&[][..], Vec::as_slice);
        // The first line may have a mark in front that the hunk has too.
        let lines = self.old.iter().enumerate().map(|(offset, line)| {
            let plain = if offset == 0 {
                std::str::from_utf8(unmarked(line)).unwrap_or(line)
            } else {
                line
            };
            (offset, places(line), places(plain))
        });
        let rarest = lines.min_by_key(|(_, exact, plain)| exact.len().max(plain.len()));
        let (offset, found) = rarest.map_or((0, &[][..]), |(offset, exact, plain)| {
            (offset, if exact.is_empty() { plain } else { exact })
        });
        let start = found.partition_point(|at| *at < from + offset);
        found[start..].iter().map(move |at| at - offset)
    }

    /// For each place that has the anchors, one behind the other, the first place behind it that has
    /// the lines; no two of the same.
    fn anchored(&self, from: usize, effort: &mut Effort) -> Vec<usize> {
        let index = self.text.trimmed();
        let places =
            |anchor: &str| index.get(anchor.trim().as_bytes()).map_or(&[][..], Vec::as_slice);
        let mut behind: BTreeSet<usize> = BTreeSet::from([from]);
        for (depth, anchor) in self.hunk.anchors.iter().enumerate() {
            let all = places(anchor);
            let next = behind.iter().flat_map(|from| {
                let rest = &all[all.partition_point(|at| at < from)..];
                // Only the first anchor may stand anywhere; the others are the next of their kind.
                &rest[..if depth == 0 { rest.len() } else { rest.len().min(1) }]
            });
            behind = next.map(|at| at + 1).collect();
            effort.lines += behind.len() as u64;
        }
        let mut found = BTreeSet::new();
        for from in behind {
            let first =
                self.candidates(from).find(|at| effort.is_spent() || self.fits(*at, effort));
            found.extend(first);
            if found.len() > 1 || effort.is_spent() {
                break;
            }
        }
        found.into_iter().collect()
    }

    /// What is there instead, in words.
    fn difference(&self) -> String {
        let index = self.text.index();
        let unknown = self.old.iter().find(|line| !index.contains_key(unmarked(line)));
        let at = self.hunk.at.filter(|at| *at < self.text.lines.len());
        let different = at.and_then(|at| {
            let lines = self.text.lines.get(at..)?.iter().zip(self.old).enumerate();
            let mut lines = lines.map(|(index, (line, old))| (at + index, line.text, *old));
            lines.find(|(_, line, old)| *line != old.as_bytes())
        });
        match (unknown, different) {
            (Some(line), _) => format!("it has no line `{}`", clipped(line)),
            (None, Some((at, line, old))) => {
                let line = String::from_utf8_lossy(line);
                format!("its line {} is `{}`, and not `{}`", at + 1, clipped(&line), clipped(old))
            }
            (None, None) => "its lines do not stand together in it".to_owned(),
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
