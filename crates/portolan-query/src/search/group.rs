//! Hits by declaration, files by worth.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use grep_matcher::Matcher as _;
use portolan_guard::redact;
use portolan_languages::Languages;
use portolan_types::declarations::Span;
use rayon::prelude::*;

use super::kinds::FileClass;
use super::outline::{Outline, OutlineItem};
use super::pattern::CompiledPatterns;
use super::report::{HitGroup, SearchHit, SearchReport, SearchedFile, TitledTest};
use super::sweep::{LineHit, Swept, SweptFile, trimmed};
use super::{SearchContext, SearchQuestionV1, lines_around};
use crate::read::titles::{TestTitle, titles};

/// The most files that are grouped by declaration: no answer shows more.
const MOST_GROUPED: usize = 96;
/// The most lines of a file that keep their text.
const MOST_TEXTS: usize = 400;
/// How many bytes of a line are kept on either side of its match.
const KEPT_AROUND: usize = 160;
/// With more lines around hits than these none are shown: no budget has room for them.
const MOST_AROUND: usize = 60_000;
/// With more hits than these, those in tests and documents are listed by number, and their declarations are not looked for.
const MOST_EACH: u64 = 40;
/// With so few hits the code around them is shown.
pub(super) const FEW: u64 = 3;

/// How much code is shown around one of few hits.
#[derive(Clone, Copy)]
struct Near {
    /// A declaration of up to this many lines is shown whole.
    short: u32,
    /// Otherwise this many lines on either side are shown.
    window: u32,
}

/// The default context of a hit, by the number of hits.
fn few(lines: u64, request: &SearchQuestionV1) -> Option<Near> {
    let is_asked = lines_around(request) != (0, 0);
    match lines {
        1 if !is_asked => Some(Near { short: 24, window: 6 }),
        2..=FEW if !is_asked => Some(Near { short: 8, window: 2 }),
        _ => None,
    }
}

/// A file on its way into the report.
struct Ranked {
    file: SweptFile,
    class: FileClass,
    /// How many of the alternatives it meets.
    met: usize,
    /// Whether a line looks like the definition of what was asked for.
    is_defining: bool,
}

/// Makes the report of a pass.
pub(super) fn report(
    context: SearchContext<'_>,
    request: &SearchQuestionV1,
    patterns: &CompiledPatterns,
    swept: Swept,
) -> SearchReport {
    let lines = swept.files.iter().map(|file| file.hits.len() as u64).sum();
    let plain_bytes = swept.files.iter().map(plain_bytes).sum();
    let unmet = patterns.unmet(&swept.files);
    let mut ranked: Vec<Ranked> = swept
        .files
        .into_par_iter()
        .flat_map_iter(by_class)
        .map(|(file, class)| ranked(file, class, patterns))
        .collect();
    ranked.sort_by(|left, right| worth(left).cmp(&worth(right)));
    let first = ranked.first().map(|ranked| ranked.class);
    let taken = AtomicUsize::new(0);
    let files = ranked.into_par_iter().enumerate().map(|(place, ranked)| {
        let is_grouped = place < MOST_GROUPED
            && !ranked.file.bytes.is_empty()
            && (lines <= MOST_EACH || is_main(ranked.class, first));
        let near = if first == Some(ranked.class) { few(lines, request) } else { None };
        if is_grouped {
            grouped(context, ranked, patterns, request, near, &taken)
        } else {
            ungrouped(ranked)
        }
    });
    let mut files: Vec<SearchedFile> = files.collect();
    if taken.into_inner() > MOST_AROUND {
        let groups = files.iter_mut().flat_map(|file| &mut file.groups);
        groups.flat_map(|group| &mut group.hits).for_each(|hit| hit.around = Vec::new());
    }
    files.sort_by_key(|file| (file.class, !file.has_definition()));
    // What was asked for is repeated in the answer: a token that somebody looks for is masked there.
    let shown = |texts: &[String]| texts.iter().map(|text| redact(text).into_owned()).collect();
    SearchReport {
        patterns: shown(patterns.written()),
        unmet: shown(&unmet),
        lines,
        files,
        unsearched: swept.unsearched,
        files_named: Vec::new(),
        searched: swept.searched,
        read_as: None,
        notices: swept.notices,
        plain_bytes,
        flags: flags(request),
        is_context_asked: lines_around(request) != (0, 0),
        read_pattern: redact(&patterns.as_one()).into_owned(),
    }
}

