//! Applies hunks to a text. All hunks refer to the original text, and no two may touch the same
//! lines. Untouched lines keep their bytes.
//!
//! Where the text has the old lines of a hunk byte for byte, the new lines are the bytes of the
//! hunk, as `git apply` writes them. Otherwise the hunk lost its line ends on the way: new lines get
//! those of their neighbours, and a last line without a line end stays without one.

use std::collections::BTreeMap;

use crate::reply::change::{Hunk, LineMark};
use crate::reply::git_place;
use crate::reply::placement::{
    CompareCount, LineText, Placement, PlacementError, TextLine, unmarked, unreturned,
};

/// The edits of one file.
pub(crate) struct HunkMerge<'t, 'a> {
    text: LineText<'t>,
    /// The edits by their first line.
    splices: BTreeMap<usize, Splice<'a>>,
    /// Whether the last line has no line end, if the reply says so.
    lacks_newline: Option<bool>,
    /// Whether a hunk that fits byte for byte decides how the text ends.
    has_exact_end: bool,
    sections: usize,
}

/// Lines that replace others.
struct Splice<'a> {
    end: usize,
    new: Vec<&'a str>,
    /// The line in the reply.
    line: usize,
    is_exact: bool,
    /// Whether the last new line is the last one of the text and has no line end.
    is_unended: bool,
}

/// Why a hunk could not be applied.
pub(crate) enum MergeError {
    /// It has no unique location.
    PlacementError(PlacementError),
    /// Another hunk, at this line of the reply, touches the same lines.
    Conflict(usize),
}

/// The result of the edits.
pub(crate) struct MergedText {
    pub(crate) bytes: Vec<u8>,
    pub(crate) added: usize,
    pub(crate) removed: usize,
}

impl<'t, 'a> HunkMerge<'t, 'a> {
    pub(crate) fn new(bytes: &'t [u8]) -> Self {
        Self {
            text: LineText::new(bytes),
            splices: BTreeMap::new(),
            lacks_newline: None,
            has_exact_end: false,
            sections: 0,
        }
    }

    /// Applies the hunks of one section. Hunks of a later section are located by their text alone,
    /// because their line numbers may count lines that an earlier section added.
    pub(crate) fn section(
        &mut self,
        hunks: &[Hunk<'a>],
        effort: &mut CompareCount,
    ) -> Result<(), (usize, MergeError)> {
        let is_trusted = self.sections == 0;
        self.sections += 1;
        let (mut from, mut stated_end) = (0, 0);
        let mut git = git_place::GitImage::new(hunks);
        for hunk in hunks {
            let fail = |error| (hunk.line, MergeError::PlacementError(error));
            let length = hunk.old().count();
            if hunk.at.is_some_and(|at| at < stated_end) {
                return Err(fail(PlacementError::Overlap));
            }
            stated_end = hunk.at.map_or(stated_end, |at| at.saturating_add(length));
            let place = self.text.place(hunk, from, is_trusted, effort).map_err(fail)?;
            if place.is_exact && is_trusted {
                git.check(&self.text, hunk, place.at, effort).map_err(fail)?;
            }
            self.put(hunk, place).map_err(|error| (hunk.line, error))?;
            git.record(hunk, place.at);
            from = place.at + length;
        }
        Ok(())
    }

    fn put(
        &mut self,
        hunk: &Hunk<'a>,
        Placement { at, is_exact }: Placement,
    ) -> Result<(), MergeError> {
        let mut here = at;
        let mut lines = hunk.lines.iter().peekable();
        while let Some((mark, _)) = lines.peek() {
            if *mark == LineMark::Keep {
                lines.next();
                here += 1;
                continue;
            }
            let start = here;
            let mut new = Vec::new();
            while let Some((mark, text)) = lines.next_if(|(mark, _)| *mark != LineMark::Keep) {
                match mark {
                    LineMark::Add => new.push(*text),
                    LineMark::Drop | LineMark::Keep => here += 1,
                }
            }
            let is_unended = hunk.new_lacks_newline && lines.peek().is_none();
            self.splice(start, Splice { end: here, new, line: hunk.line, is_exact, is_unended })?;
        }
        if is_exact {
            self.has_exact_end |= here == self.text.lines.len();
        } else if hunk.old_lacks_newline || hunk.new_lacks_newline {
            self.lacks_newline = Some(hunk.new_lacks_newline);
        }
        Ok(())
    }

    fn splice(&mut self, start: usize, splice: Splice<'a>) -> Result<(), MergeError> {
        let before = self.splices.range(..start).next_back();
        let before = before.filter(|(_, other)| other.end > start);
        let at = self.splices.range(start..splice.end.max(start + 1)).next();
        // An insertion right after the lines of another hunk is not a conflict; one at the same
        // position is.
        let at = at.filter(|(other, _)| **other == start || **other < splice.end);
        if let Some((_, other)) = before.or(at) {
            return Err(MergeError::Conflict(other.line));
        }
        self.splices.insert(start, splice);
        Ok(())
    }

    /// The text with all edits applied.
    pub(crate) fn finish(self) -> MergedText {
        let lines = &self.text.lines;
        let mark = self.text.mark;
        // Where the first lines are changed byte for byte, the byte order mark is a part of them.
        let is_exact_start = self.splices.get(&0).is_some_and(|splice| splice.is_exact);
        let old = |index: usize, line: &TextLine<'t>| NewLine {
            mark: if index == 0 && is_exact_start { mark } else { b"" },
            text: line.text,
            end: line.end,
        };
        let olds = |from: usize, to: usize| {
            let lines = lines.get(from..to).unwrap_or_default();
            lines.iter().enumerate().map(move |(index, line)| old(from + index, line))
        };
        let (mut added, mut removed, mut done) = (0, 0, 0);
        let mut out: Vec<NewLine<'_>> = Vec::with_capacity(lines.len());
        for (start, splice) in &self.splices {
            out.extend(olds(done, *start));
            let end = self.end_near(*start);
            out.extend(splice.new.iter().enumerate().map(|(index, text)| {
                let is_marked = *start == 0 && index == 0 && !mark.is_empty();
                let is_last = index + 1 == splice.new.len();
                new_line(text, splice, end, is_marked, is_last)
            }));
            added += splice.new.len();
            removed += splice.end - start;
            done = splice.end;
        }
        out.extend(olds(done, lines.len()));
        let last_end = if self.has_exact_end {
            LastEnd::AsIs
        } else {
            let was_unended = lines.last().is_some_and(TextLine::is_unended);
            if self.lacks_newline.unwrap_or(was_unended) { LastEnd::Without } else { LastEnd::With }
        };
        let mark = if is_exact_start { b"" } else { mark };
        let bytes = joined(mark, &out, last_end, self.end_near(lines.len()));
        MergedText { bytes, added, removed }
    }

