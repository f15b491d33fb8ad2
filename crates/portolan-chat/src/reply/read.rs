//! One pass over a reply: fenced blocks, patches that stand in the text, headings and prose.


use crate::reply::change::{Change, Name, Problem, ProblemKind, What};
use crate::reply::claims::{self, Claim};
use crate::reply::cursor::{Container, Cursor};
use crate::reply::document::{heading_target, patch_word, path_line, Block, Document, Heading};
use crate::reply::{envelope, exchange, file_ops, suspect, unified};

/// A reply, read.
#[derive(Debug, Default)]
pub struct Reply<'a> {
    /// Its parts.
    pub document: Document<'a>,
    /// What it asks for, in its order.
    pub changes: Vec<Change<'a>>,
    /// What looks like a patch and cannot be taken for one, in its order.
    pub problems: Vec<Problem>,
    /// What may be a change in another form, in its order.
    pub claims: Vec<Claim<'a>>,
}

/// What the reader of a form gives.
#[derive(Debug, Default)]
pub(crate) struct Found<'a> {
    pub(crate) changes: Vec<Change<'a>>,
    pub(crate) problems: Vec<Problem>,
}

impl Found<'_> {
    pub(crate) fn problem(&mut self, line: usize, kind: ProblemKind, message: impl Into<String>) {
        self.problems.push(Problem { line, kind, message: message.into() });
    }

    pub(crate) fn unread(&mut self, line: usize, message: impl Into<String>) {
        self.problem(line, ProblemKind::Unread, message);
    }
}

/// Reads a reply.
pub fn read(text: &str) -> Reply<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.lines().collect();
    let mut reader = ReplyReader::default();
    let mut index = 0;
    while index < lines.len() {
        index += reader.step(&lines, index);
    }
    reader.finish()
}

#[derive(Default)]
struct ReplyReader<'a> {
    document: Document<'a>,
    found: Found<'a>,
    /// The file that the last exchange was for: one that names none is for the same.
    last_exchange: Option<String>,
    /// Which headings have a patch below them.
    answered: Vec<bool>,
    claims: Vec<Claim<'a>>,
    comments: Comments,
}

/// The lines that are hidden in HTML comments.
#[derive(Default)]
struct Comments {
    /// From and to, in order.
    ranges: Vec<(usize, usize)>,
    /// Whether none is closed from here on.
    is_last: bool,
}

impl Comments {
    /// Looks at a line of prose.
    fn look(&mut self, lines: &[&str], index: usize) {
        if self.is_last || self.has(index + 1) {
            return;
        }
        let Some(is_block) = suspect::opens_comment(lines[index]) else { return };
        let behind = lines[index + 1..].iter().position(|line| line.contains("-->"));
        if let Some(count) = behind {
            self.ranges.push((index + 1, index + 2 + count));
        } else {
            self.is_last = true;
            // Where a paragraph goes on, what is never closed is shown.
            self.ranges.extend(is_block.then_some((index + 1, lines.len())));
        }
    }

    fn has(&self, line: usize) -> bool {
        let next = self.ranges.partition_point(|(from, _)| *from <= line);
        next.checked_sub(1).is_some_and(|range| self.ranges[range].1 >= line)
    }
}

/// The forms that begin with a line of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Diff,
    Envelope,
    Exchange,
}

fn form_at(cursor: &Cursor<'_, '_>) -> Option<Form> {
    let line = cursor.peek()?;
    if unified::begins(cursor) {
        Some(Form::Diff)
    } else if envelope::begins(line) {
        Some(Form::Envelope)
    } else if exchange::begins(line) {
        Some(Form::Exchange)
    } else {
        None
    }
}

/// Whether a block has a patch in it.
fn has_form(block: &Block<'_>) -> bool {
    let lines = block.at_margin();
    let mut cursor = Cursor::fenced(&lines, block.line + 1);
    while cursor.peek().is_some() {
        if form_at(&cursor).is_some() {
            return true;
        }
        cursor.advance();
    }
    false
}

