//! The files that a `//go:embed` pattern means.

use std::sync::Arc;

use globset::GlobBuilder;

use crate::folder_of;

/// The files that a pattern in the file at `path` takes in, in order. `below` gives all files below a
/// folder.
pub(super) fn files<'p>(
    below: impl Fn(&str) -> &'p [&'p str],
    path: &str,
    pattern: &str,
) -> Vec<Arc<str>> {
    let (takes_hidden, pattern) = match pattern.strip_prefix("all:") {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let is_safe = !pattern.is_empty()
        && !pattern.starts_with('/')
        && pattern.split('/').all(|part| part != "..")
        && portolan_types::is_bounded_glob(pattern);
    if !is_safe {
        return Vec::new();
    }
    let folder = folder_of(path);
    let exact = if pattern == "." { folder.to_owned() } else { format!("{folder}/{pattern}") };
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    let glob = glob.ok().map(|glob| glob.compile_matcher());
    let matches = |inside: &str| glob.as_ref().is_some_and(|glob| glob.is_match(inside));
    let mut found = Vec::new();
    for file in below(folder) {
        let Some(inside) = file.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) else {
            continue;
        };
        // A pattern takes a folder whole, without what is hidden in it.
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
            found.push(Arc::from(*file));
        }
    }
    found
}
