//! Reads a reply in one pass: fenced blocks, patches in the text, headings and prose.

use crate::reply::change::{
    FileOperation, ReplyNote, ReplyProblem, ReplyProblemKind, RequestedChange, WrittenPath,
};
use crate::reply::claims::{self, Claim};
use crate::reply::cursor::{Container, LineCursor};
use crate::reply::document::{
    FencedBlock, Heading, MarkdownDocument, heading_target, patch_word, path_line,
};
use crate::reply::{apply_patch, file_ops, search_replace, unified, unsupported};

/// A parsed reply.
#[derive(Debug, Default)]
pub struct ParsedReply<'a> {
    /// The headings and the prose.
    pub document: MarkdownDocument<'a>,
    /// The requested changes, in the order of the reply.
    pub changes: Vec<RequestedChange<'a>>,
    /// Text that looks like a patch and cannot be read as one, in the order of the reply.
    pub problems: Vec<ReplyProblem>,
    /// What was corrected while it was read, in the order of the reply.
    pub notes: Vec<ReplyNote>,
    /// Possible changes in unsupported formats, in the order of the reply.
    pub claims: Vec<Claim<'a>>,
}

/// The output of the readers of the patch formats.
#[derive(Debug, Default)]
pub(crate) struct ParsedChanges<'a> {
    pub(crate) changes: Vec<RequestedChange<'a>>,
    pub(crate) problems: Vec<ReplyProblem>,
    pub(crate) notes: Vec<ReplyNote>,
    /// The lines of the reply, each with the carriage return before its line end, if it has one.
    exact: Vec<&'a str>,
}

impl<'a> ParsedChanges<'a> {
    fn new(text: &'a str) -> Self {
        Self { exact: text.split('\n').collect(), ..Self::default() }
    }

    /// The end of a line of the reply as it was read, with its carriage return.
    pub(crate) fn with_return(&self, line: usize, text: &'a str) -> &'a str {
        let exact = line.checked_sub(1).and_then(|index| self.exact.get(index));
        let whole = exact.filter(|exact| exact.ends_with('\r') && !self.is_cut(line));
        whole
            .and_then(|exact| exact.get(exact.len().checked_sub(text.len() + 1)?..))
            .unwrap_or(text)
    }

    /// Whether a line of the reply is the last one and has no line end.
    pub(crate) fn is_cut(&self, line: usize) -> bool {
        line >= self.exact.len()
    }

    pub(crate) fn note(&mut self, line: usize, message: impl Into<String>) {
        self.notes.push(ReplyNote { line, message: message.into() });
    }

    pub(crate) fn problem(
        &mut self,
        line: usize,
        kind: ReplyProblemKind,
        message: impl Into<String>,
    ) {
        self.problems.push(ReplyProblem { line, kind, message: message.into() });
    }

    pub(crate) fn unread(&mut self, line: usize, message: impl Into<String>) {
        self.problem(line, ReplyProblemKind::Unread, message);
    }
}

/// Reads a reply.
pub fn read(text: &str) -> ParsedReply<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.lines().collect();
    let mut reader = ReplyReader { found: ParsedChanges::new(text), ..ReplyReader::default() };
    let mut index = 0;
    while index < lines.len() {
        index += reader.step(&lines, index);
    }
    reader.finish()
}

#[derive(Default)]
struct ReplyReader<'a> {
    document: MarkdownDocument<'a>,
    found: ParsedChanges<'a>,
    /// The file of the last search and replace block: a block without a name is for the same file.
    last_search_replace: Option<String>,
    /// Whether each heading has a patch below it.
    answered: Vec<bool>,
    claims: Vec<Claim<'a>>,
    comments: Comments,
}

/// The lines that are hidden in HTML comments.
#[derive(Default)]
struct Comments {
    /// The first and the last line of each comment, in order.
    ranges: Vec<(usize, usize)>,
    /// Whether no comment is closed from here on.
    is_last: bool,
}

impl Comments {
    /// Records a comment that a line of prose opens.
    fn record(&mut self, lines: &[&str], index: usize) {
        if self.is_last || self.has(index + 1) {
            return;
        }
        let Some(is_block) = unsupported::opens_comment(lines[index]) else { return };
        let behind = lines[index + 1..].iter().position(|line| line.contains("-->"));
        if let Some(count) = behind {
            self.ranges.push((index + 1, index + 2 + count));
        } else {
            self.is_last = true;
            // In the middle of a paragraph, an unclosed comment is displayed.
            self.ranges.extend(is_block.then_some((index + 1, lines.len())));
        }
    }

