//! Globs relative to folders: `include` and `exclude` of a `tsconfig.json`, and workspace members.
//!
//! A folder is compared as a path and never becomes part of a glob. So special characters in the
//! path of the repository have no effect.

use std::collections::BTreeMap;

use portolan_types::{Glob, Globs};

use crate::resolve::files::{is_under, join};

/// A pattern and the folder it is relative to.
#[derive(Clone, Debug)]
pub(crate) struct FolderPattern {
    pub(crate) folder: String,
    pub(crate) pattern: String,
}

/// A compiled list of patterns, grouped by folder.
#[derive(Debug, Default)]
pub(crate) struct FolderGlobs {
    /// Paths that match exactly.
    exact: Vec<String>,
    /// Folders that match with everything below.
    whole: Vec<String>,
    /// Globs for the paths below a folder.
    below: Vec<(String, Globs)>,
}

impl FolderGlobs {
    /// Compiles workspace members: ordinary globs that match folders.
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

    /// Compiles `include`: a pattern that names a folder includes everything below.
    pub(crate) fn include(patterns: &[FolderPattern]) -> Self {
        Self::of_config(patterns, |rest| {
            let last = rest.rsplit('/').next().unwrap_or(rest);
            match last {
                "**" => vec![format!("{rest}/*")],
                name if !name.contains(['*', '?', '.']) => vec![format!("{rest}/**/*")],
                _ => vec![rest.to_owned()],
            }
        })
    }

    /// Compiles `exclude`: everything below a match is excluded as well.
    pub(crate) fn exclude(patterns: &[FolderPattern]) -> Self {
        Self::of_config(patterns, |rest| vec![rest.to_owned(), format!("{rest}/**")])
    }

    /// In a tsconfig, only `*` and `?` are special.
    fn of_config(patterns: &[FolderPattern], widen: impl Fn(&str) -> Vec<String>) -> Self {
        let mut whole = Vec::new();
        let mut below: BTreeMap<String, Vec<Glob>> = BTreeMap::new();
        for FolderPattern { folder, pattern } in patterns {
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

/// Splits a pattern into its literal folder and the rest.
fn literal_start(folder: &str, pattern: &str, special: &[char]) -> (String, String) {
    let mut segments = pattern.split('/').peekable();
    let mut literal = Vec::new();
    while let Some(segment) = segments.next_if(|segment| !segment.contains(special)) {
        literal.push(segment);
    }
    let rest: Vec<&str> = segments.filter(|segment| !matches!(*segment, "" | ".")).collect();
    (join(folder, &literal.join("/")), rest.join("/"))
}

/// Escapes brackets and braces.
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

/// An invalid glob matches nothing.
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
    use super::{FolderGlobs, FolderPattern};

    fn written(folder: &str, patterns: &[&str]) -> Vec<FolderPattern> {
        let written = patterns.iter().map(|pattern| FolderPattern {
            folder: folder.to_owned(),
            pattern: (*pattern).to_owned(),
        });
        written.collect()
    }

    /// Checks the same below several folders.
    #[track_caller]
    fn check(make: impl Fn(&str) -> FolderGlobs, matched: &[&str], other: &[&str]) {
        for folder in ["/r", "/a[b]c/{d}/*", "/my.repo", "/"] {
            let globs = make(folder);
            let is_match =
                |path: &&&str| globs.is_match(&crate::resolve::files::join(folder, path));
            assert_eq!(matched.iter().filter(is_match).collect::<Vec<_>>().len(), matched.len());
            assert_eq!(other.iter().filter(is_match).collect::<Vec<_>>(), [&""; 0], "{folder}");
        }
    }

    #[test]
    fn include_matches_files_and_whole_folders() {
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
    fn exclude_matches_everything_below_a_match() {
        check(
            |folder| FolderGlobs::exclude(&written(folder, &["dist*", "**/test", "a/b.ts"])),
            &["dist/a.ts", "dist2/b/c.ts", "x/test/y.ts", "a/b.ts"],
            &["src/dist/a.ts", "testing/a.ts"],
        );
    }

    #[test]
    fn members_match_folders() {
        check(
            |folder| FolderGlobs::members(folder, ["packages/*", "./apps/{a,b}", "x"].into_iter()),
            &["packages/a", "apps/b", "x"],
            &["packages/a/b", "apps/c", "x/y", "packages"],
        );
        check(|folder| FolderGlobs::members(folder, ["**"].into_iter()), &["a", "a/b"], &[]);
    }
}
