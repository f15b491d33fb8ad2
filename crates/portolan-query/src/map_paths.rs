//! The files of a map as paths that a user may type.

use portolan_graph::select::Category;
use portolan_index::map::{MapReport, UniverseFile};
use portolan_types::cmp_utf16;
use portolan_workspace::path_input::KnownPaths;

/// The files of a map.
#[derive(Clone, Copy)]
pub(crate) struct MapPaths<'m>(pub(crate) &'m [UniverseFile]);

impl<'m> MapPaths<'m> {
    /// The files of this map.
    pub(crate) fn of(map: &'m MapReport) -> Self {
        Self(&map.universe)
    }
}

impl KnownPaths for MapPaths<'_> {
    fn has(&self, path: &str) -> bool {
        self.0.binary_search_by(|file| cmp_utf16(file.path.as_str(), path)).is_ok()
    }

    fn all(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.0.iter().map(|file| file.path.as_str()))
    }

    fn rank(&self, path: &str) -> u8 {
        rank(path)
    }
}

/// Ordinary code comes first, then tests, then what else there is.
pub(crate) fn rank(path: &str) -> u8 {
    // A folder is what the files in it are.
    let category = Category::of(path).or_else(|| Category::of(&format!("{path}/x")));
    match category {
        None => 0,
        Some(Category::Test) => 1,
        Some(_) => 2,
    }
}
