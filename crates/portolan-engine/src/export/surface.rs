//! What packages export: from the files that their names lead to, through everything these pass on.

use std::collections::{BTreeMap, BTreeSet};

use portolan_graph::declarations::{Place, Resolver, World as _};

use super::packages::Packages;
use crate::declarations::{Library, SweptMap};
use crate::map::MapError;

/// The names that declarations are exported under.
#[derive(Default)]
pub(super) struct Surface {
    names: BTreeMap<Place, BTreeSet<String>>,
    /// The files of packages that say what they export: what is not said is not exported.
    closed: BTreeSet<u32>,
}

impl Surface {
    /// The names of a declaration; `None` where its package does not say what it exports.
    pub(super) fn names(&self, place: Place) -> Option<Vec<String>> {
        match self.names.get(&place) {
            Some(names) => Some(names.iter().cloned().collect()),
            None => self.closed.contains(&place.file).then(Vec::new),
        }
    }
}

/// What all packages export.
pub(super) fn exported(swept: &SweptMap<'_>, packages: &Packages) -> Result<Surface, MapError> {
    swept.with_library(|library| {
        let mut surface = Surface::default();
        let files = packages.files();
        for (number, package) in packages.iter().enumerate() {
            let Some(inside) = files.get(&number) else { continue };
            let Some(first) = inside.first() else { continue };
            let entries = package.published.entries.iter();
            let entries = entries.filter_map(|entry| library.resolve(*first, entry, false));
            let is_own = |entry: &u32| (*entry as usize) < swept.map.universe.len();
            let entries: BTreeSet<u32> = entries.filter(is_own).collect();
            if entries.is_empty() {
                continue;
            }
            for entry in entries {
                read(library, entry, &mut surface.names);
            }
            surface.closed.extend(inside.iter().copied());
        }
        surface
    })
}

/// What a module exports, and what the modules that it exports under a name do.
fn read(library: &Library<'_>, entry: u32, names: &mut BTreeMap<Place, BTreeSet<String>>) {
    let resolver = Resolver::new(library);
    for name in resolver.exported_names(entry) {
        let meaning = resolver.exported(entry, &name);
        for place in meaning.places {
            names.entry(place).or_default().insert(name.to_string());
        }
        for module in meaning.modules {
            for inner in resolver.exported_names(module) {
                for place in resolver.exported(module, &inner).places {
                    names.entry(place).or_default().insert(format!("{name}.{inner}"));
                }
            }
        }
    }
}
