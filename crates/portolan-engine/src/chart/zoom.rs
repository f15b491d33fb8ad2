//! What was asked for by name: files, folders and globs.

use thiserror::Error;

use crate::map::UniverseFile;
use crate::similar::similar;
use crate::spelling::{Meant, Spelling};

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
pub(super) fn asked(
    universe: &[UniverseFile],
    spelling: &Spelling,
    zoom: &[String],
) -> Result<Vec<bool>, UnknownZoom> {
    let mut asked = vec![false; universe.len()];
    let is_known = |text: &str| {
        let meant = Meant::new(text);
        universe.iter().any(|file| meant.has(file.path.as_str()))
    };
    for one in zoom {
        let wanted = spelling.plain(one, &is_known);
        let meant = Meant::new(&wanted);
        let mut found = false;
        for (file, asked) in universe.iter().zip(&mut asked) {
            let is_meant = meant.has(file.path.as_str());
            *asked |= is_meant;
            found |= is_meant;
        }
        if !found {
            let paths = universe.iter().map(|file| file.path.as_str());
            let similar = similar(&wanted, paths, 3);
            return Err(UnknownZoom { asked: one.clone(), similar });
        }
    }
    Ok(asked)
}
