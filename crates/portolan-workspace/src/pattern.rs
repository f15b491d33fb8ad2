//! The matcher for every pattern that a user writes: `includes`, `excludes`, `imports`, flags.
//!
//! A pattern without glob characters is a path prefix: `docs` covers `docs/a.md`. Anything else is a
//! glob on the whole repo path: `*` and `?` stay within a segment, `**` crosses segments, `[a-z]`,
//! `[!a]` and `{a,b}` work as usual, names that start with a dot are ordinary names. In a list, the
//! last matching pattern decides, and a leading `!` negates what earlier patterns matched.

mod index;

use portolan_types::{Glob, is_bounded_glob};
use thiserror::Error;

use self::index::PatternIndex;

/// A list of patterns, compiled.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    items: Vec<Pattern>,
    index: PatternIndex,
}

#[derive(Clone, Debug)]
struct Pattern {
    negated: bool,
    /// As written, without its prefix.
    text: String,
    /// Whether it is a glob that ends in `**`.
    ends_deep: bool,
    /// The folder that contains every match; empty for the root.
    literal_prefix: String,
    matcher: Matcher,
}

#[derive(Clone, Debug)]
enum Matcher {
    Prefix,
    Glob(Box<Glob>),
}

/// An invalid pattern.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("pattern `{pattern}`: {reason}")]
pub struct PatternError {
    /// The pattern as written.
    pub pattern: String,
    /// What is wrong with it, and what to write instead.
    pub reason: String,
}

impl Patterns {
    /// Compiles a list. Skips blank patterns.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> Result<Self, PatternError> {
        let written =
            patterns.iter().map(AsRef::as_ref).filter(|pattern| !pattern.trim().is_empty());
        Ok(Self::of(written.map(compile).collect::<Result<_, _>>()?))
    }

    fn of(items: Vec<Pattern>) -> Self {
        Self { index: PatternIndex::new(&items), items }
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The patterns that mention a folder of this name, and all negated ones.
    #[must_use]
    pub fn naming(&self, folder: &str) -> Self {
        let names =
            |item: &&Pattern| item.negated || item.text.split('/').any(|part| part == folder);
        Self::of(self.items.iter().filter(names).cloned().collect())
    }

    /// The patterns that are plain paths.
    pub fn literals(&self) -> impl Iterator<Item = &str> {
        let is_plain = |item: &&Pattern| !item.negated && matches!(item.matcher, Matcher::Prefix);
        self.items.iter().filter(is_plain).map(|item| item.text.as_str())
    }

    /// Whether the list matches a repo path.
    pub fn is_match(&self, path: &str) -> bool {
        let last = self.index.matches(path).into_iter().max();
        last.is_some_and(|last| !self.items[last as usize].negated)
    }

    /// Whether the list certainly matches everything below a folder, so that it need not be walked. Never
    /// true for a list with a negated pattern.
    pub fn covers(&self, folder: &str) -> bool {
        // A trailing `**` matches at least one name. Here that can only be the last one, so the rest of the
        // pattern matches the folder or one of its parents.
        let inside = format!("{folder}/x");
        let covers = |number: u32| match &self.items[number as usize] {
            Pattern { matcher: Matcher::Prefix, literal_prefix, .. } => {
                is_under(folder, literal_prefix)
            }
            item => item.ends_deep,
        };
        self.items.iter().all(|item| !item.negated)
            && self.index.matches(&inside).into_iter().any(covers)
    }

    /// Whether the list may match something below a folder, so that it must be walked.
    pub fn may_match_below(&self, folder: &str) -> bool {
        self.index.may_match_below(folder)
    }
}

