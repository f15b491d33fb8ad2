//! Globs: patterns of paths, as users and manifests write them.
//!
//! A glob has the syntax and meaning of the `globset` crate with `literal_separator`: `*` and `?` stay within a name, `**`
//! between slashes is any number of names, `[a-z]` and `[!a]` are one character, `{a,b}` is one of several (an alternative
//! may be empty), and a backslash escapes. Names that start with a dot are ordinary names.

mod list;

pub use list::Globs;

use std::sync::OnceLock;

use crate::is_bounded_glob;

/// A valid glob.
#[derive(Clone, Debug)]
pub struct Glob {
    pattern: globset::Glob,
    /// Built at the first path that ends as a match does: most globs of a repository never meet one.
    matcher: OnceLock<globset::GlobMatcher>,
    /// The literal text that every match ends with; may be empty.
    end: String,
    /// A whole name that every match contains; may be empty.
    name: String,
}

/// Why a glob cannot be compiled, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobError(String);

impl std::fmt::Display for GlobError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for GlobError {}

impl Glob {
    /// Checks and takes a glob.
    pub fn new(text: &str) -> Result<Self, GlobError> {
        if !is_bounded_glob(text) {
            return Err(GlobError("too long or nested too deeply".to_owned()));
        }
        let glob = globset::GlobBuilder::new(text)
            .literal_separator(true)
            .backslash_escape(true)
            .empty_alternates(true)
            .build();
        let pattern = glob.map_err(|error| GlobError(error.kind().to_string()))?;
        let end = text.rfind(SPECIAL).map_or(text, |at| text.get(at + 1..).unwrap_or_default());
        // `**/x` matches `x`, too.
        let end = if end.len() < text.len() { end.trim_start_matches('/') } else { end };
        Ok(Self {
            pattern,
            matcher: OnceLock::new(),
            end: end.to_owned(),
            name: longest_name(text),
        })
    }

    /// The glob as written.
    pub fn text(&self) -> &str {
        self.pattern.glob()
    }

    /// Whether it matches a whole path.
    pub fn is_match(&self, path: &str) -> bool {
        let matcher = || self.matcher.get_or_init(|| self.pattern.compile_matcher());
        path.ends_with(&self.end) && matcher().is_match(path)
    }
}

/// Characters that may mean something else than themselves. All are ASCII.
const SPECIAL: [char; 8] = ['*', '?', '[', ']', '{', '}', '\\', ','];

/// The longest literal name of a glob. A glob with braces, classes or escapes has none: they may
/// contain slashes.
fn longest_name(text: &str) -> String {
    if text.contains(['[', '{', '\\']) {
        return String::new();
    }
    let literal = text.split('/').filter(|name| !name.contains(SPECIAL));
    literal.max_by_key(|name| name.len()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::Glob;

    fn check(glob: &str, matches: &[&str], misses: &[&str]) {
        let compiled = Glob::new(glob).unwrap();
        for path in matches {
            assert!(compiled.is_match(path), "{glob} should match {path}");
        }
        for path in misses {
            assert!(!compiled.is_match(path), "{glob} should not match {path}");
        }
    }

    #[test]
    fn every_form_matches_what_it_means() {
        check("a/b.ts", &["a/b.ts"], &["a/b.tsx", "a/b", "x/a/b.ts", ""]);
        check("*.ts", &["a.ts", ".ts", ".a.ts"], &["a/b.ts", "ts"]);
        check("a?c", &["abc", "a.c"], &["ac", "a/c", "abbc"]);
        check("**", &["", "a", "a/b"], &[]);
        check("**/x", &["x", "a/x", "a/b/x"], &["ax", "x/a"]);
        check("a/**", &["a/", "a/b", "a/b/c"], &["a", "ab"]);
        check("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/xb", "a/bx"]);
        check("a**b", &["ab", "axxb"], &["a/b"]);
        check("**/**/x", &["x", "a/b/x"], &["ax"]);
        check("[a-c]x", &["ax", "cx"], &["dx", "-x"]);
        check("[!a-c]x", &["dx", "/x"], &["ax"]);
        check("[]a-]", &["]", "a", "-"], &["b"]);
        check("{a,b/*}.ts", &["a.ts", "b/x.ts"], &["b.ts", "c.ts"]);
        check("x{,.y}", &["x", "x.y"], &["xy", "x."]);
        check("{a,{b,c}d}", &["a", "bd", "cd"], &["b", "ad"]);
        check("a,b", &["a,b"], &["a"]);
        check(r"\*\{", &["*{"], &[r"\*\{", "x{"]);
    }

    #[test]
    fn an_unfinished_glob_is_an_error() {
        for bad in ["{a", "a}", "[a", "[z-a]", "\\", &"{".repeat(99)] {
            assert!(Glob::new(bad).is_err(), "{bad}");
        }
    }

    /// Nested choices, on which a backtracking matcher would never end.
    #[test]
    fn no_glob_takes_longer_than_its_length_times_the_paths() {
        for bomb in ["*a".repeat(1000), "{a,aa}".repeat(1000), "**/*a*/".repeat(500) + "b"] {
            if let Ok(glob) = Glob::new(&bomb) {
                assert!(!glob.is_match(&"a/".repeat(300)));
            }
        }
    }
}
