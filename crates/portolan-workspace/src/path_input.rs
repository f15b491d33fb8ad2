//! Parses the ways in which people and models name files.
//!
//! A path may begin with `./`, be relative to the user's folder, or be absolute below the root; it
//! may name a folder or be a glob. Every input that takes paths accepts all of these, with the same
//! meaning.

use std::path::Path;

use crate::Patterns;

use crate::config::Loaded;

/// The name of the whole repository.
pub const EVERYTHING: &str = ".";

/// The context in which a path was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathInput {
    /// The root, without a trailing slash; empty if there is none.
    root: String,
    /// The user's folder, relative to the root; empty at the root.
    here: String,
}

impl PathInput {
    /// Paths in a file of the repository: their meaning does not depend on the user's folder.
    pub fn at_root(root: &Path) -> Self {
        let root = root.to_str().unwrap_or_default().trim_end_matches('/').to_owned();
        Self { root, here: String::new() }
    }

    /// Paths that a user types.
    pub fn here(config: &Loaded) -> Self {
        Self { here: config.here.clone(), ..Self::at_root(&config.root) }
    }

    /// Converts a text to an id, a folder or a glob relative to the root. Returns the text as
    /// written if it is known neither from the user's folder nor from the root.
    pub fn plain(&self, text: &str, is_known: &dyn Fn(&str) -> bool) -> String {
        let text = text.trim();
        if let Some(below) = self.below_root(text) {
            return joined("", below).unwrap_or_else(|| text.to_owned());
        }
        if is_relative(text) {
            let joined = joined(&self.here, text).filter(|path| is_known(path) || !is_known(text));
            return joined.unwrap_or_else(|| text.to_owned());
        }
        let plain = text.trim_end_matches('/');
        if plain.is_empty() || plain.starts_with('/') {
            return text.to_owned();
        }
        let near = format!("{}/{plain}", self.here);
        let is_near = !self.here.is_empty() && !is_known(plain) && is_known(&near);
        if is_near { near } else { plain.to_owned() }
    }

    /// The part of an absolute path below the root.
    fn below_root<'t>(&self, text: &'t str) -> Option<&'t str> {
        let rest = text.strip_prefix(self.root.as_str()).filter(|_| !self.root.is_empty())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/'))
    }
}

/// Whether a path begins with `.` or `..`, and so is relative to a folder.
fn is_relative(text: &str) -> bool {
    matches!(text.split('/').next(), Some("." | ".."))
}

/// Joins a folder and a relative path; `None` if the result is outside the root.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(if names.is_empty() { EVERYTHING.to_owned() } else { names.join("/") })
}

/// Matches ids with one file, everything below a folder, or a glob.
pub struct PathMatcher<'t> {
    text: &'t str,
    patterns: Option<Patterns>,
}

impl<'t> PathMatcher<'t> {
    /// A matcher for a path, a folder or a glob as written.
    pub fn new(text: &'t str) -> Self {
        // A name without glob characters is a file or a folder. An invalid glob matches nothing. A
        // name with backslashes is not a path from another system: the check of ids rejects it.
        let is_plain = !text.starts_with(['!', '/']) && !text.contains('\\') && !is_relative(text);
        let patterns = Patterns::new(&[text]).ok().filter(|_| is_plain);
        Self { text, patterns }
    }

    /// Whether it matches this id.
    pub fn has(&self, id: &str) -> bool {
        self.text == EVERYTHING
            || id == self.text
            || self.patterns.as_ref().is_some_and(|patterns| patterns.is_match(id))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{PathInput, PathMatcher};

    const KNOWN: [&str; 4] = ["src/a.ts", "src/api/b.ts", "a.ts", "./gone"];

    fn is_known(text: &str) -> bool {
        KNOWN.iter().any(|id| PathMatcher::new(text).has(id))
    }

    #[track_caller]
    fn check(here: &str, text: &str, expected: &str) {
        let path_input =
            PathInput { here: here.to_owned(), ..PathInput::at_root(Path::new("/r/")) };
        assert_eq!(path_input.plain(text, &is_known), expected, "{text} in {here:?}");
    }

    #[test]
    fn a_path_means_the_same_however_it_is_written() {
        for text in ["src/a.ts", "./src/a.ts", "/r/src/a.ts", " src/a.ts ", "src/../src/./a.ts"] {
            let expected = if text.contains("..") { text } else { "src/a.ts" };
            check("", text, expected);
        }
        check("", "src/api/", "src/api");
        check("", "./src/*.ts", "src/*.ts");
        check("", "/r", ".");
        check("", ".", ".");
    }

    #[test]
    fn names_are_seen_from_the_root_and_then_from_the_current_folder() {
        check("src", "api", "src/api");
        check("src", "api/*.ts", "src/api/*.ts");
        check("src", "a.ts", "a.ts");
        check("src", "./a.ts", "src/a.ts");
        check("src", "../a.ts", "a.ts");
        check("src/api", ".", "src/api");
        check("src", "nope.ts", "nope.ts");
    }

    #[test]
    fn paths_that_lead_out_and_ids_stay_as_written() {
        for text in
            ["../x", "/etc/passwd", "/rx/src/a.ts", "./gone", "src/../../x", "", "/", "node:fs"]
        {
            check("", text, text);
        }
        check("src", "../../x", "../../x");
    }

    #[test]
    fn folders_match_everything_below_and_globs_their_matches() {
        assert!(
            PathMatcher::new("src").has("src/api/b.ts")
                && !PathMatcher::new("src").has("srcs/b.ts")
        );
        assert!(PathMatcher::new("src/**/b.ts").has("src/api/b.ts"));
        assert!(PathMatcher::new(".").has("anything"));
        for nothing in ["", "/", "[", "!src"] {
            assert!(!PathMatcher::new(nothing).has("src/a.ts"), "{nothing}");
        }
    }
}
