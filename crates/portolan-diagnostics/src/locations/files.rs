//! An index of the repository's files, by path and by path ending.

use std::collections::{BTreeMap, BTreeSet};

/// The files of the repository.
#[derive(Clone, Debug, Default)]
pub struct FileIndex {
    paths: BTreeSet<String>,
    by_name: BTreeMap<String, Vec<String>>,
}

impl FileIndex {
    /// Builds the index from paths relative to the repository, with forward slashes.
    pub fn new(paths: impl IntoIterator<Item = String>) -> Self {
        let paths: BTreeSet<String> = paths.into_iter().collect();
        let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in &paths {
            let name = path.rsplit('/').next().unwrap_or(path);
            by_name.entry(name.to_owned()).or_default().push(path.clone());
        }
        Self { paths, by_name }
    }

    /// Whether the repository has this file.
    pub fn contains(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Whether a folder has any files.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        let start = format!("{folder}/");
        self.paths.range(start.clone()..).next().is_some_and(|path| path.starts_with(&start))
    }

    /// The files whose path ends with these whole segments.
    pub(super) fn ending_with<'f>(&'f self, end: &'f str) -> impl Iterator<Item = &'f str> {
        let name = end.rsplit('/').next().unwrap_or(end);
        let named = self.by_name.get(name).into_iter().flatten();
        named.map(String::as_str).filter(move |path| {
            path.strip_suffix(end).is_some_and(|front| front.is_empty() || front.ends_with('/'))
        })
    }

    /// The longest ending of a path that is itself a path in the repository.
    pub(super) fn longest_end<'p>(&self, path: &'p str) -> Option<&'p str> {
        let mut end = path.trim_start_matches('/');
        loop {
            if self.contains(end) {
                return Some(end);
            }
            end = end.split_once('/')?.1;
        }
    }

    /// The files that share the longest ending with a path, of at least `at_least` segments.
    pub(super) fn nearest(&self, path: &str, at_least: usize) -> Vec<&str> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let shared = |file: &str| {
            file.rsplit('/').zip(path.rsplit('/')).take_while(|(left, right)| left == right).count()
        };
        let named = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        let most = named.iter().map(|file| shared(file)).max().unwrap_or(0);
        if most < at_least {
            return Vec::new();
        }
        named.iter().map(String::as_str).filter(|file| shared(file) == most).collect()
    }
}
