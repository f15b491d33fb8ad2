//! What may be a change in a form that is not read: a file below its path, a command of a shell, an edit
//! as JSON or in tags. Whether it is one, only what is there can tell: who explains code quotes it.

mod data;
mod markup;
mod place;
mod shell;

use std::cell::Cell;

use crate::reply::document::{Block, Document};
use crate::reply::suspect;

/// Something that changes a file, if it is no quotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// Where.
    pub line: usize,
    /// The file, as the reply names it.
    pub path: String,
    /// When it counts.
    pub sort: ClaimSort,
    /// What is there, in words.
    pub message: &'static str,
    /// The text that the file is said to have.
    pub lines: Vec<&'a str>,
}

/// When a claim counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimSort {
    /// Unless the file has, or gets, this very text.
    Text,
    /// The same, and only if there is such a file: the name alone could be anything.
    KnownText,
    /// Whatever is there.
    Write,
    /// If there is such a file, or a folder with files.
    Touch,
}

impl Claim<'_> {
    fn bare(line: usize, path: &str, sort: ClaimSort, message: &'static str) -> Self {
        Self { line, path: path.to_owned(), sort, message, lines: Vec::new() }
    }

    /// Whether the text is shown as a file has it: its lines one behind the other, however they are indented,
    /// with gaps where the quotation has them. Who makes that hard to tell quotes nothing.
    pub fn is_quoted_from(&self, file: &str, patience: &Patience) -> bool {
        if patience.is_spent() {
            return false;
        }
        let told: Vec<&str> = told_lines(file.lines()).collect();
        patience.spend(told.len() + self.lines.len());
        let parts = self.lines.split(|line| suspect::is_gap(line));
        let mut from = 0;
        for part in parts {
            let part: Vec<&str> = told_lines(part.iter().copied()).collect();
            let windows = told[from..].windows(part.len().max(1));
            let mut places = windows.take_while(|_| !patience.is_spent());
            let found = places.position(|window| {
                let same =
                    window.iter().zip(&part).take_while(|(left, right)| left == right).count();
                patience.spend(same + 1);
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

/// How many lines are compared before a reply counts as one that was made to take for ever.
#[derive(Debug)]
pub struct Patience(Cell<usize>);

impl Default for Patience {
    fn default() -> Self {
        Self(Cell::new(4_000_000))
    }
}

impl Patience {
    fn spend(&self, lines: usize) {
        self.0.set(self.0.get().saturating_sub(lines));
    }

    fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

fn told_lines<'t>(lines: impl Iterator<Item = &'t str>) -> impl Iterator<Item = &'t str> {
    lines.map(str::trim).filter(|line| !line.is_empty())
}

/// The claims of a block without a patch.
pub(crate) fn of_block<'a>(document: &Document<'a>, block: &Block<'a>) -> Vec<Claim<'a>> {
    let placed = place::of(document, block);
    if !placed.is_empty() {
        return placed;
    }
    let numbered: Vec<(usize, &str)> =
        block.lines.iter().enumerate().map(|(at, line)| (block.line + 1 + at, *line)).collect();
    let language = block.language();
    let mut claims = Vec::new();
    if language.is_empty() || suspect::is_session(&language) {
        claims.extend(shell::claims(&numbered));
    }
    if language.is_empty() || matches!(language.as_str(), "xml" | "html" | "text" | "txt") {
        claims.extend(markup::claims(&numbered));
    }
    if language.is_empty() || matches!(language.as_str(), "text" | "txt") {
        claims.extend(place::below_banners(&numbered));
    }
    claims.extend(data::claims(block));
    claims.extend(shell::scripted(&numbered));
    claims
}

/// The claims of lines that are in no block and no heading.
pub(crate) fn of_prose<'a>(prose: &[(usize, &'a str)]) -> Vec<Claim<'a>> {
    let mut claims = shell::said(prose);
    claims.extend(markup::claims(prose));
    claims.extend(data::said(prose));
    claims.extend(place::below_banners(prose));
    claims
}

/// The claims of lines beside the patches of a block. A file that the patch is put into is no change.
pub(crate) fn beside<'a>(lines: &[(usize, &'a str)]) -> Vec<Claim<'a>> {
    let mut claims = shell::claims(lines);
    let is_patch = |path: &str| matches!(path.rsplit('.').next(), Some("patch" | "diff"));
    claims.retain(|claim| !is_patch(&claim.path));
    claims
}

/// Whether a text names a file by itself: folders, and a name with an ending.
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
