//! A reply as Markdown: headings, fenced blocks and the prose between them. The rest of Markdown
//! does not matter here, and any text is valid.

use crate::reply::cursor::{Container, indent_of, unindent};

/// A parsed reply. Lines count from 1.
#[derive(Debug, Default)]
pub struct MarkdownDocument<'a> {
    /// The headings, in order.
    pub headings: Vec<Heading<'a>>,
    pub(crate) blocks: Vec<FencedBlock<'a>>,
    /// The lines that are in no block, no patch and no heading.
    pub prose: Vec<(usize, &'a str)>,
}

/// `## Text`.
#[derive(Clone, Copy, Debug)]
pub struct Heading<'a> {
    /// The line in the reply.
    pub line: usize,
    pub(crate) level: usize,
    /// The text of the heading.
    pub text: &'a str,
}

/// A fenced block.
#[derive(Debug)]
pub(crate) struct FencedBlock<'a> {
    /// The line of the opening fence.
    pub(crate) line: usize,
    /// The text after the opening fence.
    pub(crate) info: &'a str,
    pub(crate) lines: Vec<&'a str>,
    /// The index of the heading above.
    pub(crate) heading: Option<usize>,
    /// Whether it has a closing fence.
    pub(crate) is_closed: bool,
    /// Whether it lists file operations.
    pub(crate) is_operations: bool,
}

/// An opening fence: its character, its length, and its container.
#[derive(Clone, Copy)]
struct OpeningFence {
    mark: char,
    length: usize,
    container: Container,
}

impl<'a> MarkdownDocument<'a> {
    /// The prose below every heading with this title, down to the next heading of the same or a
    /// higher level.
    pub fn section(&self, title: &str) -> Vec<(usize, &'a str)> {
        self.section_below(|text| text.eq_ignore_ascii_case(title))
    }

    /// The prose below every heading that a predicate accepts.
    pub(crate) fn section_below(&self, is_it: impl Fn(&str) -> bool) -> Vec<(usize, &'a str)> {
        let mut headings = self.headings.iter().peekable();
        let mut open: Option<usize> = None;
        let mut found = Vec::new();
        for (line, text) in &self.prose {
            while let Some(heading) = headings.next_if(|heading| heading.line < *line) {
                if is_it(heading.text) {
                    open = Some(open.map_or(heading.level, |level| level.min(heading.level)));
                } else if open.is_some_and(|level| heading.level <= level) {
                    open = None;
                }
            }
            if open.is_some() {
                found.push((*line, *text));
            }
        }
        found
    }

    /// The text of the heading above a block.
    pub(crate) fn heading_of(&self, block: &FencedBlock<'a>) -> Option<&'a str> {
        block.heading.and_then(|index| self.headings.get(index)).map(|heading| heading.text)
    }

    /// The last line of prose before a line, skipping blank lines. None if a heading or a block is
    /// between.
    pub(crate) fn prose_before(&self, line: usize) -> Option<&'a str> {
        let lines = self.prose.iter().rev().take_while(|(number, _)| *number + 4 > line);
        let (number, text) = lines.into_iter().find(|(_, text)| !text.trim().is_empty())?;
        let is_between = |other: usize| other > *number && other < line;
        let heading = self.headings.last().is_some_and(|heading| is_between(heading.line));
        let block = self.blocks.last().is_some_and(|block| is_between(block.line));
        (!heading && !block).then_some(*text)
    }
}

impl<'a> FencedBlock<'a> {
    /// The block that starts at a line, if any, and the number of its lines.
    pub(crate) fn at(lines: &[&'a str], index: usize) -> Option<(Self, usize)> {
        let (fence, info) = opening(lines.get(index)?)?;
        let mut content = Vec::new();
        let mut is_closed = false;
        let mut taken = 1;
        for line in &lines[index + 1..] {
            let Some(text) = fence.container.unquote(line) else { break };
            taken += 1;
            if fence.is_closed_by(text) {
                is_closed = true;
                break;
            }
            content.push(text);
        }
        let indent = common_indent(&content).min(fence.container.indent);
        for line in &mut content {
            *line = unindent(line, indent);
        }
        let block = Self {
            line: index + 1,
            info,
            lines: content,
            heading: None,
            is_closed,
            is_operations: false,
        };
        Some((block, taken))
    }

    /// Its lines without their common indentation, so that the lines of a patch start at the
    /// margin.
    pub(crate) fn at_margin(&self) -> Vec<&'a str> {
        let indent = common_indent(&self.lines);
        self.lines.iter().map(|line| unindent(line, indent)).collect()
    }

    /// The first word after the fence, in lower case.
    pub(crate) fn language(&self) -> String {
        self.info.split_whitespace().next().unwrap_or_default().to_ascii_lowercase()
    }
}

fn common_indent(lines: &[&str]) -> usize {
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    filled.map(|line| indent_of(line)).min().unwrap_or(0)
}