    fn has(&self, line: usize) -> bool {
        let next = self.ranges.partition_point(|(from, _)| *from <= line);
        next.checked_sub(1).is_some_and(|range| self.ranges[range].1 >= line)
    }
}

/// The formats that start with a distinctive line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PatchFormat {
    Diff,
    ApplyPatch,
    SearchReplace,
}

fn format_at(cursor: &LineCursor<'_, '_>) -> Option<PatchFormat> {
    let line = cursor.peek()?;
    if unified::begins(cursor) {
        Some(PatchFormat::Diff)
    } else if apply_patch::begins(line) {
        Some(PatchFormat::ApplyPatch)
    } else if search_replace::begins(line) {
        Some(PatchFormat::SearchReplace)
    } else {
        None
    }
}

/// Whether a block contains a patch.
fn has_patch(block: &FencedBlock<'_>) -> bool {
    let lines = block.at_margin();
    let mut cursor = LineCursor::fenced(&lines, block.line + 1);
    while cursor.peek().is_some() {
        if format_at(&cursor).is_some() {
            return true;
        }
        cursor.advance();
    }
    false
}

impl<'a> ReplyReader<'a> {
    /// Reads the element that starts at a line and returns the number of its lines.
    fn step(&mut self, lines: &[&'a str], index: usize) -> usize {
        let (number, line) = (index + 1, lines[index]);
        let mut cursor = LineCursor::unfenced(lines, index, Container::of(line).0);
        if let Some(format) = format_at(&cursor) {
            self.patch(format, &mut cursor, None);
            return (cursor.index() - index).max(1);
        }
        if let Some((block, taken)) = FencedBlock::at(lines, index) {
            self.block(block);
            return taken;
        }
        if let Some(heading) = Heading::of(number, line).or_else(|| file_ops::heading(number, line))
        {
            self.document.headings.push(heading);
            self.answered.push(false);
            return 1;
        }
        let next = lines.get(index + 1).map(|next| Container::of(next).1);
        if let Some(message) = unsupported::line(Container::of(line).1, next) {
            self.found.unread(number, message);
        }
        self.comments.record(lines, index);
        self.document.prose.push((number, line));
        1
    }

    /// The file that the text before a line names.
    fn named(&self, line: usize) -> Option<String> {
        let above = self.document.prose_before(line).and_then(path_line);
        let heading = || self.document.headings.last().and_then(|h| heading_target(h.text));
        above.or_else(heading)
    }

    fn patch(&mut self, format: PatchFormat, cursor: &mut LineCursor<'_, 'a>, named: Option<&str>) {
        if let Some(answered) = self.answered.last_mut() {
            *answered = true;
        }
        match format {
            PatchFormat::Diff => unified::read(cursor, None, &mut self.found),
            PatchFormat::ApplyPatch => apply_patch::read(cursor, &mut self.found),
            PatchFormat::SearchReplace => {
                let named = named.map(ToOwned::to_owned).or_else(|| self.named(cursor.number()));
                let path = named.or_else(|| self.last_search_replace.clone());
                search_replace::read(cursor, path.as_deref(), &mut self.found);
                self.last_search_replace = path;
            }
        }
    }

    fn block(&mut self, mut block: FencedBlock<'a>) {
        block.heading = self.document.headings.len().checked_sub(1);
        let language = block.language();
        let is_diff = unsupported::is_diff(&language);
        let (changes, problems) = (self.found.changes.len(), self.found.problems.len());
        let is_below = self.document.heading_of(&block).is_some_and(file_ops::is_heading);
        block.is_operations = is_below && !is_diff && !has_patch(&block);
        if !block.is_operations {
            self.patches_of(&block, is_diff);
        }
        let is_patch = self.found.changes.len() > changes;
        if !is_patch && self.found.problems.len() == problems {
            self.whole_file(&block, is_diff);
        } else if !block.is_closed {
            let message = "the block of the patch is not closed: the reply may be cut off";
            self.found.unread(block.line, message);
            self.found.changes[changes..].iter_mut().for_each(|change| change.is_broken = true);
        }
        if self.found.changes.len() > changes || self.found.problems.len() > problems {
            self.answer(&block);
        }
        self.document.blocks.push(block);
    }

    fn answer(&mut self, block: &FencedBlock<'_>) {
        if let Some(answered) = block.heading.and_then(|index| self.answered.get_mut(index)) {
            *answered = true;
        }
    }

    /// Reads the patches in a block.
    fn patches_of(&mut self, block: &FencedBlock<'a>, is_diff: bool) {
        let lines = block.at_margin();
        let mut cursor = LineCursor::fenced(&lines, block.line + 1);
        let mut named = block.info.split_once([':', ' ']).and_then(|(_, path)| path_line(path));
        named = named.or_else(|| self.named(block.line));
        let (mut is_first, mut is_loose, mut beside) = (true, false, Vec::new());
        while let Some(line) = cursor.peek() {
            let before = self.found.changes.len();
            if let Some(format) = format_at(&cursor) {
                self.patch(format, &mut cursor, named.as_deref());
                if format == PatchFormat::SearchReplace {
                    named.clone_from(&self.last_search_replace);
                }
            } else if is_diff && is_first && line.starts_with("@@") {
                unified::read(&mut cursor, named.as_deref(), &mut self.found);
            } else {
                let is_reported = self.loose_line(line, &cursor, is_diff && !is_loose, &mut named);
                is_loose |= is_reported;
                beside.push((cursor.number(), line));
                cursor.advance();
            }
            is_first &= self.found.changes.len() == before;
        }
        if beside.len() < lines.len() {
            self.claims.extend(claims::beside(&beside));
        }
    }

    /// Checks a line of a block that is in no patch. Returns whether it was reported.
    fn loose_line(
        &mut self,
        line: &str,
        cursor: &LineCursor<'_, '_>,
        is_diff: bool,
        named: &mut Option<String>,
    ) -> bool {
        let next_is_exchange = cursor.ahead(1).is_some_and(search_replace::begins);
        let is_hunk_line = line.starts_with(['+', '-']) && !unified::is_signature(line);
        if next_is_exchange && let Some(path) = path_line(line) {
            *named = Some(path);
        } else if let Some(message) = unsupported::line(line, cursor.ahead(1)) {
            self.found.unread(cursor.number(), message);
        } else if is_diff && is_hunk_line {
            let message = "a line of a diff that belongs to no hunk (`@@ -1,2 +1,3 @@`)";
            self.found.unread(cursor.number(), message);
            return true;
        }
        false
    }

    /// Reads a whole file below a heading `Patch: path`.
    fn whole_file(&mut self, block: &FencedBlock<'a>, is_diff: bool) {
        let heading = self.document.heading_of(block).filter(|text| patch_word(text).is_some());
        if is_diff {
            self.found.unread(block.line, "a `diff` block without a patch in it");
        } else if let Some(heading) = heading {
            if !block.is_closed {
                let message = "the block of the file is not closed: the reply may be cut off";
                self.found.unread(block.line, message);
            }
            match heading_target(heading) {
                None => {
                    let message = "the patch names no file";
                    self.found.problem(block.line, ReplyProblemKind::NoName, message);
                }
                Some(path) => self.found.changes.push(RequestedChange {
                    line: block.line,
                    what: FileOperation::Replace {
                        path: WrittenPath::plain(&path),
                        lines: block.lines.clone(),
                    },
                    is_broken: !block.is_closed,
                }),
            }
        } else if !block.is_operations {
            self.claims.extend(claims::of_block(&self.document, block));
        }
    }

    /// Reports changes in HTML comments, which a reader of the reply does not see, and incomplete
    /// ones.
    fn report_hidden_and_elided(&mut self) {
        let ParsedChanges { changes, problems, .. } = &mut self.found;
        let mut unread = |line, message: &str| {
            problems.push(ReplyProblem {
                line,
                kind: ReplyProblemKind::Unread,
                message: message.to_owned(),
            });
        };
        for change in changes {
            if self.comments.has(change.line) {
                unread(change.line, "a patch inside an HTML comment: nobody sees it there");
            }
            if unsupported::is_elided(change) {
                let message =
                    "a line such as `... existing code ...` stands for others: write them";
                unread(change.line, message);
            }
        }
    }

    fn finish(mut self) -> ParsedReply<'a> {
        file_ops::read(&self.document, &mut self.found);
        for (index, heading) in self.document.headings.iter().enumerate() {
            if self.answered[index] {
                continue;
            }
            if patch_word(heading.text).is_some() {
                self.found.unread(heading.line, "a heading announces a patch, but there is none");
            }
        }
        self.report_hidden_and_elided();
        let ParsedChanges { mut changes, mut problems, mut notes, .. } = self.found;
        changes.sort_by_key(|change| change.line);
        problems.sort();
        problems.dedup();
        notes.sort();
        let mut claims = self.claims;
        let listed = self.document.section_below(file_ops::is_heading);
        let is_listed = |line: usize| listed.binary_search_by_key(&line, |(at, _)| *at).is_ok();
        let prose = self.document.prose.iter().copied().filter(|(line, _)| !is_listed(*line));
        claims.extend(claims::of_prose(&prose.collect::<Vec<_>>()));
        claims.sort_by_key(|claim| claim.line);
        ParsedReply { document: self.document, changes, problems, notes, claims }
    }
}
