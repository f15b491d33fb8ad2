//! What was asked for by name: files, folders and globs.

use thiserror::Error;

use crate::map_paths::MapPaths;
use portolan_index::map::UniverseFile;
use portolan_workspace::path_input::{KnownPaths as _, PathInput, PathMatcher};
use portolan_workspace::similar::similar_files;

/// Something to show in detail that is not there.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("nothing in the map is or lies below `{asked}`")]
pub struct UnknownZoom {
    /// What was asked for.
    pub asked: String,
    /// What may have been meant.
    pub similar: Vec<String>,
}

/// The most similar paths that are listed.
const MOST_SIMILAR: usize = 3;

/// How a file was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asked {
    /// Not at all.
    #[default]
    No,
    /// With the folder it is in, or by a pattern.
    Within,
    /// By its own name.
    Itself,
}

/// Which files were asked for.
pub(super) fn asked(
    universe: &[UniverseFile],
    path_input: &PathInput,
    zoom: &[String],
) -> Result<Vec<Asked>, UnknownZoom> {
    let mut asked = vec![Asked::No; universe.len()];
    let is_known = |text: &str| {
        let meant = PathMatcher::new(text);
        universe.iter().any(|file| meant.has(file.path.as_str()))
    };
    let paths = MapPaths(universe);
    for one in zoom {
        let mut wanted = path_input.plain(one, &is_known);
        if !is_known(&wanted) {
            wanted = path_input.meant(one, &paths).unwrap_or(wanted);
        }
        let meant = PathMatcher::new(&wanted);
        let mut found = false;
        for (file, asked) in universe.iter().zip(&mut asked) {
            let path = file.path.as_str();
            if meant.has(path) {
                *asked = (*asked).max(if path == wanted { Asked::Itself } else { Asked::Within });
                found = true;
            }
        }
        if !found {
            let mut similar = path_input.nearest(one, &paths).others;
            similar.truncate(MOST_SIMILAR);
            if similar.is_empty() {
                similar = similar_files(&wanted, paths.all(), MOST_SIMILAR);
            }
            return Err(UnknownZoom { asked: one.clone(), similar });
        }
    }
    Ok(asked)
}
