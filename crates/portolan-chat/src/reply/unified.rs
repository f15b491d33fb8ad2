//! Reads unified diffs, with or without git's headers.
//!
//! A hunk that is not as long as its header says is counted again, as `git apply --recount` does it,
//! with a note; unless the reply ends in it. A header without numbers (`@@ … @@`) is accepted too;
//! then the text alone determines the position. Whatever else git calls corrupt is a problem.

mod names;

use crate::reply::change::{
    FileMode, FileOperation, Hunk, LineMark, ReplyProblemKind, RequestedChange, WrittenPath,
};
use crate::reply::cursor::LineCursor;
use crate::reply::read::ParsedChanges;
use names::{DiffNames, header_names, quoted};

/// Whether a diff starts here.
pub(crate) fn begins(cursor: &LineCursor<'_, '_>) -> bool {
    let Some(line) = cursor.peek() else { return false };
    line.starts_with("diff --git ") || is_name_pair(cursor, line)
}

fn is_name_pair(cursor: &LineCursor<'_, '_>, line: &str) -> bool {
    line.starts_with("--- ") && cursor.ahead(1).is_some_and(|next| next.starts_with("+++ "))
}

/// Whether it is the line that ends mailed patches.
pub(crate) fn is_signature(line: &str) -> bool {
    matches!(line, "-- " | "--")
}

/// Reads the diff of one file. A diff without headers is for the file that the text around it
/// names.
pub(crate) fn read<'a>(
    cursor: &mut LineCursor<'_, 'a>,
    named: Option<&str>,
    found: &mut ParsedChanges<'a>,
) {
    let mut section = Section { line: cursor.number(), ..Section::default() };
    let problems = found.problems.len();
    section.head(cursor, found);
    while let Some(line) = cursor.peek() {
        if !line.starts_with("@@") {
            break;
        }
        let hunk = read_hunk(cursor, found);
        section.hunks.extend(hunk);
    }
    section.is_broken = found.problems.len() > problems;
    section.finish(named, found);
}

