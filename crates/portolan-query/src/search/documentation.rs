//! Where the documentation of declarations stands: comments before them, and long strings that stand alone, as Python has
//! them.

use portolan_languages::{LexicalKind, lexical_spans};
use portolan_ranking::{TermCounts, TermPositions};

use super::outline::OutlineItem;

/// The documentation of a file.
pub(super) struct Documentation {
    /// The pieces, in order.
    pieces: Vec<Piece>,
}

/// A comment, or a long string that stands alone.
#[derive(Clone, Copy)]
struct Piece {
    start: u32,
    end: u32,
    is_comment: bool,
}

impl Documentation {
    /// Of a text.
    pub(super) fn new(path: &str, bytes: &[u8]) -> Self {
        let is_alone = |start: usize, end: usize| {
            let before = bytes.get(..start).unwrap_or_default().iter().rev();
            let after = bytes.get(end..).unwrap_or_default().iter();
            let is_edge = |byte: Option<&u8>| byte.is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
            let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
            is_edge(before.clone().find(|byte| !is_blank(byte)))
                && is_edge(after.clone().find(|byte| !is_blank(byte)))
        };
        let spans = lexical_spans(path, bytes).into_iter();
        let pieces = spans.filter(|span| match span.kind {
            LexicalKind::Comment => true,
            LexicalKind::Text => {
                let text = bytes.get(span.start..span.end).unwrap_or_default();
                let is_long = text.contains(&b'\n') || text.starts_with(b"\"\"\"");
                is_long && is_alone(span.start, span.end)
            }
        });
        let pieces = pieces.map(|span| Piece {
            start: span.start as u32,
            end: span.end as u32,
            is_comment: span.kind == LexicalKind::Comment,
        });
        Self { pieces: pieces.collect() }
    }

    /// Where the first long string inside of a declaration is that stands alone: its start and end.
    pub(super) fn inside(&self, item: &OutlineItem) -> Option<(u32, u32)> {
        let first = self.pieces.partition_point(|piece| piece.start < item.span.start);
        let mut pieces = self.pieces[first..].iter().take_while(|it| it.start < item.span.end);
        let found = pieces.find(|piece| !piece.is_comment)?;
        Some((found.start, found.end))
    }

    /// The words of the documentation of a declaration. A comment inside of it belongs to the code.
    pub(super) fn words(&self, item: &OutlineItem, positions: &TermPositions) -> TermCounts {
        let first = self.pieces.partition_point(|piece| piece.start < item.span.start);
        let pieces = self.pieces[first..].iter().take_while(|piece| piece.start < item.span.end);
        let is_before = |piece: &&Piece| !piece.is_comment || piece.start < item.name_at.start;
        let mut words = TermCounts::default();
        for piece in pieces.filter(is_before) {
            words.add(&positions.within(piece.start, piece.end.min(item.span.end)));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use portolan_ranking::{Task, TermIndex};

    use super::Documentation;
    use crate::search::outline::Outline;

    #[test]
    fn documentation_is_told_from_code() {
        let index = TermIndex::new(&Task::new("zebra"));
        let check = |path: &str, text: &str, expected: u32| {
            let outline = Outline::new(path, text.as_bytes());
            let positions = index.positions(text.as_bytes());
            let documentation = Documentation::new(path, text.as_bytes());
            let words = documentation.words(&outline.items()[0], &positions);
            let count: u32 = words.counts.iter().map(|(_, count)| count).sum();
            assert_eq!(count, expected, "{text}");
        };
        check("a.py", "def f():\n    \"\"\"A zebra.\"\"\"\n    return zebra('zebra')\n", 1);
        check("a.py", "def f():\n    raise Error(\"\"\"zebra\"\"\")\n", 0);
        check("a.ts", "/** A zebra. */\nexport function f() { return zebra; } // zebra\n", 1);
    }
}
