//! Search: text, names or a task in, places out.
//!
//! A pattern search walks the universe and searches each file on the thread that found it, as ripgrep does; the Map is
//! not built. Only files with hits are parsed, and of these only as many as an answer can show. Hits are grouped by
//! the innermost declaration around them; what they declare is kept for the next search. Sums are whole: they are those of `rg` on the same files,
//! without those that may hold secrets.

mod documentation;
mod filter;
mod group;
mod judge;
mod kinds;
mod lexical;
mod meant;
mod mentions;
mod message;
mod names;
mod names_of_files;
mod outline;
mod pattern;
mod plain;
mod report;
mod sweep;
mod task;
mod text;
mod wire;
mod words;

use portolan_guard::redact;
use portolan_vfs::System;
use portolan_workspace::PatternError;
use rayon::prelude::*;
use thiserror::Error;

pub use self::kinds::FileClass;
pub(crate) use self::kinds::{LOCALES, inline_tests};
pub use self::mentions::Mention;
pub(crate) use self::mentions::mentions;
pub use self::names::{NamesReport, search_names};
pub(crate) use self::outline::{extension_name, functions_of, plain_head};
pub use self::pattern::HitFinder;
pub use self::plain::{PlainLayout, PlainReport};
pub use self::report::{
    HitGroup, ReadAs, SearchHit, SearchReport, SearchedFile, TitledTest, unsearched_note,
};
pub use self::task::{PlacedDeclaration, PlacedFile, PlacesReport, TaskPlace, search_task};
pub(crate) use self::text::{in_braces, quoted};
pub use self::words::{is_plain_text, split_words};

use self::filter::FileFilter;
use self::judge::Judge;
use self::names_of_files::FileNames;
use self::pattern::{CompiledPatterns, SurelyMeant};
pub(crate) use self::pattern::{LineMatcher, line_matcher};
use portolan_index::map::MapError;
use portolan_index::symbols::OutlineStore;
use portolan_wire::question::SearchQuestionV1;
use portolan_workspace::config::Loaded;

/// Identifies what makes outlines: those that other sources made are not used.
pub const OUTLINES_MADE_BY: &str = env!("PORTOLAN_FINGERPRINT");

/// What every search needs.
#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    /// The disk.
    pub system: &'a dyn System,
    /// The repository.
    pub config: &'a Loaded,
    /// What earlier searches found out about texts; `None` to find out all anew.
    pub outlines: Option<&'a OutlineStore>,
}

impl<'a> SearchContext<'a> {
    /// A repository of which nothing is known yet.
    pub fn new(system: &'a dyn System, config: &'a Loaded) -> Self {
        Self { system, config, outlines: None }
    }
}

/// How many lines to show before and after each hit.
pub(crate) fn lines_around(request: &SearchQuestionV1) -> (u32, u32) {
    let lines = |own: Option<u32>| own.or(request.context).unwrap_or(0);
    (lines(request.before), lines(request.after))
}

