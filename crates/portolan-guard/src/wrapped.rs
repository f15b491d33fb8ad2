//! Tokens that a terminal or a runner broke at the end of a line.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};
use std::sync::LazyLock;

use crate::MASK;
use crate::families::FAMILIES;
use crate::finding;

/// The longest part of a token on one line.
const LONGEST_PART: usize = 512;
/// The most lines that are searched for a token.
const MOST_LINES: usize = 8;
/// The longest token that goes over more lines.
const LONGEST_TOKEN: usize = 16 << 10;
/// How many bytes may be searched for such tokens, whatever the length of the text and for each of its bytes.
const SEARCHED: (usize, usize) = (64 << 10, 2);
/// The shortest token.
const SHORTEST: usize = 16;
/// The most blanks before the part on the next line.
const MOST_BLANKS: usize = 16;

/// What tokens with claims begin with: `{"`, `{ ` and `{` before a line end, and such a beginning in base64 again.
const CLAIMS: [&[u8]; 3] = [b"ey", b"ew", b"ZX"];

/// The rules for tokens of known issuers: others find too much where two words stand side by side by chance.
static ISSUED: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| FAMILIES.iter().map(|family| family.name).chain(["jwt"]).collect());

/// Masks the parts of tokens that go over the end of a line.
pub(crate) fn masked(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut hidden: Vec<Range<usize>> = Vec::new();
    let mut end = 0;
    let mut budget = SEARCHED.0 + SEARCHED.1 * bytes.len();
    for at in memchr::memchr_iter(b'\n', bytes) {
        if at >= end
            && let Some(spans) = at_end(bytes, at, &mut budget)
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

/// The part of a token on the line behind a line end, up to its end or to what follows it there.
fn next_part(text: &[u8], line_end: usize) -> Option<Range<usize>> {
    let rest = text.get(line_end..)?;
    let rest = rest.strip_prefix(b"\r").unwrap_or(rest).strip_prefix(b"\n")?;
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let blanks = rest.iter().take(MOST_BLANKS).take_while(is_blank).count();
    let own = rest.get(blanks..)?.iter().take(LONGEST_PART).take_while(|byte| is_part(**byte));
    let own = own.count();
    let start = text.len() - rest.len() + blanks;
    (own > 0).then(|| start..start + own)
}

/// The parts of a token that goes on behind a line end.
fn at_end(text: &[u8], line_end: usize, budget: &mut usize) -> Option<Vec<Range<usize>>> {
    let before = text.get(..line_end)?;
    let before = before.strip_suffix(b"\r").unwrap_or(before);
    let length = before.iter().rev().take(LONGEST_PART).take_while(|byte| is_part(**byte)).count();
    if length < 3 {
        return None;
    }
    let first = before.len() - length..before.len();
    let mut parts = Vec::from([first]);
    let mut end = before.len();
    while parts.len() < MOST_LINES
        && let Some(part) = next_part(text, end)
    {
        end = part.end;
        parts.push(part);
    }
    if let Some(found) = token_over(text, &parts) {
        return Some(found);
    }
    // Where a token with claims ends shows only behind them.
    let first = text.get(parts.first()?.clone())?;
    let has_start = |start: &[u8]| memchr::memmem::find(first, start).is_some();
    if parts.len() < MOST_LINES || !CLAIMS.iter().any(|start| has_start(start)) {
        return None;
    }
    let mut taken = 0;
    while taken < LONGEST_TOKEN.min(*budget)
        && let Some(part) = next_part(text, end)
    {
        end = part.end;
        taken += part.len();
        parts.push(part);
    }
    *budget = budget.saturating_sub(taken);
    if taken == 0 { None } else { token_over(text, &parts) }
}

/// The parts of a token that goes over the first of some line ends, and those behind them, if it does not end before.
fn token_over(text: &[u8], parts: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
    let joined: Vec<u8> =
        parts.iter().filter_map(|part| text.get(part.clone())).flatten().copied().collect();
    let is_mixed =
        joined.iter().any(u8::is_ascii_digit) && joined.iter().any(u8::is_ascii_alphabetic);
    if parts.len() < 2 || joined.len() < SHORTEST || !is_mixed {
        return None;
    }
    let length = parts.first()?.len();
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
    let spans = parts.iter().filter_map(|part| {
        let own = at..at + part.len();
        at = own.end;
        let (start, end) = (token.start.max(own.start), token.end.min(own.end));
        (start < end).then(|| part.start + start - own.start..part.start + end - own.start)
    });
    let mut spans: Vec<Range<usize>> = spans.collect();
    if token.end == joined.len() {
        spans.extend(rest_of_token(text, parts.last()?.end));
    }
    Some(spans)
}

/// The lines behind a line end that are of nothing but what tokens are of.
fn rest_of_token(text: &[u8], mut end: usize) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut taken = 0;
    while taken < LONGEST_TOKEN
        && let Some(part) = next_part(text, end)
        && matches!(text.get(part.end), None | Some(b'\r' | b'\n'))
    {
        end = part.end;
        taken += part.len();
        spans.push(part);
    }
    spans
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

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

    /// A token with claims of some length, and letters that none of its lines repeats.
    fn with_claims(length: usize) -> String {
        let encode = |text: &str| {
            const LETTERS: &[u8] =
                b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
            let bits: Vec<u8> =
                text.bytes().flat_map(|it| (0..8).rev().map(move |at| it >> at & 1)).collect();
            let value = |six: &[u8]| (0..6).fold(0, |it, at| it * 2 + six.get(at).unwrap_or(&0));
            bits.chunks(6)
                .map(|six| char::from(LETTERS[usize::from(value(six))]))
                .collect::<String>()
        };
        let mut claims = String::from("{");
        for number in 0_u32.. {
            if claims.len() >= length {
                break;
            }
            let value = number.wrapping_mul(2_654_435_761);
            let _ = write!(claims, "\"c{number}\":\"{value:08x}\",");
        }
        let signature = "k7Qz2Xf9Lm4Vb8Nw3Rt6Yp1Hs5Jd0GcTaEuZiOoPqKvMxWy";
        let header = encode("{\"alg\":\"HS256\",\"typ\":\"JWT\"}");
        format!("{header}.{}.{signature}", encode(&format!("{claims}\"z\":1}}")))
    }

    #[test]
    fn a_token_of_many_lines_is_masked_to_its_end() {
        for length in [300, 600, 1000, 4000] {
            let token = with_claims(length);
            for width in [40, 80, 100] {
                let lines: Vec<&str> = (0..token.len())
                    .step_by(width)
                    .map(|at| &token[at..token.len().min(at + width)])
                    .collect();
                let text = format!("got {}\n== the end ==\n", lines.join("\n"));
                let masked = masked(&text).unwrap();
                let shown = lines.iter().filter(|line| masked.contains(**line));
                assert_eq!(shown.count(), 0, "{length} {width}: {masked}");
                assert!(masked.starts_with("got ***\n") && masked.ends_with("== the end ==\n"));
            }
        }
    }

    #[test]
    fn a_token_of_an_issuer_is_masked_beyond_the_lines_that_are_searched() {
        let lines: Vec<String> = (0..30).map(|at| format!("a{at:02}B7c{}", at * 37 % 89)).collect();
        let text = format!("got sk-ant-{}\n{}\nit ends\n", "api03-aB3", lines.join("\n"));
        let masked = masked(&text).unwrap();
        assert_eq!(masked, format!("got ***\n{}it ends\n", "***\n".repeat(30)));
    }

    #[test]
    fn the_search_for_long_tokens_is_bounded() {
        assert_eq!(masked(&"eyJ\n".repeat(100_000)), None);
        assert_eq!(masked(&"eyJ1\n".repeat(100_000)), None);
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