/// Whether hits in files of a class come with their texts: in code and what configures it, and where there is neither in
/// the best there is.
pub(super) fn is_main(class: FileClass, first: Option<FileClass>) -> bool {
    matches!(class, FileClass::Code | FileClass::Other) || first == Some(class)
}

/// What `path:line:text` for the hits of a file takes.
fn plain_bytes(file: &SweptFile) -> u64 {
    let path = file.path.as_str().len() as u64;
    let each = file.hits.iter().map(|hit| {
        let digits = u64::from(hit.line.max(1).ilog10()) + 1;
        path + digits + 2 + (hit.end - hit.start).max(1) as u64
    });
    each.sum()
}

/// A file with its class. Tests beside the code that they test are a file of tests of their own.
fn by_class(file: SweptFile) -> Vec<(SweptFile, FileClass)> {
    let class = FileClass::of(file.path.as_str());
    let tests = if class == FileClass::Code {
        Languages::default().inline_tests(file.path.as_str(), &file.bytes)
    } else {
        Vec::new()
    };
    let tests = merged(tests);
    let is_in_test = |hit: &LineHit| {
        let before = tests.partition_point(|(start, _)| *start <= hit.start);
        before.checked_sub(1).is_some_and(|last| hit.start < tests[last].1)
    };
    let (in_tests, in_code): (Vec<LineHit>, Vec<LineHit>) =
        file.hits.iter().copied().partition(is_in_test);
    if in_tests.is_empty() {
        vec![(file, class)]
    } else if in_code.is_empty() {
        vec![(file, FileClass::Test)]
    } else {
        let tests = SweptFile { hits: in_tests, ..file.clone() };
        vec![(SweptFile { hits: in_code, ..file }, class), (tests, FileClass::Test)]
    }
}

