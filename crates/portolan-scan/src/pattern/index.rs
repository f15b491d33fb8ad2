//! Which patterns of a long list could match a path, without trying each of them.
//!
//! A pattern without glob characters is found by the path and the folders above it. A glob is found by
//! what every match of it must have: the literal text at its end, and its longest segment without
//! glob characters. Globs that share both are compiled into one set.

use std::collections::{BTreeMap, BTreeSet};

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::{GLOB_CHARACTERS, Matcher, Pattern};

/// The patterns of a list, by what their matches must have.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// The numbers of those without glob characters, by their text.
    paths: BTreeMap<String, Vec<u32>>,
    /// The others, by the end and a segment of their matches; either may be empty.
    globs: BTreeMap<String, BTreeMap<String, Bucket>>,
    /// How long the ends are.
    ends: BTreeSet<usize>,
    /// The folders that matches of the positive patterns are in.
    folders: BTreeSet<String>,
}

/// Globs that share an end and a segment.
#[derive(Clone, Debug, Default)]
struct Bucket {
    /// Mostly one set; more, where one set of all is too large to be compiled.
    sets: Vec<(GlobSet, Vec<u32>)>,
}

impl Index {
    /// An index of patterns whose globs can each be compiled.
    pub(super) fn new(patterns: &[Pattern]) -> Self {
        let mut index = Self::default();
        let mut buckets: BTreeMap<(String, String), Vec<(u32, Glob)>> = BTreeMap::new();
        for (number, pattern) in (0u32..).zip(patterns) {
            if !pattern.negated {
                index.folders.insert(pattern.literal_prefix.clone());
            }
            match &pattern.matcher {
                Matcher::Prefix => {
                    let path = pattern.literal_prefix.clone();
                    index.paths.entry(path).or_default().push(number);
                }
                Matcher::Glob(glob) => {
                    for glob in alternatives(glob) {
                        let key = (end_of(glob.glob()), segment_of(glob.glob()));
                        buckets.entry(key).or_default().push((number, glob));
                    }
                }
            }
        }
        for ((end, segment), globs) in buckets {
            index.ends.insert(end.len());
            index.globs.entry(end).or_default().insert(segment, Bucket::new(&globs));
        }
        index
    }

    /// The numbers of the patterns that match a path, in no particular order.
    pub(super) fn matches(&self, path: &str) -> Vec<u32> {
        let above = std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0));
        let mut found: Vec<u32> =
            above.filter_map(|above| self.paths.get(above)).flatten().copied().collect();
        for bucket in self.buckets(path) {
            bucket.matches(path, &mut found);
        }
        found
    }

    /// The buckets whose globs could match a path.
    fn buckets<'i>(&'i self, path: &'i str) -> impl Iterator<Item = &'i Bucket> {
        let by_end = self.ends.range(..=path.len()).filter_map(|length| {
            let end = path.get(path.len() - length..)?;
            self.globs.get(end)
        });
        by_end.flat_map(move |by_segment| {
            // A segment that is there twice is looked up once.
            let segments: BTreeSet<&str> = path.split('/').chain([""]).collect();
            segments.into_iter().filter_map(|segment| by_segment.get(segment))
        })
    }

    /// Whether a positive pattern could match something below a folder.
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

    /// How many patterns and places are looked at for a path.
    #[cfg(test)]
    pub(super) fn work(&self, path: &str) -> usize {
        let tried: usize = self
            .buckets(path)
            .map(|bucket| bucket.sets.iter().map(|(_, numbers)| numbers.len()).sum::<usize>())
            .sum();
        tried + self.ends.len() + path.split('/').count()
    }
}

impl Bucket {
    fn new(globs: &[(u32, Glob)]) -> Self {
        let set = |globs: &[(u32, Glob)]| {
            let mut builder = GlobSetBuilder::new();
            for (_, glob) in globs {
                builder.add(glob.clone());
            }
            let numbers = globs.iter().map(|(number, _)| *number).collect();
            Some((builder.build().ok()?, numbers))
        };
        let sets = match set(globs) {
            Some(all) => vec![all],
            None => globs.chunks(1).filter_map(set).collect(),
        };
        Self { sets }
    }

    fn matches(&self, path: &str, found: &mut Vec<u32>) {
        for (set, numbers) in &self.sets {
            found.extend(set.matches(path).into_iter().filter_map(|at| numbers.get(at)));
        }
    }
}

/// So many globs are made of one with braces.
const MAX_ALTERNATIVES: usize = 32;

/// A glob with braces as several without, where these are few and simple.
fn alternatives(glob: &Glob) -> Vec<Glob> {
    let all = || {
        let mut done = Vec::new();
        let mut todo = vec![glob.glob().to_owned()];
        while let Some(text) = todo.pop() {
            let Some((before, rest)) = text.split_once('{') else {
                done.push(super::glob_of(&text).ok()?);
                continue;
            };
            let (inside, after) = rest.split_once('}')?;
            let is_simple = !inside.contains('{') && !text.contains('[');
            let count = inside.split(',').count() + todo.len() + done.len();
            if !is_simple || count > MAX_ALTERNATIVES {
                return None;
            }
            todo.extend(inside.split(',').map(|one| format!("{before}{one}{after}")));
        }
        Some(done)
    };
    all().unwrap_or_else(|| vec![glob.clone()])
}

/// What every match of a glob ends in.
fn end_of(glob: &str) -> String {
    let literal = glob.rfind(GLOB_CHARACTERS).map_or(glob, |last| &glob[last + 1..]);
    // `**/x` matches `x`, too.
    literal.strip_prefix('/').unwrap_or(literal).to_owned()
}

/// A segment that every match of a glob has: the longest; none where braces or classes, which may span
/// segments, make it hard to tell.
fn segment_of(glob: &str) -> String {
    if glob.contains(['{', '[']) {
        return String::new();
    }
    let literal = glob.split('/').filter(|segment| !segment.contains(GLOB_CHARACTERS));
    literal.max_by_key(|segment| segment.len()).unwrap_or_default().to_owned()
}
