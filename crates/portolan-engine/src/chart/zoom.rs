//! What was asked for by name: files, folders and globs.

use portolan_scan::Patterns;
use thiserror::Error;

use crate::map::UniverseFile;
use crate::similar::similar;

/// Something to show in detail that is not there.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("nothing in the map is or lies below `{asked}`")]
pub struct UnknownZoom {
    /// What was asked for.
    pub asked: String,
    /// What may have been meant.
    pub similar: Vec<String>,
}

/// Which files were asked for.
pub(super) fn asked(universe: &[UniverseFile], zoom: &[String]) -> Result<Vec<bool>, UnknownZoom> {
    let mut asked = vec![false; universe.len()];
    for one in zoom {
        let wanted = one.trim().trim_start_matches("./").trim_end_matches('/');
        let below = format!("{wanted}/");
        let patterns = Patterns::new(&[wanted]).ok();
        let is_glob = wanted.contains(['*', '?', '[', '{']);
        let mut found = false;
        for (file, asked) in universe.iter().zip(&mut asked) {
            let path = file.path.as_str();
            let is_meant = wanted.is_empty()
                || wanted == "."
                || path == wanted
                || path.starts_with(&below)
                || (is_glob && patterns.as_ref().is_some_and(|patterns| patterns.is_match(path)));
            *asked |= is_meant;
            found |= is_meant;
        }
        if !found {
            let paths = universe.iter().map(|file| file.path.as_str());
            let similar = similar(wanted, paths, 3);
            return Err(UnknownZoom { asked: one.clone(), similar });
        }
    }
    Ok(asked)
}
