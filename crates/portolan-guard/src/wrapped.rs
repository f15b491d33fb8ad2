//! Tokens that a terminal or a runner broke at the end of a line.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};
use std::sync::LazyLock;

use crate::MASK;
use crate::families::FAMILIES;
use crate::finding;

/// The longest part of a token on one line.
const LONGEST_PART: usize = 512;
/// The most lines of a token.
const MOST_LINES: usize = 8;
/// The shortest token.
const SHORTEST: usize = 16;
/// The most blanks before the part on the next line.
const MOST_BLANKS: usize = 16;

/// The rules for tokens of known issuers: others find too much where two words stand side by side by chance.
static ISSUED: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| FAMILIES.iter().map(|family| family.name).chain(["jwt"]).collect());

/// Masks the parts of tokens that go over the end of a line.
pub(crate) fn masked(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut hidden: Vec<Range<usize>> = Vec::new();
    let mut end = 0;
    for at in memchr::memchr_iter(b'\n', bytes) {
        if at >= end
            && let Some(spans) = at_end(bytes, at)
        {
            end = spans.last().map_or(at, |span| span.end);
            hidden.extend(spans);
        }
    }
    if hidden.is_empty() {
        return None;
    }
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for span in hidden {
        out.push_str(text.get(end..span.start).unwrap_or_default());
        out.push_str(MASK);
        end = span.end;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    Some(out)
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./+=~".contains(&byte)
}

/// The parts of a token that goes on behind a line end.
fn at_end(text: &[u8], line_end: usize) -> Option<Vec<Range<usize>>> {
    let before = text.get(..line_end)?;
    let before = before.strip_suffix(b"\r").unwrap_or(before);
    let length = before.iter().rev().take(LONGEST_PART).take_while(|byte| is_part(**byte)).count();
    let first = before.len() - length..before.len();
    let mut parts = Vec::from([first]);
    let mut end = line_end;
    while length > 2 && parts.len() < MOST_LINES && text.get(end) == Some(&b'\n') {
        let rest = text.get(end + 1..)?;
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
        let blanks = rest.iter().take(MOST_BLANKS).take_while(is_blank).count();
        let own = rest.get(blanks..)?.iter().take(LONGEST_PART).take_while(|byte| is_part(**byte));
        let own = own.count();
        if own == 0 {
            break;
        }
        let start = end + 1 + blanks;
        parts.push(start..start + own);
        end = start + own;
        if text.get(end) == Some(&b'\r') {
            end += 1;
        }
    }
    let joined: Vec<u8> =
        parts.iter().filter_map(|part| text.get(part.clone())).flatten().copied().collect();
    let is_mixed =
        joined.iter().any(u8::is_ascii_digit) && joined.iter().any(u8::is_ascii_alphabetic);
    if parts.len() < 2 || joined.len() < SHORTEST || !is_mixed {
        return None;
    }
    let mut found: Option<Range<usize>> = None;
    finding::find(&joined, |one| {
        let is_over = one.span.start < length && one.span.end > length;
        if is_over && ISSUED.contains(one.rule) {
            found = Some(one.span);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    let token = found?;
    let mut at = 0;
    let spans = parts.into_iter().filter_map(|part| {
        let own = at..at + part.len();
        at = own.end;
        let (start, end) = (token.start.max(own.start), token.end.min(own.end));
        (start < end).then(|| part.start + start - own.start..part.start + end - own.start)
    });
    Some(spans.collect())
}

#[cfg(test)]
mod tests {
    use super::masked;

    /// Assembled at run time, so that no scanner reports this file as a leak.
    fn token() -> String {
        format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6g7H8")
    }

    #[test]
    fn a_token_that_a_line_end_breaks_is_masked_in_all_its_parts() {
        let token = token();
        for at in 3..token.len() - 1 {
            for between in ["\n", "\r\n", "\n    ", "\n\t"] {
                let (left, right) = token.split_at(at);
                let text = format!("a: bad {left}{between}{right} here\nnext\n");
                let masked = masked(&text).unwrap();
                assert_eq!(masked, format!("a: bad ***{between}*** here\nnext\n"));
            }
        }
        let (first, rest) = token.split_at(10);
        let (second, third) = rest.split_at(10);
        let text = format!("{first}\n{second}\n{third}\n");
        assert_eq!(masked(&text).unwrap(), "***\n***\n***\n");
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        for text in
            ["", "a\nb\n", "src/a1.ts\nsrc/b2.ts\n", "sha 0123456789abcdef\n0123456789abcdef\n"]
        {
            assert_eq!(masked(text), None);
        }
        assert_eq!(masked(&"a1b2_c3-".repeat(20_000)), None);
        assert_eq!(masked(&"a1b2_c3-\n".repeat(20_000)), None);
    }
}