/// The diff of one file while it is read.
#[derive(Default)]
struct Section<'a> {
    line: usize,
    /// The rest of the line `diff --git`.
    git: Option<&'a str>,
    /// The pair `---` and `+++`.
    pair: Option<(&'a str, &'a str)>,
    moved: [Option<&'a str>; 2],
    copied: [Option<&'a str>; 2],
    is_new: bool,
    is_deleted: bool,
    mode: Option<FileMode>,
    hunks: Vec<Hunk<'a>>,
    is_broken: bool,
}

impl<'a> Section<'a> {
    fn head(&mut self, cursor: &mut LineCursor<'_, 'a>, found: &mut ParsedChanges<'a>) {
        if let Some(names) = cursor.peek().and_then(|line| line.strip_prefix("diff --git ")) {
            self.git = Some(names);
            cursor.advance();
            while let Some(line) = cursor.peek() {
                if !self.extended(line, cursor.number(), found) {
                    break;
                }
                cursor.advance();
            }
        }
        if let (Some(old), Some(new)) = (cursor.peek(), cursor.ahead(1))
            && let (Some(old), Some(new)) = (old.strip_prefix("--- "), new.strip_prefix("+++ "))
        {
            self.pair = Some((old, new));
            cursor.advance();
            cursor.advance();
        }
    }

    /// Reads one of the extended header lines that git puts before the hunks.
    fn extended(&mut self, line: &'a str, number: usize, found: &mut ParsedChanges<'a>) -> bool {
        let modes = ["old mode ", "new mode ", "new file mode ", "deleted file mode "];
        if let Some(head) = modes.iter().find(|head| line.starts_with(**head)) {
            let mode = mode_of(&line[head.len()..], number, found);
            self.is_new |= *head == "new file mode ";
            self.is_deleted |= *head == "deleted file mode ";
            if head.starts_with("new") {
                self.mode = mode;
            }
        } else if let Some(rest) = line.strip_prefix("index ") {
            if let Some(mode) = rest.split_whitespace().nth(1) {
                mode_of(mode, number, found);
            }
        } else if let Some(name) = line.strip_prefix("rename from ") {
            self.moved[0] = Some(name);
        } else if let Some(name) = line.strip_prefix("rename to ") {
            self.moved[1] = Some(name);
        } else if let Some(name) = line.strip_prefix("copy from ") {
            self.copied[0] = Some(name);
        } else if let Some(name) = line.strip_prefix("copy to ") {
            self.copied[1] = Some(name);
        } else if line == "GIT binary patch"
            || (line.starts_with("Binary files ") && line.ends_with(" differ"))
        {
            found.unread(number, "a binary patch: only text is patched");
        } else {
            return line.starts_with("similarity index ")
                || line.starts_with("dissimilarity index ");
        }
        true
    }

    fn finish(self, named: Option<&str>, found: &mut ParsedChanges<'a>) {
        let line = self.line;
        let names = match self.names(named) {
            Ok(names) => names,
            Err((kind, message)) => return found.problem(line, kind, message),
        };
        let problem = self.problem(&names);
        let is_broken = self.is_broken || problem.is_some();
        if let Some(message) = problem {
            found.unread(line, message);
        }
        let what = self.what(names);
        found.changes.push(RequestedChange { line, what, is_broken });
    }

    fn names(&self, named: Option<&str>) -> Result<DiffNames, (ReplyProblemKind, String)> {
        let nameless = || (ReplyProblemKind::NoName, "the patch names no file".to_owned());
        let pair = match (self.pair, self.git) {
            (Some((old, new)), _) => DiffNames::of_pair(old, new),
            (None, Some(names)) => header_names(names),
            (None, None) => {
                let path = WrittenPath::plain(named.ok_or_else(nameless)?);
                Some(DiffNames { old: Some(path.clone()), new: Some(path) })
            }
        };
        let [Some(from), Some(to)] = self.moved_or_copied() else {
            return pair.filter(DiffNames::has_one).ok_or_else(nameless);
        };
        let plain = |name: &str| WrittenPath::plain(&quoted(name));
        let names = DiffNames { old: Some(plain(from)), new: Some(plain(to)) };
        // Repeated names must agree.
        if pair.is_some_and(|pair| !pair.agrees_with(&names)) {
            let message = "the names of the diff differ from those of its rename or copy";
            return Err((ReplyProblemKind::Unread, message.to_owned()));
        }
        Ok(names)
    }

    fn moved_or_copied(&self) -> [Option<&'a str>; 2] {
        if self.moved == [None, None] { self.copied } else { self.moved }
    }

    fn has_both(&self) -> bool {
        self.moved_or_copied().iter().all(Option::is_some)
    }

    /// The problem with the diff as a whole, if any.
    fn problem(&self, names: &DiffNames) -> Option<&'static str> {
        let has_one_of = |pair: [Option<&str>; 2]| pair.iter().any(Option::is_some);
        let is_halved = has_one_of(self.moved_or_copied()) && !self.has_both();
        let is_created = names.old.is_none() || self.is_new;
        let is_deleted = names.new.is_none() || self.is_deleted;
        if is_halved || (has_one_of(self.moved) && has_one_of(self.copied)) {
            return Some("a rename or a copy has two names, `from` and `to`");
        }
        if let (Some(git), Some(_)) = (self.git, self.pair)
            && !header_names(git).is_some_and(|header| header.agrees_with(names))
        {
            return Some("the names after `diff --git` differ from those of `---` and `+++`");
        }
        if is_created && is_deleted {
            return Some("the diff both creates and deletes the file");
        }
        if !self.has_both() && !names.are_same() {
            return Some("the two names differ, and no `rename from` and `rename to` says why");
        }
        let says_more = self.has_both() || self.is_new || self.is_deleted || self.mode.is_some();
        if self.hunks.is_empty() && !self.is_broken && !(self.git.is_some() && says_more) {
            return Some("the diff has no hunk");
        }
        if is_created && !self.hunks.iter().all(|hunk| hunk.old().next().is_none()) {
            return Some("the diff of a new file has old lines");
        }
        if is_created && self.hunks.len() > 1 {
            return Some("the diff of a new file has more than one hunk");
        }
        None
    }

    fn what(self, names: DiffNames) -> FileOperation<'a> {
        let Self { hunks, mode, is_new, is_deleted, .. } = self;
        let is_copy = self.moved == [None, None] && self.copied != [None, None];
        let nothing = || WrittenPath::plain("");
        match (names.old, names.new) {
            (None, Some(path)) => created(path, &hunks, mode),
            (Some(_), Some(path)) if is_new => created(path, &hunks, mode),
            (Some(path), None) => FileOperation::Delete { path, hunks: Some(hunks) },
            (Some(path), Some(_)) if is_deleted => {
                FileOperation::Delete { path, hunks: Some(hunks) }
            }
            (Some(from), Some(to)) if is_copy => FileOperation::Copy { from, to, hunks, mode },
            (Some(from), Some(to)) if self.moved != [None, None] => {
                FileOperation::Move { from, to, hunks, mode }
            }
            (_, path) => FileOperation::Edit { path: path.unwrap_or_else(nothing), hunks, mode },
        }
    }
}

