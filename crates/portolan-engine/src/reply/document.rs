//! A reply as Markdown: headings, fenced blocks and the prose between them. Nothing else of
//! Markdown matters here, and no text is wrong.

/// A reply, taken apart. Lines count from 1.
#[derive(Debug, Default)]
pub(super) struct Document<'a> {
    pub(super) headings: Vec<Heading<'a>>,
    pub(super) blocks: Vec<Block<'a>>,
    /// The lines that are in no block and are no heading.
    pub(super) prose: Vec<(usize, &'a str)>,
}

/// `## Text`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heading<'a> {
    pub(super) line: usize,
    level: usize,
    pub(super) text: &'a str,
}

/// A fenced block.
#[derive(Debug)]
pub(super) struct Block<'a> {
    /// The line of its opening fence.
    pub(super) line: usize,
    /// What stands behind the opening fence.
    pub(super) info: &'a str,
    pub(super) lines: Vec<&'a str>,
    /// The heading above it.
    pub(super) heading: Option<&'a str>,
}

/// An opening fence: its character and how many there are.
#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

/// Takes a reply apart.
pub(super) fn parse(text: &str) -> Document<'_> {
    let mut document = Document::default();
    let mut open: Option<Fence> = None;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if let (Some(fence), Some(block)) = (open, document.blocks.last_mut()) {
            if closes(line, fence) {
                open = None;
            } else {
                block.lines.push(line);
            }
        } else if let Some((fence, info)) = opening(line) {
            open = Some(fence);
            let heading = document.headings.last().map(|heading| heading.text);
            document.blocks.push(Block { line: number, info, lines: Vec::new(), heading });
        } else if let Some((level, text)) = heading(line) {
            document.headings.push(Heading { line: number, level, text });
        } else {
            document.prose.push((number, line));
        }
    }
    document
}

impl<'a> Document<'a> {
    /// The prose below every heading of this text, down to the next heading of its level or above.
    pub(super) fn section(&self, title: &str) -> Vec<(usize, &'a str)> {
        let starts = self.headings.iter().enumerate();
        let ranges: Vec<_> = starts
            .filter(|(_, heading)| heading.text.eq_ignore_ascii_case(title))
            .map(|(index, heading)| {
                let mut later = self.headings.iter().skip(index + 1);
                let end = later.find(|next| next.level <= heading.level);
                heading.line..end.map_or(usize::MAX, |next| next.line)
            })
            .collect();
        let inside = |line: &usize| ranges.iter().any(|range| range.contains(line));
        self.prose.iter().filter(|(line, _)| inside(line)).copied().collect()
    }

    /// The lines of the blocks right below a heading of this text.
    pub(super) fn blocks_below(&self, title: &str) -> impl Iterator<Item = (usize, &'a str)> {
        let below = |heading: Option<&str>| {
            heading.is_some_and(|heading| heading.eq_ignore_ascii_case(title))
        };
        self.blocks.iter().filter(move |block| below(block.heading)).flat_map(|block| {
            let lines = block.lines.iter().enumerate();
            lines.map(|(index, line)| (block.line + 1 + index, *line))
        })
    }
}

fn opening(line: &str) -> Option<(Fence, &str)> {
    let text = line.trim_start();
    let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    // A line of code spans is not a fence.
    let is_fence = length >= 3 && !(mark == '`' && info.contains('`'));
    is_fence.then_some((Fence { mark, length }, info.trim()))
}

fn closes(line: &str, fence: Fence) -> bool {
    let is_indented_code = line.starts_with("    ") || line.starts_with('\t');
    let text = line.trim();
    !is_indented_code && text.len() >= fence.length && text.chars().all(|c| c == fence.mark)
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && text.starts_with([' ', '\t']);
    is_heading.then(|| (level, text.trim().trim_end_matches('#').trim_end()))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn blocks_headings_and_prose_are_told_apart() {
        let text =
            "# A\nsaid\n### Patch: `x`\n~~~~diff\n```\n# no heading\n~~~~\n## B\n`````\nopen";
        let document = parse(text);
        let headings: Vec<_> = document.headings.iter().map(|heading| heading.text).collect();
        assert_eq!(headings, ["A", "Patch: `x`", "B"]);
        assert_eq!(document.blocks[0].lines, ["```", "# no heading"]);
        assert_eq!(document.blocks[0].heading, Some("Patch: `x`"));
        assert_eq!((document.blocks[1].line, document.blocks[1].lines.len()), (9, 1));
        assert_eq!(document.prose, [(2, "said")]);
    }

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        let text = "## Input Data Changes\na\n### Detail\nb\n## Other\nc\n## input data changes\nd";
        let lines: Vec<_> =
            parse(text).section("Input Data Changes").into_iter().map(|(_, text)| text).collect();
        assert_eq!(lines, ["a", "b", "d"]);
    }
}
