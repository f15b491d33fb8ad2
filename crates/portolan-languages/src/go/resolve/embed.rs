//! Resolves `//go:embed` patterns to files.

use std::sync::Arc;

use portolan_types::{Glob, MAX_DEFINERS};

/// The limit of embed edges per folder, apart from a small minimum for each pattern.
const MAX_EMBEDDED: usize = 1 << 16;

/// How many files one pattern may match, if a folder has this many patterns. Each of them might
/// match everything.
pub(super) fn limit_for(patterns: usize) -> usize {
    (MAX_EMBEDDED / patterns.max(1)).max(MAX_DEFINERS)
}

/// The first `most` files that a pattern in `folder` matches, in order, and whether there are more.
/// `files_starting_with` returns all files whose path starts with a text.
pub(super) fn files<'p>(
    files_starting_with: impl Fn(&str) -> &'p [&'p str],
    folder: &str,
    pattern: &str,
    most: usize,
) -> (Vec<Arc<str>>, bool) {
    let (takes_hidden, pattern) = match pattern.strip_prefix("all:") {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let is_safe = !pattern.is_empty()
        && !pattern.starts_with('/')
        && pattern.split('/').all(|part| part != "..")
        && portolan_types::is_bounded_glob(pattern);
    if !is_safe {
        return (Vec::new(), false);
    }
    let exact = if pattern == "." { folder.to_owned() } else { format!("{folder}/{pattern}") };
    let glob = Glob::new(pattern).ok();
    let matches = |inside: &str| glob.as_ref().is_some_and(|glob| glob.is_match(inside));
    let mut found = Vec::new();
    // Every matching path starts with the text before the first wildcard.
    let fixed = pattern.split(['*', '?', '[', '\\']).next().unwrap_or_default();
    let fixed = if pattern == "." { "" } else { fixed };
    for file in files_starting_with(&format!("{folder}/{fixed}")) {
        let Some(inside) = file.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) else {
            continue;
        };
        // A pattern includes a whole folder, without the hidden files in it.
        let taken = if **file == *exact || matches(inside) {
            Some("")
        } else if let Some(rest) = file.strip_prefix(&exact).and_then(|rest| rest.strip_prefix('/'))
        {
            Some(rest)
        } else {
            let ends = inside.match_indices('/').map(|(at, _)| at);
            ends.filter(|end| matches(&inside[..*end])).map(|end| &inside[end + 1..]).next()
        };
        let is_hidden = |rest: &str| rest.split('/').any(|part| part.starts_with(['.', '_']));
        if taken.is_some_and(|rest| takes_hidden || rest.is_empty() || !is_hidden(rest)) {
            if found.len() == most {
                return (found, true);
            }
            found.push(Arc::from(*file));
        }
    }
    (found, false)
}

#[cfg(test)]
mod tests {
    use super::{files, limit_for};

    /// How many edges a folder with `count` files has if each of them embeds all of them.
    fn edges(count: usize) -> (usize, bool) {
        let names: Vec<String> = (0..count).map(|at| format!("/r/f{at:05}.go")).collect();
        let paths: Vec<&str> = names.iter().map(String::as_str).collect();
        let (found, is_cut) = files(|_| &paths, "/r", "*", limit_for(count));
        (found.len() * count, is_cut)
    }

    #[test]
    fn embed_edges_grow_linearly_with_the_folder() {
        let (small, large) = (edges(4000), edges(8000));
        assert!(large.0 <= small.0 * 5 / 2, "{small:?} → {large:?}");
        assert!(small.1 && large.1 && small.0 < 4000 * 100);
        assert_eq!(edges(200), (40_000, false));
    }

    #[test]
    fn pattern_scans_only_paths_with_its_literal_prefix() {
        let asked = std::cell::RefCell::new(Vec::new());
        let look = |start: &str| -> &'static [&'static str] {
            asked.borrow_mut().push(start.to_owned());
            &[]
        };
        for pattern in ["a/b.txt", "web/*.html", "all:dist", "."] {
            files(look, "/r", pattern, 1);
        }
        assert_eq!(*asked.borrow(), ["/r/a/b.txt", "/r/web/", "/r/dist", "/r/"]);
    }
}
