//! A small repository for tests of ranking.

use std::collections::BTreeSet;

use portolan_types::{FileId, Sha256Digest};

use super::corpus::{Candidate, Corpus};
use super::index::{FileWords, WordIndex, updated};

/// A file: its path, its text, the places of what it imports.
pub(super) type File = (&'static str, &'static str, &'static [u32]);

/// The corpus of files that are sorted by path, and their words.
pub(super) fn corpus_of(files: &[File]) -> (Corpus<'static>, WordIndex) {
    let digest = |at: usize| Sha256Digest::from_bytes([at as u8; 32]);
    let words: Vec<_> = files
        .iter()
        .enumerate()
        .map(|(at, (_, text, _))| (digest(at), FileWords::new(1, [], [], text)))
        .collect();
    let index = WordIndex::read(updated(&WordIndex::default(), &BTreeSet::new(), &words)).unwrap();
    let candidates = files.iter().enumerate().map(|(at, (path, ..))| Candidate {
        path,
        digest: Some(digest(at)),
        tokens: 1,
        is_code: !matches!(path.rsplit('.').next(), Some("md" | "json")),
    });
    let edges: Vec<(FileId, FileId)> = files
        .iter()
        .zip(FileId::all())
        .flat_map(|((_, _, uses), at)| uses.iter().map(move |used| (at, FileId::new(*used))))
        .collect();
    (Corpus::new(candidates.collect(), &edges), index)
}

/// Commits by the numbers of their files.
pub(super) fn commits_of(commits: &[&[u32]]) -> Vec<Vec<FileId>> {
    commits.iter().map(|files| files.iter().copied().map(FileId::new).collect()).collect()
}
