//! What is known of the files before a question is asked.

use portolan_types::{FileId, Sha256Digest};

use super::spread::Neighbours;
use portolan_graph::select::Category;

/// A file that may be ranked.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its path from the root.
    pub path: &'a str,
    /// The digest of its bytes, where they were read.
    pub digest: Option<Sha256Digest>,
    /// What it costs to read.
    pub tokens: u32,
    /// Whether it is code: text that people write for machines.
    pub is_code: bool,
}

/// The files and how they lie to each other.
#[derive(Clone, Debug)]
pub struct Corpus<'a> {
    pub(super) files: Vec<Candidate<'a>>,
    pub(super) uses: Neighbours,
    pub(super) users: Neighbours,
    /// For each test the file it tests, and the other way round.
    pub(super) twins: Vec<Option<FileId>>,
    /// Places in [`Category::ALL`].
    pub(super) categories: Vec<Option<u8>>,
    /// The files of each folder.
    pub(super) folders: Vec<Vec<FileId>>,
}

impl<'a> Corpus<'a> {
    /// The corpus of files that are sorted by path; `edges` are pairs of their places.
    pub fn new(files: Vec<Candidate<'a>>, edges: &[(FileId, FileId)]) -> Self {
        let categories: Vec<Option<u8>> = files.iter().map(category).collect();
        Self {
            uses: Neighbours::new(files.len(), edges, false),
            users: Neighbours::new(files.len(), edges, true),
            twins: twins(&files, &categories),
            folders: folders(&files),
            categories,
            files,
        }
    }
}

fn category(file: &Candidate<'_>) -> Option<u8> {
    let category = Category::of(file.path)?;
    Category::ALL.iter().position(|one| *one == category).map(|at| at as u8)
}

fn folders(files: &[Candidate<'_>]) -> Vec<Vec<FileId>> {
    let folder = |at: FileId| {
        let path = files[at.index()].path;
        path.rsplit_once('/').map_or("", |(folder, _)| folder)
    };
    let mut order: Vec<FileId> = FileId::first(files.len()).collect();
    order.sort_by(|left, right| folder(*left).cmp(folder(*right)).then(left.cmp(right)));
    let groups = order.chunk_by(|left, right| folder(*left) == folder(*right));
    groups.map(<[FileId]>::to_vec).collect()
}

/// The name that a file and its test share: `a.test.ts` and `a.ts` are `a`.
fn twin_name(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    ["_test", "-test", "_spec", "Test", "Tests", "Spec"]
        .iter()
        .find_map(|end| stem.strip_suffix(end))
        .unwrap_or(stem)
}

/// For each test the file it tests, and the other way round, where names tell: the one whose path has
/// most in common.
fn twins(files: &[Candidate<'_>], categories: &[Option<u8>]) -> Vec<Option<FileId>> {
    let mut order: Vec<FileId> =
        FileId::first(files.len()).filter(|at| files[at.index()].is_code).collect();
    let name = |at: FileId| twin_name(files[at.index()].path);
    order.sort_by(|left, right| name(*left).cmp(name(*right)).then(left.cmp(right)));
    let is_test = |at: &FileId| categories[at.index()] == Some(0);
    let mut twins = vec![None; files.len()];
    for group in order.chunk_by(|left, right| name(*left) == name(*right)) {
        // Names that everybody uses (`index`) tell nothing.
        if group.len() < 2 || group.len() > 24 {
            continue;
        }
        for at in group {
            let others = group.iter().filter(|other| is_test(other) != is_test(at));
            let best = others.max_by_key(|other| {
                let common = common(files[at.index()].path, files[other.index()].path);
                (common, std::cmp::Reverse(**other))
            });
            twins[at.index()] = best.copied();
        }
    }
    twins
}

fn common(left: &str, right: &str) -> usize {
    left.split('/').zip(right.split('/')).take_while(|(left, right)| left == right).count()
}

#[cfg(test)]
mod tests {
    use portolan_types::FileId;

    use super::{Candidate, Corpus};

    #[test]
    fn a_test_stands_by_what_it_tests() {
        let paths = ["a/x.test.ts", "a/x.ts", "b/test/x.ts", "b/x.ts", "c/y.ts"];
        let files = paths.map(|path| Candidate { path, digest: None, tokens: 1, is_code: true });
        let corpus = Corpus::new(files.to_vec(), &[]);
        let twins: Vec<Option<u32>> =
            corpus.twins.iter().map(|twin| twin.map(FileId::number)).collect();
        assert_eq!(twins, [Some(1), Some(0), Some(3), Some(2), None]);
    }
}
