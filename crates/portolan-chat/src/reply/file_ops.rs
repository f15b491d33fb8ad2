//! Reads the file operations of a reply: `mv`, `cp`, `rm`, `rmdir` and `mkdirp` below a heading
//! `File Ops`, in a fenced block or as plain lines.

use crate::reply::change::{FileOperation, ReplyProblemKind, RequestedChange, WrittenPath};
use crate::reply::cursor::Container;
use crate::reply::document::{Heading, MarkdownDocument};
use crate::reply::read::ParsedChanges;

/// Commands that people write for file operations and that are not supported.
const OTHERS: [&str; 16] = [
    "chmod", "chown", "copy", "delete", "git", "install", "ln", "mkdir", "move", "remove",
    "rename", "rsync", "sed", "tee", "touch", "unlink",
];

/// Whether a heading introduces the list: `File Ops`, `FileOps:`, `2. File Operations`.
pub(crate) fn is_heading(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).take(20);
    let letters: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    matches!(letters.as_str(), "fileop" | "fileops" | "fileoperation" | "fileoperations")
}

/// The same heading, written as a bold line or with a colon.
pub(crate) fn heading(number: usize, line: &str) -> Option<Heading<'_>> {
    const LOWEST: usize = 6;
    let text = line.trim();
    let is_set_off = text.starts_with("**") || text.starts_with("__") || text.ends_with(':');
    let heading = Heading { line: number, level: LOWEST, text };
    (is_set_off && is_heading(text)).then_some(heading)
}

/// Reads the operations of a reply.
pub(crate) fn read<'a>(document: &MarkdownDocument<'a>, found: &mut ParsedChanges<'a>) {
    // A sentence around the list is not an operation; in a block every line is one.
    let section = document.section_below(is_heading);
    for (index, (line, text)) in section.iter().enumerate() {
        let is_row = |text: &str| text.trim_start().starts_with('|');
        let is_first = !index.checked_sub(1).is_some_and(|before| is_row(section[before].1));
        if is_row(text) && is_first {
            let message = "a table is not a list of file operations: write one per line";
            found.problem(*line, ReplyProblemKind::Operation, message);
        }
    }
    let plain = section.into_iter().filter(|(_, text)| is_operation(text));
    let blocks = document.blocks.iter().filter(|block| block.is_operations);
    let listed = blocks.flat_map(|block| {
        let lines = block.lines.iter().enumerate();
        lines.map(|(index, line)| (block.line + 1 + index, *line))
    });
    for (line, text) in plain.chain(listed).map(|(line, text)| (line, bare(text))) {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        match operation(text) {
            Some(what) => found.changes.push(RequestedChange { line, what, is_broken: false }),
            None => found.problem(
                line,
                ReplyProblemKind::Operation,
                format!("`{text}` is not a file operation"),
            ),
        }
    }
}

/// A line without its list marker and code span.
fn bare(text: &str) -> &str {
    Container::of(text).1.trim().trim_start_matches(['-', '*']).trim().trim_matches('`').trim()
}

fn is_operation(text: &str) -> bool {
    let Some(verb) = bare(text).split_whitespace().next() else { return false };
    let is_item = Container::of(text).0.indent > 0;
    matches!(verb, "mv" | "cp" | "rm" | "rmdir" | "mkdirp")
        || (is_item || text.trim_start().starts_with('`')) && OTHERS.contains(&verb)
}

fn operation<'a>(text: &str) -> Option<FileOperation<'a>> {
    let words = words(text)?;
    let name = |text: &str| WrittenPath::plain(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.iter().skip(1).any(|word| word.starts_with('-') || word.is_empty()) {
        return None;
    }
    // `mv a.ts folder/` means a file inside the folder, not one that replaces it.
    let is_folder = |word: &&str| word.ends_with('/');
    if matches!(words[..], ["mv" | "cp" | "rm", ..]) && words.iter().skip(1).any(is_folder) {
        return None;
    }
    Some(match words[..] {
        ["mv", from, to] => {
            FileOperation::Move { from: name(from), to: name(to), hunks: Vec::new(), mode: None }
        }
        ["cp", from, to] => {
            FileOperation::Copy { from: name(from), to: name(to), hunks: Vec::new(), mode: None }
        }
        ["rm", path] => FileOperation::Delete { path: name(path), hunks: None },
        ["rmdir", folder] => FileOperation::RemoveFolder(name(folder)),
        ["mkdirp", folder] => FileOperation::MakeFolder(name(folder)),
        _ => return None,
    })
}

/// The words of a line; a word with spaces is quoted. `None` if a quote is not closed.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, tail) = if matches!(first, '"' | '\'') {
            let (word, tail) = rest[1..].split_once(first)?;
            if !(tail.is_empty() || tail.starts_with(char::is_whitespace)) {
                return None;
            }
            (word, tail)
        } else {
            rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()))
        };
        words.push(word.to_owned());
        rest = tail.trim_start();
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use crate::reply::{FileOperation, read};

    /// Checks each operation; an unreadable line gives its message.
    #[track_caller]
    fn check(text: &str, wanted: &[&str]) {
        let reply = read(text);
        let changes = reply.changes.iter().map(|change| {
            let what = match &change.what {
                FileOperation::Move { from, to, .. } => {
                    format!("mv {} {}", from.written, to.written)
                }
                FileOperation::Copy { from, to, .. } => {
                    format!("cp {} {}", from.written, to.written)
                }
                FileOperation::Delete { path, .. } => format!("rm {}", path.written),
                FileOperation::MakeFolder(path) => format!("mkdirp {}", path.written),
                FileOperation::RemoveFolder(path) => format!("rmdir {}", path.written),
                other => format!("{other:?}"),
            };
            format!("{} {what}", change.line)
        });
        let problems = reply.problems.iter().map(|p| format!("{} ? {}", p.line, p.message));
        assert_eq!(changes.chain(problems).collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn each_operation_is_read() {
        check(
            "### File Ops\n```\nmv a.ts b/c.ts\n\n# why\ncp a.ts 'd e.ts'\nrm e.ts\nmkdirp f/\nrmdir g\n```",
            &["3 mv a.ts b/c.ts", "6 cp a.ts d e.ts", "7 rm e.ts", "8 mkdirp f/", "9 rmdir g"],
        );
    }

    #[test]
    fn a_folder_is_not_a_file() {
        check(
            "### File Ops\n```\nmv a.ts b/\ncp a.ts 'c d/'\nrm e/\n```",
            &[
                "3 ? `mv a.ts b/` is not a file operation",
                "4 ? `cp a.ts 'c d/'` is not a file operation",
                "5 ? `rm e/` is not a file operation",
            ],
        );
    }

    #[test]
    fn a_plain_list_is_read_without_the_prose_around_it() {
        check(
            "## file ops\nThese go:\n- `rm a.ts`\n* rm b.ts\n1. `rm d.ts`\n## Next\nrm c.ts",
            &["3 rm a.ts", "4 rm b.ts", "5 rm d.ts"],
        );
    }

    #[test]
    fn unreadable_input_is_reported() {
        check(
            "### File Ops\n~~~\nmv a.ts\nchmod +x b\nrm -rf src\nrm 'x\n~~~\n- ln -s /etc/passwd x",
            &[
                "3 ? `mv a.ts` is not a file operation",
                "4 ? `chmod +x b` is not a file operation",
                "5 ? `rm -rf src` is not a file operation",
                "6 ? `rm 'x` is not a file operation",
                "8 ? `ln -s /etc/passwd x` is not a file operation",
            ],
        );
    }
}