fn created<'a>(path: WrittenPath, hunks: &[Hunk<'a>], mode: Option<FileMode>) -> FileOperation<'a> {
    let lines = hunks.iter().flat_map(Hunk::new_lines).collect();
    let lacks_newline = hunks.last().is_some_and(|hunk| hunk.new_lacks_newline);
    FileOperation::Create { path, lines, lacks_newline, mode }
}

fn mode_of(text: &str, line: usize, found: &mut ParsedChanges<'_>) -> Option<FileMode> {
    let what = match text.trim() {
        "100644" | "100664" => return Some(FileMode::Plain),
        "100755" => return Some(FileMode::Executable),
        "120000" => "a symbolic link",
        "160000" => "a submodule",
        _ => "a file of an unknown mode",
    };
    found.problem(line, ReplyProblemKind::Special, format!("the patch is for {what}"));
    None
}

/// Reads a hunk: its header and the lines that it counts.
fn read_hunk<'a>(
    cursor: &mut LineCursor<'_, 'a>,
    found: &mut ParsedChanges<'a>,
) -> Option<Hunk<'a>> {
    let line = cursor.number();
    let header = Header::of(cursor.peek()?);
    cursor.advance();
    let start = *cursor;
    let mut body = HunkBody::new(line);
    let Some(header) = header else {
        found.unread(line, "a hunk's header is `@@ -FIRST,COUNT +FIRST,COUNT @@`");
        body.read(cursor, None, found);
        return None;
    };
    if let Header::Numbered { old, new } = header {
        let counts = (old.count, new.count);
        body.read(cursor, Some(counts), found);
        if body.counts() != counts {
            *cursor = start;
            body = HunkBody { is_recounted: true, ..HunkBody::new(line) };
            body.read(cursor, None, found);
            report_miscount(counts, &body, cursor, found);
        }
        body.hunk.at = Some(if body.old == 0 { old.first } else { old.first.saturating_sub(1) });
        body.hunk.new_at = Some(new.first.saturating_sub(1));
    } else {
        body.read(cursor, None, found);
    }
    if let Some((line, message)) = body.problem {
        found.unread(line, message);
    }
    if !body.hunk.changes_something() {
        found.unread(line, "the hunk changes nothing");
    }
    Some(body.hunk)
}

/// Reports a hunk that is not as long as its header says. Where the reply ends in it, or goes on with
/// something else, lines may be missing.
fn report_miscount(
    (old, new): (usize, usize),
    body: &HunkBody<'_>,
    cursor: &LineCursor<'_, '_>,
    found: &mut ParsedChanges<'_>,
) {
    let (line, (is_old, is_new)) = (body.hunk.line, body.counts());
    let message = format!(
        "the hunk header counts {old} old and {new} new lines, but the hunk has {is_old} and {is_new}"
    );
    let is_short = is_old < old || is_new < new;
    match cursor.peek() {
        None if is_short && !cursor.is_fenced => {
            found.unread(line, format!("{message}: the reply may be cut off"));
        }
        Some(next) if !ends_hunk(cursor, next) => {
            found.unread(cursor.number(), format!("{message}: no line of a hunk begins like this"));
        }
        _ => found.note(line, message),
    }
}

/// Whether a line ends a mailed patch, and is not the deletion of a line `-`: only git's version
/// follows.
fn ends_mail(cursor: &LineCursor<'_, '_>, line: &str) -> bool {
    let is_version = |next: &str| next.starts_with(|c: char| c.is_ascii_digit());
    is_signature(line) && cursor.ahead(1).map_or(line.ends_with(' '), is_version)
}

/// Whether a line may follow a hunk that was counted again.
fn ends_hunk(cursor: &LineCursor<'_, '_>, line: &str) -> bool {
    line.is_empty()
        || line.starts_with("@@")
        || line.starts_with("diff ")
        || is_name_pair(cursor, line)
}

/// The text after `@@`.
enum Header {
    /// ` -12,3 +12,4 @@`.
    Numbered { old: Range, new: Range },
    /// Nothing, or other words.
    Free,
}

impl Header {
    fn of(line: &str) -> Option<Self> {
        let text = line.strip_prefix("@@")?;
        if let Some(rest) = text.strip_prefix(" -") {
            let (ranges, _) = rest.split_once(" @@")?;
            let (old, new) = ranges.split_once(" +")?;
            let (old, new) = (Range::of(old)?, Range::of(new)?);
            return (old.first > 0 || old.count == 0).then_some(Self::Numbered { old, new });
        }
        let is_damaged = text.starts_with('@') || text.split_whitespace().any(is_numeric);
        (!is_damaged).then_some(Self::Free)
    }
}

/// Whether a word is, or was, a range of a header.
fn is_numeric(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | ',' | '@');
    word.chars().all(is_part) && word.contains(|c: char| c.is_ascii_digit())
}

