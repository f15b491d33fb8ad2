//! Lines around a place, where nothing is known of declarations: the block that its indentation tells.

use crate::pack::context::{SliceCandidate as Piece, SliceDecl as Declared, SliceRole as Role};

/// A block beyond this is shown around the place only.
const LONG_BLOCK: u32 = 160;
/// How many lines on either side, from the most to the least.
const NEAR: [u32; 4] = [30, 15, 6, 2];

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// What is around a place, from the most that may be shown to the least.
pub(super) fn windows(
    file: &str,
    text: &str,
    line: u32,
    around: Option<(Declared, Vec<(u32, u32)>)>,
) -> Vec<Piece> {
    let lines: Vec<&str> = text.lines().collect();
    let last = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    if last == 0 {
        return Vec::new();
    }
    let line = line.clamp(1, last);
    let (decl, whole, heads) = if let Some((decl, whole)) = around {
        let first = decl.lines.0;
        let above = whole.iter().filter(|(from, _)| *from < first).copied();
        let heads = above.chain([(first, first)]).collect();
        (Some(decl), whole, heads)
    } else {
        (None, vec![block(&lines, line)], heads(&lines, line))
    };
    let why = if decl.is_some() { "around the error" } else { "lines around the error" };
    let piece = |ranges: Vec<(u32, u32)>| Piece {
        role: Role::Focus,
        why: vec![why.to_owned()],
        file: file.to_owned(),
        decl: decl.clone(),
        ranges,
    };
    let mut pieces = Vec::new();
    let length: u32 = whole.iter().map(|(from, to)| to.saturating_sub(*from) + 1).sum();
    if decl.is_some() || length <= LONG_BLOCK {
        let mut ranges = whole.clone();
        ranges.push((line, line));
        pieces.push(piece(ranges));
    }
    let (first, end) =
        (whole.iter().map(|range| range.0).min(), whole.iter().map(|range| range.1).max());
    let (first, end) = (first.unwrap_or(1).min(line), end.unwrap_or(last).max(line));
    for near in NEAR {
        let from = line.saturating_sub(near).max(first);
        let to = (line + near).min(end);
        let heads = heads_of(&heads, near);
        pieces.push(piece(heads.into_iter().chain([(from, to)]).collect()));
    }
    pieces.push(piece(vec![(line, line)]));
    pieces
}

/// The block around a line, by its indentation; none for an empty text.
pub(super) fn around(text: &str, line: u32) -> Option<(u32, u32)> {
    let lines: Vec<&str> = text.lines().collect();
    let last = u32::try_from(lines.len()).ok().filter(|last| *last > 0)?;
    Some(block(&lines, line.clamp(1, last)))
}

fn heads_of(heads: &[(u32, u32)], near: u32) -> Vec<(u32, u32)> {
    let most = if near > 6 { heads.len() } else { 1 };
    heads.iter().rev().take(most).rev().copied().collect()
}

/// The outermost block around a line.
fn block(lines: &[&str], line: u32) -> (u32, u32) {
    let at = line as usize - 1;
    let is_blank = |at: usize| lines[at].trim().is_empty();
    let mut first = at;
    while first > 0 && (is_blank(first) || indent(lines[first]) > 0) {
        first -= 1;
    }
    let base = indent(lines[first]);
    let mut end = at;
    while end + 1 < lines.len() {
        let next = end + 1;
        if !is_blank(next) && indent(lines[next]) <= base {
            // What closes the block is part of it.
            let closes = lines[next].trim_start().starts_with(['}', ')', ']'])
                || lines[next].trim() == "end";
            end = if closes { next } else { end };
            break;
        }
        end = next;
    }
    while end > at && is_blank(end) {
        end -= 1;
    }
    (first as u32 + 1, end as u32 + 1)
}

/// The lines that a line is inside of: each less indented than the one below it.
fn heads(lines: &[&str], line: u32) -> Vec<(u32, u32)> {
    let at = line as usize - 1;
    let mut depth = indent(lines[at]);
    let mut heads = Vec::new();
    for above in (0..at).rev() {
        let text = lines[above];
        if !text.trim().is_empty()
            && indent(text) < depth
            && !text.trim_start().starts_with(['}', ')', ']'])
        {
            depth = indent(text);
            heads.push((above as u32 + 1, above as u32 + 1));
        }
        if depth == 0 || heads.len() > 6 {
            break;
        }
    }
    heads.reverse();
    heads
}

/// A block around a place as a piece of some role.
pub(super) fn lines_piece(role: Role, why: String, file: &str, text: &str, line: u32) -> Piece {
    let lines: Vec<&str> = text.lines().collect();
    let last = u32::try_from(lines.len()).unwrap_or(u32::MAX).max(1);
    let line = line.clamp(1, last);
    let mut ranges = if lines.is_empty() { Vec::new() } else { heads(&lines, line) };
    ranges.push((line.saturating_sub(1).max(1), (line + 1).min(last)));
    Piece { role, why: vec![why], file: file.to_owned(), decl: None, ranges }
}

#[cfg(test)]
mod tests {
    use super::windows;

    #[test]
    fn a_block_is_told_by_its_indentation() {
        let text = "import x\n\ndef a():\n    pass\n\ndef b():\n    if x:\n        bad()\n    return 1\n\ndef c():\n    pass\n";
        let pieces = windows("a.py", text, 8, None);
        assert_eq!(pieces[0].ranges, [(6, 9), (8, 8)]);
        assert_eq!(pieces.last().unwrap().ranges, [(8, 8)]);
        assert!(windows("a.py", "", 8, None).is_empty());
        assert_eq!(
            windows("a.c", "int f() {\n  x;\n}\nint y;\n", 2, None)[0].ranges,
            [(1, 3), (2, 2)]
        );
    }
}
