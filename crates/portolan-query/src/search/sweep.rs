//! The pass over the files: each is read and searched on the thread that found it.

use std::cell::RefCell;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::System;
use portolan_workspace::{Patterns, ScanSettings, scan};

use super::SearchError;
use super::filter::FileFilter;
use super::pattern::CompiledPatterns;
use crate::file_set::FileSet;
use portolan_index::map::MapError;
use portolan_workspace::config::Loaded;

/// Larger files are not read.
const MOST_BYTES: usize = 512 << 20;
/// The bytes of files with hits are kept up to so many in all; then only their line numbers are.
const MOST_KEPT: usize = 384 << 20;

/// A file with a zero byte in its first block has no text that ripgrep searches.
const BLOCK: usize = 64 << 10;

/// What a pass found.
#[derive(Debug, Default)]
pub(super) struct Swept {
    /// The files with hits, by path.
    pub(super) files: Vec<SweptFile>,
    /// The files that were searched.
    pub(super) searched: FileSet,
    /// What could not be read.
    pub(super) notices: Vec<Notice>,
}

/// A file with hits.
#[derive(Debug)]
pub(super) struct SweptFile {
    pub(super) path: RepoPath,
    /// The bytes that were searched; empty where too many are kept already.
    pub(super) bytes: Vec<u8>,
    pub(super) hits: Vec<LineHit>,
}

/// A line that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineHit {
    /// Its number, from 1.
    pub(super) line: u32,
    /// Where it starts.
    pub(super) start: usize,
    /// Where it ends, with its end of line.
    pub(super) end: usize,
}

impl SweptFile {
    /// The bytes of a line without its end.
    pub(super) fn line(&self, hit: &LineHit) -> &[u8] {
        trimmed(self.bytes.get(hit.start..hit.end).unwrap_or_default())
    }
}

/// A line without its end.
pub(super) fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

thread_local! {
    static SEARCHER: RefCell<Searcher> = RefCell::new(
        SearcherBuilder::new()
            .line_number(true)
            .multi_line(false)
            .binary_detection(BinaryDetection::none())
            .bom_sniffing(false)
            .build(),
    );
}

/// The settings of a walk over the universe.
pub(super) fn scan_settings(config: &Loaded) -> Result<ScanSettings, SearchError> {
    let settings = &config.settings;
    Ok(ScanSettings {
        root: config.root.clone(),
        stan_path: settings.stan_path.clone(),
        includes: Patterns::new(&settings.includes)?,
        excludes: Patterns::new(&settings.excludes)?,
        git: config.git.clone(),
    })
}

/// Searches every file that the filter takes.
pub(super) fn sweep(
    system: &dyn System,
    config: &Loaded,
    filter: &FileFilter,
    patterns: &CompiledPatterns,
) -> Result<Swept, SearchError> {
    let kept = AtomicUsize::new(0);
    let (files, notices) = each_file(system, config, &|path| filter.takes(path), &|_, bytes| {
        let hits = hits(patterns, &bytes)?;
        if hits.is_empty() {
            return Ok(None);
        }
        let before = kept.fetch_add(bytes.len(), Ordering::Relaxed);
        let bytes = if before + bytes.len() <= MOST_KEPT { bytes } else { Vec::new() };
        Ok(Some((bytes, hits)))
    })?;
    let searched = searched(&files);
    let found = files.into_iter().filter_map(|(path, _, found)| {
        let (bytes, hits) = found?;
        Some(SweptFile { path, bytes, hits })
    });
    Ok(Swept { files: found.collect(), searched, notices })
}

/// Files with what was made of each.
type Visited<T> = Vec<(RepoPath, PathBuf, T)>;

/// The files of a pass.
pub(super) fn searched<T>(files: &Visited<T>) -> FileSet {
    FileSet::of(files.iter().map(|(path, ..)| path.as_str()))
}

