//! A text as blocks, told by its indentation: for every language, and without a parser.
//!
//! What starts at the left edge is a block with all that is indented below it. A long one is split at the
//! statements inside it, so that a part of it can be shown alone: lines at the edge of the whole (a closing
//! brace, the end of a list of parameters) split nothing. Comments and decorators belong to what comes after
//! them.

use std::ops::Range;

/// Consecutive lines, from 1, the last one part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Block {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// Whether it starts at the left edge.
    pub is_whole: bool,
}

/// A longer block is split.
const LONG: usize = 28;
/// Parts of a block are put together up to so many lines.
const PART: usize = 16;
/// Blocks are split in blocks so often.
const DEEP: usize = 6;
/// What goes on with a statement rather than starting one.
const GOES_ON: &[&str] =
    &["*", ".", "?", ":", "&&", "||", "|", "&", "else", "catch", "finally", "{", ")", "]", "}"];
/// What belongs to the line after it.
const BEFORE: &[&str] = &["/*", "//", "@", "#", "--"];

/// The blocks of a text, in order; together they are all of its lines.
pub fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let indents: Vec<Option<usize>> = lines.iter().map(|line| indent(line)).collect();
    let split = Split { lines: &lines, indents: &indents };
    let mut found = Vec::new();
    if !lines.is_empty() {
        split.run(0..lines.len(), None, 0, &mut found);
    }
    found
}

/// How far a line is indented; none for a blank one.
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
    /// Splits some lines at those that are indented least, yet deeper than `edge`; `depth` bounds how often.
    fn run(&self, range: Range<usize>, edge: Option<usize>, depth: usize, found: &mut Vec<Block>) {
        let starts = self.starts(range.clone(), edge);
        let ends = starts.iter().skip(1).copied().chain([range.end]);
        let mut open: Option<(usize, usize)> = None;
        let block = |(from, to): (usize, usize)| Block {
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

    /// How far those lines are indented that are so least, yet deeper than `edge`.
    fn least(&self, range: Range<usize>, edge: Option<usize>) -> Option<usize> {
        self.indents[range].iter().flatten().copied().filter(|indent| Some(*indent) > edge).min()
    }

    /// The first line that is indented deeper than the edge of a block, and that edge.
    fn inside(&self, block: Range<usize>, edge: Option<usize>) -> Option<(usize, usize)> {
        let least = self.least(block.clone(), edge)?;
        let is_deeper = |at: &usize| self.indents[*at].is_some_and(|indent| indent > least);
        (block.start + 1..block.end).find(is_deeper).map(|at| (at, least))
    }

    /// Where the statements of some lines start.
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
    fn what_is_indented_belongs_to_what_is_not() {
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
    fn what_closes_a_long_block_does_not_hold_it_together() {
        let method = |n: usize| {
            let body = "    step();\n".repeat(18);
            format!("  /** Of {n}. */\n  m{n}(\n    a: A,\n  ) {{\n{body}  }}\n\n")
        };
        let text = format!("export class C {{\n{}}}\n", (0..3).map(method).collect::<String>());
        check(&text, "1-25 26-49 50-74");
    }
}
