//! Colours of answers on a terminal, as rg has them: paths, line numbers and hits.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use portolan_query::search::HitFinder;

/// A file or a folder.
const PATH: Style = AnsiColor::Magenta.on_default();
/// The number of a line.
const NUMBER: Style = AnsiColor::Green.on_default();
/// What was searched for.
const HIT: Style = AnsiColor::Red.on_default().bold();
/// The digest of an answer.
const DIGEST: Style = Style::new().dimmed();

/// An answer with colours. Its text has no escape sequence of its own any more.
pub(crate) fn painted(text: &str, hits: Option<&HitFinder>) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for (at, line) in text.split_inclusive('\n').enumerate() {
        if at == 0 {
            first(&mut out, line);
        } else {
            other(&mut out, line, hits);
        }
    }
    out
}

fn put(out: &mut String, style: Style, text: &str) {
    // Writing to a string does not fail.
    let _ = write!(out, "{style}{text}{style:#}");
}

/// The first line: its digest is for machines.
fn first(out: &mut String, line: &str) {
    match line.split_once(' ') {
        Some((digest, rest)) if digest.starts_with('@') => {
            put(out, DIGEST, digest);
            out.push(' ');
            out.push_str(rest);
        }
        _ => out.push_str(line),
    }
}

/// A line of code with its number, a path, or a place with what was found there.
fn other(out: &mut String, line: &str, hits: Option<&HitFinder>) {
    if let Some((number, code)) = line.split_once('\t')
        && is_number(number)
    {
        put(out, NUMBER, number);
        out.push('\t');
        return code_with(out, code, hits);
    }
    let mut rest = line;
    let mut is_behind_number = false;
    while !rest.is_empty() {
        let blank = rest.len() - rest.trim_start_matches(' ').len();
        out.push_str(&rest[..blank]);
        rest = &rest[blank..];
        let end = rest.find([' ', '\n']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if is_number(word) {
            put(out, NUMBER, word);
            is_behind_number = true;
        } else if is_behind_number {
            return code_with(out, rest, hits);
        } else if is_path(word) {
            put(out, PATH, word);
        } else {
            code_with(out, word, hits);
        }
        rest = after;
        if rest == "\n" {
            out.push('\n');
            return;
        }
    }
}

/// Code, with what was searched for.
fn code_with(out: &mut String, code: &str, hits: Option<&HitFinder>) {
    let mut from = 0;
    for (start, end) in hits.map(|hits| hits.find(code)).unwrap_or_default() {
        let parts = (code.get(from..start), code.get(start..end));
        let (Some(before), Some(hit)) = parts else { break };
        out.push_str(before);
        put(out, HIT, hit);
        from = end;
    }
    out.push_str(code.get(from..).unwrap_or_default());
}

/// Whether a word is a line, or lines: `12`, `12-40:`, `~12,`.
fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches('~').trim_end_matches([':', ',', '-']);
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | ',');
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(is_part)
}

/// Whether a word is a path: a folder, or a file with an ending.
fn is_path(word: &str) -> bool {
    let word = word.trim_end_matches([':', ',', '~', '?']);
    let name = word.rsplit('/').next().unwrap_or(word);
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && !ending.is_empty() && ending.chars().all(|c| c.is_ascii_alphanumeric())
    });
    let is_plain = !word.contains(['(', ')', '"', '\'', '`', '=', ';']);
    is_plain
        && (word.ends_with('/') && word.len() > 1 || word.contains('/') && has_ending || {
            has_ending && word.starts_with(|c: char| c.is_ascii_lowercase())
        })
}

#[cfg(test)]
mod tests {
    use portolan_query::search::HitFinder;
    use portolan_wire::question::SearchQuestionV1;

    use super::painted;

    #[test]
    fn paths_numbers_and_hits_have_their_colours() {
        let patterns = vec!["needle".to_owned()];
        let question = SearchQuestionV1 { patterns, ..SearchQuestionV1::default() };
        let hits = HitFinder::new(&question);
        let text = "@0123 1 line\nsrc/\n a.py\n  Cart.total 3-9: 5 find(needle)\n6\tneedle\n";
        let shown = painted(text, hits.as_ref());
        let plain = shown
            .replace("\u{1b}[0m", "")
            .replace("\u{1b}[35m", "<p>")
            .replace("\u{1b}[32m", "<n>")
            .replace("\u{1b}[1m\u{1b}[31m", "<h>")
            .replace("\u{1b}[2m", "<d>");
        assert_eq!(
            plain,
            "<d>@0123 1 line\n<p>src/\n <p>a.py\n  Cart.total <n>3-9: <n>5 find(<h>needle)\n<n>6\t<h>needle\n"
        );
    }
}