/// `12,3`, or `12` for one line.
#[derive(Clone, Copy)]
struct Range {
    first: usize,
    count: usize,
}

impl Range {
    fn of(text: &str) -> Option<Self> {
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse().ok()).flatten()
        };
        let (first, count) = match text.split_once(',') {
            Some((first, count)) => (number(first)?, number(count)?),
            None => (number(text)?, 1),
        };
        Some(Self { first, count })
    }
}

/// The lines of a hunk while they are read.
struct HunkBody<'a> {
    hunk: Hunk<'a>,
    old: usize,
    new: usize,
    /// Whether the header's counts are wrong.
    is_recounted: bool,
    problem: Option<(usize, &'static str)>,
}

impl<'a> HunkBody<'a> {
    fn new(line: usize) -> Self {
        let hunk = Hunk { line, ..Hunk::default() };
        Self { hunk, old: 0, new: 0, is_recounted: false, problem: None }
    }

    fn counts(&self) -> (usize, usize) {
        (self.old, self.new)
    }

    /// Reads lines until the counts are met, and then any surplus lines.
    fn read(
        &mut self,
        cursor: &mut LineCursor<'_, 'a>,
        counts: Option<(usize, usize)>,
        found: &ParsedChanges<'a>,
    ) {
        let is_open = counts.is_none() && (cursor.is_fenced || self.is_recounted);
        while let Some(line) = cursor.peek() {
            let is_met = counts == Some((self.old, self.new));
            let is_due = counts.is_some_and(|(old, new)| self.old < old && self.new < new);
            let is_over = match line.split_at_checked(1) {
                Some(("-", _)) if is_met || counts.is_none() => {
                    is_name_pair(cursor, line) || !self.is_recounted && ends_mail(cursor, line)
                }
                Some((" ", text)) if is_met => text.trim().is_empty(),
                Some(("-" | "+" | " " | "\\", _)) => false,
                // Trailing whitespace is easily lost, so an empty line is an empty context line.
                None => !(is_due || (is_open && goes_on(cursor))),
                _ => true,
            };
            if is_over {
                break;
            }
            let number = cursor.number();
            if found.is_cut(number) && !cursor.is_fenced {
                let message =
                    "the last line of the patch has no line end: the reply may be cut off";
                self.problem.get_or_insert((number, message));
            }
            self.take(number, line, found);
            cursor.advance();
        }
    }

    fn take(&mut self, number: usize, line: &'a str, found: &ParsedChanges<'a>) {
        let (mark, text) = match line.split_at_checked(1) {
            Some(("\\", _)) => return self.unended(number, line),
            Some(("+", text)) => (LineMark::Add, text),
            Some(("-", text)) => (LineMark::Drop, text),
            Some((_, text)) => (LineMark::Keep, text),
            None => (LineMark::Keep, ""),
        };
        let is_behind = match mark {
            LineMark::Add => self.hunk.new_lacks_newline,
            LineMark::Drop => self.hunk.old_lacks_newline,
            LineMark::Keep => self.hunk.new_lacks_newline || self.hunk.old_lacks_newline,
        };
        if is_behind {
            let message = "a line after the one that has no line end";
            self.problem.get_or_insert((number, message));
        }
        self.old += usize::from(mark != LineMark::Add);
        self.new += usize::from(mark != LineMark::Drop);
        self.hunk.lines.push((mark, found.with_return(number, text)));
    }

    /// `\ No newline at end of file` applies to the previous line.
    fn unended(&mut self, number: usize, line: &str) {
        let last = self.hunk.lines.last().map(|(mark, _)| *mark);
        let (Some(mark), true) = (last, is_end_note(line)) else {
            let message = "a line that begins with `\\` says `\\ No newline at end of file`";
            self.problem.get_or_insert((number, message));
            return;
        };
        self.hunk.new_lacks_newline |= mark != LineMark::Drop;
        self.hunk.old_lacks_newline |= mark != LineMark::Add;
    }
}

/// Whether a line says that the one before has no line end, in any language, as git tells it.
fn is_end_note(line: &str) -> bool {
    const SHORTEST: usize = "\\ No newline".len() - 1;
    line.starts_with("\\ ") && line.len() >= SHORTEST
}

/// The most consecutive empty lines in a hunk without counts.
const BLANK_LINES: usize = 16;

/// Whether a hunk without counts continues after empty lines.
fn goes_on(cursor: &LineCursor<'_, '_>) -> bool {
    let mut later = (1..BLANK_LINES).map_while(|count| cursor.ahead(count));
    let next = later.find(|line| !line.is_empty());
    next.is_some_and(|line| line.starts_with(['+', '-', ' ']) && !is_signature(line))
}

#[cfg(test)]
mod tests;
