//! Files below a common folder, so that its path is written once.

use std::collections::BTreeMap;

use crate::search::report::SearchedFile;

/// More files than this are not put together.
const MOST_FILES: usize = 200;
/// A folder is written once if that saves more than this many bytes.
const LEAST_SAVED: usize = 12;

/// Some files, and the folder that their paths begin with.
pub(super) struct SharedFolder<'f> {
    /// With its slash; empty for none.
    pub(super) path: &'f str,
    pub(super) files: Vec<&'f SearchedFile>,
}

/// Puts files together, by the folder that saves most; folders in the order of their first file.
pub(super) fn by_folder(files: &[SearchedFile]) -> Vec<SharedFolder<'_>> {
    let mut folder_of: Vec<&str> = vec![""; files.len()];
    if files.len() <= MOST_FILES {
        while let Some(folder) = best(files, &folder_of) {
            for (file, own) in files.iter().zip(&mut folder_of) {
                if own.is_empty() && file.path.starts_with(folder) {
                    *own = folder;
                }
            }
        }
    }
    let mut folders: Vec<SharedFolder<'_>> = Vec::new();
    for (file, path) in files.iter().zip(folder_of) {
        match folders.iter_mut().find(|folder| !path.is_empty() && folder.path == path) {
            Some(folder) => folder.files.push(file),
            None => folders.push(SharedFolder { path, files: vec![file] }),
        }
    }
    folders
}

/// The folder that saves most among the files that have none yet.
fn best<'f>(files: &'f [SearchedFile], folder_of: &[&str]) -> Option<&'f str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (file, own) in files.iter().zip(folder_of) {
        if own.is_empty() {
            let ends = file.path.match_indices('/').map(|(at, _)| at + 1);
            for end in ends {
                *counts.entry(&file.path[..end]).or_default() += 1;
            }
        }
    }
    // A line for the folder, and an indent for each file.
    let saved = |(folder, count): &(&str, usize)| (count - 1) * folder.len().saturating_sub(2);
    let best = counts.into_iter().max_by_key(saved)?;
    (best.1 > 1 && saved(&best) > LEAST_SAVED).then_some(best.0)
}

#[cfg(test)]
mod tests {
    use super::by_folder;
    use crate::search::kinds::FileClass;
    use crate::search::report::SearchedFile;

    #[test]
    fn a_folder_is_written_once_where_that_is_shorter() {
        let check = |paths: &[&str], expected: &[(&str, usize)]| {
            let file = |path: &&str| SearchedFile {
                path: (*path).to_owned(),
                class: FileClass::Code,
                sha256: None,
                is_grouped: true,
                groups: Vec::new(),
            };
            let files: Vec<SearchedFile> = paths.iter().map(file).collect();
            let folders = by_folder(&files);
            let found: Vec<_> = folders.iter().map(|it| (it.path, it.files.len())).collect();
            assert_eq!(found, expected, "{paths:?}");
        };
        check(&["django/db/models/sql/query.py"], &[("", 1)]);
        check(&["a/b.py", "a/c.py"], &[("", 1), ("", 1)]);
        let models = "django/db/models/";
        check(
            &["django/db/models/sql/query.py", "setup.py", "django/db/models/query.py"],
            &[(models, 2), ("", 1)],
        );
        check(&[], &[]);
    }
}