/// Reads every file that is taken, and makes something of its text; sorted by path.
pub(super) fn each_file<T: Send>(
    system: &dyn System,
    config: &Loaded,
    takes: &(dyn Fn(&str) -> bool + Sync),
    visit: &(dyn Fn(&RepoPath, Vec<u8>) -> io::Result<T> + Sync),
) -> Result<(Visited<T>, Vec<Notice>), SearchError> {
    let settings = scan_settings(config)?;
    let scan = scan(system, &settings, &|file| {
        if !takes(file.path.as_str()) {
            return Ok(None);
        }
        let read = system.read_real(&file.absolute, MOST_BYTES);
        read.and_then(|bytes| visit(&file.path, searchable(bytes))).map(Some).map_err(|error| {
            let place = Place::file(file.path.as_str());
            Notice::at(NoticeCode::ScanUnreadable, place, format!("not searched: {error}"))
        })
    });
    if let Some(reason) = scan.root_error {
        return Err(MapError::RootUnreadable { path: settings.root, reason }.into());
    }
    let files = scan.files.into_iter();
    let files = files.filter_map(|(file, made)| Some((file.path, file.absolute, made?))).collect();
    let unread = |notice: &Notice| notice.code == NoticeCode::ScanUnreadable;
    Ok((files, scan.notices.into_iter().filter(unread).collect()))
}

/// The text of a file as ripgrep searches it: UTF-16 is decoded, a byte order mark is left out, and a binary file ends
/// before the block with its first zero byte.
pub(super) fn searchable(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return portolan_languages::syntax::text::decode(&bytes).into_owned().into_bytes();
    }
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes.drain(..3);
    }
    if let Some(zero) = memchr::memchr(0, &bytes) {
        let end = if zero < BLOCK { 0 } else { searched_end(&bytes) };
        bytes.truncate(end);
    }
    bytes
}

/// Where ripgrep ends in a binary file. Its own searcher tells: it is asked for every line, and reads as it does from a
/// disk.
fn searched_end(bytes: &[u8]) -> usize {
    struct End(usize);
    impl Sink for End {
        type Error = io::Error;

        fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
            self.0 = found.absolute_byte_offset() as usize + found.bytes().len();
            Ok(true)
        }
    }
    let mut end = End(0);
    if let Ok(every_line) = RegexMatcher::new_line_matcher("") {
        let binary = BinaryDetection::quit(0);
        let mut searcher = SearcherBuilder::new().binary_detection(binary).build();
        // Reading from memory does not fail.
        let _ = searcher.search_reader(&every_line, bytes, &mut end);
    }
    end.0.min(bytes.len())
}

/// The lines that match.
fn hits(patterns: &CompiledPatterns, bytes: &[u8]) -> io::Result<Vec<LineHit>> {
    let mut collect = Collect { hits: Vec::new() };
    SEARCHER
        .with_borrow_mut(|searcher| searcher.search_slice(&patterns.any, bytes, &mut collect))?;
    Ok(collect.hits)
}

struct Collect {
    hits: Vec<LineHit>,
}

impl Sink for Collect {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let start = found.absolute_byte_offset() as usize;
        let line = u32::try_from(found.line_number().unwrap_or(0)).unwrap_or(u32::MAX);
        self.hits.push(LineHit { line, start, end: start + found.bytes().len() });
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::searchable;

    #[test]
    fn a_binary_file_ends_before_the_block_with_its_zero() {
        let near = [b"text\n".repeat(10), vec![0], b"more\n".repeat(10)].concat();
        assert!(searchable(near).is_empty());
        let far = [b"text\n".repeat(40_000), vec![0]].concat();
        let found = searchable(far.clone());
        assert!(!found.is_empty() && found.len() < 200_000 && found.ends_with(b"\n"));
        assert_eq!(found.len() % 5, 0);
        assert_eq!(searchable(b"text\n".to_vec()), b"text\n");
    }
}
