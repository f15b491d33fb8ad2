//! Search: text, names or a task in, places out.
//!
//! A pattern search walks the universe and searches each file on the thread that found it, as ripgrep does; the Map is
//! not built. Only files with hits are parsed, and of these only as many as an answer can show. Hits are grouped by
//! the innermost declaration around them. Sums are whole: they are those of `rg` on the same files.

mod documentation;
mod filter;
mod group;
mod kinds;
mod lexical;
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

use portolan_vfs::System;
use portolan_workspace::PatternError;
use thiserror::Error;

pub use self::kinds::FileClass;
pub use self::names::{NamesReport, search_names};
pub(crate) use self::outline::functions_of;
pub use self::plain::PlainReport;
pub use self::report::{HitGroup, SearchHit, SearchReport, SearchedFile, WithheldHits};
pub use self::task::{PlacesReport, TaskPlace, search_task};
pub use self::words::{is_plain_text, split_words};

use self::filter::FileFilter;
use self::pattern::CompiledPatterns;
pub(crate) use self::pattern::{LineMatcher, line_matcher};
use portolan_index::map::MapError;
use portolan_wire::question::SearchQuestionV1;
use portolan_workspace::config::Loaded;

/// What an answer may cost where nobody says.
pub const SEARCH_BUDGET: u64 = 1_000;

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
    system: &dyn System,
    config: &Loaded,
    request: &SearchQuestionV1,
) -> Result<SearchReport, SearchError> {
    let patterns = CompiledPatterns::new(request)?;
    let filter = FileFilter::new(system, config, request)?;
    let found = sweep::sweep(system, config, &filter, &patterns)?;
    let first = group::report(config, request, &patterns, found);
    if first.lines > 0 {
        return Ok(first);
    }
    // What grep reads as alternatives matches nothing as it is written.
    let Some(patterns) = patterns.as_grep_reads() else { return Ok(first) };
    let found = sweep::sweep(system, config, &filter, &patterns)?;
    let mut second = group::report(config, request, &patterns, found);
    if second.lines == 0 {
        return Ok(first);
    }
    second.read_as = Some(patterns.written().join("`, `"));
    Ok(second)
}

/// Searches and gives every hit as `path:line:text`, as grep does.
pub fn search_plain(
    system: &dyn System,
    config: &Loaded,
    request: &SearchQuestionV1,
) -> Result<PlainReport, SearchError> {
    let patterns = CompiledPatterns::new(request)?;
    let filter = FileFilter::new(system, config, request)?;
    let found = sweep::sweep(system, config, &filter, &patterns)?;
    let report = plain::report(config, request, &patterns, found);
    if report.lines > 0 {
        return Ok(report);
    }
    let Some(patterns) = patterns.as_grep_reads() else { return Ok(report) };
    let found = sweep::sweep(system, config, &filter, &patterns)?;
    Ok(plain::report(config, request, &patterns, found))
}

#[cfg(test)]
mod tests;
