//! Globs below folders: what a `tsconfig.json` has in `include` and `exclude`, and what a workspace has as
//! its members.
//!
//! A folder is matched as a folder and never as text of a glob: where a repository lies, and what is
//! in the names above it, says nothing about what is in it.

use std::collections::BTreeMap;

use portolan_types::{Glob, Globs};

use crate::resolve::files::{is_under, join};

/// A pattern and the folder that it is relative to.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) folder: String,
    pub(crate) pattern: String,
}

/// What the patterns of a list match, below the folders that they are about.
#[derive(Debug, Default)]
pub(crate) struct FolderGlobs {
    /// These are matched.
    exact: Vec<String>,
    /// Everything at and below these is matched.
    whole: Vec<String>,
    /// What is matched below a folder.
    below: Vec<(String, Globs)>,
}

impl FolderGlobs {
    /// The members of a workspace: ordinary globs, which match folders.
    pub(crate) fn members<'p>(folder: &str, patterns: impl Iterator<Item = &'p str>) -> Self {
        let mut exact = Vec::new();
        let mut below: BTreeMap<String, Vec<Glob>> = BTreeMap::new();
        for pattern in patterns {
            let (base, rest) = literal_start(folder, pattern, &['*', '?', '[', '{', '\\']);
            if rest.is_empty() {
                exact.push(base);
            } else {
                below.entry(base).or_default().extend(glob(&rest));
            }
        }
        Self { exact, whole: Vec::new(), below: compiled(below) }
    }

    /// `include`: a pattern that names a folder takes all of it.
    pub(crate) fn include(patterns: &[Written]) -> Self {
        Self::of_config(patterns, |rest| {
            let last = rest.rsplit('/').next().unwrap_or(rest);
            match last {
                "**" => vec![format!("{rest}/*")],
                name if !name.contains(['*', '?', '.']) => vec![format!("{rest}/**/*")],
                _ => vec![rest.to_owned()],
            }
        })
    }

    /// `exclude`: whatever a pattern matches is excluded with all that is in it.
    pub(crate) fn exclude(patterns: &[Written]) -> Self {
        Self::of_config(patterns, |rest| vec![rest.to_owned(), format!("{rest}/**")])
    }

    /// Only `*` and `?` are special in a config.
    fn of_config(patterns: &[Written], widen: impl Fn(&str) -> Vec<String>) -> Self {
        let mut whole = Vec::new();
        let mut below: BTreeMap<String, Vec<Glob>> = BTreeMap::new();
        for Written { folder, pattern } in patterns {
            let (base, rest) = literal_start(folder, pattern, &['*', '?']);
            if rest.is_empty() {
                whole.push(base);
            } else {
                let globs = widen(&rest).into_iter().filter_map(|text| glob(&plain_braces(&text)));
                below.entry(base).or_default().extend(globs);
            }
        }
        Self { exact: Vec::new(), whole, below: compiled(below) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.whole.is_empty() && self.below.is_empty()
    }

    pub(crate) fn is_match(&self, path: &str) -> bool {
        let below = |(folder, globs): &(String, Globs)| {
            let rest = path.strip_prefix(folder.trim_end_matches('/'));
            let rest = rest.and_then(|rest| rest.strip_prefix('/'));
            rest.is_some_and(|rest| !rest.is_empty() && globs.is_match(rest))
        };
        self.exact.iter().any(|folder| folder == path)
            || self.whole.iter().any(|folder| is_under(path, folder))
            || self.below.iter().any(below)
    }
}

/// The folder that a pattern is about, and what is left of the pattern below it.
fn literal_start(folder: &str, pattern: &str, special: &[char]) -> (String, String) {
    let mut segments = pattern.split('/').peekable();
    let mut literal = Vec::new();
    while let Some(segment) = segments.next_if(|segment| !segment.contains(special)) {
        literal.push(segment);
    }
    let rest: Vec<&str> = segments.filter(|segment| !matches!(*segment, "" | ".")).collect();
    (join(folder, &literal.join("/")), rest.join("/"))
}

/// Brackets and braces as the characters that they are.
fn plain_braces(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '[' | ']' | '{' | '}') {
            plain.extend(['[', character, ']']);
        } else {
            plain.push(character);
        }
    }
    plain
}

/// One that nobody can read matches nothing.
fn glob(pattern: &str) -> Option<Glob> {
    Glob::new(pattern).ok()
}

fn compiled(below: BTreeMap<String, Vec<Glob>>) -> Vec<(String, Globs)> {
    let set_of = |globs: Vec<Glob>| {
        let mut set = Globs::default();
        for glob in &globs {
            set.add(0, glob);
        }
        set
    };
    below.into_iter().map(|(folder, globs)| (folder, set_of(globs))).collect()
}

#[cfg(test)]
mod tests {
    use super::{FolderGlobs, Written};

    fn written(folder: &str, patterns: &[&str]) -> Vec<Written> {
        let written = patterns
            .iter()
            .map(|pattern| Written { folder: folder.to_owned(), pattern: (*pattern).to_owned() });
        written.collect()
    }

    /// The same below any folder.
    #[track_caller]
    fn check(make: impl Fn(&str) -> FolderGlobs, matched: &[&str], other: &[&str]) {
        for folder in ["/r", "/a[b]c/{d}/*", "/my.repo", "/"] {
            let globs = make(folder);
            let is_match = |path: &&&str| globs.is_match(&crate::resolve::files::join(folder, path));
            assert_eq!(matched.iter().filter(is_match).collect::<Vec<_>>().len(), matched.len());
            assert_eq!(other.iter().filter(is_match).collect::<Vec<_>>(), [&""; 0], "{folder}");
        }
    }

    #[test]
    fn an_include_takes_files_and_whole_folders() {
        check(
            |folder| FolderGlobs::include(&written(folder, &["src", "*.ts", "t/**", "x/*/y"])),
            &["src/a.ts", "src/b/c.ts", "a.ts", "t/a/b.ts", "x/1/y/z.ts"],
            &["lib/a.ts", "srcs/a.ts", "x/1/z.ts", "u/a.ts"],
        );
        check(|folder| FolderGlobs::include(&written(folder, &["."])), &["a.ts", "b/c.ts"], &[]);
        check(
            |folder| FolderGlobs::include(&written(folder, &["app/[id]/*.ts"])),
            &["app/[id]/a.ts"],
            &["app/i/a.ts"],
        );
    }

    #[test]
    fn an_exclude_takes_what_is_in_what_it_matches() {
        check(
            |folder| FolderGlobs::exclude(&written(folder, &["dist*", "**/test", "a/b.ts"])),
            &["dist/a.ts", "dist2/b/c.ts", "x/test/y.ts", "a/b.ts"],
            &["src/dist/a.ts", "testing/a.ts"],
        );
    }

    #[test]
    fn members_are_folders_that_match() {
        check(
            |folder| FolderGlobs::members(folder, ["packages/*", "./apps/{a,b}", "x"].into_iter()),
            &["packages/a", "apps/b", "x"],
            &["packages/a/b", "apps/c", "x/y", "packages"],
        );
        check(|folder| FolderGlobs::members(folder, ["**"].into_iter()), &["a", "a/b"], &[]);
    }
}