fn is_under(path: &str, prefix: &str) -> bool {
    prefix.is_empty()
        || path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

const GLOB_CHARACTERS: [char; 6] = ['*', '?', '[', ']', '{', '}'];

fn compile(written: &str) -> Result<Pattern, PatternError> {
    let fail =
        |reason: &str| PatternError { pattern: written.to_owned(), reason: reason.to_owned() };
    if !is_bounded_glob(written) {
        let start: String = written.chars().take(40).collect();
        let reason = "too long or nested too deeply; use several patterns".to_owned();
        return Err(PatternError { pattern: format!("{start}…"), reason });
    }
    let slashed = written.trim().replace('\\', "/");
    let (negated, mut body) = match slashed.strip_prefix('!') {
        Some(rest) if !rest.starts_with('(') => (true, rest),
        _ => (false, slashed.as_str()),
    };
    while let Some(rest) = body.strip_prefix("./") {
        body = rest;
    }
    body = body.trim_end_matches('/');
    if body.is_empty() || body == "." {
        return Err(fail(
            "matches nothing; name a path or a glob below the root, `**` for everything",
        ));
    }
    if body.starts_with('/') || body.split('/').any(|segment| segment == "..") {
        return Err(fail("leads outside the repository; patterns are relative to its root"));
    }
    if ["!(", "@(", "+(", "*(", "?("].iter().any(|group| body.contains(group)) {
        return Err(fail(
            "extended globs such as `!(a|b)` are not supported; use `{a,b}` or several patterns",
        ));
    }
    if body.contains("[[:") {
        return Err(fail("POSIX classes such as `[[:alpha:]]` are not supported; write the range"));
    }
    let Some(first) = body.find(GLOB_CHARACTERS) else {
        return Ok(Pattern {
            negated,
            text: body.to_owned(),
            ends_deep: false,
            literal_prefix: body.to_owned(),
            matcher: Matcher::Prefix,
        });
    };
    let glob = Glob::new(body).map_err(|error| fail(&error.to_string()))?;
    let literal_prefix = body[..first].rsplit_once('/').map_or("", |(folder, _)| folder);
    Ok(Pattern {
        negated,
        text: body.to_owned(),
        ends_deep: body == "**" || body.ends_with("/**"),
        literal_prefix: literal_prefix.to_owned(),
        matcher: Matcher::Glob(Box::new(glob)),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Patterns;

    fn check(patterns: &[&str], matches: &[&str], misses: &[&str]) {
        let compiled = Patterns::new(patterns).unwrap();
        for path in matches {
            assert!(compiled.is_match(path), "{patterns:?} should match {path}");
        }
        for path in misses {
            assert!(!compiled.is_match(path), "{patterns:?} should not match {path}");
        }
    }

    #[test]
    fn a_pattern_without_glob_characters_is_a_prefix() {
        check(&["docs"], &["docs", "docs/a.md", "docs/b/c"], &["docs2", "src/docs"]);
        check(&["./docs/"], &["docs/a.md"], &["doc"]);
        check(&["app/(group)"], &["app/(group)/page.tsx"], &["app/group/page.tsx"]);
        check(&["src\\gen"], &["src/gen/a.ts"], &["src/a.ts"]);
    }

    #[test]
    fn a_glob_is_anchored_at_the_root() {
        check(&["*.ts"], &["a.ts", ".a.ts"], &["src/a.ts"]);
        check(&["**/*.ts"], &["a.ts", "src/a.ts", ".x/.a.ts"], &["a.tsx"]);
        check(&["src/**"], &["src/a", "src/b/c"], &["src", "lib/a"]);
        check(&["src/?[ab]*.{ts,js}"], &["src/xa1.ts", "src/xb.js"], &["src/xc.ts", "src/a.ts"]);
        check(&["[!a].ts"], &["b.ts"], &["a.ts"]);
    }

    #[test]
    fn the_last_matching_pattern_decides() {
        check(
            &["src", "!src/gen", "src/gen/keep.ts"],
            &["src/a.ts", "src/gen/keep.ts"],
            &["src/gen/a.ts"],
        );
        check(&["!a.ts"], &[], &["a.ts", "b.ts"]);
    }

    #[test]
    fn the_error_names_the_bad_pattern() {
        for bad in
            ["../x", "/etc", "a/../b", "!(a)", "@(a|b)/c", "[[:alpha:]]", "{a", "[z", "/", "."]
        {
            let error = Patterns::new(&[bad]).unwrap_err();
            assert_eq!(error.pattern, bad);
        }
        assert!(Patterns::new(&["", " "]).unwrap().is_empty());
    }

    #[test]
    fn an_exploding_pattern_is_rejected_or_harmless() {
        let nested = format!("{}{}", "{a,".repeat(10_000), "}".repeat(10_000));
        assert!(Patterns::new(&[nested]).is_err());
        for bomb in ["**/".repeat(20_000) + "x", "{a,b}".repeat(5_000), "*a".repeat(5_000)] {
            if let Ok(patterns) = Patterns::new(&[bomb]) {
                assert!(!patterns.is_match(&"a/".repeat(1_000)));
            }
        }
    }

    #[test]
    fn folders_that_are_matched_whole_are_recognized() {
        let patterns = Patterns::new(&["dist", "gen/**", "a/*/**", "x/*.ts", "deep/x"]).unwrap();
        for folder in ["dist", "dist/y", "gen", "gen/y", "a/b", "a/b/c"] {
            assert!(patterns.covers(folder), "{folder}");
        }
        for folder in ["a", "x", "src", "deep", "distant"] {
            assert!(!patterns.covers(folder), "{folder}");
        }
        assert!(!Patterns::new(&["dist", "!dist/keep.ts"]).unwrap().covers("dist"));
    }

    #[test]
    fn folders_that_may_hold_a_match_are_recognized() {
        let patterns = Patterns::new(&["gen/out/*.ts", "dist", "!src"]).unwrap();
        for folder in ["gen", "gen/out", "gen/out/deep", "dist", "dist/x"] {
            assert!(patterns.may_match_below(folder), "{folder}");
        }
        assert!(!patterns.may_match_below("src") && !patterns.may_match_below("gen/other"));
        assert!(Patterns::new(&["**/*.md"]).unwrap().may_match_below("anything"));
    }

    /// As many patterns as files, of every kind: doubling both doubles the work.
    #[test]
    fn work_grows_with_the_files_but_not_with_the_patterns() {
        for pattern in [
            "src/fN.ts",
            "src/dN",
            "dN/**",
            "**/fN.ts",
            "**/*.fN.ts",
            "**/dN/**",
            "src/*/fN.{ts,js}",
        ] {
            let work = |count: usize| -> usize {
                let written: Vec<_> =
                    (0..count).map(|at| pattern.replace('N', &at.to_string())).collect();
                let patterns = Patterns::new(&written).unwrap();
                let paths = (0..count).map(|at| format!("src/d{at}/x.f{at}.ts"));
                paths.map(|path| patterns.index.work(&path)).sum()
            };
            let (small, large) = (work(400), work(800));
            assert!(large < small * 5 / 2, "{pattern}: {small} → {large}");
        }
    }

    proptest! {
        #[test]
        fn the_last_matching_pattern_of_a_list_wins(
            patterns in prop::collection::vec("!?(\\*\\*/)?[ab*]{1,2}(/[ab*?]{1,2}|/\\*\\*|\\.\\{a,b\\}|/[ab])?(\\.a)?", 1..6),
            path in "[ab]{1,2}(/[ab]{1,2}){0,3}(\\.[ab])?",
        ) {
            let one = |pattern: &String| Patterns::new(&[pattern.trim_start_matches('!')]);
            prop_assume!(patterns.iter().all(|pattern| one(pattern).is_ok()));
            let matches = |pattern: &&String| one(pattern).unwrap().is_match(&path);
            let last = patterns.iter().rev().find(matches);
            let expected = last.is_some_and(|pattern| !pattern.starts_with('!'));
            prop_assert_eq!(Patterns::new(&patterns).unwrap().is_match(&path), expected);
        }

        /// The index finds every glob by a text that its matches must have.
        #[test]
        fn the_index_misses_no_match(
            pattern in "(\\*\\*/)?[ab*]{1,2}(/[ab*?]{1,2}|/\\*\\*|\\.\\{a,b\\}|/[ab])?(\\.a)?",
            path in "[ab]{1,2}(/[ab]{1,2}){0,3}(\\.[ab])?",
        ) {
            prop_assume!(pattern.contains(['*', '?', '{']));
            if let Ok(patterns) = Patterns::new(&[&pattern]) {
                let glob = globset::GlobBuilder::new(&pattern)
                    .literal_separator(true)
                    .empty_alternates(true)
                    .build()
                    .unwrap();
                prop_assert_eq!(patterns.is_match(&path), glob.compile_matcher().is_match(&path));
            }
        }

        #[test]
        fn no_pattern_breaks_the_matcher(pattern in ".{0,40}", path in "[a-z/.]{0,20}") {
            if let Ok(patterns) = Patterns::new(&[pattern]) {
                let _ = patterns.is_match(&path);
                let _ = patterns.may_match_below(&path);
            }
        }
    }
}
