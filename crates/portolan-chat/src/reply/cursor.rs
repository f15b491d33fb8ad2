//! A position in the lines of a reply. It hides the prefixes of Markdown lists and quotations.

/// The prefix of a line inside a quotation or a list item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Container {
    /// The number of `>`.
    pub(crate) quotes: usize,
    /// The number of whitespace characters after them.
    pub(crate) indent: usize,
}

impl Container {
    /// Splits a line into its prefix and its text. `- ` and `1. ` open a list item, whose other
    /// lines have the same indentation.
    pub(crate) fn of(line: &str) -> (Self, &str) {
        let mut container = Self::default();
        let mut rest = line;
        loop {
            let text = rest.trim_start_matches([' ', '\t']);
            container.indent += rest.len() - text.len();
            // A longer row of `>` ends a `SEARCH` block.
            let quoted = text.strip_prefix('>').filter(|rest| !rest.starts_with(">>>>"));
            if let Some(quoted) = quoted {
                container = Self { quotes: container.quotes + 1, indent: 0 };
                rest = quoted.strip_prefix(' ').unwrap_or(quoted);
            } else if let Some(marker) = list_marker(text) {
                container.indent += marker;
                rest = &text[marker..];
            } else {
                return (container, text);
            }
        }
    }

    /// A line without its quotation marks; `None` if it has fewer, because the quotation has ended.
    pub(crate) fn unquote(self, line: &str) -> Option<&str> {
        let mut rest = line;
        for _ in 0..self.quotes {
            let text = rest.trim_start_matches(' ').strip_prefix('>')?;
            rest = text.strip_prefix(' ').unwrap_or(text);
        }
        Some(rest)
    }

    /// The text of a line; `None` if it is outside the container.
    fn text(self, line: &str) -> Option<&str> {
        let line = self.unquote(line)?;
        if line.trim().is_empty() {
            return Some(unindent(line, self.indent));
        }
        (indent_of(line) >= self.indent).then(|| unindent(line, self.indent))
    }
}

/// The length of `- `, `* `, `+ ` or `12. ` at the start of a text.
fn list_marker(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    text[length..].starts_with(' ').then_some(length + 1)
}

/// The number of whitespace characters at the start of a line.
pub(crate) fn indent_of(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// A line without up to `indent` whitespace characters at its start.
pub(crate) fn unindent(line: &str, indent: usize) -> &str {
    &line[indent_of(line).min(indent)..]
}

/// A position in some lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineCursor<'r, 'a> {
    lines: &'r [&'a str],
    /// The number of the first line.
    first: usize,
    at: usize,
    /// The start: this line may open the list item that it is in.
    opening: usize,
    container: Container,
    /// Whether the lines end with a fence or with the text. If so, an empty line belongs to a
    /// patch.
    pub(crate) is_fenced: bool,
}

impl<'r, 'a> LineCursor<'r, 'a> {
    /// A cursor over the lines of a fenced block, already without their container.
    pub(crate) fn fenced(lines: &'r [&'a str], first: usize) -> Self {
        let container = Container::default();
        Self { lines, first, at: 0, opening: 0, container, is_fenced: true }
    }

    /// A cursor over a whole reply, from a line that may open a list item.
    pub(crate) fn unfenced(lines: &'r [&'a str], at: usize, container: Container) -> Self {
        Self { lines, first: 1, at, opening: at, container, is_fenced: false }
    }

    /// The text `count` lines ahead; `None` after the end of the lines or of the container.
    pub(crate) fn ahead(&self, count: usize) -> Option<&'a str> {
        let line = *self.lines.get(self.at + count)?;
        if self.is_fenced {
            return Some(line);
        }
        if self.at + count == self.opening {
            return Some(Container::of(line).1);
        }
        self.container.text(line)
    }

    /// The text of this line.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.ahead(0)
    }

    /// Moves to the next line.
    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    /// The number of this line.
    pub(crate) fn number(&self) -> usize {
        self.first + self.at
    }

    /// The number of lines passed.
    pub(crate) fn index(&self) -> usize {
        self.at
    }
}
