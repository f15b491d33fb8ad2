//! The pass over the files: each is read and searched on the thread that found it.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use portolan_types::{Notice, NoticeCode, Place, RepoPath, Sha256Digest};
use portolan_vfs::sha256;
use portolan_workspace::config::Loaded;
use portolan_workspace::{Patterns, ScanSettings, scan};

use super::filter::FileFilter;
use super::pattern::CompiledPatterns;
use super::{Judge, SearchContext, SearchError};
use crate::file_set::FileSet;
use portolan_index::map::MapError;

/// Larger files are not read.
const MOST_BYTES: usize = 512 << 20;
/// The most bytes of files with hits that are kept. Beyond it only line numbers are kept.
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
    /// The files that were not, as they may hold secrets, by path.
    pub(super) unsearched: Vec<String>,
    /// What could not be read.
    pub(super) notices: Vec<Notice>,
}

/// A file with hits.
#[derive(Clone, Debug)]
pub(super) struct SweptFile {
    pub(super) path: RepoPath,
    /// The bytes that were searched; empty where too many are kept already.
    pub(super) bytes: Vec<u8>,
    /// The digest of the file as it is on the disk.
    pub(super) digest: Sha256Digest,
    /// Whether the bytes are those of the disk.
    pub(super) is_whole: bool,
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
    pub(super) fn new(path: RepoPath, text: SweptText, hits: Vec<LineHit>) -> Self {
        let SweptText { bytes, digest, is_whole } = text;
        Self { path, bytes, digest, is_whole, hits }
    }

    /// The digest of the bytes that were searched.
    pub(super) fn sha256(&self) -> Sha256Digest {
        if self.is_whole { self.digest } else { sha256(&self.bytes) }
    }

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
        only: config.only.clone(),
        guard: settings.secrets.guard(),
    })
}

/// Searches every file that the filter takes. What may hold secrets has no hits: nothing in an answer may depend on
/// whether a pattern matches there.
pub(super) fn sweep(
    context: SearchContext<'_>,
    filter: &FileFilter,
    patterns: &CompiledPatterns,
) -> Result<Swept, SearchError> {
    let judge = Judge::new(context);
    let kept = AtomicUsize::new(0);
    let search = |path: &RepoPath, file: FileBytes| {
        // A file that was asked for by name is always judged, so that the answer can say why it is not searched.
        if filter.names(path.as_str()) && judge.is_denied(path, &file) {
            return Ok(Visit::Denied);
        }
        let hits = hits(patterns, &file.text())?;
        if hits.is_empty() || judge.is_denied(path, &file) {
            return Ok(Visit::Made(None));
        }
        let mut text = file.into_swept();
        let before = kept.fetch_add(text.bytes.len(), Ordering::Relaxed);
        if before + text.bytes.len() > MOST_KEPT {
            text.bytes = Vec::new();
        }
        Ok(Visit::Made(Some((text, hits))))
    };
    let Pass { files, unsearched, notices } =
        each_file(context, &|path| filter.takes(path), &search)?;
    let searched = searched(&files);
    let found = files.into_iter().filter_map(|(path, _, found)| {
        let (text, hits) = found?;
        Some(SweptFile::new(path, text, hits))
    });
    Ok(Swept { files: found.collect(), searched, unsearched, notices })
}

/// Files with what was made of each.
type Visited<T> = Vec<(RepoPath, PathBuf, T)>;

/// What a pass over the files made.
pub(super) struct Pass<T> {
    /// The files that were read, by path.
    pub(super) files: Visited<T>,
    /// Those that may hold secrets, by path: nothing was made of them.
    pub(super) unsearched: Vec<String>,
    /// What could not be read.
    pub(super) notices: Vec<Notice>,
}

/// What a visit made of a file.
pub(super) enum Visit<T> {
    /// Nothing: it was not asked for.
    Skipped,
    /// Nothing: it may hold secrets, and the answer says so.
    Denied,
    Made(T),
}

/// The files of a pass.
pub(super) fn searched<T>(files: &Visited<T>) -> FileSet {
    FileSet::of(files.iter().map(|(path, ..)| path.as_str()))
}

