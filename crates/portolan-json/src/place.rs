//! Converts byte offsets to the lines and columns that editors show.

/// Line and column (UTF-16 units), from 1, of ascending byte offsets, in one pass over the text.
pub fn positions(text: &str, offsets: &[usize]) -> Vec<(u32, u32)> {
    let mut found = Vec::with_capacity(offsets.len());
    let (mut line, mut column) = (1u32, 1u32);
    let mut chars = text.char_indices().peekable();
    for &offset in offsets {
        while let Some((_, c)) = chars.next_if(|(at, _)| *at < offset) {
            if c == '\n' {
                line = line.saturating_add(1);
                column = 1;
            } else {
                column = column.saturating_add(c.len_utf16() as u32);
            }
        }
        found.push((line, column));
    }
    found
}

/// The position of one offset.
pub(crate) fn position(text: &str, offset: usize) -> (u32, u32) {
    positions(text, &[offset]).first().copied().unwrap_or((1, 1))
}
