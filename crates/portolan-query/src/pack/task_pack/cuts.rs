//! Cuts the files of a task into parts, and orders these by how likely the task changes them.
//!
//! A part is a declaration, a stretch of a long one around the words of the task, the documentation inside of it, or what stands
//! between declarations.

use std::collections::BTreeSet;

use portolan_ranking::{Passage, PassageFile, Task, TermIndex, TermPositions, choose_passages};
use portolan_symbols::text::LineStarts;

use crate::pack::texts::Texts;
use crate::search::{PlacedDeclaration, PlacedFile, PlacesReport};

/// The approximate number of lines of a part of a long declaration.
const STRETCH: u32 = 30;
/// Of a declaration with at least this many lines, only the parts near words of the task count.
const LONG_BODY: u32 = 80;
/// How many lines on either side of a word are near it.
const NEAR: u32 = 6;
/// Documentation of fewer lines is not parted from its code.
const SHORT_DOCUMENTATION: u32 = 5;
/// Larger files are data, in lines.
const MOST_LINES: u32 = 20_000;

/// A part of a file.
pub(super) struct FilePart<'a> {
    /// The file.
    pub(super) file: &'a str,
    /// Its lines, and the first of its declaration.
    pub(super) ranges: Vec<(u32, u32)>,
    /// The declaration that it is part of.
    pub(super) decl: Option<&'a PlacedDeclaration>,
    /// Whether it comes before the first declaration of the file.
    pub(super) is_head: bool,
}

impl FilePart<'_> {
    /// The name of its declaration.
    pub(super) fn name(&self) -> Option<&str> {
        self.decl.map(|decl| decl.name.as_str())
    }
}

/// Cuts files.
pub(super) struct Cutter<'a> {
    index: TermIndex,
    weights: &'a [f64],
}

/// Lines of a file, before they are a part.
struct Cut<'a> {
    lines: (u32, u32),
    decl: Option<&'a PlacedDeclaration>,
    is_documentation: bool,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(task: &str, report: &'a PlacesReport) -> Self {
        Self { index: TermIndex::new(&Task::new(task)), weights: &report.weights }
    }

    /// The parts of files, likeliest for their price first. Those with less than `least` of the best chance are left
    /// out.
    pub(super) fn parts<'f>(
        &self,
        texts: &Texts<'_>,
        files: &'f [PlacedFile],
        least: f64,
    ) -> Vec<FilePart<'f>> {
        let (mut cut, mut passages) = (Vec::new(), Vec::new());
        for file in files {
            let Some(source) = texts.get(&file.path) else { continue };
            let lines: Vec<&str> = source.text.lines().collect();
            let starts = LineStarts::new(&source.text);
            let positions = self.index.positions(source.text.as_bytes());
            let matching = positions.found.iter().map(|(at, _)| starts.of(*at)).collect();
            let cuts = cuts(file, &lines, &matching);
            let of_file = self.passages((&starts, &positions), &lines, &cuts);
            passages.push(PassageFile { score: file.score, passages: of_file });
            cut.push((file, cuts));
        }
        let order = choose_passages(&passages, least).into_iter();
        order.map(|(file, number)| part(cut[file].0, &cut[file].1, number)).collect()
    }

    fn passages(
        &self,
        (starts, positions): (&LineStarts, &TermPositions),
        lines: &[&str],
        cuts: &[Cut<'_>],
    ) -> Vec<Passage> {
        let weight = |word: u16| self.weights.get(usize::from(word)).copied().unwrap_or(0.0);
        let each = cuts.iter().enumerate().map(|(number, cut)| {
            let (first, last) = cut.lines;
            let found = positions.within(starts.span(first).start, starts.span(last).end);
            let tokens = (first..=last).map(|line| tokens(line, lines)).sum();
            Passage {
                lines: last + 1 - first,
                tokens,
                words: found.counts.iter().map(|(word, _)| weight(*word)).sum(),
                place: cut.decl.map(|decl| decl.score),
                is_head: number == 0 && cut.decl.is_none(),
                is_documentation: cut.is_documentation,
            }
        });
        each.collect()
    }
}

/// A part of a file: its lines, below the first line of its declaration.
fn part<'a>(file: &'a PlacedFile, cuts: &[Cut<'a>], number: usize) -> FilePart<'a> {
    let cut = &cuts[number];
    let head = cut.decl.map(|decl| (decl.lines.0, decl.lines.0));
    let ranges = head.into_iter().chain([cut.lines]).collect();
    let is_head = number == 0 && cut.decl.is_none();
    FilePart { file: &file.path, ranges, decl: cut.decl, is_head }
}

/// What a line costs about, with its number.
#[expect(clippy::cast_precision_loss, reason = "a line is far shorter than 2^52")]
fn tokens(line: u32, lines: &[&str]) -> f64 {
    let text = lines.get(line as usize - 1).copied().unwrap_or_default();
    let indent = if text.starts_with([' ', '\t']) { 0.5 } else { 0.0 };
    1.2 + f64::from(line.max(1).ilog10() + 1) / 3.0 + text.trim().len() as f64 / 3.9 + indent
}

/// Cuts a file: every line belongs to the innermost declaration around it. `matching` are the lines with words of the task.
fn cuts<'a>(file: &'a PlacedFile, lines: &[&str], matching: &BTreeSet<u32>) -> Vec<Cut<'a>> {
    let last = u32::try_from(lines.len()).unwrap_or(u32::MAX).min(MOST_LINES);
    let mut owners: Vec<Option<usize>> = vec![None; last as usize + 1];
    let mut order: Vec<usize> = (0..file.places.len()).collect();
    let length = |place: &usize| file.places[*place].lines.1 - file.places[*place].lines.0;
    order.sort_by_key(|place| std::cmp::Reverse(length(place)));
    for place in order {
        let (first, end) = file.places[place].lines;
        for line in first.max(1)..=end.min(last) {
            owners[line as usize] = Some(place);
        }
    }
    let mut cuts = Vec::new();
    let mut first = 1;
    for line in 1..=last {
        let owner = owners[line as usize];
        if line < last && owners[line as usize + 1] == owner {
            continue;
        }
        let decl = owner.map(|place| &file.places[place]);
        cut_run(&mut cuts, (lines, matching), (first, line), decl);
        first = line + 1;
    }
    cuts
}

