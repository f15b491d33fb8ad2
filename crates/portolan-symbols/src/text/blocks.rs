//! Splits a text into blocks by its indentation: for every language, and without a parser.
//!
//! A line at the left edge starts a block, which includes the indented lines below it. A long block
//! is split at the statements inside it, so that a part can be shown alone. Lines at the block's
//! own indentation (a closing brace, the end of a parameter list) do not split it. Comments and
//! decorators belong to the line after them.

use std::ops::Range;

/// Consecutive lines, from 1 and inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextBlock {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// Whether it starts at the left edge.
    pub is_whole: bool,
}

/// Blocks with more lines are split.
const LONG: usize = 28;
/// Parts of a block are joined up to this many lines.
const PART: usize = 16;
/// The deepest nesting at which blocks are split.
const DEEP: usize = 6;
/// The starts of lines that continue a statement.
const GOES_ON: &[&str] =
    &["*", ".", "?", ":", "&&", "||", "|", "&", "else", "catch", "finally", "{", ")", "]", "}"];
/// The starts of lines that belong to the line after them.
const BEFORE: &[&str] = &["/*", "//", "@", "#", "--"];

/// The blocks of a text, in order. Together they cover all of its lines.
pub fn blocks(text: &str) -> Vec<TextBlock> {
    let lines: Vec<&str> = text.lines().collect();
    let indents: Vec<Option<usize>> = lines.iter().map(|line| indent(line)).collect();
    let split = Split { lines: &lines, indents: &indents };
    let mut found = Vec::new();
    if !lines.is_empty() {
        split.run(0..lines.len(), None, 0, &mut found);
    }
    found
}

/// The indentation of a line; none for a blank line.
fn indent(line: &str) -> Option<usize> {
    let width = |c: char| if c == '\t' { 4 } else { 1 };
    let trimmed = line.trim_start();
    (!trimmed.is_empty()).then(|| line[..line.len() - trimmed.len()].chars().map(width).sum())
}

struct Split<'a> {
    lines: &'a [&'a str],
    indents: &'a [Option<usize>],
}

impl Split<'_> {
    /// Splits lines at the least indented ones that are deeper than `edge`. `depth` bounds the
    /// recursion.
    fn run(
        &self,
        range: Range<usize>,
        edge: Option<usize>,
        depth: usize,
        found: &mut Vec<TextBlock>,
    ) {
        let starts = self.starts(range.clone(), edge);
        let ends = starts.iter().skip(1).copied().chain([range.end]);
        let mut open: Option<(usize, usize)> = None;
        let block = |(from, to): (usize, usize)| TextBlock {
            first: from as u32 + 1,
            last: to as u32,
            is_whole: depth == 0,
        };
        for (from, to) in starts.iter().copied().zip(ends) {
            let inside =
                (to - from > LONG && depth < DEEP).then(|| self.inside(from..to, edge)).flatten();
            if let Some((inside, edge)) = inside {
                found.extend(open.take().map(block));
                let first = found.len();
                self.run(inside..to, Some(edge), depth + 1, found);
                if let Some(part) = found.get_mut(first) {
                    part.first = from as u32 + 1;
                }
            } else if depth == 0 {
                found.push(block((from, to)));
            } else {
                open = match open {
                    Some((start, _)) if to - start <= PART => Some((start, to)),
                    other => {
                        found.extend(other.map(block));
                        Some((from, to))
                    }
                };
            }
        }
        found.extend(open.map(block));
    }

    /// The least indentation that is deeper than `edge`.
    fn least(&self, range: Range<usize>, edge: Option<usize>) -> Option<usize> {
        self.indents[range].iter().flatten().copied().filter(|indent| Some(*indent) > edge).min()
    }

    /// The first line that is indented deeper than the edge of a block, and that edge.
    fn inside(&self, block: Range<usize>, edge: Option<usize>) -> Option<(usize, usize)> {
        let least = self.least(block.clone(), edge)?;
        let is_deeper = |at: &usize| self.indents[*at].is_some_and(|indent| indent > least);
        (block.start + 1..block.end).find(is_deeper).map(|at| (at, least))
    }

    /// The lines where statements start.
    fn starts(&self, range: Range<usize>, edge: Option<usize>) -> Vec<usize> {
        let least = self.least(range.clone(), edge).unwrap_or(0);
        let mut starts = Vec::new();
        let mut is_before = false;
        for at in range.clone() {
            let Some(indent) = self.indents[at] else { continue };
            let line = self.lines[at].trim_start();
            let is = |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
            if indent == least && !is(GOES_ON) {
                if !is_before {
                    starts.push(at);
                }
                is_before = is(BEFORE);
            } else if indent > least && !line.starts_with('*') {
                is_before = false;
            }
        }
        if starts.first() != Some(&range.start) {
            starts.insert(0, range.start);
        }
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::blocks;

    fn check(text: &str, expected: &str) {
        let found: Vec<String> =
            blocks(text).iter().map(|it| format!("{}-{}", it.first, it.last)).collect();
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn indented_lines_belong_to_the_line_above() {
        check("import x\n\ndef a():\n    pass\n\n# of b\ndef b():\n    pass\n", "1-2 3-5 6-8");
        check("/**\n * Doc.\n */\nexport function a() {\n  b();\n}\n\nconst c = 1;\n", "1-7 8-8");
        check("", "");
        check("\n\n  odd\n", "1-2 3-3");
    }

    #[test]
    fn a_long_block_is_split_at_its_statements() {
        let body: String = (0..30).map(|n| format!("    if x{n}:\n        y()\n\n")).collect();
        let text = format!("def a():\n{body}");
        let found = blocks(&text);
        assert!(found.len() > 3 && found.iter().all(|it| it.last - it.first <= 25), "{found:?}");
        assert_eq!((found[0].first, found.last().unwrap().last), (1, 91));
        assert!(found.windows(2).all(|pair| pair[0].last + 1 == pair[1].first));
    }

    #[test]
    fn closing_lines_do_not_prevent_a_split() {
        let method = |n: usize| {
            let body = "    step();\n".repeat(18);
            format!("  /** Of {n}. */\n  m{n}(\n    a: A,\n  ) {{\n{body}  }}\n\n")
        };
        let text = format!("export class C {{\n{}}}\n", (0..3).map(method).collect::<String>());
        check(&text, "1-25 26-49 50-74");
    }
}
