//! The names of all files, for paths that a user typed only the end of.

use std::collections::BTreeSet;

use portolan_vfs::System;
use portolan_workspace::Patterns;
use portolan_workspace::config::Loaded;
use portolan_workspace::path_input::{KnownPaths, PathInput};
use portolan_workspace::scan;
use portolan_workspace::similar::similar_files;

use super::kinds::FileClass;
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

    /// The files that a name means, the likeliest first: a part of a file's name (`compiler`), of its path (`sql/compiler`),
    /// or a glob of either (`*compiler*`).
    pub(super) fn named(&self, names: &[String], takes: impl Fn(&str) -> bool) -> Vec<String> {
        let wanted: Vec<WantedFile> = names.iter().filter_map(|it| WantedFile::new(it)).collect();
        let best = |path: &str| wanted.iter().filter_map(|it| it.likeness(path)).min();
        let found = self.0.iter().filter(|path| takes(path));
        let found = found.filter_map(|path| Some((best(path)?, FileClass::of(path), path)));
        let mut found: Vec<(FileLikeness, FileClass, &String)> = found.collect();
        found.sort();
        found.into_iter().map(|(.., path)| path.clone()).collect()
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

/// How much a file is the one that a name means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FileLikeness {
    Whole,
    WithoutEnding,
    Part,
}

/// The name of a file as it is asked for, in lower case.
struct WantedFile {
    name: String,
    glob: Option<Patterns>,
}

impl WantedFile {
    fn new(written: &str) -> Option<Self> {
        let name = written.trim_start_matches("./").to_lowercase();
        let glob = name
            .contains(['*', '?'])
            .then(|| Patterns::new(std::slice::from_ref(&name)).ok())
            .flatten();
        (!name.is_empty()).then_some(Self { name, glob })
    }

    fn likeness(&self, path: &str) -> Option<FileLikeness> {
        let path = path.to_lowercase();
        let own = path.rsplit('/').next().unwrap_or_default();
        let meant = if self.name.contains('/') { path.as_str() } else { own };
        if let Some(glob) = &self.glob {
            return glob.is_match(meant).then_some(FileLikeness::Part);
        }
        let stem = meant.split_once('.').map_or(meant, |(stem, _)| stem);
        match meant {
            meant if meant == self.name => Some(FileLikeness::Whole),
            _ if stem == self.name => Some(FileLikeness::WithoutEnding),
            meant => meant.contains(&self.name).then_some(FileLikeness::Part),
        }
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
