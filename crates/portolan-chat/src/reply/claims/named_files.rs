//! Finds whole files, and parts of them, below or after their path.

use super::{Claim, ClaimSort, has_ending, is_inside, is_path};
use crate::reply::cursor::Container;
use crate::reply::document::{FencedBlock, MarkdownDocument, path_line};
use crate::reply::unsupported;

const WHOLE_FILE: &str = "a whole file, or a part of one, in an unsupported format";

/// A file that the text names.
struct NamedFile {
    path: String,
    /// Whether the text says that the file is created or changed.
    is_announced: bool,
}

/// The claims of a block, from the text around it.
pub(super) fn of<'a>(document: &MarkdownDocument<'a>, block: &FencedBlock<'a>) -> Vec<Claim<'a>> {
    let first = block.lines.first().and_then(|line| named_in_comment(line));
    let is_named_inside = first.is_some();
    let path = unsupported::file_of(block).or(first);
    let place = path.map(|path| NamedFile { path, is_announced: false });
    let place = place.or_else(|| around(document, block));
    let Some(NamedFile { path, is_announced }) = place.filter(|place| is_shown(block, &place.path))
    else {
        return Vec::new();
    };
    let sort = if is_path(&path) || is_announced && is_inside(&path) {
        ClaimSort::Text
    } else {
        ClaimSort::KnownText
    };
    let skipped = usize::from(is_named_inside);
    let lines = block.lines[skipped..].to_vec();
    vec![Claim { line: block.line, path, sort, message: WHOLE_FILE, lines }]
}

/// Whether a block may be the text of a file, rather than commands or output.
fn is_shown(block: &FencedBlock<'_>, path: &str) -> bool {
    let language = block.language();
    let ending = path.rsplit(['.', '/']).next().unwrap_or_default();
    let is_same = language == ending
        || matches!(ending, "sh" | "bash" | "zsh" | "ps1" | "txt" | "log" | "bat" | "cmd");
    !unsupported::is_session(&language) || is_same
}

/// `// src/a.ts`, `# File: src/a.py`, `<!-- src/a.html -->`.
fn named_in_comment(line: &str) -> Option<String> {
    let text = unsupported::comment(line)?;
    let words = ["filepath:", "file path:", "file:", "path:", "filename:"];
    let head = |word: &&str| text.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
    let prefix = words.iter().find(|word| head(word));
    let text = prefix.map_or(text, |word| text[word.len()..].trim());
    let text = without_remark(text).0;
    is_file(text).then(|| text.to_owned())
}

fn is_file(text: &str) -> bool {
    is_inside(text) && has_ending(text)
}

/// The files below lines such as `=== src/a.ts ===`.
pub(super) fn below_banners<'a>(lines: &[(usize, &'a str)]) -> Vec<Claim<'a>> {
    let mut claims: Vec<Claim<'a>> = Vec::new();
    for (number, line) in lines {
        if let Some(path) = banner(line) {
            claims.push(Claim::bare(*number, path, ClaimSort::Text, WHOLE_FILE));
        } else if let Some(claim) = claims.last_mut() {
            claim.lines.push(line);
        }
    }
    claims.retain(|claim| claim.lines.iter().any(|line| !line.trim().is_empty()));
    claims
}

fn banner(line: &str) -> Option<&str> {
    let text = line.trim();
    let mark = text.chars().next().filter(|mark| "=-#*+".contains(*mark))?;
    let is_banner = text.starts_with(&String::from(mark).repeat(2)) && text.ends_with([mark, '<']);
    let text = text.trim_matches(['=', '-', '#', '*', '+', '<', '>', ' ']);
    let name = text
        .get(..5)
        .filter(|word| word.eq_ignore_ascii_case("file:"))
        .map_or(text, |_| text[5..].trim());
    (is_banner && is_path(name)).then_some(name)
}

/// The file that the line above or the heading names.
fn around(document: &MarkdownDocument<'_>, block: &FencedBlock<'_>) -> Option<NamedFile> {
    let above = document.prose_before(block.line);
    above.and_then(named_by).or_else(|| {
        let heading = document.heading_of(block)?;
        let announced = unsupported::announced(heading);
        let announced = announced.map(|path| NamedFile { path, is_announced: true });
        announced.or_else(|| alone(heading))
    })
}

/// The file of a line that is only a path, or that says that a file is created or changed.
fn named_by(line: &str) -> Option<NamedFile> {
    let (_, text) = Container::of(line);
    alone(text).or_else(|| announced_by(text))
}

/// A path alone, with a number in front or a remark after it: `2. src/a.ts (new):`.
fn alone(text: &str) -> Option<NamedFile> {
    let text = Container::of(text).1.trim().trim_matches('*').trim_end_matches(':');
    let text = text.rsplit_once(": ").map_or(text, |(_, text)| text.trim());
    let lowered = text.to_ascii_lowercase();
    let head = ["and in ", "in ", "then "].iter().find(|head| lowered.starts_with(**head));
    let (text, is_announced) = without_remark(&text[head.map_or(0, |head| head.len())..]);
    let path = path_line(text)?;
    is_file(&path).then_some(NamedFile { path, is_announced })
}

/// The text without a remark such as `(new file)` or `— updated`, and whether the remark says that
/// the file changes.
fn without_remark(text: &str) -> (&str, bool) {
    let text = text.trim();
    let Some(at) = text.find([' ', '\t']) else { return (text, false) };
    let (name, remark) = text.split_at(at);
    let remark = remark.trim().trim_matches(|c: char| !c.is_alphanumeric());
    let words = remark.split_whitespace().count();
    if (1..=3).contains(&words) && has_verb(remark) { (name, true) } else { (text, false) }
}

fn announced_by(text: &str) -> Option<NamedFile> {
    if !has_verb(text) || !text.trim_end().ends_with([':', '.', '*', '`']) {
        return None;
    }
    let is_word = |c: char| c.is_whitespace() || "`*\"'()".contains(c);
    let words = text.split(is_word).map(|word| word.trim_end_matches([':', '.', ',', ';']));
    let mut paths = words.filter(|word| is_file(word) && (is_path(word) || is_spanned(text, word)));
    let path = paths.next()?;
    let is_one = paths.all(|other| other == path);
    is_one.then(|| NamedFile { path: path.to_owned(), is_announced: is_path(path) || makes(text) })
}

fn is_spanned(text: &str, word: &str) -> bool {
    ["`", "**"].iter().any(|mark| text.contains(&format!("{mark}{word}{mark}")))
}

/// Whether it announces a new file: then any name can be a file.
fn makes(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["create ", "new file", "save "].iter().any(|word| text.contains(word))
}

/// Whether a text has a verb for a change.
fn has_verb(text: &str) -> bool {
    const VERBS: [&str; 34] = [
        "add",
        "added",
        "append",
        "become",
        "becomes",
        "change",
        "changed",
        "changes",
        "complete",
        "content",
        "contents",
        "create",
        "created",
        "edit",
        "edited",
        "full",
        "insert",
        "modified",
        "modify",
        "new",
        "overwrite",
        "paste",
        "prepend",
        "put",
        "replace",
        "replaced",
        "revised",
        "rewrite",
        "rewritten",
        "save",
        "update",
        "updated",
        "version",
        "write",
    ];
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| VERBS.contains(&word.to_ascii_lowercase().as_str()))
}
