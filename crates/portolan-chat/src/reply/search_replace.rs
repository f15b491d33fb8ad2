//! Reads search and replace blocks: `<<<<<<< SEARCH` … `=======` … `>>>>>>> REPLACE`. The line
//! before names the file. Variants are `------- SEARCH` with `+++++++ REPLACE`, and `ORIGINAL` with
//! `UPDATED`.

use crate::reply::change::{
    FileOperation, Hunk, LineMark, ReplyProblemKind, RequestedChange, WrittenPath,
};
use crate::reply::cursor::LineCursor;
use crate::reply::read::ParsedChanges;

/// Whether a line starts a block.
pub(crate) fn begins(line: &str) -> bool {
    is_mark(line, '<', "SEARCH") || is_mark(line, '-', "SEARCH") || is_mark(line, '<', "ORIGINAL")
}

fn ends(line: &str) -> bool {
    is_mark(line, '>', "REPLACE") || is_mark(line, '+', "REPLACE") || is_mark(line, '>', "UPDATED")
}

fn divides(line: &str) -> bool {
    is_mark(line, '=', "")
}

/// Whether a line occurs only in such a block.
pub(crate) fn is_marker(line: &str) -> bool {
    begins(line) || ends(line)
}

/// `<<<<<<< WORD`, with five to nine marks.
fn is_mark(line: &str, mark: char, word: &str) -> bool {
    let rest = line.trim_start_matches(mark);
    let count = line.len() - rest.len();
    (5..=9).contains(&count) && rest.trim() == word
}

/// Reads one block.
pub(crate) fn read<'a>(
    cursor: &mut LineCursor<'_, 'a>,
    path: Option<&str>,
    found: &mut ParsedChanges<'a>,
) {
    let line = cursor.number();
    cursor.advance();
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let mut is_divided = false;
    loop {
        let Some(text) = cursor.peek().filter(|text| !begins(text)) else {
            let message = "a `SEARCH` block without its `REPLACE`: the reply may be cut off";
            return found.unread(line, message);
        };
        cursor.advance();
        if ends(text) {
            break;
        }
        match (divides(text), is_divided) {
            (true, true) => {
                let message = "more than one `=======` in a `SEARCH` block: which one divides it?";
                found.unread(cursor.number() - 1, message);
            }
            (true, false) => is_divided = true,
            (false, true) => new.push(text),
            (false, false) => old.push(text),
        }
    }
    let is_broken = found.problems.last().is_some_and(|problem| problem.line > line);
    let Some(path) = path else {
        return found.problem(line, ReplyProblemKind::NoName, "the block names no file");
    };
    let path = WrittenPath::plain(path);
    if !is_divided {
        return found.unread(line, "a `SEARCH` block without `=======`");
    }
    if old == new {
        return found.unread(line, "the block changes nothing");
    }
    let what = if old.is_empty() {
        FileOperation::Create { path, lines: new, lacks_newline: false, mode: None }
    } else {
        FileOperation::Edit { path, hunks: vec![hunk(line, &old, &new)], mode: None }
    };
    found.changes.push(RequestedChange { line, what, is_broken });
}

/// Makes a hunk that keeps the lines that both sides share at their ends.
fn hunk<'a>(line: usize, old: &[&'a str], new: &[&'a str]) -> Hunk<'a> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[head..], (&new[..head], &new[head..]));
    let tail = old.iter().rev().zip(new.1.iter().rev()).take_while(|(old, new)| old == new).count();
    let (dropped, kept) = old.split_at(old.len() - tail);
    let added = &new.1[..new.1.len() - tail];
    let marked = |mark: LineMark, lines: &[&'a str]| -> Vec<(LineMark, &'a str)> {
        lines.iter().map(|line| (mark, *line)).collect()
    };
    let lines = [
        marked(LineMark::Keep, new.0),
        marked(LineMark::Drop, dropped),
        marked(LineMark::Add, added),
        marked(LineMark::Keep, kept),
    ];
    Hunk { line, lines: lines.concat(), ..Hunk::default() }
}

#[cfg(test)]
mod tests {
    use crate::reply::{FileOperation, read};

    /// The path and the lines of each block; the message of each problem.
    fn summarize(text: &str) -> Vec<String> {
        let reply = read(text);
        let changes = reply.changes.iter().map(|change| match &change.what {
            FileOperation::Edit { path, hunks, .. } => {
                let lines = hunks[0].lines.iter().map(|(mark, text)| format!("{mark:?} {text}"));
                format!("{}: {}", path.written, lines.collect::<Vec<_>>().join(", "))
            }
            FileOperation::Create { path, lines, .. } => format!("{} = {lines:?}", path.written),
            other => format!("{other:?}"),
        });
        changes.chain(reply.problems.iter().map(|problem| problem.message.clone())).collect()
    }

    const BLOCK: &str = "<<<<<<< SEARCH\na\nb\n=======\na\nc\n>>>>>>> REPLACE";

    #[test]
    fn the_file_is_named_in_or_before_the_block() {
        let wanted = ["x.ts: Keep a, Drop b, Add c"];
        assert_eq!(summarize(&format!("x.ts\n```\n{BLOCK}\n```")), wanted);
        assert_eq!(summarize(&format!("```ts\nx.ts\n{BLOCK}\n```")), wanted);
        assert_eq!(summarize(&format!("**x.ts**\n\n{BLOCK}")), wanted);
        assert_eq!(summarize(&format!("### Patch: `x.ts`\n```\n{BLOCK}\n```")), wanted);
        assert_eq!(summarize(&format!("```ts:x.ts\n{BLOCK}\n```")), wanted);
        assert_eq!(
            summarize(&format!("- x.ts\n  ```\n  {}\n  ```", BLOCK.replace('\n', "\n  "))),
            wanted
        );
        let twice = summarize(&format!("x.ts\n```\n{BLOCK}\n```\n```\n{BLOCK}\n```"));
        assert_eq!(twice, [wanted[0], wanted[0]]);
        let others = summarize(&format!("```\nx.ts\n{BLOCK}\ny.ts\n{BLOCK}\n```"));
        assert_eq!(others, [wanted[0], "y.ts: Keep a, Drop b, Add c"]);
    }

    #[test]
    fn an_empty_search_creates_a_file() {
        let text = "n.ts\n<<<<<<< SEARCH\n=======\na\n>>>>>>> REPLACE";
        assert_eq!(summarize(text), ["n.ts = [\"a\"]"]);
    }

    #[test]
    fn unreadable_input_is_reported() {
        for (text, wanted) in [
            (BLOCK, "names no file"),
            ("x.ts\n<<<<<<< SEARCH\na\n=======\nb", "cut off"),
            ("x.ts\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE", "without `=======`"),
            ("x.ts\n<<<<<<< SEARCH\na\n=======\na\n>>>>>>> REPLACE", "changes nothing"),
            ("x.ts\n<<<<<<< SEARCH\na\n=======\n=======\nb\n>>>>>>> REPLACE", "which one"),
            ("x.ts\na\n>>>>>>> REPLACE", "not opened"),
        ] {
            assert!(
                summarize(text).iter().any(|line| line.contains(wanted)),
                "{text}: {:?}",
                summarize(text)
            );
        }
    }
}
