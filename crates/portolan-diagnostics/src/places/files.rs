//! The files of a repository, by path and by the end of it.

use std::collections::{BTreeMap, BTreeSet};


/// The files.
#[derive(Clone, Debug, Default)]
pub struct Files {
    paths: BTreeSet<String>,
    by_name: BTreeMap<String, Vec<String>>,
}

impl Files {
    /// Of paths relative to the repository, POSIX.
    pub fn new(paths: impl IntoIterator<Item = String>) -> Self {
        let paths: BTreeSet<String> = paths.into_iter().collect();
        let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in &paths {
            let name = path.rsplit('/').next().unwrap_or(path);
            by_name.entry(name.to_owned()).or_default().push(path.clone());
        }
        Self { paths, by_name }
    }

    /// Whether it is one of them.
    pub fn contains(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Whether there is something in a folder.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        let start = format!("{folder}/");
        self.paths.range(start.clone()..).next().is_some_and(|path| path.starts_with(&start))
    }

    /// Those that end with a whole path.
    pub(super) fn ending_with<'f>(&'f self, end: &'f str) -> impl Iterator<Item = &'f str> {
        let name = end.rsplit('/').next().unwrap_or(end);
        let named = self.by_name.get(name).into_iter().flatten();
        named.map(String::as_str).filter(move |path| {
            path.strip_suffix(end).is_some_and(|front| front.is_empty() || front.ends_with('/'))
        })
    }

    /// The longest end of a path that is a file here, counted from the repository's folder.
    pub(super) fn longest_end<'p>(&self, path: &'p str) -> Option<&'p str> {
        let mut end = path.trim_start_matches('/');
        loop {
            if self.contains(end) {
                return Some(end);
            }
            end = end.split_once('/')?.1;
        }
    }

    /// The files that share the longest end with a path, of at least so many parts.
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
