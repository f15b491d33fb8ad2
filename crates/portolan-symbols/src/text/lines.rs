//! The lines of a text.

use portolan_types::declarations::Span;

/// The starts of the lines of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineStarts {
    starts: Vec<u32>,
    end: u32,
}

impl LineStarts {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> Self {
        let ends = text.bytes().zip(1u32..).filter(|(byte, _)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(_, after)| after)).collect();
        Self { starts, end: text.len() as u32 }
    }

    /// The number of lines, without an empty last one.
    pub fn count(&self) -> u32 {
        let is_empty = self.starts.last() == Some(&self.end);
        self.starts.len() as u32 - u32::from(is_empty && self.starts.len() > 1)
    }

    /// The line, from 1, of an offset.
    pub fn of(&self, at: u32) -> u32 {
        self.starts.partition_point(|start| *start <= at) as u32
    }

    /// The last line of a span.
    pub fn last_of(&self, span: Span) -> u32 {
        self.of(span.end.saturating_sub(1).max(span.start))
    }

    /// The span of a line, with its line end.
    pub fn span(&self, line: u32) -> Span {
        let at = (line as usize).saturating_sub(1);
        let start = self.starts.get(at).copied().unwrap_or(self.end);
        let end = self.starts.get(at + 1).copied().unwrap_or(self.end);
        Span::new(start, end)
    }

    /// A line without its line end.
    pub fn text<'t>(&self, text: &'t str, line: u32) -> &'t str {
        let span = self.span(line);
        let line = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        line.trim_end_matches(['\n', '\r'])
    }

    /// The offset of a line and a column in UTF-16 units, both from 1.
    pub fn offset(&self, text: &str, line: u32, column: u32) -> u32 {
        let span = self.span(line);
        let content = self.text(text, line);
        let mut units = 1;
        for (at, char) in content.char_indices() {
            if units >= column {
                return span.start + at as u32;
            }
            units += char.len_utf16() as u32;
        }
        span.start + content.len() as u32
    }
}
