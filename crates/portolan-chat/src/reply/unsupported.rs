//! Detects changes in unsupported formats, so that they are reported and never ignored.

use crate::reply::change::{FileOperation, Hunk, LineMark, RequestedChange};
use crate::reply::document::{FencedBlock, path_line};
use crate::reply::search_replace;

/// The problem with a line that occurs only in patches, given the line after it.
pub(crate) fn line(line: &str, next: Option<&str>) -> Option<&'static str> {
    if line.starts_with("@@ -") && line[2..].contains("@@") {
        Some("a hunk that belongs to no file")
    } else if line.starts_with("@@@ ") {
        Some("a combined diff: write a plain one")
    } else if is_envelope_line(line) {
        Some("a part of a patch outside `*** Begin Patch` and `*** End Patch`")
    } else if search_replace::is_marker(line) {
        Some("a part of a `SEARCH`/`REPLACE` block that was not opened")
    } else if is_conflict(line) {
        Some("a conflict marker: write a diff, or `<<<<<<< SEARCH` and `>>>>>>> REPLACE`")
    } else if line == "***************" {
        Some("a context diff: write a unified one")
    } else if is_normal_diff(line, next) {
        Some("a diff without names: write a unified one")
    } else if line == "GIT binary patch" || is_binary_note(line) {
        Some("a binary patch: only text is patched")
    } else if is_tool_call(line) {
        Some("a call of an unknown tool: write a diff")
    } else if is_header_line(line) {
        Some("a line of a git diff outside a diff: it begins with `diff --git a/… b/…`")
    } else {
        None
    }
}

/// Whether it is a line of the `apply_patch` format, with any spacing.
fn is_envelope_line(line: &str) -> bool {
    const LINES: [&str; 7] = [
        "begin patch",
        "end patch",
        "end of file",
        "update file:",
        "add file:",
        "delete file:",
        "move to:",
    ];
    let Some(rest) = line.trim_start().strip_prefix("***") else { return false };
    let words: Vec<&str> = rest.split_whitespace().take(4).collect();
    let text = words.join(" ").to_ascii_lowercase().replace(" :", ":");
    LINES.iter().any(|known| {
        let tail = text.strip_prefix(known);
        tail.is_some_and(|tail| tail.is_empty() || known.ends_with(':'))
    })
}

/// `<<<<<<< HEAD`, `>>>>>>> branch`.
fn is_conflict(line: &str) -> bool {
    let behind = |mark: &str| line.strip_prefix(mark).and_then(|rest| rest.strip_prefix(' '));
    let name = behind("<<<<<<<").or_else(|| behind(">>>>>>>"));
    name.is_some_and(|name| !name.trim().is_empty())
}

