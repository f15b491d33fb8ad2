//! Reads the `apply_patch` format: `*** Begin Patch` … `*** End Patch` with files that are added,
//! updated, moved and deleted. Hunks are located by their text and by the lines before them (`@@
//! class Shop`).

use crate::reply::change::{FileOperation, Hunk, LineMark, RequestedChange, WrittenPath};
use crate::reply::cursor::LineCursor;
use crate::reply::read::ParsedChanges;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// Whether a line starts such a patch.
pub(crate) fn begins(line: &str) -> bool {
    line.trim_end() == BEGIN
}

/// Reads a whole patch.
pub(crate) fn read<'a>(cursor: &mut LineCursor<'_, 'a>, found: &mut ParsedChanges<'a>) {
    let opening = cursor.number();
    cursor.advance();
    loop {
        let Some(line) = cursor.peek() else {
            let message = "`*** Begin Patch` without `*** End Patch`: the reply may be cut off";
            return found.unread(opening, message);
        };
        let number = cursor.number();
        cursor.advance();
        let operation = |word: &str| line.strip_prefix(word).map(str::trim);
        if line.trim_end() == END {
            return;
        } else if let Some(path) = operation("*** Add File:") {
            let lines = added(cursor, found);
            let what =
                |path| FileOperation::Create { path, lines, lacks_newline: false, mode: None };
            push(path, number, what, false, found);
        } else if let Some(path) = operation("*** Delete File:") {
            push(path, number, |path| FileOperation::Delete { path, hunks: None }, false, found);
        } else if let Some(path) = operation("*** Update File:") {
            update(path, number, cursor, found);
        } else if !line.trim().is_empty() {
            found.unread(number, "a line of a patch that cannot be read");
        }
    }
}

fn push<'a>(
    path: &str,
    line: usize,
    what: impl FnOnce(WrittenPath) -> FileOperation<'a>,
    is_broken: bool,
    found: &mut ParsedChanges<'a>,
) {
    if path.is_empty() {
        let kind = crate::reply::change::ReplyProblemKind::NoName;
        return found.problem(line, kind, "the patch names no file");
    }
    found.changes.push(RequestedChange { line, what: what(WrittenPath::plain(path)), is_broken });
}

fn added<'a>(cursor: &mut LineCursor<'_, 'a>, found: &mut ParsedChanges<'a>) -> Vec<&'a str> {
    let mut lines = Vec::new();
    while let Some(line) = cursor.peek().filter(|line| !line.starts_with("*** ")) {
        match line.strip_prefix('+') {
            Some(text) => lines.push(text),
            None if line.trim().is_empty() => {}
            None => found.unread(cursor.number(), "a line of a new file begins with `+`"),
        }
        cursor.advance();
    }
    lines
}

fn update<'a>(
    path: &str,
    line: usize,
    cursor: &mut LineCursor<'_, 'a>,
    found: &mut ParsedChanges<'a>,
) {
    let problems = found.problems.len();
    let to = cursor.peek().and_then(|line| line.strip_prefix("*** Move to:")).map(str::trim);
    if to.is_some() {
        cursor.advance();
    }
    let hunks = hunks(cursor, found);
    if hunks.is_empty() && to.is_none() && found.problems.len() == problems {
        found.unread(line, "the update changes nothing");
    }
    let is_broken = found.problems.len() > problems;
    let what = |path| match to {
        Some(to) => {
            FileOperation::Move { from: path, to: WrittenPath::plain(to), hunks, mode: None }
        }
        None => FileOperation::Edit { path, hunks, mode: None },
    };
    push(path, line, what, is_broken, found);
}