/// Reads every file that is taken, and makes something of its text; sorted by path. Files that are made to hold secrets
/// are not read, or only to judge them by their name.
pub(super) fn each_file<T: Send>(
    SearchContext { system, config, .. }: SearchContext<'_>,
    takes: &(dyn Fn(&str) -> bool + Sync),
    visit: &(dyn Fn(&RepoPath, FileBytes) -> io::Result<Visit<T>> + Sync),
) -> Result<Pass<T>, SearchError> {
    let settings = scan_settings(config)?;
    let guard = config.settings.secrets.guard();
    let read = |path: &RepoPath, absolute: &Path| {
        let is_suspect = !guard.allows(path) && portolan_guard::by_name_alone(path).is_some();
        let is_denied = |bytes: &[u8]| is_suspect && portolan_guard::by_name(path, bytes).is_some();
        if is_denied(b"") {
            return Ok(Visit::Denied);
        }
        let bytes = system.read_real(absolute, MOST_BYTES)?;
        if is_denied(&bytes) { Ok(Visit::Denied) } else { visit(path, FileBytes::new(bytes)) }
    };
    let scan = scan(system, &settings, &|file| {
        if !takes(file.path.as_str()) {
            return Ok(Visit::Skipped);
        }
        read(&file.path, &file.absolute).map_err(|error| {
            let place = Place::file(file.path.as_str());
            Notice::at(NoticeCode::ScanUnreadable, place, format!("not searched: {error}"))
        })
    });
    if let Some(reason) = scan.root_error {
        return Err(MapError::RootUnreadable { path: settings.root, reason }.into());
    }
    let (mut files, mut unsearched) = (Vec::new(), Vec::new());
    for (file, made) in scan.files {
        match made {
            Visit::Skipped => {}
            Visit::Denied => unsearched.push(file.path.to_string()),
            Visit::Made(made) => files.push((file.path, file.absolute, made)),
        }
    }
    let unread = |notice: &Notice| notice.code == NoticeCode::ScanUnreadable;
    let notices = scan.notices.into_iter().filter(unread).collect();
    Ok(Pass { files, unsearched, notices })
}

/// The bytes of a file as they are on the disk. The guard judges these; what is searched and shown is made of them, and
/// may be less.
pub(super) struct FileBytes {
    bytes: Vec<u8>,
    digest: OnceCell<Sha256Digest>,
}

/// The text of a file.
pub(super) struct SweptText {
    pub(super) bytes: Vec<u8>,
    /// The digest of the file as it is on the disk.
    pub(super) digest: Sha256Digest,
    /// Whether the text is all of the file.
    pub(super) is_whole: bool,
}

impl FileBytes {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, digest: OnceCell::new() }
    }

    /// The bytes as they are on the disk.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Their digest.
    pub(super) fn digest(&self) -> Sha256Digest {
        *self.digest.get_or_init(|| sha256(&self.bytes))
    }

    /// The text of a file as ripgrep searches it: UTF-16 is decoded, a byte order mark is left out, and a binary file
    /// ends before the block with its first zero byte.
    pub(super) fn text(&self) -> Cow<'_, [u8]> {
        let bytes = self.bytes.as_slice();
        if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
            let text = portolan_languages::syntax::text::decode(bytes);
            return Cow::Owned(text.into_owned().into_bytes());
        }
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let end = match memchr::memchr(0, bytes) {
            None => bytes.len(),
            Some(zero) if zero < BLOCK => 0,
            Some(_) => searched_end(bytes),
        };
        Cow::Borrowed(&bytes[..end])
    }

    /// The same, without a copy where all of the bytes are text.
    pub(super) fn into_text(self) -> Vec<u8> {
        self.into_text_or_whole().0
    }

    /// The text with the digest of the file.
    pub(super) fn into_swept(self) -> SweptText {
        let digest = self.digest();
        let (bytes, is_whole) = self.into_text_or_whole();
        SweptText { bytes, digest, is_whole }
    }

    /// The text, and whether it is the file itself.
    fn into_text_or_whole(self) -> (Vec<u8>, bool) {
        match self.text() {
            Cow::Borrowed(text) if text.len() == self.bytes.len() => (self.bytes, true),
            text => (text.into_owned(), false),
        }
    }
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
    use super::FileBytes;

    #[test]
    fn a_binary_file_ends_before_the_block_with_its_zero() {
        let searchable = |bytes: Vec<u8>| FileBytes::new(bytes).into_text();
        let near = [b"text\n".repeat(10), vec![0], b"more\n".repeat(10)].concat();
        assert!(searchable(near).is_empty());
        let far = [b"text\n".repeat(40_000), vec![0]].concat();
        let found = searchable(far.clone());
        assert!(!found.is_empty() && found.len() < 200_000 && found.ends_with(b"\n"));
        assert_eq!(found.len() % 5, 0);
        assert_eq!(searchable(b"text\n".to_vec()), b"text\n");
        assert_eq!(searchable(b"\xEF\xBB\xBFtext\n".to_vec()), b"text\n");
    }
}
