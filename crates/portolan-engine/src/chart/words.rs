//! The words of the universe's files: from the cache where they are known, else from the files.

use std::collections::BTreeSet;
use std::path::PathBuf;

use portolan_archive::classify::is_binary;
use portolan_graph::interest::index::updated;
use portolan_graph::interest::{FileWords, WordIndex};
use portolan_graph::is_code;
use portolan_syntax::declared;
use portolan_types::{Notice, NoticeCode, Place, RepoPath, Sha256Digest};
use portolan_vfs::{FileKind, System};
use rayon::prelude::*;

use crate::map::{CacheMode, MapReport, UniverseFile};
use crate::tokens::Tokenizer;

/// Where the words are kept, below the workspace.
const FOLDER: &str = "cache";
const FILE: &str = "words.bin";
/// Larger files are data: they have a name and a size, and no words.
const MOST_BYTES: usize = 4 << 20;
/// How much of a text is searched for words.
const MOST_WORDS: usize = 256 << 10;
/// How many names of a file are kept to be shown.
const MOST_NAMES: usize = 24;

/// Where files are, and where their words are kept.
#[derive(Clone, Copy)]
pub struct IndexFiles<'a> {
    /// The disk.
    pub system: &'a dyn System,
    /// The repository's root.
    pub root: &'a std::path::Path,
    /// The workspace.
    pub stan_path: &'a RepoPath,
    /// What to do with the cache.
    pub cache: CacheMode,
}

impl IndexFiles<'_> {
    /// The file of the cache; none where there is no workspace.
    fn path(&self) -> Option<PathBuf> {
        let workspace = self.root.join(self.stan_path.as_str());
        let is_folder = |path: &PathBuf| {
            let stat = self.system.lstat(path);
            stat.is_ok_and(|stat| stat.kind == FileKind::Dir)
        };
        let folder = workspace.join(FOLDER);
        let is_usable = self.cache != CacheMode::Off && is_folder(&workspace) && is_folder(&folder);
        is_usable.then(|| folder.join(FILE))
    }
}

/// The words of all files.
pub(super) fn index(
    map: &MapReport,
    files: &IndexFiles<'_>,
    notices: &mut Vec<Notice>,
) -> WordIndex {
    let path = files.path();
    let stored = path
        .as_ref()
        .filter(|_| files.cache == CacheMode::Use)
        .and_then(|path| files.system.read(path).ok());
    let old = stored.and_then(WordIndex::read).unwrap_or_default();
    let mut missing: Vec<&UniverseFile> =
        map.universe.iter().filter(|file| old.get(&file.sha256).is_none()).collect();
    missing.sort_by_key(|file| file.sha256);
    missing.dedup_by_key(|file| file.sha256);
    let kept: BTreeSet<Sha256Digest> = map.universe.iter().map(|file| file.sha256).collect();
    if missing.is_empty() && old.len() < kept.len() + kept.len() / 4 {
        return old;
    }
    let new: Vec<(Sha256Digest, FileWords)> =
        missing.par_iter().map(|file| (file.sha256, read(files.system, file))).collect();
    let bytes = updated(&old, &kept, &new);
    if let Some(path) = path {
        let fenced = files.system.fenced(files.root, files.stan_path);
        let written = fenced.create(&path).and_then(|mut pending| {
            pending.write_all(&bytes)?;
            pending.commit_unsynced()
        });
        if let Err(error) = written {
            let place = Place::file(format!("{}/{FOLDER}/{FILE}", files.stan_path));
            notices.push(Notice::at(NoticeCode::CacheUnwritable, place, error.to_string()));
        }
    }
    WordIndex::read(bytes).unwrap_or_default()
}

/// The words of one file. A file that may hold secrets has none.
fn read(system: &dyn System, file: &UniverseFile) -> FileWords {
    if portolan_guard::by_name_alone(&file.path).is_some() {
        return FileWords::wordless(0);
    }
    let Ok(bytes) = system.read_at_most(&file.absolute, MOST_BYTES) else {
        let tokens = u32::try_from(file.size / 4).unwrap_or(u32::MAX);
        return FileWords::wordless(tokens);
    };
    if is_binary(&bytes) {
        return FileWords::wordless(0);
    }
    let tokens = Tokenizer::O200kBase.count(&bytes).unwrap_or_default();
    let tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
    let path = file.path.as_str();
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    let is_prose = matches!(ending.as_str(), "md" | "mdx");
    if !(is_code(path) || is_prose) || portolan_guard::detect(&file.path, &bytes).is_some() {
        return FileWords::wordless(tokens);
    }
    let head = &bytes[..bytes.len().min(MOST_WORDS)];
    let text = String::from_utf8_lossy(head);
    let names: Vec<_> = if is_prose { Vec::new() } else { declared(&text).collect() };
    let open = names.iter().filter(|one| one.is_open).map(|one| one.name).take(MOST_NAMES);
    FileWords::new(tokens, open, names.iter().map(|one| one.name), &text)
}
