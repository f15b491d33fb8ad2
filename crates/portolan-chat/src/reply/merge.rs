//! Putting hunks into a text: all of them are for the text as it was, and none touches what another
//! does. Lines that are not touched keep their bytes; new ones get the line end of their neighbours, and
//! a last line without one stays without.

use std::collections::BTreeMap;

use crate::reply::change::{Hunk, Mark};
use crate::reply::text::{unmarked, Effort, Line, Misplaced, Text};

/// The edits of one file.
pub(crate) struct Merge<'t, 'a> {
    text: Text<'t>,
    /// By their first line.
    splices: BTreeMap<usize, Splice<'a>>,
    /// Whether it is said that the last line has no end.
    is_unended: Option<bool>,
    sections: usize,
}

/// Lines that take the place of others.
struct Splice<'a> {
    end: usize,
    new: Vec<&'a str>,
    /// Where in the reply.
    line: usize,
}

/// Why a hunk could not be put in.
pub(crate) enum Unmerged {
    /// It has no place.
    Misplaced(Misplaced),
    /// Another, at this line of the reply, touches the same lines.
    Conflict(usize),
}

/// What came of the edits.
pub(crate) struct Merged {
    pub(crate) bytes: Vec<u8>,
    pub(crate) added: usize,
    pub(crate) removed: usize,
}

impl<'t, 'a> Merge<'t, 'a> {
    pub(crate) fn new(bytes: &'t [u8]) -> Self {
        Self { text: Text::new(bytes), splices: BTreeMap::new(), is_unended: None, sections: 0 }
    }

    /// Puts the hunks of one section in. Those of a later section are found by their text alone: the
    /// numbers may count the lines that an earlier one added.
    pub(crate) fn section(
        &mut self,
        hunks: &[Hunk<'a>],
        effort: &mut Effort,
    ) -> Result<(), (usize, Unmerged)> {
        let is_trusted = self.sections == 0;
        self.sections += 1;
        let (mut from, mut said) = (0, 0);
        for hunk in hunks {
            let fail = |error| (hunk.line, Unmerged::Misplaced(error));
            let length = hunk.old().count();
            if hunk.at.is_some_and(|at| at < said) {
                return Err(fail(Misplaced::Overlap));
            }
            said = hunk.at.map_or(said, |at| at.saturating_add(length));
            let at = self.text.place(hunk, from, is_trusted, effort).map_err(fail)?;
            self.put(hunk, at).map_err(|error| (hunk.line, error))?;
            from = at + length;
        }
        Ok(())
    }

    fn put(&mut self, hunk: &Hunk<'a>, at: usize) -> Result<(), Unmerged> {
        let mut here = at;
        let mut lines = hunk.lines.iter().peekable();
        while let Some((mark, _)) = lines.peek() {
            if *mark == Mark::Keep {
                lines.next();
                here += 1;
                continue;
            }
            let start = here;
            let mut new = Vec::new();
            while let Some((mark, text)) = lines.next_if(|(mark, _)| *mark != Mark::Keep) {
                match mark {
                    Mark::Add => new.push(*text),
                    Mark::Drop | Mark::Keep => here += 1,
                }
            }
            self.splice(start, Splice { end: here, new, line: hunk.line })?;
        }
        if hunk.is_old_unended || hunk.is_new_unended {
            self.is_unended = Some(hunk.is_new_unended);
        }
        Ok(())
    }

    fn splice(&mut self, start: usize, splice: Splice<'a>) -> Result<(), Unmerged> {
        let before = self.splices.range(..start).next_back();
        let before = before.filter(|(_, other)| other.end > start);
        let at = self.splices.range(start..splice.end.max(start + 1)).next();
        // What is put right behind the lines of another is no conflict; at the same place it is.
        let at = at.filter(|(other, _)| **other == start || **other < splice.end);
        if let Some((_, other)) = before.or(at) {
            return Err(Unmerged::Conflict(other.line));
        }
        self.splices.insert(start, splice);
        Ok(())
    }

    /// The text with all of it in place.
    pub(crate) fn finish(self) -> Merged {
        let lines = &self.text.lines;
        let (mut added, mut removed) = (0, 0);
        let mut out: Vec<Line<'_>> = Vec::with_capacity(lines.len());
        let mut done = 0;
        for (start, splice) in &self.splices {
            out.extend(lines.get(done..*start).unwrap_or_default());
            let end = self.end_near(*start);
            out.extend(splice.new.iter().enumerate().map(|(index, text)| {
                let is_first = *start == 0 && index == 0 && !self.text.mark.is_empty();
                Line { text: if is_first { unmarked(text) } else { text.as_bytes() }, end }
            }));
            added += splice.new.len();
            removed += splice.end - start;
            done = splice.end;
        }
        out.extend(lines.get(done..).unwrap_or_default());
        let was_unended = lines.last().is_some_and(|line| line.end.is_empty());
        let is_unended = self.is_unended.unwrap_or(was_unended);
        let bytes = joined(self.text.mark, &out, is_unended, self.end_near(lines.len()));
        Merged { bytes, added, removed }
    }

    /// The line end that is in use around a line.
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

fn joined(mark: &[u8], lines: &[Line<'_>], is_unended: bool, usual: &[u8]) -> Vec<u8> {
    let Some(last) = lines.len().checked_sub(1) else { return Vec::new() };
    let mut bytes = mark.to_vec();
    for (index, line) in lines.iter().enumerate() {
        bytes.extend(line.text);
        if index < last || !is_unended {
            bytes.extend(if line.end.is_empty() { usual } else { line.end });
        }
    }
    bytes
}

/// The bytes of a file that is made of lines.
pub(crate) fn whole(lines: &[&str], is_unended: bool, usual: &[u8]) -> Vec<u8> {
    let lines: Vec<_> =
        lines.iter().map(|line| Line { text: line.as_bytes(), end: usual }).collect();
    joined(b"", &lines, is_unended, usual)
}

/// The line end of a text: that of its first line.
pub(crate) fn usual_end(bytes: &[u8]) -> &'static [u8] {
    let first = bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    if first.ends_with(b"\r\n") { b"\r\n" } else { b"\n" }
}