impl<'a> ReplyReader<'a> {
    /// Reads what begins at a line; how many lines that takes.
    fn step(&mut self, lines: &[&'a str], index: usize) -> usize {
        let (number, line) = (index + 1, lines[index]);
        let mut cursor = Cursor::unfenced(lines, index, Container::of(line).0);
        if let Some(form) = form_at(&cursor) {
            self.patch(form, &mut cursor, None);
            return (cursor.index() - index).max(1);
        }
        if let Some((block, taken)) = Block::at(lines, index) {
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
        if let Some(message) = suspect::line(Container::of(line).1, next) {
            self.found.unread(number, message);
        }
        self.comments.look(lines, index);
        self.document.prose.push((number, line));
        1
    }

    /// The file that the text around a line names.
    fn named(&self, line: usize) -> Option<String> {
        let above = self.document.prose_before(line).and_then(path_line);
        let heading = || self.document.headings.last().and_then(|h| heading_target(h.text));
        above.or_else(heading)
    }

    fn patch(&mut self, form: Form, cursor: &mut Cursor<'_, 'a>, named: Option<&str>) {
        if let Some(answered) = self.answered.last_mut() {
            *answered = true;
        }
        match form {
            Form::Diff => unified::read(cursor, None, &mut self.found),
            Form::Envelope => envelope::read(cursor, &mut self.found),
            Form::Exchange => {
                let named = named.map(ToOwned::to_owned).or_else(|| self.named(cursor.number()));
                let path = named.or_else(|| self.last_exchange.clone());
                exchange::read(cursor, path.as_deref(), &mut self.found);
                self.last_exchange = path;
            }
        }
    }

    fn block(&mut self, mut block: Block<'a>) {
        block.heading = self.document.headings.len().checked_sub(1);
        let language = block.language();
        let is_diff = suspect::is_diff(&language);
        let (changes, problems) = (self.found.changes.len(), self.found.problems.len());
        let is_below = self.document.heading_of(&block).is_some_and(file_ops::is_heading);
        block.is_operations = is_below && !is_diff && !has_form(&block);
        if !block.is_operations {
            self.patches_of(&block, is_diff);
        }
        let is_patch = self.found.changes.len() > changes;
        if !is_patch && self.found.problems.len() == problems {
            self.whole_file(&block, is_diff);
        } else if !block.is_closed {
            let message = "the block of the patch is not closed: the reply may be cut off";
            self.found.unread(block.line, message);
        }
        if self.found.changes.len() > changes || self.found.problems.len() > problems {
            self.answer(&block);
        }
        self.document.blocks.push(block);
    }

    fn answer(&mut self, block: &Block<'_>) {
        if let Some(answered) = block.heading.and_then(|index| self.answered.get_mut(index)) {
            *answered = true;
        }
    }

    /// The patches in a block.
    fn patches_of(&mut self, block: &Block<'a>, is_diff: bool) {
        let lines = block.at_margin();
        let mut cursor = Cursor::fenced(&lines, block.line + 1);
        let mut named = block.info.split_once([':', ' ']).and_then(|(_, path)| path_line(path));
        named = named.or_else(|| self.named(block.line));
        let (mut is_first, mut is_loose, mut beside) = (true, false, Vec::new());
        while let Some(line) = cursor.peek() {
            let before = self.found.changes.len();
            if let Some(form) = form_at(&cursor) {
                self.patch(form, &mut cursor, named.as_deref());
                if form == Form::Exchange {
                    named.clone_from(&self.last_exchange);
                }
            } else if is_diff && is_first && line.starts_with("@@") {
                unified::read(&mut cursor, named.as_deref(), &mut self.found);
            } else {
                let is_told = self.loose_line(line, &cursor, is_diff && !is_loose, &mut named);
                is_loose |= is_told;
                beside.push((cursor.number(), line));
                cursor.advance();
            }
            is_first &= self.found.changes.len() == before;
        }
        if beside.len() < lines.len() {
            self.claims.extend(claims::beside(&beside));
        }
    }

    /// A line of a block that is in no patch. Answers whether it was told that it should be in one.
    fn loose_line(
        &mut self,
        line: &str,
        cursor: &Cursor<'_, '_>,
        is_diff: bool,
        named: &mut Option<String>,
    ) -> bool {
        let next_is_exchange = cursor.ahead(1).is_some_and(exchange::begins);
        let is_hunk_line = line.starts_with(['+', '-']) && !unified::is_signature(line);
        if next_is_exchange && let Some(path) = path_line(line) {
            *named = Some(path);
        } else if let Some(message) = suspect::line(line, cursor.ahead(1)) {
            self.found.unread(cursor.number(), message);
        } else if is_diff && is_hunk_line {
            let message = "a line of a diff that belongs to no hunk (`@@ -1,2 +1,3 @@`)";
            self.found.unread(cursor.number(), message);
            return true;
        }
        false
    }

    /// A whole file below a heading `Patch: path`.
    fn whole_file(&mut self, block: &Block<'a>, is_diff: bool) {
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
                    self.found.problem(block.line, ProblemKind::NoName, message);
                }
                Some(path) => self.found.changes.push(Change {
                    line: block.line,
                    what: What::Replace { path: Name::plain(&path), lines: block.lines.clone() },
                    is_broken: !block.is_closed,
                }),
            }
        } else if !block.is_operations {
            self.claims.extend(claims::of_block(&self.document, block));
        }
    }

    /// Changes that nobody sees who reads the reply, and those that do not say all.
    fn dubious(&mut self) {
        let Found { changes, problems } = &mut self.found;
        let mut unread = |line, message: &str| {
            problems.push(Problem { line, kind: ProblemKind::Unread, message: message.to_owned() });
        };
        for change in changes {
            if self.comments.has(change.line) {
                unread(change.line, "a patch inside of an HTML comment: nobody sees it there");
            }
            if suspect::is_elided(change) {
                let message =
                    "a line such as `... existing code ...` stands for others: write them";
                unread(change.line, message);
            }
        }
    }

    fn finish(mut self) -> Reply<'a> {
        file_ops::read(&self.document, &mut self.found);
        for (index, heading) in self.document.headings.iter().enumerate() {
            if self.answered[index] {
                continue;
            }
            if patch_word(heading.text).is_some() {
                self.found.unread(heading.line, "a heading announces a patch, and there is none");
            }
        }
        self.dubious();
        let Found { mut changes, mut problems } = self.found;
        changes.sort_by_key(|change| change.line);
        problems.sort();
        problems.dedup();
        let mut claims = self.claims;
        let listed = self.document.section_below(file_ops::is_heading);
        let is_listed = |line: usize| listed.binary_search_by_key(&line, |(at, _)| *at).is_ok();
        let prose = self.document.prose.iter().copied().filter(|(line, _)| !is_listed(*line));
        claims.extend(claims::of_prose(&prose.collect::<Vec<_>>()));
        claims.sort_by_key(|claim| claim.line);
        Reply { document: self.document, changes, problems, claims }
    }
}