fn hunks<'a>(cursor: &mut LineCursor<'_, 'a>, found: &mut ParsedChanges<'a>) -> Vec<Hunk<'a>> {
    let mut hunks: Vec<Hunk<'a>> = Vec::new();
    let mut hunk = Hunk { line: cursor.number(), ..Hunk::default() };
    while let Some(line) = cursor.peek() {
        let number = cursor.number();
        if line.trim_end() == "*** End of File" {
            hunk.is_at_end = true;
        } else if line.starts_with("*** ") {
            break;
        } else if let Some(anchor) = line.strip_prefix("@@") {
            if !hunk.lines.is_empty() {
                finish(hunk, &mut hunks, found);
                hunk = Hunk { line: number, ..Hunk::default() };
            }
            let anchor = anchor.trim().trim_end_matches("@@").trim_end();
            if is_range(anchor) {
                found.unread(number, "this patch format has no line numbers");
            } else if !anchor.is_empty() && anchor != "..." && anchor != "…" {
                hunk.anchors.push(anchor);
            }
        } else {
            match line.split_at_checked(1) {
                Some(("+", text)) => hunk.lines.push((LineMark::Add, text)),
                Some(("-", text)) => hunk.lines.push((LineMark::Drop, text)),
                Some((" ", text)) => hunk.lines.push((LineMark::Keep, text)),
                None => hunk.lines.push((LineMark::Keep, "")),
                _ => found.unread(number, "a line of an update begins with ` `, `+` or `-`"),
            }
        }
        cursor.advance();
    }
    if !hunk.lines.is_empty() || !hunk.anchors.is_empty() {
        finish(hunk, &mut hunks, found);
    }
    hunks
}

/// Whether it is `-1,2 +1,3`: models sometimes mix two formats.
fn is_range(anchor: &str) -> bool {
    let mut words = anchor.split_whitespace();
    let mut is_next = |sign: char| {
        let digits = words.next().and_then(|word| word.strip_prefix(sign));
        digits.is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
    };
    is_next('-') && is_next('+')
}

fn finish<'a>(mut hunk: Hunk<'a>, hunks: &mut Vec<Hunk<'a>>, found: &mut ParsedChanges<'a>) {
    // An empty line before the next marker is only formatting.
    while !hunk.is_at_end && matches!(hunk.lines.last(), Some((LineMark::Keep, ""))) {
        hunk.lines.pop();
    }
    if !hunk.changes_something() {
        found.unread(hunk.line, "the hunk changes nothing");
    }
    hunks.push(hunk);
}

#[cfg(test)]
mod tests {
    use crate::reply::{FileOperation, LineMark, read};

    #[test]
    fn every_operation_is_read() {
        let text = "```\n*** Begin Patch\n*** Add File: n.ts\n+a\n+\n*** Delete File: d.ts\n\
                    *** Update File: u.ts\n*** Move to: v.ts\n@@ class A\n@@   f()\n x\n-y\n+z\n\n\
                    @@\n+end\n*** End of File\n*** End Patch\n```";
        let reply = read(text);
        assert_eq!(reply.problems, []);
        let [create, delete, update] = &reply.changes[..] else { panic!("{:?}", reply.changes) };
        assert!(
            matches!(&create.what, FileOperation::Create { lines, .. } if lines[..] == ["a", ""])
        );
        assert!(
            matches!(&delete.what, FileOperation::Delete { path, hunks: None } if path.written == "d.ts")
        );
        let FileOperation::Move { from, to, hunks, .. } = &update.what else {
            panic!("{update:?}")
        };
        assert_eq!((from.written.as_str(), to.written.as_str()), ("u.ts", "v.ts"));
        assert_eq!(hunks[0].anchors, ["class A", "f()"]);
        assert_eq!(
            hunks[0].lines,
            [(LineMark::Keep, "x"), (LineMark::Drop, "y"), (LineMark::Add, "z")]
        );
        assert!(hunks[1].is_at_end && !hunks[0].is_at_end);
    }

    #[test]
    fn unreadable_input_is_reported() {
        let first = |text: &str| read(text).problems.first().map(|p| p.message.clone());
        for (text, wanted) in [
            ("*** Begin Patch\n*** Add File: x\n+a\n", "cut off"),
            ("*** Begin Patch\n*** Add File: x\na\n*** End Patch", "begins with `+`"),
            ("*** Begin Patch\n*** Update File: x\na\n*** End Patch", "begins with ` `"),
            ("*** Begin Patch\n*** Update File: x\n*** End Patch", "changes nothing"),
            ("*** Begin Patch\n*** Update File: x\n@@\n a\n*** End Patch", "changes nothing"),
            ("*** Begin Patch\n*** Update File:\n@@\n-a\n*** End Patch", "names no file"),
            ("*** Begin Patch\n*** Link File: x\n*** End Patch", "cannot be read"),
            (
                "*** Begin Patch\n*** Update File: x\n@@ -1,2 +1 @@\n-a\n*** End Patch",
                "line numbers",
            ),
            ("*** Update File: x\n-a", "outside `"),
        ] {
            assert!(
                first(text).is_some_and(|found| found.contains(wanted)),
                "{text}: {:?}",
                first(text)
            );
        }
    }
}