/// `1,2c3` and then `< a line`.
fn is_normal_diff(line: &str, next: Option<&str>) -> bool {
    let is_range = |text: &str| {
        let mut numbers = text.splitn(2, ',');
        numbers.all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let sides = line.split_once(['a', 'c', 'd']);
    sides.is_some_and(|(old, new)| is_range(old) && is_range(new))
        && next.is_some_and(|next| next.starts_with("< ") || next.starts_with("> "))
}

fn is_binary_note(line: &str) -> bool {
    line.starts_with("Binary files ") && line.ends_with(" differ")
}

/// `<replace_in_file>`: a tool call, as some agents are trained to write.
fn is_tool_call(line: &str) -> bool {
    const TOOLS: [&str; 20] = [
        "antArtifact",
        "apply_diff",
        "boltAction",
        "boltArtifact",
        "create_file",
        "dyad-write",
        "edit_file",
        "function_calls",
        "insert_content",
        "invoke",
        "lov-write",
        "replace_in_file",
        "search_and_replace",
        "str_replace",
        "str_replace_based_edit_tool",
        "str_replace_editor",
        "tool_call",
        "tool_use",
        "write_file",
        "write_to_file",
    ];
    let tag = line.trim_start().strip_prefix('<').and_then(|rest| rest.split(['>', ' ']).next());
    let tag = tag.map(|tag| tag.rsplit(':').next().unwrap_or(tag));
    tag.is_some_and(|tag| TOOLS.contains(&tag))
}

fn is_header_line(line: &str) -> bool {
    const HEADS: [&str; 6] = [
        "new file mode ",
        "deleted file mode ",
        "rename from ",
        "rename to ",
        "copy from ",
        "copy to ",
    ];
    // A sentence may start with the same words; a header has one word after them.
    let tail = HEADS.iter().find_map(|head| line.strip_prefix(head));
    tail.is_some_and(|tail| tail.split_whitespace().count() == 1)
}

/// Whether it is the language of a diff block: `diff`, `patch`, `diff-ts`, `ts-diff`.
pub(crate) fn is_diff(language: &str) -> bool {
    let mut words = language.split(['-', '_', ':', '+', '.', ',', '{']);
    language == "git" || words.any(|word| matches!(word, "diff" | "patch" | "udiff"))
}

/// The file that a block contains, from the text after its fence: ```` ```ts:src/b.ts ````,
/// `title="src/b.ts"`.
pub(crate) fn file_of(block: &FencedBlock<'_>) -> Option<String> {
    const KEYS: [&str; 5] = ["title=", "file=", "filename=", "path=", "name="];
    let attributes = block.info.split([' ', '{', '}', ',']);
    let given = attributes.filter_map(|word| KEYS.iter().find_map(|key| word.strip_prefix(key)));
    let mut given = given.filter_map(|value| path_line(value.trim_matches(['"', '\''])));
    let is_language =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphabetic());
    let (language, path) = block.info.split_once([':', ' ']).unwrap_or_default();
    // After a space there may be other text; a path has folders.
    let is_path = block.info[language.len()..].starts_with(':') || path.contains('/');
    given.next().or_else(|| path_line(path).filter(|_| is_language(language) && is_path))
}

/// The file that a heading says is created or changed: `Update: src/b.ts`, ``Create `src/b.ts` ``.
pub(crate) fn announced(heading: &str) -> Option<String> {
    const VERBS: [&str; 12] = [
        "add", "change", "changed", "create", "edit", "file", "modify", "new", "replace",
        "rewrite", "update", "updated",
    ];
    let (verb, mut rest) = heading.split_once([' ', ':'])?;
    if !VERBS.contains(&verb.to_ascii_lowercase().as_str()) {
        return None;
    }
    rest = rest.trim_start_matches([':', ' ']);
    if let Some(tail) = rest.strip_prefix("file") {
        rest = tail.trim_start_matches([':', ' ']);
    }
    path_line(rest)
}

/// Whether a block shows commands or their output.
pub(crate) fn is_session(language: &str) -> bool {
    matches!(
        language,
        "bash"
            | "bat"
            | "cmd"
            | "console"
            | "fish"
            | "log"
            | "output"
            | "powershell"
            | "ps1"
            | "pwsh"
            | "sh"
            | "shell"
            | "shell-session"
            | "terminal"
            | "text"
            | "txt"
            | "zsh"
    )
}

/// Whether a line opens an HTML comment without closing it, and whether it starts with it.
pub(crate) fn opens_comment(line: &str) -> Option<bool> {
    // Text in a code span is displayed.
    let shown: String = line.split('`').step_by(2).collect();
    let (_, rest) = shown.rsplit_once("<!--")?;
    (!rest.contains("-->")).then(|| line.trim_start().starts_with("<!--"))
}

/// Whether a change adds a placeholder for other lines: `// ... existing code ...`.
pub(crate) fn is_elided(change: &RequestedChange<'_>) -> bool {
    match &change.what {
        FileOperation::Replace { lines, .. } => {
            lines.iter().any(|line| is_elision(line) || is_bare_elision(line))
        }
        FileOperation::Create { lines, .. } => lines.iter().any(|line| is_elision(line)),
        FileOperation::Edit { hunks, .. }
        | FileOperation::Move { hunks, .. }
        | FileOperation::Copy { hunks, .. } => hunks.iter().any(adds_elision),
        FileOperation::Delete { .. }
        | FileOperation::MakeFolder(_)
        | FileOperation::RemoveFolder(_) => false,
    }
}

fn adds_elision(hunk: &Hunk<'_>) -> bool {
    let old =
        |line: &str| hunk.lines.iter().any(|(mark, text)| *mark != LineMark::Add && *text == line);
    let mut added = hunk.lines.iter().filter(|(mark, _)| *mark == LineMark::Add);
    added.any(|(_, text)| is_elision(text) && !old(text))
}

