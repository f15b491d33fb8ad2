//! The file operations of a reply: `mv`, `cp`, `rm`, `rmdir` and `mkdirp` below a heading
//! `File Ops`, in a fenced block or as plain lines. Each path that one touches is a patch target.

use super::document::Document;
use super::patch::{Change, Patch};

/// The heading that the list stands below.
const HEADING: &str = "File Ops";

/// The operations of a reply, or the line and text of one that cannot be read.
pub(super) fn read<'a>(
    document: &Document<'a>,
) -> impl Iterator<Item = Result<Vec<Patch<'a>>, (usize, &'a str)>> {
    // A sentence around the list is no operation; in a block every line is one.
    let said = document.section(HEADING).into_iter().filter(|(_, text)| is_operation(text));
    let listed = document.blocks_below(HEADING);
    let lines = said.chain(listed).map(|(line, text)| (line, bare(text)));
    let lines = lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#'));
    lines.map(|(line, text)| operation(line, text).ok_or((line, text)))
}

/// A line without what makes it a list item or a code span.
fn bare(text: &str) -> &str {
    text.trim().trim_start_matches(['-', '*']).trim().trim_matches('`')
}

fn is_operation(text: &str) -> bool {
    let verb = bare(text).split_whitespace().next();
    verb.is_some_and(|verb| matches!(verb, "mv" | "cp" | "rm" | "rmdir" | "mkdirp"))
}

fn operation<'a>(line: usize, text: &str) -> Option<Vec<Patch<'a>>> {
    let patch = |path: &str, change| {
        let target = Some(path.trim_end_matches('/').to_owned());
        Patch { line, target, change }
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    Some(match words[..] {
        ["mv", from, to] => vec![patch(from, Change::Delete), patch(to, Change::Arrive)],
        ["cp", _, to] => vec![patch(to, Change::Arrive)],
        ["rm", path] => vec![patch(path, Change::Delete)],
        ["rmdir" | "mkdirp", folder] => vec![patch(folder, Change::Folder)],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::document;
    use super::read;

    /// Each path that is touched, with how; a line that cannot be read as it stands.
    #[track_caller]
    fn check(text: &str, wanted: &[&str]) {
        let document = document::parse(text);
        let found = read(&document).flat_map(|operation| match operation {
            Ok(patches) => patches
                .into_iter()
                .map(|p| format!("{} {:?} {}", p.line, p.change, p.target.unwrap_or_default()))
                .collect(),
            Err((line, text)) => vec![format!("{line} ? {text}")],
        });
        assert_eq!(found.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn each_operation_names_what_it_touches() {
        check(
            "### File Ops\n```\nmv a.ts b/c.ts\n\n# why\ncp a.ts d.ts\nrm e.ts\nmkdirp f/\nrmdir g\n```",
            &[
                "3 Delete a.ts",
                "3 Arrive b/c.ts",
                "6 Arrive d.ts",
                "7 Delete e.ts",
                "8 Folder f",
                "9 Folder g",
            ],
        );
    }

    #[test]
    fn a_list_without_a_block_is_read_and_words_around_it_are_not() {
        check(
            "## file ops\nThese go:\n- `rm a.ts`\n* rm b.ts\n## Next\nrm c.ts",
            &["3 Delete a.ts", "4 Delete b.ts"],
        );
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        check("### File Ops\n~~~\nmv a.ts\nchmod +x b\n~~~", &["3 ? mv a.ts", "4 ? chmod +x b"]);
    }
}
