//! Where a name stands that no code uses: in strings, templates, settings and code of other languages.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use portolan_languages::{LexicalKind, language_code, lexical_spans};
use portolan_vfs::System;
use portolan_workspace::config::Loaded;

use super::filter::FileFilter;
use super::kinds::FileClass;
use super::pattern::CompiledPatterns;
use super::sweep::{SweptFile, sweep};
use super::{SearchContext, SearchError, SearchQuestionV1};

/// A line that names something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether it is documentation: an example that is run, or a link.
    pub is_documentation: bool,
}

impl std::fmt::Display for Mention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.path, self.line)
    }
}

/// The lines that have a name as a word, by file: in code of the language of `home` those where it is in a string, in
/// other files all but comments. Documents do not count: they tell of code, and run nothing.
pub(crate) fn mentions(
    system: &dyn System,
    config: &Loaded,
    name: &str,
    home: &str,
) -> Result<Vec<Mention>, SearchError> {
    let request = SearchQuestionV1 {
        patterns: vec![name.to_owned()],
        word: true,
        fixed: true,
        ..SearchQuestionV1::default()
    };
    let patterns = CompiledPatterns::new(&request)?;
    let filter = FileFilter::new(system, config, &request)?;
    let swept = sweep(SearchContext::new(system, config), &filter, &patterns)?;
    let files = swept.files.iter();
    let files = files.filter(|file| FileClass::of(file.path.as_str()) != FileClass::Document);
    Ok(files.flat_map(|file| named(file, &patterns, home)).collect())
}

fn named(file: &SweptFile, patterns: &CompiledPatterns, home: &str) -> Vec<Mention> {
    let path = file.path.as_str();
    let is_same = language_code(path).is_some() && language_code(path) == language_code(home);
    let spans = lexical_spans(path, &file.bytes);
    let kind_at = |at: usize| {
        let before = spans.partition_point(|span| span.start <= at);
        let span = before.checked_sub(1).and_then(|last| spans.get(last));
        span.filter(|span| at < span.end).map(|span| span.kind)
    };
    let fenced = OnceCell::new();
    // Whether a line names it, and whether only as documentation does.
    let named = |start: usize, number: u32, line: &[u8]| {
        let each = patterns.places_in(line).into_iter().map(|at| match kind_at(start + at) {
            Some(LexicalKind::Comment) => {
                let fenced = fenced.get_or_init(|| fenced_lines(&file.bytes));
                (is_same && is_in_documentation(fenced, number, line, at)).then_some(true)
            }
            Some(LexicalKind::Text) => Some(false),
            None => (!is_same).then_some(false),
        });
        each.flatten().min()
    };
    let hits = file.hits.iter().filter_map(|hit| {
        let is_documentation = named(hit.start, hit.line, file.line(hit))?;
        Some(Mention { path: path.to_owned(), line: hit.line, is_documentation })
    });
    hits.collect()
}

/// Whether a word of a comment stands in an example, or in a link: ``[`name`]``, `{@link name}`, `@see name`.
fn is_in_documentation(fenced: &BTreeSet<u32>, number: u32, line: &[u8], at: usize) -> bool {
    let own = String::from_utf8_lossy(line);
    let before = own.get(..at).unwrap_or_default();
    // The word may be the end of a name: `{@link Store#name}`.
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '#' | ':');
    let tagged = before.trim_end_matches(is_part).trim_end();
    if ["{@link", "@see", "@throws", "@exception"].iter().any(|tag| tagged.ends_with(tag)) {
        return true;
    }
    let is_link =
        before.rfind('[').is_some_and(|open| !before.get(open..).unwrap_or_default().contains(']'));
    doc_mark(&own).is_some() && (is_link || fenced.contains(&number))
}

fn doc_mark(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    ["///", "//!"].into_iter().find(|mark| line.starts_with(mark))
}

/// The lines of documentation comments that are inside of a fence.
fn fenced_lines(text: &[u8]) -> BTreeSet<u32> {
    let (mut fenced, mut open, mut last) = (BTreeSet::new(), false, None);
    for (line, number) in text.split(|byte| *byte == b'\n').zip(1u32..) {
        let line = String::from_utf8_lossy(line);
        let mark = doc_mark(&line);
        open &= mark.is_some() && mark == last;
        last = mark;
        if mark.is_some() && line.contains("```") {
            open = !open;
        } else if open {
            fenced.insert(number);
        }
    }
    fenced
}
