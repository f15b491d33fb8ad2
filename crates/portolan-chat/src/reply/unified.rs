//! Reads unified diffs, with or without git's headers.
//!
//! A hunk must be exactly as long as its header says: wrong counts mean that it was cut off or made
//! up. A header without numbers (`@@ … @@`) is accepted too; then the text alone determines the
//! position.

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
    let mut body = HunkBody { hunk: Hunk { line, ..Hunk::default() }, old: 0, new: 0 };
    let Some(header) = header else {
        found.unread(line, "a hunk's header is `@@ -FIRST,COUNT +FIRST,COUNT @@`");
        body.read(cursor, None);
        return None;
    };
    if let Header::Numbered { first, old, new } = header {
        body.hunk.at = Some(if old == 0 { first } else { first.saturating_sub(1) });
        body.read(cursor, Some((old, new)));
        let (is_old, is_new) = (body.old, body.new);
        if (is_old, is_new) != (old, new) {
            let message = format!(
                "the hunk header counts {old} old and {new} new lines, but the hunk has {is_old} and {is_new}"
            );
            found.unread(line, message);
        }
    } else {
        body.read(cursor, None);
    }
    if !body.hunk.changes_something() {
        found.unread(line, "the hunk changes nothing");
    }
    Some(body.hunk)
}

/// The text after `@@`.
enum Header {
    /// ` -12,3 +12,4 @@`.
    Numbered { first: usize, old: usize, new: usize },
    /// Nothing, or other words.
    Free,
}

impl Header {
    fn of(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("@@")?;
        if rest.starts_with('@') {
            return None;
        }
        let text = rest.trim_start();
        if !text.starts_with(['-', '+']) {
            return Some(Self::Free);
        }
        let (ranges, _) = text.split_once("@@")?;
        let mut ranges = ranges.split_whitespace();
        let (first, old) = range(ranges.next()?.strip_prefix('-')?)?;
        let (_, new) = range(ranges.next()?.strip_prefix('+')?)?;
        let is_sound = ranges.next().is_none() && (first > 0 || old == 0);
        is_sound.then_some(Self::Numbered { first, old, new })
    }
}

/// `12,3`, or `12` for one line.
fn range(text: &str) -> Option<(usize, usize)> {
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().ok()).flatten()
    };
    match text.split_once(',') {
        Some((first, count)) => Some((number(first)?, number(count)?)),
        None => Some((number(text)?, 1)),
    }
}

/// The lines of a hunk while they are read.
struct HunkBody<'a> {
    hunk: Hunk<'a>,
    old: usize,
    new: usize,
}

impl<'a> HunkBody<'a> {
    /// Reads lines until the counts are met, and then any surplus lines.
    fn read(&mut self, cursor: &mut LineCursor<'_, 'a>, counts: Option<(usize, usize)>) {
        while let Some(line) = cursor.peek() {
            let is_met = counts == Some((self.old, self.new));
            let is_due = counts.is_some_and(|(old, new)| self.old < old && self.new < new);
            let is_over = match line.split_at_checked(1) {
                Some(("-", _)) if is_met || counts.is_none() => {
                    is_name_pair(cursor, line) || is_signature(line)
                }
                Some((" ", text)) if is_met => text.trim().is_empty(),
                Some(("-" | "+" | " " | "\\", _)) => false,
                // Trailing whitespace is easily lost, so an empty line is an empty context line.
                None => !(is_due || (counts.is_none() && cursor.is_fenced && goes_on(cursor))),
                _ => true,
            };
            if is_over {
                break;
            }
            self.take(line);
            cursor.advance();
        }
    }

    fn take(&mut self, line: &'a str) {
        let (mark, text) = match line.split_at_checked(1) {
            Some(("\\", _)) => return self.unended(),
            Some(("+", text)) => (LineMark::Add, text),
            Some(("-", text)) => (LineMark::Drop, text),
            Some((_, text)) => (LineMark::Keep, text),
            None => (LineMark::Keep, ""),
        };
        self.old += usize::from(mark != LineMark::Add);
        self.new += usize::from(mark != LineMark::Drop);
        self.hunk.lines.push((mark, text));
    }

    /// `\ No newline at end of file` applies to the previous line.
    fn unended(&mut self) {
        match self.hunk.lines.last() {
            Some((LineMark::Add, _)) => self.hunk.new_lacks_newline = true,
            Some((LineMark::Drop, _)) => self.hunk.old_lacks_newline = true,
            Some((LineMark::Keep, _)) => {
                self.hunk.old_lacks_newline = true;
                self.hunk.new_lacks_newline = true;
            }
            None => {}
        }
    }
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