fn opening(line: &str) -> Option<(OpeningFence, &str)> {
    let (container, text) = Container::of(line);
    let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    // A line of code spans is not a fence.
    let is_fence = length >= 3 && !(mark == '`' && info.contains('`'));
    is_fence.then_some((OpeningFence { mark, length, container }, info.trim()))
}

impl OpeningFence {
    fn is_closed_by(self, line: &str) -> bool {
        // A deeper line is code: a line of a patch for a file that contains fences.
        let is_code = indent_of(line) > self.container.indent + 3;
        let text = line.trim();
        !is_code && text.len() >= self.length && text.chars().all(|c| c == self.mark)
    }
}

impl<'a> Heading<'a> {
    pub(crate) fn of(number: usize, line: &'a str) -> Option<Self> {
        let text = line.trim_start_matches('#');
        let level = line.len() - text.len();
        let is_heading = (1..=6).contains(&level) && text.starts_with([' ', '\t']);
        let text = text.trim().trim_end_matches('#').trim_end();
        is_heading.then_some(Self { line: number, level, text })
    }
}

/// The file that a heading such as ``Patch: `src/a.ts` `` names.
pub(crate) fn heading_target(heading: &str) -> Option<String> {
    let quoted = heading.split('`').nth(1).filter(|text| !text.trim().is_empty());
    let name = quoted.or_else(|| patch_word(heading))?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The text after `Patch:`.
pub(crate) fn patch_word(heading: &str) -> Option<&str> {
    let word = heading.get(..6)?;
    word.eq_ignore_ascii_case("patch:").then(|| heading[6..].trim())
}

/// The file that a line names, if it contains nothing else: `src/a.ts`, quoted or bold, after a
/// word such as `File:`, or before a colon.
pub(crate) fn path_line(line: &str) -> Option<String> {
    const WORDS: [&str; 4] = ["file:", "path:", "filename:", "patch:"];
    let dressing = ['*', '_', '#', ' ', '\t', ':'];
    let (_, text) = Container::of(line);
    let mut text = text.trim_matches(dressing);
    for word in WORDS {
        let head = text.get(..word.len());
        if head.is_some_and(|head| head.eq_ignore_ascii_case(word)) {
            text = text[word.len()..].trim_matches(dressing);
        }
    }
    let bare = text.trim_matches('`');
    let is_quoted = text.len() >= bare.len() + 2;
    let is_path = !bare.is_empty()
        && !bare.contains('`')
        && bare.contains(['/', '.'])
        && (is_quoted || !bare.contains(char::is_whitespace));
    is_path.then(|| bare.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::path_line;
    use crate::reply::read;

    #[test]
    fn blocks_headings_and_prose_are_separated() {
        let text =
            "# A\nsaid\n### Patch: `x`\n~~~~text\n```\n# no heading\n~~~~\n## B\n`````\nopen";
        let document = read(text).document;
        let headings: Vec<_> = document.headings.iter().map(|heading| heading.text).collect();
        assert_eq!(headings, ["A", "Patch: `x`", "B"]);
        assert_eq!(document.blocks[0].lines, ["```", "# no heading"]);
        assert_eq!(document.heading_of(&document.blocks[0]), Some("Patch: `x`"));
        assert_eq!((document.blocks[1].line, document.blocks[1].lines.len()), (9, 1));
        assert!(document.blocks[0].is_closed && !document.blocks[1].is_closed);
        assert_eq!(document.prose, [(2, "said")]);
    }

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        let text = "## Input Data Changes\na\n### Detail\nb\n## Other\nc\n## input data changes\nd";
        let lines: Vec<_> = read(text)
            .document
            .section("Input Data Changes")
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(lines, ["a", "b", "d"]);
    }

    #[test]
    fn blocks_in_lists_and_quotations_are_unindented() {
        let content = |text: &str| read(text).document.blocks[0].lines.join("|");
        assert_eq!(content("- ```x\n  a\n   b\n\n  ```\nafter"), "a| b|");
        assert_eq!(content("1. said\n\n   ```x\n   a\n   ```"), "a");
        assert_eq!(content("> ```x\n> a\n>  b\n> ```\n"), "a| b");
        assert_eq!(content("  ```x\na\n   b\n  ```"), "a|   b", "the text is not indented");
        assert_eq!(content("\t```x\n\ta\n\t```"), "a");
        assert_eq!(content("> ```x\n> a\nafter"), "a", "the quotation ends");
    }

    #[test]
    fn a_line_that_is_only_a_path_names_a_file() {
        for line in
            ["a/b.ts", "`a/b.ts`", "**a/b.ts**", "- `a/b.ts`:", "File: a/b.ts", "#### a/b.ts"]
        {
            assert_eq!(path_line(line).as_deref(), Some("a/b.ts"), "{line}");
        }
        assert_eq!(path_line("`a b.ts`").as_deref(), Some("a b.ts"));
        for line in ["", "Here it is.", "and", "see `a.ts` and `b.ts`"] {
            assert_eq!(path_line(line), None, "{line}");
        }
    }
}
