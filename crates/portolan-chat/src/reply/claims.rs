//! Finds text that may be a change in an unsupported format: a file below its path, a shell
//! command, an edit as JSON or in tags. Only the existing files can tell whether it is a change,
//! because explanations quote code too.

mod data;
mod markup;
mod named_files;
mod shell;

use std::cell::Cell;

use crate::reply::document::{FencedBlock, MarkdownDocument};
use crate::reply::unsupported;

/// Text that changes a file, unless it is a quotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// The line in the reply.
    pub line: usize,
    /// The file, as the reply writes it.
    pub path: String,
    /// The condition under which it is a change.
    pub sort: ClaimSort,
    /// A description for the message.
    pub message: &'static str,
    /// The text of the file according to the reply.
    pub lines: Vec<&'a str>,
}

/// The condition under which a claim is a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimSort {
    /// Unless the file has, or gets, exactly this text.
    Text,
    /// The same, and only if the file exists: the name alone could mean anything.
    KnownText,
    /// Always.
    Write,
    /// If the file exists, or the folder has files.
    Touch,
}

impl Claim<'_> {
    fn bare(line: usize, path: &str, sort: ClaimSort, message: &'static str) -> Self {
        Self { line, path: path.to_owned(), sort, message, lines: Vec::new() }
    }

    /// Whether the text quotes a file: its lines are consecutive there, with any indentation, and
    /// with gaps where the quotation has them. A quotation that is too expensive to check does not
    /// count.
    pub fn is_quoted_from(&self, file: &str, budget: &CompareBudget) -> bool {
        if budget.is_spent() {
            return false;
        }
        let nonblank: Vec<&str> = nonblank_lines(file.lines()).collect();
        budget.spend(nonblank.len() + self.lines.len());
        let parts = self.lines.split(|line| unsupported::is_gap(line));
        let mut from = 0;
        for part in parts {
            let part: Vec<&str> = nonblank_lines(part.iter().copied()).collect();
            let windows = nonblank[from..].windows(part.len().max(1));
            let mut places = windows.take_while(|_| !budget.is_spent());
            let found = places.position(|window| {
                let same =
                    window.iter().zip(&part).take_while(|(left, right)| left == right).count();
                budget.spend(same + 1);
                same == part.len()
            });
            match found {
                Some(at) => from += at + part.len(),
                None if part.is_empty() => {}
                None => return false,
            }
        }
        true
    }
}

/// How many line comparisons remain before a reply is considered hostile.
#[derive(Debug)]
pub struct CompareBudget(Cell<usize>);

impl Default for CompareBudget {
    fn default() -> Self {
        Self(Cell::new(4_000_000))
    }
}

impl CompareBudget {
    fn spend(&self, lines: usize) {
        self.0.set(self.0.get().saturating_sub(lines));
    }

    fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

fn nonblank_lines<'t>(lines: impl Iterator<Item = &'t str>) -> impl Iterator<Item = &'t str> {
    lines.map(str::trim).filter(|line| !line.is_empty())
}

/// The claims of a block without a patch.
pub(crate) fn of_block<'a>(
    document: &MarkdownDocument<'a>,
    block: &FencedBlock<'a>,
) -> Vec<Claim<'a>> {
    let placed = named_files::of(document, block);
    if !placed.is_empty() {
        return placed;
    }
    let numbered: Vec<(usize, &str)> =
        block.lines.iter().enumerate().map(|(at, line)| (block.line + 1 + at, *line)).collect();
    let language = block.language();
    let mut claims = Vec::new();
    if language.is_empty() || unsupported::is_session(&language) {
        claims.extend(shell::claims(&numbered));
    }
    if language.is_empty() || matches!(language.as_str(), "xml" | "html" | "text" | "txt") {
        claims.extend(markup::claims(&numbered));
    }
    if language.is_empty() || matches!(language.as_str(), "text" | "txt") {
        claims.extend(named_files::below_banners(&numbered));
    }
    claims.extend(data::claims(block));
    claims.extend(shell::scripted(&numbered));
    claims
}

/// The claims in lines that are in no block and no heading.
pub(crate) fn of_prose<'a>(prose: &[(usize, &'a str)]) -> Vec<Claim<'a>> {
    let mut claims = shell::in_prose(prose);
    claims.extend(markup::claims(prose));
    claims.extend(data::in_prose(prose));
    claims.extend(named_files::below_banners(prose));
    claims
}

/// The claims in lines next to the patches of a block. A heredoc that contains the patch is not a
/// change.
pub(crate) fn beside<'a>(lines: &[(usize, &'a str)]) -> Vec<Claim<'a>> {
    let mut claims = shell::claims(lines);
    let is_patch = |path: &str| matches!(path.rsplit('.').next(), Some("patch" | "diff"));
    claims.retain(|claim| !is_patch(&claim.path));
    claims
}

/// Whether a text names a file on its own: folders, and a name with an extension.
pub(crate) fn is_path(text: &str) -> bool {
    text.contains('/') && has_ending(text) && is_inside(text)
}

/// Whether a text may name a file below the current folder.
pub(crate) fn is_inside(text: &str) -> bool {
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || "\"'`<>|&$%*?(){}=;,".contains(c);
    !text.is_empty()
        && !text.starts_with(['/', '~', '-', '@', '#', '\\'])
        && !text.contains("://")
        && !text.contains(is_odd)
        && text.as_bytes().get(1) != Some(&b':')
}

fn has_ending(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| {
        (1..=12).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests;
