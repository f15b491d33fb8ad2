//! Finds the patterns of a long list that may match a path, without trying each of them.
//!
//! A pattern without glob characters is looked up by the path and its parent folders, a glob by a text that
//! every match must have.

use std::collections::{BTreeMap, BTreeSet};

use portolan_types::Globs;

use super::{Matcher, Pattern};

/// The patterns of a list, by a text that their matches must have.
#[derive(Clone, Debug, Default)]
pub(super) struct PatternIndex {
    /// The numbers of the patterns without glob characters, by their text.
    paths: BTreeMap<String, Vec<u32>>,
    /// The globs.
    globs: Globs,
    /// The folders that contain the matches of the positive patterns.
    folders: BTreeSet<String>,
}

impl PatternIndex {
    /// Builds an index of patterns.
    pub(super) fn new(patterns: &[Pattern]) -> Self {
        let mut index = Self::default();
        for (number, pattern) in (0u32..).zip(patterns) {
            if !pattern.negated {
                index.folders.insert(pattern.literal_prefix.clone());
            }
            match &pattern.matcher {
                Matcher::Prefix => {
                    let path = pattern.literal_prefix.clone();
                    index.paths.entry(path).or_default().push(number);
                }
                Matcher::Glob(glob) => index.globs.add(number, glob),
            }
        }
        index
    }

    /// The numbers of the patterns that match a path, in no particular order.
    pub(super) fn matches(&self, path: &str) -> Vec<u32> {
        let above = std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0));
        let mut found: Vec<u32> =
            above.filter_map(|above| self.paths.get(above)).flatten().copied().collect();
        found.extend(self.globs.matches(path));
        found
    }

    /// Whether a positive pattern may match something below a folder.
    pub(super) fn may_match_below(&self, folder: &str) -> bool {
        let mut above = std::iter::successors(Some(folder), |path| Some(path.rsplit_once('/')?.0));
        let inside = format!("{folder}/");
        self.folders.contains("")
            || above.any(|above| self.folders.contains(above))
            || self
                .folders
                .range(inside.clone()..)
                .next()
                .is_some_and(|next| next.starts_with(&inside))
            || (folder.is_empty() && !self.folders.is_empty())
    }

    /// How many patterns are tried for a path.
    #[cfg(test)]
    pub(super) fn work(&self, path: &str) -> usize {
        self.globs.work(path)
    }
}
