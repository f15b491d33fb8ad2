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
    let is_named = |start: usize, line: &[u8]| {
        patterns.places_in(line).into_iter().any(|at| match kind_at(start + at) {
            Some(LexicalKind::Comment) => false,
            Some(LexicalKind::Text) => true,
            None => !is_same,
        })
    };
    let hits = file.hits.iter().filter(|hit| is_named(hit.start, file.line(hit)));
    hits.map(|hit| Mention { path: path.to_owned(), line: hit.line }).collect()
}
