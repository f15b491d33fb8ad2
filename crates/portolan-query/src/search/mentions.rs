//! Where a name stands that no code uses: in strings, templates, settings and code of other languages.

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
    // Whether a line names it, and whether only as documentation does.
    let named = |start: usize, line: &[u8]| {
        let each = patterns.places_in(line).into_iter().map(|at| match kind_at(start + at) {
            Some(LexicalKind::Comment) => {
                (is_same && is_in_documentation(&file.bytes, start, line, at)).then_some(true)
            }
            Some(LexicalKind::Text) => Some(false),
            None => (!is_same).then_some(false),
        });
        each.flatten().min()
    };
    let hits = file.hits.iter().filter_map(|hit| {
        let is_documentation = named(hit.start, file.line(hit))?;
        Some(Mention { path: path.to_owned(), line: hit.line, is_documentation })
    });
    hits.collect()
}

/// Whether a word of a comment stands in an example, or in a link: ``[`name`]``, `{@link name}`, `@see name`.
fn is_in_documentation(text: &[u8], start: usize, line: &[u8], at: usize) -> bool {
    let own = String::from_utf8_lossy(line);
    let before = own.get(..at).unwrap_or_default();
    let is_tag = ["{@link", "@see", "@throws", "@exception", "@inheritDoc"]
        .iter()
        .any(|tag| before.contains(tag));
    if is_tag {
        return true;
    }
    let mark = |line: &str| {
        let line = line.trim_start();
        ["///", "//!"].into_iter().find(|mark| line.starts_with(mark))
    };
    let Some(doc) = mark(&own) else { return false };
    let is_link =
        before.rfind('[').is_some_and(|open| !before.get(open..).unwrap_or_default().contains(']'));
    let above = String::from_utf8_lossy(text.get(..start).unwrap_or_default());
    let above = above.lines().rev().take_while(|line| mark(line) == Some(doc));
    let fences = above.filter(|line| line.contains("```")).count();
    is_link || fences % 2 == 1
}
