//! A place in the lines of a reply, seen without what a list or a quotation puts in front of them.

/// What stands before the text of a line inside of a quotation or a list item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Container {
    /// How many `>`.
    pub(crate) quotes: usize,
    /// How many characters of white space behind them.
    pub(crate) indent: usize,
}

impl Container {
    /// What stands before `text`, and the text: `- ` and `1. ` open a list item, whose other lines are
    /// indented as far.
    pub(crate) fn of(line: &str) -> (Self, &str) {
        let mut container = Self::default();
        let mut rest = line;
        loop {
            let text = rest.trim_start_matches([' ', '\t']);
            container.indent += rest.len() - text.len();
            // A row of them ends a `SEARCH` block.
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

    /// A line without its quotation marks; `None` where it has not as many: the quotation is over.
    pub(crate) fn unquote(self, line: &str) -> Option<&str> {
        let mut rest = line;
        for _ in 0..self.quotes {
            let text = rest.trim_start_matches(' ').strip_prefix('>')?;
            rest = text.strip_prefix(' ').unwrap_or(text);
        }
        Some(rest)
    }

    /// The text of a line; `None` where it stands outside.
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

/// How many characters of white space a line begins with.
pub(crate) fn indent_of(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// A line without at most so many characters of white space at its start.
pub(crate) fn unindent(line: &str, indent: usize) -> &str {
    &line[indent_of(line).min(indent)..]
}

/// A place in some lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'r, 'a> {
    lines: &'r [&'a str],
    /// The number of the first of them.
    first: usize,
    at: usize,
    /// Where it began: that line may open the list item that it is in.
    opening: usize,
    container: Container,
    /// Whether a fence, or nothing, ends the lines: then an empty line is one of a patch.
    pub(crate) is_fenced: bool,
}

impl<'r, 'a> Cursor<'r, 'a> {
    /// The lines of a fenced block, already without their container.
    pub(crate) fn fenced(lines: &'r [&'a str], first: usize) -> Self {
        let container = Container::default();
        Self { lines, first, at: 0, opening: 0, container, is_fenced: true }
    }

    /// A whole reply from one of its lines on, which may open a list item.
    pub(crate) fn unfenced(lines: &'r [&'a str], at: usize, container: Container) -> Self {
        Self { lines, first: 1, at, opening: at, container, is_fenced: false }
    }

    /// The text so many lines ahead; `None` where the lines, or the container, end.
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

    /// The text here.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.ahead(0)
    }

    /// Goes on by one line.
    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    /// The number of the line here.
    pub(crate) fn number(&self) -> usize {
        self.first + self.at
    }

    /// How many lines were gone over.
    pub(crate) fn index(&self) -> usize {
        self.at
    }
}
