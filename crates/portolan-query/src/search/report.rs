//! What a search found, before it is written down.

use std::collections::BTreeMap;

use portolan_types::{Notice, Sha256Digest, escape_invisible};

use super::kinds::FileClass;
use crate::file_set::FileSet;

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchReport {
    /// The patterns as they were written.
    pub patterns: Vec<String>,
    /// Those of several that match no line.
    pub unmet: Vec<String>,
    /// How many lines match, in all files that were searched.
    pub lines: u64,
    /// The files with hits that may be shown, the most worth reading first.
    pub files: Vec<SearchedFile>,
    /// Where no line matches: the files that the pattern names.
    pub files_named: Vec<String>,
    /// The files that were searched.
    pub searched: FileSet,
    /// The files that were not, as they may hold secrets: whatever the pattern, the same ones.
    pub unsearched: Vec<String>,
    /// How the patterns were read, where that is not as they are written.
    pub read_as: Option<ReadAs>,
    /// What could not be searched.
    pub notices: Vec<Notice>,
    /// What `path:line:text` for every hit would take, in bytes.
    pub plain_bytes: u64,
    /// Whether lines around hits were asked for.
    pub is_context_asked: bool,
    /// The patterns as one that `read` takes.
    pub read_pattern: String,
    /// The flags that narrow the search, for the next call.
    pub flags: String,
}

/// How patterns were read that are not read as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadAs {
    /// As grep reads them without `-E`: these regular expressions.
    Grep {
        /// The patterns.
        patterns: String,
        /// How many of the lines the patterns match as they are written.
        as_written: u64,
    },
    /// Brackets that no regular expression has as text: these regular expressions.
    Code(String),
    /// As a message that no line of code has whole: these runs of its words.
    Parts(String),
    /// As they are written; code has this part of the message alone.
    InTextOnly(String),
    /// As plain text.
    Text,
}

/// A file with hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedFile {
    /// Its path.
    pub path: String,
    /// What it is for.
    pub class: FileClass,
    /// The digest of what was searched; only of files that were grouped.
    pub sha256: Option<Sha256Digest>,
    /// Whether its hits were grouped by declaration; those of a file that is too far down are one group.
    pub is_grouped: bool,
    /// The hits, by declaration, in the order of the text.
    pub groups: Vec<HitGroup>,
}

/// The hits in one declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitGroup {
    /// The full name of the declaration; empty for what is in none.
    pub name: String,
    /// What sort of declaration it is, in the words of its language; empty for none.
    pub kind: &'static str,
    /// The test with a title that holds the hits, inside the declaration.
    pub test: Option<TitledTest>,
    /// Its first and last line.
    pub range: (u32, u32),
    /// The line of the hit where it gets its name.
    pub definition: Option<u32>,
    /// Whether `read` knows it by its name.
    pub is_named: bool,
    /// The hits, by line.
    pub hits: Vec<SearchHit>,
}

/// A test that has a title instead of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TitledTest {
    /// Its own title.
    pub title: String,
    /// Its first and last line.
    pub range: (u32, u32),
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// Its number, from 1.
    pub line: u32,
    /// Its text without its end; cut around the match where it is long.
    pub text: String,
    /// Where the match is in the text, in bytes.
    pub matched: (u32, u32),
    /// The lines around it that were asked for, or that an answer with few hits shows.
    pub around: Vec<(u32, String)>,
}

impl SearchedFile {
    /// How many lines match.
    pub fn lines(&self) -> u64 {
        self.groups.iter().map(|group| group.hits.len() as u64).sum()
    }

    /// Whether it defines what was searched for.
    pub fn has_definition(&self) -> bool {
        self.groups.iter().any(|group| group.definition.is_some())
    }
}

impl SearchReport {
    /// The lines of each class of files.
    pub fn lines_by_class(&self) -> BTreeMap<FileClass, u64> {
        let mut sums = BTreeMap::new();
        for file in &self.files {
            *sums.entry(file.class).or_default() += file.lines();
        }
        sums
    }

    /// How many hits in code are in declarations, and in how many.
    pub fn in_declarations(&self) -> (u64, u64) {
        let code = self.files.iter().filter(|file| file.class == FileClass::Code);
        let groups = code.flat_map(|file| &file.groups).filter(|group| !group.name.is_empty());
        groups.fold((0, 0), |(lines, count), group| (lines + group.hits.len() as u64, count + 1))
    }

    /// Whether every file of code was grouped by declaration.
    pub fn is_whole(&self) -> bool {
        self.files.iter().all(|file| file.is_grouped || file.class != FileClass::Code)
    }
}

/// So many files that were not searched are named.
const MOST_UNSEARCHED: usize = 3;

/// Says which files were not searched, as they may hold secrets; nothing where there are none.
pub fn unsearched_note(paths: &[String]) -> Option<String> {
    let named: Vec<_> =
        paths.iter().take(MOST_UNSEARCHED).map(|path| escape_invisible(path)).collect();
    let (files, were) = if paths.len() == 1 { ("file", "was") } else { ("files", "were") };
    let more = if paths.len() > MOST_UNSEARCHED { ", …" } else { "" };
    let (count, named) = (paths.len(), named.join(", "));
    (count > 0).then(|| {
        format!("{count} {files} that may hold secrets {were} not searched: {named}{more}")
    })
}
