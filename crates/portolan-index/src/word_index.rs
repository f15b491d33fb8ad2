//! The words of the universe's files, from the cache or from the files.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Arc;

use portolan_archive::classify::is_binary;
use portolan_languages::declared_names;
use portolan_ranking::file_ranking::index::updated;
use portolan_ranking::file_ranking::{FileWords, WordIndex};
use portolan_types::{Notice, Sha256Digest};
use portolan_vfs::{System, sha256};
use rayon::prelude::*;

use crate::map::{MapReport, UniverseFile};
use crate::store::CacheFolder;
use crate::token_counts::Tokenizer;

const FILE: &str = "words.bin";
/// Larger files are data and have no words.
const MOST_BYTES: usize = 4 << 20;
/// Only this much of a text is searched for words.
const MOST_WORDS: usize = 256 << 10;
/// How many names of a file may be shown.
const MOST_NAMES: usize = 24;

/// Where files are, and where their words are kept.
#[derive(Clone, Copy)]
pub struct IndexFiles<'a> {
    /// The disk.
    pub system: &'a dyn System,
    /// The repository's root.
    pub root: &'a Path,
    /// The cache.
    pub cache: &'a CacheFolder,
}

/// The words of texts.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Words by digest of the text.
    pub index: Arc<WordIndex>,
    /// Whether it has words, and not only token counts and names.
    has_words: bool,
}

impl Words {
    /// The approximate size in bytes.
    pub fn weight(&self) -> usize {
        self.index.weight()
    }
}

/// The words of all files, and whether they match the contents in the map: a file may have changed since. A question
/// without a task needs no words, so without a cache they are read only for a task (`has_task`).
pub fn index(
    map: &MapReport,
    files: &IndexFiles<'_>,
    known: Option<Words>,
    has_task: bool,
    notices: &mut Vec<Notice>,
) -> (Words, bool) {
    let file = files.cache.file(FILE, "");
    let stored = || {
        let bytes = file.read(files.system).ok()??;
        let index = WordIndex::read(bytes.to_vec()).map(Arc::new)?;
        Some(Words { index, has_words: true })
    };
    let known = known.or_else(stored).unwrap_or_default();
    let has_words = has_task || known.has_words || files.cache.writes();
    // Files without words are read again. Known token counts stay.
    let (old, counted) = if known.has_words == has_words {
        (known.index, Arc::default())
    } else {
        (Arc::default(), known.index)
    };
    let mut missing: Vec<&UniverseFile> =
        map.universe.iter().filter(|file| old.get(&file.sha256).is_none()).collect();
    missing.sort_by_key(|file| file.sha256);
    missing.dedup_by_key(|file| file.sha256);
    let kept: BTreeSet<Sha256Digest> = map.universe.iter().map(|file| file.sha256).collect();
    if missing.is_empty() && old.len() < kept.len() + kept.len() / 4 {
        return (Words { index: old, has_words }, true);
    }
    let read: Vec<(Sha256Digest, FileWords, bool)> = missing
        .par_iter()
        .map(|file| {
            let tokens = counted.get(&file.sha256).map(|known| known.tokens());
            let (words, is_same) = read(files.system, file, tokens, has_words);
            (file.sha256, words, is_same)
        })
        .collect();
    let is_whole = read.iter().all(|(_, _, is_same)| *is_same);
    let new: Vec<(Sha256Digest, FileWords)> =
        read.into_iter().map(|(digest, words, _)| (digest, words)).collect();
    let bytes = updated(&old, &kept, &new);
    if is_whole {
        notices.extend(file.write(files.system, &bytes));
    }
    let index = Arc::new(WordIndex::read(bytes).unwrap_or_default());
    (Words { index, has_words }, is_whole)
}

/// The words of a file, and whether its content is that of the map. A file that may hold secrets has none. `tokens` is its
/// count, if it is known.
fn read(
    system: &dyn System,
    file: &UniverseFile,
    tokens: Option<u32>,
    has_words: bool,
) -> (FileWords, bool) {
    if portolan_guard::by_name_alone(&file.path).is_some() {
        return (FileWords::wordless(0), true);
    }
    match system.read_at_most(&file.absolute, MOST_BYTES) {
        Ok(bytes) => {
            let is_same = sha256(&bytes) == file.sha256;
            (words_of(file, &bytes, tokens.filter(|_| is_same), has_words), is_same)
        }
        Err(error) => {
            let tokens = u32::try_from(file.size / 4).unwrap_or(u32::MAX);
            (FileWords::wordless(tokens), error.kind() == io::ErrorKind::FileTooLarge)
        }
    }
}

fn words_of(file: &UniverseFile, bytes: &[u8], tokens: Option<u32>, has_words: bool) -> FileWords {
    let path = file.path.as_str();
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    let is_prose = matches!(ending.as_str(), "md" | "mdx");
    let is_read = portolan_languages::is_program(path) || is_prose;
    // Of a file that may hold secrets the length is not told either.
    if is_binary(bytes) || portolan_guard::detect(&file.path, bytes).is_some() {
        return FileWords::wordless(0);
    }
    let tokens = tokens.unwrap_or_else(|| {
        let tokens = Tokenizer::O200kBase.count(bytes).unwrap_or_default();
        u32::try_from(tokens).unwrap_or(u32::MAX)
    });
    if !is_read {
        return FileWords::wordless(tokens);
    }
    let head = &bytes[..bytes.len().min(MOST_WORDS)];
    let text = String::from_utf8_lossy(head);
    let names: Vec<_> = if is_prose { Vec::new() } else { declared_names(&text).collect() };
    let open = names.iter().filter(|one| one.is_open).map(|one| one.name).take(MOST_NAMES);
    if !has_words {
        return FileWords::unread(tokens, open, &text);
    }
    FileWords::new(tokens, open, names.iter().map(|one| one.name), &text)
}
