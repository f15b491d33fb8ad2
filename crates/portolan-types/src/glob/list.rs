//! Which globs of a long list match a path, without trying each of them.

use std::collections::{BTreeMap, BTreeSet};

use super::Glob;

/// The most alternatives that the braces of one glob expand to.
const MAX_ALTERNATIVES: usize = 32;

/// Globs with numbers, found by what every match of them must have: the text at its end, and a whole name.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    by_end: BTreeMap<String, ByName>,
    /// How long the ends are.
    ends: BTreeSet<usize>,
}

/// By a name that every match has; either may be empty.
type ByName = BTreeMap<String, Vec<(u32, Glob)>>;

impl Globs {
    /// Adds a glob under a number that others may have, too.
    pub fn add(&mut self, number: u32, glob: &Glob) {
        for glob in alternatives(glob) {
            self.ends.insert(glob.end.len());
            let by_name = self.by_end.entry(glob.end.clone()).or_default();
            by_name.entry(glob.name.clone()).or_default().push((number, glob));
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_end.is_empty()
    }

    /// The numbers of the globs that match a path, in no particular order; one may be there twice.
    pub fn matches<'g>(&'g self, path: &'g str) -> impl Iterator<Item = u32> + 'g {
        self.likely(path).filter(|(_, glob)| glob.is_match(path)).map(|(number, _)| *number)
    }

    /// Whether any of them matches a path.
    pub fn is_match(&self, path: &str) -> bool {
        self.matches(path).next().is_some()
    }

    /// How many globs and places are looked at for a path.
    pub fn work(&self, path: &str) -> usize {
        self.likely(path).count() + self.ends.len() + path.split('/').count()
    }

    /// The globs that have the path's end and one of its names.
    fn likely<'g>(&'g self, path: &'g str) -> impl Iterator<Item = &'g (u32, Glob)> {
        let by_end = self.ends.range(..=path.len()).filter_map(|length| {
            let end = path.get(path.len() - length..)?;
            self.by_end.get(end)
        });
        by_end.flat_map(|by_name| {
            let of_all = by_name.get("").into_iter();
            of_all.chain(named(by_name, path)).flatten()
        })
    }
}

/// The globs under the names of a path; a name that is there twice is looked up once.
fn named<'g>(by_name: &'g ByName, path: &'g str) -> Vec<&'g Vec<(u32, Glob)>> {
    if by_name.len() == usize::from(by_name.contains_key("")) {
        return Vec::new();
    }
    let names: BTreeSet<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    names.into_iter().filter_map(|name| by_name.get(name)).collect()
}

/// A glob with braces as several without, where these are few and simple: each has an end and names of its own.
fn alternatives(glob: &Glob) -> Vec<Glob> {
    let all = || {
        let mut done = Vec::new();
        let mut todo = vec![glob.text().to_owned()];
        while let Some(text) = todo.pop() {
            let Some((before, rest)) = text.split_once('{') else {
                done.push(Glob::new(&text).ok()?);
                continue;
            };
            let (inside, after) = rest.split_once('}')?;
            // The characters beside a brace decide what `**` means.
            let is_plain =
                !inside.contains("**") && !before.ends_with('*') && !after.starts_with('*');
            let is_simple = is_plain && !inside.contains('{') && !text.contains(['[', '\\']);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Glob, Globs};

    proptest! {
        #[test]
        fn a_list_matches_what_one_of_it_matches(
            globs in prop::collection::vec("(\\*\\*/)?[ab*?]{1,2}(/[ab*]|/\\*\\*|\\{a,/b,\\})?(/[ab])?(\\.a)?", 1..5),
            path in "[ab]{1,2}(/[ab]{1,2}){0,3}(\\.a)?",
        ) {
            let compiled: Vec<Glob> = globs.iter().filter_map(|text| Glob::new(text).ok()).collect();
            let mut list = Globs::default();
            for (number, glob) in (0..).zip(&compiled) {
                list.add(number, glob);
            }
            let expected: Vec<u32> =
                (0..).zip(&compiled).filter(|(_, glob)| glob.is_match(&path)).map(|(n, _)| n).collect();
            let mut found: Vec<u32> = list.matches(&path).collect();
            found.sort_unstable();
            found.dedup();
            prop_assert_eq!(list.is_match(&path), !expected.is_empty());
            prop_assert_eq!(found, expected);
        }
    }
}