/// The same ranges in order, joined where they overlap or touch.
fn merged(mut ranges: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    ranges.sort_unstable();
    let mut merged: Vec<(usize, usize)> = Vec::with_capacity(ranges.len());
    for (start, end) in ranges {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

fn ranked(file: SweptFile, class: FileClass, patterns: &CompiledPatterns) -> Ranked {
    let some = || file.hits.iter().take(MOST_TEXTS).map(|hit| file.line(hit));
    let is_met =
        |one: &&grep_regex::RegexMatcher| some().any(|line| one.is_match(line).unwrap_or_default());
    let met = if patterns.each.len() > 1 { patterns.each.iter().filter(is_met).count() } else { 1 };
    let is_defining = some().any(|line| {
        let Ok(text) = std::str::from_utf8(line) else { return false };
        let (start, end) = patterns.in_line(line);
        let name = portolan_languages::declared_names(text).next().map_or("", |one| one.name);
        !name.is_empty() && text.get(start..end).is_some_and(|matched| matched.contains(name))
    });
    Ranked { file, class, met, is_defining }
}

/// Files in order of worth: what they are for, whether they define what was asked for, how many of the patterns they
/// meet, how many hits they have.
fn worth(ranked: &Ranked) -> (FileClass, bool, Reverse<usize>, Reverse<usize>, &str) {
    (
        ranked.class,
        !ranked.is_defining,
        Reverse(ranked.met),
        Reverse(ranked.file.hits.len().min(20)),
        ranked.file.path.as_str(),
    )
}

/// A file with the numbers of its lines only.
fn ungrouped(Ranked { file, class, .. }: Ranked) -> SearchedFile {
    let hits = file.hits.iter().map(numbered).collect();
    let groups = vec![HitGroup { hits, ..nameless() }];
    let path = file.path.as_str().to_owned();
    SearchedFile { path, class, sha256: None, is_grouped: false, groups }
}

/// A hit without its text.
fn numbered(hit: &LineHit) -> SearchHit {
    SearchHit { line: hit.line, text: String::new(), matched: (0, 0), around: Vec::new() }
}

/// A file with its hits by declaration.
fn grouped(
    context: SearchContext<'_>,
    ranked: Ranked,
    patterns: &CompiledPatterns,
    request: &SearchQuestionV1,
    near: Option<Near>,
    taken: &AtomicUsize,
) -> SearchedFile {
    let Ranked { file, class, .. } = ranked;
    let path = file.path.as_str().to_owned();
    let outline = Outline::kept(context, (&file.path, &file.digest), &file.bytes);
    let all_lines = AllLines::new(&file.bytes);
    let tests = Tests::new(titled_tests(class, &file.bytes));
    let mut groups: Vec<HitGroup> = Vec::new();
    let mut holders: BTreeMap<Holder, usize> = BTreeMap::new();
    // The last line of a group that is shown already.
    let mut until: Vec<u32> = Vec::new();
    for (number, hit) in file.hits.iter().enumerate() {
        let (start, end) = patterns.in_line(file.line(hit));
        let place = outline.place(hit.line, start);
        let matched = Span::new(place, place + (end - start) as u32);
        // A test is told by its title, not by a function in it.
        let is_in_test = |item: &OutlineItem| {
            item.is_local
                && !covers(matched, item)
                && tests.around(item.first, item.last).any(|test| test.first < item.first)
        };
        let inner = outline.innermost(place);
        let inner = inner.filter(|it| !outline.items().get(*it).is_some_and(is_in_test));
        let item = inner.and_then(|inner| outline.items().get(inner));
        let mut shown =
            if number < MOST_TEXTS { kept(&file, hit, (start, end)) } else { numbered(hit) };
        let range = item.map_or((0, 0), |item| (item.first, item.last));
        let is_definition = item.is_some_and(|item| covers(matched, item));
        let test = test_around(&tests, hit.line, range);
        let holder = (inner, test.map(|test| test.first));
        let at = *holders.entry(holder).or_insert_with(|| {
            let group = item.map_or_else(nameless, |item| named(&path, item));
            groups.push(HitGroup { test: test.and_then(titled), ..group });
            until.push(0);
            groups.len() - 1
        });
        let (first, last) = match near {
            Some(near) => all_lines.near(hit.line, range, near),
            None => all_lines.around(hit.line, lines_around(request)),
        };
        let first = first.max(until[at] + 1);
        let count = (last + 1).saturating_sub(first) as usize;
        if taken.fetch_add(count, Ordering::Relaxed) + count <= MOST_AROUND {
            shown.around = all_lines.range(first, last);
        }
        until[at] = until[at].max(last);
        if is_definition && groups[at].definition.is_none() {
            groups[at].definition = Some(hit.line);
        }
        groups[at].hits.push(shown);
    }
    SearchedFile { path, class, sha256: Some(file.sha256()), is_grouped: true, groups }
}

/// The declaration around a hit, by number, and the first line of the test around it.
type Holder = (Option<usize>, Option<u32>);

/// The tests of a file that have titles. Only files of tests are looked through.
fn titled_tests(class: FileClass, bytes: &[u8]) -> Vec<TestTitle> {
    if class != FileClass::Test {
        return Vec::new();
    }
    std::str::from_utf8(bytes).map(titles).unwrap_or_default()
}

/// The tests of a file, by line.
struct Tests {
    tests: Vec<TestTitle>,
    /// For each test the one around it, or one that ended before it.
    outer: Vec<Option<usize>>,
}

impl Tests {
    fn new(mut tests: Vec<TestTitle>) -> Self {
        tests.sort_by_key(|test| (test.first, Reverse(test.last)));
        let mut outer = Vec::with_capacity(tests.len());
        let mut open: Vec<usize> = Vec::new();
        for (number, test) in tests.iter().enumerate() {
            while open.last().is_some_and(|last| tests[*last].last < test.first) {
                open.pop();
            }
            outer.push(open.last().copied());
            open.push(number);
        }
        Self { tests, outer }
    }

    /// The tests around some lines, innermost first.
    fn around(&self, first: u32, last: u32) -> impl Iterator<Item = &TestTitle> {
        let end = self.tests.partition_point(|test| test.first <= first).checked_sub(1);
        let chain = std::iter::successors(end, |number| self.outer[*number]);
        chain.map(|number| &self.tests[number]).filter(move |test| last <= test.last)
    }
}

/// The innermost test around a line, if it is inside the declaration around that line.
fn test_around(tests: &Tests, line: u32, declaration: (u32, u32)) -> Option<&TestTitle> {
    let inner = tests.around(line, line).min_by_key(|test| (test.last - test.first, test.first))?;
    let is_inside = inner.first >= declaration.0;
    is_inside.then_some(inner)
}

fn titled(test: &TestTitle) -> Option<TitledTest> {
    let title = test.titles.last()?.clone();
    Some(TitledTest { title, range: (test.first, test.last) })
}

/// Whether a match covers the name of a declaration where it is declared.
fn covers(matched: Span, item: &OutlineItem) -> bool {
    !item.name_at.is_empty()
        && matched.start <= item.name_at.start
        && item.name_at.end <= matched.end
}

fn nameless() -> HitGroup {
    HitGroup {
        name: String::new(),
        kind: "",
        test: None,
        range: (0, 0),
        definition: None,
        is_named: false,
        hits: Vec::new(),
    }
}

fn named(path: &str, item: &OutlineItem) -> HitGroup {
    HitGroup {
        name: item.name.clone(),
        kind: Languages::default().kind_word(path, item.kind),
        range: (item.first, item.last),
        is_named: !item.is_local,
        ..nameless()
    }
}

/// A hit with as much of its line as an answer may show.
fn kept(file: &SweptFile, hit: &LineHit, (start, end): (usize, usize)) -> SearchHit {
    let line = file.line(hit);
    let from = start.saturating_sub(KEPT_AROUND);
    let to = (end.min(start + KEPT_AROUND) + KEPT_AROUND).min(line.len());
    let text = String::from_utf8_lossy(line.get(from..to).unwrap_or_default());
    // What was cut in the middle of a character shows as a mark: it is left out.
    let text = text.trim_start_matches('\u{FFFD}');
    let lead = line
        .get(from..start)
        .map_or(0, |lead| String::from_utf8_lossy(lead).trim_start_matches('\u{FFFD}').len());
    let length = line.get(start..end.min(to)).map_or(0, |it| String::from_utf8_lossy(it).len());
    SearchHit {
        line: hit.line,
        matched: (lead as u32, (lead + length) as u32),
        text: text.to_owned(),
        around: Vec::new(),
    }
}

/// The lines of a file, for what is shown around hits.
struct AllLines<'b> {
    lines: Vec<&'b [u8]>,
}

impl<'b> AllLines<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        if lines.is_empty() {
            lines.push(b"");
        }
        Self { lines }
    }

    fn text(&self, line: u32) -> String {
        /// Longer lines are no code.
        const LONGEST: usize = 400;
        let bytes = self.lines.get(line as usize - 1).copied().unwrap_or_default();
        let bytes = trimmed(bytes);
        let text =
            String::from_utf8_lossy(bytes.get(..bytes.len().min(LONGEST)).unwrap_or_default());
        text.trim_end_matches('\u{FFFD}').to_owned()
    }

    fn range(&self, first: u32, last: u32) -> Vec<(u32, String)> {
        (first..=last).map(|line| (line, self.text(line))).collect()
    }

    /// The first and the last line around a hit that were asked for; no lines where none were.
    fn around(&self, line: u32, (before, after): (u32, u32)) -> (u32, u32) {
        if before == 0 && after == 0 {
            return (1, 0);
        }
        self.within(line.saturating_sub(before), line.saturating_add(after))
    }

    fn within(&self, first: u32, last: u32) -> (u32, u32) {
        (first.max(1), last.min(self.lines.len() as u32))
    }

    /// Those of the code around one of few hits: its declaration where that is short.
    fn near(&self, line: u32, (first, last): (u32, u32), near: Near) -> (u32, u32) {
        if first > 0 && last - first < near.short {
            return self.within(first.min(line), last.max(line));
        }
        let (first, last) =
            if first == 0 { (1, u32::MAX) } else { (first.min(line), last.max(line)) };
        let from = line.saturating_sub(near.window).max(first);
        self.within(from, line.saturating_add(near.window).min(last))
    }
}

/// The flags of a request, as they are written for the next call.
fn flags(request: &SearchQuestionV1) -> String {
    let mut flags = String::new();
    for (is_set, flag) in
        [(request.ignore_case, " -i"), (request.word, " -w"), (request.fixed, " -F")]
    {
        if is_set {
            flags.push_str(flag);
        }
    }
    flags
}
