//! The names of all files, for paths that a user typed only the end of.

use std::collections::BTreeSet;

use portolan_vfs::System;
use portolan_workspace::config::Loaded;
use portolan_workspace::path_input::{KnownPaths, PathInput};
use portolan_workspace::scan;
use portolan_workspace::similar::similar_files;

use super::sweep::scan_settings;
use super::words::without_lines;
use crate::map_paths::rank;

/// The most similar paths that are listed.
const MOST_SIMILAR: usize = 3;

/// The files of a repository, by name only.
pub(super) struct FileNames(Vec<String>);

impl FileNames {
    /// Walks the repository and reads no file. A repository that cannot be walked has no names: the search itself says
    /// why.
    pub(super) fn new(system: &dyn System, config: &Loaded) -> Self {
        let Ok(settings) = scan_settings(config) else { return Self(Vec::new()) };
        let files = scan(system, &settings, &|_| Ok(())).files;
        Self(files.into_iter().map(|(file, ())| file.path.to_string()).collect())
    }

    /// All files and folders whose path ends so.
    pub(super) fn ending(&self, path_input: &PathInput, written: &str) -> Vec<String> {
        let found = path_input.nearest(written, self);
        found.best.into_iter().chain(found.others).collect()
    }

    /// Files and folders whose name looks like it.
    pub(super) fn similar(&self, written: &str) -> Vec<String> {
        let folders = self.0.iter().flat_map(|path| {
            path.match_indices('/').map(move |(end, _)| path.get(..end).unwrap_or_default())
        });
        let known: BTreeSet<&str> = self.all().chain(folders).collect();
        similar_files(without_lines(written), known.into_iter(), MOST_SIMILAR)
    }
}

impl KnownPaths for FileNames {
    fn has(&self, path: &str) -> bool {
        self.0.iter().any(|known| known == path)
    }

    fn all(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.0.iter().map(String::as_str))
    }

    fn rank(&self, path: &str) -> u8 {
        rank(path)
    }
}
