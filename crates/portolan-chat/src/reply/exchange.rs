//! `<<<<<<< SEARCH` … `=======` … `>>>>>>> REPLACE`: a piece of a file and what takes its place. The
//! line before names the file. Some write `------- SEARCH` and `+++++++ REPLACE`, or `ORIGINAL` and `UPDATED`.

use crate::reply::change::{Change, Hunk, Mark, Name, ProblemKind, What};
use crate::reply::cursor::Cursor;
use crate::reply::read::Found;

/// Whether a line begins one.
pub(crate) fn begins(line: &str) -> bool {
    is_mark(line, '<', "SEARCH") || is_mark(line, '-', "SEARCH") || is_mark(line, '<', "ORIGINAL")
}

fn ends(line: &str) -> bool {
    is_mark(line, '>', "REPLACE") || is_mark(line, '+', "REPLACE") || is_mark(line, '>', "UPDATED")
}

fn divides(line: &str) -> bool {
    is_mark(line, '=', "")
}

/// Whether a line is one that only such a block has.
pub(crate) fn is_marker(line: &str) -> bool {
    begins(line) || ends(line)
}

/// `<<<<<<< WORD`, with five to nine marks.
fn is_mark(line: &str, mark: char, word: &str) -> bool {
    let rest = line.trim_start_matches(mark);
    let count = line.len() - rest.len();
    (5..=9).contains(&count) && rest.trim() == word
}

/// Reads one.
pub(crate) fn read<'a>(cursor: &mut Cursor<'_, 'a>, path: Option<&str>, found: &mut Found<'a>) {
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
        return found.problem(line, ProblemKind::NoName, "the block names no file");
    };
    let path = Name::plain(path);
    if !is_divided {
        return found.unread(line, "a `SEARCH` block without `=======`");
    }
    if old == new {
        return found.unread(line, "the block changes nothing");
    }
    let what = if old.is_empty() {
        What::Create { path, lines: new, is_unended: false, mode: None }
    } else {
        What::Edit { path, hunks: vec![hunk(line, &old, &new)], mode: None }
    };
    found.changes.push(Change { line, what, is_broken });
}

/// What both have in common at their ends is kept.
fn hunk<'a>(line: usize, old: &[&'a str], new: &[&'a str]) -> Hunk<'a> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[head..], (&new[..head], &new[head..]));
    let tail = old.iter().rev().zip(new.1.iter().rev()).take_while(|(old, new)| old == new).count();
    let (dropped, kept) = old.split_at(old.len() - tail);
    let added = &new.1[..new.1.len() - tail];
    let marked = |mark: Mark, lines: &[&'a str]| -> Vec<(Mark, &'a str)> {
        lines.iter().map(|line| (mark, *line)).collect()
    };
    let lines = [
        marked(Mark::Keep, new.0),
        marked(Mark::Drop, dropped),
        marked(Mark::Add, added),
        marked(Mark::Keep, kept),
    ];
    Hunk { line, lines: lines.concat(), ..Hunk::default() }
}

#[cfg(test)]
mod tests {
    use crate::reply::{read, What};

    /// The path and what is dropped and added of each block; the message of each problem.
    fn told(text: &str) -> Vec<String> {
        let reply = read(text);
        let changes = reply.changes.iter().map(|change| match &change.what {
            What::Edit { path, hunks, .. } => {
                let lines = hunks[0].lines.iter().map(|(mark, text)| format!("{mark:?} {text}"));
                format!("{}: {}", path.written, lines.collect::<Vec<_>>().join(", "))
            }
            What::Create { path, lines, .. } => format!("{} = {lines:?}", path.written),
            other => format!("{other:?}"),
        });
        changes.chain(reply.problems.iter().map(|problem| problem.message.clone())).collect()
    }

    const BLOCK: &str = "<<<<<<< SEARCH\na\nb\n=======\na\nc\n>>>>>>> REPLACE";

    #[test]
    fn the_file_is_named_in_or_before_the_block() {
        let wanted = ["x.ts: Keep a, Drop b, Add c"];
        assert_eq!(told(&format!("x.ts\n```\n{BLOCK}\n```")), wanted);
        assert_eq!(told(&format!("```ts\nx.ts\n{BLOCK}\n```")), wanted);
        assert_eq!(told(&format!("**x.ts**\n\n{BLOCK}")), wanted);
        assert_eq!(told(&format!("### Patch: `x.ts`\n```\n{BLOCK}\n```")), wanted);
        assert_eq!(told(&format!("```ts:x.ts\n{BLOCK}\n```")), wanted);
        assert_eq!(
            told(&format!("- x.ts\n  ```\n  {}\n  ```", BLOCK.replace('\n', "\n  "))),
            wanted
        );
        let twice = told(&format!("x.ts\n```\n{BLOCK}\n```\n```\n{BLOCK}\n```"));
        assert_eq!(twice, [wanted[0], wanted[0]]);
        let others = told(&format!("```\nx.ts\n{BLOCK}\ny.ts\n{BLOCK}\n```"));
        assert_eq!(others, [wanted[0], "y.ts: Keep a, Drop b, Add c"]);
    }

    #[test]
    fn an_empty_search_makes_a_file() {
        let text = "n.ts\n<<<<<<< SEARCH\n=======\na\n>>>>>>> REPLACE";
        assert_eq!(told(text), ["n.ts = [\"a\"]"]);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for (text, wanted) in [
            (BLOCK, "names no file"),
            ("x.ts\n<<<<<<< SEARCH\na\n=======\nb", "cut off"),
            ("x.ts\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE", "without `=======`"),
            ("x.ts\n<<<<<<< SEARCH\na\n=======\na\n>>>>>>> REPLACE", "changes nothing"),
            ("x.ts\n<<<<<<< SEARCH\na\n=======\n=======\nb\n>>>>>>> REPLACE", "which one"),
            ("x.ts\na\n>>>>>>> REPLACE", "not opened"),
        ] {
            assert!(
                told(text).iter().any(|line| line.contains(wanted)),
                "{text}: {:?}",
                told(text)
            );
        }
    }
}