/// The text of a comment; `None` if the line is not a comment.
pub(crate) fn comment(line: &str) -> Option<&str> {
    const OPENINGS: [&str; 8] = ["//", "#", "--", "/*", "<!--", "{/*", ";", "(*"];
    const CLOSINGS: [&str; 4] = ["*/}", "*/", "-->", "*)"];
    let line = line.trim();
    let text = OPENINGS.iter().find_map(|opening| line.strip_prefix(opening))?;
    let text = CLOSINGS.iter().find_map(|closing| text.strip_suffix(closing)).unwrap_or(text);
    Some(text.trim())
}

fn is_dotted(text: &str) -> (bool, bool) {
    let dots = ["...", "…"];
    (dots.iter().any(|dots| text.starts_with(dots)), dots.iter().any(|dots| text.ends_with(dots)))
}

fn is_elision(line: &str) -> bool {
    const WORDS: [&str; 8] = [
        "existing",
        "unchanged",
        "remaining",
        "rest of",
        "omitted",
        "same as before",
        "previous code",
        "other code",
    ];
    let comment_text = comment(line);
    let text = comment_text.unwrap_or(line.trim()).to_ascii_lowercase();
    let (starts, ends) = is_dotted(&text);
    let is_marked = if comment_text.is_some() { starts || ends } else { starts && ends };
    is_marked && WORDS.iter().any(|word| text.contains(word))
}

/// Whether a line of a quotation is a placeholder for other lines.
pub(crate) fn is_gap(line: &str) -> bool {
    let comment_text = comment(line).unwrap_or(line.trim());
    is_elision(line) || matches!(comment_text, "..." | "…" | "[...]" | "[…]")
}

/// `// ...` alone.
fn is_bare_elision(line: &str) -> bool {
    let is_code = ["//", "/*", "{/*"].iter().any(|opening| line.trim().starts_with(opening));
    is_code && comment(line).is_some_and(|text| matches!(text, "..." | "…"))
}

#[cfg(test)]
mod tests {
    use super::{announced, is_diff, is_elision, line, opens_comment};
    use crate::reply::read;

    #[test]
    fn patch_lines_are_distinguished_from_prose() {
        for text in [
            " ***  Begin Patch",
            "*** Update File : x",
            "*** End  Patch",
            "<<<<<<< HEAD",
            ">>>>>>> theirs",
            "@@ -1 +1 @@",
        ] {
            assert!(line(text, None).is_some(), "{text}");
        }
        assert!(line("1,2c3", Some("< a")).is_some());
        for text in [
            "*** Update file list ***",
            "1c1",
            ">>> print(1)",
            "rename to be clear",
            "***",
            "<<<<<<<",
        ] {
            assert_eq!(line(text, Some("next")), None, "{text}");
        }
    }

    #[test]
    fn headings_blocks_and_comments_are_recognized() {
        for heading in
            ["Update: src/b.ts", "Update: `src/b.ts`", "Create src/b.ts", "New file: `src/b.ts`"]
        {
            assert_eq!(announced(heading).as_deref(), Some("src/b.ts"), "{heading}");
        }
        for heading in
            ["Update", "Update the docs", "Changes in `src/b.ts` and others", "Add tests"]
        {
            assert_eq!(announced(heading), None, "{heading}");
        }
        assert!(is_diff("diff-ts") && is_diff("diff") && !is_diff("ts") && !is_diff("different"));
        assert_eq!(opens_comment("<!-- so"), Some(true));
        assert_eq!(opens_comment("see <!-- so"), Some(false));
        assert_eq!(opens_comment("<!-- so --> and `<!--`"), None);
        for text in
            ["// ... existing code ...", "# … rest of the file unchanged", "... existing code ..."]
        {
            assert!(is_elision(text), "{text}");
        }
        for text in ["// existing code", "x = [...existing]", "...existing,", "# ..."] {
            assert!(!is_elision(text), "{text}");
        }
    }

    #[test]
    fn many_unclosed_comments_are_scanned_once() {
        let text = "a <!-- b\n".repeat(50_000);
        assert_eq!(read(&text).problems, []);
    }
}