/// Why there is no search.
#[derive(Debug, Error)]
pub enum SearchError {
    /// There is nothing to search for.
    #[error("search takes a pattern, a name or a task")]
    Empty,
    /// A pattern cannot be used.
    #[error("pattern `{pattern}`: {reason}")]
    Pattern {
        /// The pattern as written.
        pattern: String,
        /// What is wrong with it, and where.
        reason: String,
    },
    /// A glob cannot be used.
    #[error(transparent)]
    Glob(#[from] PatternError),
    /// A path means no file.
    #[error("`{path}` is no file or folder here")]
    NoPath {
        /// The path as written.
        path: String,
        /// Files that look like it, best first.
        similar: Vec<String>,
    },
    /// The repository cannot be walked.
    #[error(transparent)]
    Map(#[from] MapError),
}

/// Searches the repository for patterns. For threads with room for parsing.
pub fn search(
    context: SearchContext<'_>,
    request: &SearchQuestionV1,
) -> Result<SearchReport, SearchError> {
    let found = swept(context, request)?;
    let mut report = group::report(context, request, &found.patterns, found.swept);
    report.read_as = found.read_as;
    if let [pattern] = request.patterns.as_slice()
        && report.lines == 0
        && names::is_file_name(pattern)
    {
        let filter = FileFilter::new(context.system, context.config, request)?;
        let names = FileNames::new(context.system, context.config);
        report.files_named = names.named(&request.patterns, |path| filter.takes(path));
    }
    message::of_message(context, request, report)
}

/// Searches and prints as grep does, for scripts: `most` hits of each file, if that is said.
pub fn search_plain(
    context: SearchContext<'_>,
    request: &SearchQuestionV1,
    layout: PlainLayout,
    most: Option<usize>,
) -> Result<PlainReport, SearchError> {
    let mut found = swept(context, request)?;
    if let Some(most) = most {
        found.swept.files.iter_mut().for_each(|file| file.hits.truncate(most));
        found.swept.files.retain(|file| !file.hits.is_empty());
    }
    Ok(plain::report(request, found.swept, layout))
}

/// A pass over the files, and how its patterns were read.
struct SearchPass {
    patterns: CompiledPatterns,
    swept: sweep::Swept,
    read_as: Option<ReadAs>,
}

/// Searches for the patterns as they are surely meant, else as they are written. An alternative that matches nothing is
/// searched for as text. Where no pattern matches, they are read as grep reads them, and then as text.
fn swept(
    context: SearchContext<'_>,
    request: &SearchQuestionV1,
) -> Result<SearchPass, SearchError> {
    let meant = CompiledPatterns::surely_meant(request);
    let written = match CompiledPatterns::new(request) {
        Err(error) if meant.is_none() => return Err(error),
        written => written,
    };
    let filter = FileFilter::new(context.system, context.config, request)?;
    let sweep = |patterns: &CompiledPatterns| {
        let mut swept = sweep::sweep(context, &filter, patterns)?;
        keep_within(&mut swept, patterns, request);
        Ok::<_, SearchError>(swept)
    };
    if let Some(SurelyMeant { patterns, is_grep }) = meant {
        let swept = sweep(&patterns)?;
        let is_found = !swept.files.is_empty();
        if is_grep {
            let as_written = written.map_or(0, |written| written.count_in(&swept.files));
            let read_as = is_found.then(|| read_as_grep(&patterns, as_written));
            return Ok(SearchPass { patterns, swept, read_as });
        }
        if is_found {
            let read_as = Some(read_as_code(&patterns));
            return Ok(SearchPass { patterns, swept, read_as });
        }
    }
    let patterns = written?;
    let first = sweep(&patterns)?;
    if !first.files.is_empty() {
        let Some(other) = patterns.with_unmet_as_text(&first.files) else {
            return Ok(SearchPass { patterns, swept: first, read_as: None });
        };
        let swept = sweep(&other)?;
        if other.unmet(&swept.files).len() >= patterns.unmet(&first.files).len() {
            return Ok(SearchPass { patterns, swept: first, read_as: None });
        }
        let read_as = Some(read_as_code(&other));
        return Ok(SearchPass { patterns: other, swept, read_as });
    }
    let as_grep = patterns.as_grep_reads().map(|other| {
        let read_as = read_as_grep(&other, 0);
        (other, read_as)
    });
    let as_text = patterns.as_text().map(|other| (other, ReadAs::Text));
    for (other, read_as) in as_grep.into_iter().chain(as_text) {
        let swept = sweep(&other)?;
        if !swept.files.is_empty() {
            return Ok(SearchPass { patterns: other, swept, read_as: Some(read_as) });
        }
    }
    Ok(SearchPass { patterns, swept: first, read_as: None })
}

/// That parts of patterns were read as text.
fn read_as_code(patterns: &CompiledPatterns) -> ReadAs {
    ReadAs::Code(redact(&patterns.written().join("`, `")).into_owned())
}

/// That patterns were read as grep reads them; as they are written, they match so many of the lines.
fn read_as_grep(patterns: &CompiledPatterns, as_written: u64) -> ReadAs {
    let patterns = redact(&patterns.written().join("`, `")).into_owned();
    ReadAs::Grep { patterns, as_written }
}

/// Keeps the hits in the part of the code that was asked for.
fn keep_within(swept: &mut sweep::Swept, patterns: &CompiledPatterns, request: &SearchQuestionV1) {
    let Some(within) = request.within else { return };
    swept.files.par_iter_mut().for_each(|file| lexical::keep(file, patterns, within));
    swept.files.retain(|file| !file.hits.is_empty());
}

#[cfg(test)]
mod large_tests;
#[cfg(test)]
mod tests;