    /// The line end used around a line.
    fn end_near(&self, at: usize) -> &'t [u8] {
        let lines = &self.text.lines;
        let before = at.checked_sub(1).and_then(|at| lines.get(at));
        let near = [lines.get(at), before].into_iter().flatten();
        near.map(|line| line.end).find(|end| end.ends_with(b"\n")).unwrap_or(self.first_end())
    }

    fn first_end(&self) -> &'t [u8] {
        let first = self.text.lines.first().map(|line| line.end);
        first.filter(|end| end.ends_with(b"\n")).unwrap_or(b"\n")
    }
}

/// A line of the result.
struct NewLine<'t> {
    mark: &'t [u8],
    text: &'t [u8],
    end: &'t [u8],
}

/// How the last line of the result ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastEnd {
    /// As the line has it.
    AsIs,
    With,
    Without,
}

/// A new line: the bytes of an exact hunk, or its text with the line end that is usual there.
fn new_line<'t>(
    text: &'t str,
    splice: &Splice<'_>,
    usual: &'t [u8],
    is_marked: bool,
    is_last: bool,
) -> NewLine<'t> {
    let (text, end): (&str, &[u8]) = match (splice.is_exact, splice.is_unended && is_last) {
        (true, true) => (text, b""),
        (true, false) => (text, b"\n"),
        (false, _) => (unreturned(text), usual),
    };
    let text = if is_marked && !splice.is_exact { unmarked(text) } else { text };
    NewLine { mark: b"", text: text.as_bytes(), end }
}

fn joined(mark: &[u8], lines: &[NewLine<'_>], last_end: LastEnd, usual: &[u8]) -> Vec<u8> {
    let Some(last) = lines.len().checked_sub(1) else { return Vec::new() };
    let mut bytes = mark.to_vec();
    for (index, line) in lines.iter().enumerate() {
        bytes.extend(line.mark);
        bytes.extend(line.text);
        let is_ended = line.end.ends_with(b"\n");
        bytes.extend(match last_end {
            LastEnd::Without if index == last && is_ended => b"",
            LastEnd::AsIs | LastEnd::Without if index == last => line.end,
            _ if is_ended => line.end,
            _ => usual,
        });
    }
    bytes
}

/// The bytes of a file with these lines.
pub(crate) fn whole(lines: &[&str], lacks_newline: bool, usual: &[u8]) -> Vec<u8> {
    let lines = lines.iter().map(|text| NewLine { mark: b"", text: text.as_bytes(), end: usual });
    let lines: Vec<_> = lines.collect();
    joined(b"", &lines, if lacks_newline { LastEnd::Without } else { LastEnd::With }, usual)
}

/// The line end of a text: that of its first line.
pub(crate) fn usual_end(bytes: &[u8]) -> &'static [u8] {
    let first = bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    if first.ends_with(b"\r\n") { b"\r\n" } else { b"\n" }
}