/// Cuts lines of one declaration, or between declarations.
fn cut_run<'a>(
    cuts: &mut Vec<Cut<'a>>,
    (lines, matching): (&[&str], &BTreeSet<u32>),
    (mut first, last): (u32, u32),
    decl: Option<&'a PlacedDeclaration>,
) {
    let is_blank = |line: u32| lines.get(line as usize - 1).is_none_or(|it| it.trim().is_empty());
    if decl.is_none() {
        while first <= last && is_blank(first) {
            first += 1;
        }
        if first > last {
            return;
        }
    }
    let documentation = decl
        .and_then(|decl| decl.documentation)
        .filter(|(from, to)| first <= *from && *to < last && to + 1 - from >= SHORT_DOCUMENTATION);
    let mut add = |lines: (u32, u32), is_documentation: bool| {
        cuts.push(Cut { lines, decl, is_documentation });
    };
    if let Some((from, to)) = documentation {
        if from > first {
            add((first, from - 1), false);
        }
        add((from, to), true);
        first = to + 1;
    }
    let is_long = decl.is_some_and(|decl| decl.lines.1 - decl.lines.0 >= LONG_BODY);
    for (from, to) in stretches(lines, first, last) {
        let mut found = matching.range(from..=to);
        match (found.next(), found.next_back()) {
            (Some(one), other) if is_long => {
                let (start, end) = (one.saturating_sub(NEAR), other.unwrap_or(one) + NEAR);
                add((start.max(from), end.min(to)), false);
            }
            // Of a long body, what has no word of the task says nothing.
            (None, _) if is_long => {}
            _ => add((from, to), false),
        }
    }
}

/// Cuts lines into stretches: after a blank line, or else after the least indented one.
fn stretches(lines: &[&str], mut first: u32, last: u32) -> Vec<(u32, u32)> {
    let depth = |line: u32| {
        let text = lines.get(line as usize - 1).copied().unwrap_or_default();
        if text.trim().is_empty() { 0 } else { 1 + text.len() - text.trim_start().len() }
    };
    let mut stretches = Vec::new();
    while last + 1 - first > STRETCH * 3 / 2 {
        let ends = first + STRETCH / 2..(first + STRETCH * 3 / 2).min(last - 3);
        let best = ends.min_by_key(|end| (depth(*end), end.abs_diff(first + STRETCH), *end));
        let Some(end) = best else { break };
        stretches.push((first, end));
        first = end + 1;
    }
    stretches.push((first, last));
    stretches
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use portolan_ranking::PlaceScore;

    use super::{cuts, stretches};
    use crate::search::{PlacedDeclaration, PlacedFile};

    fn declared(lines: (u32, u32), documentation: Option<(u32, u32)>) -> PlacedDeclaration {
        let (name, score) = ("a".to_owned(), PlaceScore::default());
        PlacedDeclaration { lines, name, kind: "function", score, documentation }
    }

    #[test]
    fn every_line_belongs_to_the_innermost_declaration() {
        let text = "import a\n\nclass A:\n    def b():\n        one\n\n    c = 1\n\n\nlast()\n";
        let lines: Vec<&str> = text.lines().collect();
        let places = vec![declared((3, 7), None), declared((4, 5), None)];
        let file = PlacedFile { path: "a.py".to_owned(), score: 1.0, places };
        let found: Vec<((u32, u32), bool)> = cuts(&file, &lines, &BTreeSet::new())
            .iter()
            .map(|cut| (cut.lines, cut.decl.is_some()))
            .collect();
        let expected =
            [((1, 2), false), ((3, 3), true), ((4, 5), true), ((6, 7), true), ((10, 10), false)];
        assert_eq!(found, expected);
    }

    #[test]
    fn documentation_is_parted_from_its_code() {
        let lines = vec!["x"; 20];
        let file = |documentation| PlacedFile {
            path: "a.py".to_owned(),
            score: 1.0,
            places: vec![declared((1, 20), Some(documentation))],
        };
        let found = |file: &PlacedFile| -> Vec<(u32, u32)> {
            cuts(file, &lines, &BTreeSet::new()).iter().map(|cut| cut.lines).collect()
        };
        assert_eq!(found(&file((2, 9))), [(1, 1), (2, 9), (10, 20)]);
        assert_eq!(found(&file((2, 3))), [(1, 20)]);
    }

    #[test]
    fn of_a_long_body_only_what_is_near_the_words_is_a_part() {
        let lines = vec!["    x"; 120];
        let places = vec![declared((1, 120), None)];
        let file = PlacedFile { path: "a.py".to_owned(), score: 1.0, places };
        let matching = BTreeSet::from([1, 50, 52]);
        let cuts = cuts(&file, &lines, &matching);
        assert_eq!(cuts.iter().map(|cut| cut.lines).collect::<Vec<_>>(), [(1, 7), (44, 58)]);
    }

    #[test]
    fn long_code_is_cut_at_blank_lines() {
        let mut lines = vec!["    x"; 80];
        lines[24] = "";
        assert_eq!(stretches(&lines, 1, 80), [(1, 25), (26, 56), (57, 80)]);
        assert_eq!(stretches(&lines, 1, 40), [(1, 40)]);
    }
}
