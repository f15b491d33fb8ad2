//! Applies hunks to a text. All hunks refer to the original text, and no two may touch the same
//! lines. Untouched lines keep their bytes; new lines get the line end of their neighbours; a last
//! line without a line end stays without one.

use std::collections::BTreeMap;

use crate::reply::change::{Hunk, LineMark};
use crate::reply::placement::{CompareCount, LineText, PlacementError, TextLine, unmarked};

/// The edits of one file.
pub(crate) struct HunkMerge<'t, 'a> {
    text: LineText<'t>,
    /// The edits by their first line.
    splices: BTreeMap<usize, Splice<'a>>,
    /// Whether the last line has no line end, if the reply says so.
    lacks_newline: Option<bool>,
    sections: usize,
}

/// Lines that replace others.
struct Splice<'a> {
    end: usize,
    new: Vec<&'a str>,
    /// The line in the reply.
    line: usize,
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
        for hunk in hunks {
            let fail = |error| (hunk.line, MergeError::PlacementError(error));
            let length = hunk.old().count();
            if hunk.at.is_some_and(|at| at < stated_end) {
                return Err(fail(PlacementError::Overlap));
            }
            stated_end = hunk.at.map_or(stated_end, |at| at.saturating_add(length));
            let at = self.text.place(hunk, from, is_trusted, effort).map_err(fail)?;
            self.put(hunk, at).map_err(|error| (hunk.line, error))?;
            from = at + length;
        }
        Ok(())
    }

    fn put(&mut self, hunk: &Hunk<'a>, at: usize) -> Result<(), MergeError> {
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
            self.splice(start, Splice { end: here, new, line: hunk.line })?;
        }
        if hunk.old_lacks_newline || hunk.new_lacks_newline {
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
        let (mut added, mut removed) = (0, 0);
        let mut out: Vec<TextLine<'_>> = Vec::with_capacity(lines.len());
        let mut done = 0;
        for (start, splice) in &self.splices {
            out.extend(lines.get(done..*start).unwrap_or_default());
            let end = self.end_near(*start);
            out.extend(splice.new.iter().enumerate().map(|(index, text)| {
                let is_first = *start == 0 && index == 0 && !self.text.mark.is_empty();
                TextLine { text: if is_first { unmarked(text) } else { text.as_bytes() }, end }
            }));
            added += splice.new.len();
            removed += splice.end - start;
            done = splice.end;
        }
        out.extend(lines.get(done..).unwrap_or_default());
        let was_unended = lines.last().is_some_and(|line| line.end.is_empty());
        let lacks_newline = self.lacks_newline.unwrap_or(was_unended);
        let bytes = joined(self.text.mark, &out, lacks_newline, self.end_near(lines.len()));
        MergedText { bytes, added, removed }
    }

    /// The line end used around a line.
    fn end_near(&self, at: usize) -> &'t [u8] {
        let lines = &self.text.lines;
        let before = at.checked_sub(1).and_then(|at| lines.get(at));
        let near = [lines.get(at), before].into_iter().flatten();
        near.map(|line| line.end).find(|end| !end.is_empty()).unwrap_or(self.first_end())
    }

    fn first_end(&self) -> &'t [u8] {
        self.text.lines.first().map(|line| line.end).filter(|end| !end.is_empty()).unwrap_or(b"\n")
    }
}

fn joined(mark: &[u8], lines: &[TextLine<'_>], lacks_newline: bool, usual: &[u8]) -> Vec<u8> {
    let Some(last) = lines.len().checked_sub(1) else { return Vec::new() };
    let mut bytes = mark.to_vec();
    for (index, line) in lines.iter().enumerate() {
        bytes.extend(line.text);
        if index < last || !lacks_newline {
            bytes.extend(if line.end.is_empty() { usual } else { line.end });
        }
    }
    bytes
}

/// The bytes of a file with these lines.
pub(crate) fn whole(lines: &[&str], lacks_newline: bool, usual: &[u8]) -> Vec<u8> {
    let lines: Vec<_> =
        lines.iter().map(|line| TextLine { text: line.as_bytes(), end: usual }).collect();
    joined(b"", &lines, lacks_newline, usual)
}

/// The line end of a text: that of its first line.
pub(crate) fn usual_end(bytes: &[u8]) -> &'static [u8] {
    let first = bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    if first.ends_with(b"\r\n") { b"\r\n" } else { b"\n" }
}
